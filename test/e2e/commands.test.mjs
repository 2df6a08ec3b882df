// The command line: output, exit status, help, and that man page and completions are complete.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { games, program, root, run } from "./agon.mjs";
import { spawn } from "./lib/children.mjs";
import { scratch } from "./lib/scratch.mjs";

const help = run(["--help"]).stdout;
const [, listed] = help.match(/^Commands:\n((?: {2}.*\n)+)/m);
const commands = [...listed.matchAll(/^ {2}([a-z][a-z-]*) +[^-\s]/gm)].map((match) => match[1]);

test("help names the commands, and each has help of its own", () => {
    for (const known of ["games", "rules", "watch", "simulate", "engine", "bench"]) assert.ok(commands.includes(known), known);
    for (const command of commands) {
        const { status, stdout } = run([command, "--help"]);
        assert.equal(status, 0, command);
        assert.match(stdout, new RegExp(`^Usage: agon ${command} `));
    }
});

test("help can be asked for in every usual way", () => {
    for (const ways of [[["--help"], ["-h"], ["-?"], ["help"], ["help", "help"]],
                        [["serve", "--help"], ["serve", "-h"], ["help", "serve"]],
                        [["replay", "--help"], ["replay", "help"], ["help", "replay"]],
                        [["replay", "verify", "--help"], ["help", "replay", "verify"], ["replay", "help", "verify"]],
                        [["mcp", "--help-all"], ["help", "mcp", "--help-all"]]]) {
        const [first, ...others] = ways.map((words) => run(words));
        assert.equal(first.status, 0, first.stderr);
        assert.match(first.stdout, /^Usage: agon/);
        for (const other of others) assert.deepEqual([other.status, other.stdout, other.stderr], [0, first.stdout, ""]);
    }
});

test("--help shows the options people need, --help-all every option", () => {
    const count = (...words) => [...run(words).stdout.matchAll(/^ {2,6}(?:-., )?--/gm)].length;
    for (const [command, most] of [["serve", 25], ["mcp", 20], ["match", 25], ["tournament", 28], ["tetris", 15]]) {
        const few = count(command, "--help"), all = count(command, "--help-all");
        assert.ok(few >= 8 && few <= most, `${command}: ${few}`);
        const told = run([command, "--help"]).stdout.match(/'agon \S+ --help-all' lists (\d+) more options/);
        assert.equal(few + Number(told[1]), all - 2, command); // --help-all and --usage are listed there too
    }
    for (const title of ["Ports and data", "Who may connect", "House bots", "TLS", "Limits"])
        assert.match(run(["serve", "--help"]).stdout, new RegExp(`^ ${title}:$`, "m"));
    assert.doesNotMatch(run(["games", "--help"]).stdout, /help-all/);
});

test("version is one line", () => assert.match(run(["--version"]).stdout, /^agon \d+\.\d+\.\d+\n$/));

