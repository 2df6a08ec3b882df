// What the referee's rules do in this browser: replays that prove themselves, games without a server. One script, loaded when
// one of them is asked for; the modules of a game come with the first of it.
import { holdemOdds } from '../rules';

export { hasRules } from './modules';
export { keptReplay } from './kept';
export { openRecording } from './recording';
export { LocalTable } from './table';
export { Offline } from './tables';
export { LocalTetris } from './tetris';
export { keepSetup, keptSetup, newSetup, type Setup } from './setup';

export const chanceOf = async (hand: [string, string], board: string[], others: number): Promise<number> => (await holdemOdds([hand], board, others)).hands[0]!.share;
