// Tetris tables as spectators see them.
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { heightOf, type Field, type Piece } from '../pieces/field';
import { drawSoon } from './feed';
import { Gallery } from './gallery';

export interface Observation {
  playable: boolean; paused: boolean; game_over: boolean; episode_id: number; seed: number; piece_id: number;
  board: { width: number; height: number; cells: number[][] };
  active: Piece | null; ghost_y?: number;
  next_queue: string[]; hold: string | null; can_hold: boolean; score: number; level: number; lines: number; controller_id: number | null;
  events?: { lines_cleared: number; line_clear_score: number; combo: number }[];
}
export interface Cleared { piece: number; lines: number; score: number; combo: number }
// A piece that lies: what was there before it, how it came, where it stayed.
export type Laid = Required<Pick<Field, 'cells' | 'trail'>> & { active: Piece; piece: number };
export type Run = Pick<Track, 'observation' | 'heights' | 'cleared' | 'counts' | 'laid'>;

const landing = (o: Observation): Piece | undefined => (o.active && o.ghost_y !== undefined ? { ...o.active, y: o.ghost_y } : undefined);
export const fieldOf = (o: Observation): Field => ({ cells: o.board.cells, active: o.active, ghost: landing(o) });

// What a run of observations amounts to.
export class Track {
  observation?: Observation;
  heights: number[] = [];
  cleared: Cleared[] = [];
  counts = [0, 0, 0, 0];
  laid: Laid[] = [];
  private piece = -1;
  private trail: Piece[] = [];
  // Where the piece of the last observation went: it fell to its ghost, unless it was held.
  private lay(was: Observation, m: Observation): void {
    const at = landing(was), before = this.trail.at(-1);
    if (m.piece_id === was.piece_id) { if (m.active && JSON.stringify(m.active) !== JSON.stringify(before)) this.trail = [...this.trail, m.active].slice(-24); return; }
    if (at && m.hold === was.hold) this.laid = [{ cells: was.board.cells, trail: this.trail, active: at, piece: was.piece_id }, ...this.laid].slice(0, 2);
    this.trail = m.active ? [m.active] : [];
  }
  take(m: Observation): void {
    if (this.observation && m.episode_id !== this.observation.episode_id) { this.heights = []; this.cleared = []; this.counts = [0, 0, 0, 0]; this.laid = []; this.trail = []; }
    else if (this.observation) this.lay(this.observation, m);
    if (m.piece_id !== this.piece) { this.piece = m.piece_id; this.heights = [...this.heights, heightOf(m.board.cells)].slice(-60); }
    const was = this.observation, lines = was && was.episode_id === m.episode_id ? m.lines - was.lines : 0;
    for (const e of m.events ?? (lines > 0 && lines < 5 ? [{ lines_cleared: lines, line_clear_score: m.score - was!.score, combo: 0 }] : [])) if (e.lines_cleared > 0) { this.counts = this.counts.map((c, i) => c + (i + 1 === e.lines_cleared ? 1 : 0)); this.cleared = [{ piece: m.piece_id - 1, lines: e.lines_cleared, score: e.line_clear_score, combo: e.combo }, ...this.cleared].slice(0, 8); }
    this.observation = m;
  }
}

// Tables as spectators get them: what changed, so many times a second.
const cellOf = (c: string): number => Math.max(0, '.iotszjl'.indexOf(c.toLowerCase()));
function seen(d: any): Observation {
  return { ...d, playable: d.playable, board: { width: 10, height: d.rows.length, cells: d.rows.map((row: string) => [...row].map(cellOf)) }, next_queue: [...d.next], controller_id: d.controller ? 1 : null };
}
const watching = (rate: number) => new Gallery((ids) => `/api/tetris/watch?table=${ids}&rate=${rate}`, (m) => m.data.table);
const small = watching(15), large = watching(30);

export function useTetrisBoard(table: string | null, mini?: boolean): Track {
  const [, redraw] = useReducer((n: number) => n + 1, 0), kept = useRef<{ table: string | null; track: Track; data?: any }>();
  if (kept.current?.table !== table && table) kept.current = { table, track: new Track() };
  useEffect(() => {
    const mine = kept.current!, draw = () => redraw(0);
    return table ? (mini ? small : large).follow(table, ({ type, data }) => {
      const was = mine.data;
      if (type === 'tetris_start') mine.data = data;
      else if (was) mine.data = { ...was, ...data, rows: data.rows ? was.rows.map((row: string, i: number) => data.rows[i] ?? row) : was.rows };
      if (!mine.data) return;
      mine.track.take(seen(mine.data));
      if (mini) drawSoon(draw);
      else draw();
    }) : undefined;
  }, [table]);
  return kept.current?.track ?? EMPTY;
}
const EMPTY = new Track();