const refused = [
    [[], /COMMAND/],
    [["dance"], /unknown command 'dance'; known: .*simulate/],
    [["simluate"], /unknown command 'simluate'; did you mean 'simulate'\? known: games, rules/],
    [["replay", "verfy"], /agon replay: unknown command 'verfy'; did you mean 'verify'\? known: show/],
    [["admin", "agents", "--data", "/tmp/agon-no-such-folder"], /there is no arena in \/tmp\/agon-no-such-folder; .*--data.*--server/],
    [["admin", "backup", "copy", "--data", "/tmp/agon-no-such-folder"], /there is no arena in/],
    [["help", "sevre"], /unknown command 'sevre'; did you mean 'serve'\?/],
    [["--dance"], /unknown option '--dance'; 'agon --help-all' lists/],
    [["simulate", "coup", "-n", "5", "--sed", "1"], /unknown option '--sed'; did you mean '--seed'\?/],
    [["serve", "--potr=80"], /unknown option '--potr'; did you mean '--port'\?/],
    [["rules"], /which game\?/],
    [["rules", "cuop"], /unknown game 'cuop'; did you mean 'coup'\? known: .*liars_dice/],
    [["rules", "chess"], /unknown game 'chess'; known: .*liars_dice/],
    [["serve", "--check", "--games", "coup,belot"], /--games: unknown game 'belot'; did you mean 'belote'\? known: texas_holdem/],
    [["serve", "--check", "--games", "coup,tetris"], /--games: tetris is not an arena game: it is for one player.*; known: texas_holdem/],
    [["serve", "--check", "--games", ""], /--games: unknown game ''; known: texas_holdem/],
    [["serve", "--check", "--data", "/etc/passwd"], /--data \/etc\/passwd is not a writable folder/],
    [["serve", "--check", "--data", "/etc/passwd/arena"], /--data \/etc\/passwd\/arena is not a writable folder/],
    [["match", "coup", "--unit", "mach"], /--unit: unknown value 'mach'; did you mean 'match'\? known: match, deal/],
    [["tournament", "coup", "--format", "gauntlt"], /--format: unknown value 'gauntlt'; did you mean 'gauntlet'\? known: round_robin, gauntlet, swiss/],
    [["serve", "--log-level", "inf"], /--log-level: unknown value 'inf'; did you mean 'info'\? known: debug, info, warning, error, off/],
    [["mcp", "--log-level", "warnin"], /--log-level: unknown value 'warnin'; did you mean 'warning'\?/],
    [["replay", "export", "--format", "jsn", "x"], /--format: unknown value 'jsn'; did you mean 'json'\? known: json, jsonl/],
    [["tetris-ai", "--clock", "realtme"], /--clock: unknown value 'realtme'; did you mean 'realtime'\?/],
    [["tetris-tbp", "--ruleset", "standrd"], /--ruleset: unknown value 'standrd'; did you mean 'standard'\?/],
    [["mcp", "--bots", "house:4"], /--bots: unknown value 'house:4'; known: 3, 2, 1, 0, search, rules, fallback, random, house:search/],
    [["mcp", "--bots", "4"], /--bots: unknown value '4'; did you mean '3'\?/],
    [["mcp", "--game", "coup", "--scenario", "player_4"], /no scenario 'player_4'; did you mean 'players_4'\?/],
    [["rules", "coup", "--scenario", "player_4"], /no scenario 'player_4'; did you mean 'players_4'\? known: players_4/],
    [["rules", "texas_holdem", "--rules", '{"max_hand":3}'], /texas_holdem has no rule 'max_hand'; did you mean 'max_hands'\? known: format, /],
    [["rules", "texas_holdem", "--rules", '{"format":"csh"}'], /rule 'format' of texas_holdem: unknown value 'csh'; did you mean 'cash'\? known: tournament, cash$/m],
    [["rules", "belote", "--rules", "clasic"], /rule 'ruleset' of belote: unknown value 'clasic'; did you mean 'classic'\? known: standard, classic/],
    [["rules", "tetris", "--rules", '{"goal":5,"ruleset":"x"}'], /rules of tetris, at 'goal': .* type/],
    [["rules", "belote", "--rules", '{"format":"x","target":-4}'], /rules of belote, at 'target': a number is out of range/],
    [["rules", "coup", "--rules", '{"deck":["Jester"]}'], /rule 'deck' of coup: a name in its value is unknown; 'agon rules coup --json' prints/],
    [["rules", "coup", "--rules", '{"scenario":"player_4"}'], /coup has no scenario 'player_4'; did you mean 'players_4'\?/],
    [["match", "coup", "--seat", "house:rulse", "--seat", "house:random"], /no bot 'house:rulse' plays coup; did you mean 'house:rules'\? known: search/],
    [["match", "coup", "--seat", "hous:rules", "--seat", "house:2"], /no bot 'hous:rules' plays coup; did you mean 'house:rules'\? known: search/],
    [["match", "coup", "--seat", "housse:rulse", "--seat", "house:2"], /no bot 'housse:rulse' plays coup; did you mean 'house:rules'\?/],
    [["match", "coup", "--seat", "hosue:4", "--seat", "house:2"], /no bot 'hosue:4' plays coup; did you mean 'house:4'\?/],
    [["match", "coup", "--seat", "house", "--seat", "house:2"], /no bot 'house' plays coup; did you mean 'house:3'\?/],
    [["match", "coup", "--seat", "house:6", "--seat", "house:2"], /no bot 'house:6' plays coup; did you mean 'house:5'\? known: .*house:1 to house:5 by strength/],
    [["simulate", "coup", "--bots", "house:0"], /no bot 'house:0' plays coup; did you mean 'house:1'\?/],
    [["rules", "liars_dice", "--scenario", "x"], /no scenario 'x'; known: standard/],
    [["rules", "liars_dice", "--rules", "{"], /not valid JSON/],
    [["rules", "liars_dice", "--rules", '{"x":1}'], /known: dice_counts/],
    [["rules", "liars_dice", "--seats", "7"], /2 to 6 seats, not 7/],
    [["rules", "liars_dice", "coup"], /one game at a time|unknown game/],
    [["simulate", "liars_dice", "--games", "0"], /--games needs a whole number from 1/],
    [["simulate", "liars_dice", "--games", "1x"], /not '1x'/],
    [["simulate", "liars_dice", "--seed", "-1"], /--seed needs a whole number/],
    [["simulate", "liars_dice", "--bots", "rules,nobody"], /no bot 'nobody' plays liars_dice; known: solved, beliefs, rules/],
    [["simulate", "liars_dice", "--seats", "2", "--bots", "rules,rules,rules"], /more bots than the 2 seats/],
    [["simulate", "liars_dice", "--replays", "/dev/null/x"], /cannot create the folder/],
    [["watch", "liars_dice", "--speed", "0"], /--speed needs a number/],
    [["watch", "liars_dice", "--viewer", "9"], /--viewer needs a seat from 0 to 3/],
    [["engine"], /which game\?/],
    [["bench", "--seconds", "nan"], /--seconds needs a number/],
    [["solve", "coup", "--iterations", "1", "--out", "x"], /coup is not supported; choose one of texas_holdem, liars_dice, /],
    [["exploit"], /which game\? Known: .*kuhn_poker/],
    [["exploit", "tetris"], /tetris is not supported; choose one of .*kuhn_poker/],
    [["rules", "tetris", "--seats", "2"], /tetris has 1 seat, not 2/],
    [["rules", "belote", "--seats", "2"], /belote has 4 seats, not 2/],
    [["match", "coup", "--seat", "house:5@50", "--seat", "house:1"], /'search' of coup does not take '@50'; known: @50ms, @4x\n/],
    [["watch", "coup", "--bots", "rules+tigth"], /'rules' of coup does not take '\+tigth'; known: \+tight, \+loose, \+bluffer, \+caller, @50ms/],
    [["match", "coup", "--seat", "llm:x", "--seat", "house:1"], /'x' is not MODEL@URL, as gpt-x@https:\/\/api.example.com\/v1, and --models FILE was not given/],
    [["match", "coup", "--seat", "house:1", "--seat", "house:1"], /two entrants have the same name, 'house:1'; rename one with LABEL=WHO/],
    [["simulate", "coup", "--seed", "x"], /--seed needs a whole number from 0 to 2\^64 - 1, not 'x'/],
    [["serve", "--check", "--backup-folder", "/etc/passwd/b"], /--backup-folder \/etc\/passwd\/b is not a writable folder/],
    [["admin", "create"], /--name NAME is needed/],
    [["admin", "create-tournament", "--game", "coup"], /--format FORMAT is needed/],
    [["agent", "--game", "coup", "--bot", "cmd:./no-such-bot --fast"], /^agon agent: --bot: cannot start .\/no-such-bot --fast: No such file/],
    [["agent", "--game", "coup", "--bot", "cmd:no-such-bot"], /^agon agent: --bot: cannot start no-such-bot: No such file/],
    [["agent", "--game", "coup", "--history", "/dev/null/x"], /^agon agent: cannot create the folder \/dev\/null\/x/],
    [["solve", "kuhn_poker", "--out", "/dev/null"], /give --iterations or --minutes/],
    [["solve", "kuhn_poker", "--iterations", "1", "--out", "/dev/null/x"], /cannot write \/dev\/null\/x/],
    [["solve", "kuhn_poker", "--iterations", "1", "--out", "/dev/null", "--resume", "/dev/null"], /kuhn_poker .* has no --resume/],
    [["solve", "liars_dice", "--iterations", "1", "--out", "/dev/null", "--resume", root], /cannot read/],
    [["solve", "liars_dice", "--iterations", "1", "--out", "/dev/null", "--resume", `${root}README.md`], /is not a table of liars_dice/],
    [["exploit", "kuhn_poker", "--bot", "nobody"], /no bot 'nobody' plays kuhn_poker/],
    [["serve", "--check", "extra"], /^agon serve: unexpected argument 'extra'/],
    [["bot", "coup", "belote"], /^agon bot: unexpected argument 'belote'/],
    [["play", "kuhn_poker", "--save", "/dev/null/x"], /cannot write \/dev\/null\/x: Not a directory/],
    [["play", "tetris", "--save", "/dev/null/x"], /cannot write \/dev\/null\/x: Not a directory/],
    [["play", "tetris", "--resume"], /--resume does not apply to tetris/],
    [["tetris", "--headless", "--port", "0", "--record", "/dev/null/x"], /cannot write \/dev\/null\/x: Not a directory/],
    [["tetris", "--steps", "5", "--record", "x"], /--record needs a game that is played here/],
    [["agent", "--game", "coup", "--bot", "nobody"], /^agon agent: --bot: no bot 'nobody' plays coup/],
    [["acpc", "./no-such-bot"], /^agon acpc: cannot start .\/no-such-bot: No such file/],
    ...["analyse", "export", "html", "import"].map((command) => [["replay", command, "-o", "/dev/null/x", "x"], /cannot write \/dev\/null\/x: Not a directory/]),
    [["replay", "cut", "-o", "/dev/null/x", "x", "1"], /cannot write \/dev\/null\/x: Not a directory/],
];

