// nodes.mjs [PART...]: what several nodes on one PostgreSQL store cost. AGON_BENCH names the folder of a build with AGON_BENCH
// (out/bench). Parts: idle, ends; all by default. AGENTS (4000) are connected for `idle`.
//
// idle: a node's own memory, bytes per idle agent at one node and at two with half of them each, CPU of a connection.
// ends: three nodes whose house bots play everybody: ends that the store refused because a rating had moved (S41), of all.
// Memory is the resident set; CPU is from /proc and the server's with all its processes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
  return new Promise((resolve, reject) => child.on('close', (code) => (out ? resolve(JSON.parse(out)) : reject(new Error(`agon agent ended with ${code}`)))));
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

const pg = await Postgres.start();
const postmaster = Number(readFileSync(path.join(pg.url.split('host=')[1], 'data/postmaster.pid'), 'utf8').split('\n')[0]);
try {
  if (!wanted.length || wanted.includes('idle')) {
    for (let round = 1; round <= 2; round++) {
      const one = await idle(pg, postmaster, 1, agents), two = await idle(pg, postmaster, 2, agents);
      console.log(`# idle ${round}: one node ${one.own.toFixed(1)} MB (${one.alone.toFixed(1)} without the program's files), ${one.each.toFixed(0)} bytes an agent; two nodes ${two.own.toFixed(1)} MB (${two.alone.toFixed(1)}) each, ${two.each.toFixed(0)} bytes an agent (${((100 * two.each) / one.each - 100).toFixed(1)} %)`);
      console.log(`# a connection: ${one.spent.toFixed(2)} ms in the node, ${one.stored.toFixed(2)} ms in the store`);
    }
  }
  if (!wanted.length || wanted.includes('ends')) {
    const e = await ends(pg);
    console.log(`# three nodes: ${e.ended} matches ended, ${e.refused} ends refused and computed again (${((100 * e.refused) / (e.ended + e.refused)).toFixed(1)} %)`);
  }
} finally {
  await pg.stop();
  rmSync(data, { recursive: true, force: true });
}
process.exit(0);
