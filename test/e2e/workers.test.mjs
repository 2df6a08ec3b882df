// Contests on workers: whatever happens to workers, bus and coordinator, the report equals that of one thread on one machine.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { program, run } from "./agon.mjs";
import { spawn } from "./lib/children.mjs";
import { Nats, NatsClient } from "./lib/nats.mjs";
import { scratch } from "./lib/scratch.mjs";
import { until, within } from "./lib/wait.mjs";

const folder = scratch("agon-workers-"), deadline = 120000;
let bus, ear;
before(async () => {
    bus = await Nats.start();
    ear = await NatsClient.connect(bus.port);
    ear.listen("result.*");
    ear.listen("agon.work.hello");
});
after(async () => {
    ear.close();
    await bus.stop();
});

// A process with what it printed so far; `done` is {status, stdout, stderr}.
function begin(args, env = {}) {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    const p = { child, stdout: "", stderr: "" };
    child.stdout.on("data", (bytes) => (p.stdout += bytes));
    child.stderr.on("data", (bytes) => (p.stderr += bytes));
    p.done = new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout: p.stdout, stderr: p.stderr })));
    p.end = (what = "end of a process") => within(deadline, p.done, what);
    p.kill = async (signal) => (child.kill(signal), p.end());
    return p;
}

async function work(url = bus.url, more = [], env = {}) {
    const w = begin(["worker", "--bus", url, "--threads", "1", ...more], env);
    await until(() => w.stderr.includes("takes games"), "worker that listens");
    return w;
}

// The same contest here, on one thread: {status, stdout, journal}.
let journals = 0;
function alone(args, threads = "-j") {
    const journal = join(folder, `alone-${++journals}`), kept = args[0] === "simulate" ? [] : ["--journal", journal];
    const { status, stdout, stderr } = run([...args, threads, "1", "--json", ...kept]);
    assert.notEqual(stdout, "", stderr);
    return { status, stdout, journal: kept.length ? readFileSync(journal, "utf8") : "" };
}

function together(args, url = bus.url, env = {}) {
    const journal = join(folder, `together-${++journals}`), kept = args[0] === "simulate" ? [] : ["--journal", journal];
    ear.heard.get("result.*").length = 0;
    const p = begin([...args, "--json", "--workers", url, "--unit-ms", "50", ...kept], env);
    p.journal = kept.length ? journal : null;
    return p;
}

const results = (n) => until(() => ear.heard.get("result.*").length >= n, `${n} results`, deadline);

async function assertSame(p, expected) {
    const { status, stdout, stderr } = await p.end("report");
    assert.deepEqual({ status, stdout, journal: p.journal ? readFileSync(p.journal, "utf8") : "" }, expected, stderr);
    return stderr;
}

const long = ["match", "coup", "--seat", "house:rules", "--seat", "house:random", "-n", "3000", "--seed", "11"];
let expected; // of it, computed once

test("reports, journals and early stops are those of one thread", async () => { // S80, S81, S83, S85
    const pair = await Promise.all([work(), work()]);
    for (const args of [
        ["match", "belote", "--seat", "house:rules", "--seat", "house:random", "-n", "24", "--seed", "3"],
        ["match", "liars_dice", "--seat", "house:rules", "--seat", "house:random", "--sprt", "0,20,0.05,0.05", "-n", "4000", "--seed", "3"],
        ["match", "tetris", "--seat", "house:1", "--seat", "house:2", "-n", "4", "--max-steps", "600", "--by", "lines", "--seed", "3"],
        ["tournament", "coup", "--swiss", "--rounds", "4", "--seat", "house:rules", "--seat", "house:random", "--seat", "house:novice", "--seed", "3"],
        ["tournament", "texas_holdem", "--unit", "deal", "--no-mirror", "--seat", "house:rules", "--seat", "house:random", "--seat", "a=house:random", "-n", "60", "--seed", "3"],
    ])
        await assertSame(together(args), alone(args));
    for (const args of [["simulate", "liars_dice", "--seats", "3", "--bots", "rules,random", "-n", "300"], ["simulate", "tetris", "--max-steps", "600", "-n", "4"]])
        await assertSame(together(args), alone(args, "--threads"));
    for (const w of pair) assert.equal((await w.kill("SIGTERM")).status, 0); // S87: it leaves when it is asked to
});

test("a worker that is killed loses nothing", async () => { // S82, S85
    expected = alone(long);
    const [dies, stays] = await Promise.all([work(), work()]);
    const p = together(long);
    await results(3);
    await dies.kill("SIGKILL");
    await assertSame(p, expected);
    await stays.kill("SIGTERM");
});

