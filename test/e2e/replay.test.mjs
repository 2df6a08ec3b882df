// agon replay on the command line.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { games, program, run } from "./agon.mjs";

const folder = mkdtempSync(join(tmpdir(), "agon-replay-"));
after(() => rmSync(folder, { recursive: true }));
const at = (name) => join(folder, name);
const replay = (...args) => run(["replay", ...args]);
const info = (file) => JSON.parse(replay("info", "--json", file).stdout);

const files = Object.fromEntries(
    games.map(({ name }) => {
        const to = at(name);
        const done = run(["simulate", name, "--games", "3", "--max-steps", "3000", "--threads", "1", "--replays", to]);
        assert.equal(done.status, 0, done.stderr);
        return [name, [0, 1, 2].map((i) => join(to, `00000${i}.agon`))];
    })
);

for (const [game, [file, ...more]] of Object.entries(files)) {
    test(`${game}: what was simulated verifies`, () => {
        const { status, stdout } = replay("verify", file, ...more);
        assert.equal(status, 0, stdout);
        assert.match(stdout, /3 files: 3 ok, \d+ steps in .* steps\/s/);
        const lines = replay("verify", "--json", file, ...more).stdout.trim().split("\n").map(JSON.parse);
        assert.equal(lines.length, 4);
        assert.ok(lines.slice(0, 3).every((line) => line.result === "ok" && line.game === game));
        assert.equal(lines[3].ok, 3);
    });

    test(`${game}: every single changed byte is noticed`, () => {
        const bytes = readFileSync(file);
        const spots = Array.from({ length: 24 }, (_, i) => Math.floor((i * bytes.length) / 24));
        for (const spot of [...spots, bytes.length - 1]) {
            const changed = Buffer.from(bytes);
            changed[spot] ^= 1 << spot % 8;
            writeFileSync(at("changed"), changed);
            const { status, stdout, stderr } = replay("verify", at("changed"));
            assert.equal(status, 1, `byte ${spot}: ${stdout}`);
            assert.equal(stderr, "");
        }
    });

    test(`${game}: the JSON forms tell the same, and one seat's form tells less`, () => {
        const document = JSON.parse(replay("export", file).stdout);
        const lines = replay("export", "--format", "jsonl", file).stdout.trim().split("\n").map(JSON.parse);
        assert.equal(document.game, game);
        const { entries, ...head } = document;
        assert.deepEqual(lines, [head, ...entries]);
        assert.equal(entries.at(-1).payoffs.length, Object.keys(head.seats).length);
        assert.equal(entries.at(-1).step, info(file).steps);
        const seat = replay("export", "--seat", "0", file).stdout;
        const seen = JSON.parse(seat);
        assert.ok(!seat.includes(head.key) && seen.seed === undefined);
        assert.ok(seen.entries.every((entry) => !entry.hash && !entry.stack && (!entry.seat || entry.seat === "seat_0")));
        const hidden = entries.flatMap((entry) => entry.events ?? []).filter((event) => event.to && !event.to.includes("seat_0"));
        const events = seen.entries.flatMap((entry) => entry.events ?? []);
        for (const event of hidden) assert.ok(!events.some((other) => JSON.stringify(other) === JSON.stringify(event)));
    });

    test(`${game}: show prints steps as text, and hides what a seat does not see`, () => {
        const { steps } = info(file);
        const all = replay("show", "--step", String(steps), file);
        assert.equal(all.status, 0);
        assert.match(all.stdout, new RegExp(`^step ${steps} of ${steps}`));
        assert.match(all.stdout, /the end\n$/);
        assert.ok(!all.stdout.includes("\x1b"));
        // A line of the whole picture that a seat does not get has what others hold.
        const seat = replay("show", "--seat", "0", "--step", "1", file).stdout;
        const whole = replay("show", "--step", "1", file).stdout.split("\n").map((line) => line.trimEnd());
        assert.equal(whole.some((line) => !seat.includes(line)), game !== "tetris");
    });

    test(`${game}: a cut is open, verifies, and can be cut again`, () => {
        const { steps } = info(file);
        const half = Math.floor(steps / 2);
        assert.equal(replay("cut", file, String(half), "-o", at("half")).status, 0);
        const cut = info(at("half"));
        assert.equal(cut.steps, half);
        assert.equal(cut.complete, false);
        assert.match(replay("verify", at("half")).stdout, /: open, /);
        assert.equal(replay("cut", at("half"), String(half), "-o", at("again")).status, 0);
        assert.deepEqual(readFileSync(at("again")), readFileSync(at("half")));
        const { status, stderr } = replay("cut", file, String(steps + 1));
        assert.equal(status, 2);
        assert.match(stderr, new RegExp(`has ${steps} steps`));
    });
}

