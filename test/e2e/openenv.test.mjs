// agon openenv: every route, wrong input, seeds, sessions, tables, limits (rules O of docs/spec/openenv.md).
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { games, run } from './agon.mjs';
import { Chance } from './lib/chance.mjs';
import { Server, Session, choose, playOn } from './lib/openenv.mjs';
import { scratch } from './lib/scratch.mjs';
import { until, within } from './lib/wait.mjs';

const names = games.map((g) => g.name);
let coup;
before(async () => { coup = await Server.start(['--game', 'coup']); });
after(async () => { assert.equal((await coup.stop()).code, 0, coup.errors); });

describe('HTTP', () => {
  test('health, metadata, schema and openapi are what the validator expects (O10, O11, O12)', async () => {
    assert.deepEqual((await coup.get('/health')).json, { status: 'healthy' });
    const about = (await coup.get('/metadata')).json;
    assert.equal(about.name, 'agon-coup');
    assert.match(about.readme_content, /^# Coup/);
    assert.equal(typeof about.description, 'string');
    const api = (await coup.get('/openapi.json')).json;
    assert.equal(api.info.version, '1.0.0');
    assert.deepEqual(Object.keys(api.paths), ['/reset', '/step', '/state', '/health', '/metadata', '/schema', '/mcp']);
    assert.deepEqual(api.servers, [{ url: '/' }]);
    assert.deepEqual((await coup.get('/openenv/coup/openapi.json')).json.servers, [{ url: '/openenv/coup' }]);
    const schema = await coup.get('/schema', { 'accept-encoding': 'gzip' });
    assert.equal(schema.headers.get('content-encoding'), null);
    assert.ok(schema.text.length < 256 << 10);
    for (const part of ['action', 'observation', 'state']) assert.equal(schema.json[part].additionalProperties, false);
    assert.equal((await coup.get('/')).status, 200); // O2
  });

  test('an episode over plain HTTP, by the session of reset (O16, O17)', async () => {
    const reset = await coup.post('/reset', { seed: 7 });
    const id = reset.headers.get('x-openenv-session');
    assert.equal(reset.json.metadata.session_id, id);
    assert.equal(reset.json.reward, null);
    const chance = new Chance(3);
    let reply = reset.json, first;
    for (let i = 0; !reply.done; i++) {
      const body = { action: choose(chance, reply.observation.legal), session_id: id, request_id: `r${i}` };
      const step = await coup.post('/step', body), again = await coup.post('/step', body);
      assert.equal(step.status, 200);
      assert.equal(step.text, again.text, 'a repeated request acts once');
      assert.equal(again.headers.get('x-request-id'), `r${i}`);
      first ??= step;
      reply = step.json;
    }
    const state = await coup.get(`/state?session_id=${id}`);
    assert.equal(state.json.step_count, reply.metadata.step);
    assert.equal(state.json.episode_id, 'coup-7');
    assert.equal((await coup.post('/reset', { seed: 7, session_id: id })).headers.get('x-openenv-session'), id);
    assert.deepEqual((await coup.get('/state')).json, { episode_id: null, step_count: 0 });
    const named = { session_id: id, request_id: 'once' };
    const drawn = await coup.post('/reset', named);
    assert.equal((await coup.post('/reset', named)).text, drawn.text, 'a repeated reset draws no other seed');
    const plain = await coup.post('/step', { action: { index: 0 }, session_id: id });
    assert.equal(plain.headers.get('x-request-id'), null, 'a request without an id has none');
  });

  test('a request whose client has left is not answered to another, and acts once (O17)', { timeout: 600000 }, async () => {
    const server = await Server.start(['--game', 'belote']);
    const { observation, metadata: { session_id } } = (await server.post('/reset', { seed: 1, opponents: 'search' })).json;
    const body = { action: observation.legal[0], session_id, request_id: 'lost' };
    const gone = new AbortController();
    const lost = fetch(`${server.url}/step`, { method: 'POST', body: JSON.stringify(body), signal: gone.signal }).catch(() => {});
    await until(async () => (await server.get(`/state?session_id=${session_id}`)).json.step_count === 1, 'step');
    gone.abort();
    await lost;
    let other, again;
    await until(async () => (other = await server.post('/step', { action: { type: 'wait' }, session_id })).status !== 409, 'end of the step');
    assert.equal(other.json.metadata.step, 2, 'its own answer');
    await server.post('/reset', { seed: 1, opponents: 'search', session_id });
    const second = new AbortController(), more = { ...body, request_id: 'lost again' };
    const left = fetch(`${server.url}/step`, { method: 'POST', body: JSON.stringify(more), signal: second.signal }).catch(() => {});
    await until(async () => (await server.get(`/state?session_id=${session_id}`)).json.step_count === 1, 'step');
    second.abort();
    await left;
    await until(async () => (again = await server.post('/step', more)).status === 200, 'answer');
    assert.equal(again.json.metadata.step, 1, 'the answer of the first');
    assert.equal((await server.get(`/state?session_id=${session_id}`)).json.step_count, 1);
    const socket = await server.open(`?session_id=${session_id}`);
    socket.send({ type: 'step', data: again.json.observation.legal[0] });
    const behind = server.post('/step', { action: { type: 'wait' }, session_id });
    await until(async () => (await server.get(`/state?session_id=${session_id}`)).json.step_count >= 2, 'step');
    socket.ws.terminate();
    assert.equal((await within(20000, behind, 'answer')).status, 200, 'a socket that closes takes nothing else along');
    assert.equal((await server.stop()).code, 0, server.errors);
  });

  test('wrong requests get 4xx that say what would be right (O13, O14, O15)', async () => {
    const { json } = await coup.post('/reset', {});
    const session_id = json.metadata.session_id;
    for (const [body, type, loc, says = /./] of [
      [{ seed: -1 }, 'greater_than_equal', ['body', 'seed']],
      [{ seed: 1.5 }, 'int_type', ['body', 'seed']],
      [{ seed: 'x' }, 'int_type', ['body', 'seed']],
      [{ episode_id: 'x'.repeat(300) }, 'string_too_long', ['body', 'episode_id']],
      [{ seats: 99 }, 'less_than_equal', ['body', 'seats'], /^Input should be less than or equal to \d+$/],
      [{ max_illegal: -1 }, 'greater_than_equal', ['body', 'max_illegal'], /^Input should be greater than or equal to \d+$/],
      [{ max_illegal: -1e20 }, 'int_type', ['body', 'max_illegal']],
      [{ rules: { hands: [['Duke', 'Duke'], ['Duke', 'Duke']] } }, 'value_error', ['body', 'rules']],
      [{ opponents: Array(20).fill('rules') }, 'value_error', ['body', 'opponents'], /a list of at most \d+; .*rules/],
      [{ scenario: 'nowhere' }, 'value_error', ['body', 'scenario']],
      [{ seats: 1 }, 'value_error', ['body', 'seats']],
      [{ rules: { colour: 1 } }, 'value_error', ['body', 'rules']],
      [{ opponents: 'nobody' }, 'value_error', ['body', 'opponents']],
      [{ opponents: 'house:4@600000ms' }, 'value_error', ['body', 'opponents']],
      [{ seat: 'seat_3x' }, 'literal_error', ['body', 'seat']],
      [{ seat: 5 }, 'value_error', ['body', 'seat']],
      [{ illegal: 'ignore' }, 'literal_error', ['body', 'illegal'], /^Input should be 'observation', 'fallback', 'forfeit' or 'error'$/],
      [{ wait: 999 }, 'float_type', ['body', 'wait']],
      [{ split: 'test', index: 1000 }, 'value_error', ['body', 'index']],
      ['not json', 'json_invalid', ['body']],
      ['[1]', 'json_invalid', ['body']],
      [{ timeout_s: 0 }, 'greater_than', ['body', 'timeout_s']],
      [{ request_id: 'a\u0000b' }, 'string_type', ['body', 'request_id']],
      [{ request_id: 'a\u0007' }, 'string_type', ['body', 'request_id']],
      [{ request_id: 'a\r\nb: c' }, 'string_type', ['body', 'request_id']],
    ]) {
      const r = await coup.post('/reset', body);
      assert.equal(r.status, 422, JSON.stringify(body));
      assert.equal(r.json.detail[0].type, type, r.text);
      assert.deepEqual(r.json.detail[0].loc, loc);
      assert.match(r.json.detail[0].msg, says);
    }
    for (const [body, status, type] of [
      [{ action: { colour: 1 }, session_id }, 422, 'extra_forbidden'],
      [{ action: {}, session_id }, 422, 'missing'],
      [{ action: { type: 5 }, session_id }, 422, 'string_type'],
      [{ action: { index: 'x' }, session_id }, 422, 'int_type'],
      [{ action: { text: 5 }, session_id }, 422, 'string_type'],
      [{ action: 5, session_id }, 422, 'dict_type'],
      [{ session_id }, 422, 'missing'],
    ]) {
      const r = await coup.post('/step', body);
      assert.equal(r.status, status);
      assert.equal(r.json.detail[0].type, type, r.text);
    }
    const huge = await coup.post('/step', { action: { metadata: {}, colour: 'x'.repeat(5000) }, session_id });
    assert.ok(huge.json.detail[0].input.length <= 210, 'the input is cut');
    assert.equal((await coup.post('/step', { action: { type: 'tax' } })).status, 409);
    assert.equal((await coup.post('/step', { action: { type: 'tax' }, session_id: 'f'.repeat(32) })).status, 404);
    assert.equal((await coup.get('/state?session_id=zz')).status, 404);
    assert.deepEqual((await coup.get('/nowhere')).json, { detail: 'Not Found' });
    assert.equal((await coup.get('/openenv/poker/health')).status, 404);
    const method = await coup.get('/reset');
    assert.deepEqual([method.status, method.json, method.headers.get('allow')], [405, { detail: 'Method Not Allowed' }, 'POST']);
    assert.equal((await coup.get('/ws')).status, 426);
    assert.equal((await coup.post('/reset', `{"episode_id":"${'x'.repeat(70000)}"}`)).status, 413);
    assert.equal((await coup.get(`/state?session_id=${session_id}`)).json.step_count, 0, 'nothing has changed');
  });

  test('tasks are seeds (O60)', async () => {
    assert.deepEqual((await coup.get('/list_environments')).json, ['coup']);
    assert.deepEqual((await coup.get('/coup/splits')).json.map((s) => s.name), ['train', 'test']);
    assert.deepEqual((await coup.post('/coup/num_tasks', { split: 'train' })).json, { num_tasks: 10000 });
    const { task } = (await coup.post('/coup/task', { split: 'test', index: 12 })).json;
    assert.deepEqual([task.id, task.index, task.split, task.scenario], ['test-12', 12, 'test', 'players_4']);
    const { tasks } = (await coup.post('/coup/task_range', { split: 'test', start: 11, stop: 14 })).json;
    assert.deepEqual(tasks.map((t) => t.index), [11, 12, 13]);
    assert.deepEqual(tasks[1], task);
    assert.equal((await coup.post('/coup/tasks', { split: 'train' })).json.tasks.length, 10000);
    assert.equal((await coup.post('/coup/task', { split: 'test', index: 1000 })).status, 400);
    assert.equal((await coup.post('/coup/task', { split: 'dev', index: 1 })).status, 400);
    assert.equal((await coup.post('/poker/task', { split: 'test', index: 1 })).status, 404);
    const a = await coup.open(), b = await coup.open();
    const one = await a.text({ type: 'reset', data: { split: 'test', index: 12 } });
    const two = await b.text({ type: 'reset', data: { seed: task.seed } });
    assert.equal(one, two);
    await a.close();
    await b.close();
  });
});

describe('/ws', () => {
  test('a typed client\'s whole model, an index and words are actions (O21, O22, O41)', async () => {
    const s = await coup.open();
    const first = await s.reset({ seed: 7, episode_id: 'demo-1' });
    assert.equal(first.reward, null);
    assert.deepEqual(first.metadata, { episode_id: 'demo-1', seed: 7, step: 0 });
    assert.deepEqual(first.observation.metadata, first.metadata);
    assert.match(first.observation.rules, /^Coup\./);
    assert.match(first.observation.text, /You are seat_0 with Duke, Captain/);
    const tax = await s.step({ type: 'tax', target: null, role: null, metadata: {} });
    assert.equal(tax.observation.rules, null);
    assert.equal(typeof tax.reward, 'number');
    assert.ok(tax.observation.events.some((e) => e.type === 'action' && e.action === 'tax'));
    const index = tax.observation.legal.find((a) => a.type === 'pass').index;
    const passed = await s.step({ index });
    assert.equal(passed.observation.error, null);
    const word = passed.observation.legal[0].type;
    const said = await s.step({ text: `I think about it.\n{"action":"${word}${word === 'lose_card' ? ' 0' : ''}"}` });
    assert.equal(said.observation.error, null, JSON.stringify(said.observation.error));
    assert.equal((await s.state()).step_count, 3);
    await s.close();
  });

  test('errors say what they are, and the session goes on (O26, O27, O29)', async () => {
    const s = await coup.open();
    for (const [message, code] of [
      [{ type: 'step', data: { type: 'tax' } }, 'EXECUTION_ERROR'],
      ['{', 'INVALID_JSON'],
      ['', 'INVALID_JSON'],
      ['[1]', 'VALIDATION_ERROR'],
      ['5', 'VALIDATION_ERROR'],
      [{}, 'UNKNOWN_TYPE'],
      [{ type: 5 }, 'UNKNOWN_TYPE'],
      [{ type: 'validation_open' }, 'UNKNOWN_TYPE'],
      [{ type: 'step' }, 'VALIDATION_ERROR'],
      [{ type: 'step', data: [] }, 'VALIDATION_ERROR'],
      [{ type: 'step', data: { type: 'tax', colour: 1 } }, 'VALIDATION_ERROR'],
      [{ type: 'reset', data: { seed: -1 } }, 'VALIDATION_ERROR'],
      [{ type: 'reset', data: {}, more: 1 }, 'VALIDATION_ERROR'],
    ]) {
      const reply = await s.ask(message);
      assert.deepEqual([reply.type, reply.data.code], ['error', code], JSON.stringify(message));
      if (code === 'VALIDATION_ERROR') assert.ok(reply.data.errors[0].type && reply.data.errors[0].msg);
    }
    assert.equal((await s.ask({ type: 'step', data: { type: 'tax' } })).data.message, 'no episode: reset first');
    assert.equal((await s.state()).episode_id, null);
    assert.equal((await s.reset({ seed: 1 })).done, false);
    s.send({ type: 'close' });
    assert.equal(await s.closed, 1000);
    const binary = await coup.open();
    binary.ws.send(Buffer.from([1, 2]), { binary: true });
    assert.equal(await binary.closed, 1003);
    const large = await coup.open();
    large.ws.send('x'.repeat(70000));
    assert.equal(await large.closed, 1009);
  });

  test('requests that come at once are answered in order, and pings at once (O20, O30)', async () => {
    const s = await coup.open();
    const pong = new Promise((resolve) => s.ws.on('pong', (data) => resolve(data.toString())));
    s.ws.ping('here');
    assert.equal(await within(20000, pong, 'pong'), 'here');
    for (let i = 0; i < 20; i++) s.send({ type: 'reset', data: { seed: i } });
    for (let i = 0; i < 20; i++) assert.equal(JSON.parse(await s.next()).data.metadata.seed, i);
    await s.close();
  });

  test('an action that is refused is an observation, by the policy of the reset (O43, O46)', async () => {
    const s = await coup.open();
    const first = await s.reset({ seed: 7 });
    for (const [action, reason] of [
      [{ type: 'coup', target: 'seat_1' }, 'illegal_now'],
      [{ type: 'dance' }, 'unknown_action'],
      [{ type: 'steal' }, 'bad_parameter'],
      [{ type: 'steal', target: 5.5 }, 'bad_parameter'],
      [{ index: 23 }, 'illegal_now'],
      [{ index: 9999 }, 'unknown_action'],
      [{ text: 'hmm' }, 'unparsable'],
      [{ text: '{"action":"coup seat_1"}' }, 'illegal_now'],
    ]) {
      const { observation, reward, done } = await s.step(action);
      assert.equal(observation.error.reason, reason, JSON.stringify(observation.error));
      assert.deepEqual([reward, done, observation.events], [0, false, []]);
      assert.deepEqual(observation.view, first.observation.view);
      assert.ok(observation.error.legal.includes('tax'), JSON.stringify(observation.error));
      assert.match(observation.error.message, /; legal: /);
    }
    assert.equal((await s.state()).step_count, 8);
    await s.step({ type: 'tax' });
    await s.reset({ seed: 7, max_illegal: 2 });
    await s.step({ type: 'dance' });
    const out = await s.step({ type: 'dance' });
    assert.deepEqual([out.done, out.observation.termination_reason], [true, 'forfeit']);
    const over = await s.step({ type: 'tax' });
    assert.deepEqual([over.done, over.reward, over.observation.error.reason], [true, 0, 'episode_over']);
    await s.reset({ seed: 7, illegal: 'fallback' });
    const fell = await s.step({ type: 'dance' });
    assert.equal(fell.observation.error.reason, 'unknown_action');
    assert.ok(fell.observation.events.length > 0, 'the fallback was played');
    await s.reset({ seed: 7, illegal: 'forfeit' });
    assert.equal((await s.step({ type: 'dance' })).observation.termination_reason, 'forfeit');
    await s.reset({ seed: 7, illegal: 'error' });
    const error = await s.ask({ type: 'step', data: { type: 'coup', target: 'seat_1' } });
    assert.equal(error.data.code, 'EXECUTION_ERROR');
    assert.match(error.data.message, /coup is not legal now.*legal: /);
    await s.close();
  });

  test('options of a reset (O40, O45)', async () => {
    const s = await coup.open();
    const plain = await s.reset({ colour: 1, 'a"b': 2, seats: 3, seat: 'seat_2', scenario: null });
    assert.deepEqual(plain.metadata.warnings, ['unknown option: colour', 'unknown option: a"b']);
    assert.equal(plain.observation.seat, 'seat_2');
    assert.equal(plain.observation.view.seats.length, 3);
    assert.equal(typeof plain.metadata.seed, 'number', 'the seed that was drawn');
    const again = await s.reset({ seed: plain.metadata.seed, seats: 3, seat: 2, text: 'off', vector: true, opponents: ['random', 'house:1', null] });
    assert.equal(again.observation.text, '');
    assert.ok(again.observation.vector.length > 10 && again.observation.mask.includes(1));
    assert.deepEqual((await s.state()).opponents.length, 2);
    const brief = await s.reset({ seed: 1, text: 'brief', rules: { coins: 3 } });
    assert.match(brief.observation.text, /Your move: income/);
    assert.equal(brief.observation.view.coins, 3);
    const seats = new Set();
    for (let seed = 0; seed < 20; seed++) seats.add((await s.reset({ seed, seat: 'random' })).observation.seat);
    assert.equal(seats.size, 4);
    const big = await s.text('{"type":"reset","data":{"seed":18446744073709551615}}');
    assert.match(big, /"seed":18446744073709551615/);
    await s.close();
  });

  test('capacity is told before the socket closes (O28)', async () => {
    const small = await Server.start(['--game', 'coup', '--max-sessions', '2']);
    const a = await small.open(), b = await small.open(), c = await small.open();
    const told = JSON.parse(await c.next());
    assert.deepEqual(told, { type: 'error', data: { message: 'Server at capacity: 2/2 sessions active. Cannot accept new connections.',
      code: 'CAPACITY_REACHED', active_sessions: 2, max_sessions: 2 } });
    c.send({ type: 'reset' });
    assert.equal(await within(20000, c.closed, 'close'), 1000);
    assert.equal((await small.post('/reset', {})).status, 503);
    assert.equal((await small.rpc('openenv/session/create')).json.error.code, -32000);
    await a.close();
    await until(async () => (await small.post('/reset', {})).status === 200, 'room for a session');
    await b.close();
    await small.stop();
  });

  test('idle sessions end and say so (O16, O34)', async () => {
    const short = await Server.start(['--game', 'coup', '--idle', '1', '--http-idle', '1']);
    const s = await short.open();
    await s.reset({ seed: 1 });
    const { session_id } = (await short.post('/reset', {})).json.metadata;
    assert.deepEqual(JSON.parse(await s.next()).data.code, 'SESSION_ERROR');
    s.send({ type: 'state' });
    assert.equal(await within(20000, s.closed, 'close'), 1000);
    await until(async () => (await short.get(`/state?session_id=${session_id}`)).status === 404, 'end of the session');
    await short.stop();
  });
});

describe('/mcp', () => {
  test('JSON-RPC is always answered with 200 (O35, O36, O37)', async () => {
    for (const [body, code] of [['{}', -32600], ['{', -32700], ['{"jsonrpc":"2.0","id":tru}', -32700], ['[]', -32600], ['{"jsonrpc":"2.0","method":"tools/call","params":[]}', -32602],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600], ['{"jsonrpc":"2.0","id":1,"method":"nothing"}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","session_id":"x"}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"openenv/session/close","params":{}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"openenv/session/close","params":{"session_id":"x"}}', -32602]]) {
      const r = await coup.post('/mcp', body);
      assert.deepEqual([r.status, r.json.jsonrpc, r.json.error.code], [200, '2.0', code], body);
    }
  });

  test('tools, in a session and without one (O38)', async () => {
    const { tools } = (await coup.rpc('tools/list')).json.result;
    assert.deepEqual(tools.map((t) => t.name), ['play', 'look', 'rules']);
    const { session_id } = (await coup.rpc('openenv/session/create')).json.result;
    assert.equal((await coup.post('/reset', { session_id, scenario: 'nowhere' })).status, 422);
    assert.equal((await coup.get(`/state?session_id=${session_id}`)).status, 200, 'a refused reset leaves it');
    const call = async (name, args, id = session_id) => (await coup.rpc('tools/call', { name, arguments: args, session_id: id })).json.result;
    assert.match((await call('rules', {})).content[0].text, /^Coup\./);
    const look = await call('look', {});
    assert.deepEqual(look.data, look.structuredContent);
    assert.equal(look.content[0].text, look.data.observation.text);
    const words = await call('play', { action: 'income' });
    assert.equal(words.isError, false);
    assert.equal(words.data.metadata.step, 1);
    const object = await call('play', { action: words.data.observation.legal[0] });
    assert.equal(object.data.metadata.step, 2);
    const wrong = await call('play', {});
    assert.equal(wrong.isError, true);
    assert.equal((await call('dance', {})).isError, true);
    assert.deepEqual((await coup.rpc('openenv/session/close', { session_id })).json.result, { session_id, closed: true });
    assert.equal((await coup.rpc('tools/call', { name: 'look', arguments: {}, session_id })).json.error.message, `Unknown session_id: ${session_id}`);
    const fresh = (await coup.rpc('tools/call', { name: 'play', arguments: { action: 'income' } })).json.result;
    assert.equal(fresh.data.metadata.step, 1);
    const hello = await coup.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });
    assert.equal(hello.json.result.protocolVersion, '2025-06-18');
    assert.equal((await coup.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
    const header = { 'mcp-session-id': hello.headers.get('mcp-session-id') };
    for (let i = 1; i <= 2; i++) {
      const body = { jsonrpc: '2.0', id: i, method: 'tools/call', params: { name: 'play', arguments: { action: { index: 0 } } } };
      assert.equal((await coup.post('/mcp', body, header)).json.result.data.metadata.step, i, 'calls of an MCP session share a table');
    }
  });

  test('a socket attaches to a session and shares its episode (O31, O32)', async () => {
    const { session_id } = (await coup.rpc('openenv/session/create')).json.result;
    const s = await coup.open(`?session_id=${session_id}`);
    const first = await s.reset({ seed: 7 });
    const tool = (await coup.rpc('tools/call', { name: 'play', arguments: { action: 'tax' }, session_id })).json.result;
    assert.equal(tool.data.metadata.seed, first.metadata.seed);
    assert.equal((await s.state()).step_count, 1);
    const second = await coup.open(`?session_id=${session_id}`);
    assert.match(JSON.parse(await second.next()).data.message, /already has an attached WebSocket/);
    const none = await coup.open('?session_id=nobody');
    assert.equal(JSON.parse(await none.next()).data.message, 'Unknown session_id: nobody');
    await s.close();
    const again = await coup.open(`?session_id=${session_id}`);
    assert.equal((await again.state()).step_count, 1, 'the session stays');
    assert.deepEqual((await coup.rpc('openenv/session/close', { session_id })).json.result, { session_id, closed: false, closing: true });
    await again.close();
    await until(async () => (await coup.get(`/state?session_id=${session_id}`)).status === 404, 'end of the session');
  });

  test('tools as steps and messages of /ws, and on a socket of their own (O39)', async () => {
    const s = await coup.open();
    const list = await s.step({ type: 'list_tools' });
    assert.deepEqual(list.observation.tools.map((t) => Object.keys(t)), Array(3).fill(['name', 'description', 'input_schema']));
    const played = await s.step({ type: 'call_tool', tool_name: 'play', arguments: { action: 'income' } });
    assert.deepEqual([played.observation.tool_name, played.observation.error], ['play', null]);
    assert.equal(played.observation.result.metadata.step, 2);
    assert.equal((await s.step({ type: 'call_tool', tool_name: 'dance' })).observation.error.error_type, 'tool_not_found');
    assert.equal((await s.step({ type: 'call_tool', tool_name: 'play', arguments: {} })).observation.error.error_type, 'invalid_args');
    const wrapped = await s.ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 'a', method: 'tools/list' } });
    assert.deepEqual([wrapped.type, wrapped.data.id, wrapped.data.result.tools.length], ['mcp', 'a', 3]);
    const own = await s.ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 2, method: 'openenv/session/create' } });
    const close = await s.ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 3, method: 'openenv/session/close', params: own.data.result } });
    assert.equal(close.data.error.code, -32600);
    await s.close();
    const m = await Session.open(coup, '/mcp', {});
    assert.equal((await m.ask({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'play', arguments: { action: 'income' } } })).result.data.metadata.step, 1);
    assert.equal((await m.ask('{')).error.code, -32700);
    await m.close();
  });
});

