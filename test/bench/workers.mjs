// Contests on workers under random faults, and what workers cost. A real nats-server, three workers, one thread each.
//
//   AGON=build/agon node test/bench/workers.mjs
//
// AGON_WORKERS_CONTESTS (50) contests: in each, once to three times at a random result, a worker is killed and started again
// or stopped for a while, the coordinator is killed and goes on, or the bus is killed and comes back, one time in two without
// its data. AGON_WORKERS_SEED (1) is the seed of all that. Every report and journal must be that of one thread. Then
// AGON_WORKERS_ROUNDS (8) times in turns the same games here and by one worker with units of 50 ms: games per CPU second.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chance } from '../e2e/lib/chance.mjs';
import { spawn } from '../e2e/lib/children.mjs';
import { Nats, NatsClient } from '../e2e/lib/nats.mjs';
import { scratch } from '../e2e/lib/scratch.mjs';
import { until, within } from '../e2e/lib/wait.mjs';

const agon = process.env.AGON ?? 'build/agon';
const number = (name, usual) => Number(process.env[name] ?? usual);
const contests = number('AGON_WORKERS_CONTESTS', 50), seed = number('AGON_WORKERS_SEED', 1), rounds = number('AGON_WORKERS_ROUNDS', 8);
const chance = new Chance(seed), folder = scratch('agon-workers-'), deadline = 300000;

function begin(args, program = agon) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const p = { child, stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (p.stdout += bytes));
  child.stderr.on('data', (bytes) => (p.stderr += bytes));
  p.done = new Promise((resolve) => child.on('close', (status) => (p.over = true, resolve(status))));
  return p;
}

async function work(url) {
  const w = begin(['worker', '--bus', url, '--threads', '1']);
  await until(() => w.stderr.includes('takes games') || w.over, 'worker that listens', deadline);
  return w;
}

const players = {
  coup: ['house:rules', 'house:random'], liars_dice: ['house:rules', 'house:random'], belote: ['house:rules', 'house:random'],
  texas_holdem: ['house:rules', 'house:random'],
};

// A contest of about a second: its size is found once for each game.
const sizes = {};
function size(game) {
  if (sizes[game]) return sizes[game];
  for (let games = 200; ; games *= 2) {
    const began = performance.now();
    spawnSync(agon, ['match', game, ...players[game].flatMap((who) => ['--seat', who]), '-n', games, '--seed', '1', '-j', '1', '--json']);
    if (performance.now() - began > 700 || games > 400000) return (sizes[game] = games);
  }
}

function draw(i) {
  const game = chance.pick(Object.keys(players)), [a, b] = players[game], swiss = game === 'coup' && chance.happens(0.3);
  const seats = ['--seat', a, '--seat', b, ...(swiss ? ['--seat', `c=${b}`, '--seat', `d=${a}`] : [])];
  const kind = swiss ? ['tournament', game, '--swiss', '--rounds', '12'] : ['match', game, '-n', size(game)];
  return [...kind, ...seats, '--seed', String(1000 * seed + i), '--json'];
}

function wake(state) {
  state.sleeping?.child.kill('SIGCONT');
  state.sleeping = null;
}

const faults = { killed: 0, stopped: 0, coordinator: 0, bus: 0 };

async function hurt(state) {
  const kind = chance.pick(['killed', 'killed', 'stopped', 'coordinator', 'bus']), at = chance.below(state.workers.length);
  const w = state.workers[at], empty = chance.happens(0.5);
  faults[kind]++;
  if (kind === 'killed') {
    w.child.kill('SIGKILL');
    await w.done;
    state.workers[at] = await work(state.bus.url);
  } else if (kind === 'stopped') {
    wake(state); // one at a time sleeps, until the end of its contest
    w.child.kill('SIGSTOP');
    state.sleeping = w;
  } else if (kind === 'coordinator') {
    state.p.child.kill('SIGKILL');
    await state.p.done;
    state.p = begin(state.args);
  } else {
    await state.bus.stop('SIGKILL');
    if (empty) state.bus.folder = scratch('nats-');
    assert.ok(await state.bus.begin());
    state.client.close();
    state.client = await listen(state.bus);
  }
}

async function listen(bus) {
  const client = await NatsClient.connect(bus.port);
  client.listen('result.*');
  return client;
}

