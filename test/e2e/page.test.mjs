// The page in a browser: mouse, keyboard and touch, desktop and phone, light and dark.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import path from 'node:path';
import { Agent, agon, Arena, play, root } from './lib/arena.mjs';
import { answer, Browser, chromium, desk, fits, fresh, HOME, phone, serious } from './lib/browser.mjs';
import { until } from './lib/wait.mjs';

const skip = chromium ? false : 'no chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const hostile = '<img src=x onerror=alert(1)> & "Ada"';
const TOKEN = 'the operator of the page';
let arena, browser, agent, replay;
const replays = {}, scratch = mkdtempSync(path.join(tmpdir(), 'agon-page-'));

before(async () => {
  if (skip) return;
  arena = await Arena.start(['--house-wait', '50', '--fill-wait', '50', '--rate-house', '--table-max', '2', '--rules', 'belote={"target":40}', '--spectate-delay', '0', '--admin-token', TOKEN]);
  const health = await fetch(`${arena.url}/`);
  if (health.headers.get('x-agon-build') === 'minimal') throw new Error('the program was built without its page: run tools/page, then build it again');
  browser = await Browser.start(arena);
  agent = await arena.register(hostile, { auto_confirm: true });
  for (let i = 0; i < 5; i++) {
    const client = await Agent.connect(arena, agent); // anew: what one may send is limited
    client.join('liars_dice', { one_shot: true });
    const [over] = await play(client, 1);
    replay = over.data.replay_url;
    await client.close();
  }
  replays.liars_dice = replay;
  for (const game of ['texas_holdem', 'belote', 'coup']) {
    const client = await Agent.connect(arena, agent, { capabilities: 'match_feed,belote' });
    client.join(game, { one_shot: true });
    replays[game] = (await play(client, 1))[0].data.replay_url;
    await client.close();
  }
  const client = await Agent.connect(arena, agent);
  client.join('coup', { one_shot: true });
  await client.next('game_start'); // one is left running
});
after(async () => {
  await browser?.close();
  await arena?.stop();
  rmSync(scratch, { recursive: true });
});

test('every sentence exists in both languages, with the same gaps', () => {
  const at = (name) => path.join(root, 'page/src', name), load = (lang) => JSON.parse(readFileSync(at(`texts/${lang}.json`), 'utf8'));
  const [en, fr] = ['en', 'fr'].map(load), gaps = (text) => [...new Set([...text.replace(/(one|other|=\d+) \{[^{}]*\}/g, '').matchAll(/\{(\w+)[,}]/g)].map((m) => m[1]))].sort();
  assert.deepEqual(Object.keys(en), Object.keys(fr));
  for (const key of Object.keys(en)) assert.deepEqual(gaps(en[key]), gaps(fr[key]), key);
  const shape = (v) => (typeof v === 'string' ? '' : Array.isArray(v) ? v.map(shape) : Object.values(v).map(shape)), prose = ['rules', 'fr-rules'].map((n) => JSON.parse(readFileSync(at(`texts/${n}.json`), 'utf8')));
  assert.deepEqual(Object.keys(prose[0]), Object.keys(prose[1]));
  assert.deepEqual(shape(prose[0]), shape(prose[1])); // as many phases, moves and rules
  const missing = [];
  for (const file of readdirSync(at(''), { recursive: true }).filter((f) => /\.tsx?$/.test(f)))
    for (const [, key] of readFileSync(at(file), 'utf8').matchAll(/\bt\('([\w.]+)'[,)]/g)) if (!(key in en)) missing.push(`${file}: ${key}`);
  assert.deepEqual(missing, []);
});

