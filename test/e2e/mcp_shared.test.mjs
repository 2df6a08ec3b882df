// MCP hosts for many clients: Unix sockets, the connector, Streamable HTTP in agon serve and in a headless host.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { games, run } from "./agon.mjs";
import { fetchRaw, folder, hello, json, Raw, sdkHttp, server } from "./lib/mcp.mjs";
import { until, within } from "./lib/wait.mjs";

const serve = (more = []) => server(["serve", "--port", "0", "--tetris-port", "0", "--data", folder(), ...more]);
const host = (more = [], path = join(folder(), "host.sock")) => server(["mcp", "--headless-host", "--socket", path, ...more]);
const register = { agent_id: "a", agent_type: "EntityBehavior", config: { clock_mode: "training", guide: false } };

async function stop(s) {
    s.child.kill("SIGTERM");
    assert.equal(await within(20000, s.exit, "exit"), 0); // G21.5
}

describe("a Unix socket", () => {
    test("is private, is removed, is not taken twice", async () => { // G18.2
        const s = await host();
        assert.equal(statSync(s.unix).mode & 0o777, 0o600);
        const second = run(["mcp", "--headless-host", "--socket", s.unix]);
        assert.equal(second.status, 2);
        const raw = await Raw.socket(s.unix);
        assert.equal((await raw.greet()).result.serverInfo.name, "agon");
        raw.close();
        await stop(s);
        assert.equal(existsSync(s.unix), false);
    });

    test("of a dead process is taken over, a plain file is not", async () => {
        const path = join(folder(), "dead.sock");
        const s = await host([], path);
        s.child.kill("SIGKILL");
        await s.exit;
        assert.equal(existsSync(path), true);
        await stop(await host([], path));
        const file = join(folder(), "file.sock");
        writeFileSync(file, "x");
        assert.equal(run(["mcp", "--headless-host", "--socket", file]).status, 2);
        assert.equal(existsSync(file), true);
    });

    test("is shared: agents of one connection are not another's", async () => { // C84
        const s = await host(["--game", "coup"]);
        const one = await Raw.socket(s.unix), two = await Raw.socket(s.unix);
        await one.greet();
        await two.greet();
        assert.equal((await one.call("register_agent", register)).agent_id, "a");
        const foreign = await two.call("observe", { agent_id: "a" });
        assert.equal(foreign.error.code, -32000);
        one.close(); // G3.5
        await within(20000, (async () => {
            for (;;) {
                const { result } = await two.ask("resources/read", { uri: "game://agents" });
                if (JSON.parse(result.contents[0].text).agents.length === 0) return;
            }
        })(), "deregistration");
        two.close();
        await stop(s);
    });

    test("tables are apart, games are chosen at the door", async () => { // G1.1, G1.7
        const s = await host();
        const one = await Raw.socket(s.unix), two = await Raw.socket(s.unix);
        const first = await one.greet(undefined, { _meta: { "agon/table": "x", "agon/game": "coup" } });
        assert.equal(first.result.serverInfo.name, "agon-coup");
        await two.greet(undefined, { _meta: { "agon/table": "y", "agon/game": "belote" } });
        await one.call("register_agent", register);
        assert.equal((await two.call("register_agent", register)).agent_id, "a");
        const bad = await (await Raw.socket(s.unix)).greet(undefined, { _meta: { "agon/table": "no spaces" } });
        assert.equal(bad.error.code, -32602);
        await stop(s);
    });

    test("a hundred clients killed in the middle of things disturb nobody", async () => {
        const s = await host(["--game", "liars_dice"]);
        const calm = await Raw.socket(s.unix);
        await calm.greet();
        for (let i = 0; i < 100; i++) {
            const socket = net.connect(s.unix);
            await new Promise((resolve) => socket.on("connect", resolve));
            socket.write(JSON.stringify(hello()) + "\n" + '{"jsonrpc":"2.0","id":1,"method":"tools/ca');
            if (i % 2) await new Promise((resolve) => socket.once("data", resolve));
            socket.destroy();
            assert.deepEqual((await calm.ask("ping")).result, {});
        }
        await stop(s);
    });

    test("a host that is told to stop says good-bye to all", async () => { // G21.5
        const s = await host(["--game", "coup"]);
        const [master, player] = [await Raw.socket(s.unix), await Raw.socket(s.unix)];
        for (const [raw, agent_id, agent_type] of [[master, "gm", "GameMaster"], [player, "p", "EntityBehavior"]]) {
            await raw.greet();
            await raw.call("register_agent", { agent_id, agent_type, config: { guide: false, clock_mode: "training" } });
        }
        await master.call("reset", {});
        player.send({ jsonrpc: "2.0", id: "waits", method: "tools/call", params: { name: "sim_step", arguments: { agent_id: "p", action: 0 } } });
        await player.ask("ping"); // the step is parked: the master has not committed
        s.child.kill("SIGTERM");
        const rest = async (raw) => {
            const all = [];
            for (let one; (one = await raw.read()); ) all.push(one);
            return all;
        };
        const [told, heard] = await Promise.all([rest(master), rest(player)]);
        assert.equal(await s.exit, 0);
        const gone = told.filter((m) => m.params?.event_type === "agent_disconnected").map((m) => m.params.details);
        assert.deepEqual(gone, [{ agent_id: "gm", reason: "normal" }, { agent_id: "p", reason: "normal" }]);
        assert.deepEqual(told.at(-1).params, { level: "warning", logger: "agon", data: "the server is shutting down" });
        assert.deepEqual(heard.map((m) => m.method), ["notifications/message"]); // and nothing has moved
    });

    test("a host without connections ends after a while", async () => { // G1.2
        // Connected at once: a host that nobody has come to ends, too, and the other one may take long to start.
        const start = async () => {
            const one = await host(["--linger", "3"]), raw = await Raw.socket(one.unix);
            await raw.greet();
            return [one, raw];
        };
        const [kept, stays] = await start(), [left, leaves] = await start();
        leaves.close();
        assert.equal(await within(20000, left.exit, "exit"), 0); // the time has passed, for both
        assert.deepEqual((await stays.ask("ping")).result, {});
        stays.close();
        assert.equal(await within(20000, kept.exit, "exit"), 0);
    });
});

