// How agents play: the counters of the server agree with those computed from the replays.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent, agon, Arena, end, play } from './lib/arena.mjs';
import { Documented } from './lib/documented.mjs';
import { countHabits } from './lib/habits.mjs';
import { scratch } from './lib/scratch.mjs';

const browser = { browser: true, query: '?protocol=v1.2.0&capabilities=belote' };
const folder = scratch('stats-');

async function exported(arena, id) {
  const file = join(folder, `${id}.agon`);
  writeFileSync(file, Buffer.from(await (await fetch(`${arena.url}/api/replays/${id}/file`)).arrayBuffer()));
  return execFileSync(agon, ['replay', 'export', '--views', '-f', 'jsonl', file], { encoding: 'utf8', maxBuffer: 1 << 28 }).trim().split('\n').map((l) => JSON.parse(l));
}

// {agent: {game: {name: [n, of, squares]}}} of all finished matches.
async function recount(arena) {
  const sums = {}, { matches } = (await arena.call('GET', '/api/matches?limit=50')).body;
  for (const m of matches) {
    const seats = countHabits(await exported(arena, m.id));
    m.players.forEach((p, i) => {
      const own = ((sums[p.agent_id] ??= {})[m.game] ??= { matches: 0, at: {} });
      own.matches++;
      for (const [name, [n, of, squares]] of Object.entries(seats[i])) {
        const x = (own.at[name] ??= [0, 0, 0]);
        x[0] += n, x[1] += of, x[2] += squares ?? 0;
      }
    });
  }
  return sums;
}

async function compare(arena, sums) {
  for (const [agent, games] of Object.entries(sums)) {
    const { status, body } = await arena.call('GET', `/api/agents/${agent}/stats`);
    assert.equal(status, 200);
    const told = {};
    for (const s of body.stats) (told[s.game] ??= {})[s.name] = [s.n, s.of, s.squares ?? 0];
    assert.deepEqual(told, Object.fromEntries(Object.entries(games).map(([g, x]) => [g, x.at])));
    assert.deepEqual(Object.fromEntries(body.matches.map((m) => [m.game, m.matches])), Object.fromEntries(Object.entries(games).map(([g, x]) => [g, x.matches])));
  }
}

const documented = async (arena) => { const rest = await Documented.of(arena); arena.call = (...args) => rest.call(...args); return arena; };

// F7.16.
test('counters agree with what replays tell, and with themselves when they are counted again', { timeout: 600000 }, async () => {
  const data = scratch('stats-data-');
  let arena = await documented(await Arena.start(['--strict-compat'], { data }));
  const { body } = await arena.call('POST', '/api/guests', { body: {} });
  const me = { id: body.agent.id, key: body.agent.api_key };
  const agent = await Agent.connect(arena, me, browser);
  const tables = [['texas_holdem', ['house:1', 'house:3', 'house:3'], 3], ['texas_holdem', ['house:3'], 2], ['coup', ['house:1', 'house:3', 'house:1'], 4], ['coup', ['house:3'], 2],
    ['liars_dice', ['house:1', 'house:3'], 3], ['belote', ['house:3', 'house:1', 'house:2'], 2]];
  for (const [game, opponents, times] of tables)
    for (let i = 0; i < times; i++) {
      const made = await arena.call('POST', '/api/tables', { key: me.key, body: { game, opponents }, headers: { 'x-aifight-capabilities': 'belote' } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await play(agent);
    }
  await end([agent]);
  const sums = await recount(arena);
  for (const game of ['texas_holdem', 'coup', 'liars_dice', 'belote'])
    for (const name of Object.keys(sums[me.id][game].at)) assert.ok(Object.values(sums).some((s) => s[game]?.at[name][1] > 0), `${game} ${name} was never counted`);
  await compare(arena, sums);
  const one = (await arena.call('GET', `/api/agents/${me.id}/stats?game=coup`)).body;
  assert.deepEqual([...new Set(one.stats.map((s) => s.game))], ['coup']);
  assert.equal((await arena.call('GET', `/api/agents/${me.id}/stats?game=chess`)).status, 400);
  assert.equal((await arena.call('GET', '/api/agents/6c2ad4f2-0000-4000-8000-000000000000/stats')).status, 404);
  await arena.stop();
  const again = spawnSync(agon, ['admin', 'recompute', '--data', data, '--json'], { encoding: 'utf8' });
  assert.equal(again.status, 0, again.stderr);
  arena = await documented(await Arena.start([], { data }));
  await compare(arena, sums);
  await arena.stop();
});

test('a folder from before there were counters gets them from its replays', async () => {
  execFileSync('tar', ['-xzf', join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../golden/data-0.1.0.tar.gz'), '-C', folder]);
  const data = join(folder, 'data');
  let arena = await documented(await Arena.start(['--house-bots', '0'], { data }));
  const { matches } = (await arena.call('GET', '/api/matches?limit=50')).body;
  assert.ok(matches.length > 0);
  assert.deepEqual((await arena.call('GET', `/api/agents/${matches[0].players[0].agent_id}/stats`)).body.stats, []);
  await arena.stop();
  assert.equal(spawnSync(agon, ['admin', 'recompute', '--data', data], { encoding: 'utf8' }).status, 0);
  arena = await documented(await Arena.start(['--house-bots', '0'], { data }));
  await compare(arena, await recount(arena));
  await arena.stop();
});
