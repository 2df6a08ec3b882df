// Live regions: one polite for events, at most one sentence in two seconds, and one assertive for the visitor's own turn.
import { signal, useSignal } from './signal';
import { t } from './text';

export const muted = signal(false);
const polite = signal(''), urgent = signal('');
let waiting: string[] = [], timer = 0;

function next(): void {
  timer = 0;
  if (!waiting.length) return;
  const last = waiting[waiting.length - 1], more = waiting.length - 1;
  waiting = [];
  polite.set(more > 0 ? t('log.more', { last, n: more }) : last);
  timer = window.setTimeout(next, 2000);
}
export function announce(sentence: string): void {
  if (muted.get() || !sentence) return;
  waiting.push(sentence);
  if (!timer) next();
}
export function alertNow(sentence: string): void { urgent.set(urgent.get() === sentence ? `${sentence}\u00a0` : sentence); } // the same one twice is spoken twice

export function LiveRegions() {
  const said = useSignal(polite), now = useSignal(urgent);
  return <>
    <div class="sr" aria-live="polite" role="status">{said}</div>
    <div class="sr" aria-live="assertive" role="alert">{now}</div>
  </>;
}
