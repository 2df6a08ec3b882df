// Several servers on one PostgreSQL store with a bus between them: agents of one match are connected to different
// servers, and the match continues wherever it is (S43, S50 to S63).
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, agon, Arena, asked, choose, end, metric, play } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { Nats } from './lib/nats.mjs';
import { act, admin, again, all, audit, away, bus, cluster, come, db, has, hostOf, kill, LONG, meet, nodes, one, open, PAIRS, skip, start, token } from './lib/nodes.mjs';
import { Relay } from './lib/relay.mjs';
import { scratch } from './lib/scratch.mjs';
import { beSlow, until, within } from './lib/wait.mjs';

open({ east: [], west: [], north: ['--roles', 'gateway'] }, PAIRS); // S1: the last one plays no match

// S26: somebody whose row has gone to another node, and no word of it has come: found when this test file is nearly over.
let forgotten;

const greeted = (agents) => Promise.all(agents.map((a) => has([a], ['action_request', 'game_state'])));
// The agent goes to another node, as after a break of the line.
async function move(a, arena) {
  await a.close();
  await away(a);
  return again(arena, a);
}

// S43, S51, S55: one player stays at the host, the other comes by another node, and moves on to a third one.
test('players of one match are at different nodes', { skip }, async () => {
  await all();
  const { nodes: rows } = await cluster(nodes.west);
  assert.deepEqual(rows.map((n) => [n.name, n.state, n.has_bus]).sort(), [['east', 'serves', true], ['north', 'carries', true], ['west', 'serves', true]]);
  forgotten = await come(nodes.north);
  db.ask(`UPDATE presence SET epoch = ${rows.find((n) => n.name === 'west').epoch}, conn = nextval('conns') WHERE agent = (SELECT row FROM agents WHERE id = '${forgotten.agent.id}')`);
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  assert.equal(hostOf(agents[0]), 'east');
  let moved = await move(agents[0], nodes.west);
  const first = [moved, agents[1]];
  await greeted([moved]);
  assert.equal(await metric(nodes.east, 'relay_players'), 1);
  // S26: without closing the first one: the newest counts, and the older one is told so at once.
  moved = await again(nodes.north, first[0]);
  assert.equal((await within(LONG, first[0].closed, 'end of the older connection')).code, 4409);
  assert.equal(hostOf(agents[0]), 'east');
  await Promise.all([play(moved), play(agents[1])]);
  assert.ok((await metric(nodes.east, 'relay_messages_total')) > 0);
  assert.equal(await metric(nodes.east, 'node_handed_over_total'), 0);
  // It has a place again.
  moved = await move(moved, nodes.west);
  const other = await come(nodes.west);
  await meet([moved, other]);
  await Promise.all([moved, other].map((a) => play(a)));
  await end([moved, agents[1], other]);
  await audit();
});

// S13, S58: the host is killed; its players, at two other nodes, keep their connections and are asked again.
test('a host is killed, and players elsewhere notice nothing but the wait', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  const moved = [await move(agents[0], nodes.west), await move(agents[1], nodes.north)];
  await greeted(moved);
  await kill('east');
  await until(() => hostOf(agents[0]) === 'west', 'another host', LONG);
  await Promise.all(moved.map((a) => play(a)));
  for (const a of moved) assert.equal(a.ws.readyState, 1, 'it was closed');
  await end(moved);
  await audit();
  await start('east');
  await all();
});

// A gateway is killed: its agent goes to another node, and the match has not moved.
test('a gateway is killed, and its agent comes by another one', { skip }, async () => {
  const agents = [await come(nodes.west), await come(nodes.west)];
  await meet(agents);
  await act(agents);
  const moved = await move(agents[0], nodes.east);
  await greeted([moved]);
  await kill('east');
  await within(LONG, moved.closed, 'end of the connection');
  const back = await again(nodes.north, moved);
  await Promise.all([play(back), play(agents[1])]);
  assert.equal(one("SELECT count(*) FROM takeovers WHERE name = 'west'"), 0);
  await end([back, agents[1]]);
  await audit();
  await start('east');
  await all();
});

