// A port of this machine that nobody listens on. Somebody may be faster: whoever starts a server there tries again.
import net from 'node:net';

export async function freePort() {
  const probe = net.createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
