// The panels with a player's moves. Only who plays loads them.
import type { ComponentType } from 'preact';
import { BeloteAct } from './belote_act';
import { CoupAct } from './coup_act';
import { DiceAct } from './dice_act';
import { GenericAct } from './generic_act';
import { HoldemAct } from './holdem_act';
import type { ActProps } from './types';

const acts: Record<string, ComponentType<ActProps>> = { texas_holdem: HoldemAct, liars_dice: DiceAct, coup: CoupAct, belote: BeloteAct };
export const actOf = (game: string): ComponentType<ActProps> => acts[game] ?? GenericAct;