// S60: a node drains in the middle of a match whose players are elsewhere: the question that is open stays so, with its id, and
// nobody hears anything. A player at the node itself is closed with 1012 (S61), and comes back elsewhere.
test('a node drains, and the questions that are open stay', { skip }, async () => {
  const [here, there] = [[await come(nodes.east), await come(nodes.east)], [await come(nodes.east), await come(nodes.east)]];
  await meet(here);
  await meet(there);
  await act(there);
  const moved = [await move(there[0], nodes.west), await move(there[1], nodes.north)];
  await greeted(moved);
  const { agent, request } = await asked(moved, LONG);
  const seen = moved.map((a) => a.frames.length);
  const printed = execFileSync(agon, ['admin', 'drain', 'east', '--server', nodes.west.url, '--token', token], { encoding: 'utf8' });
  assert.match(printed, /^east gives its matches/);
  for (const a of here) assert.equal((await within(LONG, a.closed, 'end of the connection')).code, 1012);
  assert.equal(await within(LONG, nodes.east.exited, 'exit of the node'), 0);
  assert.match(nodes.east.errors, /"event":"node.drained".*"matches":0/);
  delete nodes.east;
  await until(() => hostOf(moved[0]) === 'west' && one('SELECT count(*) FROM running WHERE adopted') === 2, 'another host', LONG);
  assert.deepEqual(moved.map((a, i) => a.frames.slice(seen[i]).map((f) => f.type)), [[], []]);
  agent.act(request, choose('liars_dice', request.data, agent.chance)); // its id is the one that is open
  const back = await Promise.all(here.map((a) => again(nodes.north, a)));
  await Promise.all([...back, ...moved].map((a) => play(a)));
  assert.ok(!moved.some((a) => a.frames.some((f) => f.type === 'action_stale' || (f.type === 'action_request' && f.data.is_reconnect && a.frames.indexOf(f) >= seen[moved.indexOf(a)]))));
  await end([...back, ...moved]);
  await audit();
  await start('east');
  await all();
});

// S60: nobody knows whether such a client has heard of its match. It is not waited for, and its match goes on elsewhere.
test('a node drains beside a client that answers no ping', { skip }, async () => {
  const mute = await Agent.connect(nodes.north, await nodes.north.register('mute', { auto_confirm: true }), { instance: 'mute', mute: true });
  const other = await come(nodes.east);
  await meet([mute, other]);
  assert.equal(hostOf(mute), 'east'); // the other one's node, as north plays none
  await has([mute, other], ['action_request']);
  execFileSync(agon, ['admin', 'drain', 'east', '--server', nodes.west.url, '--token', token]);
  assert.equal((await within(LONG, other.closed, 'end of the connection')).code, 1012);
  assert.equal(await within(LONG, nodes.east.exited, 'exit of the node'), 0);
  assert.match(nodes.east.errors, /"event":"node.drained".*"matches":0/);
  delete nodes.east;
  const back = await again(nodes.west, other);
  await Promise.all([mute, back].map((a) => play(a)));
  assert.equal(mute.frames.filter((f) => f.type === 'game_start').length, 1);
  assert.ok(!mute.frames.some((f) => f.data?.is_reconnect), 'it was asked again');
  await end([mute, back]);
  await audit();
  await start('east');
  await all();
});

// S60: answers that are on their way while the match changes nodes arrive: players at two nodes play as fast as they can.
test('a node drains while everybody plays', { skip }, async () => {
  const pairs = [];
  for (let i = 0; i < 4; i++) {
    const agents = [await come(nodes.west), await come(nodes.west)];
    await meet(agents);
    pairs.push([await move(agents[0], nodes.east), await move(agents[1], nodes.north)]);
  }
  const all2 = pairs.flat();
  const ends = all2.map((a) => play(a));
  nodes.west.process.kill('SIGTERM');
  await Promise.all(ends);
  assert.deepEqual(all2.flatMap((a) => a.frames.filter((f) => f.type === 'action_stale')), []);
  for (const a of all2) assert.ok(a.frames.filter((f) => f.data?.is_reconnect).length <= 1, 'it was asked again as if it had come again');
  for (const a of all2) assert.equal(a.ws.readyState, 1, 'it was closed');
  assert.equal(await within(LONG, nodes.west.exited, 'exit of the node'), 0);
  await end(all2);
  await start('west');
  await all();
  await audit();
});

