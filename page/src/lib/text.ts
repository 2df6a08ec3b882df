// Every sentence the page says comes from src/texts/LANGUAGE.json. A sentence may hold {name}, which is filled in, and
// {n, plural, one {# die} other {# dice}}, which chooses by number; `#` is the number, written as the language does.
import core from '../texts/en.lines?core';

type Texts = Record<string, string>;
export type Key = keyof typeof import('../texts/en.json');
export type Part = string | { arg: string };
type Node = string | { arg: string } | { arg: string; forms: Record<string, Node[]> } | { hash: true };

// vite.config.ts writes them as lines: "=sentence" has a number for its key, from that of the line "#number" on; then
// "key=sentence", or a key that those below it share, with a space more each.
function unpack(lines: string): Texts {
  const path: string[] = [], out: Texts = {};
  let number = 0;
  for (const line of lines.split('\n')) {
    const [, depth, name, text] = /^( *)([^=]*)=?(.*)/.exec(line)!;
    path.length = depth.length;
    path.push(name || (number++).toString(36));
    if (name[0] === '#') number = Number(name.slice(1));
    if (text) out[path.join('.')] = text;
  }
  return out;
}
let english = unpack(core), texts = english, language = 'en', plural = new Intl.PluralRules('en'), numbers = new Intl.NumberFormat('en');
const parsed = new Map<string, Node[]>();

export const lang = () => language;
let translate: ((said: string) => string | undefined) | undefined; // src/lib/fr-said.ts, in French
// What the server or the rules say, which is English. Where it has no translation, the sentence of that key has to do.
export const foreign = (said: string, otherwise = 'error.refused'): string => (translate ? translate(said) ?? t(otherwise) : said);

// A part of the English texts, with the script that has it.
export function addTexts(lines: string): void {
  english = { ...english, ...unpack(lines) };
  if (language === 'en') texts = english;
}
// The texts of all screens but home.
let asked: Promise<void> | undefined;
export const allTexts = (): Promise<void> => (asked ??= import('../texts/en.lines?rest').then((rest) => addTexts(rest.default)));

export async function setLanguage(wanted: string): Promise<void> {
  language = wanted === 'fr' ? 'fr' : 'en';
  const [french, said] = language === 'fr' ? await Promise.all([import('../texts/fr.lines?all'), import('./fr-said')]) : [];
  texts = french ? unpack(french.default) : english;
  translate = said?.inFrench;
  plural = new Intl.PluralRules(language);
  numbers = new Intl.NumberFormat(language);
  parsed.clear();
  document.documentElement.lang = language;
}

// Parses from `at` to the brace that closes it, or to the end.
function parse(source: string, from: number, nested: boolean): [Node[], number] {
  const out: Node[] = [];
  let at = from, word = '';
  const flush = () => { if (word) out.push(word); word = ''; };
  while (at < source.length && !(nested && source[at] === '}')) {
    if (source[at] === '#' && nested) { flush(); out.push({ hash: true }); at++; continue; }
    if (source[at] !== '{') { word += source[at++]; continue; }
    flush();
    const end = source.indexOf('}', at), comma = source.indexOf(',', at);
    if (comma < 0 || comma > end) { out.push({ arg: source.slice(at + 1, end).trim() }); at = end + 1; continue; }
    const arg = source.slice(at + 1, comma).trim(), forms: Record<string, Node[]> = {};
    at = source.indexOf(',', comma + 1) + 1;
    while (source[at] !== '}') {
      const open = source.indexOf('{', at), name = source.slice(at, open).trim();
      const [body, close] = parse(source, open + 1, true);
      forms[name] = body;
      at = close + 1;
      while (source[at] === ' ') at++;
    }
    out.push({ arg, forms });
    at++;
  }
  flush();
  return [out, at];
}

function fill(nodes: Node[], args: Record<string, unknown>, number: unknown, out: Part[]): void {
  for (const node of nodes) {
    if (typeof node === 'string') out.push(node);
    else if ('hash' in node) out.push(numbers.format(Number(number)));
    else if ('forms' in node) {
      const n = args[node.arg], exact = node.forms[`=${n}`];
      fill(exact ?? node.forms[plural.select(Number(n))] ?? node.forms.other ?? [], args, n, out);
    } else out.push({ arg: node.arg });
  }
}

export const has = (key: string): boolean => key in texts;

// The sentence in pieces: plain text, and the names of arguments where they stand. For sentences with cards in them.
export function parts(key: string, args: Record<string, unknown> = {}): Part[] {
  const source = texts[key] ?? english[key] ?? key, out: Part[] = [];
  let nodes = parsed.get(source);
  if (!nodes) parsed.set(source, (nodes = parse(source, 0, false)[0]));
  fill(nodes, args, undefined, out);
  return out;
}

export function t(key: Key | (string & {}), args: Record<string, unknown> = {}): string {
  return parts(key, args).map((p) => (typeof p === 'string' ? p : shown(args[p.arg]))).join('');
}
const shown = (v: unknown): string => (typeof v === 'number' ? nf(v) : String(v ?? ''));

// Text from elsewhere: what would steer a terminal or turn the direction of the line is shown as a gap.
export const clean = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
export const nf = (n: number): string => numbers.format(n);
export const fixed = (x: number, digits: number): string => x.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const percent = (x: number, digits = 0): string => x.toLocaleString(language, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits });
export function date(at: string | number): string {
  return new Date(at).toLocaleString(language, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
}
export const day = (at: string | number): string => new Date(at).toLocaleDateString(language, { day: 'numeric', month: 'short', year: 'numeric' });
export function clock(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}
export function list(words: string[]): string {
  return new Intl.ListFormat(language, { type: 'unit' }).format(words);
}
