// Limits for clients without a key: memory, connections, sessions, tables. AGON_HOSTILE (40): connections of each kind
// that the last test opens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import WebSocket from 'ws';
import { Agent } from './lib/arena.mjs';
import { arenaOf, ask, begin, metric, Peer, post, rss, stats, Watch } from './lib/hostile.mjs';
import { drip } from './lib/wait.mjs';

const MIB = 1 << 20, BODY = 8 * MIB;

// A server for one test, and the connections that it opens.
async function open(t, ...options) {
  const arena = await arenaOf(options), peers = [];
  t.after(async () => {
    peers.forEach((p) => p.destroy());
    await arena.stop();
  });
  return { arena, peer: (bytes) => (peers.push(new Peer(arena, bytes)), peers.at(-1)) };
}

const serves = async (arena) => {
  assert.equal((await ask(arena)).status, 200);
  const operator = await stats(arena);
  assert.ok(operator.ok, operator.stderr);
};

test('150 unfinished bodies of 8 MiB hold little memory', async (t) => {
  const { arena, peer } = await open(t, '--request-timeout', '60'); // this process is busy with 150 of them: a head may leave late
  const session = (await begin(arena)).headers['mcp-session-id'], before = rss(arena);
  let most = 0;
  const pour = async (where, headers) => {
    const all = Array.from({ length: 150 }, () => peer(post(where, BODY, headers)));
    await Promise.all(all.map((p) => p.pour(BODY)));
    most = Math.max(most, rss(arena));
    await serves(arena);
    return all;
  };
  const refused = async (all, status) => {
    for (const p of all) await p.until((x) => x.status, 'refusal');
    assert.deepEqual([...new Set(all.map((p) => p.status))], [status]);
  };
  await refused(await pour('/api/agents/register'), 413);
  await refused(await pour('/api/queue/leave'), 413);
  await refused(await pour('/mcp'), 413); // initialize is short
  const large = await pour('/mcp', `MCP-Session-Id: ${session}\r\n`);
  const held = large.filter((p) => !p.status && !p.closed).length;
  assert.ok(held <= 6, `${held} bodies of 8 MiB are held`); // three quarters of 64 MiB
  const turned = large.filter((p) => p.status);
  assert.ok(turned.every((p) => p.status === 503 || p.status === 408), `${turned.map((p) => p.status)}`);
  assert.ok(turned.filter((p) => p.status === 503).every((p) => /\r\nRetry-After: \d/.test(p.text)));
  assert.ok(most - before < 160, `the server grew by ${most - before} MiB`);
  assert.ok((await metric(arena, 'agon_requests_refused_total{reason="large"}')) >= 450);
});

