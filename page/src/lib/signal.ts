// A value that components follow.
import { useEffect, useState } from 'preact/hooks';

export interface Signal<T> { get(): T; set(v: T): void; follow(f: () => void): () => void }

export function signal<T>(first: T): Signal<T> {
  let value = first;
  const followers = new Set<() => void>();
  return {
    get: () => value,
    set(v) { if (v !== value) { value = v; followers.forEach((f) => f()); } },
    follow(f) { followers.add(f); return () => followers.delete(f); },
  };
}

export function useSignal<T>(s: Signal<T>): T {
  const [value, set] = useState(s.get());
  useEffect(() => { set(s.get()); return s.follow(() => set(s.get())); }, [s]);
  return value;
}
