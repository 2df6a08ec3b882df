// The rules in the browser: the same matches as in the program, byte for byte; and the exported file, opened from disk.
// AGON_WASM_MATCHES (20) says how many random matches of each game are replayed.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { games, program, run } from "./agon.mjs";
import { chromium, fresh, launch } from "./lib/browser.mjs";
import { until } from "./lib/wait.mjs";

const matches = Number(process.env.AGON_WASM_MATCHES ?? 20);
const compared = Math.max(2, Math.ceil(matches / 10)); // of these every view is compared
const modules = join(dirname(program), "wasm");
const folder = mkdtempSync(join(tmpdir(), "agon-wasm-"));
const at = (name) => join(folder, name);
after(() => rmSync(folder, { recursive: true }));

const names = games.map(({ name }) => name);
const built = existsSync(join(modules, "rules.mjs"));
const rules = built ? await import(join(modules, "rules.mjs")) : {};
rules.setModuleSource?.(async (name) => readFileSync(join(modules, `${name}.wasm`)));
const { openBots, openReplay, newMatch, holdemOdds, RulesError } = rules;
const STEPS = 400;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Honest, glance and beliefs remember what their seat saw; glance of Tetris wants work space.
const players = { tetris: ["rules", "glance"], texas_holdem: ["rules", "plain", "novice"], belote: ["novice", "rules", "glance"], coup: ["rules", "honest", "glance"], liars_dice: ["novice", "odds", "rules", "beliefs"] };

// Who plays by a solved table, and against whom: a raise or bid of those others is often not one of the table's own. Between
// more than two it is not looked up before two are left.
const tables = { texas_holdem: ["solved", "solved,rules", "outline,plain", "solved,outline,novice"], liars_dice: ["solved", "solved,rules", "solved,novice,odds"], kuhn_poker: ["solved", "solved,random"], leduc_poker: ["solved", "solved,random"] };
const tableOf = (game) => readFileSync(join(modules, `${game}.table`));

function simulate(game, bots, count, to, seed = 1, more = []) {
    const done = run(["simulate", game, "--games", `${count}`, "--max-steps", `${STEPS}`, "--bots", bots, "--threads", "1", "--seed", `${seed}`,
        "--replays", at(to), ...more]);
    assert.equal(done.status, 0, done.stderr);
    return readdirSync(at(to)).sort().map((name) => join(at(to), name));
}
const exported = (file) => run(["replay", "export", "--views", "--format", "jsonl", file]).stdout.trim().split("\n").map((line) => JSON.parse(line));

test("the modules are there, ask for nothing, and are small", (t) => {
    assert.ok(built, "no modules: clang, lld, binaryen or esbuild is missing");
    for (const name of names)
        for (const kind of [name, `${name}.bots`]) {
            const bytes = readFileSync(join(modules, `${kind}.wasm`));
            const size = gzipSync(bytes, { level: 9 }).length;
            t.diagnostic(`${kind}.wasm: ${bytes.length} bytes, ${size} gzip`);
            assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), [], kind);
            assert.ok(size <= 25000, `${kind}: ${size} bytes`);
        }
    const page = gzipSync(readFileSync(join(modules, "viewer.js")), { level: 9 }).length;
    t.diagnostic(`viewer.js: ${page} gzip; rules.mjs: ${gzipSync(readFileSync(join(modules, "rules.mjs")), { level: 9 }).length} gzip`);
    assert.ok(page <= 7500, `viewer.js: ${page}`);
});

