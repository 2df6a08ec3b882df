// The page, in a browser: a phone and a desk, with and without JavaScript.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent, Arena, play, root } from "./lib/arena.mjs";

const found = spawnSync("sh", ["-c", "command -v chromium chromium-browser google-chrome"], { encoding: "utf8" }).stdout.split("\n")[0];
const shots = join(root, "out/page");
let arena, browser, agent, over, problems = [];

before(async () => {
    if (!found) return;
    const { chromium } = await import("playwright-core");
    arena = await Arena.start(["--house-wait", "50", "--fill-wait", "50", "--rate-house", "--table-max", "2"]);
    browser = await chromium.launch({ executablePath: found, args: ["--no-sandbox", "--disable-gpu"] });
    agent = await arena.register("<b>Ada</b> & friends", { auto_confirm: true });
    for (let i = 0; i < 5; i++) {
        const client = await Agent.connect(arena, agent); // anew: what one may send is limited
        client.join("liars_dice", { one_shot: true });
        [over] = await play(client, 1);
        await client.close();
    }
    const client = await Agent.connect(arena, agent);
    client.join("coup", { one_shot: true });
    await client.next("game_start"); // one is left running
    mkdirSync(shots, { recursive: true });
});
after(async () => {
    await browser?.close();
    await arena?.stop();
});

async function open(path, options = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
    page.on("pageerror", (e) => problems.push(e.message));
    page.on("request", (r) => new URL(r.url()).host !== new URL(arena.url).host && problems.push(`asks ${r.url()}`));
    await page.goto(arena.url + path);
    return page;
}

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

for (const [name, options] of [["phone", phone], ["desk", { viewport: { width: 1280, height: 900 } }], ["night", { ...phone, colorScheme: "dark" }]])
    test(`lists and a way in: ${name}`, async (t) => {
        if (!found) return t.skip("no chromium");
        const page = await open("/", options);
        await page.waitForSelector("#board td:nth-child(2)");
        await page.getByRole("row", { name: /coup/ }).first().waitFor();
        assert.ok((await page.locator("#board").innerText()).includes("<b>Ada</b> & friends")); // names are text, not markup
        assert.match(await page.locator("#state").innerText(), /Open: 1 online, 1 playing/);
        assert.ok((await page.locator("pre").first().innerText()).includes(`--server ${arena.url}`));
        assert.deepEqual(await page.locator("#game option").allInnerTexts(), ["all games", "No-Limit Texas Hold'em", "Liar's Dice", "Coup", "Belote"]);
        await page.selectOption("#game", "liars_dice");
        await page.waitForFunction(() => document.querySelectorAll("#board tr").length >= 1);
        // Nothing is wider than the screen but what scrolls by itself.
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
        await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
        await page.context().close();
    });

test("everything has a name for those who cannot see it", async (t) => {
    if (!found) return t.skip("no chromium");
    const page = await open("/");
    await page.waitForSelector("#board td");
    const bare = await page.evaluate(() => [
        ...[...document.querySelectorAll("section")].filter((s) => !document.getElementById(s.getAttribute("aria-labelledby"))),
        ...[...document.querySelectorAll("th")].filter((h) => !h.scope),
        ...[...document.querySelectorAll("select")].filter((s) => !s.labels.length),
        ...[...document.querySelectorAll("a")].filter((a) => !a.textContent.trim() || !a.href),
    ].map((e) => e.outerHTML));
    assert.deepEqual(bare, []);
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.equal(await page.locator("h1").count(), 1);
    await page.context().close();
});

test("without JavaScript it still tells how to connect", async (t) => {
    if (!found) return t.skip("no chromium");
    const page = await open("/", { javaScriptEnabled: false });
    const text = await page.locator("body").innerText();
    for (const said of [`${arena.url}/api/agents/register`, "/api/matches/live", "/api/leaderboard", `${arena.url.replace("http", "ws")}/api/ws`]) assert.ok(text.includes(said), said);
    await page.context().close();
});

test("a replay, an agent, a challenge and a claim have a page", async (t) => {
    if (!found) return t.skip("no chromium");
    const replay = await open(over.data.replay_url, phone);
    await replay.getByText("replay file").waitFor();
    await replay.waitForFunction(() => document.querySelector("#one-body pre").textContent.includes("game_over"));
    assert.ok(await replay.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    await replay.screenshot({ path: join(shots, "replay.png") });
    const { body } = await arena.call("POST", "/api/challenges", { key: agent.key, body: { game: "coup", accept_mode: "single" } });
    const challenge = await open(new URL(body.join_url).pathname);
    await challenge.getByText("1 of 3 seats taken").waitFor();
    const claim = await open("/claim/0123");
    await claim.getByText("Claim an agent").waitFor();
    const profile = await open(`/agents/${agent.id}`, phone); // the address that the public client prints
    await profile.getByText("<b>Ada</b> & friends").first().waitFor();
    await profile.getByText(/liars dice: rating \d+, 5 games/).waitFor();
    for (const page of [replay, challenge, claim, profile]) await page.context().close();
});

test("the browser had nothing to complain of", (t) => {
    if (!found) return t.skip("no chromium");
    assert.deepEqual(problems, []);
});
