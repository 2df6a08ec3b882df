#!/usr/bin/env python3
"""A player that reads words and writes words: it gets the rules, the history and the legal actions as text, and answers in a
sentence. Put a call of any language model where the sentence is made.

    agon match coup --seat "cmd:python3 examples/programs/words.py" --seat house:rules --games 10
"""
import json
import re
import sys

for line in sys.stdin:
    message = json.loads(line)
    answer = {"ok": True}
    if message["op"] == "start":
        answer["want"] = ["prose"]
    elif message["op"] == "choose":  # message has rules, actions, history, situation and legal_text
        first = message["legal_text"].splitlines()[0].removeprefix("- ")
        first = re.sub(r" \(.*\)$", "", first)  # a note beside the action
        words, _, bounds = first.partition(", ")  # "raise AMOUNT, 400 to 10000"
        if bounds:
            words = re.sub(r"[A-Z]{2,}", re.search(r"(\d+) to", bounds)[1], words)
        answer = {"text": f"Nothing is better than the first.\nAnswer: {words}"}
    elif message["op"] == "events":
        continue
    print(json.dumps({"id": message["id"], **answer}), flush=True)
