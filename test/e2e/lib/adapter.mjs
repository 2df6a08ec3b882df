// A client of the Tetris AI Adapter and a server to test it on. Every line that comes is checked against the schemas.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { spawn } from './children.mjs';
import { LEAST, within } from './wait.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const agon = process.env.AGON ?? path.join(root, 'build/agon');

const ajv = new Ajv({ strict: false, allErrors: false });
const schema = (name) => ajv.compile(JSON.parse(readFileSync(path.join(root, 'protocol/tetris/schema', name))));
export const fromServer = schema('server.json');
export const fromClient = schema('client.json');

// The standard's own schema, where the document that prints it lies beside the project.
function published() {
  const folder = path.join(root, '../shared/seeds');
  if (!existsSync(folder)) return null;
  for (const file of readdirSync(folder)) {
    const found = /```json\n(\{\s*"\$schema"[^]*?"Tetris AI Adapter Protocol"[^]*?\n\})\n```/.exec(readFileSync(path.join(folder, file), 'utf8'));
    if (found) return new Ajv({ strict: false }).compile(JSON.parse(found[1]));
  }
  return null;
}
const publishedSchema = published();

export class Server {
  // Starts `agon tetris --headless` on a free port.
  static async start(...options) {
    const s = new Server();
    s.process = spawn(agon, ['tetris', '--headless', '--port', '0', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
    s.errors = '';
    s.process.stderr.on('data', (d) => (s.errors += d));
    s.exited = new Promise((resolve) => s.process.on('close', (code, signal) => resolve(signal ?? code)));
    const line = await within(20000, new Promise((resolve, reject) => {
      let out = '';
      s.process.stdout.on('data', (d) => /\n/.test((out += d)) && resolve(out.trim()));
      s.exited.then((code) => reject(new Error(`the server ended with ${code}: ${s.errors}`)));
    }), 'listening line');
    const found = /^listening tcp:\/\/([\d.]+):(\d+)$/.exec(line);
    if (!found) throw new Error(`unexpected first line: ${line}`);
    [s.host, s.port] = [found[1], Number(found[2])];
    return s;
  }
  async stop() { // T3.7: status 0
    this.process.kill('SIGTERM');
    const code = await within(20000, this.exited, 'exit of the server');
    if (code !== 0) throw new Error(`the server ended with ${code}: ${this.errors}`);
  }
}

export class Client {
  static async connect(server, options = {}) {
    const c = new Client();
    Object.assign(c, { seq: 0, lines: [], waiters: [], buffer: '', check: options.check ?? true, closed: false });
    c.socket = net.connect(server.port, server.host);
    c.socket.setNoDelay(true);
    c.socket.on('error', () => {});
    c.gone = new Promise((resolve) => c.socket.on('close', () => { c.closed = true; c.wake(); resolve(); }));
    c.socket.on('data', (d) => c.take(d));
    await within(20000, new Promise((resolve) => c.socket.once('connect', resolve)), 'connection');
    return c;
  }
  // Connected and greeted.
  static async greet(server, requested = {}, more = {}) {
    const c = await Client.connect(server);
    c.welcome = await c.hello(requested, more);
    return c;
  }
  take(data) {
    this.buffer += data;
    const parts = this.buffer.split('\n');
    this.buffer = parts.pop();
    for (const text of parts) {
      const m = JSON.parse(text);
      if (this.check && !fromServer(m)) throw new Error(`${JSON.stringify(fromServer.errors)}\n${text}`);
      if (this.check && publishedSchema && (this.major ?? 2) === 2 && this.coordinates !== 'box' && !publishedSchema(m))
        throw new Error(`the published schema refuses ${text}`);
      if (m.type === 'welcome') [this.major, this.coordinates] = [Number(m.protocol_version[0]), m.coordinates];
      this.lines.push({ ...m, bytes: text.length + 1 });
    }
    this.wake();
  }
  wake() {
    for (const w of this.waiters.splice(0)) w();
  }
  // The first line that has come, or will, for which want(line) is true; lines before it stay for others.
  async until(want, what = 'message', ms = LEAST) {
    const look = async () => {
      for (;;) {
        const i = this.lines.findIndex(want);
        if (i >= 0) return this.lines.splice(i, 1)[0];
        if (this.closed) throw new Error(`the connection closed before a ${what}`);
        await new Promise((resolve) => this.waiters.push(resolve));
      }
    };
    return within(ms, look(), what);
  }
  answer(seq) {
    return this.until((m) => m.type !== 'observation' && m.seq === seq, `reply to ${seq}`);
  }
  // The next observation that leaves from now on.
  observation(want = () => true, ms = LEAST) {
    this.lines = this.lines.filter((m) => m.type !== 'observation');
    return this.until((m) => m.type === 'observation' && want(m), 'observation', ms);
  }
  write(text) {
    this.socket.write(text);
  }
  send(message) {
    this.write(JSON.stringify(message) + '\n');
  }
  ask(message) {
    const m = { seq: ++this.seq, ts: Date.now(), ...message };
    this.send(m);
    return this.answer(m.seq);
  }
  hello(requested = {}, more = {}) {
    this.seq = 0;
    return this.ask({
      type: 'hello', client: { name: 'e2e', version: '1' }, protocol_version: '2.1.0', formats: ['json'],
      requested: { stream_observations: true, command_mode: 'place', ...requested }, ...more,
    });
  }
  act(actions, more = {}) {
    return this.ask({ type: 'command', mode: 'action', actions, ...more });
  }
  place(x, rotation = 'north', useHold = false, more = {}) {
    return this.ask({ type: 'command', mode: 'place', place: { x, rotation, useHold, ...more } });
  }
  control(action) {
    return this.ask({ type: 'control', action });
  }
  async close() {
    this.socket.end();
    await within(20000, this.gone, 'close');
  }
  kill() {
    this.socket.resetAndDestroy?.() ?? this.socket.destroy();
  }
}
