import { useEffect, useState } from 'preact/hooks';
import { useKeys } from '../lib/hooks';
import { settings } from '../lib/settings';
import { useSignal } from '../lib/signal';
import { percent, t } from '../lib/text';
import { Die } from '../pieces/dice';
import { faces, total } from './dice';
import type { Action, ActProps } from './types';

export const diceMove = ({ type, data }: Action): string => (type === 'bid' ? t('dice.do_bid', { n: data.quantity, faces: faces(data.quantity, data.face) }) : t('dice.liar'));

// At least n of `face` among all dice, given the own ones: the others are binomial.
export function chance(n: number, face: number, own: number[], all: number): number {
  const have = own.filter((d) => d === face || d === 1).length, hidden = all - own.length, p = face === 1 ? 1 / 6 : 1 / 3;
  let sum = 0;
  for (let k = Math.max(0, n - have); k <= hidden; k++) {
    let ways = 1;
    for (let i = 0; i < k; i++) ways = ways * (hidden - i) / (i + 1);
    sum += ways * p ** k * (1 - p) ** (hidden - k);
  }
  return Math.min(1, sum);
}

export function DiceAct({ table, request, send, disabled }: ActProps) {
  const { state: s } = table, hint = request.legal.find((a) => a.type === 'bid')?.data, liar = request.legal.some((a) => a.type === 'challenge');
  const bid = s.current_bid, own: number[] = s.your_dice ?? [], all = s.total_dice ?? total(s), shows = useSignal(settings).chances === 'on';
  const [face, setFace] = useState<number>(hint?.min_face ?? 1), [n, setN] = useState<number>(hint?.min_quantity ?? 1);
  useEffect(() => { if (hint) { setFace(hint.min_face); setN(hint.min_quantity); } }, [request.id, hint?.min_quantity, hint?.min_face]);
  const least = (f: number): number => (bid ? (f > bid.face ? bid.quantity : bid.quantity + 1) : 1), most: number = hint?.max_quantity ?? all;
  const ok = hint && n >= least(face) && n <= most;
  const pick = (f: number) => { if (least(f) > most) return; setFace(f); setN((was) => Math.max(least(f), Math.min(most, was))); };
  const step = (by: number) => setN((was) => Math.max(least(face), Math.min(most, was + by)));
  const doBid = () => { if (ok) send({ type: 'bid', data: { quantity: n, face } }); };
  useKeys((e) => {
    if (disabled) return false;
    if (hint && e.key >= '1' && e.key <= '6') { pick(Number(e.key)); return true; }
    if (e.key === 'ArrowUp') { step(1); return true; }
    if (e.key === 'ArrowDown') { step(-1); return true; }
    if (e.key === 'Enter' && (e.target as HTMLElement).tagName !== 'BUTTON') { doBid(); return true; }
    if (e.key === 'l' && liar) { send({ type: 'challenge' }); return true; }
    return false;
  });
  return <>
    {hint && <div class="builder">
      <div class="step" role="group" aria-label={t('dice.how_many')}><button type="button" class="btn" aria-label={t('dice.fewer')} disabled={disabled || n <= least(face)} onClick={() => step(-1)}>−</button><output class="num">{n}</output><button type="button" class="btn" aria-label={t('dice.more')} disabled={disabled || n >= most} onClick={() => step(1)}>+</button></div>
      <div class="faces" role="radiogroup" aria-label={t('dice.face')}>{[1, 2, 3, 4, 5, 6].map((f) => <button type="button" key={f} role="radio" aria-checked={f === face} disabled={disabled || least(f) > most} aria-label={faces(2, f)} onClick={() => pick(f)}><Die n={f} /></button>)}</div>
    </div>}
    <div class="go2">
      {hint && <button type="button" class="btn pri" disabled={disabled || !ok} onClick={doBid}>{t('dice.do_bid', { n, faces: faces(n, face) })} {shows && <small>{t('dice.holds', { p: percent(chance(n, face, own, all)) })}</small>}<kbd>↵</kbd></button>}
      {liar && bid && <button type="button" class="btn liar" disabled={disabled} onClick={() => send({ type: 'challenge' })}>{t('dice.liar')} {shows && <small>{t('dice.right', { p: percent(1 - chance(bid.quantity, bid.face, own, all)) })}</small>}<kbd>L</kbd></button>}
    </div>
  </>;
}
