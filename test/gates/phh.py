"""phh.py AGON [HANDS]: PokerKit reads what `agon replay export --format phh` writes, and settles it alike (N13.8).

Plays cash matches and tournaments of 2 and 6 house players, exports them, and lets PokerKit play every hand that is not marked
_agon_nonstandard: it must accept each action and reach finishing_stacks. Prints how many hands were marked.
"""
import io
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import warnings

from pokerkit import HandHistory

PLAYERS = ["a=house:rules", "b=house:random", "c=house:rules", "d=house:random", "e=house:rules", "f=house:fallback"]
FIELDS = ("variant", "ante_trimming_status", "antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions")


def export(agon, folder, seats, rules, games, seed):
    """The hands of so many matches, as dictionaries."""
    players = [word for name in PLAYERS[:seats] for word in ("--seat", name)]
    subprocess.run([agon, "match", "texas_holdem", *players, "--rules", rules, "-n", str(games), "--seed", str(seed),
                    "--no-mirror", "--replays", folder], check=True, stdout=subprocess.DEVNULL)
    for replay in sorted(pathlib.Path(folder).glob("*.agon")):
        text = subprocess.run([agon, "replay", "export", "--format", "phh", str(replay)], check=True, capture_output=True).stdout
        hands = tomllib.loads(text.decode())
        yield from (hands.values() if "variant" not in hands else [hands])


def play(hand):
    """None, or why PokerKit does not come to the same end."""
    lines = [f"{key} = {str(hand[key]).lower() if isinstance(hand[key], bool) else repr(hand[key])}" for key in FIELDS]
    state = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for state in HandHistory.load(io.BytesIO("\n".join(lines).encode())):
            pass
    if list(state.stacks) != hand["finishing_stacks"]:
        return f"stacks {state.stacks}, not {hand['finishing_stacks']}"
    return None if not state.status else "the hand goes on"


def check(agon, wanted):
    failed = 0
    cases = [(2, '{"format":"cash","max_hands":20}'), (6, '{"format":"cash","max_hands":20}'), (2, "{}"), (6, '{"ante":25}'),
             (6, '{"starting_chips":1500,"max_hands":30}')]
    for number, (seats, rules) in enumerate(cases):
        read = marked = blinds = 0
        with tempfile.TemporaryDirectory() as folder:
            games = (wanted // 20 + seats) // seats * seats if "cash" in rules else (wanted // 5 + seats) // seats * seats
            for hand in export(agon, folder, seats, rules, games, 100 + number):
                if read + marked >= wanted:
                    break
                if hand.get("_agon_nonstandard"):
                    marked += 1
                    continue
                read += 1
                blinds += "_agon_min_bet" in hand
                try:
                    why = play(hand)
                except Exception as error:  # whatever PokerKit says
                    why = f"{type(error).__name__}: {error}"
                if why:
                    failed += 1
                    if failed <= 5:
                        print(f"refused: {why}\n  {hand}")
        print(f"{seats} seats, {rules}: {read} hands accepted but for {failed} so far, {marked} marked, {blinds} short big blinds")
        if read + marked < wanted:
            failed += 1
            print(f"too few hands: {read + marked} of {wanted}")
    return failed


if __name__ == "__main__":
    bad = check(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    print(f"phh: {'PokerKit agrees' if not bad else f'{bad} faults'}")
    sys.exit(bad > 0)
