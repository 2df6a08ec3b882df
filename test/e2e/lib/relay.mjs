// A relay in user space between a node and what it talks to: bytes can be delayed or held back silently in one or both
// directions, and connections can be reset. What is held back goes on when the link is whole again, as TCP would send it
// again; unless the connection was given up meanwhile. All relays live in a thread of their own, so that a test that
// blocks holds nothing up.
import net from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { beSlow } from './wait.mjs';

// --- in the thread

class Link {
  constructor(target) {
    Object.assign(this, { target, delay: 0, stopped: { up: false, down: false }, pairs: new Set(), waiting: new Set() });
    this.server = net.createServer((client) => this.connect(client));
  }
  async listen(host) {
    await new Promise((resolve) => this.server.listen(0, host, resolve));
    return this.server.address().port;
  }
  connect(client) {
    const far = net.connect(typeof this.target === 'number' ? { port: this.target, host: '127.0.0.1' } : { path: this.target });
    const pair = { client, far };
    this.pairs.add(pair);
    this.pump(pair, client, far, 'up');
    this.pump(pair, far, client, 'down');
  }
  // One direction: chunk by chunk, in order.
  async pump(pair, from, to, way) {
    from.setNoDelay(true);
    from.on('error', () => {}); // reset, by one of them or by us
    try {
      for await (const chunk of from) {
        if (this.delay) await beSlow(this.delay);
        await this.open(way);
        if (!to.write(chunk)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve));
      }
    } catch {
      // the same
    }
    await this.open(way); // who is cut off does not hear of an end
    from.destroy();
    to.destroy();
    this.pairs.delete(pair);
  }
  async open(way) {
    while (this.stopped[way]) await new Promise((resolve) => this.waiting.add(resolve));
  }
  stop(ways) {
    for (const way of ways) this.stopped[way] = true;
  }
  slow(ms) {
    this.delay = ms;
  }
  go() {
    this.stopped = { up: false, down: false };
    this.delay = 0;
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
  reset() {
    for (const { client, far } of this.pairs) {
      client.resetAndDestroy();
      far.destroy();
    }
  }
  close() {
    this.go();
    this.reset();
    this.server.close();
  }
}

if (!isMainThread) {
  const links = new Map();
  parentPort.on('message', async ({ id, call, args }) => {
    if (call === 'start') {
      links.set(id, new Link(args[0]));
      parentPort.postMessage({ id, port: await links.get(id).listen(args[1]) });
    } else {
      links.get(id)[call](...args);
    }
  });
}

// --- for tests

let thread, made = 0, open = 0;
const started = new Map();

function getThread() {
  if (thread) return thread;
  thread = new Worker(new URL(import.meta.url));
  thread.on('message', ({ id, port }) => started.get(id)(port)).on('error', (e) => { throw e; });
  return thread;
}

export class Relay {
  // `target`: a port of this machine, or the path of a socket. It listens on `host`.
  static async start(target, host = '127.0.0.1') {
    const r = new Relay();
    r.id = ++made;
    open++;
    const port = new Promise((resolve) => started.set(r.id, resolve));
    r.call('start', target, host);
    r.port = await port;
    return r;
  }
  call(call, ...args) {
    getThread().postMessage({ id: this.id, call, args });
  }
  // Silence: nothing is refused, nothing arrives.
  stop(ways = ['up', 'down']) {
    this.call('stop', ways);
  }
  slow(ms) {
    this.call('slow', ms);
  }
  // The link is whole again.
  go() {
    this.call('go');
  }
  reset() {
    this.call('reset');
  }
  // The thread ends with the last of them.
  close() {
    this.call('close');
    if (--open > 0) return;
    thread.terminate();
    thread = null;
  }
}
