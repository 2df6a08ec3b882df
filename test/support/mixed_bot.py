#!/usr/bin/env python3
"""Liar's Dice by a simple rule, and by chance in so many of 100 decisions: mixed_bot.py PERCENT"""
import json
import random
import sys

percent = int(sys.argv[1])
dice = random.Random(percent)


def choose(view, legal):
    if dice.randrange(100) < percent:
        return {"index": dice.randrange(len(legal))}
    bid = view.get("current_bid")
    doubtful = bid and 2 * bid["quantity"] > view["total_dice"]
    wanted = [i for i, action in enumerate(legal) if action["type"] == ("challenge" if doubtful else "bid")]
    return {"index": wanted[0] if wanted else 0}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = choose(message["view"], message["legal"]) if message["op"] == "choose" else {"ok": True}
        print(json.dumps({"id": message["id"], **answer}), flush=True)
