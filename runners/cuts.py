"""The reference method: solve, cut the solution off, solve again, until nothing is left.

The cut is Balas and Jeroslow's (Canonical cuts on the unit hypercube, 1972): a solution that
differs from s in some key variable has distance at least 1 from s.  For a key at one of its
bounds the distance is linear; for one strictly between its bounds, two new binaries say that it
is above or below.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .errors import SolverError
from .linear import Problem, Vector
from .session import Answer, Options, Session, rounded

IntVector = NDArray[np.int64]


@dataclass(frozen=True)
class Call:
    """One solver call, a row of ``found.calls``."""

    status: str
    seconds: float
    nodes: int | None
    rows: int
    cuts: int


@dataclass(frozen=True)
class Point:
    """A solution: the key variables, the objective (None without one), the size of its orbit.

    ``values`` of all columns, where they are known.  An ``early`` point was found in a part that
    is still open, and may be found there again.
    """

    keys: IntVector
    objective: float | None
    values: Vector | None = None
    orbit: int = 1
    early: bool = False


class TimeIsUp(Exception):  # noqa: N818
    """A limit was reached before the end."""


def candidates(
    problem: Problem,
    session: Session,
    solver: str,
    options: Options,
    log: Callable[[Call], None],
    known: Iterable[IntVector] = (),
) -> Iterator[Point]:
    """Solutions from ``session``, each cut off before the next is sought, best first.

    Those ``known`` are cut off before the first is sought.

    Lazy constraints of the puzzle are added as candidates violate them.  Ends when the solver
    has proven that nothing is left.

    Raises
    ------
    TimeIsUp
        If ``options.time_limit``, taken over all calls, is reached.
    SolverError
        If the solver fails, twice where a fresh start may help, or returns no solution.
    """
    end = None if options.time_limit is None else time.perf_counter() + options.time_limit
    rows, cuts = problem.linear.rows, 0
    for keys in known:
        rows += add_cut(problem, keys, session)
        cuts += 1
    seen: set[bytes] = set()
    while True:
        if end is not None and time.perf_counter() >= end:
            raise TimeIsUp
        left = None if end is None else max(end - time.perf_counter(), 0.001)
        began = time.perf_counter()
        answer = session.solve(replace(options, time_limit=left))
        log(Call(answer.status, time.perf_counter() - began, answer.nodes, rows, cuts))
        if answer.status == "infeasible":
            return
        values = _solution(problem, answer, solver)
        keys = values[problem.key_columns].astype(np.int64)
        added = add_lazy(problem, keys, session)
        rows += added
        if added:
            continue
        if (name := keys.tobytes()) in seen:
            raise SolverError(f"{solver} returned what is no solution: a no-good cut forbids it")
        seen.add(name)
        objective = problem.linear.objective(values) if problem.linear.has_objective else None
        yield Point(keys, objective, values)
        rows += add_cut(problem, keys, session)
        cuts += 1


def _solution(problem: Problem, answer: Answer, solver: str) -> Vector:
    if answer.status in ("time limit", "node limit", "interrupted"):
        raise TimeIsUp
    if answer.status == "unbounded":
        raise SolverError("the objective is unbounded; no solution is best")
    if answer.status != "optimal" or answer.values is None:
        raise SolverError(f"{solver}: {answer.status} {answer.detail}".strip())
    return rounded(problem.linear, answer.values, solver)


def add_lazy(problem: Problem, keys: IntVector, session: Session) -> int:
    """Add the lazy constraints that ``keys`` violate; returns how many."""
    rows = lazy_rows(problem, keys)
    for columns, values, bound in rows:
        session.add_row(columns, values, -np.inf, bound)
    return len(rows)


def lazy_rows(problem: Problem, keys: IntVector) -> list[tuple[list[int], list[float], float]]:
    """The lazy constraints that ``keys`` violate, each as columns, coefficients and bound."""
    if problem.puzzle is None or not problem.lazy:
        return []
    column = problem.column_of
    return [
        ([column[index] for index in row], list(row.values()), bound)
        for row, bound in problem.puzzle.violated(problem.mapping(keys))
    ]


def add_cut(problem: Problem, keys: IntVector, session: Session) -> int:
    """Add the no-good cut of ``keys``; returns the number of rows it took."""
    linear, columns = problem.linear, problem.key_columns
    if problem.same_number_of_ones:
        ones = columns[keys == 1].tolist()
        session.add_row(ones, [1.0] * len(ones), -np.inf, len(ones) - 1)
        return 1
    lower, upper = linear.col_lower[columns], linear.col_upper[columns]
    at_lower = keys == lower
    at_upper = ~at_lower & (keys == upper)
    movable = lower < upper
    # The distance of keys at a bound: x - lower and upper - x.
    chosen = columns[movable & (at_lower | at_upper)].tolist()
    signs = np.where(at_lower, 1.0, -1.0)[movable & (at_lower | at_upper)].tolist()
    least = 1 + float(lower[movable & at_lower].sum()) - float(upper[movable & at_upper].sum())
    count = 1
    for k in np.flatnonzero(~at_lower & ~at_upper):
        value, low, high, x = float(keys[k]), lower[k], upper[k], int(columns[k])
        above = session.add_columns([0, 0], [1, 1])
        below = above + 1
        # above = 1 forces x >= value + 1; below = 1 forces x <= value - 1.
        session.add_row([x, above], [1, -(value + 1 - low)], low, np.inf)
        session.add_row([x, below], [1, high - value + 1], -np.inf, high)
        chosen += [above, below]
        signs += [1.0, 1.0]
        count += 2
    session.add_row(chosen, signs, least, np.inf)
    return count
