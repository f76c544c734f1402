"""The parts of a search, one after another or on any ``concurrent.futures`` executor.

A part is searched for a fixed amount of work; what is then left of it is dealt into parts of its
own.  The first few are searched in this process, the others independently, wherever there is
room.  What a part gives depends on nothing but the part: the solutions and their order do not
depend on how many workers there are, or which, or on how often the search was interrupted.
"""

from __future__ import annotations

import heapq
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from .branching import Nodes
from .cuts import Call, Point, TimeIsUp
from .errors import SolverError
from .highs import HighsSession
from .splitting import MakeSession, Search, Space, Tally, UnitRow

Path = tuple[int, ...]

_ALONE = 10
"""Parts that one process searches before the rest is dealt."""
_SOON, _LATER = 2_000_000, 100_000_000
"""Work (see ``Propagator.work``) on a part before and after that: some 0.2 and 10 seconds."""
_DEALT, _AGAIN = 64, 4
"""Into how many parts the rest is dealt, and what is left of such a part."""
_TRIES = 3
_SECONDS = 1.0


@dataclass(frozen=True)
class Part:
    """Open nodes, and the lazy constraints that were met on the way to them.

    ``path`` is its place in the tree of parts: the parent's and its number among the children.
    """

    path: Path
    nodes: Nodes
    cuts: tuple[UnitRow, ...] = ()


@dataclass(frozen=True)
class Started:
    """The points that follow are of this part."""

    path: Path


@dataclass(frozen=True)
class Checkpoint:
    """A part is done: its solutions have come, and these parts are left of it."""

    finished: Path
    opened: tuple[Part, ...]
    tally: Tally


Step = Point | Started | Checkpoint
"""What a search tells as it goes."""


def points_of(steps: Iterator[Step]) -> Iterator[Point]:
    """The points alone."""
    return (step for step in steps if isinstance(step, Point))


@dataclass(frozen=True)
class Task:
    """A part to be searched; it says all there is to know, and can be repeated.

    ``name`` is that of the search, so that a process prepares its space once.
    """

    space: Space
    name: bytes
    part: Part
    make_session: MakeSession
    budget: int
    seconds: float | None


@dataclass(frozen=True)
class Result:
    """What a task found, and what is left; None where its time was up.

    ``keys`` has a row a solution, of the narrowest integers that hold them; ``values`` of all
    columns only where they are wanted.
    """

    keys: NDArray[Any]
    objectives: list[float | None]
    early: list[bool]
    values: NDArray[np.float64] | None
    tally: Tally
    opened: tuple[Part, ...] | None

    def points(self) -> Iterator[Point]:
        """The solutions."""
        for k, (objective, early) in enumerate(zip(self.objectives, self.early, strict=True)):
            values = None if self.values is None else self.values[k]
            yield Point(self.keys[k].astype(np.int64), objective, values, early=early)


def _result(
    space: Space, points: list[Point], tally: Tally, opened: tuple[Part, ...] | None
) -> Result:
    keys = np.array([point.keys for point in points], dtype=np.int64)
    narrow = np.min_scalar_type(-int(np.abs(keys).max(initial=0)) - 1)
    whole = space.whole and points
    return Result(
        keys=keys.reshape(len(points), len(space.problem.key_columns)).astype(narrow),
        objectives=[point.objective for point in points],
        early=[point.early for point in points],
        values=np.array([point.values for point in points]) if whole else None,
        tally=tally,
        opened=opened,
    )


@dataclass
class Progress:
    """How far a search is: ``share`` of the tree, split evenly at each node, from 0 to 1."""

    share: float = 0.0
    nodes: int = 0
    parts_done: int = 0
    parts_open: int = 0
    calls: list[Call] = field(default_factory=list)

    def add(self, done: Checkpoint) -> None:
        """Count a part that is done."""
        self.share += done.tally.share
        self.nodes += done.tally.nodes
        self.parts_done += 1
        self.parts_open += len(done.opened) - 1


_prepared = threading.local()


def run_task(task: Task) -> Result:
    """Search a part; the function that an executor calls."""
    if getattr(_prepared, "name", None) != task.name:
        _prepared.search, _prepared.name = Search(task.space, task.make_session), task.name
    search: Search = _prepared.search
    deadline = None if task.seconds is None else time.monotonic() + task.seconds
    points: list[Point] = []
    try:
        points.extend(search.run(task.part.nodes, task.part.cuts, task.budget, deadline))
    except TimeIsUp:
        return _result(task.space, points, search.tally, None)
    return _result(task.space, points, search.tally, _left(search, task.part))


def _is_alone(space: Space, part: Part) -> bool:
    """Whether a part is searched in the first process.  Where few are wanted, that is enough."""
    return len(part.path) < (1 if space.few else _ALONE)


def _budget(space: Space, part: Part) -> int:
    return _SOON if _is_alone(space, part) and not space.few else _LATER


def _left(search: Search, part: Part) -> tuple[Part, ...]:
    rest = search.rest()
    if rest is None:
        return ()
    depth = len(part.path) + 1
    last = 1 if search.space.few else _ALONE
    count = min(1 if depth < last else _DEALT if depth == last else _AGAIN, len(rest))
    cuts = tuple(search.cuts)
    return tuple(
        Part((*part.path, k), rest.take(slice(k, None, count)), cuts) for k in range(count)
    )


