// config.queue: agents of Game-RL in the arena's queues, beside everybody else's (G1.9, F3.20, F3.21).
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test } from "node:test";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { Agent, Arena, choose, play } from "./lib/arena.mjs";
import { Player, serveBot, stopBots } from "./lib/queue.mjs";
import { scratch } from "./lib/scratch.mjs";
import { within } from "./lib/wait.mjs";

const TOKEN = "operator-token";
after(stopBots);

const open = (more = []) => Arena.start(["--house-wait", "100", "--fill-wait", "50", ...more]);

async function refused(promise, code, data) {
    const e = await promise.then(() => assert.fail("it was not refused"), (e) => e);
    assert.equal(e.code, code, e.message);
    for (const [key, value] of Object.entries(data)) assert.deepEqual(e.data[key], value, JSON.stringify(e.data));
}

const total = (steps) => steps.reduce((sum, s) => sum + s.reward, 0);

for (const game of ["coup", "liars_dice", "texas_holdem", "belote"])
    test(`from the queue to the end of a match against house bots: ${game}`, async () => {
        const arena = await open();
        const me = await arena.register("Mind");
        const p = await Player.connect(arena);
        const changed = [];
        p.client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => changed.push(n.params.uri));
        await p.client.subscribeResource({ uri: "game://agents" });
        const answer = await p.enter({ game }, { api_key: me.key, avatar_id: "seat_3" });
        assert.equal(answer.status, "registered");
        assert.equal(answer.avatar.id, "queued");
        assert.equal(answer.clock, "live");
        const manifest = await p.resource("game://manifest");
        assert.equal(manifest.agon.game, game);
        assert.deepEqual(answer.action_space, manifest.default_action_space);
        const agent = await p.active();
        assert.equal(agent.status, "active");
        assert.match(agent.avatar_id, /^seat_\d$/);
        assert.equal((await p.agents()).length, 1);
        const steps = await p.play();
        const [first, last] = [steps[0], steps.at(-1)];
        assert.equal(first.observation.scenario, "arena");
        assert.equal(first.observation.seat, agent.avatar_id);
        assert.ok(steps.flatMap((s) => s.events).some((e) => e.type === "episode_started" && e.details.scenario === "arena"));
        assert.ok(["success", "failure", "timeout"].includes(last.termination_reason), JSON.stringify(last).slice(0, 400));
        assert.ok(Number.isFinite(total(steps)));
        assert.ok(changed.filter((uri) => uri === "game://agents").length >= 1, "subscribers of game://agents are told");
        assert.equal((await p.agents())[0].status, "terminal");
        await refused(p.step({ type: "wait" }), -32002, { name: "EpisodeTerminated" });
        // What the arena says of it.
        const [match] = (await arena.call("GET", `/api/matches?game=${game}`)).body.matches;
        assert.ok(JSON.stringify(match).includes("Mind"), JSON.stringify(match));
        assert.equal(match.mode, "ranked");
        await p.close();
        await arena.stop();
    });

