// The arena over WebSocket: handshake, queues, matches, errors, reconnects.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import WebSocket, { WebSocketServer } from 'ws';
import { Agent, agon, Arena, asked, begin, checkFrame, choose, end, headersOf, play, root, seat, shared } from './lib/arena.mjs';
import { scratch } from './lib/scratch.mjs';
import { within } from './lib/wait.mjs';

const fast = ['--fill-wait', '100']; // and the usual limits of messages: nobody who answers meets them
const lonely = [...fast, '--house-bots', '0'];

test('every game is played to its end', async (t) => {
  const cases = [['texas_holdem', 3], ['liars_dice', 3], ['coup', 3], ['belote', 4], ['texas_holdem', 2], ['coup', 2]];
  for (const [game, count] of cases)
    await t.test(`${game} by ${count}`, async (t) => {
      const arena = await Arena.start([...lonely, '--table-max', String(count), '--fill-wait', '60000']); // a full table begins at once
      t.after(() => arena.stop());
      const agents = await seat(arena, game, count, { onFrame: hideAndSeek });
      const ends = (await Promise.all(agents.map((a) => play(a)))).map(([f]) => f.data);
      for (const d of ends) {
        assert.deepEqual(d.result, ends[0].result);
        assert.equal(d.match_id, ends[0].match_id);
        assert.deepEqual(new Set(d.players.map((p) => p.agent_id)), new Set(agents.map((a) => a.agent.id)));
        assert.equal(Object.keys(d.result.payoffs).length, count); // F6.3
        assert.ok(d.replay_url && !d.forfeit_reason);
      }
      assert.equal(new Set(ends.map((d) => d.session_id)).size, count); // F2.6
      await end(agents);
    });
});

// Secrecy: of cards, a frame shows a player's own, the board, and what lay open at a showdown, and no others.
function hideAndSeek(frame, agent) {
  const cards = (value) => JSON.stringify(value ?? null).match(/"[2-9TJQKA][cdhs]"/g) ?? [];
  const game = agent.memory.game.get(frame.data.match_id);
  if (game === 'texas_holdem' && frame.data.state) {
    const { your_hand, community_cards, ...rest } = frame.data.state;
    if (cards({ ...rest, more: frame.data.players }).length) agent.faults.push(new Error('cards outside the own hand and the board'));
  }
  if (game === 'texas_holdem')
    for (const e of [...(frame.data.events ?? []), ...(frame.data.new_events ?? [])])
      if (e.type === 'hand_result' && e.data.reason === 'all_folded')
        for (const pid of Object.keys(e.data.hands)) if (pid !== agent.pid) agent.faults.push(new Error(`a mucked hand of ${pid}`));
  if (frame.type === 'game_start') agent.pid = frame.data.your_player_id;
  for (const p of Array.isArray(frame.data.players) ? frame.data.players : []) if (p.id !== agent.pid && p.data?.dice) agent.faults.push(new Error('dice of others'));
}

test('what is refused before the upgrade', async () => { // F1.1, F1.4
  const arena = await Arena.start(['--origin', 'https://here.example', '--admin-token', 'secret', ...lonely]);
  const alice = await arena.register('alice');
  const connect = (headers, query = '') => new Promise((resolve) => {
    const ws = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws${query}`, { headers });
    ws.on('unexpected-response', (_, r) => {
      let body = '';
      r.on('data', (d) => (body += d)).on('end', () => resolve({ status: r.statusCode, body, close: r.headers.connection }));
    });
    ws.on('open', () => (ws.close(), resolve({ status: 101 })));
    ws.on('error', () => {});
  });
  const device = 'a'.repeat(64);
  const rows = [ // F1.4, in order: what is bound by one row is met by the next
    [{}, '', 401, 'missing api_key'],
    [{ Authorization: `Bearer ${alice.key}` }, '', 401, 'missing api_key'],
    [{ 'X-API-Key': 'agk_' + '0'.repeat(48) }, '', 401, 'invalid api key'],
    [{ 'X-API-Key': 'x'.repeat(4000) }, '', 401, 'invalid api key'],
    [{ 'X-API-Key': alice.key, Origin: 'https://elsewhere.example' }, '', 403, 'origin not allowed'],
    [{ 'X-API-Key': alice.key, Origin: 'https://here.example' }, '', 101],
    [{}, `?api_key=${alice.key}`, 101],
    [{ 'X-API-Key': alice.key, 'X-Device-Id': device, 'X-AIFight-Client-Kind': 'cli' }, '', 101],
    [{ 'X-API-Key': alice.key, 'X-Device-Id': 'b'.repeat(64) }, '', 403, '{"error":"device_mismatch"}'],
    [{ 'X-API-Key': alice.key, 'X-Device-Id': device, 'X-AIFight-Client-Kind': 'desktop' }, '', 403, '{"error":"client_mismatch","bound_client":"cli"}'],
    [{ 'X-API-Key': alice.key }, '', 101],
  ];
  for (const [headers, query, status, body] of rows) {
    const answer = await connect(headers, query);
    assert.equal(answer.status, status, JSON.stringify(headers).slice(0, 100));
    if (body) assert.equal(answer.body, body);
    if (body) assert.equal(answer.close, 'close');
  }
  assert.equal((await fetch(`${arena.url}/api/ws`)).status, 426);
  await arena.call('POST', `/api/admin/agents/${alice.id}/disable`, { headers: { 'x-agon-admin': 'secret' } });
  assert.deepEqual(await connect({ 'X-API-Key': alice.key }), { status: 403, body: 'agent disabled', close: 'close' });
  await arena.stop();
});

test('versions choose the profile', async () => { // F1.5, F1.6
  for (const [options, rows] of [
    [[], [['v1.2.0', 'v1.2.0'], ['1.2', 'v1.2.0'], ['1.9.7', 'v1.2.0'], ['v1.1.9', 'v1.0.0'], ['1.0', 'v1.0.0'], [null, 'v1.0.0'], ['v2.0.0', 1008], ['0.9', 1008], ['newest', 1008], ['1', 1008], ['1.2.', 1008]]],
    [['--require-protocol', '1.2'], [['1.2.0', 'v1.2.0'], ['1.1.0', 1008], [null, 1008]]],
  ]) {
    const arena = await Arena.start([...lonely, ...options]);
    const alice = await arena.register('alice');
    for (const [version, expected] of rows) {
      const ws = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws`, { headers: headersOf(alice, { version }) });
      const frames = [];
      ws.on('message', (m) => frames.push(JSON.parse(m)));
      const closed = new Promise((resolve) => ws.on('close', resolve));
      if (expected === 1008) {
        assert.equal(await within(20000, closed, `close for ${version}`), 1008);
        assert.equal(frames.length, 1);
        checkFrame(frames[0]);
        assert.match(frames[0].data.message, /v1\.2\.0/);
      } else {
        await within(20000, new Promise((resolve) => ws.on('message', resolve)), 'welcome');
        assert.equal(frames[0].data.server_protocol_version, expected);
        assert.deepEqual(frames[0].data.games, ['texas_holdem', 'liars_dice', 'coup']); // F6.B1
        ws.close();
        await closed;
      }
    }
    await arena.stop();
  }
});

