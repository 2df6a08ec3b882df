"""Gymnasium: V50 to V58, by Gymnasium's own checks and beside its own vector environment."""

import doctest
import subprocess
import sys
import os
import pathlib
import warnings

import agon
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import agon.gym
from conftest import GAMES, some_action

IDS = dict(zip(GAMES, agon.gym.ids()))


def test_ids():
    """V50: names exist after the import, or in one call; there is no entry point."""
    for name in ("Tetris", "TexasHoldem", "LiarsDice", "Coup", "Belote", "KuhnPoker", "LeducPoker"):
        assert f"agon/{name}-v0" in gymnasium.registry
    code = ("import gymnasium\n"
            "assert 'agon/Tetris-v0' not in gymnasium.registry\n"
            "print(gymnasium.make('agon.gym:agon/Tetris-v0').reset(seed=1)[0].shape)")  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(agon.__file__).parent.parent)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True).stdout
    assert out.strip() == "(266,)"


@pytest.mark.parametrize("words", [{}, {"mask": "obs"}, {"dtype": "uint8", "seat": "rotate"}])
def test_check_env(game, words, capsys):
    """V51, V53 to V55: Gymnasium's check, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(IDS[game], **words).unwrapped)


def test_observations_stay_in_their_space(game):
    """V51: bounds and dtype of the elements, in whole matches."""
    for words in ({}, {"dtype": "uint8"}, {"mask": "obs", "vector": 1}):
        env = gymnasium.make(IDS[game], house="random", **words).unwrapped
        rng = np.random.default_rng(1)
        observation, info = env.reset(seed=1)
        for _ in range(150):
            assert observation in env.observation_space
            mask = env.action_masks()
            assert mask.dtype == np.bool_ and (mask == info["action_mask"]).all()
            if words.get("mask") == "obs":
                assert (observation["action_mask"] == mask).all()
            observation, reward, terminated, truncated, info = env.step(some_action(rng, mask[None].astype(np.int8))[0])
            assert type(reward) is float and type(terminated) is bool and type(truncated) is bool
            if terminated or truncated:
                observation, info = env.reset()


def test_reward_is_what_the_learner_earned():
    """V52: over an episode the rewards add up to the return of its seat, what the house did included."""
    for seat in (0, 2):
        env = gymnasium.make("agon/Coup-v0", seat=seat, house="random").unwrapped
        rng = np.random.default_rng(1)
        for seed in range(20):
            _, info = env.reset(seed=seed)
            total, ends = 0.0, False
            while not ends:
                _, reward, terminated, truncated, info = env.step(some_action(rng, info["action_mask"][None], 0)[0])
                total += reward
                ends = terminated or truncated
            assert total == pytest.approx(float(env.vec.returns[0, seat]), abs=1e-5)


def test_seeds_are_those_of_the_program():
    """V53: seed x is the match of seed x; resets after it go on from there; a step does not move the generator."""
    env = gymnasium.make("agon/LiarsDice-v0").unwrapped
    env.reset(seed=5)
    v = agon.vec("liars_dice", house="rules")
    v.reset(seed=5)
    assert env.vec.hash(0) == v.hash(0)
    env.reset(), v.reset()
    assert env.vec.hash(0) == v.hash(0)
    state = env.np_random.bit_generator.state
    env.step(0)
    assert env.np_random.bit_generator.state == state


def test_illegal_actions():
    """V54: played by the fallback and told in info; "error" raises before anything moves (V46)."""
    env = gymnasium.make("agon/Coup-v0").unwrapped
    env.reset(seed=1)
    info = env.step(0)[4]
    assert info["illegal"] is True
    assert "illegal" not in env.step(int(info["action_mask"].argmax()))[4]
    env = gymnasium.make("agon/Coup-v0", illegal="error").unwrapped
    env.reset(seed=1)
    before = env.vec.hash(0)
    for wrong in (0, 99, -1):
        with pytest.raises(agon.Error, match=rf"environment 0, seat 0: action {wrong} is not"):
            env.step(wrong)
    assert env.vec.hash(0) == before
    envs = gymnasium.make_vec("agon/Coup-v0", num_envs=3, illegal="error")
    _, infos = envs.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    before = [envs.unwrapped.vec.hash(i) for i in range(3)]
    actions[2] = 0
    with pytest.raises(agon.Error, match="environment 2, seat 0: action 0 is not legal now"):
        envs.step(actions)
    assert [envs.unwrapped.vec.hash(i) for i in range(3)] == before
    for wrong in (None, 1.5, [1.0] * 3, ["a"] * 3, [None] * 3):
        with pytest.raises(BufferError, match="actions must"):
            envs.step(wrong)
    for one in (env, gymnasium.make("agon/Coup-v0").unwrapped):
        one.reset(seed=1)
        for wrong in (None, 1.5, "x", float("nan"), np.float32(1), [1, 2]):
            with pytest.raises(TypeError, match=f"action must be an integer, not {type(wrong).__name__}"):
                one.step(wrong)
    assert [envs.unwrapped.vec.hash(i) for i in range(3)] == before and env.vec.hash(0) == before[0]
    assert "illegal" not in env.step(True)[4]  # an integer: 1
    with pytest.raises(agon.Error, match="illegal must be one of"):
        gymnasium.make("agon/Coup-v0", illegal="none")
    for words in ({"rows": "seats"}, {"viewers_all": True}, {"rotate": True}, {"autoreset": "same_step"}, {"seed": 1}, {"groups": 1}):
        for kind in (agon.gym.Env, agon.gym.VectorEnv):
            with pytest.raises(TypeError, match="cannot be chosen here"):
                kind("coup", **words)
    for words in ({"seat": 9}, {"render_mode": "none"}, {"mask": "none"}, {"house": "none"}, {"scenario": "none"}):
        with pytest.raises(ValueError):
            agon.gym.Env("coup", **words)


def test_rendering(capsys):
    """V55."""
    env = gymnasium.make("agon/Coup-v0", render_mode="human")
    env.reset(seed=1)
    assert env.render() is None and "seat_0" in capsys.readouterr().out
    env = gymnasium.make("agon/Coup-v0", render_mode="ansi")
    env.reset(seed=1)
    assert "seat_0" in env.render()
    env = gymnasium.make("agon/Coup-v0", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (480, 640, 3)
    env.close()
    env.close()
    envs = gymnasium.make_vec("agon/Tetris-v0", num_envs=2, render_mode="ansi")
    envs.reset(seed=1)
    assert len(envs.render()) == 2
    envs.close()
    envs.close()


def equal(ours, theirs):
    """Values, dtypes and shapes; infos with the same keys."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        return all(equal(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, np.ndarray) and theirs.dtype == object:
        return ours.dtype == object and all(equal(a, b) if b is not None else a is None for a, b in zip(ours, theirs))
    return ours.dtype == theirs.dtype and data_equivalence(ours, theirs, exact=True)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_batch_equals_sync_vector_env(game, mode):
    """V56 to V58: array by array for 2,000 steps, with illegal actions among them."""
    n, words = 2, {"house": "random", "max_steps": 40, "seat": "rotate", "mask": "obs" if game == "coup" else "info"}
    ours = gymnasium.make_vec(IDS[game], num_envs=n, autoreset_mode=mode, **words)
    theirs = SyncVectorEnv([lambda: agon.gym.Env(game, **words)] * n, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is mode
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    a, b = ours.reset(seed=7), theirs.reset(seed=7)
    rng, ends = np.random.default_rng(3), 0
    for step in range(2000):
        assert all(map(equal, a, b)), step
        actions = some_action(rng, ours.unwrapped.vec.masks, 0.05)
        a, b = ours.step(actions), theirs.step(actions)
        ended = b[2] | b[3]
        ends += int(ended.sum())
        if mode == AutoresetMode.DISABLED and ended.any():
            assert all(map(equal, a, b)), step
            a, b = (envs.reset(options={"reset_mask": ended.copy()}) for envs in (ours, theirs))
    assert ends > 20


def test_reset_of_some():
    """V57: the errors of Gymnasium's own environments; seeds for some."""
    envs = gymnasium.make_vec("agon/Coup-v0", num_envs=3, autoreset_mode="Disabled")
    theirs = SyncVectorEnv([lambda: agon.gym.Env("coup")] * 3, autoreset_mode="Disabled")
    for e in (envs, theirs):
        e.reset(seed=1)
        for wrong, kind in [([True] * 3, TypeError), (np.ones(2, bool), ValueError), (np.ones(3), TypeError),
                            (np.zeros(3, bool), ValueError)]:  # fmt: skip
            with pytest.raises(kind):
                e.reset(options={"reset_mask": wrong})
        with pytest.raises(ValueError):
            e.reset(seed=[1, 2])
    some = np.array([True, False, True])
    a, b = (e.reset(seed=[5, 6, None], options={"reset_mask": some.copy()}) for e in (envs, theirs))
    assert all(map(equal, a, b))
    a, b = (e.reset(seed=[5, None, 8]) for e in (envs, theirs))
    assert all(map(equal, a, b))


def test_wrong_seeds():
    """They are named, and nothing is reset."""
    envs = gymnasium.make_vec("agon/Coup-v0", num_envs=3)
    envs.reset(seed=1)
    before = [envs.unwrapped.vec.hash(i) for i in range(3)]
    for wrong in (1.5, "abc", [1, 2.5, 3], [1, "2", 3], ["1", None, "3"]):
        with pytest.raises(TypeError, match="seed must be an integer, not"):
            envs.reset(seed=wrong)
    for wrong in (2**64, [1, 2, -3], [1, 2]):
        with pytest.raises(ValueError, match="seed must be"):
            envs.reset(seed=wrong)
    assert [envs.unwrapped.vec.hash(i) for i in range(3)] == before


def test_vector_words():
    """V56: arguments by keyword alone; Gymnasium refuses the others."""
    for words in ({"num_envs": 2}, {"threads": 2}):
        with pytest.raises(TypeError, match="cannot be chosen here: make_vec has it"):
            agon.gym.Env("coup", **words)
    for wrong in ("next_step", None, 3):
        with pytest.raises(ValueError, match="autoreset_mode must be one of NextStep, SameStep, Disabled, not"):
            gymnasium.make_vec("agon/Coup-v0", num_envs=2, autoreset_mode=wrong)
    for words in ({"vector_kwargs": {"copy": False}}, {"wrappers": [lambda env: env]}):
        with pytest.raises(gymnasium.error.Error):
            gymnasium.make_vec("agon/Tetris-v0", num_envs=2, **words)
    envs = gymnasium.make_vec("agon/Tetris-v0", num_envs=4, threads=2, copy=False)
    first, _ = envs.reset(seed=1)
    again = envs.step(envs.unwrapped.vec.sample())[0]
    assert first is again is envs.unwrapped.vec.observations
    envs = gymnasium.make_vec("agon/Tetris-v0", num_envs=4)
    first, _ = envs.reset(seed=1)
    rewards = envs.step(envs.unwrapped.vec.sample())[1]
    assert rewards.dtype == np.float64 and first is not envs.unwrapped.vec.observations
    assert envs.unwrapped.action_masks().dtype == np.bool_


def test_docstrings():
    assert doctest.testmod(agon.gym).failed == 0
