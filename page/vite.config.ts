// Builds the page into out/page/dist: one HTML shell, one style sheet, scripts split by screen, all with hashed names.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type Rollup } from 'vite';

type ManualChunkMeta = Parameters<Rollup.GetManualChunk>[1];

// src/texts/LANGUAGE.json as lines, a space for each level of the keys they share, which is a tenth smaller than JSON after compression
// (src/lib/text.ts reads them). The English ones come in three parts: what home and the frame say (en.lines?core) with the
// first script, what src/local says alone (en.lines?local) with that, the others (en.lines?rest) with the first other screen.
const CORE = new RegExp(`^(you|player|none|nothing|out|all|pot|dealer|close|share|n_of|wdl|match\\.draw|set\\.title|(tell|nav|theme|version|error|health|game|mode|home|role)\\..*|
  holdem\\.(where|say\\..*)|dice\\.(where|opens)|coup\\.(turn|in_play|act\\..*)|belote\\.(where|bidding|mode\\..*)|
  tetris\\.(score|lines|where|idle|free)|board\\.(none|rank|agent|rating)|tour\\.(one|title|games|is\\..*))$`.replace(/\s/g, ''));
const LOCAL = /^local\.(anew|bot|loading|note|table.*)$/;
const partOf = (key: string) => (CORE.test(key) ? 'core' : LOCAL.test(key) ? 'local' : 'rest'), PARTS = ['core', 'local', 'rest'];

// A sentence whose key stands whole in a script has a number instead of it in the build, where neither the texts nor the script have to
// name it. Keys that scripts put together, as `coup.do.${type}`, stay; "KEY.you" and "KEY.tab" follow their KEY.
const SOURCE = fileURLToPath(new URL('src/', import.meta.url)), load = (file: string): [string, string][] => Object.entries(JSON.parse(readFileSync(file, 'utf8')));
const scripts = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((f) => /\.tsx?$/.test(f)).map((f) => readFileSync(SOURCE + f, 'utf8')).join('\n');
const built = [...scripts.matchAll(/`([\w.]*\.[\w.]*)\$\{/g)].map(([, begin]) => begin), whole = new Set([...scripts.matchAll(/'(\w[\w.]*\.\w+)'/g)].map(([, key]) => key));
const short = new Map<string, string>(), keys = load(`${SOURCE}texts/en.json`).map(([key]) => key).sort();
for (const part of PARTS) for (const key of keys) if (part === partOf(key) && whole.has(key) && !/\.(you|tab)$/.test(key) && !built.some((begin) => key.startsWith(begin))) short.set(key, short.size.toString(36));
for (const key of keys) { const [, stem, form] = /^(.*?)(\.(?:you|tab))?$/.exec(key)!; if (form && short.has(stem)) short.set(key, short.get(stem) + form); }
const isNumber = (key: string) => /^\w+$/.test(short.get(key) ?? '.');

export const texts: Plugin = {
  name: 'texts',
  enforce: 'pre',
  resolveId: (id) => (/texts\/\w+\.lines\?/.test(id) ? new URL(id.replace('..', 'src'), import.meta.url).pathname + new URL(id, import.meta.url).search : null),
  transform: (code, id) => (id.startsWith(SOURCE) && /\.tsx?$/.test(id) ? code.replace(/'(\w[\w.]*\.\w+)'/g, (one, key) => (short.has(key) ? `'${short.get(key)}'` : one)) : null),
  load(id) {
    const [file, part] = id.split('?');
    if (!file.endsWith('.lines')) return null;
    const all = load(file.replace(/lines$/, 'json')).filter(([key]) => part === 'all' || part === partOf(key)), numbered = all.filter(([key]) => isNumber(key));
    const at = (key: string) => parseInt(short.get(key)!, 36), lines = numbered.sort(([a], [b]) => at(a) - at(b)).map(([, text]) => `=${text}`);
    if (lines.length) lines.unshift(`#${at(numbered[0][0])}`);
    if (numbered.some(([key], i) => at(key) !== at(numbered[0][0]) + i)) throw new Error(`${id}: its numbers have gaps`);
    let before: string[] = [];
    for (const [key, text] of all.filter(([one]) => !isNumber(one)).map(([one, said]) => [short.get(one) ?? one, said]).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const path = key.split('.'), name = path.pop()!;
      let depth = 0;
      while (depth < path.length && before[depth] === path[depth]) depth++;
      for (; depth < path.length; depth++) lines.push(' '.repeat(depth) + path[depth]);
      lines.push(`${' '.repeat(depth)}${name}=${text}`);
      before = path;
    }
    return `export default ${JSON.stringify(lines.join('\n'))}`;
  },
};

// Small parts that the screens besides home share come with their texts: one file compresses better than six. What home
// needs is named too, as rollup would move it there along with them.
const SHARED = /texts\/en\.lines\?rest|src\/lib\/(replay|offline)\.ts|src\/ui\/(chart|connection|connect)\.tsx|src\/screens\/(settings|rules)\.tsx|src\/styles\/(chart|prose)\.css/;
const first = new Set<string>();
function chunkOf(id: string, { getModuleInfo, getModuleIds }: ManualChunkMeta): string | undefined {
  const add = (one: string): void => { if (!first.has(one)) { first.add(one); getModuleInfo(one)?.importedIds.forEach(add); } };
  if (!first.size) [...getModuleIds()].filter((one) => /\/page\/(src\/main\.tsx|index\.html)$/.test(one)).forEach(add);
  return first.has(id) ? 'main' : SHARED.test(id) ? 'rest' : undefined;
}

export default defineConfig({
  base: '/',
  plugins: [texts],
  json: { stringify: true },
  // Not the automatic runtime: `children` in every element's properties costs 0.8 kB.
  esbuild: { jsx: 'transform', jsxFactory: 'jsxH', jsxFragment: 'jsxF', jsxInject: "import { h as jsxH, Fragment as jsxF } from 'preact'", legalComments: 'none' },
  build: {
    outDir: '../out/page/dist',
    emptyOutDir: true,
    target: 'es2022',
    minify: 'terser',
    terserOptions: { ecma: 2020, module: true, compress: { passes: 3, unsafe_arrows: true, pure_getters: true, keep_fargs: false }, mangle: true, format: { comments: false } },
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false, resolveDependencies: (_, deps) => deps.filter((one) => !one.includes('/main-')) }, // those are there
    rollupOptions: {
      input: { main: 'index.html' },
      output: {
        manualChunks: chunkOf,
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
});
