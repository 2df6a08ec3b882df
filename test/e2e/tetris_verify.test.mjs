// agon verify tetris: passes on our adapter, and names the one assertion that a lying adapter breaks.
//
// AGON_DOUBLES=all (make gate GATE=doubles) runs every double, each against all quick gates as well; a list of names
// separated by commas runs those.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { agon, root, Server } from './lib/adapter.mjs';
import { spawn } from './lib/children.mjs';
import { assertComplete, failedNames, goBetween, page, sweep } from './lib/doubles.mjs';
import { doubles } from './lib/tetris_doubles.mjs';
import { within } from './lib/wait.mjs';

const wanted = process.env.AGON_DOUBLES?.split(','), all = wanted !== undefined;
const loads = ['A25', 'A26', 'A27', 'A29', 'A30', 'A32', 'A33'];
const waits = all ? [] : ['A31', 'A36']; // seconds of doing nothing, or of playing
const quick = Array.from({ length: 37 }, (_, i) => `A${i + 1}`).filter((g) => ![...loads, ...waits].includes(g));
const list = JSON.parse(spawnSync(agon, ['verify', 'tetris', '--list', '--json'], { encoding: 'utf8' }).stdout);

let server;
before(async () => (server = await Server.start('--protocol', 'both', '--tables', '1000')));
after(() => server.stop());

async function verify(port, ...options) {
  const child = spawn(agon, ['verify', 'tetris', `127.0.0.1:${port}`, '--quick', '--json', '--patience', '20', ...options]); // its limits are meant for a machine that has time
  let out = '', err = '';
  child.stdout.on('data', (d) => (out += d));
  child.stderr.on('data', (d) => (err += d));
  const status = await within(600000, new Promise((resolve) => child.on('close', resolve)), 'verdict');
  return { status, err, report: out ? JSON.parse(out) : null };
}

// Every run has a table of its own, so that many share the server.
let tables = 0;
async function verifyThrough(lie, gates) {
  const table = `t${++tables}`, world = {};
  const up = (m, link, text) => {
    const changed = lie.up?.(m, link, text) ?? m;
    return changed?.type === 'hello' && changed.requested ? { ...changed, requested: { ...changed.requested, table } } : undefined;
  };
  const proxy = await goBetween(server, { ...lie, up }, world);
  const result = await verify(proxy.address().port, '--gates', gates, ...(lie.start?.(world) ?? []));
  proxy.close();
  world.child?.kill();
  return result;
}

// The double of this name is caught by that name alone. Gates have limits in real time, which a machine that stands still
// breaks: a second try tells a slow machine from a wrong double.
async function fails(name, gates) {
  for (let left = 2; ; left--) {
    const { status, report, err } = await verifyThrough(doubles[name], gates);
    const failed = failedNames(report);
    if (failed.join() !== name && left > 1) continue;
    assert.equal(failed.join(), name, err.split('\n').filter((l) => / fail /.test(l)).join('\n'));
    assert.equal(status, 1);
    return report.assertions.find((a) => a.name === name).why;
  }
}

describe('agon verify tetris', { concurrency: 4 }, () => {
  test('every assertion has a lying double, and its row in the documentation', () => {
    assertComplete(list, doubles);
    const file = path.join(root, 'docs/protocols/tetris-verify.md'), now = readFileSync(file, 'utf8');
    const right = page(now.slice(0, now.indexOf('| Gate |')), list, doubles, 'adapter');
    if (process.env.AGON_WRITE_PAGES) writeFileSync(file, right);
    assert.equal(now, right, 'AGON_WRITE_PAGES=1 writes it anew');
  });

  test('every assertion of the quick gates holds on our adapter', { timeout: 600000 }, async () => {
    const { status, report, err } = await verify(server.port, '--gates', quick.join());
    assert.deepEqual(failedNames(report), [], err);
    assert.equal(status, 0, err);
    const idle = report.assertions.filter((a) => a.verdict === 'not run' && quick.includes(a.gate)).map((a) => a.name);
    assert.deepEqual(idle, [], 'each is seen to hold');
  });

  test('a lie is named by its one assertion', { timeout: 1200000 }, async () => {
    const names = Object.keys(doubles).filter((n) => (all ? wanted.includes('all') || wanted.includes(n) : doubles[n].quick));
    const wrong = await sweep(names, all ? 6 : 8, async (name) => {
      const own = doubles[name].gates ?? list.find((a) => a.name === name).gate;
      const why = await fails(name, own);
      assert.doesNotMatch(why, /dialog_|\(&?d,|->|[\x00-\x1f]/, 'a message quotes the wire, not the source');
      if (all && !doubles[name].only) await fails(name, quick.join());
    });
    assert.equal(wrong.length, 0, wrong.join('\n'));
  });

  test('an honest adapter behind the go-between passes', { timeout: 600000 }, async () => {
    const { status, err } = await verifyThrough({}, 'A1,A2,A3,A5,A9,A12,A14,A15,A16,A20,A34,A37');
    assert.equal(status, 0, err);
  });

  test('eight lies at once are eight names', { timeout: 600000 }, async () => {
    const names = ['policy.disconnect', 'welcome.command_modes', 'welcome.protocol_version', 'ack.status', 'restart.board',
                   'observation.seq', 'active.x', 'features.always'];
    const down = (m, link) => names.reduce((said, name) => doubles[name].down(said, link), m);
    const { status, report, err } = await verifyThrough({ down }, 'A3,A5,A17');
    assert.equal(status, 1);
    assert.deepEqual(failedNames(report).sort(), names.sort(), err);
  });

  test('T4.2 the report', async () => {
    const child = spawn(agon, ['verify', 'tetris', `127.0.0.1:${server.port}`, '--gates', 'A1']);
    let out = '';
    child.stdout.on('data', (d) => (out += d));
    assert.equal(await within(60000, new Promise((resolve) => child.on('close', resolve)), 'report'), 0);
    assert.deepEqual(out.match(/^### .*/gm), ['### Adapter under test', '### Checklist (pass/fail)', '### Artifacts']);
    assert.match(out, /^- Game: agon-tetris\n- Commit\/tag: .*\n- OS: .*\n- Bind: 127\.0\.0\.1:\d+\n- Protocol: 2\.1\.0 /m);
    assert.match(out, /^- Handshake ordering: ✅ +\(A1\)\n- Protocol mismatch error: - +\(A2\)\n/m);
  });

  test('ends with status 2 where nobody listens', async () => {
    const free = await new Promise((resolve) => {
      const s = net.createServer().listen(0, '127.0.0.1', () => (resolve(s.address().port), s.close()));
    });
    assert.equal((await verify(free)).status, 2);
  });
});