test("a differing hash names its step, and shrinks to the shortest prefix that fails", () => {
    const file = files.belote[0];
    const { steps } = info(file);
    assert.equal(replay("cut", file, String(steps), "-o", at("open")).status, 0); // no checksum at its end
    const bytes = readFileSync(at("open"));
    assert.equal(replay("cut", file, "64", "-o", at("before")).status, 0);
    bytes[statSync(at("before")).size + 2] ^= 1; // the hash stands behind 64 steps
    writeFileSync(at("wrong"), bytes);
    const { status, stdout } = replay("verify", "--shrink", at("short"), at("wrong"));
    assert.equal(status, 1);
    const [, expected, actual] = stdout.match(/differs at step 64: expected ([0-9a-f]{16}), actual ([0-9a-f]{16})/);
    assert.notEqual(expected, actual);
    const short = JSON.parse(replay("verify", "--json", at("short")).stdout.split("\n")[0]);
    assert.deepEqual([short.result, short.steps, short.expected, short.actual], ["differs", 64, expected, actual]);
    assert.ok(statSync(at("short")).size < bytes.length);
});

const log = (hashes) =>
    ["AGT1\tstandard\t123\tagon", `H\t3\t${hashes[0]}`, "I\t4\tR7\tA\t-\thardDrop", `H\t4\t${hashes[1]}`, "I\t5\tL\tA\t-\thold",
        "I\t6\tS\tP\t7\teast\t0\tsimple\t-", `E\t6\t${hashes[2]}`, ""].join("\n");
const right = ["b7509343543aedff", "162aac6c0e75ff3a", "ba7baa016ed6775b"]; // T2.23

test("a step log with the published hashes verifies and becomes a replay", () => {
    writeFileSync(at("log"), log(right));
    assert.match(replay("verify", at("log")).stdout, /: ok, tetris, 1 seat, 6 steps/);
    assert.equal(replay("import", at("log"), "-o", at("imported")).status, 0);
    assert.equal(readFileSync(at("imported")).subarray(0, 4).toString(), "AGON");
});

test("a step log that differs names the step, and shrinks", () => {
    writeFileSync(at("log"), log([right[0], "162aac6c0e75ff3b", right[2]]));
    const { status, stdout } = replay("verify", "--shrink", at("short"), at("log"));
    assert.equal(status, 1);
    assert.match(stdout, /line 4: differs at step 4: expected 162aac6c0e75ff3b, actual 162aac6c0e75ff3a/);
    assert.equal(readFileSync(at("short"), "utf8").trim().split("\n").length, 4);
    assert.equal(replay("verify", at("short")).status, 1);
});

test("tetris: a replay goes out as a step log and comes back", () => {
    // Step logs end with a tick: the longest prefix that does.
    const [file] = files.tetris;
    let { steps } = info(file);
    while (replay("cut", file, String(steps), "-o", at("whole")).status === 0 && replay("export", "--format", "agt", at("whole")).status !== 0)
        assert.ok(info(file).steps - steps-- < 100);
    for (const layout of ["agon", "compat"]) {
        const out = replay("export", "--format", "agt", "--hash", layout, at("whole"), "-o", at("agt"));
        assert.equal(out.status, 0, out.stderr);
        assert.equal(replay("import", at("agt"), "-o", at("back")).status, 0);
        assert.equal(replay("verify", at("back"), at("agt")).status, 0);
        assert.equal(replay("export", "--format", "agt", "--hash", layout, at("back")).stdout, readFileSync(at("agt"), "utf8"));
    }
});

