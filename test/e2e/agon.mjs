// The program as a client sees it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterEach } from "node:test";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { spawn } from "./lib/children.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const program = process.env.AGON ?? `${root}out/dev/agon`;

// One run to its end: {status, stdout, stderr}.
export function run(args, input = "") {
    const done = spawnSync(program, args, { input, encoding: "utf8", maxBuffer: 1 << 28, timeout: 600000 });
    if (done.error) throw done.error;
    return done;
}

export const games = JSON.parse(run(["games", "--json"]).stdout).games;

// Lines into an engine, answers out: strings go byte by byte as they are, anything else as JSON.
const bytes = (line) => (typeof line === "string" ? Buffer.from(line, "latin1") : Buffer.from(JSON.stringify(line)));

export function talk(game, lines, options = []) {
    const input = Buffer.concat(lines.flatMap((line) => [bytes(line), Buffer.from("\n")]));
    const done = run(["engine", game, ...options], input);
    return { ...done, answers: done.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line)) };
}

// Whatever a test leaves running goes with it.
const running = new Set();
afterEach(() => running.forEach((child) => child.kill("SIGKILL")));

// An engine that is asked one thing at a time.
export class Engine {
    constructor(game, options = []) {
        this.process = spawn(program, ["engine", game, ...options], { stdio: ["pipe", "pipe", "inherit"] });
        running.add(this.process.on("close", () => running.delete(this.process)));
        this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    }
    async ask(request) {
        this.process.stdin.write(JSON.stringify(request) + "\n");
        const { value, done } = await this.lines.next();
        if (done) throw new Error(`the engine ended instead of answering ${JSON.stringify(request)}`);
        return JSON.parse(value);
    }
    async must(request) {
        const answer = await this.ask(request);
        if (!answer.ok) throw new Error(`${JSON.stringify(request)}: ${answer.error.message}`);
        return answer;
    }
    close() {
        this.process.stdin.end();
        return new Promise((resolve) => this.process.on("close", resolve));
    }
}

const schema = (name) => JSON.parse(readFileSync(`${root}protocol/engine/schema/${name}.schema.json`));
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true, strictRequired: false });
ajv.addSchema(schema("request"), "request");
ajv.addSchema(schema("answer"), "answer");

function check(pointer, value) {
    const valid = ajv.getSchema(pointer);
    if (!valid(value))
        throw new Error(`${JSON.stringify(value).slice(0, 400)}\nis no ${pointer}: ${ajv.errorsText(valid.errors)}`);
}

export const checkRequest = (request) => check(`request#/$defs/${request.op}`, request);
export const checkAnswer = (op, answer) => check(`answer#/$defs/${answer.ok ? op : "error"}`, answer);
