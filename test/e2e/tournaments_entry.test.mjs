// Tournaments that agents enter (F5.15), and absent entrants (F5.16).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent, agon, Arena, play } from "./lib/arena.mjs";
import { spawn } from "./lib/children.mjs";
import { Documented } from "./lib/documented.mjs";
import { scratch } from "./lib/scratch.mjs";
import { until, within } from "./lib/wait.mjs";

const TOKEN = "operator-secret", fast = ["--message-rate", "100000", "--message-burst", "100000"];
const NOBODY = "00000000-0000-4000-8000-000000000000";
const folder = scratch("entries-"), data = mkdtempSync(join(folder, "data-"));
let arena, rest;

const start = async () => {
    arena = await Arena.start(["--admin-token", TOKEN, ...fast], { data });
    rest = await Documented.of(arena);
};
before(start);
after(async () => {
    await arena.stop();
    rmSync(folder, { recursive: true, force: true });
});

const open = { game: "liars_dice", format: "round_robin", games_per_pair: 2, entry_seconds: 3600 };
const make = (body) => rest.call("POST", "/api/tournaments", { token: TOKEN, body });
const made = async (body) => {
    const answer = await make(body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.id;
};
const look = async (id) => (await rest.call("GET", `/api/tournaments/${id}`)).body;
const enter = (id, agent, method = "POST") => rest.call(method, `/api/tournaments/${id}/entry`, { key: agent.key });
// Whoever is told to try again, because a beginning or a departure is just being written, does so.
const cancel = (id) => until(async () => {
    const answer = await rest.call("DELETE", `/api/tournaments/${id}`, { token: TOKEN });
    return !/try again/.test(answer.body.error) && answer;
}, `cancellation of ${id}`);
const refused = (answer, status, says) => {
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(Object.keys(answer.body), ["error"]);
    assert.match(answer.body.error, says);
};
const said = (answer, word) => assert.deepEqual([answer.status, answer.body], [200, { status: word }]);
const ended = (id) => until(async () => {
    const seen = await look(id);
    return ["finished", "cancelled"].includes(seen.tournament.status) && seen;
}, `end of ${id}`, 60000);

test("agents come and go while it is open, and a restart forgets nobody", async () => {
    const [ada, bob, eve] = await Promise.all(["Ada", "Ada", "Eve"].map((n) => arena.register(n)));
    const id = await made({ ...open, entrants: ["house:random"], entry_max: 4, title: "Open of May" });
    const first = await look(id);
    assert.deepEqual([first.tournament.status, first.tournament.entrants, first.tournament.games_total, first.standings], ["open", ["house:random"], 0, []]);
    assert.deepEqual([first.tournament.entry_max, first.tournament.wait_seconds, "seed" in first.tournament, "started_at" in first.tournament], [4, 3600, false, false]);
    assert.ok(Math.abs(Date.parse(first.tournament.entry_until) - Date.now() - 3600e3) < 60e3);
    for (const answer of await Promise.all([enter(id, ada), enter(id, ada), enter(id, bob)])) said(answer, "entered"); // at once, one of them twice
    said(await enter(id, ada), "entered");
    const { tournament } = await look(id);
    assert.equal(tournament.games_total, 6); // three pairs
    assert.equal(new Set(tournament.entrants).size, 3);
    assert.ok(tournament.entrants.some((n) => n === "Ada") && tournament.entrants.some((n) => /^Ada #\d+$/.test(n)), tournament.entrants.join());
    said(await enter(id, eve, "DELETE").then(() => enter(id, eve)), "entered"); // the first is refused: she is not in
    await until(async () => (await look(id)).tournament.status === "running", "beginning of a full tournament");
    refused(await enter(id, await arena.register("Late")), 409, /entries are closed: the tournament is running/);
    said(await enter(id, eve), "entered"); // an agent that comes back asks again
    refused(await enter(id, eve, "DELETE"), 409, /has begun/);
    said(await cancel(id), "cancelled");

    const kept = await made({ ...open, entry_max: 5 });
    for (const a of [ada, bob, eve]) said(await enter(kept, a), "entered");
    said(await enter(kept, bob, "DELETE"), "withdrawn");
    refused(await enter(kept, bob, "DELETE"), 409, /has not entered/);
    const before = await look(kept);
    assert.deepEqual(before.tournament.entrants, ["Ada", "Eve"]);
    await arena.stop("SIGKILL");
    await start();
    assert.deepEqual(await look(kept), before);
    assert.equal((await rest.call("DELETE", "/api/agents/me", { key: eve.key })).status, 200); // who is deleted leaves
    await until(async () => (await look(kept)).tournament.entrants.length === 1, "departure of a deleted agent");
    said(await cancel(kept), "cancelled");
    assert.deepEqual([(await look(kept)).tournament.status, (await look(kept)).standings], ["cancelled", []]);
});

test("what is refused", async () => {
    const ada = await arena.register("Ada"), guest = (await rest.call("POST", "/api/guests", { body: {} })).body.agent;
    const rows = [
        [{ games: 4 }, /games_per_pair/], [{ games_per_pair: undefined }, /give games/], [{ entry_max: 1 }, /entry_max/], [{ entry_max: 65 }, /entry_max/],
        [{ entry_max: 2, entrants: ["house:random", "house:rules"] }, /more than the 2 entrants that are named/], [{ game: "belote" }, /its own partner/],
        [{ entrants: ["http://127.0.0.1:1"] }, /named by URL/], [{ entrants: ["house:nobody"] }, /no house bot/], [{ entrants: [NOBODY] }, /unknown agent/],
        [{ entry_seconds: 0 }, /^entry_seconds: a whole number from 1 to 2592000 is expected$/], [{ entry_seconds: 1e18 }, /^entry_seconds: .* to 2592000/],
        [{ entry_seconds: "60" }, /^entry_seconds: a whole number/], [{ wait_seconds: -1 }, /^wait_seconds: a whole number from 1 to 604800 is expected$/],
        [{ entry_max: 2.5 }, /^entry_max: a whole number from 2 to 64/], [{ games_per_pair: [] }, /^games_per_pair: a whole number from 1 to /], [{ title: {} }, /^title: .*type/], [{ games_per_pair: 100 }, /at most 10000 games/],
        [{ format: "swiss" }, /give rounds/], [{ entry_seconds: undefined, entry_max: 3 }, /entry_seconds/],
    ];
    for (const [change, says] of rows) refused(await make({ ...open, ...change }), 400, says);
    const id = await made(open);
    refused(await enter(id, { key: guest.api_key }), 403, /guest; register an agent/);
    refused(await enter(NOBODY, ada), 404, /unknown tournament/);
    refused(await rest.call("POST", `/api/tournaments/${id}/entry`), 401, /X-API-Key/);
    refused(await rest.call("POST", `/api/tournaments/${id}/start`), 401, /X-Agon-Admin/);
    const begin = () => rest.call("POST", `/api/tournaments/${id}/start`, { token: TOKEN });
    refused(await begin(), 409, /two entrants/);
    said(await cancel(id), "cancelled");
    refused(await begin(), 409, /it is cancelled/);
    refused(await enter(id, ada), 409, /the tournament is cancelled/);
    const short = await made({ ...open, entry_seconds: 1, entrants: ["house:random"] }); // nobody comes
    assert.equal((await ended(short)).tournament.status, "cancelled");
});

const client = (id, more = []) => {
    const child = spawn(agon, ["agent", "--server", arena.url, "--game", "liars_dice", "--bot", "random", "--seed", "3", "--tournament", id, "--json", ...more], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "", err = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (err += d));
    return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
};
const admin = (...words) => spawnSync(agon, ["admin", ...words, "--server", arena.url, "--token", TOKEN, "--json"], { encoding: "utf8", timeout: 600000 });

test("by the command line alone: made, entered, played, started, looked at", async () => {
    const answer = admin("create-tournament", "--game", "liars_dice", "--format", "round_robin", "--entrants", "house:fallback", "--games-per-pair", "2", "--entry-seconds", "600", "--seed", "5", "--title", "Evening cup");
    assert.equal(answer.status, 0, answer.stderr);
    const { id } = JSON.parse(answer.stdout), players = [client(id, ["--name", "Anna"]), client(id, ["--name", "Otto"])];
    await until(async () => (await look(id)).tournament.entrants.length === 3, "entries of two programs");
    const begun = admin("start-tournament", id);
    assert.deepEqual([begun.status, JSON.parse(begun.stdout)], [0, { status: "running" }]);
    const { tournament, standings } = await ended(id);
    assert.deepEqual([tournament.status, tournament.games_done, tournament.seed, tournament.title], ["finished", 6, 5, "Evening cup"]);
    assert.ok(Date.parse(tournament.started_at) >= Date.parse(tournament.created_at));
    assert.deepEqual(standings.map((r) => r.games), [4, 4, 4]);
    for (const { code, out, err } of await within(30000, Promise.all(players), "end of both programs")) {
        assert.equal(code, 0, err);
        assert.equal(JSON.parse(out).finished, 4);
    }
    assert.equal(JSON.parse(admin("tournament", id).stdout).standings.length, 3);
    assert.equal(JSON.parse(admin("tournaments").stdout).tournaments[0].id, id);
    const late = await within(30000, client(id, ["--name", "Late"]), "refusal");
    assert.equal(late.code, 1);
    assert.match(late.out, /entries are closed: the tournament is finished/);
    const wrong = spawnSync(agon, ["agent", "--game", "coup", "--tournament", "x"], { encoding: "utf8" });
    assert.deepEqual([wrong.status, /is not the id of a tournament/.test(wrong.stderr)], [2, true]);
});

test("a deleted agent loses what is left, and an absent one what has waited too long", async () => {
    const [ada, bob, eve] = await Promise.all(["Ada", "Bob", "Eve"].map((n) => arena.register(n)));
    const here = await Agent.connect(arena, ada);
    play(here, 100).catch(() => {}); // until the server is stopped
    const body = { game: "texas_holdem", format: "round_robin", games_per_pair: 2, entrants: [ada.id, bob.id], mirrored: false };
    const gone = await made(body);
    assert.equal((await rest.call("DELETE", "/api/agents/me", { key: bob.key })).status, 200);
    const first = await ended(gone);
    assert.deepEqual([first.tournament.status, first.tournament.games_done], ["finished", 2]);
    assert.deepEqual(first.standings.map((r) => [r.entrant, r.wins, r.losses]), [["Ada", 2, 0], ["Bob", 0, 2]]);
    assert.ok(first.standings[0].lead > 0, JSON.stringify(first.standings)); // what the rules take from who never answers
    const { games } = (await rest.call("GET", `/api/tournaments/${gone}/games`)).body;
    assert.deepEqual(games.map((g) => [g.end, g.replay_url]), [["forfeit", null], ["forfeit", null]]);

    // One waits an hour, the other two seconds; after a restart the first is told that Eve was deleted.
    const away = await made({ ...body, game: "liars_dice", entrants: [ada.id, eve.id], wait_seconds: 3600 });
    const late = await made({ ...body, game: "liars_dice", entrants: [ada.id, eve.id], wait_seconds: 2 });
    const second = await ended(late);
    assert.deepEqual(second.standings.map((r) => [r.entrant, r.wins]), [["Ada", 2], ["Eve", 0]]);
    assert.ok(Date.parse(second.tournament.finished_at) - Date.parse(second.tournament.created_at) >= 2000);
    assert.equal((await look(away)).tournament.games_done, 0); // an hour has not passed
    await arena.stop("SIGKILL");
    await start();
    assert.deepEqual((await look(late)).standings, second.standings);
    assert.equal((await rest.call("DELETE", "/api/agents/me", { key: eve.key })).status, 200);
    assert.deepEqual((await ended(away)).standings.map((r) => [r.entrant, r.wins]), [["Ada", 2], ["Eve", 0]]);
});

test("nobody wins when nobody comes", async () => {
    const [ada, bob] = await Promise.all(["Ada", "Bob"].map((n) => arena.register(n)));
    const { tournament, standings } = await ended(await made({ ...open, entry_seconds: undefined, wait_seconds: 1, entrants: [ada.id, bob.id] }));
    assert.deepEqual([tournament.games_done, standings.map((r) => r.wins)], [2, [0, 0]]);
});
