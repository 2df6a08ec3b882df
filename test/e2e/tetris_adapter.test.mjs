// The Tetris adapter over TCP. Rule numbers are those of docs/spec/tetris.md.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { agon, Client, root, Server } from './lib/adapter.mjs';
import { spawn } from './lib/children.mjs';
import { within } from './lib/wait.mjs';

const lockstep = { clock: 'lockstep' };
const is = (reply, code) => assert.equal(reply.code ?? reply.type, code, JSON.stringify(reply));

// A server for the tests of one group; each test takes a table of its own, so that none sees another.
let tables = 0;
const table = (requested = {}) => ({ table: `t${++tables}`, ...requested });

function group(name, options, tests) {
  describe(name, () => {
    let server;
    before(async () => (server = await Server.start(...options)));
    after(() => server.stop());
    for (const [what, run] of Object.entries(tests)) test(what, { timeout: 600000 }, () => run(server));
  });
}

group('adapter 2.x', [], {
  'T3.15 before hello only hello is heard': async (s) => {
    const c = await Client.connect(s);
    c.seq = 40;
    is(await c.act(['hold']), 'handshake_required');
    is(await c.control('claim'), 'handshake_required');
    is(await c.ask({ type: 'command', mode: 12 }), 'handshake_required');
    is(await c.ask({ type: 'dance' }), 'invalid_command');
    is(await c.hello(table()), 'welcome');
    await c.close();
  },

  'T3.11, T3.12 hello is checked in order': async (s) => {
    for (const version of ['3.0.0', '1.0.0', '2', '2.1', '02.1.0', 'x']) {
      const c = await Client.connect(s);
      const reply = await c.hello({}, { protocol_version: version });
      is(reply, 'protocol_mismatch');
      assert.equal(reply.seq, 1);
      await within(20000, c.gone, 'close');
    }
    for (const version of ['2.0.0', '2.1.0', '2.9.9', '2.1.0-rc.1']) {
      const c = await Client.greet(s, table(), { protocol_version: version });
      assert.equal(c.welcome.protocol_version, '2.1.0');
      await c.close();
    }
    const c = await Client.connect(s);
    is(await c.hello({}, { seq: 2 }), 'invalid_command');
    is(await c.hello({}, { formats: ['xml'] }), 'invalid_command');
    is(await c.hello({ table: 'no/slash' }), 'invalid_command');
    is(await c.hello({ role: 'king' }), 'invalid_command');
    is(await c.hello(table()), 'welcome'); // all of them may be tried again
    c.seq = 1;
    is(await c.ask({ type: 'hello' }), 'invalid_command');
    await c.close();
  },

  'T3.13, T3.14 welcome tells the truth and brings a snapshot': async (s) => {
    const c = await Client.greet(s, table());
    const w = c.welcome;
    assert.equal(w.role, 'controller');
    assert.equal(w.controller_id, w.client_id);
    assert.deepEqual([w.ruleset, w.coordinates, w.clock, w.hash], ['standard', 'cells', 'realtime', 'agon']);
    const first = await c.until((m) => m.type === 'observation', 'observation');
    assert.ok(w.bytes + first.bytes <= 4096);
    assert.equal(first.seq, 1);
    assert.equal(first.seed, 1); // T2.13
    assert.equal(first.playable, true);
    for (let i = 0; i < 20; i++) {
      const o = await c.observation();
      for (const feature of w.capabilities.features_always) assert.ok(feature in o, feature);
      assert.equal(o.next, o.next_queue[0]);
      assert.ok(o.bytes <= 4096);
    }
    await c.close();
  },

  'T3.20-T3.28 one controller, claims, releases and promotion': async (s) => {
    const t = table();
    const a = await Client.greet(s, t);
    const watcher = await Client.greet(s, { ...t, role: 'observer' });
    const b = await Client.greet(s, t);
    const d = await Client.greet(s, t);
    assert.deepEqual([a, watcher, b, d].map((c) => c.welcome.role), ['controller', 'observer', 'observer', 'observer']);
    is(await a.control('claim'), 'ack');
    is(await a.control('claim'), 'ack');
    const refused = await b.control('claim');
    is(refused, 'controller_active');
    assert.equal(refused.controller_id, a.welcome.client_id);
    is(await b.act(['hold']), 'not_controller');
    is(await b.control('release'), 'not_controller');
    is(await a.control('release'), 'ack');
    is(await a.act(['hold']), 'not_controller'); // T3.23: nobody is promoted
    assert.equal((await b.observation()).controller_id, null);
    is(await watcher.control('claim'), 'ack'); // T3.22: an observer may claim
    is(await watcher.control('release'), 'ack');
    is(await a.control('claim'), 'ack');
    a.kill(); // T3.26: the lowest id that is not an observer
    await b.observation((o) => o.controller_id === b.welcome.client_id);
    is(await b.act([]), 'ack');
    await b.close();
    await watcher.observation((o) => o.controller_id === d.welcome.client_id);
    await d.close();
    await watcher.observation((o) => o.controller_id === null); // T3.27
    await watcher.close();
  },

  'T3.25 whoever comes after a closed controller gets control': async (s) => {
    const t = table();
    for (let i = 0; i < 100; i++) {
      const c = await Client.greet(s, t);
      assert.equal(c.welcome.role, 'controller', `round ${i}`);
      if (i % 2) c.kill();
      else c.socket.end();
    }
  },

  'T3.45, T3.46 seq rises, and what has a shape uses it up': async (s) => {
    const c = await Client.greet(s, table());
    is(await c.act([], { seq: 5 }), 'ack');
    is(await c.act(['hardDrop'], { seq: 5 }), 'invalid_command');
    is(await c.act(['hardDrop'], { seq: 4 }), 'invalid_command');
    is(await c.ask({ type: 'command', seq: 9, mode: 'sing' }), 'invalid_command'); // no shape: not used up
    is(await c.act([], { seq: 9 }), 'ack');
    is(await c.ask({ type: 'dance', seq: 12 }), 'invalid_command'); // used up
    is(await c.act([], { seq: 12 }), 'invalid_command');
    is(await c.place(99, 'north', false), 'invalid_command'); // seq 1 is far behind
    is(await c.act([], { seq: 13 }), 'ack');
    assert.equal((await c.observation()).board_id, 0); // none of the hard drops was applied
    await c.close();
  },

  'T3.47-T3.59 every mistake has its code and changes nothing': async (s) => {
    const c = await Client.greet(s, table(lockstep));
    const before = await c.act([]);
    const mistakes = [
      [{ mode: 'action', actions: Array(33).fill('hold') }, 'invalid_command'],
      [{ mode: 'action', actions: ['fly'] }, 'invalid_command'],
      [{ mode: 'action' }, 'invalid_command'],
      [{ mode: 'action', actions: ['hold'], restart: { seed: 1 } }, 'invalid_command'],
      [{ mode: 'place', place: { x: 0, rotation: 'north', useHold: false }, restart: { seed: 1 } }, 'invalid_command'],
      [{ mode: 'action', actions: ['restart'], restart: { seed: 4294967296 } }, 'invalid_command'],
      [{ mode: 'action', actions: ['restart'], restart: { seed: -1 } }, 'invalid_command'],
      [{ mode: 'action', actions: ['restart'], restart: { seed: 1.5 } }, 'invalid_command'],
      [{ mode: 'place' }, 'invalid_place'],
      [{ mode: 'place', place: { x: 0, rotation: 'up', useHold: false } }, 'invalid_place'],
      [{ mode: 'place', place: { x: 0, rotation: 'north', useHold: false, path: 'magic' } }, 'invalid_place'],
      [{ mode: 'place', place: { x: 10, rotation: 'north', useHold: false } }, 'invalid_place'],
      [{ mode: 'place', place: { x: -1, rotation: 'north', useHold: false } }, 'invalid_place'],
      [{ mode: 'place', place: { x: 7, rotation: 'north', useHold: false } }, 'invalid_place'], // an I is four wide
      [{ mode: 'place', place: { x: 0, rotation: 'north', useHold: false, y: 3 } }, 'invalid_place'],
      [{ mode: 'place', place: { x: '0', rotation: 'north', useHold: false } }, 'invalid_command'],
      [{ mode: 'place', place: { x: 0, rotation: 'north' } }, 'invalid_command'],
      [{ mode: 'place', place: { x: 0, rotation: 'north', useHold: 'no' } }, 'invalid_command'],
    ];
    for (const [command, code] of mistakes) is(await c.ask({ type: 'command', ...command }), code);
    is(await c.act(['hold']), 'ack');
    is(await c.place(3, 'north', true), 'hold_unavailable');
    is(await c.act(['hold']), 'ack'); // T3.48: without effect, and no error
    const after = await c.act([]);
    assert.equal(after.applied_step, before.applied_step + 3); // no time passed for the mistakes
    c.write('{"type":"command","seq":77,\n');
    const broken = await c.until((m) => m.type === 'error', 'error');
    assert.deepEqual([broken.code, broken.seq], ['invalid_command', 77]);
    await c.close();
  },

  'T3.54 a full queue says so, answers each once, and a retry works': async (s) => {
    const c = await Client.greet(s, table());
    const lines = Array.from({ length: 30 }, (_, i) => ({ type: 'command', seq: 2 + i, ts: 0, mode: 'action', actions: ['moveLeft'] }));
    c.write(lines.map((m) => JSON.stringify(m) + '\n').join(''));
    const replies = await Promise.all(lines.map((m) => c.answer(m.seq)));
    const pushed = replies.filter((r) => r.code === 'backpressure');
    assert.ok(pushed.length > 0 && pushed.every((r) => r.retry_after_ms >= 1));
    assert.ok(replies.filter((r) => r.type === 'ack').length >= 10);
    c.seq = 31;
    is(await c.act(['moveLeft']), 'ack');
    await c.close();
  },

  'T3.38, T2.15, T2.16 restart with and without a seed': async (s) => {
    const c = await Client.greet(s, table(lockstep));
    const restart = async (n, more) => {
      is(await c.act(Array(n).fill('restart'), more), 'ack');
      return c.until((m) => m.type === 'observation' && m.step_in_piece === 1, 'observation');
    };
    const a = await restart(1, { restart: { seed: 123 } });
    assert.deepEqual([a.seed, a.episode_id, a.board_id, a.playable], [123, 1, 0, true]);
    const b = await restart(1, { restart: { seed: 123 } });
    assert.deepEqual([b.state_hash, b.next_queue, b.episode_id], [a.state_hash, a.next_queue, 2]);
    assert.equal((await restart(1, { restart: { seed: 1 } })).seed, 1);
    const chain = [];
    for (let i = 0; i < 4; i++) chain.push((await restart(1)).seed);
    assert.deepEqual(chain, [1587069247, 1814098701, 1403919595, 1369582169]);
    assert.equal((await restart(3, { restart: { seed: 1 } })).seed, 1814098701);
    await c.close();
  },

  'T3.39, T3.36 pause toggles and the stream goes on': async (s) => {
    const c = await Client.greet(s, table());
    is(await c.act(['pause']), 'ack');
    const first = await c.observation((o) => o.paused);
    assert.equal(first.playable, false);
    is(await c.act(['moveLeft']), 'ack');
    is(await c.place(0), 'invalid_place');
    const later = await c.observation((o) => o.seq >= first.seq + 5);
    assert.equal(later.state_hash, first.state_hash);
    is(await c.act(['restart']), 'ack');
    await c.observation((o) => !o.paused && o.playable);
    await c.close();
  },

  'T3.22-T3.37 game over: only restart works; left alone it begins anew': async (s) => {
    const t = table();
    const c = await Client.greet(s, t);
    for (let i = 0; i < 4; i++) await c.act(Array(8).fill('hardDrop'));
    const over = await c.observation((o) => o.game_over);
    assert.equal(over.playable, false);
    is(await c.act(['moveLeft', 'hold', 'pause']), 'ack');
    is(await c.place(0), 'invalid_place');
    assert.equal((await c.observation()).state_hash, over.state_hash);
    const watcher = await Client.greet(s, { ...t, role: 'observer' });
    await c.close();
    const anew = await watcher.observation((o) => o.playable, 8000);
    assert.equal(anew.episode_id, over.episode_id + 1);
    const still = await watcher.observation((o) => o.seq > anew.seq + 3);
    assert.equal(still.logical_step, anew.logical_step); // T3.35: the clock stands without a controller
    await watcher.close();
  },

  'T3.65 what matters is shown in the step in which it happens': async (s) => {
    const c = await Client.greet(s, table());
    for (const actions of [['hardDrop'], ['hold'], ['pause'], ['pause'], ['restart']]) {
      const ack = await c.act(actions);
      const o = await c.until((m) => m.type === 'observation' && m.logical_step === ack.applied_step, `observation of ${actions}`);
      assert.equal(o.state_hash, ack.state_hash);
      if (actions[0] === 'hardDrop') assert.equal(o.step_in_piece, 1); // T2.5
    }
    await c.close();
  },

  'T3.80-T3.86 lock-step: one command, one ack, one observation, the same hashes every time': async (s) => {
    const play = async () => {
      const c = await Client.greet(s, table(lockstep));
      assert.equal(c.welcome.clock, 'lockstep');
      const lines = [];
      for (let i = 0; i < 2000; i++)
        lines.push(JSON.stringify({ type: 'command', seq: 2 + i, ts: 0, mode: 'action', actions: i % 300 === 0 ? ['restart'] : [['moveLeft', 'rotateCw', 'hardDrop', 'moveRight', 'softDrop', 'hold'][(i * 7) % 6]], ...(i % 300 === 0 ? { restart: { seed: 5 } } : {}) }));
      c.lines = [];
      c.write(lines.join('\n') + '\n');
      await c.until((m) => m.type === 'ack' && m.seq === 2001, 'last ack', 30000);
      await c.until((m) => m.type === 'observation' && m.logical_step === 2000, 'last observation', 30000); // T2.4: across seven restarts
      const acks = c.lines.filter((m) => m.type === 'ack'), seen = c.lines.filter((m) => m.type === 'observation');
      assert.equal(acks.length, 1999);
      assert.equal(seen.length, 1999);
      seen.forEach((o, i) => assert.deepEqual([o.state_hash, o.logical_step], [acks[i].state_hash, acks[i].applied_step]));
      await c.close();
      return seen.map((o) => o.state_hash);
    };
    assert.deepEqual(await play(), await play());
    const c = await Client.greet(s, table({ ...lockstep, frame_skip: 4, stream_observations: false }));
    assert.equal((await c.act([])).applied_step, 4);
    assert.equal((await c.act([])).applied_step, 8);
    await c.close();
  },

  'T3.9 tables do not touch each other': async (s) => {
    const a = await Client.greet(s, table(lockstep)), b = await Client.greet(s, table(lockstep));
    assert.deepEqual([a.welcome.role, b.welcome.role], ['controller', 'controller']);
    await a.act(['hardDrop']);
    assert.equal((await a.act([])).applied_step, 2);
    assert.equal((await b.act([])).applied_step, 1);
    await a.close();
    await b.close();
  },

  'T3.3, T3.4 lines: too long, not UTF-8, blank, deep, with CR': async (s) => {
    const filler = (size) => {
      const start = '{"type":"control","seq":2,"ts":0,"action":"claim","x":"', end = '"}';
      return start + 'a'.repeat(size - start.length - end.length) + end;
    };
    let c = await Client.greet(s, table());
    c.write('\n  \t\r\n' + filler(65536) + '\n');
    is(await c.answer(2), 'ack');
    c.write('{"type":"control","seq":3,"ts":0,"action":"claim"}\r\n');
    is(await c.answer(3), 'ack');
    c.write('{"type":"control","seq":4,"ts":0,"action":"claim","x":' + '['.repeat(40) + ']'.repeat(40) + '}\n');
    is(await c.answer(4), 'invalid_command');
    c.write(filler(65537) + '\n');
    is(await c.answer(0), 'invalid_command');
    await within(20000, c.gone, 'close');
    c = await Client.greet(s, table());
    c.write(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));
    is(await c.answer(0), 'invalid_command');
    await within(20000, c.gone, 'close');
    c = await Client.greet(s, table());
    c.write('x'.repeat(10 << 20)); // ten megabytes without an end
    is(await c.answer(0), 'invalid_command');
    await within(20000, c.gone, 'close');
    await (await Client.greet(s, table())).close();
  },

  'T3.6, T3.75 storms, floods and clients that never read disturb nobody': async (s) => {
    const t = table();
    const player = await Client.greet(s, t);
    const deaf = await Client.greet(s, { ...t, role: 'observer' });
    deaf.socket.pause();
    const storm = await Promise.all(Array.from({ length: 200 }, () => Client.connect(s)));
    storm.forEach((c, i) => (i % 2 ? c.kill() : c.socket.end()));
    const flood = await Client.greet(s, { ...t, role: 'observer' });
    flood.socket.pause();
    let taken = Promise.resolve();
    for (let i = 0; i < 50000 && !flood.closed; i += 500) {
      const lines = Array.from({ length: 500 }, (_, k) => JSON.stringify({ type: 'command', seq: 2 + i + k, ts: 0, mode: 'action', actions: ['hold'] }));
      taken = new Promise((resolve) => flood.socket.write(lines.join('\n') + '\n', resolve));
      if (i % 5000 === 0) is(await player.act([]), 'ack');
    }
    await within(20000, Promise.race([taken, flood.gone]), 'end of the flood');
    flood.socket.resume(); // only now does it look: the connection is long cut
    await within(20000, flood.gone, 'cut');
    assert.ok(flood.lines.length < 50000);
    const o = await player.observation();
    await player.until((m) => m.type === 'observation' && m.seq === o.seq + 10, 'the tenth observation from there'); // none is left out
    deaf.kill();
    await player.close();
  },
});

