#!/usr/bin/env python3
"""Speed of agon from Python beside other libraries, in one run: prints the tables of docs/performance.md.

Usage: compare_python.py [--seconds S] [--puffer FOLDER]; needs agon on PYTHONPATH and the packages of test/bench/requirements.txt.

Every line is uniformly random legal play, new episodes included, one thread, CPU time, the best of turns that alternate between all
lines. agon steps 1,024 environments and writes observation, legal mask, rewards, the acting seat and what else a Vec binds into
arrays: its newest vector as float32 and as uint8, and its first one as float32. The last row of an episode is left out: no other
library has it beside the first row of the next. The others have one environment. "as arrays" does the same work: the observation,
the legal mask and the rewards of each step are put into arrays that were made before. "bare" leaves the lists that OpenSpiel returns
as they are and asks for no mask and no rewards, which is less than a learner needs. OpenSpiel shows its information state where a game
has one, else its observation. RLCard and PettingZoo return arrays of their own.

--puffer: the folder with tetris.h of an unpacked source distribution of pufferlib. It is compiled with a stub in place of its renderer
and steps 1,024 environments in one call, actions drawn by numpy as its learners give them.

Exit status 1: a goal is missed: agon with float32 and its newest vector at least 50 times as fast as each library "as arrays", and
ahead of PufferLib with float32 and with uint8.
"""
import argparse
import ctypes
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

import agon

ENVS = 1024
rng = random.Random(1)


