// test/support/http_cases.tsv, sent to agon serve: alone, and behind a real nginx in three configurations. What nginx
// forwards as one request is one request to agon.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Arena, root } from './lib/arena.mjs';
import { documented, Nginx } from './lib/nginx.mjs';
import { until, within } from './lib/wait.mjs';

const SMUGGLED = 'GET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const words = {
  r: '\r', n: '\n', t: '\t', 0: '\0', '\\': '\\', S: SMUGGLED,
  G: 'GET /api/health HTTP/1.1\r\nHost: x\r\n', P: 'POST /api/health HTTP/1.1\r\nHost: x\r\n',
};
const unescape = (text) => text.replace(/\\(?:x(..)|\{(\d+)\}(.)|(.))/g, (_, hex, count, byte, word) =>
  hex ? String.fromCharCode(parseInt(hex, 16)) : count ? byte.repeat(Number(count)) : words[word]);
const cases = readFileSync(path.join(root, 'test/support/http_cases.tsv'), 'utf8').split('\n')
  .filter((l) => l && !l.startsWith('#')).map((l) => l.split('\t'))
  .map(([name, requests, end, text]) => ({ name, requests: Number(requests), end, bytes: Buffer.from(unescape(text), 'latin1') }));

// Counts whole responses in a stream; interim ones are none. None here answers HEAD.
class Responses {
  statuses = [];
  bytes = Buffer.alloc(0);
  take(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const head = this.bytes.indexOf('\r\n\r\n');
      if (head < 0) return;
      const text = this.bytes.subarray(0, head).toString('latin1');
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text);
      assert.ok(status, `no response: ${JSON.stringify(text)}`);
      const size = head + 4 + Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      assert.doesNotMatch(text, /^transfer-encoding/im);
      if (this.bytes.length < size) return;
      if (status[1] >= 200) this.statuses.push(Number(status[1]));
      this.bytes = this.bytes.subarray(size);
    }
  }
}

// What comes back until the other side ends.
async function exchange(port, bytes, { end }) {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const got = [];
  socket.on('data', (d) => got.push(d)).on('error', () => {});
  const over = new Promise((resolve) => socket.on('end', resolve).on('close', resolve));
  if (end) socket.end(bytes);
  else socket.write(bytes);
  await within(60000, over, 'end of a connection');
  socket.destroy();
  return Buffer.concat(got);
}

// Between nginx and agon: sees what agon answers, and when nginx begins a request.
class Tap {
  forwarded = 0; // requests that nginx began while none was open on their connection
  answered = 0;
  unasked = []; // what agon said without being asked
  static async start(port) {
    const t = new Tap();
    t.server = net.createServer((near) => t.relay(near, net.connect(port, '127.0.0.1')));
    await new Promise((resolve) => t.server.listen(0, '127.0.0.1', resolve));
    t.port = t.server.address().port;
    return t;
  }
  relay(near, far) {
    const responses = new Responses();
    let asked = 0;
    near.on('data', (d) => {
      if (asked === responses.statuses.length) asked++, this.forwarded++;
      far.write(d);
    });
    far.on('data', (d) => {
      const before = responses.statuses.length;
      responses.take(d);
      this.answered += responses.statuses.length - before;
      if (responses.statuses.length > asked) this.unasked.push(responses.statuses);
      near.write(d);
    });
    near.on('end', () => far.end()).on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('end', () => near.end()).on('error', () => near.destroy());
  }
  stop() {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

const fast = (upstream, more) => `location / { proxy_pass http://${upstream}; proxy_http_version 1.1; proxy_set_header Host $http_host;
  proxy_set_header Connection ""; proxy_next_upstream off; ${more} }`;

let arena, taps, nginx;

before(async () => {
  arena = await Arena.start(['--public-url', 'https://arena.example']);
  taps = await Promise.all([0, 1, 2].map(() => Tap.start(arena.port)));
  const at = taps.map((t) => `127.0.0.1:${t.port}`);
  const { map, location } = documented(at[0]);
  const pools = [1, 2].map((i) => `upstream pool${i} { server ${at[i]}; keepalive 8; }`).join(' ');
  nginx = await Nginx.start([location, fast('pool1', ''), fast('pool2', 'proxy_request_buffering off;')], `${map} ${pools}`);
});

after(async () => {
  await nginx?.stop();
  await arena?.stop();
  await Promise.all((taps ?? []).map((t) => t.stop()));
});

test('agon reads every case as the table says', async () => {
  assert.ok(cases.length >= 200);
  await Promise.all(cases.map(async (c) => {
    const responses = new Responses();
    responses.take(await exchange(arena.port, c.bytes, { end: true }));
    const refused = /^\d+$/.test(c.end);
    assert.equal(responses.statuses.length, c.requests + refused, `${c.name}: ${responses.statuses}`);
    if (refused) assert.equal(responses.statuses.at(-1), Number(c.end), c.name);
    for (const status of responses.statuses.slice(0, c.requests)) assert.ok(![400, 431, 501, 505].includes(status), `${c.name}: ${responses.statuses}`);
    assert.equal(responses.bytes.length, 0, c.name);
  }));
});

test('the host of an absolute target is the one that counts', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';
  const status = async (target, host) => {
    const responses = new Responses();
    responses.take(await exchange(arena.port, `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`, { end: false }));
    return responses.statuses;
  };
  assert.deepEqual(await status('http://localhost/mcp', 'evil.example'), [200]);
  assert.deepEqual(await status('http://evil.example/mcp', 'localhost'), [403]);
});

for (const [i, name] of ['as documented', 'with kept connections', 'with kept connections, unbuffered'].entries())
  test(`behind nginx, ${name}, agon sees what was forwarded`, async () => {
    const began = nginx.log().length;
    await Promise.all(cases.map((c) => exchange(nginx.ports[i], c.bytes, { end: false }))); // ended after a second of silence
    const rows = nginx.log().slice(began).filter(([port]) => Number(port) === nginx.ports[i]);
    const forwarded = rows.filter(([, , upstream, status]) => upstream !== '-' && /^\d+$/.test(status)).length;
    const cut = rows.filter(([, , upstream, status]) => upstream !== '-' && !/^\d+$/.test(status)).length; // unfinished bodies
    assert.ok(forwarded > 50, `${forwarded} forwarded`);
    await until(() => taps[i].forwarded >= forwarded + cut, 'all that nginx began'); // its clients may be told before the tap has read it
    assert.equal(taps[i].answered, forwarded);
    assert.equal(taps[i].forwarded, forwarded + cut);
    assert.deepEqual(taps[i].unasked, []);
  });

// Host and Origin of the public address, as the documented nginx passes them on.
test('/mcp is served behind the documented nginx, under its own name only', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
  const status = (headers) => within(20000, new Promise((resolve, reject) => {
    const r = http.request({ port: nginx.ports[0], host: '127.0.0.1', path: '/mcp', method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } }, (answer) => (answer.resume(), resolve(answer.statusCode)));
    r.on('error', reject).end(body);
  }), 'answer');
  assert.equal(await status({ host: 'arena.example' }), 200);
  assert.equal(await status({ host: 'arena.example:8443' }), 200);
  assert.equal(await status({ host: 'arena.example', origin: 'https://arena.example' }), 200);
  assert.equal(await status({ host: 'arena.example', origin: 'https://evil.example' }), 403);
  assert.equal(await status({ host: 'evil.example' }), 403);
});
