// Three nodes on one PostgreSQL store with a synchronous standby, a bus between them, agents that come to any of them, and
// faults at random moments: what was accepted is not lost, nothing happens twice, and everything ends (S90, S95). Every
// link of a node is a relay, which cuts and delays; and each node has a network namespace of its own (S91), where root may
// make them.
//   AGON=build/agon node --test-reporter=tap test/gates/cluster.mjs
// AGON_CLUSTER_FAULTS (15 of each kind, S92), AGON_CLUSTER_SEED (by the clock; it is printed), AGON_CLUSTER_AGENTS (24), AGON_CLUSTER_VISITORS
// (8 processes of `agon agent`), AGON_CLUSTER_NODES (3), AGON_CLUSTER_BUS (1; 0: none), AGON_CLUSTER_NAMESPACES (1; 0: none),
// AGON_CLUSTER_KINDS (a list of faults: each once, instead of random ones). AGON_CLUSTER_MINUTES: no fault begins later.
// AGON_CLUSTER_STOP: ms that a node or a link stands still at most (12000). AGON_CLUSTER_KEEP names a folder for the logs
// and the store. AGON_CLUSTER_OTHER: another version of agon, which a drained node may come back with.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, agon, Arena, root } from '../e2e/lib/arena.mjs';
import { Chance } from '../e2e/lib/chance.mjs';
import { spawn } from '../e2e/lib/children.mjs';
import { Clock } from '../e2e/lib/clock.mjs';
import { Notes, verifyHistoryBeside } from '../e2e/lib/history.mjs';
import { Namespaces } from '../e2e/lib/namespaces.mjs';
import { Nats } from '../e2e/lib/nats.mjs';
import { PostgresPair } from '../e2e/lib/postgres_pair.mjs';
import { Relay } from '../e2e/lib/relay.mjs';
import { scratch } from '../e2e/lib/scratch.mjs';
import { auditMatches, auditRatings, enlist, games, gather, settle, Survivor } from '../e2e/lib/storm.mjs';
import { beSlow, until, within } from '../e2e/lib/wait.mjs';

const count = Number(process.env.AGON_CLUSTER_AGENTS ?? 24);
const seed = Number(process.env.AGON_CLUSTER_SEED ?? Date.now() % 1000000);
const nodes = Number(process.env.AGON_CLUSTER_NODES ?? 3), withBus = process.env.AGON_CLUSTER_BUS !== '0';
const visitors = Number(process.env.AGON_CLUSTER_VISITORS ?? 8);
const namespaces = process.env.AGON_CLUSTER_NAMESPACES === '0' ? { why: 'not wanted' } : await Namespaces.make(nodes), apart = !namespaces.why;
const other = process.env.AGON_CLUSTER_OTHER, once = process.env.AGON_CLUSTER_KINDS?.split(','), minutes = Number(process.env.AGON_CLUSTER_MINUTES ?? Infinity);
const LEASE = 2000, STOP_MS = Number(process.env.AGON_CLUSTER_STOP ?? 12000), ROUND = 10, PATIENCE = 300000; // on a machine that does other things too
const options = ['--fill-wait', '50', '--house-wait', '400', '--table-max', '3', '--message-rate', '100000', '--message-burst', '100000',
  '--lease', String(LEASE), '--log-json', '--log-level', 'info'];

// --- the nodes and their store

