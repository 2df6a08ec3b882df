// Faults that an arena survives: bad frames and messages, unknown clients, floods, clients that do not read, a locked
// database. And no secrets on disk.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import WebSocket, { WebSocketServer } from 'ws';
import { Agent, agon, Arena, asked, begin, choose, end, play, seat } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { frame, Wire } from './lib/wire.mjs';
import { scratch } from './lib/scratch.mjs';
import { within } from './lib/wait.mjs';

const TOKEN = 'operator-secret', STRANGE = 'aaaaaaaa-0000-4000-8000-000000000001';
const lonely = ['--fill-wait', '100', '--house-bots', '0', '--message-rate', '100000', '--message-burst', '100000'];
const operator = { headers: { 'x-agon-admin': TOKEN } };
const bad = 'invalid message format';

// A frame that will come or has come, without passing over those before it.
const sees = async (agent, ...wanted) => {
  const at = agent.read, found = await agent.next(...wanted);
  agent.read = at;
  return found;
};
const joins = async (agent, game, more) => {
  agent.join(game, more);
  const answer = await agent.next('*', 60000, (f) => ['queue_joined', 'error'].includes(f.type));
  return answer.type === 'error' ? answer.data.message : 'queue_joined';
};

test('what a queue refuses (F2.12, F3.4)', async (t) => {
  const arena = await Arena.start([...lonely, '--table-max', '2', '--admin-token', TOKEN, '--confirm-timeout', '1000']);
  t.after(() => arena.stop());
  const until = /^agent on cooldown until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  const connect = async (name, policy) => Agent.connect(arena, await arena.register(name, { auto_confirm: true, ...policy }));
  // A match with a cap or a cooldown of every kind, and what its player hears afterwards.
  for (const [name, policy, says, oneShot] of [
    ['by the hour', { max_games_per_hour: 1 }, /^matchmaking gate denied: hourly limit reached$/, 'queue_joined'],
    ['by the day', { max_games_per_day: 1 }, /^matchmaking gate denied: daily limit reached$/, 'queue_joined'],
    ['in between', { cooldown_seconds: 3600 }, until, until],
  ])
    await t.test(name, async () => {
      const [a, b] = [await connect(name, policy), await connect('other')];
      assert.equal(await joins(a, 'liars_dice', { mode: 'friendly' }), 'queue_joined');
      assert.equal(await joins(b, 'liars_dice', { mode: 'friendly', one_shot: true }), 'queue_joined');
      await a.next('game_start');
      a.join('coup');
      assert.equal((await sees(a, 'error')).data.message, 'matchmaking gate denied: concurrent match limit reached');
      await Promise.all([play(a), play(b)]);
      assert.match(await joins(a, 'liars_dice', { mode: 'friendly' }), says);
      const again = await joins(a, 'liars_dice', { mode: 'friendly', one_shot: true }); // F3.6: such a one is not counted
      if (oneShot === 'queue_joined') assert.equal(again, oneShot);
      else assert.match(again, oneShot);
      await end([a, b]);
    });
  await t.test('three confirmations missed (F3.16)', async () => {
    const [late, ready] = [await connect('late', { auto_confirm: false }), await connect('ready')];
    assert.equal(await joins(ready, 'coup', { mode: 'patience' }), 'queue_joined');
    for (let i = 0; i < 3; i++) {
      assert.equal(await joins(late, 'coup', { mode: 'patience' }), 'queue_joined');
      await late.next('match_confirm_request');
      assert.deepEqual((await late.next('match_cancelled')).data, { reason: 'confirmation_timeout', action: 'removed_from_queue' });
      assert.deepEqual((await ready.next('match_cancelled')).data, { reason: 'opponent_not_ready', action: 're_queued' });
    }
    assert.match(await joins(late, 'coup', { mode: 'patience' }), until);
    await end([late, ready]);
  });
  await t.test('modes and maintenance', async () => {
    const a = await connect('early');
    for (const mode of ['event_final', 'tournament', 'With Blanks', 'x'.repeat(33)]) assert.equal(await joins(a, 'coup', { mode }), `unknown mode ${mode}`);
    assert.equal(await joins(a, 'coup', { mode: 'x'.repeat(32) }), 'queue_joined');
    await arena.call('POST', '/api/admin/drain', operator);
    assert.deepEqual((await a.next('match_cancelled')).data, { reason: 'maintenance', action: 'removed_from_queue' }); // F3.18
    assert.equal(await joins(a, 'coup'), 'matchmaking gate denied: maintenance');
    await arena.call('DELETE', '/api/admin/drain', operator);
    assert.equal(await joins(a, 'coup'), 'queue_joined');
    await a.close();
  });
});

