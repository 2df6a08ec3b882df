#!/usr/bin/env python3
"""Counterfactual regret minimisation (CFR+) on Kuhn and Leduc poker, in numpy, with exact exploitability.

    python3 cfr.py leduc_poker --out leduc.npz
    agon match leduc_poker --seat "me=cmd:python3 cfr.py --play leduc.npz" --seat house:random

The tree comes from the library: one environment for each deal, cloned and played through every course of betting. What a player
knows is its row of the observation, with suits taken away, because suits mean nothing in these games. Kuhn poker ends below 0.001
chips a hand of exploitability and at its known value of -1/18, Leduc poker below 0.005 and at -0.0856.
"""
import argparse
import itertools
import re
import time

import numpy as np

import agon
import agon.program

DECKS = {"kuhn_poker": "JQK", "leduc_poker": "JJQQKK"}
CARDS = {"kuhn_poker": 2, "leduc_poker": 3}  # of a deal
ITERATIONS = {"kuhn_poker": 1000, "leduc_poker": 600}


class Node:
    """A course of betting, for all deals at once. At an end it has the payoffs of seat 0, else who acts and knows what."""

    def __init__(self, player=None, infosets=None, payoff=None):
        self.player, self.infosets, self.payoff, self.children = player, infosets, payoff, {}


class Keys:
    """What a player knows as a short row: the observation with the suits of a rank added up."""

    def __init__(self, game):
        names = [re.sub(r"(card\.[JQK])[hs]$", r"\1", e.name) for e in game.elements]
        self.columns = np.array([sorted(set(names)).index(name) for name in names])
        self.known = {}

    def of(self, row):
        return np.bincount(self.columns, weights=row).astype(np.uint8).tobytes()

    def number(self, row):
        return self.known.setdefault(self.of(row), len(self.known))


def deal_chances(name):  # by rank
    deals = list(itertools.permutations(DECKS[name], CARDS[name]))
    return {deal: deals.count(deal) / len(deals) for deal in set(deals)}


def read_ranks(v, env):
    """The ranks dealt in an environment, the public card among them once it is there."""
    found = []
    for seat, kind in ((0, "card"), (1, "card"), (0, "public_card")):
        row = v.row(env, seat)[0]
        found += [e.name.split(".")[1][0] for e in v.game.elements if e.name.startswith(kind + ".") and row[e.index]]
    return tuple(found)


def find_seeds(name, deals):
    """A seed for each deal: the first that gives it."""
    seeds, check = {}, agon.vec(name).game.action("check")
    with agon.vec(name, 1, autoreset="disabled") as v:
        for seed in itertools.count():
            v.reset(seed)
            if CARDS[name] > 2:  # two checks show the public card
                v.apply(0, check), v.apply(0, check)
            seeds.setdefault(read_ranks(v, 0), seed)
            if len(seeds) == len(deals):
                return [seeds[deal] for deal in deals]


def build(v, keys, deals, level=0):
    """The tree below what the environments of this level show; environment level * deals + d has deal d."""
    first = level * deals
    seat = v.asked_seat(first)
    rows = [v.row(first + d, seat) for d in range(deals)]
    node = Node(seat, np.array([keys.number(row) for row, _ in rows]))
    for action in np.flatnonzero(rows[0][1]):
        v.copy(np.arange(first, first + deals), np.arange(first + deals, first + 2 * deals))
        played = [v.apply(first + deals + d, int(action)) for d in range(deals)]
        if played[0][1]:
            child = Node(payoff=np.array([rewards[0] for rewards, _ in played], float))  # seat 1 loses it
        else:
            child = build(v, keys, deals, level + 1)
        node.children[int(action)] = child
    return node


def read_tree(name):
    """The root, the chance of each deal, and the keys of all information sets."""
    chances = deal_chances(name)
    deals = sorted(chances)
    levels = 12  # more than any course of betting has
    with agon.vec(name, levels * len(deals), autoreset="disabled") as v:
        v.reset(find_seeds(name, deals) * levels)
        keys = Keys(v.game)
        return build(v, keys, len(deals)), np.array([chances[d] for d in deals]), keys, v.game


