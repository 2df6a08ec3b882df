// Where a game's seat keeps what only it knows, in the codec's view.
export const SECRET: Record<string, string> = { texas_holdem: 'hole_cards', liars_dice: 'dice', coup: 'cards', belote: 'hand', kuhn_poker: 'card', leduc_poker: 'card' };
// Whether the referee's rules here count how likely hands are to win.
export const hasOdds = (game: string): boolean => game === 'texas_holdem';
// What `keys.*` of the texts tells of games.
export const KEYS = ['holdem', 'coup', 'dice', 'belote', 'tetris'];
