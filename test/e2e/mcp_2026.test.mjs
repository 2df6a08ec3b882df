// Revision 2026-07-28 (M): the official client in all its modes, the order of checks, parties and handles.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { program } from "./agon.mjs";
import { Raw, fetchRaw, json, server } from "./lib/mcp.mjs";
import { scratch } from "./lib/scratch.mjs";
import { within } from "./lib/wait.mjs";

const modern = "2026-07-28";
const prefix = "io.modelcontextprotocol/";
const meta = (more = {}) => ({ [`${prefix}protocolVersion`]: modern, [`${prefix}clientCapabilities`]: {}, ...more });
const modes = { default: undefined, legacy: { mode: "legacy" }, auto: { mode: "auto" }, pinned: { mode: { pin: modern } } };

let host;
before(async () => {
    host = await server(["mcp", "--headless-host", "--socket", `${scratch("agon-2026-")}/s`, "--http", "0", "--linger", "0"]);
});
after(async () => {
    host.child.kill();
    await host.exit;
});

// M13, M41, M43, M44, M70
async function playThrough(client, isModern) {
    assert.ok((await client.listTools()).tools.some((tool) => tool.name === "sim_step"));
    assert.ok((await client.listResources()).resources.length);
    assert.ok((await client.listPrompts()).prompts.length);
    const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
    const { agent_id } = (await call("register_agent", { agent_id: "me", agent_type: "EntityBehavior" })).structuredContent;
    let heard;
    const update = new Promise((resolve) => (heard = resolve));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => heard(params.uri));
    const subscription = isModern ? await client.listen({ resourceSubscriptions: ["game://world"] }) : await client.subscribeResource({ uri: "game://world" });
    if (isModern) assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: ["game://world"] });
    assert.ok((await call("reset", { agent_id, seed: 1, config: { scenario: "coup/players_2" } })).structuredContent.available_actions.length);
    for (let i = 0; i < 3; i++) {
        const { structuredContent } = await call("observe", { agent_id });
        const [action] = structuredContent.available_actions;
        assert.equal((await call("sim_step", { agent_id, action })).structuredContent.agent_id, agent_id);
    }
    const refused = await call("sim_step", { agent_id, action: "raise 3" }).catch((error) => error);
    assert.match(isModern ? refused.content[0].text : refused.message.replace(/^MCP error -32001: /, ""), /^raise 3: (there is no move "raise 3".*legal: |it is not this seat)/);
    if (isModern) assert.equal(refused._meta["agon/error"].name, "InvalidAction");
    assert.equal(await within(20000, update, "an update"), "game://world");
    if (isModern) await subscription.close();
    const abort = new AbortController();
    const cut = call("observe", { agent_id }, { signal: abort.signal });
    abort.abort();
    await assert.rejects(cut);
    await call("deregister_agent", { agent_id });
    await client.close();
}

describe("the official client, version 2", { concurrency: 2 }, () => {
    for (const [name, versionNegotiation] of Object.entries(modes)) {
        const isModern = name === "auto" || name === "pinned";
        const make = () => new Client({ name: "m", version: "1" }, versionNegotiation && { versionNegotiation });
        test(`${name}, over stdio`, { timeout: 600000 }, async () => {
            const client = make();
            await client.connect(new StdioClientTransport({ command: program, args: ["mcp"], stderr: "inherit" }));
            await playThrough(client, isModern);
        });
        test(`${name}, over HTTP`, { timeout: 600000 }, async () => {
            const client = make();
            await client.connect(new StreamableHTTPClientTransport(new URL(`${host.http}?table=${name}`)));
            await playThrough(client, isModern);
        });
    }
    test("pinned, over HTTP with a party", { timeout: 600000 }, async () => {
        const client = new Client({ name: "m", version: "1" }, { versionNegotiation: modes.pinned });
        const requestInit = { headers: { "Agon-Party": "a-party-of-this-test" } };
        await client.connect(new StreamableHTTPClientTransport(new URL(`${host.http}?table=party`), { requestInit }));
        const agent = await client.callTool({ name: "register_agent", arguments: { agent_id: "me", agent_type: "EntityBehavior" } });
        assert.equal(agent.structuredContent.agent_id, "me"); // M22: with a party the plain name
        await playThrough(client, true);
    });
});

