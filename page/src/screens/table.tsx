// One script for whoever is at a table, live or past.
export { Watch } from './watch';
export { Choose } from './choose';
export { Play } from './play';
export { Challenge } from './challenge';
export { Replay } from './replay';
