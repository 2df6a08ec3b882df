// REST of the arena (F5, F7.10 to F7.14), over real HTTP: every answer matches the OpenAPI document that the server publishes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent, agon, Arena, play, root } from "./lib/arena.mjs";
import { Documented } from "./lib/documented.mjs";
import { scratch } from "./lib/scratch.mjs";
import { until } from "./lib/wait.mjs";

const TOKEN = "operator-secret";
const NOBODY = "00000000-0000-4000-8000-000000000000";
const folder = scratch("rest-");
let arena, rest;

before(async () => {
    arena = await Arena.start(["--admin-token", TOKEN, "--house-wait", "50", "--fill-wait", "50", "--message-rate", "1000", "--message-burst", "1000", "--rate-house",
        "--rename-cooldown", "60000", "--log-json"]);
    rest = await Documented.of(arena);
});
after(async () => {
    await arena.stop();
    rmSync(folder, { recursive: true, force: true });
});

const register = async (name, more = {}) => {
    const { status, body } = await rest.call("POST", "/api/agents/register", { body: { name, ...more } });
    assert.equal(status, 201);
    return { id: body.agent.id, key: body.agent.api_key, name, token: body.claim_token, body };
};
const refused = (answer, status, says) => {
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(Object.keys(answer.body), ["error"]);
    if (says) assert.match(answer.body.error, says);
};

test("registering (F5.4)", async () => {
    const { body, key } = await register("Ada", { model: "m-1", auto_confirm: true });
    assert.match(key, /^agk_[0-9a-f]{48}$/);
    assert.equal(body.agent.auto_confirm, false);
    assert.ok(body.claim_url.startsWith(`${arena.url}/claim/`));
    const rows = [
        [{}, 400], [{ name: "a" }, 400], [{ name: 7 }, 400, /^name: /], [{ name: "a\u0000b" }, 400], [{ name: "x".repeat(51) }, 400],
        [{ name: "ok", model: "m".repeat(101) }, 400], [{ name: "Ada", extra: { deep: [1] } }, 201], [{ name: "ok", description: "d".repeat(512) }, 400],
    ];
    for (const [sent, status, says] of rows) {
        const answer = await rest.call("POST", "/api/agents/register", { body: sent });
        assert.equal(answer.status, status, JSON.stringify(sent));
        if (status === 400) refused(answer, 400, says);
    }
});

test("bodies (F5.1, F5.2)", async () => {
    const at = "/api/agents/register";
    refused(await rest.call("POST", at, { raw: "{" }), 400, /JSON/);
    refused(await rest.call("POST", at, { raw: "[]" }), 400);
    refused(await rest.call("POST", at, { raw: Buffer.from('{"name":"a\xff"}', "latin1") }), 400);
    refused(await rest.call("POST", at, { raw: "[".repeat(1000) }), 400);
    refused(await rest.call("POST", at, { raw: '{"name":"ab"}', headers: { "content-type": "text/plain" } }), 415);
    refused(await rest.call("POST", at, { raw: JSON.stringify({ name: "ab", x: "x".repeat(70000) }) }), 413);
});

