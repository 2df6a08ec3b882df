// Hostile names and sizes in save_trajectory: the arena's database, its backups and other files in the folder stay
// untouched.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { run } from "./agon.mjs";
import { folder, hello, Raw, server } from "./lib/mcp.mjs";

const serve = (data, ...more) => server(["serve", "--port", "0", "--tetris-port", "0", "--data", data, ...more]);

async function stop(host) {
    host.child.kill("SIGTERM");
    assert.equal(await host.exit, 0);
}

// A client of /mcp at an address of its own: 127.0.0.2 is another caller than 127.0.0.1.
class Web {
    constructor(url, localAddress = "127.0.0.1") {
        this.url = url;
        this.localAddress = localAddress;
        this.next = 1;
    }
    post(message) {
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
        if (this.session) headers["mcp-session-id"] = this.session;
        return new Promise((resolve, reject) => {
            const request = http.request(this.url, { method: "POST", headers, agent: false, localAddress: this.localAddress }, (answer) => {
                let text = "";
                answer.on("data", (data) => (text += data));
                answer.on("end", () => resolve({ headers: answer.headers, text }));
            });
            request.on("error", reject);
            request.end(JSON.stringify(message));
        });
    }
    async greet() {
        const { headers } = await this.post(hello());
        this.session = headers["mcp-session-id"];
        await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
        return this;
    }
    async call(name, args) {
        const id = this.next++;
        const { text } = await this.post({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
        const answer = text.startsWith("{") ? JSON.parse(text)
            : text.split("\n").filter((l) => l.startsWith("data: {")).map((l) => JSON.parse(l.slice(6))).find((m) => m.id === id);
        return answer.error ? answer : answer.result.structuredContent;
    }
    async play(seed, steps = 3) {
        await this.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior", config: { guide: false } });
        await this.call("reset", { seed });
        for (let i = 0; i < steps; i++) await this.call("sim_step", { agent_id: "me", action: 0 });
        return this;
    }
}

// Everything below a folder but the trajectories: path, kind, and for what nobody writes at the moment its bytes.
function census(dir, skip) {
    return readdirSync(dir, { recursive: true }).filter((name) => !name.startsWith(skip)).sort().map((name) => {
        const is = lstatSync(join(dir, name));
        const still = is.isFile() && !name.startsWith("agon.db") && !name.startsWith("agon.sock");
        return `${name} ${is.ino}${still ? ` ${createHash("sha256").update(readFileSync(join(dir, name))).digest("hex")}` : ""}`;
    });
}

describe("files of trajectories", () => {
    test("no name reaches what the server keeps", async () => {
        const data = folder();
        let host = await serve(data);
        mkdirSync(join(data, "backups"), { recursive: true });
        writeFileSync(join(data, "backups", "x"), "a backup");
        writeFileSync(join(data, "notes.json"), "{}");
        const trajectories = join(data, "trajectories");
        assert.equal(statSync(trajectories).mode & 0o777, 0o700);
        symlinkSync(join(data, "agon.db"), join(trajectories, "link.json"));
        symlinkSync(data, join(trajectories, "away"));
        writeFileSync(join(trajectories, "notes.json"), "{\"mine\":true}");
        const before = census(data, "trajectories");
        assert.ok(before.some((name) => name.startsWith("agon.db")));
        const client = await (await new Web(host.http).greet()).play(1);
        const names = ["agon.db", "agon.db-wal", "agon.db-shm", "agon.sock", "agon.db.bak", "../agon.db", "../x", "..", ".", "backups/x",
            "./x", "sub/x.json", "/tmp/x.json", join(data, "agon.db"), join(trajectories, "y.json"), "away/agon.db", "link.json", "away",
            ".hidden", ".json", "-x.json", "x.db", "x.json.", "x .json", "x\\y.json", "x\u0000.json", "x\n.json", "ä.json", "x%2fy", "~", "x;y", "x|y", "x*",
            "x".repeat(101), "x".repeat(5000), `${"x".repeat(96)}.json`, "notes.json", ""];
        for (const overwrite of [false, true])
            for (const path of names) {
                const saved = await client.call("save_trajectory", { path, format: "json", overwrite });
                assert.equal(saved.error?.code, -32602, `${JSON.stringify(path)} ${JSON.stringify(saved)}`);
            }
        for (const path of names.filter((name) => name !== "")) {
            const loaded = await client.call("load_trajectory", { path });
            assert.equal(loaded.error?.code, -32602, `${JSON.stringify(path)} ${JSON.stringify(loaded)}`);
        }
        assert.deepEqual(census(data, "trajectories"), before);
        assert.deepEqual(readdirSync(trajectories).sort(), ["away", "link.json", "notes.json"]);
        assert.equal(readFileSync(join(trajectories, "notes.json"), "utf8"), "{\"mine\":true}");
        for (const [path, format] of [["a", "msgpack"], ["a.json", "json"], ["A-1_b.c.jsonl", "json"], ["a.h5", "hdf5"]]) {
            assert.equal((await client.call("save_trajectory", { path, format })).path, path);
            assert.equal((await client.call("load_trajectory", { path })).verified, true);
            const again = await client.call("save_trajectory", { path, format });
            assert.deepEqual([again.error.code, again.error.data.reason], [-32602, "exists"], path);
            assert.match(again.error.message, /overwrite/);
            assert.equal((await client.call("save_trajectory", { path, format, overwrite: true })).path, path);
        }
        assert.equal((await fetch(`${host.base}/api/health`)).status, 200);
        await stop(host);
        host = await serve(data); // the database opens again
        assert.equal((await fetch(`${host.base}/api/health`)).status, 200);
        await stop(host);
    });

    test("quotas hold for a caller and for all, over a restart, and say what to do", async () => {
        const data = folder();
        const limits = ["--trajectory-files", "4", "--trajectory-own-files", "3", "--trajectory-own-mib", "1", "--trajectory-mib", "2"];
        let host = await serve(data, ...limits);
        const one = await (await new Web(host.http).greet()).play(1);
        const two = await (await new Web(host.http, "127.0.0.2").greet()).play(2);
        for (const [path, format] of [["a.json", "json"], ["b.msgpack", "msgpack"], ["c.h5", "hdf5"]])
            assert.equal((await one.call("save_trajectory", { path, format })).path, path);
        const again = async (who, reason, limit) => {
            const { error } = await who.call("save_trajectory", { path: "d" });
            assert.deepEqual([error.code, error.data.reason, error.data.limit], [-32004, reason, limit], error.message);
            assert.match(error.message, /--trajectory-/);
        };
        await again(one, "own_files", 3);
        const same = await (await new Web(host.http).greet()).play(3); // another session is no other caller
        await again(same, "own_files", 3);
        assert.equal((await same.call("save_trajectory", { path: "a.json", format: "json", overwrite: true })).path, "a.json");
        const others = await two.call("save_trajectory", { path: "a.json", overwrite: true });
        assert.deepEqual([others.error.code, others.error.data.reason], [-32602, "others"]);
        assert.equal((await two.call("save_trajectory", { path: "e.h5", format: "hdf5" })).path, "e.h5");
        await again(two, "files", 4);
        await stop(host);
        host = await serve(data, ...limits);
        await again(await (await new Web(host.http).greet()).play(1), "own_files", 3);
        await again(await (await new Web(host.http, "127.0.0.2").greet()).play(1), "files", 4);
        const local = await Raw.socket(host.unix); // the user of the server may replace anybody's
        await local.greet();
        assert.equal((await local.call("save_trajectory", { path: "b.msgpack", overwrite: true })).path, "b.msgpack");
        local.close();
        await stop(host);
    });

    test("a file that would grow beyond the quota is refused whole", async () => {
        const data = folder();
        const host = await serve(data, "--trajectory-own-mib", "1");
        const client = await (await new Web(host.http).greet()).play(1, 1);
        await client.call("configure_streams", { agent_id: "me", custom: { streams: [{ name: "eye", type: "depth", width: 400, height: 400 }] } });
        for (let i = 0; i < 4; i++) await client.call("sim_step", { agent_id: "me", action: 0 });
        for (const [path, format] of [["a.json", "json"], ["b.msgpack", "msgpack"]]) {
            const { error } = await client.call("save_trajectory", { path, format, include_frames: true });
            assert.deepEqual([error?.code, error?.data.reason], [-32004, "own_mib"], path);
        }
        assert.deepEqual(readdirSync(join(data, "trajectories")), []);
        await stop(host);
    });

    test("--data-dir puts them elsewhere, but not among other data", async () => {
        const [data, apart] = [folder(), folder()];
        const refused = run(["serve", "--port", "0", "--tetris-port", "0", "--data", data, "--data-dir", data]);
        assert.equal(refused.status, 2);
        assert.match(refused.stderr, /separate folder for trajectories/);
        const host = await serve(data, "--data-dir", join(apart, "new", "folder"));
        const client = await (await new Web(host.http).greet()).play(1);
        await client.call("save_trajectory", { path: "a.json", format: "json" });
        assert.deepEqual(readdirSync(join(apart, "new", "folder")), ["a.json"]);
        assert.equal(statSync(join(apart, "new", "folder")).mode & 0o777, 0o700);
        assert.equal(existsSync(join(data, "trajectories")), false);
        await stop(host);
    });
});
