// The referee's own rules in the browser (wasm/, docs/decisions/026): replays, matches without a server, odds.
export { setModuleSource } from './modules';
export { openBots, type Bots } from './bots';
export { openReplay, type Replay } from './replay';
export { newMatch, type Done, type Match, type MatchOptions } from './match';
export { holdemOdds, type Odds } from './odds';
export * from './types';
