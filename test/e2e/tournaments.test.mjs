// Tournaments in a server (F5.13): created, watched, judged as on the command line, ended, resumed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent, agon, Arena, play, ready } from "./lib/arena.mjs";
import { Documented } from "./lib/documented.mjs";
import { scratch } from "./lib/scratch.mjs";
import { within } from "./lib/wait.mjs";

const TOKEN = "operator-secret";
const NOBODY = "00000000-0000-4000-8000-000000000000";
const folder = scratch("tournaments-");
let arena, rest;

const start = async (options = [], more = {}) => {
    arena = await Arena.start(["--admin-token", TOKEN, ...options], more);
    rest = await Documented.of(arena);
};
before(() => start());
after(async () => {
    await arena.stop();
    rmSync(folder, { recursive: true, force: true });
});

const make = (body, token = TOKEN) => rest.call("POST", "/api/tournaments", { token, body });
const made = async (body) => {
    const answer = await make(body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.id;
};
const look = async (id) => (await rest.call("GET", `/api/tournaments/${id}`)).body;
const refused = (answer, status, says) => {
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(Object.keys(answer.body), ["error"]);
    if (says) assert.match(answer.body.error, says);
};

// The events of a stream as they come: {event, data}; each is checked.
async function* follow(id) {
    const answer = await fetch(`${arena.url}/api/tournaments/${id}/progress`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    const check = rest.ajv.getSchema("rest#/$defs/tournament_progress");
    let text = "";
    for await (const bytes of answer.body) {
        text += Buffer.from(bytes);
        for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
            const found = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end));
            if (!found) continue; // a sign of life
            const one = { event: found[1], data: JSON.parse(found[2]) };
            if (one.event === "progress") rest.must(check, one.data, "progress");
            yield one;
        }
    }
}
// All events until the end, which comes once and last.
const followed = async (id) => {
    const events = [];
    for await (const one of follow(id)) events.push(one);
    assert.deepEqual(events.map((e) => e.event), [...events.slice(1).map(() => "progress"), "end"]);
    return events;
};
const until = async (id, wanted) => {
    for await (const { event, data } of follow(id)) if (event === "end" || wanted(data)) return data;
    throw new Error("the stream ended too early");
};

// What the command line says of the same tournament, with the server's names.
const judged = ({ game, format, entrants, games, rounds, seed, mirrored = true }) => {
    const words = ["tournament", game, "--format", format, "--seed", String(seed), "--json", ...entrants.flatMap((e) => ["--seat", e])];
    if (games) words.push("--games", String(games));
    if (rounds) words.push("--rounds", String(rounds));
    if (!mirrored) words.push("--no-mirror");
    const done = spawnSync(agon, words, { encoding: "utf8", timeout: 600000 });
    assert.equal(done.status, 0, done.stderr);
    const shown = (name) => (entrants.includes(`house:${name}`) ? `house:${name}` : name);
    return JSON.parse(done.stdout).standings.map((r) => ({
        rank: r.rank, entrant: shown(r.entrant), games: r.games, wins: r.wins, losses: r.losses, draws: r.draws, score: r.score,
        ...("lead" in r ? { unit: "bb/100", lead: r.lead, lead_low: r.lead_interval?.[0] ?? null, lead_high: r.lead_interval?.[1] ?? null } : {}),
        elo: r.elo, elo_low: r.elo_interval?.[0] ?? null, elo_high: r.elo_interval?.[1] ?? null,
    }));
};

// Without the cells of the crosstable, which must add up to each row.
const rowsOf = ({ tournament, standings }) => standings.map(({ against, ...row }) => {
    const met = against.filter(Boolean);
    assert.equal(against.length, tournament.entrants.length);
    assert.equal(against[tournament.entrants.indexOf(row.entrant)], null);
    assert.equal(met.reduce((sum, c) => sum + c.games, 0), row.games);
    assert.ok(Math.abs(met.reduce((sum, c) => sum + c.score, 0) - row.games * row.score) < 1e-3, JSON.stringify(against));
    return row;
});