test('sentences whose keys are put together exist', () => {
  const src = path.join(root, 'page/src'), keys = Object.keys(JSON.parse(readFileSync(path.join(src, 'texts/en.json'), 'utf8')));
  const scripts = readdirSync(src, { recursive: true }).filter((f) => /\.tsx?$/.test(f)).map((f) => readFileSync(path.join(src, f), 'utf8')).join('\n');
  const begins = [...scripts.matchAll(/\bt\(`([\w.]*\.[\w.]*)\$\{/g)].map((m) => m[1]);
  assert.ok(begins.length > 20);
  assert.deepEqual(begins.filter((b) => !keys.some((k) => k.startsWith(b))), []);
  assert.doesNotMatch(scripts, /\}: \{t\(/); // a colon has a space before it in French
});

// Class names are global. One that a single game has stands in its sheet and its scripts alone; what all games have (tables.css, pieces.css)
// a game changes only below a name of its own, or of its table. mini.css and phone.css vary both.
test('no class name of one game is another’s', () => {
  const src = path.join(root, 'page/src'), read = (f) => readFileSync(path.join(src, f), 'utf8');
  const of = { holdem: /games\/(holdem|small_poker)/, coup: /games\/coup/, dice: /games\/dice/, belote: /games\/belote/, tetris: /screens\/tetris/ }, tables = ['poker', 'coup', 'dice', 'belote'], states = ['crowd', 'mini', 'short'];
  const names = (text) => [...text.matchAll(/\.([a-z][\w-]*)/gi)].map((m) => m[1]);
  const selectors = (sheet) => [...read(`styles/${sheet}`).replace(/\/\*.*?\*\//gs, '').matchAll(/([^{};]+)\{/g)].flatMap((m) => m[1].split(/,(?![^(]*\))/)).map((x) => x.trim()).filter((x) => !x.startsWith('@'));
  const sheets = readdirSync(path.join(src, 'styles')).filter((f) => !/^(index|mini|phone|tokens)/.test(f)), used = Object.fromEntries(sheets.map((s) => [s, new Set(selectors(s).flatMap(names))]));
  // The words of a class attribute: of strings and of the literal parts of templates.
  const words = (text) => {
    const out = [], open = []; // what we are in: a template, or code inside it
    for (let i = 0; i < text.length; i++) {
      const at = open[open.length - 1];
      if (at === '`' ? text[i] === '`' : at === '{' && text[i] === '}') open.pop();
      else if (at === '`') { if (text.startsWith('${', i)) { open.push('{'); i++; out.push(' '); } else out.push(text[i]); }
      else if (text[i] === '`' || text[i] === '{') open.push(text[i]);
      else if (text[i] === "'" || text[i] === '"') { const end = text.indexOf(text[i], i + 1); out.push(' ', text.slice(i + 1, end), ' '); i = end; }
    }
    return out.join('').split(/\s+/);
  };
  const attribute = /\bclass=("[^"]*"|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})/g, scripts = readdirSync(src, { recursive: true }).filter((f) => f.endsWith('.tsx')), clashes = [];
  assert.deepEqual(words("{`plate ${on ? 'turn' : `to-${x}`} last`}").filter(Boolean), ['plate', 'turn', 'to-', 'last']);
  const markup = Object.fromEntries(scripts.map((f) => [f, new Set([...read(f).matchAll(attribute)].flatMap((m) => words(m[1])))]));
  for (const [game, files] of Object.entries(of)) {
    const sheet = `${game}.css`, shared = new Set([...sheets.filter((s) => !of[s.slice(0, -4)]).flatMap((s) => [...used[s]]), ...states]), own = [...used[sheet]].filter((c) => !shared.has(c));
    assert.ok(own.length > 5, `${sheet}: ${own}`);
    for (const other of sheets.filter((s) => s !== sheet && of[s.slice(0, -4)])) for (const c of own) if (used[other].has(c)) clashes.push(`.${c} is in ${sheet} and ${other}`);
    for (const s of selectors(sheet)) if (/^\.[\w-]+$/.test(s) && shared.has(s.slice(1)) && !tables.includes(s.slice(1)) && sheets.some((x) => x !== sheet && selectors(x).includes(s))) clashes.push(`${s} is defined in ${sheet} and elsewhere`);
    for (const f of scripts) if (!files.test(f)) for (const c of own) if (markup[f].has(c)) clashes.push(`.${c} of ${sheet} is in ${f}`);
  }
  assert.deepEqual(clashes, []);
});

test('the page keeps its budget', { skip }, (t) => {
  const { stdout, status } = spawnSync('node', [path.join(root, 'page/budget.mjs')], { encoding: 'utf8' });
  t.diagnostic(stdout);
  assert.equal(status, 0, stdout);
});

for (const [name, options] of [['phone', phone], ['desk', desk], ['night', { ...phone, colorScheme: 'dark' }]])
  test(`home: ${name}`, { skip }, async () => {
    const page = await browser.open('/', options);
    await page.getByRole('heading', { level: 1, name: 'Agents are playing' }).waitFor();
    await page.locator('a.tile[href^="/watch/"] .g-coup .role').first().waitFor(); // the live table, drawn
    await page.locator('a.tile[href^="/replay/"] .g-liars_dice .cup').first().waitFor(); // nobody plays it: the last match
    await page.locator('a.tile[href="/watch/tetris/main"] canvas').waitFor();
    assert.equal(await page.locator('table.lb bdi').filter({ hasText: hostile }).count(), 1); // names are text, not markup
    assert.ok((await page.locator('#connect pre').first().innerText()).includes(`--server ${arena.url}`));
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, name === 'night' ? 'rgb(20, 19, 17)' : 'rgb(244, 242, 236)');
    await browser.shot(page, `home-${name}`, true);
    await page.context().close();
  });

test('the shell tells what the page is about, and nothing else may run', { skip }, async () => {
  const answer = await fetch(`${arena.url}/agents/${agent.id}`), html = await answer.text();
  assert.ok(html.includes('<title>&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Ada&quot;</title>'));
  assert.ok(!html.includes('<img'));
  assert.match(answer.headers.get('content-security-policy'), /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'/);
  const about = await (await fetch(arena.url + replay)).text();
  assert.match(about, /<meta property="og:title" content="Liar&#39;s Dice, a replay">/);
  assert.match(await (await fetch(`${arena.url}/leaderboard`)).text(), /<title>Leaderboard<\/title>/);
  assert.equal((await fetch(`${arena.url}/nowhere`)).status, 404);
  const dark = await (await fetch(arena.url, { headers: { cookie: 'a=b; theme=dark; lang=fr' } })).text();
  assert.match(dark, /<html lang="fr" data-theme="dark">/);
  assert.match(await (await fetch(arena.url, { headers: { cookie: 'theme="><script>' } })).text(), /<html lang="en" data-theme="">/);
});

test('the start page has what its gate waits for', { skip }, async () => {
  const page = await browser.open('/', phone);
  for (const what of Object.values(HOME)) await page.locator(what).first().waitFor();
  await page.context().close();
});

test('assets are compressed, and kept for good', { skip }, async () => {
  const html = await (await fetch(arena.url)).text(), build = html.match(/data-build="(\w+)"/)[1];
  for (const [, path] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
    const sizes = {};
    for (const coding of ['br', 'gzip', 'identity']) {
      const answer = await fetch(arena.url + path, { headers: { 'accept-encoding': coding } });
      assert.equal(answer.headers.get('content-encoding'), coding === 'identity' ? null : coding);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(answer.headers.get('x-agon-build'), build);
      sizes[coding] = Number(answer.headers.get('content-length'));
      assert.ok((await answer.arrayBuffer()).byteLength > 0);
    }
    if (!path.endsWith('.svg')) assert.ok(sizes.br < sizes.gzip && sizes.gzip < sizes.identity, path);
  }
  const refused = await fetch(`${arena.url}/assets/main-00000000.js`, { headers: { 'accept-encoding': 'br;q=0, gzip' } });
  assert.equal(refused.status, 404);
});

test('without JavaScript it still tells how to connect', { skip }, async () => {
  const page = await browser.open('/', { javaScriptEnabled: false });
  const text = await page.locator('body').innerText();
  for (const said of [`${arena.url}/api/agents/register`, '/api/matches/live', '/api/leaderboard', `${arena.url.replace('http', 'ws')}/api/ws`]) assert.ok(text.includes(said), said);
  await page.context().close();
});

test('a live table is drawn and told', { skip }, async () => {
  const page = await browser.open('/');
  await page.locator('a.tile[href^="/watch/"]', { hasText: 'Coup' }).first().click(); // drawn or not
  await page.waitForURL(/\/watch\//);
  const table = page.locator('#table[role=img]');
  await table.waitFor();
  assert.match(await table.getAttribute('aria-label'), /Player 1: 2 coins, 2 cards/);
  assert.deepEqual(await serious(page, axe), []);
  await page.keyboard.press('d');
  await page.getByText('No player has reported anything').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('One-letter keys').waitFor();
  await page.keyboard.press('Escape');
  await browser.shot(page, 'watch-coup');
  await page.context().close();
});

test('a link to a table leads to the replay when the match is over', { skip }, async () => {
  const mine = await arena.register('watched', { auto_confirm: true }), client = await Agent.connect(arena, mine);
  client.join('liars_dice', { one_shot: true });
  await client.next('game_start');
  const { body: { matches } } = await arena.call('GET', '/api/matches/live'), { id } = matches.find((m) => m.game === 'liars_dice');
  assert.equal((await fetch(`${arena.url}/watch/${id}`, { redirect: 'manual' })).status, 200);
  assert.equal((await arena.call('GET', `/api/replays/${id}`)).status, 404); // not before its end
  const page = await browser.open('/');
  await play(client, 1);
  await client.close();
  await page.goto(`${arena.url}/watch/${id}`); // a link from elsewhere
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  assert.match(page.url(), new RegExp(`/replay/${id}`));
  await page.goto(arena.url);
  await page.evaluate((to) => { const a = document.createElement('a'); a.href = to; document.body.append(a); a.click(); }, `/watch/${id}`); // a link in the page
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  assert.match(page.url(), new RegExp(`/replay/${id}`));
  await page.context().close();
});

test('a link that is clicked before the first frame is followed', { skip }, async () => {
  const context = await fresh(browser.browser, desk), page = await context.newPage();
  await page.addInitScript(() => addEventListener('DOMContentLoaded', () => location.pathname === '/' && document.querySelector('nav a[href="/play"]').click()));
  await page.goto(`${arena.url}/`);
  await page.locator('nav a[href="/play"][aria-current=page]').first().waitFor();
  assert.equal(new URL(page.url()).pathname, '/play');
  await context.close();
});

test('a click goes where it was meant to, whatever is drawn under the pointer meanwhile', { skip }, async () => {
  const hold = () => { let free; const until = new Promise((resolve) => { free = resolve; }); return { free, until }; };
  const press = async (page, tile) => {
    await tile.waitFor();
    const box = await tile.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
    await page.mouse.down();
  };
  // The board comes between the two halves of a click.
  let page = await browser.open('/rules/coup');
  const board = hold();
  await page.routeWebSocket(/\/api\/ws\/spectator/, (ws) => { const server = ws.connectToServer(); server.onMessage((m) => void board.until.then(() => ws.send(m))); });
  await page.goto(`${arena.url}/`);
  await press(page, page.locator('a.tile[href^="/watch/"]', { hasText: 'Coup' }).first());
  assert.equal(await page.locator('.g-coup .role').count(), 0);
  board.free();
  await page.locator('a.tile[href^="/watch/"] .g-coup .role').first().waitFor();
  await page.mouse.up();
  await page.waitForURL(/\/watch\//);
  await page.context().close();
  // The place itself learns between them what is played there.
  page = await browser.open('/rules/coup');
  const list = hold();
  await page.route('**/api/matches/live*', async (r) => { await list.until; await r.continue(); });
  await page.goto(`${arena.url}/`);
  await press(page, page.locator('a.tile', { hasText: 'Coup' }).first());
  list.free();
  await page.locator('a.tile[href^="/watch/"] .g-coup .role').first().waitFor();
  await page.mouse.up();
  await page.waitForURL(/\/watch\//);
  await page.context().close();
});

test('who comes late reads what happened before', { skip }, async () => {
  const me = await arena.register('early', { auto_confirm: true }), client = await Agent.connect(arena, me);
  client.join('liars_dice', { one_shot: true });
  for (let moves = 0; moves < 2; moves++) { // two bids of its own: those are told later
    const request = await client.next('action_request', 60000), bid = request.data.legal_actions.find((a) => a.type === 'bid');
    if (!bid) break;
    client.act(request, { type: 'bid', data: { quantity: bid.data.min_quantity, face: bid.data.min_face } });
  }
  await client.next('action_request', 60000).catch(() => undefined);
  const { matches } = (await arena.call('GET', '/api/matches/live')).body, one = matches.find((m) => m.game === 'liars_dice' && m.seq > 1);
  const { events } = (await arena.call('GET', `/api/matches/live/${one.id}/events`)).body, bids = events.filter((e) => e.type === 'bid').length;
  assert.ok(bids > 0);
  const page = await browser.open(`/watch/${one.id}`);
  await page.waitForFunction((n) => [...document.querySelectorAll('.log li')].filter((li) => /bids/.test(li.innerText)).length >= n, bids);
  await page.locator('.log .h', { hasText: 'Round 1' }).waitFor(); // from the very beginning
  await page.context().close();
  await client.close();
});

test('an address of nobody shows a way back, and an error what it is called in the log', { skip }, async () => {
  const quiet = browser.quiet;
  browser.quiet = true; // Chromium complains of each 404
  for (const [locale, says, back] of [['en', 'There is nothing here', 'To the start page'], ['fr', "Il n'y a rien ici", "Page d'accueil"]]) {
    const page = await browser.open('/nope', { ...phone, locale });
    await page.getByRole('heading', { name: says }).waitFor();
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await page.getByRole('link', { name: back }).click();
    await page.locator('.tables').waitFor();
    await page.context().close();
  }
  for (const path of ['/play/nope', '/leaderboard/nope', '/tournament/0', '/agents/0', '/agents/%E0%A4%A', '/challenge/0']) {
    const page = await browser.open(path);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    assert.equal(await page.locator('h1').count(), 1, path);
    await page.context().close();
  }
  const page = await browser.open('/replay/00000000-0000-4000-8000-000000000000');
  const said = await page.locator('.empty p').innerText(), [, id] = /^unknown replay \(request ([0-9a-f]{8}-[0-9a-f]+)\)$/i.exec(said) ?? assert.fail(said);
  await until(() => arena.errors.includes(id), `${id} in the log`, 60000);
  await page.context().close();
  browser.quiet = quiet;
});

test('the leaderboard of a game tells how long half of the decisions took', { skip }, async () => {
  const page = await browser.open('/leaderboard/liars_dice'), row = page.locator('table.board tbody tr', { hasText: hostile });
  await row.waitFor();
  const { leaderboard } = (await arena.call('GET', '/api/leaderboard/liars_dice')).body, { p50_ms: half } = leaderboard.find((r) => r.agent_id === agent.id);
  assert.ok(half > 0);
  assert.equal(await page.locator('table.board th').last().innerText(), 'Median time');
  assert.equal((await row.locator('td').last().innerText()).replace(',', ''), `${half} ms`);
  await page.context().close();
});

test('what can be pressed is large enough for a finger', { skip }, async () => {
  for (const path of ['/play/coup', replays.texas_holdem, `/agents/${agent.id}`, '/leaderboard/coup', '/connect']) {
    const page = await browser.open(path, phone);
    await page.locator('main :is(button, .btn)').first().waitFor();
    const small = await page.locator('main').evaluate((all) => [...all.querySelectorAll('button, .btn, select, input:not([type=range])')].filter((e) => e.offsetParent && e.getBoundingClientRect().height < 39.5).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(small, [], path);
    await page.context().close();
  }
});

test('rules show members of messages as such', { skip }, async () => {
  const page = await browser.open('/rules/liars_dice');
  await page.locator('.prose code', { hasText: 'quantity' }).waitFor();
  assert.ok(!(await page.locator('.prose').innerText()).includes('`'));
  await page.context().close();
});

test('while nobody plays Tetris, a house bot shows how beside the field', { skip }, async () => {
  const page = await browser.open('/watch/tetris/main', { ...desk, reducedMotion: 'no-preference' });
  await page.getByText('A house bot, in your browser').waitFor();
  const shown = () => page.locator('.demo canvas').evaluate((c) => c.toDataURL());
  const before = await shown();
  await until(async () => (await shown()) !== before, 'a piece that moves', 60000);
  await page.context().close();
  const still = await browser.open('/watch/tetris/main', desk); // motion that was not asked for is none
  await still.locator('.well canvas').waitFor();
  assert.equal(await still.locator('.demo').count(), 0);
  await still.context().close();
});

test('a replay: steps, link, proof', { skip }, async () => {
  const page = await browser.open(`${replay}#3`);
  const at = async () => (await page.locator('#pos').innerText()).match(/\d+/)[0];
  await page.locator('#pos').waitFor();
  assert.equal(await at(), '4'); // the event of seq 3
  await page.keyboard.press('ArrowRight');
  const reaches = (step) => page.waitForFunction((n) => document.querySelector('#pos').innerText.match(/\d+/)[0] === n, step);
  await reaches('5');
  await page.waitForURL(/#4$/);
  await page.keyboard.press('Home');
  await reaches('1');
  await page.keyboard.press('Shift+ArrowRight'); // the next round
  await page.locator('.log .h', { hasText: 'Round 2' }).waitFor();
  await page.getByRole('button', { name: 'Deal verified' }).click();
  await page.getByText('agon replay verify FILE').waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  assert.deepEqual(await serious(page, axe), []);
  await browser.shot(page, 'replay-dice');
  await page.context().close();
});

// What a screen tells of a replay: how long it is, the table and the lines at its end.
async function told(page, verdict) {
  await page.getByRole('button', { name: verdict }).waitFor();
  if ((await page.locator('.deck select').count()) > 0) await page.locator('.deck select').selectOption('public');
  await page.keyboard.press('End');
  await page.waitForFunction(() => { const [n, m] = document.querySelector('#pos').innerText.match(/\d+/g); return n === m; });
  return { at: await page.locator('#pos').innerText(), table: await page.locator('#table').getAttribute('aria-label'), lines: await page.locator('.log li').allInnerTexts() };
}
test('a file tells what the server tells; one that was changed is refused', { skip }, async () => {
  for (const [game, url] of Object.entries(replays)) {
    const page = await browser.open(url), proven = await told(page, 'Deal verified');
    assert.equal(await page.evaluate(() => performance.getEntriesByType('resource').filter((r) => r.name.endsWith('/whole')).length), 0, game);
    await page.route('**/api/replays/*/file', async (r) => {
      const answer = await r.fetch(), bytes = await answer.body();
      bytes[Math.floor(bytes.length / 2)] ^= 1;
      await r.fulfill({ response: answer, body: bytes });
    });
    await page.goto('about:blank');
    await page.goto(arena.url + url);
    assert.deepEqual(await told(page, 'NOT verified'), proven, game);
    await page.getByRole('button', { name: 'NOT verified' }).click();
    await page.locator('.proof .bad').waitFor();
    await page.context().close();
  }
});

test('what a seat knew, and how its chances were', { skip }, async () => {
  const known = { texas_holdem: '.hole svg:not(.back)', liars_dice: '.opened .die', coup: '.roles .role:not(.back)', belote: '.peek svg' };
  for (const game of Object.keys(known)) {
    const page = await browser.open(replays[game]), seats = await page.locator('.deck select option').evaluateAll((list) => list.map((o) => o.value).slice(2)).catch(() => []);
    await page.getByRole('button', { name: 'Deal verified' }).waitFor();
    const label = async (view) => { await page.locator('.deck select').selectOption(view); await page.waitForURL((u) => (view === 'all') !== u.searchParams.has('seat')); return page.locator('#table').innerHTML(); };
    await page.keyboard.press('ArrowRight');
    const seen = {};
    for (const view of ['all', 'public', 'p0', 'p1']) seen[view] = await label(view);
    assert.equal(new Set(Object.values(seen)).size, 4, `${game}: ${seats}`);
    if (game === 'liars_dice') { // those that count lie in their row too
      await label('all');
      const astray = () => page.locator('.opened').evaluateAll((rows) => rows.flatMap((row) => { const at = row.getBoundingClientRect(); return [...row.children].map((d) => d.getBoundingClientRect()).filter((d) => d.top < at.top - 1 || d.bottom > at.bottom + 1 || d.left < at.left - 1).map((d) => [d.left, d.top]); }));
      await until(async () => (await astray()).length === 0, 'dice in their rows').catch(async () => assert.deepEqual(await astray(), [])); // they may still arrive
      assert.ok((await page.locator('.opened .hit').count()) > 0);
    }
    await page.keyboard.press('v');
    if (game === 'texas_holdem') {
      await label('all');
      await page.keyboard.press('Home');
      await page.locator('.odds').first().waitFor();
      await page.getByRole('radio', { name: 'Chances' }).click();
      await page.locator('.chart svg[aria-label^="Winning chance"] .ln').first().waitFor();
      await page.waitForFunction(() => document.querySelector('.chart .ln').getAttribute('d').length > 20);
    }
    assert.deepEqual(await serious(page, axe), [], game);
    if (game === 'belote') { // all hands beside the trick on a phone
      await label('all');
      await page.setViewportSize(phone.viewport);
      const shown = page.locator('.trick .card');
      for (let n = 0; n < 40 && (await shown.count()) < 4; n++) await page.keyboard.press('ArrowRight');
      const lie = () => page.locator('.stage').evaluate((stage) => { const all = (q) => [...stage.querySelectorAll(q)].map((e) => e.getBoundingClientRect()), trick = all('.trick .card'); return all('.peek .card, .plate').filter((a) => trick.some((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)).length; });
      await until(async () => (await shown.count()) === 4 && (await lie()) === 0, 'nothing below the trick');
      await page.setViewportSize(desk.viewport);
    }
    await browser.shot(page, `replay-${game}`);
    await page.context().close();
  }
});

// What the server would tell of this match, by the program and with little work: the whole of it takes minutes with sanitizers.
// page_api.test.mjs asks a server.
let told_once;
const analysis = () => (told_once ??= (async () => {
  const file = path.join(scratch, 'why.agon');
  writeFileSync(file, Buffer.from(await (await fetch(`${arena.url}${replay.replace('/replay/', '/api/replays/')}/file`)).arrayBuffer()));
  const { status, stdout, stderr } = spawnSync(agon, ['replay', 'analyse', '--json', '--work', '8', '--no-luck', file], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
})());
test('why it was lost: marks, the house beside each decision, links to the costliest', { skip }, async () => {
  const page = await browser.open(replay), at = async () => Number((await page.locator('#pos').innerText()).match(/\d+/)[0]);
  const a = { ...await analysis(), unit: 'bb' }, mistakes = a.decisions.filter((d) => d.mistake); // the longest amounts
  let asked = 0;
  await page.route('**/analysis', (r) => (asked++ ? r.fulfill({ json: { status: 'done', analysis: a } }) : r.fulfill({ status: 202, json: { status: 'running', done: 3, all: 12 } })));
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.locator('.why').waitFor();
  assert.equal(await page.locator('.chart .cost').count(), mistakes.length);
  const text = await page.locator('.why').innerText();
  for (const said of ['Own choices', 'Luck', 'Unexplained', `house:${a.reference}`]) assert.ok(text.includes(said), said);
  assert.match(text, /House: |The house does the same\./);
  assert.ok(text.includes(hostile), 'names are text');
  const links = page.locator('.why section a');
  assert.equal(await links.count(), a.seats.reduce((n, s) => n + s.worst.length, 0));
  const worst = a.seats.flatMap((s) => s.worst);
  if (worst.length) { // an agent that plays anything makes mistakes, but nobody promises it
    await links.first().press('Enter');
    const to = Number((await links.first().getAttribute('href')).slice(1));
    await page.waitForURL(new RegExp(`#${to}$`));
    await page.waitForFunction((n) => Number(document.querySelector('#pos').innerText.match(/\d+/)[0]) === n, to + 1); // the address changes first
    await page.locator('.why section li[aria-current=step]').first().waitFor();
  }
  await page.keyboard.press('Home');
  if (mistakes.length) {
    await page.keyboard.press('m');
    await page.waitForFunction(() => /a mistake$/.test(document.querySelector('.chart input').getAttribute('aria-valuetext')));
    const first = await at();
    await page.keyboard.press('End');
    for (let i = 0; i < mistakes.length; i++) await page.keyboard.press('Shift+M');
    await page.waitForFunction((n) => Number(document.querySelector('#pos').innerText.match(/\d+/)[0]) === n, first);
  }
  assert.deepEqual(await serious(page, axe), []);
  assert.ok(await fits(page));
  await browser.shot(page, 'replay-why');
  for (const width of [320, 1280]) {
    await page.setViewportSize({ ...desk.viewport, width });
    assert.equal(await page.locator('.why').evaluate((e) => e.scrollWidth - e.clientWidth), 0, `${width} px`);
  }
  await page.unroute('**/analysis');
  browser.quiet = true; // Chromium tells the console of every refusal
  await page.route('**/analysis', (r) => r.fulfill({ status: 503, headers: { 'Retry-After': '10' }, json: { error: 'the server is analysing other matches; try again in a few seconds' } }));
  await page.goto('about:blank');
  await page.goto(arena.url + replays.coup);
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.locator('.empty').getByRole('button', { name: 'Try again' }).waitFor();
  await page.context().close();
  browser.quiet = false;
});

test('leaderboard and profile', { skip }, async () => {
  const page = await browser.open('/leaderboard', phone);
  await page.getByRole('link', { name: 'Kuhn poker' }).waitFor(); // rated too
  await page.getByRole('link', { name: 'Liar’s Dice' }).click();
  const name = page.getByRole('table').getByRole('link', { name: hostile });
  await name.waitFor();
  for (const width of [320, 390]) {
    await page.setViewportSize({ ...phone.viewport, width });
    assert.ok(await fits(page));
    assert.deepEqual(await page.locator('.scroll').evaluate((e) => e.scrollWidth - e.clientWidth), 0, `${width} px`); // a long name hides no rating
  }
  assert.deepEqual(await serious(page, axe), []);
  await name.click();
  await page.getByRole('heading', { level: 1, name: hostile }).waitFor();
  await page.getByRole('radio', { name: 'Liar’s Dice' }).click();
  await page.getByRole('heading', { name: 'How it plays Liar’s Dice' }).waitFor();
  await page.getByText('Bids that held').waitFor();
  assert.match(await page.getByRole('img', { name: /^Calibration of bids: / }).getAttribute('aria-label'), /\d+–\d+%: \d+%/);
  assert.equal(await page.getByText(/stat\.|true_from/).count(), 0); // every counter has a name
  await page.getByRole('heading', { name: 'Matches', exact: true }).waitFor();
  await page.getByText('the band is two deviations').waitFor();
  assert.ok(await fits(page));
  assert.deepEqual(await serious(page, axe), []);
  await browser.shot(page, 'profile-phone', true);
  await page.route('**/stats?*', (r) => r.fulfill({ json: { stats: [{ name: 'bids_expected', kind: 'mean', n: 3, of: 4, squares: 2.6, scale: 1 }] } }));
  await page.reload();
  await page.locator('.stats').getByText('between 46% and 100%').waitFor(); // no chance is larger
  await page.context().close();
});

test('a challenge, a claim, rules, connect, nothing', { skip }, async () => {
  const { body } = await arena.call('POST', '/api/challenges', { key: agent.key, body: { game: 'coup', accept_mode: 'single' } });
  for (const [path, said] of [[new URL(body.join_url).pathname, 'of 3 seats taken'], ['/claim/0123', '"claim_token":"0123"'], ['/rules/belote', 'Key rules'], ['/connect', 'agon agent --server'], ['/tournaments', 'There was no tournament yet'], ['/watch/00000000-0000-4000-8000-000000000000', 'This match is over']]) {
    const page = await browser.open(path);
    await page.getByText(said).first().waitFor();
    assert.equal(await page.locator('h1').count(), 1, path);
    assert.deepEqual(await serious(page, axe), [], path);
    await page.context().close();
  }
});

// --- French

const texts = (name) => JSON.parse(readFileSync(path.join(root, 'page/src/texts', `${name}.json`), 'utf8'));
const [english, french] = ['en', 'fr'].map(texts), sayings = new Set(Object.values(french));
const foreign = new Set(Object.entries(english).filter(([key, text]) => text !== french[key] && !sayings.has(text) && /[a-z]{3}/i.test(text)).map(([, text]) => text));
foreign.delete('Main'); // a hand, in French
const WORDS = /\b(the|and|your|you|with|this|that|not|are|was|has|have|players?|won|lost|games|watch|play|seats?|replay|nobody|unknown|against|today)\b|\d,\d{3}\b|\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d/i;

// What a visitor reads or hears on a screen and is English. Names of agents, commands and what stands in other languages on purpose are
// left out.
async function english_on(page, names) {
  const said = await page.evaluate(() => {
    const skip = 'code, pre, bdi, kbd, script, style, noscript, textarea, option, [lang]:not(html), [aria-label="Langue"]', out = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let n = walker.nextNode(); n; n = walker.nextNode()) {
      const element = n.nodeType === 1 ? n : n.parentElement;
      if (element.closest(skip)) continue;
      if (n.nodeType === 3) out.push(n.data);
      else for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'aria-valuetext']) if (n.hasAttribute(name)) out.push(n.getAttribute(name));
    }
    return out.map((x) => x.trim()).filter(Boolean);
  });
  const bare = (text) => names.reduce((t, name) => t.split(name).join('·'), text.replace(/--\w+/g, ''));
  return said.map(bare).filter((text) => foreign.has(text) || WORDS.test(text));
}

test('no screen says anything in English when French is chosen', { skip }, async () => {
  const { body } = await arena.call('POST', '/api/challenges', { key: agent.key, body: { game: 'coup', accept_mode: 'single' } });
  const live = (await arena.call('GET', '/api/matches/live')).body.matches[0].id, open = new URL(body.join_url).pathname;
  const listed = (await arena.call('GET', '/api/matches?limit=50')).body.matches.flatMap((m) => m.players.map((p) => p.agent_name));
  const names = [...new Set([hostile, ...listed])].sort((a, b) => b.length - a.length), found = [];
  const look = async (page, where) => { for (const text of await english_on(page, names)) found.push(`${where}: ${text}`); };
  const context = await fresh(browser.browser, { ...desk, locale: 'fr-FR', reducedMotion: 'reduce' }), page = await context.newPage();
  const visit = async (where, ready = 'h1') => { await page.goto(arena.url + where); await page.locator(ready).first().waitFor(); await page.waitForLoadState('networkidle'); await look(page, where); };
  const none = '00000000-0000-4000-8000-000000000000';
  for (const [where, ready] of [['/'], [`/watch/${live}`, '#table[role=img]'], [`/watch/${none}`], ['/watch/tetris/main', 'canvas'], ['/watch/tetris/nothing'], ['/play'], ['/play/coup', '.setting'], ['/play/tetris/offline', 'canvas'],
    [open], ['/challenge/0123', '.empty'], ['/claim/0123'], ['/leaderboard', 'table'], ['/leaderboard/liars_dice', 'table'], [`/agents/${agent.id}`, '.tiles'], [`/agents/${none}`, '.empty'], ['/tournaments'], [`/tournament/${none}`, '.empty'], ['/connect', 'pre'], ['/rules/belote', 'main .prose'], [`/replay/${none}`, '.empty']])
    await visit(where, ready);
  for (const [game, url] of Object.entries(replays)) {
    await visit(url, '#pos');
    const body = { status: 'done', analysis: await analysis() };
    await page.route('**/analysis', (r) => (url === replay ? r.fulfill({ json: body }) : r.fulfill({ status: 503, json: { error: 'the server is analysing other matches; try again in a few seconds' } })));
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      if (/Pourquoi/.test(await tab.innerText())) await page.locator(url === replay ? '.why' : '.tabbody .empty').waitFor();
      await look(page, `${game}, a tab of its replay`);
    }
    await page.unroute('**/analysis');
  }
  await page.route('**/api/replays/*/file', async (r) => { const answer = await r.fetch(), bytes = await answer.body(); bytes[bytes.length - 40] ^= 1; await r.fulfill({ response: answer, body: bytes }); });
  await visit(`${replays.coup}?seat=public`, '.tag.broken');
  await page.locator('.tag.broken').click();
  await page.locator('.proof .bad').waitFor();
  await look(page, 'a refused file');
  assert.notEqual(await page.locator('.proof .bad').innerText(), french['proof.broken']); // with its reason
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await look(page, 'settings');
  // The operator: a wrong token, then every tab.
  await visit('/operator');
  await page.locator('input').fill('wrong');
  await page.keyboard.press('Enter');
  await page.locator('.notice.bad').waitFor();
  await look(page, 'a wrong token');
  await page.locator('input').fill(TOKEN);
  await page.keyboard.press('Enter');
  for (const tab of await page.getByRole('tab').all().then(async (all) => (all.length ? all : (await page.getByRole('tab').first().waitFor(), page.getByRole('tab').all())))) { await tab.click(); await page.waitForLoadState('networkidle'); await look(page, `operator: ${await tab.innerText()}`); }
  // The server says no to a player.
  await fetch(`${arena.url}/api/admin/drain`, { method: 'POST', headers: { 'x-agon-admin': TOKEN } });
  try {
    await visit('/play/coup/queue', '.empty');
    assert.match(await page.locator('.empty').innerText(), /le serveur est en maintenance/);
    await visit('/play/coup', '.setting');
    await page.locator('.btn.big').click();
    await page.locator('.stage.waiting').waitFor();
    await look(page, 'a table while the server drains');
  } finally { await fetch(`${arena.url}/api/admin/drain`, { method: 'DELETE', headers: { 'x-agon-admin': TOKEN } }); }
  assert.deepEqual(found, []);
  await context.close();
  // What the server writes itself: titles, and the shell without scripts.
  const shell = async (where) => (await fetch(arena.url + where, { headers: { 'accept-language': 'fr-CH, fr;q=0.9, en;q=0.8' } })).text();
  for (const where of ['/', '/play', '/leaderboard', '/tournaments', '/connect', '/rules/coup', '/operator', '/challenge/x', '/claim/x', `/watch/${live}`, replays.liars_dice]) {
    const html = await shell(where), [, title] = /<title>([^<]*)<\/title>/.exec(html), [, about] = /name="description" content="([^"]*)"/.exec(html);
    assert.match(html, /<html lang="fr"/);
    for (const text of [title, names.reduce((t, n) => t.split(n).join('·'), about.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))]) assert.doesNotMatch(text, WORDS, where);
    assert.match(html, /<p>Cette page a besoin de JavaScript/);
  }
});

// Sentences of the server that a visitor can meet: each has a French one, or the one for its status.
test('refusals of tables, rematches and replay files are translated', async () => {
  const source = (name) => readFileSync(path.join(root, name), 'utf8'), said = readFileSync(path.join(root, 'page/src/lib/fr-said.ts'), 'utf8');
  const known = [...said.matchAll(/^  (?:'((?:[^'\\]|\\.)*)'|(\w+)): /gm)].map(([, quoted, word]) => (quoted ?? word).replaceAll("\\'", "'"));
  const is = known.map((k) => new RegExp(`^${k.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.+')}$`));
  const met = [...['src/lobby/challenge.c', 'src/lobby/rematch.c'].flatMap((f) => [...source(f).matchAll(/refuse\(why, \d+, "([^"]+)"/g)]), ...source('src/lobby/eligibility.c').matchAll(/deny\("([^"]+)"/g),
    ...source('src/front/arena/hub_read.c').matchAll(/hub_send_error\(c, "([^"]+)"/g), ...source('src/playback/loaded_replay.c').matchAll(/"(it[^"]+)"/g)].map((m) => m[1].replace(/%\w+/g, '7'));
  assert.ok(met.length > 25, String(met.length));
  assert.deepEqual(met.filter((text) => !is.some((k) => k.test(text))), []);
});

test('French, and the theme is kept', { skip }, async () => {
  const page = await browser.open('/leaderboard', { ...desk, locale: 'fr-FR' });
  await page.getByRole('heading', { level: 1, name: 'Classement' }).waitFor();
  await page.getByRole('button', { name: 'Thème sombre' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Thème clair' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  for (const width of [1280, 768]) { // names of parts stand on one line
    await page.setViewportSize({ width, height: 800 });
    assert.ok(await page.locator('.top nav').evaluate((nav) => nav.clientHeight < 48 && [...nav.children].every((a) => a.clientHeight < 48)));
    assert.ok(await fits(page));
  }
  await page.context().close();
});

test('the operator begins a tournament, and everybody sees it', { skip }, async () => {
  const page = await browser.open('/operator');
  await page.getByLabel('Operator token').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('tab', { name: 'Agents' }).click();
  await page.getByRole('link', { name: hostile }).waitFor();
  assert.deepEqual(await serious(page, axe), []);
  await page.getByRole('tab', { name: 'Tournaments' }).click();
  await page.getByLabel('Title').fill('Spring <b>open</b>');
  await page.getByLabel('Games', { exact: true }).fill('8');
  await page.getByRole('button', { name: 'Begin a tournament' }).click();
  await page.getByText('Done: Begin a tournament').waitFor();
  await page.getByRole('link', { name: 'Spring <b>open</b>' }).first().click();
  await page.getByText('8 of 8 games').waitFor();
  await page.getByRole('heading', { name: 'Crosstable' }).waitFor();
  await page.locator('.cross td b').first().waitFor();
  assert.deepEqual(await serious(page, axe), []);
  await browser.shot(page, 'tournament');
  await page.setViewportSize({ width: 375, height: 812 });
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await serious(page, axe), []);
  await page.context().close();
});

test('the operator sets limits and bans', { skip }, async () => {
  const eve = await arena.register('Mallory'), page = await browser.open('/operator', phone, { admin: TOKEN });
  await page.getByRole('tab', { name: 'Agents' }).click();
  const row = page.locator('tr').filter({ hasText: 'Mallory' }), seen = async () => (await arena.call('GET', `/api/admin/agents/${eve.id}`, { headers: { 'x-agon-admin': TOKEN } })).body.agent;
  await row.getByRole('button', { name: 'Limits' }).click();
  await row.getByLabel('Games per day').fill('7');
  await row.getByRole('button', { name: 'Set' }).click();
  await page.getByText('Done: Limits').waitFor();
  const place = async () => (await row.boundingBox()).y, before = await place();
  await row.getByRole('button', { name: 'New key' }).click();
  await page.locator('.told pre', { hasText: /^agk_/ }).waitFor(); // in sight, wherever the row is
  await page.locator('.told').getByRole('button', { name: 'Close' }).click();
  assert.equal(await place(), before); // and no row moved
  assert.equal((await seen()).limits.max_games_per_day, 7);
  assert.deepEqual(await serious(page, axe), []);
  page.once('dialog', (d) => d.accept());
  await row.getByRole('button', { name: 'Ban' }).click();
  await page.getByText('Done: Ban').waitFor();
  assert.equal((await seen()).disabled, true);
  await page.context().close();
});

test('a limit counts down, and the page tries again by itself', { skip }, async () => {
  const page = await browser.open('/connect');
  let asked = 0;
  browser.quiet = true; // the refusal is in the console
  await page.route('**/api/tournaments?*', (r) => (asked++ ? r.continue() : r.fulfill({ status: 429, headers: { 'retry-after': '9' }, json: { error: 'rate limit' } })));
  await page.getByRole('link', { name: 'Tournaments' }).first().click();
  const left = page.getByText(/\b\d (s\b|seconds)/).first();
  await left.waitFor();
  const [said] = /\d(?= (s\b|seconds))/.exec(await left.innerText());
  await page.waitForFunction((was) => Number(/\b(\d) (s\b|seconds)/.exec(document.body.innerText)?.[1] ?? 9) < was, Number(said)); // whichever are drawn
  await page.locator('.rec').waitFor();
  browser.quiet = false;
  await page.context().close();
});

test('a tournament that agents enter: opened, entered, started; its crosstable on a phone', { skip }, async () => {
  const page = await browser.open('/operator', desk, { admin: TOKEN });
  await page.getByRole('tab', { name: 'Tournaments' }).click();
  await page.getByLabel('Title').fill('Open of May');
  await page.getByLabel('Entrants, one per line').fill([1, 2, 3, 4, 5, 1].map((level, i) => `bot-${i + 1}=house:${level}`).join('\n'));
  await page.getByLabel('Open for entries').fill('60');
  await page.getByLabel('Most entrants').fill('8');
  await page.getByLabel('Games of every pair').fill('2');
  await page.getByRole('combobox', { name: 'Game' }).selectOption('liars_dice');
  await page.getByRole('button', { name: 'Begin a tournament' }).click();
  await page.getByText('Done: Begin a tournament').waitFor();
  const id = (await page.getByRole('link', { name: 'Open of May' }).getAttribute('href')).split('/').pop();
  const eve = await arena.register('Eve'), seen = await browser.open(`/tournament/${id}`, phone);
  await seen.getByText('6 of at most 8 are in.').waitFor();
  await seen.getByText(`--key KEY --tournament ${id}`).waitFor();
  assert.ok(await fits(seen));
  assert.deepEqual(await serious(seen, axe), []);
  assert.equal((await arena.call('POST', `/api/tournaments/${id}/entry`, { key: eve.key })).status, 200);
  await seen.getByText('7 of at most 8 are in.').waitFor(); // by itself
  assert.equal((await arena.call('DELETE', '/api/agents/me', { key: eve.key })).status, 200);
  await seen.getByText('6 of at most 8 are in.').waitFor();
  const late = await arena.register('Late'), list = await browser.open('/tournaments');
  assert.equal((await arena.call('POST', `/api/tournaments/${id}/entry`, { key: late.key })).status, 200);
  await list.getByText(/7 entrants · entries until/).or(list.getByText(/6 entrants · entries until/)).first().waitFor();
  await list.context().close();
  await page.getByRole('button', { name: 'Start now' }).click();
  await page.getByText('Done: Start now').waitFor();
  await page.context().close();
  assert.equal((await arena.call('DELETE', '/api/agents/me', { key: late.key })).status, 200); // and so loses its games
  await seen.getByText('42 of 42 games').waitFor();
  assert.equal(await seen.locator('.cross').isVisible(), false); // seven columns do not fit
  await seen.getByLabel('Results of').selectOption({ label: '7. Late' });
  const row = seen.locator('.row-of tbody tr');
  assert.equal(await row.count(), 6);
  assert.match(await row.first().innerText(), /1\s+bot-\d\s+0 2/);
  for (const width of [320, 390]) {
    await seen.setViewportSize({ ...phone.viewport, width });
    assert.ok(await fits(seen));
    assert.deepEqual(await seen.locator('.row-of, .scroll:visible').evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth)), [0, 0], `${width} px`);
  }
  assert.deepEqual(await serious(seen, axe), []);
  await browser.shot(seen, 'tournament-phone');
  await seen.setViewportSize(desk.viewport);
  assert.deepEqual([await seen.locator('.cross').isVisible(), await seen.locator('.row-of').isVisible()], [true, false]);
  await seen.context().close();
});

// --- seats on the server. Whole games are played in page_play.test.mjs; here the wire is tried.

const seat = async (path, options) => {
  const page = await browser.open(path, options);
  await page.getByRole('button', { name: 'Take a seat' })[options.hasTouch ? 'tap' : 'click']();
  return page;
};
const bidOrDoubt = async (page) => {
  const liar = page.getByRole('button', { name: /Liar!/ });
  await ((await liar.isVisible()) ? liar : page.getByRole('button', { name: /^Bid/ })).click();
};

test('house bots on the server: a hint, a game, and another one', { skip }, async () => {
  const page = await seat('/play/liars_dice', desk);
  await page.locator('form.ask').getByRole('button', { name: 'Hint' }).click();
  await page.locator('form.ask .notice').waitFor();
  const me = await page.evaluate(() => JSON.parse(localStorage.getItem('guest'))), profile = await browser.open(`/agents/${me.id}`);
  await profile.getByRole('link', { name: 'playing now: watch' }).click();
  await profile.locator('.stage .g-liars_dice, .stage.g-liars_dice').first().waitFor();
  await profile.context().close();
  const asked = async () => { await page.locator('form.ask').waitFor(); return page.locator('#table').getAttribute('aria-label'); }, before = await asked();
  await page.reload(); // a page that knows nothing of the match
  assert.equal(await asked(), before);
  await page.locator('a.brand').click();
  await page.locator('.tables').waitFor();
  await page.goBack();
  assert.equal(await asked(), before);
  await answer(page, bidOrDoubt);
  assert.match(await page.locator('.result').innerText(), /You win|You lose|A draw/);
  await page.locator('.result').getByRole('link', { name: 'Watch the replay' }).waitFor();
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.locator('form.ask').waitFor();
  await page.context().close();
});

test('waiting agents: whoever is in the queue of the game, and house bots for the rest', { skip }, async () => {
  const page = await browser.open('/play/liars_dice');
  await page.getByRole('radio', { name: 'Waiting agents' }).click();
  await page.getByText('Unrated for everybody at the table').waitFor(); // before one joins
  await page.getByRole('radiogroup', { name: 'Seats' }).getByRole('radio', { name: '3', exact: true }).click();
  await page.getByRole('button', { name: 'Take a seat' }).click();
  await answer(page, bidOrDoubt);
  const id = (await page.locator('.result').getByRole('link', { name: 'Watch the replay' }).getAttribute('href')).split('/').pop(), { body } = await arena.call('GET', `/api/replays/${id}`);
  assert.deepEqual([body.mode, body.rated, body.players.length], ['friendly', false, 3]);
  await page.locator('.result').getByRole('link', { name: 'Watch the replay' }).click();
  await page.getByRole('button', { name: 'Deal verified' }).waitFor();
  await page.goBack(); // to a table where nobody plays any more
  await page.waitForURL(/\/replay\//);
  await page.context().close();
});

test('a friend by link, and both want to play again', { skip }, async () => {
  const host = await browser.open('/play/liars_dice'), pick = (group, name) => host.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true }).click();
  await pick('Against', 'A friend, by link');
  await pick('Seats', '2');
  await host.getByRole('button', { name: 'Take a seat' }).click();
  const link = await host.locator('.code code').innerText();
  await host.reload();
  await host.getByText('Waiting for players,').waitFor();
  assert.equal(await host.locator('.code code').innerText(), link); // it can still be sent
  assert.equal(await host.getByText('House bots take').count(), 0); // not at this table
  const second = await host.context().newPage();
  await second.goto(host.url());
  await host.getByRole('button', { name: 'Play here' }).click(); // told while it waits, too
  await second.getByRole('button', { name: 'Play here' }).waitFor();
  await second.close();
  const friend = await seat(new URL(link).pathname, phone);
  await host.locator('#table').waitFor();
  const late = await browser.open(new URL(link).pathname);
  await late.getByRole('link', { name: 'Another game' }).waitFor();
  assert.equal(await late.locator('.code').count(), 0); // no agent can come either
  await late.context().close();
  await Promise.all([answer(host, bidOrDoubt), answer(friend, bidOrDoubt)]);
  await host.getByRole('button', { name: 'Play again' }).click();
  await friend.locator('.notice', { hasText: 'wants to play again' }).waitFor();
  await friend.getByRole('button', { name: 'Play again' }).tap();
  for (const page of [host, friend]) await page.locator('.result').waitFor({ state: 'detached' });
  await Promise.any([host, friend].map((page) => page.locator('form.ask').waitFor()));
  for (const page of [host, friend]) await page.context().close();
});

const moves = {
  coup: (page) => page.locator('.acts .act').first().tap(),
  texas_holdem: async (page) => page.keyboard.press((await page.getByRole('button', { name: /^(Check|Call)/ }).isVisible()) ? 'c' : 'f'),
  belote: async (page) => page.keyboard.press((await page.locator('.hand .ok').first().isVisible()) ? '1' : (await page.locator('.bids').isVisible()) && !(await page.getByRole('button', { name: /^Accept/ }).isVisible()) ? 'c' : 'Enter'),
};
for (const [game, move] of Object.entries(moves))
  test(`${game}: a few moves on the server`, { skip }, async () => {
    const options = game === 'coup' ? phone : desk, page = await seat(`/play/${game}`, options);
    await answer(page, move, { most: 4 });
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await browser.shot(page, `play-${game}`);
    await page.context().close();
  });

// By an observer, which comes before the next frame: answers the question after this one at once.
test('a key is heard as soon as its question is there', { skip }, async () => {
  const page = await seat('/play/texas_holdem', desk), choices = 'form.ask .go3 .btn';
  await page.locator(choices).first().waitFor();
  await page.evaluate((choices) => {
    const first = document.querySelector('form.ask').dataset.request;
    new MutationObserver((changes, observer) => {
      const ask = document.querySelector('form.ask')?.dataset.request, button = [...document.querySelectorAll(choices)].find((b) => /^(Check|Call|All in)/.test(b.innerText));
      if (!ask || ask === first || !button) return;
      observer.disconnect();
      window.pressed = ask;
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: /^All/.test(button.innerText) ? 'f' : 'c', bubbles: true, cancelable: true }));
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
  }, choices);
  await moves.texas_holdem(page);
  await page.waitForFunction(() => window.pressed && (document.querySelector('.result') || ![undefined, window.pressed].includes(document.querySelector('form.ask')?.dataset.request)));
  await page.context().close();
});

test('Tetris by keyboard and by touch', { skip }, async () => {
  for (const options of [desk, phone]) {
    const page = await browser.open('/play/tetris', options);
    const pieces = async () => Number((await page.locator('.lft dd').nth(3).innerText()).replace(/\D/g, ''));
    await page.locator('.well canvas').waitFor();
    const before = await pieces();
    if (options.hasTouch) { await page.getByRole('button', { name: 'Left' }).tap(); await page.getByRole('button', { name: 'Drop' }).tap(); } else { await page.keyboard.press('ArrowLeft'); await page.keyboard.press('Space'); }
    await page.waitForFunction((was) => Number(document.querySelectorAll('.lft dd')[3].textContent.replace(/\D/g, '')) > was, before);
    assert.match(await page.locator('canvas[role=img]').getAttribute('aria-label'), /Stack \d+ rows?/);
    assert.ok(await fits(page));
    assert.deepEqual(await serious(page, axe), []);
    await browser.shot(page, `play-tetris-${options.hasTouch ? 'phone' : 'desk'}`);
    if (options === desk) { // beside the field of a watched table: how the last pieces came to lie, or another table
      const name = await page.evaluate(() => localStorage.tetris), mine = await browser.open(`/watch/tetris/${name}`);
      await mine.locator('.well canvas').waitFor();
      for (let i = 0; i < 3; i++) await page.keyboard.press('Space');
      await mine.locator('.bes .box canvas').nth(1).waitFor();
      await mine.goto(`${arena.url}/watch/tetris/main`);
      await mine.locator(`.bes a[href="/watch/tetris/${name}"] canvas`).waitFor();
      await mine.context().close();
    }
    await page.context().close();
  }
});

test('the browser had nothing to complain of', { skip }, () => assert.deepEqual(browser.problems, []));
