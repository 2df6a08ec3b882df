// MCP servers of the program, as the official SDK and as a bare client see them.
import http from "node:http";
import net from "node:net";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { program } from "../agon.mjs";
import { spawn } from "./children.mjs";
import { checkAnswer, checkEvent, checkManifest } from "./rl_shapes.mjs";
import { scratch } from "./scratch.mjs";
import { within } from "./wait.mjs";

const clients = new Set(); // a test that fails leaves its client open
after(() => Promise.all([...clients].map((client) => client.close())));

export const folder = () => scratch("agon-mcp-");

// Whatever a client is told is looked at on its way.
function watched(client) {
    const { callTool, readResource } = client;
    client.callTool = async function (params, ...rest) {
        const result = await callTool.call(this, params, ...rest);
        checkAnswer(params.name, result.structuredContent);
        return result;
    };
    client.readResource = async function (params, ...rest) {
        const result = await readResource.call(this, params, ...rest);
        if (params.uri === "game://manifest") checkManifest(JSON.parse(result.contents[0].text));
        return result;
    };
    return client;
}

// The first episode of a server is the same in every run. A connector has none.
const seeded = (args) => (args.includes("--seed") || args.includes("--connect") ? args : [...args, "--seed", "1"]);

// The official client over stdio.
export async function sdk(args) {
    const client = watched(new Client({ name: "e2e", version: "1" }));
    clients.add(client);
    await client.connect(new StdioClientTransport({ command: program, args: ["mcp", ...seeded(args)], stderr: "inherit" }));
    return client;
}

export async function sdkHttp(url, options) {
    const client = watched(new Client({ name: "e2e", version: "1" }));
    const transport = new StreamableHTTPClientTransport(new URL(url), options);
    clients.add(client);
    await client.connect(transport);
    return { client, transport };
}

export const hello = (revision = "2025-11-25", more = {}) => ({
    jsonrpc: "2.0", id: 0, method: "initialize",
    params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "1" }, ...more },
});

// Lines in, lines out: a process or a socket.
export class Raw {
    constructor(input, output) {
        this.input = input;
        this.lines = createInterface({ input: output })[Symbol.asyncIterator]();
        this.next = 1;
        input.on("error", () => {});
    }
    static start(args, options = {}) {
        return Raw.spawn(program, ["mcp", ...seeded(args)], options);
    }
    static spawn(command, args, options = {}) {
        const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], ...options });
        const raw = new Raw(child.stdin, child.stdout);
        raw.child = child;
        raw.exit = new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));
        return raw;
    }
    static async socket(path) {
        const socket = net.connect(path);
        await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
        const raw = new Raw(socket, socket);
        raw.close = () => socket.destroy();
        return raw;
    }
    send(message) {
        this.input.write((typeof message === "string" ? message : JSON.stringify(message)) + "\n");
    }
    async read() {
        const { value, done } = await within(20000, this.lines.next(), "a line");
        if (done) return null;
        const message = JSON.parse(value);
        if (message.method === "notifications/event") checkEvent(message);
        return message;
    }
    async ask(method, params) {
        const id = this.next++;
        this.send({ jsonrpc: "2.0", id, method, params });
        for (let answer; (answer = await this.read()); ) if (answer.id === id) return answer;
        throw new Error(`the end instead of an answer to ${method}`);
    }
    async call(name, args = {}) {
        const answer = await this.ask("tools/call", { name, arguments: args });
        if (answer.error) return answer;
        checkAnswer(name, answer.result.structuredContent);
        return answer.result.structuredContent;
    }
    async greet(revision, more) {
        this.send(hello(revision, more));
        const answer = await this.read();
        this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
        return answer;
    }
}

// A server that says where it listens: {child, exit, http, unix}.
export async function server(args, options = {}) {
    const child = spawn(program, seeded(args), { stdio: ["ignore", "pipe", "inherit"], ...options });
    const exit = new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));
    let text = "";
    const wanted = args[0] === "serve" ? 3 : args.includes("--http") ? 2 : 1;
    await within(20000, new Promise((resolve, reject) => {
        child.stdout.on("data", (data) => (text += data).split("\n").length > wanted && resolve());
        exit.then((code) => reject(new Error(`ended with ${code}`)));
    }), "listening");
    const base = /http:\/\/[\d.]+:\d+/.exec(text)?.[0];
    return { child, exit, http: base && `${base}/mcp`, base, unix: /unix:(.*)/.exec(text)?.[1] };
}

// One HTTP request by hand, so that every header is as the test wants it: {status, headers, text}.
export function fetchRaw(url, { method = "POST", headers = {}, body = "" } = {}) {
    return within(20000, new Promise((resolve, reject) => {
        const request = http.request(url, { method, headers, agent: false }, (answer) => {
            let text = "";
            answer.setEncoding("utf8");
            answer.on("data", (data) => (text += data));
            answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
            answer.on("error", reject);
        });
        request.on("error", reject);
        request.end(body);
    }), "an answer");
}

export const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
