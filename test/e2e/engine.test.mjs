// agon engine: the same requests for every game; answers are checked against the schemas of the protocol.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkAnswer, checkRequest, Engine, games, root, run, talk } from "./agon.mjs";

const looks = [
    { op: "view" },
    { op: "view", viewer: 0, text: true, picture: true, vector: true },
    { op: "view", viewer: "all" },
    { op: "choices", seat: 0, flat: true, mask: true },
    { op: "prose", what: "rules" },
    { op: "prose", viewer: 0 },
    { op: "hash" },
    { op: "payoffs" },
    { op: "rewards" },
    { op: "save" },
];

// How many moves house bots make in a match from this seed, up to ten. Games like Kuhn poker are over after two.
const countMoves = (game, seed) =>
    talk(game, [{ op: "start", seed }, ...Array(10).fill({ op: "bot", play: true })]).answers.filter((a) => a.ok).length - 1;

for (const { name: game, tick_ms } of games) {
    const step = tick_ms ? [{ op: "bot", play: true }, { op: "tick", count: 30 }] : [{ op: "bot", play: true }];

    test(`engine ${game}: requests and answers are what the schemas say`, () => {
        const lines = [{ op: "about" }, { op: "start", seed: 5, id: "a" }, ...looks];
        const again = countMoves(game, 5) < 10 ? [{ op: "start", seed: 5 }] : []; // a short match may be over after any move
        if (!tick_ms) lines.push({ op: "bot", viewer: null }, { op: "bot", bot: "random", aggro: 1, play: true, viewer: "all" });
        lines.push(...again, { op: "fallback", viewer: "all" }, ...again, ...step, ...looks, ...again, { op: "drop", seat: 0, viewer: "all" });
        lines.push({ op: "finish" }, { op: "view" }, { op: "quit" });
        const { answers, status } = talk(game, lines);
        assert.equal(status, 0);
        assert.equal(answers.length, lines.length);
        lines.forEach((line, i) => {
            checkRequest(line);
            checkAnswer(line.op, answers[i]);
            assert.equal(answers[i].ok, true, `${JSON.stringify(line)}: ${answers[i].error?.message}`);
        });
    });

    test(`engine ${game}: a refused line changes nothing and says what would be right`, async () => {
        const bad = [
            ["", "x", "bad_json"],
            ["", '{"op":"hash"', "bad_json"],
            ["", '{"op":"hash"} {}', "bad_json"],
            ["", '{"op":"\xff"}', "bad_utf8"],
            ["", '{"op":' + "[".repeat(100), "too_deep"],
            ["", "[]", "wrong_type"],
            ["", "7", "wrong_type"],
            ["about, start", {}, "missing_field"],
            ["about, start", { op: "dance" }, "unknown_name"],
            ["about, start", { op: 1 }, "wrong_type"],
            ["op, id", { op: "hash", seat: 0 }, "unknown_name"],
            ["op, id", { op: "hash", sead: 0 }, "unknown_name"],
            ["whole number or a string", { op: "hash", id: [1] }, "wrong_type"],
            ["0 to", { op: "choices", seat: 10 }, "out_of_range"],
            ["0 to", { op: "choices", seat: "nobody" }, "unknown_name"],
            ["spectator, all", { op: "view", viewer: "nobody" }, "unknown_name"],
            ["true or false", { op: "view", text: 1 }, "wrong_type"],
            ["needs a viewer", { op: "view", viewer: null }, "wrong_type"],
            ["either action", { op: "apply", seat: 0 }, "missing_field"],
            ["types for a seat", { op: "apply", seat: 0, action: { type: "dance" } }, "unknown_name"],
            ["types for a seat", { op: "apply", seat: 0, action: {} }, "missing_field"],
            ["types for the master", { op: "apply", seat: "master", action: { type: "dance" } }, "unknown_name"],
            ["from 0 to", { op: "apply", seat: 0, index: 100000 }, "out_of_range"],
            ["known: ", { op: "bot", bot: "nobody" }, "unknown_name"],
            ["0 to 1", { op: "bot", seat: 0, aggro: 2 }, "out_of_range"],
            ["known: ", { op: "start", scenario: "nowhere" }, "unknown_name"],
            ["known: ", { op: "start", rules: { nothing: 1 } }, "unknown_name"],
            ["rules of", { op: "start", rules: [] }, "wrong_type"],
            ["from 1 to 10", { op: "start", seats: 11 }, "out_of_range"],
            ["64 bits", { op: "start", seed: 0.5 }, "wrong_type"],
            ["64 bits", '{"op":"start","seed":18446744073709551616}', "out_of_range"],
            ["names must be an array", { op: "start", names: [] }, "bad_rules"],
            ["names are distinct", { op: "start", names: ["all"] }, "bad_rules"],
            ["names are distinct", { op: "start", names: ['"'] }, "bad_rules"],
            ["31 bytes", { op: "start", names: ["x".repeat(32)] }, "too_long"],
            ["saved game", { op: "restore", saved: "AAAA" }, "bad_replay"],
            ["the string from save", { op: "restore" }, "missing_field"],
            ["rules", { op: "prose", what: "joke" }, "unknown_name"],
        ];
        const kept = [{ op: "save" }, { op: "rewards" }, { op: "view", viewer: "all" }, { op: "finish" }];
        const lines = [{ op: "start", seed: 9 }, ...step, ...kept.slice(0, 3)];
        const first = lines.length;
        bad.forEach(([, line]) => lines.push(line));
        lines.push(...kept);
        const undisturbed = talk(game, [{ op: "start", seed: 9 }, ...step, ...kept]).answers.slice(-kept.length);
        const { answers } = talk(game, lines);
        bad.forEach(([says, line, code], i) => {
            const answer = answers[first + i];
            checkAnswer("", answer);
            assert.equal(answer.error.code, code, `${JSON.stringify(line)}: ${answer.error.message}`);
            assert.ok(answer.error.message.includes(says), `${JSON.stringify(line)}: ${answer.error.message}`);
        });
        assert.deepEqual(answers.slice(-kept.length), undisturbed);
    });

    test(`engine ${game}: the same seed gives the same bytes`, () => {
        const lines = [{ op: "start", seed: 77 }];
        for (let i = 0; i < 40; i++) lines.push(...step);
        lines.push({ op: "view", viewer: "all" }, { op: "finish" });
        assert.equal(talk(game, lines).stdout, talk(game, lines).stdout);
    });

    test(`engine ${game}: a restored game goes on as it did, here and elsewhere`, async () => {
        const e = new Engine(game);
        await e.must({ op: "start", seed: 3 });
        const play = async (engine, count) => {
            for (let i = 0; i < count; i++) for (const line of step) await engine.must(line);
            return (await engine.must({ op: "hash" })).hash;
        };
        const moves = countMoves(game, 3), early = Math.min(4, Math.floor(moves / 2)), late = Math.min(3, moves - early);
        const before = await play(e, early);
        const { saved } = await e.must({ op: "save" });
        const after = await play(e, late);
        const first = await e.must({ op: "finish" });
        assert.equal((await e.must({ op: "restore", saved })).replay, true);
        assert.equal((await e.must({ op: "hash" })).hash, before);
        assert.equal(await play(e, late), after);
        assert.deepEqual(await e.must({ op: "finish" }), first);
        await e.close();

        const other = new Engine(game);
        assert.equal((await other.must({ op: "restore", saved })).replay, false);
        assert.equal((await other.must({ op: "hash" })).hash, before);
        await other.must(step[0]);
        assert.equal((await other.ask({ op: "finish" })).error.code, "no_game");
        await other.close();
    });

    test(`engine ${game}: a match by flat indices ends, and its replay says so`, async () => {
        const folder = mkdtempSync(join(tmpdir(), "agon-"));
        const path = join(folder, "match.agon");
        const e = new Engine(game, ["--replay", path]);
        let { turn } = await e.must({ op: "start", seed: 11, viewer: null });
        for (let i = 0; turn.kind !== "over"; i++) {
            assert.ok(i < 20000, "no end in sight");
            const seat = turn.seats[i % turn.seats.length];
            const { legal_mask, choices } = await e.must({ op: "choices", seat, mask: true });
            assert.ok(choices.length > 0);
            const legal = [...legal_mask].flatMap((bit, index) => (bit === "1" ? [index] : []));
            const hard_drop = 6; // what ends a game of Tetris soonest
            const index = tick_ms ? hard_drop : legal[(i * 7919) % legal.length];
            ({ turn } = await e.must({ op: "apply", seat, index, turn: turn.number, viewer: null }));
            if (tick_ms) ({ turn } = await e.must({ op: "tick", count: 20, viewer: null }));
        }
        assert.equal((await e.must({ op: "payoffs" })).over, true);
        const { bytes } = await e.must({ op: "finish" });
        await e.close();
        const file = readFileSync(path);
        assert.equal(file.length, bytes);
        const { status, stdout } = run(["replay", "verify", path]);
        assert.equal(status, 0, stdout);
        rmSync(folder, { recursive: true });
    });
}

