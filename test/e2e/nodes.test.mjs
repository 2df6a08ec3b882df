// Several servers on one PostgreSQL store are one arena: each has its own agents and matches, and another one takes over
// what a stopped server leaves.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, agon, end, play, root } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { act, admin, again, audit, away, cluster, come, db, LEASE, logged, LONG, meet, nodes, one, open, PAIRS, skip, start } from './lib/nodes.mjs';
import { until, within } from './lib/wait.mjs';

open({ east: [], west: [] }, PAIRS, { withBus: false });

const names = async (arena) => (await cluster(arena)).nodes.map((n) => n.name).sort().join();
const both = () => until(async () => (await names(nodes.east)) === 'east,west' && (await names(nodes.west)) === 'east,west', 'two nodes');

// They come back, are asked as after a break of the line, and play to the end.
async function playOn(arena, agents) {
  const back = await Promise.all(agents.map((a) => again(arena, a)));
  await Promise.all(back.map((a) => play(a)));
  const first = back.map((a) => a.frames.find((f) => f.type === 'action_request')).filter(Boolean);
  assert.ok(first.some((f) => f.data.is_reconnect), 'nobody was asked again');
  return back;
}
// The newest match of the list, and with it the whole list of commitments.
async function verify(arena) {
  const [m] = (await arena.call('GET', '/api/matches')).body.matches;
  execFileSync('python3', [path.join(root, 'examples/verify_deal.py'), m.replay_url.replace(/^.*\//, ''), arena.url], { encoding: 'utf8' });
}
const taken = (name) => one(`SELECT count(*) FROM takeovers WHERE name = '${name}'`);
const adopted = () => one('SELECT count(*) FROM running WHERE adopted AND host IN (SELECT epoch FROM nodes)');

// S96, and the list of commitments, to which both add (S19). S18: how far the clocks are apart is told.
test('two servers have one arena', { skip }, async () => {
  await both();
  const alone = spawnSync(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', nodes.east.data + '-alone', '--store', db.url], { encoding: 'utf8' });
  assert.equal(alone.status, 2);
  assert.match(alone.stderr, /in use by server (east|west) \(epoch \d+\), one of several nodes \(--node\); stop it first/);
  const double = spawnSync(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', nodes.east.data + '-double', '--store', db.url, '--node', 'east'], { encoding: 'utf8' });
  assert.equal(double.status, 2);
  assert.match(double.stderr, /in use by server east \(epoch \d+\), which has the same name; choose another with --node/);
  const here = [await come(nodes.east), await come(nodes.east)], there = [await come(nodes.west), await come(nodes.west)];
  await Promise.all([meet(here), meet(there)]);
  const { nodes: rows } = await cluster(nodes.west);
  assert.deepEqual(rows.map((n) => [n.name, n.matches, n.agents, n.state, n.here]).sort(), [['east', 1, 2, 'serves', false], ['west', 1, 2, 'serves', true]]);
  const printed = execFileSync(agon, ['admin', 'cluster', '--store', db.url], { encoding: 'utf8' });
  assert.match(printed, /^east +\d+ +serves/m);
  await Promise.all([...here, ...there].map((a) => play(a)));
  for (const n of [nodes.east, nodes.west]) {
    await until(async () => (await n.call('GET', '/api/matches')).body.matches.length === 2, 'both matches');
    assert.equal((await n.call('GET', '/api/ready')).status, 200);
    const { body: figures } = await n.call('GET', '/metrics');
    for (const name of ['epoch', 'batches_total', 'batch_age_ms', 'takeovers_total', 'adopted_total', 'fenced_total', 'roles', 'finishes_refused_total'])
      assert.match(figures, new RegExp(`^agon_node_${name} \\d+$`, 'm'));
    assert.ok(Number(/^agon_node_clock_ms (\d+)$/m.exec(figures)[1]) < 60000);
    await verify(n);
  }
  await end([...here, ...there]);
  await audit();
});

// S26, S27.
test('a ban, a key and a connection are known at both', { skip }, async () => {
  const [banned, rotated, moved] = [await come(nodes.west), await come(nodes.west), await come(nodes.west)];
  await admin(nodes.east, 'POST', `/api/admin/agents/${banned.agent.id}/disable`, { disabled: true });
  await within(20000, banned.closed, 'end of the connection');
  await assert.rejects(Agent.connect(nodes.west, banned.agent), /refused 403/);
  const { api_key: key } = await admin(nodes.east, 'POST', `/api/admin/agents/${rotated.agent.id}/key`, {});
  await until(async () => (await nodes.west.call('GET', '/api/agents/me/entropy', { key: rotated.agent.key })).status === 401, 'refusal of the old key');
  await within(60000, rotated.closed, 'end of the connection that has the old key'); // F5.5
  const renewed = await Agent.connect(nodes.west, { ...rotated.agent, key });
  const elsewhere = await again(nodes.east, moved);
  assert.equal((await within(20000, moved.closed, 'end of the older connection')).code, 4409);
  await end([renewed, elsewhere]);
});

// S13, S58, S62: power is lost; the lease runs out, and the match goes on with everything that was confirmed.
test('matches of a killed node go on at another', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  nodes.east.process.kill('SIGKILL');
  await until(() => taken('east') === 1 && adopted() === 1, 'adoption');
  const silent = one("SELECT silent_ms FROM takeovers WHERE name = 'east'"); // since it renewed its lease, however late that was
  assert.ok(silent >= LEASE, `${silent} ms`);
  const back = await playOn(nodes.west, agents);
  const [line] = logged(nodes.west, 'node.taken_over');
  assert.deepEqual([line.node, line.matches], ['east', 1]);
  const [match] = logged(nodes.west, 'match.adopted'); // S97
  assert.match(match.match, /^[0-9a-f-]{36}$/);
  assert.ok(match.epoch > 0);
  const [last] = (await cluster(nodes.west)).takeovers;
  assert.deepEqual([last.name, last.by_name, last.matches], ['east', 'west', 1]);
  await end(back);
  await audit();
});

// S17: killed and started again at once: its matches wait for no lease. It is the one that was killed above.
test('a node that is started again has its matches at once', { skip }, async () => {
  await start('east');
  await both();
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  const before = taken('east');
  await nodes.east.stop('SIGKILL');
  await start('east');
  await until(() => adopted() === 1, 'adoption');
  const back = await playOn(nodes.east, agents);
  assert.equal(taken('east'), before); // nobody waited until it was dead
  await end(back);
  await audit();
});

// S15: the node is stopped, is taken over, wakes: it harms nothing, sends its agents away and joins again.
test('a node that was stopped for a while joins again', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  const { nodes: rows } = await cluster(nodes.west);
  const old = rows.find((n) => n.name === 'east').epoch, before = taken('east');
  nodes.east.process.kill('SIGSTOP');
  await until(() => taken('east') === before + 1 && adopted() === 1, 'adoption');
  const back = await playOn(nodes.west, agents);
  nodes.east.process.kill('SIGCONT');
  // What it hears first when it wakes: that it was taken over, or that they are connected to another node (S26).
  for (const a of agents) assert.ok([1012, 4409].includes((await within(20000, a.closed, 'end of the old connection')).code));
  await until(async () => (await nodes.east.call('GET', '/api/ready').catch(() => ({}))).status === 200 && (await names(nodes.east)) === 'east,west', 'the node');
  assert.equal(nodes.east.process.exitCode, null);
  assert.equal(logged(nodes.east, 'node.fenced').length, 1);
  assert.ok((await cluster(nodes.east)).nodes.find((n) => n.name === 'east').epoch > old);
  const more = [await come(nodes.east), await come(nodes.east)]; // and it works
  await meet(more);
  await Promise.all(more.map((a) => play(a)));
  await end([...back, ...more]);
  await audit();
  // S19, S20: what the lives that ended had published is told by the holder of the role.
  await until(() => one('SELECT count(*) FROM deal_epochs d WHERE NOT ended AND NOT EXISTS (SELECT FROM nodes WHERE epoch = node)') === 0, 'end of the chains');
  assert.ok(one('SELECT count(*) FROM commitments WHERE kind = 3') > 1000);
  await verify(nodes.east);
});

// S15, S60: it was told to stop and finds itself taken over. It has nothing to hand over, and does not join again.
test('a node that is taken over while it stops ends', { skip }, async () => {
  const before = taken('east'), agent = await come(nodes.east);
  nodes.east.process.kill('SIGSTOP');
  nodes.east.process.kill('SIGTERM'); // heard when it wakes
  agent.ws.terminate(); // likewise: it has something to write
  await until(() => taken('east') === before + 1, 'takeover');
  nodes.east.process.kill('SIGCONT');
  assert.equal(await within(LONG, nodes.east.exited, 'end of the node'), 0);
  assert.equal(logged(nodes.east, 'node.fenced').length, 2); // also in the test before
  await start('east');
  await both();
});

// It was taken over and waits for its turn to join again, until the function that this returns is called.
async function waitToJoin() {
  const before = taken('east'), letGo = await db.hold('SELECT pg_advisory_lock(7311, 0)', 'the lock of those who open the arena');
  nodes.east.process.kill('SIGSTOP');
  await until(() => taken('east') === before + 1, 'takeover');
  nodes.east.process.kill('SIGCONT');
  await until(() => one("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") === 1, 'a node that waits');
  return letGo;
}

test('a node that waits to join again reloads when it has joined', { skip }, async () => {
  const letGo = await waitToJoin();
  nodes.east.process.kill('SIGHUP');
  await letGo();
  await until(() => logged(nodes.east, 'server.reloaded').length === 1 || nodes.east.process.signalCode, 'reload');
  assert.equal(nodes.east.process.signalCode, null);
  await both();
});

test('a node that waits to join again ends when it is told to', { skip }, async () => {
  const letGo = await waitToJoin();
  nodes.east.process.kill('SIGTERM');
  assert.equal(await within(LONG, nodes.east.exited, 'end of the node'), 0);
  await letGo();
  await start('east');
  await both();
});

// S60, without a bus: the match goes where its players are; whoever cannot be served here is told where.
test('a match goes where its players are', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  await agents[0].close();
  const refused = await Agent.connect(nodes.west, agents[0].agent, { instance: agents[0].options.instance, welcome: false });
  assert.equal((await within(20000, refused.closed, 'end of the connection')).code, 1012);
  assert.match(refused.frames[0].data.message, /^your match is played at node east; connect to /);
  await agents[1].close();
  await Promise.all(agents.map(away));
  const back = await playOn(nodes.west, agents);
  assert.equal(one("SELECT count(*) FROM takeovers WHERE name = 'west'"), 0);
  assert.ok(logged(nodes.west, 'match.adopted').length >= 3);
  await end(back);
  await audit();
});

// A match begins at a node while its player connects to another one, which knows nothing of it: here the store hides it for a
// moment. The player joins there and is refused, as it has no place left (S23). Who misses a match, and who else was there.
async function missMatch() {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await agents[0].close();
  await away(agents[0]);
  const show = (yes) => db.ask(`UPDATE running_seats SET counts = ${yes} WHERE agent = (SELECT row FROM agents WHERE id = '${agents[0].agent.id}')`);
  show(false);
  const missed = await again(nodes.west, agents[0]), free = await come(nodes.west);
  show(true);
  for (const a of [missed, free]) a.join('liars_dice', { one_shot: true });
  assert.equal((await missed.next('match_cancelled', LONG)).data.reason, 'capacity_changed');
  return [missed, [agents[1], free]];
}

// S60: it was let in, as nobody played at the host; but somebody was faster there, and the host keeps the match. So it comes again.
test('nobody waits for a match that does not come', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  await agents[0].close();
  await away(agents[0]);
  // Nobody is at the host, as the store has it. A row that was gone altogether would be noticed by the look every 30 s (S26).
  db.ask(`UPDATE presence SET epoch = (SELECT epoch FROM nodes WHERE name = 'west') WHERE agent = (SELECT row FROM agents WHERE id = '${agents[1].agent.id}')`);
  const stray = await again(nodes.west, agents[0]), [missed, others] = await missMatch();
  assert.equal((await within(40000, stray.closed, 'end of the connection')).code, 1012);
  assert.match(stray.frames.at(-1).data.message, /^your match is played at another node/);
  // Nor for the end of one that is over.
  const late = await again(nodes.west, agents[0]);
  const [match] = db.ask(`SELECT r.id FROM running r JOIN running_seats s ON s.match = r.match JOIN agents a ON a.row = s.agent WHERE a.id = '${agents[0].agent.id}'`);
  await admin(nodes.east, 'POST', `/api/admin/matches/${match}/cancel`, {});
  assert.equal((await within(40000, late.closed, 'end of the connection')).code, 1012);
  const back = await again(nodes.west, agents[0]);
  await back.next('game_over');
  assert.equal((await within(LONG, missed.closed, 'end of the connection of one that misses its match')).code, 1012);
  await others[0].close();
  await away(others[0]);
  const found = await again(nodes.west, missed); // nobody is at the host any more
  const rest = [found, await again(nodes.west, others[0])];
  await Promise.all(rest.map((a) => play(a)));
  await end([back, agents[1], ...rest, others[1]]);
  await audit();
});

// S23: whoever has no place left, as the store counts, is not seated; the other one waits on. Here a match of another node is
// made up that way.
const setPlaces = ({ id }, n) => db.ask(`INSERT INTO agent_state(agent, active) SELECT row, ${n} FROM agents WHERE id = '${id}' ON CONFLICT (agent) DO UPDATE SET active = ${n}`);
test('a player without a place is not seated twice', { skip }, async () => {
  const [full, free] = [await come(nodes.west), await come(nodes.west)];
  const count = (n) => setPlaces(full.agent, n);
  count(1);
  for (const a of [full, free]) a.join('liars_dice', { one_shot: true });
  const told = await Promise.all([full, free].map((a) => a.next('match_cancelled')));
  assert.deepEqual(told.map((f) => [f.data.reason, f.data.action]), [['capacity_changed', 'removed_from_queue'], ['opponent_not_ready', 're_queued']]);
  full.join('liars_dice', { one_shot: true });
  assert.match((await full.next('error')).data.message, /concurrent match limit reached/);
  count(0);
  const joined = async () => {
    full.join('liars_dice', { one_shot: true });
    return (await full.next('*', 60000, (f) => ['error', 'queue_joined'].includes(f.type))).type === 'queue_joined';
  };
  await until(joined, 'place');
  await Promise.all([full, free].map((a) => play(a)));
  await end([full, free]);
  await audit();
});

// Nobody tells it when there is a place again.
test('agon agent joins again until it has a place', { skip }, async () => {
  const free = await come(nodes.west), full = await nodes.west.register('full', { auto_confirm: true });
  setPlaces(full, 1);
  const child = spawn(agon, ['agent', '--server', nodes.west.url, '--key', full.key, '--game', 'liars_dice', '--bot', 'random', '--games', '1', '--seed', '1', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  let out = '';
  child.stdout.on('data', (d) => (out += d));
  free.join('liars_dice', { one_shot: true });
  assert.equal((await free.next('match_cancelled', LONG)).data.action, 're_queued');
  setPlaces(full, 0);
  await play(free);
  assert.equal(await within(LONG, ended, 'end of agon agent'), 0);
  assert.equal(JSON.parse(out).finished, 1);
  await end([free]);
  await audit();
});

// S13: leases go by what was seen within one session, so nobody dies with the store, though it is away for longer than a
// lease. S16: meanwhile agents are sent away.
test('the store restarts, and nobody is taken over', { skip }, async () => {
  const here = [await come(nodes.east), await come(nodes.east)], there = [await come(nodes.west), await come(nodes.west)];
  await Promise.all([meet(here), meet(there)]);
  const before = one('SELECT count(*) FROM takeovers'), epochs = JSON.stringify((await cluster(nodes.east)).nodes.map((n) => n.epoch));
  db.kill();
  for (const a of [...here, ...there]) assert.equal((await within(30000, a.closed, 'end of the connection')).code, 1012);
  db.restart();
  await Promise.all(Object.values(nodes).map((n) => until(async () => (await n.call('GET', '/api/ready')).status === 200, 'readiness')));
  const back = await Promise.all([...here.map((a) => again(nodes.east, a)), ...there.map((a) => again(nodes.west, a))]);
  await Promise.all(back.map((a) => play(a)));
  assert.equal(one('SELECT count(*) FROM takeovers'), before);
  assert.equal(JSON.stringify((await cluster(nodes.east)).nodes.map((n) => n.epoch)), epochs);
  await end(back);
  await audit();
});
