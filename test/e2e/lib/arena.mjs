// An arena to test on, and agents that play in it. Every frame that comes is checked: against our schemas, against the
// published ones where they lie beside the project, and against what must hold between frames (F2.13).
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import WebSocket from 'ws';
import { Chance } from './chance.mjs';
import { spawn } from './children.mjs';
import { scratch } from './scratch.mjs';
import { atMost, LEAST, within } from './wait.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const agon = process.env.AGON ?? path.join(root, 'build/agon');
export const shared = path.join(root, '../shared');

// --- schemas

const load = (file) => JSON.parse(readFileSync(file, 'utf8'));

function ourSchemas() {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const folder = path.join(root, 'protocol/arena/schema');
  for (const name of ['common', 'server', 'client', ...['texas_holdem', 'liars_dice', 'coup', 'belote'].map((g) => `games/${g}`)])
    ajv.addSchema(load(path.join(folder, `${name}.json`)));
  return (file, name) => ajv.getSchema(`agon/arena/${file}.json#/definitions/${name}`);
}
const ours = ourSchemas();

// F9.1, F9.6: the published schemas; for profile L without what a later version added.
function publishedSchemas(old) {
  const folder = path.join(shared, 'schema/aifight');
  if (!existsSync(folder)) return null;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const base = 'https://aifight.ai/protocol/v1/';
  for (const file of readdirSync(folder, { recursive: true }).filter((f) => f.endsWith('.json'))) {
    const schema = load(path.join(folder, file));
    if (old && file.endsWith('server_action_request.schema.json')) {
      const data = schema.properties.data;
      data.required = data.required.filter((k) => k !== 'request_id');
      delete data.properties.request_id;
    }
    if (old && /server_(action_stale|match_feed)/.test(file)) continue;
    ajv.addSchema(schema);
  }
  return {
    message: (name) => ajv.getSchema(`${base}messages/${name}.schema.json`),
    game: (game, name) => ajv.getSchema(`${base}games/${game}/${name}.schema.json`),
    rest: (name) => ajv.getSchema(`${base}rest/${name}.schema.json`),
    // F9.7: of the overlapping branches the one whose description begins with the event's type.
    event: (game, type) => {
      const id = `${base}games/${game}/event.schema.json`;
      const i = ajv.getSchema(id).schema.oneOf.findIndex((b) => b.description.split(/\W/)[0] === type);
      return i < 0 ? null : ajv.compile({ $ref: `${id}#/oneOf/${i}` });
    },
  };
}
const published = { N: publishedSchemas(false), L: publishedSchemas(true) };
const branches = new Map();
const publishedEvent = (game, type) => {
  const key = `${game}/${type}`;
  if (!branches.has(key)) branches.set(key, published.N.event(game, type));
  return branches.get(key);
};
export const publishedRest = (name) => published.N?.rest(name);

function must(valid, value, what) {
  if (!valid) throw new Error(`there is no schema of ${what}`);
  if (!valid(value)) throw new Error(`${what}: ${JSON.stringify(valid.errors)}\n${JSON.stringify(value).slice(0, 2000)}`);
}

// Games that the public schemas know; belote has schemas of our own alone (F6.B2), others are written by their codecs.
const publicGames = ['texas_holdem', 'liars_dice', 'coup'];

// Pass 2 (F9.5): what a game puts into a frame.
function checkGame(game, data) {
  const file = `games/${game}`, foreign = publicGames.includes(game) ? published.N : null;
  if (data.state) {
    must(ours(file, 'state'), data.state, `${game} state`);
    if (foreign) must(foreign.game(game, 'state'), data.state, `published ${game} state`);
  }
  for (const p of data.players ?? []) if (p.data) must(ours(file, 'player'), p, `${game} player`);
  for (const a of data.legal_actions ?? []) {
    must(ours(file, game === 'liars_dice' ? 'hint' : 'action'), a, `${game} legal action`);
    if (foreign && a.type !== 'bid') must(foreign.game(game, 'action'), a, `published ${game} action`);
  }
  for (const e of [...(data.events ?? []), ...(data.new_events ?? []), ...(data.event_history ?? [])]) {
    must(ours(file, `event_${e.type}`), e.data, `${game} event ${e.type}`);
    if (foreign) must(publishedEvent(game, e.type), e.data, `published ${game} event ${e.type}`);
  }
}

const pairsOfL = ['confirmation_timeout/removed_from_queue', 'opponent_disconnected/re_queued', 'opponent_not_ready/re_queued'];

