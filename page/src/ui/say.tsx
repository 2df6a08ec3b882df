import { nameOf } from '../games/seat';
import type { Pid, Sentence, Table } from '../games/types';
import { has, parts, nf, t } from '../lib/text';
import { cardName, Cards } from '../pieces/cards';

const key = (s: Sentence, table: Table): string => (s.who !== undefined && s.who === table.me && has(`${s.key}.you`) ? `${s.key}.you` : s.key);
const object = (pid: Pid, table: Table): string => (pid === table.me ? t('you.object') : nameOf(table, pid));
const isPid = (v: unknown): v is Pid => typeof v === 'string' && /^p\d$/.test(v);

function value(arg: string, s: Sentence, table: Table): string {
  const v = arg === 'who' ? s.who : s.args?.[arg];
  if (Array.isArray(v)) return v.map((p) => nameOf(table, p)).join(', ');
  if (isPid(v)) return arg === 'who' ? nameOf(table, v) : object(v, table);
  return typeof v === 'number' ? nf(v) : String(v ?? '');
}

// A sentence as text.
export function plain(s: Sentence, table: Table): string {
  return parts(key(s, table), s.args ?? {}).map((p) => (typeof p === 'string' ? p : p.arg === 'cards' ? (s.cards ?? []).map(cardName).join(', ') : value(p.arg, s, table))).join('');
}

// The same with names in bold and cards drawn.
export function Say({ s, table }: { s: Sentence; table: Table }) {
  return <span>{parts(key(s, table), s.args ?? {}).map((p, i) => {
    if (typeof p === 'string') return p;
    if (p.arg === 'cards') return <Cards key={i} cards={s.cards ?? []} />;
    const v = p.arg === 'who' ? s.who : s.args?.[p.arg];
    return isPid(v) ? <b key={i}><bdi>{value(p.arg, s, table)}</bdi></b> : value(p.arg, s, table);
  })}</span>;
}
