// Builds the page into out/page/dist: one HTML shell, one style sheet, scripts split by screen, all with hashed names.
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin, type Rollup } from 'vite';

type ManualChunkMeta = Parameters<Rollup.GetManualChunk>[1];

// The English texts in two parts: what home and the frame say (en.json?core) comes with the first script, the others
// (en.json?rest) with the first other screen.
const CORE = new RegExp(`^(you|none|nothing|out|all|pot|dealer|close|share|n_of|wdl|match\\.draw|set\\.title|(tell|nav|theme|version|error|health|game|mode|home|role)\\..*|
  holdem\\.(where|say\\..*)|dice\\.(where|opens)|coup\\.(turn|in_play|(income|foreign_aid|coup|tax|assassinate|steal|exchange)(\\.you)?)|belote\\.(where|bidding|mode\\..*)|
  tetris\\.(score|lines|where|idle|free)|board\\.(none|rank|agent|rating)|tour\\.(one|title|running|finished|cancelled|games|round_robin|gauntlet|swiss))$`.replace(/\s/g, ''));
const texts: Plugin = {
  name: 'texts',
  enforce: 'pre',
  load(id) {
    const [file, part] = id.split('?');
    if (!/texts\/\w+\.json$/.test(file) || (part !== 'core' && part !== 'rest')) return null;
    const all = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
    return JSON.stringify(Object.fromEntries(all.filter(([key]) => CORE.test(key) === (part === 'core'))));
  },
};

// Small parts that the screens besides home share come with their texts: one file compresses better than six. What home
// needs is named too, as rollup would move it there along with them.
const SHARED = /texts\/en\.json\?rest|src\/ui\/(chart|connection|connect)\.tsx|src\/screens\/(settings|rules)\.tsx|src\/styles\/(chart|prose)\.css/;
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
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: {
    outDir: '../out/page/dist',
    emptyOutDir: true,
    target: 'es2021',
    minify: 'terser',
    terserOptions: { ecma: 2020, module: true, compress: { passes: 2, unsafe_arrows: true, pure_getters: true }, mangle: true, format: { comments: false } },
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
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
