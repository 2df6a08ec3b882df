// Tables of any kind: agents over WebSocket, remote HTTP bots and house bots in one match (F3.20, F3.21).
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Agent, agon, Arena, play } from "./lib/arena.mjs";
import { spawn } from "./lib/children.mjs";
import { BotSeat } from "./lib/seats.mjs";
import { within } from "./lib/wait.mjs";

const TOKEN = "operator-token";
const started = [];
after(() => started.forEach((child) => child.kill("SIGKILL")));

// A bot server of ours; its address.
function serveBot(game, bot = "rules") {
    const child = spawn(agon, ["bot", game, "--bot", bot, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    let said = "";
    const heard = new Promise((resolve) => {
        const hear = (bytes) => {
            const found = (said += bytes).match(/http:\/\/[0-9.:]+/);
            if (found) resolve({ address: found[0], child });
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
    });
    return within(20000, heard, "address of the bot");
}

const openArena = (more = []) =>
    Arena.start(["--admin-token", TOKEN, "--house-wait", "5000", "--fill-wait", "50", "--standby-sweep", "100", "--health-every", "100", "--message-rate", "1000", "--message-burst", "1000", ...more]);

async function addBot(arena, name, address, games) {
    const { status, body } = await arena.call("POST", "/api/admin/agents", {
        headers: { "x-agon-admin": TOKEN, "x-aifight-capabilities": "belote" },
        body: { name, bot_url: address, games },
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.agent;
}

async function online(arena, count) {
    for (;;) if ((await arena.call("GET", "/api/health")).body.agents_online >= count) return;
}

async function idle(bot) {
    for (;;) {
        const health = await (await fetch(`${bot.address}/health`)).json();
        if (health.sessions === 0) return health;
    }
}

for (const game of ["belote", "coup", "liars_dice", "texas_holdem"])
    test(`a remote bot and house bots sit down with an agent: ${game}`, async () => {
        const arena = await openArena();
        const bot = await serveBot(game);
        const remote = await addBot(arena, "Remote", bot.address, [game]);
        await within(20000, online(arena, 1), "remote bot online");
        const agent = await Agent.connect(arena, await arena.register("Wire", { auto_confirm: true }), { capabilities: "match_feed,belote" });
        agent.join(game, { one_shot: true });
        const [over] = await play(agent);
        const names = over.data.players.map((player) => player.agent_name);
        assert.ok(over.data.players.some((player) => player.agent_id === remote.id), names.join());
        assert.ok(names.includes("Wire"));
        if (game === "belote") assert.equal(names.length, 4);
        assert.equal(over.data.forfeit_reason, undefined);
        assert.ok((await within(20000, idle(bot), "every session was deleted")).created > 0);
        await agent.close();
        await arena.stop();
    });

test("a remote bot hears everything to the end before its session is deleted (B11.6-B11.10)", async () => {
    const arena = await openArena();
    const bot = await BotSeat.listen(() => {});
    bot.onAsk = () => bot.answer();
    await addBot(arena, "Ears", bot.url, ["belote"]);
    await within(20000, online(arena, 1), "remote bot online");
    const agent = await Agent.connect(arena, await arena.register("Wire", { auto_confirm: true }), { capabilities: "match_feed,belote" });
    agent.join("belote", { one_shot: true });
    await play(agent);
    await within(20000, bot.deleted, "DELETE");
    const { told } = bot;
    assert.equal(told["match-ended"], 1, JSON.stringify(told));
    assert.ok(told["deal-started"] > 0);
    assert.equal(told["deal-ended"], told["deal-started"]);
    assert.equal(told["card-played"], 4 * told["trick-completed"]);
    await agent.close();
    await arena.stop();
    bot.close();
});

test("a remote bot that dies costs its seat, and the match goes on to its end", async () => {
    const arena = await openArena(["--turn-timeout", "3000"]);
    const bot = await serveBot("texas_holdem");
    await addBot(arena, "Mortal", bot.address, ["texas_holdem"]);
    await within(20000, online(arena, 1), "remote bot online");
    const agent = await Agent.connect(arena, await arena.register("Wire", { auto_confirm: true }));
    agent.join("texas_holdem", { one_shot: true });
    const first = await agent.next("action_request");
    bot.child.kill("SIGKILL");
    agent.act(first, { type: first.data.legal_actions.some((a) => a.type === "check") ? "check" : "call" });
    const [over] = await play(agent);
    assert.ok(["disconnect", "invalid_action", "timeout"].includes(over.data.forfeit_reason), over.data.forfeit_reason);
    await arena.stop();
});

test("a remote bot takes its seat again after the server was restarted", async () => {
    const arena = await openArena();
    const bot = await serveBot("belote");
    await addBot(arena, "Steady", bot.address, ["belote"]);
    await within(20000, online(arena, 1), "remote bot online");
    const record = await arena.register("Wire", { auto_confirm: true });
    const options = { capabilities: "match_feed,belote", memory: Agent.memory() };
    const agent = await Agent.connect(arena, record, options);
    agent.join("belote", { one_shot: true });
    await agent.next("action_request");
    arena.process.kill("SIGKILL");
    await arena.exited;
    const again = await Arena.start(["--admin-token", TOKEN, "--health-every", "100"], { data: arena.data });
    const back = await Agent.connect(again, record, { ...options, memory: Agent.memory() });
    const [over] = await play(back);
    assert.ok(over.data.players.some((player) => player.agent_name === "Steady"));
    assert.equal(over.data.forfeit_reason, undefined);
    again.own = true;
    await again.stop();
});
