"""openenv_sdk.py AGON [BENCH]: the official openenv package against agon (rules O of docs/spec/openenv.md).

Its validator in both modes, its clients in whole matches of every game, generated typed clients, its graders over a
recorded episode, two sessions at a table, equal transcripts of two processes; with BENCH, the client in C of test/bench,
also steps per second beside the package's own server with an echo environment. AGON_OPENENV_MATCHES (20) a game,
AGON_OPENENV_GAMES (all, or names with commas between them).
"""

import asyncio
import importlib
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from openenv.cli._validation import validate_running_environment
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient
from openenv.validation.graders.runtime.basic import ObservationSchemaGrader, RewardWellFormedGrader, StateContractGrader
from websockets.sync.client import connect

AGON = sys.argv[1]
BENCH = sys.argv[2] if len(sys.argv) > 2 else None
MATCHES = int(os.environ.get("AGON_OPENENV_MATCHES", "20"))
GAMES = [g["name"] for g in json.loads(subprocess.check_output([AGON, "games", "--json"]))["games"]]
if os.environ.get("AGON_OPENENV_GAMES"):
    GAMES = os.environ["AGON_OPENENV_GAMES"].split(",")
MOST = 400  # steps of a match; belote and tetris may be cut there

ECHO = '''
import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class EchoAction(Action):
    message: str

class EchoObservation(Observation):
    echoed: str = ""

class Echo(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def __init__(self):
        super().__init__()
        self._state = State(episode_id="e", step_count=0)
    def reset(self, seed=None, episode_id=None, **kwargs):
        return EchoObservation(echoed="", reward=0.0, done=False)
    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        return EchoObservation(echoed=action.message, reward=1.0, done=False)
    @property
    def state(self):
        return self._state

app = create_app(Echo, EchoAction, EchoObservation, env_name="echo", max_concurrent_envs=64)
if __name__ == "__main__":
    import sys
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
'''