for (const game of names) {
    test(`${game}: random matches give the program's hashes, views, events and payoffs`, async (t) => {
        const files = simulate(game, "random", matches, game);
        let views = 0;
        for (const [number, file] of files.entries()) {
            const replay = await openReplay(readFileSync(file), { neutral: true });
            assert.equal(replay.verified, true);
            assert.equal(replay.game, game);
            if (number >= compared) continue;
            const [head, ...entries] = exported(file);
            assert.deepEqual(replay.rules, head.rules);
            for (const entry of [{ ...head, step: 0 }, ...entries]) {
                if (entry.hash) assert.equal(replay.hash(entry.step), entry.hash);
                if (!entry.views) continue;
                const all = replay.view(entry.step, "all");
                assert.deepEqual([...all.seats, all.public], Object.values(entry.views), `step ${entry.step}`);
                if (!entry.ticks) assert.deepEqual(replay.events(entry.step).map(({ text, ...event }) => event), entry.events);
                views += all.seats.length + 1;
            }
            assert.deepEqual(replay.payoffs(replay.steps), entries.at(-1).payoffs);
        }
        t.diagnostic(`${game}: ${files.length} matches verified, ${views} views equal`);
    });

    test(`${game}: pictures and sentences are the program's`, async () => {
        const [file] = simulate(game, "random", 1, `${game}.shown`, 5);
        const replay = await openReplay(readFileSync(file));
        for (const step of [0, Math.floor(replay.steps / 2), replay.steps]) {
            const shown = run(["replay", "show", "--text", "--seat", "0", "--step", `${step}`, file]).stdout;
            assert.ok(shown.includes(replay.text(step, 0)), `step ${step}\n${shown}\n${replay.text(step, 0)}`);
            for (const { text } of replay.events(step, 0)) if (text) assert.ok(shown.includes(`  ${text}\n`), text);
        }
    });

    // The search of Coup and Belote takes seconds.
    for (const player of players[game] ?? ["random"]) test(`${game}: ${player} plays the program's match, to the byte`, async () => {
        const [file] = simulate(game, player, 1, `${game}.${player}`, 7);
        const { match } = await playAgain(game, readFileSync(file), (m, seat, bot) => {
            const hint = m.hint(seat, bot); // changes nothing, and is what it then plays
            assert.deepEqual(m.bot(seat, bot), hint);
        });
        assert.throws(() => match.apply(0, { type: "anything" }), RulesError);
    });

    // N1.11
    for (const bots of tables[game] ?? []) test(`${game}: with its table ${bots} decides as in the program`, async (t) => {
        const seats = bots.split(",").length, table = tableOf(game);
        let decisions = 0;
        for (const file of simulate(game, bots, Math.ceil(matches / 4), `${game}.${bots}`, 13, ["--seats", `${Math.max(2, seats)}`])) {
            const { asked } = await playAgain(game, readFileSync(file), (m, seat, bot) => {
                if (m.needsTable(bot)) { // a seat takes it when it is first asked: minds have followed the match all the same
                    assert.throws(() => m.bot(seat, bot), { name: "RulesError", message: `${bot} plays by a table that is not here` });
                    m.takeTable(table);
                }
                m.bot(seat, bot);
            });
            decisions += asked;
        }
        t.diagnostic(`${game}: ${bots} made ${decisions} decisions as in the program with its table`);
    });

    test(`${game}: a person's moves are the legal ones`, async () => {
        const match = await newMatch(game, { names: ["ann"] }, 3n);
        assert.equal(match.seats[0], "ann");
        for (let step = 0; match.turn().kind !== "over" && step < 60; step++) {
            const seat = Math.max(0, match.next());
            const before = match.hash();
            assert.throws(() => match.apply(seat, { type: "no such thing" }), { name: "RulesError", message: /not legal|ended/ });
            assert.equal(match.hash(), before);
            const choices = match.legal(seat);
            assert.ok(choices.length && choices.every((choice) => choice.text));
            const { text, range, ...action } = choices[step % choices.length];
            const [[key, bounds] = []] = Object.entries(range ?? {});
            if (key) action[key] = Math.floor((bounds[0] + bounds[1]) / 2);
            assert.deepEqual(match.apply(seat, action).action, action);
        }
        const open = await openReplay(match.replay());
        assert.ok(open.verified === true || /no end/.test(open.verified));
        assert.equal(open.hash(open.steps), match.hash());
    });

    test(`${game}: a file that was changed is refused with the reason`, async () => {
        const bytes = readFileSync(simulate(game, "random", 1, `${game}.changed`, 9)[0]);
        for (let i = 0; i < 48; i++) {
            const spot = Math.floor((i * bytes.length) / 48);
            const changed = Uint8Array.from(bytes);
            changed[spot] ^= 1 << i % 8;
            await assert.rejects(openReplay(changed), (error) => error.message.length > 10, `byte ${spot}`);
        }
        const cut = await openReplay(bytes.subarray(0, bytes.length - 1)).catch((error) => error);
        assert.match(cut instanceof Error ? cut.message : cut.verified, /no end|damaged|checksum|does not match/);
    });
}

