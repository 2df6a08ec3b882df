#!/usr/bin/env python3
"""Plays one episode over MCP (Game-RL) with random legal actions: mcp_agent.py GAME [SEED]. Needs agon in the PATH."""
import json, random, subprocess, sys

GAME = sys.argv[1] if len(sys.argv) > 1 else "coup"
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
server = subprocess.Popen(["agon", "mcp", "--game", GAME], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
count = 0


def ask(method, params):
    global count
    count += 1
    request = {"jsonrpc": "2.0", "id": count, "method": method, "params": params}
    print(json.dumps(request), file=server.stdin, flush=True)
    while True:  # notifications come between answers
        line = server.stdout.readline()
        if not line:  # it has said why on standard error
            sys.exit("agon mcp has ended")
        answer = json.loads(line)
        if answer.get("id") == count:
            if "error" in answer:
                raise RuntimeError(answer["error"])
            return answer["result"]


def call(tool, **arguments):
    return ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]


ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mine", "version": "1"}})
call("register_agent", agent_id="me", agent_type="EntityBehavior")
step, steps, total, chance = call("reset", agent_id="me", seed=SEED), 0, 0, random.Random(SEED)
while not (step["done"] or step["truncated"]):
    action = chance.choice(step["available_actions"])  # your policy goes here
    step = call("sim_step", agent_id="me", action=action)
    steps += 1
    total += step["reward"]
print(f"{GAME}, seed {SEED}: {steps} steps, reward {total:g}, {step['termination_reason']}")
server.stdin.close()