test('who is not claimed may come in and play nothing', async (t) => {
  const arena = await Arena.start([...lonely, '--claim', 'token']);
  t.after(() => arena.stop());
  const agent = await Agent.connect(arena, await arena.register('nobody'));
  assert.equal(await joins(agent, 'coup'), 'agent is not claimed');
  await agent.close();
});

test('frames in pieces', async (t) => {
  const arena = await Arena.start(lonely);
  t.after(() => arena.stop());
  const leave = '{"type":"leave_queue"}', unknown = `{"type":"${'é'.repeat(20)}"}`, cut = Buffer.from(unknown).indexOf(0xc3) + 1;
  const left = { type: 'queue_left', data: { status: 'ok' } }, error = (message) => ({ type: 'error', data: { message } });
  const continued = (payload, more) => frame(payload, { opcode: 0, ...more }), first = (payload, more) => frame(payload, { fin: false, ...more });
  const big = Buffer.alloc(65536 - leave.length, ' ');
  const rows = [
    ['whole', [frame(leave)], left],
    ['in three', [first('{"type"'), continued(':"leave', { fin: false }), continued('_queue"}')], left],
    ['every byte alone', [first(''), ...[...leave].map((c) => continued(c, { fin: false })), continued('')], left],
    ['a ping in between', [first(leave.slice(0, 5)), frame('hello', { opcode: 9 }), continued(leave.slice(5))], left, 'hello'],
    ['pings in between, and a pong nobody asked for', [first(leave.slice(0, 5)), frame('', { opcode: 9 }), frame('7', { opcode: 10 }), continued(leave.slice(5, 9), { fin: false }), frame('x'.repeat(125), { opcode: 9 }), continued(leave.slice(9))], left, 'x'.repeat(125)],
    ['a character across two', [first(Buffer.from(unknown).subarray(0, cut)), continued(Buffer.from(unknown).subarray(cut))], error(`unknown message type ${'é'.repeat(20)}`)],
    ['the largest', [frame(Buffer.concat([Buffer.from(leave), big]))], left],
    ['one byte too large', [frame(Buffer.concat([Buffer.from(leave), big, Buffer.from(' ')]))], error('message too large')],
    ['too large in pieces', [first(big), continued(big, { fin: false }), continued(leave)], error('message too large')],
    ['too large, and no UTF-8: nobody looks', [frame(Buffer.alloc(70000, 0xff))], error('message too large')],
    ['binary', [frame(leave, { opcode: 2 })], error(bad)],
    ['binary in pieces', [frame('{', { opcode: 2, fin: false }), continued('}')], error(bad)],
    ['binary, too large', [frame(Buffer.alloc(70000), { opcode: 2 })], error('message too large')],
    ['empty', [frame('')], error(bad)],
    ['the largest frame there may be', [frame(Buffer.alloc(1 << 20))], error('message too large')],
  ];
  const wire = await Wire.agent(arena, await arena.register('patient'));
  for (const [name, pieces, answer, pong] of rows)
    await t.test(name, async () => {
      wire.frames.length = 0;
      for (const p of pieces) for (const half of [p.subarray(0, 1), p.subarray(1)]) wire.send(half);
      assert.deepEqual(await wire.text(), answer);
      if (pong !== undefined) assert.ok(wire.frames.some((f) => f.opcode === 10 && f.payload.toString() === pong), 'pong of equal payload');
    });
  wire.destroy();
  const ends = [ // F1.7, F1.8; RFC 6455 5.4, 5.5, 7.4
    ['UTF-8 that ends too early', [first(Buffer.from([0x22, 0xc3])), continued('"')], 1007],
    ['a surrogate', [frame(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))], 1007],
    ['overlong', [frame(Buffer.from([0xc0, 0xaf]))], 1007],
    ['a goodbye that is no UTF-8', [frame(Buffer.from([3, 232, 0xff]), { opcode: 8 })], 1007],
    ['the rest of nothing', [continued(leave)], 1002],
    ['a message within a message', [first('{'), frame(leave)], 1002],
    ['a ping in pieces', [frame('x', { opcode: 9, fin: false })], 1002],
    ['a ping that is too long', [frame('x'.repeat(126), { opcode: 9 })], 1002],
    ['bits nobody agreed on', [frame(leave, { reserved: 2 })], 1002],
    ['an opcode nobody knows', [frame(leave, { opcode: 11 })], 1002],
    ['no mask', [frame(leave, { masked: false })], 1002],
    ['a goodbye of one byte', [frame('x', { opcode: 8 })], 1002],
    ['a goodbye with a code for nobody', [frame(Buffer.from([3, 238]), { opcode: 8 })], 1002], // 1006
    ['more than a mebibyte declared', [frame('', { declared: (1 << 20) + 1 })], 1009],
    ['most of the world declared', [frame('', { declared: 2 ** 52 })], 1009],
    ['a goodbye is echoed', [frame(Buffer.from([0x0f, 0xa0]), { opcode: 8 })], 4000],
  ];
  for (const [name, pieces, code] of ends)
    await t.test(name, async () => {
      const w = await Wire.agent(arena, await arena.register('rude'));
      w.send(...pieces);
      assert.equal(await w.code(), code);
      await within(20000, w.ended, 'end of the connection');
    });
});

