// A browser on the page of an arena: everything it complains of is a fault, and so is a request to elsewhere.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './arena.mjs';
import { LEAST } from './wait.mjs';

// The small one first: the same engine at half the cost.
export const chromium = spawnSync('sh', ['-c', 'command -v chromium-headless-shell chromium chromium-browser google-chrome'], { encoding: 'utf8' }).stdout.split('\n')[0];
const shots = join(root, 'out/page/shots');

// What the start page has when it can be used, and when it shows a board: test/bench/page.mjs waits for them.
export const HOME = { usable: '.take a', board: 'a.tile .plate' };

export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
export const desk = { viewport: { width: 1280, height: 800 } };

export const launch = async (...more) => (await import('playwright-core')).chromium.launch({ executablePath: chromium, timeout: 2 * LEAST, args: ['--no-sandbox', '--disable-gpu', ...more] });

// A fresh profile. Playwright's own deadlines of 30 s are too short for a busy machine.
export async function fresh(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LEAST);
  return context;
}

export class Browser {
  static async start(arena) {
    const b = new Browser();
    Object.assign(b, { arena, problems: [], browser: await launch() });
    mkdirSync(shots, { recursive: true });
    return b;
  }
  // `kept`: what the tab has in its session storage before the page begins.
  async open(path, options = desk, kept = {}) {
    const page = await (await fresh(this.browser, { reducedMotion: 'reduce', ...options })).newPage();
    page.on('console', (m) => m.type() === 'error' && !this.quiet && this.problems.push(`${path}: ${m.text()} ${m.location()?.url}`));
    page.on('pageerror', (e) => this.problems.push(`${path}: ${e.stack}`));
    page.on('request', (r) => !/^(data|blob)/.test(r.url()) && new URL(r.url()).host !== new URL(this.arena.url).host && this.problems.push(`asks ${r.url()}`));
    await page.addInitScript((all) => Object.entries(all).forEach(([key, value]) => { sessionStorage[key] ??= value; }), kept);
    await page.goto(this.arena.url + path);
    return page;
  }
  shot(page, name, fullPage = false) { return page.screenshot({ path: join(shots, `${name}.png`), fullPage }); }
  close() { return this.browser.close(); }
}

// Nothing is wider than the screen but what scrolls by itself.
export const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

// Plates, cards, bubbles, bets, pot and board: what belongs to different seats never lies on another, and nothing is cut off.
export const crossing = (stage) => {
  const boxes = [], add = (owner, e) => { const r = e.getBoundingClientRect(); if (r.width && r.height) boxes.push({ owner: `${owner} ${e.className.baseVal ?? e.className} ${e.textContent}`, group: owner, r }); };
  stage.querySelectorAll('.pseat').forEach((seat, i) => seat.querySelectorAll('.plate, .hole .card, .say').forEach((e) => add(`seat ${i}`, e)));
  stage.querySelectorAll('.pbet').forEach((e, i) => add(`bet ${i}`, e));
  stage.querySelectorAll('.pot:not(:empty), .mid .card, .mid .slot, .note:not(:empty)').forEach((e) => add('middle', e));
  const s = stage.getBoundingClientRect(), found = boxes.filter(({ r }) => r.left < s.left - 1 || r.right > s.right + 1 || r.top < s.top - 1 || r.bottom > s.bottom + 1).map((b) => `${b.owner} is cut off`);
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const wide = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), high = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
    if (a.group !== b.group && wide > 1 && high > 1) found.push(`${a.owner} on ${b.owner}`);
  }));
  for (const e of stage.querySelectorAll('.st, .say, .pot, .pbet')) if (e.scrollWidth > e.clientWidth + 1) found.push(`${e.textContent} is cut short`);
  return found;
};

// What axe finds serious or critical.
export async function serious(page, axe) {
  await page.emulateMedia({ reducedMotion: 'reduce' }); // what is fading in has no contrast yet; it stays so: motion takes minutes
  await page.evaluate(axe); // not a script element: the page's policy forbids it
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' | ')}`);
}

// Answers one question of a table after another with `move`, until the result is there or `most` were answered; `first` looks at
// the first of them. Returns how many there were.
export async function answer(page, move, { most = 600, first } = {}) {
  const ask = page.locator('form.ask'), over = page.locator('.result');
  for (let moves = 0; moves < most; moves++) {
    await ask.or(over).first().waitFor();
    if (await over.isVisible()) return moves;
    if (!moves) await first?.();
    const question = await page.evaluate(() => document.querySelector('form.ask')?.dataset.request ?? '');
    await move(page, moves);
    await page.waitForFunction((was) => document.querySelector('.result') || document.querySelector('form.ask')?.dataset.request !== was, question);
  }
  return most;
}
