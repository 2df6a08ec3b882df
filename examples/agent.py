#!/usr/bin/env python3
"""An agent for agon's arena, with nothing but the standard library: agent.py GAME [URL]. It plays legal moves at random."""
import base64, json, os, random, socket, struct, sys, urllib.error, urllib.request

GAME = sys.argv[1] if len(sys.argv) > 1 else "coup"
URL = sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:8080"
HOST, PORT = URL.split("//")[1].split(":")


def register(name):
    body = json.dumps({"name": name}).encode()
    request = urllib.request.Request(URL + "/api/agents/register", body, {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request))["agent"]["api_key"]
    except urllib.error.URLError as fault:
        sys.exit(f"cannot register at {URL}: {fault}; start an arena with 'agon serve'")


class Socket:  # as much of RFC 6455 as a client needs
    def __init__(self, key):
        self.s = socket.create_connection((HOST, int(PORT)))
        lines = ["GET /api/ws HTTP/1.1", f"Host: {HOST}:{PORT}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(),
                 f"X-API-Key: {key}", "X-AIFight-Protocol-Version: v1.2.0", "X-AIFight-Capabilities: belote", "", ""]
        self.s.sendall("\r\n".join(lines).encode())
        self.f = self.s.makefile("rb")
        assert b" 101 " in self.f.readline(), "refused"
        while self.f.readline().strip():
            pass

    def send(self, message, opcode=1):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        length = bytes([128 | len(data)]) if len(data) < 126 else struct.pack(">BH", 254, len(data))
        mask = os.urandom(4)
        self.s.sendall(bytes([128 | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        while True:
            opcode, length = self.f.read(2)
            if length > 125:
                length = int.from_bytes(self.f.read(2 if length == 126 else 8), "big")
            data = self.f.read(length)
            if opcode & 15 == 9:
                self.send(data, 10)  # a ping wants a pong
            elif opcode & 15 == 8:
                sys.exit("closed: %d %s" % (int.from_bytes(data[:2], "big"), data[2:].decode()))
            elif opcode & 15 == 1:
                return json.loads(data)


def choose(request):
    action = random.choice(request["legal_actions"])
    data = action.get("data", {})
    if action["type"] == "raise":
        action = {"type": "raise", "data": {"amount": random.randint(data["min"], data["max"])}}
    elif action["type"] == "bid":
        action = {"type": "bid", "data": {"quantity": data["min_quantity"], "face": data["min_face"]}}
    return action


ws = Socket(register("python"))
while True:
    frame = ws.receive()
    kind, data = frame["type"], frame["data"]
    if kind == "welcome":
        ws.send({"type": "join_queue", "data": {"game": GAME, "one_shot": True}})
    elif kind == "match_confirm_request":
        ws.send({"type": "match_confirm", "data": {"confirm_id": data["confirm_id"]}})
    elif kind == "action_request":
        ws.send({"type": "action", "match_id": data["match_id"], "request_id": data["request_id"], "data": choose(data)})
    elif kind == "game_over":
        print(json.dumps(data["result"]))
        break
    elif kind == "error":
        print(data["message"], file=sys.stderr)
