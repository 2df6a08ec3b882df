// Vision streams: the examples in C and Python read the shared memory, and it is removed afterwards.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { games, program, root, run } from "./agon.mjs";
import { folder, Raw, sdk, server } from "./lib/mcp.mjs";
import { decode } from "./lib/png.mjs";
import { until } from "./lib/wait.mjs";

const readers = {
    "vision.py": (name, file) => ["python3", [`${root}examples/vision.py`, name, file]],
    "vision.c": (name, file) => [join(dirname(program), "example.vision"), [name, file]],
};

// A picture of a stream as one of the examples sees it: {said, width, height, channels, pixels}.
function look(example, descriptor, place = folder()) {
    const file = join(place, "frame.png");
    const [command, args] = readers[example](descriptor.transport.shm_name, file);
    const done = spawnSync(command, args, { encoding: "utf8", timeout: 600000 });
    assert.equal(done.status, 0, `${example}: ${done.stderr}`);
    return { said: done.stdout, ...decode(readFileSync(file)) };
}

const left = (pid, place = "/dev/shm") => readdirSync(place).filter((name) => name.startsWith(`grl.${pid}.`));

const gone = (pid) => until(() => left(pid).length === 0, `end of all rings of ${pid}`);

const me = { agent_id: "me", agent_type: "EntityBehavior", config: { guide: false } };

function choose({ available_actions: all }) {
    const { type, params, index } = all.find((a) => a.type === "hard_drop") ?? all[0];
    return { type, params, index };
}

const schemas = `${root}../shared/schema/game-rl/`;
const read = (file) => JSON.parse(readFileSync(file));
const isAnswer = new Ajv().compile(read(`${root}protocol/game-rl/schema/streams.schema.json`));

// Against our own schema, and against the public one where it is at hand.
function checkAnswer(answer) {
    assert.ok(isAnswer(answer), JSON.stringify(isAnswer.errors));
    if (!existsSync(schemas)) return;
    const ajv = new Ajv({ strict: false });
    const base = "https://github.com/arkavo-org/specifications/schemas/game-rl/draft-00/";
    for (const name of readdirSync(schemas)) ajv.addSchema(read(schemas + name));
    const check = ajv.getSchema(`${base}vision-stream.schema.json#/definitions/stream_descriptor`);
    for (const stream of answer.streams) assert.ok(check(stream), JSON.stringify(check.errors));
}

describe("pictures", () => {
    for (const { name } of games)
        test(`of ${name}, by the examples`, async () => {
            const client = await sdk(["--game", name]);
            await client.listTools(); // from here on the SDK checks structured content
            const call = async (tool, args) => (await client.callTool({ name: tool, arguments: args })).structuredContent;
            await call("register_agent", me);
            const answer = await call("configure_streams", { agent_id: "me", profile: "perception" });
            const { streams } = answer;
            checkAnswer(answer); // C95
            assert.deepEqual(streams.map((s) => s.stream_id), ["rgb_0", "segmentation_1", "depth_2"]); // G20.2
            for (const { transport } of streams) {
                const { mode, size } = statSync(`/dev/shm${transport.shm_name}`);
                assert.equal(mode & 0o777, 0o600); // G20.4, C99
                assert.equal(size, transport.size);
            }
            const first = await call("reset", { agent_id: "me", seed: 7 });
            assert.deepEqual(first.frame_ids, { rgb_0: 0, segmentation_1: 0, depth_2: 0 });
            const before = look("vision.py", streams[0]);
            assert.match(before.said, /^rgb_0: frame 0, tick 0, 224 x 224/);
            assert.deepEqual([before.width, before.height, before.channels], [224, 224, 3]);
            assert.ok(new Set(before.pixels).size > 10, "there is something to see");
            const step = await call("sim_step", { agent_id: "me", action: choose(first) });
            assert.equal(step.frame_ids.rgb_0, 1);
            const after = look("vision.py", streams[0]);
            assert.notDeepEqual(after.pixels, before.pixels);
            for (const [i, channels] of [3, 4, 1].entries()) { // both readers see the same
                const c = look("vision.c", streams[i]), py = look("vision.py", streams[i]);
                assert.equal(c.said, py.said);
                assert.deepEqual([c.width, c.height, c.channels], [224, 224, channels]);
                if (channels > 1) assert.deepEqual(c.pixels, py.pixels);
                else assert.ok(c.pixels.every((value, k) => Math.abs(value - py.pixels[k]) <= 1)); // shades are rounded
            }
            const offset = streams[0].transport.offsets[1]; // frame 1, by the descriptor alone (G20.7)
            const bytes = readFileSync(`/dev/shm${streams[0].transport.shm_name}`);
            assert.deepEqual(bytes.subarray(offset, offset + after.pixels.length), after.pixels);
            await client.close();
        });

    test("in files, with a checksum", async () => { // G20.4, G1.3
        const place = folder();
        const client = await sdk(["--game", "tetris", "--vision-dir", place, "--vision-crc"]);
        const call = async (tool, args) => (await client.callTool({ name: tool, arguments: args })).structuredContent;
        await call("register_agent", me);
        const { streams } = await call("configure_streams", { agent_id: "me", profile: "motion" });
        await call("reset", { seed: 1 });
        for (const stream of streams) {
            assert.equal(dirname(stream.transport.shm_name), place);
            assert.notEqual(readFileSync(stream.transport.shm_name).readUInt32LE(4096 + 44), 0);
            for (const example of Object.keys(readers)) look(example, stream);
        }
        await client.close();
        assert.deepEqual(readdirSync(place), []);
    });

    test("within their memory", async () => { // C98
        const raw = Raw.start(["--game", "coup", "--vision-memory", "1"]);
        await raw.greet();
        await raw.call("register_agent", me);
        const refused = await raw.call("configure_streams", { agent_id: "me", profile: "policy_quality" });
        assert.equal(refused.error.code, -32004);
        assert.equal(refused.error.data.limit, 1 << 20);
        assert.equal((await raw.call("configure_streams", { agent_id: "me" })).streams.length, 1);
        raw.input.end();
        assert.equal(await raw.exit, 0);
        const { status, stderr } = run(["mcp", "--vision-dir", "/nowhere"]);
        assert.equal(status, 2);
        assert.match(stderr, /--vision-dir: .* is not an existing folder/);
    });
});

