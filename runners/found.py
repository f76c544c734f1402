"""The solutions of an enumeration, as they come and as tables."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from .cuts import Point, TimeIsUp
from .journal import JournalFailed
from .keeping import MemoryFull, Row, Store
from .linear import Problem
from .parallel import Checkpoint, Progress, Started, Step
from .session import readings

if TYPE_CHECKING:
    import pandas as pd

Stop = Literal["limit", "time limit", "memory limit", "interrupt", "journal"]


class Found:
    """The solutions of an enumeration.

    Iterate it for solutions as they come; ``problem``, ``solver``, ``progress`` and ``so_far``
    are there at once, all other attributes wait for the end.  With a journal the solutions are
    not in memory: iterate, or take the :meth:`head` of the table.
    """

    def __init__(
        self,
        problem: Problem,
        solver: str,
        steps: Callable[[Progress], Iterator[Step]],
        limit: int | None,
        distinct: bool,
        store: Store,
    ) -> None:
        self.problem, self.solver = problem, solver
        self.progress = Progress()
        self.distinct = distinct
        self.detail = ""
        """Why it stopped, where that is not plain."""
        self._store = store
        self._limit = limit
        self._seconds = store.seconds
        self._complete = store.complete
        self._stopped: Stop | None = None
        self._open = True
        self._source = self._stream(steps)
        if self._complete:
            self.close()

    def _stream(self, steps: Callable[[Progress], Iterator[Step]]) -> Iterator[None]:
        try:
            if not self._is_full():
                for step in steps(self.progress):
                    if self._take(step):
                        break
                    yield
                else:
                    self._complete = True
        except TimeIsUp:
            self._stopped = "time limit"
        except (MemoryFull, MemoryError):
            self._stopped = "memory limit"
        except JournalFailed as error:
            self._stopped, self.detail = "journal", str(error)
        finally:
            self._end()

    def _take(self, step: Step) -> bool:
        """Keep what a step tells; returns whether that is enough."""
        if isinstance(step, Started):
            self._store.begin(step.path)
        elif isinstance(step, Checkpoint):
            self._store.finish(step, self.progress)
        else:
            self._store.tick(self.progress)
            return self._keep(step)
        return False

    def _keep(self, point: Point) -> bool:
        solutions = readings(self.problem, point.keys, self.solver)
        for solution in solutions[:1] if self.distinct else solutions:
            self._store.add(Row(solution, point.orbit * len(solutions), point.objective))
            if self._is_full():
                return True
        return False

    def _is_full(self) -> bool:
        if self._limit is None or len(self._store) < self._limit:
            return False
        self._stopped = "limit"
        return True

    def _end(self) -> None:
        if not self._open:
            return
        self._open = False
        try:
            self._store.end(self._complete, self.progress.calls)
        except JournalFailed as error:
            self._complete, self._stopped, self.detail = False, "journal", str(error)

    def close(self) -> None:
        """Search no more; what was found is kept."""
        self._source = iter(())  # the generator ends itself when it is let go
        self._end()
        if not self._complete and self._stopped is None:
            self._stopped = "interrupt"

    def __iter__(self) -> Iterator[Any]:
        return (row.solution for row in self._live())

    def _live(self) -> Iterator[Row]:
        seen, more = 0, True
        while more:
            for row in self._store.rows(seen):
                seen += 1
                yield row
            more = self.step()
        yield from self._store.rows(seen)

    def step(self) -> bool:
        """Search on for a moment; returns whether there is more to do."""
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
        while self.step():
            pass

    @property
    def so_far(self) -> int:
        """Number of solutions so far."""
        return len(self._store)

    @property
    def solutions(self) -> list[Any]:
        """What ``puzzle.read`` gives; for a model, dicts from names of keys to their values."""
        self._finish()
        return [row.solution for row in self._store.in_order()]

    @property
    def objectives(self) -> list[float | None]:
        """The objective of each solution, None without one."""
        self._finish()
        return [row.objective for row in self._store.in_order()]

    @property
    def orbits(self) -> list[int]:
        """The size of each solution's orbit under the symmetries that were searched with."""
        self._finish()
        return [row.orbit for row in self._store.in_order()]

    @property
    def count(self) -> int:
        """Number of solutions."""
        self._finish()
        return len(self._store)

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
        """Time spent searching, with a journal in all its sessions."""
        self._finish()
        return self._seconds

    @property
    def table(self) -> pd.DataFrame:
        """One row a solution: number, objective, key figures, the solution."""
        self._finish()
        return self._table(self._store.in_order())

    def head(self, count: int) -> pd.DataFrame:
        """The first rows of the table."""
        self._finish()
        return self._table(islice(self._store.in_order(), count))

    def _table(self, kept: Iterable[Row]) -> pd.DataFrame:
        import pandas as pd

        puzzle = self.problem.puzzle
        rows = []
        for number, (solution, orbit, objective) in enumerate(kept, start=1):
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
        return f"<Found: {self.so_far} so far, {self.solver}>"