test("standings are those of the command line, whatever the format", async () => {
    const three = ["house:rules", "house:random", "house:fallback"];
    const rows = [
        { game: "liars_dice", format: "round_robin", entrants: three, games: 60, seed: 7, title: "Printemps <b>é</b>" },
        { game: "coup", format: "gauntlet", entrants: ["mine=house:rules", "house:random", "house:fallback"], games: 21, seed: 3 },
        { game: "texas_holdem", format: "swiss", entrants: three, rounds: 4, seed: 11 },
        { game: "belote", format: "round_robin", entrants: ["house:rules", "house:calc"], games: 5, seed: 2, mirrored: false },
    ];
    for (const body of rows) {
        const id = await made(body);
        const events = await within(30000, followed(id), `the end of ${JSON.stringify(body)}`);
        assert.deepEqual(events.at(-1).data, { status: "finished" });
        const { tournament, standings } = await look(id);
        assert.deepEqual(rowsOf({ tournament, standings }), judged(body), JSON.stringify(body));
        assert.deepEqual(events.at(-2).data.standings, standings);
        assert.deepEqual([tournament.status, tournament.game, tournament.format, tournament.seed], ["finished", body.game, body.format, body.seed]);
        assert.equal(tournament.title, body.title);
        assert.equal(tournament.games_done, tournament.games_total);
        assert.deepEqual(tournament.entrants, body.entrants.map((e) => e.split("=")[0]));
    }
    refused(await make({ game: "coup", format: "round_robin", entrants: ["house:rules", "house:random"], title: "x".repeat(81) }), 400, /title must be at most 80 characters/);
    refused(await make({ game: "coup", format: "round_robin", entrants: ["house:rules", "house:random"], title: "a\u202eb" }), 400, /visible/);
    const { body } = await rest.call("GET", "/api/tournaments?limit=3");
    assert.deepEqual([body.count, body.total, body.has_more], [3, 4, true]);
    assert.deepEqual(body.tournaments.map((t) => t.game), ["belote", "texas_holdem", "coup"]); // newest first
    assert.equal((await rest.call("GET", "/api/tournaments?game=coup")).body.total, 1);
    assert.equal((await rest.call("GET", "/api/tournaments?from=9")).body.count, 0);
    refused(await rest.call("GET", "/api/tournaments?limit=x"), 400);
    refused(await rest.call("GET", "/api/tournaments?game=chess"), 400);
});

test("games, page by page, and their replays", async () => {
    const id = await made({ game: "coup", format: "round_robin", entrants: ["house:rules", "house:random"], games: 9, seed: 5 });
    await within(30000, followed(id), "the end");
    const first = (await rest.call("GET", `/api/tournaments/${id}/games?limit=4`)).body;
    const second = (await rest.call("GET", `/api/tournaments/${id}/games?from=4`)).body;
    const games = [...first.games, ...second.games];
    assert.deepEqual([first.count, first.total, first.has_more, second.has_more], [4, 10, true, false]); // whole pairs
    assert.deepEqual(games.map((g) => g.index), [...Array(10).keys()]);
    for (let i = 0; i < 10; i += 2) assert.deepEqual(games[i].seats, [...games[i + 1].seats].reverse()); // mirrored
    const { standings } = await look(id);
    for (const row of standings)
        assert.equal(games.filter((g) => g.seats[Number(g.result.winner[1])] === row.entrant).length, row.wins);
    for (const { replay_url: url, seats, result } of games.slice(0, 2)) {
        const where = `/api/replays/${url.replace("/replay/", "")}`;
        const replay = (await rest.call("GET", where)).body;
        assert.equal(replay.mode, "tournament");
        assert.deepEqual(replay.players.map((p) => p.agent_name), seats);
        assert.deepEqual(replay.result, result);
        assert.ok((await rest.call("GET", `${where}/frames`)).body.count > 0);
        const file = join(folder, "game.agon");
        writeFileSync(file, (await rest.call("GET", `${where}/file`)).bytes);
        assert.equal(spawnSync(agon, ["replay", "verify", file]).status, 0);
    }
    refused(await rest.call("GET", `/api/tournaments/${id}/games?from=-1`), 400);
    refused(await rest.call("GET", `/api/tournaments/${NOBODY}/games`), 404);
    refused(await rest.call("GET", `/api/tournaments/${NOBODY}/progress`), 404);
    refused(await rest.call("GET", "/api/tournaments/x"), 404);
    assert.equal((await fetch(`${arena.url}/api/tournaments/${id}/progress`, { method: "HEAD" })).status, 200);
});