// The match of a replay, played here by the bots that its seats are called by; its bytes are those of the file.
async function playAgain(game, bytes, move) {
    const replay = await openReplay(bytes);
    const names = replay.seats.map((name) => name.replace(/[.]\d+$/, ""));
    const match = await newMatch(game, { seats: names.length, names }, BigInt(replay.seed));
    let asked = 0;
    for (let step = 0; match.turn().kind !== "over" && step < STEPS; step++) {
        const seat = match.next();
        if (seat < 0) match.tick(1);
        else {
            move(match, seat, names[seat]);
            asked++;
        }
    }
    assert.deepEqual(Buffer.from(match.replay(true)), bytes);
    return { match, asked };
}

// N1.11
for (const game of Object.keys(tables))
    test(`${game}: only its own table is taken, and what needs it is not asked before`, async () => {
        const table = tableOf(game), size = table.length, levels = ["house:1", "house:2", "house:3", "house:4", "house:5"];
        const bots = await openBots(game), match = await newMatch(game, { seats: 2 }, 3n);
        assert.equal(bots.tableSize, size);
        const needing = levels.filter((name) => bots.needsTable(name));
        assert.deepEqual(needing, { texas_holdem: levels.slice(3), liars_dice: levels.slice(4) }[game] ?? levels.slice(2));
        assert.deepEqual([bots.needsTable("random"), bots.needsTable("deep blue")], [false, false]);
        const changed = (at) => table.map((byte, i) => (i === at ? byte ^ 16 : byte));
        const other = tableOf(game === "liars_dice" ? "texas_holdem" : "liars_dice");
        for (const [wrong, why] of [[table.subarray(0, size - 1), /bytes and not .*cut off/], [new Uint8Array(0), /^the table has 0 bytes/], [Buffer.concat([table, table]), /another version/], [other, /another version/],
            [new Uint8Array(size), /damaged/], ...[0, 8, 300, size >> 1, size - 1].map((at) => [changed(at), /damaged/])]) {
            assert.throws(() => match.takeTable(wrong), { name: "RulesError", message: why });
            assert.ok(match.needsTable("house:5"));
            assert.throws(() => match.hint(match.next(), "house:5"), /plays by a table that is not here/);
        }
        match.bot(match.next(), levels[0]); // it goes on
        match.takeTable(table);
        assert.ok(!match.needsTable("house:5"));
        if (match.next() >= 0) match.bot(match.next(), "house:5");
        assert.throws(() => match.takeTable(changed(9)), /damaged/); // and nothing is left of the good one
        assert.ok(match.needsTable("house:5"));
    });

test("a game without a table takes none", async () => {
    const bots = await openBots("coup");
    assert.equal(bots.tableSize, 0);
    assert.throws(() => bots.take(new Uint8Array(8)), { name: "RulesError", message: "no bot of this game plays by a table" });
});

test("bytes that are no replay are refused", async () => {
    const head = [..."AGON"].map((c) => c.charCodeAt(0));
    for (const bytes of [[], [1, 2, 3], head, [...head, 1, 4, ...Buffer.from("../x")], [...head, 9, 4, ...Buffer.from("coup")]])
        await assert.rejects(openReplay(Uint8Array.from(bytes)), /not a replay|format|damaged/);
    await assert.rejects(openReplay(Uint8Array.from([...head, 1, 4, ...Buffer.from("chss")]))); // no such module
});

test("a step, a seat, a scenario and a bot that do not exist are refused", async () => {
    const replay = await openReplay(readFileSync(simulate("coup", "random", 1, "some")[0]));
    for (const wrong of [() => replay.view(-1, 0), () => replay.view(replay.steps + 1, 0), () => replay.view(0, 4), () => replay.legal(0, -1), () => replay.view(0.5, 0)])
        assert.throws(wrong, RulesError);
    await assert.rejects(newMatch("coup", { scenario: "chess" }), /known: players_4/);
    await assert.rejects(newMatch("coup", { seats: 9 }), RulesError);
    const match = await newMatch("coup");
    assert.throws(() => match.bot(match.next(), "deep blue"), /known: search, .*rules.*, random, fallback/);
    assert.throws(() => match.bot(9, "rules"), RulesError);
});

test("a seat's view and events hold nothing that is hidden from it", async () => {
    const replay = await openReplay(readFileSync(simulate("texas_holdem", "random", 1, "hidden")[0]));
    const [mine, theirs] = [0, 1].map((seat) => JSON.stringify(replay.view(0, seat)).match(/"[2-9TJQKA][cdhs]"/g));
    assert.equal(mine.length, 2);
    assert.ok(theirs.every((card) => !mine.includes(card)));
    assert.equal(JSON.stringify(replay.view(0, "public")).match(/"[2-9TJQKA][cdhs]"/g), null);
    for (const event of replay.events(0, 1)) assert.ok(!event.to || event.to.includes(replay.seats[1]));
});

