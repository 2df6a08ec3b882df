"""agon.connect against a real server (V42)."""

import json
import subprocess
import urllib.request

import agon
import numpy as np
import pytest

from conftest import AGON


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of an arena on free ports, in which house players join at once."""
    command = [AGON, "serve", "--data", str(tmp_path_factory.mktemp("arena")), "--port", "0", "--tetris-port", "0",
               "--house-wait", "50", "--fill-wait", "20", "--house-think", "0"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = next(line.split()[1] for line in process.stdout if line.startswith("listening http"))
        yield address
        process.terminate()
        process.stdout.read()


def register(server, name):
    request = urllib.request.Request(f"{server}/api/agents/register", json.dumps({"name": name}).encode(),
                                     {"Content-Type": "application/json"})  # fmt: skip
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return json.load(opener.open(request, timeout=60))["agent"]["api_key"]


class Careful:
    """Chooses at random among the legal numbers and keeps what it saw."""

    def __init__(self, seed=1):
        self.rng, self.rows, self.masks = np.random.default_rng(seed), [], []

    def __call__(self, observation, mask):
        self.rows.append(observation)
        self.masks.append(mask)
        return self.rng.choice(np.flatnonzero(mask))


@pytest.mark.parametrize("game", ["liars_dice", "coup", "kuhn_poker", "leduc_poker"])
def test_a_policy_plays_ranked_matches(server, game):
    policy, told = Careful(), []
    with agon.connect(server, register(server, f"Ranked {game}")) as arena:
        results = arena.play(game, policy, matches=2, on_match=told.append)
    assert told == results and len(results) == 2
    assert sum(r.decisions for r in results) == len(policy.rows) > 0
    v = agon.vec(game)
    assert all(row.shape == v.observations.shape[1:] and row.dtype == np.float32 for row in policy.rows)
    assert all(mask.shape == v.masks.shape[1:] and mask.dtype == np.int8 and not mask[0] for mask in policy.masks)
    low, high = (np.array([getattr(e, side) for e in v.game.elements]) for side in ("low", "high"))
    assert all((row >= low - 1e-6).all() and (row <= high + 1e-6).all() for row in policy.rows)
    assert all(np.isfinite(r.reward) and r.reason for r in results)


def test_a_guest_plays_an_older_vector(server):
    policy = Careful()
    with agon.connect(server) as arena:
        arena.play("liars_dice", policy, mode="friendly", vector=1)
    size = agon.vec("liars_dice", vector=1).observations.shape[1]
    assert {len(row) for row in policy.rows} == {size}


def test_what_is_refused(server):
    with agon.connect(server, "agk_wrong") as arena, pytest.raises(agon.Error, match="unknown api_key"):
        arena.play("coup", Careful())
    with agon.connect(server) as arena, pytest.raises(agon.Error, match="no game|unknown"):
        arena.play("chess", Careful())
    with agon.connect(server) as arena, pytest.raises(agon.Error, match="the policy chose 0, which is not legal"):
        arena.play("kuhn_poker", lambda observation, mask: 0, mode="friendly")
    for wrong in (None, 1.5, float("nan"), "1"):
        with agon.connect(server) as arena, pytest.raises(TypeError, match="what the policy returns must be an integer, not"):
            arena.play("kuhn_poker", lambda observation, mask: wrong, mode="friendly")
    with pytest.raises(agon.Error, match="url must be"):
        agon.connect("ftp://127.0.0.1")
    with pytest.raises(agon.Error, match="url: Port out of range"):
        agon.connect("http://127.0.0.1:99999")
    with pytest.raises(ConnectionError, match="no answer from 127.0.0.1:1: .*refused; is it the HTTP address of a running 'agon serve'"):
        agon.connect("http://127.0.0.1:1")
    for wrong in (None, 8080, b"http://127.0.0.1"):
        with pytest.raises(TypeError, match="url must be a string"):
            agon.connect(wrong)


def test_closing_twice_is_fine(server):
    arena = agon.connect(server)
    arena.close()
    arena.close()
    with pytest.raises(RuntimeError, match="closed; make another"):
        arena.play("coup", Careful())
