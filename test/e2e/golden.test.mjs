// Recorded games of other programs, played again through the engine.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Engine, root, talk } from "./agon.mjs";

const golden = (name) => readFileSync(`${root}test/golden/${name}`, "utf8").split("\n").filter(Boolean);

// Tetris. The file speaks of boxes; the engine speaks of the leftmost column and topmost row that a piece fills.
const rotations = ["north", "east", "south", "west"];
const left = (kind, rotation) => ({ I: [0, 2, 0, 1], O: [1, 1, 1, 1] })[kind]?.[rotation] ?? [0, 1, 0, 0][rotation];
const top = (kind, rotation) => ({ I: [1, 0, 2, 0], O: [0, 0, 0, 0] })[kind]?.[rotation] ?? [0, 0, 1, 0][rotation];

const inputs = {
    moveLeft: { type: "move", direction: "left" },
    moveRight: { type: "move", direction: "right" },
    rotateCw: { type: "rotate", direction: "cw" },
    rotateCcw: { type: "rotate", direction: "ccw" },
    softDrop: { type: "soft_drop" },
    hardDrop: { type: "hard_drop" },
    hold: { type: "hold" },
    pause: { type: "pause" },
    restart: { type: "restart" },
};

function placement(text, view) {
    const [, x, rotation, hold] = text.split(":");
    const use_hold = hold === "true";
    const kind = use_hold ? (view.hold ?? view.next[0]) : view.active.kind;
    return { type: "place", x: Number(x) + left(kind, rotations.indexOf(rotation)), rotation, use_hold };
}

// The columns of a row that a view has, as the file writes them.
function columns({ active, ghost_y, piece_id, score, level, lines, timers }) {
    const turn = active && rotations.indexOf(active.rotation);
    return [
        active ? `${active.kind.toLowerCase()}${active.rotation}:${active.x - left(active.kind, turn)}:${active.y - top(active.kind, turn)}` : "none",
        active ? `g${ghost_y - top(active.kind, turn)}` : "g-",
        `pid${piece_id}`, `sc${score}`, `lv${level}`, `ln${lines}`,
        `d${timers.drop_ms}`, `l${timers.lock_ms}`, `c${timers.line_clear_ms}`,
    ];
}

test("engine tetris: all 1,800 rows of the recorded runs", async () => {
    const rows = golden("tetris_standard.tsv").slice(1).map((line) => line.split("\t"));
    assert.equal(rows.length, 1800);
    const e = new Engine("tetris");
    let running, view;
    for (const row of rows) {
        const [seed, step, action, hash] = row;
        const at = `seed ${seed} step ${step}`;
        if (seed !== running) {
            await e.must({ op: "start", seed: Number(seed), viewer: null });
            ({ view } = await e.must({ op: "view" }));
            running = seed;
        }
        if (action.startsWith("place")) {
            await e.must({ op: "apply", seat: 0, action: placement(action, view), viewer: null });
        } else if (action !== "-") {
            const answer = await e.ask({ op: "apply", seat: 0, action: inputs[action], viewer: null });
            // What the run ignores (a second hold, inputs in a pause) is refused here.
            assert.ok(answer.ok || ["illegal_action", "not_your_turn", "game_over"].includes(answer.error.code), at);
        }
        await e.must({ op: "tick", viewer: null });
        assert.equal((await e.must({ op: "hash" })).digests.compat, hash, at);
        ({ view } = await e.must({ op: "view" }));
        assert.deepEqual(columns(view), [4, 5, 6, 9, 10, 11, 12, 13, 14].map((column) => row[column]), at);
    }
    await e.close();
});

// Belote. Seats by name, cards and modes as the file writes them.
const seats = ["Bottom", "Left", "Top", "Right"];
const ranks = { Seven: "7", Eight: "8", Nine: "9", Ten: "T", Jack: "J", Queen: "Q", King: "K", Ace: "A" };
const card = (name) => {
    const [, rank, suit] = name.match(/^(\w+)(Clubs|Diamonds|Hearts|Spades)$/);
    return ranks[rank] + suit[0].toLowerCase();
};
const bids = { Announcement: "announce", Accept: "accept", Double: "double", Redouble: "redouble" };
const bid = ({ type, mode, targetMode }) => (mode ?? targetMode ? { type: bids[type], mode: mode ?? targetMode } : { type: bids[type] });
const play = (name) => ({ type: "play_card", card: card(name) });
const team = (name) => Number(name.slice(-1));

// Requests of one deal, each with what its answer must hold.
function dealSteps(deal) {
    const dealer = seats.indexOf(deal.dealer);
    const steps = [[{ op: "start", names: seats, rules: { dealer, deck: deal.deck.map(card) } }, {}]];
    const act = (seat, choices, action) => {
        if (choices) steps.push([{ op: "choices" }, { seat, choices }]);
        steps.push([{ op: "apply", seat, action }, {}]);
    };
    act(undefined, null, { type: "cut", position: deal.cut, from_top: deal.fromTop });
    for (const { player, valid, chosen } of deal.negotiation) act(player, valid.map(bid), bid(valid[chosen]));
    steps.push([{ op: "view" }, { contract: { mode: deal.mode, team: team(deal.announcer), multiplier: deal.multiplier } }]);
    for (const { player, valid, card: played } of deal.plays) act(player, valid.map(play), play(played));
    steps.push([{ op: "view" }, { after: deal.after, result: deal.result }]);
    return steps;
}

const multipliers = { Normal: 1, Doubled: 2, Redoubled: 4 };

function checkResult(view, turn, result, after, at) {
    assert.deepEqual(view.last_deal, {
        mode: result.gameMode,
        team: team(result.announcerTeam),
        multiplier: multipliers[result.multiplier],
        card_points: [result.team1CardPoints, result.team2CardPoints],
        points: [result.team1MatchPoints, result.team2MatchPoints],
        sweep: result.wasSweep ? team(result.sweepingTeam) : null,
        instant_win: result.isInstantWin,
    }, at);
    assert.deepEqual(view.match_points, [after.team1MatchPoints, after.team2MatchPoints], at);
    assert.equal(view.target, after.targetScore, at);
    assert.equal(turn.kind === "over", after.isComplete, at);
    if (!after.isComplete) assert.equal(view.dealer, after.currentDealer, at);
}

test("engine belote: 250 recorded deals, list by list and point by point", () => {
    const deals = golden("belote_deals.jsonl").map((line) => JSON.parse(line));
    assert.equal(deals.length, 250);
    const steps = deals.flatMap((deal) => dealSteps(deal).map((step) => [...step, `deal ${deal.id}`]));
    const { answers } = talk("belote", steps.map(([request]) => request));
    assert.equal(answers.length, steps.length);
    let lists = 0;
    steps.forEach(([request, wanted, deal], i) => {
        const answer = answers[i], at = `${deal}, ${JSON.stringify(request)}`;
        assert.ok(answer.ok, `${at}: ${answer.error?.message}`);
        if (wanted.choices) {
            lists++;
            assert.deepEqual([answer.seat, answer.choices], [wanted.seat, wanted.choices], at);
        }
        if (wanted.contract) assert.deepEqual(answer.view.contract, wanted.contract, at);
        if (wanted.after) checkResult(answer.view, answer.turn, wanted.result, wanted.after, at);
    });
    assert.equal(lists, 1870 + 8000);
});
