"""Vec, the batch of environments: numpy arrays around the extension module (docs/train.md, rules V40 to V47)."""

import collections.abc
import operator

import numpy as np

from . import _agon

# Words of the interface and the numbers of agon.h.
_DTYPES = {"float32": 0, "uint8": 1}
_ROWS = {"asked": 0, "seats": 1}
_AUTORESET = {"next_step": 0, "same_step": 1, "disabled": 2}
_ILLEGAL = {"refuse": 0, "fallback": 1, "forfeit": 2}
_PACE = {"placements": 0, "inputs": 1, "both": 2}

HOUSE = "a name or a dict of seats and names"  # what the argument house is

_UINT32 = 2**32 - 1
_CONFIG_REFUSED = -10


class Element:
    """One number of an observation: its ``index``, ``name``, ``group``, bounds and the ``step`` of its uint8 form."""

    __slots__ = ("index", "name", "group", "low", "high", "step", "since")

    def __init__(self, index, name, group, low, high, step, since):
        self.index, self.name, self.group = index, name, group
        self.low, self.high, self.step, self.since = low, high, step, since

    def __repr__(self):
        return f"Element({self.index}, {self.name!r}, {self.low:g} to {self.high:g})"


class Game:
    """Description of a game: names, seats, scenarios, house bots, observation elements, action numbers.

    >>> import agon
    >>> coup = agon.vec("coup").game
    >>> coup.title, coup.min_seats, coup.max_seats
    ('Coup', 2, 6)
    >>> coup.actions[0]
    'wait'
    >>> coup.element("seat.2.coins") == [e.name for e in coup.elements].index("seat.2.coins")
    True
    """

    def __init__(self, facts, vector=0):
        self.__dict__.update(facts)
        self.vector = vector or facts["vectors"]
        self._elements = self._actions = None

    def __repr__(self):
        return f"Game({self.name!r})"

    @property
    def elements(self):
        """All elements of a row, in order."""
        if self._elements is None:
            size = _agon.vector_size(self.name, self.vector)
            self._elements = tuple(Element(*_agon.get_element(self.name, self.vector, i)) for i in range(size))
        return self._elements

    @property
    def actions(self):
        """Names of the actions, by number."""
        if self._actions is None:
            self._actions = tuple(_agon.action_name(self.name, i) for i in range(self.num_actions))
        return self._actions

    def element(self, name):
        """The index of an element in a row."""
        return _agon.find(self.name, self.vector, name)

    def action(self, name):
        """The number of an action."""
        return _agon.find(self.name, -1, name)


def games():
    """All games.

    >>> import agon
    >>> [g.name for g in agon.games()][:2]
    ['tetris', 'texas_holdem']
    """
    return [Game(_agon.get_game(i)) for i in range(_agon.game_count())]


def _whole(name, value, low, high):
    """An int of the range, or an exception that says which."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise _refused(f"{name} must be {low} to {high}, not {number}")
    return number


def _refused(text):
    """An agon.Error of ours, as the library would make it."""
    error = _agon.Error(text)
    error.status = _CONFIG_REFUSED
    return error


def _word(name, value, words):
    if isinstance(value, str) and value in words:
        return words[value]
    raise _refused(f"{name} must be one of {', '.join(map(repr, words))}, not {value!r}")


def _option(value):
    """A value as the library reads it: a bare word or JSON."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value)


def _mapping(name, given, kind):
    if not isinstance(given, collections.abc.Mapping):
        raise TypeError(f"{name} must be {kind}, not {type(given).__name__}")
    return given


def _house(house, seats):
    """A list of bot names by seat; a single name is for every seat but 0."""
    if house is None:
        return []
    if isinstance(house, str):
        return [None] + [house] * (seats - 1)
    out = [None] * 10
    for seat, bot in _mapping("house", house, HOUSE).items():
        if bot is not None and not isinstance(bot, str):
            raise TypeError(f"house: seat {seat!r} must have the name of a house player, not {type(bot).__name__}")
        out[_whole("house: seat", seat, 0, seats - 1)] = bot
    return out


def _env_numbers(name, given, envs):
    """One number or a list of them as uint32, all of them environments."""
    array = np.atleast_1d(np.asarray(given))
    if array.dtype.kind not in "iu":  # also integers that no dtype can hold
        array = np.array([_whole(name, number, 0, envs - 1) for number in array.ravel().tolist()], np.int64).reshape(array.shape)
    if array.size and not 0 <= array.min() <= array.max() < envs:
        raise _refused(f"{name}: environments are 0 to {envs - 1}")
    return np.ascontiguousarray(array, np.uint32)