test('values of the wrong kind, too many, too large', async (t) => { // F2.4
  const arena = await Arena.start([...lonely, '--table-max', '2']);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'liars_dice', 2);
  await begin(agents);
  const { agent, request } = await asked(agents), { match_id, request_id } = request.data;
  const error = async (text) => (agent.send(text), (await agent.next('error')).data.message);
  for (const value of ['null', '7', 'true', '[]', '{}', '["join_queue"]']) { // F2.5
    assert.equal(await error(`{"type":${value}}`), bad);
    assert.equal(await error(`{"type":"join_queue","data":{"game":${value}}}`), bad);
    assert.equal(await error(`{"type":"join_queue","data":{"game":"coup","mode":${value}}}`), bad);
    if (value !== 'true') assert.equal(await error(`{"type":"join_queue","data":{"game":"coup","one_shot":${value}}}`), bad);
    assert.equal(await error(`{"type":"match_confirm","data":{"confirm_id":${value}}}`), bad);
    assert.equal(await error(`{"type":"runtime_status","data":{"request_id":${value},"ready":true,"runtime_type":"mock","checked_at":"x"}}`), bad);
    assert.equal(await error(`{"type":"action","match_id":${value},"request_id":"${request_id}","data":{}}`), 'invalid match_id');
    assert.equal(await error(`{"type":"action","match_id":"${match_id}","request_id":${value},"data":{}}`), 'request_id is required');
    assert.ok(!('request_id' in (await agent.next('action_stale')).data));
    assert.equal(await error(`{"type":"action","match_id":"${match_id}","request_id":"${request_id}","data":{"type":${value}}}`), bad);
  }
  for (const text of ['{"type":"leave_queue"}}', '{"type":"leave_queue"} x', '{"type":"leave_queue",}', "{'type':'leave_queue'}", '{"type":"leave\nqueue"}', '{"type":"\\ud800"}x', '\ufeff{"type":"leave_queue"}'])
    assert.equal(await error(text), bad, text);
  // An id that no server of ours gave is repeated as it came, as far as it is one.
  for (const [given, told] of [['x', 'x'], ['"\\\u0001', '"\\\u0001'], ['y'.repeat(128), 'y'.repeat(128)], ['z'.repeat(60000), '?']]) {
    agent.send({ type: 'action', match_id, request_id: given, data: { type: 'challenge' } });
    assert.equal((await agent.next('action_stale')).data.request_id, told);
  }
  // F4.4: numbers that are no whole ones; the first is told, and the second would be a strike: so each is the first.
  const act = (r, data) => agent.send(`{"type":"action","match_id":"${match_id}","request_id":"${r.data.request_id}","data":${data}}`);
  act(request, '{"type":"bid","data":{"quantity":1.5,"face":2}}');
  assert.equal((await agent.next('error')).data.message, 'action bid not legal in current state');
  const again = await agent.next('action_request');
  // What is not known is passed over, wherever it stands; whole numbers may be written as one likes.
  agent.send(`{"x":[{"y":null}],"type":"action","data":{"deep":{"er":[1]},"type":"bid","data":{"quantity":1.0,"z":"z","face":30e-1}},"match_id":"${match_id}","request_id":"${again.data.request_id}","usage":{"model":7,"input_tokens":-1},"decision":[]}`);
  const other = agents.find((a) => a !== agent), told = await other.next('action_request');
  assert.deepEqual(told.data.state.current_bid, { quantity: 1, face: 3, bidder: request.data.state.your_player_id });
  await end(agents);
  for (const number of ['9007199254740993', '1e300', '-1', '"1"', 'null', '[1]', 'true']) {
    const pair = await seat(arena, 'liars_dice', 2);
    await begin(pair);
    const first = await asked(pair);
    first.agent.send(`{"type":"action","match_id":"${first.request.data.match_id}","request_id":"${first.request.data.request_id}","data":{"type":"bid","data":{"quantity":${number},"face":2}}}`);
    assert.match((await first.agent.next('error')).data.message, /^action bid not legal in current state$/, number);
    await end(pair);
  }
});

