#!/usr/bin/env python3
"""Compare Kuhn and Leduc poker with OpenSpiel: play every course of every deal in both.

Usage: openspiel.py AGON [GAME...]; needs the package open_spiel (pip install open_spiel==2.0.2).
At every decision the seat to act, the legal actions and both information state tensors (K1.14) must be the same, at the end
the returns.
"""
import itertools
import json
import subprocess
import sys

import pyspiel

# Our deck in OpenSpiel's order, how many of its cards chance deals, and OpenSpiel's numbers of our action types.
GAMES = {
    "kuhn_poker": ("Js Qs Ks".split(), 2, {"fold": 0, "check": 0, "call": 1, "bet": 1}),
    "leduc_poker": ("Jh Js Qh Qs Kh Ks".split(), 3, {"fold": 0, "check": 1, "call": 1, "raise": 2}),
}


class Engine:
    def __init__(self, program, game):
        self.process = subprocess.Popen([program, "engine", game], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["ok"], (request, answer)
        return answer

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def skip_chance(state, order):
    """Deal as our deck does: chance takes the next card of the order."""
    while state.is_chance_node():
        outcomes = [action for action, _ in state.chance_outcomes()]
        assert outcomes == sorted(set(range(len(order))) - set(order[: len(order) - len(outcomes)]))
        state.apply_action(order[len(order) - len(outcomes)])


def walk(engine, theirs, order, actions):
    """Compare the position, then everything that follows; the number of ends."""
    skip_chance(theirs, order)
    for seat in range(2):
        vector = engine.ask(op="view", viewer=seat, vector=True)["vector"]
        assert vector == theirs.information_state_tensor(seat), (order, theirs.history(), seat, vector)
    if theirs.is_terminal():
        ours = engine.ask(op="payoffs")
        assert ours["over"]
        assert ours["payoffs"] == theirs.returns(), (order, theirs.history(), ours)
        return 1
    choices = engine.ask(op="choices")
    assert choices["seat"] == f"seat_{theirs.current_player()}", (order, theirs.history(), choices)
    legal = {actions[choice["type"]]: choice for choice in choices["choices"]}
    assert sorted(legal) == theirs.legal_actions(), (order, theirs.history(), choices)
    saved, ends = engine.ask(op="save")["saved"], 0
    for action, choice in legal.items():
        engine.ask(op="restore", saved=saved)
        engine.ask(op="apply", action=choice)
        ends += walk(engine, theirs.child(action), order, actions)
    return ends


def main(program, *games):
    for game in games or GAMES:
        deck, dealt, actions = GAMES[game]
        spiel, engine, deals, ends = pyspiel.load_game(game), Engine(program, game), 0, 0
        for start in itertools.permutations(range(len(deck)), dealt):
            order = list(start) + sorted(set(range(len(deck))) - set(start))
            engine.ask(op="start", seats=2, seed=1, rules={"deck": [deck[card] for card in order]})
            ends += walk(engine, spiel.new_initial_state(), order, actions)
            deals += 1
        engine.close()
        print(f"{game}: {deals} deals, {ends} courses are the same in OpenSpiel")


if __name__ == "__main__":
    main(*sys.argv[1:])