for (const [args, says] of refused)
    test(`refused with status 2: agon ${args.join(" ")}`, () => {
        const { status, stderr, stdout } = run(args);
        assert.equal(status, 2);
        assert.match(stderr, says);
        assert.equal(stdout, "");
    });

test("solve makes the table that its head tells of, and exploit measures who plays it", () => { // N4.2, N4.3
    const folder = mkdtempSync(join(tmpdir(), "agon-solve-")), file = join(folder, "table");
    const shipped = readFileSync(`${root}share/tables/kuhn_poker.table`);
    const [, ...words] = shipped.toString("latin1").match(/agon (solve) (\w+) (--iterations) (\d+) (--seed) (\d+) (--threads) (\d+)/);
    const made = run([...words, "--out", file]);
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stderr, /1000 iterations, value of the first seat -0.05/);
    assert.deepEqual(readFileSync(file), shipped);
    rmSync(folder, { recursive: true });
    const { bot, answers } = JSON.parse(run(["exploit", "kuhn_poker", "--bot", "house:5", "--json"]).stdout);
    assert.equal(bot, "solved");
    assert.ok(answers.at(-1).exact && answers.at(-1).value < 0.001, JSON.stringify(answers));
});

test("solve: interrupted, it writes what it has and ends with 1", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agon-solve-")), file = join(folder, "table");
    const child = spawn(program, ["solve", "kuhn_poker", "--iterations", "1000000000", "--out", file]);
    let told = "";
    child.stderr.on("data", (data) => {
        if (!told) child.kill("SIGINT"); // its first line tells that it works
        told += data;
    });
    const status = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(status, 1);
    assert.match(told, /stopping after this step; Ctrl-C again ends at once[^]*agon solve: interrupted; /);
    assert.match(readFileSync(file, "latin1"), /agon solve kuhn_poker .*, interrupted/);
    rmSync(folder, { recursive: true });
});

