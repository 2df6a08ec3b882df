// A person's seat on a server, at the terminal: the table between own turns, TLS, a friend's link, keys, servers that are full or lost.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { Agent, agon, Arena } from './lib/arena.mjs';
import { scratch } from './lib/scratch.mjs';
import { Terminal } from './lib/tmux.mjs';
import { until } from './lib/wait.mjs';

const folder = scratch('play-server-');
after(() => rmSync(folder, { recursive: true, force: true }));

let people = 0;
function open(t, env = {}) {
  const terminal = new Terminal({ columns: 130, rows: 24, env: { XDG_STATE_HOME: path.join(folder, `person-${++people}`), USER: 'ada', ...env } });
  t.after(() => terminal.close());
  return terminal;
}

async function serve(t, options = []) {
  const arena = await Arena.start(options);
  t.after(() => arena.stop());
  return arena;
}

const result = /(You won|You lost|A draw)\. Payoffs:/;
const prompted = (text) => /^your move>/m.test(text);
const moveOf = (text) => Number(/ {3}move (\d+)/.exec(text.split('\n')[0])?.[1] ?? 0);

// Both play until both have the result. What each types: the first word that the list offers.
async function playOut(terminals, words) {
  const moves = terminals.map(() => 0), over = terminals.map(() => false);
  for (let turns = 0; !over.every(Boolean); turns++) {
    assert.ok(turns < 200, 'it does not end');
    const [i, text] = await until(() => {
      for (const [n, terminal] of terminals.entries()) {
        const now = over[n] ? '' : terminal.text();
        if (result.test(now) || (prompted(now) && moveOf(now) > moves[n])) return [n, now];
      }
      return null;
    }, 'a question or a result').catch((late) => assert.fail([late.message, ...terminals.map((one) => one.text())].join('\n')));
    if (result.test(text)) {
      over[i] = true;
      continue;
    }
    moves[i] = moveOf(text);
    const word = words.find((one) => text.includes(one));
    if (word) terminals[i].type(word);
    else terminals[i].keys('Enter');
  }
}

// F4.28: what the others do is drawn as it comes, without a question to the person.
test('the table is drawn as it is between own turns', async (t) => {
  const arena = await serve(t, ['--house-bots', '0', '--fill-wait', '100000', '--table-max', '3']);
  const terminal = open(t), others = [];
  for (let i = 0; i < 2; i++) others.push(await Agent.connect(arena, await arena.register(`other ${i}`, { auto_confirm: true }), { capabilities: 'match_feed,game_state' }));
  t.after(() => others.forEach((one) => one.ws.terminate()));
  others[0].join('coup');
  await others[0].next('queue_joined');
  others[1].join('coup');
  await others[1].next('queue_joined');
  terminal.type(`clear; "$agon" play coup --against waiting --server ${arena.url}`);
  const coins = (text) => [...text.matchAll(/(\d+) coins/g)].map((m) => Number(m[1]));
  const sum = (text) => coins(text).reduce((a, b) => a + b, 0);
  for (const one of others) one.place = (await one.next('game_start')).data.your_position;
  const [mine] = [0, 1, 2].filter((place) => others.every((one) => one.place !== place));
  const answered = new Set(), pending = (one) => one.frames.find((f) => f.type === 'action_request' && !answered.has(f));
  // Until somebody is asked who is followed by another one and not by the person.
  let move = 0;
  const actor = await until(() => {
    const text = terminal.text(), one = others.find(pending);
    if (prompted(text) && moveOf(text) > move) {
      move = moveOf(text);
      terminal.type('income');
    } else if (one && (one.place + 1) % 3 !== mine) return one;
    else if (one) {
      const request = pending(one);
      answered.add(request);
      one.act(request, { type: 'income' });
    }
    return null;
  }, 'an opponent before another one');
  const before = sum(await terminal.until((text) => (coins(text).length === 3 && !prompted(text) ? text : null)));
  actor.act(pending(actor), { type: 'income' });
  await terminal.until((text) => !prompted(text) && sum(text) === before + 1);
  const states = others.flatMap((one) => one.frames.filter((f) => f.type === 'game_state'));
  assert.ok(states.length > 0);
  for (const one of others) one.sound(); // every frame fits its schema, in the order of F2.13
});