// S60: answers that reach the next host before it has read their match come back and are sent again. Its store is slow, and they
// come one after the other, so that some of them meet it at every step of its work.
test('answers arrive before their match', { skip }, async (t) => {
  const store = await Relay.start(path.join(/host=([^&]+)/.exec(db.url)[1], '.s.PGSQL.5432'));
  t.after(() => store.close());
  await nodes.east.stop();
  await start('east', [], bus.url, `postgresql://agon@127.0.0.1:${store.port}/postgres`);
  await all();
  const pairs = [];
  for (let i = 0; i < 8; i++) {
    const agents = [await come(nodes.west), await come(nodes.west)];
    await meet(agents);
    pairs.push(await Promise.all(agents.map((a) => move(a, nodes.north))));
  }
  const questions = [];
  for (const pair of pairs) {
    await Promise.all(pair.map((a) => greeted([a])));
    questions.push(await asked(pair, LONG));
  }
  const players = pairs.flat(), seen = players.map((a) => a.frames.length);
  store.slow(25);
  nodes.west.process.kill('SIGTERM');
  await until(() => /"node.given"/.test(nodes.west.errors), 'hand-over', LONG);
  for (const { agent, request } of questions) {
    agent.act(request, choose('liars_dice', request.data, agent.chance));
    await beSlow(300);
  }
  await until(() => one('SELECT count(*) FROM running WHERE adopted') === pairs.length, 'adoption', LONG);
  store.go();
  await Promise.all(players.map((a) => play(a)));
  players.forEach((a, i) => assert.deepEqual(a.frames.slice(seen[i]).filter((f) => f.type === 'action_stale' || f.data.is_reconnect), []));
  assert.equal(await within(LONG, nodes.west.exited, 'exit of the node'), 0);
  await end(players);
  await start('west');
  await nodes.east.stop();
  await start('east');
  await all();
  await audit();
});

// S57: the bus restarts: nobody is closed, and what was said meanwhile arrives.
test('the bus restarts, and matches go on', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  const moved = await move(agents[0], nodes.west);
  await greeted([moved]);
  const before = await metric(nodes.east, 'bus_absences_total');
  await bus.stop('SIGKILL');
  await until(async () => (await nodes.east.call('GET', '/api/ready')).status === 503 && (await nodes.west.call('GET', '/api/ready')).status === 503, 'absence of the bus', LONG);
  await until(() => one('SELECT count(*) FROM nodes WHERE has_bus') === 0, 'rows without a bus', LONG);
  const ends = [play(moved), play(agents[1])];
  assert.ok(await bus.begin());
  await Promise.all(ends);
  await all();
  assert.ok((await metric(nodes.east, 'bus_absences_total')) > before);
  assert.equal((await nodes.east.call('GET', '/api/ready')).status, 200);
  await end([moved, agents[1]]);
  await audit();
});

// A line to the bus that can be cut.
class Line {
  static async open(port) {
    const l = new Line();
    [l.sockets, l.port] = [new Set(), 0];
    l.to = port;
    await l.mend();
    return l;
  }
  mend() {
    this.server = net.createServer((a) => {
      const b = net.connect(this.to, '127.0.0.1');
      for (const s of [a, b]) this.sockets.add(s.on('error', () => {}).on('close', () => (a.destroy(), b.destroy(), this.sockets.delete(s))));
      a.pipe(b).pipe(a);
    });
    return new Promise((resolve) => this.server.listen(this.port, '127.0.0.1', () => resolve((this.port = this.server.address().port))));
  }
  cut() {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const s of this.sockets) s.destroy();
    return closed;
  }
}

