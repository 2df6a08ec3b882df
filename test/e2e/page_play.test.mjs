// Playing in the page: whole games of each kind against house bots in the browser, by mouse, keyboard and touch, also
// after the server has stopped.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Arena, root } from './lib/arena.mjs';
import { answer, Browser, chromium, crossing, desk, fits, phone, serious } from './lib/browser.mjs';
import { until } from './lib/wait.mjs';

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

const pick = (page, group, name, press = 'click') => page.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true })[press]();
// Takes a seat in this browser, and answers one question after another with `move` until the result is there.
async function playOut(game, options, move, { seats, level = '3', short } = {}) {
  const page = await browser.open(`/play/${game}`, options), press = options.hasTouch ? 'tap' : 'click';
  await pick(page, 'Against', 'This browser, offline', press);
  await pick(page, 'Level', level, press);
  if (seats) await pick(page, 'Seats', seats, press);
  if (short) await pick(page, 'Length', 'Short', press);
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
  if (setup.game === 'belote') { // who leads is told of every trick
    assert.deepEqual((await page.locator('.log .h').allInnerTexts()).slice(-8), Array.from({ length: 8 }, (_, i) => `Trick ${i + 1}`));
    assert.ok((await page.locator('.log li', { hasText: / leads? / }).count()) >= 8);
  }
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
  kuhn_poker: (page, how) => press(any(page, '.go3 .btn'), how),
  leduc_poker: (page, how) => press(any(page, '.go3 .btn'), how),
  belote: async (page, how) => { const card = page.locator('.hand .ok').first(); await press((await card.isVisible()) ? card : any(page, '.pri', '.btn:not(.bare)'), how); },
};
const keys = {
  liars_dice: async (page) => page.keyboard.press((await page.getByRole('button', { name: /Liar!/ }).isVisible()) ? 'l' : 'Enter'),
  coup: (page) => page.keyboard.press('1'),
  kuhn_poker: (page) => page.keyboard.press('c'), // check or call
  leduc_poker: (page) => page.keyboard.press('c'),
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
  await page.getByText(/A house bot at your seat would choose: (Bid \d|Liar!)/).waitFor();
  await keys.liars_dice(page);
  await page.locator('form.ask').or(page.locator('.result')).first().waitFor();
  const before = await page.locator('#table').getAttribute('aria-label');
  await page.reload();
  await page.locator('form.ask').or(page.locator('.result')).first().waitFor();
  assert.equal(await page.locator('#table').getAttribute('aria-label'), before);
  await answer(page, by.mouse[1]('liars_dice'));
  await page.getByRole('link', { name: 'Watch the replay' }).click();
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  assert.deepEqual((await page.locator('.log li').allInnerTexts()).filter((x) => /^\s*You\b/.test(x)), []); // a replay has no "you"
  await page.context().close();
});
test('Coup on a phone: all moves in the window, and a target is a seat that is tapped', { skip }, async () => {
  const page = await browser.open('/play/coup/offline', phone, { 'local-coup': JSON.stringify({ game: 'coup', seats: 4, level: 3, me: 0, moves: [], seed: '11' }) });
  const steal = page.locator('form.ask .act', { hasText: 'Steal' });
  await steal.waitFor();
  assert.ok((await page.locator('form.ask .act').count()) > 4);
  const below = () => page.locator('form.ask .act').evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().bottom > innerHeight).length);
  await until(async () => (await below()) === 0, 'moves in the window'); // styles may come late
  assert.equal(await page.locator('.hit').count(), 0);
  await steal.tap();
  await page.locator('.hit').nth(2).waitFor();
  assert.deepEqual(await serious(page, axe), []);
  await page.keyboard.press('Escape'); // another move
  await page.locator('.hit').first().waitFor({ state: 'detached' });
  await steal.tap();
  await page.getByRole('group').getByRole('button', { name: 'Bot 3', exact: true }).tap();
  await page.locator('.log li', { hasText: 'You claim the Captain: steal from Bot 3' }).waitFor();
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
const tables = { liars_dice: [2, 'short'], coup: [3], texas_holdem: [3, 'single_hand'], belote: [4, 'single_deal'], kuhn_poker: [2], leduc_poker: [2] };
for (const [way, [options, mover]] of Object.entries(by))
  test(`every game by ${way}`, { skip }, async (t) => {
    for (const [game, [seats, scenario]] of Object.entries(tables))
      t.diagnostic(`${game}: ${await playKept({ game, seats, scenario, seed: '7' }, options, mover(game))} moves`);
  });
