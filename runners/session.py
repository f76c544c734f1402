"""What the runners ask of a solver, whichever it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import SolverError
from .linear import LinearModel, Problem, Vector

Status = Literal[
    "optimal",
    "infeasible",
    "unbounded",
    "time limit",
    "node limit",
    "size limit",
    "interrupted",
    "error",
]


_LONGEST = 1e9


@dataclass(frozen=True)
class Options:
    """Limits that mean the same for every solver.

    ``time_limit`` in seconds of the clock; ``gap`` relative to the objective of what is
    returned, 0 by default; ``threads`` None for the solver's own choice, at most so many
    otherwise (a solver of one thread keeps to any number); ``log`` prints the solver's log on
    standard error; ``max_nodes`` gives up after so many (HiGHS only); ``seed`` for solvers that
    have one.
    """

    time_limit: float | None = None
    gap: float = 0.0
    threads: int | None = None
    log: bool = False
    max_nodes: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """What is beyond any machine is cut to what every solver takes."""
        if self.time_limit is not None:
            object.__setattr__(self, "time_limit", min(self.time_limit, _LONGEST))
        if self.threads is not None:
            most = 4 * (os.cpu_count() or 1)
            object.__setattr__(self, "threads", min(self.threads, most))


@dataclass(frozen=True)
class Answer:
    """What a solver said.

    ``values`` may be there under a limit too: the incumbent.  ``detail`` has the solver's own
    last lines after an error, and what was too large under a size limit.
    """

    status: Status
    values: Vector | None = None
    bound: float | None = None
    nodes: int | None = None
    detail: str = ""


class Session(Protocol):
    """A model in a solver, to which columns and rows are added between solves."""

    def add_columns(self, lower: Sequence[float], upper: Sequence[float]) -> int:
        """Add integer columns of cost zero; returns the first one's number."""

    def add_row(
        self, columns: Sequence[int], values: Sequence[float], lower: float, upper: float
    ) -> None:
        """Add ``lower <= values · x[columns] <= upper``."""

    def solve(self, options: Options) -> Answer:
        """Solve to optimality, or to a limit; Ctrl-C raises KeyboardInterrupt."""


@contextmanager
def log_on_stderr(wanted: bool) -> Iterator[None]:
    """Standard output goes to standard error meanwhile, what C libraries print too."""
    if not wanted:
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        # A descriptor of its own: Pyomo waits for itself where it captures the one it writes to.
        with os.fdopen(os.dup(2), "w", buffering=1) as err, redirect_stdout(err):
            yield
    finally:
        os.dup2(out, 1)
        os.close(out)


def readings(problem: Problem, keys: NDArray[np.int64], solver: str) -> Sequence[Any]:
    """The solutions that the key values stand for, each re-checked by the puzzle.

    Raises :class:`SolverError` with the puzzle's reason.
    """
    mapping, puzzle = problem.mapping(keys), problem.puzzle
    if puzzle is None:
        return (mapping,)
    solutions = puzzle.readings(mapping)
    for solution in solutions:
        try:
            puzzle.check(solution)
        except ValueError as error:
            raise SolverError(f"{solver} returned what is no solution: {error}") from None
    return solutions


def rounded(linear: LinearModel, values: Vector, solver: str) -> Vector:
    """``values`` with its integer columns rounded; re-checked against every row.

    Raises :class:`SolverError` naming what is violated.
    """
    clean = values.copy()
    clean[linear.integer] = np.round(values[linear.integer])
    # As far as the loosest solver takes a number for an integer; the rows are checked with what
    # it was rounded to.
    far = np.abs(clean - values) > 1e-5
    if far.any():
        j = int(far.argmax())
        raise SolverError(f"{solver}: {linear.col_names[j]} = {values[j]:.9g} is no integer")
    if broken := linear.violation(clean):
        raise SolverError(f"{solver} returned what is no solution: {broken}")
    return clean
