#!/usr/bin/env python3
"""Policy gradient with masks (PPO), in numpy, on Liar's Dice or on placements of Tetris.

    python3 policy_gradient.py liars_dice --out dice.npz     # learns; under two minutes on two cores
    agon match liars_dice --scenario duel --seat "me=cmd:python3 policy_gradient.py --play dice.npz" --seat house:rules

Liar's Dice for two is learned against the house player `rules`; the result is the share of matches won against it. Tetris is
learned alone; the result is lines a game. Both are printed before and after, with fixed seeds.
"""
import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would only wait for each other; read when numpy is imported
import numpy as np

import agon
import agon.program
from net import Net, sample

GAMES = {  # options of agon.vec, how many passes, how fast rewards fade, and weights of their components by name
    "liars_dice": dict(make=dict(scenario="duel", house={1: "rules"}, rotate=True), passes=400, fade=1.0,
                       weigh={"dice": 0.5, "match": 1.0}),
    "tetris": dict(make=dict(max_steps=500), passes=800, fade=0.97,
                   weigh={"lines": 1.0, "survival": 20.0, "top_out": 1.0}),
}  # fmt: skip
ENVS, STEPS, EPOCHS, BATCH, HIDDEN = 256, 32, 2, 1024, 128


def open_vec(game, envs, seed):
    v = agon.vec(game, envs, autoreset="same_step", seed=seed, **GAMES[game]["make"])
    v.weights = np.array([GAMES[game]["weigh"].get(name, 0) for name in v.game.components], np.float32)
    v.components  # bound before the first step
    v.reset()
    return v


def learner_seats(v):
    """The seat of the learner in each environment: the one that is asked."""
    return np.minimum(v.asked, v.seats - 1)


def collect(v, net, rng):
    """STEPS steps of every environment: rows, masks, actions, their probabilities, values, rewards, ends."""
    kept = {k: [] for k in ("rows", "masks", "actions", "chance", "value", "reward", "end")}
    every = np.arange(v.num_envs)
    for _ in range(STEPS):
        kept["rows"].append(v.observations.copy())
        kept["masks"].append(v.masks.copy())
        seats = learner_seats(v)
        chances, value, _ = net.forward(v.observations, v.masks)
        actions = sample(chances, rng)
        v.step(actions)
        kept["actions"].append(actions)
        kept["chance"].append(chances[every, actions])
        kept["value"].append(value)
        kept["reward"].append(v.components[every, seats] @ v.weights)
        kept["end"].append(v.terminated | v.truncated)
    kept["value"].append(net.forward(v.observations, v.masks)[1])  # of what comes next
    return {k: np.array(a) for k, a in kept.items()}


def advantages(kept, fade, trace=0.95):
    """How much better each action was than the value had it (generalised advantage estimation)."""
    out, ahead = np.zeros_like(kept["reward"]), np.zeros(kept["reward"].shape[1], np.float32)
    for t in reversed(range(STEPS)):
        goes_on = ~kept["end"][t]
        surprise = kept["reward"][t] + fade * kept["value"][t + 1] * goes_on - kept["value"][t]
        ahead = surprise + fade * trace * ahead * goes_on
        out[t] = ahead
    return out


def learn_batch(net, rows, masks, actions, before, gain, target, rate, entropy=0.005, clip=0.2):
    n, every = len(rows), np.arange(len(rows))
    chances, value, hidden = net.forward(rows, masks)
    ratio = chances[every, actions] / before
    active = np.where(gain > 0, ratio < 1 + clip, ratio > 1 - clip)
    # d(-ratio * gain)/d logits = -ratio * gain * (one_hot - chances); the entropy's gradient is added
    push = (-ratio * gain * active).astype(np.float32)[:, None]
    to_logits = -push * chances
    to_logits[every, actions] += push[:, 0]
    logs = np.log(chances + 1e-12)
    to_logits += entropy * chances * (logs - (chances * logs).sum(1, keepdims=True))
    net.improve(net.backward(rows, hidden, to_logits / n, 0.5 * (value - target) / n), rate)


def learn(net, v, passes, fade, rng, report):
    for k in range(passes):
        kept = collect(v, net, rng)
        gain = advantages(kept, fade)
        target = gain + kept["value"][:-1]
        flat = [a.reshape(STEPS * v.num_envs, *a.shape[2:])
                for a in (kept["rows"], kept["masks"], kept["actions"], kept["chance"], gain, target)]
        flat[4] = (flat[4] - flat[4].mean()) / (flat[4].std() + 1e-6)
        for _ in range(EPOCHS):
            for part in np.split(rng.permutation(len(flat[0])), len(flat[0]) // BATCH):
                learn_batch(net, *(a[part] for a in flat), rate=1e-3 * (1 - 0.9 * k / passes))
        if report and k % max(1, passes // 10) == 0:
            print(f"pass {k:4}: reward a step {kept['reward'].mean():+.4f}", flush=True)


def evaluate(game, net, matches, seed):
    """Mean over whole matches of: 1 for one that was won; in Tetris, lines."""
    v = open_vec(game, min(matches, 512), seed)
    done, total, sums = 0, 0.0, np.zeros(v.num_envs)
    which = v.game.components.index("lines" if game == "tetris" else "match")
    every = np.arange(v.num_envs)
    left = np.full(v.num_envs, matches // v.num_envs)  # the same number of each, so that short ones do not count more
    while left.any():
        seats = learner_seats(v)
        v.step(net.forward(v.observations, v.masks)[0].argmax(axis=1))
        sums += v.components[every, seats, which]
        end = (v.terminated | v.truncated) & (left > 0)
        total, done = total + sums[end].sum(), done + end.sum()
        left -= end
        sums[v.terminated | v.truncated] = 0
    return total / done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="?", choices=GAMES, default="liars_dice")
    parser.add_argument("--play", metavar="FILE", help="answer agon match with a learned policy")
    parser.add_argument("--out", metavar="FILE", help="write the policy here")
    parser.add_argument("--passes", type=int)
    parser.add_argument("--matches", type=int, default=2048, help="to measure")
    args = parser.parse_args()
    if args.play:
        agon.program.run(Net.load(args.play).policy())
        return
    v = open_vec(args.game, ENVS, seed=1)
    net = Net(v.observations.shape[1], HIDDEN, v.masks.shape[1], seed=1)
    what = "lines a game" if args.game == "tetris" else "of matches won against house:rules"
    print(f"before: {evaluate(args.game, net, args.matches, 1000):.3f} {what}")
    began = time.process_time()
    setup = GAMES[args.game]
    learn(net, v, args.passes or setup["passes"], setup["fade"], np.random.default_rng(1), report=True)
    print(f"after:  {evaluate(args.game, net, args.matches, 1000):.3f} {what}, {time.process_time() - began:.0f} s of CPU")
    if args.out:
        net.save(args.out)


if __name__ == "__main__":
    main()