test('a full table is cut off nowhere on a narrow phone', { skip }, async () => {
  for (const [game, seats] of [['coup', 6], ['liars_dice', 6], ['texas_holdem', 9], ['kuhn_poker', 2]]) {
    const page = await browser.open(`/play/${game}/offline`, { ...phone, viewport: { width: 375, height: 812 }, locale: 'fr-FR' }, { [`local-${game}`]: JSON.stringify({ game, seats, level: 2, me: 0, moves: [], seed: '3' }) });
    await page.locator('form.ask').waitFor();
    const look = () => page.locator('.stage').evaluate((stage) => {
      const s = stage.getBoundingClientRect(), inside = (r) => !r.width || (r.left > s.left - 1 && r.right < s.right + 1 && r.top > s.top - 1 && r.bottom < s.bottom + 1);
      return [...stage.querySelectorAll('.plate, .role, .die, .card, .cup, .say')].filter((e) => !inside(e.getBoundingClientRect())).map((e) => e.outerHTML.slice(0, 80)).concat(s.width === innerWidth ? [] : [`${s.width} of ${innerWidth} px`]);
    });
    if (game === 'liars_dice') { // nobody has bid: there is one button, and nothing to raise or to doubt
      assert.equal(await page.locator('#question').innerText(), 'À vous d\'ouvrir');
      await until(() => page.locator('.go2').evaluate((row) => row.firstElementChild.clientWidth > row.clientWidth - 4), 'a button as wide as the row');
    }
    await until(async () => (await look()).length === 0, game).catch(async () => assert.deepEqual(await look(), [], game)); // styles may come late, cards may move
    await page.context().close();
  }
  const page = await browser.open('/play/tetris/offline', phone), sides = page.locator('.tet :is(.lft, .well, .rgt)');
  await sides.nth(2).waitFor();
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ ...phone.viewport, width });
    const look = () => sides.evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).filter((r) => r.left < 0 || r.right > innerWidth).map((r) => [r.left, r.right]));
    await until(async () => (await look()).length === 0, 'the whole of Tetris').catch(async () => assert.deepEqual(await look(), [], `${width} px`));
  }
  await page.context().close();
});

test('Hold’em with two to nine seats: nothing lies on another at 320 to 390 px', { skip }, async () => {
  for (const [width, seats, locale] of [[320, 9, 'en-GB'], [320, 8, 'fr-FR'], [375, 9, 'fr-FR'], [320, 7, 'en-GB'], [320, 6, 'en-GB'], [320, 5, 'fr-FR'], [390, 4, 'en-GB'], [320, 3, 'en-GB'], [320, 2, 'fr-FR']]) {
    const page = await browser.open('/play/texas_holdem/offline', { ...phone, viewport: { width, height: 812 }, locale }, { 'local-texas_holdem': JSON.stringify({ game: 'texas_holdem', seats, level: 2, me: 0, moves: [], seed: '3' }) });
    await answer(page, async () => {
      const look = () => page.locator('.stage').evaluate(crossing);
      await until(async () => (await look()).length === 0, 'order').catch(async () => assert.deepEqual(await look(), [], `${seats} seats at ${width} px`));
      assert.ok(await fits(page));
      await page.locator('.go3 .btn').nth(1).tap();
    }, { most: 4, first: () => browser.shot(page, `holdem-${seats}-${width}`) });
    await page.context().close();
  }
});

