// Tetris in this browser: the referee's rules, moved by this machine's clock.
import { Track, type Observation } from '../lib/tetris';
import { cellsFrom } from '../pieces/field';
import { newMatch, type Action, type Match } from '../rules';
import './modules';
import { keptSetup, newSeed } from './setup';

const MOVES: Record<string, Action> = {
  moveLeft: { type: 'move', direction: 'left' }, moveRight: { type: 'move', direction: 'right' }, rotateCw: { type: 'rotate', direction: 'cw' }, rotateCcw: { type: 'rotate', direction: 'ccw' },
  softDrop: { type: 'soft_drop' }, hardDrop: { type: 'hard_drop' }, hold: { type: 'hold' },
};

export class LocalTetris extends Track {
  private match?: Match;
  private episode = 0;
  private paused = false;
  private over = false;
  private before = 0; // ms, when time passed last
  private frame = 0;
  private moved = 0;
  private stopped = false;
  private full = false;
  private seed = '';
  error = '';

  // `bot`: it plays, a move every tenth of a second, game after game, and nobody else does.
  constructor(private changed: () => void, private bot?: string) { super(); void this.restart(); }

  async restart(): Promise<void> {
    this.seed = this.episode || this.bot ? newSeed() : keptSetup('tetris')?.seed ?? newSeed();
    try { this.match = await newMatch('tetris', {}, BigInt(this.seed)); } catch (e) { this.error = (e as Error).message; this.changed(); return; }
    this.episode++;
    this.paused = this.over = this.full = false;
    this.before = performance.now();
    cancelAnimationFrame(this.frame);
    this.look();
    this.run();
  }
  private run(): void {
    this.frame = requestAnimationFrame((now) => {
      const ticks = Math.floor((now - this.before) / this.match!.about.tick_ms);
      if (ticks > 0) {
        this.before = ticks > 60 ? now : this.before + ticks * this.match!.about.tick_ms; // a tab that slept lost no time
        if (!this.paused) {
          try { this.match!.tick(Math.min(ticks, 60)); } catch { this.full = true; } // the replay has no room left
          if (this.bot) this.move(now);
          this.look();
        }
      }
      if (!this.over) this.run();
      else if (this.bot && !this.stopped) void this.restart();
    });
  }
  private move(now: number): void {
    if (now - this.moved < 100) return;
    this.moved = now;
    try { this.match!.bot(0, this.bot!); } catch { /* lines are going */ }
  }
  act(...actions: string[]): void {
    for (const name of actions) {
      if (this.over || !this.match) return;
      if (name === 'pause') { this.paused = !this.paused; this.look(); continue; }
      if (this.paused) return;
      try { this.match.apply(0, MOVES[name]!); } catch { continue; } // a wall, or held already
      this.look();
    }
  }
  private look(): void {
    const v = this.match!.view(0) as any;
    this.over = this.full || this.match!.turn().kind === 'over';
    const seen: Observation = {
      playable: true, paused: this.paused, game_over: this.over, episode_id: this.episode, seed: Number(BigInt(this.seed) % 4294967296n), piece_id: v.piece_id, board: { width: 10, height: v.board.length, cells: cellsFrom(v.board) },
      active: v.active && { ...v.active, kind: v.active.kind.toLowerCase() }, ghost_y: v.ghost_y, next_queue: v.next.map((k: string) => k.toLowerCase()), hold: v.hold?.toLowerCase() ?? null, can_hold: v.can_hold,
      score: v.score, level: v.level, lines: v.lines, controller_id: 1,
    };
    this.take(seen);
    this.changed();
  }
  stop(): void { cancelAnimationFrame(this.frame); this.over = this.stopped = true; }
}
