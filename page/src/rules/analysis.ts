// Why a match was lost, as `agon replay analyse --json` tells it (docs/analysis.md): what the exported file and the page share.
import type { Action } from './types';

export interface Decision {
  step: number;
  seat: number;
  played: Action;
  played_text: string;
  house: Action;
  house_text: string;
  loss: number;
  error: number;
  mistake: boolean;
  exact: boolean;
  words?: string;
}

export interface SeatSum {
  result: number;
  own: number;
  own_error: number;
  others: number;
  others_error: number;
  luck: number | null;
  luck_error: number | null;
  rest: number;
  rest_error: number;
  choices: number;
  mistakes: number;
  worst: number[];
}

export interface Analysis {
  reference: string;
  unit: string;
  floor: number;
  seats: SeatSum[];
  decisions: Decision[];
}

/** How sure it is that a decision cost something. */
export type Doubt = 'nothing' | 'small' | 'unsure' | 'likely' | 'clear';

/** A mistake costs more than two errors (N20.2): within four of them it is told as probable. */
export function doubtOf(d: Decision, floor: number): Doubt {
  if (d.loss <= 0) return 'nothing';
  if (d.mistake) return d.loss > 4 * d.error ? 'clear' : 'likely';
  return d.loss < floor ? 'small' : 'unsure';
}

/** What cost a seat most, the costliest first. */
export const worstOf = (a: Analysis, seat: number): Decision[] => a.seats[seat]!.worst.flatMap((step) => a.decisions.find((d) => d.step === step && d.seat === seat) ?? []);

/** The parts of a result, each with its error. */
export const PARTS = ['own', 'others', 'luck', 'rest'] as const;
