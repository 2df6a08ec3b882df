import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call } from './api';

export interface Loaded<T> { data?: T; error?: ApiError; reload(): void }

// What a path answers, asked again every `every` ms while the tab is visible.
export function useApi<T>(path: string | null, every = 0, admin?: string): Loaded<T> {
  const [state, set] = useState<{ path: string | null; data?: T; error?: ApiError }>({ path });
  const [count, again] = useState(0);
  useEffect(() => {
    if (!path) return undefined;
    const stop = new AbortController();
    let timer = 0;
    const ask = async () => {
      try {
        if (!document.hidden) { const data = await call<T>(path, { signal: stop.signal, admin }); set({ path, data }); }
      } catch (e) {
        if ((e as Error).name === 'AbortError') return;
        set((was) => ({ path, data: was.path === path ? was.data : undefined, error: e as ApiError }));
      }
      if (every && !stop.signal.aborted) timer = window.setTimeout(ask, every);
    };
    void ask();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [path, every, count, admin]);
  return { data: state.path === path ? state.data : undefined, error: state.path === path ? state.error : undefined, reload: () => again(count + 1) };
}

// One-letter keys are off while a field has the focus, and when the visitor has switched them off (WCAG 2.1.4).
export const typing = (e: KeyboardEvent): boolean => {
  const at = e.target as HTMLElement;
  return e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && (at as HTMLInputElement).type !== 'range';
};
export function useKeys(handle: (e: KeyboardEvent) => boolean | void): void {
  const now = useRef(handle);
  now.current = handle;
  // Not after the next frame: a key may be pressed as soon as the question is there.
  useLayoutEffect(() => {
    const on = (e: KeyboardEvent) => {
      if (typing(e) || e.defaultPrevented || (e.key.length === 1 && e.key !== ' ' && localStorage.getItem('keys') === 'off')) return;
      if (now.current(e)) e.preventDefault();
    };
    addEventListener('keydown', on);
    return () => removeEventListener('keydown', on);
  }, []);
}

export function useTitle(title: string): void {
  useEffect(() => { if (title) document.title = title; }, [title]);
}

export function useMedia(query: string): boolean {
  const [fits, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const m = matchMedia(query), changed = () => set(m.matches);
    m.addEventListener('change', changed);
    changed();
    return () => m.removeEventListener('change', changed);
  }, [query]);
  return fits;
}
export const usePhone = () => useMedia('(max-width: 760px)');

// The time now, every `every` ms while `on`.
export function useNow(every: number, on = true): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    if (!on) return undefined;
    set(Date.now());
    const timer = setInterval(() => set(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, on]);
  return now;
}

// Whether the element is near the window and the tab is visible: what cannot be seen is not drawn.
export function useVisible<T extends Element>(): [(e: T | null) => void, boolean] {
  const [seen, set] = useState(false), [hidden, hide] = useState(document.hidden);
  const watcher = useRef<IntersectionObserver>();
  useEffect(() => {
    const changed = () => hide(document.hidden);
    document.addEventListener('visibilitychange', changed);
    return () => { document.removeEventListener('visibilitychange', changed); watcher.current?.disconnect(); };
  }, []);
  const attach = useRef((e: T | null) => {
    watcher.current?.disconnect();
    if (!e) return;
    watcher.current = new IntersectionObserver((rows) => set(rows[rows.length - 1].isIntersecting), { rootMargin: '200px' });
    watcher.current.observe(e);
  });
  return [attach.current, seen && !hidden];
}