test('an old client plays by turns', async () => {
  const arena = await Arena.start(lonely);
  const agents = await seat(arena, 'liars_dice', 2, { version: 'v1.1.0' });
  await begin(agents);
  const { agent, request } = await asked(agents);
  const other = agents.find((a) => a !== agent);
  other.send({ type: 'action', match_id: other.frames.find((f) => f.type === 'game_start').data.match_id, data: { type: 'challenge' } });
  assert.equal((await other.next('error')).data.message, 'action ignored: no decision is pending');
  agent.act(request, { type: 'challenge' });
  assert.match((await agent.next('error')).data.message, /^action challenge not legal/);
  const again = await agent.next('action_request');
  assert.equal(again.data.retry, true);
  agent.act(again, choose('liars_dice', again.data));
  await Promise.all(agents.map((a) => play(a)));
  for (const a of agents) assert.ok(!a.frames.some((f) => ['match_feed', 'action_stale'].includes(f.type)));
  await end(agents);
  await arena.stop();
});

test('answers that are wrong, late, missing or of others', async () => {
  const arena = await Arena.start([...lonely, '--table-max', '2']);
  const agents = await seat(arena, 'liars_dice', 2);
  await begin(agents);
  let { agent, request } = await asked(agents);
  const other = agents.find((a) => a !== agent), sessionOf = (a) => a.frames.find((f) => f.type === 'game_start').data.match_id;
  const bid = { type: 'bid', data: { quantity: 1, face: 1 } };
  const say = (a, message, wanted) => (a.send({ type: 'action', ...message }), a.next(wanted));

  // F4.3 rows 1, 3, 4, 5: nothing is judged and nothing is lost.
  assert.equal((await say(agent, { match_id: 'x', data: bid, request_id: 'y' }, 'error')).data.message, 'invalid match_id');
  assert.equal((await say(agent, { data: bid }, 'error')).data.message, 'invalid match_id');
  assert.equal((await say(agent, { match_id: sessionOf(other), data: bid, request_id: request.data.request_id }, 'error')).data.message, 'mismatched match_id');
  assert.equal((await say(agent, { match_id: sessionOf(agent), data: bid }, 'error')).data.message, 'request_id is required');
  assert.ok(!('request_id' in (await agent.next('action_stale')).data));
  assert.equal((await say(agent, { match_id: sessionOf(agent), data: bid, request_id: 'old' }, 'action_stale')).data.request_id, 'old');
  assert.equal((await say(other, { match_id: sessionOf(other), data: bid, request_id: request.data.request_id }, 'action_stale')).data.request_id, request.data.request_id);
  for (const data of [undefined, null, 7, 'bid', [], {}, { type: 1 }, { type: 'bid', data: [] }])
    assert.equal((await say(agent, { match_id: sessionOf(agent), data, request_id: request.data.request_id }, 'error')).data.message, 'invalid message format');

  // F4.5, F4.6: the first illegal answer is told and asked again, the second is a strike and played for.
  assert.equal((await say(agent, { match_id: sessionOf(agent), data: { type: 'bid', data: { quantity: 1, face: 9 } }, request_id: request.data.request_id }, 'error')).data.message, 'action bid not legal in current state');
  const retry = await agent.next('action_request');
  assert.deepEqual([retry.data.retry, retry.data.retry_reason, retry.data.retries_left], [true, 'invalid_action', 0]);
  assert.equal(retry.data.new_events, null);
  assert.ok(retry.data.timeout_ms < 300000);
  assert.equal((await say(agent, { match_id: sessionOf(agent), data: bid, request_id: request.data.request_id }, 'action_stale')).data.request_id, request.data.request_id);
  const errors = agent.frames.filter((f) => f.type === 'error').length;
  agent.act(retry, { type: 'surrender' });
  const next = await other.next('action_request'); // the fallback has been played
  assert.deepEqual(next.data.new_events.map((e) => [e.type, e.player]), [['bid', agent.frames.find((f) => f.type === 'game_start').data.your_player_id]]);
  assert.equal(agent.frames.filter((f) => f.type === 'error').length, errors);

  // An answer twice is stale; telemetry that makes no sense is dropped without a word.
  other.act(next, choose('liars_dice', next.data), { usage: 'much', decision: { source: 'dice' } });
  other.act(next, { type: 'challenge' });
  assert.equal((await other.next('action_stale')).data.request_id, next.data.request_id);

  // The second strike of the same player ends the match (F4.16).
  ({ agent: agent, request } = { agent, request: await agent.next('action_request') });
  agent.act(request, { type: 'x' });
  agent.act(await agent.next('action_request', 60000, (f) => f.data.retry), { type: 'x' });
  const over = await other.next('game_over');
  assert.equal(over.data.forfeit_reason, 'invalid_action');
  assert.equal(over.data.forfeited_by, agent.frames.find((f) => f.type === 'game_start').data.your_player_id);
  const gone = await agent.next('game_over');
  agent.act(request, { type: 'challenge' });
  assert.equal((await agent.next('action_stale')).data.match_id, gone.data.session_id); // F4.3 row 2
  await end(agents);
  await arena.stop();
});

