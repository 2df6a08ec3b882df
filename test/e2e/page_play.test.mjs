// Playing in the page: whole games of each kind against house bots in the browser, by mouse, keyboard and touch; then the
// server leaves, and they go on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { Arena } from './lib/arena.mjs';
import { answer, Browser, chromium, desk, fits, phone, serious } from './lib/browser.mjs';

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
async function playOut(game, options, move, { seats, level = '3', short } = {}) {
  const page = await browser.open(`/play/${game}`, options), press = options.hasTouch ? 'tap' : 'click';
  const pick = (group, name) => page.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true })[press]();
  await pick('Against', 'This browser, offline');
  await pick('Level', level);
  if (seats) await pick('Seats', seats);
  if (short) await pick('Length', 'Short');
  await page.getByRole('button', { name: 'Take a seat' })[press]();
  await answer(page, move, { first: async () => {
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await browser.shot(page, `local-${game}-${options.hasTouch ? 'phone' : 'desk'}`);
  } });
  assert.match(await page.locator('.result').innerText(), /You win|You lose|A draw/);
  return page;
}
// The same at a table whose seed is given.
async function playKept(setup, options, move) {
  const page = await browser.open(`/play/${setup.game}/offline`, options, { [`local-${setup.game}`]: JSON.stringify({ level: 3, me: 0, moves: [], ...setup }) });
  const moves = await answer(page, move);
  assert.match(await page.locator('.result').innerText(), /You win|You lose|A draw/);
  await page.context().close();
  return moves;
}
// --- moves by mouse or touch, and by keyboard

const press = (button, how) => button[how]();
const any = (page, ...names) => page.locator(names.map((n) => `form.ask ${n}`).join(', ')).first();
const hands = {
  liars_dice: async (page, how) => { const liar = page.getByRole('button', { name: /Liar!/ }); await press((await liar.isVisible()) ? liar : page.getByRole('button', { name: /^Bid/ }), how); },
  coup: (page, how) => press(any(page, '.act'), how),
  texas_holdem: async (page, how, moves) => {
    if (moves % 2) { await press(page.getByRole('button', { name: /^(Check|Call|Fold)/ }).last(), how); return; }
    const all = page.getByRole('button', { name: /^All in/ });
    if (await all.first().isVisible()) await press(all.first(), how);
    const go = page.locator('.go3 .pri');
    await press(go, how);
    if (await page.getByRole('button', { name: /^Really/ }).isVisible()) await press(go, how);
  },
  belote: async (page, how) => { const card = page.locator('.hand .ok').first(); await press((await card.isVisible()) ? card : any(page, '.pri', '.btn:not(.bare)'), how); },
};
const keys = {
  liars_dice: async (page) => page.keyboard.press((await page.getByRole('button', { name: /Liar!/ }).isVisible()) ? 'l' : 'Enter'),
  coup: (page) => page.keyboard.press('1'),
  texas_holdem: async (page, moves) => {
    if (moves % 2 || !(await page.getByRole('button', { name: /^(Raise to|Bet|Really)/ }).isVisible())) { await page.keyboard.press((await page.getByRole('button', { name: /^(Check|Call)/ }).isVisible()) ? 'c' : 'f'); return; }
    await page.keyboard.press('a'); // all in, which asks once
    await page.keyboard.press('Enter');
    if (await page.getByRole('button', { name: /^Really/ }).isVisible()) await page.keyboard.press('Enter');
  },
  belote: async (page) => {
    if (await page.locator('.hand .ok').first().isVisible()) await page.keyboard.press('1');
    else if (await page.locator('.bids').isVisible() && !(await page.getByRole('button', { name: /^Accept/ }).isVisible())) await page.keyboard.press('c');
    else await page.keyboard.press('Enter'); // cut, accept
  },
};
const by = { mouse: [desk, (game) => (page, moves) => hands[game](page, 'click', moves)], touch: [phone, (game) => (page, moves) => hands[game](page, 'tap', moves)], keyboard: [desk, (game) => (page, moves) => keys[game](page, moves)] };

