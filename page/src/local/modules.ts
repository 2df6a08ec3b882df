// The modules of the rules and the solved tables of their bots are assets like all others, if they were there when the page was
// built (out/wasm).
import { keepFiles } from '../lib/offline';
import { setModuleSource } from '../rules';
import { instantiate } from '../rules/modules';

const urls = import.meta.glob<string>('../../../out/wasm/*.{wasm,table}', { query: '?url', import: 'default', eager: true });
export const urlOf = (name: string, kind = 'wasm'): string | undefined => urls[`../../../out/wasm/${name}.${kind}`];

setModuleSource(async (name) => {
  const url = urlOf(name), answer = url ? await fetch(url) : undefined;
  if (!answer?.ok) throw new Error(`cannot load the rules of ${name}`);
  return answer.arrayBuffer();
});

export const hasRules = (game: string): boolean => Boolean(urlOf(game));

/** Everything that a game against bots here will ask for, in this tab and in the next one. */
export const prefetch = async (game: string): Promise<void> => {
  const names = [game, `${game}.bots`];
  await Promise.all(names.map(instantiate));
  await keepFiles(names.map((name) => urlOf(name)).filter((u) => u !== undefined));
};
