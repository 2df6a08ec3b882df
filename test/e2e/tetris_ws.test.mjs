// The Tetris adapter over WebSocket (T3.8), and what agon serve answers over HTTP.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import WebSocket from 'ws';
import { agon, fromServer } from './lib/adapter.mjs';
import { spawn } from './lib/children.mjs';
import { scratch } from './lib/scratch.mjs';
import { within } from './lib/wait.mjs';

let server, port, tetrisPort;

before(async () => {
  server = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('ws-')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const out = await within(20000, new Promise((resolve) => {
    let text = '';
    server.stdout.on('data', (d) => (text += d).split('\n').length > 2 && resolve(text));
  }), 'listening lines');
  tetrisPort = Number(/tcp:\/\/[\d.]+:(\d+)/.exec(out)[1]);
  port = Number(/http:\/\/[\d.]+:(\d+)/.exec(out)[1]);
});

after(async () => {
  const exited = new Promise((resolve) => server.on('exit', resolve));
  server.kill('SIGTERM');
  assert.equal(await within(20000, exited, 'exit'), 0);
});

const hello = (requested = {}) => JSON.stringify({
  type: 'hello', seq: 1, ts: 0, client: { name: 'ws', version: '1' }, protocol_version: '2.1.0', formats: ['json'],
  requested: { stream_observations: true, command_mode: 'place', ...requested },
});

class Socket {
  static async open(query = '') {
    const s = new Socket();
    Object.assign(s, { messages: [], waiters: [], ws: new WebSocket(`ws://127.0.0.1:${port}/api/tetris/ws${query}`) });
    s.closed = new Promise((resolve) => s.ws.on('close', (code) => resolve(code)));
    s.ws.on('message', (data, binary) => {
      assert.equal(binary, false);
      const m = JSON.parse(data);
      assert.ok(!String(data).includes('\n'));
      assert.ok(fromServer(m), JSON.stringify(fromServer.errors));
      s.messages.push(m);
      for (const w of s.waiters.splice(0)) w();
    });
    s.ws.on('error', () => {});
    await within(20000, new Promise((resolve, reject) => (s.ws.on('open', resolve), s.ws.on('unexpected-response', reject))), 'open');
    return s;
  }
  async until(want) {
    const look = async () => {
      for (;;) {
        const i = this.messages.findIndex(want);
        if (i >= 0) return this.messages.splice(i, 1)[0];
        await new Promise((resolve) => this.waiters.push(resolve));
      }
    };
    return within(20000, look(), 'message');
  }
}

const get = (path, options = {}) => new Promise((resolve, reject) => {
  const r = http.request({ host: '127.0.0.1', port, path, ...options }, (res) => {
    let body = '';
    res.on('data', (d) => (body += d));
    res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, body }));
  });
  r.on('error', reject);
  r.end(options.body);
});

// Raw bytes in, all that comes until the server closes out.
const raw = (bytes) => new Promise((resolve) => {
  const s = net.connect(port, '127.0.0.1', () => s.write(bytes));
  let text = '';
  s.on('data', (d) => (text += d));
  s.on('error', () => {});
  s.on('close', () => resolve(text));
});