// S57: a node that alone has no bus sends its agents away and gives its matches to the others; when it is back it serves again.
test('a node that has lost the bus gives its matches away', { skip }, async () => {
  const line = await Line.open(bus.port);
  await start('south', [], `nats://127.0.0.1:${line.port}`);
  await all(4);
  const agents = [await come(nodes.south), await come(nodes.south)];
  await meet(agents);
  await act(agents);
  await line.cut();
  for (const a of agents) assert.equal((await within(LONG, a.closed, 'end of the connection')).code, 1012);
  assert.equal((await nodes.south.call('GET', '/api/ready')).status, 503);
  await assert.rejects(again(nodes.south, agents[0]), /refused 503/);
  await until(() => ['east', 'west'].includes(hostOf(agents[0])), 'another host', LONG);
  const back = [await again(nodes.west, agents[0]), await again(nodes.north, agents[1])];
  await Promise.all(back.map((a) => play(a)));
  await end(back);
  await line.mend();
  await all(4);
  assert.equal((await nodes.south.call('GET', '/api/ready')).status, 200);
  const more = [await come(nodes.south), await come(nodes.south)];
  await meet(more);
  await Promise.all(more.map((a) => play(a)));
  await end(more);
  await audit();
  await nodes.south.stop();
  delete nodes.south;
  await line.cut();
  await all();
});

// S44: the host has stored the end and cannot say so, and is killed. The player's connection to another node stays.
test('a host is killed between an end and its word', { skip }, async () => {
  const line = await Line.open(bus.port);
  await start('south', [], `nats://127.0.0.1:${line.port}`);
  await all(4);
  const agents = [await come(nodes.south), await come(nodes.south)];
  await meet(agents);
  await act(agents);
  const moved = await move(agents[0], nodes.west);
  await greeted([moved]);
  assert.equal(hostOf(moved), 'south');
  const [match] = db.ask('SELECT id FROM running');
  await line.cut();
  await admin(nodes.south, 'POST', `/api/admin/matches/${match}/cancel`, {});
  await until(() => one('SELECT count(*) FROM running') === 0, 'end of the match', LONG);
  await kill('south');
  assert.equal((await moved.next('game_over', LONG)).data.match_id, match);
  await until(() => one(`SELECT count(*) FROM seats s JOIN agents a ON a.row = s.agent WHERE a.id = '${moved.agent.id}' AND NOT s.delivered`) === 0, 'receipt', LONG);
  assert.equal(moved.frames.filter((f) => f.type === 'game_over').length, 1);
  moved.join('liars_dice', { one_shot: true }); // it has its place again
  await moved.next('queue_joined', LONG);
  await end([moved]);
  await all();
  await audit();
});

// S62, F4.20: the host is killed when its first question has been asked, and before anybody is known to have heard of the match.
// The next one asks as after a reconnect: the players keep their connections, and have heard these events.
test('a host is killed behind its first question', { skip }, async () => {
  const agents = [];
  for (const name of ['silent one', 'silent two']) agents.push(await Agent.connect(nodes.north, await nodes.north.register(name, { auto_confirm: true }), { instance: name, mute: true }));
  await meet(agents);
  const { agent } = await asked(agents, LONG), name = hostOf(agent);
  await kill(name);
  const { data } = await agent.next('action_request', LONG);
  assert.equal(data.is_reconnect, true);
  agent.read--; // it is answered below
  await Promise.all(agents.map((a) => play(a)));
  for (const a of agents) assert.equal(a.frames.filter((f) => f.type === 'game_start').length, 1);
  await end(agents);
  await start(name);
  await all();
  await audit();
});

test('a connection that is no longer the newest is found', { skip }, async () => {
  const { code } = await within(LONG, forgotten.closed, 'end of the connection');
  assert.ok([4409, 1012].includes(code), `${code}`); // 1012: the node that had the newer one was gone before anybody looked
});

