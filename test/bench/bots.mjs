// What the bot API costs, both sides: p50 of our server against a bare round trip and the sample bots, in turns in one
// run; requests a second; CPU time of the engine for a request. --quick: shorter.
//
//     node test/bench/bots.mjs [--quick] [BUILD]      # BUILD: out/bench
import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const quick = process.argv.includes("--quick");
const build = process.argv.slice(2).find((a) => !a.startsWith("-")) ?? `${root}out/bench`;
const running = [];

async function start(command, args, env = {}) {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
    running.push(child);
    for await (const line of createInterface({ input: child.stdout }))
        if (line.startsWith("listening http")) return new URL(line.split(" ")[1]).port;
    throw new Error(`${command} does not listen`);
}
const run = (program, args) => JSON.parse(execFileSync(`${build}/${program}`, args.map(String), { encoding: "utf8", maxBuffer: 1 << 26 }));

const size = run("bench.bot_load", []);
const ports = {
    fixed: await start(`${build}/bench.fixed`, [String(size)]),
    agon: await start(`${build}/agon`, ["bot", "belote", "--bot", "random", "--port", "0"]),
    node: await start("node", [`${root}examples/bots/javascript/bot.mjs`], { PORT: "0" }),
    python: await start("python3", [`${root}examples/bots/python/bot.py`], { PORT: "0" }),
};
const seconds = quick ? 0.3 : 2;
const fixedSize = (name) => name !== "fixed";
const one = Object.fromEntries(run("bench.bot_load", [1, seconds, ...Object.entries(ports).filter(([n]) => fixedSize(n) || n === "fixed").map(([n, p]) => `${n}=${p}`)]).map((p) => [p.name, p]));
console.log("choose-card, 2,750 bytes, one connection, in turns:");
for (const p of Object.values(one))
    console.log(`  ${p.name.padEnd(8)} p50 ${p.p50_us.toFixed(1).padStart(8)} us   p95 ${p.p95_us.toFixed(1).padStart(8)}   p99 ${p.p99_us.toFixed(1).padStart(8)}   ${String(p.per_s).padStart(7)} a second`);
console.log(`  agon / fixed ${(one.agon.p50_us / one.fixed.p50_us).toFixed(2)} (at most 2; goal 1.4)   agon / node ${(one.agon.p50_us / one.node.p50_us).toFixed(2)} (at most 0.5)   agon / python ${(one.agon.p50_us / one.python.p50_us).toFixed(3)}`);
const [many] = run("bench.bot_load", [64, seconds, `agon=${ports.agon}`]);
console.log(`64 connections: ${many.per_s} requests a second (at least 20,000), p50 ${many.p50_us.toFixed(0)} us`);
const url = `http://127.0.0.1:${ports.agon}`, matches = quick ? 100 : 250;
const engine = run("bench.seats", ["belote", matches, 250, url, url, url, url]);
console.log(`engine, ${4 * Math.min(matches, 250)} sessions at once: ${engine.cpu_us_per_request} us of CPU time a request (at most 50), ${engine.requests_per_s} a second, ${engine.faults} faults`);
running.forEach((child) => child.kill());
