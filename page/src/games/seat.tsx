// The plate of a seat: avatar, name, a line, the clock.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Avatar } from '../pieces/avatar';
import { index, type Pid, type Table } from './types';
import { clean, t } from '../lib/text';

export const seatOf = (table: Table, pid: Pid) => table.seats[index(pid)] ?? { pid, name: pid };
// Seats of a running match have numbers in place of names: the server calls them "Player 1", "Player 2"...
export const nameOf = (table: Table, pid: Pid): string => (pid === table.me ? t('you') : clean(seatOf(table, pid).name).replace(/^Player (?=\d$)/, t('player')).replace(/^.*[\u0590-\u08ff].*$/, '\u2068$&\u2069')); // isolated where it is written from the right

export function Clock({ deadline, limit }: { deadline?: number; limit?: number }) {
  const style = useMemo(() => deadline && limit ? { animationDuration: `${limit}ms`, animationDelay: `${deadline - limit - Date.now()}ms` } : undefined, [deadline, limit]);
  return <div class="clock"><i key={deadline} style={style} /></div>;
}

// Where a long name is cut, the number that tells house bots apart stays.
export const numbered = (name: string): [string, string, string?] => /^(.*?)( \d{1,3})?$/s.exec(name)! as unknown as [string, string, string?];
// The same in text of fixed width.
export const short = (name: string): string => (name.length > 15 ? name.replace(/^(\S{1,9}) .* (\S{1,4})$/, '$1 … $2') : name);

export function Plate({ table, pid, line, dealer, children }: { table: Table; pid: Pid; line: ComponentChildren; dealer?: boolean; children?: ComponentChildren }) {
  const seat = seatOf(table, pid), turn = table.turn === pid, [name, head, no] = numbered(nameOf(table, pid));
  return <div class={`plate ${turn ? 'turn' : ''}`}>
    <Avatar id={seat.agent ?? seat.name} hue={index(pid) % 6} />
    <div class="grow"><div class="nm" title={name}><bdi class="clip">{head}</bdi>{no}</div><div class="st">{line}</div></div>
    {dealer && <span class="dealer" title={t('dealer')}>D</span>}
    {table.strikes?.[index(pid)] ? <span class="strike num" title={t('strikes', { n: table.strikes[index(pid)] })}>!</span> : null}
    {children}
    {turn && table.deadline && <Clock deadline={table.deadline} limit={table.limit} />}
  </div>;
}

export const turnText = (table: Table, pid: Pid): string => (pid === table.me ? t('tell.turn.you') : t('tell.turn', { name: nameOf(table, pid) }));
