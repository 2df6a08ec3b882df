// A remote store (S5): its answers are late and out of order, it refuses writes, it goes away and comes back. The server
// waits for it in jobs, never in its loop.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import WebSocket from 'ws';
import { Agent, Arena, end, metric, play } from './lib/arena.mjs';
import { scratch } from './lib/scratch.mjs';
import { until, within } from './lib/wait.mjs';

const options = ['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--message-rate', '100000', '--message-burst', '100000'];

// A server whose store does as `script` says; `tell` changes it.
async function start(t, script, data) {
  const file = path.join(scratch('store-'), 'script');
  const tell = (s) => {
    const { delay = 0, mixed = 0, away = 0, begins = 0, finishes = 0 } = s;
    writeFileSync(`${file}.new`, `delay=${delay} mixed=${mixed} away=${away} begins=${begins} finishes=${finishes}\n`);
    renameSync(`${file}.new`, file);
  };
  tell(script);
  const arena = await Arena.start(options, { data, shell: `AGON_TEST_STORE=${file} exec "$@"` });
  const stop = async () => !arena.stopped && (arena.stopped = true) && arena.stop();
  t.after(stop);
  return { arena, tell, stop };
}
const health = async (arena) => (await arena.call('GET', '/api/health')).body.status;
const connect = async (arena, name) => Agent.connect(arena, await arena.register(name, { auto_confirm: true }));
const players = (arena, ...names) => Promise.all(names.map((n) => connect(arena, n)));
const meet = async (agents) => {
  for (const a of agents) a.join('liars_dice', { one_shot: true });
  await Promise.all(agents.map((a) => a.next('game_start')));
};

test('answers that come late and in another order', async (t) => {
  const { arena } = await start(t, { delay: 25, mixed: 1 });
  const before = await metric(arena, 'store_blocked_reads_total');
  const agents = await players(arena, 'one', 'two', 'three', 'four');
  await meet(agents.slice(0, 2));
  await meet(agents.slice(2));
  const ids = agents.map((a) => a.agent.id);
  const reads = ['/api/leaderboard', '/api/matches', '/api/leaderboard/liars_dice', '/api/commitments', ...ids.map((i) => `/api/agents/${i}/profile`)];
  const [, ...answers] = await Promise.all([Promise.all(agents.map((a) => play(a))), ...reads.map((r) => arena.call('GET', r))]);
  for (const a of answers) assert.equal(a.status, 200);
  assert.equal((await arena.call('GET', '/api/agents/me/status', { key: 'agk_0000' })).status, 401); // after a wait, too
  await until(async () => (await arena.call('GET', '/api/matches')).body.matches.length === 2, 'both matches');
  assert.equal(await metric(arena, 'store_blocked_reads_total'), before); // nobody has held up the loop
  await end(agents);
});

test('clients that leave while their answers are on the way', async (t) => {
  const data = scratch('leave-'), first = await Arena.start(options, { data });
  const who = await first.register('early');
  await first.stop();
  const { arena, tell, stop } = await start(t, { delay: 600000 }, data);
  const jobs = () => metric(arena, 'jobs');
  const leave = new AbortController();
  const call = (where) => fetch(arena.url + where, { signal: leave.signal, headers: { 'x-api-key': who.key } }).then(() => 'answered', () => 'left');
  const calls = ['/api/matches', '/api/leaderboard', '/api/agents/me/status'].map(call);
  const sockets = Array.from({ length: 8 }, () => new WebSocket(`ws://${arena.host}:${arena.port}/api/ws`, { headers: { 'x-api-key': who.key } }));
  for (const s of sockets) s.on('error', () => {});
  await until(async () => (await jobs()) >= 11, 'reads that wait');
  for (const s of sockets) s.terminate();
  leave.abort();
  assert.deepEqual(await Promise.all(calls), ['left', 'left', 'left']);
  tell({}); // the answers come, and nobody is there
  await until(async () => (await jobs()) <= 1, 'the end of all jobs but its own');
  const a = await Agent.connect(arena, who); // the agent is none the worse for it
  await a.close();
  tell({ delay: 600000 });
  await until(async () => {
    fetch(`${arena.url}/api/matches`).catch(() => {}); // until the script is in force they are answered
    return (await jobs()) > 2;
  }, 'reads that wait');
  await stop(); // which waits for none of them
});

test('a beginning and an end that are refused', async (t) => {
  const { arena } = await start(t, { begins: 1, finishes: 1 });
  const agents = await players(arena, 'one', 'two');
  for (const a of agents) a.join('liars_dice');
  for (const a of agents) assert.deepEqual((await a.next('match_cancelled')).data, { reason: 'opponent_not_ready', action: 're_queued' });
  await Promise.all(agents.map((a) => a.next('game_start'))); // of the second
  await Promise.all(agents.map((a) => play(a)));
  const { body } = await arena.call('GET', '/api/matches');
  assert.equal(body.matches.length, 1);
  await end(agents);
});

test('away while a match is played, and back', async (t) => {
  const { arena, tell } = await start(t, {});
  const agents = await players(arena, 'one', 'two'), third = await arena.register('third');
  await meet(agents);
  tell({ away: 1 });
  await until(async () => (await health(arena)) === 'store_away', 'health that says so');
  const refused = await within(20000, new Promise((resolve) => {
    const s = new WebSocket(`ws://${arena.host}:${arena.port}/api/ws`, { headers: { 'x-api-key': third.key } });
    s.on('unexpected-response', (_, r) => resolve(r.resume()));
    s.on('error', () => {});
  }), 'refusal of a socket');
  assert.equal(refused.statusCode, 503);
  assert.match(refused.headers['retry-after'], /^\d+$/);
  const post = arena.call('PATCH', '/api/agents/me/name', { key: third.key, body: { name: 'other' } });
  const read = arena.call('GET', '/api/matches');
  const at = agents[0].read; // what was asked stays to be answered
  agents[0].ws.send(JSON.stringify({ type: 'leave_queue' }));
  assert.match((await agents[0].next('error')).data.message, /cannot reach its store/);
  agents[0].read = at;
  for (const call of [post, read]) {
    const { status, body } = await within(20000, call, 'refusal of a call');
    assert.equal(status, 503);
    assert.match(body.error, /cannot reach its store/);
  }
  tell({});
  await until(async () => (await health(arena)) === 'ok', 'health that says so');
  await Promise.all(agents.map((a) => play(a)));
  assert.equal((await arena.call('GET', '/api/agents/me/status', { key: third.key })).body.name, 'third'); // nothing was accepted
  await until(async () => (await arena.call('GET', '/api/matches')).body.matches.length === 1, 'the match');
  await end(agents);
});
