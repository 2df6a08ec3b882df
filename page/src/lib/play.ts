// A seat of the visitor's own: the arena protocol over WebSocket, from the queue to the result.
import { alertNow } from './announce';
import { call, gated } from './api';
import { Feed } from './feed';
import { forgetGuest, needGuest, type Guest } from './guest';
import { go } from './router';
import { connect, wsBase, type Link, type LinkState } from './socket';
import { foreign, t } from './text';
import type { Action, GameEvent, Pid, Request, Seat } from '../games';
import type { RulesText } from '../screens/rules';

export interface Over { result: { payoffs: Record<Pid, number>; is_draw: boolean; winner?: Pid }; players: { player_id: Pid; agent_id: string; agent_name: string }[]; replay_url?: string; forfeit_reason?: string; forfeited_by?: Pid; session_id: string }

// How the visitor came here: by the queue, by an invitation to others, by one of theirs, or back to a running match.
export type Entry = { kind: 'queue'; seats: number } | { kind: 'invited' } | { kind: 'accept'; token: string } | { kind: 'session'; id: string };

export type Phase = 'connecting' | 'queued' | 'playing' | 'over' | 'failed';
export interface Wish { asked: number; of: number; mine: boolean }
// What the play screen needs of a seat, whoever referees.
export interface Player {
  readonly local?: boolean;
  readonly state: LinkState;
  readonly phase: Phase;
  readonly feed?: Feed;
  readonly over?: Over;
  readonly rules?: RulesText;
  readonly error: string;
  readonly doing?: string; // what it waits for
  readonly asked: Request | undefined;
  readonly wish?: Wish; // for a rematch
  send(a: Action): void;
  result(): string;
  hint(): Promise<Action | null>;
  rematch(): Promise<void>;
  again(): void;
  close(): void;
}

export class Seated implements Player {
  state: LinkState = { kind: 'connecting' };
  phase: Phase = 'connecting';
  feed?: Feed;
  request?: Request;
  rules?: RulesText;
  over?: Over;
  session = '';
  error = '';
  private waiting = false; // for an answer to the last move
  private link?: Link;
  private me?: Guest;
  // As the server has it, a process: this seat knows its match from one connection to the next, another one of this tab or the tab after a
  // reload does not (F4.21).
  private instance = String(Math.random());

  constructor(private game: string, private entry: Entry, private changed: () => void, private onSession: (game: string, id: string) => void) { void this.open(); }

  private async open(): Promise<void> {
    try { this.me = await needGuest(); } catch (e) { this.fail((e as Error).message); return; }
    const { key } = this.me;
    const query = new URLSearchParams({ capabilities: `${gated},match_feed`, protocol: 'v1.2.0', instance: this.instance, bridge_capabilities: 'replaced-close-code', page: '1' });
    this.link = connect({
      url: () => `${wsBase()}/api/ws?${query}`,
      protocols: () => ['agon', `agon.key.${key}`],
      onMessage: (m) => { this.take(m); this.changed(); },
      onState: (s) => { this.state = s; this.changed(); },
      final: [4409, 1008],
    });
  }
  private fail(message: string): void { this.phase = 'failed'; this.error = message; this.changed(); }

