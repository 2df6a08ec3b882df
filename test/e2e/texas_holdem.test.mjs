// Texas Hold'em: cash matches, luck corrections, hands in the formats of other programs, ACPC bots.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { program, root, run, talk } from "./agon.mjs";
import { Agent, Arena, play } from "./lib/arena.mjs";
import { scratch } from "./lib/scratch.mjs";

const folder = scratch("agon-poker-");
after(() => rmSync(folder, { recursive: true }));

test("a cash match in the arena", async () => { // N12.2, N12.6
    const arena = await Arena.start(["--house-wait", "100", "--fill-wait", "50", "--message-rate", "1000", "--message-burst", "1000", "--rules", 'texas_holdem={"format":"cash","max_hands":3}']);
    const agent = await Agent.connect(arena, await arena.register("Wire", { auto_confirm: true }));
    agent.join("texas_holdem", { one_shot: true });
    const start = await agent.next("game_start");
    assert.deepEqual([start.data.config.format, start.data.config.blinds_double_at], ["cash", 0]);
    const first = await agent.next("action_request");
    assert.ok(Number.isInteger(first.data.state.your_net));
    agent.act(first, { type: first.data.legal_actions[0].type }); // fold, or check
    const [over] = await play(agent); // every frame is as the schemas have it
    assert.equal(Object.values(over.data.result.payoffs).reduce((sum, n) => sum + n, 0), 0);
    await agent.close();
    await arena.stop();
});

test("a single hand is a cash match", () => { // N12.7
    const args = ["match", "texas_holdem", "--seat", "house:rules", "--seat", "house:random", "--unit", "deal", "--games", "20", "--seed", "1", "--csv"];
    const [head, ...rows] = run(args).stdout.trim().split("\n").map((line) => line.split(","));
    const at = (name) => head.indexOf(name);
    for (const row of rows) assert.equal(Number(row[at("payoff_0")]) + Number(row[at("payoff_1")]), 0);
    assert.ok(rows.some((row) => Number(row[at("payoff_0")]) < 0));
});

test("cash matches over the engine's wire", () => { // N12.2
    const [, view, prose, ...rest] = talk("texas_holdem", [{ op: "start", seed: 1, seats: 2, rules: { format: "cash", max_hands: 2 } }, { op: "view", viewer: 0 }, { op: "prose", what: "rules" }, ...Array(2).fill({ op: "act", seat: 0, action: { type: "fold" } })]).answers;
    assert.match(JSON.stringify(view), /"net":0/);
    assert.match(JSON.stringify(prose), /Every hand begins with these stacks anew/);
    assert.doesNotMatch(JSON.stringify(prose), /doubled/);
    assert.ok(rest.length === 2);
});

// The hands were accepted by PokerKit, with the same final stacks, when they were put here (make gate GATE=phh).
for (const name of ["two", "six", "short"])
    test(`the golden hands of ${name}`, () => { // N13.1 to N13.9
        const replay = `${root}test/golden/hands/${name}.agon`, golden = `${root}test/golden/hands/${name}.phhs`, text = readFileSync(golden, "utf8");
        const { status, stdout, stderr } = run(["replay", "export", "--format", "phh", replay]);
        assert.deepEqual([status, stdout], [0, text]);
        if (name === "short") assert.match(stderr, /12 hands written, 1 marked _agon_nonstandard, 0 calls of a short big blind, 0 unfinished/);
        else assert.equal(stderr, "");
        const hands = text.match(/^\[\d+\]$/gm).length, one = join(folder, "one.agon");
        for (let hand = 1; hand <= hands; hand++) {
            const read = run(["replay", "import", golden, "--hand", String(hand), "-o", one]); // compares finishing_stacks
            assert.equal(read.status, 0, read.stderr);
            assert.equal(run(["replay", "verify", one]).status, 0);
        }
        assert.match(run(["replay", "import", golden]).stderr, /the file has \d+ hands; choose one with --hand N/);
    });

