// The page without its server: a service worker that keeps one build of it, and hands that out when nobody answers.
// pack.mjs fills in BUILD and FILES. Addresses come from the server whenever it is there, so a reload after an upgrade has
// the new page. Assets have hashed names: those of a kept build stay until no tab of it is open, so no tab mixes two.
declare const BUILD: string, FILES: string[];
interface Life extends Event { waitUntil(p: Promise<unknown>): void }
interface Fetched extends Life { request: Request; respondWith(p: Promise<Response>): void }
declare const clients: { claim(): Promise<void> };

const mine = `agon-${BUILD}`;

// The shell names its build: an answer of another one does not belong to these files.
async function install(): Promise<void> {
  const cache = await caches.open(mine), shell = await fetch('/', { cache: 'no-store' });
  if (!(await shell.clone().text()).includes(`data-build="${BUILD}"`)) throw new Error('the server has changed meanwhile');
  await Promise.all([cache.addAll(FILES), cache.put('/', shell)]);
}

async function activate(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith('agon-') && name !== mine) await caches.delete(name);
  await clients.claim();
}

async function visit(request: Request): Promise<Response> {
  const kept = () => caches.open(mine).then((c) => c.match('/'));
  try {
    const answer = await fetch(request);
    return answer.status > 501 && answer.status < 505 ? (await kept()) ?? answer : answer; // a proxy without its server
  } catch (e) {
    const shell = await kept();
    if (shell) return shell;
    throw e;
  }
}

addEventListener('install', (e) => (e as Life).waitUntil(install()));
addEventListener('activate', (e) => (e as Life).waitUntil(activate()));
addEventListener('fetch', (e) => {
  const { request } = e as Fetched, { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith('/assets/')) (e as Fetched).respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  else if (request.mode === 'navigate' && !/^\/(api|mcp|metrics)\b|\.\w+$/.test(pathname)) (e as Fetched).respondWith(visit(request));
});

export {};
