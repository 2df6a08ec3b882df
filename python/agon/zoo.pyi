from typing import Any, Protocol

from pettingzoo import AECEnv, ParallelEnv

from ._vec import Vec

RENDER_MODES: list[str]

class AEC(AECEnv[str, Any, Any]):
    vec: Vec
    def __init__(self, game: str, *, render_mode: str | None = None, mask: str = "obs", illegal: str = "fallback",
                 max_cycles: int | None = None, **config: Any) -> None: ...

class Parallel(ParallelEnv[str, Any, Any]):
    vec: Vec
    def __init__(self, game: str, *, render_mode: str | None = None, mask: str = "obs", illegal: str = "fallback",
                 max_cycles: int | None = None, **config: Any) -> None: ...

class _GameModule(Protocol):
    def env(self, **words: Any) -> AECEnv[str, Any, Any]: ...
    def raw_env(self, **words: Any) -> AEC: ...
    def parallel_env(self, **words: Any) -> Parallel: ...

def __getattr__(name: str) -> _GameModule: ...
