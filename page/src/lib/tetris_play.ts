// At the controls of a Tetris table, by the adapter's own protocol over WebSocket.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { connect, wsBase, type Link, type LinkState } from './socket';
import { Track, type Run } from './tetris';
import { foreign } from './text';

export interface Tetris extends Run {
  role?: string; state: LinkState; refused?: string;
  act(...actions: string[]): void; restart(): void;
}

export function useTetris(table: string): Tetris {
  const [, redraw] = useReducer((n: number) => n + 1, 0), [state, setState] = useState<LinkState>({ kind: 'connecting' });
  const kept = useRef<Track & { link?: Link; seq?: number; role?: string; refused?: string }>();
  kept.current ??= new Track();
  useEffect(() => {
    const mine = kept.current!, changed = () => redraw(0);
    let link: Link;
    link = connect({
      url: () => `${wsBase()}/api/tetris/ws?table=${encodeURIComponent(table)}`,
      onState: (s) => { setState(s); if (s.kind === 'open') { mine.seq = 1; link.send({ type: 'hello', seq: 1, ts: Date.now(), client: { name: 'agon page', version: '1' }, protocol_version: '2.1.0', formats: ['json'], requested: { stream_observations: true, command_mode: 'action', role: 'auto' } }); } },
      onMessage: (m) => {
        if (m.type === 'welcome') { mine.role = m.role; mine.refused = undefined; changed(); }
        else if (m.type === 'observation') { mine.take(m); changed(); }
        else if (m.type === 'error' && m.code !== 'backpressure') { mine.refused = foreign(m.message ?? m.code); changed(); }
      },
    });
    mine.link = link;
    return () => link.close();
  }, [table]);
  const k = kept.current!;
  const command = (actions: string[], more: object = {}) => { k.link?.send({ type: 'command', seq: (k.seq = (k.seq ?? 0) + 1), ts: Date.now(), mode: 'action', actions, ...more }); };
  return { observation: k.observation, role: k.role, state, heights: k.heights, cleared: k.cleared, counts: k.counts, laid: k.laid, refused: k.refused, act: (...actions) => command(actions), restart: () => command(['restart'], { restart: { seed: Math.floor(Math.random() * 2 ** 32) } }) };
}
