// Why the match was lost, beside its replay: sums by seat, the costliest decisions, marks on the scrubber.
import { doubtOf, PARTS, worstOf, type Analysis, type Decision } from '../analysis';
import { element } from './element';

const HEADS = { own: 'own choices', others: 'others’ choices', luck: 'luck', rest: 'rest' };

function amount(a: Analysis, value: number): string {
  return a.unit === 'winning chance' ? `${(100 * value).toFixed(1)} %` : `${value.toFixed(2)} ${a.unit}`;
}

function costOf(a: Analysis, d: Decision): string {
  const cost = amount(a, d.loss);
  const about = d.exact ? cost : `${cost}, give or take ${amount(a, d.error)}`;
  return {
    nothing: 'costs nothing',
    small: `costs next to nothing (${about})`,
    unsure: `may cost ${about}: too rough to tell`,
    likely: `costs about ${about}: probably a mistake`,
    clear: `costs ${about}: a mistake`,
  }[doubtOf(d, a.floor)];
}

/** "House: call. This costs 3.1 %, give or take 0.4 %: a mistake." */
export function noteOf(a: Analysis, d: Decision): string {
  const house = d.house_text === d.played_text ? 'The house does the same' : `House: ${d.house_text}`;
  return `${house}; this ${costOf(a, d)}.`;
}

export const byStep = (a: Analysis): Map<number, Decision> => new Map(a.decisions.map((d) => [d.step, d]));
export const costlySteps = (a: Analysis): number[] => a.decisions.filter((d) => d.mistake).map((d) => d.step);

function sums(a: Analysis, names: string[]): HTMLElement {
  const signed = (value: number | null, error?: number | null): string => (value === null ? 'not told' : `${value < 0 ? '' : '+'}${amount(a, value)}${error ? ` ± ${amount(a, error)}` : ''}`);
  const head = element('tr', {}, ...['seat', 'result', ...PARTS.map((p) => HEADS[p])].map((text) => element('th', { scope: 'col' }, text)));
  const rows = a.seats.map((s, seat) => element('tr', {}, element('th', { scope: 'row' }, names[seat]!), element('td', {}, signed(s.result)), ...PARTS.map((p) => element('td', {}, signed(s[p], s[`${p}_error`])))));
  return element('table', {}, element('caption', {}, 'Result = own choices + others’ choices + luck + rest, which is what the house cannot explain.'), element('thead', {}, head), element('tbody', {}, ...rows));
}

function worst(a: Analysis, name: string, seat: number): (Node | string)[] {
  const list = worstOf(a, seat);
  const { choices, mistakes } = a.seats[seat]!;
  const items = list.map((d) => element('li', {}, element('a', { href: `#${d.step}` }, `Step ${d.step}`), `: ${d.played_text}. ${noteOf(a, d)} ${d.words ?? ''}`));
  return [element('h3', {}, `${name}: ${choices} choices, ${mistakes} mistakes`), ...(items.length ? [element('ol', {}, ...items)] : [])];
}

export function drawAnalysis(a: Analysis, names: string[]): HTMLElement {
  const table = element('div', { className: 'scroll', tabIndex: 0 }, sums(a, names));
  table.setAttribute('role', 'group');
  table.setAttribute('aria-label', 'Result by seat');
  return element('section', { id: 'analysis', className: 'panel' }, element('h2', {}, 'Why it was lost'), element('p', { className: 'hint' }, `Each decision beside house:${a.reference}, by what that seat knew then. Marks on the scrubber are mistakes; m goes to the next one.`), table, ...names.flatMap((name, seat) => worst(a, name, seat)));
}

/** Over the scrubber, whose thumb keeps half its width from the ends. */
export function drawMarks(a: Analysis, steps: number): HTMLElement {
  const marks = element('div', { id: 'marks' });
  marks.setAttribute('aria-hidden', 'true'); // the scrubber says it at these steps, and the list below has them
  for (const step of costlySteps(a)) {
    const mark = element('i');
    mark.style.left = `calc(8px + ${step / Math.max(1, steps)} * (100% - 16px))`;
    marks.append(mark);
  }
  return marks;
}