test("hands that cannot be written or read", () => { // N13.9
    const file = join(folder, "bad.phh");
    for (const [text, says] of [["variant = 'FT'\n", /variant is 'FT'; NT, no-limit Texas Hold'em, is expected/], ["variant 'NT'\n", /line 1/], ["", /AGT1|line/]]) {
        writeFileSync(file, text);
        const { status, stderr } = run(["replay", "import", file, "-o", join(folder, "none.agon")]);
        assert.equal(status, 1);
        assert.match(stderr, says);
    }
    const dice = join(folder, "dice");
    run(["match", "liars_dice", "--seat", "house:rules", "--seat", "house:random", "-n", "2", "--seed", "1", "--replays", dice]);
    const refused = run(["replay", "export", "--format", "phh", join(dice, "000000.agon")]);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /hands \(phh\) are for texas_holdem; this is liars_dice/);
    const own = run(["replay", "export", "--format", "phh", "--seat", "0", `${root}test/golden/hands/two.agon`]).stdout;
    assert.match(own, /\?\?\?\?/);
    assert.doesNotMatch(own, /_agon_seed/);
});

test("luck is taken off the chips", () => { // N14.4
    const journal = join(folder, "lucky"), args = ["match", "texas_holdem", "--seat", "house:rules", "--seat", "house:random", "--unit", "deal", "--games", "300", "--seed", "4"];
    const report = JSON.parse(run([...args, "--journal", journal, "--json"]).stdout), { corrected, mean, margins } = report.comparison;
    assert.deepEqual(corrected.map((one) => one.by), ["all-in EV", "equity correction"]);
    const raw = margins[0].standard_error / 4; // 100 hands of 200 chips a big blind, half of the lead over the other
    for (const one of corrected) {
        assert.ok(Math.abs(one.mean - mean) < 4 * (raw + one.standard_error), JSON.stringify(one)); // what was taken off has the mean 0
        assert.ok(Math.abs(one.factor - (raw / one.standard_error) ** 2) < 0.01);
    }
    assert.ok(corrected[0].factor > 1 && corrected[1].factor > 1);
    assert.deepEqual(JSON.parse(run([...args, "-j", "1", "--json"]).stdout), report); // whatever the threads
    assert.deepEqual(JSON.parse(run([...args, "--journal", journal, "--json"]).stdout), report); // all from the journal
    writeFileSync(journal, readFileSync(journal, "utf8").replace(/,"luck":\[[^\]]*\]/, "")); // of one game it is not known
    assert.equal(JSON.parse(run([...args, "--journal", journal, "--json"]).stdout).comparison.corrected, undefined);
    assert.match(run(args).stdout, /^chips, by equity correction \(constants 9\.5 bb, 3\.5, 2\.4, 1\.6\): [+-][\d.]+ \(.*\) bb\/100, standard error [\d.]+; without it \d+\.\d\d times as many hands$/m);
});

test("luck is taken off by a known strategy", () => { // N14.5, N14.9
    const journal = join(folder, "known"), args = ["match", "texas_holdem", "--seat", "house:5", "--seat", "house:plain", "--unit", "deal", "--games", "80", "--seed", "4", "--no-mirror"];
    const without = JSON.parse(run([...args, "--json"]).stdout), report = JSON.parse(run([...args, "--aivat", "--journal", journal, "--json"]).stdout);
    const { corrected, mean } = report.comparison;
    assert.deepEqual(corrected.map((one) => one.by), ["all-in EV", "equity correction", "AIVAT"]);
    assert.deepEqual(corrected.slice(0, 2), without.comparison.corrected); // nothing else has changed
    assert.ok(corrected[2].factor > corrected[1].factor, JSON.stringify(corrected));
    assert.ok(Math.abs(corrected[2].mean - mean) < 4 * corrected[2].standard_error * (1 + corrected[2].factor ** 0.5));
    assert.deepEqual(JSON.parse(run([...args, "--aivat", "-j", "1", "--json"]).stdout), report); // whatever the threads
    assert.deepEqual(JSON.parse(run([...args, "--aivat", "--journal", journal, "--json"]).stdout), report); // all from the journal
    assert.deepEqual(JSON.parse(run([...args, "--journal", journal, "--json"]).stdout).comparison.corrected, without.comparison.corrected);
    assert.match(run([...args, "--aivat", "--journal", journal]).stdout, /^chips, by AIVAT \(49 constants .*\): [+-][\d.]+ \(.*\) bb\/100, standard error [\d.]+; without it \d+\.\d\d times as many hands$/m);
    for (const [[game, ...seats], says] of [[["texas_holdem", "rules", "plain"], /AIVAT needs two entrants .*house:5 or house:4/], [["kuhn_poker", "5", "random"], /luck is not measured in this game/]])
        assert.match(run(["match", game, ...seats.flatMap((name) => ["--seat", `house:${name}`]), "--aivat"]).stderr, says);
});