test('silence is a strike, then a forfeit', async () => {
  const arena = await Arena.start([...lonely, '--turn-timeout', '400', '--table-max', '2']);
  const agents = await seat(arena, 'texas_holdem', 2, { capabilities: '' });
  await begin(agents);
  const [over] = await Promise.all(agents.map((a) => a.next('game_over')));
  assert.equal(over.data.forfeit_reason, 'timeout');
  const told = agents.map((a) => a.frames.filter((f) => f.type === 'event'));
  assert.ok(told.some((frames) => frames.some((f) => f.data.events[0].type === 'player_disconnected' && f.data.events[0].data.reason === 'timeout'))); // F4.18
  await end(agents);
  await arena.stop();
});

test('messages that are no messages', async () => {
  const arena = await Arena.start(lonely);
  const agent = await Agent.connect(arena, await arena.register('noisy'));
  const bad = 'invalid message format';
  const rows = [ // F1.7, F2.5
    ['{', bad], ['7', bad], ['[]', bad], ['"x"', bad], ['{}', bad], ['{"type":7}', bad], ['{"type":"ping"}', 'unknown message type ping'],
    ['{"type":"join_queue"}', bad], ['{"type":"join_queue","data":[]}', bad], ['{"type":"join_queue","data":{"game":7}}', bad],
    ['{"type":"join_queue","data":{"game":"chess"}}', 'unknown game chess'], ['{"type":"join_queue","data":{"game":"belote"}}', 'unknown game belote'],
    ['{"type":"join_queue","data":{"game":"coup","mode":"BAD"}}', 'unknown mode BAD'], ['{"type":"join_queue","data":{"game":"coup","one_shot":"yes"}}', bad],
    ['{"type":"match_confirm","data":{}}', bad], ['{"type":"match_confirm","data":{"confirm_id":"x"}}', 'unknown confirm_id'],
    ['{"type":"match_confirm","data":{"confirm_id":"aaaaaaaa-0000-4000-8000-000000000001"}}', 'unknown confirm_id'],
    ['{"type":"runtime_status","data":{"ready":true}}', bad], ['{"type":"action"}', 'invalid match_id'],
    ['{"type":"x","data":' + '['.repeat(32) + ']'.repeat(32) + '}', bad],
    ['{"type":"x","data":' + '['.repeat(31) + ']'.repeat(31) + '}', 'unknown message type x'],
    [`{"type":"x","data":"${'y'.repeat(70000)}"}`, 'message too large'],
  ];
  for (const [message, answer] of rows) {
    agent.send(message);
    assert.equal((await agent.next('error')).data.message, answer, message.slice(0, 80));
  }
  agent.ws.send(Buffer.from([1, 2, 3])); // binary
  assert.equal((await agent.next('error')).data.message, bad);
  agent.ws.send('{"type":"leave', { fin: false });
  agent.ws.send('_queue"}');
  assert.equal((await agent.next('queue_left')).data.status, 'ok');
  agent.send({ type: 'runtime_status', data: { request_id: 'aaaaaaaa-0000-4000-8000-000000000001', ready: true, runtime_type: 'direct', checked_at: 'now' } });
  agent.join('coup', { mode: '', extra: 1 });
  assert.deepEqual((await agent.next('queue_joined')).data, { game: 'coup', mode: 'ranked' });
  agent.join('coup', { mode: 'friendly', one_shot: true });
  assert.deepEqual((await agent.next('queue_joined')).data, { game: 'coup', mode: 'friendly', one_shot: true });
  await agent.close();
  await arena.stop();
});

// A client without manners: bytes on a socket.
function raw(arena, agent) {
  const socket = net.connect(arena.port, arena.host);
  const head = Object.entries({ ...headersOf(agent), Host: 'x', Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' });
  socket.write(`GET /api/ws HTTP/1.1\r\n${head.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`);
  socket.bytes = Buffer.alloc(0);
  socket.on('data', (d) => (socket.bytes = Buffer.concat([socket.bytes, d])));
  socket.ended = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => {});
  return socket;
}
const mask = (first, length, payload = Buffer.alloc(0)) => Buffer.concat([Buffer.from([first, 0x80 | length]), Buffer.alloc(4), payload]);

test('frames that are no frames', async () => { // F1.13
  const arena = await Arena.start(lonely);
  const rows = [ // F1.7, F1.8
    [mask(0x81, 1, Buffer.from([0xff])), 1007],
    [Buffer.from([0x81, 1, 0x78]), 1002],
    [mask(0xc1, 0), 1002],
    [mask(0x83, 0), 1002],
    [Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0]), 1009],
  ];
  for (const [bytes, code] of rows) {
    const socket = raw(arena, await arena.register('rude'));
    await within(20000, new Promise((resolve) => socket.on('data', () => socket.bytes.includes('welcome') && resolve())), 'welcome');
    socket.write(bytes);
    await within(20000, new Promise((resolve) => socket.on('data', resolve)), 'close frame');
    const close = socket.bytes.subarray(socket.bytes.lastIndexOf(0x88));
    assert.equal(close.readUInt16BE(2), code);
    socket.destroy();
  }
  await arena.stop();
});

