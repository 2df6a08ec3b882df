"""Policies as programs at the seats of agon match (P4.4), and agon.program."""

import io
import json
import subprocess
import sys

import agon
import agon.program
import numpy as np
import pytest

from conftest import AGON

# Plays at random; fails when a question does not show what the library shows.
PLAYER = """
import json, random, sys
size, actions, want, check = json.loads(sys.argv[1])
rng = random.Random(1)
for line in sys.stdin:
    m = json.loads(line)
    if m["op"] == "events":
        continue
    answer = {"id": m["id"], "ok": True, "want": [want]}
    if m["op"] == "choose":
        assert len(m["vector"]) == size, len(m["vector"])
        assert m["numbers"] and all(0 < n < actions for n in m["numbers"]), m["numbers"]
        if check:
            dice = [m["view"]["dice"].count(face + 1) for face in range(6)]
            assert [round(5 * x) for x in m["vector"][:6]] == dice, (m["vector"][:6], dice)
        answer = {"id": m["id"], "number": rng.choice(m["numbers"])}
    print(json.dumps(answer), flush=True)
"""


def play(game, seat, *more, games=2):
    command = [AGON, "match", game, "--seat", f"me={seat}", "--seat", "house:random", "--games", str(games), "--seed", "1",
               "--json", *more]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def trouble_of(run):
    """What went wrong with the program, by kind."""
    (me,) = (entry for entry in json.loads(run.stdout)["standings"] if entry["entrant"] == "me")
    return {kind: count for kind, count in me["trouble"].items() if not kind.startswith("sessions")}


def player(tmp_path, *facts):
    (tmp_path / "player.py").write_text(PLAYER)
    return f"cmd:{sys.executable} {tmp_path}/player.py '{json.dumps(facts)}'"


@pytest.mark.parametrize("version", [0, 1])
def test_questions_have_the_row_of_the_library(game, version, tmp_path):
    v = agon.vec(game, vector=version)
    want = f"vector:{version}" if version else "vector"
    run = play(game, player(tmp_path, v.observations.shape[1], v.masks.shape[1], want, game == "liars_dice"))
    assert run.returncode == 0 and not any(trouble_of(run).values()), (run.stdout, run.stderr)


def test_a_number_that_is_not_legal_is_an_illegal_answer(tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text(PLAYER.replace('rng.choice(m["numbers"])', "0"))
    v = agon.vec("kuhn_poker")
    facts = json.dumps([v.observations.shape[1], v.masks.shape[1], "vector", False])
    run = play("kuhn_poker", f"cmd:{sys.executable} {program} '{facts}'")
    assert trouble_of(run)["illegal"] == 2


def converse(policy, *lines, **options):
    out = io.StringIO()
    agon.program.run(policy, lines=[json.dumps(line) + "\n" for line in lines], out=out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_conversation():
    seen = []

    def policy(observation, mask):
        seen.append((observation, np.flatnonzero(mask).tolist()))
        return 4

    answers = converse(policy, {"op": "start", "id": 1, "game": "kuhn_poker"}, {"op": "events", "events": []},
                       {"op": "choose", "id": 2, "vector": [0.5] * 11, "numbers": [2, 4]}, {"op": "end", "id": 3})  # fmt: skip
    assert answers == [{"id": 1, "ok": True, "want": ["vector"]}, {"id": 2, "number": 4}, {"id": 3, "ok": True}]
    assert seen[0][0].dtype == np.float32 and seen[0][1] == [2, 4]


def test_placements_of_tetris_are_shown_alone():
    masks = []
    start = {"op": "start", "id": 1, "game": "tetris"}
    for numbers in ([1, 6, 9, 80], [1, 6]):  # without a placement, inputs
        converse(lambda o, m: masks.append(np.flatnonzero(m).tolist()) or 6, start,
                 {"op": "choose", "id": 2, "vector": [0.0] * 266, "numbers": numbers})  # fmt: skip
    assert masks == [[9, 80], [1, 6]]


def test_a_policy_returns_an_integer():
    for wrong in (None, 1.5, "1"):
        with pytest.raises(TypeError, match="what the policy returns must be an integer, not"):
            converse(lambda o, m: wrong, {"op": "start", "id": 1, "game": "kuhn_poker"},
                     {"op": "choose", "id": 2, "vector": [0.0] * 11, "numbers": [2, 4]})  # fmt: skip


def test_a_table_without_rows_is_refused():
    with pytest.raises(agon.Error, match="no vector"):
        converse(None, {"op": "start", "id": 1, "game": "coup"}, {"op": "choose", "id": 2, "view": {}, "legal": []})


@pytest.mark.parametrize("name", [g.name for g in agon.games() if g.min_seats <= 2 <= g.max_seats])
def test_a_batch_with_house_seats_is_a_match(name, tmp_path):
    """V14: the same seed, players and rules give the same final state, by its hash."""
    rules = ["--rules", '{"windows":"deterministic"}'] if name == "coup" else []  # V1
    subprocess.run([AGON, "match", name, "--seat", "house:fallback", "--seat", "house:random", "--games", "1", "--seed", "5",
                    "--replays", tmp_path, *rules], check=True, capture_output=True, timeout=300)  # fmt: skip
    for replay in sorted(tmp_path.iterdir()):
        facts = json.loads(subprocess.run([AGON, "replay", "info", "--json", replay], check=True, capture_output=True).stdout)
        told = subprocess.run([AGON, "replay", "export", "--format", "jsonl", replay], check=True, capture_output=True).stdout
        options = {rule: value for rule, value in facts["rules"].items() if value is not None and rule != "windows"}
        seat = facts["seats"].index("fallback")
        with agon.vec(name, seats=2, seed=facts["seed"], options=options, house={1 - seat: "random"}, illegal="fallback",
                      autoreset="disabled") as v:  # fmt: skip
            v.reset()
            while not (v.terminated[0] or v.truncated[0]):
                v.step([-1])  # the game's answer for the silent, which is what house:fallback plays
            assert f"{v.hash(0):016x}" == json.loads(told.splitlines()[-1])["hash"], replay
