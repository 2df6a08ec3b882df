// docs/adding-a-game.md, word for word: its files are compiled and linked with the libraries of the build folder, and the
// game is played in every way that the page promises. A few planted faults show that a broken page does not pass.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { addRows, GuideGame, readBlocks } from "./lib/guide.mjs";
import { scratch } from "./lib/scratch.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const build = dirname(process.env.AGON ?? `${root}out/dev/agon`);
const page = readFileSync(`${root}docs/adding-a-game.md`, "utf8");
if (!existsSync(join(build, "compile_commands.json"))) throw new Error(`${build} is no build folder: AGON must name the program of one`);

const game = new GuideGame(page, root, build);
const { name } = game;

// --- the files

test("the page has all files of a game, and every block says where it goes", () => {
    const folder = `src/games/${name}`;
    assert.deepEqual(readBlocks(page).map(({ path, isWhole }) => [path, isWhole]), [
        [`docs/spec/${name}.md`, true], [`${folder}/rules/${name}.h`, true], [`${folder}/rules/${name}.c`, true],
        [`${folder}/codec.h`, true], [`${folder}/codec.c`, true], [`${folder}/kit.c`, true],
        ["src/games/games.c", false], [`test/unit/games/${name}.c`, true],
    ]);
    assert.throws(() => readBlocks("text\n\n```c\nint x;\n```\n"), /line 3: a code block is introduced by the path/);
    assert.throws(() => addRows("int x;\n", "extern int nim;", "nim"), /no line has the form/);
});

test("its rules are numbered by a free letter, and every one is tested", async () => {
    assert.match((await game.checkRules()).stdout, /^(\d+) rules defined, \1 cited; \1 requirements, 0 untested$/m);
    const [, letter] = /^- \*\*([A-Z])/m.exec(readFileSync(join(game.tree, `docs/spec/${name}.md`), "utf8"));
    for (const file of readdirSync(`${root}docs/spec`))
        assert.doesNotMatch(readFileSync(`${root}docs/spec/${file}`, "utf8"), new RegExp(`^(- |\\| )?\\*\\*${letter}\\d`, "m"), file);
});

test("its code is formatted like ours", () => game.checkStyle());
test("its own test passes", async () => game.run(await game.buildUnit()));

for (const [file, ...args] of [["property/conformance", name], ["property/pictures"], ["gates/leaks"], ["gates/no_alloc"]])
    test(`what holds for every game holds for it: ${file}`, async () => game.run(await game.buildTest(`test/${file}.c`), args));

test("the small poker games are as small as the page says", () => {
    const most = Number(/folder of at most (\d+) lines/.exec(page)[1]);
    for (const small of ["kuhn_poker", "leduc_poker"]) {
        const files = readdirSync(`${root}src/games/${small}`, { recursive: true }).filter((file) => /\.[ch]$/.test(file));
        const lines = files.map((file) => readFileSync(`${root}src/games/${small}/${file}`, "utf8").split("\n").length - 1);
        assert.ok(lines.reduce((a, b) => a + b) <= most, small);
    }
});

// --- faults

const rules = (g) => g.buildRules();
const faults = [
    ["a rule that no test cites", "// D1.4\nstatic void dice", "static void dice", (g) => g.checkRules(), /D1\.4 is cited by no test/],
    ["a rule that is not defined", "// D1.3\n", "// D1.7\n", (g) => g.checkRules(), /D1\.7 is defined nowhere/],
    ["a hole in the state", "uint16_t acted; ", "uint8_t acted;  ", rules, /padding struct/],
    ["rules that see the codec", '#include "game/game.h"', '#include "codec/codec.h"', rules, /codec\/codec\.h/],
    ["rules that print", "SEAT(s->acted), .number", "SEAT(s->acted + !__builtin_puts(\"x\")), .number", rules, /not pure, it needs: puts/],
    ["rules that the rules refute", "s->die[1] > s->die[0]", "s->die[1] < s->die[0]", async (g) => g.run(await g.buildUnit()), /the_higher_die_wins/],
    ["a view that shows every die", "seat == viewer || is_over(s) ?", "viewer >= 0 ?",
        async (g) => g.run(await g.buildTest("test/property/conformance.c"), [name]), /a view does not depend on what is hidden/],
    ["a codec with a typing error", "write_dice(t, table, v->die)", "write_dise(t, table, v->die)", (g) => g.buildObjects(), /write_dise/],
    ["a kit of another name", "const struct game_kit high_die_kit = {", "const struct game_kit high_kit = {", (g) => g.buildUnit(), /high_die_kit/],
];

