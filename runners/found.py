"""The solutions of an enumeration, as they come and as tables."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .cuts import Point, TimeIsUp
from .linear import Problem
from .parallel import Progress
from .session import readings

if TYPE_CHECKING:
    import pandas as pd

Stop = Literal["limit", "time limit", "interrupt"]


class Found:
    """The solutions of an enumeration.

    Iterate it for solutions as they come; ``problem``, ``solver`` and ``progress`` are there at
    once, all other attributes wait for the end.
    """

    def __init__(
        self,
        problem: Problem,
        solver: str,
        points: Callable[[Progress], Iterator[Point]],
        limit: int | None,
        distinct: bool,
    ) -> None:
        self.problem, self.solver = problem, solver
        self.progress = Progress()
        self.distinct = distinct
        self._orbits: list[int] = []
        self._keys: list[NDArray[Any]] = []
        self._solutions: list[Any] = []
        self._objectives: list[float | None] = []
        self._limit = limit
        self._seconds = 0.0
        self._complete = False
        self._stopped: Stop | None = None
        self._source = self._stream(points(self.progress))

    def _stream(self, points: Iterator[Point]) -> Iterator[Any]:
        try:
            narrow = np.int8 if self.problem.binary_keys else np.int64
            for point in points:
                keys = point.keys.astype(narrow)
                solutions = readings(self.problem, point.keys, self.solver)
                for solution in solutions[:1] if self.distinct else solutions:
                    self._solutions.append(solution)
                    self._objectives.append(point.objective)
                    self._keys.append(keys)
                    self._orbits.append(point.orbit * len(solutions))
                    yield solution
                    if len(self._solutions) == self._limit:
                        self._stopped = "limit"
                        return
            self._complete = True
        except TimeIsUp:
            self._stopped = "time limit"

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
    def orbits(self) -> list[int]:
        """The size of each solution's orbit under the symmetries that were searched with."""
        self._finish()
        return self._orbits

    @property
    def keys(self) -> NDArray[Any]:
        """The values of the key variables, one row a solution."""
        self._finish()
        return np.array(self._keys).reshape(len(self._keys), len(self.problem.indices))

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
        for number, (solution, objective, orbit) in enumerate(
            zip(self.solutions, self.objectives, self.orbits, strict=True), start=1
        ):
            row: dict[str, Any] = {"number": number}
            if self.problem.linear.has_objective:
                row["objective"] = objective
            if self.distinct:
                row["orbit"] = orbit
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
        return pd.DataFrame([asdict(call) for call in self.progress.calls], columns=columns)

    def __repr__(self) -> str:
        return f"<Found: {len(self._solutions)} so far, {self.solver}>"
