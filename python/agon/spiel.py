"""The games for OpenSpiel: importing this module registers ``agon_coup``, ``agon_belote``... with pyspiel (rules V70 to V74).

::

    import agon.spiel, pyspiel
    game = pyspiel.load_game("agon_coup(players=4)")

Parameters are ``players``, ``scenario``, ``deals``, ``max_steps`` and, for Liar's Dice, ``dice``. 0 and "" are the defaults.

Kuhn poker, Leduc poker and Liar's Dice for two with ``dice=1`` have true chance nodes: cards and dice one by one. In every other
game chance is one node at the root with ``deals`` outcomes of equal chance, each the seed of a match, and all that follows is a
function of it. Exact values over few deals are those of a smaller game, in which only these deals exist.
"""

import ctypes
import functools
import hashlib

import numpy as np
import pyspiel

from . import _vec

_TOKENS = 64
_STARTS = {"texas_holdem": "single_hand", "belote": "single_deal"}  # scenarios by default: one hand, one deal
_BOUNDS = {"kuhn_poker": (2, 3), "leduc_poker": (13, 8)}  # largest win, longest game; others by _utility, max_steps
_DEFAULTS = {"players": 0, "scenario": "", "deals": 1024, "max_steps": 1000}


# ---- The library behind a game --------------------------------------------------------------------------------------


class _Lab:
    """One environment, into which states are loaded; shared by all states of a game with the same parameters."""

    def __init__(self, name, players, scenario, max_steps, dice):
        options = {"dice_counts": dice} if dice else {}
        kinds = _vec._agon.get_game(name)["token_kinds"]
        self.tokens = _TOKENS if kinds else 0
        self.v = _vec.vec(name, 1, scenario=scenario or _STARTS.get(name), seats=players or None, options=options,
                          autoreset="disabled", max_steps=max_steps, tokens=self.tokens)
        self.game, self.seats = self.v.game, self.v.seats
        self.small = _vec._agon.vector_size(name, 1)
        self.size = self.v.observations.shape[1]
        self.holds = None  # the snapshot that is loaded
        self.dealt = _DEALT.get(name) if name != "liars_dice" or (self.seats == 2 and dice == 1) else None

    def begin(self, seed):
        self.v.reset(seed)
        self.holds = None
        return self.v.save(0)

    def load(self, snapshot):
        if self.holds is not snapshot:
            self.v.load(0, snapshot)
            self.holds = snapshot

    def play(self, snapshot, action):
        """The snapshot after it, and whether the match is over."""
        self.load(snapshot)
        _, over = self.v.apply(0, action)
        self.holds = after = self.v.save(0)
        return after, over

    def row(self, snapshot, seat):
        """What a seat sees: newest vector, mask, tokens."""
        self.load(snapshot)
        row, mask = np.empty(self.size, np.float32), np.empty(self.game.num_actions, np.int8)
        tokens = np.empty((self.tokens, 4), np.int16) if self.tokens else None
        self.v._write_row(0, seat, row, mask, tokens)
        return row, mask, tokens

    @functools.cached_property
    def seeds(self):
        """A seed for every deal, the first that gives it; for true chance nodes."""
        found, seed = {}, 0
        while len(found) < self.dealt.count:
            found.setdefault(self.dealt.read(self, self.dealt.open(self, self.begin(seed))), seed)
            seed += 1
        return found


@functools.lru_cache(maxsize=64)
def _lab(name, players, scenario, max_steps, dice):
    return _Lab(name, players, scenario, max_steps, dice)


# ---- True chance ----------------------------------------------------------------------------------------------------