test('actions of strangers, twice, of the dropped, of the eliminated, after the end', async (t) => {
  const arena = await Arena.start([...lonely, '--table-max', '4', '--fill-wait', '60000', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'liars_dice', 4, { instance: 'i' });
  const starts = await begin(agents), sessionOf = (a) => starts[agents.indexOf(a)].data.match_id;
  const stranger = await Agent.connect(arena, await arena.register('stranger'));
  const live = (await arena.call('GET', '/api/matches/live')).body.matches[0].id;
  const watcher = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?live=${live}`);
  await within(20000, new Promise((resolve, reject) => watcher.on('message', resolve).on('error', reject)), 'spectate_start');

  let turn = await asked(agents);
  const victim = turn.agent, pidOf = (a) => starts[agents.indexOf(a)].data.your_player_id;
  const message = { type: 'action', match_id: sessionOf(victim), request_id: turn.request.data.request_id, data: { type: 'bid', data: { quantity: 1, face: 2 } } };
  stranger.send(message); // who has no seat
  assert.equal((await stranger.next('error')).data.message, 'mismatched match_id');
  stranger.send({ ...message, match_id: STRANGE });
  assert.equal((await stranger.next('error')).data.message, 'mismatched match_id');
  watcher.send(JSON.stringify(message)); // who looks on: ignored (F4.24)
  watcher.send('{"type":"join_queue"');
  for (const a of agents) if (a !== victim) {
    a.send(message);
    assert.equal((await a.next('error')).data.message, 'mismatched match_id');
  }
  // Two strikes by illegal answers: dropped, told so, and out (F4.16, F4.17).
  for (let strikes = 0; strikes < 2; turn = await asked(agents)) {
    if (turn.agent !== victim) {
      turn.agent.act(turn.request, choose('liars_dice', turn.request.data));
      continue;
    }
    victim.act(turn.request, { type: 'surrender' });
    victim.act(await victim.next('action_request', 60000, (f) => f.data.retry), { type: 'surrender' });
    if (++strikes === 2) break;
  }
  assert.deepEqual((await victim.next('event')).data.events.map((e) => [e.type, e.player]), [['player_disconnected', pidOf(victim)]]);
  victim.send({ ...message, request_id: 'whatever' });
  assert.equal((await victim.next('action_stale')).data.request_id, 'whatever');
  victim.send({ ...message, request_id: undefined }); // row 2 comes before row 3
  assert.ok(!('request_id' in (await victim.next('action_stale')).data));
  victim.ws.terminate();
  await victim.closed;
  const back = await Agent.connect(arena, victim.agent, { instance: 'i', memory: victim.memory, sameProcess: true });
  assert.equal((await back.next('*')).type, 'game_state');

  // The others play on; each answer is sent twice in one breath, and the second is stale.
  const out = new Set([victim]);
  for (let over = false; !over; ) {
    const playing = agents.filter((a) => !out.has(a));
    const { agent, request } = await asked(playing), answer = choose('liars_dice', request.data);
    agent.act(request, answer);
    agent.act(request, answer);
    assert.equal((await sees(agent, 'action_stale', 60000, (f) => f.data.request_id === request.data.request_id)).data.match_id, sessionOf(agent));
    for (const a of playing) {
      over ||= a.frames.some((f) => f.type === 'game_over');
      const gone = a.frames.some((f) => (f.data.events ?? []).some((e) => e.type === 'player_eliminated' && e.player === pidOf(a)));
      if (over || !gone) continue;
      out.add(a); // F4.3 row 2
      a.send({ ...message, match_id: sessionOf(a), request_id: 'late' });
      assert.equal((await sees(a, 'action_stale', 60000, (f) => f.data.request_id === 'late')).data.match_id, sessionOf(a));
    }
  }
  const overs = await Promise.all([back, ...agents.filter((a) => a !== victim)].map((a) => a.next('game_over')));
  assert.equal(new Set(overs.map((f) => f.data.match_id)).size, 1);
  for (const a of agents.filter((x) => x !== victim)) {
    a.send({ ...message, match_id: sessionOf(a), request_id: 'after' });
    assert.equal((await a.next('action_stale', 60000, (f) => f.data.request_id === 'after')).data.match_id, sessionOf(a));
    a.send({ ...message, match_id: overs[0].data.match_id, request_id: 'after' }); // the real id is no session (F2.6)
    assert.equal((await a.next('error')).data.message, 'mismatched match_id');
  }
  watcher.terminate();
  await end([back, stranger, ...agents.filter((a) => a !== victim)]);
});

// Two who play one match after the other while something happens; every frame is judged.
async function whilePlaying(arena, happen) {
  const pair = await seat(arena, 'liars_dice', 2);
  let stop = false;
  const games = pair.map(async (a) => {
    let count = 0;
    for (; !stop; count++) {
      const [over] = await play(a);
      assert.equal(over.data.forfeit_reason, undefined);
    }
    return count;
  });
  await happen();
  stop = true;
  const [count] = await within(60000, Promise.race([Promise.all(games), Promise.any(games).then((n) => [n])]), 'end of the last match');
  pair.forEach((a) => a.ws.terminate());
  await Promise.allSettled(games);
  assert.ok(count > 0);
}

const descriptors = (arena) => readdirSync(`/proc/${arena.process.pid}/fd`).length;
const residentMiB = (arena) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${arena.process.pid}/status`, 'utf8'))[1]) / 1024;
const metric = async (arena, name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await arena.call('GET', '/metrics')).body)[1]);