test('a body is refused by its route, declared or chunked', async (t) => {
  const { arena, peer } = await open(t);
  const chunk = (size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  const head = (where, method = 'POST') => `${method} ${where} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n`;
  assert.equal(await peer(head('/api/agents/register') + chunk(40000) + chunk(40000)).ended(), 413);
  assert.equal(await peer(head('/api/health', 'GET') + chunk(1)).ended(), 413);
  assert.equal(await peer('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n').ended(), 413);
  assert.equal(await peer(post('/api/agents/register', 65537)).ended(), 413);
  assert.equal((await ask(arena, { method: 'POST', path: '/api/agents/register', body: ' '.repeat(65000) + '{"name":"Ada"}' })).status, 201);
  assert.equal((await ask(arena, { method: 'POST', path: '/bots/coup/api/sessions', body: ' '.repeat(1 << 19) })).status, 400); // the bot API has 1 MiB
});

test('heads and bodies that come slowly are ended', async (t) => {
  const { arena, peer } = await open(t, '--request-timeout', '1');
  const slowly = (p, byte) => (drip(p.socket, byte), p);
  const all = [
    peer('GET /api/health HT'),
    slowly(peer('GET /api/health HTTP/1.1\r\nX: '), 'y'),
    peer(post('/api/agents/register', 1000)),
    slowly(peer(post('/api/agents/register', 60000)), 'z'),
  ];
  assert.deepEqual(await Promise.all(all.map((p) => p.ended())), [408, 408, 408, 408]);
  assert.equal(await peer().ended(), 0); // nothing was sent: no answer either
  assert.ok((await metric(arena, 'agon_requests_refused_total{reason="slow"}')) >= 4);
});

test('a client address has so many connections', async (t) => {
  const { arena, peer } = await open(t, '--limit-loopback', '--connections-per-address', '8');
  const own = Array.from({ length: 8 }, () => peer());
  for (const p of own) assert.equal(await p.get('/api/health'), 200);
  assert.equal(await peer().ended(), 429);
  own[0].socket.end(); // its place is free when the server has ended its side too
  await own[0].ended();
  assert.equal(await metric(arena, 'agon_connections_refused_total{reason="address"}'), 1);
});

test('a client behind a proxy has so many connections', async (t) => {
  const { arena, peer } = await open(t, '--connections-per-address', '4');
  // Streams are counted for whom the proxy names, as long as they last.
  const stream = (address) => peer(`GET /api/tetris/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  const opens = async (address) => {
    const p = stream(address);
    await p.until((x) => x.status, 'answer');
    return p.status;
  };
  for (let i = 0; i < 4; i++) assert.equal(await opens('198.51.100.7'), 101);
  assert.equal(await opens('198.51.100.7'), 429);
  assert.equal(await opens('203.0.113.1, 198.51.100.7'), 429); // the last is what the proxy saw
  for (let i = 0; i < 4; i++) assert.equal(await opens(`2001:db8::${i}`), 101);
  assert.equal(await opens('2001:db8::ffff'), 429); // the same network of 64 bits
  assert.equal(await opens('2001:db8:0:1::1'), 101);
  for (let i = 0; i < 6; i++) assert.equal((await ask(arena, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status, 200); // one after the other
  await serves(arena);
});

test('a client address has so many MCP sessions and tables', async (t) => {
  const { arena } = await open(t, '--sessions-per-address', '4', '--tables-per-address', '3');
  const one = { 'x-forwarded-for': '198.51.100.7' };
  const register = (session, table) => ask(arena, {
    method: 'POST', path: '/mcp', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...one, 'mcp-session-id': session },
    body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'register_agent', arguments: { agent_id: `a${table ?? ''}`, agent_type: 'GameMaster', ...(table ? { config: { table } } : {}) } } }),
  });
  const sessions = [];
  for (let i = 0; i < 4; i++) {
    const answer = await begin(arena, one);
    assert.equal(answer.status, 200);
    sessions.push(answer.headers['mcp-session-id']);
  }
  // Sessions in which nobody plays make room for the next, the oldest first.
  const fifth = await begin(arena, one);
  assert.equal(fifth.status, 200);
  sessions.push(fifth.headers['mcp-session-id']);
  assert.equal((await register(sessions[0])).status, 404);
  for (let i = 1; i <= 3; i++) assert.doesNotMatch((await register(sessions[i], `t${i}`)).text, /"error"/);
  assert.match((await register(sessions[4], 't4')).text, /ResourceExhausted/);
  assert.doesNotMatch((await register(sessions[4])).text, /"error"/); // a table of its own
  const refused = await begin(arena, one);
  assert.equal(refused.status, 429);
  assert.match(refused.headers['retry-after'], /^\d+$/);
  assert.equal((await begin(arena, { 'x-forwarded-for': '198.51.100.8' })).status, 200); // somebody else
  assert.equal((await begin(arena)).status, 200); // this machine
  assert.equal(await metric(arena, 'agon_mcp_sessions_refused_total'), 1);
  assert.equal(await metric(arena, 'agon_mcp_tables_refused_total'), 1);
});

test('idle connections make room, and agents stay', async (t) => {
  const { arena, peer } = await open(t, '--connections', '24', '--reserve', '4');
  const agent = await Agent.connect(arena, await arena.register('Ada'));
  const idle = [];
  for (let i = 0; i < 30; i++) assert.equal(await idle[idle.push(peer()) - 1].get('/api/health'), 200); // each finds a place
  for (const p of idle.slice(0, 10)) await p.until((x) => x.closed, 'end of an idle connection'); // the oldest went
  assert.ok(idle.slice(-10).every((p) => !p.closed));
  assert.equal(await idle.at(-1).get('/api/health'), 200);
  const heads = Array.from({ length: 40 }, () => peer('GET /api/hea'));
  await Promise.all(heads.map((p) => p.opened));
  await serves(arena);
  assert.ok((await metric(arena, 'agon_connections_evicted_total')) >= 11);
  agent.ws.ping();
  await new Promise((resolve) => agent.ws.once('pong', resolve));
  await agent.close();
});

test('the operator has places of their own', async (t) => {
  const { arena, peer } = await open(t, '--connections', '12', '--reserve', '4');
  const settled = await Promise.all(Array.from({ length: 8 }, async () => {
    const ws = new WebSocket(`${arena.url.replace('http', 'ws')}/api/tetris/ws`, { perMessageDeflate: false });
    await new Promise((resolve, reject) => ws.on('open', resolve).on('error', reject));
    return ws;
  }));
  t.after(() => settled.forEach((ws) => ws.terminate()));
  const refused = await ask(arena);
  assert.equal(refused.status, 503);
  assert.match(refused.headers['retry-after'], /^\d+$/);
  const silent = Array.from({ length: 20 }, () => peer('GET /api/hea')); // more than the reserve has
  await Promise.all(silent.map((p) => p.opened));
  for (let i = 0; i < 3; i++) {
    const operator = await stats(arena);
    assert.ok(operator.ok, operator.stderr);
  }
  assert.ok((await metric(arena, 'agon_connections_refused_total{reason="full"}')) >= 1);
  for (const p of silent) await p.ended(); // they show no token within two seconds
  assert.ok(settled.every((ws) => ws.readyState === WebSocket.OPEN));
});

// All at once: with many connections this is the row `limits` of make gate.
test('a hostile crowd', async (t) => {
  const each = Number(process.env.AGON_HOSTILE ?? 40), address = (i) => `198.${51 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
  const { arena, peer } = await open(t);
  const session = (await begin(arena)).headers['mcp-session-id'], watch = new Watch(arena);
  const kinds = {
    'unfinished heads': () => peer('GET /api/health HTTP/1.1\r\nX-Padding: ' + 'x'.repeat(8000)),
    'unfinished REST bodies': () => peer(post('/api/agents/register', 65000) + 'x'.repeat(60000)),
    'REST bodies of 8 MiB': async () => peer(post('/api/agents/register', BODY)).pour(BODY),
    'MCP bodies of 8 MiB': async () => peer(post('/mcp', BODY, `MCP-Session-Id: ${session}\r\n`)).pour(BODY),
    'idle connections': () => peer('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    'MCP sessions': (i) => begin(arena, { 'x-forwarded-for': address(i % 97) }),
    'MCP tables': (i) => begin(arena, { 'x-forwarded-for': address(i % 89) }, `t${i}`),
  };
  for (let from = 0; from < each; from += 50) {
    const these = Array.from({ length: Math.min(50, each - from) }, (_, i) => from + i);
    await Promise.all(Object.values(kinds).flatMap((kind) => these.map((i) => kind(i))));
  }
  const { times, failed, operator, first, peak } = await watch.end(), in_time = operator.filter((o) => o.ok);
  const quantile = (q) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * q)].toFixed(1);
  console.log(`# ${each} each of ${Object.keys(kinds).join(', ')}`);
  console.log(`# peak RSS ${peak.toFixed(0)} MiB (${first.toFixed(0)} before); another client: ${times.length} requests, ${failed} failed, p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms; operator: got in ${in_time.length} of ${operator.length} times, at most ${Math.max(...operator.map((o) => o.ms)).toFixed(0)} ms`);
  assert.equal(failed, 0, 'a well-behaved client was not served');
  assert.equal(in_time.length, operator.length, 'the operator did not get in');
  assert.ok(peak - first < 400, `the server grew by ${peak - first} MiB`);
});
