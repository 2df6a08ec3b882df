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
