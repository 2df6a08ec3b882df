// Damaged data (F8.3): found when it is used, reported with its table, and reading requests never end the server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { Agent, Arena, play } from "./lib/arena.mjs";
import { scratch } from "./lib/scratch.mjs";

const sound = scratch("sound-");
let agent, replay, pages;

before(async () => {
    const arena = await Arena.start(["--house-wait", "50", "--fill-wait", "50", "--rate-house", "--table-max", "2", "--damp-repeats"], { data: sound });
    agent = await arena.register("Ada", { auto_confirm: true });
    for (const game of ["liars_dice", "coup", "liars_dice"]) {
        const client = await Agent.connect(arena, agent);
        client.join(game, { one_shot: true });
        const [over] = await play(client, 1);
        replay = over.data.replay_url.replace(/^.*\//, "");
        await client.close();
    }
    await arena.stop();
    // Where the tables begin: the database itself says it.
    const asked = `import sqlite3, json, sys
db = sqlite3.connect(sys.argv[1])
print(json.dumps([db.execute("PRAGMA page_size").fetchone()[0], dict(db.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 1"))]))`;
    pages = JSON.parse(execFileSync("python3", ["-c", asked, join(sound, "agon.db")], { encoding: "utf8" }));
});

const places = () => ["/api/health", "/api/games", "/api/leaderboard", "/api/leaderboard/liars_dice", `/api/agents/${agent.id}/profile`, `/api/agents/${agent.id}/versus`, `/api/replays/${replay}`,
    `/api/replays/${replay}/frames`, `/api/replays/${replay}/whole`, `/api/replays/${replay}/file`, "/api/matches", "/api/matches?game=coup", "/api/matches/live", "/api/tournaments", "/api/events", "/", "/metrics"];

// Starts on a copy with this damage. The message of a start that was refused, or what the calls answered.
async function visit(damage) {
    const data = scratch("damaged-");
    cpSync(sound, data, { recursive: true });
    const file = join(data, "agon.db"), bytes = readFileSync(file);
    damage(bytes);
    writeFileSync(file, bytes);
    let arena;
    try {
        arena = await Arena.start(["--house-bots", "0"], { data });
    } catch (error) {
        assert.match(error.message, /ended with 2: /);
        return { refused: error.message };
    }
    const answers = {};
    for (const place of places()) {
        const { status, body } = await arena.call("GET", place);
        answers[place] = { status, body };
        assert.ok([200, 404, 500].includes(status), `${place}: ${status}`);
    }
    answers.mine = await arena.call("GET", "/api/agents/me/status", { key: agent.key });
    const told = Object.values(answers).filter((a) => a.status === 500);
    const health = (await arena.call("GET", "/api/health")).body.status;
    if (told.some((a) => /data of this server/.test(a.body.error))) assert.equal(health, "damaged");
    await arena.stop(); // it is still there, and ends with 0
    return { answers, health, log: arena.errors };
}

// The first page of each table becomes nonsense.
const rows = [
    ["agents", /table agents/], ["matches", /table matches/], ["seats", null], ["logs", null], ["lists", /table lists/], ["ratings", /table ratings/],
    ["versus", /table versus/], ["games", /table games: database disk image is malformed/], ["pieces", /pieces: database disk image is malformed/],
];
for (const [table, names] of rows)
    test(`damage of ${table}`, { timeout: 600000 }, async () => {
        const [size, roots] = pages;
        const seen = await visit((bytes) => bytes.fill(0x5a, (roots[table] - 1) * size, roots[table] * size));
        const words = seen.refused ?? JSON.stringify(Object.values(seen.answers).filter((a) => a.status === 500).map((a) => a.body)) + seen.log;
        if (names) assert.match(words, names);
        if (seen.answers) assert.equal(seen.answers["/api/games"].status, 200); // what can be read is read
        if (seen.answers && names) assert.match(seen.log, /storage.damaged/);
    });

// Any page, by a fixed lot; a longer count: AGON_DAMAGE_ROUNDS.
test("damage anywhere ends nothing", { timeout: 600000 }, async () => {
    const rounds = Number(process.env.AGON_DAMAGE_ROUNDS ?? 6);
    let lot = 12345;
    const draw = (below) => ((lot = (Math.imul(lot, 1664525) + 1013904223) >>> 0) >>> 8) % below;
    for (let i = 0; i < rounds; i++)
        await visit((bytes) => {
            const size = pages[0], page = 1 + draw(bytes.length / size - 1);
            for (let k = 0; k < 40; k++) bytes[page * size + draw(size)] = draw(256);
        });
});
