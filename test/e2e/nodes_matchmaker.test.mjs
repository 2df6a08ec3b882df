// One matchmaker a game for several servers on one PostgreSQL store with a bus between them (S20 to S25): agents of
// one table are connected to different servers, and the server that seats them is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { end, metric, play } from './lib/arena.mjs';
import { all, audit, come, db, kill, LONG, names, nodes, one, open, others, skip, start } from './lib/nodes.mjs';
import { until } from './lib/wait.mjs';

open({ east: [], west: [], north: [] }, ['--fill-wait', '100', '--table-max', '3', '--table-min', '3', '--agent-concurrent', '1']);

const matchmaker = () => db.ask("SELECT n.name FROM roles r JOIN nodes n ON n.epoch = r.epoch WHERE r.role = 'mm:liars_dice'")[0];
const waiting = (count) => until(async () => {
  const name = matchmaker();
  return name in nodes && (await metric(nodes[name], 'queued').catch(() => -1)) === count;
}, `${count} in the queue`, LONG);

const join = (a) => {
  a.join('liars_dice', { one_shot: true });
  return a.next('queue_joined', LONG);
};

// S21, S24: nobody has enough agents of its own.
test('agents of three servers sit down at one table', { skip }, async () => {
  await all();
  await until(() => names().includes(matchmaker()), 'a matchmaker', LONG);
  for (let round = 0; round < 2; round++) {
    const agents = await Promise.all(names().map((n) => come(nodes[n])));
    await Promise.all(agents.map(join));
    await Promise.all(agents.map((a) => a.next('game_start', LONG)));
    assert.equal(one('SELECT count(*) FROM running'), 1);
    await Promise.all(agents.map((a) => play(a)));
    await end(agents);
  }
  await audit();
});

// S22: an agent does not notice but for the wait.
test('the matchmaker is killed while agents wait', { skip }, async () => {
  const name = matchmaker();
  const rest = others(name);
  const agents = [await come(nodes[rest[0]]), await come(nodes[rest[1]])];
  await Promise.all(agents.map(join));
  await waiting(2);
  await kill(name);
  await until(() => rest.includes(matchmaker()), 'another matchmaker', LONG);
  await waiting(2);
  const late = await come(nodes[rest[0]]);
  await join(late);
  const table = [...agents, late];
  await Promise.all(table.map((a) => a.next('game_start', LONG)));
  for (const a of agents) assert.ok(!a.frames.some((f) => ['match_cancelled', 'queue_left', 'error'].includes(f.type)), 'it was told something');
  await Promise.all(table.map((a) => play(a)));
  await end(table);
  await audit();
  await start(name);
  await all();
});

// S22, S23: whoever has answered a question of the dead one is not told so; another one asks.
test('the matchmaker is killed while a table is being confirmed', { skip }, async () => {
  const name = matchmaker();
  const rest = others(name);
  const agents = [];
  for (const where of [rest[0], rest[1], rest[0]]) agents.push(await come(nodes[where], { auto_confirm: false }));
  await Promise.all(agents.map(join));
  const first = await Promise.all(agents.map((a) => a.next('match_confirm_request', LONG)));
  const confirm = (a, ask) => a.send({ type: 'match_confirm', data: { confirm_id: ask.data.confirm_id } });
  confirm(agents[0], first[0]);
  await kill(name);
  confirm(agents[1], first[1]);
  const second = await Promise.all(agents.map((a) => a.next('match_confirm_request', LONG)));
  agents.forEach((a, i) => confirm(a, second[i]));
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
  for (const a of agents) assert.ok(!a.frames.some((f) => ['match_cancelled', 'queue_left', 'error'].includes(f.type)), 'it was told something');
  assert.equal(one('SELECT coalesce(max(active), 0) FROM agent_state'), 1);
  await Promise.all(agents.map((a) => play(a)));
  await end(agents);
  await audit();
  await start(name);
  await all();
});

// S25: the challenge is kept by the matchmaker of its game, wherever it was made.
test('a challenge is made at one server, accepted at another', { skip }, async () => {
  const name = matchmaker();
  const rest = others(name);
  const agents = [await come(nodes[rest[0]]), await come(nodes[rest[1]])];
  const made = await nodes[rest[0]].call('POST', '/api/challenges', { key: agents[0].agent.key, body: { game: 'liars_dice', player_count: 2 } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const secret = /dl_[0-9a-f]{32}/.exec(JSON.stringify(made.body))[0];
  assert.equal((await nodes[name].call('GET', `/api/challenges/${secret}`)).status, 200);
  const own = await nodes[rest[0]].call('POST', `/api/challenges/${secret}/accept`, { key: agents[0].agent.key, body: {} });
  assert.equal(own.status, 409, JSON.stringify(own.body));
  const accepted = await nodes[rest[1]].call('POST', `/api/challenges/${secret}/accept`, { key: agents[1].agent.key, body: {} });
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
  await Promise.all(agents.map((a) => play(a)));
  const duel = async (where) => (await nodes[where].call('GET', `/api/challenges/${secret}`)).body.duel.status;
  await until(async () => (await duel(rest[0])) === 'finished' && (await duel(name)) === 'finished', 'end of the challenge', LONG);
  // F3.22: each asks the server that it is connected to.
  const session = (a) => a.frames.find((f) => f.type === 'game_start').data.match_id;
  const rematch = (i, method) => nodes[rest[i]].call(method, `/api/matches/${session(agents[i])}/rematch`, { key: agents[i].agent.key, body: method === 'POST' ? {} : undefined });
  assert.deepEqual([(await rematch(0, 'POST')).body.status, (await rematch(1, 'GET')).body.status], ['waiting', 'waiting']);
  const second = await rematch(1, 'POST');
  assert.equal(second.body.status, 'in_match', JSON.stringify(second.body));
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
  await Promise.all(agents.map((a) => play(a)));
  const other = await nodes[rest[1]].call('POST', '/api/challenges', { key: agents[0].agent.key, body: { game: 'liars_dice' } });
  assert.equal(other.status, 201, JSON.stringify(other.body));
  const stranger = await nodes[rest[1]].call('DELETE', `/api/challenges/${other.body.duel.id}`, { key: agents[1].agent.key });
  assert.equal(stranger.status, 403, JSON.stringify(stranger.body));
  const cancelled = await nodes[rest[0]].call('DELETE', `/api/challenges/${other.body.duel.id}`, { key: agents[0].agent.key });
  assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body));
  await end(agents);
  await audit();
});

// S1, S24: a node that plays nothing has agents, too; two of three do not make it the host.
test('agents of a gateway play elsewhere', { skip }, async () => {
  await start('edge', ['--roles', 'gateway']);
  await all(4);
  const agents = [await come(nodes.edge), await come(nodes.edge), await come(nodes.east)];
  await Promise.all(agents.map(join));
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
  assert.notEqual(db.ask('SELECT n.name FROM running r JOIN nodes n ON n.epoch = r.host')[0], 'edge');
  const removed = await nodes.edge.call('DELETE', '/api/agents/me', { key: agents[0].agent.key });
  assert.deepEqual([removed.status, /playing/.test(JSON.stringify(removed.body))], [409, true], JSON.stringify(removed.body));
  await Promise.all(agents.map((a) => play(a)));
  await end(agents);
  await audit();
});