test('Liar’s Dice: chosen, played, hinted, kept over a reload, again, and its replay', { skip }, async () => {
  const page = await playOut('liars_dice', desk, by.mouse[1]('liars_dice'), { seats: '2', short: true });
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.locator('form.ask').getByRole('button', { name: 'Hint' }).click();
  await page.getByText(/A house bot at your seat: (bids|challenges)/).waitFor();
  await keys.liars_dice(page);
  await page.locator('form.ask').or(page.locator('.result')).first().waitFor();
  const before = await page.locator('#table').getAttribute('aria-label');
  await page.reload();
  await page.locator('form.ask').or(page.locator('.result')).first().waitFor();
  assert.equal(await page.locator('#table').getAttribute('aria-label'), before);
  await answer(page, by.mouse[1]('liars_dice'));
  await page.getByRole('link', { name: 'Watch the replay' }).click();
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  await page.context().close();
});
test('Coup on a phone with six seats', { skip }, async () => {
  const page = await playOut('coup', phone, by.touch[1]('coup'), { seats: '6', level: '1' });
  await page.context().close();
});
test('Hold’em on a phone with nine seats', { skip }, async () => {
  const page = await playOut('texas_holdem', phone, by.touch[1]('texas_holdem'), { seats: '9', short: true });
  await page.context().close();
});
// One whole match, short scenarios otherwise: a match of Belote has some 60 moves.
const tables = { liars_dice: [2, 'short'], coup: [3], texas_holdem: [3, 'single_hand'], belote: [4, 'single_deal'] };
for (const [way, [options, mover]] of Object.entries(by))
  test(`every game by ${way}`, { skip }, async (t) => {
    for (const [game, [seats, scenario]] of Object.entries(tables))
      t.diagnostic(`${game}: ${await playKept({ game, seats, scenario, seed: '7' }, options, mover(game))} moves`);
  });
test('a whole match of Belote', { skip }, () => playKept({ game: 'belote', seats: 4, seed: '3' }, desk, keys.belote));

test('Tetris by keyboard and by touch', { skip }, async () => {
  for (const options of [desk, phone]) {
    const page = await browser.open('/play/tetris/offline', options), figure = (n) => page.locator('.lft dd').nth(n).innerText();
    await page.locator('.well canvas').waitFor();
    const drop = async () => {
      const before = await figure(3);
      if (options.hasTouch) await page.getByRole('button', { name: 'Drop' }).tap();
      else await page.keyboard.press('Space');
      await page.waitForFunction((was) => document.querySelectorAll('.lft dd')[3].innerText !== was || document.querySelector('.veil'), before);
    };
    if (options.hasTouch) await page.getByRole('button', { name: 'Left' }).tap();
    else await page.keyboard.press('ArrowLeft');
    for (let i = 0; i < 30 && !(await page.getByText('Game over').first().isVisible()); i++) await drop(); // in the middle: they pile up
    await page.getByRole('button', { name: 'Play again' }).waitFor();
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await page.context().close();
  }
});

test('the server leaves, and the games go on', { skip }, async () => {
  const page = await browser.open('/play/coup');
  await page.getByRole('radio', { name: 'This browser, offline' }).click();
  await page.waitForFunction(() => performance.getEntriesByType('resource').filter((r) => r.name.endsWith('.wasm')).length === 2);
  await page.getByRole('button', { name: 'Take a seat' }).click();
  await page.locator('form.ask').waitFor();
  await page.context().setOffline(true);
  await answer(page, by.mouse[1]('coup'));
  await page.getByRole('button', { name: 'Play again' }).click(); // and another one
  await answer(page, by.mouse[1]('coup'));
  await page.getByRole('link', { name: 'Watch the replay' }).click();
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  await page.context().close();
});

test('the browser had nothing to complain of', { skip }, () => assert.deepEqual(browser.problems, []));