// T3.40: x and y are box origins here; elsewhere in this file 2.x clients get cells, 3.x clients boxes.
group('adapter with box coordinates and the compat hash', ['--coordinates', 'box', '--hash', 'compat', '--seed', '123'], {
  'T2.23 the deployed hashes': async (s) => {
    const c = await Client.greet(s, table(lockstep));
    const start = await c.until((m) => m.type === 'observation', 'observation');
    assert.equal(start.state_hash, 'df8d6ae694a037c3');
    for (const hash of ['35868ea9a06f3b60', '374484cd626cffc9', '8994472388d13426']) assert.equal((await c.act([])).state_hash, hash);
    assert.equal((await c.act(['hardDrop'])).state_hash, '0834c26dfa72f953');
    assert.equal((await c.act(['hold'])).state_hash, '45f1a974b4b32474');
    assert.equal((await c.place(7, 'east')).state_hash, 'a45714c61135e8d0');
    await c.close();
  },

  'T8.1 all rows of the golden file': async (s) => {
    const rows = readFileSync(path.join(root, 'test/golden/tetris_standard.tsv'), 'utf8').trim().split('\n').slice(1);
    for (const seed of ['1', '123', '7']) {
      // A fresh table has the server's start seed and episode 0; other seeds need a server of their own.
      const own = seed === '123' ? s : await Server.start('--coordinates', 'box', '--hash', 'compat', '--seed', seed);
      const c = await Client.greet(own, table(lockstep));
      const mine = rows.map((r) => r.split('\t')).filter((r) => r[0] === seed);
      assert.equal(mine.length, 600);
      for (const [, step, action, hash, active, ghost, , , , score] of mine) {
        const [verb, x, rotation, hold] = action.split(':');
        const ack = verb === 'place' ? await c.place(Number(x), rotation, hold === 'true') : await c.act(verb === '-' ? [] : [verb]);
        assert.equal(ack.state_hash, hash, `seed ${seed} step ${step}`);
        const o = await c.until((m) => m.type === 'observation' && m.logical_step === ack.applied_step, 'observation');
        assert.equal(o.active ? `${o.active.kind}${o.active.rotation}:${o.active.x}:${o.active.y}` : 'none', active);
        assert.equal(`g${o.ghost_y ?? '-'}`, ghost);
        assert.equal(`sc${o.score}`, score);
      }
      await c.close();
      if (own !== s) await own.stop();
    }
  },
});