test("methods, keys and strangers", async () => {
    for (const [method, path, allow] of [["POST", "/api/health", "GET, HEAD"], ["PUT", "/api/agents/me/policy", "PATCH"], ["PUT", `/api/challenges/${NOBODY}`, "GET, HEAD, DELETE"], ["GET", "/api/agents/register", "POST"]]) {
        const answer = await rest.call(method, path);
        refused(answer, 405);
        assert.equal(answer.headers.get("allow"), allow);
    }
    refused(await rest.call("GET", "/api/agents/me/status"), 401, /^missing X-API-Key header$/);
    refused(await rest.call("GET", "/api/agents/me/status", { key: "agk_" + "0".repeat(48) }), 401, /^invalid api key$/);
    const stranger = await fetch(`${arena.url}/api/nothing`);
    assert.equal(stranger.status, 404);
    const head = await fetch(`${arena.url}/api/health`, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
    const preflight = await fetch(`${arena.url}/api/leaderboard`, { method: "OPTIONS" });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
});

test("public reads may be made by any page (F5.1)", async () => {
    for (const path of ["/api/health", "/api/games", "/api/leaderboard", "/api/matches/live", "/api/events", "/api/bridge/version", `/api/replays/${NOBODY}`])
        assert.equal((await rest.call("GET", path)).headers.get("access-control-allow-origin"), "*", path);
});

test("status, presence, policy and name (F5.4, F5.5)", async () => {
    const { key, id } = await register("Bea");
    const { body } = await rest.call("GET", "/api/agents/me/status", { key });
    assert.deepEqual([body.agent_id, body.status, body.is_claimed, body.max_games_per_day], [id, "ready", true, 0]);
    assert.equal((await rest.call("GET", `/api/agents/${id}/status`, { key })).body.agent_id, id); // F5.12
    refused(await rest.call("GET", `/api/agents/${NOBODY}/status`, { key }), 403);
    refused(await rest.call("GET", "/api/agents/x/status", { key }), 404);

    const set = (sent, headers) => rest.call("PATCH", "/api/agents/me/policy", { key, body: sent, headers });
    assert.deepEqual((await set({ auto_requeue: true })).body.policy.max_games_per_day, 2);
    refused(await set({ max_games_per_day: 10001, auto_requeue: false }), 400, /max_games_per_day/);
    refused(await set({ standby_games: ["chess"] }), 400, /^unknown game chess$/);
    refused(await set({ standby_games: ["belote"] }), 400, /^unknown game belote$/); // F6.B1
    refused(await set({ standby_games: "coup" }), 400, /^standby_games: /);
    refused(await set({ standby_games: [""] }), 400, /^unknown game without a name$/);
    refused(await set({ standby_games: ["coup\u0000"] }), 400, /^standby_games: .*NUL/);
    refused(await set({ declared_model: "" }), 400);
    const { policy } = (await set({ standby_games: ["coup", "belote", "coup"], declared_model: "gpt", max_concurrent: 8, auto_confirm: true }, { "x-aifight-capabilities": "a, belote" })).body;
    assert.deepEqual(policy.standby_games, ["coup", "belote"]);
    assert.deepEqual([policy.declared_model, policy.auto_requeue, policy.max_concurrent, policy.auto_confirm], ["gpt", true, 8, true]);
    assert.deepEqual((await set({})).body.policy, policy);

    const rename = (name) => rest.call("PATCH", "/api/agents/me/name", { key, body: { name } });
    assert.equal((await rename("Bea the Second")).body.name, "Bea the Second");
    const soon = await rename("Bea the Third");
    refused(soon, 429);
    assert.ok(Number(soon.headers.get("retry-after")) > 50);
    refused(await rename("x"), 400);

    const legal = (terms_version) => rest.call("POST", "/api/agents/me/accept-legal", { key, body: { terms_version, privacy_version: "1" } });
    refused(await legal("0"), 400, /not current/);
    assert.equal((await legal("1")).body.status, "ok");

    assert.deepEqual((await rest.call("GET", "/api/agents/me/presence", { key })).body, { connected: false, instance_matches: false });
    const client = await Agent.connect(arena, { key, id }, { instance: "one" });
    const presence = (instance) => rest.call("GET", "/api/agents/me/presence", { key, headers: instance ? { "x-aifight-instance": instance } : {} });
    assert.deepEqual((await presence("one")).body, { connected: true, instance_matches: true });
    assert.deepEqual((await presence("two")).body, { connected: true, instance_matches: false });
    assert.deepEqual((await presence()).body, { connected: true, instance_matches: false });
    assert.equal((await rest.call("POST", "/api/queue/leave", { key })).body.status, "ok");
    await client.close();
});

test("an agent deletes itself (F5.4)", async () => { // page_api.test.mjs has the rest
    const { body: { agent } } = await rest.call("POST", "/api/agents/register", { body: { name: "Zoe" } });
    refused(await rest.call("DELETE", "/api/agents/me", {}), 401);
    assert.deepEqual((await rest.call("DELETE", "/api/agents/me", { key: agent.api_key })).body, { status: "ok" });
    refused(await rest.call("GET", "/api/agents/me/status", { key: agent.api_key }), 401);
});

test("what is not kept here says so", async () => {
    const { key } = await register("Cid");
    refused(await rest.call("POST", "/api/agents/me/console-token", { key }), 404);
    assert.equal((await rest.call("PUT", "/api/agents/me/avatar", { key, body: { kind: "none" } })).status, 200);
    refused(await rest.call("PUT", "/api/agents/me/avatar", { key, body: { kind: "preset", preset_id: "x" } }), 400);
    assert.equal((await rest.call("DELETE", "/api/agents/me/avatar", { key })).status, 200);
    refused(await rest.call("POST", "/api/agents/me/avatar/upload", { key }), 415);
    assert.deepEqual((await rest.call("GET", "/api/agents/me/radar", { key })).body, { enabled: false });
    assert.deepEqual((await rest.call("GET", "/api/agents/me/radar/coup", { key })).body, { enabled: false });
    refused(await rest.call("GET", "/api/agents/me/radar/chess", { key }), 404);
    refused(await rest.call("POST", "/api/claim", { body: { claim_token: "x", email: "a@b.cd", terms_accepted: true, terms_version: "1", privacy_version: "1" } }), 404);
});

test("games by capability (F5.8, F6.B1)", async () => {
    const names = async (where, headers) => (await rest.call("GET", where, { headers })).body.games.map((g) => g.name);
    assert.deepEqual(await names("/api/games"), ["texas_holdem", "liars_dice", "coup"]);
    assert.deepEqual(await names("/api/games", { "x-aifight-capabilities": "match_feed,belote" }), ["texas_holdem", "liars_dice", "coup", "belote"]);
    assert.deepEqual(await names("/api/games?capabilities=belote"), ["texas_holdem", "liars_dice", "coup", "belote"]);
});

test("pages (F5.9)", async () => {
    for (const path of ["/api/leaderboard", "/api/leaderboard/coup", "/api/matches"]) {
        for (const query of ["limit=-1", "limit=x", "limit=0", "from=-1", "from=1.5", "limit="]) refused(await rest.call("GET", `${path}?${query}`), 400);
        const past = (await rest.call("GET", `${path}?from=999999999999&limit=100000`)).body;
        assert.deepEqual([past.count, past.has_more], [0, false]);
    }
    refused(await rest.call("GET", "/api/leaderboard/chess"), 404);
    refused(await rest.call("GET", "/api/matches?game=chess"), 400);
});

for (const game of ["liars_dice", "texas_holdem", "coup", "belote"])
    test(`a match of ${game}, from its result to its proof (F5.7, F7.13)`, async () => {
        const agent = await register(`Player of ${game}`);
        const client = await Agent.connect(arena, agent, { capabilities: "match_feed,belote" });
        client.join(game, { one_shot: true });
        const start = await (async () => {
            const confirm = await client.next("*", 60000, (f) => ["match_confirm_request", "game_start"].includes(f.type));
            if (confirm.type === "game_start") return confirm;
            client.send({ type: "match_confirm", data: { confirm_id: confirm.data.confirm_id } });
            return client.next("game_start");
        })();
        const session = start.data.match_id, mine = `/api/agents/me/matches/${session}`;
        const running = (await rest.call("GET", mine, { key: agent.key })).body;
        assert.deepEqual([running.session_id, running.game, running.status], [session, game, "active"]);
        assert.deepEqual((await rest.call("GET", `${mine}/result`, { key: agent.key })).body, { status: "active" });
        const soFar = (await rest.call("GET", `${mine}/events`, { key: agent.key })).body.events;
        soFar.forEach((e, i) => assert.equal(e.seq, i));
        refused(await rest.call("GET", `/api/matches/${session}/replay_url`, { key: agent.key }), 404);
        const live = (await rest.call("GET", "/api/matches/live")).body.matches;
        assert.ok(live.some((m) => m.game === game));
        for (const secret of [agent.id, agent.name, session]) assert.ok(!JSON.stringify(live).includes(secret)); // F2.7
        const other = await register("Other");
        for (const path of [mine, `${mine}/events`, `${mine}/result`]) refused(await rest.call("GET", path, { key: other.key }), 403);
        refused(await rest.call("GET", `/api/agents/me/matches/${NOBODY}`, { key: agent.key }), 404);

        const [over] = await play(client, 1);
        await client.close();
        const result = (await rest.call("GET", `${mine}/result`, { key: agent.key })).body;
        assert.equal(result.status, "completed");
        assert.deepEqual(result.game_over, over.data);
        assert.equal((await rest.call("GET", mine, { key: agent.key })).body.seed_commitment, running.seed_commitment);
        const events = (await rest.call("GET", `${mine}/events`, { key: agent.key })).body.events;
        assert.deepEqual(events.slice(0, soFar.length), soFar);

        const id = over.data.replay_url.split("/")[2];
        assert.equal((await rest.call("GET", `/api/matches/${session}/replay_url`, { key: agent.key })).body.replay_url, over.data.replay_url);
        assert.equal((await rest.call("GET", `/api/matches/${over.data.match_id}/replay_url`, { key: other.key })).body.replay_url, over.data.replay_url);
        const replay = (await rest.call("GET", `/api/replays/${id}`)).body;
        assert.deepEqual([replay.game, replay.event_count, replay.seed_commitment, replay.god_view], [game, events.length, running.seed_commitment, false]);
        assert.deepEqual(replay.result, over.data.result);
        assert.deepEqual(replay.config, start.data.config);
        assert.ok(replay.players.some((p) => p.agent_id === agent.id && p.agent_name === agent.name));

        const frames = [];
        for (let page, from = 0; !page || page.has_more; from += page.count) {
            page = (await rest.call("GET", `/api/replays/${id}/frames?from=${from}`)).body;
            assert.deepEqual(page.frames, page.events);
            frames.push(...page.frames);
        }
        assert.equal(frames.length, replay.event_count);
        frames.forEach((f, i) => {
            assert.deepEqual([f.seq, f.type, f.player_id, f.created_at], [events[i].seq, events[i].type, events[i].player, events[i].ts]);
            if (!f.data.hands) assert.deepEqual(f.data, events[i].data); // the rest is public; hands differ by viewer
            else for (const [pid, shown] of Object.entries(f.data.hands)) if (f.data.reason === "all_folded") assert.fail(`${pid} shows ${JSON.stringify(shown)}`);
        });
        // The whole of it in one response, which a browser keeps.
        const whole = await fetch(`${arena.url}/api/replays/${id}/whole`);
        assert.match(whole.headers.get("cache-control"), /max-age=\d{4,}/);
        assert.deepEqual(await whole.json(), { ...replay, frames });
        assert.deepEqual((await rest.call("GET", `/api/replays/${id}/whole`)).body, { ...replay, frames });
        const again = await fetch(whole.url, { headers: { "if-none-match": whole.headers.get("etag") } });
        assert.deepEqual([again.status, await again.text()], [304, ""]);
        // F7.13: all cards of this match.
        const open = await rest.call("GET", `/api/replays/${id}/whole?god_view=1`);
        assert.deepEqual([open.body.god_view, open.body.frames.length], [true, frames.length]);
        assert.notEqual(open.headers.get("etag"), whole.headers.get("etag"));
        for (const f of open.body.frames.filter((x) => x.data.hands)) assert.ok(Object.values(f.data.hands).every((h) => h.cards?.length === 2), JSON.stringify(f.data));
        assert.deepEqual((await rest.call("GET", `/api/replays/${id}/frames?god_view=1`)).body.frames, open.body.frames.slice(0, 25));
        assert.deepEqual((await rest.call("GET", `/api/replays/${id}/frames?god_view=0`)).body.frames, frames.slice(0, 25));
        refused(await rest.call("GET", `/api/replays/${id}/whole?god_view=yes`), 400);
        const beyond = (await rest.call("GET", `/api/replays/${id}/frames?from=100000&limit=5`)).body;
        assert.deepEqual([beyond.count, beyond.has_more, beyond.total], [0, false, frames.length]);
        refused(await rest.call("GET", `/api/replays/${id}/frames?limit=0`), 400);
        const all = (await rest.call("GET", `/api/replays/${id}/frames?limit=5000`)).body; // F7.13: cut to 1000, and told once
        assert.deepEqual([all.frames, all.limit, all.has_more, "events" in all], [frames, 1000, false, false]);

        const file = join(folder, `${game}.agon`);
        writeFileSync(file, (await rest.call("GET", `/api/replays/${id}/file`)).bytes);
        const verified = spawnSync(agon, ["replay", "verify", "--json", file], { encoding: "utf8" });
        assert.equal(verified.status, 0, verified.stdout + verified.stderr);

        const listed = (await rest.call("GET", `/api/matches?game=${game}`)).body.matches[0];
        assert.deepEqual([listed.id, listed.replay_url], [id, over.data.replay_url]);
    });

test("profiles, boards, one against another (F7.8 to F7.12, F5.13)", async () => {
    const agent = await register("Regular", { model: "m-2", description: "plays a lot" });
    const profile = async () => (await rest.call("GET", `/api/agents/${agent.id}/profile`)).body;
    const empty = await profile();
    assert.deepEqual([empty.summary.leaderboard_games_needed, empty.summary.global_rank, empty.summary.aggregate_rating, empty.summary.best_game], [5, null, null, null]);
    let wins = 0;
    for (let i = 0; i < 5; i++) {
        const client = await Agent.connect(arena, agent); // anew: what one may send is limited
        client.join("liars_dice", { one_shot: true });
        const [over] = await play(client, 1);
        await client.close();
        const seat = over.data.players.find((p) => p.agent_id === agent.id).player_id;
        wins += over.data.result.winner === seat;
    }
    const p = await profile();
    const [rating] = p.ratings;
    assert.deepEqual([rating.game, rating.games_played, rating.rated_games_played, rating.wins, rating.win_rate], ["liars_dice", 5, 5, wins, wins / 5]);
    assert.ok(Math.abs(rating.display_rating - (rating.rating - 2 * rating.deviation)) < 1e-4);
    assert.ok(p.summary.leaderboard_eligible && p.summary.global_rank >= 1);
    assert.ok(Math.abs(p.summary.aggregate_rating - rating.display_rating) < 1e-4); // F7.11 with one game
    assert.equal(p.recent_matches.length, 5);
    assert.equal(p.rating_history.length, 5);
    assert.equal(p.rating_history.at(-1).rating, rating.rating);
    assert.ok(p.latency[0].decisions > 0);
    assert.equal(p.recent_matches.filter((m) => m.agent_result === "win").length, wins);

    const board = (await rest.call("GET", "/api/leaderboard/liars_dice")).body;
    const row = board.leaderboard.find((r) => r.agent_id === agent.id);
    assert.deepEqual([row.agent_name, row.model, row.games_played, row.wins, row.win_rate, row.recent_form.length, row.is_house], ["Regular", "m-2", 5, wins, wins * 20, 5, false]);
    assert.equal(row.p50_ms, p.latency[0].p50_ms);
    const ranks = board.leaderboard.filter((r) => !r.is_house).map((r) => r.rank);
    assert.deepEqual(ranks, ranks.map((_, i) => i + 1)); // F7.10: house rows take no rank
    board.leaderboard.forEach((r) => assert.equal(r.is_house, r.rank === null));
    const shown = board.leaderboard.map((r) => r.display_rating);
    assert.deepEqual(shown, [...shown].sort((a, b) => b - a));
    for (let from = 0; from < board.total; from++) {
        const [one] = (await rest.call("GET", `/api/leaderboard/liars_dice?from=${from}&limit=1`)).body.leaderboard;
        assert.deepEqual([one.agent_id, one.rank], [board.leaderboard[from].agent_id, board.leaderboard[from].rank]);
    }
    const all = (await rest.call("GET", "/api/leaderboard")).body.leaderboard;
    const own = all.find((r) => r.agent_id === agent.id);
    assert.deepEqual([own.rank, own.total_games, own.total_wins, own.games_active], [p.summary.global_rank, 5, wins, 1]);

    const versus = (await rest.call("GET", `/api/agents/${agent.id}/versus?game=liars_dice`)).body;
    assert.ok(versus.versus.every((v) => v.games === v.wins + v.losses + v.draws));
    refused(await rest.call("GET", `/api/agents/${agent.id}/versus?game=chess`), 400);
    refused(await rest.call("GET", `/api/agents/${NOBODY}/versus`), 404);

    // Pages of a profile (F5.14).
    assert.equal(p.online, false);
    assert.ok(p.rating_history.every((h) => h.deviation > 0));
    const page = async (what, query = "") => (await rest.call("GET", `/api/agents/${agent.id}/${what}${query}`)).body;
    const matches = await page("matches", "?limit=2&from=1");
    assert.deepEqual(matches.matches.map((m) => m.id), p.recent_matches.slice(1, 3).map((m) => m.id));
    assert.deepEqual([matches.count, matches.total, matches.has_more], [2, 5, true]);
    const points = await page("ratings", "?limit=3");
    assert.deepEqual(points.points.map((x) => [x.rating, x.deviation, x.match_id, x.opponents]), p.recent_matches.slice(0, 3).map((m, i) => {
        const h = p.rating_history.at(-1 - i);
        return [h.rating, h.deviation, m.id, m.opponent_names];
    }));
    assert.deepEqual([points.count, points.has_more, (await page("ratings", "?from=3")).has_more, (await page("ratings", "?game=coup")).count], [3, true, false, 0]);
    assert.ok((await page("stats", "?game=liars_dice")).stats.length > 3);
    const found = async (name) => (await rest.call("GET", `/api/agents?name=${encodeURIComponent(name)}`)).body.agents;
    assert.deepEqual((await found("rEGul")).map((a) => [a.id, a.name, a.model, a.kind, a.online]), [[agent.id, "Regular", "m-2", "agent", false]]);
    assert.deepEqual(await found("regularly"), []);
    assert.deepEqual(await found("%"), []);
    assert.equal((await rest.call("GET", "/api/agents?limit=1")).body.agents[0].id, agent.id); // the newest
    refused(await rest.call("GET", `/api/agents?name=${"x".repeat(4000)}`), 400);
    const tag = (await rest.call("GET", "/api/leaderboard")).headers.get("etag");
    const again = await fetch(`${arena.url}/api/leaderboard`, { headers: { "if-none-match": tag } });
    assert.deepEqual([again.status, await again.text()], [304, ""]);

    // A picture of a replay, and what a link to it tells.
    const { id } = p.recent_matches[0], picture = async (query) => fetch(`${arena.url}/replay/${id}/preview.png${query}`);
    const last = await picture(""), first = await picture("?step=0");
    assert.deepEqual([last.status, last.headers.get("content-type"), last.headers.get("cache-control")], [200, "image/png", "public, max-age=3600"]);
    const [a, b] = [Buffer.from(await last.arrayBuffer()), Buffer.from(await first.arrayBuffer())];
    assert.deepEqual([a.subarray(1, 4).toString(), a.readUInt32BE(16), a.readUInt32BE(20)], ["PNG", 480, 480]);
    assert.notDeepEqual(a, b);
    assert.equal((await picture("?step=x")).status, 400);
    assert.equal((await fetch(`${arena.url}/replay/${NOBODY}/preview.png`)).status, 404);
    const shell = await (await fetch(`${arena.url}/replay/${id}`)).text();
    assert.ok(shell.includes(`<meta property="og:image" content="${arena.url}/replay/${id}/preview.png">`), shell.slice(0, 2000));
    assert.match(shell, /<meta property="og:title" content="Liar&#39;s Dice, a replay">/);
    assert.deepEqual((await rest.call("GET", `/api/replays/${id}/decisions`)).body.decisions, []);
    refused(await rest.call("GET", `/api/agents/${NOBODY}/profile`), 404);
});

test("challenges (F3.19, F5.7)", async () => {
    const [host, guest, third] = [await register("Host"), await register("Guest"), await register("Third")];
    const open = (body, headers) => rest.call("POST", "/api/challenges", { key: host.key, body, headers });
    refused(await open({ game: "chess", accept_mode: "single" }), 400);
    refused(await open({ game: "belote", accept_mode: "single" }), 400); // F6.B1
    refused(await open({ game: "coup", accept_mode: "many" }), 400);
    refused(await open({ game: "coup", accept_mode: "single", player_count: 7 }), 400);
    assert.equal((await open({ game: "coup", accept_mode: "single" })).body.duel.max_players, 3);
    assert.equal((await open({ game: "belote", accept_mode: "single" }, { "x-aifight-capabilities": "belote" })).body.duel.max_players, 4);
    const { body } = await open({ game: "liars_dice", accept_mode: "single" });
    const token = body.join_url.split("/").at(-1), accept = (agent) => rest.call("POST", `/api/challenges/${token}/accept`, { key: agent.key });
    assert.equal((await rest.call("GET", `/api/challenges/${token}`)).body.duel.status, "pending");
    refused(await rest.call("GET", `/api/challenges/dl_${"0".repeat(32)}`), 404);
    refused(await accept(guest), 425);
    const b = await Agent.connect(arena, guest);
    refused(await accept(guest), 503);
    const a = await Agent.connect(arena, host);
    refused(await accept(host), 409);
    assert.match((await accept(guest)).body.message, /begins/);
    refused(await accept(third), 409);
    assert.equal((await rest.call("GET", `/api/challenges/${token}`)).body.duel.status, "in_match");
    const belote = (await open({ game: "belote", accept_mode: "single" }, { "x-aifight-capabilities": "belote" })).body.join_url.split("/").at(-1);
    refused(await rest.call("POST", `/api/challenges/${belote}/accept`, { key: guest.key }), 404);
    refused(await rest.call("POST", `/api/challenges/${belote}/accept`, { key: guest.key, headers: { "x-aifight-capabilities": "belote" } }), 409, /does not offer this game/);
    const [[over]] = await Promise.all([play(a, 1), play(b, 1)]);
    await Promise.all([a.close(), b.close()]);
    const list = (await rest.call("GET", "/api/agents/me/challenges", { key: host.key })).body.duels;
    assert.deepEqual(list.map((d) => d.status), ["pending", "finished", "pending", "pending"]);
    assert.deepEqual([list[1].match_id, list[1].guest_agent_name], [over.data.match_id, "Guest"]);
    assert.ok(!JSON.stringify(list).includes("dl_"));
    refused(await accept(third), 410);
    const cancel = (id, key) => rest.call("DELETE", `/api/challenges/${id}`, { key });
    refused(await cancel(list[2].id, guest.key), 403);
    assert.equal((await cancel(list[2].id, host.key)).body.status, "cancelled");
    refused(await cancel(list[2].id, host.key), 409);
    refused(await cancel(NOBODY, host.key), 404);
});

test("the operator's calls (F5.10), pairing (F5.5)", async () => {
    const admin = (method, path, body) => rest.call(method, `/api/admin${path}`, { token: TOKEN, body });
    refused(await rest.call("GET", "/api/admin/stats"), 401);
    refused(await rest.call("GET", "/api/admin/stats", { token: "wrong" }), 401);
    for (const address of ["192.0.2.1", "127.0.0.1", ""]) // a proxy names its client, or fails to
        refused(await rest.call("GET", "/api/admin/stats", { token: TOKEN, headers: { "x-forwarded-for": address } }), 403);
    const made = (await admin("POST", "/agents", { name: "Made" })).body;
    const agent = { id: made.agent.id, key: made.api_key };
    assert.equal((await admin("GET", `/agents/${agent.id}`)).body.agent.name, "Made");
    refused(await admin("GET", `/agents/${NOBODY}`), 404);
    assert.ok((await admin("GET", "/agents?limit=2")).body.has_more);
    refused(await admin("POST", "/agents", { name: "Bot", bot_url: "ftp://x", games: ["coup"] }), 400);
    refused(await admin("POST", "/agents", { name: "Bot", bot_url: "http://x" }), 400);
    refused(await admin("POST", "/agents", { name: "Bot", bot_url: "http://x", games: ["chess"] }), 400);
    const bot = (await admin("POST", "/agents", { name: "Bot", bot_url: "http://127.0.0.1:9", games: ["belote"] })).body;
    assert.deepEqual([bot.agent.kind, bot.api_key], ["remote", undefined]);
    refused(await admin("POST", `/agents/${bot.agent.id}/pairing-code`, {}), 409);
    refused(await admin("POST", `/agents/${bot.agent.id}/key`, {}), 409);
    refused(await admin("POST", `/agents/${agent.id}/claim`, {}), 409);
    assert.equal((await admin("PATCH", `/agents/${agent.id}/limits`, { max_games_per_day: 3 })).body.agent.max_games_per_day, 3);
    refused(await admin("PATCH", `/agents/${agent.id}/limits`, { max_concurrent: 0 }), 400);
    const wish = await rest.call("PATCH", "/api/agents/me/policy", { key: agent.key, body: { max_games_per_day: 4 } });
    assert.equal(wish.body.policy.max_games_per_day, 3); // F5.4: the operator's is the ceiling
    assert.deepEqual((await admin("GET", `/agents/${agent.id}`)).body.agent.limits, { max_games_per_day: 3, max_games_per_hour: 0, cooldown_seconds: 0, max_concurrent: 0 });

    const client = await Agent.connect(arena, agent);
    const device = { "x-device-id": "ab".repeat(32), "x-aifight-client-kind": "cli" };
    refused(await admin("POST", `/agents/${agent.id}/pairing-code`, { runtime_type: "odd" }), 400);
    const first = (await admin("POST", `/agents/${agent.id}/pairing-code`, {})).body.pairing_code;
    const second = (await admin("POST", `/agents/${agent.id}/pairing-code`, { runtime_type: "mock" })).body.pairing_code;
    const pair = (pairing_code) => rest.call("POST", "/api/bridge/pair", { body: { pairing_code }, headers: device });
    refused(await pair("aifp_x"), 400, /^invalid pairing_code$/);
    refused(await pair(first), 410, /^pairing_code revoked$/);
    const [one, two] = await Promise.all([pair(second), pair(second)]); // works once, also at the same moment
    assert.deepEqual([one.status, two.status].sort(), [200, 409]);
    const paired = one.status === 200 ? one.body : two.body;
    assert.equal(paired.agent.runtime_type, "mock");
    assert.equal(paired.ws_url, `${arena.url.replace("http", "ws")}/api/ws`);
    await client.closed; // the old socket is dropped
    refused(await rest.call("GET", "/api/agents/me/status", { key: agent.key }), 401);
    await assert.rejects(Agent.connect(arena, agent), /401/);
    const moved = { id: agent.id, key: paired.agent.api_key };
    assert.equal((await rest.call("GET", "/api/agents/me/status", { key: moved.key })).status, 200);

    const rotated = (await admin("POST", `/agents/${agent.id}/key`)).body.api_key;
    refused(await rest.call("GET", "/api/agents/me/status", { key: moved.key }), 401);
    assert.equal((await admin("POST", `/agents/${agent.id}/disable`)).body.agent.disabled, true);
    refused(await rest.call("GET", "/api/agents/me/status", { key: rotated }), 403, /^agent disabled$/);
    assert.equal((await admin("POST", `/agents/${agent.id}/disable`, { disabled: false })).body.agent.disabled, false);
    assert.equal((await rest.call("GET", "/api/agents/me/status", { key: rotated })).status, 200);

    assert.equal((await admin("POST", "/drain")).body.draining, true);
    assert.equal((await rest.call("GET", "/api/health")).body.status, "draining");
    refused(await rest.call("GET", "/api/ready"), 503, /^the server is draining$/);
    assert.equal((await admin("DELETE", "/drain")).body.draining, false);
    assert.equal((await rest.call("GET", "/api/ready")).status, 200);
    assert.deepEqual((await admin("GET", "/cluster")).body, { nodes: [], whole: { nodes: 0, matches: 0, agents: 0, queued: 0, spectators: 0 }, roles: [], takeovers: [] }); // of several: nodes.test.mjs
    refused(await admin("POST", "/nodes/east/drain"), 404, /^unknown node$/); // of several: nodes_bus.test.mjs
    assert.equal((await admin("GET", "/stats")).body.draining, false);
    assert.equal((await admin("GET", "/matches")).body.count, 0);
});

test("the operator cancels a match: nobody wins, nothing is rated, everybody is told", async () => {
    const admin = (method, path) => rest.call(method, `/api/admin${path}`, { token: TOKEN });
    const [ada, bea] = [await register("Ada cancelled"), await register("Bea cancelled")];
    const before = (await rest.call("GET", `/api/agents/${ada.id}/profile`)).body;
    const clients = [await Agent.connect(arena, ada), await Agent.connect(arena, bea)];
    for (const c of clients) c.join("coup", { mode: "ranked", one_shot: true });
    const starts = await Promise.all(clients.map(async (c) => {
        c.send({ type: "match_confirm", data: { confirm_id: (await c.next("match_confirm_request")).data.confirm_id } });
        return c.next("game_start");
    }));
    const running = (await admin("GET", "/matches")).body.matches.find((m) => m.players.some((p) => p.agent_id === ada.id));
    const live = (await rest.call("GET", "/api/matches/live")).body.matches;
    refused(await admin("POST", `/matches/${NOBODY}/cancel`), 404, /^unknown match$/);
    refused(await admin("POST", "/matches/x/cancel"), 404);
    refused(await rest.call("POST", `/api/admin/matches/${running.id}/cancel`), 401);
    assert.deepEqual((await admin("POST", `/matches/${running.id}/cancel`)).body, { status: "cancelled" });
    refused(await admin("POST", `/matches/${running.id}/cancel`), 409, /^this match is over$/);
    for (const [i, c] of clients.entries()) {
        const { data } = await c.next("game_over");
        assert.deepEqual([data.match_id, data.session_id], [running.id, starts[i].data.match_id]);
        assert.deepEqual([data.result.is_draw, Object.values(data.result.payoffs).filter(Boolean)], [true, []]); // F8.6
        assert.deepEqual([data.forfeit_reason, data.forfeited_by, data.replay_url], [undefined, undefined, undefined]);
        const mine = (await rest.call("GET", `/api/agents/me/matches/${data.session_id}/result`, { key: [ada, bea][i].key })).body;
        assert.equal(mine.status, "cancelled");
        assert.deepEqual(mine.game_over, data);
        c.send({ type: "action", match_id: data.session_id, request_id: "late", data: { type: "income" } });
        assert.equal((await c.next("action_stale")).data.request_id, "late"); // F4.3 row 2
    }
    assert.deepEqual((await rest.call("GET", `/api/agents/${ada.id}/profile`)).body.ratings, before.ratings); // F7.2
    assert.equal((await rest.call("GET", "/api/matches/live")).body.count, live.length - 1);
    await Promise.all(clients.map((c) => c.close()));
});

test("agon admin asks a running server", async () => {
    const run = (...args) => spawnSync(agon, ["admin", ...args, "--server", arena.url], { encoding: "utf8", env: { ...process.env, AGON_ADMIN_TOKEN: TOKEN } });
    const made = JSON.parse(run("create", "--name", "By hand", "--json").stdout);
    assert.match(run("agents").stdout, /By hand/);
    assert.match(run("agent", made.agent.id).stdout, /^name: By hand$/m);
    assert.match(run("pairing-code", made.agent.id).stdout, /^pairing_code: aifp_/m);
    assert.match(run("disable", made.agent.id).stdout, /^disabled: true$/m);
    assert.match(run("stats").stdout, /^agents: \d+$/m);
    const { path } = JSON.parse(run("backup", "--json").stdout); // while it runs, into a folder of its own
    assert.ok(path.startsWith(`${arena.data}/backups/`) && existsSync(path));
    const copied = spawnSync(agon, ["admin", "restore", path, "--data", join(folder, "copy")], { encoding: "utf8" });
    assert.equal(copied.status, 0, copied.stderr);
    assert.match(spawnSync(agon, ["admin", "agents", "--data", join(folder, "copy")], { encoding: "utf8" }).stdout, /By hand/);
    rest.seen.add("POST /api/admin/backup 200");
    const unknown = run("agent", NOBODY);
    assert.deepEqual([unknown.status, unknown.stderr], [1, "agon admin: unknown agent (404)\n"]);
    assert.equal(run("recompute").status, 2);
    const offline = spawnSync(agon, ["admin", "agents", "--data", arena.data], { encoding: "utf8" });
    assert.equal(offline.status, 2);
    assert.match(offline.stderr, /--server/); // the folder is in use
});

test("metrics", async () => {
    const { body, headers } = await rest.call("GET", "/metrics");
    assert.match(headers.get("content-type"), /^text\/plain; version=0\.0\.4/);
    const line = /^(# (HELP|TYPE) agon_\w+ .+|agon_\w+(\{[a-z]+="[^"]*"\})? -?[\d.]+(e[-+]?\d+)?)$/;
    for (const l of body.trim().split("\n")) assert.match(l, line);
    assert.match(body, /^agon_matches_finished_total [1-9]/m);
    assert.match(body, /^agon_commit_seconds_count [1-9]/m);
    refused(await rest.call("GET", "/metrics", { headers: { "x-forwarded-for": "192.0.2.1" } }), 401);
    assert.equal((await rest.call("GET", "/metrics", { headers: { "x-forwarded-for": "192.0.2.1", authorization: `Bearer ${TOKEN}` } })).status, 200);
});

test("a caller that leaves while its answer waits harms nobody", async () => {
    await Promise.all([...Array(20).keys()].map((i) => new Promise((gone) => {
        const request = http.request(`${arena.url}/api/agents/register`, { method: "POST", headers: { "content-type": "application/json" } });
        request.on("error", () => {});
        request.on("close", gone);
        const leave = () => request.destroy();
        if (i % 4 === 2) request.on("response", leave); // when the answer comes
        request.end(JSON.stringify({ name: `Ghost ${i}` }), () => {
            if (i % 4 === 0) leave(); // as soon as it is sent
            if (i % 4 === 1) setImmediate(leave);
        });
        if (i % 4 === 3) request.on("response", (answer) => answer.resume().on("end", leave)); // when it has been read
    })));
    assert.equal((await rest.call("GET", "/api/health")).status, 200);
});

test("an error has an id, and the log has it too (F5.2)", async () => {
    const ask = async (where, headers = {}, method = "GET") => {
        const answer = await fetch(arena.url + where, { method, headers });
        return { status: answer.status, id: answer.headers.get("x-request-id"), type: answer.headers.get("content-type"), text: await answer.text() };
    };
    const lines = () => arena.errors.split("\n").filter((l) => l.startsWith("{")).map((l) => JSON.parse(l));
    const logged = (id) => until(() => lines().find((l) => l.request === id), `${id} in the log`, 60000);
    const one = await ask(`/api/replays/${NOBODY}`), two = await ask("/api/agents/me/status");
    assert.notEqual(one.id, two.id);
    const { event, level, method, path, status } = await logged(one.id);
    assert.deepEqual([event, level, method, path, status], ["rest.refused", "info", "GET", "/api/replays/{id}", 404]);
    assert.equal((await logged(two.id)).status, 401);
    assert.equal((await ask("/api/health")).id, null); // what went well needs none
    // A proxy's own id is kept, unless it could harm the log.
    assert.equal((await ask("/api/agents/me/status", { "x-request-id": "edge_1.a-7" })).id, "edge_1.a-7");
    for (const bad of ["a b", "x".repeat(65), '"', "{}"]) assert.match((await ask("/api/agents/me/status", { "x-request-id": bad })).id, /^[0-9a-f]{8}-[0-9a-f]+$/);
    const bare = await new Promise((resolve, reject) => http.get(`${arena.url}/nope`, { headers: {} }, resolve).on("error", reject)); // says nothing of what it accepts
    assert.deepEqual([bare.resume().statusCode, bare.headers["content-type"]], [404, "application/json; charset=utf-8"]);
    // Where nothing is served: JSON for programs, the page for browsers.
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    for (const where of ["/nope", "/api/nope", "/watch/a/b/c"]) {
        const program = await ask(where, { accept: "*/*" }), person = await ask(where, browser), french = await ask(where, { ...browser, "accept-language": "fr" });
        assert.deepEqual([program.status, JSON.parse(program.text)], [404, { error: "there is no such path on this server" }]);
        assert.deepEqual([person.status, person.type], [404, "text/html; charset=utf-8"]);
        assert.match(person.text, /<title>Nothing is here<\/title>/);
        assert.match(french.text, /<title>Il n&#39;y a rien ici<\/title>/);
        assert.ok(person.id && french.id && (await logged(program.id)).path === "/{nowhere}"); // not what somebody typed
        assert.equal((await ask(where, browser, "POST")).type, "application/json; charset=utf-8");
    }
    assert.equal((await ask(`/api/replays/${NOBODY}`, browser)).type, "application/json; charset=utf-8"); // what is served stays what it is
});

test("the log has what happened, and no secrets", async () => {
    const lines = arena.errors.split("\n").filter((l) => l.startsWith("{")).map((l) => JSON.parse(l));
    for (const event of ["agent.registered", "agent.paired", "agent.disabled", "agent.key_rotated", "match.finished", "match.cancelled", "server.draining"])
        assert.ok(lines.some((l) => l.event === event && l.level === "info" && l.time), event);
    assert.ok(!/agk_|aifp_|dl_[0-9a-f]|operator-secret/.test(arena.errors));
});

test("the document is the schemas and the routes", async () => {
    const { body } = await rest.call("GET", "/api/openapi.json");
    assert.equal(body.openapi, "3.1.0");
    const defs = readFileSync(join(root, "protocol/arena/schema/rest.json"), "utf8").replaceAll("#/$defs/", "#/components/schemas/");
    assert.deepEqual(body.components.schemas, JSON.parse(defs).$defs);
    for (const [path, operations] of Object.entries(body.paths))
        for (const [method, operation] of Object.entries(operations)) {
            const names = [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]);
            const described = (operation.parameters ?? []).filter((p) => p.in === "path").map((p) => p.name);
            assert.deepEqual(described, names, `${method} ${path}`);
            assert.ok(operation.summary && operation.responses[429]);
        }
});

test("tournaments (F5.13; the rest is in tournaments.test.mjs)", async () => {
    const make = async (more) => {
        const body = { game: "coup", format: "round_robin", entrants: ["house:rules", "house:random"], games: 4, ...more };
        return (await rest.call("POST", "/api/tournaments", { token: TOKEN, body })).body.id;
    };
    const id = await make({});
    assert.match((await rest.call("GET", `/api/tournaments/${id}/progress`)).body, /event: end\ndata: {"status":"finished"}\n\n$/);
    assert.equal((await rest.call("GET", "/api/tournaments")).body.tournaments[0].id, id);
    assert.equal((await rest.call("GET", `/api/tournaments/${id}`)).body.standings.length, 2);
    assert.equal((await rest.call("GET", `/api/tournaments/${id}/games`)).body.count, 4);
    const long = await make({ game: "belote", entrants: ["house:search", "house:rules"], games: 10000 });
    assert.equal((await rest.call("DELETE", `/api/tournaments/${long}`, { token: TOKEN })).status, 200);
});

test("commitments and entropy (docs/fairness.md)", async () => { // fairness.test.mjs has the rest
    const { key } = await register("Chooser"), at = "/api/agents/me/entropy", entropy = "ab".repeat(32);
    for (const [method, body] of [["GET"], ["PUT", { entropy }], ["DELETE"]]) assert.equal((await rest.call(method, at, { key, body })).status, 200);
    assert.equal((await rest.call("GET", "/api/commitments/head")).body.dealt > 0, true);
    assert.equal((await rest.call("GET", "/api/commitments?limit=1")).body.entries[0].type, "epoch");
    assert.equal((await rest.call("GET", "/api/commitments/1")).body.entries.length, 3);
});

test("every documented call was made, and answered with success where it can be", () => {
    const never = new Set(["POST /api/agents/me/console-token", "POST /api/agents/me/avatar/upload", "POST /api/claim", "POST /api/agents/claim",
        "GET /api/auth/verify", "POST /api/admin/agents/{id}/claim", "POST /api/admin/nodes/{name}/drain"]);
    for (const name of ["POST /api/guests", "POST /api/tables", "GET /api/agents/me/matches/{session}/hint", "GET /api/games/{game}/rules",
        "GET /api/matches/live/{live}/events", "GET /api/replays/{id}/analysis", ...["POST", "GET", "DELETE"].map((m) => `${m} /api/matches/{session}/rematch`)]) never.add(name); // page_api.test.mjs
    const elsewhere = (path) => path.startsWith("/api/tournaments") || (!path.startsWith("/api/") && path !== "/metrics"); // tournaments.test.mjs, page.test.mjs
    for (const [path, operations] of Object.entries(rest.document.paths).filter(([p]) => !elsewhere(p)))
        for (const [method, { responses }] of Object.entries(operations)) {
            const name = `${method.toUpperCase()} ${path}`, ok = Object.keys(responses).find((s) => s < 300);
            if (!never.has(name)) assert.ok(rest.seen.has(`${name} ${ok}`), `${name} ${ok}`);
        }
});

test("claims by a token and by the operator (F5.6)", async () => {
    for (const how of ["token", "operator"]) {
        const server = await Arena.start(["--claim", how, "--admin-token", TOKEN]);
        try {
            const calls = await Documented.of(server);
            const { body } = await calls.call("POST", "/api/agents/register", { body: { name: "Ada" } });
            const { api_key: key, id } = body.agent;
            const status = async () => (await calls.call("GET", "/api/agents/me/status", { key })).body;
            assert.equal((await status()).status, "pending_claim");
            refused(await calls.call("GET", `/api/agents/${id}/profile`), 404); // until claimed
            refused(await calls.call("POST", "/api/challenges", { key, body: { game: "coup", accept_mode: "single" } }), 403);
            const claim = (more, where = "/api/claim") => calls.call("POST", where, { body: { claim_token: body.claim_token, email: "ada@example.org", terms_accepted: true, terms_version: "1", privacy_version: "1", ...more } });
            refused(await claim({ terms_accepted: false }), 400);
            refused(await claim({ terms_version: "0" }), 400);
            refused(await claim({ email: "ada" }), 400);
            refused(await claim({ claim_token: "0" }), 404);
            const { dev_token: token } = (await claim({}, "/api/agents/claim")).body;
            assert.equal(token !== undefined, how === "token");
            if (token) {
                refused(await calls.call("GET", "/api/auth/verify?token=x"), 400);
                assert.equal((await calls.call("GET", `/api/auth/verify?token=${token}`)).body.agent_id, id);
                refused(await calls.call("GET", `/api/auth/verify?token=${token}`), 400);
                assert.equal((await status()).terms_pending, true); // it has an owner, who has accepted nothing yet
            } else {
                assert.equal((await calls.call("POST", `/api/admin/agents/${id}/claim`, { token: TOKEN })).body.agent.claimed, true);
            }
            assert.equal((await status()).status, "ready");
            assert.equal((await calls.call("GET", `/api/agents/${id}/profile`)).status, 200);
            refused(await claim({}), 409);
        } finally {
            await server.stop();
        }
    }
});

test("limits (F5.11)", async () => {
    const server = await Arena.start(["--limit-loopback"]);
    try {
        const calls = await Documented.of(server);
        const names = Array.from({ length: 12 }, (_, i) => calls.call("POST", "/api/agents/register", { body: { name: `Agent ${i}` } }));
        const made = await Promise.all(names);
        assert.deepEqual(made.map((m) => m.status).sort(), [...Array(10).fill(201), 429, 429]);
        const limited = made.find((m) => m.status === 429);
        assert.ok(Number(limited.headers.get("retry-after")) > 300);
        const { api_key: key } = made.find((m) => m.status === 201).body.agent;
        const keyed = await Promise.all(Array.from({ length: 40 }, () => calls.call("GET", "/api/agents/me/presence", { key })));
        const passed = keyed.filter((k) => k.status === 200).length;
        assert.ok(passed >= 30 && passed < 40, `${passed}`);
        const reads = await Promise.all(Array.from({ length: 60 }, () => calls.call("GET", "/api/health")));
        assert.ok(reads.some((r) => r.status === 429) && reads.filter((r) => r.status === 200).length >= 35);
        // Another address behind the same proxy has a bucket of its own.
        assert.equal((await calls.call("GET", "/api/health", { headers: { "x-forwarded-for": "192.0.2.1" } })).status, 200);
    } finally {
        await server.stop();
    }
});

test("where keys are hidden, cards of a match are too", async () => {
    const server = await Arena.start(["--no-reveal-seed"]);
    try {
        const calls = await Documented.of(server), { body } = await calls.call("POST", "/api/guests", { body: {} }), key = body.agent.api_key;
        const client = await Agent.connect(server, { key, id: body.agent.id });
        await calls.call("POST", "/api/tables", { key, body: { game: "liars_dice", opponents: ["house:1"] } });
        const [over] = await play(client, 1), id = over.data.replay_url.split("/")[2];
        await client.close();
        for (const part of ["whole", "frames"]) {
            refused(await calls.call("GET", `/api/replays/${id}/${part}?god_view=1`), 403);
            assert.equal((await calls.call("GET", `/api/replays/${id}/${part}`)).body.god_view, false);
        }
    } finally {
        await server.stop();
    }
});

test("hidden keys, open cards, another name (--no-reveal-seed, --god-view, --public-url)", async () => {
    const server = await Arena.start(["--no-reveal-seed", "--god-view", "--public-url", "https://arena.example.org", "--house-wait", "50", "--fill-wait", "50", "--message-rate", "1000", "--message-burst", "1000", "--table-max", "2"]);
    try {
        const calls = await Documented.of(server);
        const { body } = await calls.call("POST", "/api/agents/register", { body: { name: "Ada" } });
        assert.ok(body.claim_url.startsWith("https://arena.example.org/claim/"));
        const client = await Agent.connect(server, { key: body.agent.api_key, id: body.agent.id });
        client.join("texas_holdem", { one_shot: true });
        const [over] = await play(client, 1);
        await client.close();
        const id = over.data.replay_url.split("/")[2];
        const replay = (await calls.call("GET", `/api/replays/${id}`)).body;
        assert.deepEqual([replay.god_view, replay.seed], [true, undefined]);
        for (let page, from = 0; !page || page.has_more; from += page.count) {
            page = (await calls.call("GET", `/api/replays/${id}/frames?from=${from}`)).body;
            for (const f of page.frames.filter((x) => x.type === "hand_result")) assert.ok(Object.values(f.data.hands).every((h) => h.cards?.length === 2), JSON.stringify(f.data));
        }
        assert.equal((await calls.call("GET", `/api/replays/${id}/whole?god_view=0`)).body.god_view, false);
        const file = join(folder, "hidden.agon");
        writeFileSync(file, (await calls.call("GET", `/api/replays/${id}/file`)).bytes);
        assert.notEqual(spawnSync(agon, ["replay", "verify", file]).status, 0); // the key is not in it
    } finally {
        await server.stop();
    }
});
