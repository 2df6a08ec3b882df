// The command blocks of a document, and how to run them.
//
//     ```sh                        a script: every command must succeed
//     ```console                   "$ command" lines with their output below; "> " continues a command; "..." stands
//                                  for any text in a line, and alone on a line for any number of lines
//     ```sh no-run: needs root     a block that is not run, and why
//     <!-- test: serve -->         on the line before a block: an arena runs at port 8080 meanwhile, AGON_ADMIN_TOKEN is set
//     <!-- test: model -->         a language model answers at port 11434 meanwhile, with the first legal action
//     <!-- test: python -->        likewise: python3 has the package agon, Gymnasium and PettingZoo
//
// "$ command &" starts a server: its output below is awaited, and it is stopped at the end of its block. The well-known
// ports are replaced by free ones. The blocks of a document share a folder, in which `examples` and `build` are.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { program, root } from "../agon.mjs";
import { spawn } from "./children.mjs";
import { startStub } from "../stub/llm.mjs";
import { scratch } from "./scratch.mjs";
import { until, within } from "./wait.mjs";

const deadline = 300000; // ms, for a command; sanitizers on a loaded machine are slow
const wellKnown = ["8080", "7777", "5070", "5071", "8000", "11434"];

const commandLine = /^(\$ |(agon|make|curl|node|python3|npx|git|cmake|build\/agon|examples\/\S+) )/;

