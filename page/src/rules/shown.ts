// One instance of a game's module and what it shows: the same for a replay and for a match.
import type { Exports } from './modules';
import { RulesError, type About, type AllViews, type Choice, type Entry, type GameEvent, type Head, type Turn, type View, type Viewer } from './types';

const PUBLIC = 10; // GAME_SPECTATOR
const EVERYBODY = 0xffff;

const reader = new TextDecoder();
const writer = new TextEncoder();

export class Shown {
  head: Head = { game: '', steps: 0, complete: false, hashes: 0, commitment: '', names: [], rules: {} };

  constructor(readonly wasm: Exports) {}

  call(name: string, ...args: (number | bigint)[]): number | bigint {
    return this.wasm[name]!(...args);
  }

  private answer(call: string, ...args: (number | bigint)[]): string {
    const size = Number(this.call(call, ...args));
    const at = Number(this.call('module_output'));
    return reader.decode(new Uint8Array(this.wasm.memory.buffer, at, size));
  }

  json<T>(call: string, ...args: (number | bigint)[]): T {
    const value = JSON.parse(this.answer(call, ...args)) as T & { error?: string };
    if (value && typeof value === 'object' && typeof value.error === 'string') throw new RulesError(value.error);
    return value;
  }

  /** Puts bytes or text where the next call looks for them, and returns the size. */
  give(bytes: Uint8Array | string): number {
    const given = typeof bytes === 'string' ? writer.encode(bytes) : bytes;
    const at = Number(this.call('module_input', Math.max(given.length, 64)));
    if (!at) throw new RulesError('there is not enough memory for this file');
    new Uint8Array(this.wasm.memory.buffer, at, given.length).set(given);
    return given.length;
  }

  about(): About {
    return this.json('module_about');
  }

  /** The codec's view for that viewer: what is hidden from it is not in there. */
  view(viewer: Viewer): View | AllViews {
    if (viewer !== 'all') return this.json<View>('show_view', this.number(viewer));
    return {
      seats: this.head.names.map((_, seat) => this.json<View>('show_view', seat)),
      public: this.json<View>('show_view', PUBLIC),
    };
  }

  text(viewer: Viewer): string {
    if (viewer !== 'all') return this.answer('show_text', this.number(viewer));
    return this.head.names.map((name, seat) => `[${name}]\n${this.answer('show_text', seat)}`).join('\n');
  }

  events(viewer: Viewer): GameEvent[] {
    return this.json('show_events', viewer === 'all' ? EVERYBODY : 1 << this.number(viewer));
  }

  legal(seat: number): Choice[] {
    return this.json('show_legal', this.number(seat));
  }

  turn(): Turn {
    return this.json('show_turn');
  }

  entry(): Entry {
    return this.json('show_entry');
  }

  payoffs(): number[] {
    return this.json('show_payoffs');
  }

  hash(): string {
    return this.answer('show_hash');
  }

  private number(viewer: number | 'public'): number {
    if (viewer === 'public') return PUBLIC;
    if (!Number.isInteger(viewer) || viewer < 0 || viewer >= this.head.names.length)
      throw new RulesError(`there is no seat ${viewer}; seats are 0 to ${this.head.names.length - 1}`);
    return viewer;
  }
}
