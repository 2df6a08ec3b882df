// agon verify gamerl on our servers; gamerl_doubles.test.mjs has the broken ones.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { games, program, run } from "./agon.mjs";
import { doubleFile } from "./lib/rl_double.mjs";
import { host, verify, withHost } from "./lib/verify.mjs";

withHost();

describe("agon verify gamerl", { concurrency: 2 }, () => {
    // A server of any game begins with Tetris. C53 replays thousands of states, and has done so with that game's own server.
    const allButC53 = Array.from({ length: 144 }, (_, i) => `C${i + 1}`).filter((id) => id !== "C53");
    for (const game of [...games.map((g) => g.name), null])
        test(`our server of ${game ?? "any game"} keeps what it claims`, { timeout: 600000 }, async () => {
            const server = [program, "mcp", "--seed", "1", ...(game ? ["--game", game] : [])];
            const { status, err, report } = await verify(["--socket", host.unix, ...(game ? [] : ["--gates", allButC53.join()])], server);
            assert.equal(status, 0, err);
            assert.equal(report.level_reached, report.level_claimed);
            assert.equal(report.assertions.length, 144);
            assert.deepEqual(report.assertions.filter((a) => a.why === "not asked for").map((a) => a.id), game ? [] : ["C53"]);
        });

    test("a socket alone will do", { timeout: 600000 }, async () => {
        const { status, err } = await verify(["--socket", host.unix, "--suite", "test_multi_agent"]);
        assert.equal(status, 0, err);
    });

    test("a go-between that spoils nothing is not to blame", { timeout: 600000 }, async () => {
        const { status, err } = await verify(["--gates", "C1,C10,C14,C15,C16,C17,C39,C50,C58,C83,C107,C116,C120"], [process.execPath, doubleFile, "none", program, "mcp", "--seed", "1", "--game", "coup"]);
        assert.equal(status, 0, err);
    });

    test("one line per assertion, and the level", () => { // G30.1, G30.2
        const { status, stdout } = run(["verify", "gamerl", "--patience", "20", "--suite", "test_connection", "--", program, "mcp", "--seed", "1"]);
        assert.equal(status, 0);
        assert.equal(stdout.split("\n").filter((line) => /^C\d+ +pass /.test(line)).length, 18);
        assert.match(stdout, /^level claimed \d, tested \d, reached \d$/m);
    });

    test("nobody there: status 2", () => {
        for (const args of [["--", "/no/such/program"], ["--", "sh", "-c", "exec /no/such/program"], ["--socket", "/no/such/socket"], [], ["--suite", "test_luck", "--", "true"], ["--level", "4", "--", "true"]])
            assert.equal(run(["verify", "gamerl", ...args]).status, 2, args.join(" "));
    });

    test("a command that is no server fails, without waiting for ever", () => {
        const { status, stdout } = run(["verify", "gamerl", "--gates", "C1,C7", "--json", "--", "true"]);
        assert.equal(status, 1);
        const report = JSON.parse(stdout);
        assert.equal(report.level_reached, 0);
        assert.match(report.assertions.find((a) => a.id === "C1").why, /^no answer: the server has ended/); // at once, not after 15 s
    });
});
