// Trajectories: recorded, saved, read by h5py and msgpack, loaded and verified (G19).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { games, program, run } from "./agon.mjs";
import { folder, Raw, sdk, server } from "./lib/mcp.mjs";
import { within } from "./lib/wait.mjs";

const formats = { "t.json": "json", "t.jsonl": "json", "t.msgpack": "msgpack", "t.h5": "hdf5" };

async function tool(client, name, args = {}) {
    return (await client.callTool({ name, arguments: args })).structuredContent;
}

const refused = (client, name, args, code, reason) =>
    assert.rejects(client.callTool({ name, arguments: args }), (e) => e.code === code && (!reason || e.data.reason === reason) || assert.fail(`${e.code} ${JSON.stringify(e.data)}`));

function choose(step, i) {
    const all = step.available_actions;
    return all.find((a) => a.type === "hard_drop") ?? all[i % all.length];
}

async function play(client, seed, most = 40, agent_id = "me") {
    let step = await tool(client, "reset", { agent_id, seed });
    let i = 0;
    for (; i < most && !step.done && !step.truncated; i++) {
        const { type, params, index } = choose(step, i);
        step = await tool(client, "sim_step", { agent_id, action: { type, params, index } });
    }
    return i;
}

function python(script, ...args) {
    const done = spawnSync("/usr/bin/python3", ["-c", script, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
}

// json is what the others are compared with: records of msgpack, every column of HDF5.
const compare = `
import sys, json, hashlib, math
import h5py, msgpack
folder = sys.argv[1]
tree = json.load(open(folder + "/t.json"))
lines = [json.loads(l) for l in open(folder + "/t.jsonl")]
packed = list(msgpack.Unpacker(open(folder + "/t.msgpack", "rb"), raw=False, strict_map_key=True))
records = [tree["header"]]
for e in tree["episodes"]:
    records.append(e["reset"])
    notes = list(e["notes"])
    for i, s in enumerate(e["steps"] + [None]):
        while notes and notes[0]["after"] <= i:
            records.append(notes.pop(0)["record"])
        if s is not None:
            records.append(s)
records.append(tree["footer"])
skip = lambda r: {k: v for k, v in r.items() if k not in ("created", "header_sha256")}
assert [skip(r) for r in lines] == [skip(r) for r in records], "lines"
assert [skip(r) for r in packed] == [skip(r) for r in records], "msgpack"
assert [r["k"] for r in records][0] == "header" and records[-1]["k"] == "footer"
assert all(type(x["reward"]) is float for r in packed if r["k"] == "step" for x in r["entries"])
body = b"".join(l.encode() for l in open(folder + "/t.jsonl") if not l.startswith('{"k":"header"') and not l.startswith('{"k":"footer"'))
assert "sha256:" + hashlib.sha256(body).hexdigest() == tree["footer"]["content_sha256"], "content"
again = "".join(json.dumps(r, separators=(",", ":")) + "\\n" for r in records[1:-1])
assert again.encode() == body, "compact"
h = h5py.File(folder + "/t.h5", "r")
text = lambda v: v.decode() if isinstance(v, bytes) else v
assert text(h.attrs["format"]) == "game-rl-trajectory" and h.attrs["version"] == 1
assert text(h.attrs["game"]) == tree["header"]["game"]
assert text(h.attrs["content_sha256"]) == tree["footer"]["content_sha256"]
assert text(h.attrs["final_state_hash"]) == tree["footer"]["final_state_hash"]
assert len(h["episodes"]) == len(tree["episodes"])
checked = 0
for n, e in enumerate(tree["episodes"]):
    g, steps = h["episodes/%04d" % n], e["steps"]
    reset = json.loads(text(g.attrs["reset_json"]))
    assert reset == {k: v for k, v in e["reset"].items() if k != "observations"}
    T = len(steps)
    for key in ("step_id", "tick", "ticks"):
        assert g[key].dtype == "<u8" and list(g[key]) == [s[key] for s in steps], key
    assert g["state_hash"].dtype.itemsize == 71 and [text(x) for x in g["state_hash"]] == [s["state_hash"] for s in steps]
    for id, a in g["agents"].items():
        assert a["rewards"].shape == (T,) and a["observations/json"].shape == (T + 1,)
        assert json.loads(text(a["observations/json"][0])) == e["reset"]["observations"][id]
        for i, s in enumerate(steps):
            found = [x for x in s["entries"] if x["agent_id"] == id]
            if not found:
                assert text(a["actions_json"][i]) == "" and a["rewards"][i] == 0
                continue
            x = found[0]
            checked += 1
            assert json.loads(text(a["actions_json"][i])) == x["action"]
            if a["actions"].ndim == 1:
                assert a["actions"][i] == x["action"].get("index", -1)
            else:
                assert list(a["actions"][i]) == x["action"] or all(math.isnan(v) for v in a["actions"][i])
            assert a["rewards"][i] == x["reward"]
            assert bool(a["terminations"][i]) == x["done"] and bool(a["truncations"][i]) == x["truncated"]
            assert json.loads(text(a["observations/json"][i + 1])) == x["observation"]
            for name, value in x["reward_components"].items():
                assert a["reward_components/" + name][i] == value
            assert json.loads(text(a["infos_json"][i]))["events"] == x["events"]
            if "vector" in x["observation"]:
                v = a["observations/vector"]
                assert v.dtype == "<f4" and v.shape == (T + 1, len(x["observation"]["vector"]))
                assert max(abs(float(p) - q) for p, q in zip(v[i + 1], x["observation"]["vector"])) < 1e-6
print(checked)
`;

// The pictures of json against the bytes of msgpack and the rows of HDF5.
const pictures = `
import sys, json, base64
import h5py, msgpack
folder = sys.argv[1]
tree = json.load(open(folder + "/t.json"))
records = list(msgpack.Unpacker(open(folder + "/t.msgpack", "rb"), max_buffer_size=1 << 30))
packed = [r for r in records if r["k"] == "step"]
resets = [r for r in records if r["k"] == "reset"]
h = h5py.File(folder + "/t.h5", "r")
checked = 0
for n, e in enumerate(tree["episodes"]):
    for id, frames in e["reset"]["frames"].items():
        for name, f in frames.items():
            data = base64.b64decode(f["data"])
            assert resets[n]["frames"][id][name] == {**f, "data": data}
            film = h["episodes/%04d/agents/%s/first_frames/%s" % (n, id, name)]
            assert film.shape == (1, *f["shape"]) and film[0].tobytes() == data
    for i, s in enumerate(e["steps"]):
        p = packed.pop(0)
        for x, y in zip(s["entries"], p["entries"]):
            assert x.get("frames", {}).keys() == y.get("frames", {}).keys()
            for name, f in x.get("frames", {}).items():
                data = base64.b64decode(f["data"])
                assert y["frames"][name] == {**f, "data": data}
                info = json.loads(h["episodes/%04d/agents/%s/infos_json" % (n, x["agent_id"])][i])["frames"][name]
                if info["data"] is None: # else of another form than the first of its name
                    film = h["episodes/%04d/agents/%s/frames/%s" % (n, x["agent_id"], name)]
                    assert film.shape == (len(e["steps"]), *f["shape"]) and film.chunks == (1, *f["shape"])
                    assert film.dtype == {"uint8": "u1", "float32": "<f4"}[f["dtype"]]
                    assert film[i].tobytes() == data
                else:
                    assert info["data"] == f["data"]
                checked += 1
print(checked)
`;

describe("trajectories", () => {
    for (const { name } of games)
        test(`${name}: every format says the same, to Python too, and plays again`, async () => { // C87-C91
            const dir = folder();
            const client = await sdk(["--game", name, "--data-dir", dir]);
            const listed = (await client.listTools()).tools.map((t) => t.name);
            assert.deepEqual(listed.slice(5, 7), ["save_trajectory", "load_trajectory"]); // G4.1
            const manifest = JSON.parse((await client.readResource({ uri: "game://manifest" })).contents[0].text);
            assert.equal(manifest.capabilities.save_replay, true);
            assert.deepEqual(manifest.agon.trajectory_formats, ["json", "msgpack", "hdf5"]);
            await tool(client, "register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
            await tool(client, "register_agent", { agent_id: "gm", agent_type: "GameMaster" });
            await tool(client, "reset", { seed: 4 });
            await tool(client, "sim_step", { agent_id: "gm", action: { type: "set_time", params: { hour: 3, minute: 7 } } });
            let steps = (await play(client, 5)) + 1;
            await tool(client, "send_message", { from_agent: "gm", content: { text: "grüße", n: 1.5 } });
            await tool(client, "deregister_agent", { agent_id: "me" });
            await tool(client, "register_agent", { agent_id: "me", agent_type: "EntityBehavior", config: { observation_profile: "vector" } });
            let step = await tool(client, "reset", { seed: 6, agent_id: "me" });
            for (let i = 0; i < 20 && !step.done && !step.truncated; i++, steps++) {
                const { type, params, index } = choose(step, i);
                step = await tool(client, "sim_step", { agent_id: "me", action: { type, params, index } });
            }
            const { hash } = await tool(client, "get_state_hash");
            for (const [path, format] of Object.entries(formats)) {
                const saved = await tool(client, "save_trajectory", { path, format });
                assert.deepEqual({ ...saved, bytes: 0, sha256: "" }, { path, format, episodes: 3, steps, agents: ["me", "gm"], bytes: 0, sha256: "", partial: false });
                const bytes = readFileSync(join(dir, path));
                assert.equal(saved.bytes, bytes.length);
                assert.equal(saved.sha256, `sha256:${createHash("sha256").update(bytes).digest("hex")}`);
            }
            assert.deepEqual(readdirSync(dir).sort(), Object.keys(formats).sort()); // nothing aside
            assert.ok(Number(python(compare, dir)) >= steps);
            const standard = await tool(client, "save_trajectory", { path: "d" });
            assert.equal(standard.format, "msgpack"); // C88
            for (const mode of ["instant", "step"]) { // C93
                for (const path of Object.keys(formats)) {
                    let loaded;
                    do loaded = await tool(client, "load_trajectory", { path, playback_mode: mode });
                    while (loaded.remaining);
                    assert.equal(loaded.verified, true, JSON.stringify(loaded.mismatches));
                    assert.equal(loaded.final_state_hash, hash);
                    assert.equal((await tool(client, "get_state_hash")).hash, hash);
                }
            }
            await client.close();
            const other = await sdk(["--data-dir", dir, "--bots", "0"]); // another process, unpinned, other bots
            await other.listTools();
            for (const path of Object.keys(formats)) {
                const loaded = await tool(other, "load_trajectory", { path });
                assert.equal(loaded.verified, true);
                assert.equal(loaded.final_state_hash, hash);
                assert.equal(loaded.steps, steps);
            }
            assert.equal(JSON.parse((await other.readResource({ uri: "game://manifest" })).contents[0].text).agon.game, name);
            await other.close();
        });

    for (const [name, profile] of [["tetris", "motion"], ["coup", "perception"]])
        test(`${name}: pictures of a file are those that were shown`, async () => { // G19.2, G19.5, G19.6
            const dir = folder();
            const client = await sdk(["--game", name, "--data-dir", dir]);
            await tool(client, "register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
            await tool(client, "register_agent", { agent_id: "gm", agent_type: "GameMaster" });
            let step = await tool(client, "reset", { agent_id: "me", seed: 3, config: { domain_randomization: { visual: { texture_noise: 0.5, camera_jitter: 0.3 } } } });
            const shown = []; // [stream, pixels] of each step
            let streams = [];
            const act = async (i) => {
                const { type, params, index } = choose(step, i);
                step = await tool(client, "sim_step", { agent_id: "me", action: { type, params, index } });
                shown.push(look());
            };
            const look = () => streams.map(({ stream_id, height, transport: t }) => {
                const at = t.offsets[step.frame_ids[stream_id] % 4];
                return [stream_id, readFileSync(`/dev/shm${t.shm_name}`).subarray(at, at + height * t.row_stride).toString("base64")];
            });
            await act(0); // without streams
            ({ streams } = await tool(client, "configure_streams", { agent_id: "me", profile }));
            for (let i = 1; i < 3; i++) await act(i);
            await tool(client, "sim_step", { agent_id: "gm", action: { type: "set_time", params: { hour: 2, minute: 0 } } });
            ({ streams } = await tool(client, "configure_streams", { agent_id: "me", custom: { streams: [{ name: "rgb", type: "rgb", width: 40, height: 30 }] } }));
            for (let i = 3; i < 5; i++) await act(i);
            step = await tool(client, "reset", { agent_id: "me", seed: 4 });
            const first = look(); // of the second episode; at the first reset there were no streams
            await act(5);
            for (const [path, format] of Object.entries(formats))
                await tool(client, "save_trajectory", { path, format, include_frames: true });
            const { header, episodes } = JSON.parse(readFileSync(join(dir, "t.json"), "utf8"));
            assert.equal(header.include_frames, true);
            const seen = episodes.flatMap((e) => e.steps).flatMap((s) => s.entries).filter((e) => e.agent_id === "me")
                .map((e) => Object.entries(e.frames ?? {}).map(([id, f]) => [id, f.data]));
            assert.deepEqual(seen, shown);
            assert.deepEqual(episodes.map((e) => e.reset.frames), [{}, { me: { rgb_0: { dtype: "uint8", shape: [30, 40, 3], data: first[0][1] } } }]);
            assert.equal(python(pictures, dir).trim(), String(shown.flat().length));
            for (const path of Object.keys(formats)) {
                const loaded = await tool(client, "load_trajectory", { path });
                assert.equal(loaded.verified, true, JSON.stringify(loaded));
                assert.equal(loaded.final_state_hash, step.state_hash);
            }
            const again = await tool(client, "sim_step", { agent_id: "me", action: 0 }); // its streams go on after a playback
            assert.deepEqual(Object.keys(again.frame_ids), ["rgb_0"]);
            await tool(client, "save_trajectory", { path: "u.json", format: "json", include_frames: true });
            const last = JSON.parse(readFileSync(join(dir, "u.json"), "utf8")).episodes.at(-1).steps.at(-1).entries[0];
            assert.deepEqual(last.frames.rgb_0.shape, [30, 40, 3]);
            await tool(client, "save_trajectory", { path: "v.json", format: "json" });
            assert.doesNotMatch(readFileSync(join(dir, "v.json"), "utf8"), /"frames"/);
            await client.close();
        });

    test("saving pictures holds nobody up and keeps to its moment", async () => { // G2.8, G6.7, G21.4
        const dir = folder();
        const raw = Raw.start(["--game", "tetris", "--data-dir", dir]);
        await raw.greet();
        await raw.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
        await raw.call("configure_streams", { agent_id: "me", profile: "perception" });
        await raw.call("reset", { agent_id: "me", seed: 1 });
        const steps = 30;
        for (let i = 0; i < steps; i++) await raw.call("sim_step", { agent_id: "me", action: 0 });
        const save = (id, path, format = "msgpack") =>
            raw.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "save_trajectory", arguments: { path, format, include_frames: true } } });
        save("first", "a");
        save("second", "b");
        raw.send({ jsonrpc: "2.0", id: "step", method: "tools/call", params: { name: "sim_step", arguments: { agent_id: "me", action: 0 } } });
        raw.send({ jsonrpc: "2.0", id: "ping", method: "ping" });
        const answers = [];
        while (answers.length < 4) answers.push(await raw.read());
        assert.deepEqual(answers.map((a) => a.id), ["second", "step", "ping", "first"]);
        assert.equal(answers[0].error.code, -32004); // one at a time
        assert.equal(answers[1].result.structuredContent.tick, steps + 1);
        assert.equal(answers[3].result.structuredContent.steps, steps);
        const loaded = await raw.call("load_trajectory", { path: "a" });
        assert.deepEqual([loaded.verified, loaded.steps], [true, steps]);
        for (const format of ["json", "hdf5"]) {
            save(format, "c", format);
            raw.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: format } });
            assert.deepEqual((await raw.ask("ping")).result, {});
        }
        save("last", "d");
        raw.input.end();
        assert.equal(await raw.read(), null);
        assert.equal(await raw.exit, 0);
        assert.deepEqual(readdirSync(dir), ["a"]);
    });

    test("pictures too large for a record are refused, and nothing is written", async () => {
        const dir = folder();
        const client = await sdk(["--game", "coup", "--data-dir", dir, "--vision-memory", "512"]);
        const ids = ["a", "b", "c", "d"];
        for (const agent_id of ids) {
            await tool(client, "register_agent", { agent_id, agent_type: "EntityBehavior" });
            await tool(client, "configure_streams", { agent_id, custom: { streams: [{ name: "rgb", type: "rgb", width: 2100, height: 2100 }] } });
        }
        await tool(client, "reset", { seed: 1 });
        await tool(client, "batch_step", { steps: ids.map((agent_id) => ({ agent_id, action: 0 })), sync_mode: "async" });
        await refused(client, "save_trajectory", { path: "x", include_frames: true }, -32004);
        assert.deepEqual(readdirSync(dir), []);
        await tool(client, "save_trajectory", { path: "x", include_frames: true, agent_ids: ["a"] });
        await client.close();
    });

    test("the table goes on where the trajectory ends", async () => { // G19.9
        const dir = folder();
        const client = await sdk(["--game", "tetris", "--data-dir", dir]);
        await tool(client, "register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
        await play(client, 5, 3);
        await tool(client, "save_trajectory", { path: "a" });
        const next = await tool(client, "sim_step", { agent_id: "me", action: { type: "hard_drop" } });
        await tool(client, "load_trajectory", { path: "a" });
        const again = await tool(client, "sim_step", { agent_id: "me", action: { type: "hard_drop" } });
        assert.equal(again.state_hash, next.state_hash);
        await client.close();
    });

    test("a path leads nowhere else", async () => { // C94
        const dir = folder();
        const client = await sdk(["--game", "coup", "--data-dir", dir]);
        await tool(client, "register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
        await play(client, 5, 3);
        mkdirSync(join(dir, "sub"));
        symlinkSync("/tmp", join(dir, "away"));
        symlinkSync("sub/t", join(dir, "link"));
        writeFileSync(join(dir, "text"), "{\"k\":\"header\"}\n");
        for (const path of ["../x", "sub/../../x", "away/x", "/tmp/x", ".x", "sub", "sub/t", join(dir, "t"), "link", "no/x", "a\u0000b", "x".repeat(400)])
            await refused(client, "save_trajectory", { path }, -32602);
        for (const path of ["../x", "away/x", "/etc/passwd", "sub", "link", "missing", "text"])
            await refused(client, "load_trajectory", { path }, -32602);
        assert.deepEqual(readdirSync(dir).sort(), ["away", "link", "sub", "text"]);
        await refused(client, "save_trajectory", { path: "text", overwrite: true }, -32602, "no_trajectory");
        assert.equal(readFileSync(join(dir, "text"), "utf8"), "{\"k\":\"header\"}\n");
        await tool(client, "save_trajectory", { path: "t" });
        await refused(client, "save_trajectory", { path: "t" }, -32602, "exists");
        await tool(client, "save_trajectory", { path: "t", overwrite: true });
        assert.deepEqual(readdirSync(dir).sort(), ["away", "link", "sub", "t", "text"]);
        await client.close();
    });

    test("a full disk is told and leaves nothing", async () => { // G19.10
        const dir = folder();
        // A limit of file sizes is what a full disk looks like to a program.
        const child = underLimit(dir, 24);
        await child.greet();
        await child.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior", config: { guide: false } });
        for (let seed = 0; seed < 12; seed++) {
            await child.call("reset", { seed });
            for (let i = 0; i < 3; i++) await child.call("sim_step", { agent_id: "me", action: 0 });
        }
        for (const [path, format] of Object.entries(formats)) {
            const answer = await child.call("save_trajectory", { path, format });
            assert.equal(answer.error?.code, -32603, path);
            assert.match(answer.error.message, /disk is full/);
        }
        const { hash } = await child.call("get_state_hash"); // and life goes on
        assert.match(hash, /^sha256:/);
        assert.deepEqual(readdirSync(dir), []);
        child.input.end();
        assert.equal(await child.exit, 0);
    });

    test("two writers of one recording: the second is refused, the first goes on", async () => {
        const dir = folder();
        const one = Raw.start(["--game", "coup", "--data-dir", dir, "--record", "r.jsonl"]);
        await one.greet();
        assert.equal(existsSync(join(dir, "r.jsonl")), false); // G1.5: nothing before there is something to write
        await one.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior", config: { guide: false } });
        await one.call("reset", { seed: 1 });
        const second = run(["mcp", "--game", "coup", "--data-dir", dir, "--record", "r.jsonl"]);
        assert.equal(second.status, 2);
        assert.match(second.stderr, /recorded/);
        const third = Raw.start(["--game", "coup", "--data-dir", dir]);
        await third.greet();
        await third.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior", config: { guide: false } });
        await third.call("reset", { seed: 1 });
        for (const name of ["save_trajectory", "load_trajectory"]) {
            const answer = await third.call(name, { path: "r.jsonl" });
            assert.equal(answer.error.code, -32602);
            assert.equal(answer.error.data.reason, "recording");
        }
        await one.call("sim_step", { agent_id: "me", action: 0 });
        one.input.end();
        assert.equal(await one.exit, 0);
        assert.equal((await third.call("load_trajectory", { path: "r.jsonl" })).verified, true);
        third.input.end();
        await third.exit;
    });

    for (const file of ["r.jsonl", "r.msgpack", "r.h5"])
        test(`a crash keeps what ${file} has, an end completes it`, async () => { // G19.1, G21.5
            const dir = folder();
            for (const signal of ["SIGKILL", "SIGTERM"]) {
                const raw = Raw.start(["--game", "liars_dice", "--data-dir", dir, "--record", file]);
                await raw.greet();
                await raw.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior", config: { guide: false } });
                await raw.call("reset", { seed: 1 });
                for (let i = 0; i < 7; i++) await raw.call("sim_step", { agent_id: "me", action: 0 });
                raw.child.kill(signal);
                await within(20000, raw.exit, "exit");
                const lost = signal === "SIGKILL" && file === "r.h5";
                const client = await sdk(["--game", "liars_dice", "--data-dir", dir]);
                const loaded = await tool(client, "load_trajectory", { path: lost ? "r.h5.jsonl" : file });
                assert.equal(loaded.verified, true);
                assert.equal(loaded.steps, 7);
                await client.close();
            }
            assert.deepEqual(readdirSync(dir), [file]);
        });

    test("a shared table keeps the secrets of a running episode", async () => { // G19.2
        const dir = folder();
        const host = await server(["mcp", "--headless-host", "--game", "liars_dice", "--socket", join(dir, "s"), "--data-dir", dir]);
        const [a, b] = [await Raw.socket(host.unix), await Raw.socket(host.unix)];
        const config = { clock_mode: "training", guide: false };
        for (const [raw, agent_id] of [[a, "a"], [b, "b"]]) {
            await raw.greet();
            await raw.call("register_agent", { agent_id, agent_type: "EntityBehavior", config });
        }
        assert.equal((await a.call("reset", {})).error, undefined);
        const both = () => Promise.all([a.call("sim_step", { agent_id: "a", action: 0 }), b.call("sim_step", { agent_id: "b", action: 0 })]);
        for (let i = 0; i < 3; i++) await both();
        assert.equal((await a.call("save_trajectory", { path: "a.json", format: "json" })).partial, true);
        const text = readFileSync(join(dir, "a.json"), "utf8");
        const { header, episodes } = JSON.parse(text);
        assert.equal(header.partial, true);
        assert.ok(!/"(seed|key|salt)"/.test(text));
        for (const step of episodes[0].steps) assert.deepEqual(step.entries.map((e) => e.agent_id), ["a"]);
        assert.deepEqual(Object.keys(episodes[0].reset.observations), ["a"]);
        assert.equal((await b.call("load_trajectory", { path: "a.json" })).error.code, -32001); // G14.2: not by just anybody
        b.close();
        a.close();
        host.child.kill("SIGTERM");
        assert.equal(await host.exit, 0);
    });

    test("a mistaken --record is refused at once", () => {
        for (const args of [["--record", "run.txt"], ["--record", "../run.jsonl"], ["--record", "/run.jsonl"]]) {
            const done = run(["mcp", "--game", "coup", "--data-dir", folder(), ...args]);
            assert.equal(done.status, 2);
            assert.match(done.stderr, /--record/);
        }
    });
});

// A server that may write files of at most so many KiB.
function underLimit(dir, kib) {
    const script = `ulimit -f ${kib}; exec "$0" mcp --game coup --data-dir "$1"`;
    return Raw.spawn("/bin/bash", ["-c", script, program, dir]);
}
