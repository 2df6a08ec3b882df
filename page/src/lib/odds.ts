// Winning chances of open Hold'em hands: all runouts counted from the flop on, a sample before it.
const RANKS = '23456789TJQKA', SUITS = 'shdc';
const card = (c: string): number => RANKS.indexOf(c[0]) * 4 + SUITS.indexOf(c[1]);

function straight(mask: number): number { // the highest card of five in a row, or -1; the ace is also low
  const m = (mask << 1) | (mask >> 12 & 1);
  for (let high = 13; high >= 4; high--) if (((m >> (high - 4)) & 31) === 31) return high - 1;
  return -1;
}
function top(mask: number, n: number): number { // the n highest ranks as digits to the base 13
  let out = 0;
  for (let r = 12; r >= 0 && n > 0; r--) if (mask >> r & 1) { out = out * 13 + r; n--; }
  return out * 13 ** Math.max(0, n);
}
const CATEGORY = 13 ** 5;
export function score(cards: number[]): number {
  const count = new Uint8Array(13), suits = [0, 0, 0, 0];
  let all = 0;
  for (const c of cards) { count[c >> 2]++; suits[c & 3] |= 1 << (c >> 2); all |= 1 << (c >> 2); }
  let flush = 0;
  for (const s of suits) { let n = 0; for (let m = s; m; m &= m - 1) n++; if (n >= 5) flush = s; }
  if (flush) { const s = straight(flush); if (s >= 0) return 8 * CATEGORY + s; }
  let four = -1, threes = 0, pairs = 0;
  for (let r = 0; r < 13; r++) { if (count[r] === 4) four = r; else if (count[r] === 3) threes |= 1 << r; else if (count[r] === 2) pairs |= 1 << r; }
  if (four >= 0) return 7 * CATEGORY + four * 13 + top(all & ~(1 << four), 1);
  const three = threes ? 31 - Math.clz32(threes) : -1, full = three < 0 ? 0 : (threes & ~(1 << three)) | pairs;
  if (full) return 6 * CATEGORY + three * 13 + (31 - Math.clz32(full));
  if (flush) return 5 * CATEGORY + top(flush, 5);
  const s = straight(all);
  if (s >= 0) return 4 * CATEGORY + s;
  if (three >= 0) return 3 * CATEGORY + three * 169 + top(all & ~(1 << three), 2);
  if (pairs) {
    const a = 31 - Math.clz32(pairs), rest = pairs & ~(1 << a);
    if (rest) { const b = 31 - Math.clz32(rest); return 2 * CATEGORY + (a * 13 + b) * 13 + top(all & ~(1 << a) & ~(1 << b), 1); }
    return CATEGORY + a * 2197 + top(all & ~(1 << a), 3);
  }
  return top(all, 5);
}

// Shares of the pot; `dead` are cards known to be elsewhere. Sampled when there are fewer than three on the board.
export function shares(hands: string[][], board: string[], dead: string[] = [], samples = 10000): number[] {
  const own = hands.map((h) => h.map(card)), out = board.map(card), used = new Set([...own.flat(), ...out, ...dead.map(card)]);
  const deck = Array.from({ length: 52 }, (_, i) => i).filter((c) => !used.has(c)), won = hands.map(() => 0);
  let n = 0;
  const settle = (b: number[]) => {
    const v = own.map((h) => score([...h, ...b])), best = Math.max(...v), k = v.filter((x) => x === best).length;
    v.forEach((x, i) => { if (x === best) won[i] += 1 / k; });
    n++;
  };
  const need = 5 - out.length;
  if (need <= 2) {
    const go = (from: number, b: number[]): void => { if (b.length === 5) { settle(b); return; } for (let i = from; i < deck.length; i++) go(i + 1, [...b, deck[i]]); };
    go(0, out);
  } else {
    let x = 7;
    for (let k = 0; k < samples; k++) {
      const d = deck.slice(), b = out.slice();
      while (b.length < 5) { x = (Math.imul(x, 1103515245) + 12345) >>> 0; const i = (x >>> 8) % d.length; b.push(d[i]); d[i] = d[d.length - 1]; d.pop(); }
      settle(b);
    }
  }
  return won.map((w) => w / n);
}
