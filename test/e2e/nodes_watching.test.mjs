// Several servers are one arena for visitors too: watching, lists, registration and pairing work the same at each of them
// (S45, S46, S48, S49).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { end, metric, play } from './lib/arena.mjs';
import { act, admin, again, all, come, db, LONG, meet, nodes, one, open, PAIRS, skip, start } from './lib/nodes.mjs';
import { until, within } from './lib/wait.mjs';
import WebSocket from 'ws';

open({ east: [], west: [], north: [] }, [...PAIRS, '--spectate-delay', '0']);

const from = (address) => ({ 'x-forwarded-for': address }); // of a proxy on this machine

const list = async (arena, query = '') => (await arena.call('GET', `/api/matches/live${query}`)).body.matches;
// A list may show a match that has just ended: the store says which one runs.
const liveOf = async () => {
  const running = () => db.ask("SELECT encode(live_of(record), 'hex')::uuid FROM running");
  await until(async () => running().length === 1 && (await list(nodes.east)).some((m) => m.id === running()[0]), 'the match', LONG);
  return running()[0];
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
// Why nothing can be watched there.
const refusal = (arena, live) => within(LONG, new Promise((resolve, reject) => {
  const ws = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?live=${live}`);
  ws.on('open', () => reject(new Error('it was let in')));
  ws.on('unexpected-response', (_, r) => {
    let text = '';
    r.on('data', (d) => (text += d)).on('end', () => resolve({ status: r.statusCode, text }));
  });
  ws.on('error', () => {});
}), 'refusal');

// S48: event by event the same, wherever it is watched; nothing is published when nobody watches; the host's death is survived.
test('a match is watched from another node, and goes on when its host is killed', { skip }, async () => {
  await all();
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
  // What was before anybody watched, in pages and whole, is the same at every node.
  for (const query of ['', '?limit=2', '?from=1&limit=1', '?from=1000']) {
    const path = `/api/matches/live/${live}/events${query}`, told = (await nodes.east.call('GET', path)).body;
    assert.equal(told.id, live);
    assert.equal(told.events.length > 0, query !== '?from=1000');
    for (const n of [nodes.west, nodes.north]) assert.deepEqual(await n.call('GET', path).then((r) => [r.status, r.body]), [200, told]);
  }

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
  await start('east');
  await all();
});

// S49: whoever asks gets the same answer at every node; without a bus what the store knows.
test('lists and figures are of the whole arena', { skip }, async () => {
  const here = [await come(nodes.east), await come(nodes.east)], there = [await come(nodes.west), await come(nodes.west)];
  await meet(here);
  await meet(there);
  await act(here);
  for (const query of ['', '?state=1', '?state=1&sort=interest']) {
    await until(async () => {
      const lists = await Promise.all(Object.values(nodes).map((n) => list(n, query)));
      return lists.every((l) => l.length === 2 && JSON.stringify(l) === JSON.stringify(lists[0]) && (!query || l.every((m) => m.state)));
    }, `the same list ${query}`, LONG);
  }
  for (const n of Object.values(nodes)) {
    await until(async () => {
      const { body } = await n.call('GET', '/api/health');
      return body.matches_active === 2 && body.agents_online === 4;
    }, 'figures of the whole', LONG);
    const stats = await admin(n, 'GET', '/api/admin/stats');
    assert.deepEqual([stats.matches_active, stats.agents_online, stats.queued], [2, 4, 0]);
    for (const a of [here[0], there[0]]) assert.equal((await n.call('GET', `/api/agents/${a.agent.id}/profile`)).body.online, true);
    assert.equal((await n.call('GET', '/api/agents/me/presence', { key: there[0].agent.key, headers: { 'x-aifight-instance': there[0].options.instance } })).body.instance_matches, true);
  }
  const { whole } = await admin(nodes.north, 'GET', '/api/admin/cluster');
  assert.deepEqual(whole, { nodes: 3, matches: 2, agents: 4, queued: 0, spectators: 0 });

  const lone = await start('lone', [], null); // no bus
  const [known] = await list(nodes.east);
  const ids = async (n) => (await list(n)).map((m) => m.id).sort().join();
  await until(async () => (await ids(lone)) === (await ids(nodes.east)), 'the same list without a bus', LONG);
  const told = await refusal(lone, known.id);
  assert.equal(told.status, 421);
  assert.match(told.text, /^this match is played at node (east|west); watch it at /);
  assert.equal((await refusal(lone, '00000000-0000-4000-8000-000000000000')).status, 404);
  assert.equal((await refusal(nodes.north, '00000000-0000-4000-8000-000000000000')).status, 404);
  const past = (n, id) => n.call('GET', `/api/matches/live/${id}/events`);
  const sent = await past(lone, known.id);
  assert.equal(sent.status, 421, JSON.stringify(sent.body));
  assert.match(sent.body.error, /^this match is played at node (east|west); request its events at ./);
  for (const n of [lone, nodes.north]) assert.equal((await past(n, '00000000-0000-4000-8000-000000000000')).status, 404);
  await lone.stop();
  delete nodes.lone;
  await Promise.all([...here, ...there].map((a) => play(a)));
  await end([...here, ...there]);
});

// S46: of two nodes that are asked at the same moment one grants the code.
test('a pairing code is granted once', { skip }, async () => {
  const { id } = await nodes.east.register('paired');
  for (let i = 0; i < 4; i++) {
    const { pairing_code: code } = await admin(nodes.east, 'POST', `/api/admin/agents/${id}/pairing-code`, {});
    assert.ok(code);
    const answers = await Promise.all([nodes.east, nodes.west, nodes.north].map((n) => n.call('POST', '/api/bridge/pair', { body: { pairing_code: code } })));
    assert.deepEqual(answers.map((a) => a.status).sort(), [200, 409, 409], JSON.stringify(answers));
    const { api_key: key } = answers.find((a) => a.status === 200).body.agent;
    for (const n of Object.values(nodes)) await until(async () => (await n.call('GET', '/api/agents/me/entropy', { key })).status === 200, 'the new key', LONG);
  }
});

// S46: registrations are counted by the store, reads by each node, which tells the others of whoever reads a lot.
test('limits are those of one arena', { skip }, async () => {
  let passed = 0;
  const all = Object.values(nodes), headers = from('203.0.113.5');
  await Promise.all(Array.from({ length: 24 }, async (_, i) => {
    const { status } = await all[i % 3].call('POST', '/api/agents/register', { body: { name: `crowd ${i}` }, headers });
    assert.ok(status === 201 || status === 429, String(status));
    passed += status === 201;
  }));
  assert.equal(passed, 10);
  assert.equal((await nodes.north.call('POST', '/api/agents/register', { body: { name: 'somebody else' }, headers: from('203.0.113.6') })).status, 201);

  const reader = from('203.0.113.7'), read = (n) => n.call('GET', '/api/games', { headers: reader }).then((r) => r.status);
  await until(async () => {
    await Promise.all(Array.from({ length: 20 }, () => read(nodes.east)));
    return (await read(nodes.west)) === 429; // which it has hardly ever asked
  }, 'a limit at the other node', LONG);
  assert.equal((await nodes.west.call('GET', '/api/games', { headers: from('203.0.113.8') })).status, 200);
});

// S45: what was begun at one node counts at the other.
test('a cap counts the games of all nodes', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await admin(nodes.east, 'PATCH', `/api/admin/agents/${agents[0].agent.id}/limits`, { max_games_per_hour: 1 });
  for (const a of agents) a.join('liars_dice', {});
  await Promise.all(agents.map((a) => play(a)));
  await agents[0].close();
  const capped = await again(nodes.west, agents[0]);
  capped.join('liars_dice', {});
  assert.match((await capped.next('error', LONG)).data.message, /hourly limit reached/);
  await end([capped, agents[1]]);
});

// S48, S60: the host leaves with its match handed over, and whoever watches from elsewhere goes on.
test('spectators follow a match that is handed over', { skip }, async () => {
  const agents = [await come(nodes.east), await come(nodes.east)];
  await meet(agents);
  const live = await liveOf();
  const watchers = [await watch(nodes.west, `live=${live}&from=0`), await watch(nodes.north, `live=${live}&from=0`)];
  await act(agents);
  for (const w of watchers) await w.has(1);
  for (const a of agents) await a.close();
  const moved = await Promise.all(agents.map((a) => again(nodes.west, a)));
  await admin(nodes.west, 'POST', '/api/admin/nodes/east/drain', {});
  await until(() => one("SELECT count(*) FROM running WHERE adopted AND host IN (SELECT epoch FROM nodes WHERE name <> 'east')") === 1, 'another host', LONG);
  await Promise.all(moved.map((a) => play(a)));
  for (const w of watchers) await until(() => w.of('spectate_end').length === 1, 'end of the match', LONG);
  assert.deepEqual(watchers[0].events().map((e) => e.seq), watchers[0].events().map((_, i) => i));
  assert.deepEqual(watchers[0].events(), watchers[1].events());
  await end(moved);
  await within(LONG, nodes.east.exited, 'exit of the node that left');
  delete nodes.east;
});
