// The visitor as a player. A key is made on the first "Take a seat" and stays in this browser.
import { call } from './api';
import { signal } from './signal';
import { t } from './text';

export interface Guest { id: string; name: string; key: string }
const read = (): Guest | null => { try { return JSON.parse(localStorage.getItem('guest') ?? 'null'); } catch { return null; } };
export const guest = signal<Guest | null>(read());

let making: Promise<Guest> | undefined;
async function make(): Promise<Guest> {
  const name = `${t('guest')}-${1000 + Math.floor(Math.random() * 9000)}`;
  const made = await call<{ agent: { id: string; name: string; api_key: string } }>('/api/guests', { method: 'POST', body: { name } });
  const me = { id: made.agent.id, name: made.agent.name, key: made.agent.api_key };
  await call('/api/agents/me/policy', { method: 'PATCH', key: me.key, body: { auto_confirm: true } });
  localStorage.setItem('guest', JSON.stringify(me));
  guest.set(me);
  return me;
}
export async function needGuest(): Promise<Guest> {
  const me = guest.get();
  if (me) {
    // A server that was set up anew does not know the key any more.
    try { await call('/api/agents/me/status', { key: me.key }); return me; } catch (e) { if ((e as { status?: number }).status !== 401) throw e; forgetGuest(); }
  }
  return (making ??= make().finally(() => { making = undefined; }));
}
// The server forgets the key too; of one it does not know any more there is nothing to forget.
export async function deleteGuest(): Promise<void> {
  const me = guest.get();
  if (me) await call('/api/agents/me', { method: 'DELETE', key: me.key }).catch((e) => { if (e.status !== 401) throw e; });
  forgetGuest();
}
export function forgetGuest(): void { localStorage.removeItem('guest'); guest.set(null); }
