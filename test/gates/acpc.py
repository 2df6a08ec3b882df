"""acpc.py AGON [HANDS]: what `agon acpc` sends a bot is what PokerKit makes of the same hands, and PokerKit reads the logs (N16).

A bot of this file plays cash matches of 2 and 3 seats through the bridge and keeps every line. The matches are exported as hands (PHH);
PokerKit turns each into lines of the protocol for the bot's position, which must be the same, in the same order.
Then PokerKit's reader of match logs plays what `agon replay export --format acpc` writes, and must reach the same results.
"""
import io
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import tomllib

from pokerkit import HandHistory, NoLimitTexasHoldem
from pokerkit.notation import ACPCProtocolParser

FIELDS = ("variant", "ante_trimming_status", "antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions")


def be_bot(log, host, port):
    """Answers every line; the bridge drops what is not its turn."""
    chance = random.Random(5)
    with socket.create_connection((host, int(port))) as wire, open(log, "w", encoding="ascii", newline="") as kept:
        wire.sendall(b"VERSION:2.0.0\r\n")
        for line in wire.makefile("r", encoding="ascii", newline="\n"):
            kept.write(line)
            kept.flush()
            word = chance.choice(["c", "c", "c", "c", "f", f"r{chance.randrange(100, 3000)}", "r10000"])
            wire.sendall(f"{line.rstrip()}:{word}\r\n".encode())


def history(hand):
    lines = [f"{key} = {str(hand[key]).lower() if isinstance(hand[key], bool) else repr(hand[key])}" for key in FIELDS]
    return HandHistory.load(io.BytesIO("\n".join(lines).encode()))


def exported(agon, replay, form):
    return subprocess.run([agon, "replay", "export", "--format", form, str(replay)], check=True, capture_output=True).stdout.decode()


def read_logs(text):
    """How many hands of a log PokerKit reads, and how many of them it settles otherwise."""
    game = NoLimitTexasHoldem((), True, 0, (100, 200), 200)
    read = wrong = 0
    for hand in ACPCProtocolParser(game, 10000)(text, error_status=True):
        state = None
        for state in hand:
            pass
        read += 1
        wrong += list(state.payoffs) != hand.user_defined_fields["_results"]
    return read, wrong


def check(agon, seats, wanted):
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "lines")
        bot = f"cmd:{agon} acpc {sys.executable} {__file__} --bot {log}"
        others = [word for i in range(seats - 1) for word in ("--seat", f"h{i}=house:rules")]
        subprocess.run([agon, "match", "texas_holdem", "--seat", f"bot={bot}", *others, "--games", str(seats), "--tables", "1", "--seed", "9",
                        "--rules", f'{{"format":"cash","max_hands":{wanted // seats}}}', "--replays", folder], check=True, stdout=subprocess.DEVNULL)
        sent = {}
        for line in log.read_text(encoding="ascii").splitlines():
            sent.setdefault(int(line.split(":")[2]), []).append(line)
        number = logged = 0
        for replay in sorted(pathlib.Path(folder).glob("*.agon")):
            for hand in tomllib.loads(exported(agon, replay, "phh")).values():
                position = hand["players"].index("bot")
                if not hand.get("_agon_nonstandard"):
                    made = [text.strip() for who, text in history(hand).to_acpc_protocol(position, number) if who == "S->"]
                    compared += 1
                    if made != sent.get(number):
                        wrong += 1
                        if wrong <= 3:
                            print(f"hand {number}, position {position}:\n  {made}\n  {sent.get(number)}")
                number += 1
            read, differ = read_logs(exported(agon, replay, "acpc"))
            logged += read
            wrong += differ
    print(f"acpc: {seats} seats, {compared} hands compared with PokerKit, {logged} read from logs, {wrong} differ")
    return wrong if compared and logged == number else 1


if __name__ == "__main__":
    if sys.argv[1] == "--bot":
        be_bot(*sys.argv[2:])
    else:
        hands = int(sys.argv[2]) if len(sys.argv) > 2 else 600
        sys.exit(sum(check(sys.argv[1], seats, hands) for seats in (2, 3)) > 0)
