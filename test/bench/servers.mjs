// servers.mjs [--json] [--quick] [PART...]: what the servers cost, measured on loopback beside a bare echo server. PART is
// one of requests, pipelined, waiting, mcp, parts; all by default. AGON_BENCH names the folder of a build with AGON_BENCH
// (out/bench).
//
// Costs are CPU time of the server per request, so a busy machine stretches the run and hardly the figures; requests of
// all kinds take turns, and each ratio is the median of ratios within a turn.
import { execFileSync, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = process.env.AGON_BENCH ?? path.join(root, 'out/bench');
const quick = process.argv.includes('--quick');
const [rounds, seconds, quiet] = quick ? [3, 0.5, 1] : [7, 1, 5];

async function start(program, ...options) {
  const child = spawn(path.join(folder, program), options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (d) => { const found = /:(\d+)\n/.exec((out += d)); if (found) resolve(found[1]); });
    child.on('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  return { pid: child.pid, port, stop: () => new Promise((done) => { child.removeAllListeners('exit'); child.on('exit', done); child.kill(); }) };
}

const load = (server, kind, connections, depth, length = seconds) => {
  const words = [kind, server.port, server.pid, connections, depth, length].map(String);
  const r = JSON.parse(execFileSync(path.join(folder, 'bench.load'), words, { stdio: ['ignore', 'pipe', 'inherit'] }));
  if (r.errors) throw new Error(`${kind}: ${r.errors} answers were errors`);
  return { ...r, us: r.cpu_ns / r.answers / 1000, rate: (r.answers * 1e9) / r.wall_ns, share: (100 * r.cpu_ns) / r.wall_ns };
};
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

// [name, value, unit, goal, true when less is better]
const rows = [];
const add = (name, value, unit, goal = null, less = true) => rows.push({ name, value, unit, goal, less });

async function requests() {
  const tetris = () => start('agon', 'tetris', '--headless', '--port', '0', '--tables', '80');
  const echo = await start('bench.echo'), net = await start('bench.net_echo');
  const seen = { echo: [], lockstep: [], http: [], ws: [], one: [] };
  for (let i = 0; i < rounds; i++) {
    const lines = await tetris();
    seen.echo.push(load(echo, 'echo', 64, 1));
    seen.lockstep.push(load(lines, 'lockstep', 64, 1));
    seen.http.push(load(net, 'http', 64, 1));
    seen.ws.push(load(net, 'ws', 64, 1));
    seen.one.push(load(lines, 'lockstep', 1, 1));
    await lines.stop();
  }
  const us = (kind) => median(seen[kind].map((r) => r.us));
  const ratio = (kind) => median(seen[kind].map((r, i) => r.us / seen.echo[i].us));
  add('bare echo, 64 connections', us('echo'), 'us/request');
  add('lock-step command and ack, 64 tables', us('lockstep'), 'us/request');
  add('  in bare echoes', ratio('lockstep'), 'x', 1.5);
  add('HTTP POST, small JSON', us('http'), 'us/request');
  add('  in bare echoes', ratio('http'), 'x', 2);
  add('WebSocket message', us('ws'), 'us/message', 14);
  add('  in bare echoes', ratio('ws'), 'x');
  add('lock-step, one client, one command at a time', median(seen.one.map((r) => r.rate)), '/s', 10000, false);
  await echo.stop();
  await net.stop();
}

// How fast a server is that has a core to itself; the measuring client is a process of its own.
async function pipelined() {
  const plain = [], observed = [];
  for (let i = 0; i < rounds; i++) {
    const server = await start('agon', 'tetris', '--headless', '--port', '0', '--tables', '80');
    plain.push(load(server, 'lockstep', 8, 64));
    observed.push(load(server, 'observed', 8, 64));
    await server.stop();
  }
  const per = (list) => median(list.map((r) => r.us));
  add('lock-step places pipelined', median(plain.map((r) => r.rate)), '/s', 100000, false);
  add('  per second of server CPU', 1e6 / per(plain), '/s', 100000, false);
  add('lock-step places with observations', median(observed.map((r) => r.rate)), '/s', 30000, false);
  add('  per second of server CPU', 1e6 / per(observed), '/s', 30000, false);
}

async function waiting() {
  const server = await start('agon', 'tetris', '--headless', '--port', '0');
  add('idle server', load(server, 'idle', 0, 1, quiet).share, '% of a core', 0.5);
  const watch = load(server, 'watch', 33, 1, quiet);
  add('32 observers and a player at 20 Hz', watch.share, '% of a core', 5);
  add('  observations', watch.rate, '/s');
  const before = load(server, 'idle', 0, 1, 0.1).resident_kib;
  const crowd = load(server, 'idle', 10000, 1, 1);
  add('10,000 idle connections, resident', crowd.resident_kib / 1024, 'MiB', 200);
  add('  each', (crowd.resident_kib - before) / 10000, 'KiB');
  add('  share of a core', crowd.share, '% of a core', 0.5);
  await server.stop();
}

// MCP over a raw pipe, one request in flight, in turns with an echo on a server of the official SDK and with a mirror, the
// least that a server can do. Client and server share a processor, of which only one needs it at any time; or each has
// one, and the client sleeps until it is woken there (on virtual machines that costs more than a step), or stays awake.
function mcp() {
  const mirror = [path.join(folder, 'bench.mcp'), 'mirror', '5000'], agon = path.join(folder, 'agon');
  const node = [process.execPath, path.join(root, 'test/bench/mcp_node.mjs')];
  const one = { BENCH_PROCESSOR: '0' }, two = { ...one, BENCH_SERVER: '1' }, awake = { ...two, BENCH_AWAKE: '1' };
  const places = cpus().length > 1 ? { one, two, awake } : { one };
  const drive = (kind, place, ...command) => {
    const env = { ...process.env, ...places[place] };
    const r = JSON.parse(execFileSync(path.join(folder, 'bench.mcp'), [kind, String(seconds), ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] }));
    return { ...r, rate: (r.steps * 1e9) / r.wall_ns, us: r.cpu_ns / r.steps / 1000 };
  };
  const games = ['tetris', 'coup', 'liars_dice'], seen = {};
  const run = (name, kind, place, ...command) => (seen[`${name} ${place}`] ??= []).push(drive(kind, place, ...command));
  for (let i = 0; i < rounds; i++) {
    for (const place in places) {
      run('echo', 'echo', place, ...node);
      run('mirror', 'echo', place, ...mirror);
      for (const game of games) run(game, 'step', place, agon, 'mcp', '--game', game);
    }
    run('four', 'batch4', 'one', agon, 'mcp', '--game', 'coup', '--text', 'brief');
    run('many', 'batch64', 'one', agon, 'mcp', '--game', 'coup', '--tables', '64', '--text', 'brief');
  }
  const rate = (name) => median(seen[name].map((r) => r.rate)), us = (name) => median(seen[name].map((r) => r.us));
  const ratio = (name, to) => median(seen[name].map((r, i) => r.rate / seen[to][i].rate));
  const titles = { two: 'on two processors', awake: 'on two, the client awake' };
  for (const game of games) {
    add(`MCP sim_step, ${game}`, rate(`${game} one`), '/s', 30000, false);
    add('  server CPU', us(`${game} one`), 'us');
    add('  in echoes of a Node server', ratio(`${game} one`, 'echo one'), 'x', 3, false);
    for (const place of Object.keys(places).slice(1)) {
      add(`  ${titles[place]}`, rate(`${game} ${place}`), '/s');
      add('    in echoes of a Node server', ratio(`${game} ${place}`, `echo ${place}`), 'x', 3, false);
    }
  }
  for (const [name, title] of [['echo', 'MCP echo, Node server of the official SDK'], ['mirror', 'mirror of 5000 bytes']]) {
    add(title, rate(`${name} one`), '/s');
    for (const place of Object.keys(places).slice(1)) add(`  ${titles[place]}`, rate(`${name} ${place}`), '/s');
  }
  add('MCP batch_step, 4 agents at a table', rate('four one'), 'steps/s', 60000, false);
  add('  server CPU', us('four one'), 'us/step');
  add('MCP batch_step, 64 agents at 64 tables', rate('many one'), 'steps/s', 100000, false);
  add('  server CPU', us('many one'), 'us/step');
  const start = JSON.parse(execFileSync(path.join(folder, 'bench.mcp'), ['start', '1', agon, 'mcp', '--game', 'coup'])).start_ms;
  add('MCP start to the answer of initialize', start, 'ms', 10);
}

function parts() {
  const list = JSON.parse(execFileSync(path.join(folder, 'bench.micro')));
  const find = (name) => list.find((r) => r.name === name).ns;
  for (const r of list) add(r.name, r.ns, 'ns', r.goal_ns || null);
  add('clearing four rows: the difference', find('hard drop that clears four rows') - find('hard drop'), 'ns', 100);
}

const form = (v) => (v >= 10000 ? String(Math.round(v / 100) * 100) : v >= 100 ? v.toFixed(0) : v.toFixed(v >= 10 ? 1 : 2));
const all = { requests, pipelined, waiting, mcp, parts };
const chosen = process.argv.slice(2).filter((word) => !word.startsWith('--'));
for (const name of chosen.length ? chosen : Object.keys(all)) await all[name]();
for (const r of rows) r.met = r.goal === null ? null : r.less ? r.value <= r.goal : r.value >= r.goal;
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ processor: cpus()[0]?.model, cores: cpus().length, rounds, rows }, null, 1));
} else {
  for (const r of rows) {
    const goal = r.goal === null ? '' : `${r.less ? 'at most' : 'at least'} ${r.goal}${r.met ? '' : '  MISSED'}`;
    console.log(`${r.name.padEnd(46)} ${form(r.value).padStart(8)} ${r.unit.padEnd(12)} ${goal}`.trimEnd());
  }
}
