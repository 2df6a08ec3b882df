"""The batch: V41 to V47, and what is refused."""

import doctest
import gc
import os
import pathlib
import subprocess
import sys
import threading
import time
import weakref

import agon
import agon._vec
import numpy as np
import pytest

from conftest import GAMES, some_action, some_legal

ARRAYS = ["observations", "masks", "rewards", "unpaid", "own_reward", "asked", "terminated", "truncated", "returns",
          "lengths", "errors", "ticks", "hashes"]  # fmt: skip


def played(v, steps, seed=3):
    """All that a batch shows in so many steps, with actions from its masks."""
    rng = np.random.default_rng(seed)
    v.reset()
    v.hashes
    shown = []
    for _ in range(steps):
        v.step(some_action(rng, v.masks))
        shown.append({name: getattr(v, name).copy() for name in ARRAYS})
    return shown


# ---- The arrays ------------------------------------------------------------------------------------------------------


def test_arrays_are_bound_once_and_aligned(game):
    """V41, V45: the same arrays after every step, from 64-byte addresses; V44: their types."""
    v = agon.vec(game, 5, tokens=8, autoreset="same_step")
    before = {name: getattr(v, name) for name in ARRAYS + ["actions", "tokens", "final_observations"]}
    v.reset(seed=1)
    assert v.step(v.sample()) == 0
    for name, array in before.items():
        assert getattr(v, name) is array
        assert array.ctypes.data % 64 == 0, name
    assert v.observations.dtype == np.float32 and v.observations.shape == (5, len(v.game.elements))
    assert v.masks.dtype == np.int8 and v.masks.shape == (5, v.game.num_actions)
    assert v.tokens.dtype == np.int16 and v.tokens.shape == (5, 8, 4)
    assert v.terminated.dtype == v.truncated.dtype == np.bool_
    assert v.rewards.shape == v.unpaid.shape == v.returns.shape == (5, v.seats)
    assert v.components.shape == (5, v.seats, len(v.game.components))


def test_masks_serve_sampling_of_gymnasium(game):
    """V44: Discrete.sample takes no mask but int8."""
    gymnasium = pytest.importorskip("gymnasium")
    v = agon.vec(game, 3)
    v.reset(seed=1)
    space = gymnasium.spaces.Discrete(v.game.num_actions, seed=1)
    assert v.masks[0][space.sample(v.masks[0])] == 1


def test_arrays_are_shared_through_dlpack():
    """V43."""
    v = agon.vec("coup", 4)
    v.reset(seed=1)
    shared = np.from_dlpack(v.observations)
    assert shared.ctypes.data == v.observations.ctypes.data
    v.step(v.sample())
    assert (shared == v.observations).all()


def test_dtype_uint8(game):
    """V33: the elements lead back."""
    a, b = agon.vec(game, 4, seed=2), agon.vec(game, 4, seed=2, dtype=np.uint8)
    a.reset(), b.reset()
    low = np.array([e.low for e in a.game.elements])
    step = np.array([e.step for e in a.game.elements])
    for _ in range(40):
        actions = some_legal(np.random.default_rng(1), a.masks)
        a.step(actions), b.step(actions)
        assert (np.abs(low + b.observations * step - a.observations) <= step + 1e-5).all()


def test_own_arrays_can_be_bound():
    """V22, V46: and what does not fit is refused, with nothing changed."""
    v = agon.vec("coup", 4, seed=1)
    n, size = v.observations.shape
    mine = np.zeros((n, size), np.float32)
    v.bind(observations=mine)
    assert v.observations is mine
    v.reset()
    assert mine.any()
    read_only = np.zeros((n, size), np.float32)
    read_only.flags.writeable = False
    raw = np.zeros(n * size * 4 + 1, np.uint8)
    for wrong, words in [
        (np.zeros((n, size), np.float64), "array of float32, not of float64"),
        (np.zeros((n, size), ">f4"), "array of float32"),
        (np.zeros((n, size + 1), np.float32), r"shape \(4, 298\)"),
        (np.zeros(n * size, np.float32), r"shape \(4, 298\)"),
        (np.zeros((n, size * 2), np.float32)[:, ::2], "C order"),
        (np.zeros((size, n), np.float32).T, "C order"),
        (read_only, "read-only"),
        (raw[1:].view(np.float32).reshape(n, size) if raw.ctypes.data % 4 == 0 else mine.astype(">f4"), "aligned|float32"),
        (v.rewards, "shape"),
        ([1, 2], "must be an array"),
        (None, "must be an array"),
    ]:
        with pytest.raises(BufferError, match=words):
            v.bind(observations=wrong)
        assert v.observations is mine
    with pytest.raises(BufferError, match="overlap"):
        v.bind(rewards=v.unpaid)
    with pytest.raises(BufferError, match="no buffer 'observation'"):
        v.bind(observation=mine)
    with pytest.raises(BufferError, match="this Vec has none"):
        v.bind(tokens=np.zeros((4, 0, 4), np.int16))
    assert v.step(v.sample()) == 0


