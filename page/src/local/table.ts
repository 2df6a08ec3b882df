// A match against house bots in this browser, by the referee's own rules. To the play screen it is a seat like any other.
import { gameOf, pid, type Action, type Request } from '../games';
import { alertNow } from '../lib/announce';
import { Feed } from '../lib/feed';
import type { Over, Phase, Player } from '../lib/play';
import type { LinkState } from '../lib/socket';
import { t } from '../lib/text';
import { newMatch, type Match, type View } from '../rules';
import { moveOf, wireChoice, wireEvent, wireState } from '../games/wire';
import './modules';
import { keepReplay } from './kept';
import { keepSetup, newSeed, type Setup } from './setup';
import { followTables, freeLevels, loadTable, tableText } from './tables';

export class LocalTable implements Player {
  readonly local = true;
  readonly ready = true;
  state: LinkState = { kind: 'open' };
  phase: Phase = 'connecting';
  feed?: Feed;
  request?: Request;
  over?: Over;
  error = '';
  doing = '';
  private match?: Match;
  private seq = 0;
  private closed = false;

  constructor(private setup: Setup, private changed: () => void) { void this.begin(); }

  private async begin(): Promise<void> {
    const { game, seats, level, me, seed, moves, scenario } = this.setup;
    this.doing = t('local.loading');
    try {
      this.match = await newMatch(game, { seats, scenario }, BigInt(seed));
      if (!(await this.hasTable(level))) { this.fail(tableText(game, level, await freeLevels(game))); return; }
    } catch {
      this.fail(t('local.none'));
      return;
    }
    this.doing = '';
    if (this.closed) return;
    const names = Array.from({ length: seats }, (_, i) => ({ pid: pid(i), name: i === me ? t('guest') : t('local.bot', { n: i + 1 }) })); // who sits here is "you" at the table, and somebody in its replay
    this.feed = new Feed({ game, seats: names, state: gameOf(game).start(seats, this.match.about.rules), me: pid(me), patience: 1000, onChange: () => this.changed() });
    this.phase = 'playing';
    this.tell();
    try {
      for (const move of moves) { this.bots(); this.match.apply(me, moveOf(move)); this.tell(); } // a reload: up to where it was
    } catch { // the bots of a newer program play otherwise: a new match
      await this.restart(me);
      this.error = t('local.anew');
      return this.changed();
    }
    if (moves.length) this.feed.skip();
    this.go();
  }
  private fail(error: string): void {
    this.phase = 'failed';
    this.error = error;
    this.changed();
  }
  /** Whether that level can be asked: it may play by a solved table, which is loaded now. */
  private async hasTable(level: number): Promise<boolean> {
    const { match, setup: { game } } = this;
    if (!match!.needsTable(`house:${level}`)) return true;
    const tell = (): void => { this.doing = tableText(game, level, 0); this.changed(); }, stop = followTables(tell);
    tell();
    try { match!.takeTable(await loadTable(game)); return true; } catch { return false; } finally { stop(); this.doing = ''; this.changed(); }
  }
  /** What happened last goes to the table, then what is known for sure. */
  private tell(): void {
    const { match, setup, feed } = this;
    feed!.push(match!.events('public').map((e) => wireEvent(e, this.seq++)));
    feed!.settle(wireState(setup.game, match!.view(setup.me) as View, match!.turn(), setup.me));
  }
  private bots(): void {
    const { match, setup } = this;
    for (let seat; (seat = match!.next()) >= 0 && seat !== setup.me; this.tell()) match!.bot(seat, `house:${setup.level}`);
  }
  private go(): void {
    this.bots();
    if (this.match!.turn().kind === 'over') this.finish();
    else this.ask();
    keepSetup(this.over ? undefined : this.setup, this.setup.game);
    this.changed();
  }
  private ask(): void {
    const { match, setup } = this, view = match!.view(setup.me) as View;
    this.request = { id: `local-${this.seq}-${setup.moves.length}`, legal: match!.legal(setup.me).map((c) => wireChoice(c, view)), deadline: 0, limit: 0 };
    this.feed!.settle(wireState(setup.game, view, match!.turn(), setup.me), pid(setup.me));
  }
  private finish(): void {
    const values = this.match!.payoffs(), best = Math.max(...values), won = values.filter((v) => v === best).length;
    const payoffs = Object.fromEntries(values.map((v, i) => [pid(i), v]));
    const players = this.feed!.table.seats.map((s) => ({ player_id: s.pid, agent_id: '', agent_name: s.name }));
    const result = { payoffs, is_draw: won === values.length, winner: won === 1 ? pid(values.indexOf(best)) : undefined };
    this.over = { result, players, session_id: 'local', replay_url: '/replay/local' };
    keepReplay({ game: this.setup.game, players: players.map((p) => ({ ...p, result: '' })), result }, this.match!.replay(true));
    this.phase = 'over';
    this.request = undefined;
    alertNow(this.result());
  }
  result(): string {
    const o = this.over;
    return !o ? '' : o.result.is_draw ? t('match.draw') : t(o.result.payoffs[pid(this.setup.me)] === Math.max(...Object.values(o.result.payoffs)) ? 'play.won' : 'play.lost');
  }
  get asked(): Request | undefined { return this.request && this.feed?.idle ? this.request : undefined; }

  send(a: Action): void {
    if (!this.request) return;
    try { this.match!.apply(this.setup.me, moveOf(a)); } catch (e) { this.error = (e as Error).message; this.changed(); return; }
    this.error = '';
    this.request = undefined;
    this.setup.moves.push(a);
    this.tell();
    this.go();
  }
  /** By the strongest bot that is here. Null: the question is another one by now. */
  async hint(): Promise<Action | null> {
    const { match, setup, request } = this;
    let level = 5;
    if (!(await this.hasTable(level))) while (match!.needsTable(`house:${level}`)) level--;
    if (request !== this.request) return null;
    return wireChoice({ text: '', ...match!.hint(setup.me, `house:${level}`).action }, match!.view(setup.me));
  }
  rematch(): Promise<void> { return this.restart((this.setup.me + 1) % this.setup.seats); } // the same table, one seat on
  private restart(me: number): Promise<void> {
    this.feed?.stop();
    Object.assign(this, { setup: { ...this.setup, me, seed: newSeed(), moves: [] }, seq: 0, over: undefined, feed: undefined, phase: 'connecting' });
    return this.begin();
  }
  again(): void { /* nothing was lost */ }
  close(): void { this.closed = true; this.feed?.stop(); }
}
