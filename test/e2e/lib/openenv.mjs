// An OpenEnv server to test on, and clients that speak its wire as the official one does: one request, one reply.
import WebSocket from 'ws';
import { Chance } from './chance.mjs';
import { spawn } from './children.mjs';
import { within } from './wait.mjs';
import { program } from '../agon.mjs';

const LONG = 20000;

export class Server {
  static async start(args = [], command = 'openenv') {
    const server = new Server();
    server.child = spawn(program, [command, ...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
    server.errors = '';
    server.child.stderr.on('data', (d) => (server.errors += d));
    server.ended = new Promise((resolve) => server.child.on('close', (code, signal) => resolve({ code, signal })));
    const listening = new Promise((resolve, reject) => {
      let out = '';
      server.child.stdout.on('data', (d) => {
        const found = /listening (http:\/\/[\d.]+:\d+)/.exec((out += d));
        if (found) resolve(found[1]);
      });
      server.child.on('close', (code) => reject(new Error(`agon ${command} ended with ${code}: ${server.errors}`)));
    });
    server.origin = await within(LONG, listening, 'server');
    server.url = server.origin;
    return server;
  }
  async http(method, path, body, headers = {}) {
    const sent = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const r = await fetch(this.url + path, { method, body: sent, headers });
    const text = await r.text();
    let json;
    try { json = JSON.parse(text); } catch { json = undefined; }
    return { status: r.status, headers: r.headers, text, json };
  }
  get(path, headers) { return this.http('GET', path, undefined, headers); }
  post(path, body, headers) { return this.http('POST', path, body, headers); }
  rpc(method, params, id = 1) { return this.post('/mcp', { jsonrpc: '2.0', id, method, params }); }
  open(query = '', options = {}) { return Session.open(this, `/ws${query}`, options); }
  async stop() {
    this.child.kill('SIGTERM');
    return within(LONG, this.ended, 'end of the server');
  }
}

export class Session {
  static async open(server, path, options) {
    const session = new Session();
    session.waiting = [];
    session.came = [];
    session.ws = new WebSocket(server.url.replace('http', 'ws') + path, options);
    session.ws.on('message', (data) => {
      const text = data.toString();
      if (session.waiting.length) session.waiting.shift()(text);
      else session.came.push(text);
    });
    session.closed = new Promise((resolve) => session.ws.on('close', (code) => resolve(code)));
    await within(LONG, new Promise((resolve, reject) => session.ws.on('open', resolve).on('error', reject)), 'upgrade');
    return session;
  }
  next() {
    if (this.came.length) return Promise.resolve(this.came.shift());
    return within(LONG, new Promise((resolve) => this.waiting.push(resolve)), 'reply');
  }
  send(message) { this.ws.send(typeof message === 'string' ? message : JSON.stringify(message)); }
  async text(message) {
    this.send(message);
    return this.next();
  }
  async ask(message) { return JSON.parse(await this.text(message)); }
  // The server has read all that was sent so far.
  async heard() {
    const pong = new Promise((resolve) => this.ws.once('pong', resolve));
    this.ws.ping();
    await within(LONG, pong, 'pong');
  }
  // The data of an observation; an error is one.
  async must(type, data) {
    const reply = await this.ask({ type, data });
    if (reply.type === 'error') throw new Error(JSON.stringify(reply.data));
    return reply.data;
  }
  reset(data = {}) { return this.must('reset', data); }
  step(data) { return this.must('step', data); }
  async state() { return (await this.ask({ type: 'state' })).data; }
  close() { this.ws.close(); return within(LONG, this.closed, 'close'); }
}

// One of the listed actions, an amount within its range.
export function choose(chance, legal) {
  const action = { ...chance.pick(legal) };
  for (const [name, range] of Object.entries(action.range ?? {}))
    if (Array.isArray(range) && range.length === 2) action[name] = range[0] + chance.below(range[1] - range[0] + 1);
  return action;
}

// A match to its end, or `most` steps: all replies as they came.
export async function playOn(session, reset, seed, most = 2000) {
  const chance = new Chance(seed), texts = [];
  let text = await session.text({ type: 'reset', data: reset }), reply = JSON.parse(text);
  texts.push(text);
  while (reply.type === 'observation' && !reply.data.done && texts.length <= most) {
    text = await session.text({ type: 'step', data: choose(chance, reply.data.observation.legal) });
    reply = JSON.parse(text);
    texts.push(text);
  }
  return { texts, last: reply };
}