test('a bus that makes no sense is refused', { skip }, async () => {
  const refused = (more, why, env = {}) => {
    const r = spawnSync(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', nodes.west.data + '-refused', ...more], { encoding: 'utf8', env: { ...process.env, ...env } });
    assert.deepEqual([r.status, r.stdout], [2, '']);
    assert.match(r.stderr, why);
  };
  const node = ['--store', db.url, '--node', 'other'];
  refused(['--bus', bus.url], /--bus needs --store and --node/);
  refused([...node, '--bus', 'http://127.0.0.1:1'], /needs an address of a NATS server, as nats:/);
  refused([...node, '--bus', 'nats://me:secret@127.0.0.1:1'], /leave the login out of the address/);
  refused(['--store', db.url, '--node', 'a b', '--bus', bus.url], /--node needs a name of letters, digits/);
  refused(['--require-standby'], /--require-standby needs --store/);
  refused([...node, '--roles', 'gateway'], /--roles needs --bus/);
  refused([...node, '--bus', bus.url, '--roles', 'gateway,cook'], /unknown role 'cook'; known: gateway, host/);
  refused([...node, '--bus', bus.url, '--roles', 'gateway,sweeper'], /must be a host, too/);
  const env = { ...process.env, HOME: scratch('home-') };
  for (const name of ['AGON_STORE', 'AGON_ADMIN_TOKEN']) delete env[name];
  const admin = (...words) => {
    const r = spawnSync(agon, ['admin', ...words], { encoding: 'utf8', env });
    return [r.status, r.stderr];
  };
  const drain = ['drain', 'nobody', '--server', nodes.west.url];
  assert.deepEqual(admin(...drain, '--token', token), [1, "agon admin: unknown node 'nobody'; 'agon admin cluster' lists them\n"]);
  assert.match(admin(...drain).join(), /^1,.*\(401\); give the operator's token with --token-file or AGON_ADMIN_TOKEN/);
  assert.match(admin('drain', 'west').join(), /^2,.*give the address of any of them with --server/);
  assert.match(admin('cluster').join(), /^2,.*--store, or one of its nodes with --server/);
});

// S75: so is one that goes away while a node reads it.
test('a node opens the arena again when the store has gone away meanwhile', { skip }, async () => {
  const south = await Arena.start(['--house-bots', '0', '--bus', bus.url, '--node', 'south', '--admin-token', token, '--log-json'], { seed: null, shell: `AGON_TEST_UNANSWERED=1 AGON_STORE='${db.url}' exec "$@"` });
  assert.match(south.errors, /agon serve: PostgreSQL stopped answering while the arena was opened; trying again/);
  await all(4, { ...nodes, south });
  await south.stop();
  await all();
});

// S75: a machine may start its servers in any order. What waiting does not mend is refused.
test('a node waits for a bus that is away at the start', { skip }, async () => {
  const late = await Nats.start(['--auth', 'right']);
  await late.stop();
  const begin = (login) => spawn(agon, ['serve', '--port', '0', '--tetris-port', '0', '--data', scratch('arena-'), '--store', db.url, '--node', 'late', '--bus', late.url], { env: { ...process.env, AGON_BUS_LOGIN: login } });
  const said = (child) => {
    const s = { out: '', errors: '', exit: new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code))) };
    child.stdout.on('data', (d) => (s.out += d));
    child.stderr.on('data', (d) => (s.errors += d));
    return s;
  };
  const first = begin('right'), one = said(first);
  const waits = /^agon serve: cannot reach the bus at nats:.* Waiting for it \(Ctrl-C to stop\)\.$/m;
  await until(() => waits.test(one.errors), 'a line that says so', LONG);
  assert.equal(one.out, '');
  first.kill('SIGINT');
  assert.equal(await within(LONG, one.exit, 'exit'), 'SIGINT');
  const second = begin('right'), two = said(second);
  await until(() => waits.test(two.errors), 'a line that says so', LONG);
  assert.ok(await late.begin());
  await until(() => /listening http/.test(two.out), 'a server', LONG);
  second.kill('SIGINT');
  await within(LONG, two.exit, 'exit');
  const three = said(begin('wrong'));
  assert.equal(await within(LONG, three.exit, 'exit'), 2);
  assert.match(three.errors, /is the login right \(--bus-login, AGON_BUS_LOGIN\)/);
  await late.stop();
});
