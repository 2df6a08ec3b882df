// Small boards, many by one socket. A board that comes into view is asked for at once; one that leaves it is dropped a little
// later, so that scrolling does not open sockets.
import { connect, wsBase, type Link } from './socket';

type Take = (message: any) => void;

export class Gallery {
  private boards = new Map<string, Take>();
  private over = new Set<string>();
  private link?: Link;
  private asked = '';
  private timer = 0;
  private due = Infinity;

  // `path` of the socket for ids with commas between them; whose board a message is for.
  constructor(private path: (ids: string) => string, private idOf: (m: any) => string) {}

  private take(m: any): void {
    const id = this.idOf(m);
    this.boards.get(id)?.(m);
    if (m.type !== 'spectate_end') return;
    this.over.add(id);
    if (this.asked.split(',').every((one) => this.over.has(one))) this.renew();
  }
  private renew(): void {
    this.due = Infinity;
    const now = [...this.boards.keys()].filter((id) => !this.over.has(id)).slice(0, 12).sort().join();
    if (now === this.asked) return;
    this.asked = now;
    this.link?.close();
    this.link = now ? connect({ url: () => wsBase() + this.path(now), onMessage: (m) => this.take(m), final: [1001] }) : undefined;
  }
  private later(ms: number): void {
    if (Date.now() + ms >= this.due) return;
    this.due = Date.now() + ms;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.renew(), ms);
  }
  follow(id: string, on: Take): () => void {
    this.boards.set(id, on);
    this.later(50);
    return () => { this.boards.delete(id); this.later(3000); };
  }
}
