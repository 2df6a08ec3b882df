// agon verify tetris: passes on our adapter, names the gate on a broken one.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { agon, Server, within } from './lib/adapter.mjs';
import { spawn } from './lib/children.mjs';

let server;
before(async () => (server = await Server.start('--protocol', 'both')));
after(() => server.stop());

async function verify(port, ...options) {
  const child = spawn(agon, ['verify', 'tetris', `127.0.0.1:${port}`, '--quick', '--json', ...options]);
  let out = '', err = '';
  child.stdout.on('data', (d) => (out += d));
  child.stderr.on('data', (d) => (err += d));
  const status = await within(110000, new Promise((resolve) => child.on('exit', resolve)), 'verdict');
  return { status, err, report: out ? JSON.parse(out) : null };
}

// A go-between that spoils what the adapter says, line by line.
function double(spoil) {
  const proxy = net.createServer((client) => {
    const upstream = net.connect(server.port, server.host);
    let rest = '';
    upstream.on('data', (d) => {
      const lines = (rest + d).split('\n');
      rest = lines.pop();
      const out = lines.map((l) => spoil(JSON.parse(l))).filter(Boolean).map((m) => JSON.stringify(m) + '\n').join('');
      if (out) client.write(out);
    });
    client.pipe(upstream);
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => {});
    client.on('error', () => {});
  });
  return new Promise((resolve) => proxy.unref().listen(0, '127.0.0.1', () => resolve(proxy)));
}

describe('agon verify tetris', () => {
  test('passes on our adapter, quickly', { timeout: 120000 }, async () => {
    const slow = 'A1,A2,A3,A4,A5,A8,A9,A10,A11,A12,A13,A14,A15,A16,A17,A18,A19,A20,A21,A22,A23,A24,A28,A34,A35,A37';
    const { status, report, err } = await verify(server.port, '--gates', slow);
    assert.equal(status, 0, err);
    assert.equal(report.gates.filter((g) => g.verdict === 'pass').length, slow.split(',').length);
  });

  const broken = {
    A1: (m) => (m.code === 'handshake_required' ? { ...m, code: 'invalid_command' } : m),
    A2: (m) => (m.code === 'protocol_mismatch' ? { ...m, seq: 7 } : m),
    A3: (m) => (m.type === 'observation' ? (({ timers, ...rest }) => rest)(m) : m),
    A4: (m) => (m.type === 'observation' ? (({ board, ...rest }) => rest)(m) : m),
    A8: (m) => (m.code === 'not_controller' ? { type: 'ack', seq: m.seq, ts: m.ts, status: 'ok' } : m),
    A9: (m) => (m.code === 'controller_active' ? { ...m, controller_id: 999 } : m),
    A12: (m) => (m.code === 'invalid_command' ? { type: 'ack', seq: m.seq, ts: m.ts, status: 'ok' } : m),
    A14: (m) => (m.code === 'backpressure' ? null : m),
    A18: (m) => (m.type === 'observation' ? { ...m, active: m.active && { ...m.active, kind: 'iotszjl'[(m.episode_id + m.piece_id) % 7] } } : m),
    A20: (m) => (m.type === 'observation' ? { ...m, step_in_piece: m.step_in_piece + 1 } : m),
    A21: (m) => (m.paused ? null : m),
    A28: (m) => (m.type === 'observation' ? { ...m, logical_step: m.logical_step + 1 } : m),
    A35: (m) => (m.type === 'ack' && m.state_hash ? { ...m, state_hash: '0000000000000000' } : m),
  };
  for (const [gate, spoil] of Object.entries(broken))
    test(`names ${gate} on an adapter that breaks it`, { timeout: 60000 }, async () => {
      const proxy = await double(spoil);
      const { status, report, err } = await verify(proxy.address().port, '--gates', gate);
      proxy.close();
      assert.equal(status, 1, err);
      const failed = report.gates.find((g) => g.id === gate);
      assert.equal(failed.verdict, 'fail');
      assert.ok(failed.why.length > 0);
    });

  test('ends with status 2 where nobody listens', async () => {
    const free = await new Promise((resolve) => {
      const s = net.createServer().listen(0, '127.0.0.1', () => (resolve(s.address().port), s.close()));
    });
    assert.equal((await verify(free)).status, 2);
  });
});