test("an output that cannot be written is a failure", () => {
    for (const words of ["games", "help", "help admin", "--version", "match --help", "match --usage"]) {
        const { status, stderr } = spawnSync("sh", ["-c", `"${program}" ${words} > /dev/full`], { encoding: "utf8" });
        assert.equal(status, 1, words);
        assert.match(stderr, /^agon: cannot write the output: /, words);
    }
});

test("a reader that has seen enough gets no message", () => {
    const { status, stderr } = spawnSync("bash", ["-c", `"${program}" match coup --seat house:rules --seat house:random --games 2000 --csv | head -n 1 > ${tmpdir()}/agon-head-$$; s=\${PIPESTATUS[0]}; rm ${tmpdir()}/agon-head-$$; exit $s`], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [1, ""]);
});

for (const { name: game, bots, max_seats } of games) {
    test(`rules ${game}: in words, and as options that are accepted again`, () => {
        assert.ok(run(["rules", game]).stdout.length > 200);
        const { rules, seats } = JSON.parse(run(["rules", game, "--json"]).stdout);
        const again = run(["rules", game, "--json", "--rules", JSON.stringify(rules), "--seats", String(seats)]);
        assert.equal(again.status, 0, again.stderr);
        assert.deepEqual(JSON.parse(again.stdout).rules, rules);
    });

    test(`simulate ${game}: the output depends on the seed, not on the threads`, () => {
        const play = (bot, games, threads, seed, ...more) => {
            const done = run(["simulate", game, "--games", String(games), "--max-steps", "500", "--bots", max_seats > 1 ? `${bot},random` : bot,
                              "--threads", String(threads), "--seed", String(seed), ...more]);
            assert.equal(done.status, 0, done.stderr);
            return done.stdout;
        };
        // The strongest is slow with sanitizers. Of two threads one has two games: they share nothing.
        assert.equal(play(bots[0], 3, 2, 5), play(bots[0], 3, 1, 5));
        const quick = bots.includes("rules") ? "rules" : bots[0], one = play(quick, 6, 1, 5);
        assert.match(one, /^\w+: 6 games, seed 5/);
        for (const threads of [2, 5]) assert.equal(play(quick, 6, threads, 5), one); // 5: some have two games
        assert.notEqual(play(quick, 6, 2, 6), one);
        const json = JSON.parse(play(quick, 6, 3, 5, "--json"));
        assert.equal(json.games, 6);
        const wins = json.bots.reduce((sum, bot) => sum + bot.wins, 0);
        assert.ok(Math.abs(wins - 6) < 1e-6, `every game is won once: ${wins}`);
        for (const bot of json.bots) assert.ok(bot.mean_payoff_95[0] <= bot.mean_payoff && bot.mean_payoff <= bot.mean_payoff_95[1]);
    });

    test(`watch ${game}: frames as text where there is no terminal`, () => {
        const args = ["watch", game, "--seed", "3", "--max-steps", "500"];
        const { status, stdout } = run(args);
        assert.equal(status, 0);
        assert.ok(!stdout.includes("\x1b"));
        assert.match(stdout, /payoffs/);
        assert.equal(run(args).stdout, stdout);
    });
}

