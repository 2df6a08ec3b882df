import { useKeys } from '../lib/hooks';
import { t } from '../lib/text';
import { named, raiseOf, toCall } from './small_poker';
import type { Action, ActProps, Table } from './types';

export const smallPokerMove = ({ type }: Action, { state: s }: Table): string => t(`holdem.do.${named(type, s)}`, { n: toCall(s) + (type === 'call' ? 0 : raiseOf(s)) });

export function SmallPokerAct({ table, request, send, disabled }: ActProps) {
  useKeys((e) => { const a = !disabled && request.legal.find(({ type }) => type[0] === e.key); if (a) send(a); return Boolean(a); });
  return <div class="go3">{request.legal.map((a) => <button type="button" key={a.type} class={`btn ${/bet|raise/.test(a.type) ? 'pri' : ''}`} disabled={disabled} onClick={() => send(a)}>{smallPokerMove(a, table)} <kbd>{a.type[0].toUpperCase()}</kbd></button>)}</div>;
}
