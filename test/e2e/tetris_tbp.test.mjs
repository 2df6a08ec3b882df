// The Tetris Bot Protocol, both sides: agon as a bot, bots at tables of agon, and agon against itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scratch } from './lib/scratch.mjs';

const agon = process.env.AGON;
const stub = join(dirname(fileURLToPath(import.meta.url)), 'stub', 'tbp_bot.mjs');
const run = (args, input) => spawnSync(agon, args, { input, encoding: 'utf8', timeout: 600000 });
const bot = (mode) => `tbp:${process.execPath} ${stub} ${mode}`;
const match = (...seats) => run(['match', 'tetris', '--games', '2', '--seed', '5', '--json', '--scenario', 'cheese', '--max-steps', '1600', ...seats.flatMap((s) => ['--seat', s])]);

const board = () => Array.from({ length: 40 }, () => Array(10).fill(null));
const talk = (messages, ...options) => {
  const done = run(['tetris-tbp', ...options], messages.map((m) => `${typeof m === 'string' ? m : JSON.stringify(m)}\n`).join(''));
  return { ...done, said: done.stdout.trim().split('\n').map((l) => JSON.parse(l)) };
};

test('a frontend gets info, ready and a move that clears four lines', () => {
  const rows = board();
  for (let y = 0; y < 4; y++) rows[y] = [...Array(9).fill('G'), null];
  const start = { type: 'start', hold: null, queue: ['I', 'O'], combo: 0, back_to_back: false, board: rows };
  const done = talk([{ type: 'rules' }, start, { type: 'suggest' }, { type: 'stop' }, { type: 'quit' }]);
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual(done.said.map((m) => m.type), ['info', 'ready', 'suggestion']);
  const { location, spin } = done.said[2].moves[0];
  assert.equal(spin, 'none');
  assert.equal(location.type, 'I');
  assert.equal(location.x, 9);
  assert.ok((location.orientation === 'east' && location.y === 2) || (location.orientation === 'west' && location.y === 1), JSON.stringify(location));
});

test('the situation follows play and new_piece; lines that are no messages change nothing', () => {
  const start = { type: 'start', hold: null, queue: ['T', 'S'], combo: 0, back_to_back: false, board: board() };
  const play = { type: 'play', move: { location: { type: 'T', orientation: 'north', x: 1, y: 0 }, spin: 'none' } };
  const once = talk([{ type: 'rules' }, start, play, { type: 'new_piece', piece: 'Z' }, { type: 'suggest' }]);
  const noisy = talk([{ type: 'rules' }, start, 'nonsense', { type: 'unheard_of' }, { type: 'new_piece' }, play, play, { type: 'new_piece', piece: 'Z' }, { type: 'suggest' }]);
  const after = board();
  for (const [x, y] of [[0, 0], [1, 0], [2, 0], [1, 1]]) after[y][x] = 'T';
  const fresh = talk([{ type: 'rules' }, { ...start, queue: ['S', 'Z'], board: after }, { type: 'suggest' }]);
  assert.deepEqual(once.said.at(-1), fresh.said.at(-1));
  assert.deepEqual(noisy.said.at(-1), fresh.said.at(-1));
  assert.match(noisy.stderr, /a line was ignored/);
});

test('no piece, no room, no start: a suggestion without moves', () => {
  const full = board();
  for (let y = 0; y < 24; y++) full[y] = ['G', ...Array(8).fill('G'), null];
  const start = { type: 'start', hold: null, queue: ['T', 'S'], combo: 0, back_to_back: false, board: board() };
  for (const messages of [[], [{ ...start, queue: [] }], [{ ...start, board: full }]])
    assert.deepEqual(talk([{ type: 'rules' }, ...messages, { type: 'suggest' }]).said.at(-1), { type: 'suggestion', moves: [] });
});

test('agon plays whole games against itself over the protocol, both rulesets', () => {
  for (const ruleset of ['standard', 'guideline']) {
    const done = run(['match', 'tetris', '--games', '2', '--seed', '5', '--json', '--scenario', 'cheese', '--max-steps', '1600', '--rules', JSON.stringify({ ruleset }),
      '--seat', 'house:glance', '--seat', `tbp:${agon} tetris-tbp --bot glance --ruleset ${ruleset}`]);
    assert.equal(done.status, 0, done.stderr);
    const said = JSON.parse(done.stdout);
    assert.equal(said.games, 2, done.stdout);
    assert.equal(said.cut, 0, done.stdout);
    for (const { trouble } of said.standings) assert.deepEqual([trouble.illegal, trouble.timeout, trouble.failed, trouble.crashed], [0, 0, 0, 0], done.stdout);
  }
});

test('a bot that crashes, suggests what cannot be, or refuses the rules forfeits its game', () => {
  for (const [mode, trouble] of [['crash', 'crashed'], ['illegal', 'illegal'], ['noise', 'crashed']]) {
    const done = match('house:plain', bot(mode));
    const said = JSON.parse(done.stdout).standings.find((s) => s.entrant.startsWith('tbp:'));
    assert.equal(said.trouble[trouble], 1, `${mode}: ${done.stdout}`);
    assert.equal(said.forfeits, 1, mode);
  }
  const refused = match('house:plain', bot('refuse'));
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /the bot says: unsupported_rules/);
});

test('nothing that a bot started outlives it', () => {
  const file = join(scratch('agon-tbp-'), 'bot.sh');
  writeFileSync(file, `trap '' TERM
tail -f /dev/null &
echo '{"type":"info","name":"stub","version":"1","author":"tests","features":[]}'
while read -r line; do case $line in
  *rules*) echo '{"type":"ready"}' ;;
  *suggest*) echo '{"type":"suggestion","moves":[]}' ;;
  *quit*) exec tail -f /dev/null ;;
esac; done\n`);
  const seats = ['--seat', 'house:plain', '--seat', `tbp:sh ${file}`];
  for (const args of [['match', 'tetris', '--games', '2', '--seed', '5', ...seats], ['tetris-ai', '--connect', '127.0.0.1:1', '--tbp', `sh ${file}`]]) {
    const done = spawnSync(agon, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], timeout: 120000 }); // ends when nobody holds the fourth any more
    assert.equal(done.error, undefined, args[0]);
  }
});

test('mistakes of the command line', () => {
  assert.equal(run(['match', 'coup', '--seat', 'house:rules', '--seat', 'tbp:./bot']).status, 2);
  assert.match(run(['match', 'coup', '--seat', 'house:rules', '--seat', 'tbp:./bot']).stderr, /play tetris, not coup/);
  assert.match(run(['match', 'tetris', '--seat', 'house:rules', '--seat', 'tbp:']).stderr, /tbp: needs a program/);
  const ai = run(['tetris-ai', '--tbp', '/nonexistent/bot']);
  assert.equal(ai.status, 2);
  assert.match(ai.stderr, /cannot start/);
  assert.equal(run(['tetris-tbp', '--bot', 'nobody']).status, 2);
});
