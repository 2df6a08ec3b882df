#!/usr/bin/env node
// An agent for agon's arena, with nothing but Node's own (18 or later): agent.mjs GAME [URL]. It plays legal moves at random.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';

const [game = 'coup', url = 'http://127.0.0.1:8080'] = process.argv.slice(2);

async function register(name) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/agents/register`, { method: 'POST', headers, body: JSON.stringify({ name }) });
  return (await answer.json()).agent.api_key;
}

// As much of RFC 6455 as a client needs. Node 22 and browsers have WebSocket, which cannot set headers. It is used as
// new WebSocket(`${base}/api/ws?protocol=v1.2.0&capabilities=belote`, ['agon', `agon.key.${key}`]).
class Socket {
  constructor(key, listen) {
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13,
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'), 'X-API-Key': key,
      'X-AIFight-Protocol-Version': 'v1.2.0', 'X-AIFight-Capabilities': 'belote' };
    this.bytes = Buffer.alloc(0);
    this.listen = listen;
    request(`${url}/api/ws`, { headers }).on('upgrade', (_, socket, head) => {
      this.socket = socket.on('data', (bytes) => this.read(bytes));
      this.read(head);
    }).on('response', ({ statusCode }) => console.error(`refused: ${statusCode}`)).end();
  }

  send(message) { this.write(1, Buffer.from(JSON.stringify(message))); }

  write(opcode, data) {
    const mask = randomBytes(4);
    const length = data.length < 126 ? [128 | data.length] : [254, data.length >> 8, data.length & 255];
    this.socket.write(Buffer.concat([Buffer.from([128 | opcode, ...length]), mask, data.map((b, i) => b ^ mask[i % 4])]));
  }

  read(more) {
    this.bytes = Buffer.concat([this.bytes, more]);
    for (let frame; (frame = this.next()); ) {
      if (frame.opcode === 9) this.write(10, frame.data); // a ping wants a pong
      if (frame.opcode === 8) this.end(frame.data);
      if (frame.opcode === 1) this.listen(JSON.parse(frame.data));
    }
  }

  end(data) {
    if (data.readUInt16BE(0) !== 1000) console.error(`closed: ${data.readUInt16BE(0)} ${data.subarray(2)}`);
    this.socket.end();
  }

  next() { // a frame that is wholly there
    const { bytes } = this;
    const head = { 126: 4, 127: 10 }[bytes[1]] ?? 2;
    if (bytes.length < head) return null;
    const end = head + (head === 2 ? bytes[1] : head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
    if (bytes.length < end) return null;
    this.bytes = bytes.subarray(end);
    return { opcode: bytes[0] & 15, data: bytes.subarray(head, end) };
  }
}

function choose({ legal_actions: legal }) {
  const { type, data } = legal[Math.floor(Math.random() * legal.length)];
  if (type === 'raise') return { type, data: { amount: data.min + Math.floor(Math.random() * (data.max - data.min + 1)) } };
  if (type === 'bid') return { type, data: { quantity: data.min_quantity, face: data.min_face } };
  return data ? { type, data } : { type };
}

const answers = {
  welcome: () => ws.send({ type: 'join_queue', data: { game, one_shot: true } }),
  match_confirm_request: ({ confirm_id }) => ws.send({ type: 'match_confirm', data: { confirm_id } }),
  action_request: (d) => ws.send({ type: 'action', match_id: d.match_id, request_id: d.request_id, data: choose(d) }),
  error: ({ message }) => console.error(message),
  game_over: ({ result }) => {
    console.log(JSON.stringify(result));
    ws.write(8, Buffer.from([3, 232])); // 1000: done
  },
};
const ws = new Socket(await register('javascript'), ({ type, data }) => answers[type]?.(data));
