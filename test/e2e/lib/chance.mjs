// Random numbers that are the same in every run: tools/lint refuses Math.random elsewhere in test/e2e.

// mulberry32: a number in [0, 1) per call.
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

export class Chance {
  constructor(seed = 1) {
    this.next = numbers(seed);
  }
  // A whole number from 0 to n - 1.
  below(n) {
    return Math.floor(this.next() * n);
  }
  pick(list) {
    return list[this.below(list.length)];
  }
  // Whether something of this probability happens.
  happens(probability) {
    return this.next() < probability;
  }
  hex(bytes) {
    return Array.from({ length: bytes }, () => this.below(256).toString(16).padStart(2, '0')).join('');
  }
}
