// ranges.mjs [MATCHES]: whatever a list of legal moves says is legal: random moves with random values inside the listed ranges, in
// the full profile of MCP and in the player's, in so many matches (300) of every game. AGON is the program.
import { Chance } from "../e2e/lib/chance.mjs";
import { Raw } from "../e2e/lib/mcp.mjs";
import { Player, games, playRandom } from "../e2e/lib/player.mjs";

const matches = Number(process.argv[2] ?? 300);
const STEPS = 60; // of a match: some games have no end

// A listed action with a value from each of its ranges.
function fill(chance, { type, params, range }) {
    const drawn = Object.entries(range ?? {}).map(([name, [low, high]]) => [name, low + chance.below(high - low + 1)]);
    return { type, params: { ...params, ...Object.fromEntries(drawn) } };
}

async function playFull(game) {
    const raw = Raw.start(["--game", game, "--bot-delay", "0"]);
    const counts = { steps: 0, ranges: 0 };
    await raw.greet();
    await raw.call("register_agent", { agent_id: "me", agent_type: "EntityBehavior" });
    for (let seed = 1; seed <= matches; seed++) {
        const chance = new Chance(seed);
        let step = await raw.call("reset", { agent_id: "me", seed });
        for (let i = 0; i < STEPS && !step.done && !step.truncated; i++) {
            const list = step.available_actions.filter((a) => a.type !== "wait");
            const listed = list.length ? list[chance.below(list.length)] : { type: "wait", params: {} };
            const action = fill(chance, listed);
            const next = await raw.call("sim_step", { agent_id: "me", action });
            if (next.error) throw new Error(`${game}, seed ${seed}: ${JSON.stringify(action)} from ${JSON.stringify(listed)} was refused: ${next.error.message}`);
            counts.steps++;
            counts.ranges += listed.range ? 1 : 0;
            step = next;
        }
    }
    raw.input.end();
    await raw.exit;
    return counts;
}

async function playWords(game) {
    const player = await Player.start();
    let steps = 0;
    for (let seed = 1; seed <= matches; seed++) steps += (await playRandom(player, game, seed, STEPS)).steps.length;
    await player.close();
    return steps;
}

for (const game of games) {
    const { steps, ranges } = await playFull(game);
    const words = await playWords(game);
    console.log(`${game}: ${matches} matches, ${steps} moves (${ranges} from a range) and ${words} in words, none refused`);
}