def test_arrays_cannot_be_assigned():
    """V41: a step reads and writes the arrays that are bound; another one under their name would be ignored."""
    v = agon.vec("coup", 4, seed=1)
    v.reset()
    before = v.actions
    with pytest.raises(AttributeError, match=r"write v.actions\[:\] = ..., or step\(array\)"):
        v.actions = v.masks.argmax(axis=1)
    for name in ("observations", "hashes", "tokens"):
        with pytest.raises(AttributeError, match=rf"use bind\({name}=array\)"):
            setattr(v, name, np.zeros(4))
    v.actions += 1  # in place
    v.anything = 1
    assert v.actions is before and v.actions.tolist() == [1] * 4
    assert v.step(v.sample()) == 0


def test_arrays_that_were_refused_are_not_written():
    """V22: groups that were bound before the refusal go back to the arrays of before, whatever lies between."""
    v = agon.vec("coup", 3, groups=3, seed=1)
    pool = np.zeros((9, v.seats), np.float32)
    v.bind(rewards=pool[4:7])
    v.reset()
    with pytest.raises(BufferError, match="overlap"):
        v.bind(rewards=pool[3:6], unpaid=pool[1:4])  # what is wrong shows with the last group
    pool[:] = 7
    v.step(v.sample())
    assert (pool[4:7] == 0).all() and (pool[:4] == 7).all() and (pool[7:] == 7).all()


def test_arrays_of_pointers_are_refused():
    """Buffers with suboffsets hold addresses of rows where numbers would be read."""
    made = pytest.importorskip("_testbuffer")
    v = agon.vec("coup", 3, illegal="fallback")
    v.reset(seed=1)
    start = v.hashes.copy()
    with pytest.raises(BufferError):
        v.step(made.ndarray([0, 0, 0], shape=[3], format="i", flags=made.ND_PIL))
    assert (v.hashes == start).all()


def test_a_result_that_is_left_out_is_not_written():
    v, plain = (agon.vec("leduc_poker", 8, seed=3, autoreset="same_step") for _ in range(2))
    kept = v.final_observations
    v.hashes
    v.unbind("final_observations", "unpaid", "hashes")
    assert v.final_observations is None and v.unpaid is None and v.hashes is None
    v.reset(), plain.reset()
    for _ in range(30):
        plain.step(v.sample())
        assert v.step() == 0
        for name in ("observations", "masks", "rewards", "terminated", "own_reward", "asked_set", "returns", "lengths"):
            assert np.array_equal(getattr(v, name), getattr(plain, name)), name
    assert plain.final_observations.any() and not kept.any()
    v.bind(final_observations=kept)
    for _ in range(30):
        v.step(v.sample())
    assert kept.any() and v.final_observations is kept
    for wrong in ("actions", "observation"):
        with pytest.raises(BufferError, match=f"'{wrong}' is no result; results: observations, masks"):
            v.unbind("rewards", wrong)
    assert v.rewards is not None
    assert v.step(v.sample()) == 0


def test_bound_arrays_outlive_the_vec():
    v = agon.vec("tetris", 2)
    v.reset(seed=1)
    rows = v.observations
    copy = rows.copy()
    v.close()
    del v
    gc.collect()
    assert (rows == copy).all()


# ---- Play ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [0, 1, 2, 4])
def test_a_batch_equals_one_by_one(game, threads):
    """Same seeds, actions: same rows, masks, rewards, hashes, for any number of threads (V12, V24)."""
    n, steps = 6, 60
    for mode in ("next_step", "same_step"):
        batch = agon.vec(game, n, seed=11, threads=threads, autoreset=mode, illegal="fallback", max_steps=25)
        rng = np.random.default_rng(5)
        ones = [agon.vec(game, 1, seed=11 + i, autoreset=mode, illegal="fallback", max_steps=25) for i in range(n)]
        for v in [batch, *ones]:
            v.reset()
            v.hashes
        for _ in range(steps):
            actions = some_action(rng, batch.masks)
            batch.step(actions)
            for i, one in enumerate(ones):
                one.step(actions[i : i + 1])
                for name in ARRAYS:
                    assert (getattr(batch, name)[i] == getattr(one, name)[0]).all(), (mode, name)


