// How fast the page is for somebody with a slow phone: CPU four times slower, 1.6 Mbit/s, 150 ms. AGON=PROGRAM.
import { existsSync } from 'node:fs';
import { Agent, Arena, play } from '../e2e/lib/arena.mjs';
import { Browser, chromium, phone } from '../e2e/lib/browser.mjs';

if (!existsSync(chromium)) throw new Error('there is no chromium');
const arena = await Arena.start(['--house-wait', '50', '--fill-wait', '50', '--table-max', '4', '--house-bots', '6', '--spectate-delay', '0']);
const browser = await Browser.start(arena);
const games = ['texas_holdem', 'liars_dice', 'coup'];
for (const game of games) { // one finished, one left running
  const agent = await arena.register(`bench ${game}`, { auto_confirm: true });
  let client = await Agent.connect(arena, agent);
  client.join(game, { one_shot: true });
  await play(client, 1);
  await client.close();
  client = await Agent.connect(arena, agent);
  client.join(game, { one_shot: true });
  await client.next('game_start');
}

async function load(cold) {
  const context = await browser.browser.newContext(phone), page = await context.newPage(), cdp = await context.newCDPSession(page);
  if (!cold) { await page.goto(arena.url); await page.locator('a.tile .stage').first().waitFor(); }
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 200000, uploadThroughput: 94000 });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    window.seen = seen;
    new PerformanceObserver((l) => l.getEntries().forEach((e) => { if (e.name === 'first-contentful-paint') seen.paint = e.startTime; })).observe({ type: 'paint', buffered: true });
    new PerformanceObserver((l) => l.getEntries().forEach((e) => { if (!e.hadRecentInput) seen.shift += e.value; })).observe({ type: 'layout-shift', buffered: true });
    const first = () => { if (document.querySelector('.pick a')) { seen.usable = performance.now(); requestAnimationFrame(board); } else requestAnimationFrame(first); };
    const board = () => { if (document.querySelector('a.tile .plate')) seen.board = performance.now(); else requestAnimationFrame(board); };
    requestAnimationFrame(first);
  });
  await page.goto(arena.url, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.seen?.board && window.seen.paint, null, { timeout: 60000 });
  const out = await page.evaluate(() => ({ ...window.seen, nodes: document.querySelectorAll('*').length, bytes: performance.getEntriesByType('resource').filter((r) => /main-/.test(r.name)).reduce((n, r) => n + r.transferSize, 0) }));
  await context.close();
  return out;
}

const say = (name, o) => console.log(`${name}: first paint ${Math.round(o.paint)} ms, usable ${Math.round(o.usable)} ms, first board ${Math.round(o.board)} ms, layout shift ${o.shift.toFixed(4)}, ${o.nodes} nodes`);
say('cold', await load(true));
say('warm', await load(false));
await browser.close();
await arena.stop();
process.exit(0);
