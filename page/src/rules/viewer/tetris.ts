// The field of Tetris in the exported file, drawn as on the page: what is held and the figures on its left, what comes next on its right.
import { cellsFrom, drawField, drawPiece, heightOf, holesOf, type Piece } from '../../pieces/field';
import type { Board } from './boards';
import { element } from './element';

interface Seen { board: string[]; active: Piece | null; ghost_y: number | null; hold: string | null; can_hold: boolean; next: (string | null)[]; piece_id: number; score: number; lines: number; level: number }

const CELL = 30; // pixels of a cell, before the screen's own ratio

function canvas(wide: number, high: number, cell: number): HTMLCanvasElement {
  return element('canvas', { width: wide * Math.round(cell * devicePixelRatio), height: high * Math.round(cell * devicePixelRatio) });
}

function alone(kind: string): HTMLCanvasElement {
  const made = canvas(4.5, 2.5, 20);
  if (kind) drawPiece(made, kind.toLowerCase());
  return made;
}

export const tetrisBoard: Board = ({ view }) => {
  const got = view(), v = ('public' in got ? got.public : got) as unknown as Seen, cells = cellsFrom(v.board), active = v.active && { ...v.active, kind: v.active.kind.toLowerCase() };
  const field = canvas(10, cells.length, CELL), next = v.next.map((kind) => kind ?? '');
  field.setAttribute('role', 'img');
  field.setAttribute('aria-label', `Stack ${heightOf(cells)} rows, holes ${holesOf(cells)}.${active ? ` Falling ${active.kind.toUpperCase()}.` : ''} ${v.lines} lines, level ${v.level}. Next: ${next.join(', ')}.`);
  drawField(field, { cells, active, ghost: active && v.ghost_y !== null ? { ...active, y: v.ghost_y } : undefined });
  const box = (name: string, ...inside: Node[]): HTMLElement => element('div', { className: 'box' }, element('span', {}, name), ...inside);
  const hold = box('Hold', alone(v.hold ?? ''));
  if (!v.can_hold) hold.classList.add('used');
  const figures = element('dl', {}, ...([['Score', v.score], ['Lines', v.lines], ['Level', v.level], ['Pieces', v.piece_id]] as const).flatMap(([name, n]) => [element('dt', {}, name), element('dd', {}, n.toLocaleString('en'))]));
  return element('div', { className: 'tetris' }, element('div', {}, hold, figures), field, element('div', {}, box('Next', ...next.map((kind) => alone(kind)))));
};