const [some] = Object.values(files).flat();
const refused = [
    [["replay"], /COMMAND/],
    [["replay", "dance"], /unknown command 'dance'; known: show, verify/],
    [["replay", "show"], /which FILE\?/],
    [["replay", "verify"], /which FILE\?/],
    [["replay", "info", at("nowhere")], /cannot read it: No such file or directory; 'agon play --save FILE' and 'agon match --replays DIR' write replays/],
    [["replay", "cut", some], /at which STEP\?/],
    [["replay", "cut", some, "-1"], /STEP|invalid option/],
    [["replay", "show", "--seat", "9", some], /has no seat '9'; give 0 to 0, a name from 'agon replay info', all or gallery/],
    [["replay", "show", "--seat", "x", some], /has no seat 'x'/],
    [["replay", "export", "--seat", "", some], /has no seat ''/],
    [["replay", "show", "--seat", "solved", files.liars_dice[0]], /several seats of .* have the name 'solved'; give a number, 0 to 3/],
    [["replay", "show", "--step", "99999999", some], /has \d+ steps/],
    [["replay", "export", "--format", "xml", some], /known: json, jsonl, agt/],
    [["replay", "export", "--hash", "md5", some], /known: agon, compat/],
    [["replay", "verify", "--key", "12", some], /64 hex digits/],
    [["replay", "verify", "--shrink", at("x"), some, some], /exactly one FILE/],
];
for (const [args, says] of refused)
    test(`refused with status 2: agon ${args.slice(0, 4).join(" ").replaceAll(folder, "")}`, () => {
        const { status, stderr } = run(args);
        assert.equal(status, 2, stderr);
        assert.match(stderr, says);
    });

test("a seat is a number or a name, the same in every command", () => {
    const [file] = files.liars_dice;
    assert.equal(replay("show", "--seat", "solved.2", file).stdout, replay("show", "--seat", "2", file).stdout);
    assert.equal(replay("export", "--seat", "solved.2", file).stdout, replay("export", "--seat", "2", file).stdout);
    const { seats } = JSON.parse(replay("analyse", "--json", "--work", "1", "--no-luck", "--seat", "solved.2", file).stdout);
    assert.deepEqual(seats.map(({ name, weighed }) => [name, weighed]), [0, 1, 2, 3].map((seat) => [`solved.${seat}`, seat === 2]));
});

test("what cannot be imported is told apart", () => {
    writeFileSync(at("prose"), "Once upon a time\n");
    for (const [file, says] of [[some, /it is a replay already/], [at("prose"), /it is neither a Tetris step log \(AGT1\) nor a poker hand \(PHH\)/]]) {
        const { status, stderr } = replay("import", file);
        assert.equal(status, 1);
        assert.match(stderr, says);
    }
});

test("what is no replay is refused with status 1", () => {
    for (const bytes of [Buffer.from(""), Buffer.from("hello"), Buffer.from("AGON"), Buffer.from("AGON\x02"), readFileSync(some).subarray(0, 40)]) {
        writeFileSync(at("none"), bytes);
        for (const command of ["show", "info", "export", "verify"]) assert.equal(replay(command, at("none")).status, 1, command);
    }
});

test("a wrong key is told from a right one", () => {
    const key = JSON.parse(replay("export", some).stdout).key;
    assert.equal(replay("verify", "--key", key, some).status, 0);
    const { status, stdout } = replay("verify", "--key", key.replace(/^./, (digit) => (digit === "0" ? "1" : "0")), some);
    assert.equal(status, 1);
    assert.match(stdout, /the key given does not match the commitment/);
});

// util-linux's script gives the program a terminal.
test("on a terminal the keys step, play and quit, and the terminal is given back", (t) => {
    if (spawnSync("script", ["--version"]).error) return t.skip("no script(1)");
    const { stdout, status } = spawnSync("script", ["-qec", `"${program}" replay show "${some}"`, "/dev/null"], {
        input: " nnp+g2\rvvaq", encoding: "utf8", timeout: 600000 });
    assert.equal(status, 0);
    assert.match(stdout, /\x1b\[\?1049h/);
    assert.match(stdout, /step 1 of \d+/);
    assert.match(stdout, /go to step: 2_/);
    assert.match(stdout, /step 2 of \d+/);
    assert.match(stdout, /viewer: gallery|viewer: (?!all)/);
    assert.ok(stdout.trimEnd().endsWith("\x1b[?25h\x1b[?1049l"));
});
