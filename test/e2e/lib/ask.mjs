// Requests to a server one by one, and what it costs: for threads too, which have no test around them.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';

export const TOKEN = 'the-operator';

// MiB of memory.
export const rss = (arena) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${arena.process.pid}/status`, 'utf8'))[1]) / 1024;

// {status, headers, text} of one request; 0 when there was no answer.
export function ask(arena, { method = 'GET', path = '/api/health', headers = {}, body = '', agent = false } = {}) {
  return new Promise((resolve) => {
    const r = http.request({ host: arena.host, port: arena.port, method, path, headers, agent, timeout: 60000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (d) => (text += d)).on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text })).on('error', () => resolve({ status: 0 }));
    });
    r.on('timeout', () => r.destroy()).on('error', () => resolve({ status: 0 }));
    r.end(body);
  });
}

// Whether `agon admin stats` got in: {ok, ms, stderr}.
export function statsOf(agon, arena) {
  const began = performance.now();
  return new Promise((resolve) => execFile(agon, ['admin', 'stats', '--json', '--server', arena.url], { env: { ...process.env, AGON_ADMIN_TOKEN: TOKEN }, timeout: 120000 },
    (error, stdout, stderr) => resolve({ ok: !error && stdout.startsWith('{'), ms: performance.now() - began, stderr })));
}
