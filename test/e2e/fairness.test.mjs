// Fair deals (docs/fairness.md): the server commits to them before the first card, and examples/verify_deal.py verifies
// them afterwards and finds every change.
import assert from "node:assert/strict";
import { spawn as spawnProcess, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { Agent, agon, Arena, checkFrame, play, root } from "./lib/arena.mjs";
import { Chance } from "./lib/chance.mjs";
import { Documented } from "./lib/documented.mjs";
import { sdkHttp } from "./lib/mcp.mjs";
import { scratch } from "./lib/scratch.mjs";
import { until, within } from "./lib/wait.mjs";

const options = ["--house-wait", "50", "--fill-wait", "50", "--table-max", "2", "--spectate-delay", "0", "--message-rate", "1000", "--message-burst", "1000"];
const folder = scratch("fairness-");
let arena, rest;

before(async () => {
    arena = await Arena.start(options, { data: folder, seed: null });
    rest = await Documented.of(arena);
});
after(async () => {
    await arena.stop();
    rmSync(folder, { recursive: true, force: true });
});

const get = async (where, more) => (await rest.call("GET", where, more)).body;
const chance = new Chance(), hex = () => chance.hex(32);

function verify(replay, url, ...more) {
    const child = spawnProcess("python3", [join(root, "examples/verify_deal.py"), replay, url, ...more]);
    let out = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (out += d));
    return within(60000, new Promise((resolve) => child.on("close", (status) => resolve({ status, out }))), "verdict");
}

async function entries() {
    const all = [];
    for (;;) {
        const page = (await get(`/api/commitments?from=${all.length}&limit=256`)).entries;
        if (!page.length) return all;
        all.push(...page);
    }
}

// Two agents at one table, with the first question open, of which `sender` has sent entropy.
async function table(game, entropy) {
    const players = [];
    for (const name of ["sender", "silent"]) {
        const agent = await arena.register(`${name} ${game}`);
        players.push(await Agent.connect(arena, agent));
    }
    if (entropy) {
        const key = players[0].agent.key;
        assert.deepEqual((await rest.call("PUT", "/api/agents/me/entropy", { key, body: { entropy } })).body, { entropy });
        assert.deepEqual(await get("/api/agents/me/entropy", { key }), { entropy });
    }
    for (const p of players) p.join(game, { mode: "friendly", one_shot: true });
    const sessions = [];
    for (const p of players) {
        const asked = await p.next("*", 60000, (f) => ["match_confirm_request", "game_start"].includes(f.type));
        if (asked.type === "match_confirm_request") p.send({ type: "match_confirm", data: { confirm_id: asked.data.confirm_id } });
    }
    for (const p of players) sessions.push((p.frames.find((f) => f.type === "game_start") ?? (await p.next("game_start"))).data.match_id);
    return { players, sessions };
}

const playOut = async ({ players }) => (await Promise.all(players.map((p) => play(p))))[0][0].data.replay_url.split("/").at(-1);

