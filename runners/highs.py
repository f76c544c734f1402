"""HiGHS; the only file that knows it."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import highspy
import numpy as np
from scipy import sparse

from ..data import InputError
from .linear import LinearModel, Vector
from .session import Answer, Options, Status, log_on_stderr
from .solvers import SOLVERS

_STATUS: dict[highspy.HighsModelStatus, Status] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kModelEmpty: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kUnbounded: "unbounded",
    highspy.HighsModelStatus.kTimeLimit: "time limit",
    highspy.HighsModelStatus.kInterrupt: "interrupted",
    highspy.HighsModelStatus.kSolutionLimit: "node limit",
    highspy.HighsModelStatus.kIterationLimit: "node limit",
}
_STOPPED = ("time limit", "node limit", "interrupted")
_UNSET = -1
_threads: int | None = _UNSET
_scheduler = threading.Lock()
_FEASIBLE = 2  # kSolutionStatusFeasible


class _Quiet(highspy.Highs):  # type: ignore[misc]
    """HiGHS without the banner it prints on standard output when callbacks are switched on."""

    def enableCallbacks(self) -> None:  # noqa: N802
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()


class HighsSession:
    """A :class:`~nogood.runners.session.Session` on one HiGHS instance."""

    def __init__(self, linear: LinearModel) -> None:
        self._highs = _Quiet()
        self._highs.HandleKeyboardInterrupt = True
        self._columns = linear.columns
        self._impossible = linear.impossible
        _must(self._highs.passModel(_lp(linear)), "the model")

    def add_columns(self, lower: Sequence[float], upper: Sequence[float]) -> int:
        """Add integer columns of cost zero; returns the first one's number."""
        first: int = self._highs.getNumCol()
        for low, high in zip(lower, upper, strict=True):
            _must(self._highs.addVar(low, high), "a column")
        new = np.arange(first, first + len(lower), dtype=np.int32)
        kinds = np.array([highspy.HighsVarType.kInteger] * len(new))
        self._highs.changeColsIntegrality(len(new), new, kinds)
        return first

    def add_row(
        self, columns: Sequence[int], values: Sequence[float], lower: float, upper: float
    ) -> None:
        """Add ``lower <= values · x[columns] <= upper``."""
        index = np.asarray(columns, dtype=np.int32)
        entries = np.asarray(values, dtype=float)
        _must(self._highs.addRow(lower, upper, len(index), index, entries), "a row")

    def set_bounds(self, lower: Vector, upper: Vector) -> None:
        """Replace the bounds of all columns (of the first ones, where columns were added)."""
        index = np.arange(len(lower), dtype=np.int32)
        _must(self._highs.changeColsBounds(len(index), index, lower, upper), "bounds")

    def set_costs(self, costs: Vector) -> None:
        """Replace the objective, to be minimised."""
        index = np.arange(len(costs), dtype=np.int32)
        _must(self._highs.changeColsCost(len(costs), index, costs), "costs")

    def solve(self, options: Options) -> Answer:
        """Solve; Ctrl-C stops the solver and raises KeyboardInterrupt."""
        if self._impossible:
            return Answer("infeasible")
        self._set(options)
        with log_on_stderr(options.log):
            answer = self._run()
            if answer.status == "error":  # seen once in long series; a fresh start mends it
                self._highs.clearSolver()
                answer = self._run()
        return answer

    def _run(self) -> Answer:
        self._optimise()
        return self._answer()

    def _optimise(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            self._highs.run()  # Ctrl-C comes to the main thread alone
            return
        self._highs.startSolve()
        try:
            self._wait()
        except KeyboardInterrupt:
            self._highs.cancelSolve()
            self._wait()
            raise

    def _wait(self) -> None:
        # Not by the thread's join: interrupted, it takes a running thread for an ended one.
        while not self._highs.wait(0.1)[0]:
            pass

    def _set(self, options: Options) -> None:
        _use_threads(options.threads)
        named = SOLVERS["highs"].options
        for name, value in {
            named["threads"]: options.threads or 0,
            named["time_limit"]: math.inf if options.time_limit is None else options.time_limit,
            named["gap"]: options.gap,
            named["seed"]: options.seed,
            "output_flag": options.log,
            "mip_max_nodes": 2**31 - 1 if options.max_nodes is None else options.max_nodes,
        }.items():
            self._highs.setOptionValue(name, value)

    def _answer(self) -> Answer:
        said = self._highs.getModelStatus()
        info = self._highs.getInfo()
        if said == highspy.HighsModelStatus.kUnboundedOrInfeasible:
            return Answer(self._which())
        status = _STATUS.get(said, "error")
        values = None
        if status == "optimal" or (status in _STOPPED and info.primal_solution_status == _FEASIBLE):
            values = np.array(self._highs.getSolution().col_value)[: self._columns]
        return Answer(
            status,
            values,
            bound=_finite(info.mip_dual_bound) if info.mip_node_count >= 0 else None,
            nodes=max(int(info.mip_node_count), 0),
            detail="" if status != "error" else str(self._highs.modelStatusToString(said)),
        )

    def _which(self) -> Status:
        """Unbounded or infeasible: the same rows without the objective tell."""
        costs = np.array(self._highs.getLp().col_cost_)
        self.set_costs(np.zeros(len(costs)))
        self._optimise()
        said = _STATUS.get(self._highs.getModelStatus(), "error")
        self.set_costs(costs)
        return "unbounded" if said == "optimal" else said


def write(linear: LinearModel, path: Path) -> None:
    """Write ``path`` in the format of its ending."""
    highs = _Quiet()
    _must(highs.passModel(_lp(linear)), "the model")
    _must(highs.writeModel(str(path)), str(path))


def write_solution(linear: LinearModel, values: Vector, path: Path) -> None:
    """Write ``values`` of the columns in HiGHS's own format."""
    highs = _Quiet()
    fixed = replace(linear, col_lower=values, col_upper=values)
    _must(highs.passModel(_lp(fixed)), "the model")
    highs.run()
    _must(highs.writeSolution(str(path), 0), str(path))


def read(path: Path) -> LinearModel:
    """Read LP or MPS by the ending of ``path``; :class:`InputError` where that fails."""
    highs = _Quiet()
    if highs.readModel(str(path)) != highspy.HighsStatus.kOk:
        raise InputError(f"{path}: HiGHS cannot read it; is it a proper LP or MPS file?")
    lp, kinds = highs.getLp(), highspy.HighsVarType
    integrality = list(lp.integrality_) or [kinds.kContinuous] * lp.num_col_
    if set(integrality) - {kinds.kContinuous, kinds.kInteger}:
        raise InputError(f"{path}: semi-continuous variables are not supported")
    if highs.getHessianNumNz():
        raise InputError(f"{path}: the objective is quadratic; expected a linear one")
    highs.ensureRowwise()
    matrix, count = highs.getLp().a_matrix_, lp.num_col_
    columns = lp.col_names_ or [f"c{j}" for j in range(count)]
    rows = lp.row_names_ or [f"r{i}" for i in range(lp.num_row_)]
    sense = -1 if lp.sense_ == highspy.ObjSense.kMaximize else 1
    cost = np.array(lp.col_cost_, dtype=float)
    return LinearModel(
        matrix=sparse.csr_array(
            (np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_)),
            shape=(lp.num_row_, count),
        ),
        row_lower=np.array(lp.row_lower_, dtype=float),
        row_upper=np.array(lp.row_upper_, dtype=float),
        row_names=tuple(rows),
        cost=sense * cost + 0.0,
        offset=sense * float(lp.offset_),
        sense=sense,
        col_lower=np.array(lp.col_lower_, dtype=float) + 0.0,
        col_upper=np.array(lp.col_upper_, dtype=float) + 0.0,
        integer=np.array([kind == kinds.kInteger for kind in integrality], dtype=bool),
        col_names=tuple(columns),
        name=lp.model_name_ or path.stem,
        has_objective=bool(cost.any() or lp.offset_),
    )


