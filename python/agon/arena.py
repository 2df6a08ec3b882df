"""A trained policy in an arena: ``agon.connect(url, key)``.

The connection is the Model Context Protocol of ``agon serve`` over HTTP, because there the server itself writes the vector and
the mask used in training, for every game and version. Needs only the standard library and numpy.
"""

import http.client
import json
import time
import urllib.parse

import numpy as np

from ._agon import Error, version
from ._vec import Game, _agon, _refused, _whole

_PROTOCOL = "2025-11-25"
_WAIT = {"type": "wait"}
_LONG = 600  # ticks of a wait: until it is our turn, at most --poll-max of the server


class Arena:
    """A connection to an arena. Made by :func:`connect`; usable as a context manager."""

    def __init__(self, url, key=None, *, timeout=120.0):
        if not isinstance(url, str):
            raise TypeError(f"url must be a string such as http://HOST:PORT, not {type(url).__name__}")
        parts = urllib.parse.urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise _refused(f"url must be http://HOST:PORT or https://HOST, not {url!r}")
        try:
            port = parts.port
        except ValueError as error:  # too large, or no number
            raise _refused(f"url: {error}: {url!r}") from None
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._link = kind(parts.hostname, port, timeout=timeout)
        self._path = parts.path.rstrip("/") + "/mcp"
        self._key, self._session, self._count, self._closed = key, None, 0, False
        self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {},
                                 "clientInfo": {"name": "agon-python", "version": version}})
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    # ---- the wire

    def _post(self, message):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "MCP-Protocol-Version": _PROTOCOL}
        if self._session:
            headers["MCP-Session-Id"] = self._session
        try:
            self._link.request("POST", self._path, json.dumps(message), headers)
            answer = self._link.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            where = f"{self._link.host}:{self._link.port}"
            raise ConnectionError(f"no answer from {where}: {error}; is it the HTTP address of a running 'agon serve'?") from error
        self._session = answer.headers.get("MCP-Session-Id") or self._session
        if answer.status >= 300:
            raise ConnectionError(f"the server answered {answer.status} {answer.reason}: {body[:200].decode(errors='replace')}")
        if answer.headers.get_content_type() != "text/event-stream":
            return [json.loads(body)] if body else []
        lines = body.decode().splitlines()
        return [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip()]

    def _ask(self, method, params):
        self._count += 1
        for answer in self._post({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}):
            if answer.get("id") != self._count:
                continue  # a notification
            if "error" in answer:
                raise _error_of(answer["error"])
            return answer["result"]
        raise ConnectionError("the server sent no answer")

    def _call(self, tool, **arguments):
        return self._ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

    # ---- matches

    def play(self, game, policy, matches=1, *, mode=None, vector=0, on_match=None):
        """Play matches, one after the other, and return a list of :class:`Result`.

        :param policy: called as ``policy(observation, mask)`` with a row of float32 and a row of int8 as :class:`agon.Vec` has them;
            returns an action number whose mask is 1
        :param mode: of the queue; by default ranked with a key and friendly without
        :param vector: version of the observation that the policy was trained on; 0 is the newest
        :param on_match: called with each :class:`Result` when its match is over
        """
        if self._closed:
            raise RuntimeError("this connection is closed; make another with agon.connect()")
        facts = Game(_agon.get_game(game))
        matches = _whole("matches", matches, 0, 2**31)
        version = vector or facts.vectors
        queue = {"game": game, **({"mode": mode} if mode else {})}
        config = {"queue": queue, "observation_profile": "vector", "vector": version, "guide": False}
        if self._key:
            config["api_key"] = self._key
        results = []
        for _ in range(matches):
            self._call("register_agent", agent_id="policy", agent_type="EntityBehavior", config=config)
            try:
                results.append(self._play_one(facts, policy))
            finally:
                self._call("deregister_agent", agent_id="policy")
            if on_match:
                on_match(results[-1])
        return results

    def _play_one(self, game, policy):
        step = self._call("observe", agent_id="policy")
        while step["observation"]["phase"] == "idle":  # in the queue
            time.sleep(0.05)
            step = self._call("observe", agent_id="policy")
        total, decisions = 0.0, 0
        while not (step["done"] or step["truncated"]):
            seen = step["observation"]
            if seen["your_turn"]:
                action = _choose(game, policy, seen)
                decisions += 1
            try:
                step = self._call("sim_step", agent_id="policy", action=action if seen["your_turn"] else _WAIT,
                                  ticks=1 if seen["your_turn"] else _LONG)
            except Error as error:  # the table went on meanwhile: the time was up, or a window has closed
                if getattr(error, "name", None) != "InvalidAction":
                    raise
                step = self._call("observe", agent_id="policy")
                if step["done"] or step["truncated"]:
                    step = self._call("sim_step", agent_id="policy", action=_WAIT)
                continue
            total += step["reward"]
        return Result(total, decisions, step.get("termination_reason"))

    def close(self):
        """End the session. May be called twice. A running match continues without this player and is lost on time."""
        if self._session:
            try:
                self._link.request("DELETE", self._path, headers={"MCP-Session-Id": self._session})
                self._link.getresponse().read()
            except OSError:
                pass
        self._session, self._closed = None, True
        self._link.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Result:
    """How a match ended: the sum of the ``reward`` of its seat, ``decisions`` made, ``reason`` of the end."""

    def __init__(self, reward, decisions, reason):
        self.reward, self.decisions, self.reason = reward, decisions, reason

    def __repr__(self):
        return f"Result(reward={self.reward:g}, decisions={self.decisions}, reason={self.reason!r})"


def _error_of(error):
    """A refusal of the server as agon.Error, with its sentence, ``status`` and ``name``."""
    data = error.get("data") or {}
    reason = data.get("reason")
    out = Error(error["message"] + (f": {reason}" if isinstance(reason, str) else ""))
    out.status, out.name = error["code"], data.get("name")
    return out


def _choose(game, policy, seen):
    mask = np.frombuffer(seen["legal_mask"].encode(), np.int8) - 48  # "0" and "1"
    if len(mask) != game.num_actions:
        raise _refused(f"the server's {game.name} has {len(mask)} actions, this package's {game.num_actions}; update one of them")
    action = _whole("what the policy returns", policy(np.array(seen["vector"], np.float32), mask), -(2**63), 2**63 - 1)
    if not (0 <= action < len(mask) and mask[action]):
        raise _refused(f"the policy chose {action}, which is not legal; it must return a number whose mask is 1")
    return action


def connect(url, key=None, *, timeout=120.0):
    """Connect to an arena (``agon serve``).

    :param url: such as ``http://127.0.0.1:8080``
    :param key: of a registered agent, ``agk_...``; without one the policy plays unrated matches as a guest
    :param timeout: longest time to wait for an answer, in seconds

    ::

        import agon
        with agon.connect("http://127.0.0.1:8080", "agk_...") as arena:
            print(arena.play("liars_dice", policy, matches=10))
    """
    return Arena(url, key, timeout=timeout)
