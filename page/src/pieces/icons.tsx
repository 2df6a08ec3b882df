import { SUIT } from './shapes';

const GAMES: Record<string, preact.JSX.Element> = {
  texas_holdem: <><g transform="translate(4 2) rotate(-8 8 12)"><rect y="1" width="13" height="18" rx="2.2" /></g><g transform="translate(8 3) rotate(8 8 12)"><rect class="kn" width="13" height="18" rx="2.2" /><path class="fl" transform="translate(2.6 5) scale(.34)" d={SUIT.s} /></g></>,
  liars_dice: <><rect x="4" y="4" width="16" height="16" rx="4" /><g class="fl"><circle cx="8.5" cy="8.5" r="1.5" /><circle cx="15.5" cy="8.5" r="1.5" /><circle cx="12" cy="12" r="1.5" /><circle cx="8.5" cy="15.5" r="1.5" /><circle cx="15.5" cy="15.5" r="1.5" /></g></>,
  coup: <path d="M4.5 17.5 3 7.5l5 4L12 5l4 6.5 5-4-1.5 10zM4.5 20.5h15" />,
  belote: <><rect x="5" y="3" width="14" height="18" rx="2.4" /><path class="fl" transform="translate(7.6 7.6) scale(.37)" d={SUIT.h} /></>,
  tetris: <path d="M9 5h6v6h6v6H3v-6h6zM9 11h6M9 11v6M15 11v6" />,
};
const OTHER = <><rect x="4" y="4" width="16" height="16" rx="4" /><path d="M9 9h6M9 12h6M9 15h3" /></>;
export const GameIcon = ({ game }: { game: string }) => <svg class="gi" viewBox="0 0 24 24" aria-hidden="true">{GAMES[game] ?? (/_poker$/.test(game) ? GAMES.texas_holdem : OTHER)}</svg>;

const UI = {
  play: 'M8 5v14l11-7z', pause: 'M8 5v14M16 5v14', next: 'M9 6l6 6-6 6', prev: 'M15 6l-6 6 6 6', first: 'M17 6l-6 6 6 6M7 6v12', last: 'M7 6l6 6-6 6M17 6v12',
  sun: 'M12 8a4 4 0 1 0 .01 0M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4', eye: 'M2.5 12C5 7.5 8.3 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.8 6.5-9.5 6.5s-7-2-9.5-6.5zM12 9a3 3 0 1 0 .01 0',
  copy: 'M10.5 8h7A2.5 2.5 0 0 1 20 10.500v7a2.500 2.500 0 0 1-2.500 2.500h-7A2.500 2.500 0 0 1 8 17.500v-7A2.500 2.500 0 0 1 10.500 8zM16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2', check: 'M4.5 12.5l5 5 10-11', cross: 'M6 6l12 12M18 6 6 18',
  help: 'M12 3a9 9 0 1 0 .01 0M9.500 9.500c0-3.500 5.200-3.300 5.200 0 0 2.200-2.700 2.300-2.700 4.500M12 17.200v.1', down: 'M12 4v11M7 11l5 5 5-5M5 20h14', link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3A4 4 0 0 0 10.7 18.3L12 17',
  bulb: 'M9 17.5h6M10 20.5h4M8.5 14.5C6.8 13.3 6 11.7 6 9.8a6 6 0 0 1 12 0c0 1.9-.8 3.5-2.5 4.7-.6.5-.8 1-.8 3H9.3c0-2-.2-2.5-.8-3z', menu: 'M4 7h16M4 12h16M4 17h16', flag: 'M6 21V4h11l-2 4 2 4H6', clock: 'M12 3.5a8.5 8.5 0 1 0 .01 0M12 7v5l3.5 2',
  trophy: 'M8 4h8v6a4 4 0 0 1-8 0zM8 6H4.5c0 3 1.3 4.5 3.5 4.8M16 6h3.5c0 3-1.3 4.5-3.5 4.8M12 14v4M8.5 20.500h7', gear: 'M12 9a3 3 0 1 0 .01 0M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.800 16.200l-2.200 2.200', warn: 'M12 4 2.500 20h19zM12 10v4.500M12 17.300v.1',
  left: 'M14 6l-6 6 6 6', right: 'M10 6l6 6-6 6', turn: 'M19 12a7 7 0 1 1-2.500-5.400M19 4v4h-4', drop: 'M12 4v12M7 11l5 5 5-5M5 20h14', hold: 'M5 8h14v12H5zM8 8V4h8v4',
};
export type IconName = keyof typeof UI;
export const Icon = ({ name }: { name: IconName }) => <svg class={`ic ${name === 'play' ? 'solid' : ''}`} viewBox="0 0 24 24" aria-hidden="true"><path d={UI[name]} /></svg>;
