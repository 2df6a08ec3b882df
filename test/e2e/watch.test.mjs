// Several servers are one arena for visitors too: whoever watches, lists, registers or pairs at one of them sees and may do what it
// would at any other (S45, S46, S48, S49).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Agent, Arena, asked, choose, end, play } from './lib/arena.mjs';
import { Nats } from './lib/nats.mjs';
import { installed, Postgres } from './lib/postgres.mjs';
import { until, within } from './lib/wait.mjs';
import WebSocket from 'ws';

const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
const LEASE = 3000, LONG = 60000;
const token = 'operator-of-all';
const options = ['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--message-rate', '100000', '--message-burst', '100000', '--agent-concurrent', '1', '--spectate-delay', '0', '--admin-token', token, '--lease', String(LEASE), '--log-json'];
let db, bus;
const nodes = {};
const start = (name, more = []) => Arena.start([...options, ...more, '--node', name], { seed: null, shell: `AGON_STORE='${db.url}' exec "$@"` });
const join = (name) => start(name, ['--bus', bus.url]);
before(async () => {
  if (skip) return;
  [db, bus] = [await Postgres.start(), await Nats.start()];
  for (const name of ['east', 'west', 'north']) nodes[name] = await join(name);
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
const metric = async (arena, name) => Number(new RegExp(`^agon_${name} (\\d+)$`, 'm').exec((await arena.call('GET', '/metrics')).body)[1]);
const peers = () => until(async () => {
  for (const n of Object.values(nodes)) if ((await metric(n, 'bus_peers')) !== 2) return false;
  return true;
}, 'all nodes', LONG);
const from = (address) => ({ 'x-forwarded-for': address }); // of a proxy on this machine

let made = 0;
const come = async (arena) => Agent.connect(arena, await arena.register(`player ${++made}`, { auto_confirm: true }), { instance: `process ${made}` });
const again = (arena, a) => Agent.connect(arena, a.agent, { instance: a.options.instance, memory: a.memory, sameProcess: true });
async function meet(agents) {
  for (const a of agents) a.join('liars_dice', { one_shot: true });
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
}
// One action of whoever is asked.
async function act(agents) {
  const { agent, request } = await asked(agents, LONG);
  agent.act(request, choose('liars_dice', request.data, agent.chance));
}
const list = async (arena, query = '') => (await arena.call('GET', `/api/matches/live${query}`)).body.matches;
const liveOf = async () => {
  await until(async () => (await list(nodes.east)).length === 1, 'the match', LONG);
  return (await list(nodes.east))[0].id;
};

// A spectator: all its frames.
async function watch(arena, query) {
  const w = { frames: [], ws: new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?${query}`) };
  w.closed = new Promise((resolve) => w.ws.addEventListener('close', resolve));
  w.ws.addEventListener('message', (m) => w.frames.push(JSON.parse(m.data)));
  w.of = (type) => w.frames.filter((f) => f.type === type);
  w.events = () => w.of('event').flatMap((f) => f.data.events);
  w.has = (count) => until(() => w.events().length >= count, `${count} events`, LONG);
  await within(LONG, new Promise((resolve, reject) => w.ws.addEventListener('open', resolve) ?? w.ws.addEventListener('error', () => reject(new Error('refused')))), 'spectator');
  return w;
}
const refusal = async (arena, live) => {
  const r = await arena.call('GET', `/api/ws/spectator?live=${live}`, { headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } });
  return r;
};

// S48: event by event the same, wherever it is watched; nothing is published when nobody watches; the host's death is survived.
test('a match is watched from another node, and goes on when its host is killed', { skip }, async () => {
  await peers();
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  const live = await liveOf();
  assert.equal(await metric(nodes.east, 'watch_hosted'), 0);
  const [here, there, third] = [await watch(nodes.east, `live=${live}`), await watch(nodes.west, `live=${live}`), await watch(nodes.north, `live=${live}`)];
  for (const w of [here, there, third]) await until(() => w.of('spectate_start').length === 1, 'picture', LONG);
  assert.equal(await metric(nodes.east, 'watch_hosted'), 1);
  assert.equal(await metric(nodes.west, 'watch_followed'), 1);
  const pictures = [here, there].map((w) => w.of('spectate_start')[0].data);
  assert.equal(pictures[1].seq, pictures[0].seq);
  assert.deepEqual(pictures[1].state, pictures[0].state);
  // What all of them are counted as.
  await until(async () => (await list(nodes.west))[0]?.spectators === 3, 'three spectators', LONG);
  for (let i = 0; i < 4; i++) await act(agents);
  const seen = () => here.events().length;
  await until(() => seen() >= 4 && there.events().length === seen() && third.events().length === seen(), 'the same events', LONG);
  assert.deepEqual(there.of('event'), here.of('event'));
  assert.deepEqual(third.of('event'), here.of('event'));
  // From the middle, as after a break of the line.
  const late = await watch(nodes.west, `live=${live}&from=${pictures[0].seq + 1}`);
  await late.has(here.events().length - 1);
  assert.deepEqual(late.events(), here.events().slice(1));
  assert.equal(late.of('spectate_start').length, 0);

  nodes.east.process.kill('SIGKILL');
  await within(LONG, here.closed, 'end of the spectator of the dead node');
  await until(() => one('SELECT count(*) FROM running WHERE adopted AND host IN (SELECT epoch FROM nodes WHERE name <> \'east\')') === 1, 'adoption', LONG);
  const host = db.ask('SELECT n.name FROM running r JOIN nodes n ON n.epoch = r.host')[0];
  const back = await Promise.all(agents.map((a) => again(nodes[host], a)));
  await Promise.all(back.map((a) => play(a)));
  for (const w of [there, third, late]) await until(() => w.of('spectate_end').length === 1, 'end of the match', LONG);
  assert.deepEqual(there.events().map((e) => e.seq), there.events().map((_, i) => pictures[1].seq + i)); // none lost, none twice
  assert.deepEqual(there.events().slice(0, here.events().length), here.events());
  assert.deepEqual(third.events(), there.events());
  assert.deepEqual(late.events(), there.events().slice(1));
  assert.deepEqual(there.of('spectate_end')[0].data, third.of('spectate_end')[0].data);
  for (const w of [there, third, late]) await within(LONG, w.closed, 'end of the connection');
  await end(back);
  nodes.east = await join('east');
  await peers();
});
