"""The games in OpenSpiel (V70 to V74). Where it is not installed, nothing is tested: `make gate GATE=python` has it."""

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

import agon.spiel  # noqa: E402
from conftest import GAMES  # noqa: E402

TRUE_CHANCE = ["agon_kuhn_poker", "agon_leduc_poker", "agon_liars_dice(players=2,dice=1)"]
PLAYED = [f"agon_{name}" for name in GAMES if name != "tetris"] + [
    "agon_tetris(max_steps=40)", "agon_liars_dice(players=2,dice=1)", "agon_coup(players=2,deals=4)", "agon_texas_holdem(players=6)",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAYED)
def test_random_simulation(text):
    """V74: serialisation, clones, tensors, legal actions and utilities, as OpenSpiel checks them."""
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=20, serialize=True, verbose=False)


@pytest.mark.parametrize("text", TRUE_CHANCE)
def test_cards_and_dice_are_dealt_one_by_one(text):
    """V71."""
    game = pyspiel.load_game(text)
    state = game.new_initial_state()
    for _ in range(2):
        outcomes = state.chance_outcomes()
        assert abs(sum(chance for _, chance in outcomes) - 1) < 1e-12
        state.apply_action(outcomes[-1][0])
    assert state.current_player() == 0


def test_uniform_play_is_as_exploitable_as_in_openspiel():
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    for ours, theirs in (("agon_kuhn_poker", "kuhn_poker"), ("agon_leduc_poker", "leduc_poker")):
        gaps = [exploitability.exploitability(game, policy.UniformRandomPolicy(game))
                for game in map(pyspiel.load_game, (ours, theirs))]  # fmt: skip
        assert abs(gaps[0] - gaps[1]) < 1e-9


def test_mccfr_on_small_liars_dice():
    """V74: external sampling, 1,000 iterations."""
    from open_spiel.python.algorithms import external_sampling_mccfr as mccfr

    np.random.seed(1)
    solver = mccfr.ExternalSamplingSolver(pyspiel.load_game("agon_liars_dice(players=2,dice=1)"), mccfr.AverageType.SIMPLE)
    for _ in range(1000):
        solver.iteration()
    state = pyspiel.load_game("agon_liars_dice(players=2,dice=1)").new_initial_state()
    state.apply_action(0)
    state.apply_action(0)
    chances = solver.average_policy().action_probabilities(state)
    assert set(chances) == set(state.legal_actions()) and abs(sum(chances.values()) - 1) < 1e-9


def test_one_deal_decides_all_that_follows():
    """V71: the outcome of the root is the seed of the match."""
    game = pyspiel.load_game("agon_coup(players=3,deals=7)")
    assert game.max_chance_outcomes() == 7
    rows = []
    for _ in range(2):
        state = game.new_initial_state()
        state.apply_action(5)
        while not state.is_terminal() and len(rows) < 400:
            rows.append(np.array(state.information_state_tensor(state.current_player())))
            state.apply_action(state.legal_actions()[0])
    half = len(rows) // 2
    assert half > 1 and all((a == b).all() for a, b in zip(rows[:half], rows[half:]))


def test_utilities():
    """V73."""
    for name, payoffs, expected in (
        ("liars_dice", [0, 0, 1], [-0.5, -0.5, 1]), ("belote", [1, 0, 1, 0], [1, -1, 1, -1]), ("coup", [0, 0], [0, 0]),
        ("texas_holdem", [0, 3000, 0], [-1, 2, -1]), ("tetris", [2500], [2.5]), ("leduc_poker", [-9, 9], [-9, 9]),
    ):  # fmt: skip
        assert agon.spiel._utility(name, name == "belote" and 2, payoffs) == pytest.approx(expected)


def test_parameters_are_checked():
    with pytest.raises((ValueError, pyspiel.SpielError, RuntimeError)):
        pyspiel.load_game("agon_coup(deals=0)")
    with pytest.raises((ValueError, pyspiel.SpielError, RuntimeError)):
        pyspiel.load_game("agon_coup(players=9)")


@pytest.mark.parametrize("text", ["agon_leduc_poker", "agon_coup(players=2,deals=3)"])
def test_actions_that_are_refused_change_nothing(text):
    states = [pyspiel.load_game(text).new_initial_state() for _ in range(2)]
    turns = 0
    while not states[0].is_terminal():
        outcomes = [k for k, _ in states[0].chance_outcomes()] if states[0].is_chance_node() else states[0].legal_actions()
        for wrong in (-2, 10_000, next(k for k in range(10_000) if k not in outcomes)):
            with pytest.raises(agon.Error):
                states[1].apply_action(wrong)
        for state in states:
            state.apply_action(outcomes[-1])
        turns += 1
        assert states[0].history() == states[1].history() and str(states[0]) == str(states[1])
    assert turns > 3 and states[0].returns() == states[1].returns()
