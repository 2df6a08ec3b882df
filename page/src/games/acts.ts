// The panels with a player's moves. Only who plays loads them.
import type { ComponentType } from 'preact';
import { t } from '../lib/text';
import { BeloteAct, beloteMove } from './belote_act';
import { CoupAct, coupMove } from './coup_act';
import { DiceAct, diceMove } from './dice_act';
import { GenericAct, genericMove } from './generic_act';
import { HoldemAct, holdemMove } from './holdem_act';
import { SmallPokerAct, smallPokerMove } from './small_poker_act';
import type { Action, ActProps, Table } from './types';

const acts: Record<string, ComponentType<ActProps>> = { texas_holdem: HoldemAct, liars_dice: DiceAct, coup: CoupAct, belote: BeloteAct, kuhn_poker: SmallPokerAct, leduc_poker: SmallPokerAct };
export const actOf = (game: string): ComponentType<ActProps> => acts[game] ?? GenericAct;

// A move in words, as its button has it: for hints.
type Move = (a: Action, table: Table) => string;
const moves: Record<string, Move> = { texas_holdem: holdemMove, liars_dice: diceMove, coup: coupMove, belote: beloteMove, kuhn_poker: smallPokerMove, leduc_poker: smallPokerMove };
export const moveOf = (game: string): Move => moves[game] ?? genericMove;

// What a player is asked, in a sentence.
export function question(table: Table, legal?: Action[]): string {
  const s = table.state, key = `ask.${table.game}.${s.phase}`;
  if (table.game === 'coup') return t(`ask.coup.${s.phase}`, { what: s.pending_action ? t(`act.${s.pending_action}`) : '' });
  if (table.game === 'belote' && s.phase === 'play') return s.trick?.cards.length && s.trick.cards.length < 4 ? t('ask.belote.follow', { suit: t(`suit.${s.trick.cards[0][1]}`) }) : t('ask.belote.lead');
  if (table.game === 'liars_dice' && !s.current_bid) return t('ask.liars_dice.open');
  const a = legal?.find(({ type }) => type === 'call'), call = a && (a.data?.amount ?? s.to_call);
  if (call) return t('ask.texas_holdem.call', { n: call });
  return table.game === 'texas_holdem' ? t('ask.texas_holdem') : t(['belote', 'liars_dice'].includes(table.game) ? key : 'play.your_turn');
}
