from . import arena as arena, gym as gym, program as program, zoo as zoo
from .arena import connect as connect
from ._agon import Error as Error
from ._vec import Element as Element, Game as Game, Vec as Vec, games as games, vec as vec

__all__ = ["Element", "Error", "Game", "Vec", "connect", "games", "vec", "__version__"]
__version__: str
