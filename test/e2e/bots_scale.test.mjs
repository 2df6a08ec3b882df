// B12.38: thousands of matches at once against bots behind HTTP, on several loops, every session deleted, memory
// limited. AGON_BOTS_AT_ONCE: number of matches (520); `make gate GATE=bots` plays 4,096.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { program, run } from "./agon.mjs";
import { agonBot } from "./lib/bots.mjs";
import { spawn } from "./lib/children.mjs";
import { until } from "./lib/wait.mjs";

const atOnce = Number(process.env.AGON_BOTS_AT_ONCE ?? 520);

const health = async (url) => (await fetch(`${url}/health`)).json();

// The highest resident memory of a process so far, in KiB; 0 when it has ended.
function resident(pid) {
    try {
        return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    } catch {
        return 0;
    }
}

async function contest(url, games, tables) {
    const args = ["match", "belote", "--seat", `a=${url}`, "--seat", `b=${url}`, "--unit", "deal", "--events", "none", "--threads", "2",
        "--seed", "1", "--games", String(games), "--tables", String(tables), "--timeout", "600000", "--json"];
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "", ended = false, sessions = 0, kib = 0;
    child.stdout.on("data", (bytes) => (text += bytes));
    const end = new Promise((resolve) => child.on("close", (status) => ((ended = true), resolve(status))));
    await until(async () => {
        kib = Math.max(kib, resident(child.pid));
        sessions = Math.max(sessions, (await health(url)).sessions);
        return ended;
    }, "end of the contest", 1800000);
    const report = JSON.parse(text);
    return { status: await end, report, sessions, kib };
}

test(`${atOnce} matches at once`, { timeout: 1800000 }, async (t) => {
    const { url } = await agonBot("belote", ["--bot", "random", "--max-sessions", String(Math.max(65536, 4 * atOnce))]);
    const small = await contest(url, 2, 2), all = await contest(url, atOnce, atOnce);
    assert.equal(all.status, 0);
    assert.equal(all.report.games, atOnce);
    assert.equal(all.report.forfeited + all.report.aborted, 0);
    // Seen from outside, every few ms: in the short run one loop may be done before the other has begun.
    assert.ok(all.sessions >= (process.env.AGON_BOTS_AT_ONCE ? 4 : 2) * atOnce, `${all.sessions} sessions at once`);
    for (const row of all.report.standings) {
        const { sessions_created: created, sessions_deleted: deleted, ...trouble } = row.trouble;
        assert.equal(created, 2 * atOnce);
        assert.equal(deleted, 2 * atOnce);
        assert.deepEqual(Object.values(trouble).filter(Boolean), []);
    }
    assert.equal((await health(url)).sessions, 0);
    const each = (all.kib - small.kib) / atOnce;
    t.diagnostic(`${atOnce} matches at once: ${each.toFixed(1)} KiB for each, ${(all.kib / 1024).toFixed(0)} MiB in all`);
    // With few matches what a process has once weighs too much.
    if (process.env.AGON_BOTS_AT_ONCE && !/out\/(dev|tsan)\//.test(program)) assert.ok(each <= 64, `${each} KiB for a match`);
    // Whatever the loops: the same games.
    const again = await contest(url, 16, 16);
    const alone = JSON.parse(run(["match", "belote", "--seat", `a=${url}`, "--seat", `b=${url}`, "--unit", "deal", "--seed", "1", "--games", "16", "--tables", "1", "--json"]).stdout);
    assert.equal(again.report.final_states, alone.final_states);
});

test("a limit of descriptors is told before anything begins", async () => { // B12.39
    const args = ["match", "belote", "--seat", "a=http://127.0.0.1:1", "--seat", "b=http://127.0.0.1:2", "--tables", "4096", "--max-conns", "4096"];
    const child = spawn("sh", ["-c", `ulimit -n 256; exec "$0" "$@"`, program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (bytes) => (said += bytes));
    assert.equal(await new Promise((resolve) => child.on("close", resolve)), 2);
    assert.match(said, /this run may need 8256 file descriptors and the limit is 256; raise it \(ulimit -n\), or lower --max-conns/);
});

test("events that are no events are refused", () => {
    const { status, stderr } = run(["match", "belote", "--seat", "house:rules", "--seat", "house:calc", "--events", "sun-risen"]);
    assert.equal(status, 2);
    assert.match(stderr, /--events: unknown event in .*; known: all, none, or a comma-separated list of deal-started/);
});
