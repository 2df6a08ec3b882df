// arena.mjs [--quick] [--json]: what the arena costs under load, generator included. AGON names the program (build/agon).
//
// CPU is the server's, all threads, from /proc; memory is its resident set; messages are WebSocket messages in and out as the
// server counts them. Times from event to request are the clients', on the same machine.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const agon = process.env.AGON ?? path.join(root, 'build/agon');
const quick = process.argv.includes('--quick');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function serve(data, ...options) {
  const words = ['serve', '--port', '0', '--tetris-port', '0', '--data', data, '--log-level', 'error', '--house-bots', '0', '--table-max', '2', '--fill-wait', '100', '--message-rate', '100000', '--message-burst', '100000', '--max-connections', '20000', ...options];
  const from = performance.now(), child = spawn(agon, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (d) => { const found = /listening (http:\S+)/.exec((out += d)); if (found) resolve(found[1]); });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const start_ms = performance.now() - from;
  return { url, start_ms, pid: child.pid, stop: () => new Promise((done) => { child.removeAllListeners('exit'); child.on('exit', done); child.kill(); }) };
}

function run(...words) {
  const child = spawn(agon, ['agent', '--json', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (d) => (out += d));
  return new Promise((resolve, reject) => child.on('close', (code) => (out ? resolve(JSON.parse(out)) : reject(new Error(`agon agent ended with ${code}`)))));
}

async function look({ url, pid }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const metric = (name) => Number(new RegExp(`^agon_${name} (\\d+)`, 'm').exec(text)[1]);
  const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  return { at: performance.now(), cpu_us: (Number(ticks[11]) + Number(ticks[12])) * 10000, resident, messages: metric('ws_messages_in_total') + metric('ws_messages_out_total'), in: metric('ws_messages_in_total'), connections: metric('ws_connections') };
}

const rows = [];
const add = (name, value, unit, goal = null, less = true) => {
  rows.push({ name, value, unit, goal, met: goal === null ? null : less ? value <= goal : value >= goal });
  if (!process.argv.includes('--json')) console.log(`${name.padEnd(52)} ${value.toFixed(value < 100 ? 2 : 0).padStart(9)} ${unit.padEnd(12)} ${goal === null ? '' : `${less ? 'at most' : 'at least'} ${goal}${rows.at(-1).met ? '' : '  MISSED'}`}`.trimEnd());
};

async function within(name, work) {
  const data = mkdtempSync(path.join(tmpdir(), 'load-'));
  try {
    await work(data, name);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

// Measures for `seconds` from the moment `ready` connections are there and have settled.
async function measure(server, ready, settle, seconds) {
  while ((await look(server)).connections < ready) await sleep(250);
  await sleep(settle * 1000);
  const before = await look(server);
  await sleep(seconds * 1000);
  const after = await look(server), wall = (after.at - before.at) / 1000;
  return { wall, cpu: after.cpu_us - before.cpu_us, messages: after.messages - before.messages, in: after.in - before.in, resident: after.resident };
}

const scale = quick ? 10 : 1;

await within('idle', async (data) => {
  const server = await serve(data), empty = await look(server);
  const agents = 10000 / scale, client = run('--server', server.url, '--game', 'coup', '--agents', String(agents + 1), '--idle', String(agents), '--seconds', quick ? '8' : '30', '--opening', '256');
  const crowd = await measure(server, agents, 2, 2);
  add(`${agents} idle connections, each`, ((crowd.resident - empty.resident) * 1024) / agents, 'bytes', 20000);
  process.kill(server.pid, 0);
  await client;
  await server.stop();
});

await within('playing', async (data) => {
  const server = await serve(data);
  const agents = 10000 / scale, playing = 4000 / scale, seconds = quick ? 15 : 50;
  const client = run('--server', server.url, '--game', 'texas_holdem', '--agents', String(agents), '--idle', String(agents - playing), '--think-ms', '500', '--games', '0', '--seconds', String(seconds), '--opening', '256', '--feed');
  const seen = await measure(server, agents, 4, quick ? 5 : 15), report = await client;
  add(`${agents} agents, ${playing / 2} matches, thinking 500 ms: messages`, seen.messages / seen.wall, '/s');
  add('  actions', seen.in / seen.wall, '/s');
  add('  server CPU for each message', seen.cpu / seen.messages, 'us', 14);
  add('  server CPU', seen.cpu / seen.wall / 10000, '% of a core');
  add('  event to request, p50', report.event_to_request_ms.p50, 'ms');
  add('  event to request, p99', report.event_to_request_ms.p99, 'ms', 50);
  if (report.action_to_feed_ms) add('  action to its feed, p99', report.action_to_feed_ms.p99, 'ms');
  add('  faults and errors', report.faults + report.errors, '', 0);
  await server.stop();
});

await within('durable', async (data) => {
  const server = await serve(data);
  const agents = 1000 / scale;
  const client = run('--server', server.url, '--game', 'texas_holdem', '--agents', String(agents), '--games', '0', '--seconds', quick ? '8' : '20', '--opening', '256');
  const seen = await measure(server, agents, 2, quick ? 3 : 8), report = await client;
  add(`${agents} connections, no thinking: durable actions`, seen.in / seen.wall, '/s', 5000, false);
  add('  server CPU for each message', seen.cpu / seen.messages, 'us');
  add('  faults and errors', report.faults + report.errors, '', 0);
  await server.stop();
});

if (process.argv.includes('--json')) console.log(JSON.stringify({ rows }, null, 1));
