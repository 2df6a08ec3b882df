// The API of the page beyond that of agents: sockets without headers, guests, tables on request, several boards on one
// socket, and resuming after a lost connection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import WebSocket from 'ws';
import path from 'node:path';
import { games } from './agon.mjs';
import { Agent, Arena, asked, begin, checkFrame, choose, end, play, root, seat } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { Documented } from './lib/documented.mjs';
import { until, within } from './lib/wait.mjs';

const browser = { browser: true, query: '?protocol=v1.2.0&capabilities=match_feed,belote,kuhn_poker,leduc_poker&bridge_capabilities=replaced-close-code&instance=tab-1' };

// Every answer keeps to the OpenAPI document.
const start = async (options) => {
  const arena = await Arena.start(options), rest = await Documented.of(arena);
  arena.call = (...args) => rest.call(...args);
  return arena;
};

const guest = async (arena, name) => {
  const { status, body } = await arena.call('POST', '/api/guests', { body: name ? { name } : {} });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.agent.id, key: body.agent.api_key, name: body.agent.name };
};

const table = (arena, agent, body) => arena.call('POST', '/api/tables', { key: agent.key, body, headers: { 'x-aifight-capabilities': 'belote,kuhn_poker,leduc_poker' } });

// F1.16, F5.7.
test('a guest plays every game against house players of a chosen strength', async (t) => {
  const arena = await start();
  t.after(() => arena.stop());
  const cases = [['coup', ['house:1', 'house:3', 'house:3']], ['liars_dice', ['house:rules']], ['texas_holdem', ['house:2', 'house:5']],
    ['belote', ['house:1', 'house:1', 'house:1']], ['kuhn_poker', ['house:5']], ['leduc_poker', ['random']]];
  const me = await guest(arena, 'Ada');
  assert.equal(me.name, 'Ada');
  const agent = await Agent.connect(arena, me, browser);
  assert.equal(agent.ws.protocol, 'agon'); // the key is not sent back
  for (const [game, opponents] of cases) {
    const { status, body } = await table(arena, me, { game, opponents });
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual([body.status, body.duel.max_players, body.duel.seated_count], ['in_match', opponents.length + 1, opponents.length + 1]);
    assert.ok(!('join_url' in body));
    const [over] = await play(agent);
    assert.equal(new Set(over.data.players.map((p) => p.agent_id)).size, opponents.length + 1, game);
    const { body: matches } = await arena.call('GET', '/api/matches?limit=1');
    assert.deepEqual([matches.matches[0].game, matches.matches[0].rated], [game, false]);
  }
  await agent.close();
});

test('a table waits for its host, and for friends with the link', async (t) => {
  const arena = await start();
  t.after(() => arena.stop());
  const [host, friend] = [await guest(arena), await guest(arena)];
  assert.match(host.name, /^Guest \d{10}$/);
  const alone = await table(arena, host, { game: 'liars_dice', seats: 2, opponents: ['house:2'] });
  assert.equal(alone.body.status, 'waiting_online');
  const agent = await Agent.connect(arena, host, browser);
  await play(agent);
  const { body } = await table(arena, host, { game: 'coup', opponents: ['link', 'house:3'] });
  assert.deepEqual([body.status, body.duel.seated_count, body.duel.max_players], ['pending', 2, 3]);
  const other = await Agent.connect(arena, friend, browser);
  const accepted = await arena.call('POST', `/api/challenges/${body.join_url.split('/').pop()}/accept`, { key: friend.key });
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  const [[a], [b]] = await Promise.all([play(agent), play(other)]);
  assert.equal(a.data.match_id, b.data.match_id);
  assert.equal(a.data.players.length, 3);
  await end([agent, other]);
});

