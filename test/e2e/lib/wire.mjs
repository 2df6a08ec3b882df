// A client without manners: bytes on a socket, and frames as one likes them.
import net from 'node:net';
import { headersOf } from './arena.mjs';
import { within } from './wait.mjs';

const TEXT = 1, CLOSE = 8;

// A masked frame. More than the payload may be declared, and bits may be set that nobody agreed on.
export function frame(payload, { opcode = TEXT, fin = true, reserved = 0, masked = true, declared } = {}) {
  const bytes = Buffer.from(payload), size = declared ?? bytes.length;
  const head = [(fin ? 0x80 : 0) | reserved << 4 | opcode];
  if (size < 126) head.push(size);
  else if (size < 65536) head.push(126, size >> 8, size & 255);
  else head.push(127, ...[...Array(8).keys()].map((i) => Number(BigInt(size) >> BigInt(56 - 8 * i) & 255n)));
  if (!masked) return Buffer.concat([Buffer.from(head), bytes]);
  head[1] |= 0x80;
  const mask = [0x12, 0x34, 0x56, 0x78];
  return Buffer.concat([Buffer.from([...head, ...mask]), bytes.map((b, i) => b ^ mask[i & 3])]);
}

// One connection. `texts` are the messages that came, `frames` all frames; `ended` resolves when the peer has hung up.
export class Wire {
  constructor(arena, { host = arena.host } = {}) {
    Object.assign(this, { arena, bytes: Buffer.alloc(0), frames: [], texts: [], waiting: [], head: null });
    this.socket = net.connect(arena.port, host);
    this.socket.on('data', (d) => this.take(d)).on('error', () => {});
    this.ended = new Promise((resolve) => this.socket.on('close', resolve));
    this.ended.then(() => ((this.closed = true), this.wake()));
  }
  // Upgraded, and welcomed.
  static async agent(arena, agent, options = {}) {
    const w = new Wire(arena);
    w.upgrade(agent, options);
    await w.until((x) => x.texts.some((t) => t.type === 'welcome'), 'welcome');
    return w;
  }
  upgrade(agent, options = {}) {
    const head = { ...headersOf(agent, options), Host: 'x', Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    this.send(`GET /api/ws HTTP/1.1\r\n${Object.entries(head).map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`);
  }
  send(...pieces) {
    for (const p of pieces) this.socket.write(p);
  }
  take(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    if (this.head === null) {
      const end = this.bytes.indexOf('\r\n\r\n');
      if (end < 0) return this.wake();
      this.head = this.bytes.subarray(0, end).toString();
      this.bytes = this.bytes.subarray(end + 4);
    }
    while (this.head.includes(' 101 ') && this.cut());
    this.wake();
  }
  cut() {
    const b = this.bytes;
    if (b.length < 2) return false;
    const long = b[1] === 126 ? 2 : b[1] === 127 ? 8 : 0;
    if (b.length < 2 + long) return false;
    const size = long === 2 ? b.readUInt16BE(2) : long === 8 ? Number(b.readBigUInt64BE(2)) : b[1];
    if (b.length < 2 + long + size) return false;
    const f = { opcode: b[0] & 15, fin: b[0] >= 0x80, payload: b.subarray(2 + long, 2 + long + size) };
    this.frames.push(f);
    if (f.opcode === TEXT) this.texts.push(JSON.parse(f.payload.toString()));
    this.bytes = b.subarray(2 + long + size);
    return true;
  }
  wake() {
    for (const w of this.waiting.splice(0)) w();
  }
  until(holds, what, ms = 20000) {
    const wait = async () => {
      while (!holds(this)) {
        if (this.closed) throw new Error(`the connection ended before ${what}; got ${JSON.stringify(this.texts.slice(-3))}`);
        await new Promise((resolve) => this.waiting.push(resolve));
      }
    };
    return within(ms, wait(), what);
  }
  // The next message that was not given before.
  async text() {
    const i = this.given ?? 1; // welcome
    this.given = i + 1;
    await this.until((w) => w.texts.length > i, `message ${i}`);
    return this.texts[i];
  }
  async code() {
    await this.until((w) => w.frames.some((f) => f.opcode === CLOSE), 'close frame');
    return this.frames.find((f) => f.opcode === CLOSE).payload.readUInt16BE(0);
  }
  destroy() {
    this.socket.destroy();
  }
}
