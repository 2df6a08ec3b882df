// No hidden information leaves the server before a match is over. Every frame of every seat and spectator, every REST answer,
// everything sent over MCP and to remote bots, the transcripts, the log and the metrics are recorded during a match and
// compared afterwards with the hidden cards, which the engine gets from the replay.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import WebSocket from 'ws';
import { Engine } from './agon.mjs';
import { Agent, agon, Arena, choose } from './lib/arena.mjs';
import { BotSeat, McpSeat } from './lib/seats.mjs';
import { until } from './lib/wait.mjs';

const TOKEN = 'operator-secret', SEED = 77, PUBLIC = -1;
const folder = mkdtempSync(path.join(tmpdir(), 'secrecy-')), transcripts = path.join(folder, 'transcripts');
let arena, matches = 0; // begun so far: their seeds are SEED + number (F6.1)

before(async () => {
  arena = await Arena.start(['--seed', String(SEED), '--fill-wait', '60000', '--table-max', '3', '--house-bots', '0', '--spectate-delay', '0', '--admin-token', TOKEN,
    '--transcripts', transcripts, '--log-level', 'debug', '--log-json', '--message-rate', '1000', '--message-burst', '1000',
    '--rules', 'texas_holdem={"max_hands":6}', '--rules', 'belote={"target":16}'], { shell: `mkdir '${transcripts}'; exec "$@"` });
});
after(async () => {
  await arena.stop();
  rmSync(folder, { recursive: true, force: true });
});

// --- what leaves, and when: [{viewer, step, what, value}]; viewer: a seat or PUBLIC; value: JSON or a text

class Record {
  constructor() {
    Object.assign(this, { kept: [], step: 0 });
  }
  keep(viewer, what, value) {
    this.kept.push({ viewer, step: this.step, what, value });
  }
}

const eventsOf = (frame) => [...(frame.data?.events ?? []), ...(frame.data?.new_events ?? []), ...(frame.data?.event_history ?? [])];

// One player: keeps what it gets, knows how far it has been told, and what it is asked.
class Player {
  constructor(record, agent) {
    Object.assign(this, { record, agent, told: 0, asks: [], backlog: [] });
  }
  async sit(game, where = arena) {
    this.wire = await Agent.connect(where, this.agent, { capabilities: 'match_feed,belote', onFrame: (f) => this.take(f) });
    this.wire.join(game, { one_shot: true });
    await this.wire.next('queue_joined');
  }
  take({ at, ...frame }) {
    if (frame.type === 'game_start') {
      this.session = frame.data.match_id;
      this.seat = frame.data.your_position;
    }
    if (frame.type === 'game_over') this.over = frame;
    if (frame.type === 'action_request') this.asks.push(frame);
    for (const e of eventsOf(frame)) this.told = Math.max(this.told, e.seq + 1);
    if (!this.over) this.backlog.push(frame);
  }
  // What came since the last call belongs to this step.
  settle() {
    for (const frame of this.backlog.splice(0)) this.record.keep(this.seat, frame.type, frame);
  }
}

async function watch(record) {
  const { id } = (await arena.call('GET', '/api/matches/live')).body.matches[0];
  const ws = new WebSocket(`${arena.url.replace('http', 'ws')}/api/ws/spectator?live=${id}`), watcher = { told: 0, backlog: [], live: id, ws };
  ws.on('message', (m) => {
    const frame = JSON.parse(m);
    for (const e of eventsOf(frame)) watcher.told = Math.max(watcher.told, e.seq + 1);
    if (frame.type === 'spectate_start') watcher.begun = true;
    if (frame.type === 'spectate_end') watcher.over = true;
    else watcher.backlog.push(frame);
  });
  watcher.settle = () => {
    for (const frame of watcher.backlog.splice(0)) record.keep(PUBLIC, frame.type, frame);
  };
  await until(() => watcher.begun, 'spectate_start');
  return watcher;
}

