export { Watch } from './watch';
export { Choose } from './choose';
export { Play } from './play';
export { Challenge } from './challenge';