def test_seeds():
    """V13, V14: a number is seed + i, a list gives each its own, nothing goes on with the chain."""
    a, b = agon.vec("coup", 4, seed=9), agon.vec("coup", 4)
    a.reset(), b.reset(seed=9)
    assert (a.hashes == b.hashes).all()
    b.reset(seed=[9, 10, 11, 12])
    assert (a.hashes == b.hashes).all()
    a.reset(), b.reset()
    assert (a.hashes == b.hashes).all()
    b.reset(which=np.array([False, True, False, False]))
    assert (a.hashes == b.hashes).tolist() == [True, False, True, True]
    assert agon.vec("coup", 2, seed=2**64 - 1).num_envs == 2
    for wrong in (-1, 2**64, [1, 2, 3], [1, 2, 3, -4]):
        with pytest.raises(agon.Error, match="seed"):
            b.reset(seed=wrong)
    with pytest.raises(TypeError, match="seed must be an integer"):
        b.reset(seed=1.5)
    for wrong in (np.ones(4), np.ones(3, bool), [True, 2, 3, 4]):
        with pytest.raises(BufferError, match="which must be an array of 4 bool"):
            b.reset(which=wrong)


def test_sampling_repeats_with_the_seed():
    """V15."""
    v = agon.vec("liars_dice", 8)
    drawn = []
    for _ in range(2):
        v.reset(seed=4)
        drawn.append([])
        for _ in range(10):
            assert v.sample() is v.actions
            drawn[-1] += v.actions.tolist()
            assert v.step() == 0
    assert drawn[0] == drawn[1]


def test_actions_may_be_any_integers():
    v = agon.vec("coup", 4, illegal="refuse")
    v.reset(seed=1)
    legal = v.masks.argmax(axis=1)
    start = v.hashes.copy()
    shown = set()
    for given in [legal.astype(t) for t in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")] + [
        legal.tolist(),
        np.repeat(legal, 3)[::3],
        np.stack([legal] * 2, axis=1).astype(np.int32)[:, 1],
        memoryview(legal.astype(np.int32)),
    ]:
        v.reset(seed=1)
        assert (v.hashes == start).all()
        assert v.step(given) == 0
        shown.add(v.hashes.tobytes())
    assert len(shown) == 1
    v.reset(seed=1)
    assert v.step(np.array([2**40, -(2**40), 2**63 - 1, -1])) == 4
    assert (v.errors == -31).all() and (v.hashes == start).all()


def test_actions_may_be_a_part_of_the_bound_array():
    """V43: what is given is played, also if it is the Vec's own array in another order or as another type."""
    v = agon.vec("coup", 8, illegal="fallback")
    v.reset(seed=1)
    v.actions[:] = range(8)
    v.step(v.actions[::-1])
    assert v.actions.tolist() == list(range(7, -1, -1))
    v.step(v.actions.view(np.int16)[1::2])  # the upper halves
    assert v.actions.tolist() == [0] * 8


@pytest.mark.parametrize("rows", ["asked", "seats"])
def test_wrong_actions_are_refused(rows):
    """V46: BufferError, and nothing has moved."""
    v = agon.vec("coup", 3, rows=rows)
    v.reset(seed=1)
    start = v.hashes.copy()
    for wrong in (np.zeros(3 if rows == "seats" else 12), np.zeros(v.rows), np.zeros((v.rows, 1), np.int32), 5, [1], "abc",
                  ["a"] * v.rows, [[1], [2, 3]], np.zeros(0, np.int32), np.array([None] * v.rows), np.zeros(v.rows, "U1"),
                  np.zeros(v.rows, complex), object()):  # fmt: skip
        with pytest.raises(BufferError, match="actions must"):
            v.step(wrong)
    for dtype, says in ((">i4", "byte order.* not >i"), ("f2", "not float16"), ("O", "not object")):
        with pytest.raises(BufferError, match=says):
            v.step(np.zeros(v.rows, dtype))
    with pytest.raises(TypeError, match="one array of actions"):
        v.step(v.actions, v.actions)
    assert (v.hashes == start).all()
    if rows == "seats":
        assert v.step(np.zeros((3, v.seats), np.int32)) == 3  # nobody may wait who is asked