test("simulate: every game leaves its replay, the same on any number of threads", () => {
    const folder = mkdtempSync(join(tmpdir(), "agon-"));
    const files = (threads) => {
        const to = join(folder, String(threads));
        const done = run(["simulate", "liars_dice", "--games", "20", "--bots", "rules,random", "--threads", String(threads), "--replays", to]);
        assert.equal(done.status, 0, done.stderr);
        return readdirSync(to).sort().map((name) => [name, readFileSync(join(to, name)).toString("hex")]);
    };
    const one = files(1);
    assert.equal(one.length, 20);
    assert.equal(one[0][0], "000000.agon");
    assert.equal(new Set(one.map(([, bytes]) => bytes)).size, 20);
    assert.deepEqual(files(3), one);
    const verified = run(["replay", "verify", ...one.map(([name]) => join(folder, "3", name))]);
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
    rmSync(folder, { recursive: true });
});

test("simulate: one game is one game", () => {
    const { stdout, stderr } = run(["simulate", "coup", "--bots", "rules", "--games", "1"]);
    assert.match(stdout, /^coup: 1 game, seed 1/);
    assert.match(stderr, /^1 game in /m);
});

test("simulate: a better bot is seen to be better", () => {
    const { bots } = JSON.parse(run(["simulate", "liars_dice", "--games", "400", "--seats", "2", "--bots", "rules,random", "--json"]).stdout);
    assert.ok(bots[0].name === "rules" && bots[0].win_share_95[0] > 0.5, JSON.stringify(bots));
});