test("the commitment stands everywhere before the first card, and the secret nowhere", async () => {
    const before = await get("/api/commitments/head"), entropy = hex();
    const at = await table("liars_dice", entropy), [sender] = at.players;
    const session = await get(`/api/agents/me/matches/${at.sessions[0]}`, { key: sender.agent.key });
    const { number } = session.deal;
    assert.equal(number, before.dealt + 1);
    assert.ok(before.published >= number, "the number was published before anybody queued");
    const mine = Number(session.player_id[1]);
    assert.deepEqual([session.deal.entropy[mine], session.deal.entropy[1 - mine], session.deal.source], [entropy, null, "chain"]);
    assert.deepEqual(await get("/api/agents/me/entropy", { key: sender.agent.key }), { entropy: null }); // used up
    const [published, dealt, ...rest] = (await get(`/api/commitments/${number}`)).entries;
    assert.deepEqual([published.type, dealt.type, rest.length], ["published", "dealt", 0]);
    assert.deepEqual([published.commitment, dealt.seed_commitment, dealt.entropy], [session.deal.commitment, session.seed_commitment, session.deal.entropy]);
    const live = (await get("/api/matches/live")).matches.find((m) => m.deal_number === number);
    assert.equal(live.seed_commitment, session.seed_commitment);
    const ws = new WebSocket(`${arena.url.replace("http", "ws")}/api/ws/spectator?live=${live.id}`);
    const start = JSON.parse(await within(20000, new Promise((resolve, reject) => ws.on("message", resolve).on("error", reject)), "spectate_start"));
    checkFrame(start, "liars_dice");
    assert.deepEqual([start.type, start.data.seed_commitment, start.data.deal_number], ["spectate_start", session.seed_commitment, number]);
    ws.close();
    for (const told of [session, dealt, start, live]) assert.ok(!("secret" in told) && !("secret" in (told.deal ?? {})));
    const replay = await playOut(at);
    const closed = (await get(`/api/commitments/${number}`)).entries[2];
    assert.deepEqual([closed.end, closed.secret], ["finished", (await get(`/api/replays/${replay}`)).deal.secret]);
    for (const p of at.players) await p.close();
});

test("the list is added to and never changed", async () => {
    const page = async (where) => {
        const answer = await fetch(arena.url + where);
        return [answer.headers.get("cache-control"), await answer.text()];
    };
    const full = "/api/commitments?from=3&limit=100", first = await page(full);
    assert.match(first[0], /immutable/);
    const before = await entries();
    assert.match((await page(`/api/commitments?from=${before.length - 1}&limit=100`))[0], /no-store/); // more will come
    const at = await table("liars_dice");
    await playOut(at);
    for (const p of at.players) await p.close();
    await arena.stop(); // in either life
    arena = await Arena.start(options, { data: folder, seed: null });
    rest = await Documented.of(arena);
    assert.deepEqual(await page(full), first);
    const now = await entries();
    assert.deepEqual(now.slice(0, before.length), before);
    assert.ok(now.length > before.length);
    const head = await get("/api/commitments/head");
    assert.deepEqual([head.entries, head.link], [now.length, now.at(-1).link]);
    for (const [where, status] of [["/api/commitments/0", 404], ["/api/commitments/x", 404], ["/api/commitments/99999999999999999999999", 404], ["/api/commitments/1000000", 404], ["/api/commitments?limit=0", 400]])
        assert.equal((await rest.call("GET", where)).status, status, where);
});

test("entropy is 64 hex digits, and can be taken back", async () => {
    const { key } = await arena.register("chooser"), at = "/api/agents/me/entropy", entropy = hex();
    for (const body of [{}, { entropy: "" }, { entropy: 7 }, { entropy: "ab" }, { entropy: `${entropy}00` }, { entropy: "0".repeat(64) }, { entropy: `x${entropy.slice(1)}` }])
        assert.equal((await rest.call("PUT", at, { key, body })).status, 400, JSON.stringify(body));
    assert.deepEqual(await get(at, { key }), { entropy: null });
    assert.deepEqual((await rest.call("PUT", at, { key, body: { entropy: entropy.toUpperCase() } })).body, { entropy });
    assert.deepEqual((await rest.call("DELETE", at, { key })).body, { entropy: null });
    assert.equal((await rest.call("PUT", at, { body: { entropy } })).status, 401);
});

test("entropy comes in with config.queue of MCP too", async () => {
    const me = await arena.register("mind"), entropy = hex();
    const { client, transport } = await sdkHttp(`${arena.url}/mcp`);
    const enter = (config) => client.callTool({ name: "register_agent", arguments: { agent_id: "me", agent_type: "EntityBehavior", config: { queue: { game: "liars_dice" }, guide: false, api_key: me.key, ...config } } });
    await assert.rejects(enter({ entropy: "short" }), (e) => /entropy/.test(JSON.stringify([e.message, e.data])));
    await enter({ entropy });
    await until(async () => (await entries()).filter((e) => e.type === "dealt").at(-1)?.entropy.includes(entropy), "match with the entropy");
    await transport.terminateSession();
    await client.close();
});

