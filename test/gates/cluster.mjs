// Three nodes on one PostgreSQL store with a synchronous standby, a bus between them, agents that come to any of them, and
// faults at random moments: what was accepted is not lost, nothing happens twice, and everything ends (S90, S95). Every
// link of a node is a relay, which cuts and delays.
//   AGON=build/agon node --test-reporter=tap test/gates/cluster.mjs
// AGON_CLUSTER_FAULTS (200), AGON_CLUSTER_SEED (by the clock; it is printed), AGON_CLUSTER_AGENTS (24), AGON_CLUSTER_NODES
// (3), AGON_CLUSTER_BUS (1; 0: none), AGON_CLUSTER_KINDS (a list of faults: each once, instead of random ones).
// AGON_CLUSTER_MINUTES: no fault begins later. AGON_CLUSTER_STOP: ms that a node or a link stands still at most (12000). AGON_CLUSTER_KEEP names a folder for the logs and the store.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, agon, Arena, root } from '../e2e/lib/arena.mjs';
import { Chance } from '../e2e/lib/chance.mjs';
import { assertHistory, Notes } from '../e2e/lib/history.mjs';
import { Nats } from '../e2e/lib/nats.mjs';
import { PostgresPair } from '../e2e/lib/postgres_pair.mjs';
import { Relay } from '../e2e/lib/relay.mjs';
import { scratch } from '../e2e/lib/scratch.mjs';
import { auditMatches, auditRatings, gather, settle, Survivor } from '../e2e/lib/storm.mjs';
import { beSlow, until, within } from '../e2e/lib/wait.mjs';

const faults = Number(process.env.AGON_CLUSTER_FAULTS ?? 200), count = Number(process.env.AGON_CLUSTER_AGENTS ?? 24);
const seed = Number(process.env.AGON_CLUSTER_SEED ?? Date.now() % 1000000);
const nodes = Number(process.env.AGON_CLUSTER_NODES ?? 3), withBus = process.env.AGON_CLUSTER_BUS !== '0';
const once = process.env.AGON_CLUSTER_KINDS?.split(','), minutes = Number(process.env.AGON_CLUSTER_MINUTES ?? Infinity);
const LEASE = 2000, STOP_MS = Number(process.env.AGON_CLUSTER_STOP ?? 12000), ROUND = 10;
const options = ['--fill-wait', '50', '--house-wait', '400', '--table-max', '3', '--message-rate', '100000', '--message-burst', '100000',
  '--lease', String(LEASE), '--log-json', '--log-level', 'info'];

// --- the nodes and their store