test("a coordinator that is killed goes on from its journal", async () => { // S80, S84
    const w = await work();
    const p = together(long);
    await results(4);
    await until(() => readFileSync(p.journal, "utf8").split("\n").length > 100, "games in the journal");
    await p.kill("SIGKILL");
    const second = begin([...long, "--json", "--workers", bus.url, "--unit-ms", "50", "--journal", p.journal]);
    second.journal = p.journal;
    const said = await assertSame(second, expected);
    assert.match(said, /continuing after \d+ games/);
    await w.kill("SIGTERM");
});

test("a journal is gone on with by more games", async () => { // S80, S81
    const w = await work(), games = (n) => ["match", "coup", "--seat", "house:rules", "--seat", "house:random", "--seed", "5", "-n", n];
    const first = together(games("20"));
    await assertSame(first, alone(games("20")));
    const second = begin([...games("60"), "--json", "--workers", bus.url, "--journal", first.journal]);
    second.journal = first.journal;
    await assertSame(second, alone(games("60"))); // the worker has the plan of the first one
    await w.kill("SIGTERM");
});

test("a second result is compared, and nonsense is dropped", async () => { // S83, S84
    const w = await work();
    const p = together(long);
    await results(3);
    const [{ subject, body }] = ear.heard.get("result.*");
    const torn = Buffer.from(body);
    torn[40] ^= 1;
    for (const bytes of [body, body, torn, body.subarray(0, 30), Buffer.from("{}"), Buffer.alloc(0)]) ear.say(subject, bytes);
    ear.say("work.x", "{"); // a unit that makes no sense
    ear.say("agon.work.hello", "[1");
    ear.say("agon.work.stop", '{"contest":"x"}');
    await assertSame(p, expected);
    assert.match(w.stderr, /dropped a malformed unit/);
    await w.kill("SIGTERM");
});

test("messages beside the queue cost a worker nothing", async () => { // S84: anybody on the bus can send to its inbox
    ear.listen("$JS.API.CONSUMER.MSG.NEXT.>");
    const asked = ear.heard.get("$JS.API.CONSUMER.MSG.NEXT.>");
    const w = await work(bus.url, ["--threads", "2"]);
    for (let i = 0; i < 300; i++) {
        asked.length = 0;
        await until(() => asked.length || w.child.exitCode !== null, "a request for work");
        assert.equal(w.child.exitCode, null, w.stderr);
        for (let k = 0; k < 1 + (i % 7); k++) ear.say(asked[0].reply, "{");
    }
    await assertSame(together(long), expected);
    assert.match(w.stderr, /dropped a malformed unit/);
    await w.kill("SIGTERM");
});

test("the bus may be killed and come back, with its folder or without", async () => { // S80
    const own = await Nats.start();
    const w = await work(own.url);
    const client = await NatsClient.connect(own.port);
    client.listen("result.*");
    const p = together(long, own.url);
    await until(() => client.heard.get("result.*").length >= 3, "results", deadline);
    await own.stop("SIGKILL");
    own.folder = scratch("nats-"); // what it had is lost
    assert.ok(await own.begin());
    await assertSame(p, expected);
    await w.kill("SIGTERM");
    client.close();
    await own.stop();
});

// A request to JetStream: what a stream holds (messages) and has ever held (last_seq).
async function stateOf(stream) {
    const inbox = `inbox.${stream}.${++journals}`;
    ear.listen(inbox);
    ear.say(`$JS.API.STREAM.INFO.${stream}`, "", inbox);
    const [{ body }] = await until(() => ear.heard.get(inbox).length && ear.heard.get(inbox), "answer of JetStream");
    return JSON.parse(body).state;
}

const held = async (stream) => (await stateOf(stream)).messages;

test("Ctrl-C reports what was played and leaves nothing on the bus", async () => { // S82, S87
    const w = await work();
    const taken = async () => (await Promise.all(["AGON_WORK", "AGON_RESULT"].map(stateOf))).map((s) => s.last_seq);
    let args = long, whole = expected, n = 3000, before, p, end;
    for (;; whole = null) {
        before = await taken();
        p = together(args);
        await results(3);
        p.child.kill("SIGINT");
        end = await p.end();
        if (end.status === 1 || n >= 3e6) break;
        assert.equal(end.status, 0, end.stderr); // the program was faster than this test: a longer contest
        args = long.with(long.indexOf("3000"), `${(n *= 10)}`);
    }
    const { status, stdout, stderr } = end;
    assert.equal(status, 1);
    const { games } = JSON.parse(stdout);
    assert.ok(games > 0 && games < n, `${games} games`);
    await until(async () => (await held("AGON_WORK")) === 0 && (await held("AGON_PLAN")) === 0, "empty streams");
    const hello = JSON.parse(ear.heard.get("agon.work.hello").at(-1).body);
    assert.equal(hello.threads, 1);
    assert.match(hello.worker, /-\d+-[0-9a-f]{4}$/);
    // Gone on with at once, units and outcomes have numbers that they had before: the bus takes none for a copy.
    const second = begin([...args, "--json", "--workers", bus.url, "--unit-ms", "50", "--journal", p.journal]);
    second.journal = p.journal;
    const said = stderr + (await assertSame(second, whole ?? alone(args))), units = [...said.matchAll(/(\d+) units/g)].reduce((sum, [, n]) => sum + Number(n), 0);
    await w.kill("SIGTERM");
    assert.deepEqual((await taken()).map((n, i) => n - before[i]), [units, ear.heard.get("result.*").length]);
});