def test_policies_for_illegal_actions(game):
    """V20: its environment alone is concerned."""
    for illegal in ("refuse", "fallback", "forfeit"):
        v = agon.vec(game, 4, illegal=illegal, autoreset="disabled")
        v.reset(seed=3)
        start = v.hashes.copy()
        actions = some_legal(np.random.default_rng(1), v.masks)
        wrong = np.flatnonzero(v.masks[2] == 0)[-1]
        actions[1], actions[2] = 10_000, wrong
        assert v.step(actions) == 2
        assert v.errors.tolist() == [0, -31, -30, 0]
        moved = (v.hashes != start).tolist()
        assert moved[0] and moved[3]
        assert moved[1] == moved[2] == (illegal != "refuse")
        if illegal == "refuse":
            assert not v.rewards[1:3].any()


def test_sampling_of_one_group():
    """V15, V25: a group can be drawn for while another is under way; what draws for all is refused whole."""
    a, b = (agon.vec("coup", 8, seed=5, groups=2, threads=1) for _ in range(2))
    a.reset(), b.reset()
    for _ in range(20):
        assert a.sample(0) is a.actions
        a.send(0)
        before = a.actions.copy()
        for wrong in (a.sample, lambda: a.sample(None), lambda: a.sample(0)):
            with pytest.raises(RuntimeError, match="sent"):
                wrong()
        assert (a.actions == before).all()
        a.sample(1)
        assert (a.actions[:4] == before[:4]).all()
        assert a.receive(0) == 0
        a.send(1)
        assert a.receive(1) == 0
        assert b.step(b.sample()) == 0
        assert (a.hashes == b.hashes).all()
    with pytest.raises(agon.Error, match="group must be 0 to 1"):
        a.sample(2)
    a.close(), b.close()


def test_groups():
    """V25, V26: groups are sent and received apart, and show what one batch shows."""
    for threads in (0, 2):
        a = agon.vec("coup", 8, seed=5, groups=2, threads=threads, illegal="fallback")
        b = agon.vec("coup", 8, seed=5, illegal="fallback")
        a.reset(), b.reset()
        for v in (a, b):
            v.hashes
        rng = np.random.default_rng(2)
        for _ in range(50):
            a.actions[:] = some_action(rng, a.masks)
            b.step(a.actions)
            a.send(0), a.send(1)
            for call in (lambda: a.send(0), a.step, a.refresh, lambda: a.step(b.actions), lambda: a.bind(rewards=a.rewards)):
                with pytest.raises(RuntimeError):
                    call()
            assert a.receive(0) + a.receive(1) == np.count_nonzero(b.errors)
            assert (a.hashes == b.hashes).all() and (a.observations == b.observations).all()
        with pytest.raises(RuntimeError):
            a.receive(1)
        with pytest.raises(agon.Error, match="group must be 0 to 1"):
            a.send(2)
        a.send(0)
        assert a.ready(0) in (True, False)
        a.close()  # waits for what was sent


def test_rows_of_seats():
    """V2: all seats that are asked answer in one step."""
    v = agon.vec("coup", 2, rows="seats")
    v.reset(seed=1)
    assert v.rows == 8 and v.observations.shape[0] == 8
    for _ in range(100):
        assert v.step(some_legal(np.random.default_rng(1), v.masks)) == 0


def test_house_players():
    """V4: one name is for every seat but 0; rotation moves them."""
    v = agon.vec("belote", 4, house="rules", rotate=True, autoreset="same_step", scenario="single_deal")
    v.reset(seed=1)
    asked = set()
    for _ in range(200):
        v.step(v.sample())
        asked |= set(v.asked.tolist())
    assert asked == {0, 1, 2, 3}
    v = agon.vec("coup", 2, house={0: "random", 2: "rules"})
    v.reset(seed=1)
    assert set(v.asked.tolist()) <= {1, 3}


def test_steps_make_no_objects():
    """V41: no Python object in a step but its result."""
    v = agon.vec("coup", 4, autoreset="same_step")
    v.reset(seed=1)
    step, sample = v.step, v.sample
    for _ in range(3):  # caches of the interpreter are warm after the first
        before = sys.getallocatedblocks()
        for _ in range(2000):
            sample()
            step()
        after = sys.getallocatedblocks()
    assert abs(after - before) <= 2


# ---- One environment -------------------------------------------------------------------------------------------------


