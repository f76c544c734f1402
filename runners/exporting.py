"""LP and MPS files whose names read like the mathematics."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
from scipy import sparse

from ..data import InputError
from ..models.puzzle import Puzzle
from .files import whole_file
from .linear import LinearModel, as_problem, discrete
from .lp_format import CONSTANT, lp_text

_COMMENT = {"lp": "\\", "mps": "*"}
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
) -> Path:
    """Write a puzzle or any Pyomo MILP as ``"lp"`` or ``"mps"``, by default the ending of ``path``.

    An MPS file always minimises: of a maximisation, the negated objective.

    ``x[0,1]`` is named ``x_0_1``, a minus sign ``m``; names are unique and mean nothing to a
    reader of the format.  A comment on top names puzzle, parameters and version.
    """
    target = Path(path)
    ending = format if format is not None else target.suffix.removeprefix(".").lower()
    if ending not in _COMMENT:
        raise InputError(f"{target}: unknown model format {ending!r}; expected lp or mps")
    linear = as_problem(source, discrete(source)).linear
    from . import highs

    with whole_file(target, ending) as partial:
        if ending == "lp":
            text = lp_text(named(linear))
        else:
            highs.write(_for_mps(named(linear)), partial)
            text = partial.read_text(encoding="utf-8")
        lines = _header(source, linear)
        if linear.sense < 0 and ending == "mps":
            lines.append("minimises the negated objective")
        header = "".join(f"{_COMMENT[ending]} {line}\n" for line in lines)
        partial.write_text(header + text, encoding="utf-8")
    return target


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


def _header(source: object, linear: LinearModel) -> list[str]:
    made = f"nogood {version('nogood')}"
    if not isinstance(source, Puzzle):
        return [f"{linear.name} ({made})"]
    parameters = ", ".join(f"{k}={v!r}" for k, v in source.parameters().items() if v is not None)
    lazy = ["without its lazy constraints, which are added as they are violated"]
    return [f"{source.name}: {parameters}"[:200], made, *(lazy if source.lazy else [])]
