// Waiting with a deadline. Tests wait for events; tools/lint refuses timers elsewhere in test/e2e.
import { setTimeout as timer } from 'node:timers/promises';

// A deadline fails what hangs, and nothing else. On a busy machine a program with sanitizers may need 20 s to start, so no
// deadline is shorter than this, whatever the test says.
export const LEAST = 60000;

// The promise, or an error that names what did not come in time.
export async function within(ms, promise, what) {
  const stop = new AbortController(), limit = Math.max(ms, LEAST);
  const late = timer(limit, null, { signal: stop.signal }).then(() => { throw new Error(`no ${what} within ${limit} ms`); });
  late.catch(() => {}); // aborted
  return Promise.race([promise, late]).finally(() => stop.abort());
}

// What `holds` returns, as soon as that is true. For conditions that nothing announces: files, /proc, a page of a server. It
// asks at once and then less and less often: a question may start a process (psql), and many tests ask at the same time.
export async function until(holds, what, ms = LEAST) {
  const limit = Math.max(ms, LEAST);
  for (let end = Date.now() + limit, pause = 5; ; pause = Math.min(1.25 * pause, 100)) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`no ${what} within ${limit} ms`);
    await timer(pause);
  }
}

// Returns when the promise is settled, at the latest after `ms`: for those who look then, and go on either way.
export async function atMost(ms, promise) {
  const stop = new AbortController(), late = timer(ms, null, { signal: stop.signal }).catch(() => {}); // aborted
  await Promise.race([promise, late]).finally(() => stop.abort());
}

// For doubles and clients that are slow on purpose, never to let enough time pass.
export const beSlow = (ms) => timer(ms);

// Writes a piece every 50 ms until the stream is closed.
export function drip(stream, piece) {
  const clock = setInterval(() => stream.write(piece), 50);
  stream.on('close', () => clearInterval(clock));
}
