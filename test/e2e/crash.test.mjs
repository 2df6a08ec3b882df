// Servers that die while agents play, and what is left. AGON_ARENA_CRASHES says how often (5), AGON_ARENA_AGENTS how many
// play (24).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditMatches, auditResults, gather, settle, Site, strike } from './lib/storm.mjs';

const rounds = Number(process.env.AGON_ARENA_CRASHES ?? 5), count = Number(process.env.AGON_ARENA_AGENTS ?? 24);
const options = ['--fill-wait', '50', '--house-wait', '400', '--table-max', '3', '--message-rate', '100000', '--message-burst', '100000', '--log-level', 'error'];

test('nothing that was accepted is lost, and nothing happens twice', async (t) => {
  const site = new Site(options);
  t.after(() => site.abandon());
  await site.start();
  const clients = await gather(site, count);
  const lives = clients.map((c) => c.live());
  for (let i = 0; i < rounds; i++) await strike(site);
  await settle(clients, lives, 120000);
  const { matches, actions, events } = await auditMatches(site, clients);
  await site.arena.stop();
  const counted = auditResults(site, clients, matches);
  for (const [game, n] of Object.entries(actions)) assert.ok(n > 0, `no action of ${game} was audited`);
  const { SIGKILL, SIGTERM, unborn } = site.deaths;
  console.log(`# ${SIGKILL} kills, ${unborn} while starting, ${SIGTERM} stops: ${matches.size} matches (${counted.rated} rated), ${Object.values(actions).reduce((a, b) => a + b)} actions and ${events} events of ${count} clients audited; none lost, none twice; restarts within ${Math.max(...site.restart_ms).toFixed(0)} ms`);
});
