// A game without a board of its own: its seats, what the referee tells of it, and the moves as a list.
import { has, t } from '../lib/text';
import { Card } from '../pieces/cards';
import { Plate, turnText } from './seat';
import { type BoardProps, type Game, type Table } from './types';

// A word of the referee's, in the visitor's language where the texts have it.
export const word = (w: string): string => (has(`word.${w}`) ? t(`word.${w}`) : w.replace(/_/g, ' '));
// p0, p1.. are seats: people know them by their names.
const seatOf = (w: string): string => (/^p\d$/.test(w) ? `${t('player')}${Number(w[1]) + 1}` : word(w));
export const plain = (v: unknown): string => (v === null || v === undefined ? '·' : Array.isArray(v) ? v.map(plain).join(' ') || '·' : typeof v === 'object' ? Object.entries(v as object).map(([k, x]) => `${seatOf(k)} ${plain(x)}`).join(', ') : typeof v === 'string' ? seatOf(v) : String(v));
const rows = (s: any): [string, string][] => Object.entries(s ?? {}).filter(([k, v]) => v !== undefined && !['players', 'hash', 'chain', 'turns', 'over', 'last_event', 'your_player_id', 'text'].includes(k)).map(([k, v]) => [word(k), plain(v)]);

function Board({ table, mini }: BoardProps) {
  const cards = Object.entries<any>(table.state ?? {}).filter(([, v]) => typeof v === 'string' && /^[2-9TJQKA][shdc]$/.test(v));
  return <div class={`stage generic g-generic ${mini ? 'mini' : 'bleed'}`}>
    <div class="opp">{table.seats.map((seat) => <div key={seat.pid} class="gseat"><Plate table={table} pid={seat.pid} line={plain(table.state?.players?.find?.((p: any) => p.id === seat.pid)?.status ?? '')} /></div>)}</div>
    <div class="gcards">{cards.map(([k, v]) => <span key={k}><Card c={v} />{!mini && <small>{word(k)}</small>}</span>)}</div>
    {!mini && <pre class="text-table">{table.state?.text ?? rows(table.state).map(([k, v]) => `${k.padEnd(18)} ${v}`).join('\n')}</pre>}
  </div>;
}

export const generic = (name: string): Game => ({
  name,
  start: (n) => ({ players: Array.from({ length: n }, (_, i) => ({ id: `p${i}` })) }),
  apply: (s, e) => ({ ...s, ...(e.data?.state ?? {}), last_event: e.type }),
  turn: (s) => s?.current_player_id ?? s?.current_turn,
  words: (e) => ({ key: e.player ? 'generic.did' : 'generic.event', who: e.player, args: { what: word(e.type), data: plain(e.data) } }),
  tell: (table: Table) => table.state?.text ?? rows(table.state).map(([k, v]) => `${k}: ${v}`).join('. ') + (table.turn ? ` ${turnText(table, table.turn)}.` : ''),
  where: () => '',
  Board,
});