class Cluster {
  constructor() {
    this.chance = new Chance(seed);
    this.anywhere = new Chance(seed + 1); // whoever connects draws as often as it likes
    this.places = Array.from({ length: nodes }, (_, i) => ({ base: `node${i}`, name: `node${i}`, lives: 0 }));
    this.notes = scratch('notes-');
    this.checks = 0;
    this.logs = []; // of all lives
    this.counts = {};
    this.troubles = [];
    this.retries = 0;
    this.began = performance.now();
  }
  // Whoever left before it heard of its last match comes back for it.
  async finish(lives) {
    await settle(this.clients, lives, 180000);
    const playing = () => this.db.ask('SELECT DISTINCT a.id FROM running_seats s JOIN agents a ON a.row = s.agent WHERE s.counts');
    const absent = (ids) => this.clients.filter((w) => ids.includes(w.agent.id));
    for (let left; (left = absent(playing())).length; ) {
      for (const w of left) w.target = w.overs() + 1;
      await within(180000, Promise.all(left.map((w) => w.live())), `end of the matches of ${left.map((w) => w.agent.name)}`);
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
    for (const p of this.places) {
      p.store = await Promise.all(['one', 'two'].map((name) => Relay.start(path.join(this.db.folder, name, '.s.PGSQL.5432'))));
      p.bus = withBus ? await Relay.start(this.bus.port) : null;
      p.url = `postgresql://agon@${p.store.map((r) => `127.0.0.1:${r.port}`).join(',')}/postgres`;
      await this.start(p);
    }
  }
  async end_all() {
    for (const p of this.places) for (const r of [...(p.store ?? []), p.bus]) r?.close();
    await this.bus?.stop();
    this.db.stop();
  }
  // S90, while everything goes on.
  check() {
    const report = assertHistory(this.db.url, [this.notes]);
    this.checks++;
    return report;
  }
  // The store may be away, and the session of the process before may be there for a moment.
  async start(p) {
    for (const end = Date.now() + 60000; ; this.retries++) {
      try {
        const bus = p.bus ? ['--bus', `nats://127.0.0.1:${p.bus.port}`] : [];
        p.arena = await Arena.start([...options, ...bus, '--node', p.name], { seed: null, shell: `AGON_STORE='${p.url}' exec "$@"` });
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
    await p.arena.stop(signal);
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
  // It is closed with 1012 next; or the table that it confirms is no more, as another one's connection was cut, and it is told so.
  on_error(data, conn) {
    if (!/^your match is played at |^unknown confirm_id$/.test(data.message)) super.on_error(data, conn);
  }
  // Over the bus its connection outlives the host of its match, which is asked anew by the next one (S62): what it answered to
  // the first is stale there.
  on_action_stale(data) {
    if (!withBus) super.on_action_stale(data);
  }
  // Another connection, elsewhere or at the same node, beside the one that it has.
  async again() {
    const options = { instance: this.instance, memory: this.memory, capabilities: 'match_feed,belote', onFrame: (frame, conn) => this.take(frame, conn) };
    const conn = await Agent.connect(this.site.arena, this.agent, options).catch(() => null);
    if (conn) await conn.closed;
  }
}

// --- faults

const kinds = {
  async kill(c, p) {
    await c.end(p, 'SIGKILL');
    await beSlow(c.chance.happens(0.5) ? 0 : c.chance.below(3 * LEASE));
    await c.start(p);
  },
  async stop(c, p) {
    const ms = Math.round(100 * (STOP_MS / 100) ** c.chance.next()); // as often short as long
    p.stopped = true;
    p.arena.process.kill('SIGSTOP');
    for (const w of c.clients) if (w.conn?.arena === p.arena && c.anywhere.happens(0.7)) beSlow(c.anywhere.below(2 * LEASE)).then(() => p.stopped && w.conn.arena === p.arena && w.conn.ws.terminate());
    await beSlow(ms);
    p.arena.process.kill('SIGCONT');
    p.stopped = false;
  },
  async drain(c, p) {
    await c.end(p, 'SIGTERM');
    if (c.chance.happens(0.5)) p.name = `${p.base}-${p.lives}`; // replaced by another one
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

async function hold(c, links, ways) {
  for (const r of links) r.stop(ways);
  await beSlow(Math.round(100 * (STOP_MS / 100) ** c.chance.next()));
  for (const r of links) r.go();
}

const ofNode = ['kill', 'stop', 'drain', 'part', 'oneway', 'delay', 'reset', 'busless'];
const ofStore = ['store', 'failover'], ofBus = ['bus', 'busless'];
const all = ['kill', 'kill', 'stop', 'stop', 'drain', 'store', 'failover', 'part', 'oneway', 'delay', 'reset', 'busless', 'bus', 'cut', 'twice'].filter((k) => withBus || !ofBus.includes(k));

async function strike(c, wanted) {
  let kind = wanted ?? c.chance.pick(all);
  const free = c.places.filter((p) => !p.busy), p = ofNode.includes(kind) ? c.chance.pick(free) : null;
  if ((ofStore.includes(kind) && c.storeBusy) || (kind === 'bus' && c.busBusy) || (ofNode.includes(kind) && !p)) kind = 'cut';
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

async function storm(c) {
  const lasting = new Set();
  for (let i = 0; i < (once?.length ?? faults) && !c.troubles.length && performance.now() - c.began < minutes * 60000; i++) {
    if (once || !c.chance.happens(0.25)) await Promise.all(lasting);
    await beSlow(c.chance.below(2500)); // at any moment
    const one = strike(c, once?.[i]);
    lasting.add(one);
    one.then(() => lasting.delete(one));
    if (i % ROUND === ROUND - 1 && !c.storeBusy) c.check();
  }
  await Promise.all(lasting);
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
  t.after(async () => {
    c.over = true;
    for (const p of c.places) if (p.arena) { p.arena.expected = true; p.arena.process.kill('SIGKILL'); }
    c.keep();
    await c.end_all();
  });
  await c.begin();
  c.clients = await gather(c, count, Wanderer);
  const lives = c.clients.map((w) => w.live());
  await storm(c);
  c.note('settles');
  await c.finish(lives);
  c.note('audit');
  await auditStore(c);
  const history = c.check();
  const { matches, actions, events } = await auditMatches(c, c.clients);
  auditDeals(c, matches);
  const takeovers = c.one('SELECT count(*) FROM takeovers'), fenced = c.logs.reduce((n, l) => n + l.errors.split('"node.fenced"').length - 1, 0);
  for (const p of c.places) await c.end(p, 'SIGTERM');
  if (c.troubles.length) throw c.troubles[0];
  const counted = auditRatings(c, c.clients);
  console.log(`# seed ${seed}: ${Object.entries(c.counts).map(([k, n]) => `${n} ${k}`).join(', ')}; ${takeovers} takeovers, ${fenced} fenced, ${c.retries} starts tried again; ` +
    `${counted.matches} matches (${counted.rated} rated), ${Object.values(actions).reduce((a, b) => a + b)} actions and ${events} events audited; ` +
    `history checked ${c.checks} times, at the end ${history.actions} actions, ${history.told} events told, ${history.answers} answers; none lost, none twice`);
});
