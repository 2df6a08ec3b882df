// A terminal that a test can type into and read: a tmux server of its own, with a shell in it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agon } from './adapter.mjs';
import { until } from './wait.mjs';

let made = 0;

export class Terminal {
  constructor({ columns = 80, rows = 26, term = 'xterm-256color', env = {} } = {}) {
    this.name = `agon-test-${process.pid}-${made++}`;
    this.home = mkdtempSync(path.join(tmpdir(), 'agon-tui-'));
    const set = { TERM: term, XDG_CONFIG_HOME: this.home, XDG_STATE_HOME: this.home, LC_ALL: 'C.UTF-8', PS1: '$ ', agon, ASAN_OPTIONS: 'handle_segv=0', ...env };
    const shell = ['env', ...Object.entries(set).map(([key, value]) => `${key}=${value}`), 'bash', '--norc', '--noprofile'];
    this.tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), ...shell);
  }
  tmux(...args) {
    const done = spawnSync('tmux', ['-L', this.name, '-f', '/dev/null', ...args], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`tmux ${args[0]}: ${done.stderr}`);
    return done.stdout;
  }
  keys(...keys) {
    this.tmux('send-keys', ...keys);
  }
  // A command for the shell.
  type(line) {
    this.tmux('send-keys', '-l', line);
    this.keys('Enter');
  }
  text() {
    return this.tmux('capture-pane', '-p');
  }
  styled() {
    return this.tmux('capture-pane', '-p', '-e');
  }
  resize(columns, rows) {
    this.tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }
  // Whether the program has the other page of the terminal and hides the cursor.
  get taken() {
    return this.tmux('display-message', '-p', '#{alternate_on}#{cursor_flag}').trim() === '10';
  }
  get given() {
    return this.tmux('display-message', '-p', '#{alternate_on}#{cursor_flag}').trim() === '01';
  }
  // A signal for the program that runs in the shell.
  signal(name) {
    const shell = this.tmux('display-message', '-p', '#{pane_pid}').trim();
    const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ');
    process.kill(Number(child), name);
  }
  // Looks until `want`, a pattern or a function of the text, holds; the match or what the function gave.
  async until(want, ms = 20000) {
    const look = want instanceof RegExp ? (text) => want.exec(text) : want;
    let text;
    return until(() => look((text = this.text())), `sight of ${want}`, ms).catch((late) => {
      throw new Error(`${late.message}\n${text}`);
    });
  }
  // What still runs is killed first: the sanitizers' search for leaks at the end of a program never ends when its
  // terminal hangs up meanwhile.
  close() {
    const shell = spawnSync('tmux', ['-L', this.name, 'display-message', '-p', '#{pane_pid}'], { encoding: 'utf8' }).stdout.trim();
    const list = shell ? spawnSync('cat', [`/proc/${shell}/task/${shell}/children`], { encoding: 'utf8' }).stdout.trim() : '';
    for (const child of list.split(' ').filter(Boolean)) spawnSync('kill', ['-KILL', child]);
    spawnSync('tmux', ['-L', this.name, 'kill-server']);
    rmSync(this.home, { recursive: true, force: true });
  }
}

// The field of a screen, 20 rows: "[]" filled, "::" the ghost, " ." empty.
export function field(text) {
  const rows = [...text.matchAll(/[│|]((?:\[\]|::| \.){10})[│|]/g)].map((match) => match[1]);
  return rows.length === 20 ? rows : null;
}

// A number below or beside its name.
export function number(text, name) {
  const lines = text.split('\n');
  const row = lines.findIndex((line) => line.includes(name));
  if (row < 0) return null;
  const beside = new RegExp(`${name} +(\\d+)`).exec(lines[row]);
  if (beside) return Number(beside[1]);
  const below = /^\s*(\d+)/.exec(lines[row + 1].slice(Math.max(0, lines[row].indexOf(name) - 1)));
  return below ? Number(below[1]) : null;
}
