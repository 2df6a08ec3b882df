// Windows of Coup over WebSocket: several seats are asked at once (F4.12 to F4.15, F6.C4).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arena, begin, end, play, seat } from './lib/arena.mjs';

const options = ['--house-bots', '0', '--table-max', '4', '--fill-wait', '60000', '--message-rate', '1000', '--message-burst', '1000'];

// Four at a table in the order of their seats, and what each is asked now.
async function table(more = []) {
  const arena = await Arena.start([...options, ...more]);
  const agents = await seat(arena, 'coup', 4);
  const starts = await begin(agents);
  const players = [];
  starts.forEach((s, i) => (players[s.data.your_position] = agents[i]));
  return { arena, players };
}
const close = async ({ arena, players }) => (await end(players), arena.stop());

// Whatever was said before on this connection has been judged, and what follows from it at once has come.
async function settle(...players) {
  for (const p of players) {
    p.send({ type: 'leave_queue' });
    await p.next('queue_left');
  }
}
// All of them, each with its request.
const questions = (players) => Promise.all(players.map(async (p) => [p, await p.next('action_request')]));
const told = (player) => {
  const seen = new Map();
  for (const f of player.frames) for (const e of [...(f.data.events ?? []), ...(f.data.new_events ?? [])]) seen.set(e.seq, e);
  return [...seen.keys()].sort((a, b) => a - b).map((k) => seen.get(k));
};
const words = (player) => told(player).map((e) => `${e.type} ${e.player}`);
const waitFor = async (player, word) => {
  const at = player.read; // requests that come meanwhile are still to be taken
  while (!words(player).includes(word)) await player.next('*');
  player.read = at;
};

test('as a rule the first challenge closes the window, and the other requests are stale', async () => {
  const t = await table(), [p0, p1, p2, p3] = t.players;
  const [[, first]] = await questions([p0]);
  p0.act(first, { type: 'tax' });
  const [[, q1], [, q2], [, q3]] = await questions([p1, p2, p3]);
  for (const q of [q1, q2, q3]) assert.deepEqual(q.data.legal_actions.map((a) => a.type), ['challenge', 'pass']);
  assert.equal(new Set([q1, q2, q3].map((q) => q.data.request_id)).size, 3); // each has an id of its own
  p2.act(q2, { type: 'pass' });
  await waitFor(p1, 'challenge_pass p2');
  await waitFor(p3, 'challenge_pass p2');
  assert.equal(p3.frames.filter((f) => f.type === 'action_request').length, 1); // F4.13: nobody is asked again
  p2.act(q2, { type: 'challenge' }); // he has answered
  assert.equal((await p2.next('action_stale')).data.request_id, q2.data.request_id);
  p3.act(q3, { type: 'challenge' }); // the id is as good as before
  await waitFor(p1, 'challenge p3');
  p1.act(q1, { type: 'challenge' });
  assert.equal((await p1.next('action_stale')).data.request_id, q1.data.request_id);
  assert.deepEqual(words(p1).slice(0, 4), ['action p0', 'challenge_pass p2', 'challenge p3', 'challenge_result p0']);
  await close(t);
});

test('deterministic windows: passes in asking order, then the first challenger in that order', async () => {
  const t = await table(['--deterministic-windows']), [p0, p1, p2, p3] = t.players;
  const [[, first]] = await questions([p0]);
  p0.act(first, { type: 'tax' });
  const [[, q1], [, q2], [, q3]] = await questions([p1, p2, p3]);
  p3.act(q3, { type: 'challenge' }); // the first to answer, the last to be asked
  p1.act(q1, { type: 'pass' });
  await settle(p3, p1, p0, p2);
  for (const p of t.players) assert.deepEqual(words(p).slice(1), [], 'nothing is known before all have answered');
  p3.act(q3, { type: 'pass' }); // he has answered
  assert.equal((await p3.next('action_stale')).data.request_id, q3.data.request_id);
  p2.act(q2, { type: 'challenge' });
  await waitFor(p0, 'challenge_result p0');
  assert.deepEqual(words(p0).slice(0, 4), ['action p0', 'challenge_pass p1', 'challenge p2', 'challenge_result p0']); // p3's lapses
  await waitFor(p3, 'challenge_result p0');
  assert.ok(!words(p3).includes('challenge p3'));
  await close(t);
});

