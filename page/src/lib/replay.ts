// A finished match, step by step. Its public course comes from the server's events. With the referee's rules in the
// browser (src/rules) the replay file itself is played again: then it is proven, and every seat's knowledge is there.
import { gameOf, index, type Game, type GameEvent, type Pid, type Seat, type State } from '../games';
import { call } from './api';
import { fromHex, sha256, toHex } from './sha256';

export interface Meta { id: string; game: string; mode: string; rated: boolean; config: any; finished_at: string; duration_ms: number; players: { player_id: Pid; agent_id: string; agent_name: string; result: string }[]; result: { payoffs: Record<Pid, number>; is_draw: boolean; winner?: Pid }; seed_commitment: string; seed?: string; deal: { number: number; commitment: string; secret?: string; source: string } | null; forfeit_reason?: string }
interface Whole extends Meta { frames: { type: string; player_id?: Pid; data: any; seq: number; created_at?: string }[] }

// What page/src/rules offers (built from the program's own sources), and its modules, if they were there when the page
// was built: out/wasm/GAME.wasm. They become assets like all others.
export interface Proven { steps: number; verified: true | string; view(step: number, viewer: number | 'public'): any; events(step: number, viewer: 'public'): any[] }
interface Rules { openReplay(bytes: Uint8Array, options: { neutral: boolean }): Promise<Proven>; setModuleSource(from: (name: string) => Promise<ArrayBuffer>): void }
const rules = Object.values(import.meta.glob<Rules>('../rules/index.ts'))[0];
const modules = import.meta.glob<string>('../../../out/wasm/*.wasm', { query: '?url', import: 'default' });
const moduleOf = (name: string) => modules[`../../../out/wasm/${name}.wasm`];

// Where a game's seat keeps what only it knows, in the codec's view.
const SECRET: Record<string, string> = { texas_holdem: 'hole_cards', liars_dice: 'dice', coup: 'cards', belote: 'hand' };
const ANEW = ['new_hand', 'round_start', 'deal_started']; // events after which hidden things are dealt anew

export type Viewer = 'public' | 'all' | Pid;

