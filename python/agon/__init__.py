"""Games as environments for training: batches behind numpy arrays, Gymnasium, PettingZoo, an arena.

>>> import agon
>>> v = agon.vec("liars_dice", 2, scenario="duel", seed=7)
>>> v.reset()
>>> v.observations.shape, v.masks.shape
((2, 347), (2, 182))
>>> v.step(v.sample())          # one legal action in each environment; how many were refused
0

``agon.gym`` and ``agon.zoo`` have the environments of Gymnasium and PettingZoo; importing agon imports neither.
"""

from ._agon import Error, version as __version__
from ._vec import Element, Game, Vec, games, vec

__all__ = ["Element", "Error", "Game", "Vec", "connect", "games", "vec", "__version__"]


def __getattr__(name):
    """``agon.connect`` and the modules with other dependencies are imported when they are asked for (V42)."""
    if name == "connect":
        from .arena import connect

        return connect
    if name in ("arena", "gym", "program", "spiel", "zoo"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'agon' has no attribute {name!r}")