describe('every game', () => {
  let all;
  before(async () => { all = await Server.start([]); });
  after(() => all.stop());

  for (const game of names)
    test(`${game}: whole matches, valid by the schema, equal bytes for equal seeds (O1, O12, O23, O24, O25, O42, O44, O47)`, { timeout: 600000 }, async () => {
      const server = Object.assign(Object.create(all), { url: `${all.origin}/openenv/${game}` });
      const schemas = (await server.get('/schema')).json;
      const ajv = new Ajv({ strict: false, allowUnionTypes: true });
      const isObservation = ajv.compile(schemas.observation), isAction = ajv.compile(schemas.action), isState = ajv.compile(schemas.state);
      const most = game === 'tetris' || game === 'belote' ? 60 : 400;
      let rewarded = 0;
      for (const seed of [1, 2, 3]) {
        const a = await server.open(), b = await server.open();
        const one = await playOn(a, { seed }, seed, most), two = await playOn(b, { seed }, seed, most);
        assert.deepEqual(one.texts, two.texts);
        for (const [i, text] of one.texts.entries()) {
          const { observation, reward, done, metadata } = JSON.parse(text).data;
          assert.ok(isObservation({ ...observation, reward, done, metadata }), JSON.stringify(isObservation.errors));
          assert.equal(observation.error, null, JSON.stringify(observation.error));
          assert.equal(reward === null, i === 0);
          assert.equal(metadata.step, i);
          for (const action of observation.legal) assert.ok(isAction(action), JSON.stringify([action, isAction.errors]));
          if (i) assert.ok(Math.abs(Object.values(observation.reward_components).reduce((x, y) => x + y, 0) - reward) < 1e-6);
          rewarded += reward ? 1 : 0;
        }
        const state = await a.state();
        assert.ok(isState(state), JSON.stringify(isState.errors));
        assert.equal(state.step_count, one.texts.length - 1);
        assert.ok(one.last.data.done || one.texts.length > most);
        await a.close();
        await b.close();
      }
      assert.ok(rewarded > 0 || game === 'belote');
    });

  test('the same seed is the same deal in another process (O24)', async () => {
    const other = await Server.start(['--game', 'liars_dice']);
    const s = await other.open(), t = await Object.assign(Object.create(all), { url: `${all.origin}/openenv/liars_dice` }).open();
    assert.deepEqual((await playOn(s, { seed: 9, episode_id: 'e' }, 1)).texts, (await playOn(t, { seed: 9, episode_id: 'e' }, 1)).texts);
    await other.stop();
  });

  test('tetris steps by placements or by ticks (O48)', async () => {
    const server = Object.assign(Object.create(all), { url: `${all.origin}/openenv/tetris` });
    const s = await server.open();
    const place = await s.reset({ seed: 1 });
    assert.ok(place.observation.legal.every((a) => a.type === 'place'));
    const next = await s.step(place.observation.legal[0]);
    assert.equal(next.observation.view.piece_id, place.observation.view.piece_id + 1);
    const tick = await s.reset({ seed: 1, steps: 'tick' });
    assert.ok(tick.observation.legal.some((a) => a.type === 'wait') && tick.observation.legal.some((a) => a.type === 'move'));
    const waited = await s.step({ type: 'wait' });
    assert.equal(waited.observation.view.piece_id, tick.observation.view.piece_id);
    assert.ok(waited.reward > 0, 'a tick was survived');
    await s.close();
  });

  test('a searching bot thinks beside the loop', { timeout: 600000 }, async () => {
    const server = Object.assign(Object.create(all), { url: `${all.origin}/openenv/belote` });
    const s = await server.open(), quick = await all.get('/openenv/coup/health');
    assert.equal(quick.status, 200);
    const reply = await s.reset({ seed: 1, opponents: 'search' });
    assert.deepEqual((await s.state()).opponents, ['search', 'search', 'search']);
    assert.equal((await s.step(reply.observation.legal[0])).observation.error, null);
    await s.close();
  });
});

