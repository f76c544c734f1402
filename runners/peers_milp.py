"""Counting all solutions of the package's own MILPs with Gurobi, SCIP and Pyomo.

A task's formulation is chosen by solver.  Order variables of tours are auxiliary, but fixed by
the arcs: n of them in a chain within n values.  So no solver counts a tour twice.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import SolverError

if TYPE_CHECKING:
    from ..models import Puzzle
    from .linear import LinearModel

_MOST = 2_000_000
"""Solutions that a pool may hold."""


def gurobi_pool(task: str, seconds: float) -> int | None:
    """Count with Gurobi's solution pool: ``PoolSearchMode`` 2 looks for all of them.

    Squares are plain, closed tours by MTZ, paths by lifted MTZ: the fastest in trials, also
    against subtour cuts in a lazy callback over undirected edges.
    """
    import gurobipy
    from gurobipy import GRB

    linear = _arrays(task, implied=False, lifted=task.startswith("paths"))
    settings = {
        "OutputFlag": 0,
        "PoolSearchMode": 2,
        "PoolSolutions": _MOST,
        "Threads": 2,
        "TimeLimit": seconds,
    }
    with gurobipy.Env(empty=True) as environment:
        environment.setParam("OutputFlag", 0)  # before its start, which prints the licence
        environment.start()
        with gurobipy.Model(env=environment) as model:
            _fill_gurobi(model, linear)
            for name, value in settings.items():
                model.setParam(name, value)
            model.optimize()
            if model.Status == GRB.TIME_LIMIT:
                return None
            if model.Status not in (GRB.OPTIMAL, GRB.INFEASIBLE) or model.SolCount >= _MOST:
                raise SolverError(f"gurobi: status {model.Status}, {model.SolCount} solutions")
            return int(model.SolCount)


def _fill_gurobi(model: Any, linear: LinearModel) -> None:
    kinds = ["B" if binary else "I" for binary in _binary(linear)]
    x = model.addMVar(linear.columns, lb=linear.col_lower, ub=linear.col_upper, vtype=kinds)
    equal = linear.row_lower == linear.row_upper
    for rows, sense, bound in (
        (equal, "=", linear.row_upper),
        (~equal & np.isfinite(linear.row_upper), "<", linear.row_upper),
        (~equal & np.isfinite(linear.row_lower), ">", linear.row_lower),
    ):
        if rows.any():
            model.addMConstr(linear.matrix[np.flatnonzero(rows)], x, sense, bound[rows])


def scip_count(task: str, seconds: float) -> int | None:
    """Count with SCIP's counting constraint handler, which collects whole subtrees.

    Strengthened squares, lifted MTZ.  No LPs: in trials propagation alone was faster.
    """
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    _fill_scip(model, _arrays(task, implied=True, lifted=True))
    model.setParamsCountsols()
    model.setParam("lp/solvefreq", -1)
    model.setParam("limits/time", seconds)
    model.count()
    status = model.getStatus()
    if status == "timelimit":
        return None
    if status not in ("optimal", "infeasible"):  # the latter: nothing is left to be found
        raise SolverError(f"scip: status {status}")
    return int(model.getNCountedSols())


def _fill_scip(model: Any, linear: LinearModel) -> None:
    from pyscipopt import quicksum

    x = [
        model.addVar(vtype="B" if binary else "I", lb=float(low), ub=float(high))
        for binary, low, high in zip(
            _binary(linear), linear.col_lower, linear.col_upper, strict=True
        )
    ]
    starts, columns, values = linear.matrix.indptr, linear.matrix.indices, linear.matrix.data
    for i in range(linear.rows):
        row = range(starts[i], starts[i + 1])
        activity = quicksum(float(values[k]) * x[columns[k]] for k in row)
        low, high = float(linear.row_lower[i]), float(linear.row_upper[i])
        if low == high:
            model.addCons(activity == high)
            continue
        if np.isfinite(high):
            model.addCons(activity <= high)
        if np.isfinite(low):
            model.addCons(activity >= low)


def alternative_solutions(task: str, seconds: float) -> int | None:
    """Count with Pyomo's own ``enumerate_binary_solutions``: a no-good cut after each solve.

    It takes no limit for the whole; what came later than ``seconds`` does not count.
    """
    import pyomo.environ as pyo
    from pyomo.contrib.alternative_solutions import enumerate_binary_solutions

    from .highs import reset_threads

    reset_threads()
    model = _puzzle(task, implied=True, lifted=True).model()
    model.nothing = pyo.Objective(expr=0)  # it asks for one
    start = time.perf_counter()
    found = enumerate_binary_solutions(
        model,
        num_solutions=_MOST,
        solver="appsi_highs",
        solver_options={"time_limit": seconds, "threads": 1},
    )
    return len(found) if time.perf_counter() - start < seconds else None


def _arrays(task: str, *, implied: bool, lifted: bool) -> LinearModel:
    from .linear import as_problem

    return as_problem(_puzzle(task, implied=implied, lifted=lifted)).linear


def _puzzle(task: str, *, implied: bool, lifted: bool) -> Puzzle:
    """The puzzle of a task, with ``implied`` equalities of squares, by ``lifted`` MTZ."""
    from ..models import KnightsTour, MagicSquare, Queens

    name, _, size = task.partition("-")
    if name == "queens":
        return Queens(int(size))
    if name == "magic":
        return MagicSquare(
            hide_queens=task.endswith("hide"), formulation="strengthened" if implied else "plain"
        )
    rows, cols = map(int, size.split("x"))
    return KnightsTour(
        rows,
        cols,
        kind="closed" if name == "tours" else "path",
        formulation="mtz-lifted" if lifted else "mtz",
    )


def _binary(linear: LinearModel) -> list[bool]:
    return [bool(b) for b in linear.integer & (linear.col_lower >= 0) & (linear.col_upper <= 1)]