test("what is refused, and in which words", async () => {
    const arena = await open(["--house-bots", "0", "--admin-token", TOKEN]);
    const me = await arena.register("Mind"), key = { api_key: me.key };
    const p = await Player.connect(arena);
    const bad = (queue, config, data, more) => refused(p.enter(queue, config, more), -32602, { name: "InvalidParams", ...data });
    await bad({ game: "chess" }, key, { reason: "unknown game chess" });
    await bad({ game: "tetris" }, key, { reason: "unknown game tetris" });
    await bad({ game: "coup", mode: "tournament" }, key, { reason: "unknown mode tournament" });
    await bad({ game: "coup", mode: "Mixed Case" }, {}, { reason: "unknown mode Mixed Case" });
    await bad({ game: "coup" }, { api_key: "agk_no" }, { path: "/config/api_key", reason: "unknown api_key" });
    await bad({ game: "coup" }, { api_key: "" }, { path: "/config/api_key" });
    await bad({ game: "coup", mode: "ranked" }, {}, { reason: "guests may join unrated modes only; give config.api_key" });
    await bad({ game: "coup" }, { ...key, clock_mode: "training" }, { path: "/config/clock_mode" });
    await bad({ game: "coup" }, { ...key, observation_keys: ["tricks"] }, { path: "/config/observation_keys" });
    await bad({ mode: "ranked" }, key, { path: "/config/queue/game" });
    await bad({ game: "coup" }, key, { path: "/agent_type" }, { agent_type: "GameMaster" });
    assert.deepEqual(await p.agents(), [], "a refused call changes nothing");
    assert.equal((await p.resource("game://manifest")).agon.game, "tetris");

    await p.enter({ game: "coup" }, key);
    const idle = await p.observe();
    assert.equal(idle.observation.phase, "idle");
    assert.equal(idle.observation.game, "coup");
    assert.equal(idle.observation.scenario, "arena");
    assert.equal(idle.observation.your_turn, false);
    assert.equal((await p.agents())[0].avatar_id, "queued");
    assert.equal((await arena.call("GET", "/api/health")).body.agents_online, 1);
    await refused(p.step({ type: "wait" }), -32002, { name: "NotActive", state: "registered" });
    await refused(p.call("reset"), -32001, { reason: "capability" });
    await refused(p.call("reset", { agent_id: p.id, scope: "agent" }), -32001, { reason: "capability" });
    await refused(p.call("send_message", { from_agent: p.id, content: { text: "hi" } }), -32001, { reason: "talk" });
    assert.equal((await p.enter({ game: "coup" }, key)).avatar.id, "queued"); // G10.4
    for (const config of [{}, { queue: { game: "coup" } }])
        await refused(p.call("register_agent", { agent_id: "second", agent_type: "EntityBehavior", config }), -32602, { reason: "only_agent" });
    await refused(p.call("register_agent", { agent_id: "boss", agent_type: "GameMaster" }), -32602, {});

    // Out of the queue, the connection has its old table again.
    await p.call("deregister_agent", { agent_id: p.id });
    assert.equal((await arena.call("GET", "/api/health")).body.agents_online, 0);
    assert.equal((await p.resource("game://manifest")).agon.game, "tetris");
    await p.call("register_agent", { agent_id: "home", agent_type: "EntityBehavior" });
    await refused(p.enter({ game: "coup" }, key), -32602, { reason: "only_agent" });
    assert.equal((await p.call("reset", { agent_id: "home", seed: 1 })).observation.game, "tetris");
    await p.call("deregister_agent", { agent_id: "home" });

    await arena.call("POST", "/api/admin/drain", { headers: { "x-agon-admin": TOKEN } });
    await bad({ game: "coup" }, key, { reason: "matchmaking gate denied: maintenance" });
    await bad({ game: "coup" }, {}, { reason: "matchmaking gate denied: maintenance" });
    await p.close();
    await arena.stop();
});

test("without an arena there is no queue", async () => {
    const { sdk } = await import("./lib/mcp.mjs");
    const client = await sdk(["--game", "coup"]);
    const call = client.callTool({ name: "register_agent", arguments: { agent_id: "a", agent_type: "EntityBehavior", config: { queue: { game: "coup" } } } });
    await refused(call, -32602, { path: "/config/queue" });
    await client.close();
});

test("two guests play a friendly match with each other", async () => {
    const arena = await open(["--house-bots", "0"]);
    const players = await Promise.all(["one", "two"].map((id) => Player.connect(arena, id)));
    for (const p of players) assert.equal((await p.enter({ game: "liars_dice" })).status, "registered");
    await Promise.all(players.map((p) => p.active()));
    const ends = (await Promise.all(players.map((p) => p.play()))).map((steps) => steps.at(-1));
    assert.deepEqual(ends.map((e) => e.termination_reason).sort(), ["failure", "success"]);
    const [match] = (await arena.call("GET", "/api/matches?game=liars_dice")).body.matches;
    assert.equal(match.mode, "friendly");
    assert.match(JSON.stringify(match), /Guest \d{10}/);
    for (const p of players) await p.close();
    await arena.stop();
});