class Server:
    def __init__(self, *args):
        self.child = subprocess.Popen([AGON, "openenv", *args, "--port", "0"], stdout=subprocess.PIPE, text=True)
        line = self.child.stdout.readline()
        self.url = re.search(r"http://\S+", line).group(0)
        self.port = int(re.search(r":(\d+)", self.url.removeprefix("http://127.0.0.1")).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        assert self.child.wait(30) == 0


def choose(dice, legal):
    action = dict(dice.choice(legal))
    for name, ends in (action.get("range") or {}).items():
        if isinstance(ends, list) and len(ends) == 2:
            action[name] = dice.randint(*ends)
    return action


def check(ok, what):
    if not ok:
        raise SystemExit(f"openenv: {what}")


def validate(url, mode):
    report = validate_running_environment(url)
    check(report["passed"] and report["mode"] == mode and report["summary"]["passed_count"] == 6, f"{url}: {report}")


def play_sync(url, seed, most):
    dice = random.Random(seed)
    with GenericEnvClient(base_url=url).sync() as env:
        result = env.reset(seed=seed)
        steps = 0
        while not result.done and steps < most:
            result = env.step(choose(dice, result.observation["legal"]))
            check(result.observation["error"] is None, result.observation["error"])
            steps += 1
        check(env.state()["step_count"] == steps, "step_count")
    return steps, result.done


async def play_async(url, seed, most):
    dice = random.Random(seed)
    async with GenericEnvClient(base_url=url) as env:
        result = await env.reset(seed=seed)
        for _ in range(most):
            if result.done:
                break
            result = await env.step(choose(dice, result.observation["legal"]))
            check(result.observation["error"] is None, result.observation["error"])


async def play_tools(url, seed, most):
    dice = random.Random(seed)
    async with MCPToolClient(base_url=url) as env:
        check([t.name for t in await env.list_tools()] == ["play", "look", "rules"], "tools")
        await env.reset(seed=seed)
        result = await env.call_tool("look")
        for _ in range(most):
            if result["done"]:
                break
            result = await env.call_tool("play", action=choose(dice, result["observation"]["legal"]))
            check(result["observation"]["error"] is None, result["observation"]["error"])


def play_typed(folder, game, url, seed, most):
    module = importlib.import_module(f"agon_{game}")
    name = "".join(part.capitalize() for part in game.split("_"))
    Env, Action = getattr(module, name + "Env"), getattr(module, name + "Action")
    dice = random.Random(seed)
    with Env(base_url=url).sync() as env:
        result = env.reset(seed=seed)
        steps = 0
        while not result.done and steps < most:
            result = env.step(Action(**choose(dice, result.observation.legal)))
            check(result.observation.error is None, result.observation.error)
            steps += 1
        check(env.state().step_count == steps, "step_count of a typed client")


def transcript(url, seed):
    """As a grader records it: reset, state, then step and state in turns; the text of every reply."""
    rows, dice = [], random.Random(seed)
    with connect(url.replace("http", "ws") + "/ws", max_size=1 << 20) as socket:
        def ask(operation, message):
            request = json.dumps(message)
            socket.send(request)
            rows.append(SimpleNamespace(operation=operation, request_json=request, response_json=socket.recv(5)))
            return json.loads(rows[-1].response_json)["data"]
        data = ask("reset", {"type": "reset", "data": {"seed": seed, "episode_id": "graded"}})
        ask("state", {"type": "state"})
        while not data["done"] and len(rows) < 100:
            data = ask("step", {"type": "step", "data": choose(dice, data["observation"]["legal"])})
            ask("state", {"type": "state"})
    return rows


def grade(game, url, rows, reward_range):
    import urllib.request
    schema = json.load(urllib.request.urlopen(url + "/schema"))["observation"]
    evidence = SimpleNamespace(exchanges=rows, failure_reason=None, observation_schema_json=json.dumps(schema),
                               reset_observation_schema_json=None)
    manifest = SimpleNamespace(reward=SimpleNamespace(range=reward_range))
    for grader in (ObservationSchemaGrader(), StateContractGrader(), RewardWellFormedGrader()):
        result = grader.run(SimpleNamespace(runtime_evidence=evidence, manifest=manifest))
        check(result.status.value == "pass", f"{game}: {grader.check_id}: {result.evidence}")


async def meet(url):
    """Two clients at one table, to the end."""
    async def sit(seat):
        dice = random.Random(seat)
        async with GenericEnvClient(base_url=url) as env:
            result = await env.reset(table="gate", players=2, seats=2, seat=seat)
            while not result.done:
                result = await env.step(choose(dice, result.observation["legal"]))
            return result.observation["termination_reason"]
    ends = await asyncio.gather(sit(0), sit(1))
    check(sorted(ends) == ["failure", "success"], f"a table ended with {ends}")


def check_game(game, folder):
    most = 120 if game in ("belote", "tetris") else MOST
    package = Path(folder) / f"agon_{game}"
    subprocess.run([AGON, "openenv", "--game", game, "--package", package], check=True)
    done = subprocess.run([Path(sys.executable).parent / "openenv", "validate", package, "--level", "static", "--skip-build"],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"{game}: validate DIR: {done.stdout}{done.stderr}")
    low, high = json.loads(re.search(r"range: (\[.*?\])", (package / "openenv.yaml").read_text()).group(1))
    with Server("--game", game) as one, Server("--game", game) as two:
        validate(one.url, "simulation")
        whole = 0
        for seed in range(MATCHES):
            whole += play_sync(one.url, seed, most)[1]
            asyncio.run(play_async(one.url, seed, most))
            asyncio.run(play_tools(one.url, seed, most))
            play_typed(folder, game, one.url, seed, most)
            rows = transcript(one.url, seed)
            check([r.response_json for r in rows] == [r.response_json for r in transcript(two.url, seed)],
                  f"{game}: seed {seed} differs between processes")
            if seed < 3:
                grade(game, one.url, rows, (low, high))
    print(f"{game}: {4 * MATCHES} matches of official clients, {whole} of {MATCHES} to the end within {most} steps", flush=True)


def measure(port, path, body=None):
    words = [BENCH, str(port), path, "32", "3"] + ([body] if body else [])
    return json.loads(subprocess.check_output(words))["steps_per_s"]


def compare(folder):
    script = Path(folder) / "echo.py"
    script.write_text(ECHO)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    echo = subprocess.Popen([sys.executable, script, str(port)], stderr=subprocess.DEVNULL)  # it complains of every close
    try:
        for _ in range(1200):
            try:
                with connect(f"ws://127.0.0.1:{port}/ws"):
                    break
            except OSError:
                check(echo.poll() is None, "the echo server ended")
                time.sleep(0.1)
        else:
            check(False, "the echo server does not listen")
        with Server("--game", "coup") as server:
            pairs = [(measure(server.port, "/ws"), measure(port, "/ws", '{"message":"hello"}')) for _ in range(5)]
    finally:
        echo.terminate()
        echo.wait()
    ours, theirs = (sorted(column)[2] for column in zip(*pairs))
    ratio = sorted(a / b for a, b in pairs)[2]
    print(f"32 connections: agon {ours} steps/s, the package's echo {theirs} steps/s, ratio {ratio:.1f}", flush=True)
    check(ratio >= 10, "less than 10 times the echo environment")
    check(ours >= 50000, "less than 50,000 steps/s")


with tempfile.TemporaryDirectory() as folder:
    sys.path.insert(0, folder)
    for game in GAMES:
        check_game(game, folder)
    with Server("--game", "coup", "--mode", "production") as server:
        validate(server.url, "production")
    with Server("--game", "coup") as server:
        asyncio.run(meet(server.url))
    if BENCH:
        compare(folder)
print("the official openenv package is content")