def _aligned(shape, dtype):
    """Zeros whose first byte lies at a multiple of 64."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype).reshape(shape)


def _as_actions(given):
    """What is no array, as one; for Batch.step."""
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise BufferError(f"actions must be an array of integers: {error}") from None
    if array.dtype.kind not in "iub":
        raise BufferError(f"actions must be integers, best int32, not {array.dtype}")
    return array


# Bound by default; the others when they are asked for first, because they cost time in every step.
_ALWAYS = ("actions", "observations", "masks", "rewards", "unpaid", "own_reward", "asked", "asked_set", "terminated",
           "truncated", "returns", "lengths", "errors", "ticks")
_LAZY = ("hashes", "components", "mask_words")


class Vec(_agon.Batch):
    """Environments of one game, stepped together. Made by :func:`agon.vec`.

    The arrays are the same objects after every step, overwritten in place. ``rows`` is ``num_envs``, or ``num_envs * seats``
    with ``rows="seats"``.

    =====================  ==========================  ====================================================================
    actions                (rows,) int32               write here, then ``step()``
    observations           (rows, vector)              float32 or uint8; ``game.elements`` names the columns
    masks                  (rows, num_actions) int8    1: legal now; a seat that is not asked has its only 1 at 0
    tokens                 (rows, K, 4) int16          with ``tokens=K``: the newest public events, the newest last
    rewards                (num_envs, seats) float32   what each seat earned in this step
    unpaid                 (num_envs, seats) float32   what each seat has earned since its last action
    own_reward             (num_envs,) float32         ``unpaid`` of the asked seat; at an end, of the seat that acted last
    components             (num_envs, seats, n)        ``rewards`` by component; computed after the first access
    asked, asked_set       (num_envs,)                 the seat that must act, 255 at an end; all such seats as bits
    terminated, truncated  (num_envs,) bool            ended by the rules; cut by ``max_steps`` or a cap
    final_observations     (rows, vector)              with ``autoreset="same_step"``: last row of the ended episode
    returns, lengths       (num_envs, seats), (n,)     of the episode that ended in this step
    errors                 (num_envs,) int32           0, or why the action was refused: -30 not legal, -31 no such number
    hashes                 (num_envs,) uint64          of the states; computed after the first access
    mask_words             (rows, words) uint64        ``masks`` as bits; computed after the first access
    ticks                  (num_envs,) uint32          length of the step in a real-time game
    =====================  ==========================  ====================================================================

    >>> import agon
    >>> with agon.vec("texas_holdem", 8, scenario="heads_up", autoreset="same_step", seed=3) as v:
    ...     v.reset()
    ...     for _ in range(100):
    ...         errors = v.step(v.sample())
    ...     v.rewards.shape
    (8, 2)
    """

    def __init__(self, game, num_envs=1, *, scenario=None, seats=None, options={}, seed=0, house=None, rotate=False,
                 dtype="float32", vector=0, rows="asked", autoreset="next_step", illegal="refuse", pace="placements",
                 ticks=1, max_steps=0, tokens=0, threads=0, groups=1, viewers_all=False, aggro=0.5, effort=1):
        if not isinstance(game, str):
            raise TypeError(f"game must be the name of a game, not {type(game).__name__}")
        if scenario is not None and not isinstance(scenario, str):
            raise TypeError(f"scenario must be the name of a scenario or None, not {type(scenario).__name__}")
        facts = _agon.get_game(game)
        dtype = np.dtype(dtype).name
        numbers = (
            _whole("num_envs", num_envs, 1, 1 << 20),
            0 if seats is None else _whole("seats", seats, 1, 10),
            _whole("vector", vector, 0, _UINT32),
            _word("dtype", dtype, _DTYPES),
            _word("rows", rows, _ROWS),
            _word("autoreset", autoreset, _AUTORESET),
            _word("illegal", illegal, _ILLEGAL),
            _word("pace", pace, _PACE),
            int(bool(viewers_all)),
            _whole("tokens", tokens, 0, 1024),
            _whole("ticks", ticks, 1, 1000000),
            _whole("max_steps", max_steps, 0, _UINT32),
            _whole("threads", threads, 0, 1024),
            _whole("groups", groups, 1, 1 << 20),
            int(bool(rotate)) | _whole("effort", effort, 1, 1000000) << 1,
            float(aggro),
        )
        words = [f"{name}={_option(value)}" for name, value in _mapping("options", options, "a dict").items()]
        seed = _whole("seed", seed, 0, 2**64 - 1)
        if isinstance(house, str) and seats is None:  # how many seats the scenario has, the library knows
            probe = _agon.Batch()
            numbers_of_one = (1,) + numbers[1:12] + (0, 1) + numbers[14:]
            seats = probe._open(_as_actions, game, scenario, words, [], 0, numbers_of_one)["seats"]
            probe.close()
        at = self._open(_as_actions, game, scenario, words, _house(house, seats or 10), seed, numbers)
        self.game = Game(facts, at["version"])
        self.num_envs, self.seats, self.rows = at["envs"], at["seats"], at["rows"]
        self.threads, self.groups, self.autoreset = numbers[12], numbers[13], autoreset
        self._shapes = self._list_shapes(at, np.dtype(dtype))
        self._bound = {}
        names = _ALWAYS + (("final_observations",) if autoreset == "same_step" else ()) + (("tokens",) if tokens else ())
        self.bind(**{name: _aligned(*self._shapes[name]) for name in names})

    def _list_shapes(self, at, dtype):
        n, r, s = at["envs"], at["rows"], at["seats"]
        return {
            "actions": ((r,), np.int32), "observations": ((r, at["vector"]), dtype),
            "masks": ((r, at["actions"]), np.int8), "mask_words": ((r, at["mask_words"]), np.uint64),
            "tokens": ((r, at["tokens"], 4), np.int16), "rewards": ((n, s), np.float32),
            "components": ((n, s, at["components"]), np.float32), "unpaid": ((n, s), np.float32),
            "own_reward": ((n,), np.float32), "asked": ((n,), np.uint8), "asked_set": ((n,), np.uint16),
            "terminated": ((n,), np.bool_), "truncated": ((n,), np.bool_),
            "final_observations": ((r, at["vector"]), dtype), "returns": ((n, s), np.float32),
            "lengths": ((n,), np.uint32), "errors": ((n,), np.int32), "hashes": ((n,), np.uint64),
            "ticks": ((n,), np.uint32),
        }  # fmt: skip

    def __getattr__(self, name):
        """Arrays that are computed only after their first use."""
        if name in _LAZY and "_bound" in self.__dict__ and not self.closed:
            self.bind(**{name: _aligned(*self._shapes[name])})
            if name != "components":
                try:
                    self.refresh()
                except RuntimeError:
                    pass  # before the first reset there is nothing to write
            return self.__dict__[name]
        raise AttributeError(f"'Vec' object has no attribute {name!r}")

    def __setattr__(self, name, value):
        # An array that is only assigned would never be read or written by a step.
        if name in self.__dict__.get("_shapes", ()) and value is not self.__dict__.get(name):
            how = "write v.actions[:] = ..., or step(array)" if name == "actions" else f"use bind({name}=array)"
            raise AttributeError(f"{name} cannot be assigned, because the library would not see it; {how}")
        super().__setattr__(name, value)

    def bind(self, **arrays):
        """Use these arrays instead of the Vec's own, for example in pinned or shared memory. They must have the same shape
        and dtype, be writable and in C order, and not overlap; otherwise BufferError is raised and nothing changes."""
        unknown = set(arrays) - set(self._shapes)
        if unknown:
            raise BufferError(f"there is no buffer {sorted(unknown)[0]!r}; buffers: {', '.join(self._shapes)}")
        bound = {**self._bound, **arrays}
        self._bind(bound)
        self._bound = bound
        self.__dict__.update(arrays)

    def unbind(self, *names):
        """Stop computing these results, which saves time; they are None from now on. ``bind`` enables them again.

        >>> import agon
        >>> v = agon.vec("tetris", 64, autoreset="same_step")
        >>> v.unbind("final_observations", "unpaid")
        """
        unknown = set(names) - (set(self._shapes) - {"actions"})
        if unknown:
            raise BufferError(f"{sorted(unknown)[0]!r} is no result; results: {', '.join(n for n in self._shapes if n != 'actions')}")
        bound = {name: array for name, array in self._bound.items() if name not in names}
        self._bind(bound)
        self._bound = bound
        self.__dict__.update(dict.fromkeys(names))

    def reset(self, seed=None, which=None):
        """Start new episodes, in all environments or where ``which`` is true.

        If ``seed`` is an integer, environment i gets ``seed + i``; if it is a sequence, its own seed. Seed x is the match that
        ``--seed x`` gives in every command of agon. Without a seed each environment continues with the next episode of its chain.
        """
        if which is not None:
            which = np.ascontiguousarray(which)
            if which.shape != (self.num_envs,) or which.dtype != np.bool_:
                raise BufferError(f"which must be an array of {self.num_envs} bool")
        if seed is None:
            self._reset(which, None)
            return
        if np.ndim(seed) == 0:
            first = _whole("seed", seed, 0, 2**64 - 1)
            seeds = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(first)
        else:
            if len(seed) != self.num_envs:
                raise _refused(f"seed must be one number or {self.num_envs}, not {len(seed)}")
            seeds = np.array([_whole("seed", s, 0, 2**64 - 1) for s in seed], np.uint64)
        self._reset(which, seeds)
        self._set_draws(int(seeds[0]))

    def copy(self, source, target):
        """Copy environments ``source[k]`` over ``target[k]``, in order. ``refresh()`` then writes their rows."""
        source, target = _env_numbers("source", source, self.num_envs), _env_numbers("target", target, self.num_envs)
        if source.ndim != 1 or source.shape != target.shape:
            raise _refused("source and target must be two numbers, or two lists of one length")
        self._copy(source, target, len(source))

    def apply(self, env, action):
        """Play one action for the asked seat of one environment. Returns the rewards of all seats and whether the match is over.

        The arrays do not change; ``refresh()`` updates them.
        """
        rewards = np.zeros(self.seats, np.float32)
        return rewards, self._apply(env, action, rewards)

    def advise(self, env, bot=None, *, effort=1, seed=0):
        """The action that a house bot would choose for the asked seat; by default the strongest bot."""
        return self._advise(env, bot, effort, seed)

    def row(self, env, seat):
        """Observation and mask of ``seat`` in one environment; ``seats`` is the view of spectators."""
        shape, dtype = self._shapes["observations"]
        observation, mask = np.empty(shape[1:], dtype), np.empty(self._shapes["masks"][0][1:], np.int8)
        self._write_row(env, seat, observation, mask, None)
        return observation, mask

    def render(self, env=0, mode="ansi", viewer=None, *, size=(640, 480)):
        """Text of one environment, or a uint8 picture (height, width, 3), as ``viewer`` sees it; by default a spectator."""
        viewer = self.seats if viewer is None else viewer
        if mode == "ansi":
            return self._text(env, viewer)
        if mode != "rgb_array":
            raise _refused(f"mode must be 'ansi' or 'rgb_array', not {mode!r}")
        width, height = (_whole("size", n, 1, 4096) for n in size)
        picture = np.empty((height, width, 3), np.uint8)
        self._picture(env, viewer, width, height, picture)
        return picture

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<agon.Vec of {self.num_envs} x {self.game.name}{', closed' if self.closed else ''}>"

    def __reduce__(self):
        raise TypeError("a Vec cannot be pickled or copied; use save() and load()")


def vec(game, num_envs=1, *, scenario=None, seats=None, options={}, seed=0, house=None, rotate=False, dtype="float32",
        vector=0, rows="asked", autoreset="next_step", illegal="refuse", pace="placements", ticks=1, max_steps=0,
        tokens=0, threads=0, groups=1, viewers_all=False, aggro=0.5, effort=1):
    """Create a batch of ``num_envs`` environments of a game. Call ``reset()`` before the first step.

    :param game: its name; ``agon.games()`` lists them
    :param scenario: one of ``Game.scenarios``; by default the first
    :param seats: number of seats; by default that of the scenario
    :param options: rules by name, as ``agon rules GAME`` lists them
    :param seed: environment i starts with the match of ``seed + i``
    :param house: house bots, which act within a step: ``{1: "rules"}``, or one name for every seat but 0
    :param rotate: house bots move to the next seat with every episode
    :param dtype: ``"float32"`` or ``"uint8"``
    :param vector: version of the observation; 0 is the newest
    :param rows: ``"asked"``: one row for each environment, of its asked seat; ``"seats"``: one for each seat
    :param autoreset: ``"next_step"``, ``"same_step"`` or ``"disabled"``
    :param illegal: after an illegal action: ``"refuse"``: nothing changes; ``"fallback"``: the game's default move; ``"forfeit"``: the seat is dropped
    :param pace: Tetris: ``"placements"``, ``"inputs"`` or ``"both"``
    :param ticks: Tetris: ticks after an input
    :param max_steps: truncates episodes; 0: never
    :param tokens: length of the token plane; 0: none
    :param threads: worker threads; 0: the calling thread does the work
    :param groups: number of groups that are sent and received separately
    :param viewers_all: each row contains the rows of all seats, for critics
    :param aggro: how aggressive house bots are, 0 to 1
    :param effort: work of house bots that search, a multiple of the usual

    >>> import agon
    >>> v = agon.vec("belote", 16, house="rules", rotate=True, autoreset="same_step", seed=1)
    >>> v.reset()
    >>> v.step(v.masks.argmax(axis=1))
    0
    """
    return Vec(game, num_envs, scenario=scenario, seats=seats, options=options, seed=seed, house=house, rotate=rotate,
               dtype=dtype, vector=vector, rows=rows, autoreset=autoreset, illegal=illegal, pace=pace, ticks=ticks,
               max_steps=max_steps, tokens=tokens, threads=threads, groups=groups, viewers_all=viewers_all, aggro=aggro,
               effort=effort)