test("a seat keeps its clock while its agent is away, and the key takes it back", async () => {
    const arena = await open();
    const me = await arena.register("Mind");
    const first = await Player.connect(arena);
    await first.enter({ game: "belote" }, { api_key: me.key });
    const { avatar_id } = await first.active();
    let step = await first.observe();
    while (!step.observation.your_turn) step = await first.step({ type: "wait" }, 600);
    step = await first.step(step.available_actions[0]);
    await first.close();
    const second = await Player.connect(arena, "again");
    await refused(second.enter({ game: "coup" }, { api_key: me.key }), -32602, { reason: "matchmaking gate denied: concurrent match limit reached" });
    await second.enter({ game: "belote" }, { api_key: me.key });
    const agent = await second.active();
    assert.equal(agent.avatar_id, avatar_id);
    step = await second.observe();
    assert.equal(step.reward, 0);
    assert.ok(step.observation.turn > 0);
    // A third connection takes over from the second, which is told that its episode has ended.
    const third = await Player.connect(arena, "third");
    await third.enter({ game: "belote" }, { api_key: me.key });
    assert.equal((await third.active()).avatar_id, avatar_id);
    const lost = await second.step({ type: "wait" }, 10);
    assert.equal(lost.termination_reason, "external");
    const steps = await third.play();
    assert.ok(["success", "failure"].includes(steps.at(-1).termination_reason));
    const [match] = (await arena.call("GET", "/api/matches?game=belote")).body.matches;
    assert.equal(match.forfeit_reason ?? null, null);
    // To play again, deregister and register.
    await third.call("deregister_agent", { agent_id: third.id });
    await third.enter({ game: "coup" }, { api_key: me.key });
    assert.equal((await third.active()).status, "active");
    for (const p of [second, third]) await p.close();
    await arena.stop();
});

test("the guide of a queue tells the rules of the server", async () => { // G6.2
    const arena = await open(["--rules", 'belote={"target":70}']), me = await Player.connect(arena);
    const { guide } = await me.enter({ game: "belote" }, { guide: true });
    assert.match(guide, /first team with 70 match points wins/);
    assert.doesNotMatch(guide, /150/);
    await me.close();
    await arena.stop();
});

for (const signal of ["SIGKILL", "SIGTERM"])
    test(`a seat goes on after the server was restarted: ${signal}`, async () => { // F8.5
        const options = ["--house-bots", "0", "--fill-wait", "50", "--table-max", "2", "--message-rate", "1000", "--message-burst", "1000"];
        const data = scratch("arena-");
        let arena = await Arena.start(options, { data });
        const mind = await arena.register("Mind"), wire = await arena.register("Wire", { auto_confirm: true });
        const client = await Agent.connect(arena, wire, { instance: "i" });
        client.join("liars_dice", { one_shot: true });
        const first = await Player.connect(arena);
        await first.enter({ game: "liars_dice" }, { api_key: mind.key });
        const { avatar_id } = await first.active();
        // Some bids of both, the last of them of the agent that will be away: it is on disk when it is answered.
        let step = await first.observe(), bids = 0;
        const answering = (async () => {
            for (;;) {
                const ask = await client.next("action_request");
                client.act(ask, choose("liars_dice", ask.data));
            }
        })().catch(() => {});
        while (bids < 2) {
            const bid = step.available_actions.find((a) => a.type === "bid");
            if (bid) bids++;
            step = await (bid ? first.step(bid) : first.step({ type: "wait" }, 600));
        }
        const before = step.observation;
        if (signal === "SIGKILL") {
            arena.process.kill(signal);
            await arena.exited;
        } else {
            await arena.stop(signal);
        }
        await answering;
        await first.client.close().catch(() => {});

        arena = await Arena.start(options, { data });
        const second = await Player.connect(arena, "again");
        await second.enter({ game: "liars_dice" }, { api_key: mind.key });
        assert.equal((await second.active()).avatar_id, avatar_id); // the same seat
        step = await second.observe();
        assert.deepEqual(step.observation.dice, before.dice); // and what it held there
        const back = await Agent.connect(arena, wire, { instance: "i", memory: client.memory, sameProcess: true });
        const [[over], steps] = await Promise.all([play(back), second.play()]);
        assert.equal(over.data.forfeit_reason, undefined);
        const pid = `p${avatar_id.at(-1)}`;
        assert.equal(steps.at(-1).termination_reason, over.data.result.winner === pid ? "success" : "failure");
        const [match] = (await arena.call("GET", "/api/matches?game=liars_dice")).body.matches;
        assert.ok(JSON.stringify(match).includes("Mind"));
        await second.close();
        await back.close();
        await arena.stop();
        rmSync(data, { recursive: true, force: true });
    });

