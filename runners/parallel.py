"""The parts of a search, one after another or on any ``concurrent.futures`` executor.

One process begins.  When it has done a fixed amount of work, what is left is dealt into parts,
which are searched independently and reported in their order: the solutions and their order do
not depend on how many workers there are, or which.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Any

from .branching import Nodes
from .cuts import Call, Point, TimeIsUp
from .errors import SolverError
from .highs import HighsSession
from .splitting import MakeSession, Search, Space, Tally, UnitRow

_ALONE = 20_000_000
"""Work (see ``Propagator.work``) of one process, some seconds, before parts are dealt."""
_PARTS = 64
_TRIES = 3


@dataclass(frozen=True)
class Task:
    """A part to be searched; it says all there is to know, and can be repeated."""

    space: Space
    nodes: Nodes
    cuts: tuple[UnitRow, ...]
    make_session: MakeSession
    seconds: float | None = None


@dataclass(frozen=True)
class Result:
    """What a task found; ``finished`` unless its time was up."""

    points: list[Point]
    tally: Tally
    finished: bool


@dataclass
class Progress:
    """How far a search is: ``share`` of the tree, split evenly at each node, from 0 to 1."""

    share: float = 0.0
    nodes: int = 0
    parts_done: int = 0
    parts_open: int = 0
    calls: list[Call] = field(default_factory=list)

    def add(self, tally: Tally) -> None:
        """Count a part that is done."""
        self.share += tally.share
        self.nodes += tally.nodes
        self.parts_done += 1
        self.parts_open -= 1


def run_task(task: Task) -> Result:
    """Search a part; the function that an executor calls."""
    search = Search(task.space, task.make_session, task.cuts)
    deadline = None if task.seconds is None else time.monotonic() + task.seconds
    points: list[Point] = []
    try:
        points.extend(search.run(task.nodes, deadline))
    except TimeIsUp:
        return Result(points, search.tally, finished=False)
    return Result(points, search.tally, finished=True)


def search_all(
    space: Space,
    progress: Progress,
    *,
    deadline: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    make_session: MakeSession = HighsSession,
) -> Iterator[Point]:
    """All solutions of ``space``, on ``executor`` or ``workers`` processes (all cores by default).

    Raises
    ------
    TimeIsUp
        At the ``deadline``, after everything found has been yielded.
    SolverError
        If a part fails, or its worker dies, three times.
    """
    search = Search(space, make_session, calls=progress.calls)
    progress.parts_open = 1
    for point in search.run(search.start, deadline, budget=_ALONE):
        progress.share, progress.nodes = search.tally.share, search.tally.nodes
        yield point
    progress.share, progress.nodes = 0.0, 0
    progress.add(search.tally)
    rest = search.rest()
    if rest is None:
        return
    count = min(_PARTS, len(rest))
    progress.parts_open = count
    tasks = [
        Task(space, rest.take(slice(k, None, count)), tuple(search.cuts), make_session)
        for k in range(count)
    ]
    workers = os.cpu_count() or 1 if workers is None else workers
    if executor is None and workers == 1:
        yield from _one_by_one(tasks, progress, deadline)
        return
    late = False
    for result in _Pool(executor, workers).run(tasks, deadline):
        progress.add(result.tally)
        progress.calls += result.tally.calls
        yield from result.points
        late |= not result.finished
    if late:
        raise TimeIsUp


def _one_by_one(tasks: list[Task], progress: Progress, deadline: float | None) -> Iterator[Point]:
    for task in tasks:
        search = Search(task.space, task.make_session, task.cuts, progress.calls)
        yield from search.run(task.nodes, deadline)
        progress.add(search.tally)


class _Pool:
    """Runs tasks on an executor, repeats those whose worker died, and keeps their order."""

    def __init__(self, executor: Executor | None, workers: int) -> None:
        self._given, self._workers = executor, workers
        self._executor: Any = executor or _own(workers)
        # No more at a time than are begun soon, so that the time left is known to each.
        self._window = workers + 2
        self._tries: Counter[int] = Counter()

    def run(self, tasks: list[Task], deadline: float | None) -> Iterator[Result]:
        todo, pending = deque(range(len(tasks))), dict[Future[Result], int]()
        results: dict[int, Result] = {}
        told = 0
        try:
            while told < len(tasks):
                while todo and len(pending) < self._window:
                    number = todo.popleft()
                    pending[self._submit(tasks[number], deadline)] = number
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    number = pending.pop(future)
                    result = self._result(future, number)
                    if result is None:
                        todo.appendleft(number)
                    else:
                        results[number] = result
                while told in results:
                    yield results.pop(told)
                    told += 1
        except KeyboardInterrupt:
            done = {number: f for f, number in pending.items() if f.done() and not f.exception()}
            results |= {number: future.result() for number, future in done.items()}
            yield from (results[number] for number in sorted(results))
            raise
        finally:
            self._close()

    def _submit(self, task: Task, deadline: float | None) -> Future[Result]:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        task = replace(task, seconds=left)
        try:
            future: Future[Result] = self._executor.submit(run_task, task)
        except BrokenExecutor:
            self._renew()
            future = self._executor.submit(run_task, task)
        return future

    def _result(self, future: Future[Result], number: int) -> Result | None:
        """The result, or None if the task is to be repeated."""
        try:
            return future.result()
        except SolverError:
            raise
        except Exception as error:  # each executor reports a lost worker its own way
            self._tries[number] += 1
            if self._tries[number] == _TRIES:
                raise SolverError(
                    f"part {number} of the search failed {_TRIES} times: "
                    f"{type(error).__name__}: {error}"
                ) from error
            return None

    def _renew(self) -> None:
        if self._given is not None:
            raise SolverError("the executor is broken and takes no more work")
        self._close()
        self._executor = _own(self._workers)

    def _close(self) -> None:
        if self._given is None:
            self._executor.shutdown(wait=True, kill_workers=True)


def _own(workers: int) -> Any:
    # loky starts workers without running the caller's script again, and tells when one dies.
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(
        max_workers=workers, initializer=_begin_worker, initargs=(os.getpid(),)
    )


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the main process, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
