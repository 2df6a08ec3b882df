// How likely hands of Texas Hold'em are to win: every deal counted on flop, turn and river, drawn before (and where
// several hands are unknown). Call it from a worker when it matters: a flop against one unknown hand takes some 40 ms.
import { instantiate } from './modules';
import { RulesError } from './types';

export interface Odds {
  /** Every deal was counted. */
  exact: boolean;
  deals: number;
  /** Of each known hand: how often it wins alone, and its share of the pot. */
  hands: { win: number; share: number }[];
}

const numberOf = (card: string): number => {
  const number = 4 * '23456789TJQKA'.indexOf(card[0] ?? '') + 'cdhs'.indexOf(card[1] ?? '');
  if (card.length !== 2 || number < 0 || !'cdhs'.includes(card[1]!)) throw new RulesError(`'${card}' is no card; write it like Tc`);
  return number;
};

/** Known hands (cards as the codec writes them, "Tc") against each other and `unknown` random ones. */
export async function holdemOdds(hands: [string, string][], board: string[], unknown = 0, samples = 10000, seed = 1n): Promise<Odds> {
  const wasm = await instantiate('texas_holdem.bots');
  const cards = [...hands.flat(), ...board].map(numberOf);
  if (cards.length > 52) throw new RulesError('there are 52 cards');
  new Uint8Array(wasm.memory.buffer, Number(wasm['odds_cards']!()), cards.length).set(cards);
  const counted = Number(wasm['odds_count']!(hands.length, unknown, board.length, samples, seed));
  if (counted < 0) throw new RulesError('odds need 2 to 10 hands and a board of 0, 3, 4 or 5 cards, all different');
  const [deals, ...rest] = new Float64Array(wasm.memory.buffer, Number(wasm['odds_result']!()), 1 + 2 * hands.length);
  return { exact: counted === 1, deals: deals!, hands: hands.map((_, h) => ({ win: rest[2 * h]!, share: rest[2 * h + 1]! })) };
}