const post = (message, headers = {}, query = "") =>
    fetchRaw(`${host.http}${query}`, { headers: { ...json, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
const ask = (method, params = {}, headers = {}, query = "") =>
    post({ id: 7, method, params: { ...params, _meta: params._meta ?? meta() } },
        { "mcp-protocol-version": modern, "mcp-method": method, ...(params.name ?? params.uri ? { "mcp-name": params.name ?? params.uri } : {}), ...headers }, query);
const tool = async (name, args, headers, query, more) =>
    JSON.parse((await ask("tools/call", { name, arguments: args, ...(more ? { _meta: meta(more) } : {}) }, headers, query)).text);

describe("requests without a session", { concurrency: 2 }, () => {
    test("the first failure answers (M2, M4-M8, M16, M18, M34, M35)", async () => {
        const good = { "mcp-protocol-version": modern, "mcp-method": "tools/list" };
        const claim = (version) => ({ _meta: meta({ [`${prefix}protocolVersion`]: version }) });
        for (const [what, message, headers, status, code, words] of [
            ["no _meta", { id: 7, method: "tools/list" }, good, 400, -32602, /needs params\._meta/],
            ["no capabilities", { id: 7, method: "tools/list", params: { _meta: { [`${prefix}protocolVersion`]: modern } } }, good, 400, -32602, /clientCapabilities/],
            ["a claim that is no string", { id: 7, method: "tools/list", params: claim(3) }, good, 400, -32602, /protocolVersion/],
            ["an unknown level", { id: 7, method: "tools/list", params: { _meta: meta({ [`${prefix}logLevel`]: "loud" }) } }, good, 400, -32602, /logLevel/],
            ["header and claim differ", { id: 7, method: "tools/list", params: claim("2027-01-01") }, good, 400, -32020, /MCP-Protocol-Version is 2026-07-28, but the body says 2027-01-01/],
            ["a version to come", { id: 7, method: "tools/list", params: claim("2027-01-01") }, { ...good, "mcp-protocol-version": "2027-01-01" }, 400, -32022, /not supported; supported: 2026-07-28/],
            ["no header for the version", { id: 7, method: "tools/list", params: { _meta: meta() } }, { "mcp-method": "tools/list" }, 400, -32020, /MCP-Protocol-Version is missing/],
            ["another method in the header", { id: 7, method: "tools/list", params: { _meta: meta() } }, { ...good, "mcp-method": "ping" }, 400, -32020, /Mcp-Method is ping, but the body says tools\/list/],
            ["no name in the header", { id: 7, method: "tools/call", params: { name: "observe", _meta: meta() } }, { ...good, "mcp-method": "tools/call" }, 400, -32020, /Mcp-Name is missing; the body says observe/],
            ["a method of older revisions", { id: 7, method: "ping", params: { _meta: meta() } }, { ...good, "mcp-method": "ping" }, 404, -32601, /no method ping in revision 2026-07-28/],
            ["initialize with a new header", { id: 7, method: "initialize", params: {} }, good, 400, -32020, /MCP-Protocol-Version/],
            ["discover without a claim", { id: 7, method: "server/discover" }, {}, 400, -32602, /needs params\._meta/],
            ["an unknown tool", { id: 7, method: "tools/call", params: { name: "fly", _meta: meta() } }, { ...good, "mcp-method": "tools/call", "mcp-name": "fly" }, 200, -32602, /no such tool/],
            ["an unknown resource", { id: 7, method: "resources/read", params: { uri: "game://nope", _meta: meta() } }, { ...good, "mcp-method": "resources/read", "mcp-name": "game://nope" }, 200, -32602, /no such resource/],
        ]) {
            const answer = await post(message, headers);
            assert.equal(answer.status, status, what);
            const { error, id } = JSON.parse(answer.text);
            assert.equal(error.code, code, what);
            assert.match(error.message, words, what);
            assert.equal(id, 7, what);
            assert.equal(answer.headers["mcp-session-id"], undefined);
        }
        assert.equal((await fetchRaw(host.http, { method: "GET", headers: { "mcp-protocol-version": modern, accept: "text/event-stream" } })).status, 405);
        assert.equal((await post({ method: "notifications/cancelled", params: { requestId: 1, _meta: meta() } }, good)).status, 202);
        const encoded = `=?base64?${Buffer.from("tools/list").toString("base64")}?=`;
        assert.equal((await post({ id: 7, method: "tools/list", params: { _meta: meta() } }, { ...good, "mcp-method": encoded })).status, 200);
    });

    test("what is told of the server, and how long it holds (M9-M12, M14, M15, M49)", async () => {
        const { result } = JSON.parse((await ask("server/discover")).text);
        assert.deepEqual(result.supportedVersions, [modern]);
        assert.equal(Object.keys(result)[0], "resultType");
        assert.equal(result.ttlMs, 3600000);
        assert.equal(result._meta[`${prefix}serverInfo`].name, "agon");
        const read = JSON.parse((await ask("resources/read", { uri: "game://world" })).text).result;
        assert.deepEqual([read.ttlMs, read.cacheScope], [0, "private"]);
        assert.equal(result.capabilities.logging, undefined);
        assert.equal(JSON.parse((await ask("tools/list", { cursor: "x" })).text).error.code, -32602);
        const ignored = JSON.parse((await ask("tools/call", { name: "get_state_hash", arguments: {}, requestState: "x", inputResponses: 3 })).text);
        assert.equal(ignored.result.resultType, "complete");
    });

    test("an agent is its handle's (M22-M24, M27, M29, M72, M73)", async () => {
        const at = "?table=handles";
        const one = (await tool("register_agent", { agent_id: "me", agent_type: "EntityBehavior" }, {}, at)).result.structuredContent.agent_id;
        assert.match(one, /^me:[0-9a-hjkmnp-tv-z]{20}$/);
        const other = (await tool("register_agent", { agent_id: "you", agent_type: "EntityBehavior", config: {} }, {}, "?table=others")).result.structuredContent.agent_id;
        assert.equal((await tool("observe", { agent_id: one }, {}, at)).result.structuredContent.agent_id, one);
        assert.equal((await tool("register_agent", { agent_id: "me", agent_type: "EntityBehavior" }, {}, at)).result.isError, true);
        for (const stranger of ["me", `me:${other.split(":")[1]}`, "me:00000000000000000000"]) {
            const { result } = await tool("observe", { agent_id: stranger }, {}, at);
            assert.equal(result.isError, true, stranger);
            assert.equal(result._meta["agon/error"].name, "AgentNotRegistered");
        }
        const agents = (await ask("resources/read", { uri: "game://agents" }, {}, at)).text;
        assert.ok(agents.includes("me") && !agents.includes(one.split(":")[1]));
        assert.equal((await tool("deregister_agent", { agent_id: one }, {}, at)).result.structuredContent.deregistered, true);
        assert.equal((await tool("observe", { agent_id: one }, {}, at)).result.isError, true);
    });

    test("a party owns its agents, by _meta or by header (M20, M21)", async () => {
        const at = "?table=parties", party = "0123456789abcdef-x";
        await tool("register_agent", { agent_id: "p", agent_type: "EntityBehavior" }, {}, at, { "agon/party": party });
        assert.equal((await tool("observe", { agent_id: "p" }, { "agon-party": party }, at)).result.structuredContent.agent_id, "p");
        assert.equal((await tool("observe", { agent_id: "p" }, {}, at, { "agon/party": `${party}y` })).result.isError, true);
        assert.equal((await tool("observe", { agent_id: "p" }, { "agon-party": `${party}z` }, at, { "agon/party": party })).error.code, -32602);
        assert.equal((await tool("observe", { agent_id: "p" }, {}, at, { "agon/party": "short" })).error.code, -32602);
    });

    test("progress is told on the answer's stream, without ids (M36, M48)", async () => {
        const at = "?table=progress&game=coup", party = { "agon/party": "a-party-with-progress" };
        await tool("register_agent", { agent_id: "p", agent_type: "EntityBehavior" }, {}, at, party);
        await tool("reset", { agent_id: "p" }, {}, at, party);
        const answer = await ask("tools/call", { name: "observe", arguments: { agent_id: "p" }, _meta: meta({ ...party, progressToken: 5 }) }, {}, at);
        assert.equal(answer.headers["content-type"], "text/event-stream");
        assert.match(answer.headers["cache-control"], /no-transform/);
        assert.match(answer.text, /^event: message\ndata: \{"jsonrpc":"2.0","id":7,"result":/);
        assert.doesNotMatch(answer.text, /^(id|retry):/m);
    });

    test("the connector takes a modern client to its table (M33)", async () => {
        const raw = Raw.start(["--connect", host.unix, "--table", "connected", "--game", "coup"]);
        const answer = await raw.ask("tools/call", { name: "register_agent", arguments: { agent_id: "c", agent_type: "EntityBehavior" }, _meta: meta() });
        assert.equal(answer.result.structuredContent.agent_id, "c");
        assert.match((await ask("resources/read", { uri: "game://agents" }, {}, "?table=connected")).text, /agent_id\\":\\"c\\"/);
        raw.input.end();
        await raw.exit;
    });

    test("both eras on one pipe, each by itself (M1, M3, M17, M19, M32)", async () => {
        const raw = Raw.start(["--game", "coup"]);
        assert.deepEqual((await raw.ask("server/discover", { _meta: meta() })).result.supportedVersions, [modern]);
        assert.equal((await raw.ask("tools/list", {})).error.data.name, "NotInitialized");
        assert.ok((await raw.ask("tools/list", { _meta: meta() })).result.tools.length);
        const modernCall = async (name, args) => (await raw.ask("tools/call", { name, arguments: args, _meta: meta() })).result;
        assert.equal((await modernCall("register_agent", { agent_id: "me", agent_type: "EntityBehavior" })).structuredContent.agent_id, "me");
        const first = (await modernCall("reset", { agent_id: "me", seed: 3 })).structuredContent;
        assert.equal((await raw.greet()).result.protocolVersion, "2025-11-25");
        const again = await raw.call("reset", { agent_id: "me", seed: 3 }); // M74: the same deal in both
        assert.equal(first.state_hash, again.state_hash);
        const wrong = { agent_id: "me", action: "coup seat_1" };
        const refusal = await modernCall("sim_step", wrong);
        assert.equal(refusal.isError, true);
        assert.equal(refusal.content[0].text, (await raw.call("sim_step", wrong)).error.message);
        assert.equal((await raw.ask("ping", { _meta: meta() })).error.code, -32601);
        assert.deepEqual((await raw.ask("ping", {})).result, {});
        raw.send([{ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta() } }]);
        assert.equal((await raw.read()).error.code, -32600);
        raw.send({ jsonrpc: "2.0", id: "l", method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: ["game://nope"] }, _meta: meta() } });
        assert.deepEqual((await raw.read()).params.notifications, {});
        const ended = await raw.read(); // M42
        assert.equal(ended.id, "l");
        assert.equal(ended.result._meta[`${prefix}subscriptionId`], "l");
        raw.input.end();
        assert.equal(await raw.exit, 0);
    });
});
