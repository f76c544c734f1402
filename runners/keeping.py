"""Where the solutions of an enumeration are kept: in memory, as long as there is room."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from .cuts import Call
from .parallel import Checkpoint, Progress


class Row(NamedTuple):
    """A solution, the size of its orbit, and its objective (None without one)."""

    solution: Any
    orbit: int
    objective: float | None


class MemoryFull(Exception):  # noqa: N818
    """There is no more room for solutions."""


class Names(Protocol):
    """The names of solutions and orbits that must not be told twice."""

    def any(self) -> bool:
        """Whether any was kept."""

    def is_new(self, name: bytes, keep: bool) -> bool:
        """Whether a name was not kept before; if so, ``keep`` it or not."""


class Store(Names, Protocol):
    """Keeps solutions, and what is to be known to go on after an interruption."""

    @property
    def complete(self) -> bool:
        """Whether it was proven, in an earlier run, that nothing is left."""

    @property
    def seconds(self) -> float:
        """How long earlier runs took."""

    def add(self, row: Row) -> None:
        """Keep a solution."""

    def begin(self, path: tuple[int, ...]) -> None:
        """The solutions that follow are of this part."""

    def finish(self, done: Checkpoint, progress: Progress) -> None:
        """A part is done."""

    def tick(self, progress: Progress) -> None:
        """Between two solutions."""

    def end(self, complete: bool, calls: Sequence[Call]) -> None:
        """Nothing more comes; whether nothing is left."""

    def __len__(self) -> int:
        """How many are kept."""

    def rows(self, after: int) -> Iterator[Row]:
        """The solutions from the ``after``-th on, as they were found."""

    def in_order(self) -> Iterator[Row]:
        """All solutions, in the order of the search."""


class Memory:
    """A :class:`Store` of at most ``limit`` bytes, or of any size."""

    complete = False
    seconds = 0.0

    def __init__(self, limit: int | None) -> None:
        self._rows: list[Row] = []
        self._most = sys.maxsize if limit is None else limit
        self._size = 0
        self._seen: set[bytes] = set()

    def any(self) -> bool:
        """Whether any name was kept."""
        return bool(self._seen)

    def is_new(self, name: bytes, keep: bool) -> bool:
        """Whether a name was not kept before."""
        if name in self._seen:
            return False
        if keep:
            self._seen.add(name)
        return True

    def add(self, row: Row) -> None:
        """Raises :class:`MemoryFull` where there is no room for one more."""
        self._size = self._size or _size(row) + 8  # all are of the same shape
        if (len(self._rows) + 1) * self._size > self._most:
            raise MemoryFull
        self._rows.append(row)

    def begin(self, path: tuple[int, ...]) -> None:
        """Parts are of no interest here."""

    def finish(self, done: Checkpoint, progress: Progress) -> None:
        """Parts are of no interest here."""

    def tick(self, progress: Progress) -> None:
        """There is nothing to write."""

    def end(self, complete: bool, calls: Sequence[Call]) -> None:
        """There is nothing to close."""

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, after: int) -> Iterator[Row]:
        """The solutions from the ``after``-th on."""
        return (self._rows[k] for k in range(after, len(self._rows)))

    def in_order(self) -> Iterator[Row]:
        """All of them."""
        return iter(self._rows)


def _size(value: object) -> int:
    """The bytes of a value and of what it holds; small integers are counted too."""
    size = sys.getsizeof(value)
    if isinstance(value, Mapping):
        return size + sum(_size(k) + _size(v) for k, v in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return size + sum(map(_size, value))
    return size
