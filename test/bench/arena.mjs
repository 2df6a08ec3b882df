// arena.mjs [--quick] [--json] [--only PART] [--stored FOLDER]: what the arena costs under load, generator included. AGON_BENCH
// names the folder of a build with AGON_BENCH (out/bench). Parts: idle, playing, durable, watching, stored.
//
// CPU is the server's, all threads, from /proc; memory is its resident set; messages are WebSocket messages in and out as the
// server counts them. Times are the clients', on the same machine, measured once everybody plays. FOLDER was made by bench.store
// fill; without it a smaller one is made.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = process.env.AGON_BENCH ?? path.join(root, 'out/bench');
const agon = path.join(folder, 'agon');
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
  return { at: performance.now(), cpu_us: (Number(ticks[11]) + Number(ticks[12])) * 10000, resident, messages: metric('ws_messages_in_total') + metric('ws_messages_out_total'), in: metric('ws_messages_in_total'), bytes_in: metric('ws_bytes_in_total'), bytes_out: metric('ws_bytes_out_total'), connections: metric('ws_connections') };
}

const rows = [];
const add = (name, value, unit, goal = null, less = true) => {
  rows.push({ name, value, unit, goal, met: goal === null ? null : less ? value <= goal : value >= goal });
  if (!process.argv.includes('--json')) console.log(`${name.padEnd(52)} ${value.toFixed(value < 100 ? 2 : 0).padStart(9)} ${unit.padEnd(12)} ${goal === null ? '' : `${less ? 'at most' : 'at least'} ${goal}${rows.at(-1).met ? '' : '  MISSED'}`}`.trimEnd());
};

const only = process.argv.indexOf('--only') + 1;

async function within(name, work) {
  if (only && process.argv[only] !== name) return;
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
  return { wall, cpu: after.cpu_us - before.cpu_us, messages: after.messages - before.messages, in: after.in - before.in, bytes_in: after.bytes_in - before.bytes_in, bytes_out: after.bytes_out - before.bytes_out, resident: after.resident };
}

// What the system takes for the same messages when nobody looks at them (bench.pairs).
function floor(...numbers) {
  return Number(execFileSync(path.join(folder, 'bench.pairs'), numbers.map(String), { encoding: 'utf8' }).split(' ')[1]);
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
  const agents = 10000 / scale, playing = 4000 / scale, settle = quick ? 5 : 10, seconds = quick ? 5 : 20;
  const client = run('--server', server.url, '--game', 'texas_holdem', '--agents', String(agents), '--idle', String(agents - playing), '--think-ms', '500', '--games', '0', '--warm-up', String(settle + 5), '--seconds', String(settle + seconds + 10), '--opening', '256', '--feed');
  const seen = await measure(server, agents, settle, seconds), report = await client;
  add(`${agents} agents, ${playing / 2} matches, thinking 500 ms: messages`, seen.messages / seen.wall, '/s');
  add('  messages of agents', seen.in / seen.wall, '/s');
  add('  server CPU for each message', seen.cpu / seen.messages, 'us', quick ? null : 14); // a small load costs more for each
  add('  server CPU', seen.cpu / seen.wall / 10000, '% of a core');
  add('  action happened to next request, p50', report.event_to_request_ms.p50, 'ms');
  add('  action happened to next request, p99', report.event_to_request_ms.p99, 'ms', 50);
  if (report.action_to_feed_ms) add('  action sent to its feed received, p50', report.action_to_feed_ms.p50, 'ms');
  if (report.action_to_feed_ms) add('  action sent to its feed received, p99', report.action_to_feed_ms.p99, 'ms', 50);
  add('  faults and errors', report.faults + report.errors, '', 0);
  await server.stop();
  const bare = floor(agents, playing, Math.round(seen.bytes_in / seen.in), Math.round(seen.bytes_out / (seen.messages - seen.in)), Math.ceil(seconds / 2));
  add('  a bare server of such pairs, for each message', bare, 'us');
  add('  the arena over the bare server', seen.cpu / seen.messages / bare, 'times');
});

