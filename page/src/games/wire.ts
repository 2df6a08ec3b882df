// The codecs' neutral JSON as the arena's wire has it: the page's boards draw that, whether it comes from a server or from
// the rules in this browser. Seats must be called seat_0, seat_1... (`neutral`, or a match without names).
import type { Action as Move, Choice, GameEvent as Told, Turn, View } from '../rules/types';

export interface WireAction { type: string; data?: any }
export interface WireEvent { type: string; player?: string; data: any; seq: number }

const renamed = (text: string): string => (/^seat_\d$/.test(text) ? `p${text[5]}` : text);

/** "seat_1" becomes "p1" wherever it stands. */
export function pids(value: any): any {
  if (typeof value === 'string') return renamed(value);
  if (Array.isArray(value)) return value.map(pids);
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [renamed(key), pids(of)]));
}
const seats = (value: any): any => (typeof value === 'string' && /^p\d$/.test(value) ? `seat_${value[1]}` : value);

export function wireEvent({ type, seat, text: _text, to: _to, ...rest }: Told, seq: number): WireEvent {
  const { action, ...data } = rest;
  // Belote's words have their kind in `type` on the wire.
  const own = type === 'bid' && action !== undefined ? { type: action, ...data } : rest;
  const player = type === 'game_over' ? undefined : (seat as string | undefined);
  return { type, ...(player ? { player: renamed(player) } : {}), data: pids(own), seq };
}

type States = Record<string, (v: any, turn: { phase: string | null; to?: string }) => any>;
const states: States = {
  texas_holdem: (v, { phase, to }) => ({
    phase, community_cards: v.board, pot: v.pot, current_bet: v.current_bet, dealer: Number(v.button[1]), dealer_id: v.button, hand_num: v.hand_number, max_hands: v.hands_total,
    small_blind: v.small_blind, big_blind: v.big_blind, players: v.seats.map(({ seat, ...p }: any) => ({ id: seat, ...p })), current_player_id: to, your_hand: v.hole_cards,
  }),
  liars_dice: (v, { phase, to }) => {
    const bid = ({ seat, ...b }: any) => ({ ...b, bidder: seat });
    return { phase, round: v.round, current_bid: v.current_bid ? bid(v.current_bid) : undefined, round_bids: v.bids.map(bid), total_dice: v.total_dice, your_dice: v.dice, current_turn: to, players: v.seats.map(({ seat, ...p }: any) => ({ id: seat, ...p })) };
  },
  coup: (v, { phase }) => {
    const { action, target, claimed_role, blocker, block_role } = v.pending ?? {};
    return {
      phase, current_turn: v.actor, ...(v.pending ? { pending_action: action, pending_target: target ?? undefined, claimed_role: claimed_role ?? undefined, blocker: blocker ?? undefined, block_role: block_role ?? undefined } : {}),
      players: v.seats.map((p: any) => ({ id: p.seat, status: p.status, data: { coins: p.coins, hidden_cards: p.influence, revealed: p.revealed } })), your_cards: v.cards, exchange_cards: v.exchange_cards,
    };
  },
  belote: ({ team, ...v }, { phase, to }) => ({ ...v, phase, current_player_id: to, your_team: team, players: [0, 1, 2, 3].map((i) => ({ id: `p${i}` })) }),
};

/** What a seat knows, or the gallery, as the arena writes it. */
export function wireState(game: string, view: View, turn: Turn, me?: number): any {
  const v = pids(view), to = turn.kind === 'one' ? `p${turn.seats[0]}` : undefined, own = me === undefined ? {} : { your_player_id: `p${me}` };
  return { ...(states[game]?.(v, { phase: turn.phase, to }) ?? { ...v, phase: turn.phase, current_player_id: to, players: Object.keys(v.payoffs ?? {}).map((id) => ({ id })) }), ...own };
}

/** A choice as an entry of legal_actions; `view` is the asked seat's. */
export function wireChoice(choice: Choice, view: any): WireAction {
  const { type, text: _text, range, ...members } = choice, data: any = pids(members);
  if (type === 'raise' && range?.amount) Object.assign(data, { min: range.amount[0], max: range.amount[1] });
  if (type === 'bid' && range?.quantity) return { type, data: { min_quantity: members.quantity, min_face: members.face, max_quantity: range.quantity[1] } };
  if (type === 'cut' && range?.position) Object.assign(data, { position: 16, min_position: range.position[0], max_position: range.position[1] });
  if (type === 'return_cards') { // the indices count hidden cards, then drawn ones
    const all = [...(view.cards ?? []), ...(view.exchange_cards ?? [])];
    data.cards = (members.return_indices as number[]).map((i) => all[i]);
  }
  return Object.keys(data).length ? { type, data } : { type };
}

/** The way back: what a person chose, as an action of the codec. */
export function moveOf({ type, data = {} }: WireAction): Move {
  return { type, ...Object.fromEntries(Object.entries(data).map(([key, value]) => [key, seats(value)])) };
}
