// Agents over MCP and bots behind HTTP in an arena of several nodes: they play with all other agents, whichever node they are
// connected to (S21, S43).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Agent, Arena, end, metric, operator, play } from './lib/arena.mjs';
import { Nats } from './lib/nats.mjs';
import { installed, Postgres } from './lib/postgres.mjs';
import { Player, serveBot, stopBots } from './lib/queue.mjs';
import { until } from './lib/wait.mjs';

const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
// Long enough that a busy machine makes no living node miss it: then another would take its matches over.
const LEASE = 6000, LONG = 60000;
const token = 'operator-of-all', admin = operator(token);
// Long enough for everybody to be in the queue before a table begins without them.
const options = ['--fill-wait', '10000', '--house-bots', '0', '--standby-sweep', '200', '--health-every', '200', '--message-rate', '100000', '--message-burst', '100000', '--agent-concurrent', '1', '--admin-token', token, '--lease', String(LEASE)];
let db, bus;
const nodes = {};
const start = (name, more = []) => Arena.start([...options, ...more, '--node', name, '--bus', bus.url, '--table-max', '4', '--table-max', 'coup=3', '--table-max', 'liars_dice=2'], { seed: null, shell: `AGON_STORE='${db.url}' exec "$@"` });
const peers = () => until(async () => {
  for (const n of Object.values(nodes)) if ((await metric(n, 'bus_peers')) !== Object.keys(nodes).length - 1) return false;
  return true;
}, 'all nodes', LONG);
before(async () => {
  if (skip) return;
  [db, bus] = [await Postgres.start(), await Nats.start()];
  for (const name of ['east', 'west', 'north']) nodes[name] = await start(name);
  await peers();
});
after(async () => {
  stopBots();
  if (skip) return;
  for (const n of Object.values(nodes)) await n.stop();
  await bus.stop();
  await db.stop();
});

let made = 0;
const come = async (arena, more = {}) => Agent.connect(arena, await arena.register(`player ${++made}`, { auto_confirm: true }), { instance: `process ${made}`, ...more });
const again = (arena, a) => Agent.connect(arena, a.agent, { instance: a.options.instance, memory: a.memory, sameProcess: true });
const hostOf = (name) => db.ask(`SELECT n.name FROM running r JOIN nodes n ON n.epoch = r.host JOIN running_seats s ON s.match = r.match JOIN agents a ON a.row = s.agent WHERE a.name = '${name}'`)[0];
const last = (steps) => steps.at(-1).termination_reason;
const ended = (game) => until(async () => (await nodes.west.call('GET', `/api/matches?game=${game}`)).body.matches[0], 'result', LONG);

// Of two at different nodes at most one is where the match is. Hidden dice, questions and the end come to both.
for (const [here, there] of [['east', 'west'], ['west', 'north']])
  test(`agents over MCP at ${here} and ${there} play each other`, { skip }, async () => {
    const players = [await Player.connect(nodes[here], 'one'), await Player.connect(nodes[there], 'two')];
    for (const p of players) assert.equal((await p.enter({ game: 'liars_dice' })).status, 'registered');
    const seats = await Promise.all(players.map((p) => p.active()));
    assert.deepEqual(seats.map((a) => a.avatar_id).sort(), ['seat_0', 'seat_1']);
    const games = await Promise.all(players.map((p) => p.play()));
    assert.deepEqual(games.map(last).sort(), ['failure', 'success']);
    for (const p of players) await p.close();
  });

test('over MCP and by a socket at other nodes; the host is killed, and the match goes on', { skip }, async () => {
  const mind = await nodes.west.register('Mind');
  const p = await Player.connect(nodes.west, 'me');
  const wires = [await come(nodes.east), await come(nodes.east)];
  await p.enter({ game: 'coup' }, { api_key: mind.key });
  for (const a of wires) a.join('coup', { one_shot: true });
  const seat = (await p.active()).avatar_id;
  await Promise.all(wires.map((a) => a.next('game_start', LONG)));
  assert.equal(hostOf('Mind'), 'east'); // which has most of them
  nodes.east.process.kill('SIGKILL');
  await until(() => hostOf('Mind') && hostOf('Mind') !== 'east', 'takeover', LONG);
  const back = await Promise.all(wires.map((a) => again(nodes.north, a)));
  const [steps, [over]] = await Promise.all([p.play(), ...back.map((a) => play(a))]);
  assert.equal(over.data.forfeit_reason, undefined);
  assert.equal(last(steps), over.data.result.winner === `p${seat.at(-1)}` ? 'success' : 'failure');
  assert.ok(JSON.stringify(await ended('coup')).includes('Mind'));
  await p.close();
  await end(back);
  nodes.east = await start('east');
  await peers();
});

