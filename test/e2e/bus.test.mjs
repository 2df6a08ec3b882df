// Several servers on one PostgreSQL store with a bus between them: agents of one match are connected to different
// servers, and the match goes on wherever it is (S43, S50 to S64).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Agent, Arena, choose, end, play } from './lib/arena.mjs';
import { Nats } from './lib/nats.mjs';
import { installed, Postgres } from './lib/postgres.mjs';
import { until, within } from './lib/wait.mjs';

const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
const LEASE = 3000, LONG = 60000;
const token = 'operator-of-all';
const options = ['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--message-rate', '100000', '--message-burst', '100000', '--agent-concurrent', '1', '--admin-token', token, '--lease', String(LEASE), '--log-json'];
let db, bus;
const nodes = {};
const start = (name, more = []) => Arena.start([...options, ...more, '--node', name, '--bus', bus.url], { seed: null, shell: `AGON_STORE='${db.url}' exec "$@"` });
before(async () => {
  if (skip) return;
  [db, bus] = [await Postgres.start(), await Nats.start()];
  for (const name of ['east', 'west', 'north']) nodes[name] = await start(name);
});
after(async () => {
  if (skip) return;
  for (const n of Object.values(nodes)) await n.stop();
  await bus.stop();
  await db.stop();
});

const one = (sql) => Number(db.ask(sql)[0]);
const admin = async (arena, method, where, body) => {
  const r = await arena.call(method, where, { body, headers: { 'x-agon-admin': token } });
  assert.ok(r.status < 300, `${where}: ${r.status} ${JSON.stringify(r.body)}`);
  return r.body;
};
const cluster = (arena) => admin(arena, 'GET', '/api/admin/cluster');
const metric = async (arena, name) => Number(new RegExp(`^agon_${name} (\\d+)$`, 'm').exec((await arena.call('GET', '/metrics')).body)[1]);
// Everybody knows everybody, and hears it over the bus.
const all = (count = 3) => until(async () => {
  for (const n of Object.values(nodes)) {
    const rows = (await cluster(n)).nodes;
    if (rows.length !== count || rows.some((r) => !r.has_bus) || (await metric(n, 'bus_peers')) !== count - 1) return false;
  }
  return true;
}, 'all nodes', LONG);

let made = 0;
const come = async (arena) => Agent.connect(arena, await arena.register(`player ${++made}`, { auto_confirm: true }), { instance: `process ${made}` });
const again = (arena, a) => Agent.connect(arena, a.agent, { instance: a.options.instance, memory: a.memory, sameProcess: true });
async function meet(agents) {
  for (const a of agents) a.join('liars_dice', { one_shot: true });
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
}
// One action of whoever is asked; the next question has come then.
async function act(agents) {
  const [who, frame] = await Promise.any(agents.map(async (a) => [a, await a.next('action_request', LONG)]));
  who.act(frame, choose('liars_dice', frame.data, who.chance));
  await Promise.any(agents.filter((a) => a !== who).map((a) => a.next('action_request', LONG)));
}
const hostOf = (a) => db.ask(`SELECT n.name FROM running r JOIN nodes n ON n.epoch = r.host JOIN running_seats s ON s.match = r.match JOIN agents a ON a.row = s.agent WHERE a.id = '${a.agent.id}'`)[0];
const away = (a) => until(() => one(`SELECT count(*) FROM presence p JOIN agents a ON a.row = p.agent WHERE a.id = '${a.agent.id}'`) === 0, 'absence', LONG);
// The agent goes to another node, as after a break of the line.
async function move(a, arena) {
  await a.close();
  await away(a);
  return again(arena, a);
}
async function audit() {
  await until(() => one('SELECT count(*) FROM running') === 0, 'end of all matches', LONG);
  assert.equal(one('SELECT count(*) FROM agent_state WHERE active <> 0'), 0);
  assert.equal(one('SELECT count(*) FROM matches'), one('SELECT count(DISTINCT id) FROM matches'));
  assert.equal(one('SELECT count(*) FROM logs'), one('SELECT count(*) FROM matches'));
  assert.equal(one('SELECT sum(version) FROM ratings'), one('SELECT count(*) FROM seats WHERE number IS NOT NULL'));
}

// S43, S51, S55: one player stays at the host, the other comes by another node, and moves on to a third one.
test('players of one match are at different nodes', { skip }, async () => {
  await all();
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  await act(agents);
  assert.equal(hostOf(agents[0]), 'east');
  let moved = await move(agents[0], nodes.west);
  const first = [moved, agents[1]];
  await moved.next('*', LONG, (f) => ['action_request', 'game_state'].includes(f.type));
  assert.equal(await metric(nodes.east, 'relay_players'), 1);
  // S26: without closing the first one: the newest counts, and the older one is told so at once.
  moved = await again(nodes.north, first[0]);
  assert.equal((await within(LONG, first[0].closed, 'end of the older connection')).code, 4409);
  assert.equal(hostOf(agents[0]), 'east');
  await Promise.all([play(moved), play(agents[1])]);
  assert.ok((await metric(nodes.east, 'relay_messages_total')) > 0);
  assert.equal(await metric(nodes.east, 'node_handed_over_total'), 0);
  // It has a place again, where it is.
  const other = await come(nodes.north);
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
  await Promise.all(moved.map((a) => a.next('*', LONG, (f) => ['action_request', 'game_state'].includes(f.type))));
  for (const a of moved) a.read = 0; // whoever is asked answers by and by
  await nodes.east.stop('SIGKILL');
  delete nodes.east;
  await until(() => ['west', 'north'].includes(hostOf(agents[0])), 'another host', LONG);
  await Promise.all(moved.map((a) => play(a)));
  for (const a of moved) assert.equal(a.ws.readyState, 1, 'it was closed');
  await end(moved);
  await audit();
  nodes.east = await start('east');
  await all();
});

// A gateway is killed: its agent goes to another node, and the match has not moved.
test('a gateway is killed, and its agent comes by another one', { skip }, async () => {
  const agents = [await come(nodes.west), await come(nodes.west)];
  await meet(agents);
  await act(agents);
  const moved = await move(agents[0], nodes.east);
  await moved.next('*', LONG, (f) => ['action_request', 'game_state'].includes(f.type));
  await nodes.east.stop('SIGKILL');
  delete nodes.east;
  await within(LONG, moved.closed, 'end of the connection');
  const back = await again(nodes.north, moved);
  await Promise.all([play(back), play(agents[1])]);
  assert.equal(one("SELECT count(*) FROM takeovers WHERE name = 'west'"), 0);
  await end([back, agents[1]]);
  await audit();
  nodes.east = await start('east');
  await all();
});
