// pack: compresses what Vite built, and writes out/page/manifest, from which the program embeds it (cmake/embed_page.cmake).
// Each line is "asset URL TYPE FILE"; FILE.gz and FILE.br lie beside it, where they are shorter. The first line is "build HASH".
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';
import zopfli from '@gfx/zopfli';
import { transformSync } from 'esbuild';

const out = fileURLToPath(new URL('../out/page/', import.meta.url));
const dist = join(out, 'dist');
const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', wasm: 'application/wasm', json: 'application/json', png: 'image/png', table: 'application/octet-stream' };

const walk = (folder) => readdirSync(folder).sort().flatMap((name) => {
  const file = join(folder, name);
  return statSync(file).isDirectory() ? walk(file) : [file];
});
for (const stale of walk(dist).filter((f) => /\.(gz|br)$/.test(f))) rmSync(stale);

// The service worker keeps all of this build but the rules' modules and tables, which come with the first game.
rmSync(join(dist, 'sw.js'), { force: true });
const worker = readFileSync(fileURLToPath(new URL('src/worker.ts', import.meta.url)), 'utf8'), hash = createHash('sha256').update(worker);
for (const file of walk(dist)) hash.update(relative(dist, file)).update(readFileSync(file));
const build = hash.digest('hex').slice(0, 16), kept = walk(dist).map((f) => `/${relative(dist, f)}`).filter((f) => /^\/assets\/.*(?<!\.wasm|\.table)$/.test(f));
const define = { BUILD: JSON.stringify(build), FILES: JSON.stringify(kept) };
writeFileSync(join(dist, 'sw.js'), transformSync(worker, { loader: 'ts', target: 'es2021', minify: true, define }).code.replace(/export\s*\{\s*\};?\s*$/, ''));

const lines = [], sizes = [];
for (const file of walk(dist)) {
  const bytes = readFileSync(file), name = relative(dist, file), ending = name.split('.').pop();
  const gzip = Buffer.from(await zopfli.gzipAsync(bytes, { numiterations: 15 })); // 4 % smaller than zlib's best
  if (!gunzipSync(gzip).equals(bytes)) throw new Error(`${name}: the compressed file differs`);
  sizes.push([name, bytes.length, gzip.length]);
  if (name === 'index.html') continue; // the server fills it in for every request
  if (!types[ending]) throw new Error(`${name}: no type is known for .${ending}; add it to pack.mjs`);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  for (const [kind, packed] of [['gz', gzip], ['br', brotli]]) if (packed.length < 0.98 * bytes.length) writeFileSync(`${file}.${kind}`, packed);
  lines.push(`asset /${name} ${types[ending]} dist/${name}`);
}
writeFileSync(join(out, 'manifest'), [`build ${build}`, 'shell dist/index.html', ...lines, ''].join('\n'));
writeFileSync(join(out, 'sizes.json'), JSON.stringify(sizes));
