// A mirrored 5 x 5 pattern from a hash of the agent's id, in the colour of its seat at a table, else in one of eight hues.
function hash(s: string): number {
  let h = 2166136261;
  for (const c of s) h = Math.imul(h ^ (c.codePointAt(0) ?? 0), 16777619);
  h ^= h >>> 15;
  h = Math.imul(h, 2246822519);
  return (h ^ (h >>> 13)) >>> 0;
}

export function Avatar({ id, hue }: { id: string; hue?: number }) {
  const h = hash(id);
  let path = '';
  for (let i = 0; i < 15; i++) {
    if (!((h >>> i) & 1)) continue;
    const x = i % 3, y = Math.floor(i / 3);
    for (const c of x === 2 ? [2] : [x, 4 - x]) path += `M${4 + c * 4} ${4 + y * 4}h4.05v4.05h-4.05z`;
  }
  return <svg class={`avatar hue-${hue ?? (h >>> 17) % 8}`} viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" class="ab" /><path class="af" d={path} /></svg>;
}