// A plain count of five-card hands, made another way than the module's tables.
function strength(cards) {
    const ranks = cards.map((card) => "23456789TJQKA".indexOf(card[0])).sort((a, b) => b - a);
    const counts = [...new Set(ranks)].map((rank) => [ranks.filter((r) => r === rank).length, rank]).sort((a, b) => b[0] - a[0] || b[1] - a[1]);
    const flush = new Set(cards.map((card) => card[1])).size === 1;
    const wheel = ranks.join() === "12,3,2,1,0";
    const straight = counts.length === 5 && (wheel || ranks[0] - ranks[4] === 4);
    const [[first], [second] = [0]] = counts;
    const kind = straight && flush ? 8 : first === 4 ? 7 : first === 3 && second === 2 ? 6 : flush ? 5 : straight ? 4 : first === 3 ? 3 : first === 2 && second === 2 ? 2 : first === 2 ? 1 : 0;
    const order = straight ? [wheel ? 3 : ranks[0]] : counts.map(([, rank]) => rank);
    return order.reduce((value, rank) => value * 16 + rank + 1, kind) * 16 ** (5 - order.length);
}
function best(cards) {
    let top = -1;
    for (let a = 0; a < 7; a++) for (let b = a + 1; b < 7; b++) top = Math.max(top, strength(cards.filter((_, i) => i !== a && i !== b)));
    return top;
}
const deck = [..."23456789TJQKA"].flatMap((rank) => [..."cdhs"].map((suit) => rank + suit));

test("odds: exact from the flop on, and a sample before", async () => {
    const share = async (...args) => (await holdemOdds(...args)).hands.map((hand) => hand.share);
    const hands = [["Ah", "Ks"], ["9c", "9d"]], board = ["9h", "Kd", "2s", "Qh"];
    const left = deck.filter((card) => ![...hands.flat(), ...board].includes(card));
    const [a, b] = [0, 1].map((h) => left.map((card) => best([...hands[h], ...board, card])));
    const counted = left.reduce((sum, _, i) => sum + (a[i] > b[i] ? 1 : a[i] === b[i] ? 0.5 : 0), 0) / left.length;
    const odds = await holdemOdds(hands, board);
    assert.deepEqual([odds.exact, odds.deals], [true, 44]);
    assert.ok(Math.abs(odds.hands[0].share - counted) < 1e-12);
    assert.equal((await holdemOdds(hands, board.slice(0, 3))).deals, 990);

    const river = ["9h", "Kd", "2s", "Qh", "3c"];
    const others = deck.filter((card) => !["Ah", "Ks", ...river].includes(card));
    const own = best(["Ah", "Ks", ...river]);
    let won = 0, deals = 0;
    for (let i = 0; i < others.length; i++)
        for (let j = i + 1; j < others.length; j++, deals++) {
            const other = best([others[i], others[j], ...river]);
            won += own > other ? 1 : own === other ? 0.5 : 0;
        }
    const against = await holdemOdds([["Ah", "Ks"]], river, 1);
    assert.deepEqual([against.exact, against.deals], [true, deals]);
    assert.ok(Math.abs(against.hands[0].share - won / deals) < 1e-12);
    assert.equal((await holdemOdds([["Ah", "Ks"]], river.slice(0, 3), 1)).exact, true);

    const [aces, kings] = await share([["As", "Ah"], ["Ks", "Kh"]], []); // a published value
    assert.ok(Math.abs(aces - 0.826366) < 1e-6 && Math.abs(aces + kings - 1) < 1e-9);
    const before = await holdemOdds([["As", "Ah"]], [], 1);
    assert.deepEqual([before.exact, before.deals], [false, 10000]);
    assert.ok(Math.abs(before.hands[0].share - 0.852) < 0.02);
    for (const wrong of [[[["Ah", "Ah"]], [], 1], [[["Ah", "Kd"]], ["2c"], 1], [[["Ah", "Kd"]], [], 0], [[["1h", "Kd"]], [], 1]])
        await assert.rejects(holdemOdds(...wrong), RulesError);
});

