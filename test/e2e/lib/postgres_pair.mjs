// Two real PostgreSQL servers in a scratch folder, the second a standby of the first (test/support/postgres-pair).
import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scratch } from './scratch.mjs';
import { until } from './wait.mjs';

const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../support/postgres-pair');
const run = promisify(execFile);

export class PostgresPair {
  static start() {
    const p = new PostgresPair();
    p.folder = scratch('pair-');
    execFileSync(script, [p.folder], { stdio: 'inherit' });
    p.primary = 'one';
    return p;
  }
  // For libpq: both, whoever takes writes; or one of them.
  get url() {
    return this.urlOf('one,two');
  }
  urlOf(names) {
    return `postgresql://agon@/postgres?host=${names.split(',').map((n) => `${this.folder}/${n}`).join(',')}`;
  }
  get other() {
    return this.primary === 'one' ? 'two' : 'one';
  }
  ask(sql, name = this.primary) {
    return execFileSync('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', this.urlOf(name), '-c', sql], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
  }
  async ctl(name, ...words) {
    await run(path.join(this.folder, name, 'ctl'), words);
  }
  // The one that is not the primary follows it; commits wait for it, or not.
  async follow(synchronous = true) {
    this.ask("ALTER SYSTEM SET synchronous_standby_names = ''");
    this.ask('SELECT pg_reload_conf()');
    await run(path.join(this.folder, 'follow'), [this.other, this.primary]);
    await until(() => this.ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")[0] === '1', 'a standby that streams', 60000);
    if (synchronous) await this.synchronise();
  }
  async synchronise() {
    this.ask(`ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${this.other})'`);
    this.ask('SELECT pg_reload_conf()');
    await until(() => this.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum'")[0] === '1', 'a synchronous standby', 60000);
  }
  async kill(name = this.primary) {
    await this.ctl(name, '-m', 'immediate', 'stop');
  }
  // The standby takes writes from here on; nobody follows it, so its commits wait for nobody.
  async promote() {
    const next = this.other;
    await this.ctl(next, 'promote');
    this.primary = next;
    await until(() => this.ask('SELECT pg_is_in_recovery()')[0] === 'f', 'promotion', 60000);
    this.ask("ALTER SYSTEM SET synchronous_standby_names = ''");
    this.ask('SELECT pg_reload_conf()');
  }
  stop() {
    for (const name of ['one', 'two'])
      try {
        execFileSync(path.join(this.folder, name, 'ctl'), ['-m', 'immediate', 'stop'], { stdio: 'ignore' });
      } catch {
        // it does not run
      }
  }
}