test('a table is left alone while bots think there (O50, O51)', { timeout: 600000 }, async () => {
  const server = await Server.start(['--game', 'belote']);
  const a = await server.open(), b = await server.open(), c = await server.open();
  const first = a.ask({ type: 'reset', data: { table: 't', seat: 0, opponents: 'search' } });
  await a.heard(); // else the other one may make the table
  await until(async () => (await c.ask({ type: 'reset', data: { table: 't', seat: 0 } })).type === 'error', 'table');
  const second = b.ask({ type: 'reset', data: { table: 't', seat: 2 } });
  const play = async (session, reply, seed) => {
    const chance = new Chance(seed);
    for (let i = 0; i < 8; i++) {
      reply = await session.step(choose(chance, reply.observation.legal));
      assert.equal(reply.observation.error, null);
    }
    await session.close();
  };
  const knock = async () => {
    for (let i = 0; i < 20; i++) await c.ask({ type: 'reset', data: { table: 't', seat: i % 4, wait: 0 } });
  };
  await Promise.all([first.then((r) => play(a, r.data, 1)), second.then((r) => play(b, r.data, 2)), knock()]);
  await c.close();
  assert.equal((await server.stop()).code, 0, server.errors);
});

describe('tables', () => {
  let server;
  before(async () => { server = await Server.start(['--game', 'coup']); }); // with a limit that nobody meets
  after(() => server.stop());

  test('two sessions meet, and each sees its own view (O50, O51, O52, O53)', async () => {
    const a = await server.open(), b = await server.open(), c = await server.open();
    const first = a.ask({ type: 'reset', data: { table: 'final', players: 2, seats: 2, seat: 0, join: 's3cret' } });
    await a.heard();
    assert.equal((await c.ask({ type: 'reset', data: { table: 'final', join: 'wrong' } })).data.message, 'wrong join word for this table');
    const there = await b.reset({ table: 'final', seat: 1, join: 's3cret' }), here = (await first).data;
    assert.deepEqual([here.observation.seat, there.observation.seat], ['seat_0', 'seat_1']);
    assert.equal(here.metadata.seed, null, 'nobody knows the seed of a shared table');
    assert.deepEqual([here.observation.your_turn, there.observation.your_turn], [true, false]);
    assert.deepEqual(there.observation.legal, [{ type: 'wait' }]);
    assert.equal((await c.ask({ type: 'reset', data: { table: 'final', join: 's3cret' } })).data.message, 'this table is full');
    assert.equal((await b.step({ type: 'income' })).observation.error.reason, 'not_your_turn');
    assert.equal((await a.ask({ type: 'reset', data: { table: 'other', seed: 5 } })).data.code, 'EXECUTION_ERROR');
    // What one has face down is in no reply to the other, until it lies face up.
    const seen = { a: [], b: [] };
    const play = async (who, session, reply) => {
      const chance = new Chance(who === 'a' ? 1 : 2);
      while (!reply.done) {
        seen[who].push(reply);
        reply = await session.step(choose(chance, reply.observation.legal));
      }
      seen[who].push(reply);
    };
    await Promise.all([play('a', a, here), play('b', b, there)]);
    for (const who of ['a', 'b'])
      for (const { observation } of seen[who]) {
        const others = observation.view.seats.filter((x) => x.seat !== observation.seat);
        for (const x of others) assert.deepEqual(Object.keys(x), ['seat', 'coins', 'influence', 'revealed', 'status']);
      }
    assert.equal(seen.a.at(-1).done && seen.b.at(-1).done, true);
    const endings = [seen.a.at(-1), seen.b.at(-1)].map((r) => r.observation.termination_reason).sort();
    assert.deepEqual(endings, ['failure', 'success']);
    const again = a.ask({ type: 'reset', data: { table: 'final', join: 's3cret' } });
    await b.reset({ table: 'final', join: 's3cret' });
    assert.equal((await again).data.observation.seat, 'seat_0', 'the next episode of the same table');
    await Promise.all([a.close(), b.close(), c.close()]);
  });

  test('waiting has an end, and a seeded table repeats (O33, O45, O52)', async () => {
    const texts = [];
    for (const name of ['one', 'two']) {
      const a = await server.open(), b = await server.open();
      const early = await a.reset({ table: name, seeded: true, seed: 4, wait: 0, episode_id: 'x', seats: 3 });
      assert.equal(early.observation.phase, 'waiting');
      assert.equal((await a.step({ type: 'wait' })).observation.phase, 'waiting');
      assert.equal((await a.step({ type: 'income' })).metadata.step, 2, 'each step counts (O23)');
      await b.reset({ table: name, seeded: true, seed: 4, episode_id: 'x' });
      texts.push((await a.text({ type: 'step', data: { type: 'wait' } })));
      await Promise.all([a.close(), b.close()]);
    }
    assert.equal(texts[0], texts[1]);
    assert.equal(JSON.parse(texts[0]).data.metadata.seed, 4);
  });

  test('a table that is refused leaves the session where it was (O13, O50)', async () => {
    const s = await server.open();
    const { observation } = await s.reset({ seed: 5 });
    for (const data of [{ scenario: 'nowhere' }, { rules: { colour: 1 } }, { opponents: 'nobody' }, { players: 9, seats: 2 }])
      assert.equal((await s.ask({ type: 'reset', data: { table: 'none', ...data } })).data.code, 'VALIDATION_ERROR');
    assert.equal((await s.state()).episode_id, 'coup-5');
    assert.equal((await s.step(observation.legal[0])).observation.error, null);
    await s.close();
  });

  test('a look without an episode shows that players are missing, and nobody else\'s cards (O38, O50, O52)', async () => {
    const a = await server.open(), b = await server.open(), c = await server.open();
    const look = async (session) => (await session.step({ type: 'call_tool', tool_name: 'look' })).observation.result.observation;
    await a.reset({ table: 'look', seats: 3, seat: 0, wait: 0 });
    assert.deepEqual([(await look(a)).phase, (await look(a)).view], ['waiting', {}]);
    await b.reset({ table: 'look', seat: 1, wait: 0 });
    assert.equal((await look(a)).view.seats.length, 3);
    await a.close();
    await until(async () => (await c.ask({ type: 'reset', data: { table: 'look', seat: 0, wait: 0 } })).type === 'observation', 'seat');
    assert.deepEqual([(await look(c)).phase, (await look(c)).view], ['waiting', {}], 'the house plays there until the next episode');
    await Promise.all([b.close(), c.close()]);
  });

  test('whoever closes a session gets that answer, and not what others at its table are told (O37, O50)', async () => {
    const create = async () => (await server.rpc('openenv/session/create')).json.result.session_id;
    const session_id = await create(), other = await create();
    const b = await server.open(`?session_id=${other}`);
    const first = b.ask({ type: 'reset', data: { table: 'close', seats: 2, seat: 1 } });
    await until(async () => (await server.get(`/state?session_id=${other}`)).json.table === 'close', 'table');
    assert.equal((await server.post('/reset', { session_id, table: 'close', seat: 0 })).json.observation.your_turn, true);
    assert.equal((await first).data.observation.your_turn, false);
    const told = b.step({ type: 'call_tool', tool_name: 'play', arguments: { action: { type: 'wait' } } });
    await until(async () => (await server.get(`/state?session_id=${other}`)).json.step_count === 1, 'step that waits');
    assert.deepEqual((await server.rpc('openenv/session/close', { session_id })).json, { jsonrpc: '2.0', id: 1, result: { session_id, closed: true } });
    assert.equal((await told).observation.result.observation.seat, 'seat_1');
    await b.close();
  });

  test('a silent seat is played for, a seat that leaves is the house\'s (O51, O54)', async () => {
    const strict = await Server.start(['--game', 'coup', '--turn-limit', '2']), a = await strict.open(), b = await strict.open();
    const first = a.ask({ type: 'reset', data: { table: 'slow', seats: 2 } });
    await a.heard();
    assert.equal((await b.ask({ type: 'reset', data: { table: 'slow', seat: 0 } })).data.message, 'this seat is taken or does not exist at this table');
    await b.reset({ table: 'slow' });
    await first;
    const moved = await b.step({ type: 'wait' }); // seat_0 says nothing
    assert.equal(moved.observation.your_turn, true);
    assert.ok(moved.observation.events.length > 0);
    await a.close();
    let reply = moved;
    const chance = new Chance(5);
    while (!reply.done) reply = await b.step(choose(chance, reply.observation.legal));
    assert.ok(['success', 'failure'].includes(reply.observation.termination_reason));
    await b.close();
    await strict.stop();
  });
});

