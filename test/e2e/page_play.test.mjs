// Playing in the page: whole games of each kind against house bots in the browser, by mouse, keyboard and touch; then the
// server leaves, and they go on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { Arena } from './lib/arena.mjs';
import { Browser, chromium, desk, fits, phone, serious } from './lib/browser.mjs';

const skip = chromium ? false : 'no chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let arena, browser;

before(async () => {
  if (skip) return;
  arena = await Arena.start([]);
  browser = await Browser.start(arena);
});
after(async () => {
  await browser?.close();
  await arena?.stop();
});

// Takes a seat in this browser, and answers one question after another with `move` until the result is there.
async function playOut(game, options, move, { seats, level = '3' } = {}) {
  const page = await browser.open(`/play/${game}`, options), press = options.hasTouch ? 'tap' : 'click';
  await page.getByRole('radio', { name: 'This browser, offline' })[press]();
  await page.getByRole('radiogroup', { name: 'Level' }).getByRole('radio', { name: level })[press]();
  if (seats) await page.getByRole('radiogroup', { name: 'Seats' }).getByRole('radio', { name: seats })[press]();
  await page.getByRole('button', { name: 'Take a seat' })[press]();
  await answer(page, move, async () => {
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await browser.shot(page, `local-${game}-${options.hasTouch ? 'phone' : 'desk'}`);
  });
  assert.match(await page.locator('.result').innerText(), /You win|You lose|A draw/);
  return page;
}
async function answer(page, move, second = async () => {}) {
  const ask = page.locator('form.ask'), over = page.locator('.result');
  for (let moves = 0; ; moves++) {
    await ask.or(over).first().waitFor();
    if (await over.isVisible()) return moves;
    if (moves === 1) await second();
    assert.ok(moves < 600, 'the match does not end');
    const question = await page.evaluate(() => document.querySelector('form.ask')?.dataset.request ?? '');
    await move(page, moves);
    await page.waitForFunction((was) => document.querySelector('.result') || document.querySelector('form.ask')?.dataset.request !== was, question);
  }
}

const dice = (press) => async (page) => {
  const liar = page.getByRole('button', { name: /Liar!/ });
  await ((await liar.isVisible()) ? liar : page.getByRole('button', { name: /^Bid/ }))[press]();
};
const holdem = async (page, moves) => {
  if (moves % 2 || !(await page.getByRole('button', { name: /^(Raise to|Bet|Really)/ }).isVisible())) { await page.keyboard.press((await page.getByRole('button', { name: /^(Check|Call)/ }).isVisible()) ? 'c' : 'f'); return; }
  await page.keyboard.press('a'); // all in, which asks once
  await page.keyboard.press('Enter');
  if (await page.getByRole('button', { name: /^Really/ }).isVisible()) await page.keyboard.press('Enter');
};
const belote = async (page) => {
  if (await page.locator('.hand .ok').first().isVisible()) await page.keyboard.press('1');
  else if (await page.locator('.bids').isVisible() && !(await page.getByRole('button', { name: /^Accept/ }).isVisible())) await page.keyboard.press('c');
  else await page.keyboard.press('Enter'); // cut, accept
};

test('Liar’s Dice by mouse, with a hint, again, and its replay', { skip }, async () => {
  const page = await playOut('liars_dice', desk, dice('click'), { seats: '2' });
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.locator('form.ask').getByRole('button', { name: 'Hint' }).click();
  await page.getByText(/A house bot at your seat: (bids|challenges)/).waitFor();
  await page.reload(); // the table is still there
  await answer(page, dice('click'));
  await page.getByRole('link', { name: 'Watch the replay' }).click();
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  await page.context().close();
});
test('Coup by touch', { skip }, async () => {
  const page = await playOut('coup', phone, (p) => p.locator('.acts .act').first().tap(), { seats: '6', level: '1' });
  await page.context().close();
});
test('Hold’em by keyboard', { skip }, async () => {
  const page = await playOut('texas_holdem', desk, holdem, { seats: '9' });
  await page.context().close();
});
test('Belote by keyboard', { skip }, async () => {
  const page = await playOut('belote', desk, belote);
  await page.context().close();
});

test('the browser had nothing to complain of', { skip }, () => assert.deepEqual(browser.problems, []));
