#!/usr/bin/env python3
"""Plays a random game of anything through the engine: engine_random.py GAME [SEED] [PROGRAM]"""
import json
import random
import subprocess
import sys

game, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
program = sys.argv[3] if len(sys.argv) > 3 else "agon"
engine = subprocess.Popen([program, "engine", game], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
random.seed(seed)


def ask(**request):
    engine.stdin.write(json.dumps(request) + "\n")
    line = engine.stdout.readline()
    if not line:  # it has said why on standard error
        sys.exit(f"{program} engine has ended")
    answer = json.loads(line)
    if not answer["ok"]:
        sys.exit(answer["error"]["message"])
    return answer


real_time = ask(op="about")["tick_ms"] > 0
turn = ask(op="start", seed=seed)["turn"]
while turn["kind"] != "over":
    seat = random.choice(turn["seats"])
    mask = ask(op="choices", seat=seat, mask=True)["legal_mask"]
    turn = ask(op="apply", seat=seat, index=random.choice([i for i, bit in enumerate(mask) if bit == "1"]))["turn"]
    if real_time and turn["kind"] != "over":
        turn = ask(op="tick", count=10)["turn"]

print(ask(op="view", picture=True)["picture"], end="")
print("payoffs:", *ask(op="payoffs")["payoffs"])
ask(op="quit")