test('seats that are silent in one window are played for at once (O54)', { timeout: 600000 }, async () => {
  // The first move must come within the limit: where the machine is too busy for it, once more with a longer one.
  let server, seats, seen;
  for (const limit of ['2', '10', '60']) {
    server = await Server.start(['--game', 'coup', '--turn-limit', limit]);
    seats = await Promise.all([server.open(), server.open(), server.open()]);
    for (const [seat, s] of seats.entries()) await s.reset({ table: 'window', seats: 3, players: 3, wait: 0, seat });
    seen = (await seats[0].step({ type: 'foreign_aid' })).observation;
    if (String(seen.to_act) === 'seat_1,seat_2') break;
    for (const s of seats) await s.close();
    await server.stop();
  }
  const [a, b, c] = seats;
  assert.deepEqual(seen.to_act, ['seat_1', 'seat_2'], 'both may block');
  while (seen.to_act.includes('seat_1') && seen.to_act.includes('seat_2')) seen = (await a.step({ type: 'wait' })).observation;
  assert.notEqual(seen.phase, 'block', `only one of them was played for: ${JSON.stringify(seen.to_act)}`);
  for (const s of [a, b, c]) await s.close();
  await server.stop();
});

test('join words cannot be tried without end, and then the right one does not help (O55)', async () => {
  const server = await Server.start(['--game', 'coup']);
  const [a, b, c] = await Promise.all([server.open(), server.open(), server.open()]);
  const knock = async (s, table, join) => (await s.ask({ type: 'reset', data: { table, seat: 1, join, wait: 0 } })).data;
  await a.reset({ table: 'closed', seats: 2, seat: 0, join: 's3cret', wait: 0 });
  const wrong = Array.from({ length: 10 }, (_, i) => `word ${i}`); // all at once: one is forgotten every 6 s
  for (const { message } of await Promise.all(wrong.map((word, i) => knock(i % 2 ? b : c, 'closed', word)))) assert.equal(message, 'wrong join word for this table');
  for (const { message } of await Promise.all(['word 10', 's3cret', ''].map((word) => knock(b, 'closed', word))))
    assert.match(message, /^too many wrong join words; try again in [1-7] s$/);
  assert.equal((await knock(b, 'open', undefined)).observation.phase, 'waiting', 'a table without a word is not closed by that');
  for (const s of [a, b, c]) await s.close();
  await server.stop();
});

