// Contests between house bots, correct HTTP bots and faulty ones.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { program, root, run } from "./agon.mjs";
import { spawn } from "./lib/children.mjs";
import { scratch } from "./lib/scratch.mjs";
import { until } from "./lib/wait.mjs";

const folder = scratch("agon-contest-");
const started = [];
const itself = resolve(program); // wherever it is started
after(() => {
    started.forEach((child) => child.kill("SIGKILL"));
    rmSync(folder, { recursive: true });
});

// Runs beside this process: bots that live in it can answer meanwhile.
function runBeside(args, cwd) {
    return new Promise((resolve) => {
        const child = spawn(itself, args, { stdio: ["ignore", "pipe", "pipe"], cwd });
        let stdout = "", stderr = "";
        started.push(child);
        child.stdout.on("data", (bytes) => (stdout += bytes));
        child.stderr.on("data", (bytes) => (stderr += bytes));
        child.on("close", (status) => resolve({ status, stdout, stderr }));
    });
}
// Every report is as protocol/contest has it.
const ajv = new Ajv({ strict: false, allErrors: true });
const [isReport, isVerified] = ["report", "verify-bot"].map((name) => ajv.compile(JSON.parse(readFileSync(`${root}protocol/contest/schema/${name}.schema.json`))));
const checked = (valid, value) => (assert.ok(valid(value), JSON.stringify(valid.errors)), value);
const contest = async (args) => {
    const { status, stdout, stderr } = await runBeside([...args, "--json"]);
    return { status, stderr, report: stdout && checked(isReport, JSON.parse(stdout)) };
};

