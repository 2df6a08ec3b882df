// Several servers on one PostgreSQL store, with a bus between them or without: the nodes of one test file.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Agent, Arena, asked, choose, metric, operator } from './arena.mjs';
import { Nats } from './nats.mjs';
import { installed, Postgres } from './postgres.mjs';
import { until } from './wait.mjs';

export const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
export const token = 'operator-of-all';
export const LONG = 180000; // for a machine with a lot to do
// Long enough that a busy machine makes no living node miss it: then another would take its matches over.
export const LEASE = 6000;
// Tables of two, and one match at a time.
export const PAIRS = ['--fill-wait', '100', '--table-max', '2', '--agent-concurrent', '1'];

export let db, bus;
export const nodes = {};
let common;

export const start = async (name, more = [], url = bus?.url, store = db.url) =>
  (nodes[name] = await Arena.start([...common, ...more, ...(url ? ['--bus', url] : []), '--node', name], { seed: null, shell: `AGON_STORE='${store}' exec "$@"` }));

// From the first test of the file to its last: names of nodes, each with options of its own.
export function open(names, options, { withBus = true } = {}) {
  common = ['--house-bots', '0', '--message-rate', '100000', '--message-burst', '100000', '--admin-token', token, '--lease', String(LEASE), '--log-json', ...options];
  before(async () => {
    if (skip) return;
    db = await Postgres.start();
    if (withBus) bus = await Nats.start();
    for (const [name, own] of Object.entries(names)) await start(name, own);
  });
  after(async () => {
    for (const n of Object.values(nodes)) await n.stop();
    await bus?.stop();
    await db?.stop();
  });
}

export async function kill(name) {
  await nodes[name].stop('SIGKILL');
  delete nodes[name];
}

export const one = (sql) => Number(db.ask(sql)[0]);
export const admin = operator(token);
export const cluster = (arena) => admin(arena, 'GET', '/api/admin/cluster');
export const names = () => Object.keys(nodes);
export const others = (name) => names().filter((n) => n !== name);
export const logged = (arena, event) => arena.errors.split('\n').filter((l) => l.startsWith('{')).map((l) => JSON.parse(l)).filter((l) => l.event === event);

// Everybody knows everybody, and hears it over the bus.
export const all = (count = 3, those = nodes) => until(async () => {
  for (const n of Object.values(those)) {
    const rows = (await cluster(n)).nodes;
    if (rows.length !== count || rows.some((r) => !r.has_bus) || (await metric(n, 'bus_peers')) !== count - 1) return false;
  }
  return true;
}, 'all nodes', LONG);

let made = 0;
export const come = async (arena, policy = { auto_confirm: true }) => Agent.connect(arena, await arena.register(`player ${++made}`, policy), { instance: `process ${made}` });
export const again = (arena, a) => Agent.connect(arena, a.agent, { instance: a.options.instance, memory: a.memory, sameProcess: true });
export async function meet(agents) {
  for (const a of agents) a.join('liars_dice', { one_shot: true });
  await Promise.all(agents.map((a) => a.next('game_start', LONG)));
}
// Something of these types has come that nobody has taken yet, and stays so.
export const has = (agents, types) => until(() => agents.some((a) => (a.sound(), a.frames.slice(a.read ?? 0).some((f) => types.includes(f.type)))), types.join(), LONG);
// One action of whoever is asked; the next question has come then.
export async function act(agents) {
  const { agent, request } = await asked(agents, LONG);
  agent.act(request, choose('liars_dice', request.data, agent.chance));
  await has(agents, ['action_request', 'game_over']);
}
export const hostOf = (a) => db.ask(`SELECT n.name FROM running r JOIN nodes n ON n.epoch = r.host JOIN running_seats s ON s.match = r.match JOIN agents a ON a.row = s.agent WHERE a.id = '${a.agent.id}'`)[0];
export const away = (a) => until(() => one(`SELECT count(*) FROM presence p JOIN agents a ON a.row = p.agent WHERE a.id = '${a.agent.id}'`) === 0, 'absence', LONG);

// What must hold of the tables whenever nothing is under way.
export async function audit() {
  await until(() => one('SELECT count(*) FROM running') === 0, 'end of all matches', LONG);
  assert.equal(one('SELECT count(*) FROM agent_state WHERE active <> 0'), 0);
  assert.equal(one('SELECT count(*) FROM matches'), one('SELECT count(DISTINCT id) FROM matches'));
  assert.equal(one('SELECT count(*) FROM logs'), one('SELECT count(*) FROM matches'));
  assert.equal(one('SELECT coalesce(sum(version), 0) FROM ratings'), one('SELECT count(*) FROM seats WHERE number IS NOT NULL'));
  assert.equal(one('SELECT count(*) FROM (SELECT agent, place FROM seats WHERE place IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1) x'), 0);
}