test("bots behind HTTP, and one that is not there", async () => {
    const mine = `mine=${arena.url}/bots/coup`;
    const body = { game: "coup", format: "round_robin", entrants: [mine, "house:random", "house:fallback"], games: 12, seed: 4 };
    const id = await made(body);
    await within(30000, followed(id), "the end");
    const { tournament, standings } = await look(id);
    assert.deepEqual(tournament.entrants, ["mine", "house:random", "house:fallback"]); // no address is told
    assert.deepEqual(rowsOf({ tournament, standings }), judged(body));
    assert.ok((await rest.call("GET", `/api/tournaments/${id}/games`)).body.games.every((g) => g.replay_url));

    const nobody = await make({ game: "coup", format: "gauntlet", entrants: ["gone=http://127.0.0.1:1", "house:random"], games: 2, seed: 4 });
    refused(nobody, 503, /^gone: http:\/\/127\.0\.0\.1:1: connection refused; is it running at this address\?$/);
    // One that answers, and plays nothing.
    const idle = http.createServer((request, response) => response.writeHead(404).end());
    await new Promise((resolve) => idle.listen(0, "127.0.0.1", resolve));
    const lost = await made({ game: "coup", format: "gauntlet", entrants: [`idle=http://127.0.0.1:${idle.address().port}`, "house:random"], games: 2, seed: 4 });
    await within(60000, followed(lost), "the end");
    idle.close();
    const { games } = (await rest.call("GET", `/api/tournaments/${lost}/games`)).body;
    assert.deepEqual(games.map((g) => g.end), ["forfeit", "forfeit"]);
    assert.deepEqual((await look(lost)).standings.map((r) => [r.entrant, r.wins, r.elo]), [["house:random", 2, null], ["idle", 0, null]]);
});

test("what is refused changes nothing", async () => {
    const good = { game: "coup", format: "round_robin", entrants: ["house:rules", "house:random"], games: 2 };
    const total = (await rest.call("GET", "/api/tournaments")).body.total;
    const rows = [
        [{ game: undefined }, /game/], [{ game: "chess" }, /unknown game/], [{ game: "tetris" }, /unknown game/], [{ game: 7 }, /^game: /],
        [{ format: undefined }, /^format must be round_robin, gauntlet or swiss$/], [{ format: "match" }, /^format must/], [{ format: 1 }, /^format: /],
        [{ entrants: undefined }, /two entrants/], [{ entrants: [] }, /two entrants/], [{ entrants: ["house:rules"] }, /two entrants/],
        [{ entrants: "house:rules" }, /^entrants: /], [{ entrants: [1, 2] }, /^entrants: /],
        [{ entrants: ["house:rules", "house:rules"] }, /same name/], [{ entrants: ["house:rules", "house:nobody"] }, /no house bot 'nobody' plays coup; choose one of: /],
        [{ entrants: ["house:rules", "cmd:reboot"] }, /is not an entrant/], [{ entrants: ["house:rules", "person"] }, /is not an entrant/],
        [{ entrants: ["house:rules", "http://"] }, /address/], [{ entrants: ["house:rules", "http://u:p@h"] }, /password/],
        [{ entrants: ["house:rules", NOBODY] }, /unknown agent/], [{ entrants: Array(65).fill("house:rules") }, /^entrants: /],
        [{ entrants: ["house:rules", "x".repeat(1000)] }, /^entrants: /],
        [{ games: undefined }, /give games/], [{ games: 0 }, /^games: /], [{ games: 1.5 }, /^games: /], [{ games: 10001 }, /at most 10000/],
        [{ rounds: 3 }, /only a Swiss/], [{ format: "swiss", rounds: 3 }, /either games or rounds/], [{ format: "swiss", games: undefined, rounds: 5001 }, /at most 10000/],
        [{ seed: -1 }, /^seed: /], [{ seed: "7" }, /^seed: /], [{ mirrored: "yes" }, /^mirrored: /],
    ];
    for (const [change, says] of rows) refused(await make({ ...good, ...change }), 400, says);
    const call = (more) => rest.call("POST", "/api/tournaments", { token: TOKEN, ...more });
    refused(await call({ raw: "{" }), 400, /JSON/);
    refused(await call({ raw: "[]" }), 400);
    refused(await call({ raw: JSON.stringify(good), headers: { "content-type": "text/plain" } }), 415);
    refused(await make(good, null), 401, /^missing X-Agon-Admin header$/);
    refused(await make(good, "guess"), 401, /^invalid operator token$/);
    refused(await rest.call("DELETE", `/api/tournaments/${NOBODY}`), 401);
    refused(await rest.call("DELETE", `/api/tournaments/${NOBODY}`, { token: TOKEN }), 404, /unknown tournament/);
    refused(await rest.call("PUT", "/api/tournaments", { body: {} }), 405);
    await rest.call("POST", "/api/admin/drain", { token: TOKEN });
    refused(await make(good), 503, /maintenance/);
    await rest.call("DELETE", "/api/admin/drain", { token: TOKEN });
    assert.equal((await rest.call("GET", "/api/tournaments")).body.total, total);
});