// By the clock of the server, which writes down a frame just before it leaves: a client that is kept waiting itself may
// read two frames at once.
test('welcome comes alone', async () => { // F1.10, F8.8, F9.3
  const transcripts = scratch('transcripts-');
  const arena = await Arena.start([...lonely, '--transcripts', transcripts]);
  const socket = raw(arena, await arena.register('alice'));
  const message = Buffer.from('{"type":"leave_queue"}');
  await within(20000, new Promise((resolve) => socket.on('data', () => socket.bytes.includes('101 Sw') && resolve())), 'upgrade');
  socket.write(mask(0x81, message.length, message));
  await within(20000, new Promise((resolve) => socket.on('data', () => socket.bytes.includes('queue_left') && resolve())), 'answer');
  const [name] = readdirSync(transcripts), lines = readFileSync(path.join(transcripts, name), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const [welcome, answer] = lines.filter((l) => l.direction === 'server_to_client');
  assert.deepEqual([welcome.payload.type, answer.payload.type], ['welcome', 'queue_left']);
  const gap = answer.timestamp_ms - welcome.timestamp_ms;
  assert.ok(gap >= 25, `an answer left ${gap} ms after welcome`); // F1.10
  socket.destroy();
  await arena.stop();
});

test('a returning player goes on', async () => {
  const transcripts = scratch('transcripts-');
  const arena = await Arena.start([...lonely, '--table-max', '2', '--transcripts', transcripts]);
  const agents = await seat(arena, 'liars_dice', 2, { instance: 'process-1' });
  const starts = await begin(agents);
  let { agent, request } = await asked(agents);
  const other = agents.find((a) => a !== agent), start = starts[agents.indexOf(agent)];
  agent.act(request, { type: 'bid', data: { quantity: 1, face: 4 } });
  const theirs = await other.next('action_request');
  agent.ws.terminate();
  await agent.closed;
  other.act(theirs, { type: 'bid', data: { quantity: 2, face: 1 } });

  // The same process: the question again, with its history (F4.19, F4.20), no sooner than 250 ms after welcome.
  let back = await Agent.connect(arena, agent.agent, { instance: 'process-1', sameProcess: true, memory: agent.memory });
  const again = await back.next('action_request');
  const [, second] = readdirSync(transcripts).filter((f) => f.includes(agent.agent.id)).sort(); // by the clock of the server, as above
  const sent = readFileSync(path.join(transcripts, second), 'utf8').trim().split('\n').map((l) => JSON.parse(l)).filter((l) => l.direction === 'server_to_client');
  const at = (type) => sent.find((l) => l.payload.type === type).timestamp_ms, gap = at('action_request') - at('welcome');
  assert.ok(gap >= 250, `it was asked ${gap} ms after welcome`);
  assert.equal(again.data.is_reconnect, true);
  assert.deepEqual(again.data.new_events, []);
  assert.deepEqual(again.data.event_history.map((e) => [e.seq, e.type]), [[0, 'bid'], [1, 'bid']]);
  assert.equal(back.frames.filter((f) => f.type === 'game_start').length, 0);

  // Another process has forgotten: game_start first, to the letter (F4.21); the older connection is told (F1.12).
  const fresh = await Agent.connect(arena, agent.agent, { instance: 'process-2' });
  assert.deepEqual(await back.closed, { code: 4409, reason: '{"reason":"replaced_by_new_connection","same_instance":false}' });
  const restarted = await fresh.next('game_start');
  assert.deepEqual(restarted.data, start.data);
  const third = await fresh.next('action_request');
  assert.notEqual(third.data.request_id, again.data.request_id);
  fresh.act(again, { type: 'challenge' });
  assert.equal((await fresh.next('action_stale')).data.request_id, again.data.request_id);
  fresh.act(third, choose('liars_dice', third.data));

  // Whoever is not asked is shown the state; the same instance is called that.
  await other.next('action_request');
  const watching = await Agent.connect(arena, agent.agent, { instance: 'process-2', memory: fresh.memory });
  assert.deepEqual(await fresh.closed, { code: 4409, reason: '{"reason":"replaced_by_new_connection","same_instance":true}' });
  const shown = await watching.next('game_state');
  assert.equal(shown.data.match_id, start.data.match_id);
  const deaf = await Agent.connect(arena, agent.agent, { bridge: '', memory: watching.memory });
  await watching.closed;
  await Agent.connect(arena, agent.agent, { memory: watching.memory });
  assert.equal((await deaf.closed).code, 1006); // dropped without a word
  await arena.stop();
});

test('a restart loses nothing', async () => {
  const data = scratch('arena-');
  let arena = await Arena.start([...lonely, '--table-max', '2'], { data });
  const agents = await seat(arena, 'liars_dice', 2, { instance: 'i' }); // ten actions at least: five dice, each lost by a bid and a challenge
  await begin(agents);
  const codes = [];
  let told = [];
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM']) {
    for (let i = 0; i < 3; i++) {
      const { agent, request } = await asked(agents);
      told = request.data.event_history ?? told.concat(request.data.new_events ?? []);
      const action = choose('liars_dice', request.data);
      agent.act(request, action);
    }
    await asked(agents); // so the last action counts
    await arena.stop(signal);
    codes.push(...(await Promise.all(agents.map((a) => a.closed))).map((c) => c.code));
    arena = await Arena.start([...lonely, '--table-max', '2'], { data });
    for (let i = 0; i < agents.length; i++) agents[i] = await Agent.connect(arena, agents[i].agent, { instance: 'i', sameProcess: true, memory: agents[i].memory });
  }
  assert.deepEqual(codes.slice(0, 2), [1012, 1012]); // F8.4
  await Promise.all(agents.map((a) => play(a)));
  await end(agents);
  await arena.stop();
  rmSync(data, { recursive: true, force: true });
});