test('Kuhn and Leduc poker on a table: cards, bets, pot, moves with their price, in both languages, and the replay', { skip }, async () => {
  const told = { kuhn_poker: ['en-GB', 'c', [/^Hand 1$/, /^You (check|bet 1|call 1|fold)$/, /^Bot 2 (checks|bets 1|calls 1|folds)$/, /^(You win|Bot 2 wins) \d/]], leduc_poker: ['fr-FR', 'r', [/^Donne 1$/, /^Vous (misez|relancez|suivez)/, /^Carte commune/]] };
  for (const [game, [locale, key, sentences]] of Object.entries(told)) {
    const page = await browser.open(`/play/${game}/offline`, { ...phone, locale }, { [`local-${game}`]: JSON.stringify({ game, seats: 2, level: 2, me: 0, moves: [], seed: '3' }) });
    const stage = page.locator(`.stage.poker.g-${game}`), order = () => stage.evaluate(crossing), pot = async () => Number(/\d+/.exec(await page.locator('.pot').innerText())[0]);
    await answer(page, async (p) => {
      const all = await stage.locator('.pbet .num').allInnerTexts(), bets = all.map(Number).reduce((x, y) => x + y, 0);
      assert.equal(await stage.locator('.pseat.own .hole .card:not(.back)').count(), 1); // the own card is open, the other is not
      assert.equal(await stage.locator('.pseat:not(.own) .hole .back').count(), 1);
      assert.equal(await stage.locator('.community > *').count(), game === 'leduc_poker' ? 1 : 0);
      assert.ok((await pot()) >= 2 + bets, `pot ${await pot()}, bets ${all}`); // two antes, and what lies before the seats
      await until(async () => (await order()).length === 0, 'order').catch(async () => assert.deepEqual(await order(), [], game));
      const names = await p.locator('.go3 .btn').allInnerTexts();
      assert.ok(names.every((x) => /^(Check|Fold|Parole|Passer)|\d/.test(x)), names.join());
      await p.keyboard.press(await p.locator('.go3 .pri').isVisible() ? key : 'c');
    }, { first: async () => assert.deepEqual(await serious(page, axe), []) });
    const said = (await page.locator('.log li').allInnerTexts()).map((x) => x.trim());
    for (const one of sentences) assert.ok(said.some((x) => one.test(x)), `${one}: ${said.join(' | ')}`);
    await page.locator('.result a[href^="/replay"]').tap();
    await page.locator('.pseat .hole .card:not(.back)').nth(1).waitFor(); // all cards
    await page.locator('select').selectOption('public');
    await page.locator('.pseat .hole .back').nth(1).waitFor();
    await page.context().close();
  }
});

test('levels and the like are chosen with the arrow keys', { skip }, async () => {
  const page = await browser.open('/play/coup'), level = page.getByRole('radiogroup', { name: 'Level' }), chosen = () => level.getByRole('radio', { checked: true }).innerText();
  await level.getByRole('radio', { name: '3' }).focus();
  for (const [key, now] of [['ArrowRight', '4'], ['ArrowDown', '5'], ['ArrowRight', '1'], ['ArrowLeft', '5']]) {
    await page.keyboard.press(key);
    assert.equal(await chosen(), now);
    assert.equal(await page.evaluate(() => document.activeElement.innerText), now);
  }
  assert.equal(await level.locator('[tabindex="0"]').count(), 1); // Tab leaves the group
  await page.context().close();
});

test('in a fan of eight cards every court card shows its mark', { skip }, async () => {
  for (const options of [desk, phone, { ...phone, viewport: { width: 375, height: 812 } }]) {
    const page = await browser.open('/play/belote/offline', options, { 'local-belote': JSON.stringify({ game: 'belote', seats: 4, level: 2, me: 0, moves: [], seed: '3' }) });
    for (let moves = 0; moves < 8; moves++) { // until the last three are dealt
      await page.locator('form.ask').waitFor();
      if (await page.locator('.hand.n8').isVisible()) break;
      assert.equal(await page.locator('.hand .no').count(), 0); // while it is bid no card is asked for, and none is dimmed
      await answer(page, (p) => hands.belote(p, options.hasTouch ? 'tap' : 'click'), { most: 1 });
    }
    const covered = await page.locator('.hand.n8').evaluate((hand) => [...hand.querySelectorAll('.court')].map((mark) => {
      const box = mark.getBoundingClientRect(), next = mark.closest('button').nextElementSibling;
      return { shown: box.width > 8, free: !next || box.right <= next.getBoundingClientRect().left };
    }));
    assert.ok(covered.length > 1 && covered.every((c) => c.shown && c.free), JSON.stringify(covered));
    await browser.shot(page, `fan-${options.viewport.width}`);
    await page.context().close();
  }
});

test('a whole match of Belote', { skip }, () => playKept({ game: 'belote', seats: 4, seed: '3' }, desk, keys.belote));