test("engine: a replay is the same in an answer and in a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "agon-"));
    const path = join(folder, "match.agon");
    for (let steps = 0; steps < 6; steps++) { // all three ends of base64
        const lines = [{ op: "start", seed: 1 }, ...Array(steps).fill({ op: "bot", play: true }), { op: "finish" }];
        const { replay } = talk("liars_dice", lines).answers.at(-1);
        talk("liars_dice", lines, ["--replay", path]);
        assert.deepEqual(Buffer.from(replay, "base64"), readFileSync(path));
        assert.equal(Buffer.from(replay, "base64").toString("base64"), replay);
    }
    rmSync(folder, { recursive: true });
});

test("engine: ids come back, blank lines and CRLF do no harm, the last line needs no end", () => {
    const { answers } = talk(games[0].name, ['{"op":"about","id":7}\r', "", '{"id":"x","op":"hash"}']);
    assert.deepEqual(answers.map((a) => [a.id, a.ok]), [[7, true], ["x", false]]);
    assert.equal(answers[1].error.code, "no_game");
});

test("engine: a line beyond the limit is refused once, and the next one is heard", () => {
    const limit = 1 << 20;
    const long = (size) => `{"op":"about","id":"${"x".repeat(size)}"}`;
    const fits = `{"op":"about"${" ".repeat(limit - 14)}}`;
    assert.equal(fits.length, limit);
    const { answers } = talk(games[0].name, [fits, fits + " ", long(3 * limit), { op: "about", id: 2 }]);
    assert.deepEqual(answers.map((a) => a.ok || a.error.code), [true, "too_long", "too_long", true]);
});

