// agon verify bot passes our bot, and names the one assertion that a lying bot breaks.
//
// AGON_DOUBLES=all (make gate GATE=doubles) runs every double; a list of names separated by commas runs those.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { program, root, run } from "./agon.mjs";
import { doubles, goBetween } from "./lib/bot_doubles.mjs";
import { agonBot } from "./lib/bots.mjs";
import { spawn } from "./lib/children.mjs";
import { assertComplete, failedNames, page, sweep } from "./lib/doubles.mjs";

const wanted = process.env.AGON_DOUBLES?.split(",");
const quick = ["create.same", "lost-session", "malformed.next", "twins", "silence", "cut.legal", "crowd.legal", "untold.legal", "session.ends"];
const list = JSON.parse(run(["verify", "bot", "--list", "--json"]).stdout);

// 'cut.legal.half' is a double of 'cut.legal', 'create.id' of 'create': the longest name that is listed.
const assertionOf = (name) => list.map((a) => a.name).filter((n) => name === n || name.startsWith(n + ".")).sort((a, b) => b.length - a.length)[0];
const lies = {};
for (const [name, { lie }] of Object.entries(doubles)) (lies[assertionOf(name) ?? name] ??= { lie: [] }).lie.push(lie);
for (const row of Object.values(lies)) row.lie = row.lie.join("; ");

async function verify(url, options) {
    const child = spawn(program, ["verify", "bot", url, "--json", "--seed", "5", "--target", "60", "--strict", ...options]);
    let out = "", err = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (err += d));
    const status = await new Promise((resolve) => child.on("close", resolve));
    return { status, err, report: out ? JSON.parse(out) : null };
}

// A lie in a `should` does not fail the whole, unless somebody decides so by --strict.
async function fails(name) {
    const lie = doubles[name], wanted = assertionOf(name);
    const honest = await agonBot("belote", ["--bot", "rules"]);
    const between = await goBetween(honest.url, lie);
    const { status, report, err } = await verify(between.url, ["--games", "2", ...(lie.whole ? [] : ["--quick"]), ...(lie.twice ? [] : ["--once"]), ...(lie.options ?? [])]);
    between.close();
    honest.child.kill();
    assert.ok(report, err);
    const beside = [...(lie.also ?? []), "answer.pace"].filter((n) => n !== wanted); // a busy machine becomes slow, too
    assert.deepEqual(failedNames(report).filter((n) => !beside.includes(n)), [wanted], report.assertions.filter((a) => a.why).map((a) => `${a.name}: ${a.why}`).join("\n"));
    const row = report.assertions.find((a) => a.name === wanted);
    assert.match(row.why, lie.says);
    assert.doesNotMatch(row.why, /[\x00-\x1f]/);
    if (row.gate !== "should") assert.equal(status, 1);
}

describe("agon verify bot", { concurrency: 1 }, () => {
    test("every assertion has a lying double, and its row in the documentation", () => {
        assertComplete(list, lies);
        const path = join(root, "docs/protocols/bot-verify.md"), now = readFileSync(path, "utf8");
        const right = page(now.slice(0, now.indexOf("| Gate |")), list, lies);
        if (process.env.AGON_WRITE_PAGES) writeFileSync(path, right);
        assert.equal(now, right, "AGON_WRITE_PAGES=1 writes it anew");
    });

    test("every assertion holds on our bot behind an honest go-between", { timeout: 600000 }, async () => {
        const honest = await agonBot("belote", ["--bot", "rules"]), between = await goBetween(honest.url, {});
        const { status, report, err } = await verify(between.url, ["--games", "2", "--quick"]);
        between.close();
        assert.equal(status, 0, err);
        assert.deepEqual(report.assertions.filter((a) => a.verdict !== "pass" && a.name !== "answer.pace").map((a) => a.name), [], err);
    });

    test("a bot of another game is refused before the first row", async () => {
        const other = await agonBot("coup", ["--bot", "rules"]);
        const { status, report, err } = await verify(other.url, ["--games", "2", "--quick"]);
        other.child.kill();
        assert.equal(status, 2, err);
        assert.equal(report, null);
        assert.match(err, /^agon verify bot: these checks are for belote, and the bot at \S+ plays coup; give the address of a belote bot\n$/);
    });

    test("a lie is named by its assertion alone", { timeout: 1200000 }, async () => {
        const names = Object.keys(doubles).filter((n) => (wanted ? wanted.includes("all") || wanted.includes(n) : quick.includes(n)));
        const wrong = await sweep(names, 3, fails);
        assert.equal(wrong.length, 0, wrong.join("\n"));
    });
});
