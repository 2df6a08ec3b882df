// The small boards of home, all by one socket. A board that comes into view is asked for at once; one that leaves it is dropped
// a little later, so that scrolling does not open sockets.
import { connect, wsBase, type Link } from './socket';

type Take = (message: any) => void;
const boards = new Map<string, Take>(), over = new Set<string>(), liveOf = new Map<string, string>();
let link: Link | undefined, asked = '', timer = 0, due = Infinity;

function take(m: any): void {
  if (m.type === 'spectate_start') liveOf.set(m.data.match_id, m.data.live);
  const live = liveOf.get(m.data.match_id) ?? '';
  boards.get(live)?.(m);
  if (m.type === 'spectate_end') { over.add(live); if (asked.split(',').every((id) => over.has(id))) renew(); }
}
function renew(): void {
  due = Infinity;
  const now = [...boards.keys()].filter((id) => !over.has(id)).slice(0, 12).sort().join();
  if (now === asked) return;
  asked = now;
  link?.close();
  link = now ? connect({ url: () => `${wsBase()}/api/ws/spectator?live=${now}`, onMessage: take, final: [1001] }) : undefined;
}
function later(ms: number): void {
  if (Date.now() + ms >= due) return;
  due = Date.now() + ms;
  clearTimeout(timer);
  timer = window.setTimeout(renew, ms);
}
export function follow(live: string, on: Take): () => void {
  boards.set(live, on);
  later(50);
  return () => { boards.delete(live); later(3000); };
}