// A bot that plays as the arena's own does, in its first games; in all later ones it thinks until the gate is opened.
class Gate {
    static async after(games) {
        const gate = new Gate();
        gate.sessions = new Map();
        gate.created = 0;
        gate.opened = new Promise((resolve) => (gate.open = resolve));
        gate.server = http.createServer((q, r) => gate.pass(q, r, games).catch(() => r.destroy()));
        await new Promise((resolve) => gate.server.unref().listen(0, "127.0.0.1", resolve));
        gate.url = `http://127.0.0.1:${gate.server.address().port}`;
        return gate;
    }
    async pass(q, r, games) {
        const parts = [], session = q.url.split("/")[3];
        const number = session || q.method !== "POST" ? undefined : this.created++; // games begin in order; their answers may come in another
        for await (const bytes of q) parts.push(bytes);
        if (q.method === "POST" && (this.sessions.get(session) ?? 0) >= games) await this.opened;
        const body = parts.length ? Buffer.concat(parts) : undefined;
        const answer = await fetch(`${arena.url}/bots/coup${q.url}`, { method: q.method, body, headers: body && { "content-type": "application/json" } });
        const text = await answer.text();
        if (!session && answer.status === 201) this.sessions.set(JSON.parse(text).sessionId, number);
        r.writeHead(answer.status, { "content-type": "application/json" });
        r.end(text);
    }
    close() {
        this.open();
        this.server.closeAllConnections();
        this.server.close();
    }
}
const held = (gate, games = 8) => ({ game: "coup", format: "round_robin", entrants: [`mine=${gate.url}`, "house:random"], games, seed: 6 });