// A whole game of Tetris, from the same seed each: pieces pile up until there is no room. By mouse and by keyboard they are spread first, so
// that the lower rows fill; the mouse turns some of them.
const tetris = {
  mouse: [desk, async (page, i) => {
    const well = page.locator('.well'), box = await well.boundingBox(), column = [0, 9, 3, 6, 1, 8, 4][i % 7];
    await page.mouse.move(box.x + (column + .5) / 10 * box.width, box.y + box.height / 2);
    if (i === 1) await page.mouse.wheel(0, 100);
    if (i === 2) await page.mouse.click(box.x + (column + .5) / 10 * box.width, box.y + box.height / 2, { button: 'right' });
    if (i === 3) await page.getByRole('button', { name: 'Hold' }).click();
    if (i === 4) await page.getByRole('button', { name: 'Left' }).click();
    if (i === 5) await page.getByRole('button', { name: 'Drop' }).click();
    else await page.mouse.click(box.x + (column + .5) / 10 * box.width, box.y + box.height / 2);
  }],
  keyboard: [desk, async (page, i) => {
    if (i === 1) await page.keyboard.press('ArrowUp');
    if (i === 2) await page.keyboard.press('c');
    for (let k = 0; k < i % 4; k++) await page.keyboard.press(i % 2 ? 'ArrowLeft' : 'ArrowRight');
    await page.keyboard.press('Space');
  }],
  touch: [phone, async (page, i) => {
    const tap = (name) => page.getByRole('button', { name }).tap();
    if (i === 1) await page.locator('.well').tap(); // which turns it
    if (i === 2) await tap('Hold');
    if (i % 3) await tap(i % 3 === 1 ? 'Left' : 'Right');
    await tap('Drop');
  }],
};
for (const [way, [options, move]] of Object.entries(tetris))
  test(`Tetris by ${way}: a whole game`, { skip }, async () => {
    const page = await browser.open('/play/tetris/offline', options, { 'local-tetris': JSON.stringify({ seed: '11' }) }), pieces = () => page.locator('.lft dd').nth(3).innerText();
    await page.locator('.well canvas').waitFor();
    const over = page.getByRole('button', { name: 'Play again' });
    let moves = 0;
    for (; moves < 80 && !(await over.isVisible()); moves++) {
      const before = await pieces();
      await move(page, moves);
      await page.waitForFunction((was) => document.querySelectorAll('.lft dd')[3].innerText !== was || document.querySelector('.veil'), before);
    }
    await over.waitFor();
    assert.ok(moves > 8, `${moves} pieces`);
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await over[options.hasTouch ? 'tap' : 'click'](); // and another one
    await page.locator('.veil').waitFor({ state: 'detached' });
    await page.context().close();
  });

test('the server leaves, and the games go on', { skip }, async () => {
  const page = await browser.open('/play/coup');
  await page.getByRole('radio', { name: 'This browser, offline' }).click();
  await page.waitForFunction(() => new Set(performance.getEntriesByType('resource').map((r) => r.name).filter((n) => n.endsWith('.wasm'))).size === 2);
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

// The table as the server sends it to who accepts these codings.
async function isSent(url, accepted, coding, game) {
  const answer = await fetch(url, { headers: { 'accept-encoding': accepted } });
  assert.equal(answer.headers.get('content-encoding'), coding);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), readFileSync(join(root, `share/tables/${game}.table`)));
}

test('level 5 plays by its table, which comes once, and without the server', { skip }, async (t) => {
  const page = await browser.open('/play/liars_dice', { ...desk, serviceWorkers: 'block' }), came = [];
  page.on('response', (r) => r.url().endsWith('.table') && came.push(r));
  await pick(page, 'Against', 'This browser, offline');
  await pick(page, 'Seats', '2');
  await pick(page, 'Level', '4');
  await page.waitForFunction(() => performance.getEntriesByType('resource').filter((r) => r.name.endsWith('.wasm')).length >= 2);
  assert.equal(await page.getByText('The strategy of level').count(), 0); // it needs none
  await pick(page, 'Level', '5');
  await page.getByRole('status').filter({ hasText: 'The strategy of level 5 is loaded.' }).waitFor();
  assert.deepEqual(await serious(page, axe), []);
  await page.getByRole('button', { name: 'Take a seat' }).click();
  const first = await answer(page, by.mouse[1]('liars_dice'));
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.locator('form.ask').getByRole('button', { name: 'Hint' }).click();
  await page.locator('form.ask .notice', { hasText: 'A house bot at your seat would choose' }).waitFor();
  const second = await answer(page, by.mouse[1]('liars_dice'));
  assert.match(await page.locator('.result').innerText(), /You win|You lose/);
  assert.deepEqual(came.map((r) => [r.status(), new URL(r.url()).pathname.replace(/-[\w-]{8}\.table$/, '-HASH.table'), r.headers()['cache-control'], r.headers()['content-type']]),
    [[200, '/assets/liars_dice-HASH.table', 'public, max-age=31536000, immutable', 'application/octet-stream']]);
  await isSent(came[0].url(), 'br, gzip', null, 'liars_dice'); // its bytes are dense already
  t.diagnostic(`two matches against level 5 with ${first} and ${second} moves, one table of ${(await came[0].body()).length} bytes`);
  await page.context().close();
});

