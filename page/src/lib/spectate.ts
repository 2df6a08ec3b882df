// A running match as a spectator sees it, by the server's socket.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { connect, wsBase, type Link, type LinkState } from './socket';
import { drawSoon, Feed } from './feed';
import type { Seat } from '../games';

export interface Watched { feed?: Feed; state: LinkState; start?: any; end?: { replay_url: string }; again(): void }

export function useSpectator(live: string | null, o: { mini?: boolean } = {}): Watched {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [state, setState] = useState<LinkState>({ kind: 'connecting' });
  const kept = useRef<{ feed?: Feed; start?: any; end?: any; live?: string | null; link?: Link }>({});
  useEffect(() => {
    if (!live) return undefined;
    if (kept.current.live !== live) kept.current = { live };
    const mine = kept.current, changed = o.mini ? () => drawSoon(draw) : () => redraw(0), draw = () => redraw(0);
    const onMessage = (m: any) => {
      if (m.type === 'spectate_start') {
        const seats: Seat[] = m.data.players.map((p: any) => ({ pid: p.player_id, name: p.name }));
        mine.start = m.data;
        if (!mine.feed) mine.feed = new Feed({ game: m.data.game, seats, state: m.data.state, quiet: o.mini, onChange: changed });
        else mine.feed.settle(m.data.state); // back after a gap: what is there now
        changed();
      } else if (m.type === 'event') mine.feed?.push(m.data.events);
      else if (m.type === 'decision') { if (mine.feed) { mine.feed.decisions = [...mine.feed.decisions, m.data].slice(-60); changed(); } }
      else if (m.type === 'spectate_end') { mine.end = m.data; changed(); }
    };
    const link = connect({ url: () => `${wsBase()}/api/ws/spectator?live=${live}`, onMessage, onState: (s) => { if (s.kind === 'waiting' && (mine.end || s.code === 1001)) { link.close(); setState({ kind: 'ended' }); } else setState(s); }, final: [1001] });
    mine.link = link;
    return () => { link.close(); mine.feed?.stop(); };
  }, [live]);
  const now = kept.current.live === live ? kept.current : {};
  return { feed: now.feed, start: now.start, end: now.end, state, again: () => now.link?.again() };
}
