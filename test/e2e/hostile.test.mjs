// Every member of many requests replaced by every nasty value (lib/mutate.mjs): answers are well-formed and no
// internal errors, a refusal changes nothing, and the server keeps running.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { Arena, headersOf } from "./lib/arena.mjs";
import { TOKEN } from "./lib/ask.mjs";
import { Raw } from "./lib/mcp.mjs";
import { isUtf8, mutations } from "./lib/mutate.mjs";
import { within } from "./lib/wait.mjs";

let arena;
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });

before(async () => {
    arena = await Arena.start(["--admin-token", TOKEN, "--house-wait", "50", "--message-rate", "100000", "--message-burst", "100000",
        "--rename-cooldown", "0", "--log-level", "error"]);
});
after(async () => {
    agent.destroy();
    await arena.stop(); // with status 0, and nothing of a sanitizer
});

// {status, body}: the parsed body.
function send(method, path, text, headers) {
    const body = Buffer.from(text, "latin1"), what = `${method} ${path} ${text.slice(0, 300)}`;
    return within(60000, new Promise((resolve, reject) => {
        const request = http.request(arena.url + path, { method, agent, headers: { "content-type": "application/json", "content-length": body.length, ...headers } }, (r) => {
            const parts = [];
            r.on("data", (d) => parts.push(d)).on("end", () => {
                const bytes = Buffer.concat(parts);
                assert.ok(r.statusCode < 500, `${what}: ${r.statusCode} ${bytes}`);
                assert.equal(r.headers["x-injected"], undefined, what);
                assert.ok(isUtf8(bytes.toString("latin1")), what);
                resolve({ status: r.statusCode, body: JSON.parse(bytes) });
            });
        });
        request.on("error", (e) => reject(new Error(`${what}: ${e.message}`)));
        request.end(body);
    }), what);
}

// Calls `look` with each mutation, four at a time.
async function each(list, look) {
    const rows = list[Symbol.iterator]();
    await Promise.all([1, 2, 3, 4].map(async () => {
        for (let row; !(row = rows.next()).done; ) await look(row.value);
    }));
}

test("bodies of REST", async () => {
    const a = await arena.register("alpha"), b = await arena.register("beta");
    const key = { "x-api-key": a.key }, operator = { "x-agon-admin": TOKEN };
    const rows = [
        ["POST", "/api/agents/register", {}, { name: "Ada", suggested_name: "Eve", model: "m", description: "d" }],
        ["POST", "/api/guests", {}, { name: "Gus" }],
        ["POST", "/api/bridge/pair", {}, { pairing_code: `aifp_${"0".repeat(32)}` }],
        ["PATCH", "/api/agents/me/policy", key, { declared_model: "m", standby_games: ["coup"], auto_requeue: false, max_games_per_day: 1, cooldown_seconds: 1, max_concurrent: 2 }],
        ["PATCH", "/api/agents/me/name", key, { name: "alpha" }],
        ["POST", "/api/agents/me/accept-legal", key, { terms_version: "1", privacy_version: "1" }],
        ["POST", "/api/claim", {}, { claim_token: "f".repeat(64), email: "a@b.c", terms_accepted: true, terms_version: "1", privacy_version: "1" }],
        ["POST", "/api/challenges", { "x-api-key": b.key }, { game: "coup", player_count: 2 }],
        ["POST", "/api/tables", { "x-api-key": b.key }, { game: "coup", seats: 3, opponents: ["house:1", "link"] }],
        ["PUT", "/api/agents/me/entropy", key, { entropy: "ab".repeat(32) }],
        ["POST", "/api/tournaments", operator, { title: "t", game: "none", format: "gauntlet", entrants: ["house:random", "X=house:rules"], games: 2, seed: 1, mirrored: true, wait_seconds: 10, entry_seconds: 10, entry_max: 3 }],
        ["POST", "/api/admin/agents", operator, { name: "bot", model: "m", description: "d", bot_url: "http://127.0.0.1:9/x", games: ["coup"] }],
        ["PATCH", `/api/admin/agents/${b.id}/limits`, operator, { max_games_per_day: 1000, cooldown_seconds: 0 }],
        ["POST", `/api/admin/agents/${b.id}/pairing-code`, operator, { runtime_type: "mock" }],
    ];
    for (const [method, path, headers, message] of rows)
        await each(mutations(message), async ({ text, raw }) => {
            const { status, body } = await send(method, path, text, headers);
            if (status >= 400) assert.deepEqual(Object.keys(body), ["error"]);
            if (raw === "+\\u0000") assert.ok(status >= 400, `${path} ${text}: ${status}`); // it is not its beginning
        });
});

test("a refused policy changes nothing", async () => {
    const { key } = await arena.register("steady");
    const set = (text) => send("PATCH", "/api/agents/me/policy", text, { "x-api-key": key });
    const message = { declared_model: "n", standby_games: ["coup", "liars_dice"], auto_requeue: true, max_games_per_day: 3, max_games_per_hour: 3, cooldown_seconds: 7, auto_confirm: true };
    let { body: last } = await set("{}"), refused = 0;
    for (const { text } of mutations(message)) {
        const { status, body } = await set(text);
        if (status < 400) last = body;
        else if (++refused % 20 === 0) assert.deepEqual((await set("{}")).body, last, text);
    }
});