test("agon replay html refuses what does not reproduce", () => {
    const [file] = simulate("coup", "random", 1, "refused");
    const bytes = readFileSync(file);
    bytes[bytes.length - 20] ^= 1;
    writeFileSync(at("wrong"), bytes);
    const { status, stdout, stderr } = run(["replay", "html", at("wrong")]);
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /checksum|commitment|differs|damaged/);
    assert.equal(run(["replay", "html"]).status, 2);
});

// The exported file, in a browser, from disk
let browser;
before(async () => {
    if (chromium) browser = await launch();
});
after(() => browser?.close());

async function open(path, problems, options = {}) {
    const page = await (await fresh(browser, options)).newPage();
    page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
    page.on("pageerror", (e) => problems.push(e.message));
    page.on("request", (r) => r.url().split("#")[0] !== `file://${path}` && !r.url().startsWith("data:") && problems.push(`asks ${r.url()}`));
    await page.goto(`file://${path}`);
    return page;
}

// Games that time moves have the small viewer, with a drawn field; it is also what a program without the page has, with the referee's text.
for (const game of names.filter((name) => name === "tetris"))
    test(`${game}: the exported file opens from disk, verifies and steps`, async (t) => {
        if (!chromium) return t.skip("no chromium");
        const [file] = simulate(game, "random", 1, `${game}.page`, 11);
        const html = at(`${game}.html`);
        assert.equal(run(["replay", "html", file, "-o", html]).status, 0);
        t.diagnostic(`${game}.html: ${readFileSync(html).length} bytes for a replay of ${readFileSync(file).length}`);
        assert.ok(readFileSync(html).length < 100000, "rules and viewer, without bots and tables");
        const replay = await openReplay(readFileSync(file));
        const problems = [];
        const page = await open(html, problems);
        const says = (id) => page.locator(id).innerText();
        await page.waitForSelector("#log[data-done]");
        assert.equal(await says("#verified"), "Deal verified");
        assert.equal(await says("#where"), `0 / ${replay.steps}`);
        await page.click("#next");
        await page.keyboard.press("ArrowRight");
        assert.equal(await says("#where"), `2 / ${replay.steps}`);
        assert.match(page.url(), /#2$/);
        await page.keyboard.press("ArrowLeft");
        assert.equal(await page.locator("#viewpoint").count(), 0); // alone, nobody has anything to hide
        const field = page.locator("#board canvas[role=img]"), view = (step) => replay.view(step, 0), drawn = () => field.evaluate((c) => c.toDataURL());
        const stack = (board) => board.length - [...board, "x"].findIndex((row) => /[^.]/.test(row));
        assert.match(await field.getAttribute("aria-label"), new RegExp(`^Stack ${stack(view(1).board)} rows, holes \\d+\\. Falling ${view(1).active.kind}\\. 0 lines, level 0\\. Next: ${view(1).next.join(", ")}\\.$`));
        const empty = await drawn();
        // A cell of the piece that falls has another colour than the ground.
        const colour = (x, y) => field.evaluate((c, [x, y]) => { const u = c.width / 10; return [...c.getContext("2d").getImageData((x + 0.5) * u, (y + 0.6) * u, 1, 1).data].join(); }, [x, y]);
        const high = replay.view(replay.steps, 0).board, row = high.findIndex((r) => /[A-Z]/i.test(r));
        assert.equal(await colour(0, 0), "18,21,30,255");
        for (const width of [390, 320]) { await page.setViewportSize({ width, height: 844 }); assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`); }
        const cut = await page.locator("#board").evaluate((board) => { const b = board.getBoundingClientRect(); return [...board.querySelectorAll("canvas, dd")].filter((e) => { const r = e.getBoundingClientRect(); return r.left < b.left || r.right > b.right || r.top < b.top || r.bottom > b.bottom; }).length; });
        assert.equal(cut, 0);
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.keyboard.press("End");
        assert.match(await says("#state"), /^The (end|replay ends here): /);
        assert.equal(await says("#where"), `${replay.steps} / ${replay.steps}`);
        if (row >= 0) assert.notEqual(await colour(high[row].search(/[A-Z]/i), row), "18,21,30,255");
        assert.notEqual(await drawn(), empty);
        await page.keyboard.press("Home");
        await page.keyboard.press("4");
        await page.click("#play"); // where a button has the focus, space presses it
        await until(async () => Number(await page.inputValue("#scrubber")) > 1, "playing"); // the page's policy forbids to wait inside it
        // A short replay may have ended by itself, and then the key plays it again: pressed until it rests.
        await until(async () => { if ((await says("#play")) === "Play") return true; await page.keyboard.press(" "); return false; }, "a pause");
        await page.goto(`file://${html}#1`);
        await until(async () => (await says("#where")) === `1 / ${replay.steps}`, "the step of the link");
        assert.deepEqual(problems, []);
        await page.context().close();
    });

// What the page's replay screen says of where it is; the policy of the file forbids to wait inside it.
const screen = (page) => ({
    is: (step, of) => until(async () => (await page.locator("#pos").innerText().catch(() => "")) === `Step ${step} of ${of}`, `step ${step}`),
    seat: page.getByRole("combobox", { name: "Whose knowledge" }),
    scrubber: page.locator(".chart input"),
    verdict: (text) => page.getByRole("button", { name: text }).waitFor(),
});
const eventsOf = async (file) => {
    const replay = await openReplay(readFileSync(file));
    let count = 0;
    for (let step = 0; step <= replay.steps; step++) count += replay.events(step, "public").length;
    return { replay, count };
};
const even = (text) => text.replace(/\s+/g, " ").trim();

for (const game of names.filter((name) => name !== "tetris"))
    test(`${game}: the exported file is the page's replay screen: it opens from disk, verifies and steps`, async (t) => {
        if (!chromium) return t.skip("no chromium");
        const [file] = simulate(game, "random", 1, `${game}.page`, 11), html = at(`${game}.html`), { replay, count } = await eventsOf(file);
        assert.equal(run(["replay", "html", file, "-o", html]).status, 0);
        t.diagnostic(`${game}.html: ${readFileSync(html).length} bytes for a replay of ${readFileSync(file).length}`);
        assert.ok(readFileSync(html).length < 400000, "screen, rules and chances, without bots' tables");
        const problems = [], page = await open(html, problems), { is, seat, scrubber, verdict } = screen(page);
        await verdict("Deal verified");
        await is(1, count);
        await page.getByRole("button", { name: "Step forward" }).click();
        await page.keyboard.press("ArrowRight");
        await is(3, count);
        await until(async () => /#2$/.test(page.url()), "a link to this step");
        if (game === "texas_holdem") await page.locator(".odds").first().waitFor(); // all cards: the chances are counted here
        await seat.selectOption("p1");
        await until(async () => /#2&seat=p1$/.test(page.url()), "a link to this viewpoint");
        await page.keyboard.press("End");
        await is(count, count);
        const picture = page.locator(".text-table");
        if (await picture.count()) assert.equal(even(await picture.innerText()), even(replay.text(replay.steps, 1)));
        else assert.equal(await page.locator(`.stage.g-${game}`).count(), 1);
        await page.keyboard.press("v"); // behind the last seat stands the public view
        await until(async () => (await seat.inputValue()) !== "p1", "another viewpoint");
        await page.keyboard.press("Home");
        await page.keyboard.press("4");
        await page.getByRole("button", { name: "Play", exact: true }).click();
        await until(async () => Number(await scrubber.inputValue()) > 1, "playing");
        await page.goto(`file://${html}#1&seat=public`);
        await until(async () => (await seat.inputValue()) === "public", "viewpoint");
        assert.deepEqual(problems, []);
        await page.context().close();
    });

// N20.8.
test("an exported file with its analysis: marks, the house beside decisions, the costliest as links", async (t) => {
    const kuhn = (seed) => simulate("kuhn_poker", "random", 1, `why${seed}`, seed)[0];
    const file = kuhn(3), html = at("why.html"), json = at("why.json"), [line] = exported(file);
    const write = (...more) => run(["replay", "html", file, "-o", html, ...more]);
    const of = () => JSON.parse(Buffer.from(readFileSync(html, "utf8").match(/id="analysis-data">([^<]*)</)[1], "base64").toString() || "null");
    assert.equal(write().status, 0);
    assert.equal(of(), null);
    assert.equal(write("--analysis").status, 0);
    const found = of();
    assert.deepEqual([found.game, found.reference, found.file, found.commitment], ["kuhn_poker", "solved", file.split("/").at(-1), line.commitment]);
    assert.equal(write("--analysis=house:random").status, 0);
    assert.equal(of().reference, "random");
    assert.equal(run(["replay", "analyse", "--json", "-o", json, file]).status, 0);
    const analysis = JSON.parse(readFileSync(json, "utf8"));
    assert.equal(write(`--analysis=${json}`).status, 0);
    assert.deepEqual(of(), analysis);
    const refused = (why, changed) => {
        writeFileSync(at("bad.json"), typeof changed === "string" ? changed : JSON.stringify({ ...analysis, ...changed }));
        const { status, stderr } = write(`--analysis=${at("bad.json")}`);
        assert.equal(status, 2, stderr);
        assert.match(stderr, why);
    };
    refused(/is not an analysis; 'agon replay analyse --json' writes one/, "{}");
    refused(/is not an analysis/, "no JSON");
    refused(/is of another match/, { commitment: "0".repeat(64) });
    refused(/is of another match/, { seats: [] });
    const [first, ...rest] = analysis.decisions;
    for (const wrong of [{ step: 0 }, { step: analysis.steps + 1 }, { seat: 2 }, { loss: "much" }, { house_text: undefined }])
        refused(/has decisions that .* does not have, or is damaged/, { decisions: [{ ...first, ...wrong }, ...rest] });
    const nobody = write("--analysis=nobody");
    assert.equal(nobody.status, 2);
    assert.match(nobody.stderr, /'nobody' is not a file: .*No such file.*; no bot 'nobody' plays kuhn_poker; known: solved, /);
    if (!chromium) return t.skip("no chromium");
    assert.equal(write(`--analysis=${json}`).status, 0);
    const problems = [], page = await open(html, problems), { is, seat, scrubber } = screen(page), { replay, count } = await eventsOf(file);
    const mistakes = analysis.decisions.filter((d) => d.mistake), eventAt = (d) => { let n = 0; for (let step = 0; step < d.step; step++) n += replay.events(step, "public").length; return n + 1; };
    assert.ok(mistakes.length > 0, "random players make mistakes with this seed");
    await page.locator(".why").waitFor();
    assert.equal(await page.locator("i.cost").count(), mistakes.length);
    assert.equal(await page.locator(".why section li").count(), analysis.seats.reduce((n, s) => n + s.worst.length, 0));
    await seat.selectOption("p1");
    await page.locator(".why section a").first().click();
    const worst = analysis.seats.flatMap((s, i) => s.worst.map((step) => analysis.decisions.find((d) => d.step === step && d.seat === i)))[0];
    await is(eventAt(worst), count);
    assert.equal(await seat.inputValue(), "p1"); // the viewpoint stays
    await page.keyboard.press("Home");
    await page.keyboard.press("m");
    await is(eventAt(mistakes[0]), count);
    assert.match(await scrubber.getAttribute("aria-valuetext"), /, a mistake$/);
    assert.match(await page.locator(".why").innerText(), /It costs .*: (probably )?a mistake\./);
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+M");
    await is(eventAt(mistakes.at(-1)), count);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id), []);
    assert.deepEqual(problems, []);
    await page.context().close();
});

test("a changed file is refused by the page too, and its names are text", async (t) => {
    if (!chromium) return t.skip("no chromium");
    const match = await newMatch("kuhn_poker", { names: ["<img src=x>", "</script><b>"] }, 1n);
    while (match.turn().kind !== "over") match.bot(match.next(), "random");
    writeFileSync(at("names.agon"), match.replay());
    assert.equal(run(["replay", "html", at("names.agon"), "-o", at("names.html")]).status, 0);
    const problems = [];
    const page = await open(at("names.html"), problems, { viewport: { width: 390, height: 844 } });
    await screen(page).verdict("Deal verified");
    await page.keyboard.press("End");
    const shown = await page.locator("main").innerText();
    assert.ok(shown.includes("<img src=x>") && shown.includes("</script><b>"), shown);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    const text = readFileSync(at("names.html"), "utf8");
    const [, old] = text.match(/id="replay">([^<]+)</);
    const bytes = Buffer.from(old, "base64");
    bytes[bytes.length - 30] ^= 4;
    writeFileSync(at("changed.html"), text.replace(old, bytes.toString("base64")));
    const refused = await open(at("changed.html"), problems);
    await refused.waitForSelector("#state.bad");
    assert.match(await refused.locator("#state").innerText(), /^This replay is refused: .+/);
    assert.equal(await refused.locator(".stage").count(), 0);
    assert.deepEqual(problems, []);
});
