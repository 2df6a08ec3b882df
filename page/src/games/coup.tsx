import { signal, useSignal } from '../lib/signal';
import { nf, t } from '../lib/text';
import { Avatar } from '../pieces/avatar';
import { Coin } from '../pieces/chips';
import { Role, RoleIcon } from '../pieces/roles';
import { nameOf, Plate, seatOf, turnText } from './seat';
import { after, index, pid, type Action, type BoardProps, type Game, type GameEvent, type Pid, type Sentence, type State, type Table } from './types';

const PRICE: Record<string, number> = { coup: -7, assassinate: -3, income: 1 };
export const CLAIMS: Record<string, string> = { tax: 'Duke', assassinate: 'Assassin', steal: 'Captain', exchange: 'Ambassador' };
// Where the player's next tap on a seat goes: the moves of the action that was chosen, one for each target.
export const aims = signal<Action[]>([]);
const ENDS = ['block_accepted', 'exchange_complete'];

function change(s: State, who: Pid, f: (d: any) => any): State {
  return { ...s, players: s.players.map((p: any) => (p.id === who ? { ...p, data: { ...p.data, ...f(p.data) } } : p)) };
}
const alive = (s: State) => (i: number): boolean => s.players[i].data.hidden_cards > 0;

function apply(s: State, e: GameEvent): State {
  const d = e.data, who = e.player!;
  let out: State = { ...s, chain: [...(s.chain ?? []), e], over: s.over || ENDS.includes(e.type) };
  switch (e.type) {
    case 'action':
      out = { ...out, chain: [e], over: d.action === 'income', turns: (s.turns ?? 0) + 1, phase: 'action', current_turn: who, pending_action: d.action, pending_target: d.target, claimed_role: d.claimed_role };
      return PRICE[d.action] ? change(out, who, (x) => ({ coins: x.coins + PRICE[d.action] })) : out;
    case 'challenge': case 'challenge_pass': return { ...out, phase: 'challenge_action' };
    case 'block': return { ...out, phase: 'challenge_block', blocker: d.blocker, block_role: d.claimed_role };
    case 'challenge_result': return { ...out, over: out.over || d.result === 'success' };
    case 'challenge_block_result': return { ...out, over: out.over || d.result === 'fail' };
    case 'influence_lost': {
      out = { ...out, over: out.over || s.pending_action === 'coup' || s.pending_action === 'assassinate' };
      return change(out, d.player, (x) => ({ hidden_cards: Math.max(0, x.hidden_cards - 1), revealed: [...x.revealed, d.card] }));
    }
    case 'action_resolved':
      out = { ...change(out, who, (x) => ({ coins: d.coins_now ?? x.coins })), over: d.action !== 'assassinate' };
      return d.stolen ? change(out, d.target, (x) => ({ coins: x.coins - d.stolen })) : out;
    case 'player_eliminated': return { ...out, players: out.players.map((p: any) => (p.id === who ? { ...p, status: 'eliminated', data: { ...p.data, hidden_cards: 0 } } : p)) };
    case 'game_over': return { ...out, phase: 'done', champion: d.winner };
    default: return out;
  }
}

function turn(s: State): Pid | undefined {
  if (s.phase === 'done') return undefined;
  return s.over ? after(s.current_turn, s.players.length, alive(s)) : s.phase === 'action' ? s.current_turn : undefined;
}

