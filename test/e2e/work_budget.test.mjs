// One request must not block all others: long work yields after a counted (not timed) share, so results repeat.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { adminToken, Client, hostile } from "./lib/greedy.mjs";
import { fetchRaw, folder, server } from "./lib/mcp.mjs";
import { until, within } from "./lib/wait.mjs";

const serve = () =>
    server(["serve", "--port", "0", "--tetris-port", "0", "--data", folder(), "--bot-delay", "0", "--admin-token", adminToken], {
        stdio: ["ignore", "pipe", "ignore"],
    });

async function figures(s) {
    const { text } = await fetchRaw(`${s.base}/metrics`, { method: "GET" });
    const figure = (name) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    return {
        budget: figure("agon_loop_work_budget"), most: figure("agon_loop_work_max"),
        yields: figure("agon_jobs_yields_total"), away: figure("agon_jobs_away_total"), jobs: figure("agon_jobs"),
    };
}

const end = async (s) => {
    s.child.kill("SIGTERM");
    assert.equal(await within(20000, s.exit, "exit"), 0);
};

function signal(pid, name) {
    try {
        return process.kill(pid, name);
    } catch {
        return false; // it has ended meanwhile
    }
}

function childOf(parent) {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
        try {
            const [state, of] = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "").split(" ");
            if (Number(of) === parent && state !== "Z") return Number(pid);
        } catch {
            continue; // ended
        }
    return undefined;
}

// A table, private without a name, where a step of many ticks takes long.
async function table(s, name, config = {}) {
    const c = await Client.open(s.unix, undefined, name && { _meta: { "agon/table": name } });
    await c.call("register_agent", {
        agent_id: "gm", agent_type: "GameMaster", config: { clock_mode: "training", guide: false, ...config },
    });
    await c.call("reset", { agent_id: "gm", seed: 1, config: { scenario: "tetris/zen", initial_state: { max_ticks: 2000000000 } } });
    return c;
}
const long = { agent_id: "gm", action: { type: "wait" }, ticks: 10000 };

describe("the work of a turn", () => {
    let s, before;
    for (const kind of hostile)
        test(`stays within its budget: ${kind.name}`, async () => {
            s ??= await serve();
            before = await figures(s);
            assert.ok(before.budget > 0, "the server counts its work");
            const act = await kind.prepare(s, kind.small ?? 0.02);
            await within(60000, act(), kind.name);
            const f = await figures(s);
            assert.ok(f.most <= f.budget, `${f.most} units in one turn, budget ${f.budget}`);
            const waited = f.yields + f.away - before.yields - before.away;
            if (!kind.short) assert.ok(waited > 0, "nothing gave way");
        });
    test("no job is left", async () => {
        for (const c of Client.all) c.close(); // live tables went on until now
        await until(async () => (await figures(s)).jobs === 0, "the end of all jobs");
        await end(s);
    });
});