  private take(m: { type: string; data: any }): void {
    const d = m.data, mine = !d?.match_id || !this.session || d.match_id === this.session;
    switch (m.type) {
      case 'welcome': this.enter(); break;
      case 'queue_joined': this.phase = 'queued'; break;
      case 'match_confirm_request': this.link?.send({ type: 'match_confirm', data: { confirm_id: d.confirm_id } }); break;
      case 'match_cancelled': if (d.action === 'removed_from_queue' && this.phase !== 'playing') this.fail(t('play.cancelled')); break;
      case 'game_start': this.start(d); break;
      case 'action_request': if (mine) this.ask(d); break;
      case 'game_state': if (mine) this.feed?.settle(d.state); break;
      case 'match_feed': case 'event': if (mine) { this.miss(d.events); this.feed?.push(d.events); } break;
      case 'action_stale': if (mine) this.waiting = false; break;
      case 'game_over': if (d.session_id === this.session) this.finish(d); break;
      case 'error': this.complain(d.message); break;
      default: break;
    }
  }
  private enter(): void {
    if (this.phase !== 'connecting' && this.phase !== 'queued') return; // back in a match: the server goes on by itself
    if (this.entry.kind === 'queue') call('/api/tables', { method: 'POST', key: this.me!.key, body: { game: this.game, opponents: Array(this.entry.seats - 1).fill('queue') } }).catch((e) => { if (this.phase !== 'playing') this.fail(e.message); });
    else if (this.entry.kind === 'accept') { this.phase = 'queued'; call(`/api/challenges/${this.entry.token}/accept`, { method: 'POST', key: this.me!.key }).catch((e) => { if (this.phase === 'queued') this.fail(e.message); }); }
    else if (this.entry.kind === 'invited') this.phase = 'queued';
    else call<{ game_over?: Over }>(`/api/agents/me/matches/${this.entry.id}/result`, { key: this.me!.key }).then(({ game_over: over }) => { if (over && !this.feed) this.missedEnd(over); }, (e) => { if (!this.feed) this.fail(e.message); });
  }
  // The match ended before this seat was taken again, as when the visitor comes back to it from its replay.
  private missedEnd({ replay_url: replay }: Over): void {
    if (replay) go(replay, true);
    else this.fail(t('play.cancelled'));
  }
  private start(d: any): void {
    if (this.session && this.session !== d.match_id && this.phase === 'playing') return; // one table on this screen
    const seats: Seat[] = d.players.map((p: any) => ({ pid: p.player_id, name: p.name }));
    if (this.session !== d.match_id) {
      this.feed?.stop();
      this.feed = new Feed({ game: d.game, seats, state: {}, me: d.your_player_id, patience: 10, onChange: () => this.changed() });
      this.feed.table = { ...this.feed.table, state: this.feed.game.start(seats.length, d.config) };
    }
    this.game = d.game;
    this.session = d.match_id;
    this.rules = d.rules;
    this.phase = 'playing';
    this.request = undefined;
    this.over = this.wish = undefined;
    this.error = '';
    clearTimeout(this.poll);
    this.onSession(d.game, d.match_id); // it may be another one, which runs already
  }
  private ask(d: any): void {
    if (!this.feed) return;
    const news = [...(d.event_history ?? []), ...(d.new_events ?? [])];
    this.miss(news);
    this.feed.push(news);
    const me = this.feed.table.me!;
    this.feed.settle(d.state, me);
    this.request = { id: d.request_id ?? `${d.match_id}-${this.feed.seq}-${Date.now()}`, legal: d.legal_actions, deadline: Date.now() + d.timeout_ms, limit: d.timeout_ms, retry: d.retry };
    this.serverId = d.request_id;
    this.waiting = false;
    this.error = d.retry ? t('play.illegal') : this.missed ? t('play.missed') : '';
    this.feed.change({ deadline: this.request.deadline, limit: d.timeout_ms });
  }
  private serverId?: string;
  private missed = false; // its time was over, and a move was played for the visitor
  // Nothing tells such a move from others (F4.9) but that it was not sent.
  private miss(events: GameEvent[]): void {
    const { feed, request } = this, me = feed?.table.me;
    if (!request || Date.now() < request.deadline - 2000 || !events.some((e) => e.player === me && e.seq > feed!.seq)) return;
    this.missed = true;
    this.request = undefined;
    this.error = t('play.missed');
    feed!.change({ strikes: feed!.table.seats.map((s) => Number(s.pid === me)) });
  }
  private finish(d: Over): void {
    this.over = d;
    // The last moves, for connections that are not fed between their turns.
    call<{ events: GameEvent[] }>(`/api/agents/me/matches/${this.session}/events`, { key: this.me!.key }).then((r) => this.feed?.push(r.events)).catch(() => undefined);
    this.phase = 'over';
    this.request = undefined;
    this.feed?.change({ seats: d.players.map((p) => ({ pid: p.player_id, name: p.agent_name, agent: p.agent_id })), deadline: undefined, turn: undefined });
    alertNow(this.result());
    this.until = Date.now() + 30000; // somebody else may ask first
    this.poll = window.setTimeout(() => void this.wishes('GET'), 2000);
  }
  private complain(message: string): void {
    this.waiting = false;
    if (this.phase === 'connecting' || this.phase === 'queued') {
      if (/invalid api key/.test(message)) forgetGuest();
      this.fail(foreign(message));
    } else this.error = foreign(message);
  }
  result(): string {
    const o = this.over, me = this.feed?.table.me;
    if (!o || !me) return '';
    if (o.result.is_draw) return t('match.draw');
    const mine = o.result.payoffs[me], best = Math.max(...Object.values(o.result.payoffs));
    return mine === best ? t('play.won') : t('play.lost');
  }
  // The panel appears when what happened before has been shown.
  get asked(): Request | undefined { return this.request && !this.waiting && this.feed?.idle ? this.request : undefined; }
  get ready(): boolean { return this.state.kind === 'open'; }

  send(a: Action): void {
    if (!this.request || this.waiting) return;
    const sent = this.link?.send({ type: 'action', match_id: this.session, ...(this.serverId ? { request_id: this.serverId } : {}), data: a });
    if (!sent) return;
    this.waiting = true;
    this.missed = false;
    this.error = '';
    this.request = undefined;
    this.feed?.change({ deadline: undefined, turn: undefined });
  }
  again(): void { this.link?.again(); }
  wish?: Wish;
  private poll = 0;
  // The same players once more, when all of them ask; game_start then comes as ever.
  private async wishes(method: 'GET' | 'POST'): Promise<void> {
    const of = this.session;
    clearTimeout(this.poll);
    try {
      const w = await call<{ status: string; asked: number; of: number }>(`/api/matches/${of}/rematch`, { method, key: this.me!.key });
      if (this.session !== of || this.phase !== 'over') return;
      this.wish = { asked: w.asked, of: w.of, mine: method === 'POST' || Boolean(this.wish?.mine) };
      if (w.status !== 'in_match' && Date.now() < this.until) this.poll = window.setTimeout(() => void this.wishes('GET'), 2000);
    } catch (e) {
      if (method === 'POST' || this.wish?.mine) this.error = (e as Error).message;
      this.wish = undefined;
    }
    this.changed();
  }
  private until = 0;
  rematch(): Promise<void> { this.until = Date.now() + 60000; return this.wishes('POST'); }
  async hint(): Promise<Action | null> {
    try {
      const { actions: [a] } = await call<{ actions: Action[] }>(`/api/agents/me/matches/${this.session}/hint`, { key: this.me!.key }), d = a.data ?? {};
      // One choice with its bounds alike: the amount is told by either.
      return { type: a.type, data: a.type === 'bid' ? { quantity: d.min_quantity, face: d.min_face, ...d } : a.type === 'raise' ? { amount: d.min, ...d } : a.data };
    } catch { return null; }
  }
  close(): void { clearTimeout(this.poll); if (this.phase === 'queued') this.link?.send({ type: 'leave_queue', data: {} }); this.link?.close(); this.feed?.stop(); }
}
