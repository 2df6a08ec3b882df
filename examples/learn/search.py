#!/usr/bin/env python3
"""Batched search with clones, and a policy that learns from it (expert iteration), in numpy, on Coup for two.

    python3 search.py --out coup.npz
    agon match coup --scenario players_2 --seat "me=cmd:python3 search.py --play coup.npz" --seat house:rules

At every decision the search clones the match many times for every legal action, redraws in each clone what the player cannot know,
plays the action, lets the clones run to their end with random moves, all in one batch, and takes the action with the best mean. A
small network learns to choose as the search does from the row alone, so that it needs no clones at the table. Printed: how often the
search and then the network win against the house player `rules`, with fixed seeds.
"""
import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would only wait for each other; read when numpy is imported
import numpy as np

import agon
import agon.program
from net import Net

GAME, SCENARIO, RIVAL = "coup", "players_2", "rules"
TABLES, CLONES, DEPTH = 64, 72, 80  # matches at once; clones of each action; steps of a clone at most
MOST = 10  # legal actions of a position


class Search:
    """A laboratory of environments, into which positions are copied."""

    def __init__(self, tables, clones):
        self.clones = clones
        self.v = agon.vec(GAME, tables * MOST * clones, scenario=SCENARIO, autoreset="disabled", illegal="fallback", seed=1)
        self.v.reset()
        self.draws = 0

    def place(self, snapshots, seats, masks):
        """Clones of every position for every legal action: position and action of each environment that is used."""
        jobs = [(k, int(a)) for k, mask in enumerate(masks) for a in np.flatnonzero(mask)]
        position = np.repeat([k for k, _ in jobs], self.clones)
        action = np.repeat([a for _, a in jobs], self.clones)
        first = {}
        for env, k in enumerate(position):
            if k in first:
                self.v.copy(first[k], env)
            else:
                first[k] = env
                self.v.load(env, snapshots[k])
        for env, k in enumerate(position):
            self.draws += 1
            self.v.resample(env, int(seats[k]), self.draws)
        return position, action

    def values(self, snapshots, seats, masks):
        """The mean return of every legal action of every position, for the seat that is asked; -inf for others."""
        v = self.v
        position, action = self.place(snapshots, seats, masks)
        used, mine = len(position), np.asarray(seats)[position]
        total = np.zeros(used)
        v.refresh()
        v.sample()
        v.actions[:used] = action
        for _ in range(DEPTH):
            v.step()
            total += v.rewards[np.arange(used), mine]
            if (v.terminated | v.truncated)[:used].all():
                break
            v.sample()
        out = np.full((len(masks), v.masks.shape[1]), -np.inf)
        sums, counts = np.zeros_like(out), np.zeros_like(out)
        np.add.at(sums, (position, action), total)
        np.add.at(counts, (position, action), 1)
        np.divide(sums, counts, out=out, where=counts > 0)
        return out


def play(choose, matches, seed, keep=None):
    """Matches against the rival, `choose` in seat 0 of the even ones and in seat 1 of the odd: the share that it won."""
    v = agon.vec(GAME, TABLES, scenario=SCENARIO, autoreset="disabled", seed=seed)
    won = played = asked = 0
    v.components  # bound before the first step
    for start in range(0, matches, TABLES):
        v.reset(seed + start)
        own, returns = np.arange(TABLES) % 2, np.zeros((TABLES, 2))
        while not (v.terminated | v.truncated).all():
            mine = np.flatnonzero(v.asked == own)
            for env in np.flatnonzero((v.asked != own) & (v.asked < 2)):
                asked += 1
                v.actions[env] = v.advise(int(env), RIVAL, seed=seed + asked)  # the rival draws anew for each answer
            if len(mine):
                actions, wishes = choose(v, mine)
                v.actions[mine] = actions
                if keep is not None:
                    keep.append((v.observations[mine], v.masks[mine], wishes))
            v.step()
            returns += v.components[:, :, v.game.components.index("match")]
        gain = returns[np.arange(TABLES), own] - returns[np.arange(TABLES), 1 - own]
        won, played = won + (gain > 0).sum() + 0.5 * (gain == 0).sum(), played + TABLES
    return won / played


def searching(search, heat=0.15):
    """Chooses by search; wishes are the probabilities that the network learns."""

    def choose(v, mine):
        values = search.values([v.save(int(env)) for env in mine], v.asked[mine], v.masks[mine])
        wishes = np.exp((values - values.max(1, keepdims=True)) / heat)
        return values.argmax(1), (wishes / wishes.sum(1, keepdims=True)).astype(np.float32)

    return choose


def by_network(net):
    def choose(v, mine):
        return net.forward(v.observations[mine], v.masks[mine])[0].argmax(1), None

    return choose


def imitate(net, kept, epochs, rng):
    """Cross-entropy between the network's probabilities and the search's."""
    rows, masks, wishes = (np.concatenate(part) for part in zip(*kept))
    for epoch in range(epochs):
        for part in np.array_split(rng.permutation(len(rows)), max(1, len(rows) // 256)):
            chances, _, hidden = net.forward(rows[part], masks[part])
            gradients = net.backward(rows[part], hidden, (chances - wishes[part]) / len(part), np.zeros(len(part), np.float32))
            net.improve(gradients, 2e-3 * (1 - 0.9 * epoch / epochs))
    return len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--play", metavar="FILE", help="answer agon match with a learned policy")
    parser.add_argument("--out", metavar="FILE", help="write the policy here")
    parser.add_argument("--matches", type=int, default=768, help="to search")
    args = parser.parse_args()
    if args.play:
        return agon.program.run(Net.load(args.play).policy())
    began, kept = time.process_time(), []
    probe = agon.vec(GAME, 1, scenario=SCENARIO)
    net = Net(probe.observations.shape[1], 128, probe.masks.shape[1], seed=1)
    print(f"network before: {play(by_network(net), 1024, 50000):.3f} of matches won against house:{RIVAL}")
    share = play(searching(Search(TABLES, CLONES)), args.matches, 1, kept)
    print(f"search:         {share:.3f}, {time.process_time() - began:.0f} s of CPU", flush=True)
    count = imitate(net, kept, 60, np.random.default_rng(1))
    print(f"network after:  {play(by_network(net), 1024, 50000):.3f}, from {count} decisions, {time.process_time() - began:.0f} s of CPU")
    if args.out:
        net.save(args.out)


if __name__ == "__main__":
    main()