def test_save_load_copy_apply(game):
    """V27 to V30."""
    v = agon.vec(game, 3, seed=1, autoreset="same_step")
    v.reset()
    for _ in range(5):
        v.step(v.sample())
    kept, first = v.save(0), v.hash(0)
    v.load(2, kept)
    v.copy(0, 1)
    v.refresh()
    assert v.hash(1) == v.hash(2) == first
    assert (v.observations == v.observations[0]).all()
    action = int(v.masks[0].argmax())
    rewards, over = v.apply(0, action)
    assert rewards.shape == (v.seats,) and isinstance(over, bool)
    assert v.hash(0) != first
    v.copy([1, 1], [0, 2])
    assert v.hash(0) == first
    seat = v.asked_seat(1)
    row, mask = v.row(1, seat)
    v.resample(1, seat, 99)
    again, mask_again = v.row(1, seat)
    assert (row == again).all() and (mask == mask_again).all()
    assert len(v.payoffs(0)) == v.seats
    assert v.masks[0][v.advise(0, v.game.bots[0])] == 1 and v.masks[0][v.advise(0)] == 1
    for wrong in (lambda: v.load(0, kept[:-1]), lambda: v.load(0, bytes(len(kept))), lambda: v.load(0, b""),
                  lambda: v.load(3, kept), lambda: v.save(-1), lambda: v.hash(3), lambda: v.copy([0, 1], [1]),
                  lambda: v.copy(0, 3), lambda: v.copy(-1, 0), lambda: v.resample(0, 99, 1), lambda: v.resample(0, 0, -1),
                  lambda: v.apply(0, 10_000), lambda: v.apply(0, 2**31 - 1), lambda: v.advise(0, "nobody"),
                  lambda: v.replay(0), lambda: v.row(0, 99), lambda: v.render(3), lambda: v.render(0, viewer=99),
                  lambda: v.render(mode="jpeg"), lambda: v.render(mode="rgb_array", size=(0, 5)),
                  lambda: v.asked_seat(2**70), lambda: v.payoffs(2**40)):  # fmt: skip
        with pytest.raises(agon.Error) as caught:
            wrong()
        assert caught.value.status < 0 and str(caught.value)
    before = [v.hash(i) for i in range(3)]
    for wrong in (lambda: v.copy(2**70, 0), lambda: v.copy(0, [[1]]), lambda: v.copy(np.uint64(2**63), 0)):
        with pytest.raises(agon.Error):
            wrong()
    for wrong in (lambda: v.load(0, "text"), lambda: v.save("0"), lambda: v.apply(0, 1.5), lambda: v.hash(None),
                  lambda: v.copy(0.5, 1), lambda: v.copy([0.0], [1]), lambda: v.copy(0, float("nan")), lambda: v.copy("0", 1),
                  lambda: v.copy(None, 1)):  # fmt: skip
        with pytest.raises(TypeError):
            wrong()
    v.copy([], []), v.copy(np.array([], int), ())
    assert [v.hash(i) for i in range(3)] == before


def test_rendering(game):
    v = agon.vec(game, 1)
    v.reset(seed=1)
    assert "\n" in v.render() and v.render(0, "ansi", 0)
    picture = v.render(mode="rgb_array", size=(320, 240))
    assert picture.shape == (240, 320, 3) and picture.dtype == np.uint8 and picture.any()


def test_replays():
    v = agon.vec("liars_dice", 1, scenario="duel", autoreset="same_step")
    v.record(0)
    v.reset(seed=1)
    while not v.terminated[0]:
        v.step(v.sample())
    assert len(v.replay(0)) > 100


def test_layout_by_names(game):
    """V34."""
    g = next(g for g in agon.games() if g.name == game)
    assert len({e.name for e in g.elements}) == len(g.elements)
    assert all(g.element(e.name) == e.index == i for i, e in enumerate(g.elements))
    assert all(g.action(name) == i for i, name in enumerate(g.actions))
    for wrong in (lambda: g.element("none"), lambda: g.action("none")):
        with pytest.raises(agon.Error):
            wrong()