class _Dealt:
    """How cards or dice of a small game are dealt: outcomes of each node, how many are out at first, how many deals."""

    def __init__(self, kinds, first, cards, count, repeats=False):
        self.kinds, self.first, self.cards, self.count, self.repeats = kinds, first, cards, count, repeats

    def read(self, lab, snapshot):
        """All that lies on the table and in hands, in the order of dealing."""
        out = []
        names = [e.name for e in lab.game.elements]
        for seat, prefix in ((0, "card."), (1, "card."), (0, "own.face."), (1, "own.face."), (0, "public_card.")):
            columns = [i for i, name in enumerate(names) if name.startswith(prefix)]
            shown = np.flatnonzero(lab.row(snapshot, seat)[0][columns]) if columns else ()
            out += [int(k) for k in shown]
        return tuple(out)

    def open(self, lab, snapshot):
        """Plays until every card is shown."""
        while len(self.read(lab, snapshot)) < self.cards:
            snapshot, _ = lab.play(snapshot, lab.game.action("check"))
        return snapshot

    def outcomes(self, dealt):
        left = [k for k in range(self.kinds) if self.repeats or k not in dealt]
        return [(k, 1.0 / len(left)) for k in left]


_DEALT = {
    "kuhn_poker": _Dealt(3, 2, 2, 6),
    "leduc_poker": _Dealt(6, 2, 3, 120),
    "liars_dice": _Dealt(6, 2, 2, 36, repeats=True),
}


# ---- States ---------------------------------------------------------------------------------------------------------


class _State(pyspiel.State):
    """A match as snapshots; copies share them, so cloning is cheap."""

    def __init__(self, game):
        super().__init__(game)
        self._place = game.place  # parameters of _lab
        self._deals = game.deals
        self._dealt, self._played = (), ()
        self._snapshot, self._over, self._seat = None, False, pyspiel.PlayerId.CHANCE
        self._told = (b"",) * game.num_players()  # what each seat has seen, as a chain of hashes

    @property
    def _lab(self):
        return _lab(*self._place)

    def current_player(self):
        return pyspiel.PlayerId.TERMINAL if self._over else self._seat

    def is_terminal(self):
        return self._over

    def chance_outcomes(self):
        if self._lab.dealt:
            return self._lab.dealt.outcomes(self._dealt)
        return [(k, 1.0 / self._deals) for k in range(self._deals)]

    def _legal_actions(self, player):
        if player != self._seat:
            return []
        return [int(k) for k in np.flatnonzero(self._lab.row(self._snapshot, player)[1]) if k]

    def _apply_action(self, action):
        if self._seat == pyspiel.PlayerId.CHANCE:
            known = dict(self._lab.dealt.outcomes(self._dealt)) if self._lab.dealt else range(self._deals)
            if action not in known:
                raise _vec._refused(f"chance: {action} is no outcome now; chance_outcomes() lists them")
            self._dealt += (action,)
            self._deal()
        else:
            self._snapshot, self._over = self._lab.play(self._snapshot, action)  # or nothing has changed
            self._played += (action,)
            self._see()

    def _deal(self):
        """A deal that begins with what is known; where it is complete for now, the match up to here."""
        lab, seed = self._lab, self._dealt[0]
        if lab.dealt:
            if len(self._dealt) < lab.dealt.first:
                return
            seed = next(s for deal, s in lab.seeds.items() if deal[: len(self._dealt)] == self._dealt)
        self._snapshot = lab.begin(seed)
        for action in self._played:
            self._snapshot, self._over = lab.play(self._snapshot, action)
        self._see()

    def _see(self):
        lab = self._lab
        lab.load(self._snapshot)
        self._seat = lab.v.asked_seat(0)
        if lab.dealt and not self._over and len(lab.dealt.read(lab, self._snapshot)) > len(self._dealt):
            self._seat = pyspiel.PlayerId.CHANCE  # the next card has not been chosen yet
            return
        told = []
        for seat, before in enumerate(self._told):
            seen = hashlib.blake2b(lab.row(self._snapshot, seat)[0].tobytes(), digest_size=8).digest()
            told.append(before if before[-8:] == seen else hashlib.blake2b(before, digest_size=8).digest() + seen)
        self._told = tuple(told)

    def _action_to_string(self, player, action):
        return f"deal {action}" if player == pyspiel.PlayerId.CHANCE else self._lab.game.actions[action]

    def returns(self):
        if not self._over:
            return [0.0] * len(self._told)
        lab = self._lab
        lab.load(self._snapshot)
        return _utility(lab.game.name, lab.game.teams, lab.v.payoffs(0)[: lab.seats])

    def information_state_string(self, player=None):
        """Equal exactly when the seat has seen the same, from the beginning of the match on."""
        player = self._seat if player is None else player
        return f"{player}:{self._told[player].hex()}"

    def __str__(self):
        if self._snapshot is None:
            return "before the deal"
        self._lab.load(self._snapshot)
        return self._lab.v.render(0)