test('a storm of connections passes by', async (t) => {
  const arena = await Arena.start([...lonely, '--table-max', '2']);
  t.after(() => arena.stop());
  const before = descriptors(arena), open = [], answers = { 401: 0, 400: 0 };
  const callers = [
    (w) => w.socket.on('connect', () => w.destroy()),
    (w) => (w.send('GET /api/ws HTTP/1.1\r\nHost: x\r\nUpg'), open.push(w)), // never ends its request
    (w) => w.upgrade({ key: `agk_${'0'.repeat(48)}` }),
    (w) => w.send(Buffer.from([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3, 13, 10, 13, 10])), // TLS where none is spoken
  ];
  const one = async (i) => {
    const w = new Wire(arena), kind = i % callers.length;
    callers[kind](w);
    if (kind === 1) return;
    await within(30000, w.ended, `end of connection ${i}`);
    const status = /^HTTP\/1\.1 (\d+)/.exec(w.head ?? '')?.[1];
    if (status) answers[status]++;
  };
  const total = 3000, wave = 200;
  let rate;
  await whilePlaying(arena, async () => {
    const start = performance.now();
    for (let i = 0; i < total; i += wave) await Promise.all(Array.from({ length: wave }, (_, k) => one(i + k)));
    rate = total / (performance.now() - start) * 1000;
    assert.equal((await arena.call('GET', '/api/health')).status, 200);
  });
  t.diagnostic(`${rate.toFixed(0)} connections a second`);
  assert.deepEqual(answers, { 401: total / 4, 400: total / 4 });
  open.forEach((w) => w.destroy());
  await Promise.all(open.map((w) => w.ended));
  await within(20000, (async () => {
    while (descriptors(arena) > before + 8) await arena.call('GET', '/api/health');
  })(), 'descriptors given back');
});

