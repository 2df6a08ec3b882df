// Servers are killed while agents play, and nothing that was confirmed is lost. AGON_ARENA_CRASHES: kills while it serves
// (5), AGON_ARENA_AGENTS: agents that play (24).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { auditDeals, auditMatches, auditResults, gather, settle, Site, strike } from './lib/storm.mjs';
import { until, within } from './lib/wait.mjs';

const kills = Number(process.env.AGON_ARENA_CRASHES ?? 5), count = Number(process.env.AGON_ARENA_AGENTS ?? 24);
const options = ['--fill-wait', '50', '--house-wait', '400', '--table-max', '3', '--message-rate', '100000', '--message-burst', '100000', '--log-level', 'error'];

test('nothing that was accepted is lost, and nothing happens twice', async (t) => {
  const site = new Site(options);
  t.after(() => site.abandon());
  await site.start();
  const clients = await gather(site, count);
  const lives = clients.map((c) => c.live());
  while (site.deaths.SIGKILL < kills) await strike(site, clients);
  await settle(clients, lives, 120000);
  const { matches, actions, events } = await auditMatches(site, clients);
  await auditDeals(site, matches);
  await site.arena.stop();
  const counted = auditResults(site, clients, matches);
  for (const [game, n] of Object.entries(actions)) assert.ok(n > 0, `no action of ${game} was audited`);
  const { SIGKILL, SIGTERM, unborn } = site.deaths;
  console.log(`# ${SIGKILL} kills, ${unborn} while starting, ${SIGTERM} stops: ${matches.size} matches (${counted.rated} rated), ${Object.values(actions).reduce((a, b) => a + b)} actions and ${events} events of ${count} clients audited; none lost, none twice; restarts within ${Math.max(...site.restart_ms).toFixed(0)} ms`);
});

// F8.6. A limit on the size of files stands for the disk; it is laid on the server while it runs.
test('a full disk stops the server and loses nothing', async (t) => {
  const site = new Site(options);
  t.after(() => site.abandon());
  await site.start();
  const clients = await gather(site, 12);
  const lives = clients.map((c) => c.live());
  for (let i = 0; i < 2; i++) {
    await until(() => clients.filter((c) => c.open()).length > clients.length / 2, 'matches under way');
    const codes = clients.map((c) => c.codes.length);
    const size = Math.max(...readdirSync(site.data).map((f) => statSync(path.join(site.data, f)).size));
    execFileSync('prlimit', ['--pid', String(site.arena.process.pid), `--fsize=${size + 4096}`]);
    assert.equal(await within(30000, site.arena.exited, 'exit of a server that cannot write'), 1);
    assert.match(site.arena.errors, /storage.failed/);
    await until(() => clients.every((c) => c.connections === c.codes.length), 'news of the end');
    const closed = clients.flatMap((c, k) => c.codes.slice(codes[k]));
    assert.ok(closed.length > 0 && closed.every((code) => code === 1012), `closed with ${closed}`);
    await site.start(); // there is space again
  }
  await settle(clients, lives, 60000);
  const { matches } = await auditMatches(site, clients);
  await site.arena.stop();
  auditResults(site, clients, matches);
});
