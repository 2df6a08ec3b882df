import { t } from '../lib/text';
import { ALPHA, PIPS } from './shapes';

export function Die({ n, cls = '', named }: { n?: number; cls?: string; named?: boolean }) {
  const label = named ? { role: 'img', 'aria-label': n ? t(`die.${n}`) : t('die.hidden') } as const : { 'aria-hidden': 'true' } as const;
  return <svg class={`die ${cls}`} viewBox="0 0 40 40" {...label}>
    <rect class="df" x="1" y="1" width="38" height="38" rx="9" />
    {n ? PIPS[n].map(([x, y], i) => <circle key={i} class="dp" cx={x} cy={y} r={n === 1 ? 4.8 : 3.7} />) : <path class="dq" transform="translate(10 10) scale(.84)" d={ALPHA} />}
  </svg>;
}

// A leather cup upside down; the dice it hides lie before it.
export function Cup({ n, counted = true }: { n: number; counted?: boolean }) {
  return <div class="cupw">
    <svg class="cup" viewBox="0 0 84 74" aria-hidden="true">
      <path class="u1" d="M22 5c0-2 9-3.5 20-3.5S62 3 62 5l9 55c0 4-13 7-29 7s-29-3-29-7z" /><path class="u4" d="M20.4 15c5 2 38.2 2 43.2 0" />
      <ellipse class="u2" cx="42" cy="5.5" rx="20" ry="3.8" /><path class="u3" d="M13 60c0-2 1-3 1-3 5 5 51 5 56 0 0 0 1 1 1 3 0 4-13 7-29 7s-29-3-29-7z" />
    </svg>
    {counted && <span class="cnt num">{n}</span>}
    <span class="pips">{Array.from({ length: n }, (_, i) => <i key={i} />)}</span>
  </div>;
}
