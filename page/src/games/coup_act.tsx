import { useEffect, useState } from 'preact/hooks';
import { useKeys } from '../lib/hooks';
import { t } from '../lib/text';
import { Avatar } from '../pieces/avatar';
import { Role, RoleIcon } from '../pieces/roles';
import { aims, CLAIMS } from './coup';
import { nameOf, seatOf } from './seat';
import { index, type Action, type ActProps, type Pid, type Table } from './types';

const lost = (s: any, a: Action): string => s.your_cards[lostAt(s, a.data.card_index)];
export function coupMove(a: Action, table: Table): string {
  const role = (r: string) => t(`role.${r}`), name = t(`coup.do.${a.type}`, { role: a.type === 'lose_card' ? role(lost(table.state, a)) : a.data?.role && role(a.data.role), roles: a.data?.cards?.map(role).join(', ') });
  return a.data?.target ? `${name}: ${nameOf(table, a.data.target)}` : name;
}

const SIGN: Record<string, string> = { income: '+1', foreign_aid: '+2', coup: '−7', challenge: '?', pass: '·' };

export function CoupAct({ table, request, send, disabled }: ActProps) {
  const { state: s } = table, held: string[] = s.your_cards ?? [], [aim, setAim] = useState('');
  useEffect(() => setAim(''), [request.id, request.legal]);
  const byType = new Map<string, Action[]>();
  for (const a of request.legal) byType.set(a.type, [...(byType.get(a.type) ?? []), a]);
  const moves = [...byType].flatMap(([type, list]) => (list[0].data?.target ? [{ type, list }] : list.map((a) => ({ type, list: [a] }))));
  const isAiming = aim && byType.get(aim);
  useEffect(() => { aims.set(isAiming && !disabled ? isAiming : []); return () => aims.set([]); }, [aim, request, disabled]); // the seats can be tapped too
  const take = (m: { type: string; list: Action[] }) => { if (m.list.length > 1) setAim(m.type); else send(m.list[0]); };
  const find = (type: string) => moves.find((m) => m.type === type);
  useKeys((e) => {
    if (disabled) return false;
    if (isAiming) {
      if (e.key === 'Escape') { setAim(''); return true; }
      const hit = isAiming.find((a) => String(index(a.data.target) + 1) === e.key);
      if (hit) { send(hit); return true; }
      return false;
    }
    const word = ({ c: 'challenge', b: 'block', p: 'pass' } as Record<string, string>)[e.key], m = word ? find(word) : moves[Number(e.key) - 1];
    if (m) { take(m); return true; }
    return false;
  });
  const note = (type: string, a: Action): string => {
    const role = type === 'block' ? a.data.role : CLAIMS[type];
    if (role) return held.includes(role) ? t('coup.true_claim', { role: t(`role.${role}`) }) : t('coup.bluff', { role: t(`role.${role}`) });
    if (type === 'pass') return s.pending_action && s.pending_target === table.me ? t(`coup.cost.${s.pending_action}`) : t('coup.does.pass');
    return t(`coup.does.${type}`);
  };
  if (isAiming) return <><p class="sm dim" role="status">{t('coup.whom', { what: t(`coup.do.${aim}`) })}</p><div class="acts">
    {isAiming.map((a) => { const who = a.data.target as Pid, d = s.players[index(who)].data; return <button type="button" key={who} class="act" disabled={disabled} onClick={() => send(a)}><Avatar id={seatOf(table, who).name} hue={index(who) % 6} /><span><b>{nameOf(table, who)}</b><small>{t('coup.target', { coins: d.coins, cards: d.hidden_cards })}</small></span><kbd>{index(who) + 1}</kbd></button>; })}
    <button type="button" class="act" onClick={() => setAim('')}><span class="two">←</span><span><b>{t('coup.other_move')}</b><small>Esc</small></span></button>
  </div></>;
  return <div class={`acts ${moves.length > 4 ? 'many' : ''}`}>{moves.map((m, i) => {
    const a = m.list[0], role = m.type === 'block' ? a.data.role : CLAIMS[m.type], cards: string[] | undefined = a.data?.cards;
    const title = m.list.length > 1 ? t(`coup.do.${m.type}`) : coupMove(a, table); // else whom comes next
    const key = m.type === 'challenge' ? 'C' : m.type === 'pass' ? 'P' : String(i + 1);
    return <button type="button" key={i} class={`act ${role ? `r-${role}` : ''}`} disabled={disabled} onClick={() => take(m)}>
      {role ? <RoleIcon r={role} /> : m.type === 'lose_card' ? <RoleIcon r={lost(s, a)} /> : cards ? <span class="pair">{cards.map((r, k) => <Role key={k} r={r} />)}</span> : <span class="two">{SIGN[m.type] ?? '·'}</span>}
      <span><b>{title}</b><small>{note(m.type, a)}</small></span><kbd>{key}</kbd></button>;
  })}</div>;
}

// your_cards lists face-down cards in slot order; a slot's index counts revealed ones too.
function lostAt(s: any, slot: number): number {
  return s.your_cards?.length === 2 ? slot : 0;
}