test('those who never finish a handshake make room for others', async (t) => {
  const arena = await Arena.start(['--house-wait', '50', '--fill-wait', '50'], { shell: 'ulimit -n 160; exec "$@"' });
  t.after(() => arena.stop());
  const open = [];
  for (let i = 0; i < 300; i++) {
    const w = new Wire(arena);
    if (i % 2) w.send('GET /api/health HTTP/1.1\r\nHost: h\r\nX: ');
    open.push(w);
    await within(20000, new Promise((resolve) => w.socket.on('connect', resolve).on('close', resolve)), 'connection');
  }
  await within(20000, Promise.any(open.map((w) => w.ended)), 'end of the oldest');
  const agent = await Agent.connect(arena, await arena.register('late', { auto_confirm: true }));
  agent.join('liars_dice', { one_shot: true });
  await play(agent);
  await agent.close();
  open.forEach((w) => w.destroy());
});

// F5.11, with addresses as they are: this machine has many.
test('each address has limits of its own', async (t) => {
  const arena = await Arena.start(['--limit-loopback']);
  t.after(() => arena.stop());
  const get = (localAddress) => new Promise((resolve, reject) => {
    http.get({ host: arena.host, port: arena.port, path: '/api/health', localAddress, agent: false }, (r) => r.resume().on('end', () => resolve(r))).on('error', reject);
  });
  const many = await Promise.all(Array.from({ length: 200 }, () => get('127.0.0.2')));
  const passed = many.filter((r) => r.statusCode === 200).length, refused = many.filter((r) => r.statusCode === 429);
  assert.ok(passed >= 40, `${passed} of 200 passed`);
  assert.ok(refused.length > 0 && refused.length + passed === 200);
  for (const r of refused) assert.ok(Number(r.headers['retry-after']) >= 1);
  assert.equal((await get('127.0.0.3')).statusCode, 200);
});

test('whoever does not read is dropped, and nobody else notices', async (t) => {
  const arena = await Arena.start([...lonely, '--table-max', '2']);
  t.after(() => arena.stop());
  await whilePlaying(arena, async () => {
    const before = residentMiB(arena);
    const deaf = await Wire.agent(arena, await arena.register('deaf'));
    deaf.socket.pause();
    const call = Buffer.concat(Array(500).fill(frame(`{"type":"${'x'.repeat(60)}"}`)));
    let sent = 0;
    while (!deaf.closed && sent < 400000) { // an answer is about 130 bytes: some 35,000 fill the 4 MiB of F1.11
      sent += 500;
      await Promise.race([deaf.ended, new Promise((resolve) => (deaf.socket.write(call, resolve) ? setImmediate(resolve) : deaf.socket.once('drain', resolve)))]);
    }
    await within(20000, deaf.ended, `end of one who does not read, after ${sent} messages`);
    assert.ok(await metric(arena, 'agon_ws_dropped_total') >= 1);
    const grown = residentMiB(arena) - before;
    assert.ok(grown < 256, `${grown} MiB more`); // sanitizers keep what was freed
  });
});

