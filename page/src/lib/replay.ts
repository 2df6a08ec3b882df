// A finished match, step by step. Its public course comes from the server's events. With the referee's rules in the
// browser (src/rules) the replay file itself is played again: then it is proven, and every seat's knowledge is there.
import { gameOf, index, type Action, type Game, type GameEvent, type Pid, type Seat, type State } from '../games';
import { hasOdds, SECRET } from '../games/known';
import { short } from '../games/seat';
import { ApiError, call } from './api';
import type { Analysis } from '../rules/analysis';
import { clean, foreign, t } from './text';

export interface Meta { id: string; game: string; mode: string; rated: boolean; config: any; finished_at: string; duration_ms: number; players: { player_id: Pid; agent_id: string; agent_name: string; result: string; rating_before?: number; rating_after?: number }[]; result: { payoffs: Record<Pid, number>; is_draw: boolean; winner?: Pid }; seed_commitment: string; seed?: string; deal: { number: number; commitment: string; secret?: string; source: string } | null; forfeit_reason?: string }
export interface Frame { type: string; player_id?: Pid; player?: Pid; data: any; seq: number; created_at?: string }
interface Whole extends Meta { frames: Frame[] }

// What the referee's rules found by playing the file again (src/local).
export interface Proven { verified: true | string; stepOf: number[]; view(step: number, viewer: number): any; text(step: number, viewer: number | 'public'): string; move(step: number, seat: number, action: any): { action: Action; state: State }; odds(hands: string[][], board: string[]): Promise<number[]> }

const ANEW = ['new_hand', 'round_start', 'deal_started']; // events after which hidden things are dealt anew

export type Viewer = 'public' | 'all' | Pid;

// One picture of all cards, where those of the seats differ only in what is hidden ("?") from some.
const merged = (texts: string[]): string => (texts.every((x) => x.length === texts[0].length) ? [...texts[0]].map((c, i) => (c === '?' ? texts.find((x) => x[i] !== '?')?.[i] ?? c : c)).join('') : texts.join('\n\n'));

export class Recording {
  readonly game: Game;
  readonly seats: Seat[];
  readonly events: GameEvent[];
  readonly states: State[]; // after each event
  readonly start: State;
  proven?: Proven;
  refused = ''; // why the file is not what the server told
  analysis?: Analysis; // where the file brings one
  constructor(readonly meta: Meta, frames: Frame[]) {
    this.game = gameOf(meta.game);
    this.seats = meta.players.map((p) => ({ pid: p.player_id, name: p.agent_name, agent: p.agent_id }));
    this.events = frames.map((f) => ({ type: f.type, player: f.player_id ?? f.player ?? f.data?.seat, data: f.data, seq: f.seq, ts: f.created_at }));
    this.start = this.game.start(this.seats.length, meta.config);
    let s = this.start;
    this.states = this.events.map((e) => (s = this.game.apply(s, e)));
  }
  get steps(): number { return this.events.length; }
  get verdict(): 'proven' | 'broken' | 'unknown' | 'open' { return this.refused ? 'broken' : !this.proven ? 'unknown' : this.proven.verified === true ? 'proven' : this.meta.id === 'local' ? 'open' : 'broken'; }
  // Viewpoints beyond the public one that this recording has something to show for.
  get views(): Viewer[] {
    return this.proven ? ['public', 'all', ...this.seats.map((s) => s.pid)] : ['public'];
  }
  state(step: number, viewer: Viewer): State {
    const s = this.states[step] ?? this.start;
    return this.proven && (viewer !== 'public' || !SECRET[this.meta.game]) ? this.know(s, step, viewer) : s;
  }
  // The file was played again: what each seat knew at that step.
  private know(s: State, step: number, viewer: Viewer): State {
    const { stepOf, view, text } = this.proven!, at = stepOf[step], key = SECRET[this.meta.game], who = viewer === 'all' ? this.seats.map((x) => x.pid) : [viewer];
    let dealt = false; // one step may end a hand and deal the next: then the view after it is of the next
    for (let i = step + 1; stepOf[i] === at; i++) dealt ||= ANEW.includes(this.events[i].type);
    if (!key) { // no board of its own: the referee's text
      const when = Math.max(0, dealt ? at - 1 : at), told = viewer === 'public' ? text(when, viewer) : merged(who.map((p) => text(when, index(p))));
      const names = this.seats.map((x) => short(clean(x.name)).slice(0, 16));
      return { ...s, text: told.replace(/seat_(\d)/g, (_, n) => names[n].padEnd(Math.max(...names.map((x) => x.length)))) };
    }
    const held = (p: Pid, when: number): any[] => [view(Math.max(0, when), index(p))[key] ?? []].flat();
    const secret = Object.fromEntries(who.map((p) => {
      const now = held(p, dealt ? at - 1 : at), left = s.players?.[index(p)]?.data?.hidden_cards ?? now.length;
      return [p, now.length === left ? now : held(p, at - 1)];
    }).filter(([, v]) => v.length));
    return { ...s, [/^hole|card$/.test(key) ? 'holes' : 'opened']: secret };
  }
  // Chances of the hands that are open at a step; null: nothing to count, or a hand that was never shown.
  private counted = new Map<string, Promise<Record<Pid, number>>>();
  odds(step: number): Promise<Record<Pid, number>> | null {
    if (!this.proven || !hasOdds(this.meta.game)) return null;
    const s = this.state(step, 'all'), who: Pid[] = s.phase === 'showdown' || s.phase === 'done' ? [] : s.players.filter((p: any) => ['active', 'allIn'].includes(p.status)).map((p: any) => p.id);
    if (who.length < 2 || who.some((p) => s.holes[p]?.length !== 2)) return null;
    const key = JSON.stringify([who.map((p) => s.holes[p]), s.community_cards]);
    let odds = this.counted.get(key);
    if (!odds) this.counted.set(key, (odds = this.proven.odds(who.map((p) => s.holes[p]), s.community_cards).then((of) => Object.fromEntries(who.map((p, i) => [p, of[i]])))));
    return odds;
  }
  // The same for the whole match: what the chart of chances shows.
  async chances(): Promise<[number, number[]][]> {
    const points: [number, number[]][] = [];
    for (let step = 0; step < this.steps; step++) {
      const odds = await this.odds(step);
      if (odds) points.push([step, this.seats.map((s) => 100 * (odds[s.pid] ?? 0))]);
      else if (this.states[step].won) { const won = this.states[step].won, all = Object.values<number>(won).reduce((a, b) => a + b, 0); points.push([step, this.seats.map((x) => 100 * (won[x.pid] ?? 0) / all)]); }
    }
    return points;
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

// By the file itself, half a kilobyte that proves itself; by the server's events where it is refused or its rules are not here.
export async function load(id: string): Promise<Recording> {
  const rules = await import('../local').catch(() => undefined);
  if (id === 'local') {
    const kept = rules?.keptReplay();
    if (!kept) throw new ApiError(t('replay.no_local'), 404);
    return rules!.openRecording(kept.meta, kept.bytes);
  }
  const path = `/api/replays/${encodeURIComponent(id)}`, meta = await call<Meta>(path);
  let refused = '';
  if (rules?.hasRules(meta.game)) {
    try {
      const answer = await fetch(`${path}/file`);
      if (answer.ok) return await rules.openRecording(meta, new Uint8Array(await answer.arrayBuffer()));
    } catch (e) { refused = foreign((e as Error).message, 'proof.broken'); }
  }
  const { frames } = await call<Whole>(`${path}/whole`), r = new Recording(meta, frames);
  r.refused = refused;
  return r;
}
