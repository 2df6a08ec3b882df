// What a sim_step over MCP costs in function calls and JSON readers, counted by callgrind: the same on a busy machine.
// step_calls.mjs PROGRAM [GAME...]; PROGRAM without LTO (out/check/agon), so that calls between files are calls.
// A first run plays and keeps what was said; a second run hears the same under valgrind, once without the steps.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, ...named] = process.argv.slice(2);
const games = named.length ? named : ["coup", "tetris", "liars_dice"];
const STEPS = 500;

const line = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n";
const tool = (id, name, args) => line(id, "tools/call", { name, arguments: args });
const opening = (seed) => [
    line(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
    tool(1, "register_agent", { agent_id: "me", agent_type: "EntityBehavior" }),
    tool(2, "reset", { seed }),
];

// Plays with the last of the legal actions by type and parameters, and returns the lines it sent.
async function play(game) {
    const child = spawn(program, ["mcp", "--game", game], { stdio: ["pipe", "pipe", "inherit"] });
    const sent = [];
    const say = (text) => (sent.push(text), child.stdin.write(text));
    let next = 3, steps = 0;
    for (const text of opening(7)) say(text);
    for await (const text of createInterface({ input: child.stdout })) {
        const { id, result } = JSON.parse(text);
        if (!(id >= 2)) continue;
        const told = result.structuredContent;
        if (steps === STEPS) break;
        if (told.done) {
            say(tool(next++, "reset", { seed: 7 + next }));
            continue;
        }
        const action = (told.available_actions ?? []).at(-1) ?? { type: "wait", params: {} };
        say(tool(next++, "sim_step", { agent_id: "me", action: { type: action.type, params: action.params } }));
        steps++;
    }
    child.stdin.end();
    return sent;
}

// All calls, and those to some functions.
function count(game, lines, folder) {
    const out = join(folder, "out");
    execFileSync("valgrind", ["--tool=callgrind", `--callgrind-out-file=${out}`, program, "mcp", "--game", game],
        { input: lines.join(""), stdio: ["pipe", "ignore", "ignore"], maxBuffer: 1 << 30 });
    const names = new Map(), totals = { calls: 0, instructions: 0, json_reader_of: 0, json_skip: 0 };
    let callee = "", skip = false;
    const name = (text) => {
        const [, number, word] = /^\((\d+)\)(?: (.*))?$/.exec(text);
        if (word) names.set(number, word);
        return names.get(number);
    };
    for (const path of readdirSync(folder))
        for (const row of readFileSync(join(folder, path), "latin1").split("\n")) {
            if (row.startsWith("fn=")) name(row.slice(3));
            else if (row.startsWith("cfn=")) callee = name(row.slice(4));
            else if (row.startsWith("calls=")) {
                const times = Number(row.slice(6).split(" ")[0]);
                totals.calls += times;
                const plain = callee.replace(/'\d+$/, "");
                if (plain in totals) totals[plain] += times;
            } else if (row.startsWith("totals: ")) totals.instructions += Number(row.slice(8).split(" ")[0]);
        }
    rmSync(folder, { recursive: true });
    return totals;
}

console.log("game         calls/step  instructions/step  readers/step  skips/step");
for (const game of games) {
    const lines = await play(game);
    const steps = lines.filter((text) => text.includes('"sim_step"')).length;
    const folder = () => mkdtempSync(join(tmpdir(), "agon-steps-"));
    const whole = count(game, lines, folder());
    const bare = count(game, lines.filter((text) => !text.includes('"sim_step"')), folder());
    const each = (key) => (whole[key] - bare[key]) / steps;
    console.log([game.padEnd(12), each("calls").toFixed(1).padStart(10), each("instructions").toFixed(0).padStart(18),
        each("json_reader_of").toFixed(2).padStart(13), each("json_skip").toFixed(2).padStart(11)].join(" "));
}
