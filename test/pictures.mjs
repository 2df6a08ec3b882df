// Makes the pictures of docs/pictures: `AGON=out/dev/agon node test/pictures.mjs`. Chromium writes WebP; the animation is put together
// here, so nothing else is needed. Each picture is below 100 kB, the animation below 500 kB.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Agent, Arena, choose, play, root } from './e2e/lib/arena.mjs';
import { Browser, desk, phone } from './e2e/lib/browser.mjs';

const to = path.join(root, 'docs/pictures');
mkdirSync(to, { recursive: true });

// --- WebP: a file is RIFF, its size, "WEBP", then chunks (https://developers.google.com/speed/webp/docs/riff_container)

const u24 = (n) => [n & 255, (n >> 8) & 255, (n >> 16) & 255];
function chunk(name, ...parts) {
  const body = Buffer.concat(parts.map((p) => Buffer.from(p))), head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
}
// The bitstream of a still picture, with its chunk's head.
function bitstream(file) {
  for (let at = 12; at < file.length; ) {
    const name = file.toString('latin1', at, at + 4), size = file.readUInt32LE(at + 4);
    if (name === 'VP8 ' || name === 'VP8L') return file.subarray(at, at + 8 + size + (size & 1));
    at += 8 + size + (size & 1);
  }
  throw new Error('no picture in it');
}
function animation(frames, width, height, ms) {
  const size = [...u24(width - 1), ...u24(height - 1)];
  const body = [chunk('VP8X', [2, 0, 0, 0], size), chunk('ANIM', [255, 255, 255, 255, 0, 0]),
    ...frames.map((f) => chunk('ANMF', [0, 0, 0, 0, 0, 0], size, u24(ms), [2], bitstream(f)))];
  return chunk('RIFF', 'WEBP', ...body);
}

async function capture(page, quality, scale = 1) {
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality, ...(scale < 1 ? { clip: { x: 0, y: 0, ...page.viewportSize(), scale } } : {}) });
  await cdp.detach();
  return Buffer.from(data, 'base64');
}
function keep(name, bytes, most) {
  if (bytes.length > most) throw new Error(`${name}: ${bytes.length} bytes, more than ${most}`);
  writeFileSync(path.join(to, name), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

// --- what is shown

const arena = await Arena.start(['--house-wait', '50', '--fill-wait', '50', '--rate-house', '--table-max', '4', '--house-bots', '6', '--spectate-delay', '0', '--rules', 'belote={"target":40}']);
const browser = await Browser.start(arena);
const replays = {};
for (const [i, game] of ['texas_holdem', 'coup', 'liars_dice', 'belote'].entries()) {
  const agent = await arena.register(['Ada', 'Blaise', 'Carl', 'Dorothy'][i], { auto_confirm: true });
  for (let n = 0; n < (i ? 1 : 5); n++) {
    const client = await Agent.connect(arena, agent, { capabilities: 'match_feed,belote' });
    client.join(game, { one_shot: true });
    replays[game] = (await play(client, 1))[0].data.replay_url;
    await client.close();
  }
  const client = await Agent.connect(arena, agent, { capabilities: 'match_feed,belote' });
  client.join(game, { one_shot: true });
  for (let moves = 0; moves < 3; moves++) { // and one that waits for its move
    const ask = await client.next('action_request');
    if (moves < 2) client.act(ask, choose(client.memory.game.get(ask.data.match_id), ask.data, client.chance));
  }
}
const open = async (at, options) => { const page = await browser.open(at, options); await page.evaluate(() => document.fonts.ready); return page; };
const local = async (setup, options) => {
  const page = await browser.open(`/play/${setup.game}/offline`, options, { [`local-${setup.game}`]: JSON.stringify({ level: 3, me: 0, moves: [], ...setup }) });
  await page.locator('form.ask').waitFor();
  return page;
};
const take = async (name, page) => { await page.waitForTimeout(500); /* what fades in */ keep(`${name}.webp`, await capture(page, 80), 100000); await page.context().close(); };

let page = await open('/', desk);
for (const game of ['texas_holdem', 'coup', 'liars_dice', 'belote']) await page.locator(`a.tile[href^="/watch/"] .g-${game}`).first().waitFor();
await page.locator('table.lb tbody tr').first().waitFor();
await take('home', page);

page = await open(replays.texas_holdem, { ...desk, colorScheme: 'dark' });
await page.getByRole('button', { name: 'Deal verified' }).waitFor();
await page.getByRole('radio', { name: 'Chances' }).click();
await page.getByRole('radio', { name: 'Chances' }).blur(); // which has the arrow keys
for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
await page.locator('.odds').first().waitFor();
await page.waitForFunction(() => (document.querySelector('.chart .ln')?.getAttribute('d').length ?? 0) > 60);
await take('replay', page);

page = await local({ game: 'belote', seats: 4, seed: '3' }, desk);
for (let i = 0; i < 5; i++) { await page.keyboard.press((await page.locator('.hand .ok').first().isVisible()) ? '1' : (await page.locator('.bids').isVisible()) && !(await page.getByRole('button', { name: /^Accept/ }).isVisible()) ? 'c' : 'Enter'); await page.locator('form.ask').waitFor(); }
await take('play-belote', page);
await take('play-coup-phone', await local({ game: 'coup', seats: 4, seed: '11' }, phone));
page = await open(`/leaderboard/texas_holdem`, desk);
await page.getByRole('link', { name: 'Ada' }).click();
await page.getByRole('heading', { name: 'How it plays Hold’em' }).waitFor();
await take('profile', page);

// A hand of the replay, step by step.
const scale = 0.6, size = { width: 1280 * scale, height: 800 * scale };
page = await open(replays.texas_holdem, desk);
await page.getByRole('button', { name: 'Deal verified' }).waitFor();
const frames = [];
for (let step = 0; step < 20; step++) {
  frames.push(await capture(page, 50, scale));
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((n) => document.querySelector('#pos').innerText.match(/\d+/)[0] === String(n), step + 2);
}
keep('replay-animated.webp', animation(frames, size.width, size.height, 700), 500000);

if (browser.problems.length) throw new Error(browser.problems.join('\n'));
await browser.close();
await arena.stop();
process.exit(0);
