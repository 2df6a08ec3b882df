// agon verify gamerl names the one assertion that a lying server breaks, and says what the lie was.
//
// AGON_DOUBLES=all (make gate GATE=doubles) runs every double; a list of names separated by commas runs those.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { program, root, run } from "./agon.mjs";
import { assertComplete, byAssertion, page, sweep } from "./lib/doubles.mjs";
import { doubleFile, doubles, doubleSocket } from "./lib/rl_double.mjs";
import { host, place, verify, withHost } from "./lib/verify.mjs";

const wanted = process.env.AGON_DOUBLES?.split(",");
const list = JSON.parse(run(["verify", "gamerl", "--list", "--json"]).stdout);
const liesOf = byAssertion(doubles);

withHost();

async function fails(name) {
    const { shared, says } = doubles[name], id = name.split(".")[0];
    const server = [program, "mcp", "--game", "coup", "--seed", "1"], socket = join(place, name);
    const proxy = shared && (await doubleSocket(name, host.unix, socket));
    const { status, err, report } = await verify(["--gates", id, "--level", "3", ...(shared ? ["--socket", socket] : [])],
        shared ? server : [process.execPath, doubleFile, name, ...server]);
    proxy && proxy.close();
    assert.ok(report, err);
    const row = report.assertions.find((a) => a.id === id);
    assert.equal(row.verdict, "fail", row.why);
    const [why, wire] = row.why.split(/; (?=sent )/);
    assert.match(why, says);
    assert.match(wire ?? "sent nothing", /^sent /, "it quotes the wire");
    assert.doesNotMatch(row.why, /[\x00-\x1f]/);
    assert.equal(status, 1);
    assert.equal(report.passed, false);
    if (row.level) assert.equal(report.level_reached, row.level - 1);
}

describe("doubles", { concurrency: 1 }, () => {
    test("every assertion has a lying double, and its row in the documentation", () => {
        assertComplete(list, liesOf);
        const path = join(root, "docs/protocols/gamerl-verify.md"), now = readFileSync(path, "utf8");
        const right = page(now.slice(0, now.indexOf("| Gate |")), list, liesOf);
        if (process.env.AGON_WRITE_PAGES) writeFileSync(path, right);
        assert.equal(now, right, "AGON_WRITE_PAGES=1 writes it anew");
    });

    test("a lie is named by its assertion", { timeout: 1200000 }, async () => {
        const names = Object.keys(doubles).filter((n) => (wanted ? wanted.includes("all") || wanted.includes(n) : doubles[n].quick));
        const wrong = await sweep(names, 4, fails);
        assert.equal(wrong.length, 0, wrong.join("\n"));
    });
});
