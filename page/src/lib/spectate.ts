// A running match as a spectator sees it, by the server's socket.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { connect, wsBase, type Link, type LinkState } from './socket';
import { drawSoon, Feed } from './feed';
import { Gallery } from './gallery';
import type { Seat } from '../games';

const liveOf = new Map<string, string>(); // frames name the match, visitors its address
const gallery = new Gallery((ids) => `/api/ws/spectator?live=${ids}`, ({ data: d }) => { if (d.live) liveOf.set(d.match_id, d.live); return liveOf.get(d.match_id) ?? ''; });

interface End { replay_url: string; result?: { payoffs: Record<string, number>; is_draw: boolean }; players?: { player_id: string; agent_id: string; agent_name: string }[] }
export interface Watched { feed?: Feed; state: LinkState; start?: any; end?: End; again(): void }
interface Kept { live?: string | null; feed?: Feed; start?: any; end?: End; link?: Link; ahead: number }

// When the clock of who is asked ends, by this machine's clock: the server's may differ from it.
const clockOf = (d: any, ahead: number) => {
  const deadline = d.deadline ? Date.parse(d.deadline) - ahead : undefined;
  return { ...(d.asked?.length === 1 ? { turn: d.asked[0] as string } : {}), deadline, limit: deadline && deadline - Date.now(), strikes: d.strikes as number[] | undefined };
};

function take(mine: Kept, m: any, quiet: boolean, changed: () => void): void {
  const d = m.data;
  switch (m.type) {
    case 'spectate_start': {
      const seats: Seat[] = d.players.map((p: any) => ({ pid: p.player_id, name: p.name }));
      mine.start = d;
      mine.ahead = d.server_time ? Date.parse(d.server_time) - Date.now() : 0;
      if (!mine.feed) mine.feed = new Feed({ game: d.game, seats, state: d.state, quiet, onChange: changed });
      else mine.feed.settle(d.state); // back after a gap: what is there now
      mine.feed.seq = Math.max(mine.feed.seq, (d.seq ?? 0) - 1);
      mine.feed.mark(clockOf(d, mine.ahead));
      break;
    }
    case 'event': mine.feed?.push(d.events); break;
    case 'turn': mine.feed?.mark(clockOf(d, mine.ahead)); break;
    case 'decision': if (mine.feed && !quiet) { mine.feed.decide(d); changed(); } break;
    case 'spectate_end': mine.end = d; changed(); break;
    default: break;
  }
}

export function useSpectator(live: string | null, o: { mini?: boolean } = {}): Watched {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [state, setState] = useState<LinkState>({ kind: 'connecting' });
  const kept = useRef<Kept>({ ahead: 0 });
  useEffect(() => {
    if (!live) return undefined;
    if (kept.current.live !== live) kept.current = { live, ahead: 0 };
    const mine = kept.current, draw = () => redraw(0);
    if (o.mini) {
      const leave = gallery.follow(live, (m) => take(mine, m, true, () => drawSoon(draw)));
      return () => { leave(); mine.feed?.stop(); };
    }
    const link = connect({
      url: () => `${wsBase()}/api/ws/spectator?live=${live}${mine.feed ? `&from=${mine.feed.seq + 1}` : ''}`, // goes on where it was
      onMessage: (m) => take(mine, m, false, draw),
      onState: (s) => { if (s.kind === 'waiting' && (mine.end || s.code === 1001)) { link.close(); setState({ kind: 'ended' }); } else setState(s); },
      final: [1001],
    });
    mine.link = link;
    return () => { link.close(); mine.feed?.stop(); };
  }, [live]);
  const now = kept.current.live === live ? kept.current : undefined;
  return { feed: now?.feed, start: now?.start, end: now?.end, state, again: () => now?.link?.again() };
}