test("whoever lets its clock run out twice has forfeited", async () => {
    const arena = await open(["--turn-timeout", "1000"]);
    const me = await arena.register("Slow");
    const p = await Player.connect(arena);
    await p.enter({ game: "texas_holdem" }, { api_key: me.key });
    await p.active();
    let step = await p.observe(), seen = null;
    while (!step.done) {
        if (step.observation.your_turn) seen = step.observation.turn_ticks_left;
        step = await p.step({ type: "wait" }, 5);
    }
    assert.ok(seen !== null && seen <= 10, `${seen}`);
    assert.equal(step.termination_reason, "failure");
    const { body } = await arena.call("GET", "/api/matches?game=texas_holdem");
    assert.equal(body.matches.length, 1);
    await p.close();
    await arena.stop();
});

test("a WebSocket agent, an MCP agent, an HTTP bot and a house bot at one belote table", async () => { // F3.21
    const arena = await Arena.start(["--admin-token", TOKEN, "--house-wait", "1500", "--fill-wait", "50", "--standby-sweep", "100", "--health-every", "100"]);
    const bot = await arena.call("POST", "/api/admin/agents", {
        headers: { "x-agon-admin": TOKEN, "x-aifight-capabilities": "belote" },
        body: { name: "Remote", bot_url: await serveBot("belote"), games: ["belote"] },
    });
    assert.equal(bot.status, 201, JSON.stringify(bot.body));
    await within(20000, (async () => {
        while ((await arena.call("GET", "/api/health")).body.agents_online < 1);
    })(), "remote bot online");
    const wire = await Agent.connect(arena, await arena.register("Wire", { auto_confirm: true }), { capabilities: "match_feed,belote" });
    const mind = await arena.register("Mind"); // confirms by hand elsewhere, by itself here (F3.13)
    const p = await Player.connect(arena);
    wire.join("belote", { one_shot: true });
    await p.enter({ game: "belote" }, { api_key: mind.key });
    const heard = [];
    const [[over], steps] = await Promise.all([play(wire), p.active().then(async () => {
        heard.push(await p.agents(), await p.resource("game://world"));
        return p.play();
    })]);
    const players = over.data.players.map((player) => player.agent_name);
    assert.equal(players.length, 4);
    for (const name of ["Wire", "Mind", "Remote"]) assert.ok(players.includes(name), players.join());
    assert.ok(players.some((name) => name.startsWith("House")), players.join());
    assert.equal(over.data.forfeit_reason, undefined);
    assert.ok(["success", "failure"].includes(steps.at(-1).termination_reason));
    // F3.20: nobody could tell before the end.
    const before = JSON.stringify([wire.frames.filter((f) => f.type !== "game_over" && f.type !== "welcome"), steps.slice(0, -1), heard]);
    for (const name of ["Mind", "Remote", "House", bot.body.agent.id, mind.id]) assert.ok(!before.includes(name), name);
    assert.equal(heard[0].length, 1);
    await p.close();
    await wire.close();
    await arena.stop();
});
