#!/usr/bin/env python3
"""Verifies the deal of a finished match of an agon server, as docs/fairness.md describes it.
verify_deal.py REPLAY_ID [URL] [--entropy HEX: what you sent before] [--saved INDEX:LINK: an entry you wrote down before]"""
import argparse, hashlib, json, math, struct, sys, urllib.request

KINDS, SOURCES = ("epoch", "published", "dealt", "closed"), ("chain", "tournament", "seed")
ENDS, MASK, u64 = ("finished", "cancelled", "unused"), 0xFFFFFFFF, struct.Struct("<Q").pack

def check(holds, claim):
    if not holds:
        sys.exit("FAILED: " + claim)

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

# --- chance: ChaCha with 8 rounds as a keyed counter

def block(key, place):
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, *place]
    x = list(start)
    for i in list(range(8)) * 4:  # four columns, then four diagonals
        a, b, c, d = i % 4, 4 + (i + i // 4) % 4, 8 + (i + i // 4 * 2) % 4, 12 + (i + i // 4 * 3) % 4
        for p, q, r, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = x[p] + x[q] & MASK
            x[r] = (x[r] ^ x[p]) << turn & MASK | (x[r] ^ x[p]) >> 32 - turn
    return [a + b & MASK for a, b in zip(x, start)]

def split(key, stream):
    return block(key, (stream, 0, 0, 0x74696C70))[:8]

def draws(key, section):  # a function U(n) that draws from one section of a stream
    words = (word for number in range(1 << 32) for word in block(key, (number, section, 0, 0)))

    def below(n):
        while (wide := next(words) * n) & MASK < (1 << 32) % n:
            pass
        return wide >> 32
    return below

# --- games: what the frames of a replay show must be what the key deals

def holdem_deck(chance, hand, count):
    at, places, fair = 2 * ((hand - 1) % 8), [0] * 9, True
    for first, left in enumerate(block(chance, ((hand - 1) // 8, 0, 0, 0))[at:at + 2]):
        limits = range(52 - first, 43, -2)
        for place, n in zip(range(first, 9, 2), limits):
            places[place], left = divmod(left * n, 1 << 32)
        fair &= left >= (1 << 32) % math.prod(limits)
    deck, below = list(range(52)), draws(chance, hand)
    for i in range(count):
        k = i + (places[i] if fair and i < 9 else below(52 - i))
        deck[i], deck[k] = deck[k], deck[i]
    return ["23456789TJQKA"[card // 4] + "cdhs"[card % 4] for card in deck]

def texas_holdem(chance, frames, seats):
    for type, data in frames:
        if type == "new_hand":
            ring = [f"p{(int(data['dealer'][1:]) + i) % seats}" for i in range(1, seats + 1)]
            ring = [seat for seat in ring if data["chips"].get(seat, 0) > 0]
            deck = holdem_deck(chance, data["hand_num"], 2 * len(ring) + 5)
            hole = {seat: [deck[i], deck[len(ring) + i]] for i, seat in enumerate(ring)}
            board = deck[2 * len(ring):2 * len(ring) + 5]
        elif type == "community_cards":
            yield from ((card, board.pop(0)) for card in data["cards"])
        elif type == "hand_result":
            yield from ((shown["cards"], hole[seat]) for seat, shown in data["hands"].items() if "cards" in shown)

def liars_dice(chance, frames, seats):
    number, at_once = 1, 16 // seats
    for type, data in frames:
        if type == "round_start":
            number = data["round"]
        elif type == "challenge":
            below = draws(chance, (number - 1) // at_once)
            hands = [below(7776) for _ in range(16)][(number - 1) % at_once * seats:]
            for seat, dice in data["all_dice"].items():
                yield dice, [hands[int(seat[1:])] // 6 ** i % 6 + 1 for i in range(len(dice))]

# --- the list of commitments

def body(e):
    if e["type"] == "epoch":
        return bytes.fromhex(e["epoch"]) + bytes([e["reason"] == "restored"])
    if e["type"] == "published":
        return bytes.fromhex(e["commitment"])
    if e["type"] == "closed":
        return bytes([ENDS.index(e["end"])]) + (b"\1" + bytes.fromhex(e["secret"]) if e["secret"] else b"\0")
    seats = [b"\1" + bytes.fromhex(x) if x else b"\0" for x in e["entropy"]]
    return b"".join([bytes.fromhex(e["seed_commitment"]), bytes([SOURCES.index(e["source"])]), bytes.fromhex(e["rules_sha256"]),
                     bytes([len(e["game"])]), e["game"].encode(), bytes([len(seats)]), *seats])

def verify_list(entries, saved):
    link, chains, found = bytes(32), [], {}  # a chain: first number, epoch, next number
    chain = lambda n: max((c for c in chains if c[0] <= n < c[0] + 2**34), default=None)
    for i, e in enumerate(entries):
        n, raw = e["number"], body(e)
        link = sha(b"agon.commitments.1", link, u64(i), bytes([KINDS.index(e["type"])]), u64(n), u64(e["at_ms"]), raw)
        check(e["index"] == i and e["link"] == link.hex(), f"entry {i} is linked to the one before it")
        check(saved[0] != str(i) or e["link"] == saved[1], f"entry {i} is the one that was saved")
        check(e["type"] not in found.setdefault(n, {}), f"number {n} is {e['type']} once")
        if e["type"] == "epoch":
            check(n > 0 and (not chain(n) or chain(n)[2] == n), f"the chain before is dealt or told up to {n}")
            chains.append([n, raw[:32], n])
        check(chain(n), f"number {n} belongs to an epoch")
        found[n][e["type"]] = dict(e, epoch=chain(n)[1])
        if e["type"] == "dealt" or e.get("end") == "unused":
            check(n == chain(n)[2] and "published" in found[n], f"number {chain(n)[2]}, published before, comes before {n}")
            chain(n)[2] += 1
        if e["type"] == "closed" and e["secret"]:
            promised = sha(b"agon.deal.secret.1", found[n]["published"]["epoch"], u64(n), raw[2:]).hex()
            check(promised == found[n]["published"]["commitment"], f"the secret of number {n} is the promised one")
    check(not saved[0] or int(saved[0]) <= i, "the entry that was saved is still there")
    return found

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("replay"), parser.add_argument("url", nargs="?", default="http://127.0.0.1:8080")
parser.add_argument("--entropy"), parser.add_argument("--saved", default=":")
o = parser.parse_args()
fetch = lambda path: urllib.request.urlopen(f"{o.url}/api/{path}").read()

def entries(at=0):
    while rows := json.loads(fetch(f"commitments?from={at}&limit=256"))["entries"]:
        yield from rows
        at += len(rows)

replay, file = json.loads(fetch(f"replays/{o.replay}/whole")), fetch(f"replays/{o.replay}/file")
check(replay["deal"], "the match has a number in the list")
n, game, rules = replay["deal"]["number"], replay["game"], bytes.fromhex(replay["deal"]["rules"])
used = verify_list(entries(), o.saved.split(":"))[n]
dealt, seats = used["dealt"], len(replay["players"])
check(o.saved == ":" or used["published"]["index"] <= int(o.saved.split(":")[0]), "the number was published when you saved the entry")
check(dealt["source"] == "chain" and used["closed"]["secret"], f"the key is from the chain (source: {dealt['source']})")
check(game == dealt["game"] and sha(rules).hex() == dealt["rules_sha256"], "game and rules are as listed")
check(game.encode() in file and rules in file and bytes.fromhex(dealt["seed_commitment"]) in file, "the file is of this match")
entropy = [bytes.fromhex(x) for x in dealt["entropy"] if x]
check(len(dealt["entropy"]) == seats and (not o.entropy or bytes.fromhex(o.entropy) in entropy), "your entropy is listed")
key = sha(b"agon.deal.key.1", used["published"]["epoch"], u64(n), bytes.fromhex(used["closed"]["secret"]), bytes([len(game)]),
          game.encode(), sha(rules), bytes([seats, len(entropy)]), *sorted(entropy))
check(key.hex() == replay.get("seed", key.hex()), "the key of the replay is made of the secret, the rules and the entropy")
check(sha(key).hex() == dealt["seed_commitment"] == replay["seed_commitment"], "the key is the committed one")
root = struct.unpack("<8I", key)
order, below = sorted(p["agent_id"] for p in replay["players"]), draws(split(root, 1), 0)
for i in range(seats - 1):
    k = i + below(seats - i)
    order[i], order[k] = order[k], order[i]
check(order == [p["agent_id"] for p in replay["players"]], "the key decided who sits where")
frames, seen = [(f["type"], f["data"]) for f in replay["frames"]], 0
deals = {"texas_holdem": texas_holdem, "liars_dice": liars_dice}.get(game, lambda *_: [])
for shown, drawn in deals(split(root, 0), frames, seats):
    check(shown == drawn, f"the key deals {shown} (it deals {drawn})")
    seen += 1
print(f"OK: {game}, number {n}, {len(entropy)} of {seats} seats sent entropy;",
      f"{seen} cards or hands follow from the key" if seen else "cards are not checked: use `agon replay verify`")
