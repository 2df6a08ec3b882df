"""What the tests share."""

import os
import pathlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait by spinning; numpy reads this when it is imported

import agon
import numpy as np
import pytest

GAMES = [game.name for game in agon.games()]

ROOT = pathlib.Path(__file__).parents[2]
AGON = os.environ.get("AGON") or str(ROOT / "out/dev/agon")


def some_legal(rng, masks):
    """A legal action for each row, from a generator."""
    return (masks * rng.random(masks.shape)).argmax(axis=1).astype(np.int32)


def some_action(rng, masks, illegal=0.1):
    """Mostly legal; now and then any number of the game."""
    actions = some_legal(rng, masks)
    wild = rng.random(len(actions)) < illegal
    actions[wild] = rng.integers(masks.shape[1], size=int(wild.sum()))
    return actions


@pytest.fixture(params=GAMES)
def game(request):
    return request.param
