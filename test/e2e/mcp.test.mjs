// agon mcp on standard input and output: the official SDK, and clients that misbehave.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { games, program, run } from "./agon.mjs";
import { hello, Raw, sdk } from "./lib/mcp.mjs";
import { checked } from "./lib/rl_shapes.mjs";
import { until, within } from "./lib/wait.mjs";

const tools = [
    "register_agent", "deregister_agent", "sim_step", "reset", "get_state_hash", "save_trajectory",
    "load_trajectory", "configure_streams", "batch_step", "send_message", "observe",
];

// What a player does who reads nothing: the first thing that is legal, in Tetris a drop.
export function choose(step) {
    const actions = step.available_actions;
    const action = actions.find((a) => a.type === "hard_drop") ?? actions[0];
    return { type: action.type, params: action.params, index: action.index };
}

// Whether a server sleeps although input waits for it, look after look: it has stopped to read.
function refuses({ child, input }) {
    let looks = 0;
    return () => {
        const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${child.pid}/stat`, "utf8"));
        looks = state === "S" && input.writableLength > 0 ? looks + 1 : 0;
        return looks >= 5;
    };
}

async function play(client, agent_id = "me", scenario) {
    const call = async (name, args) => {
        const result = await client.callTool({ name, arguments: args });
        assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent); // G4.3
        return result.structuredContent;
    };
    await call("register_agent", { agent_id, agent_type: "EntityBehavior", config: { guide: false } });
    let step = await call("reset", { agent_id, seed: 7, ...(scenario ? { config: { scenario } } : {}) });
    let count = 0;
    while (!step.done && !step.truncated) {
        assert.ok(count++ < 5000, "the game ends");
        step = await call("sim_step", { agent_id, action: choose(step) });
    }
    assert.ok(["success", "failure"].includes(step.termination_reason), step.termination_reason);
    await assert.rejects(client.callTool({ name: "sim_step", arguments: { agent_id, action: { type: "wait" } } }), // C50
        (error) => error.code === -32002 && error.data.name === "EpisodeTerminated");
    return count;
}

describe("the official SDK over stdio", () => {
    test("what is here can be listed and read", async () => {
        const client = await sdk(["--game", "coup"]);
        assert.equal(client.getServerVersion().name, "agon-coup"); // G3.3
        assert.equal(client.getServerCapabilities().experimental.gameRl.level, 3);
        assert.ok(client.getInstructions().length <= 1500);
        const listed = (await client.listTools()).tools;
        assert.deepEqual(listed.map((tool) => tool.name), tools); // G4.1
        const ajv = new Ajv({ strict: false });
        for (const tool of listed) {
            for (const schema of [tool.inputSchema, tool.outputSchema]) {
                assert.equal(schema.type, "object"); // G4.2
                ajv.compile(schema);
            }
            assert.equal(tool.annotations.openWorldHint, false);
            assert.ok(tool.title && tool.description.includes("{"), tool.name);
        }
        const resources = (await client.listResources()).resources;
        assert.deepEqual(resources.map((r) => r.uri),
            ["game://manifest", "game://agents", "game://world", "game://actions", "game://rules"]); // G5.1
        for (const { uri, mimeType } of resources) {
            const { contents } = await client.readResource({ uri });
            assert.equal(contents.length, 1);
            assert.equal(contents[0].mimeType, mimeType);
            if (mimeType === "application/json") JSON.parse(contents[0].text);
        }
        assert.deepEqual((await client.listResourceTemplates()).resourceTemplates.map((r) => r.uriTemplate),
            ["game://agents/{agent_id}", "game://agents/{agent_id}/observation"]);
        await assert.rejects(client.readResource({ uri: "game://nowhere" }), (e) => e.code === -32002 && e.data.name === "ResourceNotFound");
        assert.deepEqual((await client.listPrompts()).prompts.map((p) => p.name), ["play_coup"]); // G6.1
        const prompt = await client.getPrompt({ name: "play_coup", arguments: { agent_id: "me" } });
        assert.ok(prompt.messages[0].content.text.length > 500 && prompt.messages[0].content.text.length <= 12288); // G6.2
        assert.deepEqual(await client.setLoggingLevel("debug"), {});
        assert.deepEqual(await client.ping(), {});
        await client.callTool({ name: "register_agent", arguments: { agent_id: "alice", agent_type: "EntityBehavior" } });
        const completed = await client.complete({ ref: { type: "ref/resource", uri: "game://agents/{agent_id}" }, argument: { name: "agent_id", value: "al" } });
        assert.deepEqual(completed.completion.values, ["alice"]); // G6.4
        await client.close();
    });

    for (const { name } of games)
        test(`a game of ${name} to its end, every answer valid`, async () => {
            const client = await sdk(["--game", name]);
            await client.listTools(); // from here on the SDK checks structured content (G8.2)
            const before = checked;
            await client.readResource({ uri: "game://manifest" });
            assert.ok((await play(client)) >= 1); // a hand of Kuhn poker may be one decision
            assert.ok(checked > before + 2, "messages were held against the schemas");
            await client.close();
        });

    test("an unpinned server plays what a reset names", async () => {
        const client = await sdk([]);
        await client.listTools();
        assert.equal((await client.listPrompts()).prompts.length, games.length);
        const scenario = games.find((g) => g.name === "liars_dice").scenarios[0];
        await play(client, "me", `liars_dice/${scenario}`); // G22.3
        await client.close();
    });

    test("an error tells what would be right", async () => {
        const client = await sdk(["--game", "coup"]);
        await assert.rejects(client.callTool({ name: "fly", arguments: {} }), (e) => e.code === -32601 && e.data.known.includes("sim_step"));
        await assert.rejects(client.callTool({ name: "sim_step", arguments: { agent_id: "nobody", action: { type: "wait" } } }),
            (e) => e.code === -32000 && e.data.name === "AgentNotRegistered");
        await assert.rejects(client.callTool({ name: "sim_step", arguments: { agent_id: 5 } }), (e) => e.code === -32602 && typeof e.data.path === "string");
        await client.callTool({ name: "register_agent", arguments: { agent_id: "me", agent_type: "EntityBehavior" } });
        await client.callTool({ name: "reset", arguments: { seed: 1 } });
        // Beyond 64 bits is out of range, not nothing (G11.5).
        await assert.rejects(client.callTool({ name: "sim_step", arguments: { agent_id: "me", action: 2 ** 63 } }), (e) => e.code === -32001 && e.data.reason === "out_of_range");
        await assert.rejects(client.callTool({ name: "reset", arguments: { seed: 2 ** 63 } }), (e) => e.code === -32602 && e.data.path === "/seed");
        await client.close();
    });

    test("arguments that a tool does not have are named, in their order, until the line is full (M54)", async () => {
        const client = await sdk(["--game", "coup"]);
        const observe = async (more) => (await client.callTool({ name: "observe", arguments: { agent_id: "me", ...more } })).content[1]?.text;
        await client.callTool({ name: "register_agent", arguments: { agent_id: "me", agent_type: "EntityBehavior" } });
        await client.callTool({ name: "reset", arguments: { seed: 1 } });
        assert.equal(await observe({}), undefined);
        assert.equal(await observe({ AgentId: "me" }), undefined); // G4.6
        assert.equal(await observe({ why: { a: 1 }, how: 2 }), 'Ignored, the tool has no such argument: "why", "how"');
        const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key_${i}`, i])); // more than are noted on the way
        assert.match(await observe(many), /^Ignored, the tool has no such argument: "key_0", "key_1", .*"key_9", "key_10"/);
        await client.close();
    });

    test("errors become results when asked to", async () => { // G4.7
        const client = await sdk(["--game", "coup", "--tool-errors", "result"]);
        await client.listTools();
        const result = await client.callTool({ name: "sim_step", arguments: { agent_id: "nobody", action: { type: "wait" } } });
        assert.equal(result.isError, true);
        assert.match(result.content[0].text, /^-32000 AgentNotRegistered: /);
        await client.close();
    });

    test("a subscriber is told", async () => {
        const client = await sdk(["--game", "coup"]);
        const told = new Promise((resolve) => (client.fallbackNotificationHandler = async (n) => n.method === "notifications/resources/updated" && resolve(n.params.uri)));
        await client.subscribeResource({ uri: "game://agents" });
        await client.callTool({ name: "register_agent", arguments: { agent_id: "a", agent_type: "EntityBehavior" } });
        assert.equal(await within(20000, told, "an update"), "game://agents"); // G5.8, C83
        await client.close();
    });
});