describe('adapter over WebSocket', () => {
  test('T3.8 one object is one message, and the table comes from the address', async () => {
    const s = await Socket.open('?table=browser');
    s.ws.send(hello({ clock: 'lockstep' }));
    const welcome = await s.until((m) => m.type === 'welcome');
    assert.deepEqual([welcome.table, welcome.role, welcome.clock], ['browser', 'controller', 'lockstep']);
    await s.until((m) => m.type === 'observation');
    for (let seq = 2; seq < 300; seq++)
      s.ws.send(JSON.stringify({ type: 'command', seq, ts: 0, mode: 'action', actions: [['moveLeft', 'rotateCw', 'hardDrop'][seq % 3]] }));
    const ack = await s.until((m) => m.type === 'ack' && m.seq === 299);
    assert.equal((await s.until((m) => m.type === 'observation' && m.logical_step === ack.applied_step)).state_hash, ack.state_hash);
    s.ws.close();
    await within(20000, s.closed, 'close');
  });

  test('T3.9 it is the same table as over TCP', async () => {
    const s = await Socket.open();
    s.ws.send(hello({ table: 'shared' }));
    assert.equal((await s.until((m) => m.type === 'welcome')).role, 'controller');
    const line = await new Promise((resolve) => {
      const c = net.connect(tetrisPort, '127.0.0.1', () => c.write(hello({ table: 'shared' }) + '\n'));
      c.once('data', (d) => (resolve(JSON.parse(String(d).split('\n')[0])), c.destroy()));
    });
    assert.equal(line.role, 'observer');
    s.ws.terminate();
  });

  test('T3.8 too long, not UTF-8 and binary messages end with their codes', async () => {
    for (const [code, spoil] of [
      [1009, (ws) => ws.send('x'.repeat(65537))],
      [1003, (ws) => ws.send(Buffer.from('{}'), { binary: true })],
      [1007, (ws) => ws.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false })],
    ]) {
      const s = await Socket.open();
      spoil(s.ws);
      assert.equal(await within(20000, s.closed, `close with ${code}`), code);
    }
    const s = await Socket.open();
    s.ws.send('{"type":"command","seq":3}');
    assert.equal((await s.until((m) => m.type === 'error')).code, 'handshake_required');
    s.ws.terminate();
  });

  test('a frame in the same packet as the upgrade is heard', async () => {
    const frame = Buffer.from('{"type":"control","seq":5}');
    const masked = Buffer.concat([Buffer.from([0x81, 0x80 | frame.length, 0, 0, 0, 0]), frame]);
    const head = 'GET /api/tetris/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
    const answer = await within(20000, new Promise((resolve) => {
      const s = net.connect(port, '127.0.0.1', () => s.write(Buffer.concat([Buffer.from(head), masked])));
      let text = '';
      s.on('data', (d) => /handshake_required/.test((text += d)) && (resolve(text), s.destroy()));
    }), 'answer');
    assert.match(answer, /^HTTP\/1\.1 101 /);
    assert.match(answer, /Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/);
  });
});

// T3.8, T3.16: what a page of another origin can do without asking: a POST with lines in its body, and a WebSocket.
describe('pages of other origins', () => {
  test('a POST to the Tetris port executes no line', async () => {
    for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'ANY-token']) {
      const socket = net.connect(tetrisPort, '127.0.0.1');
      let said = '';
      socket.on('data', (d) => (said += d)).on('error', () => {});
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.write(`${method} / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n${hello()}\n`);
      await within(20000, closed, `end after ${method}`);
      assert.equal(said, '', method);
    }
  });

  test('/api/tetris/ws obeys --origin', async () => {
    const own = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('origin-'), '--origin', 'https://here.example'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const out = await within(20000, new Promise((resolve) => {
      let text = '';
      own.stdout.on('data', (d) => /http:.*\n/.test((text += d)) && resolve(text));
    }), 'listening line');
    const url = `ws://127.0.0.1:${/http:\/\/[\d.]+:(\d+)/.exec(out)[1]}/api/tetris/ws`;
    const status = (origin) => within(20000, new Promise((resolve) => {
      const ws = new WebSocket(url, origin ? { origin } : {});
      ws.on('open', () => (resolve(101), ws.close()));
      ws.on('unexpected-response', (_, answer) => resolve(answer.statusCode));
    }), `answer to ${origin}`);
    assert.equal(await status('https://here.example'), 101);
    assert.equal(await status(undefined), 101); // no page
    assert.equal(await status('https://elsewhere.example'), 403);
    assert.equal(await status('null'), 403);
    const exited = new Promise((resolve) => own.on('exit', resolve));
    own.kill('SIGTERM');
    assert.equal(await within(20000, exited, 'exit'), 0);
  });
});

// What a spectator knows of tables, frame by frame.
async function watchTables(query) {
  const w = { boards: {}, frames: [], sizes: [], ws: new WebSocket(`ws://127.0.0.1:${port}/api/tetris/watch${query}`) };
  w.closed = new Promise((resolve) => w.ws.on('close', (code) => resolve(code)));
  w.ws.on('message', (data) => {
    const { type, data: { table, rows, ...members } } = JSON.parse(data);
    w.frames.push(type);
    if (type === 'tetris') w.sizes.push(data.length);
    const board = type === 'tetris_start' ? (w.boards[table] = { rows: [...rows] }) : w.boards[table];
    if (type === 'tetris') for (const [y, row] of Object.entries(rows ?? {})) board.rows[y] = row;
    Object.assign(board, members);
    w.heard?.();
  });
  w.until = (want) => within(20000, (async () => { while (!want()) await new Promise((resolve) => (w.heard = resolve)); })(), 'frames');
  await within(20000, new Promise((resolve, reject) => w.ws.on('open', resolve).on('unexpected-response', (_, r) => reject(new Error(r.statusCode))).on('error', () => {})), 'open');
  return w;
}