// F3.23.
test('whoever waits in the queue takes a seat of a table, confirms it, and goes back', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const me = await guest(arena, 'Ada'), host = await Agent.connect(arena, me, browser);
  const { status, body } = await table(arena, me, { game: 'coup', opponents: ['house:1', 'queue'] });
  assert.deepEqual([status, body], [201, { status: 'queued' }]);
  const joined = await host.next('queue_joined');
  assert.deepEqual([joined.data.game, joined.data.mode], ['coup', 'friendly']);
  const [other] = await seat(arena, 'coup', 1), ask = await other.next('match_confirm_request');
  assert.equal(ask.data.mode, 'friendly');
  other.send({ type: 'match_confirm', data: { confirm_id: ask.data.confirm_id } });
  const [[mine], [theirs]] = await Promise.all([play(host), play(other)]);
  const again = await other.next('queue_joined');
  assert.deepEqual([again.data.game, again.data.mode], ['coup', 'ranked']);
  assert.equal(mine.data.match_id, theirs.data.match_id);
  assert.equal(mine.data.players.length, 3);
  const { body: replay } = await arena.call('GET', `/api/replays/${mine.data.replay_url.split('/').pop()}`);
  assert.deepEqual([replay.mode, replay.rated], ['friendly', false]);
  // Somebody waits already: the table begins at once.
  const late = await seat(arena, 'liars_dice', 1), { body: made } = await table(arena, me, { game: 'liars_dice', opponents: ['queue'] });
  assert.equal(made.status, 'queued'); // until the other one has confirmed
  const [[over]] = await Promise.all([play(host), play(late[0])]);
  assert.equal(over.data.players.length, 2);
  await end([host, other, ...late]);
});

test('wishes that cannot be met are refused and say what would do', async (t) => {
  const arena = await start();
  t.after(() => arena.stop());
  const me = await guest(arena);
  const cases = [
    [{ game: 'coup', opponents: [] }, 400, /opponents must name/],
    [{ game: 'coup' }, 400, /opponents must name/],
    [{ game: 'coup', opponents: ['house:9'] }, 400, /unknown opponent house:9/],
    [{ game: 'coup', opponents: ['house:4@600000ms'] }, 400, /unknown opponent house:4@600000ms/],
    [{ game: 'coup', opponents: ['house:1'], seats: 4 }, 400, /every other seat/],
    [{ game: 'belote', opponents: ['house:1'] }, 400, /player_count of belote must be 4/],
    [{ game: 'chess', opponents: ['house:1'] }, 400, /unknown game/],
    [{ game: 'coup', opponents: Array(12).fill('link') }, 400, /every other seat/],
    [{ game: 'coup', opponents: 'link' }, 400, /opponents/],
    [{ game: 'coup', opponents: ['queue', 'link'] }, 400, /link or queue, not both/],
    [{ game: 'belote', opponents: ['queue'] }, 400, /belote needs 4 to 4 players/],
    [{ game: 'coup', opponents: ['queue'] }, 425, /connect this agent first/],
  ];
  for (const [body, status, why] of cases) {
    const answer = await table(arena, me, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.match(answer.body.error, why);
  }
  assert.equal((await arena.call('POST', '/api/tables', { body: cases[0][0] })).status, 401);
  assert.equal((await arena.call('POST', '/api/guests', { body: { name: '\u202eevil' } })).status, 400);
  const { body } = await arena.call('GET', '/api/agents/me/challenges', { key: me.key });
  assert.deepEqual(body.duels, []);
  const invite = () => table(arena, me, { game: 'coup', opponents: ['link'] });
  assert.deepEqual([(await invite()).status, (await invite()).status, (await invite()).status], [201, 201, 429]); // a guest has two open tables
});

test('hints at friendly tables, rules of every game', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '1', '--house-wait', '50', '--table-max', '2']);
  t.after(() => arena.stop());
  const me = await guest(arena), agent = await Agent.connect(arena, me, browser);
  for (const game of ['texas_holdem', 'coup', 'belote', 'kuhn_poker']) {
    const opponents = Array(game === 'belote' ? 3 : 1).fill('house:1');
    const { body } = await table(arena, me, { game, opponents });
    for (let over; !over; ) {
      const frame = await agent.next('*', 60000, (f) => ['action_request', 'game_over'].includes(f.type));
      if ((over = frame.type === 'game_over')) break;
      assert.equal(frame.data.match_id, body.session_id);
      const hint = await arena.call('GET', `/api/agents/me/matches/${body.session_id}/hint`, { key: me.key });
      assert.equal(hint.status, 200, JSON.stringify(hint.body));
      const [advised] = hint.body.actions;
      assert.ok(hint.body.sentence.length > 2 && frame.data.legal_actions.some((a) => a.type === advised.type), JSON.stringify(hint.body));
      const action = choose(game, { ...frame.data, legal_actions: [advised] }, agent.chance);
      agent.act(frame, action); // and it is legal
    }
    agent.sound();
    assert.equal((await arena.call('GET', `/api/agents/me/matches/${body.session_id}/hint`, { key: me.key })).status, 409);
    const { body: told } = await arena.call('GET', `/api/games/${game}/rules?capabilities=belote,kuhn_poker`);
    assert.ok(told.rules.key_rules.length > 1);
  }
  assert.equal((await arena.call('GET', '/api/games/chess/rules')).status, 404);
  await agent.close();
  const [rated] = await seat(arena, 'liars_dice', 1);
  await begin([rated]);
  const request = await rated.next('action_request', 60000);
  const refused = await arena.call('GET', `/api/agents/me/matches/${request.data.match_id}/hint`, { key: rated.agent.key });
  assert.equal(refused.status, 403);
  await end([rated]);
});