def ours(game, **options):
    v = agon.vec(game, ENVS, autoreset="same_step", seed=1, **options)
    v.unbind("final_observations")
    v.reset()

    def play(steps):
        for _ in range(max(1, steps // ENVS)):
            v.step(v.sample())
        return max(1, steps // ENVS) * ENVS

    return play


def shown_by(game):
    """The tensor of a state that a learner reads, and its size."""
    if game.get_type().provides_information_state_tensor:
        return lambda state: state.information_state_tensor(), game.information_state_tensor_size()
    return lambda state: state.observation_tensor(), game.observation_tensor_size()


def openspiel(text, arrays=True):
    import pyspiel

    game = pyspiel.load_game(text)
    show, size = shown_by(game)
    row, mask = np.zeros(size, np.float32), np.zeros(game.num_distinct_actions(), np.int8)
    rewards = np.zeros(game.num_players(), np.float32)

    def decide(state):
        shown = show(state)
        if arrays:
            row[:], mask[:], rewards[:] = shown, state.legal_actions_mask(), state.rewards()
        state.apply_action(rng.choice(state.legal_actions()))

    def play(steps):
        state, done = game.new_initial_state(), 0
        while done < steps:
            if state.is_terminal():
                rewards[:] = state.rewards() if arrays else state.returns()
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[rng.randrange(len(outcomes))][0])
            else:
                decide(state)
                done += 1
        return done

    return play


def openspiel_bare(text):
    return openspiel(text, arrays=False)


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


def puffer(folder, drops):
    """PufferLib's C Tetris: any of its seven actions, or hard drops alone."""
    here = pathlib.Path(__file__).resolve().parent / "python"
    with tempfile.TemporaryDirectory() as made:
        library = pathlib.Path(made) / "puffer.so"
        subprocess.run(["cc", "-O3", "-w", "-shared", "-fPIC", f"-I{here}/stub", f"-I{folder}", here / "puffer.c", "-o", library, "-lm"],
                       check=True)  # fmt: skip
        batch = ctypes.CDLL(str(library))
    batch.puffer_open.restype = ctypes.c_void_p
    batch.puffer_actions.argtypes, batch.puffer_actions.restype = [ctypes.c_void_p], ctypes.POINTER(ctypes.c_int * ENVS)
    batch.puffer_step.argtypes = [ctypes.c_void_p]
    opened = batch.puffer_open(ENVS)
    actions = np.ctypeslib.as_array(batch.puffer_actions(opened).contents)
    actions[:] = 5  # hard drop
    draws = np.random.default_rng(1)

    def play(steps):
        for _ in range(max(1, steps // ENVS)):
            if not drops:
                actions[:] = draws.integers(0, 7, ENVS, np.int32)
            batch.puffer_step(opened)
        return max(1, steps // ENVS) * ENVS

    return play


# The comparable game of each library, and which of ours it stands beside.
POKER = ("universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=100 50,firstPlayer=2 1 1 1,numSuits=4,numRanks=13,"
         "numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000,bettingAbstraction=fcpa)")  # fmt: skip
LINES = [
    ("Liar's Dice, 2 players", "liars_dice", dict(scenario="duel"), [
        ("OpenSpiel liars_dice(numdice=5)", openspiel, "liars_dice(numdice=5)"),
        ("the same, bare", openspiel_bare, "liars_dice(numdice=5)")]),
    ("Leduc poker", "leduc_poker", {}, [
        ("OpenSpiel leduc_poker", openspiel, "leduc_poker"), ("the same, bare", openspiel_bare, "leduc_poker"),
        ("RLCard leduc-holdem", rlcard, "leduc-holdem"), ("PettingZoo leduc_holdem_v4", pettingzoo, "leduc_holdem_v4")]),
    ("No-limit hold'em, 2 players", "texas_holdem", dict(scenario="heads_up"), [
        ("OpenSpiel universal_poker", openspiel, POKER), ("the same, bare", openspiel_bare, POKER),
        ("RLCard no-limit-holdem", rlcard, "no-limit-holdem"),
        ("PettingZoo texas_holdem_no_limit_v6", pettingzoo, "texas_holdem_no_limit_v6")]),
    ("Belote; trick-taking", "belote", {}, [
        ("OpenSpiel euchre", openspiel, "euchre"), ("OpenSpiel skat", openspiel, "skat"), ("the same, bare", openspiel_bare, "skat"),
        ("RLCard bridge", rlcard, "bridge")]),
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


def compare_game(title, game, options, others, seconds):
    """Prints a row for each library; the smallest ratio of those that do the same work, or None."""
    found, plays = [], [ours(game, dtype=dtype, vector=vector, **options) for dtype, vector in OURS]
    for label, make, name in others:
        try:
            plays.append(make(name))
            found.append((label, make is not openspiel_bare))
        except Exception as error:  # not installed, or it lacks a dependency of its own
            print(f"compare: {label} cannot be made: {error}", file=sys.stderr)
    rates = measure(plays, seconds)
    own, least = rates[: len(OURS)], None
    for (label, counts), rate in zip(found, rates[len(OURS):]):
        times = [mine / rate for mine in own]
        least = min(least or times[0], times[0]) if counts else least
        print(f"| {title} | {label} | {write_rate(rate)} | {' | '.join(map(write_rate, own))} |"
              f" {times[0]:.0f}, {times[1]:.0f} and {times[2]:.0f} times |", flush=True)  # fmt: skip
    return least


def compare_puffer(folder, seconds):
    """Prints a row for each pace; whether agon is ahead in both."""
    print("\n| tetris | PufferLib | agon, float32, vector 1 | uint8 | times |\n" + "|---" * 5 + "|")
    ahead = True
    for title, pace, drops in [("one action and a tick", "inputs", False), ("placements; PufferLib: hard drops", "placements", True)]:
        plays = [puffer(folder, drops)] + [ours("tetris", pace=pace, vector=1, dtype=dtype) for dtype in ("float32", "uint8")]
        theirs, floats, octets = measure(plays, seconds)
        ahead &= min(floats, octets) > theirs
        print(f"| {title} | {write_rate(theirs)} | {write_rate(floats)} | {write_rate(octets)} |"
              f" {floats / theirs:.2f} and {octets / theirs:.2f} |", flush=True)  # fmt: skip
    return ahead


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of each line")
    parser.add_argument("--puffer", metavar="FOLDER", help="with tetris.h of PufferLib: ocean/tetris of its source distribution")
    args = parser.parse_args()
    print("| game | library | steps/s | agon, float32 | uint8 | float32, vector 1 | agon is faster |\n" + "|---" * 7 + "|")
    ratios = [compare_game(*line, args.seconds) for line in LINES]
    ratios = [ratio for ratio in ratios if ratio is not None]
    if not ratios:
        print("compare: no other library is installed", file=sys.stderr)
        return 2
    ahead = not args.puffer or compare_puffer(args.puffer, args.seconds)
    return 0 if min(ratios) >= 50 and ahead else 1


if __name__ == "__main__":
    sys.exit(main())
