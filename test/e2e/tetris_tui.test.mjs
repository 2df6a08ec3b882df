// The game at the terminal, as a person sees it (T6.1, T6.2), and watching it from a second one (T6.9).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { agon, Client, Server } from './lib/adapter.mjs';
import { spawn } from './lib/children.mjs';
import { field, number, Terminal } from './lib/tmux.mjs';

// A terminal with the game in it, gone with the test.
async function play(t, options = '', settings = {}) {
  const terminal = new Terminal(settings);
  t.after(() => terminal.close());
  terminal.type(`"$agon" tetris --port 0 ${/--seed/.test(options) ? '' : '--seed 1'} ${options}`);
  await terminal.until((text) => field(text) && /NEXT/.test(text));
  return terminal;
}

// Some row of the field is this one, wherever a piece has fallen to meanwhile.
const has = (text, row) => field(text)?.includes(row);
const portOf = async (terminal) => Number((await terminal.until(/tcp:\/\/127\.0\.0\.1:(\d+)/))[1]);
// The shell is back and tells how the program ended.
async function ended(terminal, status) {
  await terminal.until((text) => /^\$$/m.test(text.trimEnd().split('\n').at(-1)));
  terminal.type('echo status=$?');
  return terminal.until(new RegExp(`^status=${status}$`, 'm'));
}

for (const term of ['xterm-256color', 'xterm', 'vt100'])
  test(`${term}: move, drop, hold, pause, restart, quit`, async (t) => {
    const terminal = await play(t, '', { term });
    assert.equal(terminal.taken, term !== 'vt100'); // which has one page only
    assert.equal(number(terminal.text(), 'seed'), 1);
    await terminal.until((text) => has(text, ' . . .[][][][] . . .')); // I, where it spawns
    terminal.keys('Left');
    await terminal.until((text) => has(text, ' . .[][][][] . . . .'));
    assert.equal(number(terminal.text(), 'SCORE'), 0);
    terminal.keys('Space');
    await terminal.until((text) => number(text, 'SCORE') > 0 && number(text, 'piece_id') === 2); // how much depends on how far it had fallen
    assert.match(field(terminal.text())[19], /^ \. \.\[\]\[\]\[\]\[\]/);
    terminal.keys('c');
    await terminal.until(/HOLD used/);
    terminal.keys('P');
    await terminal.until(/PAUSED/);
    const still = terminal.text();
    terminal.keys('Space'); // ignored
    terminal.keys('p');
    await terminal.until((text) => !/PAUSED/.test(text));
    assert.equal(number(terminal.text(), 'SCORE'), number(still, 'SCORE'));
    terminal.keys('r');
    await terminal.until((text) => number(text, 'SCORE') === 0 && number(text, 'seed') === 1587069247);
    assert.equal(/48;5;\d/.test(terminal.styled()), term === 'xterm-256color');
    assert.equal(/\x1b\[4[1-7]m/.test(terminal.styled()), term === 'xterm');
    terminal.keys('q');
    await ended(terminal, 0);
    assert.ok(terminal.given);
  });

test('without Unicode the lines are plain, without a large window things move closer', async (t) => {
  const terminal = await play(t, '', { columns: 40, rows: 22, env: { LC_ALL: 'C' } });
  const text = terminal.text();
  assert.match(text, /^\s?\+-{20}\+/m);
  assert.match(text, /SCORE 0/);
  assert.doesNotMatch(text, /ADAPTER/);
});

test('a seed is asked for, and the game waits meanwhile', async (t) => {
  const terminal = await play(t, '--seed 7');
  await terminal.until((text) => number(text, 'seed') === 7);
  terminal.keys('n');
  await terminal.until(/SEED/);
  terminal.keys('5');
  await terminal.until(/ 5_ /);
  terminal.keys('Escape');
  await terminal.until((text) => field(text) && number(text, 'seed') === 7);
  terminal.keys('n');
  await terminal.until(/SEED/);
  terminal.keys('4', '2', '9', '4', '9', '6', '7', '2', '9', '6'); // the last digit would be too much
  await terminal.until(/ 429496729_ /);
  terminal.keys('BSpace', 'Enter');
  await terminal.until((text) => field(text) && number(text, 'seed') === 42949672);
});

test('where releases are told, a held key runs to the wall and a tap moves once', async (t) => {
  const terminal = await play(t);
  const bytes = (text) => terminal.tmux('send-keys', '-l', text);
  bytes('\x1b[?11u'); // as a terminal with the kitty protocol answers
  bytes('\x1b[1;1:1D');
  await terminal.until((text) => has(text, '[][][][] . . . . . .'));
  bytes('\x1b[1;1:3D');
  bytes('\x1b[1;1:1C\x1b[1;1:3C'); // in one piece: between two it would be held for as long as tmux takes
  await terminal.until((text) => has(text, ' .[][][][] . . . . .'));
  bytes('\x1b[112u'); // p
  await terminal.until(/PAUSED/);
  bytes('\x1b[99;5u'); // Ctrl-C
  await ended(terminal, 0);
});

test('another size: too small, and back', async (t) => {
  const terminal = await play(t);
  terminal.resize(20, 10);
  await terminal.until(/too small\s+need 38x22\s+have 20x10/);
  terminal.resize(60, 24);
  await terminal.until((text) => field(text) && /SCORE 0/.test(text));
  terminal.resize(100, 30);
  await terminal.until((text) => field(text) && /ADAPTER/.test(text));
  terminal.resize(5, 2);
  await terminal.until(/too s/);
  terminal.resize(80, 24);
  await terminal.until((text) => field(text) && /q quit/.test(text));
});

test('game over, and on from there', async (t) => {
  const terminal = await play(t, '--ruleset guideline');
  for (let i = 0; !/GAME OVER/.test(terminal.text()); i++) {
    assert.ok(i < 60, 'it does not end');
    const piece = number(terminal.text(), 'piece_id');
    terminal.keys('Space');
    await terminal.until((text) => /GAME OVER/.test(text) || number(text, 'piece_id') !== piece);
  }
  assert.match(terminal.text(), /r plays again/);
  terminal.keys('r');
  await terminal.until((text) => field(text) && number(text, 'SCORE') === 0);
});

test('Ctrl-C, a stop, a continue and deadly signals leave a usable terminal', async (t) => {
  const terminal = await play(t);
  terminal.keys('C-c');
  await ended(terminal, 0);
  assert.ok(terminal.given);
  terminal.type('stty -a > "$XDG_CONFIG_HOME/before"; clear');
  terminal.type('"$agon" tetris --port 0');
  await terminal.until((text) => field(text));
  terminal.keys('C-z');
  await terminal.until(/Stopped/);
  assert.ok(terminal.given);
  terminal.type('clear; stty -a | cmp - "$XDG_CONFIG_HOME/before" && echo the same modes');
  await terminal.until(/^the same modes/m);
  terminal.type('fg');
  await terminal.until((text) => field(text));
  assert.ok(terminal.taken);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGSEGV', 'SIGABRT']) {
    terminal.signal(signal);
    await terminal.until(() => terminal.given);
    terminal.type('clear; stty -a | cmp - "$XDG_CONFIG_HOME/before" && echo modes after $?');
    await terminal.until(/^modes after 0/m);
    terminal.type('clear; "$agon" tetris --port 0');
    await terminal.until((text) => field(text));
  }
});

