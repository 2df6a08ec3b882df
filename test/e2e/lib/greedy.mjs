// Clients that ask for much at once: one row for each kind of long work. `prepare` returns a function that asks once and
// resolves with the answer. `size` scales the work: 1 is what a request may ask for at most, or the longest worth
// waiting for; `small` is enough to see that it is cut.
import { once } from "node:events";
import net from "node:net";
import { createInterface } from "node:readline";
import { fetchRaw, hello } from "./mcp.mjs";

export class Client {
    static all = new Set();
    static async open(path, revision, more) {
        const c = new Client();
        Client.all.add(c);
        c.socket = net.connect(path);
        await once(c.socket, "connect");
        c.socket.on("error", () => {});
        c.waiting = new Map();
        c.next = 1;
        createInterface({ input: c.socket }).on("line", (line) => {
            if (c.socket.readableEnded) return; // a server that stops may cut its last line
            for (const m of [JSON.parse(line)].flat()) {
                if (m.method) c.on_note?.(m);
                c.waiting.get(m.id)?.(m);
                c.waiting.delete(m.id);
            }
        });
        const greeted = new Promise((resolve) => c.waiting.set(0, resolve));
        c.socket.write(JSON.stringify(hello(revision, more)) + "\n");
        await greeted;
        c.socket.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
        return c;
    }
    message(name, args, meta) {
        return { jsonrpc: "2.0", id: this.next++, method: "tools/call", params: { name, arguments: args, _meta: meta } };
    }
    ask(method, params) {
        const id = this.next++;
        const answer = this.answer(id);
        this.socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
        return answer;
    }
    answer(id) {
        return new Promise((resolve) => this.waiting.set(id, resolve));
    }
    async call(name, args, meta) {
        const m = this.message(name, args, meta);
        const answer = this.answer(m.id);
        this.socket.write(JSON.stringify(m) + "\n");
        const { result, error } = await answer;
        if (error) throw new Error(`${name}: ${error.message} ${JSON.stringify(error.data)}`);
        return result.structuredContent;
    }
    close() {
        Client.all.delete(this);
        this.socket.destroy();
    }
}

export const adminToken = "stall-test";
const scaled = (most, size) => Math.max(1, Math.round(most * size));

async function at(server, type, scenario, initial = {}, revision = undefined) {
    const c = await Client.open(server.unix, revision);
    const config = { clock_mode: "training", guide: false };
    c.begin = { agent_id: "a", seed: 7, config: { scenario, initial_state: initial } };
    if (type === "EntityBehavior") {
        await c.call("register_agent", { agent_id: "z", agent_type: "GameMaster", config }); // takes no seat
        await c.call("reset", { seed: 1, config: { scenario } });
        await c.call("deregister_agent", { agent_id: "z" });
    }
    await c.call("register_agent", { agent_id: "a", agent_type: type, config });
    await c.call("reset", c.begin);
    return c;
}

const forever = { max_ticks: 2000000000 };
const wait = { type: "wait" };

// A step of many ticks; an episode that has ended begins again.
const steps = (type, scenario, initial, most) => async (server, size) => {
    const c = await at(server, type, scenario, initial);
    return async () => {
        const step = await c.call("sim_step", { agent_id: "a", action: wait, ticks: scaled(most, size) });
        if (step.done || step.truncated) await c.call("reset", c.begin);
        return step;
    };
};

async function filmed(server, side) {
    const c = await at(server, "EntityBehavior", "coup/players_4");
    await c.call("configure_streams", {
        agent_id: "a", custom: { streams: [{ name: "eye", type: "rgb", width: side, height: side }] },
    });
    return c;
}

async function recorded(server, size) {
    const c = await at(server, "EntityBehavior", "tetris/zen", forever);
    const count = scaled(20000, size);
    for (let done = 0; done < count; done += 250)
        await c.call("batch_step", {
            sync_mode: "sequential", ticks: 1, steps: Array(250).fill({ agent_id: "a", action: wait }),
        });
    return c;
}

const saved = (format) => async (server, size) => {
    const c = await recorded(server, size);
    let n = 0;
    return () => c.call("save_trajectory", { overwrite: true, path: `${format}${process.pid}_${n++ % 2}.${format}`, format });
};

