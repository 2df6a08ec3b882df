#!/usr/bin/env python3
"""bench.py: what the Python package costs, in CPU time. `make python` first; the interpreter needs gymnasium and pettingzoo.

Batches of 1,024 environments in turns with the same loop in C (loop.c with build/libagon.so) and with the same batch on two threads,
Gymnasium's single environments through make() with the wrappers that it adds by default (PassiveEnvChecker, OrderEnforcing), PettingZoo's
class. The best of each counts. "two" is steps per CPU second of two threads, times two, over those of one: 2 when the work does not grow.
"""

import ctypes
import importlib
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "out/python"))

import agon  # noqa: E402
import agon.gym  # noqa: E402
import agon.zoo  # noqa: E402
import gymnasium  # noqa: E402

ENVS, STEPS, TURNS = 1024, 60, 15
SINGLE, SINGLE_TURNS = 20_000, 7


def load_loop():
    """The loop in C; libagon is the one of the optimised build."""
    subprocess.run(["ninja", "-C", ROOT / "build", "libagon"], check=True, stdout=subprocess.DEVNULL)
    made = ROOT / "out/vec_loop.so"
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", made, ROOT / "test/bench/python/loop.c", f"-I{ROOT}/include",
                    f"-L{ROOT}/build", "-lagon", f"-Wl,-rpath,{ROOT}/build"], check=True)  # fmt: skip
    library = ctypes.CDLL(str(made))
    library.loop_open.restype = ctypes.c_void_p
    library.loop_open.argtypes = [ctypes.c_char_p, ctypes.c_uint32]
    library.loop_run.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    return library


def seconds(call):
    begun = time.process_time()
    call()
    return time.process_time() - begun


def in_python(game, threads):
    """A call that steps a batch."""
    v = agon.vec(game, ENVS, autoreset="same_step", threads=threads)
    v.reset()
    step, sample = v.step, v.sample

    def play():
        for _ in range(STEPS):
            step(sample())

    return play


def batch(library, game):
    """Steps a second in C, in Python, and how many times as many two threads would make on processors of their own."""
    loop = library.loop_open(game.encode(), ENVS)
    one, two = in_python(game, 0), in_python(game, 2)
    best = [min(times) for times in zip(*((seconds(lambda: library.loop_run(loop, STEPS)), seconds(one), seconds(two))
                                          for _ in range(TURNS)))]  # fmt: skip
    return ENVS * STEPS / best[0], ENVS * STEPS / best[1], 2 * best[1] / best[2]


def gym_single(game):
    """Steps a second through make(), resets at ends included."""
    env = gymnasium.make(agon.gym._id(game), house="random" if game.max_seats > 1 else None)
    env.reset(seed=1)
    step, reset = env.step, env.reset
    actions = [game.num_actions - 1, 1, 2]  # legal or the fallback: what a learner would cost is not ours

    def play():
        for i in range(SINGLE):
            _, _, terminated, truncated, _ = step(actions[i % 3])
            if terminated or truncated:
                reset()

    return SINGLE / min(seconds(play) for _ in range(SINGLE_TURNS))


def zoo_single(game):
    """last() and step() a second, of the class."""
    env = importlib.import_module(f"agon.zoo.{game.name}_v0").raw_env()
    env.reset(seed=1)
    step, last, reset = env.step, env.last, env.reset
    actions = [game.num_actions - 1, 1, 2]

    def play():
        for i in range(SINGLE):
            _, _, terminated, truncated, _ = last()
            if terminated or truncated:
                reset()
            else:
                step(actions[i % 3])

    return SINGLE / min(seconds(play) for _ in range(SINGLE_TURNS))


def main():
    library = load_loop()
    print(f"{'steps/s':14s} {'C, M':>8s} {'Python, M':>10s} {'share':>6s} {'two':>5s} {'make(), k':>10s} {'PettingZoo, k':>14s}")
    for game in agon.games():
        c, python, two = batch(library, game.name)
        print(f"{game.name:14s} {c / 1e6:8.2f} {python / 1e6:10.2f} {python / c:6.1%} {two:5.2f} {gym_single(game) / 1e3:10.0f}"
              f" {zoo_single(game) / 1e3:14.0f}", flush=True)  # fmt: skip


main()
