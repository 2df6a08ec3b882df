// Data folders of released versions: this program opens each; keys, ratings, replays and running matches are intact.
// test/golden/data-VERSION.tar.gz holds such a folder and, in expect.json, what its own server said of it. A release adds one.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Agent, agon, Arena, root } from "./lib/arena.mjs";
import { scratch } from "./lib/scratch.mjs";

const golden = join(root, "test/golden"), files = readdirSync(golden).filter((f) => /^data-.*\.tar\.gz$/.test(f));

test("there is a folder of 0.1.0", () => assert.ok(files.includes("data-0.1.0.tar.gz")));

for (const file of files)
    test(`${file} opens`, { timeout: 600000 }, async () => {
        const folder = scratch("upgrade-"), data = join(folder, "data");
        execFileSync("tar", ["-xzf", join(golden, file), "-C", folder]);
        const expect = JSON.parse(readFileSync(join(data, "expect.json"), "utf8"));
        const arena = await Arena.start(["--house-bots", "0", "--admin-token", "t"], { data });
        // Keys: both agents come in, and the running match goes on where it was.
        for (const who of ["ada", "bea"]) {
            assert.equal((await arena.call("GET", "/api/agents/me/status", { key: expect[who].key })).status, 200);
            const back = await Agent.connect(arena, expect[who], { instance: "later" });
            await back.next("game_start"); // this process knows nothing of it
            const next = await back.next("*", 60000, (f) => ["action_request", "game_state"].includes(f.type));
            assert.equal(next.type, expect.awaited === who ? "action_request" : "game_state");
            if (expect.awaited === who) assert.deepEqual(next.data.event_history.map((e) => e.type), ["bid"]);
            await back.close();
        }
        // Replays: the same game, and the file proves it.
        for (const [id, was] of Object.entries(expect.replays)) {
            const { body } = await arena.call("GET", `/api/replays/${id}`);
            const now = { game: body.game, event_count: body.event_count, seed: body.seed, seed_commitment: body.seed_commitment, payoffs: body.result.payoffs, rated: body.rated };
            assert.deepEqual(now, was);
            const replay = join(folder, `${id}.agon`);
            writeFileSync(replay, Buffer.from(await (await fetch(`${arena.url}/api/replays/${id}/file`)).arrayBuffer()));
            const verified = spawnSync(agon, ["replay", "verify", replay], { encoding: "utf8" });
            assert.equal(verified.status, 0, verified.stderr + verified.stdout);
        }
        // Ratings: to the last digit, but for the deviation that grows with idle days.
        const { ratings } = (await arena.call("GET", `/api/agents/${expect.ada.id}/profile`)).body;
        assert.deepEqual(ratings.map((r) => [r.game, r.rating, r.games_played, r.rated_games_played, r.wins, r.losses]), expect.ratings.map(([game, rating, , ...rest]) => [game, rating, ...rest]));
        const { body: tour } = await arena.call("GET", `/api/tournaments/${expect.tournament.id}`);
        assert.deepEqual(tour.standings.map((s) => [s.entrant, s.games, s.wins, s.losses, s.draws]), expect.tournament.standings.map((s) => [s.entrant, s.games, s.wins, s.losses, s.draws]));
        await arena.stop();
        // All ratings again from the replays: every log reproduces.
        const again = spawnSync(agon, ["admin", "recompute", "--data", data, "--json"], { encoding: "utf8" });
        assert.equal(again.status, 0, again.stderr);
        assert.equal(JSON.parse(again.stdout).damaged, 0);
        assert.ok(existsSync(join(data, "agon.db")));
    });