test('a friend joins by the link, at a terminal of his own', async (t) => {
  const arena = await serve(t), host = open(t), guest = open(t, { USER: 'bea' });
  host.type(`clear; "$agon" play kuhn_poker --against link --server ${arena.url}; echo status=$?`);
  const [, link] = await host.until(/your friend joins at\s+(http\S+\/challenge\/[\w-]+)/);
  guest.type(`clear; "$agon" play --server ${link}; echo status=$?`); // the link names the game
  await playOut([host, guest], ['call', 'check']);
  for (const terminal of [host, guest]) {
    terminal.keys('Enter');
    await terminal.until(/status=0/);
  }
  for (const [args, why] of [[['coup', '--server', link], /the table is one of kuhn_poker|there is no such table/], [['--server', `${arena.url}/challenge/none`], /there is no such table: the server answers 404/],
    [['coup', '--server', `${arena.url}/elsewhere`], /no address of a server, .* and no invitation/], [['--against', 'link', '--server', link], /--against is for your own table/]]) {
    const done = spawnSync(agon, ['play', ...args], { encoding: 'utf8', input: '', env: { ...process.env, XDG_STATE_HOME: path.join(folder, 'none') } });
    assert.equal(done.status, 2, done.stderr);
    assert.match(done.stderr, why);
  }
});

test('a server behind TLS: its certificate is verified unless somebody says otherwise', async (t) => {
  const cert = path.join(folder, 'cert.pem'), key = path.join(folder, 'key.pem');
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const arena = await serve(t, ['--tls-cert', cert, '--tls-key', key]), url = `https://127.0.0.1:${arena.port}`, terminal = open(t);
  terminal.type(`clear; "$agon" play kuhn_poker --level 1 --server ${url}; echo status=$?`);
  await terminal.until(/cannot connect to https:[^]*is the server running, and its certificate trusted\?[^]*status=2/);
  for (const trust of [`SSL_CERT_FILE=${cert} "$agon" play kuhn_poker --level 1 --server ${url}`, `"$agon" play kuhn_poker --level 1 --insecure --server ${url}`]) {
    terminal.type('clear');
    await terminal.until((text) => !/status=/.test(text));
    terminal.type(`clear; ${trust}; echo status=$?`);
    await playOut([terminal], ['call', 'check']);
    terminal.keys('Enter');
    await terminal.until(/status=0/);
  }
});

test('a key plays as its agent; a wrong one is refused', async (t) => {
  const arena = await serve(t), agent = await arena.register('keyed', { auto_confirm: true }), terminal = open(t);
  terminal.type(`clear; "$agon" play kuhn_poker --level 1 --key ${agent.key} --server ${arena.url}; echo status=$?`);
  await terminal.until(prompted);
  terminal.type('rules'); // as the server tells them
  await terminal.until(/Poker with three cards and one bet/);
  terminal.keys('Escape');
  await terminal.until(prompted);
  await playOut([terminal], ['call', 'check']);
  await terminal.until(/Payoffs:.* keyed -?\d/); // names are told at the end
  terminal.keys('Enter');
  await terminal.until(/status=0/);
  for (const [key, why] of [['agk_0123456789', /you cannot play: the server answers 401/], ['two words', /--key needs 1 to 127 printable characters/], ['x\r\nX-Evil: 1', /--key needs/], ['k'.repeat(200), /--key needs/]]) {
    const done = spawnSync(agon, ['play', 'coup', '--key', key, '--server', arena.url], { encoding: 'utf8', input: '' });
    assert.equal(done.status, 2, done.stderr);
    assert.match(done.stderr, why);
  }
  const moves = path.join(folder, 'moves'); // a file is an input too, though epoll refuses it
  writeFileSync(moves, '1\n'.repeat(2000));
  const input = openSync(moves, 'r');
  const done = spawnSync(agon, ['play', 'kuhn_poker', '--level', '1', '--key', agent.key, '--server', arena.url], { encoding: 'utf8', stdio: [input, 'pipe', 'pipe'], timeout: 60000 });
  closeSync(input);
  assert.deepEqual([done.status, done.stderr], [0, '']);
  assert.match(done.stdout, result);
});

test('a server that is full is told of, and has a place again when somebody leaves', async (t) => {
  const room = 6, arena = await serve(t, ['--connections', String(room)]), terminal = open(t), agents = [], held = [];
  t.after(() => held.forEach((one) => one.ws.terminate()));
  for (let i = 0; i < room; i++) agents.push(await arena.register(`held ${i}`));
  const connect = () => Agent.connect(arena, agents[held.length]).then((one) => held.push(one), () => null); // whoever talks is not put out for another
  let refused = 0; // one refusal is not enough: whoever is about to leave makes room for the next
  await until(async () => (refused = (await connect()) === null ? refused + 1 : 0) === 5, 'a full server');
  terminal.type(`clear; "$agon" play kuhn_poker --level 1 --server ${arena.url}; echo status=$?`);
  await terminal.until(/(cannot connect to http|the server answers 503)[^]*status=2/);
  for (const one of held.splice(0)) await one.close();
  await until(() => fetch(`${arena.url}/api/health`).then((r) => r.ok, () => false), 'a place');
  terminal.type('clear');
  await terminal.until((text) => !/status=/.test(text));
  terminal.type(`clear; "$agon" play kuhn_poker --level 1 --server ${arena.url}; echo status=$?`);
  await playOut([terminal], ['call', 'check']);
  terminal.keys('Enter');
  await terminal.until(/status=0/);
});
