// A person at the terminal: whole games of every kind by keys, windows of several sizes, Ctrl-C and going on, a partner, a seat in a match, a
// table on a server, watching and replays.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { agon, Arena } from './lib/arena.mjs';
import { scratch } from './lib/scratch.mjs';
import { field, number, Terminal } from './lib/tmux.mjs';
import { until } from './lib/wait.mjs';

const state = scratch('play-tui-');
after(() => rmSync(state, { recursive: true, force: true }));

function open(t, options = {}) {
  const terminal = new Terminal({ columns: 80, rows: 24, ...options, env: { XDG_STATE_HOME: state, USER: 'ada', ...options.env } });
  t.after(() => terminal.close());
  return terminal;
}

const result = /(You won|You lost|A draw)\. Payoffs:/;
const moveOf = (text) => Number(/ {3}move (\d+)/.exec(text.split('\n')[0])?.[1] ?? 0);
// What the list offers, as it is written: "claims Duke and taxes".
const offered = (text) => [...text.matchAll(/(?:^|\s)>?\s?(\d+) {2}(\S.*?)(?= {2,}|$)/gm)].map((m) => m[2]);
const prompted = (text) => /^your move>/m.test(text);
// The shell is back.
const shell = (terminal) => terminal.until((text) => /^\$$/m.test(text.trimEnd().split('\n').at(-1)));

// Plays to the end. `answer` gets the screen and the number of the move, and says what is typed; '' is Enter alone.
async function play(terminal, command, answer, columns = 80, rows = 24) {
  terminal.type(`clear; "$agon" play ${command} --speed 1000`);
  const screens = [];
  for (let move = 0; ; ) {
    const text = await terminal.until((t) => (result.test(t) || (prompted(t) && moveOf(t) > move) ? t : null));
    screens.push(text);
    const lines = text.split('\n');
    assert.ok(lines.length <= rows + 1 && lines.every((line) => [...line].length <= columns), text);
    if (result.test(text)) break;
    move = moveOf(text);
    assert.ok(move < 200, 'it does not end');
    assert.match(lines[0], /^ \S/, 'the title is in the first row');
    assert.match(lines[rows - 1], /Enter plays/, 'the keys are in the last one');
    const typed = answer(text, move);
    if (Array.isArray(typed)) terminal.keys(...typed);
    else if (typed) terminal.type(typed);
    else terminal.keys('Enter');
  }
  assert.ok(terminal.taken);
  terminal.keys('Enter');
  await shell(terminal);
  assert.ok(terminal.given);
  assert.match(terminal.text(), result); // it stays on the terminal
  return screens;
}

const first = (text, ...words) => words.find((word) => offered(text).some((o) => o.includes(word)));

const games = {
  coup: {
    options: '--seats 3', size: [160, 50],
    answer: (text) => first(text, 'tax', 'pass') ?? '',
    sees: [/│(Duke|Assassin|Captain|Ambassador|Contessa)│/, /\(\w+\)/],
  },
  liars_dice: {
    options: '--seats 2', size: [80, 24],
    answer: (text, move) => (first(text, 'challenge') ? 'liar' : move === 1 ? '3 fours' : '1 four'),
    sees: [/╭. .╮/, /ada +.*bids 3 fours/, /challenge/],
  },
  texas_holdem: {
    options: `--seats 2 --rules '{"starting_chips":600}'`, size: [80, 24], // until one of them has all chips
    answer: (text, move) => (move === 1 ? 'raise 400' : move === 2 ? ['Down', 'Enter'] : ({ 'go all-in': 'all in' })[first(text, 'go all-in')] ?? first(text, 'call', 'check') ?? ''),
    sees: [/│[2-9TJQKA][♠♥♦♣]││[2-9TJQKA][♠♥♦♣]│/, /ada raises to 400/, /wins/, /Payoffs: (ada 1200 \S+ 0|ada 0 \S+ 1200)/],
  },
  belote: {
    options: `--rules '{"target":120}'`, size: [80, 24], // several deals, until a side has 120 points
    answer: (text) => {
      const card = /\d {2}play (..)/.exec(text)?.[1];
      return card ? card.toUpperCase() : first(text, 'cut') ? ['Right', 'Enter'] : '';
    },
    sees: [/hand: │/, /ada plays/, /accepts|announces/, /target 120/, /Deal 2/],
  },
  kuhn_poker: { options: '', size: [80, 24], env: { NO_COLOR: '1' }, answer: (text) => first(text, 'bet', 'call'), sees: [/│[JQK][♠♥♦♣]│/, /ada (bets|calls)/] },
  leduc_poker: { options: `--rules '{"max_hands":4}'`, size: [44, 30], answer: (text) => first(text, 'raise', 'call'), sees: [/public card/, /ada raises/] },
};

