// The field of Tetris. It is drawn on a canvas everywhere: 0.8 ms a field, where SVG took 15. The small viewer of exported replays
// draws it too, so nothing here needs Preact.
const KINDS = ['', 'i', 'o', 't', 's', 'z', 'j', 'l'];
const COLOUR: Record<string, string> = { i: '#3fb6c9', o: '#d9b036', t: '#9d63c7', s: '#57ad5b', z: '#d1524b', j: '#4a78cf', l: '#dc8435', g: '#8a8f9c' };

// Cells by rotation, relative to the leftmost column and the topmost row that are occupied (coordinates "cells").
const NORTH: Record<string, number[][]> = { i: [[0, 0], [1, 0], [2, 0], [3, 0]], o: [[0, 0], [1, 0], [0, 1], [1, 1]], t: [[1, 0], [0, 1], [1, 1], [2, 1]], s: [[1, 0], [2, 0], [0, 1], [1, 1]],
  z: [[0, 0], [1, 0], [1, 1], [2, 1]], j: [[0, 0], [0, 1], [1, 1], [2, 1]], l: [[2, 0], [0, 1], [1, 1], [2, 1]] };
export function cellsOf(kind: string, rotation: string): number[][] {
  let cells = NORTH[kind] ?? [];
  for (let turns = ['north', 'east', 'south', 'west'].indexOf(rotation); turns > 0; turns--) {
    const high = Math.max(...cells.map((c) => c[1]));
    cells = cells.map(([x, y]) => [high - y, x]);
  }
  return cells;
}

// The referee's rows: a letter is a piece, "." is nothing, anything else came from below.
export const cellsFrom = (rows: string[]): number[][] => rows.map((row) => [...row].map((c) => { const kind = KINDS.indexOf(c.toLowerCase()); return c === '.' ? 0 : kind < 0 ? KINDS.length : kind; }));

export interface Piece { kind: string; rotation: string; x: number; y: number }
export interface Field { cells: number[][]; active?: Piece | null; ghost?: Piece; trail?: Piece[] }

function cell(g: CanvasRenderingContext2D, x: number, y: number, kind: string, u: number, ghost = 0): void {
  const c = COLOUR[kind] ?? COLOUR.g, at = [x * u + u * .035, y * u + u * .035, u * .93, u * .93] as const;
  g.beginPath();
  g.roundRect(...at, u * .16);
  if (ghost) { g.strokeStyle = c; g.globalAlpha = ghost; g.lineWidth = u * .09; g.stroke(); g.globalAlpha = 1; return; }
  g.fillStyle = c;
  g.fill();
  g.fillStyle = '#ffffff47';
  g.beginPath();
  g.roundRect(at[0], at[1], at[2], u * .245, [u * .16, u * .16, 0, 0]);
  g.fill();
  if (document.documentElement.dataset.letters === 'on') { g.fillStyle = '#12151e'; g.font = `700 ${u * .55}px system-ui, sans-serif`; g.textAlign = 'center'; g.fillText(kind.toUpperCase(), (x + .5) * u, (y + .74) * u); }
}

export function drawField(canvas: HTMLCanvasElement, f: Field): void {
  const wide = f.cells[0]?.length ?? 10, high = f.cells.length || 20;
  const width = Math.round(canvas.clientWidth * devicePixelRatio) || canvas.width; // not in the document yet: as it was made
  if (canvas.width !== width) { canvas.width = width; canvas.height = Math.round(width * high / wide); }
  const g = canvas.getContext('2d')!, u = canvas.width / wide;
  g.fillStyle = '#12151e';
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.strokeStyle = '#ffffff0a';
  g.lineWidth = u * .05;
  g.beginPath();
  for (let x = 1; x < wide; x++) { g.moveTo(x * u, 0); g.lineTo(x * u, canvas.height); }
  for (let y = 1; y < high; y++) { g.moveTo(0, y * u); g.lineTo(canvas.width, y * u); }
  g.stroke();
  f.cells.forEach((row, y) => row.forEach((v, x) => { if (v) cell(g, x, y, KINDS[v] ?? 'g', u); }));
  const piece = (p: Piece, ghost = 0): void => cellsOf(p.kind, p.rotation).forEach(([x, y]) => cell(g, p.x + x, p.y + y, p.kind, u, ghost));
  f.trail?.forEach((p) => piece(p, .22));
  if (f.ghost) piece(f.ghost, .75);
  if (f.active) piece(f.active);
}

// A piece by itself, in the middle of a canvas of 4.5 by 2.5 cells.
export function drawPiece(canvas: HTMLCanvasElement, kind: string): void {
  const g = canvas.getContext('2d')!, u = canvas.width / 4.5, cells = cellsOf(kind, 'north'), most = (i: number): number => Math.max(...cells.map((c) => c[i]!)) + 1;
  cells.forEach(([x, y]) => cell(g, x! + (4.5 - most(0)) / 2, y! + (2.5 - most(1)) / 2, kind, u));
}

export const heightOf = (cells: number[][]): number => { const top = cells.findIndex((row) => row.some(Boolean)); return top < 0 ? 0 : cells.length - top; };
export function holesOf(cells: number[][]): number {
  let holes = 0;
  for (let x = 0; x < (cells[0]?.length ?? 0); x++) { let roof = false; for (const row of cells) { if (row[x]) roof = true; else if (roof) holes++; } }
  return holes;
}