test("simulate: interrupted, it reports what was played and ends with 1", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agon-"));
    const begun = watch(folder); // its first replay tells that it plays
    const child = spawn(program, ["simulate", "liars_dice", "--games", "100000000", "--json", "--replays", folder]);
    let out = "";
    child.stdout.on("data", (data) => (out += data));
    begun.once("change", () => child.kill("SIGINT"));
    const status = await new Promise((resolve) => child.on("close", resolve));
    begun.close();
    rmSync(folder, { recursive: true });
    assert.equal(status, 1);
    const { games: played, asked_games } = JSON.parse(out);
    assert.ok(played < asked_games);
});

test("bench prints what a machine can read", () => {
    const { status, stdout } = run(["bench", "--json", "--seconds", "0.01"]);
    assert.equal(status, 0);
    const { calib_per_s, results, ...rest } = JSON.parse(stdout);
    assert.deepEqual(rest, {});
    assert.ok(calib_per_s > 0);
    const names = results.map((result) => result.name);
    for (const name of ["tetris.frames", "tetris.placements", "texas_holdem.steps", "liars_dice.steps", "coup.steps", "belote.steps", "eval7"])
        assert.ok(names.includes(name), name);
    for (const { name } of games)
        for (const line of ["replay", "rgb224"]) assert.ok(names.includes(`${name}.${line}`), `${name}.${line}`);
    for (const { name, per_s, calib_per_s: own, calib_units, state_bytes } of results) {
        assert.ok(per_s > 0 && state_bytes > 0, name);
        assert.ok(own <= calib_per_s, name);
        assert.ok(Math.abs(calib_units - per_s / own) < 1e-3, name);
    }
    const some = JSON.parse(run(["bench", "--json", "--seconds", "0.01", "liars_dice"]).stdout).results;
    assert.deepEqual(some.map((result) => result.name), ["liars_dice.steps", "liars_dice.replay", "liars_dice.rgb224", ...some.slice(3).map((result) => result.name)]);
    for (const { name } of some.slice(3)) assert.match(name, /^vec\.liars_dice\.2\.v[12]/);
    assert.ok(some.length >= 6);
});

test("the example plays every game", (t) => {
    if (spawnSync("python3", ["--version"]).error) return t.skip("no python3");
    for (const { name } of games) {
        const done = spawnSync("python3", [`${root}examples/engine_random.py`, name, "2", program], { encoding: "utf8" });
        assert.equal(done.status, 0, `${name}: ${done.stderr}`);
        assert.match(done.stdout, /payoffs: -?\d/);
    }
});