// A house bot of ours behind HTTP; its address.
async function serveBot(game, bot) {
    const child = spawn(program, ["bot", game, "--bot", bot, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    let said = "";
    return new Promise((resolve, reject) => {
        const hear = (bytes) => {
            const found = (said += bytes).match(/http:\/\/[0-9.:]+/);
            if (found) resolve(found[0]);
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
        child.on("close", () => reject(new Error(`the bot ended: ${said}`)));
    });
}

test("the same seed gives the same contest, whatever the threads", async () => { // B14.4
    const args = ["match", "coup", "--seat", "house:rules", "--seat", "house:random", "--games", "200", "--seed", "9"];
    const [one, two] = [await contest([...args, "-j", "1", "--determinism"]), await contest([...args, "-j", "2"])];
    assert.equal(one.status, 0);
    assert.deepEqual(one.report, { ...two.report, deterministic: true }); // one document (B14.5)
    assert.equal(one.report.games, 200);
    assert.ok(one.report.comparison.pair_interval[0] > 0.5, "rules beat chance");
});

test("players with a memory repeat themselves too, whatever the threads", async () => { // N1.6
    const args = ["match", "coup", "--seat", "house:search", "--seat", "house:honest", "--games", "6", "--seed", "9"];
    const [one, two] = [await contest([...args, "-j", "1"]), await contest([...args, "-j", "2"])];
    assert.equal(one.status, 0);
    assert.deepEqual(one.report, two.report);
    assert.equal(one.report.games, 6);
});

// It wins fewer hands and more chips.
test("hold'em is judged by chips", async () => { // B14.22
    const args = ["match", "texas_holdem", "--seat", "house:rules", "--seat", "house:random", "--unit", "deal", "--seed", "1"];
    const { report } = await contest([...args, "--games", "200"]);
    const { comparison, standings, verdict } = report;
    assert.deepEqual(verdict, { about: "chips", unit: "bb/100", elo: "normalised", anchor: "random" });
    assert.ok(standings[1].wins > standings[0].wins);
    assert.deepEqual(standings.map((row) => row.entrant), ["rules", "random"]);
    assert.ok(comparison.interval[0] > 0 && comparison.elo_interval[0] > 0 && comparison.p < 0.05);
    assert.equal(comparison.mean, standings[0].lead);
    const tested = await contest([...args, "--games", "20000", "--sprt", "0,20,0.05,0.05"]);
    assert.equal(tested.report.comparison.sprt.verdict, "H1");
    assert.match(run([...args, "--games", "200"]).stdout, /verdict by chips, in bb\/100\n.*bb\/100 \(95 %\).*\n 1  rules .* \+321\.73 \(\+27\.\d+ \.\. \+615\.\d+\)/);
    assert.match(run([...args, "--games", "2", "--csv"]).stdout, /,hands,verdict,seed\n0,.*,1,chips,\d+\n/);
});

// Four won games are no certainty, and no number is what they are worth.
test("who won everything has a bound", async () => {
    const args = ["match", "liars_dice", "--seat", "house:rules", "--seat", "house:random", "--games", "4", "--seed", "1"];
    const { comparison, standings } = (await contest(args)).report;
    assert.deepEqual([comparison.mean, comparison.elo_difference, comparison.interval[1], comparison.elo_interval[1]], [1, null, 1, null]);
    assert.ok(comparison.interval[0] > 0.4 && comparison.interval[0] < 0.5);
    assert.deepEqual(standings.map((row) => row.elo), [null, 1000]);
    const { stdout } = run(args);
    assert.match(stdout, /Elo difference at least -33\.\d/);
    assert.match(stdout, /1000 \(anchor\)/);
    assert.doesNotMatch(stdout, /inf|nan|Glicko/);
});

test("five bots of known strength come out in order", async () => {
    // Chance plays worse the more often it takes over: the order is known by how they are made.
    const mixed = [0, 50, 100].flatMap((percent) => ["--seat", `mix${percent}=cmd:python3 ${root}test/support/mixed_bot.py ${percent}`]);
    const args = ["tournament", "liars_dice", "--seat", "house:rules", "--seat", "house:random", ...mixed];
    const { status, report, stderr } = await contest([...args, "--games", "400", "--seed", "1", "--rules", '{"dice_counts":3}']);
    assert.equal(status, 0, stderr);
    const order = report.standings.map((row) => row.entrant);
    assert.equal(order[0], "rules");
    assert.ok(order.indexOf("mix0") < order.indexOf("mix50"), order.join());
    assert.ok(order.indexOf("mix50") < order.indexOf("mix100"), order.join());
    assert.equal(report.verdict.anchor, "random");
    for (const row of report.standings) {
        if (row.entrant === "random") assert.deepEqual([row.elo, row.elo_interval], [1000, null]);
        else if (row.elo === null) assert.equal(row.elo_interval.filter((end) => end === null).length, 1); // a bound
        else assert.ok(row.elo_interval[0] < row.elo && row.elo < row.elo_interval[1]);
    }
    assert.equal(report.standings.reduce((sum, row) => sum + row.trouble.illegal, 0), 0);
});

test("a bot behind HTTP plays as it does in the house", async () => {
    const address = await serveBot("belote", "rules");
    const args = ["--seat", "house:calc", "--games", "4", "--seed", "1", "--rules", '{"target":60}'];
    const there = await contest(["match", "belote", "--seat", address, ...args]);
    const here = await contest(["match", "belote", "--seat", "house:rules", ...args]);
    assert.equal(there.status, 0, there.stderr);
    assert.equal(there.report.final_states, here.report.final_states);
    const [row] = there.report.standings.filter((one) => one.entrant === address);
    assert.deepEqual(row.trouble, { illegal: 0, timeout: 0, failed: 0, crashed: 0, warning: 0, sessions_created: 8, sessions_deleted: 8 });
});

test("agon verify bot passes our server", async () => {
    const address = await serveBot("belote", "random");
    const { status, stdout, stderr } = await runBeside(["verify", "bot", address, "--games", "4", "--quick", "--strict", "--seed", "1", "--json"]);
    assert.equal(status, 0, stderr);
    const report = checked(isVerified, JSON.parse(stdout));
    assert.ok(report.passed && report.deterministic);
    for (const probe of report.probes) assert.equal(probe.result, "pass", probe.name);
});

// Bots that break one rule each: `answer` gets (request path, body) and gives [status, body] or null for silence.
const sound = (path, body) => {
    if (path.endsWith("/sessions")) return [201, { sessionId: String((sound.sessions = (sound.sessions ?? 0) + 1)) }];
    if (path.endsWith("choose-cut")) return [200, { position: 16, fromTop: true }];
    if (path.endsWith("choose-negotiation-action")) return [200, body.validActions?.[0] ?? {}];
    if (path.endsWith("choose-card")) return [200, body.validPlays?.[0] ?? {}];
    return [200, ""];
};
const broken = {
    illegal: { of: (path) => path.endsWith("choose-card"), answer: [200, { rank: "Joker", suit: "Hearts" }] },
    rubbish: { of: (path) => path.endsWith("choose-card"), answer: [200, "{{{"], counted: "illegal" },
    failed: { of: (path) => path.endsWith("choose-negotiation-action"), answer: [500, ""] },
    redirect: { of: (path) => path.endsWith("choose-cut"), answer: [302, ""], counted: "failed" },
    timeout: { of: (path) => path.endsWith("choose-card"), answer: null },
};

const read = (text) => {
    try {
        return text ? JSON.parse(text) : {};
    } catch {
        return null;
    }
};

async function serveBroken(fault) {
    const server = createServer((request, response) => {
        let text = "";
        request.on("data", (bytes) => (text += bytes));
        request.on("end", () => {
            const body = read(text);
            const reply = !body ? [400, ""] : request.method === "DELETE" ? [204, ""] : fault.of(request.url) ? fault.answer : sound(request.url, body);
            if (!reply) return;
            response.writeHead(reply[0], { location: "/elsewhere" });
            response.end(typeof reply[1] === "string" ? reply[1] : JSON.stringify(reply[1]));
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    after(() => server.closeAllConnections?.() ?? server.close());
    after(() => server.close());
    return `http://127.0.0.1:${server.address().port}`;
}

for (const [name, fault] of Object.entries(broken))
    test(`a bot that is ${name} loses, and the contest goes on`, async () => {
        const address = await serveBroken(fault), limit = fault.answer ? [] : ["--timeout", "300"]; // else retries are in time however slow it is here
        const args = ["match", "belote", "--seat", `bad=${address}`, "--seat", "house:random", "--games", "4", "--seed", "1", ...limit];
        const { status, report, stderr } = await contest(args);
        assert.equal(status, 1, stderr); // it says nothing about who plays better
        assert.equal(report.verdict.void, "most games ended by forfeit");
        assert.equal(report.comparison, undefined);
        assert.equal(report.games, 4);
        assert.equal(report.forfeited, 4);
        const [bad] = report.standings.filter((row) => row.entrant === "bad");
        assert.equal(bad.losses, 4);
        assert.equal(bad.forfeits, 4);
        assert.deepEqual([bad.elo, bad.elo_interval, bad.score_interval], [null, null, null]);
        assert.ok(bad.trouble[fault.counted ?? name] >= 4, JSON.stringify(bad.trouble));
        assert.equal(bad.trouble.sessions_created, bad.trouble.sessions_deleted);
        const verified = await runBeside(["verify", "bot", address, "--games", "2", "--quick", "--once", "--seed", "1", ...limit]);
        assert.equal(verified.status, 1, verified.stdout);
    });

test("the policies of a failure", async () => {
    const address = await serveBroken(broken.illegal);
    const args = ["match", "belote", "--seat", `bad=${address}`, "--seat", "house:random", "--games", "2", "--seed", "1", "--rules", '{"target":50}'];
    const aborted = await contest([...args, "--on-error", "abort"]);
    assert.equal(aborted.status, 1);
    assert.equal(aborted.report.aborted, 2);
    const carried = await contest([...args, "--on-error", "fallback", "-v"]);
    assert.equal(carried.status, 0);
    assert.match(carried.stderr, /sent \{"hand":\[.*\n {2}received \{"rank":"Joker","suit":"Hearts"\}\n/); // B12.30
    assert.equal(carried.report.forfeited + carried.report.aborted, 0);
    assert.ok(carried.report.standings.find((row) => row.entrant === "bad").trouble.illegal > 4);
});

// B13.8: a player that is not there ends the contest: one line, status 2, no report and no file.
const absent = [
    ["a dead address", "http://127.0.0.1:1", /far: http:\/\/127\.0\.0\.1:1: connection refused; is it running at this address\?\n$/],
    ["an unknown host", "http://no-such-host.invalid", /the host name is unknown/],
    ["a server without TLS", null, /the TLS handshake failed/],
    ["a missing program", "cmd:/nowhere/bot", /cannot be started: No such file or directory/],
    ["a program that ends at once", "cmd:sh -c 'echo sorry >&2; exit 3'", /the program ended: exit status 3; its last output: sorry\n$/],
];
for (const [name, address, says] of absent)
    for (const command of ["match", "tournament"])
        test(`${name} ends a ${command} before the first game`, async () => {
            const where = address ?? (await serveBroken(broken.illegal)).replace("http:", "https:"), journal = join(folder, `absent-${command}`);
            const args = ["belote", "--seat", `far=${where}`, "--seat", "house:random", "--games", "2", "--seed", "1", "--journal", journal, "--json"];
            const { status, stdout, stderr } = await runBeside([command, ...args]);
            assert.equal(status, 2, stderr);
            assert.equal(stdout, "");
            assert.match(stderr, new RegExp(`^agon ${command}: far: .*\n$`)); // one line
            assert.match(stderr, says);
            assert.ok(!existsSync(journal));
        });

test("nobody is there to verify", async () => {
    assert.equal((await runBeside(["verify", "bot", "http://127.0.0.1:1", "--quick"])).status, 2);
});

// A local program that answers what `choose` says of a question: a line, or null: it ends.
const programs = { polite: "{index: 0}", dying: "process.stderr.write('\\x1b[31mred\\x07\\u202e\\n') && null" };
for (const [name, choose] of Object.entries(programs))
    writeFileSync(join(folder, `${name}.mjs`), `
        import { createInterface } from "node:readline";
        for await (const line of createInterface({ input: process.stdin })) {
            const { op, id } = JSON.parse(line), action = op === "choose" ? ${choose} : undefined;
            if (action === null) process.exit(7);
            if (id) console.log(JSON.stringify({ id, action }));
        }`);

test("most games forfeited: the table and the rows say so, and give no significance", async () => { // B14.23
    const args = ["match", "coup", "--seat", `dying=cmd:${process.execPath} ${join(folder, "dying.mjs")}`, "--seat", "house:random", "--games", "2", "--seed", "1"];
    const { status, stdout, stderr } = await runBeside([...args, "-v"]);
    assert.equal(status, 1);
    assert.match(stdout, /^most games ended by forfeit: no verdict$/m);
    assert.match(stdout, /dying +2 +0 +0 +2 +0\.00 % +- +2 forfeited/);
    assert.doesNotMatch(stdout, /significant|p = |running Elo/);
    assert.match(stderr, /its last output: \\x1b\[31mred\\x07\\xe2\\x80\\xae\n/); // what a program writes moves no cursor
    assert.doesNotMatch(stderr, /[^\n\x20-\x7e]/);
    const rows = await runBeside([...args, "--csv"]);
    assert.match(rows.stdout, /^0,0,forfeit,.*,none,\d+$/m);
});

// B7.6 leaves the points of a forfeited belote as they were. For a comparison the other side has the match, or the deal.
test("a forfeit counts in points", async () => {
    const rows = async (...more) => {
        const args = ["--seat", `dying=cmd:${process.execPath} ${join(folder, "dying.mjs")}`, "--seat", "house:random", "--games", "2", "--seed", "1", "--csv"];
        const [head, ...all] = (await runBeside(["match", ...more, ...args])).stdout.trim().split("\n").map((line) => line.split(","));
        return all.map((row) => Object.fromEntries(head.map((key, i) => [key, row[i]])));
    };
    const points = (row) => [row.points_0, row.points_1].map(Number).sort((a, b) => a - b);
    for (const row of await rows("belote", "--target", "80")) assert.deepEqual([row.end, row.deals, points(row)], ["forfeit", "1", [0, 80]]);
    for (const row of await rows("belote", "--unit", "deal")) assert.deepEqual([row.end, points(row)], ["forfeit", [0, 25]]);
    for (const row of await rows("texas_holdem")) {
        const [lost, won] = points(row);
        assert.equal(row.end, "forfeit");
        assert.ok(lost === 0 && won >= 10000, "the stack of who left is gone"); // F6.T17
    }
});

test("tetris: everybody plays alone, from the same seeds", async () => {
    const seats = ["--seat", "house:random", "--seat", "house:fallback"], args = ["match", "tetris", ...seats, "--games", "40", "--seed", "1"];
    const { status, report } = await contest([...args, "--determinism"]);
    assert.equal(status, 0);
    assert.deepEqual([report.seats, report.games, report.verdict.about, report.deterministic], [1, 40, "score", true]);
    assert.deepEqual(report.standings.map((row) => [row.entrant, row.games]), [["random", 20], ["fallback", 20]]);
    const { stdout } = await runBeside([...args, "--csv"]);
    const rows = stdout.trim().split("\n").slice(1).map((line) => line.split(","));
    const seeds = rows.map((row) => row.at(-1)), scores = rows.map((row) => Number(row[6]));
    assert.equal(new Set(seeds).size, 20);
    let lead = 0;
    for (let i = 0; i < 40; i += 2) {
        assert.equal(seeds[i], seeds[i + 1]);
        lead += (scores[i] - scores[i + 1]) / 20;
    }
    assert.ok(Math.abs(report.comparison.mean - lead) < 1e-6);
    assert.ok(report.comparison.interval[0] > 0 && report.comparison.p < 0.01);
    const lines = await contest([...args, "--by", "lines", "--games", "4"]);
    assert.equal(lines.report.verdict.about, "lines");
    const many = await contest(["tournament", "tetris", ...seats, "--seat", "house:rules", "--games", "12", "--seed", "1", "--max-steps", "1000"]);
    assert.equal(many.report.standings[0].entrant, "rules");
    const far = await contest(["match", "tetris", "--seat", `far=${await serveBot("tetris", "random")}`, "--seat", "house:fallback", "--games", "2", "--seed", "1", "--max-steps", "500"]);
    assert.equal(far.status, 0, far.stderr);
});

// What is written at the end is looked at before the beginning, and nothing that fails later takes the report along.
test("files that cannot be written", async () => {
    const args = ["match", "belote", "--seat", "house:rules", "--seat", "house:random", "--games", "2", "--target", "30", "--seed", "1", "--json"];
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    for (const option of ["--plot", "--journal", "--transcript", "--replays"]) {
        const { status, stdout, stderr } = await runBeside([...args, option, join(file, "below")]);
        assert.equal(status, 2, option);
        assert.equal(stdout, "");
        assert.match(stderr, /^agon match: cannot .*a-file\/below: Not a directory\n$/);
    }
    assert.equal((await runBeside([...args, "--replays", file])).status, 2);
    const old = join(folder, "old.png");
    writeFileSync(old, "a picture");
    assert.equal((await runBeside([...args, "--plot", old, "--seat", "far=http://127.0.0.1:1"])).status, 2);
    assert.equal(readFileSync(old, "utf8"), "a picture"); // refused: nothing changed
    const full = join(folder, "full");
    symlinkSync("/dev/full", full);
    for (const option of ["--plot", "--transcript"]) {
        const { status, stdout, stderr } = await runBeside([...args, option, full]);
        assert.equal(status, 1, option);
        assert.match(stderr, /^agon: cannot write .*\/full: No space left on device\n$/);
        assert.equal(checked(isReport, JSON.parse(stdout)).games, 2);
        assert.ok(existsSync(full)); // what cannot be written is not removed
    }
    const replays = join(folder, "kept");
    mkdirSync(join(replays, "000001.agon"), { recursive: true }); // the second game has no place
    const { status, stdout, stderr } = await runBeside([...args, "--replays", replays, "-j", "1"]);
    assert.equal(status, 1);
    assert.match(stderr, /the contest stops: a replay or transcript could not be written/);
    assert.equal(checked(isReport, JSON.parse(stdout)).games, 1);
});

// It dies of a body that is no JSON, as careless servers do; until then it is sound.
test("agon verify bot tells what a bot died of, after everything else", async () => {
    const bot = join(folder, "mortal.mjs");
    writeFileSync(bot, `
        import { createServer } from "node:http";
        const sound = ${sound};
        const sessions = new Set();
        const server = createServer((request, response) => {
            let text = "";
            request.on("data", (bytes) => (text += bytes));
            request.on("end", () => {
                const id = request.url.split("/")[3], body = text ? JSON.parse(text) : {};
                let [status, reply] = request.method === "DELETE" ? [204, ""] : sound(request.url, body);
                if (id && request.method !== "DELETE" && !sessions.has(id)) [status, reply] = [404, ""];
                if (status === 201) sessions.add(reply.sessionId);
                if (status === 204) sessions.delete(id);
                response.writeHead(status);
                response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
            });
        });
        server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));`);
    const child = spawn(process.execPath, [bot], { stdio: ["ignore", "pipe", "ignore"] });
    started.push(child);
    const address = await new Promise((resolve) => child.stdout.once("data", (bytes) => resolve(String(bytes).trim())));
    const { status, stdout, stderr } = await runBeside(["verify", "bot", address, "--games", "2", "--target", "30", "--seed", "1", "--quick", "--once", "--json"]);
    assert.equal(status, 1, stderr);
    const report = checked(isVerified, JSON.parse(stdout));
    assert.equal(report.passed, false);
    assert.match(report.died, /crashed in the probe 'malformed'/);
    assert.equal(report.games, 2); // the matches came before
    assert.deepEqual(Object.values(report.violations), [0, 0, 0, 0, 0]);
    const result = Object.fromEntries(report.probes.map((probe) => [probe.name, probe.result]));
    assert.deepEqual([result.nulls, result.silence, result.malformed, result.large], ["pass", "pass", "fail", "not run"]);
});

test("agon verify bot: a failed must is never passed", async () => {
    const forgetful = await serveBroken({ of: (path) => path.endsWith("no-such-session"), answer: [500, ""] }); // and 200 for lost sessions
    const { status, stdout } = await runBeside(["verify", "bot", forgetful, "--games", "2", "--target", "30", "--seed", "1", "--quick", "--once"]);
    assert.equal(status, 1);
    assert.match(stdout, /\nfailed: must lost-session[^\n]*\n$/);
    assert.doesNotMatch(stdout, /^passed/m);
});

// B13: found without a word (external-bots), started and stopped; what fails is shown, and nothing survives it.
test("a folder of bots", async () => {
    const metas = {
        good: { agentName: "rules", launch: { fileName: itself, arguments: "bot belote --bot calc" } },
        stubborn: { AgentName: "Stubborn", Launch: { FileName: "sh", Arguments: `-c 'trap "" TERM; echo $$ >pid; echo >ready; exec tail -f /dev/null'` } },
        crash: { name: "Crash", launch: { fileName: "sh", arguments: "-c 'read line <../stubborn/ready; printf \"oh no \\033[31m\\n\" >&2; exit 7'" } },
        mute: { name: "Mute" },
    };
    for (const [name, meta] of Object.entries(metas)) {
        mkdirSync(join(folder, "external-bots", name), { recursive: true });
        writeFileSync(join(folder, "external-bots", name, "bot.meta.json"), JSON.stringify(meta));
    }
    assert.equal(spawnSync("mkfifo", [join(folder, "external-bots/stubborn/ready")]).status, 0); // whoever reads it waits for a line
    const match = (first, second) => runBeside(["match", "belote", "--seat", first, "--seat", second, "--games", "2", "--target", "30", "--seed", "1", "--json"], folder);
    const played = await match("Rules", "house:random");
    assert.equal(played.status, 0, played.stderr);
    assert.equal(JSON.parse(played.stdout).standings.find((row) => row.entrant === "Rules").trouble.sessions_created, 4);
    assert.match(played.stderr, /mute.*is skipped.*launch.fileName/); // B13.1
    assert.match((await match("rules", "nobody")).stderr, /in the folder of bots: Crash, rules, Stubborn/); // B13.2
    const failed = await match("stubborn", "crash");
    assert.equal(failed.status, 2);
    assert.match(failed.stderr, /Crash: it ended before it was ready: exit status 7; its last output:\noh no \\x1b\[31m\n/); // B13.5, B13.6; it moves no cursor
    const pid = Number(readFileSync(join(folder, "external-bots", "stubborn", "pid")));
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" }); // B13.7
});

test("without a seed the system draws one, which a journal keeps", async () => { // B9.2
    const journal = join(folder, "drawn"), args = ["match", "coup", "--seat", 'a"b=house:rules', "--seat", "house:random", "--games", "4"];
    const [one, two] = [await contest(args), await contest(args)];
    assert.notEqual(one.report.seed, two.report.seed);
    const begun = await contest([...args, "--journal", journal]), rest = await contest([...args, "--games", "8", "--journal", journal]);
    assert.equal(begun.report.seed, rest.report.seed);
    assert.match(rest.stderr, /continuing after 4 games/);
    const { stdout } = run([...args, "--csv", "--seed", "1"]);
    assert.match(stdout, /^0,0,over,\d+,-1,"a""b",/m); // RFC 4180
    assert.match(stdout, /,seed\n/);
});

test("interrupted, journalled, resumed: the same figures", async () => {
    const journal = join(folder, "journal");
    const args = ["match", "liars_dice", "--seat", "house:rules", "--seat", "house:random", "--games", "400", "--seed", "3"];
    const whole = await contest(args);
    writeFileSync(journal, "");
    const first = await contest([...args.slice(0, -4), "--games", "100", "--seed", "3", "--journal", journal]);
    assert.equal(first.report.games, 100);
    const rest = await contest([...args, "--journal", journal]);
    assert.match(rest.stderr, /continuing after 100 games/);
    assert.deepEqual(rest.report, whole.report);
    const other = run(["match", "coup", "--seat", "house:rules", "--seat", "house:random", "--journal", journal]);
    assert.equal(other.status, 2);
    assert.match(other.stderr, /belongs to another contest/);
});

test("Ctrl-C keeps what was played", async () => {
    const journal = join(folder, "stopped");
    const args = ["match", "belote", "--seat", "house:rules", "--seat", "house:calc", "--games", "1000000", "--seed", "1", "--json"];
    const child = spawn(program, [...args, "--journal", journal], { stdio: ["ignore", "pipe", "inherit"] });
    let stdout = "";
    child.stdout.on("data", (bytes) => (stdout += bytes));
    await until(() => existsSync(journal) && readFileSync(journal).length >= 1000, "journal");
    child.kill("SIGINT");
    const status = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(status, 1);
    assert.ok(JSON.parse(stdout).games > 0);
});

test("a contest that ends before its first game has no verdict", async () => {
    const started = join(folder, "started"), script = join(folder, "mute.sh");
    writeFileSync(script, `touch ${started}; cat > /dev/null`);
    const args = ["match", "coup", "--seat", `me=cmd:sh ${script}`, "--seat", "house:random", "--games", "2", "--create-timeout", "10000"];
    for (const more of [["--json"], []]) {
        const child = spawn(program, [...args, ...more], { stdio: ["ignore", "pipe", "inherit"] });
        let stdout = "";
        child.stdout.on("data", (bytes) => (stdout += bytes));
        await until(() => existsSync(started), "the program");
        child.kill("SIGINT");
        assert.equal(await new Promise((resolve) => child.on("close", resolve)), 1);
        unlinkSync(started);
        if (!more.length) {
            assert.match(stdout, /^no game was played: no verdict$/m);
            assert.doesNotMatch(stdout, /p = |superiority/);
            continue;
        }
        const { verdict, comparison, games } = JSON.parse(stdout);
        assert.deepEqual([games, verdict.void, comparison], [0, "no game was played", undefined]);
    }
});

test("replays of all games verify, and a plot is a picture", async () => {
    const replays = join(folder, "replays"), plot = join(folder, "plot.png");
    const seats = ["--seat", "house:rules", "--seat", "house:random", "--seat", "house:fallback"];
    const args = ["tournament", "coup", ...seats, "--games", "12", "--seed", "1", "--replays", replays, "--plot", plot, "--csv"];
    const { status, stdout } = await runBeside(args);
    assert.equal(status, 0);
    assert.equal(stdout.trim().split("\n").length, 13);
    const files = readdirSync(replays).map((name) => join(replays, name));
    assert.equal(files.length, 12);
    assert.equal(run(["replay", "verify", ...files]).status, 0);
    assert.equal(readFileSync(plot).subarray(1, 4).toString(), "PNG");
});

// B14.5: a line for every deal; the same but for times whatever the tables; a deal that was broken off is there too.
test("transcripts tell every deal and play again", async () => {
    const address = await serveBot("belote", "rules"), bad = await serveBroken(broken.illegal);
    const lines = async (name, more) => {
        const file = join(folder, name);
        const { report, stderr } = await contest(["match", "belote", "--games", "4", "--seed", "1", "--rules", '{"target":60}', "--transcript", file, ...more]);
        assert.ok(report, stderr);
        const verified = run(["replay", "verify", file]);
        assert.equal(verified.status, 0, verified.stdout);
        return { report, all: readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line)) };
    };
    const seats = ["--seat", `far=${address}`, "--seat", "house:calc"];
    const one = await lines("one.jsonl", [...seats, "--tables", "1"]), many = await lines("many.jsonl", [...seats, "--tables", "4"]);
    const timeless = ({ all }) => all.map(({ times, ...rest }) => rest);
    assert.deepEqual(timeless(one), timeless(many));
    assert.deepEqual(one.all.map((line) => line.id), one.all.map((_, i) => i));
    assert.equal(one.all.length, Math.round(one.report.mean_parts * 4));
    assert.deepEqual(one.all[0].bots, ["far", "calc", "far", "calc"]);
    for (const { times, plays, negotiation } of one.all) {
        assert.equal(times.plays.length, plays.length);
        assert.equal(times.negotiation.length, negotiation.length);
        assert.ok([times.cut, ...times.plays, ...times.negotiation].every(Number.isInteger));
    }
    const contracts = one.report.standings.map((row) => Object.values(row.feats).reduce((sum, { tried }) => sum + tried, 0));
    assert.equal(contracts[0] + contracts[1], one.all.length);
    assert.deepEqual(new Set(one.report.latency_us.map((row) => row.call)), new Set(["Cut", "Negotiation", "CardPlay", "Notification", "Create", "Delete"]));
    const lost = await lines("lost.jsonl", ["--seat", `bad=${bad}`, "--seat", "house:random"]);
    assert.equal(lost.all.at(-1).result, null);
    const kept = await lines("kept.jsonl", ["--seat", `bad=${bad}`, "--seat", "house:random", "--on-error", "fallback"]);
    assert.ok(kept.all.some((line) => line.times.plays.includes(null)), "nobody was asked");
    const file = join(folder, "one.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"card":"[A-Za-z]+"/, '"card":"SevenStars"'));
    const torn = run(["replay", "verify", file]);
    assert.equal(torn.status, 1);
    assert.match(torn.stdout, /line 1: /);
});

test("agon verify bot writes rows, lines and transcripts", async () => {
    const address = await serveBot("belote", "calc"), file = join(folder, "verified.jsonl");
    const { status, stdout, stderr } = await runBeside(["verify", "bot", address, "--games", "4", "--seed", "1", "--quick", "--once", "--csv", "-v", "--transcript", file]);
    assert.equal(status, 0, stderr);
    assert.equal(stdout.trim().split("\n").length, 5);
    assert.equal(stderr.match(/^match \d: (won|lost) \d+ : \d+, \d+ deals$/gm).length, 4);
    assert.equal(run(["replay", "verify", file]).status, 0);
});

test("agon verify bot deletes its sessions when it is stopped", async () => { // B12.33
    const sessions = new Set();
    let asked = 0, child;
    const server = createServer((request, response) => {
        let text = "";
        request.on("data", (bytes) => (text += bytes));
        request.on("end", () => {
            const body = read(text), id = request.url.split("/")[3];
            const [status, reply] = request.method === "DELETE" ? [204, ""] : !body ? [400, ""] : sound(request.url, body);
            if (status === 201) sessions.add(reply.sessionId);
            if (status === 204) sessions.delete(id);
            if (request.url.endsWith("choose-card") && ++asked === 300) child.kill("SIGINT");
            response.writeHead(status);
            response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
        });
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    after(() => server.close());
    child = spawn(program, ["verify", "bot", `http://127.0.0.1:${server.address().port}`, "--seed", "1", "--quick"], { stdio: "ignore" });
    const status = await new Promise((resolve) => child.on("close", resolve));
    server.closeAllConnections();
    assert.equal(status, 2);
    assert.equal(sessions.size, 0);
});

test("a person plays at the terminal", () => {
    const args = ["match", "liars_dice", "--seat", "person", "--seat", "house:random", "--games", "1", "--no-mirror", "--seed", "1"];
    const { status, stdout } = run(args, "9999\n1\n".repeat(200));
    assert.equal(status, 0);
    assert.match(stdout, /your move> that is not a move here/);
    assert.match(stdout, /: 1 game, /);
});

test("house bots have levels, whatever the game has", () => {
    for (const game of ["liars_dice", "kuhn_poker"]) {
        const { status, stdout } = run(["match", game, "--seat", "house:5", "--seat", "house:1", "--games", "4", "--seed", "2"]);
        assert.equal(status, 0);
        assert.match(stdout, /house:5/);
        assert.match(stdout, /house:1/);
    }
});

// In Kuhn poker the equilibrium wins chips from a random player, and fewer hands than it.
test("small poker games are decided by chips", () => {
    for (const [game, ...more] of [["kuhn_poker"], ["kuhn_poker", "--scenario", "hundred_hands"], ["leduc_poker"]]) {
        const { stdout } = run(["match", game, "--seat", "house:solved", "--seat", "house:random", "--games", more.length ? "60" : "600", "--seed", "1", "--json", ...more]);
        const { verdict, comparison, standings } = JSON.parse(stdout), [low, high] = comparison.interval;
        assert.deepEqual([verdict.about, verdict.unit, standings[0].entrant], ["chips", "antes/100", "solved"]);
        assert.ok(low > 0 && high < 100 && comparison.p < 0.001, `${game} ${more}: ${comparison.interval}`);
        const hands = more.length ? 100 : 1; // what the games paid is what the report says
        assert.ok(Math.abs(comparison.mean - 100 * standings[0].mean_payoff / hands) < 0.01, `${comparison.mean} ${standings[0].mean_payoff}`);
    }
});

test("a Swiss tournament is as long as --games or --rounds says", async () => {
    const three = ["--seat", "house:rules", "--seat", "house:random", "--seat", "house:novice", "--seed", "3"];
    for (const [length, games] of [[["--games", "7"], 8], [["--rounds", "4"], 8], [[], 20]]) // a round is one pairing, a mirrored set of 2
        assert.equal((await contest(["tournament", "coup", "--swiss", ...three, ...length])).report.games, games, length.join(" "));
});

const refused = [
    [["match", "coup", "--seat", "house:6", "--seat", "house:rules"], /no bot 'house:6' plays coup; did you mean 'house:5'\? known: search.* house:1 to house:5/],
    [["match", "kuhn_poker", "--seat", "house:rules", "--seat", "house:1"], /no bot 'house:rules' plays kuhn_poker; .*known: solved, random/],
    [["match", "coup", "--seat", "house:rules"], /at least two players/],
    [["match", "coup", "--seat", "house:nobody", "--seat", "house:rules"], /no bot 'house:nobody' plays coup; .*known: search/],
    [["match", "coup", "--seat", "house:rules", "--seat", "house:rules"], /same name/],
    [["match", "coup", "--seat", "a=house:rules", "--seat", "b=house:rules", "--sprt", "20,0,1,1"], /--sprt needs/],
    [["match", "coup", "--seat", "http://", "--seat", "house:rules"], /http:\/\//],
    [["match", "coup", "--seat", "a=house:rules", "--seat", "b=house:rules", "--unit", "deal"], /coup has no deals/],
    [["tournament", "coup", "--seat", "a=house:rules", "--seat", "b=house:rules", "--format", "cup"], /round_robin, gauntlet, swiss/],
    [["tournament", "coup", "--seat", "a=house:rules", "--seat", "b=house:rules", "--rounds", "3"], /--rounds is for --format swiss; .*--games/],
    [["tournament", "coup", "--seat", "a=house:rules", "--seat", "b=house:rules", "--swiss", "--rounds", "3", "--games", "4"], /--rounds and --games both/],
    [["match", "coup", "--seat", "a=house:rules", "--seat", "b=house:rules", "--transcript", "x"], /--transcript is for belote only; --replays DIR/],
    [["match", "belote", "--seat", "house:rules", "--seat", "house:calc", "--rules", '{"ruleset":"classic"}'], /exclude mirrored deals.*--no-mirror/], // B14.6
    [["match", "belote", "--seat", "house:rules", "--seat", "house:calc", "--nulls", "none"], /--nulls: unknown value 'none'; known: explicit, omit/],
    [["verify", "bot", "localhost"], /http:\/\/HOST:PORT/],
];
for (const [args, says] of refused)
    test(`refused with status 2: agon ${args.join(" ")}`, () => {
        const { status, stderr } = run(args);
        assert.equal(status, 2);
        assert.match(stderr, says);
    });
