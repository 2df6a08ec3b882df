// Bot servers of every kind, and a client that says exactly what it is told to.
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { afterEach } from "node:test";
import { program, root } from "../agon.mjs";
import { spawn } from "./children.mjs";
import { within } from "./wait.mjs";

const running = new Set(), listening = new Set();
afterEach(() => {
    running.forEach((child) => child.kill("SIGKILL"));
    listening.forEach((server) => (server.closeAllConnections?.(), server.close()));
    listening.clear();
});

// A process that tells where it listens: {url, port, child, ended}.
export async function start(command, args, env = {}) {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
    running.add(child);
    const ended = new Promise((resolve) => child.on("close", (code, signal) => (running.delete(child), resolve({ code, signal }))));
    const lines = createInterface({ input: child.stdout });
    const url = await new Promise((resolve, reject) => {
        lines.on("line", (line) => line.startsWith("listening http") && resolve(line.split(" ")[1]));
        ended.then(() => reject(new Error(`${command} ended before it listened`)));
    });
    return { url, port: Number(new URL(url).port), child, ended };
}

export const agonBot = (game, args = [], env = {}) => start(program, ["bot", game, "--port", "0", ...args], env);
export const examples = {
    python: () => start("python3", [`${root}examples/bots/python/bot.py`], { PORT: "0" }),
    javascript: () => start("node", [`${root}examples/bots/javascript/bot.mjs`], { PORT: "0" }),
};

// Matches whose seats are bots: what came of them (test/bench/seats.c).
export async function play(args, env = {}) {
    const child = spawn(`${dirname(program)}/bench.seats`, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
    running.add(child);
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    running.delete(child);
    if (code !== 0) throw new Error(`seats ended with ${code}: ${text}`);
    return JSON.parse(text);
}

// A bot by a function of (method, path, body), which answers [status, body, headers]; or takes the response itself.
export async function bot(answer) {
    const server = createHttpServer((request, response) => {
        const chunks = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", async () => {
            const body = Buffer.concat(chunks).toString();
            const made = await answer(request.method, request.url, body, response, request);
            if (!made) return;
            const [status, text = "", headers = {}] = made;
            response.writeHead(status, headers);
            response.end(text);
        });
    });
    listening.add(server);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, server };
}

// A bot below HTTP: every connection is the function's.
export async function rawBot(on_connection) {
    const server = createServer(on_connection);
    listening.add(server);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, server };
}

// How many whole answers a text of them holds. Each tells its length, or has no body.
function countAnswers(text) {
    for (let count = 0, at = 0; ; count++) {
        const end = text.indexOf("\r\n\r\n", at);
        if (end < 0) return count;
        at = end + 4 + Number(/content-length: (\d+)/i.exec(text.slice(at, end))?.[1] ?? 0);
        if (at > text.length) return count;
    }
}

// Bytes to a port; what came back until so many answers were there, or the server hung up.
export function say(port, bytes, answers = 1) {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    return within(20000, new Promise((resolve) => {
        socket.on("connect", () => socket.write(bytes));
        socket.on("data", (chunk) => countAnswers((text += chunk.toString("latin1"))) >= answers && resolve(text));
        socket.on("error", () => {}); // refused before all was read: what had come counts
        socket.on("close", () => resolve(text));
    }), "answer").finally(() => socket.destroy());
}

// One answer of raw text, taken apart.
export function parse(text) {
    const [head, ...rest] = text.split("\r\n\r\n");
    const [line, ...lines] = head.split("\r\n");
    const headers = Object.fromEntries(lines.map((l) => [l.slice(0, l.indexOf(":")).toLowerCase(), l.slice(l.indexOf(":") + 2)]));
    return { status: Number(line.split(" ")[1]), headers, body: rest.join("\r\n\r\n") };
}
