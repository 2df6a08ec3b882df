// What the referee's own rules tell, as objects. Views, events and actions are the neutral JSON of the game's codec.

/** A seat by its number, the public gallery, or everybody at once. */
export type Viewer = number | 'public' | 'all';

export type View = Record<string, unknown>;

/** The view of 'all': what every seat sees, and the gallery. No codec has a view of everything. */
export interface AllViews {
  seats: View[];
  public: View;
}

export interface GameEvent {
  type: string;
  /** Names of the seats that may see it; absent: everybody. */
  to?: string[];
  /** The codec's sentence; absent: nothing to say. */
  text?: string;
  [member: string]: unknown;
}

export interface Action {
  type: string;
  [member: string]: unknown;
}

/** An action that may be done, with the codec's words for it; `range` where an amount is free within bounds. */
export interface Choice extends Action {
  text: string;
  range?: Record<string, [number, number]>;
}

export interface Turn {
  kind: 'over' | 'one' | 'all' | 'any' | 'free';
  phase: string | null;
  number: number;
  /** Who may act now. */
  seats: number[];
}

/** What was done in a step, for those who see everything. */
export interface Entry {
  step: number;
  seat?: number;
  silent?: boolean;
  text: string;
}

export interface About {
  game: string;
  title: string;
  summary: string;
  rules_version: number;
  min_seats: number;
  max_seats: number;
  teams: number;
  tick_ms: number;
  scenarios: string[];
  rules: Record<string, unknown>;
}

export interface Head {
  game: string;
  steps: number;
  complete: boolean;
  hashes: number;
  seed?: string;
  commitment: string;
  names: string[];
  rules: Record<string, unknown>;
}

/** The rules refuse: a file that was changed, an action that is not legal. The message says why. */
export class RulesError extends Error {
  override name = 'RulesError';
}