async function askRest(record, players, live) {
  const open = ['/api/matches/live', '/api/matches', `/api/replays/${live}`, `/api/replays/${live}/frames`, `/api/replays/${live}/file`, '/api/leaderboard', '/api/health', '/metrics', '/api/events', '/api/tournaments'];
  for (const where of open) record.keep(PUBLIC, where, (await arena.call('GET', where)).body);
  for (const p of players) {
    const own = `/api/agents/me/matches/${p.session}`;
    for (const where of [own, `${own}/events`, `${own}/result`, '/api/agents/me/status', `/api/matches/${p.session}/replay_url`])
      record.keep(p.seat, where.replace(p.session, 'SESSION'), (await arena.call('GET', where, { key: p.agent.key })).body);
    record.keep(PUBLIC, 'profile', (await arena.call('GET', `/api/agents/${p.agent.id}/profile`)).body);
  }
  for (const where of ['/api/admin/stats', '/api/admin/matches']) // the operator may know who plays, and no cards
    record.keep('operator', where, (await arena.call('GET', where, { headers: { 'x-agon-admin': TOKEN } })).body);
}

// One action at a time, and everybody has heard of it before the next: so it is known what belongs to which step. Of the
// beginning only those hear who are asked (F4.23).
async function playSlowly(record, game, players, watcher) {
  const everybody = [...players, watcher];
  for (let told = 0; ; ) {
    await until(() => players.some((p) => p.over) || ((!record.step || everybody.every((x) => x.told === players[0].told)) && players.some((p) => p.asks.length)), 'a question');
    if (players.some((p) => p.over)) break;
    everybody.forEach((x) => x.settle());
    if (record.step % 6 === 0) await askRest(record, players, watcher.live);
    const p = players.find((x) => x.asks.length), ask = p.asks.pop();
    p.asks.length = 0; // older ones are superseded
    told = p.told;
    const stale = p.wire.frames.filter((f) => f.type === 'action_stale').length;
    p.wire.act(ask, choose(game, ask.data));
    await until(() => p.over || p.told > told || p.wire.frames.filter((f) => f.type === 'action_stale').length > stale, 'effect');
    if (p.over || p.told > told) record.step++;
  }
  await until(() => players.every((p) => p.over) && watcher.over, 'end');
}

// --- the truth: what every seat held after every step, and what lay open

const hold = {
  texas_holdem: (v) => v.hole_cards ?? [],
  liars_dice: (v) => v.dice ?? [],
  coup: (v) => v.cards ?? [],
  belote: (v) => v.hand ?? [],
};
const lieOpen = {
  texas_holdem: (v) => v.board,
  liars_dice: () => [],
  coup: (v) => v.seats.map((s) => s.revealed),
  belote: (v) => v.played,
};

async function findTruth(game, file, count, seed) {
  const lines = spawnSync(agon, ['replay', 'export', '--format', 'jsonl', file], { encoding: 'utf8' }).stdout.trim().split('\n').map((l) => JSON.parse(l));
  const engine = new Engine(game), truth = [], actors = [];
  const started = await engine.must({ op: 'start', seats: count, seed, rules: lines[0].rules });
  assert.equal(started.commitment, lines[0].commitment);
  const look = async () => {
    const { views } = await engine.must({ op: 'view', viewer: 'all' });
    const seats = views.filter((v) => v.viewer !== 'spectator');
    truth.push({ held: seats.map((v) => hold[game](v.view)), open: lieOpen[game](seats[0].view), past: seats[0].view.last_trick?.cards ?? [] });
  };
  await look();
  for (const line of lines.slice(1)) {
    if (!line.action) continue;
    await engine.must({ op: 'apply', seat: line.seat, action: line.action, viewer: null });
    actors.push(Number(line.seat.slice(5)));
    await look();
  }
  await engine.close();
  return { truth, actors, key: lines[0].key ?? lines.at(-1).key };
}

// --- the scan: a list of faults

const ranks = { Seven: 7, Eight: 8, Nine: 9, Ten: 'T', Jack: 'J', Queen: 'Q', King: 'K', Ace: 'A' };