group('adapter with both protocols', ['--protocol', 'both', '--hash', 'compat', '--seed', '123'], {
  'T5.1-T5.14 a 3.x client gets 3.0.0, a 2.x client beside it 2.1.0': async (s) => {
    const c = await Client.greet(s, table(lockstep), { protocol_version: '3.1.4' });
    assert.deepEqual([c.welcome.protocol_version, c.welcome.coordinates], ['3.0.0', 'box']);
    const { features, features_always: always, features_optional: optional } = c.welcome.capabilities;
    assert.deepEqual([...features].sort(), [...always, ...optional].sort());
    for (const name of ['last_event', 'controller_id', 'lockstep', 'place_path']) assert.ok(!features.includes(name));
    const start = await c.until((m) => m.type === 'observation', 'observation');
    assert.equal(start.state_hash, 'd371e2011a0aec9e');
    for (let i = 0; i < 3; i++) await c.act([]);
    const ack = await c.act(['hardDrop']);
    const o = await c.until((m) => m.type === 'observation' && m.logical_step === ack.applied_step, 'observation');
    assert.equal(o.state_hash, 'fb54828af26a9c76');
    assert.ok(!('last_event' in o) && o.events.length === 1);
    assert.ok(!('applied_step' in (await c.control('claim'))));
    const old = await Client.greet(s, table());
    assert.equal(old.welcome.protocol_version, '2.1.0');
    await old.close();
    await c.close();
  },
});

