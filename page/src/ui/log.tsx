import { useEffect, useRef, useState } from 'preact/hooks';
import type { Line } from '../lib/feed';
import { index, type Table } from '../games/types';
import { t } from '../lib/text';
import { Say } from './say';

// Events in words, newest last. It follows the newest line unless the reader has scrolled up.
// `late`: there were events before the first of these.
export function Log({ lines, table, now, late, onPick }: { lines: Line[]; table: Table; now?: number; late?: boolean; onPick?: (seq: number) => void }) {
  const ref = useRef<HTMLOListElement>(null), [away, leave] = useState(false), top = useRef(0);
  const last = now ?? lines[lines.length - 1]?.seq;
  useEffect(() => {
    const l = ref.current;
    if (!l || away) return;
    if (now === undefined) l.scrollTop = l.scrollHeight;
    else { const li = l.querySelector<HTMLElement>('.now'); if (li) l.scrollTop = li.offsetTop - l.offsetTop - l.clientHeight / 2; }
  }, [lines, now, away]);
  const scrolled = () => { // only the reader scrolls up
    const l = ref.current!, up = l.scrollTop < top.current - 4;
    top.current = l.scrollTop;
    if (now === undefined && (up || away)) leave(l.scrollHeight - l.scrollTop - l.clientHeight > 60);
  };
  return <>
    <ol class="log" ref={ref} tabIndex={0} aria-label={t('log.title')} onScroll={scrolled}>
      {lines.map((x) => x.head ? <li key={`h${x.seq}`} class="h"><Say s={x.say} table={table} /></li>
        : <li key={x.seq} class={`${x.seq === last ? 'now' : ''} ${x.player ? `hue-${index(x.player) % 6}` : ''} ${onPick ? 'pick' : ''}`} onClick={onPick && (() => onPick(x.seq))}><Say s={x.say} table={table} /></li>)}
      {!lines.length && <li class="none dim">{t(late ? 'log.late' : 'log.none')}</li>}
    </ol>
    {away && <button type="button" class="btn newest" onClick={() => leave(false)}>{t('log.newest')}</button>}
  </>;
}