for (const [what, right, wrong, follow, says] of faults)
    test(`a fault is noticed: ${what}`, async () => {
        assert.equal(page.split(right).length, 2, `the page has this once: ${right}`);
        const spoilt = new GuideGame(page.replace(right, () => wrong), root, build);
        await assert.rejects(follow(spoilt), (error) => says.test(`${error.message}${error.stdout}${error.stderr}`) || assert.fail(error));
    });

// --- the program

const program = process.env.AGON = await game.buildAgon();
const { games, run, talk } = await import("./agon.mjs");
const { Arena } = await import("./lib/arena.mjs");
const { agonBot } = await import("./lib/bots.mjs");
const { sdk } = await import("./lib/mcp.mjs");
const files = scratch("agon-guide-replays-");

function must(args) {
    const { status, stdout, stderr } = run(args);
    assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
    return stdout;
}

test("games: it is listed last", () => {
    const { bots, min_seats, max_seats } = games.at(-1);
    assert.equal(games.at(-1).name, name);
    assert.deepEqual([bots, min_seats, max_seats], [["random", "fallback"], 2, 2]);
});

test("rules: in words, and with options", () => {
    assert.match(must(["rules", name]), /a die with 6 sides/);
    assert.match(must(["rules", name, "--scenario", "twenty_sides"]), /a die with 20 sides/);
    assert.deepEqual(JSON.parse(must(["rules", name, "--rules", '{"sides":8}', "--json"])).rules, { sides: 8 });
    const { status, stderr } = run(["rules", name, "--rules", '{"sides":21}']);
    assert.equal(status, 2);
    assert.match(stderr, /'sides': a number is out of range/);
});

test("watch: a match at the terminal", () => {
    const shown = must(["watch", name, "--seed", "1", "--speed", "1000"]);
    assert.match(shown, /has a hidden die/);
    assert.match(shown, /over; payoffs: random_0 -?\d random_1 -?\d/);
});

test("simulate and replay: the same seed gives the same games, which can be shown and verified", () => {
    const play = (...more) => must(["simulate", name, "--games", "20", "--seed", "1", ...more]);
    assert.match(play("--replays", files), /^high_die: 20 games/);
    assert.equal(play("--threads", "1"), play("--threads", "2"));
    const replays = readdirSync(files).map((file) => join(files, file));
    assert.match(must(["replay", "verify", ...replays]), /^20 files: 20 ok/m);
    assert.match(must(["replay", "show", replays[0]]), /is to act: keep or roll/);
});

test("match and tournament: between house bots", () => {
    const seats = ["--seat", "house:random", "--seat", "house:fallback", "--games", "20", "--seed", "1"];
    assert.match(must(["match", name, ...seats]), /20 games in mirrored sets of 2/);
    assert.match(must(["tournament", name, ...seats, "--seat", "third=house:fallback"]), /^ *\d +third /m);
});

test("bot API: a bot server plays a match", async () => {
    const { url } = await agonBot(name);
    assert.match(must(["match", name, "--seat", url, "--seat", "house:random", "--games", "4", "--seed", "1"]), /4 games in mirrored sets/);
});

test("engine: one request a line", () => {
    const { answers } = talk(name, [{ op: "start", seed: 5 }, { op: "choices", seat: 0 }, { op: "apply", seat: 0, action: { type: "roll" } },
        { op: "view", viewer: 0 }, { op: "apply", seat: 1, index: 1 }, { op: "payoffs" }]);
    assert.ok(answers.every((answer) => answer.ok), JSON.stringify(answers));
    assert.deepEqual(answers[1].choices, [{ type: "keep" }, { type: "roll" }]);
    const { view } = answers[3];
    assert.equal(view.dice, null);
    assert.ok(view.die >= 1);
    assert.deepEqual(view.actions, { seat_0: "roll", seat_1: null });
});

