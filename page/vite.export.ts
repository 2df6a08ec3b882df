// Builds out/page/export/page.js and page.css: the replay screen in one script, for `agon replay html` (src/export).
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import page, { texts } from './vite.config';

const local = fileURLToPath(new URL('src/export/local.ts', import.meta.url));

export default defineConfig({
  plugins: [texts],
  json: page.json,
  esbuild: page.esbuild,
  resolve: { alias: [{ find: /^\.\.\/local$/, replacement: local }] },
  build: {
    ...page.build,
    outDir: '../out/page/export',
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { input: 'src/export/main.tsx', output: { format: 'iife', inlineDynamicImports: true, entryFileNames: 'page.js', assetFileNames: 'page[extname]' } },
  },
});
