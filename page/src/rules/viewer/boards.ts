// Boards of the exported file. The codec's text picture serves every game; a game's own board takes its place here by
// one row, with the same views that the page's boards draw from.
import type { AllViews, View, Viewer } from '../types';
import { tetrisBoard } from './tetris';

export interface Scene {
  game: string;
  names: string[];
  viewer: Viewer;
  view: () => View | AllViews;
  text: (viewer: Viewer) => string;
}

export type Board = (scene: Scene) => Node;

const suits: Record<string, string> = { c: '♣', d: '♦', h: '♥', s: '♠' };

/** Text with its cards drawn: "Tc" becomes a small card of the same width. */
function picture(text: string): HTMLPreElement {
  const pre = document.createElement('pre');
  let at = 0;
  for (const found of text.matchAll(/(?<![\w'])([2-9TJQKA])([cdhs])(?![\w'])/g)) {
    pre.append(text.slice(at, found.index));
    const card = document.createElement('span');
    card.className = `card ${found[2]}`;
    card.textContent = found[1]! + suits[found[2]!]!;
    pre.append(card);
    at = found.index! + found[0].length;
  }
  pre.append(text.slice(at));
  return pre;
}

/** One picture of all cards, where seats' pictures differ only in what is hidden ("?") from some; else null. */
function merge(texts: string[]): string | null {
  const [first = '', ...rest] = texts;
  const out = [...first];
  for (const other of rest) {
    if (other.length !== first.length) return null;
    for (let i = 0; i < out.length; i++) {
      if (out[i] === '?') out[i] = other[i]!;
      else if (other[i] !== '?' && other[i] !== out[i]) return null;
    }
  }
  return out.join('');
}

const textBoard: Board = ({ names, viewer, text }) => {
  if (viewer !== 'all') return picture(text(viewer));
  const whole = merge(names.map((_, seat) => text(seat)));
  if (whole !== null) return picture(whole);
  const all = document.createElement('div');
  all.id = 'boards';
  names.forEach((name, seat) => {
    const part = document.createElement('section');
    if (names.length > 1) {
      const title = document.createElement('h2');
      title.textContent = name;
      part.append(title);
    }
    part.append(picture(text(seat)));
    all.append(part);
  });
  return all;
};

const boards: Record<string, Board> = { tetris: tetrisBoard };

export const isDrawn = (game: string): boolean => game in boards;
export const drawBoard = (scene: Scene): Node => (boards[scene.game] ?? textBoard)(scene);
