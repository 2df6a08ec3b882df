import { useEffect, useRef } from 'preact/hooks';
import { cellsOf, drawField, type Field } from './field';

export function FieldCanvas({ field, label }: { field: Field; label?: string }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => { if (ref.current) drawField(ref.current, field); });
  return <canvas class="field" ref={ref} width={200} height={400} role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : 'true'} />;
}

export function Tetro({ kind }: { kind?: string | null }) {
  const cells = kind ? cellsOf(kind, 'north') : [], w = Math.max(0, ...cells.map((c) => c[0] + 1)), h = Math.max(0, ...cells.map((c) => c[1] + 1));
  return <svg class="tetro" viewBox="0 0 44 24" aria-hidden="true">{kind && cells.map(([x, y], i) =>
    <g key={i} class={`tc t-${kind}`} transform={`translate(${22 - w * 5 + x * 10} ${12 - h * 5 + y * 10})`}><rect x=".35" y=".35" width="9.3" height="9.3" rx="1.6" /><path d="M1.9.35h6.2A1.55 1.55 0 0 1 9.65 1.9v.9H.35v-.9A1.55 1.55 0 0 1 1.9.35z" /></g>)}</svg>;
}
