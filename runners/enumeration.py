"""All solutions of a puzzle or of any Pyomo MILP."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyomo.environ as pyo

from ..data import InputError
from ..data.errors import check_positive
from ..models.puzzle import Puzzle
from . import solvers
from .cuts import Point, candidates
from .found import Found
from .journal import Journal, fingerprint
from .keeping import Memory, Names
from .levels import k_best, minimised, tolerance, with_cutoff, without_objective
from .linear import LinearModel, Problem, as_problem
from .orbits import Symmetry, expanded, symmetry_of
from .parallel import Progress, Step, points_of, search_all
from .session import Options
from .splitting import Space
from .structure import Ints

Want = Literal["feasible", "optimal"]
Method = Literal["split", "cuts"]


def enumerate_solutions(
    source: Puzzle | pyo.ConcreteModel | LinearModel,
    keys: Iterable[Any] | None = None,
    *,
    want: Want | None = None,
    gap: float | None = None,
    relative_gap: float | None = None,
    best: int | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
    symmetry: bool | str | Sequence[Mapping[Any, Any]] = True,
    vouch: bool = False,
    distinct: bool = False,
    order: Sequence[Any] = (),
    method: Method | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    solver: str = "highs",
    threads: int | None = None,
    memory: float | None = None,
    journal: str | Path | None = None,
    resume: bool = False,
) -> Found:
    """Enumerate all solutions: one for each assignment of the key variables.

    Parameters
    ----------
    source
        A puzzle, a ``ConcreteModel`` with linear constraints, which is only read, or what
        ``read_model`` gives.
    keys
        The key variables of a model, indexed ones too (names or patterns, for one read from a
        file); all its discrete variables by default.
    want
        ``"optimal"`` (the default with an objective) or ``"feasible"`` (without one).
    gap, relative_gap
        All solutions whose objective is within this of the best: absolute, or relative to it.
    best
        The so many best solutions, in order.
    limit
        Stop after so many solutions.
    time_limit
        Stop after so many seconds.
    symmetry
        A puzzle's: True (all it declares), ``"board"`` (rotations and reflections), or False.
        A model's: a list of generators, each a dict from names of variables to names, or a
        ``ComponentMap`` of variables.
    vouch
        Accept generators that do not map the rows onto rows; their images are then checked one
        by one, but what only an image would have shown is not found if they are wrong.
    distinct
        One representative of each orbit, with the orbit's size, instead of all its members.
    order
        Keys (their indices, or a model's variables) to branch on first: a hint.
    method
        ``"split"``, the fast one (with HiGHS), or ``"cuts"``, the reference, with any solver.
    workers, executor
        Processes on this machine (all cores by default, where the work is long enough), or any
        ``concurrent.futures`` executor.  They change the time, never the result.
    solver, threads
        A name in :data:`nogood.runners.solvers.SOLVERS`; its threads (of the reference method).
    memory
        Stop when the solutions kept take so many MB.  With a journal none are kept in memory.
    journal, resume
        An SQLite file that keeps what is found and what is left, as it happens, and whether to
        go on with it.  A run that was stopped at any moment and resumed ends with the result of
        one that was not.

    Raises
    ------
    InputError
        If the model is no bounded MILP, a parameter makes no sense, or the journal is damaged,
        of another run, or being written by one.
    SolverMissing
        If the solver is not installed.
    SolverError
        While iterating, if the solver fails or returns what is no solution.
    """
    _check_choice("want", want, ("feasible", "optimal"))
    _check_choice("method", method, ("split", "cuts"))
    numbers = {"limit": limit, "best": best, "workers": workers, "threads": threads}
    for name, count in numbers.items():
        check_positive(name, count, whole=True)
    check_positive("time_limit", time_limit)
    check_positive("memory", memory)
    if resume and journal is None:
        raise InputError("resume: needs a journal to go on with (journal=…)")
    for name, width in {"gap": gap, "relative_gap": relative_gap}.items():
        check_positive(name, width, zero=True)
    fast = solvers.find(solver).split
    method = method or ("split" if fast else "cuts")
    if method == "split" and not fast:
        able = ", ".join(s.name for s in solvers.SOLVERS.values() if s.split)
        raise InputError(f"method: split works with {able}; for {solver} say cuts")
    problem = as_problem(source, keys, tell_apart=True)
    if want == "feasible":
        problem = without_objective(problem)
    level = _level(problem, want, gap, relative_gap, best)
    if distinct and method == "cuts":
        raise InputError("distinct: the reference method knows no symmetry; say method split")
    if journal is not None and best is not None:
        raise InputError("journal: keeps all solutions or those within a gap, not the best few")
    run = _Run(
        problem=problem,
        symmetry=symmetry_of(problem, symmetry if method == "split" else False, vouch),
        order=_positions(problem, order),
        distinct=distinct,
        method=method,
        solver=solver,
        options=Options(time_limit=time_limit, threads=threads),
        workers=workers,
        executor=executor,
        few=limit is not None,
        store=Memory(None if memory is None else int(min(memory, 2**40) * 2**20)),
    )
    if journal is not None:
        run = replace(run, store=Journal(journal, resume, problem, run.identity(level)))
    return Found(problem, solver, partial(run.steps, level), limit, distinct, run.store)


@dataclass(frozen=True)
class _Level:
    """Which solutions are wanted: all, those within a gap of the best, or the k best."""

    gap: float | None = None
    relative: float = 0.0
    best: int | None = None


def _level(
    problem: Problem,
    want: Want | None,
    gap: float | None,
    relative_gap: float | None,
    best: int | None,
) -> _Level:
    asked = [
        name
        for name, value in {"gap": gap, "relative_gap": relative_gap, "best": best}.items()
        if value is not None
    ]
    if len(asked) > 1:
        raise InputError(f"{asked[1]}: give one of gap, relative_gap and best, not two")
    if asked and want is not None:
        raise InputError(f"want: leave it out with {asked[0]}")
    if not problem.linear.has_objective:
        if asked or want == "optimal":
            raise InputError(f"{[*asked, 'want'][0]}: the model has no objective; none is best")
        return _Level()
    if best is not None:
        return _Level(best=best)
    return _Level(gap=gap or 0.0, relative=relative_gap or 0.0)


@dataclass(frozen=True)
class _Run:
    """One enumeration: what is searched, and with what."""

    problem: Problem
    symmetry: Symmetry
    order: tuple[int, ...]
    distinct: bool
    method: Method
    solver: str
    options: Options
    workers: int | None
    executor: Executor | None
    few: bool
    store: Memory | Journal

    @property
    def journal(self) -> Journal | None:
        """The store, if it is one."""
        return self.store if isinstance(self.store, Journal) else None

    def identity(self, level: _Level) -> dict[str, str]:
        """What a journal is of: it is not resumed by a run of which any of this differs."""
        puzzle, symmetry = self.problem.puzzle, self.symmetry.on_keys(self.problem)
        return {
            "puzzle": self.problem.linear.name if puzzle is None else puzzle.describe(),
            "solutions": str(level),
            "distinct": str(self.distinct),
            "limited": str(self.few),
            "method": f"{self.method}, {self.solver}",
            "symmetry": f"{len(symmetry)} elements",
            "version": version("nogood"),
            "model": fingerprint(self.problem, symmetry, np.array(self.order)),
        }

    def steps(self, level: _Level, progress: Progress) -> Iterator[Step]:
        """The points of ``level`` and the parts they are in, as they come."""
        seconds = self.options.time_limit
        deadline = None if seconds is None else time.monotonic() + seconds
        if level.best is not None:
            yield from k_best(
                self.problem,
                level.best,
                in_order=lambda problem: self._in_order(problem, progress, deadline),
                within=lambda problem: points_of(
                    self._all(problem, progress, deadline, Memory(None))
                ),
            )
        elif level.gap is not None:

            def best() -> float | None:
                first = next(self._in_order(self.problem, progress, deadline), None)
                return None if first is None else first.objective

            value = self.journal.remembered("best", best) if self.journal else best()
            if value is not None:
                yield from self._within(value, level, progress, deadline)
        else:
            yield from self._all(self.problem, progress, deadline, self.store)

    def _within(
        self, best: float, level: _Level, progress: Progress, deadline: float | None
    ) -> Iterator[Step]:
        value = minimised(self.problem.linear, best)
        width = max(level.gap or 0.0, level.relative * abs(value))
        high = value + width + tolerance(value)
        cut = with_cutoff(self.problem, -np.inf, high)
        yield from self._all(cut, progress, deadline, self.store)

    def _all(
        self, problem: Problem, progress: Progress, deadline: float | None, names: Names
    ) -> Iterator[Step]:
        """All solutions of ``problem`` whose ``names`` are new, by the method chosen."""
        begin = None if self.journal is None else self.journal.resume(progress)
        if self.method == "cuts":
            known = () if self.journal is None else self.journal.keys()
            yield from self._in_order(problem, progress, deadline, known)
            return
        # Pyomo's variables hold the whole model, and are of no use to other processes.
        space = Space(
            replace(problem, variables=()),
            self.symmetry.on_keys(problem),
            self.order,
            self.few,
            whole=self.symmetry.on_columns,
        )
        found = search_all(
            space,
            progress,
            begin=begin,
            in_order=self.journal is None,
            deadline=deadline,
            workers=self.workers,
            executor=self.executor,
        )
        yield from expanded(
            found,
            problem,
            self.symmetry,
            self.distinct,
            lambda keys: self._exists(problem, keys),
            names,
        )

    def _in_order(
        self,
        problem: Problem,
        progress: Progress,
        deadline: float | None,
        known: Iterable[Ints] = (),
    ) -> Iterator[Point]:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.001)
        session = solvers.session(self.solver, problem.linear)
        options = replace(self.options, time_limit=left)
        return candidates(problem, session, self.solver, options, progress.calls.append, known)

    def _exists(self, problem: Problem, keys: Ints) -> bool:
        lower, upper = problem.linear.col_lower.copy(), problem.linear.col_upper.copy()
        lower[problem.key_columns] = upper[problem.key_columns] = keys
        linear = replace(problem.linear, col_lower=lower, col_upper=upper)
        fixed = replace(problem, linear=linear)
        return next(self._in_order(fixed, Progress(), None), None) is not None


def _positions(problem: Problem, order: Sequence[Any]) -> tuple[int, ...]:
    places = {index: k for k, index in enumerate(problem.indices)}
    named = [getattr(key, "name", key) if problem.puzzle is None else key for key in order]
    for key in named:
        if key not in places:
            raise InputError(f"order: {key!r} is no key")
    return tuple(places[key] for key in named)


def _check_choice(name: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise InputError(f"{name}: expected {' or '.join(choices)}, got {value!r}")