describe('limits and doors', () => {
  test('a thousand sessions of one process play (O28)', { timeout: 600000 }, async () => {
    const server = await Server.start(['--game', 'coup']);
    const sessions = [];
    for (let i = 0; i < 1000; i += 50)
      sessions.push(...(await Promise.all(Array.from({ length: 50 }, () => server.open()))));
    const replies = await Promise.all(sessions.map((s, i) => s.reset({ seed: i })));
    assert.equal(new Set(replies.map((r) => r.metadata.seed)).size, 1000);
    const steps = await Promise.all(sessions.map((s, i) => s.step(replies[i].observation.legal[0])));
    assert.ok(steps.every((r) => r.observation.error === null && r.metadata.step === 1));
    sessions.forEach((s) => s.ws.terminate());
    await until(async () => (await server.get('/health')).status === 200, 'health');
    assert.equal((await server.stop()).code, 0, server.errors);
  });

  test('tokens, origins and hosts (O4)', async () => {
    const server = await Server.start(['--game', 'coup', '--http-token', 'secret-token', '--http-origin', 'https://lab.example']);
    assert.equal((await server.get('/health')).status, 401);
    const bearer = { authorization: 'Bearer secret-token' };
    assert.equal((await server.get('/health', bearer)).status, 200);
    assert.equal((await server.get('/health', { ...bearer, origin: 'https://evil.example' })).status, 403);
    assert.equal((await server.get('/health', { ...bearer, origin: 'https://lab.example' })).status, 200);
    await assert.rejects(server.open());
    const s = await server.open('?token=secret-token');
    assert.equal((await s.reset({ seed: 1 })).done, false);
    await assert.rejects(server.open('?token=secret-token', { origin: 'https://evil.example' }));
    await assert.rejects(server.open('?token=secret-token', { headers: { host: 'evil.example' } }));
    await s.close();
    await server.stop();
    assert.doesNotMatch(server.errors, /secret-token/);
  });

  test('production has tools and no resets (O5)', async () => {
    const server = await Server.start(['--game', 'coup', '--mode', 'production']);
    for (const route of ['/reset', '/step']) assert.equal((await server.post(route, {})).status, 404);
    assert.equal((await server.get('/state')).status, 404);
    assert.deepEqual(Object.keys((await server.get('/openapi.json')).json.paths), ['/health', '/metadata', '/schema', '/mcp']);
    const s = await server.open();
    for (const type of ['reset', 'step', 'state']) assert.equal((await s.ask({ type, data: {} })).data.code, 'UNKNOWN_TYPE');
    assert.equal((await server.rpc('tools/call', { name: 'look', arguments: {} })).json.result.isError, false);
    await s.close();
    await server.stop();
  });

  test('agon serve has every game at /openenv/GAME (O1)', async () => {
    const server = await Server.start(['--data', scratch('openenv-serve-'), '--tetris-port', '0'], 'serve');
    server.url = `${server.origin}/openenv/coup`;
    const s = await server.open();
    const one = await playOn(s, { seed: 3 }, 1);
    const t = await coup.open();
    assert.deepEqual(one.texts, (await playOn(t, { seed: 3 }, 1)).texts, 'the same as alone');
    assert.deepEqual((await fetch(`${server.origin}/openenv`).then((r) => r.json())).sort(), [...names].sort());
    assert.equal((await server.get('/schema', { origin: 'https://evil.example' })).status, 403);
    const figures = await fetch(`${server.origin}/metrics`).then((r) => r.text());
    assert.match(figures, /^agon_openenv_sessions 1$/m);
    assert.match(figures, new RegExp(`^agon_openenv_steps_total ${one.texts.length - 1}$`, 'm'));
    await s.close();
    await t.close();
    assert.equal((await server.stop()).code, 0, server.errors);
  });

  test('the command refuses what makes no sense', () => {
    for (const [args, why] of [
      [['--game', 'poker'], /unknown game 'poker'/],
      [['--game', 'coup', '--bots', 'rulse'], /did you mean 'rules'/],
      [['--bots', 'rules'], /--bots needs --game/],
      [['--package', '/tmp/x'], /--package needs --game/],
      [['--host', 'nowhere'], /is not a numeric IPv4 address/],
      [['--game', 'coup', '--mode', 'dream'], /simulation/],
    ]) {
      const done = run(['openenv', ...args]);
      assert.equal(done.status, 2, done.stderr);
      assert.match(done.stderr, why);
    }
  });

  test('a package of every game is written from its schemas (O70)', () => {
    const folder = scratch('openenv-package-');
    for (const game of names) {
      const done = run(['openenv', '--game', game, '--package', path.join(folder, `agon_${game}`)]);
      assert.equal(done.status, 0, done.stderr);
      const models = readFileSync(path.join(folder, `agon_${game}`, 'models.py'), 'utf8');
      assert.match(models, /class \w+Action\(Action\):/);
      for (const file of ['openenv.yaml', 'pyproject.toml', 'uv.lock', 'README.md', 'client.py', '__init__.py', 'server/app.py', 'server/Dockerfile'])
        assert.ok(existsSync(path.join(folder, `agon_${game}`, file)), file);
    }
    const done = run(['openenv', '--game', 'coup', '--package', '/proc/nowhere']);
    assert.equal(done.status, 1);
    assert.match(done.stderr, /cannot create the folder \/proc\/nowhere/);
  });
});
