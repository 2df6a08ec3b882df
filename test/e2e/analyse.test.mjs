// agon replay analyse on the command line (N20).
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { run } from "./agon.mjs";

const folder = mkdtempSync(join(tmpdir(), "agon-analyse-"));
after(() => rmSync(folder, { recursive: true }));
const analyse = (...args) => run(["replay", "analyse", ...args]);

function play(game, one, two, games, ...more) {
    const to = join(folder, `${game}-${one}`);
    const done = run(["match", game, "--seat", `house:${one}`, "--seat", `house:${two}`, "--games", `${games}`, "--seed", "5", "--replays", to, ...more]);
    assert.ok(done.status === 0 || done.status === 1, done.stderr);
    return to;
}

const kuhn = play("kuhn_poker", "solved", "random", 24, "--rules", '{"max_hands":5}');
const dice = play("liars_dice", "rules", "novice", 2);

test("a match: each decision beside the house's, and sums that add up", () => {
    const { status, stdout, stderr } = analyse("--json", "--work", "20", join(dice, "000000.agon"));
    assert.equal(status, 0, stderr);
    const a = JSON.parse(stdout);
    assert.equal(a.game, "liars_dice");
    assert.equal(a.reference, "solved");
    assert.equal(a.unit, "winning chance");
    assert.equal(a.seats.length, 2);
    for (const [s, seat] of a.seats.entries()) {
        const own = a.decisions.filter((d) => d.seat === s);
        assert.equal(own.length, seat.choices);
        assert.ok(Math.abs(own.reduce((sum, d) => sum + d.loss, 0) + seat.own) < 1e-4);
        assert.ok(Math.abs(seat.result - seat.own - seat.others - seat.luck - seat.rest) < 1e-5);
        assert.equal(own.filter((d) => d.mistake).length, seat.mistakes);
        for (const step of seat.worst) assert.match(own.find((d) => d.step === step).words, /^It held [1-6]/);
        // The last time words are told with twice the work (N20.4).
        for (const d of own) assert.equal(d.worlds, seat.worst.includes(d.step) || d.words ? 40 : 20, `step ${d.step}`);
    }
});

test("text fits 80 columns, and is the same with any number of threads", () => {
    const file = join(dice, "000001.agon");
    const out = join(folder, "out.txt");
    const { status, stdout } = analyse("--work", "10", "--threads", "1", file);
    assert.equal(status, 0);
    for (const line of stdout.split("\n")) assert.ok([...line].length <= 80 || line.includes(folder), line);
    assert.match(stdout, /Reference: house:solved/);
    assert.match(stdout.replaceAll("\n", " "), /Result = own choices \+ others' choices \+ luck \+ rest/);
    assert.equal(analyse("--work", "10", "--threads", "3", "-o", out, file).status, 0);
    assert.equal(readFileSync(out, "utf8"), stdout);
});

test("one seat alone", () => {
    const a = JSON.parse(analyse("--json", "--work", "4", "--no-luck", "--seat", "novice", join(dice, "000000.agon")).stdout);
    const seat = a.seats.findIndex((s) => s.name === "novice");
    assert.ok(a.decisions.length > 0 && a.decisions.every((d) => d.seat === seat));
    assert.equal(a.seats[seat].luck, null);
});

// N20.7: luck of a mirrored set is nothing where it is exact, and the solved player makes no mistakes.
test("a contest: swings by set, and where the players differ", () => {
    const { status, stdout, stderr } = analyse("--json", kuhn);
    assert.equal(status, 0, stderr);
    const c = JSON.parse(stdout);
    assert.equal(c.games, 24);
    assert.equal(c.sets.length, 12);
    for (const set of c.sets) {
        assert.equal(set.games, 2);
        assert.ok(Math.abs(set.luck) < 1e-6);
        assert.ok(Math.abs(set.result - set.skill - set.luck - set.rest) < 1e-5);
    }
    assert.ok(c.sets.every((set, i) => !i || Math.abs(c.sets[i - 1].skill) >= Math.abs(set.skill)));
    const of = (name) => c.differences.find((d) => d.player === name);
    assert.equal(of("solved").own_loss, 0);
    assert.ok(of("solved").other_loss > 0.1);
    assert.equal(of("random").other_loss, 0);
    assert.ok(of("random").own_loss > 0.05);
    assert.ok(c.skill.mean > 0);
    assert.match(analyse(kuhn).stdout, /Kuhn poker: 24 games in 12 sets, solved against random/);
});

test("a contest does not tell luck that it did not look for, nor the error of one set", () => {
    const pair = ["000000.agon", "000001.agon"].map((name) => join(kuhn, name));
    const { luck, sets } = JSON.parse(analyse("--json", "--no-luck", kuhn).stdout);
    assert.equal(luck, null);
    assert.ok(sets.every((set) => set.luck === null));
    assert.match(analyse("--no-luck", ...pair).stdout, /2 games in 1 set, [^]*\n {2}luck +not told\n/);
    assert.match(analyse(...pair).stdout, /\n {2}result +[+-][0-9.]+\n {2}skill +[+-][0-9.]+\n/);
});

test("what is wrong is told", () => {
    const file = join(dice, "000000.agon");
    for (const [args, words] of [
        [[], /which FILE/],
        [[join(folder, "none.agon")], /cannot read it/],
        [["--bot", "nobody", file], /--bot: no bot 'nobody' plays liars_dice; known: solved, .*and house:1 to house:5/],
        [["--bot", "house:5@5ms", file], /cannot have a clock/],
        [["--seat", "7", file], /no seat '7'; give 0 to 1/],
        [["--work", "0", file], /--work/],
        [["--seat", "0", kuhn], /--seat is for one file/],
        [[kuhn, file], /give matches of one game/],
    ]) {
        const { status, stderr } = analyse(...args);
        assert.equal(status, 2, args.join(" "));
        assert.match(stderr, words);
    }
});