test('a table that does not come or is damaged is told, and the other levels play', { skip }, async () => {
  const page = await browser.open('/play/texas_holdem', { ...desk, serviceWorkers: 'block' });
  let way = (route) => route.abort();
  browser.quiet = true; // a browser prints every request that fails
  await page.route('**/*.table', (route) => way(route));
  await pick(page, 'Against', 'This browser, offline');
  await pick(page, 'Level', '4');
  await page.getByText('The strategy of level 4 could not be loaded. Levels 1 to 3 play without it.').waitFor();
  await page.getByRole('button', { name: 'Take a seat' }).click(); // all the same
  await page.locator('.empty', { hasText: 'The strategy of level 4 could not be loaded. Levels 1 to 3 play without it.' }).getByRole('link').click();
  way = async (route) => { const answer = await route.fetch(); await route.fulfill({ status: 200, contentType: 'application/octet-stream', body: (await answer.body()).subarray(0, 1000) }); };
  await pick(page, 'Against', 'This browser, offline');
  await pick(page, 'Level', '5');
  await page.getByText('The strategy of level 5 arrived damaged, cut off or in another version. Levels 1 to 3 play without it.').waitFor();
  assert.deepEqual(await serious(page, axe), []);
  await pick(page, 'Level', '3');
  await page.getByText('The strategy of level').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Take a seat' }).click();
  await page.locator('form.ask').getByRole('button', { name: 'Hint' }).click(); // by a player without a table
  await page.locator('form.ask .notice', { hasText: 'A house bot at your seat would choose' }).waitFor();
  await page.goto(`${arena.url}/play/texas_holdem`);
  await pick(page, 'Against', 'This browser, offline');
  await pick(page, 'Level', '5');
  await page.getByText('arrived damaged').waitFor();
  way = (route) => route.continue();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The strategy of level 5 is loaded.').waitFor();
  const url = await page.evaluate(() => performance.getEntriesByType('resource').map((r) => r.name).find((name) => name.endsWith('.table')));
  for (const coding of ['br', 'gzip', 'identity']) await isSent(url, coding, null, 'texas_holdem'); // dense, too
  const sparse = JSON.parse(readFileSync(join(root, 'out/page/sizes.json'), 'utf8')).find(([name]) => /\/leduc_poker-.*\.table$/.test(name))[0];
  for (const coding of ['br', 'gzip', 'identity']) await isSent(`${arena.url}/${sparse}`, coding, coding === 'identity' ? null : coding, 'leduc_poker');
  await page.evaluate(async (at) => { for (const name of await caches.keys()) await (await caches.open(name)).put(at, new Response('cut')); }, url); // what was kept is damaged
  await page.reload();
  await pick(page, 'Against', 'This browser, offline');
  await pick(page, 'Level', '5');
  await page.getByText('arrived damaged').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The strategy of level 5 is loaded.').waitFor();
  await page.context().close();
  browser.quiet = false;
});