test("engine: seats have the names they were given", async () => {
    const game = games.find((g) => g.min_seats > 1);
    const names = Array.from({ length: game.min_seats }, (_, i) => `player ${i} é`);
    const e = new Engine(game.name);
    const { seats, turn } = await e.must({ op: "start", seats: names.length, names, seed: 1 });
    assert.deepEqual(seats, names);
    assert.ok(turn.seats.every((seat) => names.includes(seat)));
    assert.equal((await e.must({ op: "view", viewer: names[1] })).viewer, names[1]);
    await e.close();
});

test("engine: an answer to a closed question is stale", async () => {
    const game = games.find((g) => g.min_seats > 1);
    const e = new Engine(game.name);
    const { turn } = await e.must({ op: "start", seed: 1 });
    await e.must({ op: "bot", play: true });
    const now = await e.must({ op: "bot" });
    const late = await e.ask({ op: "apply", seat: now.seat, action: now.action, turn: turn.number });
    assert.equal(late.error.code, "stale");
    await e.close();
});

// What was recorded once is what is said today. UPDATE=1 writes them anew.
test("engine: after the end whoever names no seat is told so", async () => {
    const e = new Engine("texas_holdem");
    await e.must({ op: "start", seats: 2, rules: { hands: 1 } });
    await e.must({ op: "apply", action: { type: "fold" } });
    for (const line of [{ op: "apply", action: { type: "fold" } }, { op: "bot" }, { op: "fallback" }, { op: "choices" }, { op: "drop" }])
        assert.equal((await e.ask(line)).error.code, "game_over", line.op);
    assert.deepEqual((await e.must({ op: "choices", seat: 0 })).choices, []);
    await e.close();
});

const transcripts = `${root}protocol/engine/transcripts/`;
for (const file of readdirSync(transcripts).filter((name) => name.endsWith(".jsonl"))) {
    test(`engine: transcript ${file}`, () => {
        const lines = readFileSync(transcripts + file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
        const sent = lines.flatMap((line) => ("send" in line ? [line.send] : []));
        const { answers } = talk(file.split(".")[0], sent);
        const said = sent.flatMap((send, i) => [{ send }, { receive: answers[i] }]);
        if (process.env.UPDATE) writeFileSync(transcripts + file, said.map((line) => JSON.stringify(line) + "\n").join(""));
        else assert.deepEqual(said, lines);
        sent.forEach((request, i) => checkAnswer(request.op, answers[i]));
    });
}
