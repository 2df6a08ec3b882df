// What a language model reads of the player profile, in tokens of o200k_base (M60, M61): node test/bench/tokens.mjs
import { Player, games, listTokens, playRandom } from "../e2e/lib/player.mjs";

const matches = Number(process.argv[2] ?? 50);
const at = (list, share) => list[Math.min(list.length - 1, Math.floor(share * list.length))] ?? 0;

const player = await Player.start();
const { tools } = (await player.raw.ask("tools/list", {})).result;
console.log(`list of tools: ${listTokens(tools)}`);
console.log("game          matches  steps  join  p50  p95  max  last  refusal");
for (const game of games) {
    const steps = [];
    let join = 0, last = 0, refusal = 0;
    for (let seed = 1; seed <= matches; seed++) {
        const counts = await playRandom(player, game, seed, 400);
        steps.push(...counts.steps);
        join = Math.max(join, counts.join);
        last = Math.max(last, counts.last);
        refusal = Math.max(refusal, counts.refusal);
    }
    steps.sort((a, b) => a - b);
    const row = [steps.length, join, at(steps, 0.5), at(steps, 0.95), at(steps, 1), last, refusal];
    console.log(game.padEnd(14) + String(matches).padStart(7) + row.map((n, i) => String(n).padStart([7, 6, 5, 5, 5, 6, 9][i])).join(""));
}
await player.close();
