// A Tetris table, by the adapter's own protocol over WebSocket: as an observer, or in control.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { drawSoon } from './feed';
import { connect, wsBase, type Link, type LinkState } from './socket';

export interface Observation {
  playable: boolean; paused: boolean; game_over: boolean; episode_id: number; seed: number; piece_id: number;
  board: { width: number; height: number; cells: number[][] };
  active: { kind: string; rotation: string; x: number; y: number } | null; ghost_y?: number;
  next_queue: string[]; hold: string | null; can_hold: boolean; score: number; level: number; lines: number; controller_id: number | null;
  last_event?: { locked: boolean; lines_cleared: number; line_clear_score: number; combo: number; tspin?: string; back_to_back: boolean };
  events: { locked: boolean; lines_cleared: number; line_clear_score: number; combo: number }[];
}
export interface Cleared { piece: number; lines: number; score: number; combo: number }
export interface Tetris {
  observation?: Observation; role?: string; ruleset?: string; clientId?: number; state: LinkState;
  heights: number[]; cleared: Cleared[]; counts: number[]; refused?: string;
  act(...actions: string[]): void; restart(): void;
}

export const heightOf = (cells: number[][]): number => { const top = cells.findIndex((row) => row.some(Boolean)); return top < 0 ? 0 : cells.length - top; };
export function holesOf(cells: number[][]): number {
  let holes = 0;
  for (let x = 0; x < (cells[0]?.length ?? 0); x++) { let roof = false; for (const row of cells) { if (row[x]) roof = true; else if (roof) holes++; } }
  return holes;
}

// What a run of observations amounts to.
export class Track {
  observation?: Observation;
  heights: number[] = [];
  cleared: Cleared[] = [];
  counts = [0, 0, 0, 0];
  private piece = -1;
  take(m: Observation): void {
    if (this.observation && m.episode_id !== this.observation.episode_id) { this.heights = []; this.cleared = []; this.counts = [0, 0, 0, 0]; }
    if (m.piece_id !== this.piece) { this.piece = m.piece_id; this.heights = [...this.heights, heightOf(m.board.cells)].slice(-60); }
    for (const e of m.events ?? []) if (e.lines_cleared > 0) { this.counts = this.counts.map((c, i) => c + (i + 1 === e.lines_cleared ? 1 : 0)); this.cleared = [{ piece: m.piece_id - 1, lines: e.lines_cleared, score: e.line_clear_score, combo: e.combo }, ...this.cleared].slice(0, 8); }
    this.observation = m;
  }
}

export function useTetris(table: string | null, o: { mini?: boolean; play?: boolean } = {}): Tetris {
  const [, redraw] = useReducer((n: number) => n + 1, 0), [state, setState] = useState<LinkState>({ kind: 'connecting' });
  const kept = useRef<Track & { link?: Link; seq?: number; role?: string; ruleset?: string; clientId?: number; refused?: string }>();
  kept.current ??= new Track();
  useEffect(() => {
    if (!table) return undefined;
    const mine = kept.current!, changed = o.mini ? () => drawSoon(draw) : () => redraw(0), draw = () => redraw(0);
    let link: Link;
    link = connect({
      url: () => `${wsBase()}/api/tetris/ws?table=${encodeURIComponent(table)}`,
      onState: (s) => { setState(s); if (s.kind === 'open') { mine.seq = 1; link.send({ type: 'hello', seq: 1, ts: Date.now(), client: { name: 'agon page', version: '1' }, protocol_version: '2.1.0', formats: ['json'], requested: { stream_observations: true, command_mode: 'action', role: o.play ? 'auto' : 'observer' } }); } },
      onMessage: (m) => {
        if (m.type === 'welcome') { mine.role = m.role; mine.ruleset = m.ruleset; mine.clientId = m.client_id; mine.refused = undefined; changed(); }
        else if (m.type === 'observation') { mine.take(m); changed(); }
        else if (m.type === 'error' && m.code !== 'backpressure') { mine.refused = m.message ?? m.code; changed(); }
      },
    });
    mine.link = link;
    return () => link.close();
  }, [table]);
  const k = kept.current!;
  const command = (actions: string[], more: object = {}) => { k.link?.send({ type: 'command', seq: (k.seq = (k.seq ?? 0) + 1), ts: Date.now(), mode: 'action', actions, ...more }); };
  return { observation: k.observation, role: k.role, ruleset: k.ruleset, clientId: k.clientId, state, heights: k.heights, cleared: k.cleared, counts: k.counts, refused: k.refused, act: (...actions) => command(actions), restart: () => command(['restart'], { restart: { seed: Math.floor(Math.random() * 2 ** 32) } }) };
}
