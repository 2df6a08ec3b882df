// Requests to the server. Every answer names the build of the page it belongs to: another one means that this tab is old.
import { signal } from './signal';
import { foreign, t } from './text';

export class ApiError extends Error {
  constructor(message: string, readonly status: number, readonly retryAfter = 0) { super(message); }
}

// What a status means, for a sentence of the server that is not in the visitor's language.
const KINDS: Record<number, string> = { 401: 'denied', 403: 'denied', 404: 'missing', 409: 'conflict', 410: 'gone' };
const sentence = (said: string, status: number): string => foreign(said, `error.${KINDS[status] ?? (status < 500 ? 'refused' : 'busy')}`);

export const newVersion = signal(false);
const build = document.body?.dataset.build ?? '';
// The games that a client must declare, as this server has them (F6.B1).
export const gated = document.body?.dataset.games ?? '';

export interface Options { method?: string; key?: string; admin?: string; body?: unknown; signal?: AbortSignal }

export async function call<T>(path: string, o: Options = {}): Promise<T> {
  const headers: Record<string, string> = { 'X-AIFight-Capabilities': gated };
  if (o.key) headers['X-API-Key'] = o.key;
  if (o.admin) headers['X-Agon-Admin'] = o.admin;
  if (o.body !== undefined) headers['Content-Type'] = 'application/json';
  let answer: Response;
  try {
    answer = await fetch(path, { method: o.method ?? 'GET', headers, body: o.body === undefined ? undefined : JSON.stringify(o.body), signal: o.signal });
  } catch (e) {
    if ((e as Error).name === 'AbortError') throw e;
    throw new ApiError(t('error.unreachable'), 0);
  }
  const theirs = answer.headers.get('X-Agon-Build');
  if (theirs && build && theirs !== build) newVersion.set(true);
  const type = answer.headers.get('Content-Type') ?? '';
  const body = type.includes('json') ? await answer.json().catch(() => null) : await answer.text();
  if (!answer.ok) {
    const wait = Number(answer.headers.get('Retry-After')) || 0;
    const said = sentence((body as { error?: string } | null)?.error ?? answer.statusText, answer.status), id = answer.headers.get('X-Request-Id'); // under which the server's log has it
    throw new ApiError(answer.status === 429 ? t('error.limited', { n: wait || 1 }) : id ? t('error.request', { said, id }) : said, answer.status, wait);
  }
  return body as T;
}

export interface Health { status: string; matches_active: number; agents_online: number }
export const health = (): Promise<Health> => call('/api/health');
