// `agon verify history` (S90), and the notes of agents that it reads: as `agon agent --history` writes them.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { agon } from './arena.mjs';

const words = (url, folders, more) => ['verify', 'history', '--json', '--store', url, ...folders.flatMap((f) => ['--agents', f]), ...more];
const room = { encoding: 'utf8', maxBuffer: 1 << 28 };

function judge(status, stdout, stderr) {
  assert.ok([0, 1].includes(status), `${status} ${stderr}`);
  const report = JSON.parse(stdout);
  assert.equal(report.sound, status === 0);
  return report;
}

export function verifyHistory(url, folders = [], more = []) {
  const { status, stdout, stderr } = spawnSync(agon, words(url, folders, more), room);
  return judge(status, stdout, stderr);
}

// The same, while everything goes on.
export async function verifyHistoryBeside(url, folders = []) {
  const report = await new Promise((resolve, reject) =>
    execFile(agon, words(url, folders, []), room, (e, stdout, stderr) => {
      try {
        resolve(judge(e ? e.code : 0, stdout, stderr));
      } catch (wrong) {
        reject(wrong);
      }
    }));
  assert.deepEqual(report.faults.slice(0, 20), []);
  return report;
}

// All is well, or these are the sentences that say what is not.
export function assertHistory(url, folders, more) {
  const report = verifyHistory(url, folders, more);
  assert.deepEqual(report.faults.slice(0, 20), []);
  return report;
}

// What one client notes: called with every frame that came, and with every answer before it is sent.
export class Notes {
  constructor(folder, name) {
    mkdirSync(folder, { recursive: true });
    this.file = path.join(folder, `${name}.jsonl`);
    Object.assign(this, { conns: new WeakMap(), opened: 0 });
  }
  add(what, session, more = {}) {
    appendFileSync(this.file, `${JSON.stringify({ at_ms: Date.now(), what, session, ...more })}\n`);
  }
  // A number for each connection of this client; several may be open at once (S90).
  number(conn) {
    if (!this.conns.has(conn)) this.conns.set(conn, ++this.opened);
    return this.conns.get(conn);
  }
  take({ type, data }, conn) {
    const told = (events) => events?.length && this.add('told', data.match_id, { ...(conn && { conn: this.number(conn) }), events });
    if (type === 'game_start') this.add('start', data.match_id);
    if (type === 'match_feed') told(data.events);
    if (type === 'action_request') {
      told(data.event_history);
      told(data.new_events);
      this.add('asked', data.match_id, { request: data.request_id });
    }
    if (type === 'game_over') this.add('over', data.session_id, { match: data.match_id });
  }
  answer(request, action, conn) {
    this.add('answered', request.data.match_id, { ...(conn && { conn: this.number(conn) }), request: request.data.request_id, action });
  }
}