describe("a bare client", () => {
    test("each revision is spoken, others get the newest", async () => { // C1-C3
        for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2099-01-01"]) {
            const raw = Raw.start(["--game", "liars_dice"]);
            const answer = await raw.greet(revision);
            assert.equal(answer.result.protocolVersion, revision === "2099-01-01" ? "2025-11-25" : revision);
            const result = (await raw.ask("tools/call", { name: "get_state_hash", arguments: {} })).result;
            assert.equal("structuredContent" in result, revision >= "2025-06-18"); // G3.4
            raw.input.end();
            assert.equal(await raw.exit, 0);
        }
    });

    test("nonsense is answered and survived", async () => { // C8-C12, C17
        const raw = Raw.start(["--game", "coup"]);
        const refused = async (line, code, id = null) => {
            raw.send(line);
            const answer = await raw.read();
            assert.equal(answer.error.code, code, line.slice(0, 80));
            assert.deepEqual(answer.id, id);
        };
        await refused('{"jsonrpc":"2.0","id":"early","method":"tools/list"}', -32600, "early");
        await refused("{]", -32700);
        await refused("[".repeat(100000), -32700);
        await refused('{"a":"' + "x".repeat(9 << 20) + '"}', -32700);
        await refused('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600);
        raw.send("");
        raw.input.write(Buffer.from([0xff, 0xfe, 0x0a]));
        assert.equal((await raw.read()).error.code, -32700);
        raw.input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n');
        assert.deepEqual(await raw.read(), { jsonrpc: "2.0", id: 1, result: {} });
        await raw.greet();
        assert.equal((await raw.ask("nope")).error.code, -32601);
        assert.equal((await raw.call("fly")).error.code, -32601);
        raw.input.end();
        assert.equal(await within(20000, raw.exit, "exit"), 0); // C15
    });

    test("a line of 100 MB is refused once and costs no memory", async () => {
        const raw = Raw.start(["--game", "coup"]);
        await raw.greet();
        const part = Buffer.alloc(1 << 20, 0x61);
        for (let i = 0; i < 100; i++)
            if (!raw.input.write(part)) await new Promise((resolve) => raw.input.once("drain", resolve));
        raw.input.write("\n");
        const answer = await raw.read();
        assert.equal(answer.error.data.name, "TooLarge"); // G2.2
        assert.deepEqual((await raw.ask("ping")).result, {});
        const peak = spawnSync("grep", ["VmHWM", `/proc/${raw.child.pid}/status`], { encoding: "utf8" }).stdout;
        if (!/asan|dev/.test(program)) assert.ok(Number(/\d+/.exec(peak)[0]) < 64 << 10, peak);
        raw.input.end();
        assert.equal(await raw.exit, 0);
    });

    test("thousands of messages at once are answered in order", async () => {
        const raw = Raw.start(["--game", "coup"]);
        await raw.greet();
        const count = 20000;
        raw.input.write(Array.from({ length: count }, (_, i) => `{"jsonrpc":"2.0","id":${i},"method":"ping"}\n`).join(""));
        for (let i = 0; i < count; i++) assert.equal((await raw.read()).id, i); // G2.8
        raw.input.end();
        assert.equal(await raw.exit, 0);
    });

    test("batches belong to 2025-03-26", async () => { // G2.6
        const raw = Raw.start(["--game", "coup"]);
        await raw.greet("2025-03-26");
        raw.send([{ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", method: "x" }, { jsonrpc: "2.0", id: 2, method: "nope" }]);
        const answers = await raw.read();
        assert.deepEqual(answers.map((a) => a.id), [1, 2]);
        raw.input.end();
        await raw.exit;
    });

    test("the end of the input ends the program at once, a signal too", async () => { // G21.4, G21.5, C15, C16
        for (const end of [(raw) => raw.input.end(), (raw) => raw.child.kill("SIGTERM"), (raw) => raw.child.kill("SIGINT")]) {
            const raw = Raw.start(["--game", "tetris"]);
            await raw.greet();
            end(raw);
            assert.equal(await within(20000, raw.exit, "exit"), 0);
        }
    });

    test("a client that vanishes or does not read ends it too", async () => {
        const killed = Raw.start(["--game", "coup"]);
        await killed.greet();
        killed.child.stdout.destroy();
        killed.child.stdin.destroy();
        assert.notEqual(await within(20000, killed.exit, "exit"), undefined);
        const deaf = Raw.start(["--game", "coup"], { stdio: ["pipe", "pipe", "inherit"] });
        await deaf.greet();
        deaf.child.stdout.pause();
        const flood = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(100000);
        deaf.input.write(flood);
        await until(refuses(deaf), "rest"); // its answers have no room
        deaf.child.stdin.destroy();
        deaf.child.stdout.destroy();
        assert.notEqual(await within(20000, deaf.exit, "exit"), undefined);
    });

    test("bad options are refused", () => { // G1.3, G1.4
        for (const args of [["--nope"], ["--game", "chess"], ["--bots", "4"], ["--text", "long"], ["--scenario", "x"],
            ["--game", "coup", "--seats", "9"], ["--game", "coup", "--scenario", "nope"], ["--http", "1"], ["--tables", "0"],
            ["--headless-host", "--connect"], ["--table", "t"], ["--http-origin", "example"], ["--seed", "x"], ["extra"]]) {
            const done = run(["mcp", ...args]);
            assert.equal(done.status, 2, args.join(" "));
            assert.notEqual(done.stderr, "");
            assert.equal(done.stdout, "");
        }
    });

    test("levels of house bots have numbers and names", () => { // G22.10
        const ask = (id, name, args) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { agent_id: "me", ...args } } });
        const input = [JSON.stringify(hello()), '{"jsonrpc":"2.0","method":"notifications/initialized"}', ask(2, "register_agent", { agent_type: "CombatDirector" }), ask(3, "reset", {})].join("\n") + "\n";
        for (const [level, words] of [["random", "house:random"], ["fallback", "house:fallback"], ["rules", "house:rules"], ["search", "house:search"]].entries())
            for (const word of [String(level), ...words]) {
                const { stdout } = spawnSync(program, ["mcp", "--game", "coup", "--bots", word], { input, encoding: "utf8" });
                const { result } = JSON.parse(stdout.trim().split("\n").at(-1));
                assert.deepEqual(result.structuredContent.observation.fighters.map((f) => f.level), [level, level, level, level], word);
            }
    });

    test("initialize is answered soon after the start", async () => { // G1.5: aim 10 ms, unsanitized and undisturbed
        const raw = Raw.start(["--game", "coup"]);
        raw.send(hello());
        await raw.read();
        const [user, system] = readFileSync(`/proc/${raw.child.pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13);
        const ms = 10 * (Number(user) + Number(system)); // of a processor, whatever else runs here
        assert.ok(ms < 500, `${ms} ms`);
        raw.input.end();
        await raw.exit;
    });
});
