// What stands in for src/local in the exported file (vite.export.ts): one replay and the modules it needs, all of them inside.
import { openRecording as open } from '../local/recording';
import type { Meta, Recording } from '../lib/replay';
import { openReplay, RulesError, setModuleSource } from '../rules';
import type { Analysis } from '../rules/analysis';

const bytesOf = (id: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(document.getElementById(id)?.textContent?.trim() ?? ''), (c) => c.charCodeAt(0));

setModuleSource(async (name) => {
  const bytes = bytesOf(name.endsWith('.bots') ? 'odds' : 'module');
  if (!bytes.length) throw new RulesError(`this file has no ${name}`);
  return bytes;
});

let kept: { meta: Meta; bytes: Uint8Array } | undefined;

/** Opens what the file holds, or throws the reason why it is not what it was. */
export async function openFile(): Promise<Meta> {
  const bytes = bytesOf('replay'), replay = await openReplay(bytes), payoffs = replay.payoffs(replay.steps), best = Math.max(...payoffs);
  const players = replay.seats.map((name, i) => ({ player_id: `p${i}`, agent_id: '', agent_name: name, result: '' }));
  const result = { payoffs: Object.fromEntries(payoffs.map((v, i) => [`p${i}`, v])), is_draw: payoffs.every((v) => v === best) };
  const meta: Meta = { id: 'local', game: replay.game, mode: 'local', rated: false, config: replay.about.rules, finished_at: '', duration_ms: 0, players, result, seed_commitment: replay.commitment, deal: null };
  kept = { meta, bytes };
  return meta;
}

export const hasRules = (): boolean => true;
export const keptReplay = (): typeof kept => kept;
export async function openRecording(meta: Meta, bytes: Uint8Array): Promise<Recording> {
  const r = await open(meta, bytes), told = new TextDecoder().decode(bytesOf('analysis-data'));
  if (told) r.analysis = JSON.parse(told) as Analysis;
  return r;
}
