// An arena whose store is PostgreSQL: agents play, the server of the store is killed in the middle and comes back,
// nothing is lost and nothing is doubled (S11, S12, S40, S41).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Agent, agon, Arena, end, metric, play } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { verifyHistory } from './lib/history.mjs';
import { installed, Postgres } from './lib/postgres.mjs';
import { scratch } from './lib/scratch.mjs';
import { until, within } from './lib/wait.mjs';

const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
const options = ['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--message-rate', '100000', '--message-burst', '100000', '--agent-concurrent', '4'];
const health = async (arena) => (await arena.call('GET', '/api/health')).body.status;
const connect = async (arena, name) => Agent.connect(arena, await arena.register(name, { auto_confirm: true }));
const meet = async (agents) => {
  for (const a of agents) a.join('liars_dice', { one_shot: true });
  await Promise.all(agents.map((a) => a.next('game_start')));
};
let db;
before(async () => {
  if (!skip) db = await Postgres.start();
});
after(() => db?.stop());

const start = (more = []) => Arena.start([...options, ...more], { shell: `AGON_STORE='${db.url}' exec "$@"` });

// What must hold of the tables whenever nothing is under way.
function audit() {
  const one = (sql) => Number(db.ask(sql)[0]);
  assert.equal(one('SELECT count(*) FROM running'), 0);
  assert.equal(one('SELECT count(*) FROM agent_state WHERE active <> 0'), 0);
  assert.equal(one('SELECT count(*) FROM matches'), one('SELECT count(DISTINCT id) FROM matches'));
  assert.equal(one('SELECT count(*) FROM logs'), one('SELECT count(*) FROM matches'));
  assert.equal(one('SELECT count(*) FROM seats'), 2 * one('SELECT count(*) FROM matches'));
  assert.equal(one('SELECT sum(version) FROM ratings'), one('SELECT count(*) FROM seats WHERE number IS NOT NULL'));
  assert.equal(one('SELECT count(*) FROM (SELECT agent, place FROM seats WHERE place IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1) x'), 0);
  assert.equal(one('SELECT count(*) FROM versus WHERE games <> wins + losses + draws'), 0);
  assert.equal(one('SELECT sum(listed) FROM tallies WHERE hour = -1'), one('SELECT count(*) FROM matches WHERE listed'));
}

test('agents play, the store is killed and comes back', { skip }, async () => {
  const arena = await start();
  const agents = [];
  for (const name of ['one', 'two', 'three', 'four']) agents.push(await connect(arena, name));
  const blocked = await metric(arena, 'store_blocked_reads_total');
  await meet(agents.slice(0, 2));
  await meet(agents.slice(2));
  await Promise.all(agents.map((a) => play(a)));
  await meet(agents.slice(0, 2));
  db.kill();
  await until(async () => (await health(arena)) === 'store_away', 'health that says so');
  const { status, body } = await within(20000, arena.call('GET', '/api/matches'), 'refusal');
  assert.equal(status, 503);
  assert.match(body.error, /cannot reach its store/);
  db.restart();
  await until(async () => (await health(arena)) === 'ok', 'health that says so');
  await Promise.all(agents.slice(0, 2).map((a) => play(a)));
  await until(async () => (await arena.call('GET', '/api/matches')).body.matches.length === 3, 'three matches');
  const reads = ['/api/leaderboard', '/api/leaderboard/liars_dice', '/api/commitments', ...agents.map((a) => `/api/agents/${a.agent.id}/profile`)];
  for (const r of reads) assert.equal((await arena.call('GET', r)).status, 200, r);
  const { body: list } = await arena.call('GET', '/api/matches');
  for (const m of list.matches) assert.equal((await arena.call('GET', m.replay_url.replace(/^.*\/replay/, '/api/replays'))).status, 200);
  assert.equal(await metric(arena, 'store_blocked_reads_total'), blocked); // nobody has held up the loop
  await end(agents);
  await arena.stop();
  audit();
});

test('a match goes on after the server was killed, and a second server is refused', { skip }, async () => {
  const first = await start();
  const agents = [await connect(first, 'five'), await connect(first, 'six')];
  await meet(agents);
  const refused = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', first.data + '-second', '--store', db.url], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  refused.stderr.on('data', (d) => (errors += d));
  assert.equal(await within(20000, new Promise((resolve) => refused.on('close', resolve)), 'exit of the second server'), 2);
  assert.match(errors, /in use by server .*; stop it first/);
  await first.stop('SIGKILL');
  const second = await start();
  const again = await Promise.all(agents.map((a) => Agent.connect(second, a.agent)));
  await Promise.all(again.map((a) => play(a)));
  await until(async () => (await second.call('GET', `/api/agents/${agents[0].agent.id}/profile`)).body.recent_matches?.length === 1, 'the match');
  await end(again);
  await second.stop();
  audit();
});

