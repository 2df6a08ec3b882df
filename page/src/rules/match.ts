// A match played in the browser, without a server: the referee's rules and house bots. The page knows the seed, so such a
// match counts for nothing.
import { openBots } from './bots';
import { instantiate } from './modules';
import { Shown } from './shown';
import { RulesError, type About, type Action, type AllViews, type Choice, type GameEvent, type Head, type Turn, type View, type Viewer } from './types';

export interface MatchOptions {
  /** Of the game's own list, about.scenarios; the first is the default. */
  scenario?: string;
  /** How many; by default as the scenario has. */
  seats?: number;
  /** What seats are called, at most 31 bytes each. */
  names?: string[];
}

export interface Done {
  action: Action;
  text: string;
}

export interface Match {
  readonly game: string;
  readonly about: About;
  readonly seats: string[];
  readonly bots: string[];
  turn(): Turn;
  /** Whose move it is where seats are asked one after another; -1: nobody's, or time has to pass. */
  next(): number;
  legal(seat: number): Choice[];
  /** One of legal(seat), with the amount filled in where it has a range. Throws a RulesError and changes nothing when it is none. */
  apply(seat: number, action: Action): Done;
  /** The house bot of this name ("rules", "house:3") plays for the seat, as the program's would. */
  bot(seat: number, name: string): Done;
  /** What it would play. */
  hint(seat: number, name: string): Done;
  /** Whether the bot of this name plays by the game's solved table, and that has not been taken. */
  needsTable(name: string): boolean;
  /** GAME.table, at any moment of the match. Throws a RulesError when it is cut off or another one. */
  takeTable(table: Uint8Array): void;
  /** Lets time pass, in games with a tick. */
  tick(count: number): void;
  view(viewer: Viewer): View | AllViews;
  text(viewer: Viewer): string;
  /** Of the last action or ticks. */
  events(viewer?: Viewer): GameEvent[];
  payoffs(): number[];
  hash(): string;
  /** The replay so far; when the match is over, or `end` is set, with its end: then nothing can follow. */
  replay(end?: boolean): Uint8Array;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether the action has these members, those with a range apart. */
const fits = ({ text: _text, range, ...members }: Choice, action: Action): boolean =>
  Object.entries(members).every(([key, value]) => {
    const bounds = range?.[key];
    const given = action[key];
    if (!bounds) return same(given ?? null, value);
    return typeof given === 'number' && Number.isInteger(given) && given >= bounds[0] && given <= bounds[1];
  });

/** How far into its range the choice `number` is this action. A bid has two numbers and one range: it is looked for. */
function offset(shown: Shown, seat: number, number: number, choice: Choice, action: Action): number {
  const free = Object.entries(choice.range ?? {});
  if (free.length === 0) return 0;
  if (free.length === 1) return Number(action[free[0]![0]]) - free[0]![1][0];
  for (let more = 0; ; more++) {
    const one = shown.json<Done>('match_choice', seat, number, more).action; // throws behind the last
    if (free.every(([key]) => one[key] === action[key])) return more;
  }
}

export async function newMatch(game: string, options: MatchOptions = {}, seed: bigint | number = 0n): Promise<Match> {
  const shown = new Shown(await instantiate(game));
  const bots = await openBots(game);
  const about = shown.about();
  const scenario = options.scenario === undefined ? 0 : about.scenarios.indexOf(options.scenario);
  if (scenario < 0) throw new RulesError(`no scenario '${options.scenario}'; known: ${about.scenarios.join(', ')}`);
  options.names?.forEach((name, seat) => shown.call('match_name', seat, shown.give(name)));
  shown.head = shown.json<Head>('match_new', scenario, options.seats ?? 0, BigInt.asUintN(64, BigInt(seed)));

  // What every seat saw of the last step goes to the bots that remember, whichever of them will sit there.
  const remember = bots.remember;
  const tell = (begins: boolean): void => {
    for (let seat = 0; remember && seat < shown.head.names.length; seat++) {
      const at = Number(shown.call('match_news', seat, begins ? 1 : 0));
      if (at) bots.observe(new Uint8Array(shown.wasm.memory.buffer, at, Number(shown.call('match_news_size'))));
    }
  };
  const told = (done: Done): Done => {
    tell(false);
    return done;
  };
  tell(true);

  const ask = (seat: number, name: string): bigint => {
    const at = Number(shown.call('match_question', seat));
    if (!at) throw new RulesError('this seat may not act now');
    return bots.choose((size) => new Uint8Array(shown.wasm.memory.buffer, at, size), name);
  };
  return {
    game,
    about,
    seats: shown.head.names,
    bots: bots.names,
    turn: () => shown.turn(),
    next: () => Number(shown.call('match_next')),
    legal: (seat) => shown.legal(seat),
    apply: (seat, action) => {
      const choices = shown.legal(seat);
      const number = choices.findIndex((choice) => fits(choice, action));
      if (number < 0) throw new RulesError('this action is not legal here; ask for the choices');
      return told(shown.json<Done>('match_choose', seat, number, offset(shown, seat, number, choices[number]!, action)));
    },
    bot: (seat, name) => told(shown.json<Done>('match_act', seat, ask(seat, name))),
    hint: (seat, name) => shown.json<Done>('match_tell', seat, ask(seat, name)),
    needsTable: (name) => bots.needsTable(name),
    takeTable: (table) => bots.take(table),
    tick: (count) => {
      let err = 0;
      for (let left = remember ? count : 1; left > 0 && !err; left--) {
        err = Number(shown.call('match_ticks', remember ? 1 : count));
        if (!err) tell(false);
      }
      if (err) throw new RulesError(err === -103 ? 'the game has ended' : 'time does not move this game, or its replay is full');
    },
    view: (viewer) => shown.view(viewer),
    text: (viewer) => shown.text(viewer),
    events: (viewer = 'all') => shown.events(viewer),
    payoffs: () => shown.payoffs(),
    hash: () => shown.hash(),
    replay: (end = false) => {
      const size = Number(shown.call('match_log', end ? 1 : 0));
      if (!size) throw new RulesError('there is no room left for the replay');
      return new Uint8Array(shown.wasm.memory.buffer, Number(shown.call('match_log_bytes')), size).slice();
    },
  };
}
