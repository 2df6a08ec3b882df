// nodes.mjs [PART...]: what several nodes on one PostgreSQL store cost. AGON_BENCH names the folder of a build with AGON_BENCH
// (out/bench). Parts: idle, ends, relayed; all by default. AGENTS (4000) are connected for `idle`. SECONDS (15) are played for each
// side of `relayed`, ROUNDS (3) times in turns.
//
// idle: a node's own memory, bytes per idle agent at one node and at two with half of them each, CPU of a connection.
// ends: three nodes whose house bots play everybody: ends that the store refused because a rating had moved (S41), of all.
// relayed: what a frame or an answer that goes from one node to the other costs both nodes in the whole system. Agents play each
// other, all connected to the node that plays or to one that only passes on; what an action costs more, beyond what idle nodes do, is divided by what was relayed for it.
// Memory is the resident set; CPU is from /proc and the server's with all its processes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Nats } from '../e2e/lib/nats.mjs';
import { Postgres } from '../e2e/lib/postgres.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const agon = path.join(process.env.AGON_BENCH ?? path.join(root, 'out/bench'), 'agon');
const agents = Number(process.env.AGENTS ?? 4000), wanted = process.argv.slice(2);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const data = mkdtempSync(path.join(tmpdir(), 'nodes-'));

async function serve(store, name, ...options) {
  const words = ['serve', '--port', '0', '--tetris-port', '0', '--data', path.join(data, name), '--store', store, '--log-level', 'error', '--table-max', '2', '--fill-wait', '0', '--message-rate', '100000', '--message-burst', '100000', '--max-connections', '20000', ...options];
  const child = spawn(agon, [...words, '--node', name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (d) => { const found = /listening (http:\S+)/.exec((out += d)); if (found) resolve(found[1]); });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url, pid: child.pid, stop: () => new Promise((done) => { child.removeAllListeners('exit'); child.on('exit', done); child.kill(); }) };
}