test('an agent takes control while a person plays, and gives it back', async (t) => { // T6.7
  const terminal = await play(t);
  const port = await portOf(terminal);
  await terminal.until(/clients 0\s[^]*controller none/);
  const client = await Client.greet({ port, host: '127.0.0.1' }, { role: 'controller' });
  assert.equal(client.welcome.clock, 'realtime');
  await terminal.until(/clients 1\s[^]*controller 1/);
  assert.equal((await client.act(['restart'], { restart: { seed: 42 } })).status, 'ok');
  await terminal.until((text) => number(text, 'seed') === 42);
  assert.equal((await client.place(0)).status, 'ok');
  await terminal.until((text) => field(text)?.[19].startsWith('[][]'));
  terminal.keys('Space'); // the keyboard still acts
  await terminal.until((text) => number(text, 'piece_id') === 3);
  const seen = await client.observation((o) => o.piece_id === 3);
  assert.equal(seen.score, number(terminal.text(), 'SCORE'));
  await client.control('release');
  await terminal.until(/clients 1\s[^]*controller none/);
  await client.close();
  await terminal.until(/clients 0\s[^]*controller none/);
});

test('tetris-ai plays in a running game', async (t) => {
  const terminal = await play(t);
  const port = await portOf(terminal);
  const agent = spawn(agon, ['tetris-ai', '--connect', `127.0.0.1:${port}`, '--clock', 'realtime', '--max-lines', '2', '--json']);
  let out = '';
  agent.stdout.on('data', (data) => (out += data));
  const status = new Promise((resolve) => agent.on('close', resolve));
  await terminal.until(/controller 1/);
  await terminal.until((text) => number(text, 'LINES') >= 2, 60000);
  assert.equal(await status, 0);
  assert.ok(JSON.parse(out).rounds[0].lines >= 2);
  await terminal.until(/controller none/);
});

