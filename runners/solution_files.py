"""A solution of an exported model in the format of a solver: to start from, or to be checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..data import InputError
from . import highs
from .files import whole_file
from .linear import LinearModel, Vector


def write_solution(linear: LinearModel, values: Vector, path: Path, solver: str) -> None:
    """Write ``values`` of the columns of ``linear``, a model read from a file, for ``solver``.

    highs: ``--read_solution_file``; scip: ``read``; cbc: ``-mipstart``; glpk: ``-r``, which checks
    it; gurobi: ``.sol`` or ``.mst``.
    """
    with whole_file(path) as partial:
        if solver not in _WRITERS:
            highs.write_solution(linear, values, partial)
            return
        lines = _WRITERS[solver](linear, values)
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _pairs(linear: LinearModel, values: Vector) -> Iterator[str]:
    return (f"{name} {value:.17g}" for name, value in zip(linear.col_names, values, strict=True))


def _scip(linear: LinearModel, values: Vector) -> Iterator[str]:
    yield "solution status: feasible"
    yield f"objective value: {linear.objective(values):.17g}"
    yield from _pairs(linear, values)


def _gurobi(linear: LinearModel, values: Vector) -> Iterator[str]:
    yield f"# Objective value = {linear.objective(values):.17g}"
    yield from _pairs(linear, values)


def _cbc(linear: LinearModel, values: Vector) -> Iterator[str]:
    yield f"Feasible - objective value {linear.objective(values):.17g}"
    for j, pair in enumerate(_pairs(linear, values)):
        yield f"{j} {pair} 0"


def _glpk(linear: LinearModel, values: Vector) -> Iterator[str]:
    if not linear.integer.any():
        raise InputError("solution: glpk's format is of a MILP, not of a relaxation")
    objective = linear.objective(values)
    activity = (linear.matrix @ values).tolist()
    yield f"s mip {len(activity)} {linear.columns} f {objective:.17g}"
    for letter, numbers in (("i", activity), ("j", values.tolist())):
        for k, value in enumerate(numbers, start=1):
            yield f"{letter} {k} {value:.17g}"
    yield "e o f"


_WRITERS: dict[str, Callable[[LinearModel, Vector], Iterator[str]]] = {
    "scip": _scip,
    "cbc": _cbc,
    "glpk": _glpk,
    "gurobi": _gurobi,
}