await within('durable', async (data) => {
  const server = await serve(data);
  const agents = 1000 / scale;
  const client = run('--server', server.url, '--game', 'texas_holdem', '--agents', String(agents), '--games', '0', '--seconds', quick ? '8' : '20', '--opening', '256');
  const seen = await measure(server, agents, 2, quick ? 3 : 8), report = await client;
  add(`${agents} connections, no thinking: durable actions`, seen.in / seen.wall, '/s', quick ? null : 5000, false);
  add('  server CPU for each message', seen.cpu / seen.messages, 'us');
  add('  faults and errors', report.faults + report.errors, '', 0);
  await server.stop();
});

// Many spectators of one match, and what it costs to write the same bytes to as many readers, in turns.
await within('watching', async (data) => {
  const server = await serve(data, '--spectate-delay', '1000');
  const spectators = 10000 / scale, seconds = quick ? 5 : 10;
  const client = run('--server', server.url, '--game', 'texas_holdem', '--agents', '2', '--think-ms', '250', '--games', '0', '--seconds', String(seconds + (quick ? 15 : 40)));
  let live;
  while (!(live = (await (await fetch(`${server.url}/api/matches/live`)).json()).matches[0]?.id)) await sleep(100);
  const readers = spawn(path.join(folder, 'bench.watch'), ['read', new URL(server.url).port, `/api/ws/spectator?live=${live}`, String(spectators)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => { readers.stdout.once('data', resolve); readers.once('exit', () => reject(new Error('the spectators ended'))); });
  await sleep(2000);
  const before = await look(server);
  await sleep(seconds * 1000);
  const after = await look(server), messages = after.messages - before.messages, bytes = Math.round((after.bytes_out - before.bytes_out) / messages);
  const each = (after.cpu_us - before.cpu_us) / messages;
  const bare = Number(execFileSync(path.join(folder, 'bench.watch'), ['floor', String(spectators), '20', String(bytes + 4)], { encoding: 'utf8' }));
  add(`${spectators} spectators of one match: messages`, messages / ((after.at - before.at) / 1000), '/s');
  add('  server CPU for each message', each, 'us');
  add('  a bare server of these bytes, for each message', bare, 'us');
  add('  the arena over the bare server', each / bare, 'times', 2);
  readers.removeAllListeners('exit');
  readers.kill();
  await client;
  await server.stop();
});

// --- much is stored

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

async function time(url) {
  const from = performance.now(), answer = await fetch(url);
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return { ms: performance.now() - from, body };
}

async function stored(data, matches) {
  const server = await serve(data);
  add(`${matches} stored matches: start`, server.start_ms, 'ms', 100);
  const boards = await time(`${server.url}/api/leaderboard`);
  add('  first leaderboard, asked at once', boards.ms, 'ms');
  const agents = boards.body.leaderboard.map((row) => row.agent_id);
  const paths = { 'leaderboard of a game': ['/api/leaderboard/coup'], 'leaderboard of all games': ['/api/leaderboard'], profile: agents.map((id) => `/api/agents/${id}/profile`) };
  for (const [name, list] of Object.entries(paths)) {
    const times = [];
    for (let i = 0; i < 100; i++) times.push((await time(server.url + list[i % list.length])).ms);
    add(`  ${name}`, median(times), 'ms', 5);
    add('    the worst of 100', Math.max(...times), 'ms');
  }
  await server.stop();
}

const given = process.argv.indexOf('--stored') + 1;
if (given) {
  if (!only || process.argv[only] === 'stored') await stored(process.argv[given], 'many');
} else {
  const matches = 50000 / scale;
  await within('stored', async (data) => {
    execFileSync(path.join(folder, 'bench.store'), ['fill', data, String(matches), String(matches / 10)], { stdio: 'ignore' });
    await stored(data, matches);
  });
}

if (process.argv.includes('--json')) console.log(JSON.stringify({ rows }, null, 1));
