// Agents that play on while their server dies and comes back, and an auditor who compares what they saw with what is
// stored. A client here is one process that never forgets: one instance id, its events and its answers across all of its
// connections.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Agent, agon, Arena, choose } from './arena.mjs';
import { Chance } from './chance.mjs';
import { spawn } from './children.mjs';
import { scratch } from './scratch.mjs';
import { beSlow, until, within } from './wait.mjs';

export const games = ['texas_holdem', 'liars_dice', 'coup', 'belote'];

// Events that are somebody's decision: each stands for one accepted action.
const decisions = {
  texas_holdem: ['player_action'],
  liars_dice: ['bid', 'challenge'],
  coup: ['action', 'challenge', 'block', 'challenge_block', 'challenge_pass', 'block_pass', 'block_challenge_pass', 'exchange_complete'],
  belote: ['cut', 'bid', 'card_played'],
};

const isDecision = (game, e) => decisions[game].includes(e.type) && !/_blind$/.test(e.data.action);

// --- a server that dies

export class Site {
  constructor(options = []) {
    this.options = options;
    this.data = scratch('storm-');
    this.deaths = { SIGKILL: 0, SIGTERM: 0, unborn: 0 };
    this.restart_ms = [];
    this.chance = new Chance();
  }
  async start() {
    const from = performance.now();
    this.arena = await Arena.start(this.options, { data: this.data, seed: null });
    this.restart_ms.push(performance.now() - from);
  }
  async die(signal) {
    this.deaths[signal]++;
    await this.arena.stop(signal);
  }
  // Killed while it reads what the last one left.
  async stillbirth() {
    this.deaths.unborn++;
    const child = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', this.data, ...this.options], { stdio: 'ignore' });
    const gone = new Promise((resolve) => child.on('exit', resolve));
    await beSlow(this.chance.below(30)); // at any moment
    child.kill('SIGKILL');
    await gone;
  }
  admin(...words) {
    const done = spawnSync(agon, ['admin', ...words, '--json', '--data', this.data], { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(done.stdout);
  }
  // Whatever is left after a failure.
  abandon() {
    this.over = true;
    this.arena.process.kill('SIGKILL');
    this.remove();
  }
  remove() {
    rmSync(this.data, { recursive: true, force: true });
  }
}

// --- a client that comes back

class Session {
  constructor(start) {
    Object.assign(this, { start, game: start.game, pid: start.your_player_id, events: new Map(), sent: [], over: null });
  }
  // What was once told stays as it was, to the millisecond.
  see(event) {
    const text = JSON.stringify(event), before = this.events.get(event.seq);
    if (before !== undefined) assert.equal(text, before, 'an event came again and differs');
    this.events.set(event.seq, text);
  }
}

export class Survivor {
  constructor(site, agent, game, number) {
    Object.assign(this, { site, agent, game, instance: `storm-${number}`, sessions: new Map(), faults: [], codes: [], target: Infinity });
    this.memory = Agent.memory();
    this.chance = new Chance(number);
    this.connections = this.heard = 0;
  }
  open() {
    return [...this.sessions.values()].filter((s) => !s.over).length;
  }
  overs() {
    return this.sessions.size - this.open();
  }
  done() {
    return this.overs() >= this.target && !this.open();
  }
  // What was not known to have arrived comes again on another connection (F4.22), never on the same.
  options() {
    return { instance: this.instance, memory: { ...this.memory, over: new Set() }, capabilities: 'match_feed,belote', onFrame: (frame, conn) => this.take(frame, conn) };
  }
  async live() {
    while (!this.done() && !this.site.over) {
      try {
        const conn = await Agent.connect(this.site.arena, this.agent, this.options());
        this.connections++;
        const { code } = await conn.closed;
        this.codes.push(code);
        this.faults.push(...conn.faults);
      } catch {
        await beSlow(20 + this.chance.below(80)); // nobody is there, or no longer: ask again
      }
    }
  }
  take(frame, conn) {
    this.notes?.take(frame, conn);
    this.last = JSON.stringify(frame).slice(0, 300);
    this.heard++;
    try {
      this[`on_${frame.type}`]?.(frame.data, conn, frame);
    } catch (e) {
      this.faults.push(e);
    }
    if (this.done()) conn.ws.close();
  }
  say(conn, message) {
    if (conn.ws.readyState === 1) conn.send(message);
  }
  join(conn) {
    if (!this.open() && this.overs() < this.target) this.say(conn, { type: 'join_queue', data: { game: this.game, one_shot: true } });
  }
  on_welcome(_, conn) {
    this.join(conn); // refused if a match goes on that it was never told of, and that it is told of next
  }
  on_match_confirm_request({ confirm_id }, conn) {
    this.say(conn, { type: 'match_confirm', data: { confirm_id } });
  }
  on_match_cancelled({ action }, conn) {
    if (action !== 're_queued') this.join(conn);
  }
  on_error({ message }, conn) {
    const expected = /* its match is about to be told */ /already in (the )?queue|concurrent match limit/i.test(message);
    if (!expected) throw new Error(`refused: ${message}`);
    beSlow(200).then(() => this.join(conn)); // ask again
  }
  on_action_stale({ match_id }) {
    const { game } = this.sessions.get(match_id);
    if (game !== 'coup') throw new Error(`${game}: an answer was stale although it was given once and in time`); // F4.12: there windows close
  }
  on_game_start(data) {
    const known = this.sessions.get(data.match_id);
    if (known) assert.deepEqual(data, known.start, 'game_start came again and differs'); // F4.21
    else this.sessions.set(data.match_id, new Session(data));
  }
  on_match_feed(data) {
    for (const e of data.events) this.sessions.get(data.match_id).see(e);
  }
  on_action_request(data, conn, frame) {
    const s = this.sessions.get(data.match_id);
    for (const e of [...(data.event_history ?? []), ...(data.new_events ?? [])]) s.see(e);
    const action = choose(s.game, data, this.chance), from = Math.max(-1, ...s.events.keys()) + 1;
    beSlow(this.chance.below(12)).then(() => { // its thoughts
      if (conn.ws.readyState !== 1) return;
      s.sent.push({ from, type: action.type });
      this.notes?.answer(frame, action, conn);
      conn.act(frame, action);
    });
  }
  on_game_over(data, conn) {
    const s = this.sessions.get(data.session_id), { match_id, result, replay_url } = data;
    if (s.over) assert.deepEqual({ match_id, result, replay_url }, s.over, 'game_over came again and differs');
    s.over = { match_id, result, replay_url };
    s.rated = data;
    assert.ok(!data.forfeit_reason, `forfeited: ${data.forfeit_reason}`); // nobody was late, so nobody is struck
    this.join(conn);
  }
}

// --- the auditor

// F8.1, F8.2: all that this client was ever told of a match is in the stored log, in the same words.
function auditEvents(session, stored) {
  stored.forEach((e, i) => assert.equal(e.seq, i, 'the log has a gap'));
  for (const [seq, text] of session.events) assert.equal(JSON.stringify(stored[seq]), text, `event ${seq} was seen and is not in the log`);
}

// Of this player, every decision in the log answers at least one message sent after the decision before it was seen. More than one
// only after a crash: what was not durable never happened (F8.7), and was asked again. An action applied twice has no message.
function auditDecisions(session, stored) {
  let before = -1, count = 0;
  for (const e of stored) {
    if (e.player !== session.pid || !isDecision(session.game, e)) continue;
    const answers = session.sent.filter((a) => a.from > before && a.from <= e.seq);
    assert.ok(answers.length > 0, `${session.game}: ${JSON.stringify(e)} is a decision that nobody sent`);
    before = e.seq;
    count++;
  }
  return count;
}

// Of several nodes one may still have a match in memory that is over, without its events; another one reads the store.
async function auditSession(site, client, id, session) {
  const ask = async () => {
    const { status, body } = await site.arena.call('GET', `/api/agents/me/matches/${id}/events`, { key: client.agent.key });
    assert.equal(status, 200, JSON.stringify(body));
    return body.events.length || !session.events.size ? body : null;
  };
  const body = await until(ask, `events of session ${id}`, 60000);
  auditEvents(session, body.events);
  return auditDecisions(session, body.events);
}

async function auditReplay(arena, url, folder) {
  const id = url.split('/').at(-1);
  const { status, body } = await arena.call('GET', `/api/replays/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  const file = path.join(folder, `${id}.agon`);
  writeFileSync(file, Buffer.from(await (await fetch(`${arena.url}/api/replays/${id}/file`)).arrayBuffer()));
  const done = spawnSync(agon, ['replay', 'verify', file], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr + done.stdout);
  return body;
}

// While the server runs: logs and replays. What the matches were, by their ids.
export async function auditMatches(site, clients) {
  const matches = new Map(), folder = scratch('replays-');
  const actions = Object.fromEntries(games.map((g) => [g, 0]));
  let events = 0;
  for (const client of clients) {
    if (client.faults.length) throw client.faults[0];
    for (const [id, session] of client.sessions) {
      assert.ok(session.over, 'a match without an end');
      actions[session.game] += await auditSession(site, client, id, session);
      events += session.events.size;
      matches.set(session.over.match_id, session.over.replay_url);
    }
  }
  for (const [id, url] of matches) matches.set(id, await auditReplay(site.arena, url, folder));
  rmSync(folder, { recursive: true });
  return { matches, actions, events };
}

// Every match has a number of its own, dealt in order and closed with the match; none was skipped or used twice.
export async function auditDeals(site, matches) {
  const list = [];
  for (let page; (page = (await site.arena.call('GET', `/api/commitments?from=${list.length}&limit=256`)).body.entries).length; ) list.push(...page);
  list.forEach((e, i) => assert.equal(e.index, i));
  const of = (type) => list.filter((e) => e.type === type), dealt = of('dealt'), closed = new Map(of('closed').map((e) => [e.number, e]));
  dealt.forEach((e, i) => assert.equal(e.number, i + 1));
  assert.equal(of('epoch').length, 1);
  const used = new Set([...matches.values()].map((m) => m.deal.number));
  assert.equal(used.size, matches.size);
  for (const m of matches.values()) {
    const e = dealt[m.deal.number - 1];
    assert.deepEqual([e.seed_commitment, e.game, closed.get(e.number).end], [m.seed_commitment, m.game, 'finished']);
  }
}

// After it has stopped: every finished match is counted once for each of its players, and ratings computed anew from
// the replays are the stored ones, digit by digit.
export function auditRatings(site, clients) {
  const played = (client) => [...client.sessions.values()].reduce((n, s) => n.set(s.game, (n.get(s.game) ?? 0) + 1), new Map());
  const look = () => clients.map((c) => site.admin('ratings', c.agent.id));
  const before = look();
  clients.forEach((client, i) => {
    const counted = before[i].ratings.filter((r) => r.games_played > 0);
    assert.deepEqual(Object.fromEntries(counted.map((r) => [r.game, r.games_played])), Object.fromEntries(played(client)), client.agent.name);
  });
  const done = site.admin('recompute');
  assert.equal(done.damaged, 0);
  assert.deepEqual(look(), before);
  return done;
}

export function auditResults(site, clients, matches) {
  const done = auditRatings(site, clients);
  assert.equal(done.matches, matches.size);
  assert.equal(done.rated, [...matches.values()].filter((m) => m.rated).length);
  return done;
}

// --- a storm

export async function settle(clients, lives, ms) {
  for (const c of clients) c.target = c.overs() + 1;
  for (const c of clients) if (!c.open()) c.target = Math.max(1, c.overs()); // it has played and need not begin again
  const left = new Set(clients);
  lives.forEach((life, i) => life.finally(() => left.delete(clients[i])).catch(() => {})); // its fault is awaited below
  await within(ms, Promise.all(lives), 'end of all matches').catch((late) => {
    const stuck = [...left].map((c) => `${c.agent.name}: ${c.game} ${c.overs()} of ${c.target}, at ${c.conn?.arena?.name}, state ${c.conn?.ws.readyState}, codes ${c.codes.slice(-4)}; last: ${c.last}`);
    throw new Error(`${late.message}\n${stuck.join('\n')}`);
  });
}

// On a busy machine a node of several may miss its lease before any fault, and opens the arena again: it is asked once more.
export const enlist = (site, name) => until(() => site.arena.register(name).catch((e) => {
  if (!(e instanceof TypeError) && !/^503 /.test(e.message)) throw e; // TypeError: of fetch
}), `registration of ${name}`, 180000);

export async function gather(site, count, Client = Survivor) {
  const clients = [];
  for (let i = 0; i < count; i++) clients.push(new Client(site, await enlist(site, `storm ${i}`), games[i % games.length], i));
  return clients;
}

// One death and one life, after any number of frames: now and then a polite one, now and then a server that dies before it
// serves.
export async function strike(site, clients) {
  const heard = () => clients.reduce((n, c) => n + c.heard, 0), due = heard() + site.chance.below(20 * clients.length);
  await until(() => heard() >= due, 'word of the players', 60000);
  await site.die(site.chance.happens(0.2) ? 'SIGTERM' : 'SIGKILL');
  if (site.chance.happens(0.2)) await site.stillbirth();
  await site.start();
}
