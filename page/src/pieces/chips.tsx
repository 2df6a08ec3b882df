const VALUES: [number, string][] = [[5000, 'o'], [1000, 'y'], [500, 'p'], [100, 'b'], [25, 'r']];

// A stack seen from the side, at most six discs. The amount always stands beside it.
export function Chips({ n }: { n: number }) {
  const discs: string[] = n < 25 ? Array(Math.min(n, 6)).fill('r') : []; // below the smallest value a disc is one
  let left = n;
  for (const [value, kind] of VALUES) while (left >= value && discs.length < 6) { discs.push(kind); left -= value; }
  const h = 14 + discs.length * 3.5;
  return <svg class="chips" viewBox={`0 0 26 ${h}`} aria-hidden="true">
    {discs.map((kind, i) => {
      const y = h - 8 - i * 3.5;
      return <g key={i} class={`chip-${kind}`}><path class="ce" d={`M1 ${y}v3c0 2.9 5.4 5 12 5s12-2.1 12-5v-3z`} /><path class="cs" d={`M5 ${y + 3.6}v3.2M13 ${y + 4.8}v3.2M21 ${y + 3.6}v3.2`} /><ellipse class="ct" cx="13" cy={y} rx="12" ry="5" /></g>;
    })}
    <ellipse class="ci" cx="13" cy={h - 8 - (discs.length - 1) * 3.5} rx="6.5" ry="2.5" />
  </svg>;
}

export const Coin = ({ n }: { n: number }) => <span class="coin"><svg class="coin-i" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="9" /><circle class="in" cx="10" cy="10" r="6" /></svg><b>{n}</b></span>;
