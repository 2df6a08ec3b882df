import { useState } from 'preact/hooks';
import { nf, t } from '../lib/text';
import '../styles/chart.css';

export interface Series { name: string; hue: number; points: [number, number][] }

// Lines over steps. `marks` are vertical rules with labels. Behind "as a table" stand the numbers.
export function LineChart({ series, width, marks, label, height = 150 }: { series: Series[]; width: number; marks: number[]; label: string; height?: number }) {
  const all = series.flatMap((s) => s.points.map((p) => p[1])), low = Math.min(0, ...all), span = (Math.max(1, ...all) - low) * 1.06, W = 1000;
  const x = (i: number) => (i / Math.max(1, width) * W).toFixed(1), y = (v: number) => (height - 4 - (v - low) / span * (height - 12)).toFixed(1);
  const path = (s: Series) => s.points.map(([i, v], k) => `${k ? 'L' : 'M'}${x(i)} ${y(v)}`).join('');
  return <svg viewBox={`0 0 ${W} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
    {marks.map((m) => <path key={m} class="grid" d={`M${x(m)} 0V${height}`} />)}
    {series.map((s, i) => <path key={i} class={`ln hue-${s.hue}`} d={path(s)} />)}
  </svg>;
}

export function AsTable({ head, rows }: { head: string[]; rows: (string | number)[][] }) {
  const [open, set] = useState(false);
  return <div class="as-table"><button type="button" class="link sm" aria-expanded={open} onClick={() => set(!open)}>{t('chart.table')}</button>
    {open && <div class="scroll"><table><thead><tr>{head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead><tbody>{rows.map((r, i) => <tr key={i}>{r.map((c, k) => <td key={k} class={k ? 'n' : ''}>{typeof c === 'number' ? nf(c) : c}</td>)}</tr>)}</tbody></table></div>}</div>;
}

// A rating over matches with a band of two deviations.
export function BandChart({ points, label }: { points: { value: number; deviation?: number }[]; label: string }) {
  const W = 800, H = 200, low = Math.min(...points.map((p) => p.value - 2 * (p.deviation ?? 0))), high = Math.max(...points.map((p) => p.value + 2 * (p.deviation ?? 0)));
  const step = high - low > 900 ? 400 : 200, y0 = Math.max(0, Math.floor(low / step) * step), y1 = Math.max(y0 + step, Math.ceil(high / step) * step);
  const x = (i: number) => (points.length < 2 ? W * i : i / (points.length - 1) * W).toFixed(1), y = (v: number) => (H - (Math.max(y0, Math.min(y1, v)) - y0) / (y1 - y0) * H).toFixed(1);
  const ticks: number[] = [];
  for (let v = y0; v <= y1; v += step) ticks.push(v);
  const many = points.length < 2 ? [points[0], points[0]] : points;
  const line = (f: (p: typeof points[0]) => number) => many.map((p, i) => `${i ? 'L' : 'M'}${x(i)} ${y(f(p))}`).join('');
  const band = many.every((p) => p.deviation) ? line((p) => p.value + 2 * p.deviation!) + [...many].reverse().map((p, i) => `L${x(many.length - 1 - i)} ${y(p.value - 2 * p.deviation!)}`).join('') + 'z' : '';
  return <div class="plot"><div class="ax xs dim" aria-hidden="true">{ticks.map((v) => <span key={v} style={{ top: `${Number(y(v)) / H * 100}%` }}>{v}</span>)}</div>
    <svg viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img" aria-label={label}>{ticks.map((v) => <path key={v} class="grid" d={`M0 ${y(v)}H${W}`} />)}{band && <path class="ar" d={band} />}<path class="ln acc" d={line((p) => p.value)} /></svg></div>;
}