test('a port that is taken is no reason not to play', async (t) => { // T6.7
  const server = await Server.start();
  t.after(() => server.stop());
  const terminal = new Terminal();
  t.after(() => terminal.close());
  terminal.type(`"$agon" tetris --port ${server.port}`);
  await terminal.until(new RegExp(`not on 127\\.0\\.0\\.1:${server.port}: taken`));
  terminal.keys('Space');
  await terminal.until((text) => number(text, 'SCORE') > 0);
  terminal.keys('q');
  await ended(terminal, 0);
  terminal.type('clear; TETRIS_AI_DISABLED=1 "$agon" tetris');
  await terminal.until(/ADAPTER\s+│[^│]+│\s+off/);
  terminal.keys('q');
  await ended(terminal, 0);
  terminal.type('clear; "$agon" tetris --no-adapter');
  await terminal.until(/ADAPTER\s+│[^│]+│\s+off/);
});

test('--observe shows the same board', async (t) => {
  const player = await play(t);
  const port = await portOf(player);
  player.keys('Space');
  await player.until((text) => number(text, 'piece_id') === 2);
  const watcher = new Terminal();
  t.after(() => watcher.close());
  watcher.type(`"$agon" tetris --observe 127.0.0.1:${port}`);
  await watcher.until(/connected, protocol 2\.1\.0/);
  await watcher.until((text) => number(text, 'piece') === 2 && number(text, 'seed') === 1 && number(text, 'episode') === 0);
  for (let piece = 2; piece < 5; piece++) {
    // Each turns, drops and waits; then both terminals must show one board.
    player.keys('Up');
    player.keys('Space');
    await player.until((text) => number(text, 'piece_id') === piece + 1);
    await watcher.until((text) => {
      const [a, b] = [player.text(), text];
      return field(a) && field(a).join('\n') === field(b)?.join('\n') && number(a, 'SCORE') === number(b, 'SCORE');
    });
  }
  player.keys('p');
  await watcher.until(/PAUSED/);
  player.keys('q');
  await watcher.until(/reconnecting, attempt/);
  watcher.keys('q');
  await ended(watcher, 0);
  assert.ok(watcher.given);
});

test('--observe speaks 3.0.0 where 2.x is refused, and comes back after the end of a stream', async (t) => {
  const first = await Server.start('--protocol', '3');
  // Between them, a line that leads nowhere while there is no server: refused, 20 attempts would be over in 6 s, which may be
  // less than a server needs to start; unanswered, each takes 3 s.
  let target = first.port;
  const line = net.createServer((near) => {
    near.on('error', () => {});
    if (target === null) return near.resume();
    const far = net.connect(target, '127.0.0.1').on('error', () => near.destroy()).on('close', () => near.destroy());
    return near.on('close', () => far.destroy()).pipe(far).pipe(near);
  });
  await new Promise((resolve) => line.listen(0, '127.0.0.1', resolve));
  t.after(() => line.close());
  const watcher = new Terminal();
  t.after(() => watcher.close());
  watcher.type(`"$agon" tetris --observe 127.0.0.1:${line.address().port}`);
  await watcher.until(/connected, protocol 3\.0\.0/);
  // The piece is where it spawns: box coordinates are read as such.
  await watcher.until((text) => field(text)?.[1] === ' . . .[][][][] . . .');
  target = null;
  await first.stop();
  await watcher.until(/reconnecting, attempt \d+ of 20/);
  const again = await Server.start('--seed', '42');
  t.after(() => again.process.kill('SIGKILL'));
  target = again.port;
  await watcher.until((text) => /connected, protocol/.test(text) && number(text, 'seed') === 42);
});

test('--observe gives up after 20 attempts', async (t) => {
  const port = await new Promise((resolve) => {
    const s = net.createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = s.address();
      s.close(() => resolve(free));
    });
  });
  const watcher = new Terminal();
  t.after(() => watcher.close());
  watcher.type(`"$agon" tetris --observe :${port}`);
  await watcher.until(/connecting, attempt \d+ of 20/);
  await watcher.until(new RegExp(`no adapter at 127\\.0\\.0\\.1:${port} after 20 attempts: Connection refused`));
  await ended(watcher, 2);
});

test('an adapter that never welcomes has three seconds', async (t) => {
  const sockets = new Set();
  const mute = net.createServer((socket) => sockets.add(socket.on('error', () => {}).resume()));
  await new Promise((resolve) => mute.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    mute.close();
  });
  const watcher = new Terminal();
  t.after(() => watcher.close());
  const began = Date.now();
  watcher.type(`"$agon" tetris --observe 127.0.0.1:${mute.address().port}`);
  await watcher.until(/connecting, attempt ([2-9]|1\d|20) of 20/);
  assert.ok(Date.now() - began >= 3000);
});