def _utility(name, teams, payoffs):
    """V73."""
    n = len(payoffs)
    if name == "tetris":
        return [p / 1000 for p in payoffs]
    if name in _BOUNDS:
        return [float(p) for p in payoffs]
    mean = sum(payoffs) / n
    if name == "texas_holdem":
        return [(p - mean) / mean for p in payoffs]
    if teams:
        return [0.0 if p == mean else 1.0 if p > mean else -1.0 for p in payoffs]
    return [(p - mean) * n / (n - 1) for p in payoffs]


class _Observer:
    """Observation: vector 1. Information state: the newest vector and the tokens."""

    def __init__(self, lab, recall):
        self._lab = lab
        self.tensor = np.zeros(lab.size + 4 * lab.tokens if recall else lab.small, np.float32)
        self.dict = {"vector": self.tensor[: lab.size]}
        if recall and lab.tokens:
            self.dict["tokens"] = self.tensor[lab.size :].reshape(lab.tokens, 4)
        self._recall = recall

    def set_from(self, state, player):
        self.tensor.fill(0)
        if state._snapshot is None:
            return
        row, _, tokens = self._lab.row(state._snapshot, player)
        self.dict["vector"][:] = row[: len(self.dict["vector"])]
        if "tokens" in self.dict:
            self.dict["tokens"][:] = tokens

    def string_from(self, state, player):
        if self._recall or state._snapshot is None:
            return state.information_state_string(player)
        self._lab.load(state._snapshot)
        return self._lab.v.render(0, viewer=player)


# ---- Games ----------------------------------------------------------------------------------------------------------


class _Game(pyspiel.Game):
    def __init__(self, name, kind, params):
        given = {**_DEFAULTS, "dice": 0, **(params or {})}
        if not 1 <= given["deals"] <= 65536:
            raise ValueError(f"deals must be 1 to 65536, not {given['deals']}")
        win, length = _BOUNDS.get(name, (None, given["max_steps"]))
        self.place = (name, given["players"], given["scenario"], given["max_steps"], given["dice"])
        self.deals = given["deals"]
        lab = _lab(*self.place)
        win = win or {"texas_holdem": lab.seats - 1, "tetris": 1e6}.get(name, 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=lab.game.num_actions,
            max_chance_outcomes=lab.dealt.kinds if lab.dealt else self.deals,
            num_players=lab.seats,
            min_utility=0.0 if name == "tetris" else -float(win) if name in _BOUNDS else -1.0,
            max_utility=float(win),
            utility_sum=0.0 if lab.seats > 1 else None,
            max_game_length=length,
        )
        super().__init__(kind, info, params or {})

    def new_initial_state(self):
        return _State(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        if params:
            raise ValueError(f"an observer has no parameters; given {params}")
        return _Observer(_lab(*self.place), bool(iig_obs_type and iig_obs_type.perfect_recall))


def _register(facts):
    solo = facts.max_seats == 1
    specification = dict(_DEFAULTS, **({"dice": 0} if facts.name == "liars_dice" else {}))
    kind = pyspiel.GameType(
        short_name=f"agon_{facts.name}",
        long_name=f"{facts.title} (agon)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM if solo else pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=facts.max_seats,
        min_num_players=facts.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=specification,
    )
    make = functools.partial(_Game, facts.name, kind)
    # The registry outlives the interpreter and must not free this last reference then.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(make))
    pyspiel.register_game(kind, make)


for _facts in _vec.games():
    if f"agon_{_facts.name}" not in pyspiel.registered_names():
        _register(_facts)
