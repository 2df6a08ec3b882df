import { clock, fixed, has, nf, t } from '../lib/text';
import { usePhone } from '../lib/hooks';
import { Avatar } from '../pieces/avatar';
import { Card, cardName } from '../pieces/cards';
import { Chips } from '../pieces/chips';
import { nameOf, Plate, seatOf, turnText } from './seat';
import { after, index, pid, type BoardProps, type Game, type GameEvent, type Pid, type State, type Table } from './types';

const ACTS = ['small_blind', 'big_blind', 'fold', 'check', 'call', 'raise', 'allin'];

function withPlayer(s: State, who: Pid, change: (p: any) => any): State {
  return { ...s, players: s.players.map((p: any) => (p.id === who ? { ...p, ...change(p) } : p)) };
}

function next(s: State, from: Pid): Pid | undefined {
  return after(from, s.players.length, (i) => {
    const p = s.players[i];
    return p.status === 'active' && (p.bet < s.current_bet || !s.acted?.includes(p.id));
  });
}

function act(s: State, e: GameEvent): State {
  const { action, amount = 0 } = e.data, who = e.player!, p = s.players[index(who)];
  const added = action === 'raise' || action === 'allin' ? amount - p.bet : amount;
  const out = withPlayer(s, who, (q) => ({ chips: q.chips - added, bet: q.bet + added, status: action === 'fold' ? 'folded' : q.chips - added <= 0 ? 'allIn' : q.status }));
  const bet = p.bet + added, raised = bet > s.current_bet, blind = action.endsWith('blind');
  out.pot = s.pot + added;
  out.swept = undefined;
  out.current_bet = Math.max(s.current_bet, bet);
  out.acted = blind ? s.acted ?? [] : raised ? [who] : [...(s.acted ?? []), who];
  out.current_player_id = next(out, who);
  return out;
}

const bets = (s: State): [Pid, number][] => s.players.filter((p: any) => p.bet > 0).map((p: any) => [p.id, p.bet]); // that go into the pot

function apply(s: State, e: GameEvent): State {
  const d = e.data;
  if (e.type === 'new_hand') {
    const players = s.players.map((p: any) => ({ ...p, chips: d.chips[p.id] ?? 0, bet: 0, status: d.chips[p.id] ? 'active' : 'busted' }));
    return { ...s, players, phase: 'preflop', community_cards: [], pot: 0, current_bet: 0, dealer: index(d.dealer), dealer_id: d.dealer, hand_num: d.hand_num, max_hands: d.max_hands, small_blind: d.small_blind, big_blind: d.big_blind, shown: undefined, won: undefined, note: undefined, acted: [], swept: undefined, current_player_id: undefined, your_hand: undefined };
  }
  if (e.type === 'player_action') return act(s, e);
  if (e.type === 'community_cards') {
    const out = { ...s, phase: d.phase, community_cards: [...s.community_cards, ...d.cards], current_bet: 0, acted: [], swept: bets(s), players: s.players.map((p: any) => ({ ...p, bet: 0 })) };
    out.current_player_id = out.players.filter((p: any) => p.status === 'active').length > 1 ? next(out, pid(s.dealer)) : undefined;
    return out;
  }
  if (e.type === 'hand_result') {
    const shown: Record<Pid, string[]> = {};
    for (const [who, h] of Object.entries<any>(d.hands ?? {})) if (h.cards && !h.folded) shown[who] = h.cards;
    const hands = [...new Set(d.winners.map((w: Pid) => d.hands?.[w]?.hand).filter(Boolean))];
    return { ...s, phase: 'showdown', pot: 0, current_bet: 0, current_player_id: undefined, swept: bets(s), shown, won: d.payouts, note: d.reason === 'showdown' ? hands.join(', ') : 'all_folded',
      players: s.players.map((p: any) => ({ ...p, bet: 0, chips: p.chips + (d.payouts[p.id] ?? 0) })) };
  }
  if (e.type === 'match_result') return { ...s, phase: 'done', current_player_id: undefined, champion: d.winner, players: s.players.map((p: any) => ({ ...p, chips: d.chips[p.id] ?? p.chips })) };
  if (e.type === 'player_disconnected') return withPlayer(s, e.player!, () => ({ status: 'busted' }));
  return s;
}

const handName = (h: string): string => t(`hand.${h.toLowerCase().replace(/ /g, '_')}`);

function words(e: GameEvent) {
  const d = e.data;
  if (e.type === 'player_action') return { key: `holdem.act.${d.action}`, who: e.player, args: { n: d.amount ?? 0 } };
  if (e.type === 'community_cards') return { key: `holdem.act.${d.phase}`, cards: d.cards };
  if (e.type === 'hand_result') {
    const [w] = d.winners, hand = d.hands?.[w]?.hand;
    if (d.winners.length > 1) return { key: 'holdem.split', args: { names: d.winners, n: d.pot } };
    return hand ? { key: 'holdem.wins_with', who: w, args: { n: d.payouts[w], hand: handName(hand).toLowerCase() } } : { key: 'holdem.wins', who: w, args: { n: d.payouts[w] } };
  }
  if (e.type === 'match_result') return d.winner ? { key: 'match.wins', who: d.winner } : { key: 'match.draw' };
  if (e.type === 'player_disconnected') return { key: 'match.left', who: e.player };
  return null;
}