function words(e: GameEvent): Sentence | null {
  const d = e.data, role = (r: string) => t(`role.${r}`);
  switch (e.type) {
    case 'action': return { key: `coup.act.${d.action}`, who: e.player, args: { other: d.target } };
    case 'challenge_pass': return { key: 'coup.stands', who: e.player };
    case 'block_pass': case 'block_challenge_pass': return { key: 'coup.passes', who: e.player };
    case 'challenge': return { key: 'coup.challenges', who: d.challenger, args: { role: role(d.claimed_role) } };
    case 'challenge_block': return { key: 'coup.challenges', who: d.challenger, args: { role: role(d.claimed_role) } };
    case 'challenge_result': case 'challenge_block_result': return d.result === 'fail' ? { key: 'coup.true', who: d.actor ?? d.blocker, args: { role: role(d.revealed_card) } } : { key: 'coup.lie', who: d.actor ?? d.blocker };
    case 'block': return { key: 'coup.blocks', who: d.blocker, args: { role: role(d.claimed_role) } };
    case 'block_accepted': return { key: 'coup.block_stands', who: d.blocker };
    case 'influence_lost': return { key: 'coup.loses', who: d.player, args: { role: role(d.card) } };
    case 'player_eliminated': return { key: 'match.out', who: e.player };
    case 'player_disconnected': return { key: 'match.left', who: e.player };
    case 'exchange_draw': return { key: 'coup.draws', who: e.player };
    case 'exchange_complete': return { key: 'coup.returns', who: e.player };
    case 'action_resolved': return d.stolen !== undefined ? { key: 'coup.stole', who: e.player, args: { other: d.target, n: d.stolen } } : d.coins_now !== undefined ? { key: 'coup.now', who: e.player, args: { n: d.coins_now } } : null;
    case 'game_over': return d.winner ? { key: 'match.wins', who: d.winner } : { key: 'match.draw' };
    default: return null;
  }
}

const sentence = (table: Table, s: Sentence): string => {
  const you = s.who === table.me, args: Record<string, unknown> = { who: s.who ? nameOf(table, s.who) : '', ...s.args };
  if (args.other) args.other = args.other === table.me ? t('you.object') : nameOf(table, args.other as Pid);
  return t(you ? `${s.key}.you` : s.key, args);
};

// The chain of claim, block, challenge and outcome stays in the middle until the next turn.
function Chain({ table, mini }: { table: Table; mini?: boolean }) {
  const { state: s } = table, chain: GameEvent[] = s.chain ?? [];
  const claim = s.pending_action, role = s.claimed_role ?? CLAIMS[claim];
  if (!claim) return <div class="claim quiet">{turn(s) && <span>{turnText(table, turn(s)!)}</span>}</div>;
  const head = sentence(table, { key: `coup.act.${claim}`, who: s.current_turn, args: { other: s.pending_target } });
  if (mini) return <div class="claim">{role && <RoleIcon r={role} />}<span>{head}</span></div>;
  const rest = chain.slice(1).map((e) => [e, words(e)] as const).filter(([, w]) => w).slice(-4);
  const ask = table.me && table.turn === table.me ? t(`coup.you_may.${s.phase}`) : '';
  return <div class="claim"><ol>
    <li>{role ? <RoleIcon r={role} /> : <span class="two">{claim === 'coup' ? '−7' : claim === 'income' ? '+1' : '+2'}</span>}<span>{head}</span></li>
    {rest.map(([e, w]) => <li key={e.seq} class="q"><span class="dot" /><span>{sentence(table, w!)}</span></li>)}
    {ask && <li class="q now"><span class="dot" /><b>{ask}</b></li>}
  </ol></div>;
}

// Cards of a seat: what it hides, then what it has revealed.
function hand(table: Table, who: Pid) {
  const { state: s } = table, d = s.players[index(who)].data;
  const hidden: (string | null)[] = who === s.your_player_id && s.your_cards ? s.your_cards : s.opened?.[who] ?? Array(d.hidden_cards).fill(null);
  return [...hidden.map((r, i) => <Role key={i} r={r} named={who === table.me} />), ...d.revealed.map((r: string, i: number) => <Role key={`r${i}`} r={r} out named={who === table.me} />)];
}