describe("the connector", () => {
    test("relays, adds the table, deregisters at the end", async () => { // G18.3, G18.5, C85
        const s = await host();
        const raw = Raw.start(["--connect", s.unix, "--table", "t", "--game", "coup"]);
        assert.equal((await raw.greet()).result.serverInfo.name, "agon-coup");
        await raw.call("register_agent", register);
        const other = await Raw.socket(s.unix);
        await other.greet(undefined, { _meta: { "agon/table": "t" } });
        const agents = async () => JSON.parse((await other.ask("resources/read", { uri: "game://agents" })).result.contents[0].text).agents;
        assert.equal((await agents()).length, 1);
        raw.input.end();
        assert.equal(await within(20000, raw.exit, "exit"), 0);
        assert.equal((await agents()).length, 0);
        await stop(s);
    });

    test("registers a role of its own and keeps quiet about it", async () => { // G18.4
        const s = await host(["--game", "coup"]);
        const raw = Raw.start(["--connect", s.unix, "--role", "EntityBehavior", "--entity", "seat_2"]);
        await raw.greet();
        await within(20000, (async () => {
            for (;;) {
                const answer = await raw.ask("resources/read", { uri: "game://agents" });
                const { agents } = JSON.parse(answer.result.contents[0].text);
                if (agents.length === 0) continue;
                assert.equal(agents[0].agent_id, "raw:EntityBehavior");
                assert.equal(agents[0].avatar_id, "seat_2");
                assert.equal(agents[0].mine, true);
                return;
            }
        })(), "the agent");
        raw.input.end();
        assert.equal(await raw.exit, 0);
        await stop(s);
    });

    test("starts a host when there is none", async () => {
        const path = join(folder(), "fresh.sock");
        assert.equal(run(["mcp", "--connect", path, "--no-spawn"]).status, 2);
        const raw = Raw.start(["--connect", path]);
        assert.equal((await raw.greet()).result.serverInfo.name, "agon");
        raw.input.end();
        assert.equal(await raw.exit, 0);
        const again = await Raw.socket(path); // it goes on
        assert.equal((await again.greet()).result.serverInfo.name, "agon");
        again.close();
        const owner = run(["mcp", "--headless-host", "--socket", path]);
        assert.equal(owner.status, 2);
        for (const pid of readdirSync("/proc").filter(Number)) {
            let words = [];
            try {
                words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
            } catch {} // gone
            if (words.includes("--headless-host") && words.includes(path)) process.kill(Number(pid), "SIGTERM");
        }
        await until(() => !existsSync(path), "end of the host");
    });

    test("tells when the host is lost", async () => { // G18.5
        const s = await host(["--game", "coup"]);
        const raw = Raw.start(["--connect", s.unix]);
        await raw.greet();
        s.child.kill("SIGSTOP");
        const read = () => Number(/^rchar: (\d+)/.exec(readFileSync(`/proc/${raw.child.pid}/io`, "utf8"))[1]), before = read();
        raw.send({ jsonrpc: "2.0", id: "open", method: "ping" });
        await until(() => read() > before, "reading by the connector");
        s.child.kill("SIGKILL");
        const answer = await raw.read();
        assert.equal(answer.id, "open");
        assert.equal(answer.error.code, -32603);
        assert.equal(await within(20000, raw.exit, "exit"), 1);
    });
});

