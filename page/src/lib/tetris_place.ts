// Where a piece would come to lie: what a pointer over the field aims at.
import { cellsOf, type Piece } from '../pieces/field';

// Above the field everything is free.
const fits = (cells: number[][], p: Piece): boolean => cellsOf(p.kind, p.rotation).every(([x, y]) => p.x + x >= 0 && p.x + x < cells[0].length && (p.y + y < 0 || cells[p.y + y]?.[p.x + x] === 0));

// Pushed to a column, as far as it gets, and let fall.
export function placed(cells: number[][], from: Piece, x: number): Piece {
  const p = { ...from }, by = Math.sign(x - p.x);
  while (p.x !== x && fits(cells, { ...p, x: p.x + by })) p.x += by;
  while (fits(cells, { ...p, y: p.y + 1 })) p.y++;
  return p;
}

// The column of a piece whose middle is under the pointer; `share` of the field lies left of that.
export function columnUnder(cells: number[][], p: Piece, share: number): number {
  const wide = cells[0].length, width = Math.max(...cellsOf(p.kind, p.rotation).map((c) => c[0])) + 1;
  return Math.max(0, Math.min(wide - width, Math.round(share * wide - width / 2)));
}
