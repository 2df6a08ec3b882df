// A real PostgreSQL server in a scratch folder, reached by a socket there (test/support/with-postgres).
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from './children.mjs';
import { within } from './wait.mjs';

const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../support/with-postgres');

export const installed = existsSync('/usr/lib/postgresql');

export class Postgres {
  static async start() {
    const p = new Postgres();
    p.process = spawn(script, ['sh', '-c', 'echo "$AGON_TEST_POSTGRES $AGON_TEST_POSTGRES_CTL"; cat >/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    p.exited = new Promise((resolve) => p.process.on('exit', resolve));
    const line = await within(60000, new Promise((resolve) => p.process.stdout.once('data', (d) => resolve(d.toString()))), 'PostgreSQL that listens');
    [p.url, p.ctl] = line.trim().split(' ');
    return p;
  }
  // The first column of all rows.
  ask(sql) {
    return execFileSync('psql', ['-qAtX', this.url, '-c', sql], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
  }
  // Nobody reads or writes the table until the function that this returns is called.
  lock(table) {
    return this.hold(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, `lock of ${table}`);
  }
  // A transaction that has done this and stays open until the function that this returns is called.
  async hold(sql, what) {
    const child = spawn('psql', ['-qAtX', this.url], { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.on('exit', resolve));
    const held = new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdin.write(`BEGIN; ${sql}; SELECT 'held';\n`);
    await within(60000, held, what);
    return () => {
      child.stdin.end();
      return within(60000, exited, `end of ${what}`);
    };
  }
  kill() {
    execFileSync(this.ctl, ['stop']);
  }
  restart() {
    execFileSync(this.ctl, ['start']);
  }
  async stop() {
    this.process.stdin.end();
    await within(60000, this.exited, 'exit of PostgreSQL');
  }
}