def normalised(table, legal):
    sums = table.sum(1, keepdims=True)
    return np.where(sums > 0, table / np.maximum(sums, 1e-300), legal / legal.sum(1, keepdims=True))


def update(node, seat, reach, weight, now, regret, average):
    """Values of the deals for seat 0; learns for `seat`. reach[p]: chance times what player p did, by deal."""
    if node.payoff is not None:
        return node.payoff
    me, ids = node.player, node.infosets
    values, total = {}, 0
    for action, child in node.children.items():
        ahead = list(reach)
        ahead[me] = reach[me] * now[ids, action]
        values[action] = update(child, seat, ahead, weight, now, regret, average)
        total = total + now[ids, action] * values[action]
    if me == seat:
        sign = 1 if me == 0 else -1
        for action, value in values.items():
            np.add.at(regret, (ids, action), sign * reach[1 - me] * reach[2] * (value - total))
            np.add.at(average, (ids, action), weight * reach[me] * reach[2] * now[ids, action])
    return total


def best_response(node, seat, reach, policy):
    """Values of the deals for `seat`, when it answers the other's policy as well as it can; reach: chance and the other's."""
    if node.payoff is not None:
        return node.payoff if seat == 0 else -node.payoff
    ids, actions = node.infosets, list(node.children)
    if node.player != seat:
        return sum(policy[ids, a] * best_response(node.children[a], seat, reach * policy[ids, a], policy) for a in actions)
    values = np.array([best_response(node.children[a], seat, reach, policy) for a in actions])
    sums = np.zeros((len(actions), ids.max() + 1))
    for k in range(len(actions)):
        np.add.at(sums[k], ids, reach * values[k])
    return values[sums.argmax(0)[ids], np.arange(len(ids))]


def exploitability(root, chance, policy):
    """Half of what both could win by knowing the policy, in chips a hand: 0 is an equilibrium."""
    return sum((chance * best_response(root, seat, chance, policy)).sum() for seat in (0, 1)) / 2


def value_of(node, policy):
    if node.payoff is not None:
        return node.payoff
    return sum(policy[node.infosets, a] * value_of(child, policy) for a, child in node.children.items())


def mark_legal(node, legal):
    for action, child in node.children.items():
        legal[node.infosets, action] = 1
        mark_legal(child, legal)


def solve(name, iterations, report=True):
    root, chance, keys, game = read_tree(name)
    legal = np.zeros((len(keys.known), game.num_actions))
    mark_legal(root, legal)
    regret, average = np.zeros_like(legal), np.zeros_like(legal)
    ones = np.ones_like(chance)
    for k in range(1, iterations + 1):
        for seat in (0, 1):
            update(root, seat, (ones, ones, chance), k, normalised(regret, legal), regret, average)
            np.maximum(regret, 0, out=regret)
        if report and k in (1, 10, 30, 100, 300, iterations):
            print(f"{k:5} iterations: exploitability {exploitability(root, chance, normalised(average, legal)):.5f}", flush=True)
    policy = normalised(average, legal)
    return policy, keys, exploitability(root, chance, policy), (chance * value_of(root, policy)).sum()


def play(path):
    with np.load(path) as file:
        game, table = str(file["game"]), dict(zip((bytes(k) for k in file["keys"]), file["policy"]))
    keys, rng = Keys(agon.vec(game).game), np.random.default_rng()
    agon.program.run(lambda row, mask: rng.choice(len(mask), p=table[keys.of(row)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="?", choices=DECKS, default="kuhn_poker")
    parser.add_argument("--play", metavar="FILE", help="answer agon match with a solved game")
    parser.add_argument("--out", metavar="FILE", help="write the policy here")
    parser.add_argument("--iterations", type=int)
    args = parser.parse_args()
    if args.play:
        return play(args.play)
    began = time.process_time()
    policy, keys, gap, value = solve(args.game, args.iterations or ITERATIONS[args.game])
    print(f"{args.game}: {len(policy)} information sets, exploitability {gap:.5f}, value of the first seat {value:+.5f}, "
          f"{time.process_time() - began:.0f} s of CPU")
    if args.out:
        np.savez_compressed(args.out, game=args.game, policy=policy, keys=[np.frombuffer(k, np.uint8) for k in keys.known])


if __name__ == "__main__":
    main()
