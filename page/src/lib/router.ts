// Addresses without a page load. A link inside the page is an ordinary <a href>; main.tsx catches its click.
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((f) => f());

export function go(path: string, replace = false): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  tell();
  if (!replace) scrollTo(0, 0);
}

export function usePath(): string {
  const [path, set] = useState(location.pathname);
  useEffect(() => {
    const changed = () => set(location.pathname);
    listeners.add(changed);
    addEventListener('popstate', changed);
    changed(); // a link may have been clicked before this effect, which runs after the first frame
    return () => { listeners.delete(changed); removeEventListener('popstate', changed); };
  }, []);
  return path;
}

export function catchLinks(): void {
  document.addEventListener('click', (e) => {
    const a = (e.target as Element).closest?.('a');
    if (!a || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const to = new URL(a.href, location.href);
    if (a.target || a.hasAttribute('download') || to.origin !== location.origin || /^\/(api|mcp|metrics)\b/.test(to.pathname)) return;
    if (to.pathname === location.pathname && to.hash) return; // a place on this page
    e.preventDefault();
    go(to.pathname + to.search + to.hash);
  });
}