test("units are verified by another worker", async () => { // S84
    const pair = await Promise.all([work(), work()]);
    const args = ["match", "coup", "--seat", "house:rules", "--seat", "house:random", "-n", "200", "--seed", "2"];
    const said = await assertSame(together([...args, "--verify-share", "1"]), alone(args));
    const [, units, verified] = said.match(/(\d+) units, .* (\d+) verified, 0 without/) ?? assert.fail(said);
    assert.ok(Number(units) >= 2 * Number(verified) && Number(verified) > 0, said);
    await Promise.all(pair.map((w) => w.kill("SIGTERM")));
});

// Times of calls are not gathered from workers.
const strip = (text) => ({ ...JSON.parse(text), latency_us: [] });

test("bots behind HTTP are asked by the worker", async () => { // S84
    const bot = begin(["bot", "belote", "--bot", "rules", "--port", "0"]);
    const [url] = await until(() => bot.stdout.match(/http:\/\/127[0-9.:]+/), "address of the bot");
    const args = ["match", "belote", "--seat", `far=${url}`, "--seat", "house:random", "-n", "4", "--seed", "2"];
    const here = run([...args, "--json"]), w = await work();
    const there = await together(args).end();
    assert.deepEqual([there.status, strip(there.stdout)], [here.status, strip(here.stdout)], there.stderr);
    await w.kill("SIGTERM");
    await bot.kill("SIGTERM");
});

test("programs are those that the worker names", async () => { // S86
    const list = join(folder, "programs"), player = join(folder, "player.sh");
    copyFileSync(new URL("../../examples/programs/player.sh", import.meta.url), player);
    writeFileSync(list, `# what may be started here\nfirst = sh ${player}\n`);
    const args = ["match", "coup", "--seat", "me=program:first", "--seat", "house:random", "-n", "4", "--seed", "2"];
    const here = run([...args, "--json", "--programs", list]);
    assert.equal(here.status, 0, here.stderr);
    const without = await work();
    const refused = await together(args).end();
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /no worker can play this contest; \S+ says: its --programs file does not name the program 'first'/);
    await without.kill("SIGTERM");
    const knows = await work(bus.url, ["--programs", list]);
    const there = await together(args).end();
    assert.equal(there.status, 0, there.stderr);
    assert.deepEqual(strip(there.stdout), strip(here.stdout));
    await knows.kill("SIGTERM");
    for (const [more, says] of [[["--seat", "cmd:true"], /command lines are not sent to workers/], [["--seat", "person"], /a person plays at this terminal/], [["--seat", "llm:m@http://127.0.0.1:1"], /cannot play language models/]]) {
        const { status, stderr } = run(["match", "coup", "--seat", "house:random", ...more, "--workers", bus.url]);
        assert.equal(status, 2);
        assert.match(stderr, says);
    }
});

test("a worker that leaves gives back what it has not played", async () => { // S87
    const list = join(folder, "silent"), player = join(folder, "silent.mjs"), asked = join(folder, "asked");
    writeFileSync(player, `
        import { writeFileSync } from "node:fs";
        import { createInterface } from "node:readline";
        for await (const line of createInterface({ input: process.stdin })) {
            const { op, id } = JSON.parse(line);
            if (op === "choose") writeFileSync(${JSON.stringify(asked)}, "");
            else if (id) console.log(JSON.stringify({ id }));
        }`);
    writeFileSync(list, `silent = ${process.execPath} ${player}\n`);
    await until(async () => (await held("AGON_WORK")) === 0, "the end of earlier contests on the bus");
    const w = await work(bus.url, ["--programs", list]);
    const p = together(["match", "coup", "--seat", "me=program:silent", "--seat", "house:random", "-n", "2", "--seed", "2", "--timeout", "60000"]);
    await until(() => existsSync(asked), "question", deadline);
    assert.equal((await w.kill("SIGTERM")).status, 0);
    assert.equal(await held("AGON_WORK"), 1);
    await p.kill("SIGINT");
});

