#!/usr/bin/env python3
"""Speed of agon from Python beside other libraries, in one run: prints a table for docs/performance.md.

Usage: compare_python.py [--seconds S]; needs agon on PYTHONPATH and the packages of test/bench/requirements.txt. Every line is
uniformly random legal play with the observation and the legal actions of the acting player, new episodes included, one thread, CPU
time, the best of turns that alternate between all lines. agon plays 1,024 environments and shows its newest vector, as float32 and as
uint8, and its first, without history, as float32; the others have one environment. Exit status 1: agon with uint8 is less than 50 times as fast as one of them.
"""
import argparse
import random
import sys
import time

import numpy as np

import agon

ENVS = 1024
rng = random.Random(1)


def ours(game, **options):
    v = agon.vec(game, ENVS, autoreset="same_step", seed=1, **options)
    v.reset()

    def play(steps):
        for _ in range(max(1, steps // ENVS)):
            v.step(v.sample())
        return max(1, steps // ENVS) * ENVS

    return play


def openspiel(text):
    import pyspiel

    game = pyspiel.load_game(text)

    def play(steps):
        state, done = game.new_initial_state(), 0
        while done < steps:
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[rng.randrange(len(outcomes))][0])
            else:
                state.information_state_tensor() if game.get_type().provides_information_state_tensor else state.observation_tensor()
                state.apply_action(rng.choice(state.legal_actions()))
                done += 1
        return done

    return play


def rlcard(name):
    import rlcard as library

    env = library.make(name, config={"seed": 1})

    def play(steps):
        state, _ = env.reset()
        for _ in range(steps):
            if env.is_over():
                env.get_payoffs()
                state, _ = env.reset()
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
        return steps

    return play


def pettingzoo(name):
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{name}").raw_env()

    def play(steps):
        env.reset(seed=rng.randrange(1 << 30))
        for _ in range(steps):
            if not env.agents:
                env.reset(seed=rng.randrange(1 << 30))
            observation, _, ended, cut, _ = env.last()
            env.step(None if ended or cut else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        return steps

    return play


# The comparable game of each library, and which of ours it stands beside.
LINES = [
    ("Liar's Dice, 2 players", "liars_dice", dict(scenario="duel"), [
        ("OpenSpiel liars_dice(numdice=5)", openspiel, "liars_dice(numdice=5)")]),
    ("Leduc poker", "leduc_poker", {}, [
        ("OpenSpiel leduc_poker", openspiel, "leduc_poker"), ("RLCard leduc-holdem", rlcard, "leduc-holdem"),
        ("PettingZoo leduc_holdem_v4", pettingzoo, "leduc_holdem_v4")]),
    ("No-limit hold'em, 2 players", "texas_holdem", dict(scenario="heads_up"), [
        ("OpenSpiel universal_poker", openspiel,
         "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=100 50,firstPlayer=2 1 1 1,numSuits=4,numRanks=13,"
         "numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000,bettingAbstraction=fcpa)"),
        ("RLCard no-limit-holdem", rlcard, "no-limit-holdem"),
        ("PettingZoo texas_holdem_no_limit_v6", pettingzoo, "texas_holdem_no_limit_v6")]),
    ("Belote; trick-taking", "belote", {}, [
        ("OpenSpiel euchre", openspiel, "euchre"), ("OpenSpiel skat", openspiel, "skat"), ("RLCard bridge", rlcard, "bridge")]),
]  # fmt: skip


OURS = [("float32", 0), ("uint8", 0), ("float32", 1)]  # dtype, vector; 0 is the newest


def measure(plays, seconds):
    """Steps per CPU second of each, in turns."""
    best, size = [0.0] * len(plays), [64] * len(plays)
    end = time.process_time() + seconds * len(plays)
    while time.process_time() < end:
        for k, play in enumerate(plays):
            began = time.process_time()
            done = play(size[k])
            took = max(time.process_time() - began, 1e-9)
            best[k] = max(best[k], done / took) if took > 0.02 else best[k]
            size[k] = max(64, int(size[k] * min(4.0, 0.05 / took)))
    return best


def write_rate(rate):
    return f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate / 1e3:.1f} k"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of each line")
    args = parser.parse_args()
    print("| game | library | steps/s | agon, float32 | uint8 | float32, vector 1 | agon is faster |\n" + "|---" * 7 + "|")
    slowest = None
    for title, game, options, others in LINES:
        found, plays = [], [ours(game, dtype=dtype, vector=vector, **options) for dtype, vector in OURS]
        for label, make, name in others:
            try:
                plays.append(make(name))
                found.append(label)
            except Exception as error:  # not installed, or it lacks a dependency of its own
                print(f"compare: {label} cannot be made: {error}", file=sys.stderr)
        rates = measure(plays, args.seconds)
        for label, rate in zip(found, rates[len(OURS):]):
            ratios = [own / rate for own in rates[: len(OURS)]]
            slowest = ratios[1] if slowest is None else min(slowest, ratios[1])
            own = " | ".join(map(write_rate, rates[: len(OURS)]))
            print(f"| {title} | {label} | {write_rate(rate)} | {own} | {ratios[0]:.0f}, {ratios[1]:.0f} and {ratios[2]:.0f} times |", flush=True)
    if slowest is None:
        print("compare: no other library is installed", file=sys.stderr)
        return 2
    return 0 if slowest >= 50 else 1  # the goal


if __name__ == "__main__":
    sys.exit(main())