class Cluster {
  constructor() {
    this.chance = new Chance(seed);
    this.anywhere = new Chance(seed + 1); // whoever connects draws as often as it likes
    this.places = Array.from({ length: nodes }, (_, i) => ({ number: i, base: `node${i}`, name: `node${i}`, lives: 0 }));
    this.notes = scratch('notes-');
    this.guests = [];
    this.visits = { matches: 0, processes: 0 };
    this.checks = 0;
    this.logs = []; // of all lives
    this.counts = {};
    this.troubles = [];
    this.retries = 0;
    this.began = performance.now();
  }
  // Whoever left before it heard of its last match comes back for it.
  async finish(lives) {
    await settle(this.clients, lives, PATIENCE);
    const playing = () => this.db.ask('SELECT DISTINCT a.id FROM running_seats s JOIN agents a ON a.row = s.agent WHERE s.counts');
    const absent = (ids) => this.clients.filter((w) => ids.includes(w.agent.id));
    for (let left; (left = absent(playing())).length; ) {
      for (const w of left) w.target = w.overs() + 1;
      await within(PATIENCE, Promise.all(left.map((w) => w.live())), `end of the matches of ${left.map((w) => w.agent.name)}`);
    }
  }
  links(p) {
    return p.bus && this.chance.happens(0.5) ? [p.bus] : p.store;
  }
  note(text) {
    const line = `${((performance.now() - this.began) / 1000).toFixed(2)} ${text}`;
    this.logs.push({ name: 'faults', errors: line });
    if (process.env.AGON_CLUSTER_KEEP) console.log(`# ${line}`);
  }
  // As a balancer gives it: one that is stopped is found out by most.
  get arena() {
    const up = this.places.filter((p) => p.arena && (!p.stopped || this.anywhere.happens(0.2)));
    return this.anywhere.pick(up.length ? up : this.places.filter((p) => p.arena)).arena;
  }
  async begin() {
    this.db = PostgresPair.start();
    await this.db.follow();
    this.bus = withBus ? await Nats.start() : null;
    const here = apart ? namespaces.host : '127.0.0.1';
    for (const p of this.places) {
      p.store = await Promise.all(['one', 'two'].map((name) => Relay.start(path.join(this.db.folder, name, '.s.PGSQL.5432'), here)));
      p.bus = withBus ? await Relay.start(this.bus.port, here) : null;
      p.url = `postgresql://agon@${p.store.map((r) => `${here}:${r.port}`).join(',')}/postgres`;
      p.options = [...(p.bus ? ['--bus', `nats://${here}:${p.bus.port}`] : []), ...(apart ? namespaces.options() : [])];
      p.clock = (once ?? all).includes('clock') ? new Clock() : null; // a program with sanitizers takes no library before its own
      p.program = agon;
      await this.start(p);
    }
    this.door = net.createServer((client) => this.balance(client));
    await new Promise((resolve) => this.door.listen(0, '127.0.0.1', resolve));
  }
  // A balancer that knows no more than clients do.
  balance(client) {
    const { hostname, port } = new URL(this.arena.url), server = net.connect(Number(port), hostname);
    for (const [from, to] of [[client, server], [server, client]]) from.on('error', () => to.destroy()).on('close', () => to.destroy()).pipe(to);
  }
  async end_all() {
    this.door?.close();
    for (const p of this.places) for (const r of [...(p.store ?? []), p.bus]) r?.close();
    await this.bus?.stop();
    this.db.stop();
  }
  // S90, while everything goes on but the store is not killed. One at a time.
  async check() {
    await this.checking;
    this.storeBusy = true;
    this.checking = verifyHistoryBeside(this.db.url, [this.notes, ...this.guests.map((v) => v.notes)]).finally(() => (this.storeBusy = false));
    const report = await this.checking;
    this.checks++;
    return report;
  }
  words(p) {
    return `program='${p.program}'; shift; AGON_STORE='${p.url}' ${p.clock?.words ?? ''} exec ${apart ? namespaces.words(p.number) : ''} "$program" "$@"`;
  }
  // The store may be away, and the session of the process before may be there for a moment.
  async start(p) {
    for (const end = Date.now() + PATIENCE; ; this.retries++) {
      try {
        p.arena = await Arena.start([...options, ...p.options, '--node', p.name], { seed: null, shell: this.words(p) });
        if (apart) p.arena.url = namespaces.url(p.number);
        break;
      } catch (e) {
        if (Date.now() > end || !/ended with|no listening line/.test(e.message)) throw e;
        this.note(`${p.name} did not start: ${e.message.slice(0, 300)}`);
        await beSlow(200); // ask again
      }
    }
    p.lives++;
    this.logs.push(Object.assign(p.arena, { name: `${p.name}.${p.lives}` }));
    const { arena } = p;
    arena.exited.then((code) => {
      if (!arena.expected) this.troubles.push(new Error(`${arena.name} ended by itself with ${code}: ${arena.errors.slice(-3000)}`));
    });
  }
  async end(p, signal) {
    p.arena.expected = true;
    await p.arena.stop(signal, 0, PATIENCE);
  }
  keep() {
    const folder = process.env.AGON_CLUSTER_KEEP;
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'store.sql'), execFileSync('pg_dump', [this.db.urlOf(this.db.primary)], { maxBuffer: 1 << 30 }));
    cpSync(this.notes, path.join(folder, 'notes'), { recursive: true });
    for (const l of this.logs) writeFileSync(path.join(folder, `${l.name}.log`), `${l.errors}\n`, { flag: 'a' });
  }
  one(sql) {
    return Number(this.db.ask(sql)[0]);
  }
  admin(...words) {
    const done = spawnSync(agon, ['admin', ...words, '--json', '--store', this.db.url], { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(done.stdout);
  }
}

// --- agents

// A client that may be connected twice for a moment, and is told where its match is.
class Wanderer extends Survivor {
  constructor(site, agent, game, number) {
    super(site, agent, game, number);
    this.notes = new Notes(site.notes, `agent-${number}`);
  }
  take(frame, conn) {
    this.conn = conn;
    super.take(frame, conn);
  }
  // It is closed with 1012 next, as its match is elsewhere or its node drains; or the table that it confirms is no more, as another
  // one's connection was cut, and it is told so.
  on_error(data, conn) {
    if (!/^your match is played at |^unknown confirm_id$|^matchmaking gate denied: maintenance$/.test(data.message)) super.on_error(data, conn);
  }
  // Over the bus its connection outlives the host of its match, which is asked anew by the next one (S62): what it answered to
  // the first is stale there.
  on_action_stale(data) {
    if (!withBus) super.on_action_stale(data);
  }
  // Another connection, elsewhere or at the same node, beside the one that it has.
  async again() {
    const conn = await Agent.connect(this.site.arena, this.agent, this.options()).catch(() => null);
    if (conn) await conn.closed;
    this.faults.push(...(conn?.faults ?? []));
  }
}

// The program's own client, again and again, until the storm is over; each process plays its matches to their end.
class Visitor {
  constructor(site, agent, number) {
    Object.assign(this, { site, agent, number, game: games[number % games.length], notes: path.join(site.notes, `visitor-${number}`) });
    mkdirSync(this.notes);
  }
  async live() {
    for (; !this.site.calm && !this.site.over; this.site.visits.processes++) {
      const child = spawn(agon, ['agent', '--server', `http://127.0.0.1:${this.site.door.address().port}`, '--key', this.agent.key, '--game', this.game, '--bot', 'random',
        '--games', '3', '--think-ms', '20', '--seed', String(this.number), '--feed', '--history', this.notes, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
      let out = '';
      child.stdout.on('data', (d) => (out += d));
      const code = await new Promise((resolve) => child.on('close', (c, signal) => resolve(signal ?? c)));
      if (this.site.over) return;
      assert.equal(code, 0, `agon agent ended with ${code}: ${out}`);
      this.site.visits.matches += JSON.parse(out).finished;
    }
  }
}

// --- faults

const kinds = {
  async kill(c, p) {
    await c.end(p, 'SIGKILL');
    await beSlow(c.chance.happens(0.5) ? 0 : c.chance.below(3 * LEASE));
    await c.start(p);
  },
  // One time in four it is also told to end, which it hears when it wakes; it may have been taken over by then (S15).
  async stop(c, p) {
    const ms = moment(c), leaves = c.anywhere.happens(0.25);
    silence(c, p);
    p.arena.process.kill('SIGSTOP');
    const ended = leaves ? c.end(p, 'SIGTERM') : null;
    ended?.catch(() => {}); // awaited below
    await beSlow(ms);
    p.arena.process.kill('SIGCONT');
    p.stopped = false;
    if (!leaves) return;
    c.note(`${p.name} ends`);
    await ended;
    await c.start(p);
  },
  // S91: all links at once, those of its clients too.
  async pull(c, p) {
    silence(c, p);
    namespaces.pull(p.number);
    await beSlow(moment(c));
    namespaces.plug(p.number);
    p.stopped = false;
  },
  async choke(c, p) {
    namespaces.choke(p.number, 50 + c.chance.below(450));
    await beSlow(500 + c.chance.below(5000));
    namespaces.free(p.number);
  },
  async drain(c, p) {
    await c.end(p, 'SIGTERM');
    if (c.chance.happens(0.5)) p.name = `${p.base}-${p.lives}`; // replaced by another one
    if (other) p.program = c.chance.pick([agon, other]);
    await c.start(p);
  },
  async store(c) {
    await c.db.kill();
    await beSlow(c.chance.below(2 * LEASE));
    await c.db.ctl(c.db.primary, 'start');
  },
  // S72: the primary dies, the synchronous standby takes its place; then the dead one is made anew and follows.
  async failover(c) {
    await c.db.kill();
    await beSlow(c.chance.below(LEASE));
    await c.db.promote();
    await beSlow(c.chance.below(LEASE));
    await c.db.follow();
  },
  // Commits wait for it meanwhile.
  async standby(c) {
    await c.db.kill(c.db.other);
    await beSlow(c.chance.below(2 * LEASE));
    await c.db.ctl(c.db.other, 'start');
    await c.db.synchronise();
  },
  // S70: links between a node and the store, or the bus.
  async part(c, p) {
    await hold(c, p.store, ['up', 'down']);
  },
  async oneway(c, p) {
    await hold(c, c.links(p), [c.chance.pick(['up', 'down'])]);
  },
  async delay(c, p) {
    const links = c.links(p), ms = 50 + c.chance.below(450);
    for (const r of links) r.slow(ms);
    await beSlow(500 + c.chance.below(5000));
    for (const r of links) r.go();
  },
  async reset(c, p) {
    for (const r of c.links(p)) r.reset();
  },
  async both(c, p) {
    await hold(c, [...p.store, p.bus], ['up', 'down']);
  },
  // S18: its wall clock is set, back or forward, by up to ten minutes; it stays so until it is set again.
  async clock(c, p) {
    const ms = Math.round(100 * 6000 ** c.chance.next());
    p.clock.move(c.chance.happens(0.5) ? ms : -ms);
  },
  async busless(c, p) {
    await hold(c, [p.bus], ['up', 'down']);
  },
  async bus(c) {
    await c.bus.stop('SIGKILL');
    await beSlow(c.chance.below(2 * LEASE));
    await until(() => c.bus.begin(), 'the bus', 60000);
  },
  async cut(c) {
    for (let i = 1 + c.chance.below(5); i > 0; i--) c.chance.pick(c.clients).conn?.ws.terminate();
  },
  async twice(c) {
    for (let i = 1 + c.chance.below(3); i > 0; i--) c.chance.pick(c.clients).again();
  },
};

// As often short as long.
const moment = (c) => Math.round(100 * (STOP_MS / 100) ** c.chance.next());

async function hold(c, links, ways) {
  for (const r of links) r.stop(ways);
  await beSlow(moment(c));
  for (const r of links) r.go();
}

// A node from which nothing is heard: most of its clients give it up.
function silence(c, p) {
  p.stopped = true;
  for (const w of c.clients) if (w.conn?.arena === p.arena && c.anywhere.happens(0.7)) beSlow(c.anywhere.below(2 * LEASE)).then(() => p.stopped && w.conn.arena === p.arena && w.conn.ws.terminate());
}

const ofNode = ['kill', 'stop', 'drain', 'part', 'oneway', 'delay', 'reset', 'both', 'clock', 'busless', 'pull', 'choke'];
const ofStore = ['store', 'failover', 'standby'], ofBus = ['bus', 'busless', 'both'], ofNamespaces = ['pull', 'choke'];
const all = Object.keys(kinds).filter((k) => (withBus || !ofBus.includes(k)) && (apart || !ofNamespaces.includes(k)));
const faults = Number(process.env.AGON_CLUSTER_FAULTS ?? 15 * all.length);

// Kinds are dealt like cards, so that all come equally often; one that cannot happen now comes later.
function draw(c) {
  const can = (k) => !(ofStore.includes(k) && c.storeBusy) && !(k === 'bus' && c.busBusy) && (!ofNode.includes(k) || c.places.some((p) => !p.busy));
  if (!c.deck?.some(can)) {
    c.deck ??= [];
    for (const k of all) c.deck.splice(c.chance.below(c.deck.length + 1), 0, k);
  }
  const i = c.deck.findIndex(can);
  return c.deck.splice(i, 1)[0];
}

async function strike(c, wanted) {
  const kind = wanted ?? draw(c);
  const free = c.places.filter((p) => !p.busy), p = ofNode.includes(kind) ? c.chance.pick(free) : null;
  c.counts[kind] = (c.counts[kind] ?? 0) + 1;
  if (p) p.busy = true;
  if (ofStore.includes(kind)) c.storeBusy = true;
  if (kind === 'bus') c.busBusy = true;
  c.note(`${kind} ${p?.name ?? ''}`);
  await kinds[kind](c, p).catch((e) => c.troubles.push(e));
  c.note(`end of ${kind} ${p?.name ?? ''}`);
  if (p) p.busy = false;
  if (ofStore.includes(kind)) c.storeBusy = false;
  if (kind === 'bus') c.busBusy = false;
}

// What a client finds wrong shows at once, and not when its match fails to end.
const isWrong = (c) => c.troubles.length > 0 || c.clients.some((w) => w.faults.length > 0);

async function storm(c) {
  const lasting = new Set();
  for (let i = 0; i < (once?.length ?? faults) && !isWrong(c) && performance.now() - c.began < minutes * 60000; i++) {
    if (once || !c.chance.happens(0.25)) await Promise.all(lasting);
    await beSlow(c.chance.below(2000)); // at any moment
    const one = strike(c, once?.[i]);
    lasting.add(one);
    one.then(() => lasting.delete(one));
    if (i % ROUND === ROUND - 1 && !c.storeBusy) c.check().catch((e) => c.troubles.push(e));
  }
  await Promise.all(lasting);
  await c.checking?.catch(() => {});
  for (const w of c.clients) for (const e of w.faults) c.troubles.push(new Error(`${w.agent.name} (${w.game}): ${e.message}; last: ${w.last}`));
  if (c.troubles.length) throw c.troubles[0];
}

// --- the auditor

const none = {
  'matches that go on': 'SELECT count(*) FROM running',
  'seats of matches that are over': 'SELECT count(*) FROM running_seats',
  'agents with places taken': 'SELECT count(*) FROM agent_state WHERE active <> 0',
  'results that came twice': 'SELECT count(*) - count(DISTINCT id) FROM matches',
  'matches without their log': 'SELECT count(*) FROM matches m WHERE NOT EXISTS (SELECT FROM logs l WHERE l.match = m.match)',
  'logs without gaps, broken': 'SELECT count(*) FROM (SELECT match FROM pieces GROUP BY 1 HAVING min(number) <> 0 OR max(number) + 1 <> count(*)) x',
  'versions beside seats that count': 'SELECT (SELECT coalesce(sum(version), 0) FROM ratings) - (SELECT count(*) FROM seats WHERE number IS NOT NULL)',
  'ratings whose version is not the count of its seats': `SELECT count(*) FROM ratings r WHERE version <> (SELECT count(*) FROM seats s
    WHERE s.agent = r.agent AND s.game = r.game AND s.number IS NOT NULL)`,
  'ratings that are not of the last match': `SELECT count(*) FROM ratings r WHERE finish_no <> (SELECT max(m.finish_no) FROM seats s JOIN matches m USING (match)
    WHERE s.agent = r.agent AND s.game = r.game AND s.number IS NOT NULL)`,
  'places of lists given twice': 'SELECT count(*) FROM (SELECT agent, place FROM seats WHERE place IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1) x',
  'gaps in lists': 'SELECT count(*) FROM (SELECT agent FROM seats WHERE place IS NOT NULL GROUP BY 1 HAVING max(place) - min(place) + 1 <> count(*)) x',
  'gaps in the list of commitments': 'SELECT max(place) + 1 - count(*) FROM commitments',
  'deals that were not closed': `SELECT count(*) FROM commitments d WHERE kind = 2 AND NOT EXISTS (SELECT FROM commitments c WHERE c.kind = 3 AND
    c.number = d.number)`,
  'agents that left and are there': 'SELECT count(*) FROM presence',
};

async function auditStore(c) {
  const wrong = () => Object.entries(none).map(([what, sql]) => [what, c.one(sql)]).filter(([, n]) => n !== 0);
  await until(() => wrong().length === 0, 'quiet', 60000).catch(() => assert.deepEqual(wrong(), []));
}

function auditDeals(c, matches) {
  const numbers = new Set([...matches.values()].map((m) => m.deal.number));
  assert.equal(numbers.size, matches.size, 'a deal was used twice');
  const [m] = matches.values();
  execFileSync('python3', [path.join(root, 'examples/verify_deal.py'), m.replay_id ?? m.id, c.arena.url], { encoding: 'utf8' });
}

test('nothing is lost and nothing happens twice, whatever becomes of the nodes', async (t) => {
  const c = new Cluster();
  console.log(`# seed ${seed}, ${once?.length ?? faults} faults`);
  console.log(apart ? `# a network namespace for each node; links are delayed by ${namespaces.hasNetem ? 'netem' : 'tbf, as the kernel has no netem'}` : `# no network namespaces (${namespaces.why}): relays alone`);
  t.after(async () => {
    c.over = true;
    for (const p of c.places) if (p.arena) { p.arena.expected = true; p.arena.process.kill('SIGKILL'); }
    c.keep();
    await c.end_all();
  });
  await c.begin();
  c.clients = await gather(c, count, Wanderer);
  for (let i = 0; i < visitors; i++) c.guests.push(new Visitor(c, await enlist(c, `visitor ${i}`), i));
  const lives = c.clients.map((w) => w.live());
  const visits = c.guests.map((v) => v.live().catch((e) => c.troubles.push(e)));
  await storm(c);
  c.note('settles');
  c.calm = true;
  await within(PATIENCE, Promise.all(visits), 'end of the visits');
  await c.finish(lives);
  c.note('audit');
  await auditStore(c);
  const history = await c.check();
  const { matches, actions, events } = await auditMatches(c, c.clients);
  auditDeals(c, matches);
  const takeovers = c.one('SELECT count(*) FROM takeovers'), fenced = c.logs.reduce((n, l) => n + l.errors.split('"node.fenced"').length - 1, 0);
  for (const p of c.places) await c.end(p, 'SIGTERM');
  if (c.troubles.length) throw c.troubles[0];
  const counted = auditRatings(c, c.clients);
  console.log(`# seed ${seed}: ${Object.values(c.counts).reduce((a, b) => a + b)} faults in ${((performance.now() - c.began) / 60000).toFixed(1)} minutes: ${Object.entries(c.counts).map(([k, n]) => `${n} ${k}`).join(', ')}; ${takeovers} takeovers, ${fenced} fenced, ${c.retries} starts tried again; ` +
    `${counted.matches} matches (${counted.rated} rated), ${Object.values(actions).reduce((a, b) => a + b)} actions and ${events} events audited; ` +
    `${c.visits.matches} seats of ${c.visits.processes} runs of agon agent; ` +
    `history checked ${c.checks} times, at the end ${history.actions} actions, ${history.told} events told, ${history.answers} answers; none lost, none twice`);
});