test('the settings file: keys move, mistakes are told', async (t) => {
  const terminal = new Terminal();
  t.after(() => terminal.close());
  mkdirSync(path.join(terminal.home, 'agon'));
  writeFileSync(path.join(terminal.home, 'agon/tetris.conf'), 'hard_drop = x\nspeed = 3\nanchor = top\n');
  terminal.type('"$agon" tetris --port 0');
  await terminal.until(/tetris\.conf:2: no such setting: 'speed'/);
  await terminal.until((text) => /x drop/.test(text)); // the note makes room after a while
  assert.match(terminal.text().split('\n')[0], /HOLD/); // anchored at the top
  terminal.keys('x');
  await terminal.until((text) => number(text, 'SCORE') > 0);
  terminal.keys('q');
  await terminal.until(/agon tetris: .*agon\/tetris\.conf:2: no such setting: 'speed'/);
});

test('a game that is played can be recorded', async (t) => {
  const terminal = await play(t, '--seed 3 --record "$XDG_CONFIG_HOME/game.agon"');
  for (let piece = 1; piece < 4; piece++) {
    terminal.keys('Space');
    await terminal.until((text) => number(text, 'piece_id') === piece + 1);
  }
  terminal.keys('q');
  await ended(terminal, 0);
  const file = path.join(terminal.home, 'game.agon');
  assert.equal(spawnSync(agon, ['replay', 'verify', file]).status, 0);
  const { stdout } = spawnSync(agon, ['replay', 'export', '--format', 'agt', file], { encoding: 'utf8' });
  assert.equal(stdout.match(/\tA\t-\thardDrop/g)?.length, 3, stdout);
});

test('without a terminal there is a message and status 2', () => {
  for (const args of [[], ['--observe', '127.0.0.1:1']]) {
    const done = spawnSync(agon, ['tetris', '--port', '0', ...args], { encoding: 'utf8', env: { ...process.env, TERM: 'xterm' } });
    assert.equal(done.status, 2);
    assert.match(done.stderr, /standard input and output must be a terminal/);
    assert.equal(done.stdout, '');
  }
});

test('TUI_TETRIS_HEADLESS makes it a server', async () => {
  const child = spawn(agon, ['tetris', '--port', '0'], { env: { ...process.env, TUI_TETRIS_HEADLESS: 'yes' } });
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  assert.match(String(line), /^listening tcp:/);
  child.kill('SIGTERM');
  assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 0);
});

test('help, time, the end with choices, and scores that are kept', async (t) => {
  const terminal = await play(t);
  terminal.keys('?');
  await terminal.until((text) => /KEYS/.test(text) && /space +drop/.test(text) && /these keys/.test(text));
  terminal.keys('Left'); // any key goes on, and does nothing else
  await terminal.until((text) => !/KEYS/.test(text) && has(text, ' . . .[][][][] . . .'));
  terminal.keys('F1');
  await terminal.until(/these keys/);
  terminal.keys('F1');
  await terminal.until((text) => !/these keys/.test(text));
  await terminal.until(/^ *\d+:(0[1-9]|[1-5]\d) /m); // it goes on
  const lose = async () => {
    for (let i = 0; i < 60 && !/GAME OVER/.test(terminal.text()); i++) terminal.keys('Space');
    await terminal.until((text) => /GAME OVER/.test(text) && /r plays again/.test(text) && /n takes a seed/.test(text) && /q quits/.test(text));
    return number(terminal.text(), 'SCORE');
  };
  const first = await lose();
  assert.ok(first > 0);
  await terminal.until((text) => /A NEW BEST SCORE/.test(text) && text.includes(`1. ${first} <`));
  terminal.keys('r');
  await terminal.until((text) => !/GAME OVER/.test(text));
  const second = await lose(), [best, other] = [Math.max(first, second), Math.min(first, second)];
  await terminal.until((text) => text.includes(`1. ${best}`) && text.includes(`2. ${other}`));
  terminal.keys('q');
  await ended(terminal, 0);
});

// T6.11.
test('without --seed the seed is another one every time, and NO_COLOR is obeyed', async (t) => {
  const seeds = new Set();
  for (let i = 0; i < 2; i++) {
    const terminal = new Terminal({ env: { NO_COLOR: '1' } });
    t.after(() => terminal.close());
    terminal.type('"$agon" tetris --no-adapter');
    await terminal.until((text) => field(text) && /NEXT/.test(text));
    seeds.add(number(terminal.text(), 'seed'));
    assert.doesNotMatch(terminal.styled(), /\x1b\[[0-9;]*(3[0-7]|4[0-7]|38;5)[0-9;]*m/);
    terminal.keys('q');
    await ended(terminal, 0);
  }
  assert.equal(seeds.size, 2);
});
