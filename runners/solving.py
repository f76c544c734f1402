"""One solution, the best where there is an objective."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..data import InputError
from ..data.errors import check_positive
from ..models.puzzle import Puzzle
from . import solvers
from .cuts import TimeIsUp, add_lazy
from .linear import LinearModel, Problem, as_problem, discrete
from .parallel import Progress, points_of, search_all
from .session import Answer, Options, Status, readings, rounded
from .splitting import Space


@dataclass(frozen=True)
class Solved:
    """The end of a solve.

    ``solution`` is what ``puzzle.read`` gives, or a dict of the key variables' names; None where
    there is none.  ``objective``, ``bound`` and ``nodes`` as the solver gives them; ``values`` of
    all variables by name.
    """

    status: Status
    solution: Any
    objective: float | None
    bound: float | None
    nodes: int | None
    seconds: float
    solver: str
    problem: Problem = field(repr=False)
    values: dict[str, float] = field(repr=False, default_factory=dict)
    detail: str = ""


def solve(
    source: Puzzle | pyo.ConcreteModel | LinearModel,
    *,
    solver: str = "highs",
    time_limit: float | None = None,
    gap: float = 0.0,
    threads: int | None = None,
    seed: int = 0,
    log: bool = False,
    load: bool = False,
) -> Solved:
    """Solve a puzzle or any Pyomo MILP.

    Lazy constraints of a puzzle are added as candidates violate them, and the model is solved
    again.  The solution is re-checked outside the solver.

    Parameters
    ----------
    source
        A puzzle, a ``ConcreteModel``, which is only read unless ``load``, or what ``read_model``
        gives.
    solver, time_limit, gap, threads, seed, log
        As in :class:`~nogood.runners.session.Options`; seconds, relative gap.
    load
        Set the values of the model's variables to the solution.

    Raises
    ------
    InputError, SolverMissing
        As :func:`~nogood.runners.enumerate_solutions`.
    SolverError
        If what the solver returned is no solution.
    """
    check_positive("time_limit", time_limit)
    check_positive("gap", gap, zero=True)
    check_positive("threads", threads, whole=True)
    solvers.find(solver)
    if load and isinstance(source, Puzzle | LinearModel):
        raise InputError("load: only a ConcreteModel has variables to load")
    problem = as_problem(source, discrete(source))
    began = time.perf_counter()
    options = Options(time_limit, gap, threads, log, seed=seed)
    if solvers.SOLVERS[solver].split and problem.lazy and not problem.linear.has_objective:
        answer = _searched(problem, options)
    else:
        answer = _answer(problem, solver, options)
    return _solved(problem, answer, solver, time.perf_counter() - began, load)


def _searched(problem: Problem, options: Options) -> Answer:
    """Any solution: with lazy constraints, a search finds one sooner than solving again does."""
    seconds = options.time_limit
    deadline = None if seconds is None else time.monotonic() + seconds
    space = Space(problem, np.arange(len(problem.indices))[None, :], few=True)
    progress = Progress()
    try:
        found = search_all(space, progress, deadline=deadline, workers=1)
        point = next(points_of(found), None)
    except TimeIsUp:
        return Answer("time limit")
    status: Status = "infeasible" if point is None else "optimal"
    return Answer(status, None if point is None else point.values, nodes=progress.nodes)


def _answer(problem: Problem, solver: str, options: Options) -> Answer:
    session = solvers.session(solver, problem.linear)
    end = None if options.time_limit is None else time.perf_counter() + options.time_limit
    while True:
        if end is not None and time.perf_counter() >= end:
            return Answer("time limit")
        left = None if end is None else max(end - time.perf_counter(), 0.001)
        answer = session.solve(replace(options, time_limit=left))
        if answer.values is None:
            return answer
        values = rounded(problem.linear, answer.values, solver)
        keys = values[problem.key_columns].astype(int)
        if not add_lazy(problem, keys, session):
            return Answer(answer.status, values, answer.bound, answer.nodes, answer.detail)
        if answer.status != "optimal":
            return Answer(answer.status, None, answer.bound, answer.nodes, answer.detail)


def _solved(problem: Problem, answer: Answer, solver: str, seconds: float, load: bool) -> Solved:
    solution, objective, values = None, None, {}
    linear = problem.linear
    if answer.values is not None:
        solution = readings(problem, answer.values[problem.key_columns].astype(int), solver)[0]
        if linear.has_objective:
            objective = linear.objective(answer.values)
        values = dict(zip(linear.col_names, answer.values.tolist(), strict=True))
        if load:
            for variable, value in zip(problem.variables, answer.values, strict=True):
                variable.set_value(float(value), skip_validation=True)
    return Solved(
        status=answer.status,
        solution=solution,
        objective=objective,
        bound=answer.bound if linear.has_objective else None,
        nodes=answer.nodes,
        seconds=seconds,
        solver=solver,
        problem=problem,
        values=values,
        detail=answer.detail,
    )
