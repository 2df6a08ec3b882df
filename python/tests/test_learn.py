"""The learners of examples/learn: a short form of each; with AGON_LEARN=full, whether each reaches what it states."""

import importlib
import json
import os
import re
import subprocess
import sys

import agon
import numpy as np
import pytest

from conftest import AGON, ROOT

FOLDER = ROOT / "examples/learn"
full = pytest.mark.skipif(os.environ.get("AGON_LEARN") != "full", reason="the gate runs it: AGON_LEARN=full")


@pytest.fixture(autouse=True)
def beside_the_examples(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def load(name):
    return importlib.import_module(name)


def test_each_is_short():
    for path in FOLDER.glob("*.py"):
        assert len(path.read_text().splitlines()) <= 200, path


def test_gradients_are_those_of_differences():
    net = load("net").Net(5, 7, 4, seed=3)
    rng = np.random.default_rng(1)
    net.w = {k: rng.normal(0, 0.5, a.shape) for k, a in net.w.items()}
    rows, masks = rng.normal(size=(6, 5)), np.array([[1, 0, 1, 1]] * 6)
    push, pull = rng.normal(size=(6, 4)), rng.normal(size=6)

    def loss():
        chances, value, _ = net.forward(rows, masks)
        return (push * np.log(np.where(masks, chances, 1))).sum() + (pull * value).sum()

    chances, _, hidden = net.forward(rows, masks)
    to_logits = np.where(masks, push, 0) - chances * np.where(masks, push, 0).sum(1, keepdims=True)
    found = net.backward(rows, hidden, to_logits, pull)
    for k, a in net.w.items():
        for at in list(np.ndindex(a.shape))[::3]:
            kept, sides = a[at], []
            for step in (1e-5, -1e-5):
                a[at] = kept + step
                sides.append(loss())
            a[at] = kept
            assert np.isclose(found[k][at], (sides[0] - sides[1]) / 2e-5, atol=1e-5), (k, at)


def test_masked_actions_are_never_drawn():
    net = load("net")
    chances, _, _ = net.Net(3, 4, 6).forward(np.ones((500, 3), np.float32), np.tile([0, 1, 0, 0, 1, 0], (500, 1)))
    assert set(net.sample(chances, np.random.default_rng(1))) == {1, 4}


def test_cfr_finds_the_value_of_kuhn_poker():
    policy, keys, gap, value = load("cfr").solve("kuhn_poker", 200, report=False)
    assert len(keys.known) == 12 and gap < 0.001
    assert abs(value + 1 / 18) < 0.001  # known since Kuhn 1950


def test_cfr_reads_the_tree_of_leduc_poker():
    cfr = load("cfr")
    root, chance, keys, game = cfr.read_tree("leduc_poker")
    legal = np.zeros((len(keys.known), game.num_actions))
    cfr.mark_legal(root, legal)
    uniform = cfr.normalised(np.zeros_like(legal), legal)
    assert len(keys.known) == 288 and abs(chance.sum() - 1) < 1e-12
    assert abs(cfr.exploitability(root, chance, uniform) - 2.373611111) < 1e-6  # as OpenSpiel has it


def test_policy_gradient_improves():
    learner = load("policy_gradient")
    v = learner.open_vec("liars_dice", learner.ENVS, seed=1)
    net = load("net").Net(v.observations.shape[1], learner.HIDDEN, v.masks.shape[1], seed=1)
    rng = np.random.default_rng(1)
    before = learner.collect(v, net, rng)["reward"].mean()
    learner.learn(net, v, 10, 1.0, rng, report=False)
    assert learner.collect(v, net, rng)["reward"].mean() > before + 0.005


def test_search_plays_better_than_what_learns_from_it():
    search = load("search")
    kept = []
    share = search.play(search.searching(search.Search(search.TABLES, 6)), search.TABLES, 1, kept)
    assert share > 0.2  # with few clones; the network before wins 0.06
    rows, masks, wishes = kept[0]
    assert np.allclose(wishes.sum(1), 1, atol=1e-5) and not wishes[masks == 0].any()


def run(*words):
    bare = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}  # the script sets it
    done = subprocess.run([sys.executable, *words], cwd=FOLDER, capture_output=True, text=True, timeout=1800, env=bare)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sit(game, program, rival, *more):
    """A match of the learned policy; what went wrong, and its score."""
    command = [AGON, "match", game, "--seat", f"me=cmd:{sys.executable} {FOLDER}/{program}", "--seat", rival, "--seed", "1", "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (done.stdout, done.stderr)
    (me,) = (entry for entry in json.loads(done.stdout)["standings"] if entry["entrant"] == "me")
    assert not any(count for kind, count in me["trouble"].items() if not kind.startswith("sessions")), me
    return me["score"]


def test_a_solved_game_sits_in_a_match(tmp_path):
    run("cfr.py", "kuhn_poker", "--iterations", "50", "--out", str(tmp_path / "kuhn.npz"))
    sit("kuhn_poker", f"cfr.py --play {tmp_path}/kuhn.npz", "house:random", "--games", "4")


@full
@pytest.mark.parametrize("script, game, pattern, least, scenario", [
    ("policy_gradient.py liars_dice", "liars_dice", r"after: +([\d.]+)", 0.5, "duel"),
    ("policy_gradient.py tetris", "tetris", r"after: +([\d.]+)", 5.0, None),
    ("search.py", "coup", r"network after: +([\d.]+)", 0.35, "players_2"),
    ("cfr.py leduc_poker", "leduc_poker", r"value of the first seat -([\d.]+)", 0.085, "hundred_hands"),
])  # fmt: skip
def test_it_reaches_what_it_states(script, game, pattern, least, scenario, tmp_path):
    said = run(*script.split(), "--out", str(tmp_path / "policy.npz"))
    print(said)
    assert float(re.search(pattern, said)[1]) >= least, said
    assert float(re.search(r"(\d+) s of CPU\n$", said)[1]) < 240, said  # two minutes on two cores
    where = ["--scenario", scenario] if scenario else []
    sit(game, f"{script.split()[0]} --play {tmp_path}/policy.npz", "house:random", "--games", "10", *where)
