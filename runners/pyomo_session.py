"""Any solver that Pyomo can call, behind the same face as HiGHS."""

from __future__ import annotations

import logging
import math
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.tempfiles import TempfileManager
from pyomo.core.expr import LinearExpression
from pyomo.opt import TerminationCondition as Condition

from .errors import SolverError
from .linear import LinearModel, Vector
from .session import Answer, Options, Status, log_on_stderr, rounded

if TYPE_CHECKING:
    from .solvers import Solver

_STATUS: dict[Condition, Status] = {
    Condition.optimal: "optimal",
    Condition.infeasible: "infeasible",
    Condition.noSolution: "infeasible",
    Condition.unbounded: "unbounded",
    Condition.infeasibleOrUnbounded: "unbounded",  # which of the two is asked afterwards
    Condition.maxTimeLimit: "time limit",
    Condition.userInterrupt: "interrupted",
    Condition.resourceInterrupt: "interrupted",
}
_LAST_LINES, _LONGEST = 4, 400


class PyomoSession:
    """A :class:`~nogood.runners.session.Session` that hands a Pyomo model to ``SolverFactory``.

    How the solver is called, and what its words mean, is in its line of the table.
    """

    def __init__(self, linear: LinearModel, solver: Solver) -> None:
        self._linear, self._solver = linear, solver
        self._impossible = linear.impossible
        self._absent = np.clip(0.0, linear.col_lower, linear.col_upper)
        self._model = as_pyomo(linear)

    def add_columns(self, lower: Sequence[float], upper: Sequence[float]) -> int:
        """Add integer columns of cost zero; returns the first one's number."""
        first = len(self._model.x)
        for low, high in zip(lower, upper, strict=True):
            variable = self._model.x.add()
            variable.domain = pyo.Integers
            variable.bounds = (low, high)
        return first

    def add_row(
        self, columns: Sequence[int], values: Sequence[float], lower: float, upper: float
    ) -> None:
        """Add ``lower <= values · x[columns] <= upper``."""
        self._impossible |= not len(columns) and not lower <= 0 <= upper
        _add_row(self._model, columns, values, lower, upper)

    def solve(self, options: Options) -> Answer:
        """Solve from scratch; Ctrl-C raises KeyboardInterrupt."""
        if self._impossible:
            return Answer("infeasible")
        began = time.perf_counter()
        with log_on_stderr(options.log):
            answer = self._run(options)
            if answer.status == "unbounded":
                left = options.time_limit
                if left is not None:
                    left = max(left - (time.perf_counter() - began), 0.001)
                answer = self._which(replace(options, time_limit=left))
        return answer

    def _which(self, options: Options) -> Answer:
        """Unbounded or infeasible: the same rows without the objective tell.

        Solvers say unbounded of the relaxation too, whose integer points may be none.
        """
        self._model.cost.deactivate()
        self._model.nothing = pyo.Objective(expr=0.0 * self._model.x[1])
        try:
            answer = self._run(options)
        finally:
            self._model.del_component("nothing")
            self._model.cost.activate()
        status: Status = "unbounded" if answer.status == "optimal" else answer.status
        return Answer(status, detail=answer.detail)

    def _run(self, options: Options) -> Answer:
        solver = pyo.SolverFactory(self._solver.pyomo)
        for name, value in self._named(options).items():
            solver.options[name] = value
        began = time.perf_counter()
        try:
            with _quiet(), _own_files():
                results = solver.solve(self._model, load_solutions=False, tee=options.log)
                answer = self._answer(results, _log(solver))
        except Exception as error:  # every solver's library has errors of its own
            answer = self._failed(solver, error)
        if answer.status == "interrupted":  # a solver that catches Ctrl-C itself
            raise KeyboardInterrupt
        late = options.time_limit is not None and time.perf_counter() - began >= options.time_limit
        if late and answer.status in ("infeasible", "unbounded"):
            # Out of time within a relaxation, cbc says what would follow had it been solved.
            return Answer("time limit")
        return answer

    def _named(self, options: Options) -> dict[str, Any]:
        """``options`` as the solver calls them."""
        seconds, gap = options.time_limit, options.gap
        if seconds is not None and self._solver.whole_seconds:
            seconds = math.ceil(seconds)
        if self._solver.gap_of_larger:
            # |p - d| <= g/(1+g) max(|p|, |d|) implies |p - d| <= g |p|.
            gap /= 1 + gap
        wanted = {
            "time_limit": seconds,
            "gap": gap,
            "threads": options.threads,
            "seed": options.seed or None,
        }
        names = self._solver.options
        given = {
            names[ours]: value
            for ours, value in wanted.items()
            if value is not None and ours in names
        }
        return {**self._solver.always, **given}

    def _answer(self, results: Any, log: str) -> Answer:
        condition, message = results.solver.termination_condition, _message(results)
        status = self._said(f"{log} {message}") or _STATUS.get(condition, "error")
        if status == "error":
            return Answer("error", detail=_line(f"{condition} {message}", log))
        return Answer(status, self._values(results, status), self._bound(results, status))

    def _bound(self, results: Any, status: Status) -> float | None:
        bound = results.problem.lower_bound
        if status == "infeasible" or not isinstance(bound, int | float) or not math.isfinite(bound):
            return None
        return float(self._linear.sense * bound)

    def _values(self, results: Any, status: Status) -> Vector | None:
        if status not in ("optimal", "time limit") or not len(results.solution):
            return None
        if not len(results.solution(0).variable) and status != "optimal":
            return None
        self._model.solutions.load_from(results)
        found = [v.value for v in self._model.x.values()][: self._linear.columns]
        # A variable in no row may be left out; any value within its bounds will do.
        values = np.array(
            [a if v is None else v for v, a in zip(found, self._absent, strict=True)],
            dtype=float,
        )
        if status == "optimal":
            return values
        try:
            return rounded(self._linear, values, self._solver.name)
        except SolverError:  # under a limit, some return the relaxation's values instead
            return None

    def _said(self, text: str) -> Status | None:
        found = (status for phrase, status in self._solver.phrases.items() if phrase in text)
        return next(found, None)

    def _failed(self, solver: Any, error: Exception) -> Answer:
        """An error, with what the solver said last; or the size limit of its licence."""
        status = self._said(str(error)) or "error"
        if status == "size limit":
            return Answer(status, detail=self._too_large())
        code = getattr(solver, "_rc", None) or 0
        reason = f"ended by {signal.Signals(-code).name};" if code < 0 else str(error)
        return Answer(status, detail=_line(reason, _log(solver)))

    def _too_large(self) -> str:
        most, rows, columns = self._solver.size_limit, self._linear.rows, self._linear.columns
        return (
            f"the model has {rows} rows and {columns} columns; without a licence "
            f"{self._solver.name} takes {most} of each: get a licence or take another solver"
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Pyomo logs of failures, which the answer tells, and of limits."""
    logger = logging.getLogger("pyomo")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _own_files() -> Iterator[None]:
    """No temporary file is left where Pyomo is interrupted between two solves."""
    with TempfileManager.new_context() as context:
        folder, before = context.create_tempdir(), TempfileManager.tempdir
        TempfileManager.tempdir = folder
        try:
            yield
        finally:
            TempfileManager.tempdir = before


def _log(solver: Any) -> str:
    """What an executable printed, which Pyomo keeps; empty for a library."""
    return str(getattr(solver, "_log", None) or "")


def _message(results: Any) -> str:
    said = getattr(results.solver, "termination_message", None)
    return said if isinstance(said, str) else ""


def _line(reason: str, log: str) -> str:
    """``reason`` and the last lines of the log, as one line."""
    last = [line for line in log.splitlines() if line.strip()][-_LAST_LINES:]
    return " ".join(" ".join([reason, *last]).split())[:_LONGEST]


def as_pyomo(linear: LinearModel) -> pyo.ConcreteModel:
    """The arrays as a Pyomo model with ``x[j + 1]``, and ``rows`` that have entries."""
    model = pyo.ConcreteModel(linear.name)
    model.x = pyo.VarList()
    for low, high, integer in zip(linear.col_lower, linear.col_upper, linear.integer, strict=True):
        variable = model.x.add()
        variable.domain = pyo.Integers if integer else pyo.Reals
        variable.bounds = (_finite(low), _finite(high))
    model.rows = pyo.ConstraintList()
    matrix = linear.matrix
    for i in range(linear.rows):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        _add_row(
            model,
            matrix.indices[part],
            matrix.data[part],
            linear.row_lower[i],
            linear.row_upper[i],
        )
    columns = np.flatnonzero(linear.cost)
    # A variable with coefficient zero keeps every writer content where there is no objective.
    if not len(columns) and linear.columns:
        columns = np.array([0])
    model.cost = pyo.Objective(expr=_linear(model, columns, linear.cost[columns]) + linear.offset)
    return model


def _add_row(
    model: pyo.ConcreteModel,
    columns: Sequence[int] | np.ndarray[Any, Any],
    values: Sequence[float] | np.ndarray[Any, Any],
    lower: float,
    upper: float,
) -> None:
    if not len(columns):
        return  # says nothing: the session has looked at empty rows before
    body = _linear(model, columns, values)
    if lower == upper:
        model.rows.add(body == lower)
    else:
        model.rows.add((_finite(lower), body, _finite(upper)))


def _linear(model: pyo.ConcreteModel, columns: Any, values: Any) -> Any:
    return LinearExpression(
        linear_coefs=[float(a) for a in values],
        linear_vars=[model.x[int(j) + 1] for j in columns],
    )


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None