// The next tab, without a server: the service worker has the page, and the rules of the games that were chosen.
test('a new tab plays without the server, and after an upgrade there is one version', { skip }, async () => {
  const page = await browser.open('/play/liars_dice'), context = page.context();
  for (const game of ['liars_dice', 'kuhn_poker', 'leduc_poker']) {
    await page.goto(`${arena.url}/play/${game}`);
    await page.getByRole('radio', { name: 'This browser, offline' }).click();
    if (game === 'liars_dice') await pick(page, 'Level', '5');
    await until(() => page.evaluate(async (name) => { // its rules and its table are kept
      const kept = (await Promise.all((await caches.keys()).map(async (n) => (await caches.open(n)).keys()))).flat();
      return kept.filter((r) => r.url.includes(`/${name}`) && /\.(wasm|table)$/.test(r.url)).length === 3;
    }, game), `files of ${game}`);
  }
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const worker = await fetch(`${arena.url}/sw.js`);
  assert.deepEqual([worker.headers.get('content-type'), worker.headers.get('cache-control'), worker.headers.get('content-security-policy')], ['text/javascript', 'no-cache', "default-src 'none'; connect-src 'self'"]);
  const shell = await (await fetch(arena.url)).text();
  browser.quiet = true; // a browser prints every request that fails
  const { data, port } = arena;
  arena.own = false;
  await arena.stop();
  const tab = await context.newPage();
  tab.on('console', () => undefined);
  await tab.goto(`${arena.url}/play`);
  await tab.getByRole('link', { name: /^Leduc poker/ }).waitFor(); // also the games that no server offers now
  for (const game of ['liars_dice', 'kuhn_poker', 'leduc_poker']) {
    await tab.goto(`${arena.url}/play/${game}`);
    await tab.getByText('The server cannot be reached').waitFor();
    if (game === 'liars_dice') await pick(tab, 'Level', '5');
    await tab.getByRole('button', { name: 'Take a seat' }).click();
    await answer(tab, by.mouse[1](game), { most: 6 });
    await tab.locator('form.ask').or(tab.locator('.result')).first().waitFor();
  }
  await tab.goto(`${arena.url}/leaderboard`); // other addresses come too, and say what is missing
  await tab.getByText('The server does not answer').waitFor();
  await tab.close();
  // An upgrade: another server at this address, whose shell names other files. The open tab goes on with the files that were
  // kept for it, is told, and has the new page after a reload.
  const next = http.createServer((q, r) => {
    const at = new URL(q.url, arena.url).pathname, [status, type, body] = at === '/assets/main-NEW.js' ? [200, 'text/javascript', 'document.body.dataset.new = "1"'] : at === '/assets/main-NEW.css' ? [200, 'text/css', '']
      : /^\/(api|assets|sw)/.test(at) ? [404, 'application/json', '{"error":"not here"}'] : [200, 'text/html', shell.replace(/main-[\w-]+\.(js|css)/g, 'main-NEW.$1').replace(/data-build="\w+"/, 'data-build="another"')];
    r.writeHead(status, { 'content-type': type, 'x-agon-build': 'another', 'cache-control': 'no-store' }).end(body);
  });
  await new Promise((resolve) => { next.listen(port, '127.0.0.1', resolve); });
  await page.getByRole('link', { name: 'Leaderboard' }).click(); // a script that this tab has not loaded, and that the server no longer has
  await page.getByRole('heading', { level: 1, name: 'Leaderboard' }).waitFor();
  await page.locator('.notice', { hasText: 'A new version' }).getByRole('button', { name: 'Reload' }).click();
  await page.waitForFunction(() => document.body.dataset.new === '1');
  assert.equal(await page.locator('.panel').count(), 0); // nothing of the old page runs
  next.closeAllConnections();
  await new Promise((resolve) => { next.close(resolve); });
  arena = await Arena.start(['--port', String(port)], { data });
  arena.own = true;
  browser.quiet = false;
  await context.close();
});

test('hints, rules and words of the table are French too', { skip }, async () => {
  for (const [game, hint, rule] of [['liars_dice', /choisirait : (Annoncer|Menteur)/, 'Les as sont des jokers'], ['coup', /choisirait : /, 'Avec 10 pièces ou plus'], ['belote', /choisirait : /, 'Le dernier pli vaut 10 points'], ['texas_holdem', /choisirait : /, 'Dans un pot sans relance'], ['kuhn_poker', /choisirait : (Parole|Miser|Suivre|Passer)/, 'le valet, la dame et le roi'], ['leduc_poker', /choisirait : (Parole|Miser|Suivre|Relancer|Passer)/, 'Au plus deux relances']]) {
    const page = await browser.open(`/play/${game}/offline`, { ...desk, locale: 'fr-FR' }, { [`local-${game}`]: JSON.stringify({ game, seats: game === 'belote' ? 4 : 2, level: 1, me: 0, moves: [], seed: '5' }) });
    await page.locator('form.ask').getByRole('button', { name: 'Conseil' }).click();
    await page.locator('form.ask .notice', { hasText: hint }).waitFor();
    const said = await page.locator('main').innerText();
    assert.doesNotMatch(said, /\b(the|your|turn|fold|check|raise|hand|pot odds|to call|bids?|claims?|deal|trick)\b/i, game);
    await page.getByRole('button', { name: 'Règles' }).click();
    await page.getByRole('dialog').getByText(rule).waitFor();
    assert.doesNotMatch(await page.getByRole('dialog').innerText(), /\b(the|your|player|cards|with)\b/i, game);
    await page.context().close();
  }
});

test('the browser had nothing to complain of', { skip }, () => assert.deepEqual(browser.problems, []));
