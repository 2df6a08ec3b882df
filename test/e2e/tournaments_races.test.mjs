// Entering a tournament (F5.15) as a hostile client would: twice at once, while it is cancelled or begins, while the agent is deleted or the server killed.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Agent, Arena, choose, ready } from "./lib/arena.mjs";
import { Documented } from "./lib/documented.mjs";
import { scratch } from "./lib/scratch.mjs";
import { beSlow, until } from "./lib/wait.mjs";

const TOKEN = "operator-secret", fast = ["--message-rate", "100000", "--message-burst", "100000"];
const folder = scratch("races-"), data = mkdtempSync(join(folder, "data-"));
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
const make = async (body = {}) => {
    const answer = await rest.call("POST", "/api/tournaments", { token: TOKEN, body: { ...open, ...body } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.id;
};
const look = async (id) => (await rest.call("GET", `/api/tournaments/${id}`)).body.tournament;
const enter = (id, agent) => rest.call("POST", `/api/tournaments/${id}/entry`, { key: agent.key });
const leave = (id, agent) => rest.call("DELETE", `/api/tournaments/${id}/entry`, { key: agent.key });
const begin = (id) => rest.call("POST", `/api/tournaments/${id}/start`, { token: TOKEN });
const cancel = (id) => rest.call("DELETE", `/api/tournaments/${id}`, { token: TOKEN });
const remove = (agent) => rest.call("DELETE", "/api/agents/me", { key: agent.key });
const cancelled = async (id) => until(async () => (await cancel(id)).status === 200, `end of ${id}`);
const many = (count, name = "Ada") => Promise.all(Array.from({ length: count }, () => arena.register(name)));
const entries = (id) => readdirSync(join(data, "tournaments", id)).filter((f) => f.startsWith("entry-"));
const tell = (answers) => answers.map((a) => `${a.status} ${JSON.stringify(a.body)}`).join("\n");

test("who asks many times at once is in once, takes one place, and hears so every time", async () => {
    const [ada, bob] = await many(2);
    for (let i = 0; i < 5; i++) {
        const id = await make({ entry_max: 3, entrants: ["house:random"] });
        const answers = await Promise.all(Array.from({ length: 12 }, () => enter(id, ada)));
        assert.ok(answers.every((a) => a.status === 200 && a.body.status === "entered"), tell(answers));
        assert.deepEqual((await look(id)).entrants, ["house:random", "Ada"]);
        const gone = await Promise.all(Array.from({ length: 12 }, () => leave(id, ada)));
        assert.ok(gone.every((a) => a.status === 200 || /has not entered/.test(a.body.error)) && gone.some((a) => a.status === 200), tell(gone));
        assert.deepEqual([(await look(id)).entrants, entries(id)], [["house:random"], []]);
        const both = await Promise.all([enter(id, ada), enter(id, ada), enter(id, ada), enter(id, bob)]); // the last place is his
        assert.ok(both.every((a) => a.status === 200), tell(both));
        await cancelled(id);
    }
});

test("whoever enters or leaves while the operator cancels or starts is answered", async () => {
    const agents = await many(8);
    for (let i = 0; i < 30; i++) {
        const id = await make({ entrants: ["house:random", "house:rules"] });
        await Promise.all(agents.slice(0, 4).map((a) => enter(id, a)));
        const change = i % 3 ? cancel : begin, wait = beSlow(i % 5); // a race: they come a little later, or not
        const answers = await Promise.all([change(id), wait.then(() => Promise.all(agents.map((a, k) => (k < 4 ? leave : enter)(id, a))))]);
        for (const a of answers.flat()) assert.ok(a.status === 200 || (a.status === 409 && a.body.error), tell(answers.flat()));
        if ((await look(id)).status !== "cancelled") await cancelled(id);
    }
});

test("an entry that comes as the time runs out is in the tournament or refused", async () => {
    const [ada] = await many(1);
    const id = await make({ entry_seconds: 1, entrants: ["house:random"] });
    const answers = [];
    await until(async () => {
        answers.push(await enter(id, ada), await leave(id, ada)); // never still for longer than a request takes
        return (await look(id)).status !== "open";
    }, "end of the time to enter", 20000);
    for (const a of answers) assert.ok(a.status === 200 || a.status === 409, tell(answers));
    if ((await look(id)).status === "running") await cancelled(id);
});

test("a deleted agent is in no tournament, neither at once nor after a restart", async () => {
    const [ada, bob, named, eve, twin] = await many(5), racing = await many(12);
    const id = await make({ entrants: [named.id], entry_max: 64 });
    for (const a of [ada, bob, eve, twin]) assert.equal((await enter(id, a)).status, 200);
    await Promise.all(racing.flatMap((a) => [enter(id, a), remove(a)]));
    for (const a of [named, bob]) assert.equal((await remove(a)).status, 200);
    await until(async () => (await look(id)).entrants.length === 3, "departure of the deleted");
    const { entrants, games_total } = await look(id);
    assert.deepEqual([new Set(entrants).size, games_total], [3, 6]);
    await arena.stop("SIGKILL");
    await start();
    const again = await look(id);
    assert.deepEqual([again.entrants, again.games_total], [entrants, 6]); // three of one name are still told apart
    await cancelled(id);
});

test("what was answered is kept, whenever the server is killed", async () => {
    const agents = await many(24);
    const id = await make({ entry_max: 40 }), entered = [];
    const asked = agents.map((a) => enter(id, a).then((r) => r.status === 200 && entered.push(a), () => {}));
    await Promise.race(asked);
    await arena.stop("SIGKILL");
    await Promise.all(asked);
    await start();
    assert.ok(entered.length > 0);
    for (const a of entered) assert.ok(existsSync(join(data, "tournaments", id, `entry-${a.id}.json`)), a.id);
    for (const a of agents) assert.equal((await enter(id, a)).status, 200); // those who heard nothing ask again
    assert.equal((await look(id)).entrants.length, agents.length);
    await cancelled(id);
});

// Confirms all, and thinks for a while before each action.
const playSlowly = (agent, ms) => {
    agent.options.onFrame = (f) => {
        if (f.type === "match_confirm_request") agent.send({ type: "match_confirm", data: { confirm_id: f.data.confirm_id } });
        if (f.type === "readiness_check") agent.send(ready(f));
        if (f.type === "action_request") beSlow(ms).then(() => agent.act(f, choose(agent.memory.game.get(f.data.match_id), f.data, agent.chance)));
    };
};

test("who plays in one tournament is not absent from another", async () => {
    const agents = await many(2, "Busy"); // one match at a time
    for (const a of agents) playSlowly(await Agent.connect(arena, a), 150); // a game takes longer than an absent one is waited for
    const body = { entry_seconds: undefined, entrants: agents.map((a) => a.id), wait_seconds: 3 }; // in which a busy machine hears a call
    const ids = [await make(body), await make(body)];
    for (const id of ids) {
        await until(async () => (await look(id)).status === "finished", `end of ${id}`, 300000); // four games of some forty slow actions
        const { games } = (await rest.call("GET", `/api/tournaments/${id}/games`)).body;
        assert.deepEqual(games.map((g) => g.end), ["over", "over"]);
    }
});

test("a match whose cards are dealt again offers no replay until the tournament is over", async () => {
    const agents = await many(2, "Away");
    const id = await make({ game: "coup", format: "swiss", games_per_pair: undefined, rounds: 3, entry_seconds: undefined, entrants: [agents[0].id, "house:1", agents[1].id, "house:2"] });
    const newest = async () => (await rest.call("GET", "/api/matches?game=coup&limit=1")).body.matches[0];
    const match = await until(newest, "a match of two house bots", 60000);
    assert.equal(match.replay_url, null);
    assert.equal((await rest.call("GET", `/api/replays/${match.id}/whole`)).status, 404);
    await cancelled(id);
    const after = await newest();
    assert.match(after.replay_url, /^\/replay\//);
    assert.equal((await rest.call("GET", `/api/replays/${after.id}/whole`)).status, 200);
});
