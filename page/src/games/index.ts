import { belote } from './belote';
import { coup } from './coup';
import { dice } from './dice';
import { generic } from './generic';
import { holdem } from './holdem';
import { smallPoker } from './small_poker';
import { has, t } from '../lib/text';
import type { Game } from './types';

const boards: Record<string, Game> = { texas_holdem: holdem, liars_dice: dice, coup, belote, kuhn_poker: smallPoker('kuhn_poker'), leduc_poker: smallPoker('leduc_poker') };
export const GAMES = ['texas_holdem', 'coup', 'tetris', 'liars_dice', 'belote'];
// Fewest, most and usual seats, where no server tells them.
export const SEATS: Record<string, [number, number, number]> = { texas_holdem: [2, 9, 6], coup: [2, 6, 4], liars_dice: [2, 6, 4], belote: [4, 4, 4], kuhn_poker: [2, 2, 2], leduc_poker: [2, 2, 2] };
// Scenarios of the rules in which a match is short.
export const SHORT: Record<string, string> = { texas_holdem: 'single_hand', liars_dice: 'short', belote: 'single_deal' };
export const gameOf = (name: string): Game => boards[name] ?? (boards[name] = generic(name));
export const title = (name: string): string => (has(`game.${name}`) ? t(`game.${name}`) : name.replace(/_/g, ' '));
export * from './types';
