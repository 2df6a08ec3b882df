// A WebSocket that comes back: after 1, 2, 4 ... 30 s with jitter, at once when the network or the tab returns.
export interface Link {
  send(message: unknown): boolean;
  close(): void;
  again(): void; // now, also after a close that ended it
}
export interface LinkState { kind: 'connecting' | 'open' | 'waiting' | 'ended'; at?: number; code?: number; reason?: string }
export interface LinkOptions {
  url: () => string | Promise<string>;
  protocols?: () => string[];
  onMessage: (message: any) => void;
  onState?: (state: LinkState) => void;
  // Codes after which nobody tries again by himself.
  final?: number[];
}

export function connect(o: LinkOptions): Link {
  let ws: WebSocket | undefined, timer = 0, tries = 0, over = false;
  const say = (s: LinkState) => o.onState?.(s);
  const later = (code?: number) => {
    if (over) return;
    const wait = Math.min(30000, 1000 * 2 ** tries) * (0.75 + Math.random() / 2);
    tries++;
    say({ kind: 'waiting', at: Date.now() + wait, code });
    clearTimeout(timer);
    timer = window.setTimeout(open, wait);
  };
  async function open(): Promise<void> {
    clearTimeout(timer);
    if (over) return;
    say({ kind: 'connecting' });
    let url: string;
    try { url = await o.url(); } catch { later(); return; }
    if (over) return;
    const mine = (ws = new WebSocket(url, o.protocols?.() ?? []));
    mine.onopen = () => { say({ kind: 'open' }); };
    mine.onmessage = (e) => { if (mine !== ws) return; tries = 0; o.onMessage(JSON.parse(e.data as string)); };
    mine.onclose = (e) => {
      if (mine !== ws) return;
      ws = undefined;
      if (over) return;
      if (o.final?.includes(e.code)) { over = true; say({ kind: 'ended', code: e.code, reason: e.reason }); } else later(e.code);
    };
  }
  const wake = () => { if (!over && !ws && !document.hidden) { tries = 0; void open(); } };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  void open();
  return {
    send(message) { if (ws?.readyState !== WebSocket.OPEN) return false; ws.send(JSON.stringify(message)); return true; },
    close() {
      over = true;
      clearTimeout(timer);
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
      ws?.close();
      ws = undefined;
    },
    again() { over = false; tries = 0; ws?.close(); ws = undefined; void open(); },
  };
}

export const wsBase = (): string => location.origin.replace(/^http/, 'ws');