// F1.9, F2.1-F2.3, F9.5: every frame keeps to the schemas.
export function checkFrame(frame, game, old = false) {
  if (old) {
    if (['action_stale', 'match_feed'].includes(frame.type)) throw new Error(`profile L got ${frame.type}`);
    if (frame.type === 'action_request' && 'request_id' in frame.data) throw new Error('profile L got a request_id');
    if (frame.type === 'match_cancelled' && !pairsOfL.includes(`${frame.data.reason}/${frame.data.action}`))
      throw new Error(`profile L got ${JSON.stringify(frame)}`);
  }
  const filled = old && frame.type === 'action_request' ? { ...frame, data: { ...frame.data, request_id: '00000000-0000-4000-8000-000000000000' } } : frame;
  must(ours('server', frame.type), filled, `server ${frame.type}`);
  const foreign = old ? published.L : published.N;
  const gated = game && !publicGames.includes(game) && frame.type === 'game_start';
  if (foreign && !gated && !/^(spectate_|turn$|decision$)/.test(frame.type)) must(foreign.message(`server_${frame.type}`), frame, `published server_${frame.type}`);
  if ([...publicGames, 'belote'].includes(game) && frame.type !== 'game_start' && frame.type !== 'game_over') checkGame(game, frame.data);
}

// --- a server

export class Arena {
  // The keys of its matches follow from `seed`; null: they come from the chain of secrets, as they do in service.
  static async start(options = [], { data, shell, seed = 1 } = {}) {
    const a = new Arena();
    a.data = data ?? scratch('arena-');
    a.own = !data;
    const words = [agon, 'serve', '--port', '0', '--tetris-port', '0', '--house-think', '0', '--data', a.data, ...(seed === null ? [] : ['--seed', String(seed)]), ...options];
    const [command, ...args] = shell ? ['sh', '-c', shell, 'sh', ...words] : words; // shell: what comes before it, as `exec "$@"`
    a.process = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    a.errors = '';
    a.process.stderr.on('data', (d) => (a.errors += d));
    a.exited = new Promise((resolve) => a.process.on('close', (code, signal) => resolve(signal ?? code))); // all it said was read
    let out = '';
    await within(20000, new Promise((resolve, reject) => {
      a.process.stdout.on('data', (d) => /listening unix/.test((out += d)) && resolve());
      a.exited.then((code) => reject(new Error(`the server ended with ${code}: ${a.errors}`)));
    }), 'listening line').catch((e) => {
      a.process.kill('SIGKILL'); // it may listen later, when nobody knows of it
      throw e;
    });
    const found = /listening (https?):\/\/([\d.]+):(\d+)/.exec(out);
    [a.scheme, a.host, a.port] = [found[1], found[2], Number(found[3])];
    a.url = `${a.scheme}://${a.host}:${a.port}`;
    return a;
  }
  async stop(signal = 'SIGTERM', expected = 0, ms = 20000) {
    this.process.kill(signal);
    const code = await within(ms, this.exited, 'exit of the server');
    if (signal === 'SIGTERM' && code !== expected) throw new Error(`the server ended with ${code}: ${this.errors}`);
    if (/agk_|Sanitizer/.test(this.errors)) throw new Error(this.errors);
    if (this.own) rmSync(this.data, { recursive: true, force: true });
  }
  async call(method, where, { key, body, headers = {} } = {}) {
    const answer = await fetch(this.url + where, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...(key ? { 'x-api-key': key } : {}), ...headers },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }
  // {id, key, name}
  async register(name, policy) {
    const { status, body } = await this.call('POST', '/api/agents/register', { body: { name } });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    const agent = { id: body.agent.id, key: body.agent.api_key, name };
    if (policy) {
      const changed = await this.call('PATCH', '/api/agents/me/policy', { key: agent.key, body: policy, headers: { 'x-aifight-capabilities': 'belote' } });
      if (changed.status !== 200) throw new Error(`${changed.status} ${JSON.stringify(changed.body)}`);
    }
    return agent;
  }
}

// --- a client

export const headersOf = (agent, { version = 'v1.2.0', capabilities = 'match_feed', bridge = 'replaced-close-code', instance } = {}) => ({
  'X-API-Key': agent.key,
  ...(version ? { 'X-AIFight-Protocol-Version': version } : {}),
  ...(capabilities ? { 'X-AIFight-Capabilities': capabilities } : {}),
  ...(bridge ? { 'X-AIFight-Bridge-Capabilities': bridge } : {}),
  ...(instance ? { 'X-AIFight-Instance': instance } : {}),
});

let connections = 0;

