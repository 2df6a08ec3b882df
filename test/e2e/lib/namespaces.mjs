// Network namespaces, one for each node of a cluster, on a bridge of their own (S91): a link that is pulled there takes
// everything with it, the store, the bus and the clients, below TCP and in silence. Needs root; where the kernel lacks
// netem a link is delayed by a narrow queue (tbf).
//
// In its namespace a server listens on the loopback interface, as elsewhere, so clients are exempt from limits there
// too; a process of this file passes connections on to it. Ports are the namespace's own.
import { execFileSync } from 'node:child_process';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { spawn } from './children.mjs';
import { within } from './wait.mjs';

const DOOR = 8079, SERVER = 8080;

const run = (command, ...words) => execFileSync(command, words.map(String), { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
const ip = (...words) => run('ip', ...words);

function works(call) {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

export class Namespaces {
  // `{ why }` where there can be none.
  static async make(count) {
    if (process.getuid() !== 0) return { why: 'not root' };
    const n = new Namespaces();
    Object.assign(n, { prefix: `ag${process.pid}`, net: `10.${64 + (process.pid >> 8) % 128}.${process.pid % 256}`, all: [] });
    process.on('exit', () => n.remove());
    try {
      ip('link', 'add', `${n.prefix}b`, 'type', 'bridge');
      ip('address', 'add', `${n.host}/24`, 'dev', `${n.prefix}b`);
      ip('link', 'set', `${n.prefix}b`, 'up');
      for (let i = 0; i < count; i++) n.all.push(await n.add(i));
    } catch (e) {
      return { why: `${e.stderr ?? e.message}`.trim() };
    }
    n.hasNetem = works(() => run('tc', 'qdisc', 'add', 'dev', n.all[0].link, 'root', 'netem', 'delay', '1ms'));
    if (n.hasNetem) run('tc', 'qdisc', 'del', 'dev', n.all[0].link, 'root');
    return n;
  }
  // This side of the bridge, where the store and the bus are.
  get host() {
    return `${this.net}.1`;
  }
  async add(i) {
    const one = { name: `${this.prefix}n${i}`, link: `${this.prefix}v${i}`, address: `${this.net}.${i + 2}` };
    ip('netns', 'add', one.name);
    ip('link', 'add', one.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', one.name);
    ip('link', 'set', one.link, 'master', `${this.prefix}b`, 'up');
    ip('-n', one.name, 'address', 'add', `${one.address}/24`, 'dev', 'eth0');
    ip('-n', one.name, 'link', 'set', 'eth0', 'up');
    ip('-n', one.name, 'link', 'set', 'lo', 'up');
    one.door = spawn('ip', ['netns', 'exec', one.name, process.execPath, fileURLToPath(import.meta.url), 'door'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await within(30000, new Promise((resolve) => one.door.stdout.once('data', resolve)), 'a door in a namespace');
    return one;
  }
  // Where clients find the server of a namespace; options of that server; what its command line begins with.
  url(i) {
    return `http://${this.all[i].address}:${DOOR}`;
  }
  options() {
    return ['--port', String(SERVER)];
  }
  words(i) {
    return `ip netns exec ${this.all[i].name}`;
  }
  pull(i) {
    ip('link', 'set', this.all[i].link, 'down');
  }
  plug(i) {
    ip('link', 'set', this.all[i].link, 'up');
  }
  // Late by `ms`; without netem 200 kbit/s, so that whatever is more than a few frames waits.
  choke(i, ms) {
    const how = this.hasNetem ? ['netem', 'delay', `${ms}ms`, `${ms >> 2}ms`] : ['tbf', 'rate', '200kbit', 'burst', '4kb', 'latency', `${ms}ms`];
    run('tc', 'qdisc', 'add', 'dev', this.all[i].link, 'root', ...how);
  }
  free(i) {
    run('tc', 'qdisc', 'del', 'dev', this.all[i].link, 'root');
  }
  remove() {
    for (const one of this.all) one.door.kill('SIGKILL');
    for (const one of this.all) works(() => ip('netns', 'del', one.name)); // its link goes with it
    works(() => ip('link', 'del', `${this.prefix}b`));
  }
}

// --- in a namespace

function pass(client) {
  const server = net.connect(SERVER, '127.0.0.1');
  for (const [from, to] of [[client, server], [server, client]]) {
    from.setNoDelay(true);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    from.pipe(to);
  }
}

if (process.argv[2] === 'door') net.createServer(pass).listen(DOOR, () => console.log('open'));
