// A real nginx in front of a server: unprivileged, one process, everything in a scratch folder, on free ports.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { root } from './arena.mjs';
import { spawn } from './children.mjs';
import { freePort } from './port.mjs';
import { scratch } from './scratch.mjs';
import { until, within } from './wait.mjs';

// The configuration that docs/operate.md shows, with another upstream.
export function documented(upstream) {
  const text = readFileSync(path.join(root, 'docs/operate.md'), 'utf8');
  const location = /^ {4}location \/ \{[^]*?^ {4}\}/m.exec(text)[0].replaceAll('http://127.0.0.1:8080', `http://${upstream}`);
  return { map: /`(map \$http_upgrade [^`]*)`/.exec(text)[1], location };
}

export class Nginx {
  // `outside` stands beside the servers; each of `locations` becomes a server with a port of its own.
  static async start(locations, outside = '') {
    for (let attempt = 0; ; attempt++) {
      const n = new Nginx();
      n.folder = scratch('nginx-');
      n.ports = await Promise.all(locations.map(freePort));
      n.process = spawn('nginx', ['-p', n.folder, '-e', 'error.log', '-c', n.write(locations, outside)], { stdio: 'ignore' });
      n.exited = new Promise((resolve) => n.process.on('exit', resolve).on('error', resolve));
      if (await n.listens()) return n;
      if (attempt === 5) throw new Error(`nginx did not start: ${n.errors()}`); // somebody was faster at a port
    }
  }
  write(locations, outside) {
    const file = path.join(this.folder, 'nginx.conf');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((t) => `${t}_temp_path ${this.folder}/${t};`).join(' ');
    writeFileSync(file, `
daemon off; master_process off; pid ${this.folder}/pid;
events { worker_connections 4096; }
http {
  ${temporary}
  log_format forwarded '$server_port $status $upstream_addr $upstream_status';
  access_log ${this.folder}/access.log forwarded;
  client_header_timeout 1s; client_body_timeout 1s; keepalive_timeout 1s;
  ${outside}
${locations.map((l, i) => `  server { listen 127.0.0.1:${this.ports[i]};\n${l}\n  }`).join('\n')}
}
`);
    return file;
  }
  async listens() {
    let over = false;
    this.exited.then(() => (over = true));
    let open = false;
    await until(async () => {
      const socket = net.connect(this.ports.at(-1), '127.0.0.1');
      open = await new Promise((resolve) => socket.on('connect', () => resolve(true)).on('error', () => resolve(false)));
      socket.destroy();
      return open || over;
    }, 'nginx that listens');
    return open;
  }
  // One row per request: port, status, upstream or '-', status of the upstream or '-'.
  log() {
    return readFileSync(path.join(this.folder, 'access.log'), 'utf8').split('\n').filter(Boolean).map((l) => l.split(' '));
  }
  errors() {
    const file = path.join(this.folder, 'error.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : 'is it installed? (tools/setup test)';
  }
  async stop() {
    this.process.kill('SIGTERM');
    await within(20000, this.exited, 'exit of nginx');
  }
}