export class Agent {
  // What one client process knows of its matches: kept across its connections.
  static memory() {
    return { game: new Map(), over: new Set(), next: new Map(), requests: new Set() };
  }
  static async connect(arena, agent, options = {}) {
    const a = new Agent();
    Object.assign(a, { arena, agent, options, frames: [], waiting: [], memory: options.memory ?? Agent.memory(), faults: [], chance: new Chance(++connections) });
    a.due = new Map(a.memory.next);
    a.old = options.version !== undefined && !/^v?1\.([2-9]|\d\d)/.test(options.version ?? '');
    const address = `${arena.url.replace('http', 'ws')}/api/ws${options.query ?? ''}`, more = { rejectUnauthorized: false, perMessageDeflate: false, autoPong: !options.mute };
    a.ws = options.browser // which sets no header but that of the subprotocols
      ? new WebSocket(address, ['agon', `agon.key.${agent.key}`], more)
      : new WebSocket(address, { headers: headersOf(agent, options), ...more });
    a.ws.on('message', (m) => a.take(m.toString()));
    a.closed = new Promise((resolve) => a.ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() })));
    a.closed.then(() => a.wake());
    a.ws.on('error', (e) => (a.error = e));
    await within(20000, new Promise((resolve, reject) => {
      a.ws.on('open', resolve);
      a.ws.on('unexpected-response', (_, r) => {
        let body = '';
        r.on('data', (d) => (body += d)).on('end', () => reject(Object.assign(new Error(`refused ${r.statusCode}: ${body}`), { status: r.statusCode, body, headers: r.headers })));
      });
      a.ws.on('error', reject);
    }), 'upgrade').catch((e) => {
      a.ws.terminate(); // or it would come in later
      throw e;
    });
    if (options.welcome !== false) a.welcome = await a.next('welcome');
    return a;
  }
  take(text) {
    const frame = JSON.parse(text);
    frame.at = performance.now();
    try {
      this.judge(frame);
    } catch (e) {
      this.faults.push(e);
    }
    this.frames.push(frame);
    this.options.onFrame?.(frame, this);
    this.wake();
  }
  wake() {
    for (const w of this.waiting.splice(0)) w();
  }
  // F2.8, F2.13.
  judge({ at, ...frame }) {
    const { game, over, next, requests } = this.memory, d = frame.data;
    if ((this.frames.length === 0) !== (frame.type === 'welcome')) throw new Error('welcome is first, and once');
    const session = frame.type === 'game_over' ? d.session_id : d.match_id;
    if (frame.type === 'game_start') {
      if (game.has(session) && this.options.sameProcess) throw new Error('game_start twice on one process');
      game.set(session, d.game);
      this.expect(session, 0);
    } else if (session && frame.type !== 'action_stale' && !game.has(session) && !over.has(session)) {
      throw new Error(`${frame.type} before game_start`);
    }
    checkFrame(frame, game.get(session), this.old);
    if (session && over.has(session) && frame.type !== 'action_stale') throw new Error(`${frame.type} after game_over`);
    if (frame.type === 'action_request') {
      for (const e of d.new_events ?? []) {
        if (e.seq !== this.due.get(session) && e.seq !== next.get(session)) throw new Error(`event ${e.seq} came where ${next.get(session)} was due, on this connection ${this.due.get(session)}: ${JSON.stringify(frame).slice(0, 300)}`);
        this.expect(session, e.seq + 1);
      }
      if (d.is_reconnect) {
        d.event_history.forEach((e, i) => {
          if (e.seq !== i) throw new Error(`history has ${e.seq} at ${i}`);
        });
        this.expect(session, d.event_history.length);
      }
      if (!this.old && requests.has(d.request_id)) throw new Error('a request id came twice');
      requests.add(d.request_id);
    }
    if (frame.type === 'game_over') over.add(session);
    if (frame.type !== 'game_over' && frame.type !== 'welcome' && JSON.stringify(frame).includes(this.agent.id)) throw new Error('an agent id before game_over');
  }
  // What two connections bring at once arrives in any order: one that is replaced goes on from what it brought itself, another one from what
  // any of them brought.
  expect(session, seq) {
    this.due.set(session, seq);
    this.memory.next.set(session, seq);
  }
  sound() {
    if (this.faults.length) throw this.faults[0];
  }
  // The next frame of a type that nobody has taken yet; others are passed over.
  async next(type, ms = LEAST, where = () => true) {
    const deadline = Date.now() + ms;
    for (let i = this.read ?? 0; ; ) {
      for (; i < this.frames.length; i++) {
        if ((type === '*' || this.frames[i].type === type) && where(this.frames[i])) {
          this.read = i + 1;
          this.sound();
          return this.frames[i];
        }
      }
      const left = deadline - Date.now();
      if (left <= 0 || this.ws.readyState === WebSocket.CLOSED)
        throw new Error(`no ${type} within ${ms} ms; got ${this.frames.slice(-6).map((f) => JSON.stringify(f).slice(0, 200)).join('\n')}`);
      await atMost(left, new Promise((resolve) => this.waiting.push(resolve)));
    }
  }
  send(message) {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }
  join(game, more = {}) {
    this.send({ type: 'join_queue', data: { game, ...more } });
  }
  act(request, action, more = {}) {
    const message = { type: 'action', match_id: request.data.match_id, data: action, ...(this.old ? {} : { request_id: request.data.request_id }), ...more };
    this.send(message);
  }
  close() {
    this.ws.close();
    return this.closed;
  }
}