describe("beside a long call", () => {
    test("others are answered, the table waits in order, progress is told", async () => {
        const s = await serve();
        const one = await table(s, "one"), other = await Client.open(s.unix);
        const order = [];
        const begun = new Promise((resolve) => (one.on_note = resolve));
        const step = one.call("sim_step", long, { progressToken: 1 }).then((a) => (order.push("step"), a));
        await within(60000, begun, "progress");
        const observe = one.call("observe", { agent_id: "gm" }).then((a) => (order.push("observe"), a));
        await other.ask("ping");
        order.push("ping");
        const [a, b] = await within(60000, Promise.all([step, observe]), "answers");
        assert.deepEqual(order, ["ping", "step", "observe"]);
        assert.equal(a.tick, 10000);
        assert.equal(b.tick, 10000);
        await end(s);
    });

    test("steps come to the same state whether they gave way or not", async () => {
        const s = await serve();
        const one = await table(s), two = await table(s);
        await one.call("sim_step", { ...long, ticks: 2000 });
        for (let i = 0; i < 200; i++) await two.call("sim_step", { ...long, ticks: 10 });
        const [a, b] = [await one.call("get_state_hash", {}), await two.call("get_state_hash", {})];
        assert.equal(a.components.entities, b.components.entities);
        assert.equal(a.tick, b.tick);
        await end(s);
    });

    test("a client that leaves ends its call, and its table goes on", async () => {
        const s = await serve();
        const one = await table(s, "left"), two = await Client.open(s.unix, undefined, { _meta: { "agon/table": "left" } });
        const begun = new Promise((resolve) => (one.on_note = resolve));
        one.call("sim_step", { ...long, ticks: 100000 }, { progressToken: 1 }).catch(() => {});
        await within(60000, begun, "progress");
        one.close();
        await until(async () => {
            const { result } = await two.ask("resources/read", { uri: "game://agents" });
            return JSON.parse(result.contents[0].text).agents.length === 0;
        }, "the agent to go");
        const { result } = await two.ask("resources/read", { uri: "game://world" });
        assert.ok(JSON.parse(result.contents[0].text).tick < 100000, "the step was cut short");
        assert.equal((await figures(s)).jobs, 0);
        await end(s);
    });

    test("a cancelled call stops, is not answered, and the next one is", async () => {
        const s = await serve();
        const one = await table(s, "cancelled");
        const begun = new Promise((resolve) => (one.on_note = resolve));
        let answered = false;
        one.call("sim_step", { ...long, ticks: 100000 }, { progressToken: 1 }).then(() => (answered = true));
        await within(60000, begun, "progress");
        one.socket.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: one.next - 1 } }) + "\n");
        const next = await within(60000, one.call("sim_step", { ...long, ticks: 1 }), "the next step");
        assert.ok(next.tick < 100000);
        assert.equal(answered, false);
        await end(s);
    });

    test("too many calls behind it are refused", async () => {
        const s = await serve();
        const one = await table(s, "many");
        const begun = new Promise((resolve) => (one.on_note = resolve));
        const step = one.call("sim_step", long, { progressToken: 1 });
        await within(60000, begun, "progress");
        const behind = Array.from({ length: 80 }, () => one.call("observe", { agent_id: "gm" }).then(() => 1, (e) => e.message));
        await within(60000, step, "the step");
        const all = await within(60000, Promise.all(behind), "answers");
        const refused = all.filter((answer) => answer !== 1);
        assert.ok(refused.length >= 16 && refused.every((m) => /wait for its end/.test(m)), refused[0]);
        await end(s);
    });

    test("a request of several MiB is refused unread, and a batch is read beside the loop", async () => {
        const s = await serve();
        const numbers = `[${"1,".repeat(2000000)}1]`; // 4 MB: reading it takes far longer than a turn may
        for (const [revision, text, limit] of [
            [undefined, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"observe","arguments":${numbers}}}`, 262144],
            [undefined, numbers, 262144],
            ["2025-03-26", `[{"jsonrpc":"2.0","id":1,"method":"ping"},${numbers}]`, 262144],
            ["2025-03-26", `[{"jsonrpc":"2.0","id":1,"method":"ping"},${numbers.slice(0, -1)}`, undefined],
        ]) {
            const c = await Client.open(s.unix, revision);
            const refused = c.answer(null);
            c.socket.write(text + "\n");
            const { error } = await within(60000, refused, "the refusal");
            assert.deepEqual([error.code, error.data.limit], [-32700, limit]);
            assert.ok((await c.ask("ping", {})).result);
            c.close();
        }
        const f = await figures(s);
        assert.ok(f.most <= f.budget, `${f.most} units in one turn`);
        await end(s);
    });

    // Stopped, its socket fills up: a server that writes without asking first would wait for ever.
    test("a process that writes HDF5 and does not go on holds up nobody but its save", async () => {
        const s = await serve();
        const save = await hostile.find((kind) => kind.name.endsWith("hdf5")).prepare(s, 0.1);
        let waited = false;
        while (!waited) {
            let over = false, pid;
            const saved = within(600000, save(), "the save") // stopped for 300 answers, each of which may take a while
                .finally(() => (over = true));
            while (!over && !(pid = childOf(s.child.pid))) await new Promise(setImmediate);
            if (pid && signal(pid, "SIGSTOP"))
                try {
                    for (let i = 0; i < 300; i++) await within(60000, figures(s), "an answer"); // more turns than the save has slices
                    waited = !over;
                } finally {
                    signal(pid, "SIGCONT");
                }
            assert.equal((await saved).steps, 2000);
        }
        const f = await figures(s);
        assert.ok(f.most <= f.budget, `${f.most} units in one turn, budget ${f.budget}`);
        await end(s);
    });

    test("the server stops at once", async () => {
        const s = await serve();
        const one = await table(s, "stopped");
        const begun = new Promise((resolve) => (one.on_note = resolve));
        one.call("sim_step", { ...long, ticks: 100000 }, { progressToken: 1 }).catch(() => {});
        await within(60000, begun, "progress");
        await end(s);
    });
});
