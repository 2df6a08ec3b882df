// A small picture of each game.
import { SUIT } from '../pieces/shapes';

const GAMES: Record<string, preact.JSX.Element> = {
  texas_holdem: <><g transform="translate(4 2) rotate(-8 8 12)"><rect y="1" width="13" height="18" rx="2.2" /></g><g transform="translate(8 3) rotate(8 8 12)"><rect class="kn" width="13" height="18" rx="2.2" /><path class="fl" transform="translate(2.6 5) scale(.34)" d={SUIT.s} /></g></>,
  liars_dice: <><rect x="4" y="4" width="16" height="16" rx="4" /><g class="fl"><circle cx="8.5" cy="8.5" r="1.5" /><circle cx="15.5" cy="8.5" r="1.5" /><circle cx="12" cy="12" r="1.5" /><circle cx="8.5" cy="15.5" r="1.5" /><circle cx="15.5" cy="15.5" r="1.5" /></g></>,
  coup: <path d="M4.5 17.5 3 7.5l5 4L12 5l4 6.5 5-4-1.5 10zM4.5 20.5h15" />,
  belote: <><rect x="5" y="3" width="14" height="18" rx="2.4" /><path class="fl" transform="translate(7.6 7.6) scale(.37)" d={SUIT.h} /></>,
  tetris: <path d="M9 5h6v6h6v6H3v-6h6zM9 11h6M9 11v6M15 11v6" />,
};
const OTHER = <><rect x="4" y="4" width="16" height="16" rx="4" /><path d="M9 9h6M9 12h6M9 15h3" /></>;
export const GameIcon = ({ game }: { game: string }) => <svg class="gi" viewBox="0 0 24 24" aria-hidden="true">{GAMES[game] ?? (/_poker$/.test(game) ? GAMES.texas_holdem : OTHER)}</svg>;
