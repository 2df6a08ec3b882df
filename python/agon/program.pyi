from collections.abc import Iterable
from typing import TextIO

from .arena import _Policy

def run(policy: _Policy, *, vector: int = 0, pace: str = "placements", lines: Iterable[str] | None = None,
        out: TextIO | None = None) -> None: ...
