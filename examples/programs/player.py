#!/usr/bin/env python3
"""A local program that plays any game: one JSON object per line comes in, one per question goes out.

    agon match coup --seat "cmd:python3 examples/programs/player.py" --seat house:rules --games 10
"""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "start":  # {"game":...,"seat":0,"seats":[...],"matchId":...,"rules":{...}}
        answer = {"ok": True}
    elif message["op"] == "choose":  # {"phase":...,"view":{...},"legal":[...]}
        answer = {"action": message["legal"][-1]}  # or {"index": 0}; here is the place to be clever
    elif message["op"] == "events":  # {"events":[...]}: nobody waits for an answer
        continue
    else:  # "end": the match is over; the next begins with another "start"
        answer = {"ok": True}
    print(json.dumps({"id": message["id"], **answer}), flush=True)