// All blocks that a reader could take for commands: {line, language, reason, directive, text}. Throws what is wrong with them.
export function blocksOf(file) {
    const lines = readFileSync(file, "utf8").split("\n");
    const blocks = [];
    let fence = null;
    lines.forEach((line, i) => {
        const where = `${file}:${i + 1}`;
        if (fence && line.trim() === "```") {
            blocks.push(fence);
            fence = null;
        } else if (fence) {
            fence.text.push(line);
        } else if (line.startsWith("```")) {
            const [, language, info] = line.match(/^```(\S*)\s*(.*)$/);
            const reason = info.match(/^no-run: (\S.*)$/)?.[1];
            if (info && !reason) throw new Error(`${where}: what is "${info}"? Say "no-run: REASON"`);
            const directive = lines[i - 1]?.match(/^<!-- test: (\S+) -->$/)?.[1];
            fence = { where, language, reason, directive, text: [] };
        } else if (/^( {4}|\t)/.test(line) && commandLine.test(line.trim())) {
            throw new Error(`${where}: put commands into a block of sh or console, so that they are tested: ${line}`);
        }
    });
    if (fence) throw new Error(`${fence.where}: the block has no end`);
    for (const { where, text, language } of blocks)
        if (!["sh", "console"].includes(language) && text.some((line) => commandLine.test(line)))
            throw new Error(`${where}: put commands into a block of sh or console, so that they are tested`);
    for (const block of blocks)
        if (["bash", "shell", "shell-session"].includes(block.language)) throw new Error(`${block.where}: say sh or console, not ${block.language}`);
    return blocks.filter((block) => ["sh", "console"].includes(block.language));
}

// "$ a", "> b", output...: [{command: "a\nb", output: [...]}].
export function commandsOf(block) {
    const commands = [];
    for (const line of block.text)
        if (line.startsWith("$ ")) commands.push({ command: line.slice(2), output: [] });
        else if (line.startsWith("> ") && !commands.at(-1)?.output.length) commands.at(-1).command += `\n${line.slice(2)}`;
        else if (commands.length) commands.at(-1).output.push(line);
        else throw new Error(`${block.where}: output before the first "$ "`);
    for (const { command, output } of commands) {
        const shown = output.map((line) => line.trim()).filter(Boolean);
        if (shown.length && shown.every((line) => line === "..."))
            throw new Error(`${block.where}: "..." alone fits any output of: ${command}`);
    }
    return commands;
}

const quote = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Whether the output is what the document shows.
export function fits(shown, output) {
    const trimmed = shown.join("\n").replace(/\s+$/, "").split("\n");
    let pattern = "";
    trimmed.forEach((line, i) => {
        const last = i === trimmed.length - 1;
        if (line.trim() === "...") pattern += last ? "[^]*" : "(?:[^\\n]*\\n)*?";
        else pattern += line.trimEnd().split("...").map(quote).join("[^\\n]*") + "[ \\t]*" + (last ? "\\n*" : "\\n");
    });
    return new RegExp(`^${pattern}$`).test(output);
}

function freePort() {
    return new Promise((done) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address();
            server.close(() => done(String(port)));
        });
    });
}

export class Folder {
    static async make() {
        const f = new Folder();
        f.at = scratch("agon-docs-");
        symlinkSync(join(root, "examples"), join(f.at, "examples"));
        mkdirSync(join(f.at, "build"));
        mkdirSync(join(f.at, "home"));
        symlinkSync(resolve(program), join(f.at, "build", "agon"));
        f.ports = new Map();
        for (const port of wellKnown) f.ports.set(port, await freePort());
        f.env = {
            PATH: `${join(f.at, "build")}:${process.env.PATH}`,
            HOME: join(f.at, "home"),
            LANG: "C.UTF-8",
            AGON_PORT: f.ports.get("8080"),
            AGON_TETRIS_PORT: f.ports.get("7777"),
            AGON_HOUSE_WAIT: "100", // ms: a lone agent need not wait
            AGON_HOUSE_THINK: "0",
            PORT: f.ports.get("5071"), // of bots
            TETRIS_AI_PORT: f.ports.get("7777"),
        };
        return f;
    }
    // The document's ports become free ones.
    move(text) {
        return text.replace(new RegExp(`\\b(${wellKnown.join("|")})\\b`, "g"), (port) => this.ports.get(port));
    }
    start(command) {
        const child = spawn("bash", ["-c", `exec ${command}`], { cwd: this.at, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
        child.out = child.err = "";
        child.stdout.on("data", (data) => (child.out += data));
        child.stderr.on("data", (data) => (child.err += data));
        child.ended = new Promise((done) => child.on("close", (code, signal) => done(code ?? signal)));
        return child;
    }
    // Until its output fits what is shown.
    async await(child, shown, where) {
        let over = false;
        child.ended.then(() => (over = true));
        await until(() => over || fits(shown, child.out), "output", deadline).catch(() => {});
        if (!fits(shown, child.out)) throw new Error(`${where}: expected\n${shown.join("\n")}\ngot\n${child.out}\n${child.err}`);
    }
    async run(script, where) {
        const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], { cwd: this.at, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
        let out = "", err = "";
        child.stdout.on("data", (data) => (out += data));
        child.stderr.on("data", (data) => (err += data));
        const ended = new Promise((done) => child.on("close", (code, signal) => done(code ?? signal)));
        const status = await within(deadline, ended, "end").catch(() => (child.kill("SIGKILL"), ended));
        if (status !== 0) throw new Error(`${where}: status ${status} of\n${script}\n${out}\n${err}`);
        return out;
    }
    async stop(servers) {
        for (const child of servers) child.kill?.("SIGTERM");
        for (const child of servers) await (child.close ? child.close() : child.ended);
    }
    // What a block's directive asks for.
    async prepare(block) {
        if (!block.directive) return [];
        if (block.directive === "python") {
            // PYTHON: what makes the environment is the system's, and not this one again.
            const real = spawnSync("sh", ["-c", "command -v python3"], { encoding: "utf8" }).stdout.trim();
            const run = `#!/bin/sh\nPYTHON=${real} exec ${join(root, "tools/python-run")} ${relative(dirname(program))} "$@"\n`;
            writeFileSync(join(this.at, "build", "python3"), run, { mode: 0o755 });
            return [];
        }
        if (block.directive === "model") return [await startStub(Number(this.ports.get("11434")))];
        if (block.directive !== "serve") throw new Error(`${block.where}: unknown directive ${block.directive}`);
        this.env.AGON_ADMIN_TOKEN = "token-of-the-operator";
        const server = this.start("agon serve --data arena");
        await this.await(server, ["...", "listening http://...", "..."], block.where);
        return [server];
    }
    async play(block) {
        const servers = await this.prepare(block);
        try {
            if (block.language === "sh") {
                await this.run(this.move(block.text.join("\n")), block.where);
                return;
            }
            for (const { command, output } of commandsOf(block)) {
                const shown = output.map((line) => this.move(line)), moved = this.move(command);
                const background = moved.match(/^(.*\S)\s*&$/s)?.[1];
                if (background) {
                    servers.push(this.start(background));
                    await this.await(servers.at(-1), shown, block.where);
                    continue;
                }
                const out = await this.run(moved, block.where);
                if (output.some((line) => line.trim()) && !fits(shown, out))
                    throw new Error(`${block.where}: $ ${moved}\nshould print\n${shown.join("\n")}\nand prints\n${out}`);
            }
        } finally {
            await this.stop(servers);
            rmSync(join(this.at, "build", "python3"), { force: true }); // the next block has the system's again
        }
    }
}

export const relative = (file) => file.slice(root.length);