test("a bus that cannot be used is refused before the first game", async () => {
    const two = ["match", "coup", "--seat", "house:rules", "--seat", "house:random", "-n", "2"];
    const refused = (args, says, env) => {
        const { status, stdout, stderr } = run(args, "", env);
        assert.deepEqual([status, stdout], [2, ""], stderr);
        assert.match(stderr, says);
    };
    refused([...two, "--workers", "nats://127.0.0.1:1"], /cannot reach the bus at nats:\/\/127.0.0.1:1: .*is nats-server running/);
    refused(["worker", "--bus", "nats://127.0.0.1:1"], /cannot reach the bus/);
    refused([...two, "--workers", "http://127.0.0.1:1"], /needs an address of a NATS server, as nats:/);
    refused([...two, "--workers", bus.url.replace("nats:", "tls:")], /cannot reach the bus at tls:.* Secure Connection not available/); // nothing is sent in the clear
    refused([...two, "--workers", "nats://me:secret@127.0.0.1:1"], /leave the login out of the address/);
    refused([...two, "--workers", bus.url, "--replays", join(folder, "r")], /--replays does not work with --workers/);
    refused(["worker", "--programs", "/nowhere"], /cannot read \/nowhere/);
    const own = await Nats.start(["--user", "me", "--pass", "secret"]), login = join(folder, "login");
    writeFileSync(login, "me:secret\n");
    refused([...two, "--workers", own.url], /cannot reach the bus .*is the login right/);
    const w = await work(own.url, ["--bus-login", login]);
    const p = together([...two, "--seed", "1"], own.url, { AGON_BUS_LOGIN: "me:secret" });
    await assertSame(p, alone([...two, "--seed", "1"]));
    await w.kill("SIGTERM");
    await own.stop();
});

// libnats turns to TLS when the server says so, and OpenSSL is cleaned up at exit.
test("a bus that demands TLS may have an address that does not say so", async () => {
    const cert = join(folder, "cert.pem"), key = join(folder, "key.pem"), two = ["match", "kuhn_poker", "--seat", "house:1", "--seat", "house:2", "-n", "4", "--seed", "1"];
    const made = spawnSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    const own = await Nats.start(["--tls", "--tlscert", cert, "--tlskey", key]), trusting = { SSL_CERT_FILE: cert };
    for (const args of [["worker", "--bus", own.url], [...two, "--workers", own.url]]) {
        const { status, stderr } = run(args);
        assert.equal(status, 2, stderr);
        assert.match(stderr, /^[^\n]*cannot reach the bus at nats:[^\n]*\n/);
        assert.doesNotMatch(stderr, /Sanitizer/);
    }
    const w = await work(own.url, [], trusting);
    await assertSame(together(two, own.url, trusting), alone(two));
    const { status, stderr } = await w.kill("SIGTERM");
    assert.equal(status, 0, stderr);
    await own.stop();
});

async function ask(client, subject, body) {
    const inbox = `inbox.${subject}`;
    client.listen(inbox);
    client.say(subject, JSON.stringify(body), inbox);
    const [answer] = await until(() => client.heard.get(inbox).length && client.heard.get(inbox), `answer to ${subject}`);
    return JSON.parse(answer.body.toString());
}

test("a bus that takes no work is told as such, and killed coordinators leave nothing for ever", async () => { // S80
    const own = await Nats.start(), client = await NatsClient.connect(own.port), many = ["match", "coup", "--seat", "house:rules", "--seat", "house:random", "-n", "100000", "--seed", "1"];
    const w = await work(own.url), p = together(many, own.url);
    const listed = await until(async () => {
        const { consumers = [] } = await ask(client, "$JS.API.CONSUMER.LIST.AGON_RESULT", {});
        return consumers.length && consumers;
    }, "consumer of the coordinator");
    assert.deepEqual(listed.map((c) => c.config.inactive_threshold), [300e9]);
    await p.kill("SIGKILL");
    await w.kill("SIGTERM");
    const { config } = await ask(client, "$JS.API.STREAM.INFO.AGON_WORK", {});
    assert.equal((await ask(client, "$JS.API.STREAM.UPDATE.AGON_WORK", { ...config, max_msg_size: 1 })).error, undefined);
    const other = await work(own.url), stuck = together(many, own.url);
    const { status, stderr } = await stuck.end();
    assert.notEqual(status, 0);
    assert.match(stderr, /the bus has taken no work for \d+ s: cannot put a message on work\./);
    await other.kill("SIGTERM");
    client.close();
    await own.stop();
});
