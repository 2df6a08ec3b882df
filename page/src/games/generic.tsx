// A game without a board of its own: its seats, what the referee tells of it, and the moves as a list.
import { has, t } from '../lib/text';
import { Card } from '../pieces/cards';
import { nameOf, Plate, turnText } from './seat';
import { type BoardProps, type Game, type GameEvent, type Pid, type Sentence, type Table } from './types';

// A word of the referee's, in the visitor's language where the texts have it.
export const word = (w: string): string => (has(`word.${w}`) ? t(`word.${w}`) : w.replace(/_/g, ' '));
// p0, p1.. are seats: people know them by their names.
const seatOf = (w: string): string => (/^p\d$/.test(w) ? `${t('player')}${Number(w[1]) + 1}` : word(w));
export const plain = (v: unknown, name = seatOf): string => (v === null || v === undefined ? '·' : Array.isArray(v) ? v.map((x) => plain(x, name)).join(' ') || '·' : typeof v === 'object' ? Object.entries(v as object).map(([k, x]) => `${name(k)} ${plain(x, name)}`).join(', ') : typeof v === 'string' ? name(v) : String(v));
export const begin = (w: string): string => w.charAt(0).toUpperCase() + w.slice(1);
const isCard = (v: unknown): boolean => typeof v === 'string' && /^[2-9TJQKA][shdc]$/.test(v);
// What is known of the table and not drawn: whose turn it is, the plates show.
const rows = ({ state: s, ...table }: Table, drawn?: boolean): [string, string][] => Object.entries(s ?? {}).filter(([k, v]) => v !== undefined && !(drawn && (v === null || isCard(v) || (v as any).length === 0)) && !['players', 'hash', 'chain', 'turns', 'over', 'last_event', 'last_hand', 'your_player_id', 'current_player_id', 'text'].includes(k)).map(([k, v]) => [begin(word(k)), plain(v, (w) => (/^p\d$/.test(w) ? nameOf(table as Table, w as Pid) : word(w)))]);

function Board({ table, mini }: BoardProps) {
  const cards = Object.entries<any>(table.state ?? {}).filter(([, v]) => isCard(v));
  return <div class={`stage generic g-generic ${mini ? 'mini' : 'bleed'}`}>
    <div class="opp">{table.seats.map((seat) => <div key={seat.pid} class="gseat"><Plate table={table} pid={seat.pid} line={table.last?.data?.seat === seat.pid ? begin(word(table.last.data.action)) : ''} /></div>)}</div>
    <div class="gcards">{cards.map(([k, v]) => <span key={k}><Card c={v} />{!mini && <small>{begin(word(k))}</small>}</span>)}</div>
    {!mini && <pre class="text-table">{table.state?.text ?? rows(table, true).map(([k, v]) => `${k.padEnd(18)} ${v}`).join('\n')}</pre>}
  </div>;
}

// Events are told by their members.
const words = ({ type, player: who, data }: GameEvent): Sentence => ({ key: who ? 'generic.did' : 'generic.event', who, args: { what: word(type), data: plain(data) } });

export const generic = (name: string): Game => ({
  name,
  start: (n) => ({ players: Array.from({ length: n }, (_, i) => ({ id: `p${i}` })) }),
  apply: (s, e) => ({ ...s, ...(e.data?.state ?? {}), last_event: e.type }),
  turn: (s) => s?.current_player_id ?? s?.current_turn,
  words,
  tell: (table: Table) => table.state?.text ?? rows(table).map(([k, v]) => `${k}: ${v}`).join('. ') + (table.turn ? ` ${turnText(table, table.turn)}.` : ''),
  where: () => '',
  Board,
});