describe('spectators of Tetris', () => {
  test('see changed rows, and what they put together is the table', async () => {
    const player = await Socket.open('?table=seen');
    player.ws.send(hello({ role: 'auto', command_mode: 'action' }));
    await player.until((m) => m.type === 'welcome');
    const slow = await watchTables('?table=seen'), fast = await watchTables('?table=main,seen,nonsense&rate=30');
    const { tables, count } = JSON.parse((await get('/api/tetris/tables')).body);
    assert.equal(count, tables.length);
    const listed = tables.find((x) => x.table === 'seen');
    assert.deepEqual([listed.game, listed.controller, listed.clients, listed.spectators, listed.rows.length], ['tetris', true, 1, 2, 20]);
    assert.ok(Date.parse(listed.since) <= Date.now() + 1000);
    for (let seq = 2; seq < 8; seq++) {
      const actions = seq < 7 ? [['moveLeft', 'moveRight', 'rotateCw'][seq % 3], 'hardDrop'] : ['pause'];
      player.ws.send(JSON.stringify({ type: 'command', seq, ts: 0, mode: 'action', actions }));
      await player.until((m) => m.type === 'ack' && m.seq === seq);
    }
    for (const w of [slow, fast]) {
      await w.until(() => w.boards.seen?.paused);
      const truth = JSON.parse((await get('/api/tetris/tables')).body).tables.find((x) => x.table === 'seen');
      for (const key of ['rows', 'active', 'score', 'lines', 'level', 'piece_id', 'next', 'hold', 'paused', 'playable', 'ghost_y']) assert.deepEqual(w.boards.seen[key], truth[key], key);
      assert.ok(truth.piece_id >= 5 && truth.rows.some((r) => /[IOTSZJL]/.test(r)));
      assert.ok(w.sizes.every((n) => n < 700), `${w.sizes}`);
    }
    assert.deepEqual(Object.keys(fast.boards).sort(), ['main', 'seen']);
    fast.ws.close();
    await within(20000, fast.closed, 'close');
    player.ws.close();
    slow.ws.close();
    await within(20000, slow.closed, 'close');
  });

  test('bad wishes are refused', async () => {
    await assert.rejects(watchTables('?table=nonsense'), /404/);
    await assert.rejects(watchTables('?table=main&rate=99'), /400/);
    assert.equal((await get('/api/tetris/tables', { method: 'POST', body: '{}' })).status, 405);
  });
});

describe('agon serve over HTTP', () => {
  test('pages, health, and what is not there', async () => {
    const page = await get('/');
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type'], /text\/html/);
    assert.equal(JSON.parse((await get('/api/health')).body).status, 'ok');
    assert.equal((await get('/nowhere')).status, 404);
    const wrong = await get('/api/health', { method: 'POST', body: '{}' });
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD']);
    assert.equal((await get('/api/health', { method: 'HEAD' })).body, '');
    assert.equal((await get('/api/tetris/ws')).status, 400);
  });

  test('bad requests get their status and the connection ends', async () => {
    for (const [bytes, status] of [
      ['rubbish\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n', 413],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20000)}\r\n\r\n`, 431],
      [`GET / HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 80 }, (_, i) => `H${i}: 1\r\n`).join('')}\r\n`, 431],
      ['GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzz', 400],
    ])
      assert.match(await within(20000, raw(bytes), `answer ${status}`), new RegExp(`^HTTP/1\\.1 ${status} `), bytes.slice(0, 60));
  });

  test('requests in one packet are answered in order', async () => {
    const text = await within(20000, raw('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), 'answers');
    assert.deepEqual([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((m) => m[1]), ['200', '404', '200']);
  });

  test('a port that is taken ends with status 2', async () => {
    const other = spawn(agon, ['serve', '--port', String(port), '--tetris-port', '0', '--data', scratch('ws-')]);
    assert.equal(await within(20000, new Promise((resolve) => other.on('exit', resolve)), 'exit'), 2);
  });
});