test('deterministic windows: the order begins left of the claimant, in blocks as in challenges', async () => {
  const t = await table(['--deterministic-windows']), [p0, p1, p2, p3] = t.players;
  for (const p of [p0, p1]) p.act((await questions([p]))[0][1], { type: 'income' });
  p2.act((await questions([p2]))[0][1], { type: 'foreign_aid' });
  const [[, q0], [, q1], [, q3]] = await questions([p0, p1, p3]);
  for (const q of [q0, q1, q3]) assert.deepEqual(q.data.legal_actions.map((a) => a.type), ['block', 'pass']);
  const duke = { type: 'block', data: { role: 'Duke' } };
  p1.act(q1, duke); // p3, p0, p1 is the order: p3 passes, so p0 is the blocker
  p0.act(q0, duke);
  await settle(p1, p0);
  p3.act(q3, { type: 'pass' });
  await waitFor(p2, 'block p0');
  assert.deepEqual(words(p2).slice(2), ['action p2', 'block_pass p3', 'block p0']);
  // Who doubts the block: all but the blocker, the actor among them; p1, p2, p3 is the order now.
  const [[, r1], [, r2], [, r3]] = await questions([p1, p2, p3]);
  p3.act(r3, { type: 'challenge' });
  p2.act(r2, { type: 'challenge' });
  await settle(p3, p2);
  p1.act(r1, { type: 'pass' });
  await waitFor(p1, 'challenge_block p2');
  assert.deepEqual(words(p1).slice(5, 7), ['block_challenge_pass p1', 'challenge_block p2']);
  await close(t);
});

// The same answers in whatever order they arrive make the same match.
test('deterministic windows: the order of arrival changes nothing', async () => {
  const logs = [];
  for (const order of [[1, 2, 3], [3, 2, 1], [2, 3, 1]]) {
    const t = await table(['--deterministic-windows', '--seed', '5']), [p0] = t.players;
    p0.act((await questions([p0]))[0][1], { type: 'exchange' });
    const asks = new Map(await questions(t.players.slice(1)));
    for (const i of order) {
      t.players[i].act(asks.get(t.players[i]), { type: i === 1 ? 'pass' : 'challenge' });
      await settle(t.players[i]);
    }
    await waitFor(p0, 'challenge_result p0');
    logs.push(told(p0).slice(0, 4).map(({ ts, ...e }) => e));
    await close(t);
  }
  assert.deepEqual(logs[1], logs[0]);
  assert.deepEqual(logs[2], logs[0]);
});

test('deterministic windows: whoever is late is passed for, and the others wait for that', async () => {
  const t = await table(['--deterministic-windows', '--turn-timeout', '10000']), [p0, p1, p2, p3] = t.players;
  p0.act((await questions([p0]))[0][1], { type: 'tax' });
  const [[, q1], , [, q3]] = await questions([p1, p2, p3]);
  p1.act(q1, { type: 'pass' });
  p3.act(q3, { type: 'challenge' });
  await waitFor(p0, 'challenge p3');
  assert.deepEqual(words(p0).slice(0, 4), ['action p0', 'challenge_pass p1', 'challenge_pass p2', 'challenge p3']); // F6.C15
  await close(t);
});

test('matches with deterministic windows are played to their end', async () => {
  const t = await table(['--deterministic-windows']);
  const ends = await Promise.all(t.players.map((p) => play(p)));
  assert.equal(new Set(ends.map(([f]) => f.data.match_id)).size, 1);
  await close(t);
});
