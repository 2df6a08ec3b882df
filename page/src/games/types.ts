// What a game's folder offers to the screens. A state is the referee's own JSON (the codec's view); `apply` moves it on by
// one public event, so that a live table, a replay and an own table are drawn by the same code.
import type { ComponentType } from 'preact';

export type Pid = string;
export interface GameEvent { type: string; player?: Pid; data: any; seq: number; ts?: string }
export type State = any;
export interface Action { type: string; data?: any }

// A sentence: a key of the texts and what is filled in. {who} and the like hold a Pid and are shown as names; the form
// "KEY.you" is used when {who} is the visitor.
export interface Sentence { key: string; who?: Pid; args?: Record<string, unknown>; cards?: string[] }

export interface Seat { pid: Pid; name: string; agent?: string }
export interface Table {
  game: string;
  seats: Seat[];
  state: State;
  me?: Pid;
  turn?: Pid;
  deadline?: number; // when the turn's clock ends, by this machine's clock
  limit?: number; // ms the clock had
  strikes?: number[]; // moves that were played for a seat because its time was over
  said: Record<Pid, string>; // what a seat just did, in a word or two
  last?: GameEvent;
  odds?: Record<Pid, number>; // winning chances, 0..1
}
export interface Request { id?: string; legal: Action[]; deadline: number; limit: number; retry?: boolean }
export interface BoardProps { table: Table; mini?: boolean; request?: Request; send?: (a: Action) => void }
export interface ActProps { table: Table; request: Request; send: (a: Action) => void; disabled?: boolean }

export interface Game {
  name: string;
  start(seats: number, config: any): State; // before the first event of a replay
  apply(state: State, e: GameEvent): State;
  turn(state: State): Pid | undefined;
  say?(e: GameEvent): string; // the bubble of a seat
  words(e: GameEvent, state: State): Sentence | null; // in the log; null: nothing to tell
  heads?(e: GameEvent, state: State): Sentence | null; // begins a group of the log
  tell(table: Table): string; // the whole table in a sentence, for readers
  where(state: State): string; // where the match stands, short
  facts?(table: Table): [string, string][];
  chart?: { label: string; values(state: State): number[] | null; marks(e: GameEvent): boolean };
  pause?(e: GameEvent): number; // ms to rest after it
  Board: ComponentType<BoardProps>;
}

export const index = (pid: Pid): number => Number(pid.slice(1));
export const pid = (i: number): Pid => `p${i}`;
// The next of n seats after `from` that fits.
export function after(from: Pid, n: number, fits: (i: number) => boolean): Pid | undefined {
  for (let k = 1; k <= n; k++) { const i = (index(from) + k) % n; if (fits(i)) return pid(i); }
  return undefined;
}
