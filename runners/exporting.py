"""LP, MPS and NL files whose names read like the mathematics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
from scipy import sparse

from ..data import InputError
from ..models.puzzle import Puzzle
from . import solvers
from .files import must_be_writable, whole_file
from .linear import LinearModel, Vector, as_problem, discrete
from .lp_format import CONSTANT, lp_text
from .model_files import read_model
from .nl_format import nl_text
from .session import Options, rounded
from .solution_files import write_solution
from .written_cuts import with_cuts

# Words that some reader takes for a section, an infinite bound or a kind of variable.
_KEYWORDS = frozenset(
    """bin binaries binary bounds columns end endata free gen general generals inf infinity infty
    int integer integers lower max maximise maximize maximum min minimise minimize minimum name obj
    objective objsense ranges rhs rows s sec semi semis sense sos sos1 sos2 st subject such that to
    upper""".split()  # noqa: SIM905
)
_LONGEST = 60


def export_model(
    source: Puzzle | pyo.ConcreteModel | LinearModel,
    path: str | Path,
    *,
    format: str | None = None,
    relax: bool = False,
    cuts: Iterable[Any] = (),
    solution: str | Path | None = None,
    solver: str = "highs",
) -> Path:
    """Write a puzzle or any Pyomo MILP as a file that every solver reads.

    ``x[0,1]`` is named ``x_0_1``, a minus sign ``m``; names are unique and mean nothing to a
    reader of the format.  A comment on top names puzzle, parameters and version.  An MPS file
    always minimises: of a maximisation, the negated objective.  Beside an NL file, which has no
    names, ``.row`` and ``.col`` files hold them, a line each, in the file's order.

    Parameters
    ----------
    source
        A puzzle, a ``ConcreteModel`` or what ``read_model`` gives.
    path, format
        The file, and ``"lp"``, ``"mps"`` or ``"nl"``; by default the ending of the file.
    relax
        Write the LP relaxation.
    cuts
        Solutions, as ``found.solutions`` has them, each cut off by the rows that the reference
        method adds.
    solution, solver
        Solve the model that is written, and write its solution to this file in the format of
        ``solver``, to start from or to be checked; beside LP and MPS files.

    Raises
    ------
    InputError
        If the source is no MILP, the file cannot be written, a cut is no solution, or the model
        has no solution to be written.
    """
    target = must_be_writable(path)
    ending = format if format is not None else target.suffix.removeprefix(".").lower()
    if ending not in _WRITERS:
        raise InputError(f"{target}: unknown model format {ending!r}; expected lp, mps or nl")
    if solution is not None and ending == "nl":
        raise InputError(f"solution: is written beside LP and MPS files, not beside {target}")
    if solution is not None:
        must_be_writable(solution)
    problem = as_problem(source, discrete(source))
    linear = with_cuts(problem, cuts).linear
    if relax:
        linear = replace(linear, integer=np.zeros(linear.columns, dtype=bool))
    values = None if solution is None else _optimal(linear, solver)
    with whole_file(target, ending) as partial:
        _WRITERS[ending](linear, _header(source, linear, relax), partial, target)
    if solution is not None and values is not None:
        _write_solution(linear, values, target, Path(solution), solver)
    return target


def _write_lp(linear: LinearModel, header: list[str], partial: Path, target: Path) -> None:
    comment = "".join(f"\\ {line}\n" for line in header)
    partial.write_text(comment + lp_text(named(linear)), encoding="utf-8")


def _write_mps(linear: LinearModel, header: list[str], partial: Path, target: Path) -> None:
    from . import highs

    highs.write(_for_mps(named(linear)), partial)
    note = ["minimises the negated objective"] if linear.sense < 0 else []
    comment = "".join(f"* {line}\n" for line in (*header, *note))
    partial.write_text(comment + partial.read_text(encoding="utf-8"), encoding="utf-8")


def _write_nl(linear: LinearModel, header: list[str], partial: Path, target: Path) -> None:
    """The file, with the header in its first line's comment, and the names beside it."""
    text, rows, columns = nl_text(named(linear), "; ".join(header))
    partial.write_text(text, encoding="utf-8")
    for suffix, names in ((".row", rows), (".col", columns)):
        with whole_file(target.with_suffix(suffix)) as beside:
            beside.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


_WRITERS: dict[str, Callable[[LinearModel, list[str], Path, Path], None]] = {
    "lp": _write_lp,
    "mps": _write_mps,
    "nl": _write_nl,
}
FORMATS = tuple(_WRITERS)


def _optimal(linear: LinearModel, solver: str) -> Vector:
    answer = solvers.session(solver, linear).solve(Options())
    if answer.values is None:
        raise InputError(f"solution: there is none to be written; the model is {answer.status}")
    return rounded(linear, answer.values, solver)


def _write_solution(
    linear: LinearModel, values: Vector, model: Path, target: Path, solver: str
) -> None:
    """Of the model as it is read from its file: readers order columns in their own way."""
    written = read_model(model)
    by_name = dict(zip(named(linear).col_names, values.tolist(), strict=True))
    inside = np.array([by_name.get(name, 1.0) for name in written.col_names])  # 1: the constant
    write_solution(written, inside, target, solver)


def _for_mps(linear: LinearModel) -> LinearModel:
    """To be minimised, and without a constant: readers disagree about OBJSENSE and its sign."""
    plain = replace(linear, sense=1, offset=0.0)
    if not linear.offset:
        return plain
    return replace(
        plain,
        matrix=sparse.csr_array(sparse.hstack((linear.matrix, sparse.csr_array((linear.rows, 1))))),
        cost=np.append(linear.cost, linear.offset),
        col_lower=np.append(linear.col_lower, 1.0),
        col_upper=np.append(linear.col_upper, 1.0),
        integer=np.append(linear.integer, False),
        col_names=(*linear.col_names, CONSTANT),
    )


def named(linear: LinearModel) -> LinearModel:
    """The same model with names that every reader of LP and MPS files accepts."""
    return replace(
        linear,
        col_names=_names(linear.col_names),
        row_names=_names(linear.row_names),
        name=re.sub(r"\W", "_", linear.name)[:_LONGEST],
    )


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    taken: set[str] = set()
    return tuple(_name(name, taken) for name in names)


def _name(name: str, taken: set[str]) -> str:
    plain = re.sub(r"(?<![A-Za-z0-9])-(?=\d)", "m", name)
    plain = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
    # No reader takes a name for a number (1, e1) or for a word of its own.
    if not plain or re.match(r"\d|[eE]\d*$|[eE]\d", plain) or plain.lower() in _KEYWORDS:
        plain = f"v_{plain}"
    short, number = plain[:_LONGEST], 1
    while short in taken:
        number += 1
        suffix = f"_{number}"
        short = plain[: _LONGEST - len(suffix)] + suffix
    taken.add(short)
    return short


def _header(source: object, linear: LinearModel, relaxed: bool) -> list[str]:
    made = f"nogood {version('nogood')}"
    notes = ["the LP relaxation"] if relaxed else []
    if not isinstance(source, Puzzle):
        return [f"{linear.name} ({made})", *notes]
    if source.lazy:
        notes.append("without its lazy constraints, which are added as they are violated")
    return [source.describe(), made, *notes]
