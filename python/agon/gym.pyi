from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ._vec import Vec

RENDER_MODES: list[str]

class Env(gymnasium.Env[Any, Any]):
    vec: Vec
    def __init__(self, game: str, *, render_mode: str | None = None, seat: int | str = 0,
                 house: str | Mapping[int, str] | None = None, mask: str = "info", illegal: str = "fallback",
                 options: Mapping[str, object] | None = None, copy: bool = True, **config: Any) -> None: ...
    def action_masks(self) -> NDArray[np.bool_]: ...

class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    vec: Vec
    autoreset_mode: AutoresetMode
    def __init__(self, game: str, *, num_envs: int = 1, render_mode: str | None = None, seat: int | str = 0,
                 house: str | Mapping[int, str] | None = None, mask: str = "info", illegal: str = "fallback",
                 options: Mapping[str, object] | None = None, copy: bool = True,
                 autoreset_mode: AutoresetMode | str = ..., **config: Any) -> None: ...
    def action_masks(self) -> NDArray[np.bool_]: ...

def ids() -> list[str]: ...
