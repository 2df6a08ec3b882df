// A table of this browser alone. Seed and moves are kept, so a reload plays the match again up to where it was.
import { SEATS, SHORT } from '../games';
import type { WireAction } from '../games/wire';

export interface Setup { game: string; seats: number; level: number; me: number; seed: string; moves: WireAction[]; scenario?: string }

const key = (game: string): string => `local-${game}`;
export function keepSetup(setup: Setup | undefined, game = setup!.game): void {
  if (setup) sessionStorage.setItem(key(game), JSON.stringify(setup));
  else sessionStorage.removeItem(key(game));
}
export function keptSetup(game: string): Setup | undefined {
  try { return JSON.parse(sessionStorage.getItem(key(game)) ?? 'null') ?? undefined; } catch { return undefined; }
}
export const newSeed = (): string => String(crypto.getRandomValues(new BigUint64Array(1))[0]);

export const newSetup = (game: string, seats = SEATS[game]?.[2] ?? 2, level = 3, short = false): Setup => ({ game, seats, level, me: 0, seed: newSeed(), moves: [], scenario: short ? SHORT[game] : undefined });
