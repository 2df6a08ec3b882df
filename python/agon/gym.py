"""Gymnasium environments: one learner against house bots. Importing this module registers them.

>>> import gymnasium, agon.gym
>>> env = gymnasium.make("agon/LiarsDice-v0", scenario="duel")
>>> observation, info = env.reset(seed=7)
>>> action = info["action_mask"].argmax()  # a policy would look at the observation
>>> observation, reward, terminated, truncated, info = env.step(action)
>>> observation.shape, terminated, truncated
((347,), False, False)

``make_vec`` steps a whole batch in C:

>>> envs = gymnasium.make_vec("agon/Tetris-v0", num_envs=32)
>>> observations, infos = envs.reset(seed=1)
>>> observations.shape, infos["action_mask"].shape
((32, 266), (32, 88))

Ids are ``agon/Tetris-v0``, ``agon/TexasHoldem-v0`` and so on, one for each game; ``agon.gym.ids()`` lists them. In one call:
``gymnasium.make("agon.gym:agon/Tetris-v0")``.
"""

import numpy as np
import gymnasium
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ._spaces import (MASK, action_number, count_seats, house_of, illegal_word, is_legal, print_text, refuse_action,
                      refuse_words, row_box, with_mask)
from ._vec import Vec, _as_actions, _word, games

RENDER_MODES = ["human", "ansi", "rgb_array"]
_FLAGS = ((False, False), (True, False), (False, True), (True, True))
_MODES = {AutoresetMode.NEXT_STEP: "next_step", AutoresetMode.SAME_STEP: "same_step", AutoresetMode.DISABLED: "disabled"}


def _config(game, seat, house, illegal, options, config):
    """What both kinds of environments give to Vec."""
    refuse_words(config, {"rows", "viewers_all"}, "one learner sees one row; agon.vec has more")
    refuse_words(config, {"rotate"}, "say seat='rotate'")
    refuse_words(config, {"autoreset"}, "make_vec has autoreset_mode")
    refuse_words(config, {"groups"}, "agon.vec has it")
    refuse_words(config, {"seed"}, "say reset(seed=...)")
    rotate = seat == "rotate"
    config = {**config, "options": options or {}}
    seats = count_seats(game, **config)
    seat = 0 if rotate else seat
    if seat not in range(seats):
        raise ValueError(f"seat must be 0 to {seats - 1} or 'rotate', not {seat!r}")
    return {**config, "house": house_of(game, seat, house, seats), "rotate": rotate, "illegal": illegal}


def _check_render_mode(render_mode):
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")
    return render_mode


