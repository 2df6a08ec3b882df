"""PettingZoo environments: every seat is an agent. One module for each game, such as ``agon.zoo.coup_v0``.

>>> from agon.zoo import coup_v0
>>> env = coup_v0.env()
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     if terminated or truncated:
...         action = None
...     else:
...         action = env.action_space(agent).sample(observation["action_mask"])
...     env.step(action)
>>> env.agents
[]

A module has ``env`` (with PettingZoo's checks around it), ``raw_env`` (without) and ``parallel_env``. All take ``render_mode``, ``mask``,
``illegal``, ``max_cycles`` and the words of :func:`agon.vec`; see :class:`AEC`.
"""

import copy
import sys
import types

import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from ._spaces import (MASK, action_index, action_number, illegal_word, is_legal, print_text, refuse_action, refuse_words,
                      row_box, with_mask)
from ._vec import Vec, _aligned, _mapping, _whole, _word, games

RENDER_MODES = ["human", "ansi", "rgb_array"]


class _Table:
    """What both interfaces share: the Vec of one environment, names, spaces, rendering."""

    def _open(self, game, rows, render_mode, mask, illegal, max_steps, config):
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")
        refuse_words(config, {"house", "rotate"}, "every seat is an agent; agon.gym has house players")
        refuse_words(config, {"num_envs", "rows", "viewers_all", "autoreset"}, "agon.vec has it")
        refuse_words(config, {"max_steps"}, "say max_cycles")
        refuse_words(config, {"seed"}, "say reset(seed=...)")
        self.render_mode = render_mode
        policy, self._raises = illegal_word(illegal)
        self._in_obs = _word("mask", mask, MASK)
        self.vec = v = Vec(game, 1, rows=rows, autoreset="disabled", illegal=policy, max_steps=max_steps, **config)
        self.metadata = {"name": f"{game}_v0", "render_modes": RENDER_MODES, "render_fps": 10,
                         "is_parallelizable": v.seats == 1}  # fmt: skip
        self._names = ["player_0"] if v.seats == 1 else [f"seat_{s}" for s in range(v.seats)]
        self._seat_of = {name: s for s, name in enumerate(self._names)}
        self.possible_agents = list(self._names)
        self.agents = []
        box = row_box(v)
        space = with_mask(box, v.game.num_actions) if self._in_obs else box
        # Objects of their own, made once, because learners seed them (V64).
        self.observation_spaces = {name: copy.deepcopy(space) for name in self._names}
        self.action_spaces = {name: action_number(v) for name in self._names}
        self.state_space = row_box(v, copies=v.seats)
        self._is_seeded = False
        self._wait = np.zeros(v.game.num_actions, np.int8)
        self._wait[0] = 1

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def _begin(self, seed):
        if seed is None and not self._is_seeded:
            seed = int(np.random.default_rng().integers(2**63))
        self.vec.reset(seed)
        self._is_seeded = True
        self.agents = list(self._names)

    def state(self):
        """The observations of all seats, concatenated, for critics (V68)."""
        return np.concatenate([self.vec.row(0, seat)[0] for seat in range(self.vec.seats)])

    def render(self):
        """Text or a picture as spectators see it; ``human`` prints."""
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return self.vec.render(0, "rgb_array")
        text = self.vec.render(0)
        return print_text(text) if self.render_mode == "human" else text

    def close(self):
        """Release the environment. May be called twice."""
        self.vec.close()


