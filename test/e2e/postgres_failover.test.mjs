// The store fails over to a standby while agents play: with a synchronous one nothing that was confirmed is lost (S12, S72);
// with one that lags the nodes say what is missing and go on from what there is (S73). A server waits for its store.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { agon, Agent, Arena, choose, end, play } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { assertHistory, Notes } from './lib/history.mjs';
import { installed } from './lib/postgres.mjs';
import { PostgresPair } from './lib/postgres_pair.mjs';
import { scratch } from './lib/scratch.mjs';
import { until, within } from './lib/wait.mjs';

const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
const options = ['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--message-rate', '100000', '--message-burst', '100000', '--lease', '20000', '--log-json'];
let db, notes, made = 0;
const start = (more = []) => Arena.start([...options, ...more], { seed: null, shell: `AGON_STORE='${db.url}' exec "$@"` });
const health = async (arena) => (await arena.call('GET', '/api/health').catch(() => ({}))).body?.status;
const ready = async (arena) => arena.call('GET', '/api/ready').catch(() => ({}));
const logged = (arena, event) => arena.errors.split('\n').filter((l) => l.startsWith('{')).map((l) => JSON.parse(l)).filter((l) => l.event === event);

before(() => {
  if (skip) return;
  db = PostgresPair.start();
  notes = scratch('notes-');
});
let arena;
after(async () => {
  await arena?.stop().catch(() => {});
  db?.stop();
});

// An agent that notes what it hears and says, and comes back as the same process.
async function come(agent, before) {
  const n = before?.notes ?? new Notes(notes, `agent-${++made}`);
  const a = await Agent.connect(arena, agent ?? (await arena.register(`player ${made}`, { auto_confirm: true })), {
    instance: `process ${n.file}`, memory: before?.memory, sameProcess: !!before, capabilities: 'match_feed', onFrame: (frame, conn) => n.take(frame, conn),
  });
  a.notes = n;
  const act = a.act.bind(a);
  a.act = (frame, action) => {
    n.answer(frame, action, a);
    act(frame, action);
  };
  return a;
}
const meet = async (agents) => {
  for (const a of agents) a.join('liars_dice', { one_shot: true });
  await Promise.all(agents.map((a) => a.next('game_start')));
};
const again = (agents) => Promise.all(agents.map((a) => come(a.agent, a)));
// Whoever is asked next; a question that was waited for and not taken is kept.
const asked = (agents) => Promise.any(agents.map(async (a) => [a, await (a.pending ??= a.next('action_request', 120000))]));
const answer = async (agents) => {
  const [who, frame] = await asked(agents);
  who.pending = null;
  who.act(frame, choose('liars_dice', frame.data, who.chance));
};

// S75.
test('a server waits for a store that is away', { skip }, async () => {
  await db.kill();
  const began = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('arena-'), '--store', db.url]);
  let errors = '';
  began.stderr.on('data', (d) => (errors += d));
  const exited = new Promise((resolve) => began.on('close', (code, signal) => resolve(signal ?? code)));
  await until(() => /^agon serve: cannot reach PostgreSQL: .*; waiting for it \(Ctrl-C to stop\)$/m.test(errors), 'a line that says so', 60000);
  began.kill('SIGINT');
  assert.equal(await within(60000, exited, 'exit'), 'SIGINT');
  const opening = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('arena-'), '--store', db.url]);
  let said = '', out = '';
  opening.stderr.on('data', (d) => (said += d));
  opening.stdout.on('data', (d) => (out += d));
  await until(() => /waiting for it/.test(said), 'a line that says so', 60000);
  await db.ctl('one', 'start');
  await until(() => /listening http/.test(out), 'a server', 60000);
  opening.kill('SIGTERM');
  await within(60000, new Promise((resolve) => opening.on('exit', resolve)), 'exit');
  const wrong = spawnSync(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('arena-'), '--store', db.url.replace('/postgres?', '/nothing?')], { encoding: 'utf8' });
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /cannot reach PostgreSQL: .*database "nothing" does not exist/);
  assert.doesNotMatch(wrong.stderr, /waiting/);
  const role = spawnSync(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('arena-'), '--store', db.url.replace('agon@', 'nobody-of-us@')], { encoding: 'utf8' });
  assert.equal(role.status, 2);
});

