// Every command in README.md and docs/ runs and prints what the document shows, or says why it is not run.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { root } from "./agon.mjs";
import { blocksOf, commandsOf, fits, Folder, relative } from "./lib/docs.mjs";

const untested = /^docs\/(spec|decisions)\//;

const documents = ["README.md", ...readdirSync(join(root, "docs"), { recursive: true }).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith(".md") && !untested.test(name))
    .map((name) => join(root, name));

test("output is compared as the documents say", () => {
    for (const [shown, output, same] of [
        [["a", "b"], "a\nb\n", true],
        [["a", "b", ""], "a\nb\n", true],
        [["a"], "a\nb\n", false],
        [["a", "..."], "a\nb\nc\n", true],
        [["...", "c"], "a\nb\nc\n", true],
        [["...", "b"], "a\nb\nc\n", false],
        [["a ... d"], "a b c d\n", true],
        [["a ... d"], "a b\nc d\n", false],
        [["1.5 (x)"], "1.5 (x)\n", true],
        [["1.5 (x)"], "1x5 (x)\n", false],
    ])
        assert.equal(fits(shown, output), same, JSON.stringify([shown, output]));
});

describe("documents", { concurrency: 2 }, () => {
    for (const file of documents)
        test(relative(file), async () => {
            const blocks = blocksOf(file);
            const folder = blocks.some((block) => !block.reason) ? await Folder.make() : null;
            for (const block of blocks) if (!block.reason) await folder.play(block);
        });
});

// GitHub's anchors: lower case, no punctuation, hyphens for blanks.
const anchorsOf = (file) => [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)]
    .map(([, title]) => title.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-"));

test("links between documents lead to a file and a heading", () => {
    const wrong = [];
    for (const file of documents)
        for (const [, target] of readFileSync(file, "utf8").matchAll(/\]\(([^)\s]+)\)/g)) {
            if (/^[a-z]+:/.test(target)) continue;
            const [path, anchor] = target.split("#"), to = path ? join(dirname(file), path) : file;
            if (!existsSync(to) || (anchor && !anchorsOf(to).includes(anchor))) wrong.push(`${relative(file)}: ${target}`);
        }
    assert.deepEqual(wrong, []);
});

test("README has a path for every reader, with commands that run and whose output is compared", () => {
    const lines = readFileSync(join(root, "README.md"), "utf8").split("\n");
    const headingOf = (block) => lines.slice(0, Number(block.where.split(":").at(-1))).findLast((line) => line.startsWith("## "))?.slice(3);
    const blocks = blocksOf(join(root, "README.md")).filter((block) => !block.reason && block.language === "console");
    for (const path of ["Play", "Put a model at the table", "Train", "Host an arena", "Write a bot"])
        assert.ok(blocks.some((block) => headingOf(block) === path && commandsOf(block).some((c) => c.output.some((line) => line.trim()))), path);
});

test("output that cannot differ is no comparison", () => {
    const block = (...text) => ({ where: "here", text });
    assert.throws(() => commandsOf(block("$ agon games", "...")), /"..." alone fits any output of: agon games/);
    assert.equal(commandsOf(block("$ agon games", "tetris: ...", "...")).length, 1);
});
