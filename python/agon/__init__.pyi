from typing import Any

from . import gym as gym, zoo as zoo
from ._agon import Error as Error
from ._vec import Element as Element, Game as Game, Vec as Vec, games as games, vec as vec

__all__ = ["Element", "Error", "Game", "Vec", "connect", "games", "vec", "__version__"]
__version__: str

def connect(url: str, key: str) -> Any: ...