// S72: one is required. Then the primary dies with a batch in doubt.
test('a synchronous standby takes over, and nothing is lost', { skip }, async () => {
  const waits = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('arena-'), '--store', db.url, '--require-standby']);
  let said = '';
  waits.stderr.on('data', (d) => (said += d));
  await until(() => /--require-standby: the database has no synchronous standby; nothing is accepted; waiting for it/.test(said), 'a line that says so', 60000);
  waits.kill('SIGKILL');
  await db.follow();
  arena = await start(['--require-standby', '--node', 'east']);
  assert.equal((await ready(arena)).status, 200);
  let agents = [await come(), await come()];
  await meet(agents);
  await answer(agents);
  // Without its standby nothing is accepted, and everything says so.
  await db.kill(db.other);
  await until(async () => (await health(arena)) === 'no_standby', 'health that says so', 60000);
  const refused = await ready(arena);
  assert.equal(refused.status, 503);
  assert.match(refused.body.error, /no synchronous standby/);
  await until(() => logged(arena, 'storage.away').some((l) => /no synchronous standby/.test(l.why)), 'a line that says so', 60000);
  await db.ctl(db.other, 'start');
  await until(async () => (await health(arena)) === 'ok', 'health', 60000);
  await answer(agents); // its commit is in doubt when the primary dies
  await db.kill();
  await until(async () => (await health(arena)) !== 'ok', 'absence', 60000);
  await db.promote();
  await until(async () => (await health(arena)) === 'no_standby', 'health that says so', 60000); // it has none, and one is required
  await db.follow();
  await until(async () => (await health(arena)) === 'ok', 'health', 60000);
  agents = await again(agents);
  await Promise.all(agents.map((a) => play(a)));
  await end(agents);
  await until(() => db.ask('SELECT count(*) FROM running')[0] === '0', 'end of the match', 60000);
  const report = assertHistory(db.url, [notes]);
  assert.equal(report.matches, 1);
  assert.equal(report.sessions, 2);
  assert.equal(logged(arena, 'storage.lost').length, 0);
});

// S73: the standby was cut off before the last batches; what agents were told is gone, and the node goes on without it.
test('a standby that lags: what is missing is said', { skip }, async () => {
  await arena.stop();
  db.ask("ALTER SYSTEM SET synchronous_standby_names = ''");
  db.ask('SELECT pg_reload_conf()');
  arena = await start(['--node', 'west']);
  const before = [await come(), await come()];
  await meet(before);
  await until(() => db.ask('SELECT count(*) FROM running', db.other)[0] === '1', 'the match at the standby', 60000);
  await db.kill(db.other); // it hears nothing from here on
  await answer(before);
  await asked(before);
  const pieces = Number(db.ask('SELECT count(*) FROM pieces WHERE match IN (SELECT match FROM running)')[0]);
  await db.kill();
  await db.ctl(db.other, 'start');
  await db.promote();
  await until(() => logged(arena, 'storage.lost').length === 1, 'a line that says so', 60000);
  const [line] = logged(arena, 'storage.lost');
  assert.match(line.why, /^the store has lost what it had confirmed: batches \d+ to \d+ of epoch \d+ are missing/);
  assert.ok(line.batches > 0);
  for (const a of before) assert.equal((await within(60000, a.closed, 'end of the connection')).code, 1012);
  await until(async () => (await ready(arena)).status === 200, 'the node', 60000); // the same process, on the same port
  assert.equal(arena.process.exitCode, null);
  assert.equal(Number(/^agon_store_lost_batches (\d+)$/m.exec((await arena.call('GET', '/metrics')).body)[1]), line.batches);
  assert.ok(Number(db.ask('SELECT count(*) FROM pieces WHERE match IN (SELECT match FROM running)')[0]) < pieces); // nothing was written back
  // It goes on from there. What the agents remember of the lost action is no use to them: they come as new processes.
  const back = await Promise.all(before.map((a) => Agent.connect(arena, a.agent, { instance: `fresh ${a.agent.id}`, capabilities: 'match_feed' })));
  await Promise.all(back.map((a) => play(a)));
  await end(back);
  await until(() => db.ask('SELECT count(*) FROM running')[0] === '0', 'end of the match', 60000);
  assertHistory(db.url);
});