// Answers wait for the disk (F8.1), and whoever asked may be gone by then.
test('callers who leave before their answer', async (t) => {
  const arena = await Arena.start(lonely);
  t.after(() => arena.stop());
  const body = '{"name":"gone"}', call = `POST /api/agents/register HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let round = 0; round < 20; round++) {
    const wires = await Promise.all(Array.from({ length: 20 }, () => new Promise((resolve) => {
      const socket = net.connect(arena.port, arena.host, () => resolve(socket)).on('error', () => {});
    })));
    await Promise.all(wires.map((w) => new Promise((resolve) => w.write(call, resolve))));
    // At once, when others are answered, and when everybody is.
    for (let i = 0; i < wires.length; i += 4) wires[i].resetAndDestroy();
    await new Promise((resolve) => wires[3].once('data', resolve));
    for (let i = 1; i < wires.length; i += 4) wires[i].resetAndDestroy();
    assert.equal((await arena.call('GET', '/api/health')).status, 200);
    for (const w of wires) w.resetAndDestroy();
  }
  assert.ok((await arena.register('there')).key);
});

// Another process holds the database; "locked" when it does, and until it is told to let go.
async function lock(arena) {
  const code = 'import sqlite3,sys\nc=sqlite3.connect(sys.argv[1],timeout=20,isolation_level=None)\nc.execute("BEGIN EXCLUSIVE")\nprint("locked",flush=True)\nsys.stdin.readline()\nc.execute("ROLLBACK")';
  const child = spawn('python3', ['-c', code, path.join(arena.data, 'agon.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
  await within(20000, new Promise((resolve) => child.stdout.on('data', resolve)), 'lock');
  return () => new Promise((resolve) => (child.on('exit', resolve), child.stdin.end('\n')));
}

test('a locked database is waited for, then the server ends and nothing is lost (F8.6)', async (t) => {
  const data = scratch('arena-'), options = [...lonely, '--table-max', '2'];
  t.after(() => rmSync(data, { recursive: true, force: true }));
  let arena = await Arena.start(options, { data });
  const agents = await seat(arena, 'liars_dice', 2, { instance: 'i' });
  await begin(agents);
  let { agent, request } = await asked(agents);
  const other = agents.find((a) => a !== agent);

  let unlock = await lock(arena);
  const frames = other.frames.length;
  agent.act(request, { type: 'bid', data: { quantity: 1, face: 2 } });
  for (let i = 0; i < 20; i++) assert.equal((await arena.call('GET', '/api/health')).status, 200); // it lives meanwhile
  assert.equal(other.frames.length, frames, 'nothing leaves before it is on disk (F8.1)');
  await unlock();
  request = await other.next('action_request');
  assert.deepEqual(request.data.state.current_bid.quantity, 1);

  unlock = await lock(arena);
  other.act(request, { type: 'bid', data: { quantity: 2, face: 2 } });
  assert.deepEqual((await Promise.all(agents.map((a) => within(30000, a.closed, 'close')))).map((c) => c.code), [1012, 1012]);
  assert.equal(await within(20000, arena.exited, 'exit'), 1);
  assert.match(arena.errors, /storage\.failed.*locked/);
  await unlock();

  arena = await Arena.start(options, { data });
  t.after(() => arena.stop());
  const back = await Promise.all(agents.map((a) => Agent.connect(arena, a.agent, { instance: 'i', memory: a.memory, sameProcess: true })));
  const again = await asked(back);
  assert.equal(again.agent.agent, other.agent); // the second bid never happened (F8.7): it is asked again
  assert.deepEqual(again.request.data.event_history.map((e) => [e.type, e.data.quantity]), [['bid', 1]]);
  again.agent.act(again.request, choose('liars_dice', again.request.data));
  await Promise.all(back.map((a) => play(a)));
  await end(back);
});

test('no secret is on disk', async (t) => {
  const arena = await Arena.start([...lonely, '--admin-token', TOKEN, '--claim', 'token', '--log-level', 'debug']);
  const secrets = { 'operator token': TOKEN };
  const register = async (name) => {
    const { body } = await arena.call('POST', '/api/agents/register', { body: { name } });
    secrets[`key of ${name}`] = body.agent.api_key;
    secrets[`claim token of ${name}`] = body.claim_token;
    return { id: body.agent.id, key: body.agent.api_key, claim: body.claim_token };
  };
  const [host, guest] = [await register('host'), await register('guest')];
  const claim = await arena.call('POST', '/api/claim', { body: { claim_token: host.claim, email: 'a@example.org', terms_accepted: true, terms_version: '1', privacy_version: '1' } });
  secrets['verification token'] = claim.body.dev_token;
  assert.equal((await arena.call('GET', `/api/auth/verify?token=${claim.body.dev_token}`)).status, 200);
  const code = await arena.call('POST', `/api/admin/agents/${guest.id}/pairing-code`, operator);
  secrets['pairing code'] = code.body.pairing_code;
  secrets['key after pairing'] = (await arena.call('POST', '/api/bridge/pair', { body: { pairing_code: code.body.pairing_code } })).body.agent.api_key;
  secrets['rotated key'] = (await arena.call('POST', `/api/admin/agents/${guest.id}/key`, operator)).body.api_key;
  const duel = await arena.call('POST', '/api/challenges', { key: host.key, body: { game: 'coup', accept_mode: 'single' } });
  secrets['challenge token'] = duel.body.join_url.split('/').at(-1);
  for (const [what, secret] of Object.entries(secrets)) assert.ok(secret?.length >= 15, what);
  const scan = (when) => {
    for (const name of readdirSync(arena.data, { recursive: true })) {
      const file = path.join(arena.data, name);
      if (!statSync(file).isFile()) continue;
      const bytes = readFileSync(file);
      for (const [what, secret] of Object.entries(secrets)) {
        const [, word] = /^(?:[a-z]+_)?(.*)$/.exec(secret);
        assert.ok(!bytes.includes(word), `${what} in ${name} ${when}`);
        if (/^([0-9a-f]{2})+$/.test(word)) assert.ok(!bytes.includes(Buffer.from(word, 'hex')), `${what} as bytes in ${name} ${when}`);
      }
    }
  };
  assert.ok(readFileSync(path.join(arena.data, 'agon.db-wal')).includes('a@example.org')); // so the scan would find what is there
  scan('while it runs');
  const own = arena.own;
  arena.own = false;
  await arena.stop();
  scan('afterwards');
  for (const [what, secret] of Object.entries(secrets)) assert.ok(!arena.errors.includes(secret), `${what} in the log`);
  if (own) rmSync(arena.data, { recursive: true, force: true });
});

// F4.22: an end is told until it is known to have arrived. An agent that counted it twice would leave while it waits for its next match.
test('agon agent counts an end that is told twice once', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }), [first, second] = ['1', '2'].map((n) => STRANGE.replace(/1$/, n));
  await new Promise((resolve) => server.on('listening', resolve));
  server.on('connection', (ws) => {
    const say = (type, data) => ws.send(JSON.stringify({ type, data }));
    const start = (session) => say('game_start', { match_id: session, game: 'coup', your_player_id: 'p0', players: [] });
    const over = (session) => say('game_over', { match_id: session, session_id: session, result: {}, players: [] });
    let joins = 0;
    ws.on('message', (m) => {
      if (JSON.parse(m).type !== 'join_queue') return;
      if (++joins === 1) start(first);
      over(first);
      if (joins === 1) return;
      start(second);
      over(second);
    });
    say('welcome', {});
  });
  const child = spawn(agon, ['agent', '--server', `http://127.0.0.1:${server.address().port}`, '--key', 'agk_x', '--game', 'coup', '--games', '2', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (d) => (out += d));
  assert.equal(await within(60000, new Promise((resolve) => child.on('close', resolve)), 'end of the agent'), 0);
  const { started, finished, connected } = JSON.parse(out);
  assert.deepEqual({ started, finished, connected }, { started: 2, finished: 2, connected: 1 });
  server.close();
});
