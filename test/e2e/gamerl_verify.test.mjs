// agon verify gamerl: passes on our servers, and names the assertion on a double that breaks it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { games, program, run } from "./agon.mjs";
import { folder, server, within } from "./lib/mcp.mjs";
import { doubleSocket, spoils } from "./lib/rl_double.mjs";

const double = fileURLToPath(new URL("./lib/rl_double.mjs", import.meta.url));
const needsSocket = ["C76", "C77", "C78", "C79", "C82", "C84", "C85"];

async function verify(options, command = []) {
    const args = ["verify", "gamerl", "--json", ...options, ...(command.length ? ["--", ...command] : [])];
    const child = spawn(program, args, { cwd: place });
    let out = "", err = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (err += d));
    const status = await within(170000, new Promise((resolve) => child.on("close", resolve)), "verdict");
    return { status, err, report: out ? JSON.parse(out) : null };
}

let place, host;
before(async () => {
    place = folder();
    host = await server(["mcp", "--headless-host", "--socket", join(place, "host"), "--step-deadline", "700", "--bot-delay", "50"]);
});
after(() => host.child.kill("SIGTERM"));

describe("agon verify gamerl", () => {
    for (const game of [...games.map((g) => g.name), null])
        test(`our server of ${game ?? "any game"} keeps what it claims`, { timeout: 180000 }, async () => {
            const { status, err, report } = await verify(["--socket", host.unix], [program, "mcp", ...(game ? ["--game", game] : [])]);
            assert.equal(status, 0, err);
            assert.equal(report.level_reached, report.level_claimed);
            assert.equal(report.assertions.length, 100);
        });

    test("a socket alone will do", { timeout: 180000 }, async () => {
        const { status, err } = await verify(["--socket", host.unix, "--suite", "test_multi_agent"]);
        assert.equal(status, 0, err);
    });

    test("a go-between that spoils nothing is not to blame", { timeout: 180000 }, async () => {
        const { status, err } = await verify(["--gates", "C1,C10,C14,C15,C16,C17,C39,C50,C58,C83"], [process.execPath, double, "none", program, "mcp", "--game", "coup"]);
        assert.equal(status, 0, err);
    });

    test("one line per assertion, and the level", () => { // G30.1
        const { status, stdout } = run(["verify", "gamerl", "--suite", "test_connection", "--", program, "mcp"]);
        assert.equal(status, 0);
        assert.equal(stdout.split("\n").filter((line) => /^C\d+ +pass /.test(line)).length, 18);
        assert.match(stdout, /^level claimed \d, tested \d, reached \d$/m);
    });

    test("nobody there: status 2", () => {
        for (const args of [["--", "/no/such/program"], ["--socket", "/no/such/socket"], [], ["--suite", "test_luck", "--", "true"], ["--level", "4", "--", "true"]])
            assert.equal(run(["verify", "gamerl", ...args]).status, 2, args.join(" "));
    });

    test("a command that is no server fails, without waiting for ever", () => {
        const { status, stdout } = run(["verify", "gamerl", "--gates", "C1,C7", "--json", "--", "true"]);
        assert.equal(status, 1);
        assert.equal(JSON.parse(stdout).level_reached, 0);
    });
});

describe("doubles", { concurrency: 2 }, () => {
    for (const name of Object.keys(spoils).filter((n) => n !== "none"))
        test(`${name} is named on a server that breaks it`, { timeout: 60000 }, async () => {
            let proxy;
            const shared = needsSocket.includes(name);
            if (shared) proxy = await doubleSocket(name, host.unix, join(place, name));
            const server = [program, "mcp", "--game", "coup"];
            const { status, err, report } = await verify(["--gates", name, "--level", "3", ...(shared ? ["--socket", join(place, name)] : [])],
                shared ? server : [process.execPath, double, name, ...server]);
            proxy?.close();
            const row = report.assertions.find((a) => a.id === name);
            assert.equal(row.verdict, "fail", `${err}`);
            assert.ok(row.why.length > 0);
            assert.equal(status, 1);
            assert.equal(report.passed, false);
            if (row.level) assert.equal(report.level_reached, row.level - 1);
        });
});
