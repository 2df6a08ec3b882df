"""A policy as a program at a seat: ``agon match GAME --seat 'cmd:python3 mine.py'`` starts it and asks it line by line (P4).

::

    import agon.program
    agon.program.run(policy)        # policy(observation, mask) returns an action number
"""

import json
import sys

import numpy as np

from ._agon import get_game
from ._vec import _refused, _whole


def run(policy, *, vector=0, pace="placements", lines=None, out=None):
    """Answer questions until the input ends.

    :param policy: called as ``policy(observation, mask)`` with rows as :class:`agon.Vec` has them
    :param vector: version of the observation that the policy was trained on; 0 is the newest
    :param pace: of Tetris: which numbers the mask shows, as in :func:`agon.vec`
    :param lines, out: by default standard input and output
    """
    lines, out = lines or sys.stdin, out or sys.stdout
    mask, first = None, 0
    for line in lines:
        message = json.loads(line)
        if message["op"] == "events":
            continue
        answer = {"id": message["id"]}
        if message["op"] == "start":
            facts = get_game(message["game"])
            mask = np.zeros(facts["num_actions"], np.int8)
            first = 8 if message["game"] == "tetris" and pace == "placements" else 0
            answer.update(ok=True, want=[f"vector:{vector}" if vector else "vector"])
        elif message["op"] == "choose":
            if "vector" not in message:
                raise _refused("the questions have no vector; this table cannot show one, or not this version")
            numbers = [n for n in message["numbers"] if n >= first] or message["numbers"]
            mask[:] = 0
            mask[numbers] = 1
            number = policy(np.array(message["vector"], np.float32), mask)
            answer["number"] = _whole("what the policy returns", number, -(2**31), 2**31 - 1)
        else:
            answer["ok"] = True
        print(json.dumps(answer), file=out, flush=True)
