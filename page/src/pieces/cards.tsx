import { t } from '../lib/text';
import { ALPHA, COURT, RANK, SUIT } from './shapes';

export const cardName = (c: string): string => t('card.name', { rank: t(`rank.${c[0]}`), suit: t(`suit.${c[1]}`) });

export function Suit({ s, label }: { s: string; label?: string }) {
  return <svg class={`suit s-${s}`} viewBox="0 0 24 24" role={label ? 'img' : undefined} aria-label={label} aria-hidden={label ? undefined : 'true'}><path d={SUIT[s]} fill="currentColor" /></svg>;
}

// `c` is rank and suit, as "Td"; null is a back. Hidden from readers unless `named`: boards tell themselves in one sentence.
export function Card({ c, named, cls = '' }: { c?: string | null; named?: boolean; cls?: string }) {
  const label = named ? { role: 'img', 'aria-label': c ? cardName(c) : t('card.hidden') } as const : { 'aria-hidden': 'true' } as const;
  if (!c) return <svg class={`card back ${cls}`} viewBox="0 0 60 84" {...label}>
    <rect class="cf" x=".75" y=".75" width="58.5" height="82.5" rx="6.5" /><rect class="cb" x="5" y="5" width="50" height="74" rx="3.5" />
    <path class="cm" transform="translate(18 30)" d={ALPHA} /></svg>;
  const [r, s] = c;
  return <svg class={`card s-${s} ${cls}`} viewBox="0 0 60 84" {...label}>
    <rect class="cf" x=".75" y=".75" width="58.5" height="82.5" rx="6.5" />
    <path class="rk" transform="translate(7 8) scale(1.08)" d={RANK[r]} />
    <path transform="translate(6.2 35.5) scale(.79)" d={SUIT[s]} fill="currentColor" />
    {COURT[r] && <path class="court" transform="translate(29.5 35.5) scale(.76)" d={COURT[r]} />}
    <path transform={COURT[r] ? 'translate(27.5 51) scale(1.18)' : 'translate(24.5 44) scale(1.35)'} d={SUIT[s]} fill="currentColor" /></svg>;
}

export const Cards = ({ cards }: { cards: (string | null)[] }) => <span class="mc">{cards.map((c, i) => <Card key={i} c={c} named />)}</span>;