// Every command with all of its options, as its help tells: ["replay verify", ["json", ...]].
function describe(path) {
    const text = run([...path, "--help-all"]).stdout;
    const [, list = ""] = text.match(/^Commands:\n((?: {2}.*\n)+)/m) ?? [];
    const below = [...list.matchAll(/^ {2}([a-z][a-z-]*) /gm)].flatMap((match) => describe([...path, match[1]]));
    const options = [...text.matchAll(/^ {2,6}(?:-., )?--([a-z][a-z-]*)/gm)].map((match) => match[1]);
    return path.length ? [[path.join(" "), options], ...below] : below;
}
const described = describe([]);

// The texts of a command's options, unwrapped: [["json", "Print a JSON object"], ...].
function texts(command) {
    const env = { ...process.env, ARGP_HELP_FMT: "no-dup-args-note,rmargin=2000" };
    const { stdout } = spawnSync(program, [...command.split(" "), "--help-all"], { env, encoding: "utf8" });
    return [...stdout.matchAll(/^ {2,6}(?:-., )?--([a-z][a-z-]*)\S*\s+([^-\s].*)$/gm)].map((match) => [match[1], match[2]]);
}

test("long lists of commands are aligned, to their end", () => {
    const { stdout } = run(["admin", "--help"]);
    const [, list] = stdout.match(/^Commands:\n((?:.+\n)+)/m);
    for (const line of list.trimEnd().split("\n")) assert.match(line, /^ {2}(?=.{18})[a-z-]* +(?<=^.{20})\S.{0,58}$/);
    assert.ok(described.some(([command]) => command === "admin stats"));
});

test("the manual knows every command and option, and describes options as the help does", () => {
    const manual = readFileSync(`${root}man/agon.1.scd`, "utf8");
    const plain = manual.replace(/\s+/g, " ").replaceAll("*", "");
    for (const [command, options] of described) {
        assert.ok(manual.includes(`*agon ${command}*`), command);
        for (const option of options) assert.ok(manual.includes(`*--${option}*`), `${command} --${option}`);
        if (/^(replay|admin) ./.test(command)) continue; // these are described in running text
        for (const [option, text] of texts(command))
            if (!/^(help|help-all|usage|version)$/.test(option)) assert.ok(plain.includes(text), `${command} --${option}: ${text}`);
    }
});

// What the completion of bash offers after these words. The program answers each question once: it is asked the same few
// hundreds of times.
const told = scratch("agon-told-");
function complete(...words) {
    const script = `source "${root}completions/agon.bash"
        agon() { local file="${told}/$*"; [ -f "$file" ] || "${program}" "$@" >"$file"; cat "$file"; }
        COMP_WORDS=(agon "$@"); COMP_CWORD=$#; _agon; printf '%s\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
}

test("bash completes every command, option and game, and the names of a game", () => {
    assert.deepEqual(complete("").filter((word) => !word.startsWith("-")), commands);
    for (const [command, options] of described)
        assert.deepEqual(complete(...command.split(" "), "--").sort(), options.map((option) => `--${option}`).sort(), command);
    for (const menu of ["replay", "verify"])
        assert.deepEqual(complete(menu, ""), described.filter(([path]) => path.startsWith(`${menu} `)).map(([path]) => path.split(" ")[1]));
    for (const { name, scenarios, bots } of games) {
        assert.deepEqual(complete("rules", name.slice(0, -1)), [name]);
        assert.deepEqual(complete("simulate", name, "--bots", ""), bots);
        assert.deepEqual(complete("watch", name, "-S", ""), scenarios);
    }
});

// The shells themselves know best whether they can read them.
for (const [shell, file] of [["zsh", "_agon"], ["fish", "agon.fish"], ["bash", "agon.bash"]])
    test(`${shell} can read its completion`, (t) => {
        const { status, error, stderr } = spawnSync(shell, ["-n", `${root}completions/${file}`], { encoding: "utf8" });
        if (error) return t.skip(`no ${shell}`);
        assert.equal(status, 0, stderr);
    });
