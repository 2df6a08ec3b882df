// The player profile (M52-M61): four tools of text, within their budgets of tokens, for every game.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Raw, fetchRaw, json, sdkHttp, server } from "./lib/mcp.mjs";
import { scratch } from "./lib/scratch.mjs";
import { Player, games, listTokens, playRandom, tokens } from "./lib/player.mjs";

// M60
const budget = { list: 600, join: 700, belote: 900, step: 400, last: 250, refusal: 80 };

describe("agon mcp --tools player", { concurrency: 2 }, () => {
    test("the list is short and describes every argument (M52, M60)", async () => {
        for (const args of [[], ["--game", "coup"]]) {
            const player = await Player.start(args);
            const { tools } = (await player.raw.ask("tools/list", {})).result;
            assert.deepEqual(tools.map((t) => t.name), ["join", "act", "look", "leave"]);
            for (const tool of tools) {
                assert.equal(tool.outputSchema, undefined);
                assert.equal(tool.annotations.readOnlyHint, tool.name === "look");
                for (const [name, argument] of Object.entries(tool.inputSchema.properties))
                    assert.ok(argument.description, `${tool.name} ${name}`);
            }
            assert.deepEqual(tools[0].inputSchema.properties.game.enum.length, args.length ? 1 : games.length);
            assert.ok(listTokens(tools) < budget.list, `${listTokens(tools)} tokens`);
            await player.close();
        }
    });

    for (const game of games)
        test(`${game}: every listed move is taken, and no answer is long (M55, M60)`, { timeout: 600000 }, async () => {
            const player = await Player.start();
            let ended = 0;
            for (let seed = 1; seed <= (game === "tetris" || game === "belote" ? 2 : 5); seed++) {
                const counts = await playRandom(player, game, seed, 120);
                assert.ok(counts.join <= (budget[game] ?? budget.join), `join: ${counts.join}`);
                assert.ok(Math.max(0, ...counts.steps) < budget.step, `step: ${Math.max(...counts.steps)}`);
                assert.ok(counts.last < budget.last, `last: ${counts.last}`);
                assert.ok(counts.refusal <= budget.refusal + (game === "tetris" ? 20 : 0), `refusal: ${counts.refusal}`);
                ended += counts.last > 0;
            }
            assert.ok(ended > 0 || game === "belote", "some match came to its end");
            await player.close();
        });

    test("what happened since the last answer is all told (M55)", async () => {
        const player = await Player.start(["--game", "texas_holdem"]);
        await player.join({ seed: 5 });
        const step = await player.act("fold");
        assert.match(step.text, /^You fold; seat_1 .*seat_\d wins \d+; hand 2, seat_1 has the button; seat_2 posts 100/);
        assert.equal(step.structuredContent, undefined);
        assert.deepEqual(Object.keys(step._meta["agon/step"]), ["your_turn", "done", "truncated", "reward", "tick", "step_id"]);
        await player.close();
    });

    test("refusals change nothing and say what is legal (M57)", async () => {
        const player = await Player.start();
        for (const [args, text] of [
            [{ game: "poker" }, 'Not done: there is no game "poker". Games: tetris, texas_holdem, liars_dice, coup, belote, kuhn_poker, leduc_poker.'],
            [{}, "Not done: name a game. Games: tetris, texas_holdem, liars_dice, coup, belote, kuhn_poker, leduc_poker."],
            [{ game: "coup", scenario: "six" }, 'Not done: coup has no scenario "six". Scenarios: players_4, players_2, players_3, players_5, players_6, rich.'],
        ]) {
            const refused = await player.call("join", args);
            assert.equal(refused.isError, true);
            assert.equal(refused.text, text);
        }
        await player.join({ game: "coup", seed: 5 });
        const legal = " Your move: income | foreign_aid | tax | steal (seat_1, seat_2, seat_3) | exchange";
        for (const [move, why] of [
            ["coup seat_1", "coup costs 7 coins and you have 2."],
            ["steal", 'steal needs a target, such as "steal seat_1".'],
            ["challenge", "there is no claim to challenge."],
            ["income!", 'there is no move "income!"; did you mean "income"?.'],
        ]) {
            const refused = await player.act(move);
            assert.equal(refused.isError, true);
            assert.equal(refused.text, `Not done: ${why}${legal}`);
        }
        assert.match((await player.act({ type: "income" })).text, /^You take income/);
        const gone = await player.call("act", { seat: "00000000000000000000", move: "income" });
        assert.match(gone.text, /^Not done: this seat handle is unknown or has expired/);
        await player.close();
    });

    test("a seat need not be named when there is one, arguments that are none are named (M53, M54)", async () => {
        const player = await Player.start(["--game", "coup"]);
        await player.join({ seed: 5 });
        const step = await player.call("act", { move: "Income.", reason: "cheap" });
        assert.match(step.text, /^Ignored, no such argument: "reason"\nYou take income/);
        const first = player.seat;
        await player.join({ seed: 6 });
        assert.notEqual(player.seat, first);
        assert.match((await player.call("act", { move: "income" })).text, /^Not done: pass the seat handle/);
        assert.match((await player.call("look", { seat: first })).text, /^Turn /);
        await player.close();
    });

    test("the picture is an image, the rules are there again, the end says so (M55, M56)", async () => {
        const player = await Player.start();
        await player.join({ game: "kuhn_poker", seed: 5 });
        const { content } = await player.call("look", { seat: player.seat, show: "image" });
        assert.equal(content[1].mimeType, "image/png");
        const png = Buffer.from(content[1].data, "base64");
        assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
        assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [640, 480]);
        assert.match((await player.call("look", { seat: player.seat, show: "rules" })).text, /^Rules\. Kuhn poker/);
        let step = await player.act("bet");
        while (step._meta["agon/step"].your_turn) step = await player.act("call");
        assert.match(step.text, /The game is over: you (won|lost), place [12] of 2\. Call join with your seat to play again\.$/);
        assert.match((await player.act("bet")).text, /^Not done: this game is over \(you (won|lost)\)/);
        const again = await player.call("join", { seat: player.seat });
        assert.match(again.text, /^A new game for seat_0 at the Kuhn poker table with 2 players/);
        assert.equal((await player.call("leave", { seat: player.seat })).text, "You have left the table.");
        await player.close();
    });

    test("two players share a named table and wait for each other", async () => {
        const player = await Player.start(["--game", "kuhn_poker", "--bot-delay", "0"]);
        const one = await player.call("join", { table: "t" }), other = await player.call("join", { table: "t" });
        assert.match(one.text, /You sit at seat_0/);
        assert.match(other.text, /You sit at seat_1/);
        await player.close();
    });

    test("rules do not contradict themselves (M59), a reset of another game brings its guide", async () => {
        const raw = Raw.start([]);
        await raw.greet();
        await raw.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
        const { guide } = await raw.call("reset", { agent_id: "me", config: { scenario: "coup/players_4" } });
        assert.match(guide, /^# Coup\n/);
        assert.match(guide, /the first challenge or block clockwise from the claimant counts/);
        assert.doesNotMatch(guide, /first challenge or block to arrive/);
        const refused = await raw.call("reset", { agent_id: "me", config: { scenario: "coup/six" } });
        assert.match(refused.error.message, /coup\/players_4, coup\/players_2, .*, tetris\/\.\.\., /);
        raw.input.end();
        await raw.exit;
    });

    test("an address may choose the list (M40), a seat is known on every connection and in both eras (M53)", async () => {
        const host = await server(["mcp", "--headless-host", "--socket", join(scratch("agon-tools-"), "s"), "--http", "0", "--linger", "0"]);
        const { client } = await sdkHttp(`${host.http}?tools=player`);
        const joined = await client.callTool({ name: "join", arguments: { game: "coup", seed: 5 } });
        const seat = joined.content[0].text.match(/handle is (\S+)\./)[1];
        const p = "io.modelcontextprotocol/";
        const answer = await fetchRaw(`${host.http}?tools=player`, {
            headers: { ...json, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "act" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "act", arguments: { seat, move: "income" },
                _meta: { [`${p}protocolVersion`]: "2026-07-28", [`${p}clientCapabilities`]: {} } } }),
        });
        const { result } = JSON.parse(answer.text);
        assert.match(result.content[0].text, /^You take income/);
        assert.equal(result._meta[`${p}serverInfo`].name, "agon-player");
        assert.equal(result._meta["agon/step"].done, false);
        host.child.kill();
        await host.exit;
    });

    test("the tokens of a text are counted as models count them", () => {
        assert.equal(tokens("Your move: fold | call 200"), 8);
    });
});