def _steps_of(max_cycles, each):
    """The library counts single actions; a cycle is one action of every agent."""
    return 0 if max_cycles is None else _whole("max_cycles", max_cycles, 1, (2**32 - 1) // each) * each


class AEC(_Table, AECEnv):
    """A match in which agents act one after the other. Made by ``agon.zoo.coup_v0.env(...)``.

    :param render_mode: ``"human"``, ``"ansi"`` or ``"rgb_array"``
    :param mask: ``"obs"``: observations are ``{"observation", "action_mask"}``; ``"info"``: the mask is in ``infos[agent]``
    :param illegal: ``"fallback"``, ``"forfeit"``, ``"refuse"`` or ``"error"``, which raises agon.Error
    :param max_cycles: truncates a match after this number of actions per agent

    The other arguments are those of :func:`agon.vec`. ``reset(seed=x)`` starts the match of seed x, ``reset()`` the next match derived
    from that seed.
    """

    def __init__(self, game, *, render_mode=None, mask="obs", illegal="fallback", max_cycles=None, **config):
        AECEnv.__init__(self)
        steps = 0
        if max_cycles is not None:
            with Vec(game, **config) as v:
                steps = _steps_of(max_cycles, v.seats)
        self._open(game, "asked", render_mode, mask, illegal, steps, config)
        v = self.vec
        self._row, self._mask, self._asked, self._earned = v.observations[0], v.masks[0], v.asked, v.rewards[0]
        self._other = _aligned(self._row.shape, self._row.dtype)
        self._play = v._play
        self._asked[:] = 255  # nobody before reset: observe() then asks the library, which refuses
        self.agent_selection, self._over = None, False

    def reset(self, seed=None, options=None):
        self._begin(seed)
        names = self._names
        self.rewards = dict.fromkeys(names, 0.0)
        self._cumulative_rewards = dict.fromkeys(names, 0.0)
        self.terminations = dict.fromkeys(names, False)
        self.truncations = dict.fromkeys(names, False)
        self.infos = {name: {} for name in names}
        self._has_infos = self._over = False
        self._skip_agent_selection = None
        self.agent_selection = names[self._asked.item()]
        if not self._in_obs:
            self._put_masks()

    def step(self, action):
        agent = self.agent_selection
        if self._over:
            if not self.agents:
                raise ValueError("the match is over and all agents have left; call reset()")
            return self._was_dead_step(action)
        if self._raises:
            self._check(action)
        flags = self._play(action)
        self.rewards = rewards = dict(zip(self._names, self._earned.tolist()))
        sums = self._cumulative_rewards
        sums[agent] = 0.0
        for name, reward in rewards.items():
            if reward:
                sums[name] += reward
        if flags or self._has_infos or not self._in_obs:
            return self._report(agent, flags)
        self.agent_selection = self._names[self._asked.item()]

    def _report(self, agent, flags):
        """What happens now and then: an end, an action that was not legal; and masks in infos."""
        self.infos = {name: {} for name in self._names}
        self._has_infos = flags > 3
        if flags > 3:
            self.infos[agent]["illegal"] = True
        if flags & 3:
            self._over = True
            self.terminations = dict.fromkeys(self._names, bool(flags & 1))
            self.truncations = dict.fromkeys(self._names, bool(flags & 2))
            self.agent_selection = self._names[0]
        else:
            self.agent_selection = self._names[self._asked.item()]
        if not self._in_obs:
            self._put_masks()

    def _put_masks(self):
        asked = self._asked.item()
        for seat, name in enumerate(self._names):
            self.infos[name]["action_mask"] = (self._mask if seat == asked else self._wait).copy()

    def _check(self, action):
        if not is_legal(self._mask, action):
            refuse_action(self.vec, 0, action)

    def observe(self, agent):
        seat = self._seat_of[agent]
        if seat == self._asked.item():
            row, mask = self._row.copy(), self._mask.copy()
        else:
            self.vec._write_row(0, seat, self._other, None, None)
            row, mask = self._other.copy(), self._wait.copy()
        return {"observation": row, "action_mask": mask} if self._in_obs else row

    def close(self):
        super().close()
        self._asked[:] = 255


class Parallel(_Table, ParallelEnv):
    """A match in which all seats that are asked act in one step. Made by ``agon.zoo.tetris_v0.parallel_env(...)``.

    Agents that are not asked send 0 or nothing; their mask has its only 1 at action 0. The arguments are those of :class:`AEC`.
    """

    def __init__(self, game, *, render_mode=None, mask="obs", illegal="fallback", max_cycles=None, **config):
        self._open(game, "seats", render_mode, mask, illegal, _steps_of(max_cycles, 1), config)

    def _observe(self):
        rows, masks = self.vec.observations.copy(), self.vec.masks.copy()
        if self._in_obs:
            seen = {name: {"observation": rows[s], "action_mask": masks[s]} for s, name in enumerate(self._names)}
            return seen, {name: {} for name in self._names}
        return dict(zip(self._names, rows)), {name: {"action_mask": masks[s]} for s, name in enumerate(self._names)}

    def reset(self, seed=None, options=None):
        self._begin(seed)
        return self._observe()

    def step(self, actions):
        if not self.agents:  # as PettingZoo's own environments do
            return {}, {}, {}, {}, {}
        v = self.vec
        before, asked = v.masks.copy(), int(v.asked_set[0])
        v.actions[:] = 0
        for name, action in _mapping("actions", actions, "a dict of agents and numbers").items():
            if name not in self._seat_of:
                raise ValueError(f"there is no agent {name!r}; agents: {', '.join(self._names)}")
            number = action_index(action)
            v.actions[self._seat_of[name]] = number if -(2**31) <= number < 2**31 else -1
        wrong = [s for s in range(v.seats) if asked >> s & 1 and not is_legal(before[s], v.actions[s])]
        if wrong and self._raises:
            refuse_action(v, 0, int(v.actions[wrong[0]]), wrong[0])
        v.step()
        observations, infos = self._observe()
        for seat in wrong:
            infos[self._names[seat]]["illegal"] = True
        rewards = dict(zip(self._names, v.rewards[0].tolist()))
        terminated, truncated = bool(v.terminated[0]), bool(v.truncated[0])
        if terminated or truncated:
            self.agents = []
        names = self._names
        return observations, rewards, dict.fromkeys(names, terminated), dict.fromkeys(names, truncated), infos


def _module(game):
    """The module of one game, as PettingZoo has them."""
    module = types.ModuleType(f"{__name__}.{game.name}_v0", f"{game.title}: {game.summary}")

    def raw_env(**words):
        return AEC(game.name, **words)

    def env(**words):
        return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env(**words)))

    def parallel_env(**words):
        return Parallel(game.name, **words)

    for function in (raw_env, env, parallel_env):
        function.__module__, function.__doc__ = module.__name__, f"{game.title}; words as :class:`agon.zoo.AEC` has them."
        setattr(module, function.__name__, function)
    return module


__all__ = ["AEC", "Parallel"]
for _game in games():
    _made = _module(_game)
    sys.modules[_made.__name__] = globals()[f"{_game.name}_v0"] = _made
    __all__.append(f"{_game.name}_v0")