// F8.6: what cannot be written is not accepted; everybody is sent away with 1012 and comes back to the same matches.
test('a full disk ends the server and nothing else', async () => {
  const data = scratch('arena-');
  let arena = await Arena.start([...lonely, '--table-max', '2'], { data, shell: 'trap "" XFSZ; ulimit -f 1100; exec "$@"' });
  const agents = await seat(arena, 'liars_dice', 2, { instance: 'i' });
  const playing = agents.map((a) => play(a, 1000).catch(() => {})); // they queue again by themselves
  assert.deepEqual((await Promise.all(agents.map((a) => a.closed))).map((c) => c.code), [1012, 1012]);
  assert.equal(await within(20000, arena.exited, 'exit'), 1);
  assert.match(arena.errors, /storage.failed/);
  await Promise.all(playing);
  arena = await Arena.start([...lonely, '--table-max', '2'], { data });
  const open = agents.map((a) => [...a.memory.game.keys()].filter((s) => !a.memory.over.has(s)).length);
  const back = await Promise.all(agents.map((a) => Agent.connect(arena, a.agent, { instance: 'i', memory: a.memory })));
  assert.ok(open.every((n) => n <= 1));
  if (open[0]) await Promise.all(back.map((a) => play(a)));
  await end(back);
  await arena.stop();
  rmSync(data, { recursive: true, force: true });
});

test('a lone agent meets house bots', async () => {
  const arena = await Arena.start([...fast, '--house-wait', '100']);
  for (const game of ['texas_holdem', 'belote']) {
    const [agent] = await seat(arena, game, 1);
    const [over] = await play(agent);
    assert.equal(over.data.players.length, game === 'belote' ? 4 : 2);
    await agent.close();
  }
  await arena.stop();
});

test('spectators see what is public, in order, to the end', async () => {
  const arena = await Arena.start([...lonely, '--table-max', '2', '--spectate-delay', '0']);
  const agents = await seat(arena, 'liars_dice', 2);
  await begin(agents);
  const live = (await arena.call('GET', '/api/matches/live')).body.matches;
  assert.equal(live.length, 1);
  const ws = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?live=${live[0].id}`);
  const frames = [];
  ws.on('message', (m) => frames.push(JSON.parse(m)));
  await within(20000, new Promise((resolve, reject) => ws.on('message', resolve).on('error', reject)), 'spectate_start');
  const closed = new Promise((resolve) => ws.on('close', resolve));
  const [over] = await Promise.all(agents.map((a) => play(a)));
  assert.equal(await within(20000, closed, 'end'), 1001);
  assert.equal(frames[0].type, 'spectate_start');
  assert.equal(frames.at(-1).type, 'spectate_end');
  assert.equal(frames.at(-1).data.replay_url, over[0].data.replay_url);
  for (const f of frames) {
    checkFrame(f, f.type === 'spectate_end' ? null : 'liars_dice');
    assert.equal(f.data.match_id, over[0].data.match_id);
    assert.ok(!('your_dice' in (f.data.state ?? {})));
  }
  const seqs = frames.filter((f) => f.type === 'event').flatMap((f) => f.data.events.map((e) => e.seq));
  seqs.forEach((seq, i) => assert.equal(seq, seqs[0] + i));
  const missing = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?live=${live[0].id}x`);
  assert.equal(await new Promise((resolve) => missing.on('unexpected-response', (_, r) => resolve(r.statusCode)).on('error', () => {})), 404);
  await end(agents);
  await arena.stop();
});

test('a flood is dammed and costs nothing', async () => {
  const arena = await Arena.start(['--house-bots', '0', '--message-rate', '2']); // so slow that a busy machine earns no more
  const agent = await Agent.connect(arena, await arena.register('hasty'));
  for (let i = 0; i < 200; i++) agent.send({ type: 'leave_queue' });
  const count = (type) => agent.frames.filter((f) => f.type === type).length;
  await within(20000, new Promise((resolve) => (agent.ws.once('pong', resolve), agent.ws.ping())), 'a pong: all 200 have come');
  while (count('queue_left') < 60 || !count('error')) await agent.next('*');
  const told = count('error');
  assert.ok(told >= 1 && told <= 3, `${told} errors`);
  agent.read = agent.frames.length;
  let more = 0;
  for (let heard; !heard; more++) {
    agent.send({ type: 'leave_queue' });
    heard = await agent.next('queue_left', 100).catch(() => null); // it is heard again in a while
  }
  const left = count('queue_left') - more;
  assert.ok(left <= 100, `${left} of 200 were answered`); // F1.14: 60 at once, and what time allows
  assert.equal(agent.ws.readyState, WebSocket.OPEN);
  await agent.close();
  await arena.stop();
});

// F1.14: an answer that the server waits for is never counted, however many messages came before it.
test('a flood does not drown an awaited action', async () => {
  const arena = await Arena.start([...lonely, '--table-max', '2']);
  const agents = await seat(arena, 'liars_dice', 2, {});
  await begin(agents);
  const { agent, request } = await asked(agents);
  const other = agents.find((a) => a !== agent);
  for (let i = 0; i < 300; i++) agent.send({ type: 'leave_queue' });
  agent.act(request, { type: 'bid', data: { quantity: 2, face: 4 } });
  const next = await other.next('action_request');
  assert.deepEqual(next.data.new_events.map((e) => e.type), ['bid']);
  // A malformed action leaves the question open, so it counts: the flood of them is cut, and the answer behind it is taken.
  for (let i = 0; i < 300; i++) other.send({ type: 'action', match_id: next.data.match_id, request_id: next.data.request_id, data: 7 });
  other.act(next, { type: 'challenge' });
  await agent.next('*', 60000, (f) => ['action_request', 'match_feed'].includes(f.type) && JSON.stringify(f).includes('"challenge"'));
  await within(20000, new Promise((resolve) => (other.ws.once('pong', resolve), other.ws.ping())), 'pong'); // behind all errors
  const errors = other.frames.filter((f) => f.type === 'error').length;
  assert.ok(errors > 0 && errors < 200, `${errors} errors`);
  await end(agents);
  await arena.stop();
});