export class Recording {
  readonly game: Game;
  readonly seats: Seat[];
  readonly events: GameEvent[];
  readonly states: State[]; // after each event
  readonly start: State;
  proven?: Proven;
  refused = ''; // why the file is not what the server told
  private stepOf?: number[]; // of the replay file, by event
  constructor(readonly meta: Meta, frames: Whole['frames']) {
    this.game = gameOf(meta.game);
    this.seats = meta.players.map((p) => ({ pid: p.player_id, name: p.agent_name, agent: p.agent_id }));
    this.events = frames.map((f) => ({ type: f.type, player: f.player_id, data: f.data, seq: f.seq, ts: f.created_at }));
    this.start = this.game.start(this.seats.length, meta.config);
    let s = this.start;
    this.states = this.events.map((e) => (s = this.game.apply(s, e)));
  }
  get steps(): number { return this.events.length; }
  // The key's SHA-256 is what the server committed to before the deal.
  get keyFits(): boolean | undefined { return this.meta.seed ? toHex(sha256(fromHex(this.meta.seed))) === this.meta.seed_commitment : undefined; }
  get verdict(): 'proven' | 'fits' | 'broken' | 'unknown' { return this.refused ? 'broken' : this.proven ? (this.proven.verified === true ? 'proven' : 'broken') : this.keyFits === undefined ? 'unknown' : this.keyFits ? 'fits' : 'broken'; }
  // Viewpoints beyond the public one that this recording has something to show for.
  get views(): Viewer[] {
    if (this.stepOf && SECRET[this.meta.game]) return ['public', 'all', ...this.seats.map((s) => s.pid)];
    return this.meta.game in SECRET && this.meta.game !== 'coup' ? ['public', 'all'] : ['public'];
  }
  state(step: number, viewer: Viewer): State {
    const s = this.states[step] ?? this.start;
    if (viewer === 'public') return s;
    return this.stepOf ? this.know(s, step, viewer) : this.open(s, step, viewer);
  }
  // The file was played again: what each seat knew at that step.
  prove(p: Proven): void {
    const steps = Array.from({ length: p.steps + 1 }, (_, i) => p.events(i, 'public').map(() => i)).flat();
    this.proven = p;
    if (steps.length === this.steps) this.stepOf = steps;
  }
  private know(s: State, step: number, viewer: Viewer): State {
    const at = this.stepOf![step], key = SECRET[this.meta.game], who = viewer === 'all' ? this.seats.map((x) => x.pid) : [viewer];
    let dealt = false; // one step may end a hand and deal the next: then the view after it is of the next
    for (let i = step + 1; this.stepOf![i] === at; i++) dealt ||= ANEW.includes(this.events[i].type);
    const held = (p: Pid, when: number): any[] => this.proven!.view(Math.max(0, when), index(p))[key] ?? [];
    const secret = Object.fromEntries(who.map((p) => {
      const now = held(p, dealt ? at - 1 : at), left = this.meta.game === 'coup' ? s.players[index(p)].data.hidden_cards : now.length;
      return [p, now.length === left ? now : held(p, at - 1)];
    }).filter(([, v]) => v.length));
    return this.meta.game === 'texas_holdem' ? { ...s, holes: secret } : { ...s, opened: secret };
  }
  // What was hidden then and came out later: hands at a showdown, dice at a challenge, cards when they were played.
  private open(s: State, step: number, viewer: Viewer): State {
    const mine = (who: Pid) => viewer === 'all' || viewer === who;
    const later = (type: string, until: string) => { for (let i = step; i < this.events.length; i++) { const e = this.events[i]; if (i > step && e.type === until) break; if (e.type === type) return e.data; } return undefined; };
    const pick = (from: Record<Pid, any> | undefined, f: (v: any) => any) => Object.fromEntries(Object.entries(from ?? {}).filter(([who]) => mine(who)).map(([who, v]) => [who, f(v)]).filter(([, v]) => v));
    if (this.meta.game === 'texas_holdem') return { ...s, holes: pick(later('hand_result', 'new_hand')?.hands, (h) => h.cards) };
    if (this.meta.game === 'liars_dice') return { ...s, opened: pick(later('challenge', 'round_start')?.all_dice, (d) => d) };
    if (this.meta.game === 'belote') {
      const opened: Record<Pid, string[]> = {};
      for (let i = step + 1; i < this.events.length && this.events[i].type !== 'deal_started'; i++) { const e = this.events[i]; if (e.type === 'card_played' && mine(e.player!)) (opened[e.player!] ??= []).push(e.data.card); }
      for (const list of Object.values(opened)) list.sort((a, b) => 'cdhs'.indexOf(a[1]) - 'cdhs'.indexOf(b[1]) || '789TJQKA'.indexOf(b[0]) - '789TJQKA'.indexOf(a[0]));
      return { ...s, opened };
    }
    return s;
  }
  at(seq: number): number { const i = this.events.findIndex((e) => e.seq >= seq); return i < 0 ? this.steps - 1 : i; }
  // Where hands, rounds or deals begin.
  get marks(): number[] { return this.events.map((e, i) => (this.game.chart?.marks(e) ? i : -1)).filter((i) => i >= 0); }
  points(): [number, number[]][] {
    const chart = this.game.chart, at = new Set([0, ...this.marks, this.steps - 1]);
    return chart ? [...at].filter((i) => i >= 0).sort((a, b) => a - b).map((i) => [i, chart.values(this.states[i]) ?? []] as [number, number[]]) : [];
  }
  name(who: Pid): string { return this.seats[index(who)].name; }
}

export async function load(id: string): Promise<Recording> {
  const { frames, ...meta } = await call<Whole>(`/api/replays/${encodeURIComponent(id)}/whole`);
  return new Recording(meta, frames);
}
export async function prove(r: Recording): Promise<void> {
  const from = moduleOf(r.meta.game);
  if (!rules || !from) return;
  const lib = await rules();
  lib.setModuleSource(async (name) => (await fetch(await moduleOf(name)())).arrayBuffer());
  const bytes = new Uint8Array(await (await fetch(`/api/replays/${r.meta.id}/file`)).arrayBuffer());
  try { r.prove(await lib.openReplay(bytes, { neutral: true })); } catch (e) { r.refused = (e as Error).message; }
}