describe("what is left", () => {
    const start = async (place) => {
        const raw = Raw.start(["--game", "coup", ...(place ? ["--vision-dir", place] : [])]);
        await raw.greet();
        await raw.call("register_agent", me);
        await raw.call("configure_streams", { agent_id: "me", profile: "perception" });
        assert.equal(left(raw.child.pid, place).length, 3);
        return raw;
    };

    test("nothing after deregistration, the end of input, a signal", async () => { // G20.9, C99
        let raw = await start();
        await raw.call("deregister_agent", { agent_id: "me" });
        assert.deepEqual(left(raw.child.pid), []);
        raw.input.end();
        assert.equal(await raw.exit, 0);
        raw = await start();
        raw.input.end();
        assert.equal(await raw.exit, 0);
        assert.deepEqual(left(raw.child.pid), []);
        raw = await start();
        raw.child.kill("SIGTERM");
        assert.equal(await raw.exit, 0);
        assert.deepEqual(left(raw.child.pid), []);
    });

    // In a folder of its own: in /dev/shm every other server that starts would remove them, too.
    test("a killed server's, until the next one starts", async () => {
        const place = folder(), raw = await start(place), alive = await start(place);
        raw.child.kill("SIGKILL");
        await raw.exit;
        assert.equal(left(raw.child.pid, place).length, 3);
        const next = Raw.start(["--game", "coup", "--vision-dir", place]);
        await next.greet();
        assert.deepEqual(left(raw.child.pid, place), []);
        assert.equal(left(alive.child.pid, place).length, 3); // nobody else's
        for (const one of [next, alive]) {
            one.input.end();
            assert.equal(await one.exit, 0);
        }
    });

    test("nothing of a client that was killed; the host and the others go on", async () => {
        const host = await server(["mcp", "--headless-host", "--game", "coup", "--socket", join(folder(), "s")]);
        const other = await Raw.socket(host.unix);
        await other.greet();
        await other.call("register_agent", { ...me, agent_id: "other" });
        const { streams } = await other.call("configure_streams", { agent_id: "other" });
        const connector = Raw.start(["--connect", host.unix, "--no-spawn"]);
        await connector.greet();
        await connector.call("register_agent", me);
        await connector.call("configure_streams", { agent_id: "me", profile: "perception" });
        assert.equal(left(host.child.pid).length, 4);
        connector.child.kill("SIGKILL");
        await connector.exit;
        await until(() => left(host.child.pid).length <= 1, "end of the rings of the client");
        assert.equal(left(host.child.pid).length, 1);
        // The clock of the table draws: a fast host gets here before its first tick.
        const drawn = async () => (await other.call("observe", { agent_id: "other" })).frame_ids.rgb_0 !== undefined;
        await until(drawn, "first frame");
        assert.match(look("vision.py", streams[0]).said, /^rgb_0: frame \d+/);
        other.close();
        await gone(host.child.pid);
        host.child.kill("SIGTERM");
        assert.equal(await host.exit, 0);
    });
});