// --- the verifier

// The arena as a server would look that tells `change` of its answers.
async function liar(change) {
    const server = http.createServer(async (request, response) => {
        const answer = await fetch(arena.url + request.url);
        let bytes = Buffer.from(await answer.arrayBuffer());
        if (/json/.test(answer.headers.get("content-type"))) bytes = Buffer.from(JSON.stringify(change.json?.(JSON.parse(bytes), request.url) ?? JSON.parse(bytes)));
        else bytes = change.file?.(bytes) ?? bytes;
        response.writeHead(answer.status).end(bytes);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

// Links made anew over a list that was changed: what a server does that rewrites its history.
const kinds = ["epoch", "published", "dealt", "closed"];
const u64 = (n) => {
    const b = Buffer.alloc(8);
    b.writeBigUInt64LE(BigInt(n));
    return b;
};
const raw = (text) => Buffer.from(text, "hex");
function bodyOf(e) {
    if (e.type === "epoch") return Buffer.concat([raw(e.epoch), Buffer.from([e.reason === "restored"])]);
    if (e.type === "published") return raw(e.commitment);
    if (e.type === "closed") return Buffer.concat([Buffer.from([["finished", "cancelled", "unused"].indexOf(e.end), 1]), raw(e.secret)]);
    const seats = e.entropy.map((x) => (x ? Buffer.concat([Buffer.from([1]), raw(x)]) : Buffer.from([0])));
    return Buffer.concat([raw(e.seed_commitment), Buffer.from([["chain", "tournament", "seed"].indexOf(e.source)]), raw(e.rules_sha256), Buffer.from([e.game.length]), Buffer.from(e.game), Buffer.from([seats.length]), ...seats]);
}
function relink(all) {
    let link = Buffer.alloc(32);
    return all.map((e, index) => {
        link = createHash("sha256").update("agon.commitments.1").update(link).update(u64(index)).update(Buffer.from([kinds.indexOf(e.type)])).update(u64(e.number)).update(u64(e.at_ms)).update(bodyOf(e)).digest();
        return { ...e, index, link: link.toString("hex") };
    });
}

test("verify_deal.py accepts real matches and finds every lie", async () => {
    const saved = await get("/api/commitments/head");
    const found = {};
    for (const game of ["liars_dice", "texas_holdem"]) {
        const at = await table(game, (found[`${game} entropy`] = hex()));
        found[game] = await playOut(at);
        for (const p of at.players) await p.close();
    }
    const link = `${saved.entries - 1}:${saved.link}`;
    for (const game of ["liars_dice", "texas_holdem"]) {
        const { status, out } = await verify(found[game], arena.url, "--entropy", found[`${game} entropy`], "--saved", link);
        assert.equal(status, 0, out);
        assert.match(out, new RegExp(`^OK: ${game}, number \\d+, 1 of 2 seats sent entropy; [1-9]\\d* `));
    }
    const replay = found.liars_dice, { number } = (await get(`/api/replays/${replay}`)).deal;
    const all = await entries();
    // The list with other words in one entry, and links that fit.
    const rewritten = (type, change) => relink(all.map((e) => (e.type === type && e.number === number ? { ...e, ...change(e) } : e)));
    const instead = (list) => ({ json: (j, url) => (url.startsWith("/api/commitments?") ? { ...j, entries: list.slice(j.from, j.from + j.limit) } : j) });
    const ofReplay = (change) => ({ json: (j, url) => (url === `/api/replays/${replay}/whole` ? change(j) : j) });
    const flip = (text) => (text[0] === "0" ? "1" : "0") + text.slice(1);
    const other = all.find((e) => e.type === "published" && e.number === number + 1).commitment;
    const rows = [
        ["another key", ofReplay((j) => ({ ...j, seed: flip(j.seed) })), /the key of the replay/],
        ["another commitment", ofReplay((j) => ({ ...j, seed_commitment: flip(j.seed_commitment) })), /the committed one/],
        ["no number", ofReplay((j) => ({ ...j, deal: null })), /has a number/],
        ["other rules", ofReplay((j) => ({ ...j, deal: { ...j.deal, rules: flip(j.deal.rules) } })), /rules are as listed/],
        ["other seats", ofReplay((j) => ({ ...j, players: [...j.players].reverse() })), /who sits where/],
        ["dice that were not rolled", { json: (j) => ({ ...j, frames: j.frames?.map((f) => (f.type === "challenge" ? { ...f, data: { ...f.data, all_dice: Object.fromEntries(Object.entries(f.data.all_dice).map(([p, d]) => [p, d.map((x) => (x % 6) + 1)])) } } : f)) }) }, /the key deals/],
        ["a file of another match", { file: (bytes) => Buffer.from(bytes.map((b) => b ^ 1)) }, /the file is of this match/],
        ["an entry changed", instead(all.map((e) => (e.type === "dealt" && e.number === number ? { ...e, entropy: [null, null] } : e))), /is linked to/],
        ["an entry taken out", instead(all.filter((e) => !(e.type === "dealt" && e.number === number - 1))), /is linked to/],
        ["entropy dropped", instead(rewritten("dealt", () => ({ entropy: [null, null] }))), /the key of the replay/],
        ["entropy replaced", instead(rewritten("dealt", (e) => ({ entropy: e.entropy.map((x) => x && flip(x)) }))), /the key of the replay/],
        ["a commitment made afterwards", instead(rewritten("published", () => ({ commitment: other }))), /the promised one/],
        ["another secret", instead(rewritten("closed", (e) => ({ secret: flip(e.secret) }))), /the promised one/],
        ["a number skipped", instead(relink(all.filter((e) => !(e.type !== "published" && e.number === number - 1)))), /comes before/],
        ["a number used twice", instead(relink([...all, all.find((e) => e.type === "dealt" && e.number === number)])), /dealt once/],
        ["no chain", instead(rewritten("dealt", () => ({ source: "seed" }))), /from the chain/],
        ["history before the match rewritten", instead(relink(all.map((e) => (e.index === 1 ? { ...e, at_ms: e.at_ms - 1 } : e)))), /was saved/, "--saved", link],
        ["the end of the list taken away", instead(all.slice(0, saved.entries - 1)), /still there/, "--saved", link],
        ["entropy of somebody else", {}, /your entropy/, "--entropy", hex()],
    ];
    await Promise.all(rows.map(async ([what, change, says, ...more]) => {
        const site = await liar(change);
        const { status, out } = await verify(replay, site.url, ...more);
        site.close();
        assert.equal(status, 1, `${what}: ${out}`);
        assert.match(out, /^FAILED: /, what);
        assert.match(out, says, what);
    }));
});

test("a restored backup begins a new epoch, and the old numbers are told", async () => {
    const copy = join(folder, "copy.db");
    const admin = (...words) => {
        const done = spawnSync(agon, ["admin", ...words, "--data", folder], { encoding: "utf8" });
        assert.equal(done.status, 0, done.stderr);
    };
    await arena.stop();
    admin("backup", copy);
    admin("restore", copy, "--force");
    arena = await Arena.start(options, { data: folder, seed: null });
    rest = await Documented.of(arena);
    const all = await entries(), [first, second, ...more] = all.filter((e) => e.type === "epoch");
    assert.deepEqual([first.reason, second.reason, more.length], ["created", "restored", 0]);
    assert.notEqual(first.epoch, second.epoch);
    const unused = all.filter((e) => e.end === "unused");
    assert.ok(unused.length > 0 && unused.every((e) => e.secret && e.number < second.number));
    const at = await table("liars_dice", hex()), replay = await playOut(at);
    for (const p of at.players) await p.close();
    assert.equal((await get(`/api/replays/${replay}`)).deal.epoch, second.epoch);
    const { status, out } = await verify(replay, arena.url);
    assert.equal(status, 0, out);
});
