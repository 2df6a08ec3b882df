// Clients that hold what they can of a server, and what the server and its operator look like meanwhile.
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { agon, Arena } from './arena.mjs';
import { ask, statsOf, TOKEN } from './ask.mjs';
import { within } from './wait.mjs';

export { ask, rss } from './ask.mjs';

// A server whose memory can be measured under the sanitizers too: they keep freed memory otherwise.
export async function arenaOf(options) {
  const before = process.env.ASAN_OPTIONS;
  process.env.ASAN_OPTIONS = `${before ? `${before}:` : ''}quarantine_size_mb=1:thread_local_quarantine_size_kb=64`;
  try {
    return await Arena.start(['--admin-token', TOKEN, '--log-level', 'error', ...options]);
  } finally {
    if (before === undefined) delete process.env.ASAN_OPTIONS;
    else process.env.ASAN_OPTIONS = before;
  }
}

// A connection by hand. `text` is all that came; `status` that of the first response.
export class Peer {
  constructor(arena, bytes = '') {
    this.text = '';
    this.waiting = [];
    this.socket = net.connect(arena.port, arena.host);
    this.socket.on('data', (d) => ((this.text += d.toString('latin1')), this.wake())).on('error', () => {});
    this.opened = new Promise((resolve) => this.socket.on('connect', resolve).on('close', resolve));
    this.socket.on('close', () => ((this.closed = true), this.wake()));
    if (bytes) this.socket.write(bytes);
  }
  get status() {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.text)?.[1] ?? 0);
  }
  get responses() {
    return (this.text.match(/HTTP\/1\.1 \d{3}/g) ?? []).length;
  }
  wake() {
    for (const w of this.waiting.splice(0)) w();
  }
  until(holds, what, ms = 30000) {
    const wait = async () => {
      while (!holds(this)) {
        if (this.closed) return; // what it is then, is for the test to say
        await new Promise((resolve) => this.waiting.push(resolve));
      }
    };
    return within(ms, wait(), what);
  }
  async ended(ms) {
    await this.until(() => false, 'end of the connection', ms);
    return this.status;
  }
  // One request on a connection that is kept.
  async get(where, headers = '') {
    const before = this.responses;
    this.socket.write(`GET ${where} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`);
    await this.until((p) => p.responses > before && p.text.endsWith('}'), `response of ${where}`);
    return this.status;
  }
  // All of a body but its last byte, as long as the server takes it.
  async pour(bytes) {
    const piece = Buffer.alloc(65536, 'x');
    for (let left = bytes - 1; left > 0 && !this.status && !this.closed; left -= piece.length) {
      const size = Math.min(left, piece.length);
      if (!this.socket.write(piece.subarray(0, size)))
        await Promise.race([new Promise((resolve) => this.socket.once('drain', resolve)), this.until((p) => p.status, 'room', 600000)]);
    }
  }
  destroy() {
    this.socket.destroy();
  }
}

export const post = (where, bytes, headers = '') => `POST ${where} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${headers}Content-Length: ${bytes}\r\n\r\n`;

export const initialize = (table) => JSON.stringify({
  jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' }, ...(table ? { _meta: { 'agon/table': table } } : {}) },
});

export const mcp = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
export const begin = (arena, headers = {}, table) => ask(arena, { method: 'POST', path: '/mcp', headers: { ...mcp, ...headers }, body: initialize(table) });

// Whether the operator's command got in: {ok, ms}.
export const stats = (arena) => statsOf(agon, arena);

// A figure of /metrics; labels as they are written.
export async function metric(arena, name) {
  const { text } = await ask(arena, { path: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } });
  return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (\\d+)`, 'm').exec(text)?.[1]);
}

// Beside a hostile crowd, in a thread of its own, so that what the crowd costs this process is not measured: memory, a
// client that does nothing wrong, and the operator.
export class Watch {
  constructor(arena) {
    const { host, port, url, process: { pid } } = arena;
    this.worker = new Worker(new URL('./watch.mjs', import.meta.url), { workerData: { agon, arena: { host, port, url, process: { pid } } } });
    this.done = new Promise((resolve, reject) => this.worker.on('message', resolve).on('error', reject));
  }
  // {times, failed, operator, first, peak}
  end() {
    this.worker.postMessage('end');
    return within(60000, this.done, 'report of the watch');
  }
}
