// budget: prints what the built page weighs beside what it may weigh, in bytes of gzip; exit status 1 when it is too much.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const sizes = JSON.parse(readFileSync(fileURLToPath(new URL('../out/page/sizes.json', import.meta.url)), 'utf8'));
const sum = (fits) => sizes.filter(([name]) => fits(name)).reduce((n, [, , gzip]) => n + gzip, 0);
const is = (...patterns) => (name) => patterns.some((p) => p.test(name));
const first = [/^index\.html$/, /^assets\/main-.*\.(js|css)$/];
// The binding of the rules (src/rules, src/local) is the file that starts WebAssembly: it comes with the first replay or game
// in the browser, as the modules do; rules-*.js is their prose, which whoever asks for the rules gets. fr-*.js is the other
// language.
const isBinding = (name) => name.endsWith('.js') && readFileSync(fileURLToPath(new URL(`../out/page/dist/${name}`, import.meta.url)), 'utf8').includes('WebAssembly.');
const rows = [
  ['HTML shell and style sheet of home', sum(is(first[0], /^assets\/main-.*\.css$/)), 14000],
  ['home, usable (three requests)', sum(is(...first)), 45000],
  ['whole page in one language, without the rules', sum((n) => !/\.(wasm|table)$|assets\/(fr-|rules-)/.test(n) && !isBinding(n)), 90000],
  ['rules of all games as prose', sum(is(/^assets\/rules-/)), 4000],
  ['binding of the rules, games without a server', sum(isBinding), 8000],
  ...sizes.filter(([n]) => n.endsWith('.wasm')).map(([n, , gzip]) => [`rules: ${n}`, gzip, 25000]),
  ['solved tables of all games, on demand', sizes.filter(([n]) => n.endsWith('.table')).reduce((all, [, bytes, gzip]) => all + Math.min(bytes, gzip), 0), 1000000], // what ships is under 1 MB
];
let over = false;
for (const [name, bytes, most] of rows) {
  over ||= bytes > most;
  console.log(`${bytes > most ? 'OVER' : 'ok  '} ${String(bytes).padStart(6)} of ${String(most).padStart(6)}  ${name}`);
}
process.exit(over ? 1 : 0);