class Env(gymnasium.Env):
    """One learner in one match. Made by ``gymnasium.make("agon/Coup-v0", ...)``.

    :param seat: seat of the learner, or ``"rotate"``: the next seat with every episode
    :param house: house bots at the other seats: a name or ``{seat: name}``; by default ``"rules"`` if the game has it
    :param mask: ``"info"``: the mask is only in ``info["action_mask"]``; ``"obs"``: also in the observation
    :param illegal: ``"fallback"``, ``"forfeit"``, ``"refuse"`` or ``"error"``, which raises agon.Error
    :param max_steps: truncates episodes

    The other arguments are those of :func:`agon.vec`: ``scenario``, ``seats``, ``options``, ``vector``, ``dtype``, ``pace``,
    ``ticks``, ``aggro``, ``effort``. ``reset(seed=x)`` starts the match of seed x; ``reset()`` starts the next match derived from
    that seed. The reward is what the learner earned from its action until its next turn.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 10}

    def __init__(self, game, *, render_mode=None, seat=0, house=None, mask="info", illegal="fallback", options=None,
                 copy=True, **config):
        self.render_mode = _check_render_mode(render_mode)
        policy, self._raises = illegal_word(illegal)
        self._in_obs = _word("mask", mask, MASK)
        refuse_words(config, {"num_envs", "threads"}, "make_vec has it")
        self.vec = v = Vec(game, 1, autoreset="disabled", **_config(game, seat, house, policy, options, config))
        self.observation_space = with_mask(row_box(v), v.game.num_actions) if self._in_obs else row_box(v)
        self.action_space = action_number(v)
        self._row, self._mask, self._copy = v.observations[0], v.masks[0], copy
        self._is_seeded, self._seat = False, 0
        self._is_plain = copy and not self._in_obs and not self._raises
        # Bound methods, so that a step looks up little.
        self._play, self._copy_row, self._copy_mask = v._play, self._row.copy, self._mask.copy
        self._get_reward, self._get_asked, self._restart = v.own_reward.item, v.asked.item, v._restart

    def _observe(self):
        row, mask = (self._row.copy(), self._mask.copy()) if self._copy else (self._row, self._mask)
        if self._in_obs:
            return {"observation": row, "action_mask": mask}, {"action_mask": mask.copy() if self._copy else mask}
        return row, {"action_mask": mask}

    def reset(self, *, seed=None, options=None):
        if seed is None and self._is_seeded:  # short matches begin as often as they step
            self._seat = self._restart()
            if self._is_plain:
                return self._copy_row(), {"action_mask": self._copy_mask()}
            return self._observe()
        super().reset(seed=seed)
        self.vec.reset(int(self.np_random.integers(2**63)) if seed is None else seed)
        self._is_seeded = True
        self._seat = self._get_asked()
        return self._observe()

    def step(self, action):
        if self._is_plain:
            flags = self._play(action)
            observation, info = self._copy_row(), {"action_mask": self._copy_mask()}
        else:
            if self._raises and self._get_asked() != 255 and not is_legal(self._mask, action):
                refuse_action(self.vec, 0, action)
            flags = self._play(action)
            observation, info = self._observe()
        if flags > 3:
            info["illegal"] = True
            flags &= 3
        terminated, truncated = _FLAGS[flags]
        return observation, self._get_reward(), terminated, truncated, info

    def action_masks(self):
        """Legal actions as an array of bool, under the name that learners with masking call."""
        return self._mask.astype(np.bool_)

    def render(self):
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode; give one to gymnasium.make()")
            return None
        if self.render_mode == "rgb_array":
            return self.vec.render(0, "rgb_array", self._seat)
        text = self.vec.render(0, "ansi", self._seat)
        return print_text(text) if self.render_mode == "human" else text

    def close(self):
        self.vec.close()


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many matches of one learner each, stepped in C. Made by ``gymnasium.make_vec("agon/Coup-v0", num_envs=1024, ...)``.

    Takes the arguments of :class:`Env`, and ``autoreset_mode`` (an ``AutoresetMode`` or its value), ``threads``, and ``copy``: with
    False the returned arrays are overwritten by the next step.

    Its arrays equal those of a SyncVectorEnv of :class:`Env`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 10, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, game, *, num_envs=1, render_mode=None, seat=0, house=None, mask="info", illegal="fallback",
                 options=None, copy=True, autoreset_mode=AutoresetMode.NEXT_STEP, **config):
        self.render_mode = _check_render_mode(render_mode)
        policy, self._raises = illegal_word(illegal)
        self._in_obs = _word("mask", mask, MASK)
        self.autoreset_mode = mode = _mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode}
        threads = config.pop("threads", 0)
        config = _config(game, seat, house, policy, options, config)
        self.vec = v = Vec(game, num_envs, autoreset=_MODES[mode], threads=threads, **config)
        self.num_envs, self._copy, self._is_seeded = num_envs, copy, False
        self.single_observation_space = with_mask(row_box(v), v.game.num_actions) if self._in_obs else row_box(v)
        self.single_action_space = action_number(v)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._end_mask = np.zeros(v.game.num_actions, np.int8)
        self._end_mask[0] = 1  # V3: of every seat at an end
        self._seats = np.zeros(num_envs, np.uint8)

    def _out(self, array):
        return array.copy() if self._copy else array

    def _observations(self):
        rows = self._out(self.vec.observations)
        return {"observation": rows, "action_mask": self._out(self.vec.masks)} if self._in_obs else rows

    def _infos(self, which=None):
        """The infos of all environments, or of those of a reset."""
        masks = self._out(self.vec.masks)
        if which is None:
            return {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        return {"action_mask": np.where(which[:, None], masks, np.int8(0)), "_action_mask": which.copy()}

    def reset(self, *, seed=None, options=None):
        which = None
        if options is not None and "reset_mask" in options:
            which = _check_reset_mask(options.pop("reset_mask"), self.num_envs)
        self._reset(seed, which)
        self._is_seeded = True
        running = self.vec.asked != 255
        self._seats[running] = self.vec.asked[running]
        return self._observations(), self._infos(which)

    def _reset(self, seed, which):
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        if seed is None and not self._is_seeded:
            seed = self.np_random.integers(2**63, size=self.num_envs)
        if seed is None or np.ndim(seed) == 0:
            return self.vec.reset(seed, which)
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must be one number or {self.num_envs}, not {len(seed)}")
        which = np.ones(self.num_envs, np.bool_) if which is None else which
        unseeded = np.array([s is None for s in seed])
        if (which & ~unseeded).any():
            self.vec.reset([0 if s is None else s for s in seed], which & ~unseeded)
        if (which & unseeded).any():
            self.vec.reset(None, which & unseeded)

    def step(self, actions):
        v = self.vec
        if actions is None:
            raise BufferError(f"actions must be an array of {self.num_envs} integers, not None")
        if self._raises:
            self._check(_as_actions(actions))
        errors = v.step(actions)
        terminated, truncated = v.terminated.copy(), v.truncated.copy()
        infos, wrong = {}, None
        if errors:
            wrong = v.errors != 0
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            ended = terminated | truncated
            if ended.any():
                infos, wrong = self._final_infos(ended, wrong)
        infos.update(self._infos())
        if wrong is not None and wrong.any():
            infos["illegal"], infos["_illegal"] = wrong.copy(), wrong.copy()
        return self._observations(), v.own_reward.astype(np.float64), terminated, truncated, infos

    def _final_infos(self, ended, wrong):
        """V57: the last rows of ended environments. Their errors are reported there, not with the new episode."""
        final = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            row = self.vec.final_observations[i].copy()
            final[i] = {"observation": row, "action_mask": self._end_mask.copy()} if self._in_obs else row
        info = {"action_mask": np.where(ended[:, None], self._end_mask, np.int8(0)), "_action_mask": ended.copy()}
        if wrong is not None:
            last, wrong = wrong & ended, wrong & ~ended
            if last.any():
                info["illegal"], info["_illegal"] = last, last.copy()
        return {"final_obs": final, "_final_obs": ended.copy(), "final_info": info, "_final_info": ended.copy()}, wrong

    def _check(self, actions):
        """illegal="error": raises before anything is played."""
        v = self.vec
        if actions.shape != (self.num_envs,):
            return  # step says what is wrong
        known = (actions >= 0) & (actions < v.game.num_actions)
        legal = known & (v.masks[np.arange(self.num_envs), np.where(known, actions, 0)] == 1)
        wrong = np.flatnonzero(~legal & (v.asked != 255))
        if wrong.size:
            refuse_action(v, int(wrong[0]), int(actions[wrong[0]]))

    def action_masks(self):
        """Legal actions as bool, one row for each environment."""
        return self.vec.masks.astype(np.bool_)

    def render(self):
        if self.render_mode is None:
            return None
        seats = [int(a) if a != 255 else int(s) for a, s in zip(self.vec.asked, self._seats)]
        if self.render_mode == "rgb_array":
            return tuple(self.vec.render(i, "rgb_array", seat) for i, seat in enumerate(seats))
        texts = tuple(self.vec.render(i, "ansi", seat) for i, seat in enumerate(seats))
        return print_text("\n".join(texts)) if self.render_mode == "human" else texts

    def close_extras(self, **_):
        self.vec.close()


def _mode(mode):
    try:
        return AutoresetMode(mode)
    except ValueError:
        raise ValueError(f"autoreset_mode must be one of {', '.join(m.value for m in _MODES)}, not {mode!r}") from None


def _check_reset_mask(mask, num_envs):
    """The errors that Gymnasium's own vector environments raise."""
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"`options['reset_mask']` must be a numpy array, got {type(mask)}")
    if mask.shape != (num_envs,):
        raise ValueError(f"`options['reset_mask']` must have shape `({num_envs},)`, got {mask.shape}")
    if mask.dtype != np.bool_:
        raise TypeError(f"`options['reset_mask']` must have `dtype=np.bool_`, got {mask.dtype}")
    if not mask.any():
        raise ValueError("`options['reset_mask']` must contain a boolean array with at least one True value")
    return mask


def _id(game):
    return f"agon/{game.name.title().replace('_', '')}-v0"


def ids():
    """The ids of all games.

    >>> import agon.gym
    >>> agon.gym.ids()[:2]
    ['agon/Tetris-v0', 'agon/TexasHoldem-v0']
    """
    return [_id(game) for game in games()]


def _register():
    for game in games():
        if _id(game) not in gymnasium.registry:
            gymnasium.register(_id(game), entry_point="agon.gym:Env", vector_entry_point="agon.gym:VectorEnv",
                               kwargs={"game": game.name})  # fmt: skip


_register()
