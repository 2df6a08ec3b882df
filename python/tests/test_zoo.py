"""PettingZoo: V60 to V69, by PettingZoo's own tests."""

import doctest
import importlib
import warnings

import agon
import agon.zoo
import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test

from conftest import some_action

# V63: what api_test says of every environment that is not on its own list of names.
ALLOWED = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


@pytest.fixture
def module(game):
    return importlib.import_module(f"agon.zoo.{game}_v0")


def warned(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return {str(w.message) for w in said}


def test_api(module, capsys):
    """V60 to V64: with the mask in the observation these two warnings, with the mask in infos none."""
    assert warned(lambda: api_test(module.env(), num_cycles=60)) == ALLOWED
    assert warned(lambda: api_test(module.raw_env(mask="info"), num_cycles=60)) == set()


def test_parallel_api(module, capsys):
    """V66."""
    assert warned(lambda: parallel_api_test(module.parallel_env(), num_cycles=60)) == set()
    assert warned(lambda: parallel_api_test(module.parallel_env(mask="info"), num_cycles=60)) == set()


def test_seeds(module):
    """V65, V66: the second samples without masks."""
    seed_test(module.env, num_cycles=60)
    parallel_seed_test(module.parallel_env, num_cycles=60)


def test_state(module):
    """V68: what all seats see."""
    assert warned(lambda: state_test(module.env(), module.parallel_env())) == set()
    env = module.raw_env()
    env.reset(seed=3)
    v = agon.vec(env.vec.game.name, viewers_all=True)
    v.reset(seed=3)
    assert (env.state() == v.observations[0]).all()


def test_render(module, capsys):
    """V69."""
    render_test(module.env)
    assert "render" in agon.zoo._Table.__dict__ and "close" in agon.zoo._Table.__dict__


def test_max_cycles():
    """V67: every agent of Tetris acts so many times."""
    max_cycles_test(agon.zoo.tetris_v0)
    with pytest.raises(agon.Error, match="max_cycles must be 1 to 1073741823, not 2147483648"):
        agon.zoo.coup_v0.env(max_cycles=2**31)


def test_observations_need_a_reset():
    """V46: before it and after close() there is no match to be seen."""
    env = agon.zoo.coup_v0.raw_env()
    with pytest.raises(RuntimeError, match="reset first"):
        env.observe("seat_0")
    env.reset(seed=1)
    assert env.observe("seat_0")["observation"].any()
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.observe("seat_0")


def test_names(module, game):
    """V60."""
    env = module.raw_env(render_mode="ansi")
    env.reset(seed=1)
    assert str(env) == env.metadata["name"] == f"{game}_v0"
    assert {"name", "render_modes", "is_parallelizable", "render_fps"} <= env.metadata.keys()
    assert env.possible_agents == (["player_0"] if game == "tetris" else [f"seat_{s}" for s in range(env.vec.seats)])
    for agent in env.agents:  # V64
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.observation_space(agent).contains(env.observe(agent))
        assert env.observe(agent)["action_mask"].any()
    assert env.observe(env.agent_selection)["action_mask"].sum() == env.vec.masks[0].sum()


def test_rewards_and_ends(module):
    """V61, V62, V17: sums are those of the library, ends are those of everybody, in seat order."""
    env = module.raw_env(max_cycles=60)
    rng = np.random.default_rng(2)
    for seed in range(3):
        env.reset(seed=seed)
        returns = dict.fromkeys(env.agents, 0.0)
        while not env._over:
            agent = env.agent_selection
            assert env._cumulative_rewards[agent] == pytest.approx(float(env.vec.unpaid[0, env._seat_of[agent]]), abs=1e-5)
            env.step(int(some_action(rng, env.vec.masks)[0]))
            assert all(type(reward) is float for reward in env.rewards.values())
            for name, reward in env.rewards.items():
                returns[name] += reward
        assert list(returns.values()) == pytest.approx(env.vec.returns[0].tolist(), abs=1e-4)
        assert all(env.terminations.values()) != all(env.truncations.values())
        order = []
        with pytest.raises(ValueError, match="only valid action is None"):
            env.step(1)
        while env.agents:
            order.append(env.agent_selection)
            assert env.rewards.keys() == env.terminations.keys() == env.truncations.keys() == env.infos.keys()
            env.step(None)
        assert order == env.possible_agents
        with pytest.raises(ValueError, match="call reset"):
            env.step(None)


def test_resets_go_on_with_the_chain(module):
    """V65: and unknown options are ignored."""
    env, v = module.raw_env(), agon.vec(module.raw_env().vec.game.name)
    env.reset(seed=9, options={"unknown": 1}), v.reset(seed=9)
    assert env.vec.hash(0) == v.hash(0)
    env.reset(), v.reset()
    assert env.vec.hash(0) == v.hash(0)


def test_parallel_windows():
    """V66: all who are asked answer in one step; the others send 0 or nothing."""
    a, b = agon.zoo.coup_v0.parallel_env(), agon.zoo.coup_v0.parallel_env()
    rng = np.random.default_rng(1)
    seen, _ = a.reset(seed=4)
    b.reset(seed=4)
    most = 0
    while a.agents:
        actions = {name: int(some_action(rng, seen[name]["action_mask"][None], 0)[0]) for name in a.agents}
        asked = {name: action for name, action in actions.items() if action}
        most = max(most, len(asked))
        seen = a.step(actions)[0]
        b.step(asked)
        assert a.vec.hash(0) == b.vec.hash(0)
    assert most > 1 and not b.agents
    assert a.step({}) == ({}, {}, {}, {}, {})


def test_illegal_actions():
    """V54, V46."""
    env = agon.zoo.coup_v0.raw_env()
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(0)
    assert env.infos[agent] == {"illegal": True}
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert not any(env.infos.values())
    for make in (agon.zoo.coup_v0.raw_env, agon.zoo.coup_v0.parallel_env):
        env = make(illegal="error")
        env.reset(seed=1)
        with pytest.raises(agon.Error, match="environment 0, seat 0: action 36 is not legal now"):
            env.step(36 if make is agon.zoo.coup_v0.raw_env else {"seat_0": 36})
        before = env.vec.hash(0)
        for wrong in (None, 1.5, "x", float("nan")):
            with pytest.raises(TypeError, match="action must be an integer, not"):
                env.step(wrong if make is agon.zoo.coup_v0.raw_env else {"seat_0": wrong})
        assert env.vec.hash(0) == before
        for words in ({"rows": "seats"}, {"num_envs": 2}, {"max_steps": 3}, {"viewers_all": True}, {"seed": 1}):
            with pytest.raises(TypeError, match="cannot be chosen here"):
                make(**words)
        for words in ({"house": "rules"}, {"rotate": True}):
            with pytest.raises(TypeError, match="every seat is an agent"):
                make(**words)
        for words in ({"render_mode": "none"}, {"mask": "none"}, {"illegal": "none"}, {"max_cycles": 0}):
            with pytest.raises(ValueError):
                make(**words)
    with pytest.raises(RuntimeError, match="reset first"):
        agon.zoo.coup_v0.raw_env().step(1)
    par = agon.zoo.coup_v0.parallel_env()
    par.reset(seed=1)
    with pytest.raises(TypeError, match="actions must be a dict of agents and numbers"):
        par.step([1, 2, 3, 4])
    with pytest.raises(ValueError, match="no agent 'seat_4'; agents: seat_0, seat_1"):
        par.step({"seat_4": 1})
    assert par.step({"seat_0": 2**40})[4]["seat_0"] == {"illegal": True}
    env.close(), env.close()


def test_docstrings():
    assert doctest.testmod(agon.zoo).failed == 0
