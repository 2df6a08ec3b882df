// What players of poker expect of Hold'em: cash matches, and hands in the forms of others.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { root, run, talk } from "./agon.mjs";
import { Agent, Arena, play } from "./lib/arena.mjs";
import { scratch } from "./lib/scratch.mjs";

const folder = scratch("agon-poker-");
after(() => rmSync(folder, { recursive: true }));

test("a cash match in the arena", async () => { // N12.2, N12.6
    const arena = await Arena.start(["--house-wait", "100", "--fill-wait", "50", "--message-rate", "1000", "--message-burst", "1000", "--rules", 'texas_holdem={"format":"cash","max_hands":3}']);
    const agent = await Agent.connect(arena, await arena.register("Wire", { auto_confirm: true }));
    agent.join("texas_holdem", { one_shot: true });
    const start = await agent.next("game_start");
    assert.deepEqual([start.data.config.format, start.data.config.blinds_double_at], ["cash", 0]);
    const first = await agent.next("action_request");
    assert.ok(Number.isInteger(first.data.state.your_net));
    agent.act(first, { type: first.data.legal_actions[0].type }); // fold, or check
    const [over] = await play(agent); // every frame is as the schemas have it
    assert.equal(Object.values(over.data.result.payoffs).reduce((sum, n) => sum + n, 0), 0);
    await agent.close();
    await arena.stop();
});

test("a single hand is a cash match", () => { // N12.7
    const args = ["match", "texas_holdem", "--seat", "house:rules", "--seat", "house:random", "--unit", "deal", "--games", "20", "--seed", "1", "--csv"];
    const [head, ...rows] = run(args).stdout.trim().split("\n").map((line) => line.split(","));
    const at = (name) => head.indexOf(name);
    for (const row of rows) assert.equal(Number(row[at("payoff_0")]) + Number(row[at("payoff_1")]), 0);
    assert.ok(rows.some((row) => Number(row[at("payoff_0")]) < 0));
});

test("cash matches over the engine's wire", () => { // N12.2
    const [, view, prose, ...rest] = talk("texas_holdem", [{ op: "start", seed: 1, seats: 2, rules: { format: "cash", max_hands: 2 } }, { op: "view", viewer: 0 }, { op: "prose", what: "rules" }, ...Array(2).fill({ op: "act", seat: 0, action: { type: "fold" } })]).answers;
    assert.match(JSON.stringify(view), /"net":0/);
    assert.match(JSON.stringify(prose), /Every hand begins with these stacks anew/);
    assert.doesNotMatch(JSON.stringify(prose), /doubled/);
    assert.ok(rest.length === 2);
});
