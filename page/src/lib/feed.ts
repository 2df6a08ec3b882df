// A table that moves: events come in, wait their turn so that each can be seen, and change the state one by one.
import { gameOf, type Game, type GameEvent, type Pid, type Seat, type Sentence, type State, type Table } from '../games';
import { announce } from './announce';
import { plain } from '../ui/say';
import { clean } from './text';

export interface Line { seq: number; head?: boolean; say: Sentence; player?: Pid }
// What a player reported about a move, where the server tells it.
export interface Decision { player: Pid; seq: number; model?: string; input_tokens?: number; output_tokens?: number; latency_ms?: number; source?: string; note?: string }
export const decisionOf = ({ player_id: player, seq, latency_ms, usage = {}, decision = {} }: any): Decision => ({ player, seq, latency_ms, model: usage.model && clean(usage.model), input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, source: decision.source, note: decision.note && clean(decision.note) });
export const KEPT = 200; // lines in the document
const still = matchMedia('(prefers-reduced-motion: reduce)');

export interface FeedOptions { game: string; seats: Seat[]; state: State; me?: Pid; quiet?: boolean; patience?: number; onChange: () => void }

export class Feed {
  readonly game: Game;
  table: Table;
  lines: Line[] = [];
  history: [number, number[]][] = []; // what the game's chart shows, when a hand, round or deal begins
  decisions: Decision[] = [];
  seq = -1; // of the last event taken
  private queue: (GameEvent | { snapshot: State; turn?: Pid } | { part: Partial<Table> })[] = [];
  private timer = 0;

  constructor(private o: FeedOptions) {
    this.game = gameOf(o.game);
    this.table = { game: o.game, seats: o.seats, state: o.state, me: o.me, said: {}, turn: this.game.turn(o.state) };
  }
  push(events: GameEvent[]): void {
    for (const e of events) if (e.seq > this.seq) { this.seq = e.seq; this.queue.push({ player: e.data?.seat, ...e }); } // a game without a dialect names its seats there
    this.run();
  }
  // What is known for sure, once the events before it have been shown.
  settle(snapshot: State, turn?: Pid): void {
    this.queue.push({ snapshot, turn });
    this.run();
  }
  // Whose clock runs, once the events before it have been shown.
  mark(part: Partial<Table>): void {
    this.queue.push({ part });
    this.run();
  }
  decide(d: any): void { this.decisions = [...this.decisions, decisionOf(d)].slice(-60); }
  change(part: Partial<Table>): void { this.table = { ...this.table, ...part }; this.o.onChange(); }
  get idle(): boolean { return !this.queue.length && !this.timer; }
  skip(): void { while (this.queue.length) this.take(); this.o.onChange(); } // to what is there now
  stop(): void { clearTimeout(this.timer); this.queue = []; }

  private run(): void {
    if (this.timer) return;
    const patience = this.o.patience ?? 3;
    while (this.queue.length > (still.matches || document.hidden ? 0 : patience)) this.take();
    let rest = 0;
    while (this.queue.length && !(rest = this.take())) { /* nothing to look at */ }
    if (rest) this.timer = window.setTimeout(() => { this.timer = 0; this.run(); }, rest);
    this.o.onChange();
  }
  private take(): number {
    const e = this.queue.shift()!;
    if ('snapshot' in e) {
      const kept = { chain: this.table.state.chain, turns: this.table.state.turns, over: undefined };
      this.table = { ...this.table, state: { ...kept, ...e.snapshot }, turn: e.turn ?? this.game.turn(e.snapshot) };
      return 0;
    }
    if ('part' in e) { this.table = { ...this.table, ...e.part }; return 0; }
    const before = this.table.state, head = this.game.heads?.(e, before), say = this.game.words(e, before);
    const state = this.game.apply(before, e), bubble = this.game.say?.(e) ?? '';
    this.table = { ...this.table, state, last: e, turn: this.game.turn(state), deadline: undefined, said: e.player ? { ...(bubble ? this.table.said : {}), [e.player]: bubble } : head || /_cards?$/.test(e.type) ? {} : this.table.said };
    if (this.game.chart && (this.game.chart.marks(e) || state.phase === 'done')) { const values = this.game.chart.values(state); if (values) this.history = [...this.history, [e.seq, values] as [number, number[]]].slice(-KEPT); }
    const more: Line[] = [];
    if (head) more.push({ seq: e.seq, head: true, say: head });
    if (say) { more.push({ seq: e.seq, say, player: e.player ?? say.who }); if (!this.o.quiet) announce(plain(say, this.table)); }
    this.lines = [...this.lines, ...more].slice(-KEPT);
    return Math.max(240, this.game.pause?.(e) ?? 0);
  }
}

// One small board a frame, from a queue: ten of them never cost more than one drawing at a time.
const waiting = new Set<() => void>();
let frame = 0;
function drawNext(): void {
  const [first] = waiting;
  frame = 0;
  if (first) { waiting.delete(first); first(); }
  if (waiting.size) frame = requestAnimationFrame(drawNext);
}
export function drawSoon(f: () => void): void {
  waiting.add(f);
  if (!frame) frame = requestAnimationFrame(drawNext);
}