# ---- What is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words, says", [
    ({"game": "cuop"}, "did you mean 'coup'"), ({"game": "a" + "\u00fc" * 60}, "unknown game 'a\u00fc"), ({"num_envs": 0}, "num_envs must be 1 to 1048576"),
    ({"num_envs": 2**40}, "num_envs"), ({"seats": 99}, "seats"), ({"seats": 7}, "seats"), ({"scenario": "none"}, "scenario"),
    ({"options": {"none": 1}}, "none"), ({"options": {"max_turns": "x"}}, "max_turns"), ({"seed": -1}, "seed must be 0"),
    ({"seed": 2**64}, "seed"), ({"house": "nobody"}, "nobody"), ({"house": {9: "rules"}}, "seat"),
    ({"house": {0: "rules", 1: "rules", 2: "rules", 3: "rules"}}, "at least one seat"),
    ({"vector": 9}, "versions 1 to 2"), ({"dtype": "float64"}, "dtype must be one of"), ({"rows": "all"}, "rows must be"),
    ({"autoreset": "no"}, "autoreset must be one of"), ({"illegal": "error"}, "illegal must be"), ({"pace": 1}, "pace"),
    ({"ticks": 0}, "ticks"), ({"max_steps": -1}, "max_steps"), ({"tokens": 2000}, "tokens must be 0 to 1024"),
    ({"threads": -1}, "threads"), ({"groups": 3, "num_envs": 4}, "3 equal runs"), ({"aggro": 2.0}, "aggro"),
    ({"aggro": float("nan")}, "aggro"), ({"effort": 0}, "effort"), ({"viewers_all": True, "rows": "seats"}, "viewers_all"),
])  # fmt: skip
def test_configurations_are_refused(words, says):
    """V46: agon.Error with a status and a sentence."""
    with pytest.raises(agon.Error, match=says) as caught:
        agon.vec(**{"game": "coup", **words})
    assert isinstance(caught.value, ValueError) and caught.value.status < 0


def test_wrong_types_are_refused():
    for words in ({"num_envs": 1.5}, {"seed": "1"}, {"game": 1.5}, {"scenario": 5}, {"aggro": "much"}, {"none": 1}):
        with pytest.raises((TypeError, ValueError)):
            agon.vec(**{"game": "coup", **words})
    for words, says in [
        ({"house": ["rules"]}, "house must be a name or a dict of seats and names, not list"), ({"house": 5}, "house must be"),
        ({"house": {1: 5}}, "seat 1 must have the name of a house player, not int"), ({"house": {"1": "rules"}}, "integer, not str"),
        ({"options": None}, "options must be a dict, not NoneType"), ({"options": "max_turns=5"}, "options must be a dict"),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=says):
            agon.vec("coup", **words)
    for game in (None, 3, 2**70, b"coup"):
        with pytest.raises(TypeError, match="game must be the name of a game, not"):
            agon.vec(game)
    with pytest.raises(TypeError, match="scenario must be the name of a scenario or None, not int"):
        agon.vec("coup", scenario=3)
    with pytest.raises(ValueError, match="null character"):
        agon.vec("coup", scenario="a\0b")
    with pytest.raises(ValueError, match="null character"):
        agon.vec("coup", options={"a\0": 1})
    with pytest.raises(TypeError, match="cannot be pickled"):
        import copy

        copy.deepcopy(agon.vec("coup"))
    with pytest.raises(RuntimeError):
        agon._vec._agon.Batch().step()  # never opened
    with pytest.raises(TypeError):
        agon.vec("coup")._open(None)


def test_steps_need_a_reset():
    v = agon.vec("coup", 2)
    for early in (v.step, v.sample, v.send, lambda: v.receive(), v.refresh):
        with pytest.raises(RuntimeError):
            early()
    v.reset()
    assert v.step(v.sample()) == 0


def test_everything_but_close_is_refused_after_close():
    """V46."""
    with agon.vec("coup", 2, threads=2) as v:
        v.reset(seed=1)
        kept = v.save(0)
    assert v.closed
    v.close()
    calls = [v.step, v.sample, v.send, v.receive, v.ready, v.refresh, v.reset, v.render, lambda: v.step(v.actions),
             lambda: v.save(0), lambda: v.load(0, kept), lambda: v.copy(0, 1), lambda: v.resample(0, 0, 1),
             lambda: v.apply(0, 1), lambda: v.advise(0), lambda: v.hash(0), lambda: v.replay(0), lambda: v.record(0),
             lambda: v.payoffs(0), lambda: v.asked_seat(0), lambda: v.row(0, 0), lambda: v._play(1),
             lambda: v.bind(rewards=v.rewards), lambda: v.unbind("rewards"), lambda: v.render(mode="rgb_array")]  # fmt: skip
    for call in calls:
        with pytest.raises(RuntimeError, match="closed"):
            call()
    with pytest.raises(AttributeError):
        v.hashes
    assert v.observations.any()  # the arrays stay