group('adapter under the guideline', ['--ruleset', 'guideline'], {
  'T1.60, T3.43 every message keeps to the schema': async (s) => {
    const c = await Client.greet(s, table(lockstep));
    assert.equal(c.welcome.ruleset, 'guideline');
    let dice = 7;
    const inputs = ['moveLeft', 'moveRight', 'rotateCw', 'rotateCcw', 'softDrop', 'hardDrop', 'hold'];
    for (let i = 0; i < 3000; i++) {
      dice = (dice * 1103515245 + 12345) % 2147483648;
      c.send({ type: 'command', seq: ++c.seq, ts: 0, mode: 'action', actions: [dice % 97 === 0 ? 'restart' : inputs[dice % 7]] });
      if (i % 100 === 99) c.lines = (await c.answer(c.seq), []);
    }
    await c.close();
  },
});

describe('agon tetris-ai', () => {
  test('plays rounds to their end, and a second run begins anew', { timeout: 600000 }, async () => {
    const server = await Server.start();
    const play = (...options) => {
      const run = spawnSync(agon, ['tetris-ai', '--connect', `127.0.0.1:${server.port}`, '--json', ...options], { encoding: 'utf8', timeout: 600000 });
      assert.equal(run.status, 0, run.stderr);
      return JSON.parse(run.stdout);
    };
    const first = play('--rounds', '2', '--max-lines', '20');
    assert.deepEqual(first.rounds.map((r) => [r.seed, r.lines >= 20, r.stopped]), [[1, true, true], [2, true, true]]);
    assert.deepEqual(play('--rounds', '2', '--max-lines', '20').rounds, first.rounds); // lock-step: the same again
    const live = play('--clock', 'realtime', '--max-lines', '3');
    assert.ok(live.rounds[0].lines >= 3 && live.rounds[0].pieces > 5);
    const lost = play('--policy', 'random').rounds[0];
    assert.equal(lost.stopped, false);
    await server.stop();
  });

  for (const signal of ['SIGINT', 'SIGTERM'])
    test(`reports the running game on ${signal}`, { timeout: 600000 }, async () => {
      const server = await Server.start();
      const watcher = await Client.greet(server, { role: 'observer' });
      const child = spawn(agon, ['tetris-ai', '--connect', `127.0.0.1:${server.port}`, '--json', '--rounds', '3', '--clock', 'realtime']);
      let out = '';
      child.stdout.on('data', (d) => (out += d));
      const ended = new Promise((resolve) => child.on('close', resolve));
      await watcher.observation((o) => o.episode_id > 0 && o.board_id >= 3 && o.score > 0, 30000);
      child.kill(signal);
      assert.equal(await within(20000, ended, 'end of the agent'), 1);
      const { rounds } = JSON.parse(out);
      assert.equal(rounds.length, 1);
      assert.equal(rounds[0].unfinished, true);
      assert.ok(rounds[0].pieces >= 2 && rounds[0].score > 0, out);
      await watcher.close();
      await server.stop();
    });

  test('says what to do where nobody listens', () => {
    const run = spawnSync(agon, ['tetris-ai', '--connect', '127.0.0.1:1'], { encoding: 'utf8' });
    assert.equal(run.status, 2);
    assert.match(run.stderr, /agon tetris --headless/);
  });
});