test("messages of an agent", async () => {
    const agent = await arena.register("chatter"), id = "00000000-0000-4000-8000-000000000000";
    const ws = new WebSocket(`${arena.url.replace("http", "ws")}/api/ws`, { headers: headersOf(agent), perMessageDeflate: false });
    const closed = new Promise((resolve) => ws.on("close", (code) => resolve(code)));
    await within(60000, new Promise((resolve, reject) => ws.on("open", resolve).on("error", reject)), "upgrade");
    ws.on("message", (m) => JSON.parse(m));
    const messages = [
        { type: "join_queue", data: { game: "none", mode: "friendly", one_shot: true } }, { type: "leave_queue", data: {} }, { type: "match_confirm", data: { confirm_id: id } },
        { type: "runtime_status", data: { request_id: id, ready: true, runtime_type: "mock", checked_at: "x" } },
        { type: "action", match_id: id, request_id: id, data: { type: "tax" }, usage: { input_tokens: 1, model: "m" }, decision: { latency_ms: 5, note: "hm" } },
    ];
    let count = 0;
    for (const message of messages)
        for (const { text } of mutations(message)) {
            if (!isUtf8(text)) continue; // 1007
            ws.send(Buffer.from(text, "latin1"), { binary: false });
            if (++count % 50) continue;
            const pong = new Promise((resolve) => ws.once("pong", resolve));
            ws.ping();
            assert.equal(await within(60000, Promise.race([pong.then(() => 0), closed]), "pong"), 0, text.slice(0, 300));
        }
    ws.close();
    await closed;
});

test("OpenEnv", async () => {
    const reset = { seed: 1, episode_id: "e", scenario: "players_2", seats: 2, rules: {}, seat: 0, index: 1, opponents: ["house:1"], illegal: "observation", text: "full", max_illegal: 5, vector: true, wait: 0 };
    await each(mutations(reset), ({ text }) => send("POST", "/openenv/coup/reset", text));
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "play", arguments: { action: "income", session_id: "s" } } };
    await each(mutations(call), async ({ text }) => assert.equal((await send("POST", "/openenv/coup/mcp", text)).body.jsonrpc, "2.0"));
});

test("MCP: every line that comes is a message, and every request is answered", async () => {
    const raw = Raw.start(["--game", "coup"]);
    await raw.greet("2025-11-25");
    await raw.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
    await raw.call("register_agent", { agent_id: "gm", agent_type: "GameMaster" });
    await raw.call("reset", { agent_id: "me", seed: 1 });
    const calls = [
        ["register_agent", { agent_id: "x", agent_type: "EntityBehavior", scope: "embodied", config: { avatar_id: "seat_1", clock_mode: "training", vector: 1, action_mask: ["pass"], reward_shaping: { components: ["match"], weights: { match: 2 } }, legal: "full", table: 0 } }],
        ["reset", { agent_id: "me", seed: 5, scope: "global", config: { scenario: "players_2", initial_state: { bots: 1, max_ticks: 100 }, domain_randomization: { visual: { texture_noise: 0.5 }, gameplay: { seats: [2, 4] } } } }],
        ["sim_step", { agent_id: "me", action: { type: "steal", params: { target: "seat_1" } }, ticks: 1 }],
        ["sim_step", { agent_id: "gm", action: { type: "narrate", params: { target: "*", message: "hm" } } }],
        ["batch_step", { steps: [{ agent_id: "me", action: 0, ticks: 1 }], sync_mode: "sequential", order: ["me"] }],
        ["send_message", { from_agent: "me", to_agent: "*", channel: "table", content: { text: "x" } }],
        ["configure_streams", { agent_id: "me", custom: { streams: [{ name: "a", type: "rgb", width: 64, height: 64 }] } }],
    ];
    const answers = new Set();
    const read = (async () => {
        for (let m; (m = await raw.read()); ) if (m.id !== undefined) answers.add(m.id); // it parses each line
    })();
    const due = new Map();
    for (const [name, args] of calls)
        for (const { text } of mutations({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { name, arguments: args } }, "/params/arguments")) {
            const id = 1000 + due.size, line = text.replace('"id":0', `"id":${id}`);
            due.set(id, line);
            raw.input.write(Buffer.from(`${line}\n`, "latin1"));
        }
    raw.input.end();
    await read;
    assert.equal(await raw.exit, 0);
    for (const [id, line] of due) if (parses(line)) assert.ok(answers.has(id), line.slice(0, 300)); // what is no JSON has no id
});

// As RFC 8259 with strict Unicode and 64 levels has it.
function parses(text) {
    if (!isUtf8(text)) return false;
    try {
        JSON.parse(Buffer.from(text, "latin1").toString());
    } catch {
        return false;
    }
    let depth = 0, most = 0;
    for (const c of text.replace(/"(\\.|[^"\\])*"/g, "")) most = Math.max(most, (depth += c === "[" || c === "{" ? 1 : c === "]" || c === "}" ? -1 : 0));
    return most <= 64 && !/\\ud800|\\udc00/.test(text);
}