def search_all(
    space: Space,
    progress: Progress,
    *,
    begin: Sequence[Part] | None = None,
    in_order: bool = True,
    deadline: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    make_session: MakeSession = HighsSession,
) -> Iterator[Step]:
    """All solutions of ``space``, on ``executor`` or ``workers`` processes (all cores by default).

    Each part is announced, and after its solutions comes its checkpoint.  ``begin`` with the
    parts that an earlier search left open; without ``in_order`` parts are told as soon as they
    are done.

    Raises
    ------
    TimeIsUp
        At the ``deadline``, after everything found has been yielded.
    SolverError
        If a part fails, or its worker dies, three times.
    """
    search = Search(space, make_session)
    todo = [Part((), search.start)] if begin is None else sorted(begin, key=lambda p: p.path)
    progress.parts_open += len(todo)
    workers = os.cpu_count() or 1 if workers is None else workers
    alone = executor is None and workers == 1
    while todo and (alone or _is_alone(space, todo[0])):
        part = todo.pop(0)
        todo[:0] = yield from _here(search, part, progress, deadline)
    if todo:
        pool = _Pool(executor, workers, space, make_session, in_order)
        yield from pool.run(todo, progress, deadline)


def _here(
    search: Search, part: Part, progress: Progress, deadline: float | None
) -> Generator[Step, None, tuple[Part, ...]]:
    """Search a part in this process; returns what is left of it."""
    share, nodes = progress.share, progress.nodes
    yield Started(part.path)
    try:
        budget = _budget(search.space, part)
        for point in search.run(part.nodes, part.cuts, budget, deadline):
            progress.share = share + search.tally.share
            progress.nodes = nodes + search.tally.nodes
            yield point
    finally:
        progress.calls += search.tally.calls
    progress.share, progress.nodes = share, nodes
    done = Checkpoint(part.path, _left(search, part), search.tally)
    progress.add(done)
    yield done
    return done.opened


class _Pool:
    """Runs parts on an executor, and repeats those whose worker died."""

    def __init__(
        self,
        executor: Executor | None,
        workers: int,
        space: Space,
        make_session: MakeSession,
        in_order: bool,
    ) -> None:
        self._given, self._workers = executor, workers
        self._space, self._make_session = space, make_session
        self._name = uuid4().bytes
        self._in_order = in_order
        self._executor: Any = executor or _own(workers)
        # No more at a time than are begun soon, so that the time left is known to each.
        self._window = workers + 2
        self._tries: Counter[Path] = Counter()
        self._results: dict[Path, Result] = {}

    def run(
        self, parts: Sequence[Part], progress: Progress, deadline: float | None
    ) -> Iterator[Step]:
        # The first in the order of the tree is searched first, so that few results must wait.
        todo = [(part.path, part) for part in parts]
        heapq.heapify(todo)
        pending: dict[Future[Result], Part] = {}
        untold = deque(part.path for part in parts)
        late = False
        try:
            while pending or (todo and not late):
                while todo and not late and len(pending) < self._window:
                    part = heapq.heappop(todo)[1]
                    pending[self._submit(part, deadline)] = part
                # Dask's futures, cancelled, are done and wake nobody.
                wait(pending, timeout=_SECONDS, return_when=FIRST_COMPLETED)
                for future in [future for future in pending if future.done()]:
                    part = pending.pop(future)
                    result = self._result(future, part.path)
                    if result is None:
                        heapq.heappush(todo, (part.path, part))
                        continue
                    self._results[part.path] = result
                    late |= result.opened is None
                    for child in result.opened or ():
                        heapq.heappush(todo, (child.path, child))
                yield from self._tell(untold, progress)
        except KeyboardInterrupt:
            for future, part in pending.items():
                if future.done() and not future.exception():
                    self._results[part.path] = future.result()
            yield from self._tell_all(progress)
            raise
        finally:
            self._close()
        if late:
            yield from self._tell_all(progress)
            raise TimeIsUp

    def _tell(self, untold: deque[Path], progress: Progress) -> Iterator[Step]:
        """What has come, or of it what is next in the order of the tree."""
        if not self._in_order:
            yield from self._tell_all(progress)
        while untold and untold[0] in self._results:
            path = untold.popleft()
            untold.extendleft(part.path for part in reversed(self._results[path].opened or ()))
            yield from self._told(path, progress)

    def _tell_all(self, progress: Progress) -> Iterator[Step]:
        for path in sorted(self._results):
            yield from self._told(path, progress)

    def _told(self, path: Path, progress: Progress) -> Iterator[Step]:
        result = self._results.pop(path)
        progress.calls += result.tally.calls
        yield Started(path)
        yield from result.points()
        if result.opened is not None:
            done = Checkpoint(path, result.opened, result.tally)
            progress.add(done)
            yield done

    def _submit(self, part: Part, deadline: float | None) -> Future[Result]:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        budget = _budget(self._space, part)
        task = Task(self._space, self._name, part, self._make_session, budget, left)
        try:
            future: Future[Result] = self._executor.submit(run_task, task)
        except Exception as error:  # each executor says in its own way that it is broken
            self._renew(error)
            future = self._executor.submit(run_task, task)
        return future

    def _result(self, future: Future[Result], path: Path) -> Result | None:
        """The result, or None if the task is to be repeated."""
        try:
            return future.result()
        except SolverError:
            raise
        except Exception as error:  # each executor reports a lost worker its own way
            self._tries[path] += 1
            if self._tries[path] == _TRIES:
                raise SolverError(
                    f"part {'.'.join(map(str, path))} of the search failed {_TRIES} times: "
                    f"{type(error).__name__}: {error}"
                ) from error
            return None

    def _renew(self, error: Exception) -> None:
        if self._given is not None:
            raise SolverError(f"the executor takes no more work: {error}") from error
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
