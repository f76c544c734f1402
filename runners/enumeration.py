"""All solutions of a puzzle or of any Pyomo MILP."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import pyomo.environ as pyo

from ..data import InputError
from ..models.puzzle import Puzzle
from . import solvers
from .cuts import Call, Point, TimeIsUp, candidates
from .errors import SolverError
from .linear import Problem, as_problem
from .session import Options

if TYPE_CHECKING:
    import pandas as pd

Want = Literal["feasible", "optimal"]
Stop = Literal["limit", "time limit", "interrupt"]


class Found:
    """The solutions of an enumeration.

    Iterate it for solutions as they come; ``problem`` and ``solver`` are there at once, all other
    attributes wait for the end.
    """

    def __init__(
        self,
        problem: Problem,
        solver: str,
        points: Callable[[Callable[[Call], None]], Iterator[Point]],
        limit: int | None,
    ) -> None:
        self.problem, self.solver = problem, solver
        self._solutions: list[Any] = []
        self._objectives: list[float | None] = []
        self._calls: list[Call] = []
        self._limit = limit
        self._seconds = 0.0
        self._complete = False
        self._stopped: Stop | None = None
        self._source = self._stream(points(self._calls.append))

    def _stream(self, points: Iterator[Point]) -> Iterator[Any]:
        try:
            for point in points:
                for solution in self._read(point):
                    self._solutions.append(solution)
                    self._objectives.append(point.objective)
                    yield solution
                    if len(self._solutions) == self._limit:
                        self._stopped = "limit"
                        return
            self._complete = True
        except TimeIsUp:
            self._stopped = "time limit"

    def _read(self, point: Point) -> Iterable[Any]:
        keys, puzzle = self.problem.mapping(point.keys), self.problem.puzzle
        if puzzle is None:
            return (keys,)
        readings = puzzle.readings(keys)
        for solution in readings:
            try:
                puzzle.check(solution)
            except ValueError as error:
                raise SolverError(f"{self.solver} returned what is no solution: {error}") from None
        return readings

    def __iter__(self) -> Iterator[Any]:
        seen = 0
        while True:
            while seen < len(self._solutions):
                yield self._solutions[seen]
                seen += 1
            if not self._next():
                return

    def _next(self) -> bool:
        began = time.perf_counter()
        try:
            next(self._source)
        except StopIteration:
            return False
        except KeyboardInterrupt:
            self._source = iter(())
            self._stopped = "interrupt"
            return False
        finally:
            self._seconds += time.perf_counter() - began
        return True

    def _finish(self) -> None:
        while self._next():
            pass

    def __len__(self) -> int:
        return self.count

    @property
    def solutions(self) -> list[Any]:
        """What ``puzzle.read`` gives; for a model, dicts from names of keys to their values."""
        self._finish()
        return self._solutions

    @property
    def objectives(self) -> list[float | None]:
        """The objective of each solution, None without one."""
        self._finish()
        return self._objectives

    @property
    def count(self) -> int:
        """Number of solutions."""
        return len(self.solutions)

    @property
    def complete(self) -> bool:
        """True only if the solver has proven that there are no others."""
        self._finish()
        return self._complete

    @property
    def stopped(self) -> Stop | None:
        """Why it is not complete, else None."""
        self._finish()
        return self._stopped

    @property
    def seconds(self) -> float:
        """Time spent searching."""
        self._finish()
        return self._seconds

    @property
    def table(self) -> pd.DataFrame:
        """One row a solution: number, objective, key figures, the solution."""
        import pandas as pd

        puzzle = self.problem.puzzle
        rows = []
        for number, (solution, objective) in enumerate(
            zip(self.solutions, self.objectives, strict=True), start=1
        ):
            row: dict[str, Any] = {"number": number}
            if self.problem.linear.has_objective:
                row["objective"] = objective
            if puzzle is None:
                row |= solution
            else:
                row |= puzzle.figures(solution)
                row["solution"] = json.dumps(solution, ensure_ascii=False)
            rows.append(row)
        return pd.DataFrame(rows, columns=None if rows else ["number"])

    @property
    def calls(self) -> pd.DataFrame:
        """One row a solver call: status, seconds, nodes, rows, cuts."""
        import pandas as pd

        self._finish()
        columns = ["status", "seconds", "nodes", "rows", "cuts"]
        return pd.DataFrame([asdict(call) for call in self._calls], columns=columns)

    def __repr__(self) -> str:
        return f"<Found: {len(self._solutions)} so far, {self.solver}>"


def enumerate_solutions(
    source: Puzzle | pyo.ConcreteModel,
    keys: Iterable[Any] | None = None,
    *,
    want: Want | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
    solver: str = "highs",
    threads: int | None = None,
) -> Found:
    """Enumerate all solutions: one for each assignment of the key variables.

    Parameters
    ----------
    source
        A puzzle, or a ``ConcreteModel`` with linear constraints; it is only read.
    keys
        The key variables of a model, indexed ones too; all its discrete variables by default.
    want
        ``"optimal"`` (the default with an objective) or ``"feasible"`` (without one).
    limit
        Stop after so many solutions.
    time_limit
        Stop after so many seconds.
    solver
        A name in :data:`nogood.runners.solvers.SOLVERS`.
    threads
        For the solver; its own choice by default.

    Raises
    ------
    InputError
        If the model is no bounded MILP or a parameter makes no sense.
    SolverMissing
        If the solver is not installed.
    SolverError
        While iterating, if the solver fails or returns what is no solution.
    """
    if want not in (None, "feasible", "optimal"):
        raise InputError(f"want: expected feasible or optimal, got {want!r}")
    _positive("limit", limit, whole=True)
    _positive("time_limit", time_limit)
    solvers.find(solver)
    problem = as_problem(source, keys, tell_apart=True)
    if want == "optimal" and not problem.linear.has_objective:
        raise InputError("want: the model has no objective; nothing is optimal")
    options = Options(time_limit=time_limit, threads=threads)

    def points(log: Callable[[Call], None]) -> Iterator[Point]:
        found = candidates(problem, solvers.session(solver, problem.linear), solver, options, log)
        if problem.linear.has_objective and want != "feasible":
            return _optimal(found)
        return found

    return Found(problem, solver, points, limit)


def _optimal(points: Iterator[Point]) -> Iterator[Point]:
    """The first of ``points``, which come best first, and those as good."""
    best: float | None = None
    for point in points:
        assert point.objective is not None
        if best is None:
            best = point.objective
        if abs(point.objective - best) > 1e-6 * max(1.0, abs(best)):
            return
        yield point


def _positive(name: str, value: float | None, whole: bool = False) -> None:
    kind: Any = int if whole else (int, float)
    if value is None:
        return
    if not isinstance(value, kind) or isinstance(value, bool) or not value > 0:
        raise InputError(
            f"{name}: expected a positive {'integer' if whole else 'number'}, got {value!r}"
        )
