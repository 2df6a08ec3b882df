// A person at a table of house bots: whole games by typed lines, help and hints, quitting and going on (on a terminal:
// play_tui.test.mjs), and watching at several sizes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { agon, Arena } from './lib/arena.mjs';
import { scratch } from './lib/scratch.mjs';
import { Terminal } from './lib/tmux.mjs';
import { within } from './lib/wait.mjs';

// Types whatever `answer` says to each prompt; all that was printed.
async function play(args, state, answer) {
  const child = spawn(agon, ['play', ...args], { env: { ...process.env, XDG_STATE_HOME: state, USER: 'ada' }, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '', errors = '', seen = 0;
  child.stderr.on('data', (d) => (errors += d));
  child.stdout.on('data', (d) => {
    out += d;
    for (let at; (at = out.indexOf('your move> ', seen)) >= 0; ) {
      const question = out.slice(seen, at);
      seen = at + 'your move> '.length;
      const line = answer(question);
      if (line === null) child.stdin.end();
      else child.stdin.write(`${line}\n`);
    }
  });
  const status = await within(60000, new Promise((resolve) => child.on('close', resolve)), 'end of the game');
  return { status, out, errors };
}

const choices = (question) => [...question.matchAll(/^ +(\d+) {2}(.+)$/gm)].map(([, number, text]) => ({ number, text: text.split('  ...')[0] }));

// Names of the wires, which a person never reads.
const wires = /challenge_action|challenge_block|lose_influence|exchange_return|foreign_aid|(lose|return|play)_card|Colour[CDHS]|NoTrumps|AllTrumps|allIn|\d+x\d|\{\w+\}|card \d|total bet|coins now \d/;

for (const [game, seats] of [['coup', 3], ['liars_dice', 2], ['texas_holdem', 2], ['belote', 4], ['kuhn_poker', 2], ['leduc_poker', 2]])
  test(`${game} by words, to its end`, async (t) => {
    const state = scratch('play-'), replay = path.join(state, 'game.agr');
    t.after(() => rmSync(state, { recursive: true, force: true }));
    let moves = 0, list;
    const { status, out, errors } = await play([game, '--seats', String(seats), '--seed', '3', '--level', '1', '--save', replay], state, (question) => {
      if (choices(question).length) list = choices(question); // help and hints do not repeat it
      const last = list.at(-1);
      if (moves++ === 0) return 'hint';
      if (moves === 2) return '?';
      if (moves === 3) return 'rules';
      return /that (could|is)/.test(question) ? last.number : last.text;
    });
    assert.equal(status, 0, errors);
    assert.match(out, /hint: \w+/);
    assert.match(out, /Type a move in words/);
    assert.match(out, /(You won|You lost|A draw)\. Payoffs:.* ada -?\d+/);
    assert.ok(!/that is not a move here/.test(out), out); // the list says what to type
    assert.doesNotMatch(out.replace(/(A bid QxF|Replay: ).*\n/g, ''), wires);
    const shown = spawnSync(agon, ['replay', 'show', replay], { encoding: 'utf8' });
    assert.equal(shown.status, 0, shown.stderr);
    assert.doesNotMatch(shown.stdout, wires);
    assert.equal(spawnSync(agon, ['replay', 'verify', replay]).status, 0);
  });

test('a game that was quit goes on', async (t) => {
  const state = scratch('play-');
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const first = await play(['texas_holdem', '--seed', '4'], state, () => 'quit');
  assert.match(first.out, /The game is saved/);
  const hand = /ada +(\[..?.\]\[..?.\])/u.exec(first.out)[1];
  const kept = path.join(state, 'agon/play-texas_holdem.agr');
  assert.ok(existsSync(kept));
  const second = await play(['texas_holdem', '--resume'], state, () => null); // the end of the input keeps it too
  assert.ok(second.out.includes(hand));
  const third = await play(['texas_holdem', '--resume'], state, (q) => choices(q)[0].text);
  assert.match(third.out, /Payoffs:/);
  assert.ok(!existsSync(kept));
  const none = await play(['texas_holdem', '--resume'], state, () => null);
  assert.deepEqual([none.status, /there is no saved game of texas_holdem/.test(none.errors)], [2, true]);
});

test('wrong options say what would be right', () => {
  const cases = [[['coup', '--level', '9'], /1 to 5|from 1/], [['coup', '--against', 'nobody'], /nobody/], [['coup', '--seat', '7'], /--seat needs a seat from 0/],
    [['chess'], /chess/], [['coup', '--name', 'x'.repeat(40)], /--name/]];
  for (const [args, why] of cases) {
    const done = spawnSync(agon, ['play', ...args], { encoding: 'utf8', input: '' });
    assert.equal(done.status, 2, args.join(' '));
    assert.match(done.stderr, why);
  }
});

test('on a server against an agent that waits, line by line', async (t) => {
  const state = scratch('play-'), arena = await Arena.start(['--house-bots', '0']);
  const agent = spawn(agon, ['agent', '--server', arena.url, '--game', 'kuhn_poker', '--bot', 'random', '--seed', '1'], { stdio: 'ignore' });
  const done = new Promise((resolve) => agent.on('exit', resolve));
  t.after(async () => {
    agent.kill();
    await arena.stop();
    rmSync(state, { recursive: true, force: true });
  });
  const { status, out, errors } = await play(['kuhn_poker', '--against', 'waiting', '--server', arena.url], state, (question) => choices(question).at(-1).text);
  assert.equal(status, 0, errors);
  assert.match(out, /(Player \d|ada) (checks|bets|calls|folds)/);
  assert.match(out, /(You won|You lost|A draw)\. Payoffs:.*random/); // its name is told at the end
  assert.match(out, new RegExp(`Replay: ${arena.url}/replay/`));
  assert.equal(await within(20000, done, 'end of the agent'), 0);
});

test('on a server every event is told in the words of the game', async (t) => {
  const state = scratch('play-'), arena = await Arena.start([]);
  t.after(async () => {
    await arena.stop();
    rmSync(state, { recursive: true, force: true });
  });
  for (const [game, sees] of [['coup', /(takes income|has \d+ coins now|claims|loses)/], ['liars_dice', /bids \d+ (ones?|twos?|threes?|fours?|fives?|six(es)?)/]]) {
    const { status, out, errors } = await play([game, '--seats', '2', '--level', '1', '--server', arena.url], state, (question) => choices(question).at(0)?.text ?? '1');
    assert.equal(status, 0, errors);
    assert.match(out, sees);
    assert.doesNotMatch(out, /action resolved|challenge result|claimed role|bid quantity|influence lost|actual count|coins now \d/);
  }
});

test('on a server, lines that were typed before their questions wait for them', async (t) => {
  const state = scratch('play-'), arena = await Arena.start([]);
  t.after(async () => {
    await arena.stop();
    rmSync(state, { recursive: true, force: true });
  });
  const child = spawn(agon, ['play', 'kuhn_poker', '--level', '1', '--server', arena.url], { env: { ...process.env, XDG_STATE_HOME: state, USER: 'ada' } });
  let out = '';
  child.stdout.on('data', (d) => (out += d));
  child.stdin.on('error', () => {}); // it has ended, and some lines were not needed
  child.stdin.end('1\n'.repeat(3000)); // more than it keeps at once; the end of the input is no reason to leave before
  assert.equal(await within(60000, new Promise((resolve) => child.on('close', resolve)), 'end of the game'), 0);
  assert.match(out, /(You won|You lost|A draw)\. Payoffs:/);
});

// What was drawn fits: nothing scrolls away, and a window that is too small says so.
for (const [game, sees] of [['texas_holdem', /hand \d+ of 10/], ['coup', /\[/], ['liars_dice', /\[/], ['belote', /target 150/]])
  test(`watch ${game} at 80x24 and below`, async (t) => {
    const terminal = new Terminal({ columns: 80, rows: 24 });
    t.after(() => terminal.close());
    terminal.type(`"$agon" watch ${game} --seed 1 --speed 2`);
    await terminal.until((text) => terminal.taken && sees.test(text));
    const top = terminal.text().split('\n')[0];
    assert.ok(top.trim().length > 0, 'the first line of the picture is there');
    assert.match(terminal.styled(), /\x1b\[[0-9;]*m/); // in colour
    assert.doesNotMatch(terminal.text(), wires);
    terminal.resize(30, 8);
    await terminal.until(/too small: 30x8/);
    terminal.resize(80, 24);
    await terminal.until((text) => sees.test(text) && !/too small/.test(text));
    terminal.keys('C-c');
    await terminal.until(/payoffs/);
  });