// F4.21: with a pong the server knows that game_start arrived, and keeps it on disk, also before anybody has acted.
test('game_start goes once to an instance, also after a restart', async () => {
  const data = scratch('arena-');
  let arena = await Arena.start([...lonely, '--table-max', '2'], { data });
  const agents = await seat(arena, 'liars_dice', 2, { instance: 'one' });
  await begin(agents);
  const { agent } = await asked(agents);
  // Pongs come in order: when this one is answered, the one of game_start was read.
  for (const a of agents) await within(20000, new Promise((resolve) => (a.ws.once('pong', resolve), a.ws.ping())), 'pong');
  await arena.stop();
  await Promise.all(agents.map((a) => a.closed));
  arena = await Arena.start([...lonely, '--table-max', '2'], { data });
  for (const a of agents) {
    const back = await Agent.connect(arena, a.agent, { instance: 'one', memory: a.memory });
    const first = await back.next('*', 60000, (f) => ['game_start', 'action_request', 'game_state'].includes(f.type));
    assert.equal(first.type, a === agent ? 'action_request' : 'game_state');
    await back.close();
  }
  await arena.stop();
});

// F7.2: where claims are automatic, an owner shows by the address, the device, or the key that registered an agent.
test('agents of one owner are not rated against each other', async () => {
  const arena = await Arena.start([...lonely, '--table-max', '2']);
  const register = async (name, headers) => {
    const { status, body } = await arena.call('POST', '/api/agents/register', { body: { name }, headers });
    assert.equal(status, 201);
    return { id: body.agent.id, key: body.agent.api_key, name };
  };
  const from = (address) => ({ 'x-forwarded-for': address });
  const first = await register('first', from('192.0.2.1'));
  for (const [second, rated] of [
    [await register('neighbour', from('192.0.2.1')), false],
    [await register('child', { ...from('192.0.2.2'), 'x-api-key': first.key }), false],
    [await register('stranger', from('192.0.2.3')), true],
  ]) {
    const agents = [];
    for (const agent of [first, second]) {
      agents.push(await Agent.connect(arena, agent, { capabilities: 'match_feed' }));
      agents.at(-1).join('liars_dice');
      await agents.at(-1).next('queue_joined');
    }
    await begin(agents);
    const [over] = await Promise.all(agents.map((a) => play(a)));
    const { body } = await arena.call('GET', over[0].data.replay_url.replace(/^.*\/replay/, '/api/replays'));
    assert.equal(body.rated, rated, second.name);
    await end(agents);
  }
  await arena.stop();
});

