"""Any solver that Pyomo can call, behind the same face as HiGHS."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.errors import ApplicationError
from pyomo.core.expr import LinearExpression
from pyomo.opt import TerminationCondition as Condition

from .linear import LinearModel
from .session import Answer, Options, Status

_STATUS: dict[Condition, Status] = {
    Condition.optimal: "optimal",
    Condition.infeasible: "infeasible",
    Condition.noSolution: "infeasible",
    Condition.unbounded: "unbounded",
    Condition.maxTimeLimit: "time limit",
    Condition.licensingProblems: "size limit",
    Condition.userInterrupt: "interrupted",
}


class PyomoSession:
    """A :class:`~nogood.runners.session.Session` that hands a Pyomo model to ``SolverFactory``.

    ``option_names`` says how the solver calls ``time_limit``, ``gap`` and ``threads``;
    ``whole_seconds`` that it takes no fraction of one.
    """

    def __init__(
        self,
        linear: LinearModel,
        solver: str,
        option_names: dict[str, str],
        whole_seconds: bool = False,
    ) -> None:
        self._solver, self._option_names = solver, option_names
        self._whole_seconds = whole_seconds
        self._columns = linear.columns
        self._impossible = linear.impossible
        self._absent = np.clip(0.0, linear.col_lower, linear.col_upper)
        self._model = _model(linear)

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
        """Solve from scratch."""
        if self._impossible:
            return Answer("infeasible")
        seconds = options.time_limit
        if seconds is not None and self._whole_seconds:
            seconds = math.ceil(seconds)
        wanted = {
            "time_limit": seconds,
            "gap": options.gap or None,
            "threads": options.threads,
            "seed": options.seed or None,
        }
        solver = pyo.SolverFactory(self._solver)
        for ours, value in wanted.items():
            if value is not None and ours in self._option_names:
                solver.options[self._option_names[ours]] = value
        level = logging.getLogger("pyomo").level
        logging.getLogger("pyomo").setLevel(logging.ERROR)
        try:
            results = solver.solve(self._model, load_solutions=False, tee=options.log)
        except (RuntimeError, ValueError, OSError, ApplicationError) as error:
            return Answer("error", detail=" ".join(str(error).split())[-300:])
        finally:
            logging.getLogger("pyomo").setLevel(level)
        return self._answer(results)

    def _answer(self, results: Any) -> Answer:
        condition = results.solver.termination_condition
        status = _STATUS.get(condition, "error")
        values = None
        if len(results.solution) and status != "infeasible":
            self._model.solutions.load_from(results)
            found = [v.value for v in self._model.x.values()][: self._columns]
            # A variable in no row may be left out; any value within its bounds will do.
            values = np.array(
                [a if v is None else v for v, a in zip(found, self._absent, strict=True)],
                dtype=float,
            )
        detail = "" if status != "error" else f"{condition}: {results.solver.message}"
        return Answer(status, values, detail=detail)


def _model(linear: LinearModel) -> pyo.ConcreteModel:
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