def reset_threads() -> None:
    """Let whoever uses HiGHS next in this process choose its number of threads."""
    global _threads
    _threads = _UNSET
    highspy.Highs.resetGlobalScheduler(True)


def _use_threads(threads: int | None) -> None:
    """HiGHS has one scheduler a process; it is made anew where its threads change."""
    global _threads
    with _scheduler:
        if threads != _threads:
            highspy.Highs.resetGlobalScheduler(True)
            _threads = threads


def _lp(linear: LinearModel) -> highspy.HighsLp:
    lp, kinds = highspy.HighsLp(), highspy.HighsVarType
    lp.num_col_, lp.num_row_ = linear.columns, linear.rows
    lp.col_cost_ = linear.sense * linear.cost
    lp.offset_ = linear.sense * linear.offset
    lp.sense_ = highspy.ObjSense.kMaximize if linear.sense < 0 else highspy.ObjSense.kMinimize
    lp.col_lower_, lp.col_upper_ = linear.col_lower, linear.col_upper
    lp.row_lower_, lp.row_upper_ = linear.row_lower, linear.row_upper
    lp.integrality_ = [kinds.kInteger if i else kinds.kContinuous for i in linear.integer]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = linear.columns, linear.rows
    lp.a_matrix_.start_ = linear.matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = linear.matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = linear.matrix.data
    lp.col_names_, lp.row_names_ = list(linear.col_names), list(linear.row_names)
    lp.model_name_ = linear.name
    return lp


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None


def _must(status: highspy.HighsStatus, what: str) -> None:
    if status == highspy.HighsStatus.kError:
        raise RuntimeError(f"HiGHS refuses {what}")
