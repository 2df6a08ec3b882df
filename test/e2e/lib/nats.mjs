// A real nats-server with JetStream: everything in a scratch folder, on a free port, which it keeps when it is restarted.
import net from 'node:net';
import { spawn } from './children.mjs';
import { freePort } from './port.mjs';
import { scratch } from './scratch.mjs';
import { until, within } from './wait.mjs';

export class Nats {
  static async start(more = []) {
    for (let attempt = 0; ; attempt++) {
      const n = new Nats();
      n.folder = scratch('nats-');
      n.port = await freePort();
      n.more = more;
      n.url = `nats://127.0.0.1:${n.port}`;
      if (await n.begin()) return n;
      if (attempt === 5) throw new Error('nats-server did not start; is it installed? (tools/setup test)');
    }
  }
  async begin() {
    this.process = spawn('nats-server', ['-a', '127.0.0.1', '-p', this.port, '-js', '-sd', this.folder, ...this.more], { stdio: 'ignore' });
    let over = false;
    this.exited = new Promise((resolve) => this.process.on('exit', resolve).on('error', resolve)).then(() => (over = true));
    let open = false;
    await until(async () => {
      const socket = net.connect(this.port, '127.0.0.1');
      open = await new Promise((resolve) => socket.on('data', () => resolve(true)).on('error', () => resolve(false)).on('close', () => resolve(false)));
      socket.destroy();
      return open || over;
    }, 'nats-server that listens');
    return open;
  }
  async stop(signal = 'SIGTERM') {
    this.process.kill(signal);
    await within(20000, this.exited, 'exit of nats-server');
  }
}

// A client that says and hears plain messages: what tests need of the protocol.
export class NatsClient {
  static async connect(port) {
    const c = new NatsClient();
    c.socket = net.connect(port, '127.0.0.1');
    c.rest = Buffer.alloc(0);
    c.heard = new Map(); // subject of the subscription: messages
    c.socket.on('data', (bytes) => c.read(bytes)).on('error', () => {});
    c.socket.write('CONNECT {"verbose":false,"pedantic":false}\r\n');
    c.subscriptions = 0;
    c.names = new Map();
    return c;
  }
  listen(subject) {
    const id = String(++this.subscriptions);
    this.names.set(id, subject);
    this.heard.set(subject, []);
    this.socket.write(`SUB ${subject} ${id}\r\n`);
  }
  say(subject, bytes, reply = '') {
    const body = Buffer.from(bytes);
    this.socket.write(Buffer.concat([Buffer.from(`PUB ${subject} ${reply}${reply ? ' ' : ''}${body.length}\r\n`), body, Buffer.from('\r\n')]));
  }
  read(bytes) {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (;;) {
      const end = this.rest.indexOf('\r\n');
      if (end < 0) return;
      const line = this.rest.subarray(0, end).toString('latin1');
      if (!line.startsWith('MSG ')) {
        this.rest = this.rest.subarray(end + 2);
        if (line === 'PING') this.socket.write('PONG\r\n');
        continue;
      }
      const words = line.split(' '), size = Number(words.at(-1));
      if (this.rest.length < end + 2 + size + 2) return;
      const body = this.rest.subarray(end + 2, end + 2 + size);
      this.heard.get(this.names.get(words[2])).push({ subject: words[1], reply: words.length === 5 ? words[3] : '', body: Buffer.from(body) });
      this.rest = this.rest.subarray(end + 2 + size + 2);
    }
  }
  close() {
    this.socket.destroy();
  }
}
