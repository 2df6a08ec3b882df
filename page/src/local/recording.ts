// A replay file, played again here: its events, what every seat knew, and how likely hands were to win.
import { Recording, type Meta, type Proven } from '../lib/replay';
import { holdemOdds, openReplay, type Replay } from '../rules';
import { wireChoice, wireEvent, wireState } from '../games/wire';

export class Broken extends Error {}

/** Throws when the file is not what its server committed to, or does not follow the rules. */
export async function openRecording(meta: Meta, bytes: Uint8Array): Promise<Recording> {
  const replay: Replay = await openReplay(bytes, { neutral: true });
  if (replay.game !== meta.game) throw new Broken(`it is a match of ${replay.game}`);
  if (meta.seed_commitment && replay.commitment !== meta.seed_commitment) throw new Broken('it is not the deal that the server committed to');
  const steps = Array.from({ length: replay.steps + 1 }, (_, step) => replay.events(step, 'public').map((e) => [step, e] as const)).flat();
  const r = new Recording(meta, steps.map(([, e], seq) => wireEvent(e, seq)));
  const proven: Proven = {
    verified: replay.verified, stepOf: steps.map(([step]) => step), view: replay.view, text: replay.text,
    move: (step, seat, action) => { const view = replay.view(step, seat) as any; return { action: wireChoice({ text: '', ...action }, view), state: wireState(replay.game, view, replay.turn(step), seat) }; },
    odds: async (hands, board) => (await holdemOdds(hands as [string, string][], board)).hands.map((h) => h.share),
  };
  r.proven = proven;
  return r;
}
