// Kuhn and Leduc poker, on Hold'em's table. The state is the referee's view, moved on by events; `asHoldem` writes it as
// Hold'em has it, for the board, the sentence and the facts.
import { nf, t } from '../lib/text';
import { holdem } from './holdem';
import { index, pid, type Game, type GameEvent, type Pid, type Sentence, type State, type Table } from './types';

const isLeduc = (s: State): boolean => 'public_card' in s;
const rounds = (s: State): string[][] => (isLeduc(s) ? s.actions : [s.actions]);
const acts = (s: State): string[] => rounds(s).slice(-1)[0]; // of this betting round, beginning with `first`
const seat = (s: State, i: number): number => (index(s.first) + i) % 2;
const isOver = (s: State): boolean => /showdown|done/.test(s.phase);

/** What a bet or raise adds (K2.2, K3.2). */
export const raiseOf = (s: State): number => (isLeduc(s) ? (s.public_card ? 4 : 2) : 1);
function bets(s: State): number[] {
  const bet = [0, 0];
  acts(s).forEach((a, i) => { const k = seat(s, i); if (/call|bet|raise/.test(a)) bet[k] = bet[1 - k] + (a === 'call' ? 0 : raiseOf(s)); });
  return bet;
}
export const toCall = (s: State): number => { const [a, b] = bets(s); return Math.abs(a - b); };
const swept = (s: State): [Pid, number][] => bets(s).map((n, i) => [pid(i), n]);

function apply(s: State, { type, data: d }: GameEvent): State {
  switch (type) {
    case 'new_hand': return { ...s, phase: 'betting', hand_number: d.hand, first: d.first, pot: 2, card: null, swept: undefined, ...(isLeduc(s) ? { actions: [[]], public_card: null } : { actions: [] }) };
    case 'action': { const now = [...acts(s), d.action]; return { ...s, pot: s.pot + (d.amount ?? 0), swept: undefined, actions: isLeduc(s) ? [...s.actions.slice(0, -1), now] : now }; }
    case 'public_card': return { ...s, public_card: d.card, swept: swept(s), actions: [...s.actions, []] };
    case 'hand_result': return { ...s, phase: s.hand_number < s.hands_total ? 'showdown' : 'done', last_hand: d, swept: swept(s),
      payoffs: Object.fromEntries(Object.entries<number>(s.payoffs).map(([p, n]) => [p, n + (!d.winner ? 0 : p === d.winner ? d.amount : -d.amount)])) };
    default: return s;
  }
}

function turn(s: State): Pid | undefined {
  const now = acts(s), last = now[now.length - 1];
  return isOver(s) || /fold|call/.test(last) || (last === 'check' && now.length > 1) ? undefined : pid(seat(s, now.length));
}

// The first raise of a round is a bet.
export const named = (type: string, s: State): string => (type === 'raise' && !toCall(s) ? 'bet' : type);

function words({ type, player, data: d }: GameEvent, s: State): Sentence | null {
  const shown = Object.entries<string>(d.cards ?? {}), who: Pid = d.winner, args = { n: d.amount };
  switch (type) {
    case 'action': return { key: `holdem.act.${named(d.action, s)}`, who: player, args };
    case 'public_card': return { key: 'generic.card', cards: [d.card] };
    case 'hand_result': return who ? { key: shown[1] ? 'generic.wins' : 'holdem.wins', who, args, cards: shown.sort(([p]) => (p === who ? -1 : 1)).map(([, c]) => c) } : { key: 'match.draw' };
    case 'player_disconnected': return { key: 'match.left', who: player };
    default: return null;
  }
}

function asHoldem(table: Table): Table {
  const { state: s, seats } = table, bet = bets(s), now = acts(s), last = isOver(s) ? s.last_hand : undefined, shown = Object.entries<string>(last?.cards ?? {}).map(([p, c]) => [p, [c]]), won = (n: number) => (n > 0 ? '+' : '') + nf(n);
  return { ...table, state: {
    phase: s.phase, community_cards: s.public_card ? [s.public_card] : [], slots: Number(isLeduc(s)), dealt: 1, pot: last ? 0 : s.pot, current_bet: Math.max(...bet), hand_num: s.hand_number, swept: s.swept,
    your_player_id: s.your_player_id, your_hand: s.card && [s.card], holes: s.holes, shown: Object.fromEntries(shown), won: last?.winner && { [last.winner]: last.amount }, note: last && !shown[0] ? 'all_folded' : '',
    players: seats.map(({ pid: id }, i) => ({ id, chips: Infinity, line: won(s.payoffs[id]), bet: last ? 0 : bet[i], status: now.some((a, k) => a === 'fold' && seat(s, k) === i) ? 'folded' : 'active' })),
  } };
}

export const smallPoker = (name: string): Game => ({
  name,
  start: (_, config) => ({ phase: 'betting', hand_number: 1, hands_total: config?.max_hands ?? 1, first: 'p0', pot: 2, payoffs: { p0: 0, p1: 0 }, ...(name === 'leduc_poker' ? { actions: [[]], public_card: null } : { actions: [] }) }),
  apply, turn, words,
  tell: (table) => holdem.tell(asHoldem(table)),
  facts: (table) => holdem.facts!(asHoldem(table)),
  say: (e) => (e.type === 'action' ? t(`holdem.say.${e.data.action}`) : ''),
  heads: (e) => (e.type === 'new_hand' ? { key: 'generic.hand', args: { n: e.data.hand } } : null),
  where: (s) => t('holdem.where', { n: s.hand_number, m: s.hands_total, pot: s.pot }),
  chart: { label: 'chart.chips', values: (s) => Object.values(s.payoffs), marks: (e) => e.type === 'new_hand' },
  pause: (e) => (e.type === 'hand_result' ? 1800 : e.type === 'public_card' ? 500 : 0),
  Board: ({ table, mini }) => <holdem.Board table={asHoldem(table)} mini={mini} />,
});
