from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing import Self

from ._agon import Batch

class Element:
    index: int
    name: str
    group: str
    low: float
    high: float
    step: float
    since: int
    def __init__(self, index: int, name: str, group: str, low: float, high: float, step: float, since: int) -> None: ...

class Game:
    name: str
    title: str
    summary: str
    num_actions: int
    min_seats: int
    max_seats: int
    default_seats: int
    teams: int
    tick_ms: int
    vectors: int
    token_kinds: int
    rules_version: int
    scenarios: tuple[str, ...]
    components: tuple[str, ...]
    bots: tuple[str, ...]
    vector: int
    def __init__(self, facts: Mapping[str, Any], vector: int = 0) -> None: ...
    @property
    def elements(self) -> tuple[Element, ...]: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    def element(self, name: str) -> int: ...
    def action(self, name: str) -> int: ...

def games() -> list[Game]: ...

class Vec(Batch):
    game: Game
    num_envs: int
    seats: int
    rows: int
    threads: int
    groups: int
    autoreset: str
    observations: NDArray[Any]
    masks: NDArray[np.int8]
    mask_words: NDArray[np.uint64]
    tokens: NDArray[np.int16]
    actions: NDArray[np.int32]
    rewards: NDArray[np.float32]
    components: NDArray[np.float32]
    unpaid: NDArray[np.float32]
    own_reward: NDArray[np.float32]
    asked: NDArray[np.uint8]
    asked_set: NDArray[np.uint16]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[Any]
    returns: NDArray[np.float32]
    lengths: NDArray[np.uint32]
    errors: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    ticks: NDArray[np.uint32]
    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        scenario: str | None = None,
        seats: int | None = None,
        options: Mapping[str, object] = {},
        seed: int = 0,
        house: Mapping[int, str] | str | None = None,
        rotate: bool = False,
        dtype: DTypeLike = "float32",
        vector: int = 0,
        rows: Literal["asked", "seats"] = "asked",
        autoreset: Literal["next_step", "same_step", "disabled"] = "next_step",
        illegal: Literal["refuse", "fallback", "forfeit"] = "refuse",
        pace: Literal["placements", "inputs", "both"] = "placements",
        ticks: int = 1,
        max_steps: int = 0,
        tokens: int = 0,
        threads: int = 0,
        groups: int = 1,
        viewers_all: bool = False,
        aggro: float = 0.5,
        effort: int = 1,
    ) -> None: ...
    def bind(self, **arrays: NDArray[Any]) -> None: ...
    def unbind(self, *names: str) -> None: ...
    def reset(self, seed: int | Sequence[int] | None = None, which: NDArray[np.bool_] | None = None) -> None: ...
    def copy(self, source: ArrayLike, target: ArrayLike) -> None: ...
    def apply(self, env: SupportsIndex, action: SupportsIndex) -> tuple[NDArray[np.float32], bool]: ...
    def advise(self, env: SupportsIndex, bot: str | None = None, *, effort: int = 1, seed: int = 0) -> int: ...
    def row(self, env: SupportsIndex, seat: SupportsIndex) -> tuple[NDArray[Any], NDArray[np.int8]]: ...
    @overload
    def render(self, env: SupportsIndex = 0, mode: Literal["ansi"] = "ansi", viewer: int | None = None, *,
               size: tuple[int, int] = (640, 480)) -> str: ...
    @overload
    def render(self, env: SupportsIndex, mode: Literal["rgb_array"], viewer: int | None = None, *,
               size: tuple[int, int] = (640, 480)) -> NDArray[np.uint8]: ...
    @overload
    def render(self, env: SupportsIndex = 0, *, mode: Literal["rgb_array"], viewer: int | None = None,
               size: tuple[int, int] = (640, 480)) -> NDArray[np.uint8]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None: ...

def vec(
    game: str,
    num_envs: int = 1,
    *,
    scenario: str | None = None,
    seats: int | None = None,
    options: Mapping[str, object] = {},
    seed: int = 0,
    house: Mapping[int, str] | str | None = None,
    rotate: bool = False,
    dtype: DTypeLike = "float32",
    vector: int = 0,
    rows: Literal["asked", "seats"] = "asked",
    autoreset: Literal["next_step", "same_step", "disabled"] = "next_step",
    illegal: Literal["refuse", "fallback", "forfeit"] = "refuse",
    pace: Literal["placements", "inputs", "both"] = "placements",
    ticks: int = 1,
    max_steps: int = 0,
    tokens: int = 0,
    threads: int = 0,
    groups: int = 1,
    viewers_all: bool = False,
    aggro: float = 0.5,
    effort: int = 1,
) -> Vec: ...

def _whole(name: str, value: SupportsIndex, low: int, high: int) -> int: ...
HOUSE: str

def _mapping(name: str, given: object, kind: str) -> Mapping[Any, Any]: ...
def _word(name: str, value: object, words: Mapping[str, Any]) -> Any: ...
def _aligned(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]: ...