test("ending one keeps what was played; only so many run at once", async () => {
    const gate = await Gate.after(3), ids = [];
    for (let i = 0; i < 4; i++) {
        ids.push(await made(held(gate)));
        if (i === 0) await within(60000, until(ids[0], (p) => p.games_done === 3), "three games"); // of all: the gate counts on
    }
    refused(await make(held(gate)), 409, /at most 4 tournaments can run at once/);
    const { tournament } = await look(ids[0]);
    assert.deepEqual([tournament.status, "seed" in tournament, "finished_at" in tournament], ["running", false, false]);
    // Five of eight games are left: they are expected to take 5/3 of what three took.
    const [began, ends, asked] = [tournament.created_at, tournament.eta, (await look(ids[0])).tournament.eta].map(Date.parse);
    assert.ok(ends > began && asked >= ends, JSON.stringify(tournament));
    const played = 3 / 8 * (ends - began);
    assert.ok(played > 0 && began + played <= Date.now() + 1000, JSON.stringify(tournament));
    const running = (await rest.call("GET", `/api/tournaments/${ids[0]}/games`)).body.games;
    assert.deepEqual(running.map((g) => g.replay_url), [null, null, null]); // others' bots do not learn the cards
    const end = followed(ids[0]);
    const answer = await rest.call("DELETE", `/api/tournaments/${ids[0]}`, { token: TOKEN });
    assert.deepEqual([answer.status, answer.body], [200, { status: "cancelled" }]);
    const before = await look(ids[0]);
    assert.deepEqual((await within(60000, end, "the end")).at(-1).data, { status: "cancelled" });
    assert.deepEqual([before.tournament.status, before.tournament.games_done, before.tournament.games_total], ["cancelled", 3, 8]);
    assert.ok(before.tournament.finished_at && !("eta" in before.tournament));
    assert.deepEqual(before.standings.map((r) => r.games), [3, 3]);
    refused(await rest.call("DELETE", `/api/tournaments/${ids[0]}`, { token: TOKEN }), 409, /it is cancelled/);
    for (const id of ids.slice(1)) assert.equal((await rest.call("DELETE", `/api/tournaments/${id}`, { token: TOKEN })).status, 200);
    gate.close();
    const { games, total } = (await rest.call("GET", `/api/tournaments/${ids[0]}/games`)).body;
    assert.deepEqual([total, games.length], [3, 3]);
    assert.ok(games.every((g) => g.replay_url));
    assert.deepEqual(await look(ids[0]), before); // and it stays so
});

test("a server that is killed goes on where it was; what is over stays", async () => {
    const data = mkdtempSync(join(folder, "data-"));
    await arena.stop();
    await start([], { data });
    const over = await made({ game: "coup", format: "round_robin", entrants: ["house:rules", "house:random"], games: 8, seed: 1 });
    await within(30000, followed(over), "the end");
    const past = await look(over);
    const gate = await Gate.after(3), body = held(gate);
    const id = await made(body);
    await within(60000, until(id, (p) => p.games_done === 3), "three games");
    await arena.stop("SIGKILL");
    await start([], { data });
    assert.deepEqual(await look(over), past);
    assert.equal((await rest.call("GET", `/api/tournaments/${over}/games`)).body.total, 8);
    const { tournament } = await look(id);
    assert.deepEqual([tournament.status, tournament.games_done], ["running", 3]);
    await arena.stop(); // and once more, gently
    await start([], { data });
    const end = followed(id);
    gate.open();
    const events = await within(60000, end, "the end");
    assert.equal(events[0].data.games_done, 3);
    assert.equal(events.at(-1).data.status, "finished");
    gate.close();
    assert.deepEqual(rowsOf(await look(id)), judged({ ...body, entrants: [`mine=${arena.url}/bots/coup`, "house:random"] }));
    assert.deepEqual((await rest.call("GET", "/api/tournaments")).body.tournaments.map((t) => t.id), [id, over]);
});

test("maintenance interrupts, and does not end", async () => {
    const gate = await Gate.after(2);
    const id = await made(held(gate, 4));
    await within(60000, until(id, (p) => p.games_done === 2), "two games");
    await rest.call("POST", "/api/admin/drain", { token: TOKEN });
    refused(await make(held(gate)), 503, /maintenance/);
    const end = followed(id);
    await rest.call("DELETE", "/api/admin/drain", { token: TOKEN });
    gate.open();
    assert.equal((await within(60000, end, "the end")).at(-1).data.status, "finished");
    assert.equal((await look(id)).tournament.games_done, 4);
    gate.close();
});

