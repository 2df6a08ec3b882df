// Three nodes on one PostgreSQL store, agents that come to any of them, and faults at random moments: what was accepted
// is not lost, nothing happens twice, and everything ends.
//   AGON=build/agon node --test-reporter=tap test/gates/cluster.mjs
// AGON_CLUSTER_FAULTS (200), AGON_CLUSTER_SEED (by the clock; it is printed), AGON_CLUSTER_AGENTS (24). AGON_CLUSTER_KEEP
// names a folder for the logs and the store.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Agent, agon, Arena, root } from '../e2e/lib/arena.mjs';
import { Chance } from '../e2e/lib/chance.mjs';
import { Postgres } from '../e2e/lib/postgres.mjs';
import { auditMatches, auditRatings, gather, settle, Survivor } from '../e2e/lib/storm.mjs';
import { beSlow, until, within } from '../e2e/lib/wait.mjs';

const faults = Number(process.env.AGON_CLUSTER_FAULTS ?? 200), count = Number(process.env.AGON_CLUSTER_AGENTS ?? 24);
const seed = Number(process.env.AGON_CLUSTER_SEED ?? Date.now() % 1000000);
const LEASE = 2000, STOP_MS = 12000;
const options = ['--fill-wait', '50', '--house-wait', '400', '--table-max', '3', '--message-rate', '100000', '--message-burst', '100000',
  '--lease', String(LEASE), '--log-json', '--log-level', 'info'];
const run = promisify(execFile);

// --- the nodes and their store

class Cluster {
  constructor() {
    this.chance = new Chance(seed);
    this.anywhere = new Chance(seed + 1); // whoever connects draws as often as it likes
    this.places = [0, 1, 2].map((i) => ({ base: `node${i}`, name: `node${i}`, lives: 0 }));
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
    this.db = await Postgres.start();
    for (const p of this.places) await this.start(p);
  }
  // The store may be away, and the session of the process before may be there for a moment.
  async start(p) {
    for (const end = Date.now() + 60000; ; this.retries++) {
      try {
        p.arena = await Arena.start([...options, '--node', p.name], { seed: null, shell: `AGON_STORE='${this.db.url}' exec "$@"` });
        break;
      } catch (e) {
        if (Date.now() > end || !/ended with/.test(e.message)) throw e;
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
    writeFileSync(path.join(folder, 'store.sql'), execFileSync('pg_dump', [this.db.url], { maxBuffer: 1 << 30 }));
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
  take(frame, conn) {
    this.conn = conn;
    super.take(frame, conn);
  }
  // It is closed with 1012 next; or the table that it confirms is no more, as another one's connection was cut, and it is told so.
  on_error(data, conn) {
    if (!/^your match is played at |^unknown confirm_id$/.test(data.message)) super.on_error(data, conn);
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
    await run(c.db.ctl, ['stop']);
    await beSlow(c.chance.below(2 * LEASE));
    await run(c.db.ctl, ['start']);
  },
  async cut(c) {
    for (let i = 1 + c.chance.below(5); i > 0; i--) c.chance.pick(c.clients).conn?.ws.terminate();
  },
  async twice(c) {
    for (let i = 1 + c.chance.below(3); i > 0; i--) c.chance.pick(c.clients).again();
  },
};
const ofNode = ['kill', 'stop', 'drain'];
const all = ['kill', 'kill', 'stop', 'stop', 'stop', 'drain', 'store', 'cut', 'twice'];

async function strike(c) {
  let kind = c.chance.pick(all);
  const free = c.places.filter((p) => !p.busy), p = ofNode.includes(kind) ? c.chance.pick(free) : null;
  if ((kind === 'store' && c.storeBusy) || (ofNode.includes(kind) && !p)) kind = 'cut';
  c.counts[kind] = (c.counts[kind] ?? 0) + 1;
  if (p) p.busy = true;
  if (kind === 'store') c.storeBusy = true;
  c.note(`${kind} ${p?.name ?? ''}`);
  await kinds[kind](c, p).catch((e) => c.troubles.push(e));
  c.note(`end of ${kind} ${p?.name ?? ''}`);
  if (p) p.busy = false;
  if (kind === 'store') c.storeBusy = false;
}

async function storm(c) {
  const lasting = new Set();
  for (let i = 0; i < faults && !c.troubles.length; i++) {
    if (!c.chance.happens(0.25)) await Promise.all(lasting);
    await beSlow(c.chance.below(2500)); // at any moment
    const one = strike(c);
    lasting.add(one);
    one.then(() => lasting.delete(one));
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
  console.log(`# seed ${seed}, ${faults} faults`);
  t.after(async () => {
    c.over = true;
    for (const p of c.places) if (p.arena) { p.arena.expected = true; p.arena.process.kill('SIGKILL'); }
    c.keep();
    await c.db.stop();
  });
  await c.begin();
  c.clients = await gather(c, count, Wanderer);
  const lives = c.clients.map((w) => w.live());
  await storm(c);
  c.note('settles');
  await c.finish(lives);
  c.note('audit');
  await auditStore(c);
  const { matches, actions, events } = await auditMatches(c, c.clients);
  auditDeals(c, matches);
  const takeovers = c.one('SELECT count(*) FROM takeovers'), fenced = c.logs.reduce((n, l) => n + l.errors.split('"node.fenced"').length - 1, 0);
  for (const p of c.places) await c.end(p, 'SIGTERM');
  if (c.troubles.length) throw c.troubles[0];
  const counted = auditRatings(c, c.clients);
  console.log(`# seed ${seed}: ${Object.entries(c.counts).map(([k, n]) => `${n} ${k}`).join(', ')}; ${takeovers} takeovers, ${fenced} fenced, ${c.retries} starts tried again; ` +
    `${counted.matches} matches (${counted.rated} rated), ${Object.values(actions).reduce((a, b) => a + b)} actions and ${events} events audited; none lost, none twice`);
});