function holes(table: Table, who: Pid): (string | null)[] | null {
  const { state: s } = table, p = s.players[index(who)];
  const known = s.shown?.[who] ?? (s.your_player_id === who ? s.your_hand : null) ?? s.holes?.[who];
  if (p.status === 'busted' || (p.status === 'folded' && !known)) return null;
  return known ?? Array(s.dealt ?? 2).fill(null);
}

const place = (x: number, y: number) => ({ left: `${x.toFixed(1)}%`, top: `${y.toFixed(1)}%`, '--x': `${(50 - x).toFixed(1)}cqw`, '--y': `${(44 - y).toFixed(1)}cqh` }); // and how far from the pot
const angle = (i: number, n: number) => Math.PI / 2 + i * 2 * Math.PI / n;
function ring(i: number, n: number, rx: number, cy: number) {
  const a = angle(i, n);
  if (Math.abs(Math.cos(a)) > .95 && rx < 37) cy -= 17; // on a narrow table it would cover the board
  return place(50 + rx * Math.cos(a), cy + 35 * Math.sin(a));
}
// Where a bet lies, from its seat, so that it covers neither the board nor a neighbour: over or under it, or beside it (--s: 1 is to the right).
function side(i: number, n: number): [string, number] {
  const c = Math.cos(angle(i, n)), s = Math.sin(angle(i, n)), inward = Math.abs(c) < .01 ? 0 : c < 0 ? 1 : -1;
  return !i || (n > 6 && s > .6) ? ['over', inward] : Math.abs(c) > .95 ? ['under', inward] : s > 0 ? ['low', inward] : Math.abs(c) > .8 ? ['in', inward] : ['up', -inward || 1];
}

// Up to six seats on a phone, clockwise from the own one: plates and their cards above and below the board, never beside it, where bets lie.
const SEATS = [[50, 88], [16, 73], [16, 31], [50, 12], [84, 31], [84, 73]], BETS = [[50, 66], [11, 55], [11, 45], [50, 26], [89, 45], [89, 55]], USED: Record<number, string> = { 2: '03', 3: '024', 4: '0234', 5: '01245', 6: '012345' };
function few(i: number, n: number, bet: boolean) {
  const [x, y] = (bet ? BETS : SEATS)[Number(USED[n][i])];
  return place(x, y);
}

// More than six seats on a phone: down both sides, in rows above and below the board, each with its bet beside it towards the
// middle. Where a plate ends, from the top of a table of 440 px; the narrowest is 320 px wide.
const ROWS: Record<number, number[]> = { 7: [346, 287, 92], 8: [346, 287, 118], 9: [346, 287, 118, 59] };
function crowd(i: number, n: number, bet: boolean) {
  const rows = ROWS[n], left = i <= rows.length, y = rows[left ? i - 1 : n - 1 - i];
  if (!y) return { left: '50%', top: `${i ? (bet ? 72 : 59) : bet ? 302 : 434}px` }; // the own seat, or the one of eight across from it
  const x = bet ? 'max(125px, 14% + 79px)' : 'max(46px, 14%)';
  return { left: left ? x : `calc(100% - ${x})`, top: `${bet ? y - 14 : y}px` };
}