test('an address that is none, and a server that is not there', { skip }, async () => {
  const run = (url) => {
    const p = spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('none-'), '--store', url], { stdio: ['ignore', 'ignore', 'pipe'] });
    p.errors = '';
    p.stderr.on('data', (d) => (p.errors += d));
    p.exited = new Promise((resolve) => p.on('close', (code, signal) => resolve(signal ?? code)));
    return p;
  };
  const wrong = run('mysql://x');
  assert.equal(await within(60000, wrong.exited, 'exit'), 2);
  assert.match(wrong.errors, /--store needs the address of a PostgreSQL database/);
  const away = run('postgresql://u:secretword@127.0.0.1:1/x'); // S75: it may come
  await until(() => /cannot reach PostgreSQL: .*; waiting for it/.test(away.errors), 'a line that says so', 60000);
  assert.doesNotMatch(away.errors, /secretword/);
  away.kill('SIGTERM');
  assert.equal(await within(60000, away.exited, 'exit'), 'SIGTERM');
});

// S37: everything of an arena with finished, cancelled and running matches.
test('an arena is copied from its folder and goes on', { skip }, async () => {
  const target = `${db.url.replace('/postgres?', '/copied?')}`;
  db.ask('CREATE DATABASE copied');
  const first = await Arena.start(options, { data: scratch('copy-') });
  const agents = [];
  for (const name of ['seven', 'eight', 'nine', 'ten']) agents.push(await connect(first, name));
  await meet(agents.slice(0, 2));
  await Promise.all(agents.slice(0, 2).map((a) => play(a)));
  await meet(agents.slice(1, 3));
  await Promise.all(agents.slice(1, 3).map((a) => play(a)));
  await meet([agents[0], agents[3]]); // runs when the server is stopped
  for (let i = 0; i < 2; i++) await meet(agents.slice(1, 3)); // will be cancelled
  const places = ['/api/matches', '/api/leaderboard', ...agents.map((a) => `/api/agents/${a.agent.id}/profile`), ...agents.map((a) => `/api/agents/${a.agent.id}/versus`)];
  const told = async (arena) => JSON.stringify(await Promise.all(places.map(async (p) => (await arena.call('GET', p)).body))).replaceAll('"online":true', '"online":false');
  await until(async () => (await first.call('GET', '/api/matches')).body.matches.length === 2, 'both matches');
  const before = await told(first);
  await first.stop();
  const admin = (...words) => spawnSync(agon, ['admin', ...words, '--data', first.data], { encoding: 'utf8' });
  for (const row of admin('matches').stdout.split('\n').filter((l) => /eight/.test(l))) assert.equal(admin('match', 'cancel', row.split(' ')[0]).status, 0);
  const copy = (...words) => spawnSync(agon, ['admin', 'copy', '--from', `sqlite:${first.data}`, ...words], { encoding: 'utf8' });
  const done = copy('--to', target);
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /^matches +5 +5$/m);
  assert.match(done.stdout, /^running +1 +1$/m);
  assert.match(done.stdout, /^ +folder +PostgreSQL\n[^]*\nboth are equal\n$/);
  assert.deepEqual(verifyHistory(target).faults, []);
  const again = copy('--to', target);
  assert.equal(again.status, 1);
  assert.match(again.stderr, /has an arena already/);
  assert.match(copy('--to', 'sqlite:x').stderr, /--to needs the address of a PostgreSQL database/);
  const second = await Arena.start(options, { shell: `AGON_STORE='${target}' exec "$@"` });
  assert.equal(await told(second), before);
  const back = [await Agent.connect(second, agents[0].agent), await Agent.connect(second, agents[3].agent)];
  await Promise.all(back.map((a) => play(a)));
  await until(async () => (await second.call('GET', '/api/matches')).body.matches.length === 3, 'the match that was under way');
  await end(back);
  await second.stop();
  assert.deepEqual(verifyHistory(target).faults, []);
  const stats = spawnSync(agon, ['admin', 'agents', '--store', target], { encoding: 'utf8' });
  assert.match(stats.stdout, /seven/);
});