// The scripts that the source documents print, where they lie beside the project.
const seeds = path.join(root, '../shared/seeds');
describe('the standard\'s own scripts', { skip: !existsSync(seeds) && 'the documents are not here' }, () => {
  const scripts = existsSync(seeds)
    ? readdirSync(seeds).flatMap((f) => [...readFileSync(path.join(seeds, f), 'utf8').matchAll(/python3 - <<'PY'\n([^]*?)\nPY\n/g)].map((m) => m[1])).filter((p) => p.includes('7777'))
    : [];
  const rounds = Number(process.env.AGON_SCRIPT_ROUNDS ?? 3), busy = Number(process.env.AGON_SCRIPT_BUSY ?? 0);
  const loops = [];
  before(() => { for (let i = 0; i < busy; i++) loops.push(spawn(process.execPath, ['-e', 'for (;;);'])); });
  after(() => loops.forEach((loop) => loop.kill('SIGKILL')));

  // Keeping one line per read, a script may lose a line when the machine stands still for longer than the adapter waits
  // (docs/decisions/017). In a test that is no fault of ours, so it gets a second try; the gate gives none.
  const tries = busy ? 1 : 2;
  const run = (program) => new Promise((resolve) => {
    const child = spawn('python3', ['-'], { timeout: 600000 });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => (out += d));
    child.on('close', (code, signal) => resolve({ passed: code === 0, out: `${signal ?? code}: ${out}` }));
    child.stdin.end(program);
  });
  for (const [i, script] of scripts.entries())
    test(`script ${i + 1}`, { timeout: 600000 + rounds * 20000 }, async (t) => {
      const atOnce = busy ? 3 : 1, failed = [];
      let left = rounds;
      const work = async () => {
        const server = await Server.start();
        const program = script.replaceAll('7777', String(server.port));
        while (left-- > 0) {
          let result;
          for (let attempt = 0; attempt < tries && !result?.passed; attempt++) result = await run(program);
          if (!result.passed) failed.push(result.out);
        }
        await server.stop();
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      t.diagnostic(`script ${i + 1}: ${rounds - failed.length} of ${rounds} passed under ${busy} busy loops`);
      assert.deepEqual(failed, []);
    });
});