export const hostile = [
    { name: "sim_step, 100,000 ticks of tetris", prepare: steps("GameMaster", "tetris/zen", forever, 100000) },
    {
        name: "sim_step, 100,000 ticks of searching bots",
        small: 0.0002,
        prepare: steps("GameMaster", "belote/long", { bots: 3, ...forever }, 100000),
    },
    {
        name: "batch_step, 256 steps in sequence, 1,000 ticks each",
        async prepare(server, size) {
            const c = await at(server, "EntityBehavior", "tetris/zen", forever);
            const steps = Array(256).fill({ agent_id: "a", action: wait });
            return () => c.call("batch_step", { sync_mode: "sequential", ticks: scaled(1000, size), steps });
        },
    },
    {
        name: "batch_step, 256 steps in sequence against searching bots",
        async prepare(server, size) {
            const c = await at(server, "GameMaster", "belote/standard", { bots: 3, ...forever });
            const steps = Array(scaled(256, size)).fill({ agent_id: "a", action: wait });
            return async () => {
                const done = await c.call("batch_step", { sync_mode: "sequential", ticks: 10, steps });
                await c.call("reset", c.begin);
                return done;
            };
        },
    },
    {
        name: "reset with searching bots before the first decision",
        async prepare(server) {
            const c = await at(server, "EntityBehavior", "belote/standard", { bots: 3 });
            return () => c.call("reset", { ...c.begin, seed: c.next });
        },
    },
    {
        name: "pictures of 4096 x 4096",
        async prepare(server, size) {
            const c = await filmed(server, scaled(4096, Math.sqrt(size)));
            return () => c.call("reset", { ...c.begin, seed: c.next });
        },
    },
    {
        name: "save_trajectory with pictures of 2048 x 2048",
        async prepare(server, size) {
            const c = await filmed(server, scaled(2048, Math.sqrt(size)));
            for (let i = 0; i < 4; i++) await c.call("sim_step", { agent_id: "a", action: wait });
            let n = 0;
            return () =>
                c.call("save_trajectory", {
                    overwrite: true,
                    path: `film${process.pid}_${n++ % 2}.msgpack`, format: "msgpack", include_frames: true,
                });
        },
    },
    { name: "save_trajectory, 20,000 steps, json", prepare: saved("json") },
    { name: "save_trajectory, 20,000 steps, msgpack", prepare: saved("msgpack") },
    { name: "save_trajectory, 20,000 steps, hdf5", prepare: saved("hdf5") },
    {
        name: "load_trajectory, 20,000 steps",
        async prepare(server, size) {
            const c = await recorded(server, size);
            await c.call("save_trajectory", { overwrite: true, path: "long.msgpack" });
            return () => c.call("load_trajectory", { path: "long.msgpack" });
        },
    },
    {
        name: "load_trajectory, step by step (read ahead)",
        async prepare(server, size) {
            const c = await recorded(server, size);
            await c.call("save_trajectory", { overwrite: true, path: "ahead.msgpack" });
            return async () => {
                await c.call("load_trajectory", { path: "ahead.msgpack", playback_mode: "step" });
                return c.call("reset", c.begin);
            };
        },
    },
    {
        name: "load_trajectory, a step of 100,000 ticks",
        async prepare(server, size) {
            const c = await at(server, "GameMaster", "tetris/zen", forever);
            await c.call("sim_step", { agent_id: "a", action: wait, ticks: scaled(100000, size) });
            await c.call("save_trajectory", { overwrite: true, path: "jump.msgpack" });
            return () => c.call("load_trajectory", { path: "jump.msgpack" });
        },
    },
    {
        name: "live tables of searching bots",
        async prepare(server, size) {
            const all = [];
            for (let i = 0; i < scaled(8, size); i++) {
                const c = await Client.open(server.unix);
                await c.call("register_agent", {
                    agent_id: "a", agent_type: "GameMaster", config: { clock_mode: "live", guide: false },
                });
                await c.call("reset", { config: { scenario: "belote/standard", initial_state: { bots: 3, ...forever } } });
                all.push(c);
            }
            return () => Promise.all(all.map((c) => c.call("sim_step", { agent_id: "a", action: wait, ticks: 5 })));
        },
    },
    {
        name: "an array of 8,000 calls",
        small: 0.05,
        async prepare(server, size) {
            const c = await at(server, "EntityBehavior", "coup/players_4", {}, "2025-03-26");
            return () => {
                const list = Array.from({ length: scaled(8000, size) }, () => c.message("observe", { agent_id: "a" }));
                const last = c.answer(list.at(-1).id);
                c.socket.write(JSON.stringify(list) + "\n");
                return last;
            };
        },
    },
    {
        name: "replays over REST",
        async prepare(server, size) {
            const get = async (path) => (await fetchRaw(server.base + path, { method: "GET" })).text;
            const made = await fetchRaw(`${server.base}/api/tournaments`, {
                headers: { "x-agon-admin": adminToken, "content-type": "application/json" },
                body: JSON.stringify({
                    game: "belote", format: "round_robin", seed: 1, games: scaled(32, size),
                    entrants: ["house:rules", "house:random"],
                }),
            });
            const at = `/api/tournaments/${JSON.parse(made.text).id}`;
            let games;
            do games = JSON.parse(await get(`${at}/games?limit=100`)).games;
            while (JSON.parse(await get(at)).tournament.status === "running");
            const paths = games.map((g) => g.replay_url.replace("/replay/", "/api/replays/"));
            return async () => {
                for (const path of paths) {
                    const whole = await get(`${path}/whole`);
                    if (!JSON.parse(whole).frames) await get(`${path}/file`);
                }
            };
        },
    },
    {
        name: "OpenEnv: lists of 10,000 tasks",
        async prepare(server) {
            const list = () => fetch(`${server.base}/openenv/coup/coup/tasks`, { method: "POST", body: '{"split":"train"}' })
                .then((r) => r.json());
            return async () => {
                const lists = await Promise.all([list(), list(), list()]);
                if (lists.some((l) => l.tasks.length !== 10000)) throw new Error("a list is short");
            };
        },
    },
    {
        name: "OpenEnv: searching bots",
        async prepare(server) {
            const post = async (what, body) => {
                const r = await fetch(`${server.base}/openenv/belote/${what}`, { method: "POST", body: JSON.stringify(body) });
                if (r.status !== 200) throw new Error(`${what} was refused: ${await r.text()}`);
                return r.json();
            };
            const play = async (seed) => {
                let reply = await post("reset", { seed, opponents: "search" });
                const { session_id } = reply.metadata;
                for (let i = 0; i < 3; i++) reply = await post("step", { session_id, action: reply.observation.legal[0] });
            };
            return () => Promise.all([play(1), play(2), play(3)]);
        },
    },
    {
        name: "10,000 calls in one write",
        short: true, // each of them; they are cut by the connection
        small: 0.1,
        async prepare(server, size) {
            const c = await at(server, "EntityBehavior", "coup/players_4");
            return () => {
                const list = Array.from({ length: scaled(10000, size) }, () => c.message("observe", { agent_id: "a" }));
                const last = c.answer(list.at(-1).id);
                c.socket.write(list.map((m) => JSON.stringify(m) + "\n").join(""));
                return last;
            };
        },
    },
];
