// What a contest reports and accepts, as in tools for chess engines: pairs by result, crosstables, given deals, clocks, progress.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { program, root, run } from "./agon.mjs";
import { spawn } from "./lib/children.mjs";
import { scratch } from "./lib/scratch.mjs";
import { Terminal } from "./lib/tmux.mjs";
import { until, within } from "./lib/wait.mjs";

const folder = scratch("agon-habits-");
after(() => rmSync(folder, { recursive: true }));
const isReport = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(readFileSync(`${root}protocol/contest/schema/report.schema.json`)));
const parse = (stdout) => {
    const report = JSON.parse(stdout);
    assert.ok(isReport(report), JSON.stringify(isReport.errors));
    return report;
};
const two = ["--seat", "house:rules", "--seat", "house:random", "--seed", "3"];

test("pairs by result, likelihood of superiority, normalised Elo", () => { // N11.1, N11.2, N11.3
    const args = ["match", "coup", ...two, "--games", "60"], { comparison } = parse(run([...args, "--json"]).stdout);
    const { DD, ...kinds } = comparison.pentanomial;
    assert.deepEqual(Object.values(kinds), comparison.pairs);
    assert.equal(DD, 0); // nobody draws in Coup
    const scores = [0, 0.25, 0.5, 0.75, 1], mean = comparison.pair_mean;
    const variance = comparison.pairs.reduce((sum, n, k) => sum + (n * (scores[k] - mean) ** 2) / 30, 0);
    assert.ok(Math.abs(comparison.normalised_elo - ((800 / Math.log(10)) * (mean - 0.5)) / Math.sqrt(2 * variance)) < 0.02);
    assert.ok(comparison.los > 0.9 && comparison.los <= 1);
    const { stdout } = run(args);
    assert.match(stdout, /^pentanomial: LL \d+, LD \d+, DD\+WL \d+, WD \d+, WW \d+ \(\d+ WL, 0 DD\)$/m);
    assert.match(stdout, /^likelihood of superiority: \d+\.\d\d %, normalised Elo \+\d+\.\d \(/m);
    const chips = run(["match", "texas_holdem", ...two, "--games", "20", "--unit", "deal"]).stdout;
    assert.match(chips, /^likelihood of superiority: \d+\.\d\d %$/m); // the Elo above it is normalised already
});

test("a p that twelve decimals cannot show is not 0", () => {
    const args = ["match", "tetris", ...two, "--games", "40", "--max-steps", "1500"];
    const { p, p_exact, words } = parse(run([...args, "--json"]).stdout).comparison;
    assert.equal(words, "highly significant");
    assert.equal(p_exact, 0.000001907349); // of 20 wins in 20 games, 2 / 2 ** 20
    assert.ok(p > 0 && p < 1e-12, `${p}`);
    const told = Number(run(args).stdout.match(/, p = (\S+): highly significant/)[1]);
    assert.ok(Math.abs(p / told - 1) < 0.01, `${p}, told ${told}`);
});

test("a p that no double can show is not 0 either", () => {
    const { stdout } = run(["match", "coup", "--seat", "house:rules", "--seat", "house:fallback", "--seed", "3", "--games", "4000"]);
    assert.match(stdout, /^won games: score .*, p < 1e-300 exact, .*: highly significant$/m);
    assert.doesNotMatch(stdout, /p = 0\b(?!\.)/);
});

test("a crosstable has everybody against everybody", () => { // N11.7
    const args = ["tournament", "coup", ...two, "--seat", "house:honest", "--games", "24"], report = parse(run([...args, "--json"]).stdout);
    assert.equal(report.crosstable.length, 3);
    for (const { first, second, games, score, pentanomial } of report.crosstable) {
        assert.equal(games, 8);
        const { DD, ...kinds } = pentanomial;
        assert.equal(Object.values(kinds).reduce((sum, n, k) => sum + (n * k) / 2, 0), score, `${first}, ${second}`);
    }
    const points = (name) => report.crosstable.reduce((sum, c) => sum + (c.first === name ? c.score : c.second === name ? c.games - c.score : 0), 0);
    for (const row of report.standings) assert.equal(points(row.entrant), row.wins + row.draws / 2);
    const [, table] = run(args).stdout.split("\ncrosstable: points of games of the row against the column\n");
    const [head, ...rows] = table.split("\n").slice(0, 4).map((line) => line.trim().split(/\s+/));
    assert.deepEqual(head, ["player", "1", "2", "3"]);
    rows.forEach((row, i) => assert.equal(row[2 + i], "."));
    assert.match(rows[0][3], /^[\d.]+\/8$/);
    assert.match(run(["tournament", "texas_holdem", "--seat", "house:rules", "--seat", "house:random", "--seat", "house:fallback", "--unit", "deal", "--games", "12", "--seed", "1"]).stdout, /lead of the row against the column\n.*\n.* [+-]\d+\.\d/);
});

test("deals from a file", () => { // N11.5
    const file = join(folder, "deals"), seeds = (stdout) => stdout.trim().split("\n").slice(1).map((line) => line.split(",").at(-1));
    const args = ["match", "liars_dice", ...two, "--csv"], drawn = run([...args, "--games", "6"]).stdout;
    writeFileSync(file, `# three deals\n\n${[...new Set(seeds(drawn))].join("\n")}\n`);
    assert.equal(run([...args, "--deals", file, "--seed", "77"]).stdout, drawn); // the same deals, the same games
    writeFileSync(file, "5\n 6 \r\n");
    assert.deepEqual(seeds(run([...args, "--deals", file]).stdout), ["5", "5", "6", "6"]);
    const all = run(["tournament", "liars_dice", ...two, "--seat", "house:fallback", "--deals", file, "--csv"]).stdout;
    assert.deepEqual(seeds(all), [...Array(6).fill("5"), ...Array(6).fill("6")]);
    for (const [text, says] of [["5\nsix\n", /deals, line 2: expected a seed, a whole number/], ["-5\n", /line 1: expected/], ["9223372036854775808\n", /line 1/], ["# none\n", /has no deals/]]) {
        writeFileSync(file, text);
        const { status, stdout, stderr } = run([...args, "--deals", file]);
        assert.deepEqual([status, stdout], [2, ""]);
        assert.match(stderr, says);
    }
    writeFileSync(file, "5\n");
    assert.match(run([...args, "--deals", file, "--games", "4"]).stderr, /needs 2 deals and 1 are given/);
    assert.match(run([...args, "--deals", join(folder, "nowhere")]).stderr, /cannot read the deals in .*: No such file/);
});

// A program that answers at once, or never.
for (const [name, choose] of Object.entries({ prompt: "{index: 0}", silent: "null" }))
    writeFileSync(join(folder, `${name}.mjs`), `
        import { createInterface } from "node:readline";
        for await (const line of createInterface({ input: process.stdin })) {
            const { op, id } = JSON.parse(line), action = op === "choose" ? ${choose} : undefined;
            if (id && action !== null) console.log(JSON.stringify({ id, action }));
        }`);
const played = (name) => `${name}=cmd:${process.execPath} ${join(folder, `${name}.mjs`)}`;

// A bot behind HTTP whose decisions wait for `ready`.
async function serveWaiting(ready) {
    const server = createServer((request, response) => {
        request.on("data", () => {});
        request.on("end", async () => {
            if (request.url.endsWith("choose-action")) await ready;
            response.writeHead(200);
            response.end(JSON.stringify(request.url.endsWith("/sessions") ? { sessionId: "1" } : { index: 0 }));
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    after(() => (server.closeAllConnections(), server.close()));
    return `http://127.0.0.1:${server.address().port}`;
}

test("whoever overruns its clock forfeits", async () => { // N11.6
    const journal = join(folder, "clocked"), args = ["match", "coup", "--seat", played("silent"), "--seat", "house:random", "--seed", "1", "--games", "2"];
    const lost = run([...args, "--clock", "0.2+5", "--on-error", "fallback", "--journal", journal, "-v", "--json"]);
    assert.equal(lost.status, 1);
    const row = parse(lost.stdout).standings.find((one) => one.entrant === "silent");
    assert.deepEqual([row.losses, row.forfeits, row.overruns, row.trouble.timeout], [2, 2, 2, 2]); // whatever --on-error says
    assert.match(lost.stderr, /game 0, seat 0, silent: its clock of 0\.2 s, plus 5 s per decision, has run out\n/);
    assert.equal(readFileSync(journal, "utf8").split('"overran":true').length, 3);
    assert.match(run([...args, "--clock", "0.2+6", "--journal", journal]).stderr, /belongs to another contest/);
    assert.match(run([...args, "--clock", "0.2+5", "--journal", journal]).stdout, /silent .* 2 forfeited, 2 on time/); // read back
    const failing = parse(run([...args, "--clock", "0.3", "--timeout", "200", "--on-error", "fallback", "--json"]).stdout).standings.find((one) => one.entrant === "silent");
    assert.deepEqual([failing.forfeits, failing.overruns], [2, 2]); // decisions that failed have taken their time
    const late = parse(run([...args, "--clock", "60", "--timeout", "200", "--json"]).stdout).standings.find((one) => one.entrant === "silent");
    assert.deepEqual([late.forfeits, late.overruns], [2, 0]); // the limit of a decision came first
    const kept = parse(run(["match", "coup", "--seat", played("prompt"), "--seat", "house:random", "--seed", "1", "--games", "2", "--clock", "300+1", "--json"]).stdout);
    assert.deepEqual([kept.forfeited, kept.standings[0].overruns], [0, 0]);
    const far = await serveWaiting(new Promise(() => {})), child = spawn(program, ["match", "coup", "--seat", `far=${far}`, "--seat", "house:random", "--seed", "1", "--games", "2", "--clock", "0.2", "--json"], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.on("data", (bytes) => (stdout += bytes));
    await within(60000, new Promise((resolve) => child.on("close", resolve)), "end of the contest");
    assert.equal(parse(stdout).standings.find((one) => one.entrant === "far").overruns, 2);
    for (const clock of ["", "x", "-1", "60+", "60+x", "0", "60+-1", "100000"]) assert.match(run([...args, "--clock", clock]).stderr, /--clock needs seconds and an increment, as 60\+0\.5/);
    assert.match(run(["match", "coup", ...two, "--clock", "60"]).stderr, /--clock is for remote players/);
});

test("lines of progress without a terminal", async () => { // N11.4
    let go;
    const address = await serveWaiting(new Promise((resolve) => (go = resolve)));
    const child = spawn(program, ["match", "coup", "--seat", `far=${address}`, "--seat", "house:random", "--seed", "1", "--games", "2", "--tables", "1", "--progress", "1"], { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (bytes) => (stderr += bytes));
    await until(() => /^0 of 2 games, 0 per second\n/.test(stderr), "a line"); // it holds its first answer until then
    go();
    await within(60000, new Promise((resolve) => child.on("close", resolve)), "end of the contest");
    assert.doesNotMatch(stderr, /\x1b|\r/);
});

test("a table that lives on a terminal", async () => { // N11.4
    let go;
    const address = await serveWaiting(new Promise((resolve) => (go = resolve))), terminal = new Terminal({ columns: 70 });
    after(() => terminal.close());
    terminal.type(`$agon match coup --seat far=${address} --seat house:random --seed 1 --games 2 --tables 1`);
    await terminal.until(/player +games +won +drawn +lost +score\n +1 +far +0 .*\n +2 +random +0 .*\n0 of 2 games/);
    go();
    await terminal.until(/final states: [0-9a-f]{16}\n\$/);
    assert.doesNotMatch(terminal.text(), /0 of 2 games/); // it is gone
});
