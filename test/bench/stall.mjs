// One call must not stop everybody: how long another client waits for small answers beside each hostile one.
//   AGON=build/agon node test/bench/stall.mjs [name part...]
// Prints a table. The control is a thread that only sleeps 4 ms at a time: how late it wakes up is the machine's share
// of every wait (other processes, a hypervisor). A row fails when p99 less the control's p99 reaches LIMIT_MS.
// AGON_STALL_SECONDS (3): how long each row is measured.
import http from "node:http";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const LIMIT_MS = 50;
const SECONDS = Number(process.env.AGON_STALL_SECONDS ?? 3);

const GAP_MS = 4;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Samples until it is told to stop. A wait counts once for every GAP_MS of it: requests that a client without patience
// would have sent meanwhile have waited too.
async function sample(wait) {
    const times = [];
    let on = true;
    parentPort.on("message", () => (on = false));
    await wait();
    parentPort.postMessage("ready");
    while (on) for (let took = await wait(); took > 0; took -= GAP_MS) times.push(took);
    parentPort.postMessage(times.sort((a, b) => a - b));
    parentPort.close();
}

// Both in threads of their own, so that what the hostile client has to read does not count.
const roles = {
    async client(base) {
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        const get = () =>
            new Promise((resolve, reject) => {
                http.get(`${base}/api/health`, { agent }, (answer) => answer.resume().on("end", resolve)).on("error", reject);
            });
        await sample(async () => {
            await sleep(GAP_MS);
            const from = performance.now();
            await get();
            return performance.now() - from;
        });
        agent.destroy();
    },
    async control() {
        await sample(async () => {
            const from = performance.now();
            await sleep(GAP_MS);
            return Math.max(0.001, performance.now() - from - GAP_MS);
        });
    },
};

function start(role, base) {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { role, base } });
    const said = () => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    const stop = () => {
        const times = said();
        worker.postMessage("stop");
        return times;
    };
    return said().then(() => stop);
}

const at = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];

async function row(kind, serve) {
    const server = await serve();
    const act = await kind.prepare(server, 1);
    const stop = await Promise.all([start("client", server.base), start("control")]);
    let calls = 0, longest = 0;
    const until = performance.now() + 1000 * SECONDS;
    while (performance.now() < until) {
        const from = performance.now();
        await act();
        longest = Math.max(longest, performance.now() - from);
        calls++;
    }
    const [times, control] = await Promise.all(stop.map((end) => end()));
    server.child.kill("SIGKILL");
    await server.exit;
    return { calls, longest, p50: at(times, 0.5), p99: at(times, 0.99), most: times.at(-1), control: at(control, 0.99) };
}

async function main() {
    const { server, folder } = await import("../e2e/lib/mcp.mjs");
    const { adminToken, hostile } = await import("../e2e/lib/greedy.mjs");
    const serve = () => server(["serve", "--port", "0", "--tetris-port", "0", "--data", folder(), "--bot-delay", "0", "--admin-token", adminToken],
                              { stdio: ["ignore", "pipe", "ignore"] });
    const wanted = process.argv.slice(2);
    let failed = 0;
    console.log("| beside | its calls | longest, ms | p50, ms | p99, ms | worst, ms | control p99, ms |\n|---|---|---|---|---|---|---|");
    for (const kind of [{ name: "nobody", prepare: async () => () => new Promise((r) => setTimeout(r, 100)) }, ...hostile]) {
        if (wanted.length && !wanted.some((part) => kind.name.includes(part))) continue;
        try {
            const r = await row(kind, serve);
            const bad = r.p99 - r.control >= LIMIT_MS;
            failed += bad;
            const figures = [r.calls, ...[r.longest, r.p50, r.p99, r.most, r.control].map((ms) => ms.toFixed(1))];
            console.log(`| ${kind.name} | ${figures.join(" | ")} |${bad ? " FAILED" : ""}`);
        } catch (e) {
            failed++;
            console.log(`| ${kind.name} | ${e.message} | FAILED`);
        }
    }
    console.log(failed ? `${failed} rows failed: p99 less the control's must be below ${LIMIT_MS} ms` : `all rows below ${LIMIT_MS} ms`);
    process.exit(failed ? 1 : 0);
}

if (isMainThread) await main();
else await roles[workerData.role](workerData.base);