function Board({ table, mini, request, send }: BoardProps) {
  const aimed = useSignal(aims), { state: s } = table, n = s.players.length, first = table.me ? index(table.me) : -1;
  const others = Array.from({ length: first < 0 ? n : n - 1 }, (_, k) => pid(first < 0 ? k : (first + 1 + k) % n));
  const seen = s.players.flatMap((p: any) => p.data.revealed as string[]);
  return <div class={`stage coup g-coup ${mini ? 'mini mcoup' : 'bleed'} ${others.length > 3 ? 'crowd' : ''}`}>
    <div class="opp">{others.map((who) => {
      const p = s.players[index(who)], out = p.data.hidden_cards === 0, at = !mini && request && aimed.find((a) => a.data.target === who);
      return <div key={who} class={`cseat ${out ? 'out' : ''} ${s.current_turn === who && !s.over ? 'acting' : ''} ${at ? 'target' : ''}`}><div class="roles">{hand(table, who)}</div>
        {mini ? <div class="plate"><Avatar id={seatOf(table, who).name} hue={index(who) % 6} /><Coin n={p.data.coins} /></div> : <Plate table={table} pid={who} line={out ? t('out') : <Coin n={p.data.coins} />} />}{at && <button type="button" class="hit" tabIndex={-1} aria-label={nameOf(table, who)} onClick={() => send?.(at)} />}</div>;
    })}</div>
    <Chain table={table} mini={mini} />
    {!mini && first >= 0 && <div class="mine"><div class="roles">{hand(table, table.me!)}</div>
      <div class="you"><Plate table={table} pid={table.me!} line={<Coin n={s.players[first].data.coins} />} />
        <p class="sm">{t('coup.deck', { n: 15 - 2 * n, seen: seen.map((r: string) => t(`role.${r}`)).join(', ') || t('none') })}</p></div></div>}
  </div>;
}

function tell(table: Table): string {
  const { state: s } = table, w = s.chain?.length ? words(s.chain[s.chain.length - 1]) : null;
  const coins = s.players.map((p: any) => t('coup.tell.seat', { name: nameOf(table, p.id), n: p.data.coins, cards: p.data.hidden_cards }));
  const open = s.players.filter((p: any) => p.data.revealed.length).map((p: any) => `${nameOf(table, p.id)} ${p.data.revealed.map((r: string) => t(`role.${r}`)).join(', ')}`);
  return [w ? sentence(table, w) : '', ...coins, open.length ? t('coup.tell.revealed', { list: open.join('; ') }) : '', s.your_cards ? t('coup.tell.yours', { list: s.your_cards.map((r: string) => t(`role.${r}`)).join(', ') }) : '', table.turn ? turnText(table, table.turn) : ''].filter(Boolean).join('. ') + '.';
}

export const coup: Game = {
  name: 'coup',
  start: (n) => ({ phase: 'action', current_turn: 'p0', turns: 0, players: Array.from({ length: n }, (_, i) => ({ id: pid(i), status: 'alive', data: { coins: 2, hidden_cards: 2, revealed: [] } })) }),
  apply, words, tell, turn,
  heads: (e, s) => (e.type === 'action' ? { key: 'coup.turn', args: { n: (s.turns ?? 0) + 1 } } : null),
  where: (s) => [s.turns ? t('coup.turn', { n: s.turns }) : '', t('coup.in_play', { n: s.players.filter((p: any) => p.data.hidden_cards).length })].filter(Boolean).join(' · '),
  facts: (table) => [[t('fact.to_act'), table.turn ? nameOf(table, table.turn) : table.state.phase === 'done' ? '–' : t('fact.others')], [t('fact.claim'), table.state.claimed_role ? t(`role.${table.state.claimed_role}`) : '–'], [t('fact.in_play'), nf(table.state.players.filter((p: any) => p.data.hidden_cards).length)]],
  chart: { label: 'chart.influence', values: (s) => s.players.map((p: any) => p.data.hidden_cards + Math.min(9, p.data.coins) / 10), marks: (e) => e.type === 'action' },
  pause: (e) => (/result|lost/.test(e.type) ? 900 : 0),
  Board,
};