def test_actions_that_close_the_vec_while_they_are_read():
    """V46."""
    v = agon.vec("coup", 2, seed=1)
    v.reset()

    class Closing:
        def __array__(self, *_, **__):
            v.close()
            return np.zeros(2, np.int32)

    with pytest.raises(RuntimeError, match="closed"):
        v.step(Closing())


class Index:
    """A number that runs code when it is read."""

    def __init__(self, value, run):
        self.value, self.run = value, run

    def __index__(self):
        self.run()
        return self.value


NUMBERED = {
    "save": lambda v, i: v.save(i), "load": lambda v, i: v.load(i, v.save(0)), "apply": lambda v, i: v.apply(0, i),
    "resample": lambda v, i: v.resample(0, i, 1), "resample.seed": lambda v, i: v.resample(0, 0, i),
    "advise": lambda v, i: v.advise(0, seed=i), "hash": lambda v, i: v.hash(i), "payoffs": lambda v, i: v.payoffs(i),
    "asked_seat": lambda v, i: v.asked_seat(i), "send": lambda v, i: v.send(i), "receive": lambda v, i: v.receive(i),
    "ready": lambda v, i: v.ready(i), "render": lambda v, i: v.render(i), "record": lambda v, i: v.record(i),
    "replay": lambda v, i: v.replay(i), "_play": lambda v, i: v._play(i), "row": lambda v, i: v.row(0, i),
}  # fmt: skip


@pytest.mark.parametrize("call", NUMBERED)
def test_numbers_that_close_the_vec_while_they_are_read(call):
    """V46: RuntimeError, as after close()."""
    v = agon.vec("coup", 2, seed=1)
    v.reset()
    with pytest.raises(RuntimeError, match="closed"):
        NUMBERED[call](v, Index(0, v.close))


def test_an_array_that_points_to_its_vec_is_collected():
    """A Vec with workers that is not collected keeps its threads."""

    class Array(np.ndarray):
        pass

    v = agon.vec("coup", 4, threads=2)
    array = np.zeros_like(v.rewards).view(Array)
    array.vec = v
    v.bind(rewards=array)
    gone = weakref.ref(v)
    del v, array
    gc.collect()
    assert gone() is None


def test_a_child_process_cannot_use_the_vec():
    """V23, V46: after fork every call is refused, and closing is fine."""
    v = agon.vec("coup", 4, threads=2)
    v.reset(seed=1)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            refused = 0
            for call in (v.step, v.sample, v.reset, lambda: v.hash(0), lambda: v.save(0), v.send, v.refresh):
                try:
                    call()
                except RuntimeError as error:
                    refused += error.status == -16
            v.close()
            v.close()
            own = agon.vec("coup", 2, threads=1)
            own.reset(seed=1)
            status = 0 if refused == 7 and own.step(own.sample()) == 0 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert v.step(v.sample()) == 0


def test_a_child_of_a_busy_process():
    """V23, V46: after a fork during the step of another thread the Vec is the parent's too, and closing is fine."""
    v = agon.vec("texas_holdem", 4096, house={1: "rules"}, seed=1, autoreset="same_step")
    v.reset()
    v.sample()
    ends = []

    def run():
        while not ends:
            try:
                v.step()
            except RuntimeError:  # while this thread asks for the hash
                pass

    other = threading.Thread(target=run)
    other.start()
    deadline, is_busy = time.monotonic() + 60, False
    while not is_busy and time.monotonic() < deadline:
        try:
            v.hash(0)
        except RuntimeError:
            is_busy = True  # and a step takes far longer than to fork
    child = os.fork()
    if child == 0:
        status = 1
        try:
            v.step()
        except RuntimeError as error:
            v.close()
            status = 0 if getattr(error, "status", 0) == -16 else 2
        finally:
            os._exit(status)
    ends.append(1)
    other.join()
    assert is_busy and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    v.close()


# ---- Threads ---------------------------------------------------------------------------------------------------------


def test_vecs_in_threads_of_their_own():
    shown = {}

    def run(name):
        shown[name] = played(agon.vec("liars_dice", 32, seed=6, threads=1), 40)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alone = played(agon.vec("liars_dice", 32, seed=6), 40)
    for steps in shown.values():
        for a, b in zip(steps, alone):
            assert all((a[name] == b[name]).all() for name in ARRAYS)