function run(...words) {
  const child = spawn(agon, ['agent', '--json', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (d) => (out += d));
  const done = new Promise((resolve, reject) => child.on('close', (code) => (out || child.killed ? resolve(JSON.parse(out || '{}')) : reject(new Error(`agon agent ended with ${code}`)))));
  return Object.assign(done, { child });
}

const seconds = (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
const resident = (pid) => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const anonymous = (pid) => 1024 * Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const children = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);

async function metric(server, name) {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^agon_${name}(?:{[^}]*})? (\\d+)`, 'gm'))].reduce((sum, [, n]) => sum + Number(n), 0);
}

async function connected(server, count) {
  for (const until = performance.now() + 300000; (await metric(server, 'ws_connections')) < count;) {
    if (performance.now() > until) throw new Error(`${count} agents did not connect`);
    await sleep(250);
  }
  await sleep(3000);
}

const crowd = (server, count, forSeconds) => run('--server', server.url, '--game', 'coup', '--agents', String(count + 1), '--idle', String(count), '--seconds', String(forSeconds), '--opening', '256');

// Bytes for each agent that is connected, own memory, CPU in milliseconds for each connection.
async function idle(pg, postmaster, nodes, per) {
  pg.ask('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const servers = [];
  for (let i = 0; i < nodes; i++) servers.push(await serve(pg.url, `n${i}`, '--house-bots', '0'));
  await sleep(3000);
  const server = () => children(postmaster).reduce((sum, pid) => sum + seconds(pid), 0);
  const own = servers.map((s) => resident(s.pid)), alone = servers.map((s) => anonymous(s.pid)), cpu = servers.map((s) => seconds(s.pid)), before = server();
  const clients = servers.map((s) => crowd(s, per, 25 + per / 100));
  await Promise.all(servers.map((s) => connected(s, per)));
  const each = servers.map((s, i) => (resident(s.pid) - own[i]) / per), spent = servers.map((s, i) => (1000 * (seconds(s.pid) - cpu[i])) / per);
  const stored = (1000 * (server() - before)) / (per * nodes);
  await Promise.all(clients);
  await Promise.all(servers.map((s) => s.stop()));
  const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  return { own: mean(own) / 1e6, alone: mean(alone) / 1e6, each: mean(each), spent: mean(spent), stored };
}

async function ends(pg) {
  pg.ask('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const servers = [];
  for (let i = 0; i < 3; i++) servers.push(await serve(pg.url, `n${i}`, '--house-bots', '1', '--house-wait', '0'));
  await Promise.all(servers.map((s) => run('--server', s.url, '--game', 'coup', '--agents', '40', '--games', '0', '--seconds', '25', '--opening', '64')));
  let refused = 0, adopted = 0;
  for (const s of servers) {
    refused += await metric(s, 'node_finishes_refused_total');
    adopted += await metric(s, 'matches_finished_total');
  }
  const ended = Number(pg.ask('SELECT sum(ended) FROM tallies WHERE hour = -1')[0]);
  await Promise.all(servers.map((s) => s.stop()));
  return { refused, ended, adopted };
}

// CPU of both nodes for an action, and entries that were relayed for it and bundles they came in.
async function play(pg, bus, agents, far, length) {
  pg.ask('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const servers = [];
  for (const roles of ['gateway', 'gateway,host,matchmaker,director,sweeper']) servers.push(await serve(pg.url, `n${servers.length}`, '--house-bots', '0', '--bus', bus.url, '--roles', roles));
  await sleep(4000);
  const sum = async (name) => (await Promise.all(servers.map((s) => metric(s, name)))).reduce((a, b) => a + b);
  const cpu = () => servers.reduce((a, s) => a + seconds(s.pid), 0);
  const look = async () => ({ cpu: cpu(), actions: await sum('actions_total'), relayed: (await sum('relay_frames_total')) + (await sum('relay_messages_total')), bundles: await sum('relay_bundles_total') });
  const still = cpu();
  await sleep(5000);
  const idle = (cpu() - still) / 5; // of each second, without agents
  const client = run('--server', servers[far ? 0 : 1].url, '--game', 'coup', '--agents', String(agents), '--games', '0', '--seconds', String(length + 60), '--opening', '64');
  for (const until = performance.now() + 40000; (await sum('matches_active')) < 0.4 * agents && performance.now() < until;) await sleep(250);
  const before = await look();
  await sleep(1000 * length);
  const after = await look(), spent = Object.fromEntries(Object.keys(after).map((k) => [k, after[k] - before[k]]));
  client.child.kill();
  await client;
  await Promise.all(servers.map((s) => s.stop()));
  return { us: (1e6 * (spent.cpu - idle * length)) / spent.actions, rate: spent.actions / length, relayed: spent.relayed / spent.actions, bundle: spent.relayed / (spent.bundles || 1) };
}

async function relayed(pg, goals) {
  const bus = await Nats.start(), length = Number(process.env.SECONDS ?? 15), rounds = Number(process.env.ROUNDS ?? 3);
  for (const [agents, what] of [[4, 'two matches'], [200, 'a hundred matches']]) {
    const costs = [], bundles = [];
    for (let round = 1; round <= rounds; round++) {
      const one = await play(pg, bus, agents, false, length), two = await play(pg, bus, agents, true, length);
      costs.push((two.us - one.us) / two.relayed);
      bundles.push(two.bundle);
      console.log(`# ${what}, round ${round}: ${one.us.toFixed(0)} us an action at its node (${one.rate.toFixed(0)} /s), ${two.us.toFixed(0)} us through another (${two.rate.toFixed(0)} /s), ${two.relayed.toFixed(2)} relayed for it, ${two.bundle.toFixed(1)} a bundle: ${costs.at(-1).toFixed(1)} us each`);
    }
    const middle = [...costs].sort((a, b) => a - b)[costs.length >> 1], goal = bundles[0] >= 16 ? 12 : 70;
    goals.push(middle <= goal);
    console.log(`# ${what}: a relayed frame costs both nodes ${middle.toFixed(1)} us (goal ${goal})  ${middle <= goal ? 'met' : 'MISSED'}`);
  }
  await bus.stop();
}

const pg = await Postgres.start();
const postmaster = Number(readFileSync(path.join(pg.url.split('host=')[1], 'data/postmaster.pid'), 'utf8').split('\n')[0]);
const goals = [];
try {
  if (!wanted.length || wanted.includes('idle')) {
    for (let round = 1; round <= 2; round++) {
      const one = await idle(pg, postmaster, 1, agents), two = await idle(pg, postmaster, 2, agents);
      console.log(`# idle ${round}: one node ${one.own.toFixed(1)} MB (${one.alone.toFixed(1)} without the program's files), ${one.each.toFixed(0)} bytes an agent; two nodes ${two.own.toFixed(1)} MB (${two.alone.toFixed(1)}) each, ${two.each.toFixed(0)} bytes an agent (${((100 * two.each) / one.each - 100).toFixed(1)} %)`);
      goals.push(one.alone <= 20, Math.abs(two.each / one.each - 1) <= 0.05);
      console.log(`# a connection: ${one.spent.toFixed(2)} ms in the node, ${one.stored.toFixed(2)} ms in the store`);
    }
  }
  if (!wanted.length || wanted.includes('ends')) {
    const e = await ends(pg);
    console.log(`# three nodes: ${e.ended} matches ended, ${e.refused} ends refused and computed again (${((100 * e.refused) / (e.ended + e.refused)).toFixed(1)} %)`);
  }
  if (!wanted.length || wanted.includes('relayed')) await relayed(pg, goals);
} finally {
  await pg.stop();
  rmSync(data, { recursive: true, force: true });
}
process.exit(goals.every(Boolean) ? 0 : 1);
