// A replay file, opened: verified whole by playing it again with the referee's own rules, then shown step by step.
import { instantiate } from './modules';
import { Shown } from './shown';
import { RulesError, type About, type AllViews, type Choice, type Entry, type GameEvent, type Head, type Turn, type View, type Viewer } from './types';

export interface Replay {
  readonly game: string;
  readonly about: About;
  /** What seats are called; no two alike. */
  readonly seats: string[];
  /** Actions, ticks and stacked items; step 0 is the start. */
  readonly steps: number;
  readonly rules: Record<string, unknown>;
  readonly commitment: string;
  readonly seed: string | undefined;
  /**
   * True: every recorded hash and the payoffs came out again, and the key fits the commitment. A sentence: the same is
   * true as far as the file goes, but it has no end. A file that was changed is not opened at all.
   */
  readonly verified: true | string;
  view(step: number, viewer: Viewer): View | AllViews;
  /** The codec's picture in plain text. */
  text(step: number, viewer: Viewer): string;
  /** What happened in this step; without a viewer all of it. */
  events(step: number, viewer?: Viewer): GameEvent[];
  entry(step: number): Entry;
  legal(step: number, seat: number): Choice[];
  turn(step: number): Turn;
  payoffs(step: number): number[];
  /** XXH3 of the state, 16 hex digits, as the program prints it. */
  hash(step: number): string;
}

/** The game that a file names, before anything of it is believed. */
function gameOf(bytes: Uint8Array): string {
  const size = bytes[5] ?? 0;
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  const name = String.fromCharCode(...bytes.subarray(6, 6 + size));
  if (magic !== 'AGON' || bytes.length < 6 + size || !/^[a-z][a-z0-9_]{0,30}$/.test(name))
    throw new RulesError('it is not a replay, or its head is damaged');
  return name;
}

/** Opens a file, or throws a RulesError that says why not. `neutral`: seats are called seat_0, seat_1... */
export async function openReplay(bytes: Uint8Array, options: { neutral?: boolean } = {}): Promise<Replay> {
  const shown = new Shown(await instantiate(gameOf(bytes)));
  const head = (shown.head = shown.json<Head>('replay_open_file', shown.give(bytes), options.neutral ? 1 : 0));
  let at = 0;
  const go = (step: number): Shown => {
    if (!Number.isInteger(step) || step < 0 || step > head.steps)
      throw new RulesError(`there is no step ${step}; steps are 0 to ${head.steps}`);
    if (step !== at) at = Number(shown.call('replay_seek', step));
    return shown;
  };
  return {
    game: head.game,
    about: shown.about(),
    seats: head.names,
    steps: head.steps,
    rules: head.rules,
    commitment: head.commitment,
    seed: head.seed,
    verified: head.complete || `the file has no end: it reproduces up to step ${head.steps}, and more may have followed`,
    view: (step, viewer) => go(step).view(viewer),
    text: (step, viewer) => go(step).text(viewer),
    events: (step, viewer = 'all') => go(step).events(viewer),
    entry: (step) => go(step).entry(),
    legal: (step, seat) => go(step).legal(seat),
    turn: (step) => go(step).turn(),
    payoffs: (step) => go(step).payoffs(),
    hash: (step) => go(step).hash(),
  };
}
