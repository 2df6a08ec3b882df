// HAProxy and nginx in front of two nodes, with the files of packaging/deploy: other ports and addresses, nothing else. An
// agent whose node is killed comes back through the balancer and finds its match at the other one (S13, S49, S99).
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Agent, Arena, choose, end, play, root } from './lib/arena.mjs';
import { spawn } from './lib/children.mjs';
import { freePort } from './lib/port.mjs';
import { installed, Postgres } from './lib/postgres.mjs';
import { scratch } from './lib/scratch.mjs';
import { until, within } from './lib/wait.mjs';

const skip = installed ? false : 'PostgreSQL is not installed; tools/setup test installs it';
const options = ['--fill-wait', '100', '--house-bots', '2', '--house-wait', '200', '--table-max', '2', '--message-rate', '100000', '--message-burst', '100000', '--lease', '6000'];
let db;
const nodes = {};
const start = (name) => Arena.start([...options, '--node', name], { seed: null, shell: `AGON_STORE='${db.url}' exec "$@"` });
before(async () => {
  if (skip) return;
  db = await Postgres.start();
  for (const name of ['node1', 'node2']) nodes[name] = await start(name);
});
after(async () => {
  if (skip) return;
  for (const n of Object.values(nodes)) await n.stop();
  await db.stop();
});

// Names of nodes become where they are here.
const placed = (file, port) => readFileSync(path.join(root, 'packaging/deploy', file), 'utf8')
  .replaceAll(/\bnode[12]:8080/g, (n) => `127.0.0.1:${nodes[n.slice(0, 5)].port}`)
  .replace('bind :8080', `bind 127.0.0.1:${port}`)
  .replace('listen 8080', `listen 127.0.0.1:${port}`);

const kinds = {
  haproxy: (folder, text) => ['haproxy', ['-db', '-f', write(folder, 'haproxy.cfg', text)]],
  nginx: (folder, text) => ['nginx', ['-p', folder, '-e', 'error.log', '-c', write(folder, 'nginx.conf',
    `daemon off; master_process off; pid ${folder}/pid; events {} http { access_log off;
     ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((t) => `${t}_temp_path ${folder}/${t};`).join(' ')}\n${text}\n}`)]],
};
const write = (folder, name, text) => (writeFileSync(path.join(folder, name), text), path.join(folder, name));
const answers = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1').on('connect', () => (socket.destroy(), resolve(true))).on('error', () => resolve(false));
});

// An arena that is reached through the balancer.
async function balance(kind) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const folder = scratch(`${kind}-`), port = await freePort();
    const [command, words] = kinds[kind](folder, placed(kind === 'nginx' ? 'nginx.conf' : 'haproxy.cfg', port));
    const process = spawn(command, words, { stdio: 'ignore' });
    const exited = new Promise((resolve) => process.on('exit', () => resolve('over')).on('error', () => resolve('over')));
    let over = false;
    exited.then(() => (over = true));
    await until(async () => over || (await answers(port)), `${kind} that listens`);
    if (over) continue; // somebody was faster at the port
    const front = Object.assign(new Arena(), { process, exited, scheme: 'http', host: '127.0.0.1', port, url: `http://127.0.0.1:${port}`, errors: '' });
    await until(async () => (await front.call('GET', '/api/ready')).status === 200, 'a node that is ready');
    return front;
  }
  throw new Error(`${kind} did not start`);
}

const call = (front, session, method, params) => fetch(`${front.url}/mcp`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(session ? { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' } : {}) },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});

for (const kind of Object.keys(kinds)) {
  test(`${kind}: sessions stay at their node, agents go on at another one`, { skip }, async () => {
    const front = await balance(kind);

    // Whoever comes through it is nobody of this machine, whatever they say of themselves.
    for (const headers of [{}, { 'x-forwarded-for': '' }, { 'x-forwarded-for': '127.0.0.1' }, { 'x-forwarded-for': 'local' }])
      assert.equal((await front.call('GET', '/metrics', { headers })).status, 403, JSON.stringify(headers));

    // More sessions than nodes: whichever node they began at, they find it again.
    for (let i = 0; i < 4; i++) {
      const begun = await call(front, null, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
      const session = begun.headers.get('mcp-session-id');
      assert.equal(begun.status, 200);
      for (let k = 0; k < 3; k++) {
        const listed = await call(front, session, 'tools/list', {});
        assert.equal(listed.status, 200, `session ${i}, call ${k}`);
        await listed.text();
      }
    }

    // It confirms by itself: a policy is known at the other nodes after a second or two (S27).
    const agent = await Agent.connect(front, await front.register(`player behind ${kind}`), { instance: `behind ${kind}` });
    agent.join('liars_dice', { one_shot: true });
    const found = await agent.next('match_confirm_request');
    agent.send({ type: 'match_confirm', data: { confirm_id: found.data.confirm_id } });
    const asked = await agent.next('action_request');
    agent.act(asked, choose('liars_dice', asked.data, agent.chance));
    const [at] = db.ask(`SELECT n.name FROM presence p JOIN nodes n ON n.epoch = p.epoch JOIN agents a ON a.row = p.agent WHERE a.id = '${agent.agent.id}'`);
    await nodes[at].stop('SIGKILL');
    await within(20000, agent.closed, 'end of the connection');
    // As clients do: it tries again until its match is there.
    const adopted = () => Number(db.ask(`SELECT count(*) FROM running WHERE adopted AND host IN (SELECT epoch FROM nodes WHERE name <> '${at}')`)[0]);
    const over = () => Number(db.ask(`SELECT count(*) FROM matches m JOIN seats s ON s.match = m.match JOIN agents a ON a.row = s.agent WHERE a.id = '${agent.agent.id}'`)[0]);
    await until(() => adopted() + over() > 0, 'adoption', 30000);
    const back = await Agent.connect(front, agent.agent, { instance: agent.options.instance, memory: agent.memory, sameProcess: true });
    await play(back);
    assert.equal(over(), 1);
    await end([back]);
    nodes[at] = await start(at);
    front.process.kill('SIGTERM');
    await within(20000, front.exited, `exit of ${kind}`);
  });
}
