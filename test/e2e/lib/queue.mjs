// Agents of Game-RL in the arena's queues (G1.9), and bots behind HTTP that play beside them (F3.21).
import assert from "node:assert/strict";
import { agon } from "./arena.mjs";
import { Chance } from "./chance.mjs";
import { spawn } from "./children.mjs";
import { sdkHttp } from "./mcp.mjs";
import { until, within } from "./wait.mjs";

let players = 0;

export class Player {
    static async connect(arena, id = "me") {
        const p = new Player();
        Object.assign(p, { id, chance: new Chance(++players), ...(await sdkHttp(`${arena.url}/mcp`)) });
        return p;
    }
    async call(name, args = {}) {
        return (await this.client.callTool({ name, arguments: args })).structuredContent;
    }
    enter(queue, config = {}, more = {}) {
        return this.call("register_agent", { agent_id: this.id, agent_type: "EntityBehavior", config: { queue, guide: false, ...config }, ...more });
    }
    step(action, ticks = 1) {
        return this.call("sim_step", { agent_id: this.id, action, ticks });
    }
    observe() {
        return this.call("observe", { agent_id: this.id });
    }
    async resource(uri) {
        return JSON.parse((await this.client.readResource({ uri })).contents[0].text);
    }
    async agents() {
        return (await this.resource("game://agents")).agents;
    }
    async active() {
        return until(async () => {
            const [agent] = await this.agents();
            return agent.status !== "registered" && agent;
        }, "match");
    }
    // To the end; every step object that came.
    async play(most = 5000) {
        const steps = [await this.observe()];
        for (let step = steps[0]; !step.done && !step.truncated; steps.push(step)) {
            assert.ok(steps.length < most, "a match without end");
            const may = step.available_actions.filter((a) => a.type !== "wait");
            assert.equal(may.length > 0, step.observation.your_turn);
            try {
                step = await (may.length ? this.step(this.chance.pick(may)) : this.step({ type: "wait" }, 600));
            } catch (e) { // the arena went on meanwhile
                if (e.data?.name !== "InvalidAction") throw e;
                step = await this.observe();
                if (step.done || step.truncated) step = await this.step({ type: "wait" });
            }
        }
        return steps;
    }
    close() {
        return this.transport.terminateSession().then(() => this.client.close());
    }
}

const started = [];
export const stopBots = () => started.forEach((child) => child.kill("SIGKILL"));

// A bot server of ours; its address.
export function serveBot(game) {
    const child = spawn(agon, ["bot", game, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
    started.push(child);
    return within(20000, new Promise((resolve) => {
        let said = "";
        const hear = (bytes) => {
            const found = (said += bytes).match(/http:\/\/[0-9.:]+/);
            if (found) resolve(found[0]);
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
    }), "address of the bot");
}
