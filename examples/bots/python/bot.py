#!/usr/bin/env python3
"""A belote bot behind HTTP. Copy it, change choose_cut, choose_action and choose_card, and it plays.

    python3 bot.py                                       # listens on PORT, or 5071
    agon match belote --seat http://localhost:5071 --seat house:rules --games 10
"""
import json
import os
import random
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POSITIONS = ("Bottom", "Left", "Top", "Right")
QUESTIONS = ("choose-cut", "choose-negotiation-action", "choose-card")
POINTS = {"Ace": 11, "Ten": 10, "King": 4, "Queen": 3, "Jack": 2}


class Player:
    """One seat in one match. `seed` makes chance repeat where the engine sends one."""

    def __init__(self, position, match_id, seed=None):
        self.position, self.match_id = position, match_id
        self.random = random.Random(seed)

    def choose_cut(self, deckSize=32, matchState=None, **_):
        return {"position": self.random.randint(6, 26), "fromTop": True}

    def choose_negotiation_action(self, validActions, hand=None, negotiationState=None, matchState=None, **_):
        accept = [a for a in validActions if a["type"] == "Accept"]
        return accept[0] if accept else validActions[0]

    def choose_card(self, validPlays, hand=None, handState=None, matchState=None, **_):
        return min(validPlays, key=lambda card: POINTS.get(card["rank"], 0))  # keep what counts

    def notify(self, event, **what):
        """deal-started, card-played, trick-completed, deal-ended, match-ended: nothing has to be done."""


players = {}
last = {}  # the last decision of each session: a repeated question gets the same answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    wbufsize = -1  # an answer leaves in one piece
    disable_nagle_algorithm = True

    def answer(self, status, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if data:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.answer(200, {"status": "ok", "sessions": len(players)}) if self.path == "/health" else self.answer(404)

    def do_DELETE(self):
        session = self.path.rsplit("/", 1)[-1]
        players.pop(session, None)
        last.pop(session, None)
        self.answer(204)

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():  # trailers
            pass
        return body

    def do_POST(self):
        body = self.read_body()
        try:
            request = json.loads(body)
            self.route(self.path.strip("/").split("/"), request, body)
        except (ValueError, KeyError, TypeError) as error:
            self.answer(400, {"error": "bad_request", "message": str(error)})

    def route(self, path, request, body):
        if path == ["api", "sessions"]:
            if request["position"] not in POSITIONS:
                raise ValueError(f"position is one of {POSITIONS}")
            session = uuid.uuid4().hex
            players[session] = Player(request["position"], request["matchId"], request.get("seed"))
            return self.answer(201, {"sessionId": session})
        if path[:2] != ["api", "sessions"]:
            return self.answer(404, {"error": "unknown_path", "message": "POST /api/sessions"})
        session, call = path[2], "/".join(path[3:])
        player = players.get(session)
        if player is None:
            return self.answer(404, {"error": "unknown_session", "message": "create a session first"})
        if call.startswith("notify/"):
            player.notify(call[len("notify/"):], **request)
            return self.answer(200)
        if call not in QUESTIONS:
            return self.answer(404, {"error": "unknown_path", "message": f"one of {QUESTIONS}"})
        if last.get(session, (None,))[0] != (call, body):
            last[session] = ((call, body), getattr(player, call.replace("-", "_"))(**request))
        self.answer(200, last[session][1])

    def log_message(self, *_):
        pass


def follow_launcher(pid):
    """Whoever started us is gone: so are we."""
    while os.path.exists(f"/proc/{pid}"):
        time.sleep(2)
    os._exit(0)


if __name__ == "__main__":
    if "LAUNCHER_PID" in os.environ:
        threading.Thread(target=follow_launcher, args=(os.environ["LAUNCHER_PID"],), daemon=True).start()
    ThreadingHTTPServer.request_queue_size = 256
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 5071))), Handler)
    print(f"listening http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
