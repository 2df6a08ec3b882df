// How fast the page is for somebody with a slow phone: CPU four times slower, 1.6 Mbit/s, 150 ms; and how evenly ten boards
// move. AGON=PROGRAM. Exit status 1 when a budget of docs/decisions/035 is missed; AGON_PAGE_SLACK (1) widens them.
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

// Ten boards that get an event each 120 ms from sockets that are played here: the time between two frames.
async function move() {
  const game = (i) => ({ id: `${i}0000000-1111-4111-8111-111111111111`, game: 'liars_dice', mode: 'ranked', players: [], spectators: 0 });
  const matches = Array.from({ length: 10 }, (_, i) => game(i)), context = await browser.browser.newContext({ viewport: { width: 1280, height: 1600 } }), page = await context.newPage(), sockets = [];
  const state = { phase: 'bidding', round: 1, current_turn: 'p0', total_dice: 10, players: ['p0', 'p1'].map((id) => ({ id, status: 'alive', dice_count: 5 })) };
  await page.route('**/api/matches/live*', (r) => r.fulfill({ json: { matches, count: 10, tables: [] } }));
  await page.routeWebSocket(/\/api\/ws\/spectator/, (ws) => {
    sockets.push(ws);
    for (const m of matches) ws.send(JSON.stringify({ type: 'spectate_start', data: { match_id: m.id, live: m.id, game: m.game, mode: 'ranked', players: ['p0', 'p1'].map((p, i) => ({ player_id: p, position: i, name: `Player ${i + 1}` })), state, seq: 0, delay_seconds: 0, server_time: new Date().toISOString() } }));
  });
  await page.goto(arena.url);
  await page.waitForFunction(() => document.querySelectorAll('a.tile .cup').length >= 7);
  const frames = page.evaluate(() => new Promise((resolve) => {
    const gaps = [], long = [];
    new PerformanceObserver((l) => l.getEntries().forEach((e) => long.push(e.duration))).observe({ type: 'longtask' });
    let last = performance.now();
    const frame = (now) => { gaps.push(now - last); last = now; if (gaps.length < 600) requestAnimationFrame(frame); else resolve({ gaps: gaps.slice(1), long }); };
    requestAnimationFrame(frame);
  }));
  let seq = 0;
  const beat = setInterval(() => { for (const m of matches) sockets.at(-1)?.send(JSON.stringify({ type: 'event', data: { match_id: m.id, events: [{ type: 'bid', player: `p${seq % 2}`, seq, data: { quantity: 1 + Math.floor(seq / 6), face: 1 + seq % 6 } }] } })); seq++; }, 120);
  const { gaps, long } = await frames;
  clearInterval(beat);
  await context.close();
  gaps.sort((a, b) => a - b);
  return { rate: 1000 * gaps.length / gaps.reduce((a, b) => a + b, 0), p99: gaps[Math.floor(.99 * gaps.length)], long: long.length };
}

const say = (name, o) => console.log(`${name}: first paint ${Math.round(o.paint)} ms, usable ${Math.round(o.usable)} ms, first board ${Math.round(o.board)} ms, layout shift ${o.shift.toFixed(4)}, ${o.nodes} nodes`);
const cold = await load(true), warm = await load(false), ten = await move(), slack = Number(process.env.AGON_PAGE_SLACK ?? 1);
say('cold', cold);
say('warm', warm);
console.log(`ten moving boards: ${ten.rate.toFixed(1)} frames a second, 99 % of frames within ${ten.p99.toFixed(1)} ms, ${ten.long} long tasks`);
const budgets = [['first paint, ms', cold.paint, 1000 * slack], ['usable, ms', cold.usable, 2000 * slack], ['layout shift', cold.shift, 0.001], ['nodes', cold.nodes, 1200], ['ms a frame', 1000 / ten.rate, 1000 / 60 * 1.02 * slack]];
for (const [name, value, most] of budgets) console.log(`page: ${value <= most ? 'ok  ' : 'OVER'} ${value.toFixed(3)} of ${most.toFixed(3)} ${name}`);
await browser.close();
await arena.stop();
process.exit(budgets.some(([, value, most]) => value > most) ? 1 : 0);
