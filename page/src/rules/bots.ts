// The house bots of a game. Some play by a solved table, GAME.table, which is loaded apart from the module.
import { instantiate, type Exports } from './modules';
import { RulesError } from './types';

export class Bots {
  readonly names: string[] = [];

  constructor(private readonly wasm: Exports) {
    for (let size; (size = this.number('bots_list', this.names.length)); )
      this.names.push(new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, this.number('bots_name'), size)));
  }

  private number(call: string, ...args: number[]): number {
    return Number(this.wasm[call]!(...args));
  }

  private put(at: string, bytes: Uint8Array): number {
    new Uint8Array(this.wasm.memory.buffer, this.number(at), bytes.length).set(bytes);
    return bytes.length;
  }

  private name(name: string): number {
    return this.put('bots_name', new TextEncoder().encode(name).subarray(0, 63));
  }

  /** Some of them have a memory: they must be told what their seat sees. */
  get remember(): boolean {
    return this.number('bots_remember') > 0;
  }

  /** How long the solved table is; 0: there is none. */
  get tableSize(): number {
    return this.number('bots_table_size');
  }

  /** Whether the bot of this name plays by a table that has not been taken. */
  needsTable(name: string): boolean {
    return this.number('bots_needs_table', this.name(name)) > 0;
  }

  /** Only the very table with which the module was built. */
  take(table: Uint8Array): void {
    const size = this.tableSize;
    if (!size) throw new RulesError('no bot of this game plays by a table');
    if (table.length !== size) throw new RulesError(`the table has ${table.length} bytes and not ${size}: it is cut off or of another version`);
    if (!this.number('bots_take_table', this.put('bots_table', table))) throw new RulesError('the table is damaged or of another version than its bots');
  }

  observe(news: Uint8Array): void {
    this.put('bots_news', news);
    this.wasm['bots_observe']!();
  }

  /** The question is bytes that the rules' module wrote; the answer is an action in one word. */
  choose(question: (size: number) => Uint8Array, name: string): bigint {
    this.put('bots_question', question(this.number('bots_question_size')));
    const word = this.wasm['bots_choose']!(this.name(name)) as bigint;
    if (!word) throw new RulesError(this.needsTable(name) ? `${name} plays by a table that is not here` : `no bot '${name}' plays this game here; known: ${this.names.join(', ')}`);
    return word;
  }
}

export const openBots = async (game: string): Promise<Bots> => new Bots(await instantiate(`${game}.bots`));