def test_one_vec_in_two_threads():
    """V46: a call is made or refused with RuntimeError, and what was made is what one thread would have made."""
    v = agon.vec("coup", 512, seed=6, illegal="fallback", autoreset="same_step")
    v.reset()
    v.actions[:] = -1  # always the fallback: what happens depends on the number of steps alone
    made = [0, 0]

    def run(i):
        for _ in range(150):
            try:
                v.step()
                made[i] += 1
            except RuntimeError as error:
                assert "another thread" in str(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sum(made) > 0
    w = agon.vec("coup", 512, seed=6, illegal="fallback", autoreset="same_step")
    w.reset()
    w.actions[:] = -1
    for _ in range(sum(made)):
        w.step()
    assert (v.hashes == w.hashes).all()


class Counter(threading.Thread):
    """Counts for as long as it gets the GIL, which nobody is made to give up meanwhile."""

    def __init__(self):
        super().__init__(daemon=True)
        self.count, self.ends = 0, False
        self.interval = sys.getswitchinterval()

    def run(self):
        while not self.ends:
            self.count += 1
            time.sleep(0)

    def __enter__(self):
        self.start()
        sys.setswitchinterval(1000)
        return self

    def __exit__(self, *_):
        self.ends = True
        sys.setswitchinterval(self.interval)
        self.join()


def test_batch_steps_release_the_gil():
    """V47: and steps of single environments keep it."""
    v, one = agon.vec("coup", 4096), agon.vec("coup", 1, illegal="fallback")
    v.reset(seed=1), one.reset(seed=1)
    with Counter() as other:
        before, deadline = other.count, time.monotonic() + 120
        while other.count == before and time.monotonic() < deadline:
            v.step()
        assert other.count > before
        play, before = one._play, other.count
        for _ in range(200):
            play(1)
        assert other.count == before


# ---- The package -----------------------------------------------------------------------------------------------------


def run_python(code, *options):
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(agon.__file__).parent.parent)}
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, env=env, check=True).stdout


def test_import_takes_numpy_alone():
    """V42."""
    out = run_python(
        "import sys, numpy; before = set(sys.modules); import agon\n"
        "print(sorted({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    assert out.strip() == "['agon']"


def test_the_module_needs_no_numpy():
    """V40, V41: one file for the stable ABI, which knows nothing of numpy."""
    from agon import _agon

    assert _agon.__file__.endswith("/_agon.abi3.so")
    out = run_python(
        "import sys, importlib.machinery as m, importlib.util as u\n"
        f"spec = u.spec_from_file_location('agon._agon', {_agon.__file__!r})\n"
        "module = u.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "print(module.game_count(), 'numpy' in sys.modules)"
    )
    assert out.split() == [str(len(GAMES)), "False"]


def test_connect_and_modules_are_found_late():
    """V42: agon.connect is imported when it is asked for."""
    with pytest.raises(AttributeError, match="no attribute 'none'"):
        agon.none
    assert "connect" in agon.__all__


def test_docstrings():
    """Examples run, those of methods in C too."""
    runner = doctest.DocTestRunner()
    for thing in (agon, agon._vec, agon.Vec, agon.Vec.step, agon.Game):
        for test in doctest.DocTestFinder().find(thing, globs={}):
            runner.run(test)
    results = runner.summarize()
    assert results.failed == 0 and results.attempted > 20
    for name in dir(agon.Vec):
        assert name.startswith("_") or name in agon._vec._LAZY or getattr(agon.Vec, name).__doc__, name


def test_errors_name_what_python_has():
    """What to do instead is said in names of this package, not in those of the C interface."""
    said = []
    v = agon.vec("coup", 2)
    for call in (
        v.step,
        v.sample,
        lambda: v.hash(0),
        lambda: v.replay(0),
        lambda: (v.reset(), v.replay(0)),
        lambda: v.advise(0, "nobody"),
        lambda: agon.vec("coup", 2, house="nobody"),
        lambda: (v.send(0), v.step()),
    ):
        with pytest.raises((RuntimeError, agon.Error)) as caught:
            call()
        said.append(str(caught.value))
    v.receive(0)
    assert not [text for text in said if "agon_" in text], said
    assert all("search" in text for text in said if "nobody" in text), said
    with pytest.raises(TypeError, match="resample"):
        v.resample(0)
    with pytest.raises(TypeError, match="load"):
        v.load(0)
    v.close()
