// What happened, in the codec's sentences, as one viewer could see it. It is read from a second copy of the replay, so
// that the board's place is not lost, and in pieces, so that the page stays awake.
import type { Replay } from '../replay';
import type { Viewer } from '../types';

export interface Line {
  step: number;
  text: string;
}

const PIECE_MS = 12;
const SHOWN = 60; // lines on each side of the current one

/** Reads all lines; `more` is called after each piece. The function returned stops it. */
export function readLog(replay: Replay, viewer: Viewer, more: (lines: Line[], done: boolean) => void): () => void {
  const lines: Line[] = [];
  let step = 0;
  let timer = 0;
  const piece = (): void => {
    const until = performance.now() + PIECE_MS;
    for (; step <= replay.steps && performance.now() < until; step++)
      for (const { text } of replay.events(step, viewer)) if (text) lines.push({ step, text });
    const done = step > replay.steps;
    more(lines, done);
    if (!done) timer = window.setTimeout(piece, 0);
  };
  piece();
  return () => window.clearTimeout(timer);
}

/** The last line at or before this step; -1: none. */
export function currentLine(lines: Line[], step: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.step <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Draws the lines around the current one; `note` is said beside the first line of a step. */
export function drawLog(list: HTMLElement, lines: Line[], step: number, go: (step: number) => void, note: (step: number) => string): void {
  const now = currentLine(lines, step);
  const from = Math.max(0, now - SHOWN);
  list.replaceChildren(
    ...lines.slice(from, now + SHOWN).map((line, i) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = line.text;
      button.tabIndex = -1;
      button.className = line.step > step ? 'ahead' : '';
      button.addEventListener('click', () => go(line.step));
      if (from + i === now) item.setAttribute('aria-current', 'step');
      item.append(button);
      const said = lines[from + i - 1]?.step === line.step ? '' : note(line.step);
      if (said) item.append(Object.assign(document.createElement('small'), { textContent: said }));
      return item;
    }),
  );
  const current = list.querySelector<HTMLElement>('[aria-current]');
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}
