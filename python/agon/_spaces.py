"""What the adapters of Gymnasium and PettingZoo share: spaces, house players, checks of actions."""

import operator

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from . import _agon
from ._vec import HOUSE, Vec, _mapping, _word

ILLEGAL = {"fallback": "fallback", "forfeit": "forfeit", "refuse": "refuse", "error": "refuse"}
MASK = {"info": False, "obs": True}


def row_box(v, copies=1):
    """The space of a row: the bounds of its elements, in the dtype of the observations."""
    dtype = v.observations.dtype
    elements = v.game.elements
    if dtype == np.uint8:
        low = np.zeros(len(elements), np.uint8)
        high = np.array([min(255, round((e.high - e.low) / e.step)) for e in elements], np.uint8)
    else:
        low = np.array([e.low for e in elements], np.float32)
        high = np.array([e.high for e in elements], np.float32)
    return Box(np.tile(low, copies), np.tile(high, copies), dtype=dtype.type)


def with_mask(box, actions):
    """The space of a row with its mask beside it."""
    return Dict({"observation": box, "action_mask": Box(0, 1, (actions,), np.int8)})


def action_number(v):
    return Discrete(v.game.num_actions)


def illegal_word(word):
    """The library's policy for illegal actions, and whether the adapter raises."""
    return _word("illegal", word, ILLEGAL), word == "error"


def action_index(action):
    """The action as an int, or a TypeError that says what it is."""
    try:
        return operator.index(action)
    except TypeError:
        raise TypeError(f"action must be an integer, not {type(action).__name__}") from None


def is_legal(mask, action):
    number = action_index(action)
    return 0 <= number < len(mask) and bool(mask[number])


def refuse_words(config, words, why):
    """Raises for words of agon.vec that would change what an adapter relies on."""
    for word in sorted(config.keys() & words):
        raise TypeError(f"{word} cannot be chosen here: {why}")


def refuse_action(v, env, action, seat=None):
    """Raises for an action that is not legal, before anything has moved (V46)."""
    is_known = 0 <= action < v.game.num_actions
    why = "not legal now" if is_known else f"not one of 0 to {v.game.num_actions - 1}"
    error = _agon.Error(f"environment {env}, seat {v.asked[env] if seat is None else seat}: action {action} is {why}")
    error.status = -30 if is_known else -31
    raise error


def house_of(game, seat, house, seats):
    """House players by seat for everybody but the learner; by default "rules" where a game has it."""
    if house is None:
        bots = _agon.get_game(game)["bots"]
        house = "rules" if "rules" in bots else bots[0]
    if not isinstance(house, str):
        return {s: bot for s, bot in _mapping("house", house, HOUSE).items() if s != seat}
    return {s: house for s in range(seats) if s != seat}


def count_seats(game, **config):
    """How many seats a configuration has: the library knows."""
    with Vec(game, **config) as v:
        return v.seats


def print_text(text):
    print(text, flush=True)
