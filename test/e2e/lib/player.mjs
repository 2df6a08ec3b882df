// A player of --tools player: reads the line of legal moves as a model would, and counts what it has to read.
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { Chance } from "./chance.mjs";
import { Raw } from "./mcp.mjs";

export const tokens = (text) => encode(text).length;
export const games = ["coup", "texas_holdem", "liars_dice", "belote", "tetris", "kuhn_poker", "leduc_poker"];

// The tools as models get them.
export const listTokens = (tools) =>
    tokens(JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))));

const pick = (chance, list) => list[chance.below(list.length)];
const between = (chance, low, high) => low + chance.below(high - low + 1);

function column(chance, ranges) {
    const [low, high = low] = pick(chance, ranges.split(", ")).split("-").map(Number);
    return between(chance, low, high);
}

// One move out of an item of the line, with a value filled in.
function fill(chance, item) {
    let m;
    if ((m = item.match(/^place X (.*) \((.*)\)$/))) return `place ${column(chance, m[2])} ${pick(chance, m[1].replace(/ hold$/, "").split("/"))}${m[1].endsWith(" hold") ? " hold" : ""}`;
    if ((m = item.match(/^bid QxF from (\d+)x(\d+) to (\d+)x(\d+)$/))) {
        const [q, f, most, last] = m.slice(1).map(Number);
        const rank = between(chance, 6 * q + f - 7, Math.min(6 * most + last - 7, 6 * q + f + 4));
        return `bid ${Math.floor(rank / 6) + 1}x${(rank % 6) + 1}`;
    }
    if ((m = item.match(/^return two of \((.*)\)$/))) {
        const cards = m[1].split(", ");
        return `return ${cards.splice(chance.below(cards.length), 1)[0]} ${pick(chance, cards)}`;
    }
    if ((m = item.match(/^(.*) \((.*)\)$/))) return `${m[1]} ${pick(chance, m[2].split(", "))}`;
    if ((m = item.match(/^(.*) (\d+)-(\d+)$/))) return `${m[1]} ${between(chance, Number(m[2]), Number(m[3]))}`;
    return item;
}

export function randomMove(chance, text) {
    const items = text.slice(text.lastIndexOf("Your move: ") + 11).split(" | ");
    const same = items.indexOf('the same with " hold"');
    if (same >= 0) items.splice(same, 1, ...items.slice(0, same).map((i) => i.replace(/ \(/, " hold (")));
    return fill(chance, pick(chance, items));
}

export class Player {
    static async start(args = []) {
        const player = new Player();
        player.raw = Raw.start(["--tools", "player", ...args]);
        await player.raw.greet();
        return player;
    }
    async call(name, args) {
        const answer = await this.raw.ask("tools/call", { name, arguments: args });
        return { ...answer.result, text: answer.result.content.map((c) => c.text ?? "").join("\n") };
    }
    async join(args) {
        const first = await this.call("join", args);
        this.seat = first.text.match(/handle is (\S+)\./)?.[1] ?? this.seat;
        return first;
    }
    act(move) {
        return this.call("act", { seat: this.seat, move });
    }
    close() {
        this.raw.input.end();
        return this.raw.exit;
    }
}

// One match of random moves: tokens of each answer. Whatever the line lists must be taken.
export async function playRandom(player, game, seed, most, note) {
    const chance = new Chance(seed);
    let step = await player.join({ game, seed });
    const counts = { join: tokens(step.text), steps: [], last: 0, refusal: 0 };
    while (step._meta["agon/step"].your_turn && counts.steps.length < most) {
        const move = randomMove(chance, step.text);
        const next = await player.act(move);
        if (next.isError) throw new Error(`${game} ${seed}: ${move} was refused: ${next.text}\n${step.text}`);
        step = next;
        const { done, truncated } = step._meta["agon/step"];
        if (done || truncated) counts.last = tokens(step.text);
        else counts.steps.push(tokens(step.text));
        note?.(step.text);
        if (counts.steps.length % 5 === 1 && !done && !truncated)
            counts.refusal = Math.max(counts.refusal, tokens((await player.act("atack")).text));
    }
    await player.call("leave", { seat: player.seat });
    return counts;
}
