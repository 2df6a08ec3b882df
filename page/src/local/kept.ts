// The last match that was played here, as a replay file, until this tab closes.
import type { Meta } from '../lib/replay';

const KEY = 'local-replay';
export function keepReplay(meta: Pick<Meta, 'game' | 'players' | 'result'>, bytes: Uint8Array): void {
  const file = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
  sessionStorage.setItem(KEY, JSON.stringify({ meta: { id: 'local', mode: 'local', rated: false, config: {}, finished_at: new Date().toISOString(), duration_ms: 0, seed_commitment: '', deal: null, ...meta }, file }));
}
export function keptReplay(): { meta: Meta; bytes: Uint8Array } | undefined {
  const kept = sessionStorage.getItem(KEY);
  if (!kept) return undefined;
  const { meta, file } = JSON.parse(kept) as { meta: Meta; file: string };
  return { meta, bytes: Uint8Array.from(atob(file), (c) => c.charCodeAt(0)) };
}