// F5.4.
test('the page declares every game that a client must declare (F6.B1)', async (t) => {
  const arena = await start([]);
  t.after(() => arena.stop());
  const names = async (capabilities) => (await arena.call('GET', `/api/games?capabilities=${capabilities}`)).body.games.map((g) => g.name);
  const [, declared] = /data-games="([^"]*)"/.exec(await (await fetch(arena.url)).text());
  const undeclared = await names(''), all = games.filter((g) => g.min_seats > 1).map((g) => g.name);
  assert.deepEqual(declared.split(','), all.filter((name) => !undeclared.includes(name)));
  assert.deepEqual((await names(declared)).sort(), all.sort());
});

test('an agent deletes itself: key and name are gone, its matches stay', async (t) => {
  const arena = await start();
  t.after(() => arena.stop());
  const me = await guest(arena, 'Ada'), agent = await Agent.connect(arena, me, browser);
  await table(arena, me, { game: 'liars_dice', opponents: ['house:1'] });
  await agent.next('game_start');
  const early = await arena.call('DELETE', '/api/agents/me', { key: me.key });
  assert.deepEqual([early.status, early.body.error], [409, 'the agent is playing and cannot be deleted; finish the match first']);
  const [over] = await play(agent), id = over.data.replay_url.split('/').pop();
  const { body: { join_url: open } } = await arena.call('POST', '/api/challenges', { key: me.key, body: { game: 'coup' } });
  const gone = await arena.call('DELETE', '/api/agents/me', { key: me.key });
  assert.deepEqual([gone.status, gone.body], [200, { status: 'ok' }]);
  await agent.closed;
  assert.equal((await arena.call('GET', '/api/agents/me/status', { key: me.key })).status, 401);
  assert.deepEqual((await arena.call('GET', '/api/agents?name=Ada')).body.agents, []);
  const { body: { agent: left } } = await arena.call('GET', `/api/agents/${me.id}/profile`);
  assert.equal((await arena.call('GET', `/api/challenges/${open.split('/').pop()}`)).body.duel.status, 'cancelled');
  assert.match(left.name, /^Deleted \d+$/);
  assert.deepEqual([left.is_active, left.model, left.description], [false, null, '']);
  assert.ok((await arena.call('GET', `/api/replays/${id}`)).body.players.some((p) => p.agent_name === 'Ada')); // as it was called then
  assert.equal((await arena.call('DELETE', '/api/agents/me', { key: me.key })).status, 401);
});

test('guests are limited by address', async (t) => {
  const arena = await start(['--limit-loopback']);
  t.after(() => arena.stop());
  for (let i = 0; i < 30; i++) assert.equal((await arena.call('POST', '/api/guests', { body: {} })).status, 201);
  assert.equal((await arena.call('POST', '/api/guests', { body: {} })).status, 429);
});