// F1.12, S26: the key takes the seat back at another node; the older connection hears that it is replaced.
test('an agent over MCP goes on at another node', { skip }, async () => {
  const mind = await nodes.west.register('Wanderer'), key = { api_key: mind.key };
  const first = await Player.connect(nodes.west, 'first'), wire = await come(nodes.west);
  wire.join('liars_dice', { one_shot: true });
  await first.enter({ game: 'liars_dice' }, key);
  const { avatar_id } = await first.active();
  const second = await Player.connect(nodes.north, 'second');
  await second.enter({ game: 'liars_dice' }, key);
  assert.equal((await second.active()).avatar_id, avatar_id);
  await until(async () => (await first.agents())[0].status === 'terminal', 'end of the older one', LONG);
  const [steps, [over]] = await Promise.all([second.play(), play(wire)]);
  assert.equal(over.data.forfeit_reason, undefined);
  assert.equal(last(steps), over.data.result.winner === `p${avatar_id.at(-1)}` ? 'success' : 'failure');
  for (const p of [first, second]) await p.close();
  await end([wire]);
});

// F3.21: every node asks after the bots, so the matchmaker has them at hand, whoever that is.
test('a bot behind HTTP plays with agents of two other fronts and nodes', { skip }, async () => {
  await admin(nodes.east, 'POST', '/api/admin/agents', { name: 'Remote', bot_url: await serveBot('belote'), games: ['belote'] });
  const capabilities = 'match_feed,belote';
  const wires = [await come(nodes.west, { capabilities }), await come(nodes.east, { capabilities })];
  const p = await Player.connect(nodes.north, 'me');
  const mind = await nodes.north.register('Fourth');
  await p.enter({ game: 'belote' }, { api_key: mind.key });
  for (const a of wires) a.join('belote', { one_shot: true });
  const [[over]] = await Promise.all([...wires.map((a) => play(a)), p.active().then(() => p.play())]);
  const names = over.data.players.map((player) => player.agent_name);
  for (const name of ['Remote', 'Fourth']) assert.ok(names.includes(name), names.join());
  assert.equal(over.data.forfeit_reason, undefined);
  await p.close();
  await end(wires);
});

// A registration reads the store, and gives way while it does.
test('agents over MCP that register at once at one node', { skip }, async () => {
  const players = await Promise.all(Array.from({ length: 10 }, (_, i) => Player.connect(nodes.west, `crowd_${i}`)));
  const answers = await Promise.all(players.map((p) => p.enter({ game: 'liars_dice' })));
  assert.deepEqual(answers.map((a) => a.agent_id), players.map((p) => p.id));
  const games = await Promise.all(players.map((p) => p.active().then(() => p.play())));
  assert.equal(games.map(last).filter((why) => why === 'success').length, 5);
  for (const p of players) await p.close();
});

// A lock holds the read back until the session is gone.
test('a session ends while its registration reads the store', { skip }, async () => {
  const mind = await nodes.west.register('Hasty'), key = { api_key: mind.key };
  const [leaver, stayer] = [await Player.connect(nodes.west, 'leaver'), await Player.connect(nodes.west, 'stayer')];
  const unlock = await db.lock('running_seats');
  const lost = leaver.enter({ game: 'liars_dice' }, key).catch((e) => e);
  await until(() => db.ask("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT%running_seats%'")[0], 'a read that waits', LONG);
  await leaver.close();
  await unlock();
  assert.ok((await lost) instanceof Error);
  // Its connection ends when what it reads has come: until then the agent is at its place.
  const entered = await until(() => stayer.enter({ game: 'liars_dice' }, key).catch((e) => assert.match(e.message, /may enter now/)), 'a free agent', LONG);
  assert.equal(entered.agent_id, 'stayer');
  await stayer.close();
});

// S71: whoever comes too fast waits at the door, and is let in.
test('of agents that come at once so many are let in each second', { skip }, async () => {
  const slow = nodes.slow = await start('slow', ['--connect-rate', '1']);
  const who = await Promise.all(Array.from({ length: 6 }, (_, i) => slow.register(`crowd ${i}`)));
  const agents = await Promise.all(who.map((agent) => Agent.connect(slow, agent)));
  assert.equal(new Set(agents.map((a) => a.agent.id)).size, 6);
  assert.ok((await metric(slow, 'ws_delayed_total')) > 0);
  assert.equal(await metric(slow, 'ws_waiting'), 0);
  await end(agents);
  await slow.stop();
  delete nodes.slow;
});