// A bot of the competition, as its dealer starts it: HOST and PORT last. It keeps what it is sent.
const competitor = join(folder, "competitor.mjs");
writeFileSync(competitor, `
import { appendFileSync } from "node:fs";
import { connect } from "node:net";
import { beSlow } from "${new URL("lib/wait.mjs", import.meta.url)}";
const [log, how, host, port] = process.argv.slice(2), socket = connect(port, host);
let rest = "", answered = 0;
socket.setEncoding("utf8");
socket.write(how === "old" ? "VERSION:1.0.0\\r\\n" : "VERSION:2.0.0\\r\\n");
console.log("hello"); // is not for the referee
socket.on("data", (bytes) => {
    const lines = (rest + bytes).split("\\r\\n");
    rest = lines.pop();
    for (const line of lines) {
        beSlow(50).then(() => appendFileSync(log, line + "\\n")); // its last line is waited for
        if (how === "leave" && ++answered === 3) process.exit(0);
        // Always: what is not its turn is ignored. Sizes: too small, too large, in between.
        const words = how === "nonsense" ? ["x"] : ["c", "r1", "r777", "c", "r99999", "f", "c"];
        socket.write("# a comment\\r\\n" + line + ":" + words[line.length % words.length] + "\\r\\n");
    }
});
`);
const duel = (how, rules, ...more) => {
    const log = join(folder, `${how}.log`), replays = join(folder, how);
    const bot = `cmd:${program} acpc ${process.execPath} ${competitor} ${log} ${how}`;
    return { log, replays, ...run(["match", "texas_holdem", "--seat", `a=${bot}`, "--seat", "b=house:rules", "--games", "2", "--seed", "4", "-v", "--rules", rules, "--replays", replays, ...more]) };
};

test("a bot of the ACPC plays at a seat", () => { // N16.1 to N16.7
    const { status, stdout, stderr, log, replays } = duel("play", '{"format":"cash","max_hands":12}', "--tables", "1", "--json");
    assert.equal(status, 0, stderr);
    assert.equal(JSON.parse(stdout).forfeited, 0);
    const sent = readFileSync(log, "utf8").trim().split("\n").map((line) => line.match(/^MATCHSTATE:([01]):(\d+):([^:]*):([^:]*)$/));
    assert.ok(sent.every(Boolean));
    // Every hand begins without betting and ends as the match log has it.
    const logs = ["000000", "000001"].map((name) => run(["replay", "export", "--format", "acpc", join(replays, `${name}.agon`)]).stdout.trim().split("\n"));
    const ends = logs.flatMap((lines) => lines.filter((line) => line.startsWith("STATE:")).map((line) => line.split(":")));
    assert.equal(ends.length, 24);
    const last = new Map(sent.map(([, position, hand, betting, cards]) => [Number(hand), { position, betting, cards }]));
    assert.deepEqual([...last.keys()], ends.map((_, i) => i)); // the program is kept, and hands are counted on
    ends.forEach(([, hand, betting, cards, net, names], i) => {
        const { position, ...end } = last.get(i), folds = betting.endsWith("f");
        assert.equal(Number(hand), i % 12);
        assert.equal(names.split("|")[position], "a");
        assert.equal(end.betting, betting);
        const [hands, ...board] = cards.split("/"), own = hands.split("|").map((h, k) => (k === Number(position) || !folds ? h : "")).join("|");
        assert.equal(end.cards, [own, ...board].join("/"));
        assert.equal(net.split("|").reduce((sum, n) => sum + Number(n), 0), 0);
    });
    assert.ok(ends.some(([, , betting]) => betting.includes("r") && betting.includes("/")));
    for (const lines of logs) assert.match(lines.at(-1), /^SCORE:-?\d+\|-?\d+:(a\|b|b\|a)$/);
});

test("bots of the ACPC that cannot play", () => { // N16.2, N16.7
    assert.match(duel("play", "{}").stderr, /the program ended: exit status \d; its last output: .*cash matches/);
    assert.match(duel("play", '{"format":"cash","ante":5}').stderr, /play without an ante/);
    assert.match(duel("old", '{"format":"cash"}').stderr, /must begin with VERSION:2.0.0/);
    assert.match(duel("leave", '{"format":"cash"}').stderr, /closed its connection/);
    assert.match(duel("nonsense", '{"format":"cash"}').stderr, /illegal answer/);
    const none = run(["match", "texas_holdem", "--seat", `a=cmd:${program} acpc /no/such/bot`, "--seat", "b=house:rules", "--games", "2", "--rules", '{"format":"cash"}']);
    assert.match(none.stderr, /cannot start \/no\/such\/bot/);
    assert.equal(run(["match", "texas_holdem", "--seat", "house:rules", "--seat", "house:random", "--games", "2", "--replays", folder, "--seed", "1"]).status, 0);
    const log = run(["replay", "export", "--format", "acpc", join(folder, "000000.agon")]);
    assert.notEqual(log.status, 0);
    assert.match(log.stderr, /cash matches without an ante/);
});
