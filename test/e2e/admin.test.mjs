// The operator's tools on a data folder, without a server.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent, agon, Arena, play } from "./lib/arena.mjs";
import { spawn } from "./lib/children.mjs";

const folder = mkdtempSync(join(tmpdir(), "admin-")), data = join(folder, "data");
let ada, bea;

function admin(...args) {
    const done = spawnSync(agon, ["admin", ...args, "--data", data], { encoding: "utf8" });
    return { ...done, json: done.stdout.startsWith("{") ? JSON.parse(done.stdout) : undefined };
}

// Rated and unrated matches of two games, of two agents and house bots.
before(async () => {
    const arena = await Arena.start(["--house-wait", "50", "--fill-wait", "50", "--rate-house", "--table-max", "2"], { data });
    [ada, bea] = [await arena.register("Ada", { auto_confirm: true }), await arena.register("Bea", { auto_confirm: true })];
    for (const [game, mode] of [["liars_dice"], ["liars_dice"], ["coup"], ["liars_dice", "friendly"], ["liars_dice"], ["texas_holdem"], ["coup"]]) {
        const [a, b] = [await Agent.connect(arena, ada), await Agent.connect(arena, bea)]; // anew: what one may send is limited
        for (const client of [a, b]) client.join(game, { one_shot: true, ...(mode ? { mode } : {}) });
        await Promise.all([play(a, 1), play(b, 1)]);
        await Promise.all([a.close(), b.close()]);
    }
    await arena.stop();
});
after(() => rmSync(folder, { recursive: true, force: true }));

const profiles = () => [ada, bea].map(({ id }) => admin("ratings", id, "--json").json);

test("recomputing from the replays gives every digit again", () => {
    const before = profiles();
    assert.deepEqual(before[0].ratings.map((r) => r.games_played).sort(), [1, 2, 4]);
    const done = admin("recompute", "--json");
    assert.equal(done.status, 0, done.stderr);
    assert.ok(done.json.matches >= 7 && done.json.rated >= 6 && done.json.damaged === 0);
    assert.deepEqual(profiles(), before);
});

test("recomputing what was damped", async () => {
    const other = join(folder, "damped"), ratings = (id) => JSON.parse(spawnSync(agon, ["admin", "ratings", id, "--data", other, "--json"], { encoding: "utf8" }).stdout);
    const recompute = (...more) => assert.equal(spawnSync(agon, ["admin", "recompute", "--data", other, ...more], { encoding: "utf8" }).status, 0);
    const arena = await Arena.start(["--house-bots", "0", "--fill-wait", "50", "--table-max", "2", "--damp-repeats", "--message-rate", "1000", "--message-burst", "1000"], { data: other });
    const agents = [await arena.register("Ada", { auto_confirm: true }), await arena.register("Bea", { auto_confirm: true })];
    const clients = [await Agent.connect(arena, agents[0]), await Agent.connect(arena, agents[1])];
    for (const client of clients) client.join("liars_dice");
    await Promise.all(clients.map((c) => play(c, 6))); // they queue again by themselves
    await Promise.all(clients.map((c) => c.close()));
    await arena.stop();
    const before = ratings(agents[0].id);
    recompute("--damp-repeats");
    assert.deepEqual(ratings(agents[0].id), before);
    recompute();
    assert.notDeepEqual(ratings(agents[0].id).ratings, before.ratings); // F7.9: so the option does something
});

test("agents, keys, codes, bans without a server", () => {
    assert.match(admin("agents").stdout, /Ada/);
    const made = admin("create", "--name", "Made", "--model", "m", "--json").json;
    assert.match(made.api_key, /^agk_/);
    const { id } = made.agent;
    assert.notEqual(admin("rotate-key", id, "--json").json.api_key, made.api_key);
    assert.match(admin("pairing-code", id).stdout, /^pairing_code: aifp_[0-9a-f]{32}$/m);
    assert.equal(admin("limits", id, "--max-games-per-day", "7", "--json").json.agent.max_games_per_day, 7);
    assert.equal(admin("ban", id, "--json").json.agent.disabled, true);
    assert.equal(admin("enable", id, "--json").json.agent.disabled, false);
    assert.equal(admin("claim", id).status, 1); // it is claimed
    const bot = admin("create", "--name", "Bot", "--bot-url", "http://127.0.0.1:9", "--games", "coup,belote", "--json").json;
    assert.deepEqual([bot.agent.kind, bot.agent.games], ["remote", "coup,belote"]);
});

test("matches", () => {
    const rows = admin("history").stdout.trim().split("\n");
    assert.ok(rows.length >= 7);
    assert.match(admin("match", rows[0].split(" ")[0]).stdout, /^status: completed$/m);
    assert.equal(admin("matches").stdout, "");
});