test("bench: steps, replays and pictures", () => {
    const { results } = JSON.parse(must(["bench", "--json", "--seconds", "0.01", name]));
    assert.deepEqual(results.slice(0, 3).map((result) => result.name), ["steps", "replay", "rgb224"].map((line) => `${name}.${line}`));
    assert.deepEqual(results.slice(3).map((result) => result.name.replace(/\.\d+\./, ".N.")), ["v1", "v1.bytes", "v1.threads2"].map((line) => `vec.${name}.N.${line}`));
});

test("arena: agents play each other, and the match is listed with its replay", async () => {
    const arena = await Arena.start(["--games", name, "--seed", "1"]);
    const report = JSON.parse(must(["agent", "--server", arena.url, "--game", name, "--agents", "2", "--seed", "1", "--json"]));
    assert.deepEqual([report.finished, report.errors, report.faults], [2, 0, 0]);
    const { body } = await arena.call("GET", "/api/matches");
    const [match] = body.matches;
    assert.deepEqual([match.game, match.status, match.players.length], [name, "completed", 2]);
    const replay = await arena.call("GET", `/api/replays/${match.id}`);
    assert.equal(replay.status, 200);
    await arena.stop();
});

// What a game without a reader of its views cannot do is refused by name.
test("play --server: the terminal says that it cannot read the game's messages", () => {
    const { status, stderr } = run(["play", name, "--server", "http://127.0.0.1:1"]);
    assert.equal(status, 2);
    assert.match(stderr, /cannot be played on a server at the terminal, which cannot read its messages back; play it here/);
});

// Every answer and the manifest are checked against the shapes of Game-RL on their way (lib/rl_shapes.mjs).
test("MCP: an episode by the official client", async () => {
    const client = await sdk(["--game", name]);
    const call = async (tool, args) => (await client.callTool({ name: tool, arguments: { agent_id: "me", ...args } })).structuredContent;
    await client.readResource({ uri: "game://manifest" });
    await call("register_agent", { agent_type: "EntityBehavior" });
    let step = await call("reset", { seed: 7 });
    assert.ok(step.observation.die >= 1);
    assert.equal(step.observation.dice, null);
    assert.deepEqual(step.available_actions.map((a) => a.type), ["keep", "roll"]);
    step = await call("sim_step", { action: step.available_actions[1] });
    assert.equal(step.done, true);
    assert.equal(Object.keys(step.observation.dice).length, 2);
    await client.close();
});

// The assertions that depend on the game most: spaces, masks and actions agree, a match ends, something is hidden.
test("MCP: agon verify gamerl", () => {
    const gates = ["C49", "C52", "C53", "C54", "C56", "C81", "C112", "C113"];
    const report = JSON.parse(must(["verify", "gamerl", "--json", "--patience", "20", "--gates", gates.join(), "--", program, "mcp", "--game", name]));
    const passed = report.assertions.filter((a) => a.verdict === "pass").map((a) => a.id);
    assert.deepEqual(passed, gates);
});

// The tests that go through all games, for this one.
test("the tests of every game that name it pass", async () => {
    const env = { ...process.env, AGON: program };
    delete env.NODE_TEST_CONTEXT; // it is a run of its own
    const files = ["commands", "engine"].map((file) => `${root}test/e2e/${file}.test.mjs`);
    const args = ["--test", "--test-reporter=tap", `--test-name-pattern=${name}`, ...files];
    const { stdout } = await game.run(process.execPath, args, { env }).catch((error) => error); // it says what failed
    assert.match(stdout, /^# fail 0$/m, stdout.replace(/^(#|ok|  ).*SKIP.*\n/gm, ""));
    assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)[1]) >= 5, stdout);
});
