// The thread of a Watch (hostile.mjs).
import { parentPort, workerData } from 'node:worker_threads';
import { ask, rss, statsOf } from './ask.mjs';
import { beSlow } from './wait.mjs';

const { agon, arena } = workerData, seen = { times: [], failed: 0, operator: [], first: rss(arena), peak: 0 };
let over = false;

async function client() {
  while (!over) {
    const began = performance.now(), { status } = await ask(arena, { path: '/api/games' });
    seen.times.push(performance.now() - began);
    seen.failed += status !== 200;
    seen.peak = Math.max(seen.peak, rss(arena));
    await beSlow(5);
  }
}

async function operator() {
  do {
    seen.operator.push(await statsOf(agon, arena));
    await beSlow(200);
  } while (!over);
}

parentPort.once('message', () => (over = true));
await Promise.all([client(), operator()]);
parentPort.postMessage(seen);