// Every leaf outside of events, which have a check of their own, and every list of numbers. What MCP packs into a text is
// unpacked, prose is taken by the word, and a card of the bot API is a card.
const unpack = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // prose may begin with a bracket too
  }
};
function* leaves(value, at = '') {
  const packed = typeof value === 'string' && /^[{[]/.test(value) ? unpack(value) : undefined;
  if (packed !== undefined) return yield* leaves(packed, at);
  if (ranks[value?.rank]) return yield [at, `${ranks[value.rank]}${value.suit[0].toLowerCase()}`];
  if (/observation\.text$/.test(at)) for (const word of value?.match(/\w+/g) ?? []) yield [at, word];
  if (Array.isArray(value) && value.length && value.every((x) => Number.isInteger(x))) yield [at, value];
  if (value && typeof value === 'object') {
    for (const [k, v] of Object.entries(value)) if (!(['events', 'new_events', 'event_history', 'rules', 'frames'].includes(k) && typeof v === 'object')) yield* leaves(v, at ? `${at}.${k}` : k);
  } else {
    yield [at, value];
  }
}

const card = /^[2-9TJQKA][cdhs]$/, role = /^(Duke|Assassin|Captain|Ambassador|Contessa)$/;

const scans = {
  // Cards are there once in a deal: whoever is not the holder sees a card only when it lies open. The last trick of
  // belote may be one of the deal before.
  cards: (viewer, { held, open, past }, at, leaf) => {
    if (typeof leaf !== 'string' || !card.test(leaf)) return false;
    if (/\.last_trick\.cards\.\d$/.test(at)) return !past.includes(leaf);
    return !open.includes(leaf) && !held[viewer]?.includes(leaf);
  },
  // A list of faces is somebody's dice; a player's own are where they belong, and are what he rolled.
  dice: (viewer, { held }, at, leaf) => {
    if (!Array.isArray(leaf) || !leaf.every((x) => x >= 1 && x <= 6)) return false;
    const own = at === 'data.state.your_dice' || at === `data.players.${viewer}.data.dice`;
    return !own || JSON.stringify([...leaf].sort()) !== JSON.stringify([...(held[viewer] ?? [])].sort());
  },
  // Roles are claimed all the time; the place says whether one is shown.
  roles: (viewer, { held, open }, at, leaf) => {
    if (typeof leaf !== 'string' || !role.test(leaf)) return false;
    if (/^data\.state\.(claimed_role|block_role|turn_log\.(claimed_role|block_role))$|^data\.legal_actions\.\d+\.data\.role$/.test(at)) return false;
    const shown = /^data\.(?:state\.)?players\.(\d)\.data\.revealed\.\d$/.exec(at);
    if (shown) return !open[Number(shown[1])].includes(leaf);
    if (viewer < 0) return true;
    if (/^data\.state\.your_revealed\.\d$/.test(at)) return !open[viewer].includes(leaf);
    if (/^data\.state\.your_cards\.\d$/.test(at)) return !held[viewer].includes(leaf);
    return !/^data\.(state\.(exchange_cards|all_exchange_options)|legal_actions\.\d+\.data\.(cards|all_cards))\b/.test(at); // drawn, and asked which to keep
  },
};
const scanOf = { texas_holdem: 'cards', belote: 'cards', liars_dice: 'dice', coup: 'roles' };

// Events are public, and the public replay has them all; of a hand that was folded a player sees his own cards besides.
function judgeEvent(event, viewer, frames) {
  const shown = frames[event.seq];
  if (!shown || shown.type !== event.type) return 'is not in the replay';
  const { hands, ...rest } = event.data, { hands: open, ...publicly } = shown.data;
  if (JSON.stringify(rest) !== JSON.stringify(publicly)) return 'differs from the public one';
  for (const [pid, hand] of Object.entries(hands ?? {}))
    if (pid !== `p${viewer}` && JSON.stringify(hand) !== JSON.stringify(open[pid])) return `shows the hand of ${pid}`;
  return null;
}

function scan(record, game, { truth, frames, secrets }) {
  const faults = [], scanner = scans[scanOf[game]];
  for (const { viewer, step, what, value } of record.kept) {
    const fault = (why) => faults.push(`step ${step}, to ${viewer}, ${what}: ${why}`);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    for (const [name, secret] of secrets(viewer, what)) if (text.includes(secret)) fault(`has ${name}`);
    if (typeof value === 'string') continue;
    for (const [at, leaf] of leaves(value)) if (scanner(viewer, truth[step], at, leaf)) fault(`${at} is ${JSON.stringify(leaf)}`);
    for (const event of [...eventsOf(value), ...(value.events ?? []), ...(value.frames ?? [])]) {
      const why = judgeEvent(event, viewer, frames);
      if (why) fault(`event ${event.seq} (${event.type}) ${why}`);
    }
  }
  return faults;
}

// --- the matches

async function replayFrames(id, where = arena) {
  const frames = [];
  for (let page; !page || page.has_more; ) {
    page = (await where.call('GET', `/api/replays/${id}/frames?from=${frames.length}`)).body;
    frames.push(...page.frames);
  }
  return frames;
}

for (const [game, count] of [['texas_holdem', 3], ['liars_dice', 3], ['coup', 3], ['belote', 4]])
  test(`what leaves during a match of ${game}`, async () => {
    const record = new Record(), seed = SEED + matches++, players = [], logged = arena.errors.length;
    for (let i = 0; i < count; i++) {
      players.push(new Player(record, await arena.register(`Xq${game}${i}zw`, { auto_confirm: true })));
      await players[i].sit(game);
    }
    await until(() => players.every((p) => p.session), 'game_start');
    const watcher = await watch(record);
    await playSlowly(record, game, players, watcher);
    players.forEach((p) => p.wire.sound());
    const lines = arena.errors.slice(logged).split('\n').filter((l) => l && !/"match\.finished"/.test(l));
    for (const line of lines) record.keep('log', 'log', line);

    const over = players[0].over.data, replay = over.replay_url.split('/')[2], file = path.join(folder, `${game}.agon`);
    writeFileSync(file, Buffer.from(await (await fetch(`${arena.url}/api/replays/${replay}/file`)).arrayBuffer()));
    const { truth, key } = await findTruth(game, file, count, seed);
    assert.equal(truth.length - 1, record.step, 'every step was looked at');
    assert.match(key, /^[0-9a-f]{64}$/);
    const others = (viewer) => players.filter((p) => p.seat !== viewer);
    // F2.6, F2.7, F6.1: beside cards, who the others are, their sessions, the match, and what all chance comes from.
    const secrets = (viewer, what) => [
      ['the key', key], ['the key', Buffer.from(key, 'hex').toString('base64')],
      ...(viewer === 'operator' || what === 'profile' || what === 'log' ? [] : others(viewer).flatMap((p) => [['a name', p.agent.name], ['an agent', p.agent.id]])),
      ...(viewer === 'operator' ? [] : others(viewer).map((p) => ['a session', p.session])),
      ...(viewer === 'operator' || viewer === PUBLIC ? [] : [['the match', over.match_id]]),
      ...players.map((p) => ['an api key', p.agent.key]),
    ];
    const faults = scan(record, game, { truth, frames: await replayFrames(replay), secrets });
    assert.deepEqual(faults.slice(0, 5), [], `${faults.length} of ${record.kept.length}`);

    // Text that is no JSON of a match has no cards at all.
    for (const { what, value } of record.kept)
      if (what === 'log' || what === '/metrics') assert.doesNotMatch(value, /"[2-9TJQKA][cdhs]"|\b(Duke|Assassin|Captain|Ambassador|Contessa)\b|\[[1-6](,[1-6])+\]/);
    // The transcripts are what the players got, and nothing else (F8.8).
    for (const p of players) {
      const name = readdirSync(transcripts).filter((f) => f.includes(p.agent.id));
      const written = readFileSync(path.join(transcripts, name[0]), 'utf8').trim().split('\n').map((l) => JSON.parse(l)).filter((l) => l.direction === 'server_to_client').map((l) => l.payload);
      assert.deepEqual(written, p.wire.frames.map(({ at, ...frame }) => frame));
    }
    // What was looked at: every kind of thing that leaves, and hidden things were there to be found.
    for (const what of ['action_request', 'match_feed', 'spectate_start', '/api/matches/live', '/metrics', '/api/agents/me/matches/SESSION/events']) assert.ok(record.kept.some((x) => x.what === what), what);
    assert.ok(truth.filter((t) => t.held.filter((h) => h.length).length > 1).length > truth.length / 2);

    // The scan itself can fail: the same things, each shown to a neighbour.
    const moved = { kept: record.kept.filter((x) => x.viewer >= 0 && x.what === 'action_request').map((x) => ({ ...x, viewer: (x.viewer + 1) % count })) };
    const found = scan(moved, game, { truth, frames: [], secrets: () => [] }).filter((f) => !/event/.test(f));
    assert.ok(found.length >= moved.kept.length / 2, `${found.length} of ${moved.kept.length}`);
    watcher.ws.terminate();
    await Promise.all(players.map((p) => p.wire.close()));
  });

// --- a table of every kind: WebSocket, MCP, a remote bot, the house

const GAME = 'belote', TARGET = 40; // two deals or more

// The house moves by itself, so a step is what one of our seats did and what the house did after it: what was held and lay
// open at any moment from the end of the step before.
function joinSteps(truth, actors, ours) {
  const steps = [], last = truth.length - 1;
  const ends = [...actors.keys()].filter((i) => ours.includes(actors[i])); // truth[i]: before the action
  for (const [n, end] of [...ends, last].entries()) {
    const from = n ? ends[n - 1] : 0, moments = truth.slice(from, end + 1);
    const ended = moments.filter((t, i) => i && t.open.length < moments[i - 1].open.length); // a deal did: its last card lay open meanwhile
    steps.push({ held: [0, 1, 2, 3].map((seat) => moments.flatMap((t) => t.held[seat])), open: [...moments.flatMap((t) => t.open), ...ended.flatMap((t) => t.past)], past: moments.flatMap((t) => t.past) });
  }
  return steps;
}

// What MCP is told it is told at once; the others have heard of it before anybody acts again.
async function playTable(record, wire, mcp, bot, look) {
  const heard = (cards, deals) => new Set(wire.wire.frames.flatMap(eventsOf).filter((e) => e.type === 'card_played').map((e) => e.seq)).size >= cards &&
    bot.count('card-played') >= cards && bot.count('trick-completed') >= Math.floor(cards / 4) && bot.count('deal-ended') >= deals;
  for (;;) {
    let acts;
    await until(async () => {
      const { observation: now, available_actions: may } = await mcp.call('observe'), deals = Math.max(0, now.deal_number - 1);
      if (wire.over || !heard(32 * deals + (now.played?.length ?? 0), deals)) return wire.over;
      if (wire.asks.length) acts = () => wire.wire.act(wire.asks.at(-1), choose(GAME, wire.asks.at(-1).data));
      else if (bot.asked) acts = () => bot.answer();
      else if (now.your_turn) acts = () => mcp.call('sim_step', { action: may.find((a) => a.type !== 'wait'), ticks: 1 });
      return acts;
    }, 'a question');
    if (wire.over) return;
    wire.settle();
    if (record.step % 8 === 0) await look();
    const told = wire.told;
    record.step++;
    const done = acts();
    wire.asks.length = 0;
    await done;
    await until(() => wire.over || wire.told > told, 'effect');
  }
}

// Whatever a client may ask for in the middle of a match; most of it is refused, and what is refused tells nothing either.
async function askMcp(mcp) {
  const { tools } = await mcp.client.listTools(), { resources } = await mcp.client.listResources();
  for (const { name } of tools) if (!/^(register_agent|deregister_agent|sim_step|batch_step)$/.test(name)) await mcp.call(name).catch(() => {});
  for (const { uri } of resources) await mcp.client.readResource({ uri }).catch(() => {});
}

test('what leaves to a table of a WebSocket, MCP, a remote bot and the house', async () => {
  const tables = await Arena.start(['--seed', String(SEED), '--house-wait', '2000', '--fill-wait', '60000', '--standby-sweep', '100', '--health-every', '100', '--spectate-delay', '0',
    '--admin-token', TOKEN, '--message-rate', '1000', '--message-burst', '1000', '--rules', `belote={"target":${TARGET}}`]);
  const record = new Record(), kept = { mcp: [], bot: [] };
  const keep = (who) => (what, value) => wire?.over || kept[who].push({ step: record.step, what, value });
  let wire;
  const bot = await BotSeat.listen(keep('bot'));
  const admin = { 'x-agon-admin': TOKEN, 'x-aifight-capabilities': 'belote' };
  const far = (await tables.call('POST', '/api/admin/agents', { headers: admin, body: { name: 'Xqfarzw', bot_url: bot.url, games: [GAME] } })).body.agent;
  for (let online = 0; !online; ) online = (await tables.call('GET', '/api/health')).body.agents_online;
  const mind = await tables.register('Xqmindzw'), mcp = await McpSeat.connect(tables.url, keep('mcp'));
  wire = new Player(record, await tables.register('Xqwirezw', { auto_confirm: true }));
  await Promise.all([wire.sit(GAME, tables), mcp.sit(GAME, mind.key)]);
  await until(() => wire.session && bot.seat !== undefined, 'game_start');
  await playTable(record, wire, mcp, bot, () => askMcp(mcp));
  wire.settle();

  const over = wire.over.data, replay = over.replay_url.split('/')[2], file = path.join(folder, 'table.agon');
  const seatOf = (id) => over.players.find((p) => p.agent_id === id).position, mine = seatOf(mind.id);
  assert.deepEqual([seatOf(wire.agent.id), seatOf(far.id)], [wire.seat, bot.seat]);
  writeFileSync(file, Buffer.from(await (await fetch(`${tables.url}/api/replays/${replay}/file`)).arrayBuffer()));
  const { truth, actors, key } = await findTruth(GAME, file, 4, SEED);
  const steps = joinSteps(truth, actors, [wire.seat, mine, bot.seat]);
  assert.equal(steps.length - 1, record.step, 'every step was looked at');
  for (const [who, seat] of [['mcp', mine], ['bot', bot.seat]]) for (const k of kept[who]) record.kept.push({ viewer: seat, ...k });

  const seats = [[wire.seat, wire.agent], [mine, mind], [bot.seat, far]];
  const secrets = (viewer) => [
    ['the key', key], ['the key', Buffer.from(key, 'hex').toString('base64')], ['the match', over.match_id],
    ...seats.filter(([seat]) => seat !== viewer).flatMap(([, agent]) => [['a name', agent.name], ['an agent', agent.id]]),
    ...(viewer === wire.seat ? [] : [['a session', wire.session]]), ['an api key', wire.agent.key], ['an api key', mind.key],
  ];
  const judged = { kept: record.kept.filter((k) => !/^\/mcp (game:\/\/(actions|rules)|initialize|tools\/list|register_agent)/.test(k.what)) }; // what is the same for every match
  const faults = scan(judged, GAME, { truth: steps, frames: await replayFrames(replay, tables), secrets });
  assert.deepEqual(faults.slice(0, 5), [], `${faults.length} of ${judged.kept.length}`);

  // What was looked at, and that hidden things would have been found.
  for (const what of ['/mcp observe', '/mcp sim_step', '/mcp get_state_hash', '/mcp game://agents', 'bot choose-card', 'bot card-played', 'bot trick-completed', 'action_request']) assert.ok(judged.kept.some((x) => x.what === what), what);
  for (const what of ['/mcp sim_step', 'bot choose-card']) {
    const moved = { kept: judged.kept.filter((x) => x.what === what).map((x) => ({ ...x, viewer: (x.viewer + 1) % 4 })) };
    const found = scan(moved, GAME, { truth: steps, frames: [], secrets: () => [] });
    assert.ok(found.length >= moved.kept.length / 2, `${what}: ${found.length} of ${moved.kept.length}`);
  }
  await mcp.close();
  await wire.wire.close();
  bot.close();
  await tables.stop();
});