function Board({ table, mini }: BoardProps) {
  const { state: s } = table, n = s.players.length, phone = usePhone() && !mini;
  const first = table.me ? index(table.me) : 0; // the own seat sits at the bottom
  const wide = n % 4 === 0; // two seats sit right at the sides
  const narrow = n > 6 ? crowd : few, seat = (at: number) => (phone ? narrow(at, n, false) : ring(at, n, (wide ? 38 : 40) - (mini ? wide ? 2 : 1 : 0), mini ? 49 : at || !table.me ? 50 : 47));
  const note = s.note === 'all_folded' ? t('holdem.all_folded') : s.note ? s.note.split(', ').map(handName).join(', ') : '';
  return <div class={`stage poker g-${table.game} ${mini ? 'mini' : 'bleed'} ${n > 6 ? 'crowd' : ''}`}>
    <div class="rail" />
    <div class="mid"><div class="pot">{s.pot > 0 && <><span class="xs">{t('pot')}</span> <b class="num">{nf(s.pot)}</b></>}</div>
      <div class="community">{Array.from({ length: s.slots ?? 5 }, (_, i) => s.community_cards[i] ? <Card key={s.community_cards[i]} c={s.community_cards[i]} cls="dealt" /> : <span key={i} class="slot" />)}</div>
      <div class="note">{note}</div></div>
    {s.players.map((p: any, i: number) => {
      const at = (i - first + n) % n, cards = holes(table, p.id), out = p.status === 'folded' || p.status === 'busted', won = s.won?.[p.id];
      const line = p.line ?? (p.status === 'busted' ? t('out') : p.status === 'allIn' && !p.chips ? t('holdem.say.allin') : nf(p.chips));
      const say = won ? t('holdem.say.wins', { n: won }) : table.said[p.id];
      return <div key={p.id} class={`pseat ${out ? 'out' : ''} ${won ? 'won' : ''} ${p.id === table.me ? 'own' : ''}`} style={seat(at)}>
        {cards && <div class="hole" key={s.hand_num}>{cards.map((c, k) => <Card key={k} c={c} />)}</div>}
        {mini ? <div class="plate"><Avatar id={seatOf(table, p.id).name} hue={i % 6} /><div class="st num">{line}</div></div>
          : <Plate table={table} pid={p.id} line={line} dealer={s.dealer_id === p.id} />}
        {!mini && say && <div class="say">{say}</div>}
        {table.odds?.[p.id] !== undefined && !out && <div class="odds num">{Math.round(100 * table.odds[p.id])}%</div>}
      </div>;
    })}
    {!mini && [...(s.swept ?? []).map(([id, bet]: [Pid, number]) => [id, bet, 'swept']), ...s.players.map((p: any) => [p.id, p.bet, ''])].map(([id, bet, cls]) => {
      const at = (index(id) - first + n) % n, [by, to] = side(at, n);
      return bet > 0 && <div key={id + cls} class={`pbet ${cls} ${phone ? '' : by} ${id === table.me ? 'own' : ''}`} style={phone ? narrow(at, n, true) : { ...seat(at), '--s': to }}><Chips n={bet} /><span class="num">{nf(bet)}</span></div>;
    })}
  </div>;
}

function tell(table: Table): string {
  const { state: s } = table;
  const seats = s.players.map((p: any) => {
    const cards = holes(table, p.id)?.filter(Boolean) as string[] | undefined;
    return [t('holdem.tell.seat', { name: nameOf(table, p.id), n: p.line ?? p.chips }), p.bet ? t('holdem.tell.bet', { n: p.bet }) : '', p.status === 'folded' ? t('holdem.tell.folded') : '', cards?.length ? cards.map(cardName).join(', ') : ''].filter(Boolean).join(', ');
  });
  return [has(`holdem.phase.${s.phase}`) ? t(`holdem.phase.${s.phase}`) : '', s.slots === 0 ? '' : t('holdem.tell.board', { cards: s.community_cards.map(cardName).join(', ') || t('none') }), t('holdem.tell.pot', { n: s.pot }), ...seats, table.turn ? turnText(table, table.turn) : ''].filter(Boolean).join('. ') + '.';
}

function facts(table: Table): [string, string][] {
  const { state: s } = table, p = table.turn && s.players[index(table.turn)], call = p ? Math.min(s.current_bet - p.bet, p.chips) : 0;
  return [[t('fact.to_act'), table.turn ? nameOf(table, table.turn) : s.phase === 'done' ? '–' : t('dealer')], [t('fact.to_call'), call > 0 ? nf(call) : t('nothing')],
    [t('fact.pot_odds'), call > 0 ? t('fact.odds', { n: fixed(s.pot / call, 1) }) : '–'],
    [t('fact.in_hand'), t('n_of', { n: s.players.filter((q: any) => q.status === 'active' || q.status === 'allIn').length, m: s.players.length })],
    [t('fact.clock'), table.deadline ? clock(table.deadline - Date.now()) : '–']];
}

export const holdem: Game = {
  name: 'texas_holdem',
  start: (n, config) => ({ phase: 'preflop', community_cards: [], pot: 0, current_bet: 0, dealer: 0, dealer_id: 'p0', hand_num: 1, max_hands: config?.max_hands ?? 10, small_blind: config?.small_blind ?? 100, big_blind: config?.big_blind ?? 200,
    players: Array.from({ length: n }, (_, i) => ({ id: pid(i), status: 'active', chips: config?.starting_chips ?? 10000, bet: 0 })) }),
  apply, words, tell, facts,
  turn: (s) => s.current_player_id,
  say: (e) => (e.type === 'player_action' && ACTS.includes(e.data.action) ? t(`holdem.say.${e.data.action}`) : ''),
  heads: (e) => (e.type === 'new_hand' ? { key: 'holdem.hand', args: { n: e.data.hand_num, small: e.data.small_blind, big: e.data.big_blind } } : null),
  where: (s) => t('holdem.where', { n: s.hand_num, m: s.max_hands, pot: s.pot }),
  chart: { label: 'chart.chips', values: (s) => s.players.map((p: any) => p.chips + (p.bet ?? 0)), marks: (e) => e.type === 'new_hand' },
  pause: (e) => (e.type === 'hand_result' ? 1800 : e.type === 'community_cards' ? 500 : 0),
  Board,
};