describe("Streamable HTTP", () => {
    test("the official SDK lists, plays and leaves", async () => {
        const s = await serve();
        const { client, transport } = await sdkHttp(s.http);
        assert.match(transport.sessionId, /^[0-9a-f]{32}$/); // G7.4
        assert.ok((await client.listTools()).tools.some((tool) => tool.name === "sim_step"));
        const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
        await call("register_agent", { ...register, agent_id: "me" });
        const { name, scenarios } = games.find((game) => game.name === "liars_dice");
        let step = await call("reset", { agent_id: "me", seed: 3, config: { scenario: `${name}/${scenarios[0]}` } });
        for (let i = 0; !step.done; i++) {
            assert.ok(i < 5000, "the game ends");
            step = await call("sim_step", { agent_id: "me", action: step.available_actions[0] });
        }
        await transport.terminateSession();
        await client.close();
        await stop(s);
    });

    test("a stream carries what belongs to no request", async () => { // G7.6, G5.8
        const s = await serve();
        const { client } = await sdkHttp(s.http);
        const told = new Promise((resolve) => (client.fallbackNotificationHandler = async (n) => n.method === "notifications/resources/updated" && resolve(n.params.uri)));
        await client.subscribeResource({ uri: "game://agents" });
        await client.callTool({ name: "register_agent", arguments: register });
        assert.equal(await within(20000, told, "an update"), "game://agents");
        await client.close();
        await stop(s);
    });

    test("connections in agon serve sit alone unless they name a table", async () => { // G1.8, G18.1
        const s = await serve();
        const alone = await sdkHttp(s.http), other = await sdkHttp(s.http);
        const one = await sdkHttp(`${s.http}?table=t&game=coup`), two = await sdkHttp(`${s.http}?table=t`);
        assert.equal(one.client.getServerVersion().name, "agon-coup");
        const agents = async ({ client }) => JSON.parse((await client.readResource({ uri: "game://agents" })).contents[0].text).agents.length;
        for (const { client } of [alone, one]) await client.callTool({ name: "register_agent", arguments: register });
        assert.deepEqual(await Promise.all([alone, other, one, two].map(agents)), [1, 0, 1, 1]);
        const socket = await Raw.socket(s.unix);
        await socket.greet(undefined, { _meta: { "agon/table": "t" } });
        assert.equal(JSON.parse((await socket.ask("resources/read", { uri: "game://agents" })).result.contents[0].text).agents.length, 1);
        await stop(s);
    });

    test("the public address is a name of ours", async () => { // G7.2: behind a proxy, which may drop the port
        const s = await serve(["--public-url", "https://arena.example:8443/"]);
        const post = (headers) => fetchRaw(s.http, { headers: { ...json, ...headers }, body: JSON.stringify(hello()) });
        for (const [headers, status] of [
            [{ host: "arena.example" }, 200],
            [{ host: "ARENA.example:8443" }, 200],
            [{ host: "arena.example", origin: "https://arena.example:8443" }, 200],
            [{ host: "arena.example", origin: "http://arena.example:8443" }, 403],
            [{ host: "arena.example", origin: "https://arena.example" }, 403],
            [{ host: "arena.example", origin: "https://evil.example" }, 403],
            [{ host: "arena.example.evil.example" }, 403],
            [{ host: "evil.example" }, 403],
            [{ host: "xarena.example" }, 403],
        ])
            assert.equal((await post(headers)).status, status, JSON.stringify(headers));
        await stop(s);
    });

    test("rules of the road", async () => {
        const s = await serve(["--http-origin", "https://page.example"]);
        const port = new URL(s.base).port;
        const post = (headers, body = hello()) => fetchRaw(s.http, { headers: { ...json, ...headers }, body: typeof body === "string" ? body : JSON.stringify(body) });
        const first = await post({});
        assert.equal(first.status, 200);
        assert.equal(first.headers["content-type"], "application/json");
        const id = { "mcp-session-id": first.headers["mcp-session-id"] };
        const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
        const rows = [
            [await post({ host: "evil.example" }), 403], // G7.2
            [await post({ host: `localhost:${port}` }), 200],
            [await post({ host: `[::1]:${port}` }), 200],
            [await post({ origin: "http://evil.example" }), 403],
            [await post({ origin: "null" }), 403],
            [await post({ origin: "http://localhost:5173" }), 200],
            [await post({ origin: "https://page.example" }), 200],
            [await post({ "content-type": "text/plain" }), 415], // G7.3
            [await post({ accept: "application/json" }), 406],
            [await post({ accept: "*/*" }), 200],
            [await post({}, ping), 400], // G7.4
            [await post({}, "{"), 400],
            [await post({ "mcp-session-id": "0".repeat(32) }, ping), 404],
            [await post({ "mcp-session-id": "nonsense" }, ping), 404],
            [await post(id, ping), 200],
            [await post(id, { jsonrpc: "2.0", method: "notifications/initialized" }), 202],
            [await post(id, { jsonrpc: "2.0", id: 9, result: {} }), 202],
            [await post(id, "{"), 400],
            [await post({ ...id, "mcp-protocol-version": "1999-01-01" }, ping), 400], // G7.5
            [await post({ ...id, "mcp-protocol-version": "2025-03-26" }, ping), 200],
            [await post(id, `{"x":"${"y".repeat(9 << 20)}"}`).catch(() => ({ status: 413 })), 413],
            [await fetchRaw(s.http, { method: "PUT", headers: id }), 405], // G7.1
            [await fetchRaw(s.http, { method: "GET", headers: { ...id, accept: "text/html" } }), 406],
            [await fetchRaw(s.http, { method: "GET", headers: { accept: "text/event-stream" } }), 400],
            [await fetchRaw(`${s.base}/nothing`, { method: "POST", headers: json }), 404],
            [await fetchRaw(s.http, { method: "DELETE", headers: id }), 204],
            [await post(id, ping), 404],
            [await fetchRaw(s.http, { method: "DELETE", headers: id }), 404],
        ];
        rows.forEach(([answer, status], i) => assert.equal(answer.status, status, `row ${i}: ${answer.text}`));
        assert.match(rows[21][0].headers.allow, /POST.*GET.*DELETE/);
        const discover = await post({}, { jsonrpc: "2.0", id: 4, method: "server/discover" });
        assert.equal(JSON.parse(discover.text).error.code, -32602); // G2.5, M2
        await stop(s);
    });

    test("a token is asked for when there is one", async () => { // G7.2
        const s = await serve(["--http-token", "secret"]);
        const status = async (authorization) => (await fetchRaw(s.http, { headers: { ...json, ...authorization }, body: JSON.stringify(hello()) })).status;
        assert.equal(await status({}), 401);
        assert.equal(await status({ authorization: "Bearer wrong!" }), 401);
        assert.equal(await status({ authorization: "Bearer secret" }), 200);
        await stop(s);
    });

    // A stream that is read by hand.
    const open = (url, headers) => within(20000, new Promise((resolve, reject) => {
        const request = http.get(url, { headers: { accept: "text/event-stream", ...headers }, agent: false }, (answer) => {
            const stream = { status: answer.statusCode, text: "", close: () => request.destroy(), ended: false };
            answer.setEncoding("utf8");
            answer.on("data", (data) => (stream.text += data));
            answer.on("end", () => (stream.ended = true));
            answer.on("error", () => {});
            stream.until = (want) => until(() => stream.text.includes(want) && stream.text, want);
            resolve(stream);
        });
        request.on("error", reject);
    }), "a stream");

    test("streams begin with an id, exclude a second, and resume", async () => { // G7.6, G7.7
        const s = await serve();
        const first = await fetchRaw(s.http, { headers: json, body: JSON.stringify(hello()) });
        const id = { "mcp-session-id": first.headers["mcp-session-id"] };
        const ask = (method, params) => fetchRaw(s.http, { headers: { ...json, ...id }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
        const call = (name, args) => ask("tools/call", { name, arguments: args });
        const resume = async (last) => { // as soon as the server knows that the stream before is gone
            let stream;
            await until(async () => (stream = await open(s.http, { ...id, "last-event-id": last })).status !== 409, "room for a stream");
            return stream;
        };
        await ask("resources/subscribe", { uri: "game://agents" });
        await call("register_agent", register); // told to nobody yet
        const one = await open(s.http, id);
        assert.equal(one.status, 200);
        const text = await one.until("resources/updated");
        assert.match(text, /^id: 0_0_\d+\ndata: \n\n/);
        assert.equal((await open(s.http, id)).status, 409);
        const last = /id: (0_\d+)\nevent/.exec(text)[1];
        one.close();
        await call("deregister_agent", { agent_id: "a" });
        const two = await resume(last);
        await two.until("resources/updated");
        assert.ok(!two.text.includes(`id: ${last}\n`)); // from there on
        two.close();
        const again = await resume("0_0");
        assert.equal((await again.until(two.text.trim())).split("event: message").length - 1, 2);
        assert.equal((await open(s.http, { ...id, "last-event-id": "what" })).status, 400);
        const done = fetchRaw(s.http, { method: "DELETE", headers: id });
        assert.equal((await done).status, 204);
        await until(() => again.ended, "end of the stream");
        await stop(s);
    });

    test("a request with a progress token is answered by a stream", async () => { // G7.3
        const s = await serve();
        const first = await fetchRaw(s.http, { headers: json, body: JSON.stringify(hello()) });
        const headers = { ...json, "mcp-session-id": first.headers["mcp-session-id"] };
        const body = JSON.stringify({ jsonrpc: "2.0", id: "p", method: "tools/call", params: { name: "get_state_hash", arguments: {}, _meta: { progressToken: 1 } } });
        const answer = await fetchRaw(s.http, { headers, body });
        assert.equal(answer.headers["content-type"], "text/event-stream");
        const events = answer.text.split("\n\n").filter(Boolean);
        assert.match(events[0], /^id: \d+_0_\d+\ndata: $/); // the priming event
        const { id, data } = /^id: (?<id>\S+)\nevent: message\ndata: (?<data>.*)$/.exec(events.at(-1)).groups;
        assert.equal(JSON.parse(data).id, "p");
        const resumed = await fetchRaw(s.http, { method: "GET", headers: { ...headers, accept: "text/event-stream", "last-event-id": id.replace(/_\d+$/, "_0") } });
        assert.equal(resumed.text, `${events.at(-1)}\n\n`); // the same event once more, then the end
        await stop(s);
    });

    test("a flood of sessions drives out those that nobody uses", { timeout: 600000 }, async () => { // G21.1
        const s = await host(["--game", "coup", "--http", "0"]);
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        const post = (message, id) => new Promise((resolve, reject) => {
            const headers = { "Content-Type": "application/json", "Accept": "application/json, text/event-stream", ...(id && { "MCP-Session-Id": id }) };
            const request = http.request(s.http, { method: "POST", agent, headers }, (answer) => {
                answer.resume();
                answer.on("end", () => resolve({ status: answer.statusCode, id: answer.headers["mcp-session-id"] }));
            });
            request.on("error", reject);
            request.end(JSON.stringify(message));
        });
        const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
        const player = (await post(hello())).id, idle = (await post(hello())).id;
        await post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "register_agent", arguments: register } }, player);
        for (let i = 0; i < 1030; i++) assert.equal((await post(hello())).status, 200);
        assert.equal((await post(ping, player)).status, 200);
        assert.equal((await post(ping, idle)).status, 404);
        agent.destroy();
        await stop(s);
    });

    test("a headless host serves HTTP beside its socket", async () => { // G1.2
        const s = await host(["--http", "0", "--game", "coup"]);
        const { client } = await sdkHttp(s.http);
        assert.equal(client.getServerVersion().name, "agon-coup");
        await client.callTool({ name: "register_agent", arguments: register });
        const raw = await Raw.socket(s.unix);
        await raw.greet(); // the same table, main
        assert.equal(JSON.parse((await raw.ask("resources/read", { uri: "game://agents" })).result.contents[0].text).agents.length, 1);
        await client.close();
        await stop(s);
    });
});
