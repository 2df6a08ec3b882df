// What is kept for a visitor without a server: the page by its service worker (worker.ts), the rules of the games that were
// chosen. Browsers have both on https and on this machine alone.
export const keepPage = (): void => { void navigator.serviceWorker?.register('/sw.js').catch(() => undefined); };

export const keptFiles = async (): Promise<Cache | undefined> => ('caches' in window ? caches.open(`agon-${document.body.dataset.build}`) : undefined);

export async function keepFiles(urls: string[]): Promise<void> {
  const cache = await keptFiles();
  for (const url of urls) if (cache && !(await cache.match(url))) await cache.add(url);
}