const watch = async (arena, query) => {
  const w = { frames: [], ws: new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?${query}`) };
  w.ws.on('message', (m) => w.frames.push(JSON.parse(m)));
  w.closed = new Promise((resolve) => w.ws.on('close', resolve));
  await within(20000, new Promise((resolve, reject) => w.ws.on('message', resolve).on('error', reject)), 'a frame');
  return w;
};

// F4.24, F4.25.
test('a spectator who comes late sees the bids of the round, on its socket and in the list', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'liars_dice', 2);
  await begin(agents);
  const bids = [];
  for (let n = 1; n <= 3; n++) {
    const { agent, frame } = await Promise.any(agents.map(async (a) => ({ agent: a, frame: await a.next('action_request', 60000) })));
    agent.act(frame, { type: 'bid', data: { quantity: n, face: 2 } });
    bids.push({ bidder: frame.data.state.your_player_id, quantity: n, face: 2 });
  }
  await Promise.any(agents.map((a) => a.next('action_request', 60000)));
  const [row] = (await arena.call('GET', '/api/matches/live?state=1')).body.matches, w = await watch(arena, `live=${row.id}`);
  checkFrame(w.frames[0], null);
  for (const { state } of [row, w.frames[0].data]) assert.deepEqual([state.round_bids, state.your_dice], [bids, undefined]);
  w.ws.close();
  await end(agents);
});

// F5.14.
test('what of a replay may be kept, and that others have none', async (t) => {
  const token = 'operator', arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0', '--admin-token', token]);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'coup', 2);
  await begin(agents);
  const running = async () => (await arena.call('GET', '/api/admin/matches', { token })).body.matches[0];
  const head = async (path, headers) => { const a = await fetch(arena.url + path, { headers }); return [a.status, a.headers.get('cache-control'), a.headers.get('etag')]; };
  const none = async (id) => { for (const part of ['', '/whole', '/file', '/decisions', '/frames', '/analysis']) assert.deepEqual((await head(`/api/replays/${id}${part}`)).slice(0, 2), [404, 'no-store'], part); };
  const live = (await arena.call('GET', '/api/matches/live')).body.matches[0].id;
  for (const id of [live, (await running()).id]) await none(id);
  const [over] = await Promise.all(agents.map((a) => play(a))), id = over[0].data.replay_url.split('/').pop();
  const kept = { '/file': 'public, max-age=31536000, immutable', '/whole': 'public, max-age=3600', '/decisions': 'public, max-age=3600' };
  for (const [part, how] of Object.entries(kept)) {
    const [status, cache, tag] = await head(`/api/replays/${id}${part}`);
    assert.deepEqual([status, cache], [200, how], part);
    assert.deepEqual(await head(`/api/replays/${id}${part}`, { 'if-none-match': tag }), [304, how, tag]);
  }
  assert.equal((await head(`/replay/${id}?seat=p1`))[1], 'no-store'); // the shell; a viewpoint is a matter of the page
  await end(agents);
  const again = await seat(arena, 'coup', 2);
  await begin(again);
  const { id: cancelled } = await running();
  assert.equal((await arena.call('POST', `/api/admin/matches/${cancelled}/cancel`, { token, body: {} })).status, 200);
  const lost = again[0].frames.find((f) => f.type === 'game_over') ?? await again[0].next('game_over', 60000);
  for (const name of [cancelled, lost.data.replay_url?.split('/').pop() ?? cancelled]) await none(name);
  await end(again);
});

// N20.8.
test('why a match was lost: worked out once, kept, without names', async (t) => {
  const arena = await start();
  t.after(() => arena.stop());
  const me = await guest(arena, 'Ada'), agent = await Agent.connect(arena, me, browser);
  assert.equal((await table(arena, me, { game: 'kuhn_poker', opponents: ['house:1'] })).status, 201);
  const [over] = await play(agent), where = `${over.data.replay_url.replace('/replay/', '/api/replays/')}/analysis`;
  await agent.close();
  const first = await fetch(arena.url + where);
  assert.ok([200, 202].includes(first.status), String(first.status));
  if (first.status === 202) assert.deepEqual([first.headers.get('retry-after'), first.headers.get('cache-control')], ['1', 'no-store']);
  const { body } = await until(async () => { const said = await arena.call('GET', where); assert.ok([200, 202].includes(said.status), JSON.stringify(said.body)); return said.status === 200 && said; }, 'analysis', 60000);
  const { analysis: a } = body;
  assert.equal(body.status, 'done');
  assert.deepEqual(a.seats.map((s) => s.name), ['seat_0', 'seat_1']);
  assert.doesNotMatch(JSON.stringify(a), /Ada/);
  for (const [s, seat] of a.seats.entries()) {
    assert.ok(Math.abs(seat.result - seat.own - seat.others - seat.luck - seat.rest) < 1e-5);
    for (const step of seat.worst) assert.ok(a.decisions.some((d) => d.seat === s && d.step === step && d.loss > 0));
  }
  const { body: replay } = await arena.call('GET', where.replace('/analysis', ''));
  assert.equal(a.commitment, replay.seed_commitment);
  const kept = await fetch(arena.url + where);
  assert.deepEqual([kept.status, kept.headers.get('cache-control')], [200, 'public, max-age=3600']);
  assert.equal((await fetch(arena.url + where, { headers: { 'if-none-match': kept.headers.get('etag') } })).status, 304);
});

test('a server that hides cards tells no analysis', async (t) => {
  const arena = await start(['--no-reveal-seed']);
  t.after(() => arena.stop());
  const me = await guest(arena), agent = await Agent.connect(arena, me, browser);
  assert.equal((await table(arena, me, { game: 'kuhn_poker', opponents: ['house:1'] })).status, 201);
  const [over] = await play(agent);
  await agent.close();
  const { status, body } = await arena.call('GET', `${over.data.replay_url.replace('/replay/', '/api/replays/')}/analysis`);
  assert.deepEqual([status, body.error], [403, 'this server does not show hidden cards']);
});

// F5.8.
test('matches by interest', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'liars_dice', 2);
  await begin(agents);
  await Promise.all(agents.map((a) => play(a)));
  await end(agents);
  for (const game of ['liars_dice', 'liars_dice', 'kuhn_poker', 'coup']) {
    const more = await seat(arena, game, 2, { capabilities: 'match_feed,kuhn_poker' });
    await begin(more);
    await Promise.all(more.map((a) => play(a)));
    await end(more);
  }
  const list = async (query) => (await arena.call('GET', `/api/matches?${query}`)).body.matches.map((m) => m.id);
  const newest = await list('limit=50'), best = await list('sort=interest&limit=50');
  assert.deepEqual([...best].sort(), [...newest].sort());
  const detail = async (id) => (await arena.call('GET', `/api/replays/${id}`)).body;
  assert.deepEqual(await list('sort=newest&limit=50'), newest);
  assert.deepEqual(await list('sort=interest&from=1&limit=2'), best.slice(1, 3)); // pages of the same order
  // By swings first, then by length, each for its game: all are rated, and won alike.
  const order = async (query) => Promise.all((await arena.call('GET', `/api/matches?sort=interest${query}`)).body.matches.map(async (m) => ({ ...m, events: (await detail(m.id)).event_count })));
  const ranked = await order('&game=liars_dice');
  for (const rows of [ranked, await order('')]) {
    const share = (m, what) => m[what] / Math.max(...rows.filter((x) => x.game === m.game).map((x) => x[what]));
    const worth = rows.map((m) => 2 * (share(m, 'swing') + share(m, 'largest_swing')) + .5 * share(m, 'events'));
    assert.deepEqual([worth.length, worth], [rows === ranked ? 3 : 5, [...worth].sort((x, y) => y - x)]);
  }
  const games = (await order('')).map((m) => m.game);
  assert.ok(games.indexOf('coup') < games.indexOf('kuhn_poker'), `${games}`); // each alone of its game: the newer one, though chances swing more in the other
  for (const m of ranked) {
    assert.ok(m.swing >= m.largest_swing && m.largest_swing > 0 && m.largest_swing <= 1, JSON.stringify(m));
    // F7: what a rated match made of everybody's rating, as the history has it; the winner gained.
    const whole = await detail(m.id);
    for (const p of m.players) {
      const points = (await arena.call('GET', `/api/agents/${p.agent_id}/ratings?game=liars_dice`)).body.points;
      assert.ok(points.some((x) => Math.abs(x.rating - p.rating_after) < .01 && Math.abs(x.deviation - p.deviation_after) < .01), JSON.stringify([p, points]));
      assert.equal(p.rating_after > p.rating_before, p.result === 'win');
      assert.ok(p.deviation_after < p.deviation_before);
      assert.deepEqual(whole.players.find((x) => x.player_id === p.player_id), p);
    }
  }
  for (const path of ['/api/matches?sort=best', '/api/matches/live?sort=']) {
    const refused = await arena.call('GET', path);
    assert.deepEqual([refused.status, refused.body.error], [400, 'sort must be newest or interest']);
  }
  const a = await seat(arena, 'coup', 2), b = await seat(arena, 'coup', 2);
  await begin(a);
  await begin(b);
  const live = async (query) => (await arena.call('GET', `/api/matches/live${query}`)).body.matches.map((m) => m.id);
  const [younger, older] = await live('');
  const w = await watch(arena, `live=${older}`);
  assert.deepEqual(await live('?sort=interest'), [older, younger]); // somebody watches it
  assert.ok((await arena.call('GET', '/api/matches/live')).body.matches.every((m) => m.swing === 0)); // nobody has moved
  w.ws.close();
  await end([...a, ...b]);
});

// F4.24, F4.25.
test('one socket follows several boards, and goes on where another ended', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const first = await seat(arena, 'liars_dice', 2), second = await seat(arena, 'coup', 2);
  await begin(first);
  await begin(second);
  const { matches } = (await arena.call('GET', '/api/matches/live')).body;
  assert.equal(matches.length, 2);
  assert.ok(matches.every((m) => m.delay_seconds === 0 && m.rated && !m.state));
  const drawn = (await arena.call('GET', '/api/matches/live?state=1')).body;
  assert.deepEqual(drawn.tables.map((x) => [x.game, x.table, x.rows.length]), [['tetris', 'main', 20]]);
  const both = await watch(arena, `live=${matches.map((m) => m.id).join(',')},nonsense`);
  const one = await watch(arena, `live=${matches.find((m) => m.game === 'liars_dice').id}`);
  const [over] = await Promise.all([...first, ...second].map((a) => play(a)));
  assert.equal(await within(20000, both.closed, 'end'), 1001);
  for (const f of both.frames) checkFrame(f, null);
  const starts = both.frames.filter((f) => f.type === 'spectate_start');
  assert.deepEqual(starts.map((f) => f.data.live).sort(), matches.map((m) => m.id).sort());
  const ends = both.frames.filter((f) => f.type === 'spectate_end');
  assert.deepEqual(ends.map((f) => f.data.match_id).sort(), starts.map((f) => f.data.match_id).sort());
  const dice = ends.find((f) => f.data.match_id === over[0].data.match_id).data;
  assert.deepEqual([dice.result, dice.players], [over[0].data.result, over[0].data.players]);
  for (const { data } of starts) {
    const seqs = both.frames.filter((f) => f.type === 'event' && f.data.match_id === data.match_id).flatMap((f) => f.data.events.map((e) => e.seq));
    assert.deepEqual(seqs, seqs.map((_, i) => data.seq + i));
  }
  // F4.26: who is asked, until when.
  for (const { data } of starts) {
    assert.deepEqual(drawn.matches.find((m) => m.id === data.live).state, data.state); // nobody had moved
    assert.equal(data.asked.length > 0, true);
    assert.ok(Date.parse(data.deadline) > Date.parse(data.server_time));
    const turns = both.frames.filter((f) => f.type === 'turn' && f.data.match_id === data.match_id);
    assert.ok(turns.length > 1 && turns.every((f) => f.data.asked.length && f.data.strikes.length === data.players.length), JSON.stringify(turns[0]));
  }
  await within(20000, one.closed, 'end');
  await end([...first, ...second]);
});

// F4.25.
test('a spectator who comes back gets what it missed', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'texas_holdem', 2);
  await begin(agents);
  const live = (await arena.call('GET', '/api/matches/live')).body.matches[0].id;
  const again = await watch(arena, `live=${live}&from=0`);
  const late = await watch(arena, `live=${live}&from=4000000`); // more than there is: a picture, as for anybody
  const [over] = await Promise.all(agents.map((a) => play(a)));
  await within(20000, Promise.all([again.closed, late.closed]), 'end');
  assert.equal(late.frames[0].type, 'spectate_start');
  assert.equal(again.frames[0].type, 'event');
  const events = again.frames.filter((f) => f.type === 'event').flatMap((f) => f.data.events.map((e) => e.seq));
  assert.deepEqual(events, events.map((_, i) => i));
  assert.equal(again.frames.at(-1).data.match_id, over[0].data.match_id);
  await end(agents);
});

// F4.24.
test('who comes late is told what spectators have seen, and no more', async (t) => {
  for (const [delay, shows] of [['0', true], ['600000', false]]) {
    const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', delay, '--rules', 'texas_holdem={"starting_chips":5000}']);
    t.after(() => arena.stop());
    const agents = await seat(arena, 'texas_holdem', 2);
    await begin(agents);
    const { agent, request } = await asked(agents);
    agent.act(request, { type: 'fold' });
    await asked(agents.filter((a) => a !== agent), 60000); // a new hand: there are events
    const [{ id }] = (await arena.call('GET', '/api/matches/live')).body.matches, path = `/api/matches/live/${id}/events`, { body } = await arena.call('GET', path);
    assert.equal(body.events.length > 3, shows, JSON.stringify(body));
    assert.deepEqual([body.count, body.total, body.has_more, body.config.starting_chips], [body.events.length, body.events.length, false, 5000]);
    assert.ok(!/cards/.test(JSON.stringify(body.events)), JSON.stringify(body.events)); // nobody's cards
    if (shows) {
      const { frames } = await watch(arena, `live=${id}&from=0`);
      await until(() => frames.flatMap((f) => f.data.events ?? []).length >= body.total, 'the same events', 60000);
      assert.deepEqual(frames.flatMap((f) => f.data.events ?? []).slice(0, body.total), body.events);
      const part = (await arena.call('GET', `${path}?from=1&limit=2`)).body;
      assert.deepEqual([part.events, part.count, part.has_more], [body.events.slice(1, 3), 2, true]);
    }
    assert.equal((await arena.call('GET', `${path}?limit=251`)).body.count, body.count); // cut at what is allowed
    assert.equal((await arena.call('GET', `${path}?from=-1`)).status, 400);
    for (const nobody of ['nonsense', '00000000-0000-4000-8000-000000000000']) assert.equal((await arena.call('GET', `/api/matches/live/${nobody}/events`)).status, 404);
    await end(agents);
  }
});

// F7.12, F2.7.
test('a profile names the friendly table of its agent, and no other', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const profile = async (id) => (await arena.call('GET', `/api/agents/${id}/profile`)).body, me = await guest(arena, 'Ada');
  assert.deepEqual([(await profile(me.id)).online, (await profile(me.id)).playing_now], [false, null]);
  const agent = await Agent.connect(arena, me, browser);
  await table(arena, me, { game: 'liars_dice', opponents: ['house:1'] });
  await agent.next('game_start');
  const [row] = (await arena.call('GET', '/api/matches/live')).body.matches, own = await profile(me.id);
  assert.deepEqual([own.online, own.playing_now], [true, row.id]);
  const [over] = await play(agent), house = over.data.players.find((p) => p.agent_id !== me.id);
  assert.equal((await profile(me.id)).playing_now, null);
  assert.equal((await profile(house.agent_id)).playing_now, null);
  await agent.close();
  const queued = await seat(arena, 'coup', 2);
  await begin(queued);
  assert.equal((await arena.call('GET', '/api/matches/live')).body.count, 1);
  for (const a of queued) assert.deepEqual([(await profile(a.agent.id)).online, (await profile(a.agent.id)).playing_now], [true, null]);
  await end(queued);
});

// F3.22.
test('a rematch begins when all have asked, and house players always do', async (t) => {
  const arena = await start();
  t.after(() => arena.stop());
  const [host, friend] = [await guest(arena, 'Ada'), await guest(arena, 'Bea')];
  const [a, b] = [await Agent.connect(arena, host, browser), await Agent.connect(arena, friend, browser)];
  const rematch = (who, session, method = 'POST') => arena.call(method, `/api/matches/${session}/rematch`, { key: who.key });
  // Alone with the house.
  await table(arena, host, { game: 'liars_dice', opponents: ['house:1'] });
  const [first] = await play(a);
  const again = await rematch(host, first.data.session_id);
  assert.deepEqual([again.status, again.body.status, again.body.asked, again.body.of], [200, 'in_match', 2, 2], JSON.stringify(again.body));
  const [second] = await play(a);
  assert.equal(second.data.session_id, again.body.session_id);
  assert.deepEqual(new Set(second.data.players.map((p) => p.agent_id)), new Set(first.data.players.map((p) => p.agent_id)));
  assert.equal((await rematch(host, first.data.session_id)).body.session_id, again.body.session_id); // asking twice is asking once
  // With a friend and a house player.
  const made = await table(arena, host, { game: 'coup', opponents: ['link', 'house:1'] });
  await arena.call('POST', `/api/challenges/${made.body.join_url.split('/').pop()}/accept`, { key: friend.key });
  const [[overA], [overB]] = await Promise.all([play(a), play(b)]);
  assert.deepEqual((await rematch(friend, overB.data.session_id, 'GET')).body, { status: 'open', asked: 1, of: 3 });
  const asked = await rematch(host, overA.data.session_id);
  assert.deepEqual([asked.body.status, asked.body.asked, asked.body.of], ['waiting', 2, 3]);
  const left = Date.parse(asked.body.expires_at) - Date.now();
  assert.ok(left > 0 && left <= 61000, `${left}`);
  assert.deepEqual((await rematch(host, overA.data.session_id, 'DELETE')).body, { status: 'open', asked: 1, of: 3 });
  assert.equal((await rematch(friend, overB.data.session_id)).body.status, 'waiting');
  const both = await rematch(host, overA.data.session_id);
  assert.equal(both.body.status, 'in_match');
  const theirs = await rematch(friend, overB.data.session_id, 'GET');
  assert.equal(theirs.body.status, 'in_match');
  assert.equal((await rematch(friend, theirs.body.session_id)).status, 409); // it has just begun
  const [[c], [d]] = await Promise.all([play(a), play(b)]);
  assert.deepEqual([c.data.session_id, d.data.session_id], [both.body.session_id, theirs.body.session_id]);
  assert.equal(c.data.match_id, d.data.match_id);
  // Who is not there cannot be seated, and nothing begins.
  await b.close();
  assert.equal((await rematch(friend, d.data.session_id)).body.status, 'waiting');
  const alone = await rematch(host, c.data.session_id);
  assert.deepEqual([alone.status, alone.body.error], [409, 'Bea is offline or playing; try again later']);
  assert.equal((await rematch(host, d.data.session_id)).status, 403);
  assert.equal((await rematch(host, '6c2ad4f2-0000-4000-8000-000000000000')).status, 404);
  assert.equal((await arena.call('POST', `/api/matches/${c.data.session_id}/rematch`)).status, 401);
  await a.close();
  await arena.call('DELETE', '/api/agents/me', { key: friend.key });
  const deserted = await rematch(host, c.data.session_id);
  assert.deepEqual([deserted.status, deserted.body.error], [409, 'a player of this match was deleted, or this server no longer offers its game']);
});

// F2.4, F4.26.
test('what an agent reports of its decisions is shown late, and in the replay', async (t) => {
  const arena = await start(['--fill-wait', '100', '--house-bots', '0', '--table-max', '2', '--spectate-delay', '0']);
  t.after(() => arena.stop());
  const agents = await seat(arena, 'liars_dice', 2);
  await begin(agents);
  const live = (await arena.call('GET', '/api/matches/live')).body.matches[0].id;
  const w = await watch(arena, `live=${live}`);
  const note = `thinking ${'é'.repeat(600)}`, usage = { model: 'm-1', input_tokens: 120, output_tokens: 7 };
  for (const a of agents) {
    const send = a.send.bind(a);
    a.send = (m) => send(m.type === 'action' ? { ...m, usage, decision: { source: 'model', note } } : m);
  }
  await Promise.all(agents.map((a) => play(a)));
  await within(20000, w.closed, 'end');
  const told = w.frames.filter((f) => f.type === 'decision');
  for (const f of w.frames) checkFrame(f, null);
  const bids = w.frames.filter((f) => f.type === 'event').flatMap((f) => f.data.events).filter((e) => ['bid', 'challenge'].includes(e.type));
  assert.equal(told.length, bids.length);
  assert.deepEqual(told.map((f) => f.data.seq), bids.map((e) => e.seq));
  for (const { data } of told) { // F2.7: neither the model nor what it says tells who sits there
    assert.deepEqual([data.usage, data.decision], [{ input_tokens: 120, output_tokens: 7 }, { source: 'model' }]);
    const at = w.frames.findIndex((f) => f.data === data), before = w.frames.slice(0, at).filter((f) => f.type === 'event').at(-1);
    assert.equal(before.data.events[0].seq, data.seq);
  }
  const id = w.frames.at(-1).data.replay_url.split('/').pop();
  const { body } = await arena.call('GET', `/api/replays/${id}/decisions`);
  assert.deepEqual(body.decisions.map(({ seq, player_id, usage: u, decision: d }) => ({ seq, player_id, usage: u, decision: d })),
    told.map(({ data: { seq, player_id } }) => ({ seq, player_id, usage, decision: { note: note.slice(0, 500), source: 'model' } })));
  await end(agents);
});