// --- players

const anyone = new Chance();

// An answer to a request, legal and at random.
export function choose(game, { state, legal_actions: legal }, chance = anyone) {
  const action = chance.pick(legal), d = action.data;
  if (game === 'texas_holdem' && action.type === 'raise') return { type: 'raise', data: { amount: chance.pick([d.min, Math.min(d.max, d.min * 2)]) } };
  if (game === 'texas_holdem' && action.type === 'allin' && chance.happens(0.7)) return legal.find((a) => a.type === 'check' || a.type === 'call') ?? action;
  if (game === 'liars_dice') {
    const bid = legal.find((a) => a.type === 'bid');
    if (!bid || (legal.length > 1 && 2 * (state.current_bid?.quantity ?? 0) > state.total_dice)) return { type: 'challenge' };
    return { type: 'bid', data: { quantity: bid.data.min_quantity, face: bid.data.min_face } };
  }
  if (action.type === 'return_cards') return { type: 'return_cards', data: { return_indices: [...d.return_indices].reverse() } };
  if (action.type === 'cut') return { type: 'cut', data: { position: 6 + chance.below(21), from_top: chance.happens(0.5) } };
  return action;
}

// The answer to a readiness_check. A check whose answer is late, or that of another player, is followed by one more: answer each.
export const ready = (check) => ({ type: 'runtime_status', data: { request_id: check.data.request_id, ready: true, runtime_type: 'mock', checked_at: new Date().toISOString() } });

// Confirms what it is asked to and plays until `games` matches are over; their game_over frames.
export async function play(agent, games = 1) {
  const ends = [];
  while (ends.length < games) {
    const frame = await agent.next('*', 60000, (f) => ['match_confirm_request', 'action_request', 'game_over', 'readiness_check'].includes(f.type));
    if (frame.type === 'match_confirm_request') agent.send({ type: 'match_confirm', data: { confirm_id: frame.data.confirm_id } });
    if (frame.type === 'readiness_check') agent.send(ready(frame));
    if (frame.type === 'action_request') agent.act(frame, choose(agent.memory.game.get(frame.data.match_id), frame.data, agent.chance));
    if (frame.type === 'game_over') ends.push(frame);
  }
  agent.sound();
  return ends;
}

// So many agents in one queue, in this order.
export async function seat(arena, game, count, options = {}) {
  const agents = [];
  for (let i = 0; i < count; i++) agents.push(await Agent.connect(arena, await arena.register(`player ${i}`), { capabilities: 'match_feed,belote', ...options }));
  for (const a of agents) {
    a.join(game);
    await a.next('queue_joined');
  }
  return agents;
}

// Confirms, and gives the game_start of everybody.
export async function begin(agents) {
  return Promise.all(agents.map(async (a) => {
    const ask = await a.next('match_confirm_request');
    a.send({ type: 'match_confirm', data: { confirm_id: ask.data.confirm_id } });
    return a.next('game_start');
  }));
}

// The one who is asked, and the request; others' frames stay where they are.
export function asked(agents, ms = LEAST) {
  const look = async () => {
    for (;;) {
      for (const agent of agents) {
        const i = agent.frames.findIndex((f, k) => k >= (agent.read ?? 0) && f.type === 'action_request');
        agent.sound();
        if (i < 0) continue;
        agent.read = i + 1;
        return { agent, request: agent.frames[i] };
      }
      await Promise.race(agents.map((a) => new Promise((resolve) => a.waiting.push(resolve))));
    }
  };
  return within(ms, look(), 'action_request');
}

export const end = (agents) => Promise.all(agents.map((a) => a.close()));

// A figure of /metrics.
export const metric = async (arena, name) => Number(new RegExp(`^agon_${name} (\\d+)$`, 'm').exec((await arena.call('GET', '/metrics')).body)[1]);

// Calls of the operator who has this token; a refusal is an error.
export const operator = (token) => async (arena, method, where, body) => {
  const r = await arena.call(method, where, { body, headers: { 'x-agon-admin': token } });
  assert.ok(r.status < 300, `${where}: ${r.status} ${JSON.stringify(r.body)}`);
  return r.body;
};