// F9.4 (b): the hand-made files tell which types come in which order, with which fields.
test('the shapes of the golden transcripts', { skip: !existsSync(path.join(shared, 'vectors/aifight')) }, async () => {
  const golden = (name) => readFileSync(path.join(shared, 'vectors/aifight/edge_cases', name), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const keys = (value) => Object.keys(value).sort();
  const shapes = (lines) => lines.filter((l) => l.direction === 'server_to_client').map(({ payload }) => [payload.type, keys(payload.data).join()]);
  const transcripts = scratch('transcripts-');
  const arena = await Arena.start([...lonely, '--table-max', '2', '--transcripts', transcripts]);
  const agents = await seat(arena, 'liars_dice', 2, { instance: 'one', capabilities: '' });
  await begin(agents);
  const { agent, request } = await asked(agents);
  const other = agents.find((a) => a !== agent);
  agent.act(request, { type: 'bid', data: { quantity: 2, face: 4 } });
  other.act(await other.next('action_request'), { type: 'bid', data: { quantity: 3, face: 5 } });
  await agent.next('action_request');
  agent.ws.terminate();
  await agent.closed;
  const back = await Agent.connect(arena, agent.agent, { instance: 'one', memory: agent.memory, capabilities: '' });
  await back.next('action_request');
  const files = readdirSync(transcripts).filter((f) => f.includes(agent.agent.id)).sort().map((f) => readFileSync(path.join(transcripts, f), 'utf8').trim().split('\n').map((l) => JSON.parse(l)));
  for (const line of files.flat()) {
    assert.equal(line.actor, agent.agent.id);
    assert.ok(Number.isInteger(line.timestamp_ms));
    if (line.payload.data?.match_id) assert.equal(line.match_id, line.payload.data.match_id);
  }
  const confirm = shapes(golden('match_confirm_happy.jsonl'));
  assert.deepEqual(shapes(files[0]).slice(0, confirm.length).map(([t]) => t), confirm.map(([t]) => t));
  confirm.forEach(([type, fields], i) => assert.equal(shapes(files[0])[i][1], fields, type));
  const reconnect = shapes(golden('reconnect_mid_match.jsonl')), ours = [...shapes(files[0]).filter(([t]) => ['welcome', 'game_start', 'action_request'].includes(t)).slice(0, 3), ...shapes(files[1])];
  assert.deepEqual(ours.map(([t]) => t), reconnect.map(([t]) => t));
  reconnect.forEach(([type, fields], i) => assert.equal(ours[i][1], fields, type));
  await back.close();
  await end([other]);
  await arena.stop();
  rmSync(transcripts, { recursive: true, force: true });
});

const run = (command, args) => new Promise((resolve) => execFile(command, args, { encoding: 'utf8', timeout: 600000 }, (error, out, err) => resolve({ status: error ? error.code ?? 1 : 0, out, err })));

// A server that takes only the second join. What it cannot put into its store is lost as well.
for (const lost of ['rate limit', 'the server cannot reach its store; try again in a few seconds', 'agent is not claimed', 'matchmaking gate denied: maintenance'])
  test(`agon agent says again what was not heard: ${lost} (F1.14)`, async () => {
    const server = http.createServer((request, response) => response.writeHead(201).end(JSON.stringify({ agent: { api_key: 'agk_0123' } })));
    const joins = [], say = (ws, type, data) => ws.send(JSON.stringify({ type, data }));
    new WebSocketServer({ server, path: '/api/ws' }).on('connection', (ws) => {
      say(ws, 'welcome', {});
      ws.on('message', (text) => {
        joins.push(JSON.parse(text));
        if (joins.length === 1) say(ws, 'error', { message: lost });
        else say(ws, 'game_over', {});
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const done = await run(agon, ['agent', '--server', `http://127.0.0.1:${server.address().port}`, '--game', 'liars_dice', '--games', '1', '--json']);
    assert.equal(done.status, 0, done.err + done.out);
    const report = JSON.parse(done.out);
    assert.deepEqual([report.finished, report.errors, report.faults, report.last_error], [1, 1, 0, lost], done.out);
    assert.deepEqual(joins.map((j) => j.type), ['join_queue', 'join_queue']);
    server.close();
  });

test('agon agent counts what it won (F2.3)', async () => {
  const server = http.createServer((request, response) => response.writeHead(201).end(JSON.stringify({ agent: { api_key: 'agk_0123' } })));
  const results = [{ payoffs: { p0: 0, p1: 1, p2: 1 }, is_draw: false }, { payoffs: { p0: 1, p1: 1 }, is_draw: true }, { payoffs: { p0: 1, p1: 0 }, is_draw: false, winner: 'p0' }];
  new WebSocketServer({ server, path: '/api/ws' }).on('connection', (ws) => {
    const say = (type, data) => ws.send(JSON.stringify({ type, data }));
    let played = 0;
    say('welcome', {});
    ws.on('message', () => {
      const session = `s${played}`;
      say('game_start', { match_id: session, your_player_id: 'p1', game: 'belote' });
      say('game_over', { session_id: session, result: results[played++], replay_url: `/replay/${session}` });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const done = await run(agon, ['agent', '--server', url, '--game', 'liars_dice', '--games', '3', '--json']);
  const { finished, won, drawn, last_replay } = JSON.parse(done.out);
  assert.deepEqual([finished, won, drawn, last_replay], [3, 1, 1, '/replay/s2'], done.out + done.err);
  const told = await run(agon, ['agent', '--server', url, '--game', 'liars_dice', '--games', '3']);
  assert.match(told.out, /^won 1, drawn 1, lost 1\nlast replay: http:.*\/replay\/s2$/m);
  server.close();
});

// A machine that loses its power, or a proxy that drops a connection, says nothing: the connection stays open for ever.
test('agon agent reconnects when the server has fallen silent', async () => {
  const server = http.createServer((request, response) => response.writeHead(201).end(JSON.stringify({ agent: { api_key: 'agk_0123' } })));
  const open = [], upgrade = new WebSocketServer({ noServer: true, autoPong: false });
  let tries = 0;
  server.on('upgrade', (request, socket, head) => {
    open.push(socket);
    if (++tries === 1) return; // not even an answer
    upgrade.handleUpgrade(request, socket, head, (ws) => {
      ws.send('{"type":"welcome","data":{}}');
      ws.on('message', () => tries > 2 && ws.send('{"type":"game_over","data":{}}'));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const done = await run(agon, ['agent', '--server', `http://127.0.0.1:${server.address().port}`, '--game', 'liars_dice', '--games', '1', '--silence', '1', '--json']);
  assert.equal(done.status, 0, done.err + done.out);
  const { finished, connected, refused } = JSON.parse(done.out);
  assert.deepEqual([tries >= 3, finished, connected >= 2, refused >= 1], [true, 1, true, true], done.out);
  for (const socket of open) socket.destroy();
  server.close();
});

test('agon agent and the examples play', async (t) => {
  const arena = await Arena.start([...fast, '--house-wait', '100', '--turn-timeout', '20000']);
  for (const game of ['texas_holdem', 'liars_dice', 'coup', 'belote']) {
    const done = await run(agon, ['agent', '--server', arena.url, '--game', game, '--agents', '4', '--games', '1', '--feed', '--json']);
    assert.equal(done.status, 0, done.err);
    const report = JSON.parse(done.out);
    assert.deepEqual([report.registered, report.connected, report.finished, report.errors, report.faults], [4, 4, 4, 0, 0], done.out);
    assert.match(report.last_replay, /^\/replay\/[0-9a-f-]{36}$/);
  }
  const program = `cmd:${process.execPath} -e "require('readline').createInterface({input:process.stdin}).on('line',(l)=>{const {op,id,legal}=JSON.parse(l);if(op!='events')console.log(JSON.stringify(op=='choose'?{id,action:legal.find((x)=>x.type=='pass')??legal[0]}:{id,ok:true}))})"`;
  const own = await run(agon, ['agent', '--server', arena.url, '--game', 'coup', '--bot', program, '--json']);
  assert.deepEqual([own.status, JSON.parse(own.out).finished, JSON.parse(own.out).errors], [0, 1, 0], own.err + own.out);
  for (const [bad, say] of [[['--game', 'chess'], /unknown game 'chess'/], [['--game', 'tetris'], /tetris is not an arena game/], [[], /which game\?.*--game/], [['--game', 'coup', '--server', 'nonsense'], /--server: 'nonsense' is not an address/], [['--game', 'coup', '--bot', 'nobody'], /no bot 'nobody' plays coup/], [['--game', 'coup', '--server', arena.url, '--mode', 'No Such'], /unknown mode No Such/], [['--game', 'coup', '--server', 'http://127.0.0.1:1', '--seconds', '1'], /cannot register: no connection to 127.0.0.1:1; is the server running/], [['--game', 'coup', '--server', 'http://127.0.0.1:1', '--key', 'k', '--seconds', '1'], /cannot connect: no connection to 127.0.0.1:1; is the server running, and its certificate trusted\? \(retrying\)/]]) {
    const done = await run(agon, ['agent', ...bad]);
    assert.notEqual(done.status, 0);
    assert.match(done.err, say);
  }
  for (const file of ['agent.py', 'agent.mjs']) {
    const example = path.join(root, 'examples', file);
    const done = await run(example, ['coup', arena.url]);
    assert.deepEqual([done.status, done.err], [0, '']);
    assert.ok(JSON.parse(done.out.trim()).payoffs, done.out);
    assert.ok(readFileSync(example, 'utf8').split('\n').length <= 80);
  }
  await arena.stop();
});

test('a configuration file, the environment and flags', () => {
  const folder = scratch('config-');
  const file = path.join(folder, 'agon.conf');
  const run = (text, args = [], env = {}) => {
    writeFileSync(file, text);
    try {
      return { status: 0, out: execFileSync(agon, ['serve', '--check', '--config', file, ...args], { encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...env } }) };
    } catch (e) {
      return { status: e.status, out: e.stderr };
    }
  };
  const rows = [
    ['# nothing\n\nport = 0\nturn_timeout = 500\nstrict-compat = true\ngames=coup,belote\n', [], {}, 0, /valid/],
    ['rules = texas_holdem={"max_hands":5}', [], {}, 0, /valid/],
    ['colour = red', [], {}, 2, /agon.conf:1: unknown key 'colour'/],
    ['config = agon.conf', [], {}, 2, /agon.conf:1: 'config' cannot be set in a configuration file, only as the option --config/],
    ['\nport 8080', [], {}, 2, /agon.conf:2: 'port 8080' is not a setting/],
    ['strict-compat = perhaps', [], {}, 2, /must be true or false/],
    ['turn-timeout = soon', [], {}, 2, /--turn-timeout needs a whole number/],
    ['games = chess', [], {}, 2, /unknown game 'chess'/],
    ['rules = texas_holdem={"deck":[]}', [], {}, 2, /no rule 'deck'/],
    ['tls-cert = /nowhere', [], {}, 2, /must be given together/],
    ['tls-cert = /nowhere\ntls-key = /nowhere', [], {}, 2, /cannot read the certificate \/nowhere/],
    ['', [], { AGON_TURN_TIMEOUT: 'x' }, 2, /--turn-timeout needs/],
    ['turn-timeout = 1', ['--turn-timeout', '500'], { AGON_TURN_TIMEOUT: '600' }, 2, /--turn-timeout needs/],
    ['', ['--colour'], {}, 2, /colour/],
    ['table-max = coup=6\ntable-min = texas_holdem=3', ['--table-max', 'texas_holdem=9'], { AGON_AGENT_COOLDOWN: '5' }, 0, /valid/], // F3.2
    ['table-max = coup=7', [], {}, 2, /coup has 2 to 6 players/],
    ['table-max = belote=3', [], {}, 2, /belote has 4 to 4 players/],
    ['table-min = chess=2', [], {}, 2, /unknown game 'chess'/],
    ['table-min = coup=5', [], {}, 2, /a table of coup would have at least 5 and at most 4 players/],
    ['table-min = coup=x', [], {}, 2, /--table-min needs a whole number/],
    ['agent-concurrent = 3\nmax-concurrent = 2', [], {}, 2, /--agent-concurrent 3 is larger than --max-concurrent 2/],
    ['rules = texas_holdem={"starting_chips":400000000}', [], {}, 2, /is not valid for texas_holdem/], // F6.T1: too much for nine
    ['transcripts = /nowhere/at/all', [], {}, 2, /--transcripts \/nowhere\/at\/all: .*create the folder/], // F8.8
    [`transcripts = ${file}`, [], {}, 2, /is not a folder/],
    [`transcripts = ${folder}`, [], {}, 0, /valid/],
    ['backup-folder =', [], {}, 2, /--backup-folder must not be empty/],
    ['public-url = https://arena.example.org:8443/', [], {}, 0, /valid/], // F1.15
    ['public-url = https://', [], {}, 2, /--public-url: .* is not https:\/\/host/],
    ['public-url = https://arena.example.org/there', [], {}, 2, /--public-url: '.*there' is not https/],
    ['', ['--data', file], {}, 2, /is not a writable folder/],
    ['', ['--config', '/nowhere/x'], {}, 2, /cannot read the configuration \/nowhere\/x/],
  ];
  for (const [text, args, env, status, out] of rows) {
    const done = run(text, args, env);
    assert.equal(done.status, status, `${text}: ${done.out}`);
    assert.match(done.out, out);
  }
  rmSync(folder, { recursive: true });
});

test('TLS by certificate files', async () => {
  const folder = scratch('tls-'), cert = path.join(folder, 'cert.pem'), key = path.join(folder, 'key.pem');
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const arena = await Arena.start([...lonely, '--tls-cert', cert, '--tls-key', key, '--table-max', '2']);
  assert.equal(arena.scheme, 'https');
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const agents = await seat(arena, 'texas_holdem', 2);
    await Promise.all(agents.map((a) => play(a)));
    await end(agents);
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
  await arena.stop();
  rmSync(folder, { recursive: true });
});
