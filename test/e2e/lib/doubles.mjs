// Lying doubles for the verify tools: an honest server behind a go-between that changes one thing. Every assertion that a
// tool lists has a double in a table, and the tool must fail it by that name alone.
//
// A table is { 'assertion.name': { lie: 'what it does', ... } }. The rest of a row is up to the tool's own file; `only`
// marks a lie that a full run also notices elsewhere, so that it is run against its own gates only.
import assert from 'node:assert/strict';
import net from 'node:net';
import { beSlow } from './wait.mjs';

// Every listed assertion has a double, and every double is of a listed assertion.
export function assertComplete(list, doubles) {
  const names = list.map((a) => a.name);
  assert.equal(new Set(names).size, names.length, 'names are unique');
  assert.deepEqual(names.filter((n) => !doubles[n]), [], 'assertions without a lying double');
  assert.deepEqual(Object.keys(doubles).filter((n) => !names.includes(n)), [], 'doubles of no assertion');
  for (const [name, d] of Object.entries(doubles)) assert.ok(d.lie?.length > 5, `${name} says what its lie is`);
}

// Several doubles of one assertion, 'C4' and 'C4.logging', as one row with all their lies.
export function byAssertion(doubles) {
  const rows = {};
  for (const [name, { lie }] of Object.entries(doubles)) {
    const id = name.split('.')[0];
    rows[id] = { lie: rows[id] ? `${rows[id].lie}; ${lie}` : lie };
  }
  return rows;
}

export const failedNames = (report) => report.assertions.filter((a) => a.verdict === 'fail').map((a) => a.name);

// Runs `one(name)` for every name, so many at once; returns what went wrong as lines.
export async function sweep(names, atOnce, one) {
  const left = [...names], wrong = [];
  const work = async () => {
    for (let name; (name = left.shift()) !== undefined; )
      await one(name).catch((e) => wrong.push(`${name}: ${e.message}`));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return wrong;
}

// The table of assertions and doubles as a page of the documentation.
export function page(head, list, doubles, what = 'server') {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return head + [row(['Gate', 'Assertion', 'Rules', 'What must hold', 'The lie of its double']), row(Array(5).fill('---')),
          ...list.map((a) => row([a.gate, `\`${a.name}\``, a.rules, a.text + (a.own ? ` (own ${what} only)` : ''), doubles[a.name].lie])), ''].join('\n');
}

// A go-between for servers of JSON lines. `lie` may have
//   up(message, link, text)   what the client sends: a message, or nothing to leave it; message is undefined if it is no JSON
//   down(message, link)       what the server sends: a message, a list of them, null to swallow it; {raw} is sent as it is,
//                             {wait, send} is sent later, with all that follows
// Both share `link` (one per connection: asked, welcome, now, hello) and `link.world` (one per double).
export function goBetween(server, lie, world = {}) {
  world.connections = 0;
  const proxy = net.createServer((client) => {
    const upstream = net.connect(server.port, server.host);
    const link = { world, number: ++world.connections, asked: new Map(), observations: 0, client };
    let turn = Promise.resolve(), waiting = 0;
    const put = (item) => {
      if (item?.wait) {
        waiting++;
        turn = turn.then(() => beSlow(item.wait)).then(() => { waiting--; write(item.send); });
      } else if (waiting) turn = turn.then(() => write(item));
      else write(item);
    };
    const write = (item) => item && client.write(item.raw ?? JSON.stringify(item) + '\n');
    link.send = put;
    upstream.on('data', () => (client.cork(), process.nextTick(() => client.uncork()))); // one write stays one write
    cutLines(upstream, (bytes) => {
      const m = JSON.parse(bytes);
      note(link, m);
      const said = lie.down ? lie.down(m, link) : m;
      for (const item of Array.isArray(said) ? said : [said]) put(item);
    });
    cutLines(client, (bytes) => {
      const text = bytes.toString('latin1');
      let m;
      try { m = JSON.parse(bytes.toString('utf8')); } catch { /* as it is */ }
      if (m?.seq !== undefined) link.asked.set(m.seq, m);
      if (m?.type === 'hello') link.hello ??= m;
      const changed = lie.up?.(m, link, text);
      upstream.write(changed ? JSON.stringify(changed) + '\n' : Buffer.concat([bytes, Buffer.from('\n')]));
    });
    upstream.on('close', () => link.keepOpen || turn.then(() => client.end()));
    client.on('close', () => upstream.destroy());
    for (const socket of [client, upstream]) socket.setNoDelay(true).on('error', () => {});
  });
  return new Promise((resolve) => proxy.unref().listen(0, '127.0.0.1', () => resolve(proxy)));
}

function cutLines(socket, onLine) {
  let rest = Buffer.alloc(0);
  socket.on('data', (d) => {
    rest = rest.length ? Buffer.concat([rest, d]) : d;
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) onLine(rest.subarray(0, end));
  });
}

function note(link, m) {
  if (m.type === 'welcome') link.welcome = m;
  if (m.type === 'observation') {
    link.now = m;
    link.observations++;
    link.world.seen = m;
  }
}