// A match that was running when the server stopped; its players hear of the end when they come back.
test("a match is cancelled without a server", async () => {
    const options = ["--house-bots", "0", "--fill-wait", "50", "--table-max", "2"];
    let arena = await Arena.start(options, { data });
    const clients = [await Agent.connect(arena, ada, { instance: "i" }), await Agent.connect(arena, bea, { instance: "i" })];
    for (const c of clients) c.join("coup", { one_shot: true });
    for (const c of clients) await c.next("game_start");
    await arena.stop();
    const before = profiles(), id = admin("matches").stdout.split(" ")[0];
    assert.match(admin("match", "cancel", id.replace(/^./, (c) => (c === "0" ? "1" : "0"))).stderr, /unknown match/);
    assert.deepEqual(admin("match", "cancel", id, "--json").json, { status: "cancelled" });
    assert.equal(admin("match", "cancel", id).status, 1); // it is over
    assert.equal(admin("matches").stdout, "");
    assert.deepEqual(profiles(), before);
    arena = await Arena.start(options, { data });
    for (const [i, agent] of [ada, bea].entries()) {
        const back = await Agent.connect(arena, agent, { instance: "i", memory: clients[i].memory });
        assert.equal((await back.next("game_over")).data.result.is_draw, true);
        await back.close();
    }
    await arena.stop();
});

test("backup and restore", () => {
    const file = join(folder, "copy.db"), before = admin("agents", "--json").json.total;
    assert.equal(admin("backup", file).status, 0);
    assert.equal(admin("backup", file).status, 1); // it is there already
    admin("create", "--name", "Later");
    assert.equal(admin("agents", "--json").json.total, before + 1);
    assert.equal(admin("restore", file).status, 1); // what is there is not replaced unless told
    assert.equal(admin("restore", file, "--force").status, 0);
    assert.equal(admin("agents", "--json").json.total, before);
    assert.ok(existsSync(join(data, "agon.db.before")));
});

const nonsense = [
    [["agent"], /which ID/], [["agent", "x y"], /no id/], [["agent", "1", "2"], /too many/], [["create", "extra"], /too many/],
    [["limits", "1", "--max-games-per-day", "many"], /whole number/], [["backup"], /which FILE/], [["match"], /which REPLAY/], [["match", "cancel"], /which MATCH/], [["match", "cancel", "x"], /no id/], [["match", "cancel", "1", "2"], /too many/], [["restore"], /which FILE/],
    [["agents", "--server", "ftp://x"], /http:\/\/HOST:PORT/], [["dance"], /unknown command/],
];
for (const [args, says] of nonsense)
    test(`refused with status 2: agon admin ${args.join(" ")}`, () => {
        const done = spawnSync(agon, ["admin", ...args], { encoding: "utf8" });
        assert.equal(done.status, 2);
        assert.match(done.stderr, says);
    });

test("nobody at that address", () => {
    const done = spawnSync(agon, ["admin", "stats", "--server", "http://127.0.0.1:1"], { encoding: "utf8" });
    assert.equal(done.status, 1);
    assert.match(done.stderr, /cannot reach/);
});

// As agon agent does it: a certificate is checked unless somebody says otherwise.
test("a server behind TLS", async () => {
    const cert = join(folder, "cert.pem"), key = join(folder, "key.pem");
    const made = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    assert.equal(made.status, 0, String(made.stderr));
    const arena = await Arena.start(["--tls-cert", cert, "--tls-key", key, "--admin-token", "t"]);
    const ask = (url, args, env = {}) => new Promise((resolve) => {
        const child = spawn(agon, ["admin", ...args, "--server", url, "--token", "t"], { env: { ...process.env, ...env } });
        let stdout = "", stderr = "";
        child.stdout.on("data", (bytes) => (stdout += bytes));
        child.stderr.on("data", (bytes) => (stderr += bytes));
        child.on("close", (status) => resolve({ status, stdout, stderr }));
    });
    const named = `https://localhost:${arena.port}`, numbered = `https://127.0.0.1:${arena.port}`, trusted = { SSL_CERT_FILE: cert };
    const rows = [
        ["nobody vouches for it", named, [], {}, 1, /no whole answer from https:.*certificate/],
        ["it is trusted", named, [], trusted, 0, null],
        ["it is another host's", numbered, [], trusted, 1, /mismatch/],
        ["nobody asks", numbered, ["--insecure"], {}, 0, null],
        ["it is spoken to in the clear", named.replace("https", "http"), [], {}, 1, /no whole answer from http:/],
    ];
    for (const [name, url, more, env, status, says] of rows) {
        const done = await ask(url, ["stats", "--json", ...more], env);
        assert.equal(done.status, status, `${name}: ${done.stderr}`);
        if (says) assert.match(done.stderr, says, name);
        else assert.equal(JSON.parse(done.stdout).draining, false, name);
    }
    const agent = JSON.parse((await ask(named, ["create", "--name", "Far", "--json"], trusted)).stdout).agent; // with a body
    assert.match((await ask(named, ["agents"], trusted)).stdout, new RegExp(`^${agent.id} +Far`, "m"));
    await arena.stop();
    assert.match((await ask(named, ["stats"], trusted)).stderr, /cannot reach https:/);
});