test("registered agents are seated as from standby, and a restart loses no game", async () => {
    const data = mkdtempSync(join(folder, "agents-")), fast = ["--message-rate", "100000", "--message-burst", "100000"];
    await arena.stop();
    await start(fast, { data });
    const ada = await arena.register("Ada"), bob = await arena.register("Ada");
    const body = { game: "liars_dice", format: "round_robin", entrants: [ada.id, bob.id, "house:random"], games: 6, mirrored: false, title: "Agents of May" };
    refused(await make({ ...body, entrants: [ada.id, "http://127.0.0.1:1"] }), 400, /bot_url/);
    refused(await make({ ...body, entrants: [ada.id, `a=${ada.id}`] }), 400, /named only once/);
    refused(await make({ ...body, game: "belote" }), 400, /its own partner/);
    const id = await made(body);
    const names = (await look(id)).tournament.entrants;
    assert.equal(new Set(names).size, 3);
    assert.match(names[0], /^Ada/);
    assert.equal(names[2], "house:random");

    const one = await Agent.connect(arena, ada);
    const check = await one.next("readiness_check"); // F3.12
    assert.equal(check.data.reason, "standby");
    const two = await Agent.connect(arena, bob);
    one.send(ready(check));
    const played = [play(one, 1), play(two, 1)];
    await within(60000, Promise.all(played), "a game each");
    const session = one.frames.find((f) => f.type === "game_start").data.match_id;
    assert.equal((await rest.call("GET", `/api/agents/me/matches/${session}`, { key: ada.key })).body.mode, "tournament");
    await arena.stop("SIGKILL");
    await Promise.all([one.closed, two.closed]);

    await start(fast, { data });
    const both = await Promise.all([ada, bob].map((a) => Agent.connect(arena, a)));
    for (const a of both) play(a, 100).catch(() => {}); // until the server is stopped
    const events = await within(60000, followed(id), "the end");
    assert.equal(events.at(-1).data.status, "finished");
    const { tournament, standings } = await look(id);
    assert.deepEqual([tournament.title, tournament.games_done, standings.length], ["Agents of May", 6, 3]);
    assert.deepEqual(standings.map((r) => r.games), [4, 4, 4]);
    assert.deepEqual(standings.map((r) => r.agent_id).sort(), [ada.id, bob.id, undefined].sort());
    const { games } = (await rest.call("GET", `/api/tournaments/${id}/games`)).body;
    const matches = (await rest.call("GET", "/api/matches")).body.matches;
    assert.equal(matches.length, 6);
    assert.deepEqual(new Set(matches.map((m) => m.replay_url)), new Set(games.map((g) => g.replay_url)));
    assert.ok(matches.every((m) => m.mode === "tournament" && !m.rated));
    const versus = (await rest.call("GET", `/api/agents/${ada.id}/versus`)).body.versus;
    assert.equal(versus.reduce((sum, v) => sum + v.games, 0), 4);
    for (const a of both) await a.close();
});

test("the cards of a mirrored pair are not told before both games are over", async () => {
    await arena.stop();
    await start(["--message-rate", "100000", "--message-burst", "100000"], { data: mkdtempSync(join(folder, "pair-")) });
    const ada = await arena.register("Ada"), agent = await Agent.connect(arena, ada);
    const id = await made({ game: "liars_dice", format: "round_robin", entrants: [ada.id, "house:random"], games: 2 });
    await within(60000, play(agent, 1), "the first game");
    const first = agent.frames.find((f) => f.type === "game_over").data.replay_url.match(/[0-9a-f-]{36}/)[0];
    const tell = () => rest.call("GET", `/api/replays/${first}`);
    refused(await tell(), 404, /unknown replay/);
    await within(60000, Promise.all([play(agent, 1), followed(id)]), "the second");
    const told = await tell();
    assert.equal(told.status, 200);
    const { games } = (await rest.call("GET", `/api/tournaments/${id}/games`)).body;
    assert.equal(games.length, 2);
    const keys = await Promise.all(games.map(async (g) => (await rest.call("GET", `/api/replays/${g.replay_url.match(/[0-9a-f-]{36}/)[0]}`)).body.seed));
    assert.equal(keys[0], keys[1]); // a pair indeed
    await agent.close();
});