describe('agon tetris --headless', () => {
  test('T6.8 --steps gives the same hash every time', () => {
    const run = () => execFileSync(agon, ['tetris', '--headless', '--seed', '2', '--steps', '1153'], { encoding: 'utf8' });
    assert.match(run(), /^seed 2\nsteps 1153\nstate_hash c97ae2e59cb08a46\n$/);
  });

  test('T3.1, T6.13 a taken port ends with status 2 and says why', async () => {
    const server = await Server.start();
    const run = spawnSync(agon, ['tetris', '--headless', '--port', String(server.port)], { encoding: 'utf8' });
    assert.equal(run.status, 2);
    assert.match(run.stderr, /cannot listen/);
    await server.stop();
  });

  test('T6.30 the environment is heard, and an unusable value is reported', () => {
    const env = { ...process.env, TETRIS_AI_PORT: 'seven' };
    const run = spawnSync(agon, ['tetris', '--headless', '--steps', '1'], { encoding: 'utf8', env });
    assert.equal(run.status, 0);
    assert.match(run.stderr, /TETRIS_AI_PORT/);
  });

  test('T3.90 the wire is logged on request, each Nth line of it', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'agon-'));
    const read = async (file, env) => {
      Object.assign(process.env, { TETRIS_AI_LOG_PATH: path.join(folder, file), ...env });
      const server = await Server.start();
      for (const name of Object.keys({ TETRIS_AI_LOG_PATH: 0, ...env })) delete process.env[name];
      const c = await Client.greet(server, { ...lockstep, stream_observations: false });
      for (let i = 0; i < 10; i++) await c.act([]);
      await c.close();
      await server.stop();
      return readFileSync(path.join(folder, file), 'utf8').trim().split('\n');
    };
    const all = await read('all', {});
    assert.equal(all.length, 22);
    assert.deepEqual(all.map((l) => l.slice(0, 3)), Array.from({ length: 22 }, (_, i) => (i % 2 ? '>1 ' : '<1 ')));
    for (const line of all) JSON.parse(line.slice(3));
    assert.equal((await read('some', { TETRIS_AI_LOG_EVERY_N: '2', TETRIS_AI_LOG_MAX_LINES: '5' })).length, 5);
    rmSync(folder, { recursive: true });
  });

  test('T6.10 a recorded game verifies', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'agon-'));
    const file = path.join(folder, 'game.agon');
    const server = await Server.start('--record', file);
    const c = await Client.greet(server, lockstep);
    for (let i = 0; i < 50; i++) await c.act([['moveLeft', 'rotateCw', 'hardDrop', 'hold'][i % 4]]);
    await c.close();
    await server.stop();
    execFileSync(agon, ['replay', 'verify', file]);
    rmSync(folder, { recursive: true });
  });
});