async function survive(bus, workers) {
  const state = { bus, workers, sleeping: null, client: await listen(bus) };
  for (let i = 0; i < contests; i++) {
    const args = draw(i), [here, there] = ['here', 'there'].map((who) => join(folder, `${who}-${i}`));
    const alone = spawnSync(agon, [...args, '-j', '1', '--journal', here], { encoding: 'utf8', maxBuffer: 1 << 28 });
    state.args = [...args, '--workers', bus.url, '--unit-ms', '50', '--journal', there];
    state.p = begin(state.args);
    for (let n = 1 + chance.below(3); n > 0; n--) {
      const wanted = 1 + chance.below(6), before = state.client.heard.get('result.*').length;
      await until(() => state.p.over || state.client.heard.get('result.*').length >= before + wanted, 'results', deadline);
      if (state.p.over) break;
      await hurt(state);
    }
    const status = await within(deadline, state.p.done, `end of contest ${i}`);
    wake(state);
    assert.deepEqual([status, state.p.stdout], [alone.status, alone.stdout], `contest ${i}: agon ${args.join(' ')}\n${state.p.stderr}`);
    assert.equal(readFileSync(there, 'utf8'), readFileSync(here, 'utf8'), `journal of contest ${i}`);
  }
  state.client.close();
  const told = Object.entries(faults).map(([kind, count]) => `${count} ${kind}`).join(', ');
  console.log(`# ${contests} contests, seed ${seed}, faults: ${told}; every report and journal is that of one thread`);
}

// CPU seconds of a process so far, ended threads and all.
function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

// CPU seconds of a command.
async function timed(args) {
  const p = begin(['-c', `TIMEFORMAT='cpu %U %S'; time "$@"`, 'bash', agon, ...args], 'bash');
  const status = await within(deadline, p.done, 'end of a contest'), { stdout, stderr } = p;
  assert.equal(status, 0, stderr);
  const [, user, system] = stderr.match(/cpu (\S+) (\S+)/);
  return { stdout, seconds: Number(user) + Number(system), units: Number(stderr.match(/(\d+) units/)?.[1]) };
}

// CPU time of play that an outcome tells, in seconds: the fourth number behind mark, contest and fingerprint (S83).
function playOf(body) {
  let at = 4 + 16 + 8, value = 0;
  for (let field = 0; field < 4; field++) {
    value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = body[at++];
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
  }
  return value / 1e6;
}

async function weigh(bus) {
  const games = number('AGON_WORKERS_GAMES', 12000), args = ['match', 'belote', '--seat', 'house:rules', '--seat', 'house:random', '-n', games, '--json', '--seed'];
  const w = await work(bus.url), client = await listen(bus), heard = client.heard.get('result.*'), sum = { here: 0, play: 0, worker: 0, coordinator: 0, bus: 0, units: 0 };
  for (let i = 0; i <= rounds; i++) { // the first warms up
    const here = await timed([...args, i, '-j', '1']), before = [cpu(w.child.pid), cpu(bus.process.pid)];
    const there = await timed([...args, i, '--workers', bus.url, '--unit-ms', '50']);
    assert.equal(there.stdout, here.stdout);
    if (!i) {
      heard.length = 0;
      continue;
    }
    sum.play += heard.reduce((all, { body }) => all + playOf(body), 0);
    sum.here += here.seconds;
    sum.coordinator += there.seconds;
    sum.units += there.units;
    sum.worker += cpu(w.child.pid) - before[0];
    sum.bus += cpu(bus.process.pid) - before[1];
    heard.length = 0;
  }
  w.child.kill('SIGTERM');
  await w.done;
  client.close();
  const all = sum.worker + sum.coordinator, rate = (seconds) => Math.round(games * rounds / seconds);
  const ms = (seconds) => (1000 * seconds / sum.units).toFixed(2);
  console.log(`# ${games * rounds} games in ${sum.units} units of ${ms(sum.here)} ms: ${rate(sum.here)} games per CPU second here, ${rate(sum.worker)} by the worker ` +
    `(${(100 * sum.here / sum.worker).toFixed(1)} %), ${rate(all)} with the coordinator (${(100 * sum.here / all).toFixed(1)} %)`);
  console.log(`# a unit is ${ms(sum.play)} ms of play and costs ${ms(sum.worker - sum.play)} ms more in the worker (${(100 * sum.play / sum.worker).toFixed(1)} %), ${ms(sum.coordinator)} ms in the coordinator and ${ms(sum.bus)} ms in the bus server`);
}

const bus = await Nats.start();
const workers = await Promise.all([work(bus.url), work(bus.url), work(bus.url)]);
if (contests) await survive(bus, workers);
for (const w of workers) {
  w.child.kill('SIGTERM');
  await w.done;
}
if (rounds) await weigh(bus);
await bus.stop();
process.exit(0);