for (const [game, { options, size: [columns, rows], env = {}, answer, sees }] of Object.entries(games))
  test(`${game}, a whole game by keys at ${columns}x${rows}${env.NO_COLOR ? ' without colour' : ''}`, async (t) => {
    const terminal = open(t, { columns, rows, env }), replay = path.join(state, `${game}.agr`);
    let styled;
    const screens = await play(terminal, `${game} ${options} --seed 3 --level 1 --save ${replay}`, (text, move) => ((styled ??= terminal.styled()), answer(text, move)), columns, rows);
    const all = screens.join('\n');
    for (const pattern of sees) assert.match(all, pattern);
    assert.doesNotMatch(all.replaceAll(state, ''), /challenge_action|lose_influence|exchange_return|foreign_aid|Colour[CDHS]|NoTrumps|AllTrumps|allIn|\dx\d/); // names of the wires
    assert.equal(/\x1b\[[0-9;]*[34]8;5;/.test(styled), !env.NO_COLOR);
    assert.match(styled, /\x1b\[[0-9;]*[17]m/); // bold and reverse are no colours
    assert.equal(spawnSync(agon, ['replay', 'verify', replay]).status, 0);
  });

test('where the locale has no UTF-8, cards and frames are ASCII', async (t) => {
  for (const [game, sees] of [['texas_holdem', /\|[2-9TJQKA][shdc]\|\|[2-9TJQKA][shdc]\|/], ['liars_dice', /\+-+\+/]]) {
    const terminal = open(t, { columns: 100, rows: 40, env: { LC_ALL: 'C' } });
    terminal.type(`clear; "$agon" play ${game} --seats 2 --seed 3 --level 1`);
    const text = await terminal.until((s) => (prompted(s) ? s : null));
    assert.match(text, sees);
    assert.doesNotMatch(text, /[^\x00-\x7f]/);
    terminal.type('quit');
    await shell(terminal);
  }
});

test('tetris, a whole game by keys', async (t) => {
  const terminal = open(t);
  terminal.type('"$agon" play tetris --seed 4');
  await terminal.until((text) => field(text) && number(text, 'seed') === 4);
  for (let i = 0; !/GAME OVER/.test(terminal.text()); i++) {
    assert.ok(i < 60, 'it does not end');
    const piece = number(terminal.text(), 'piece_id');
    terminal.keys('Space');
    await terminal.until((text) => /GAME OVER/.test(text) || number(text, 'piece_id') !== piece);
  }
  terminal.keys('q');
  await shell(terminal);
});

test('help, rules, hints, errors and arrows', async (t) => {
  const terminal = open(t);
  terminal.type('"$agon" play texas_holdem --seats 2 --seed 3');
  await terminal.until(prompted);
  terminal.keys('?');
  await terminal.until(/Or choose with the arrow keys/);
  terminal.keys('q');
  await terminal.until(prompted);
  terminal.type('rules');
  await terminal.until((text) => !prompted(text) && /any other key goes back/.test(text));
  terminal.keys('Down', 'Down', 'Escape');
  await terminal.until(prompted);
  terminal.type('hint');
  await terminal.until(/^hint: \w+/m);
  terminal.type('dance');
  await terminal.until(/that is not a move here/);
  terminal.type('raise');
  await terminal.until(/how much\? add the amount/);
  terminal.keys('Escape', 'Down', 'Down');
  const [, least] = await terminal.until(/> 3 {2}raise to (\d+) {2}<- ->/);
  terminal.keys('Right');
  await terminal.until((text) => Number(/> 3 {2}raise to (\d+)/.exec(text)?.[1]) > Number(least));
  terminal.keys('End');
  await terminal.until(/> 3 {2}raise to 10000 /);
  terminal.keys('Home', 'x', 'y');
  await terminal.until(/^your move> xy$/m);
  terminal.keys('BSpace', 'BSpace', 'Enter');
  await terminal.until(new RegExp(`ada raises to ${least}`));
});

test('Ctrl-C asks once, keeps the game, gives the terminal back; --resume goes on', async (t) => {
  const terminal = open(t);
  terminal.type('stty -a > "$XDG_CONFIG_HOME/before"; clear; "$agon" play coup --seats 3 --seed 3 --speed 1000');
  await terminal.until(prompted);
  terminal.keys('C-c');
  await terminal.until(/Quit\? The game is saved/);
  terminal.keys('n');
  await terminal.until((text) => prompted(text) && !/Quit\?/.test(text));
  terminal.type('income');
  const before = await terminal.until((text) => (prompted(text) && moveOf(text) > 1 ? text : null));
  const cards = (text) => /ada +│(\w+)│ +│(\w+)│|ada +\[(\w+)\] +\[(\w+)\]/.exec(text).slice(1).filter(Boolean);
  terminal.keys('C-c');
  await terminal.until(/Quit\?/);
  terminal.keys('C-c');
  await terminal.until(/Continue with: agon play coup --resume/);
  assert.ok(terminal.given);
  terminal.type('clear; stty -a | cmp - "$XDG_CONFIG_HOME/before" && echo the same modes');
  await terminal.until(/^the same modes/m);
  assert.ok(existsSync(path.join(state, 'agon/play-coup.agr')));
  terminal.type('clear; "$agon" play coup --resume --speed 1000');
  const text = await terminal.until((t) => (prompted(t) ? t : null));
  assert.deepEqual(cards(text), cards(before));
  terminal.signal('SIGTERM'); // keeps it too
  await terminal.until(/Continue with: agon play coup --resume/);
  assert.ok(terminal.given);
});

test('a window that is too small says so, and comes back', async (t) => {
  const terminal = open(t);
  terminal.type('"$agon" play coup --seats 3 --seed 3');
  await terminal.until(prompted);
  terminal.resize(30, 8);
  await terminal.until(/too small: 30x8\s+needs 40x\d+/);
  terminal.resize(80, 24);
  await terminal.until(prompted);
  assert.match(terminal.text().split('\n')[0], /^ Coup/);
});

test('a window of another size answers no question', async (t) => {
  const terminal = open(t);
  terminal.type('"$agon" play coup --seats 3 --seed 3');
  await terminal.until(prompted);
  terminal.keys('C-c');
  await terminal.until(/Quit\?/);
  terminal.resize(30, 8);
  await terminal.until(/too small/);
  terminal.resize(80, 24);
  await terminal.until(/Quit\? The game is saved/);
  terminal.keys('y');
  await terminal.until(/Continue with: agon play coup --resume/);
});

test('belote with a second person: whoever is not asked sees no cards', async (t) => {
  const terminal = open(t);
  terminal.type(`"$agon" play belote --rules '{"single_deal":true}' --partner person --seed 3 --speed 1000`);
  const asked = new Set();
  for (let i = 0; asked.size < 2; i++) {
    assert.ok(i < 40, 'the partner is never asked');
    const text = await terminal.until((s) => (/is to play: press Enter/.test(s) ? s : null));
    assert.doesNotMatch(text, /[♠♥♦♣]/);
    asked.add(/(\w+) is to play/.exec(text)[1]);
    terminal.keys('Enter');
    await terminal.until((s) => prompted(s) && /hand: /.test(s));
    terminal.keys('Enter');
  }
  assert.deepEqual([...asked].sort(), ['ada', 'partner']);
  await terminal.until(/is to play: press Enter/);
  terminal.keys('Enter');
  await terminal.until((s) => prompted(s) && /hand: /.test(s));
  terminal.keys('C-c');
  await terminal.until(/Quit\?/);
  terminal.keys('C-c');
  assert.doesNotMatch(await terminal.until((s) => (/The game is saved\./.test(s) ? s : null)), /hand: /); // nor does what stays on the terminal show them
});

test('a person in a match has the same screen, and a partner', async (t) => {
  const terminal = open(t, { rows: 30 });
  terminal.type('clear; "$agon" match belote --seat person --seat house:1 --games 1 --no-mirror --unit deal --seed 3');
  const text = await terminal.until((s) => (prompted(s) ? s : null));
  assert.match(text, /below: > person \(team 1/); // seat 0 alone:
  assert.match(text, /rules_2 \(team 1/); // seat 2 is a bot's
  assert.match(text, /(house:1|rules_2)(_\d)? (accepts|announces)/); // what the others did
  terminal.keys('C-c');
  await terminal.until(/Quit\?/);
  terminal.keys('y');
  await shell(terminal);
  terminal.type('clear; "$agon" match kuhn_poker --seat person --seat house:1 --games 2 --seed 3; echo status=$?');
  for (let over = 0, move = 0; over < 2; ) {
    const s = await terminal.until((now) => (/The game is over/.test(now) || (prompted(now) && moveOf(now) > move) ? now : null));
    over += /The game is over\. Payoffs: .*person -?\d+/.test(s);
    move = moveOf(s);
    terminal.keys('Enter');
    if (/The game is over/.test(s)) await terminal.until((now) => !/The game is over/.test(now) || /status=/.test(now));
  }
  await terminal.until(/2 games[^]*status=0/);
  terminal.type('clear; "$agon" match coup --seat person --seat house:1 --games 2 --seed 3; echo status=$?');
  await terminal.until(prompted);
  terminal.keys('C-c');
  await terminal.until(/Quit\? The games so far are reported/);
  terminal.keys('y');
  await terminal.until(/^status=1/m);
  assert.ok(terminal.given);
});

test('a table on a server: hints, a restart, going on, the result', async (t) => {
  const folder = scratch('play-server-'), arena = await Arena.start([], { data: folder });
  let running = arena;
  t.after(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const terminal = open(t), url = `http://127.0.0.1:${arena.port}`;
  terminal.type(`clear; "$agon" play coup --seats 2 --level 1 --server ${url}; echo left=$?`);
  await terminal.until(prompted);
  terminal.type('hint');
  await terminal.until(/^hint: \w+/m);
  const [key] = readdirSync(path.join(state, 'agon')).filter((name) => name.startsWith('guest-'));
  assert.equal(statSync(path.join(state, 'agon', key)).mode & 0o077, 0); // nobody else reads the key
  assert.match(readFileSync(path.join(state, 'agon', key), 'utf8'), /^agk_/);
  await arena.stop();
  await terminal.until(/not connected/);
  running = await Arena.start(['--port', String(arena.port)], { data: folder });
  await terminal.until((text) => prompted(text) && !/not connected/.test(text), 40000);
  terminal.keys('C-c');
  await terminal.until(/Quit\? Your seat waits/);
  terminal.keys('y');
  await terminal.until(/Come back with: agon play coup --resume[^]*left=\d/); // what is typed before is the program's
  terminal.type(`clear; "$agon" play coup --server ${url}; echo status=$?`);
  await terminal.until(/you already play on .*--resume[^]*status=2/);
  terminal.type(`clear; "$agon" play coup --resume --server ${url}; echo left=$?`);
  for (let move = 0; ; ) {
    const text = await terminal.until((s) => (result.test(s) || (prompted(s) && moveOf(s) > move) ? s : null));
    if (result.test(text)) break;
    move = moveOf(text);
    assert.ok(move < 100, 'it does not end');
    const typed = games.coup.answer(text);
    if (typed) terminal.type(typed);
    else terminal.keys('Enter');
  }
  assert.match(terminal.text(), /Replay: http:\/\/127\.0\.0\.1:\d+\/replay\//);
  terminal.keys('Enter');
  await terminal.until((text) => result.test(text) && /left=\d/.test(text));
  terminal.type(`clear; "$agon" play coup --resume --server ${url}; echo status=$?`);
  await terminal.until(/you have no running match there[^]*status=1/);
});

test('servers that cannot be played on say why', () => {
  const cases = [[['coup', '--server', 'nowhere'], /is not an address/], [['coup', '--server', 'http://127.0.0.1:1'], /cannot connect to http:\/\/127\.0\.0\.1:1/],
    [['tetris', '--server', 'http://127.0.0.1:1'], /cannot be played on a server/], [['coup', '--key', 'x'], /add --server URL/],
    [['coup', '--seed', '1', '--server', 'http://127.0.0.1:1'], /--seed is for games at this terminal/],
    [['texas_holdem', '--rules', '{"max_hands":2}', '--server', 'http://127.0.0.1:1'], /an option of the rules is for games at this terminal/], [['coup', '--partner', 'rules'], /in coup everybody plays alone/],
    [['coup', '--resume', '--server', 'http://127.0.0.1:1'], /you have not played on/]];
  for (const [args, why] of cases) {
    const done = spawnSync(agon, ['play', ...args], { encoding: 'utf8', input: '', env: { ...process.env, XDG_STATE_HOME: path.join(state, 'none') } });
    assert.equal(done.status, 2, args.join(' '));
    assert.match(done.stderr, why);
  }
});

test('replay show draws one picture of all cards, at 80x24, narrow, and without colour', async (t) => {
  const folder = scratch('replays-');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const game of ['belote', 'texas_holdem', 'tetris'])
    assert.equal(spawnSync(agon, ['simulate', game, '--games', '1', '--seed', '3', '--bots', 'random', '--replays', path.join(folder, game)]).status, 0);
  const terminal = open(t, { env: { FILES: folder } });
  terminal.type('clear; "$agon" replay show "$FILES/belote/000000.agon" --step 12');
  const text = await terminal.until((s) => (/step 12 of/.test(s) ? s : null));
  assert.equal([...text.matchAll(/random\.\d: +[[│]/g)].length, 4); // the hands of all seats
  assert.match(terminal.styled(), /\x1b\[[0-9;]*48;5;255/); // cards are white
  terminal.keys('v');
  await terminal.until((s) => /viewer: random/.test(s) && !/random\.1: +[[│]/.test(s));
  terminal.keys('n');
  await terminal.until(/step 13 of/);
  terminal.resize(44, 24);
  await terminal.until((s) => /step 13 of/.test(s) && s.split('\n').every((line) => [...line].length <= 44));
  terminal.resize(30, 10);
  await terminal.until(/too small: 30x10/);
  terminal.resize(80, 24);
  await terminal.until(/step 13 of/);
  terminal.keys('q');
  await shell(terminal);
  terminal.type('clear; NO_COLOR=1 "$agon" replay show "$FILES/texas_holdem/000000.agon" --step 3');
  await terminal.until(/step 3 of/);
  assert.doesNotMatch(terminal.text(), /\?\?|░░/); // all cards
  assert.doesNotMatch(terminal.styled(), /\x1b\[[0-9;]*[34]8;5;/);
  terminal.keys('q');
  await shell(terminal);
  terminal.type('clear; "$agon" replay show "$FILES/tetris/000000.agon" --step 40');
  await terminal.until((s) => /step 40 of/.test(s) && /score/.test(s)); // 22 rows of picture, and the step beside them
  terminal.keys('C-c');
  await shell(terminal);
});

test('watch: pause, step, speed, viewer, another size', async (t) => {
  const terminal = open(t);
  terminal.type('clear; "$agon" watch liars_dice --seats 3 --seed 1 --speed 4');
  await terminal.until((s) => terminal.taken && /round \d/.test(s));
  terminal.keys('Space');
  await terminal.until(/paused/);
  assert.match(terminal.text(), /│ ░ │|\[ \? \]/);
  terminal.keys('v');
  await terminal.until(/╭[● ] [● ]╮/); // the dice of seat 0
  terminal.keys('+');
  await terminal.until(/speed 8/);
  terminal.resize(36, 10);
  await terminal.until(/too small: 36x10/);
  terminal.resize(120, 40);
  await terminal.until(/paused/);
  terminal.keys('q');
  await terminal.until(/stopped; payoffs so far|over; payoffs/);
  assert.ok(terminal.given);
});

test('every game at 40 columns: the table, the moves and the line that is typed', async (t) => {
  const seen = { texas_holdem: /\[..\]\[..\]|│..│/, coup: /coins/, liars_dice: /╭|\[ /, belote: /hand: +(\[|│)/, kuhn_poker: /│..│/, leduc_poker: /│..│/ };
  const terminal = open(t, { columns: 40 });
  for (const [game, cards] of Object.entries(seen)) {
    terminal.type(`clear; "$agon" play ${game} --seed 7 --level 1 --speed 100`);
    const text = await terminal.until((s) => terminal.taken && prompted(s) && offered(s).length && s);
    assert.match(text, cards, `${game}\n${text}`);
    assert.match(text, /^ \S.*move \d+/, game);
    assert.match(text.trimEnd(), /Enter plays +hint +Ctrl-C quits$/, game); // whole words, none cut
    assert.doesNotMatch(text, /too small/);
    terminal.keys('C-c');
    await terminal.until(/Quit\?/);
    terminal.keys('C-c');
    await shell(terminal);
  }
});

// Watchers of this run, by their environment: another run may be beside it. The kernel sends SIGCONT behind the hang-up: a leak check at the end of the program must not wait for it for ever.
test('a terminal that goes away ends the program', async (t) => {
  const seeds = Array.from({ length: 10 }, (_, i) => 987000 + i);
  const left = () => readdirSync('/proc').filter((pid) => {
    const read = (name) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    try { return /^\d+$/.test(pid) && seeds.some((n) => read('cmdline').endsWith(`\0--seed\0${n}\0`)) && read('environ').includes(state); } catch { return false; }
  });
  const terminal = new Terminal({ env: { XDG_STATE_HOME: state } });
  t.after(() => { terminal.close(); left().forEach((pid) => process.kill(Number(pid), 'SIGKILL')); });
  for (const seed of seeds) terminal.tmux('new-session', '-d', '-s', `s${seed}`, '-x', '80', '-y', '24', `"${agon}" watch ${seed % 2 ? 'belote' : 'liars_dice'} --seed ${seed}; cat`);
  for (const seed of seeds) await until(() => /(plays|bids) /.test(terminal.tmux('capture-pane', '-p', '-t', `s${seed}`)), `watcher ${seed}`);
  terminal.tmux('kill-server');
  await until(() => left().length === 0, 'end of all watchers', 60000);
});
