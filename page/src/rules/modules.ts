// WebAssembly modules, fetched once and compiled once. Two a game: GAME (rules, codec, replays) and GAME.bots (house
// bots, odds).

export type Source = (name: string) => Promise<BufferSource>;

let source: Source = async (name) => {
  const answer = await fetch(`/rules/${name}.wasm`);
  if (!answer.ok) throw new Error(`cannot load the rules of ${name}: HTTP ${answer.status}`);
  return answer.arrayBuffer();
};
const compiled = new Map<string, Promise<WebAssembly.Module>>();
const started = new Map<string, Uint8Array>(); // memory after module_start, which makes tables: 50 ms once, then a copy

/** Where modules come from, if not from /rules/NAME.wasm of this server. */
export function setModuleSource(from: Source): void {
  source = from;
  compiled.clear();
  started.clear();
}

export type Exports = Record<string, (...args: (number | bigint)[]) => number | bigint> & { memory: WebAssembly.Memory };

/** A fresh instance: its memory belongs to one replay, one match or one bot. */
export async function instantiate(name: string): Promise<Exports> {
  let module = compiled.get(name);
  if (!module) {
    module = source(name).then((bytes) => WebAssembly.compile(bytes));
    module.catch(() => compiled.delete(name)); // the next one tries again
    compiled.set(name, module);
  }
  const instance = await WebAssembly.instantiate(await module);
  const exports = instance.exports as unknown as Exports;
  if (!exports['module_start']) return exports;
  const image = started.get(name);
  if (image) {
    new Uint8Array(exports.memory.buffer).set(image);
  } else {
    exports['module_start']();
    started.set(name, new Uint8Array(exports.memory.buffer).slice());
  }
  return exports;
}
