// Attacks on a shared table of agon serve, each through HTTP sessions of its own: predict the next deal, search the seed
// behind a hash, take over somebody else's table (docs/decisions/013-shared-tables.md).
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { folder, sdkHttp, server } from "./lib/mcp.mjs";
import { within } from "./lib/wait.mjs";

const GAME = "texas_holdem", player = { agent_id: "a", agent_type: "EntityBehavior", config: { avatar_id: "seat_0", clock_mode: "training", guide: false } };
let host;

before(async () => (host = await server(["serve", "--port", "0", "--tetris-port", "0", "--data", folder()])));
after(async () => {
    host.child.kill("SIGTERM");
    await within(20000, host.exit, "exit");
});

// An HTTP session; at a table by its name, or alone.
async function visit(table) {
    const { client } = await sdkHttp(table ? `${host.http}?table=${table}&game=${GAME}` : host.http);
    return {
        close: () => client.transport.terminateSession().then(() => client.close()),
        call: async (name, args = {}) => (await client.callTool({ name, arguments: args })).structuredContent,
        refuse: async (name, args = {}) => {
            const error = await client.callTool({ name, arguments: args }).then(() => null, (e) => e);
            assert.ok(error, `${name} ${JSON.stringify(args)} was not refused`);
            return error.data;
        },
        read: async (uri) => JSON.parse((await client.readResource({ uri })).contents[0].text),
    };
}
const order = (seed) => ({ ...(seed === undefined ? {} : { seed }), config: { scenario: `${GAME}/heads_up` } });

test("who knows a seed cannot predict later deals", async () => {
    const owner = await visit("predict"), attacker = await visit();
    for (const who of [owner, attacker]) {
        if (who === attacker) await who.call("reset", order(0)); // the same game at a table of one's own
        await who.call("register_agent", player);
        await who.call("reset", order(5));
    }
    const dealt = [], predicted = [];
    for (let episode = 0; episode < 3; episode++) {
        const answer = await owner.call("reset", order());
        assert.equal(answer.observation.hole_cards.length, 2);
        dealt.push(answer.observation.hole_cards);
        predicted.push((await attacker.call("reset", order())).observation.hole_cards);
    }
    assert.notDeepEqual(dealt, predicted);
});

test("hashes do not lead to the seed", async () => {
    const owner = await visit("search"), attacker = await visit("search"), own = await visit("attackers");
    const secret = 37;
    for (const who of [owner, own]) await who.call("register_agent", player);
    const begun = await owner.call("reset", order(secret));
    const world = await attacker.read("game://world"), seen = await attacker.call("get_state_hash");
    const shown = [world.state_hash, seen.hash, ...Object.values(seen.components), world.seed_commitment ?? begun.seed_commitment];
    for (let seed = 0; seed < 64; seed++) {
        const tried = await own.call("reset", order(seed)), hashes = await own.call("get_state_hash");
        for (const hash of [hashes.hash, ...Object.values(hashes.components), tried.seed_commitment]) assert.ok(!shown.includes(hash), `the seed is ${seed}`);
        const number = Buffer.alloc(8);
        number.writeBigInt64LE(BigInt(seed));
        const key = createHash("sha256").update("agon.seed.1").update(GAME).update(number).digest();
        assert.ok(!shown.includes("sha256:" + createHash("sha256").update(key).digest("hex")), `the seed is ${seed}`);
    }
    // It is said that somebody knows the deal.
    assert.equal(begun.warning, "seeded: not for contests");
    assert.deepEqual([world.seeded, world.warning], [true, "seeded: not for contests"]);
});

test("nobody becomes game master of another's table", async () => {
    const owner = await visit("master"), attacker = await visit("master");
    const mine = await owner.call("register_agent", player);
    const master = await attacker.call("register_agent", { agent_id: "gm", agent_type: "GameMaster", config: { clock_mode: "training", guide: false } });
    assert.deepEqual(master.capabilities, []);
    await owner.call("reset", order());
    for (const action of [{ type: "restart", seed: 1 }, { type: "kill_entity", entity_id: "seat_0" }, { type: "pause" }])
        assert.equal((await attacker.refuse("sim_step", { agent_id: "gm", action })).reason, "capability");
    assert.equal((await attacker.refuse("reset", order())).reason, "capability");
    await owner.call("deregister_agent", { agent_id: "a" });
    assert.equal((await attacker.refuse("reset", order(1))).reason, "owner");
    // The owner goes; the table waits for the owner secret.
    await owner.close();
    const again = { agent_id: "b", agent_type: "GameMaster", config: { guide: false } };
    assert.deepEqual((await attacker.call("register_agent", again)).capabilities, []);
    const back = await visit("master");
    const config = { guide: false, owner_secret: mine.owner_secret };
    assert.deepEqual((await back.call("register_agent", { ...again, agent_id: "c", config })).capabilities, ["admin", "narrative", "spawn", "world_modify"]);
    assert.equal((await attacker.refuse("register_agent", { ...again, agent_id: "d", config: { owner_secret: "0".repeat(32) } })).reason, "owner_secret");
});

test("a table with a join secret lets nobody in without it", async () => {
    const owner = await visit("locked"), stranger = await visit("locked");
    const { join_secret } = await owner.call("register_agent", { ...player, config: { ...player.config, join_secret: true } });
    await owner.call("reset", order());
    for (const tool of ["reset", "get_state_hash"]) assert.equal((await stranger.refuse(tool)).reason, "join_secret");
    await assert.rejects(stranger.read("game://world"), { code: -32002 });
    const ask = (secret) => ({ agent_id: "b", agent_type: "EntityBehavior", config: { clock_mode: "training", guide: false, join_secret: secret } });
    assert.equal((await stranger.refuse("register_agent", ask("let me in please"))).reason, "join_secret");
    assert.equal((await stranger.call("register_agent", ask(join_secret))).owner, false);
    assert.equal((await stranger.read("game://world")).locked, true);
});

test("what was hidden is revealed when the episode is over", async () => {
    const owner = await visit("reveal"), other = await visit("reveal");
    await owner.call("register_agent", player);
    const { seed_commitment } = await owner.call("reset", order());
    assert.equal((await other.read("game://world")).revealed, undefined);
    const { previous } = await owner.call("reset", order());
    assert.deepEqual((await other.read("game://world")).previous, previous);
    const told = createHash("sha256").update("agon.commit.2").update(Buffer.from(previous.salt + previous.key, "hex")).digest("hex");
    assert.equal("sha256:" + told, seed_commitment);
});
