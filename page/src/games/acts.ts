// The panels with a player's moves. Only who plays loads them.
import type { ComponentType } from 'preact';
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
