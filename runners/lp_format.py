"""The CPLEX LP format in the dialect that every reader takes.

No term without a coefficient's sign, no constant in the objective (a column fixed at 1 carries it),
no range (two rows), no section without entries, no line over 200 characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from .linear import LinearModel

_WIDTH = 200
CONSTANT = "objective_constant"


def lp_text(linear: LinearModel) -> str:
    """``linear`` as LP; its names are taken as they are."""
    lines = [
        "Maximize" if linear.sense < 0 else "Minimize",
        *_wrapped(" obj:", _objective(linear)),
        "Subject To",
        *_rows(linear),
        "Bounds",
        *_bounds(linear),
    ]
    binary = linear.integer & (linear.col_lower == 0) & (linear.col_upper == 1)
    for title, columns in (("General", linear.integer & ~binary), ("Binary", binary)):
        names = [linear.col_names[j] for j in np.flatnonzero(columns)]
        if names:
            lines += [title, *_wrapped("", names)]
    return "\n".join([*lines, "End", ""])


def _objective(linear: LinearModel) -> Iterator[str]:
    used = np.zeros(linear.columns, dtype=bool)
    used[linear.matrix.indices] = True
    costs = linear.sense * linear.cost
    for j in range(linear.columns):
        # A column in no row must be somewhere before its bounds are given.
        if costs[j] or not used[j]:
            yield _term(costs[j], linear.col_names[j])
    if linear.offset:
        yield _term(linear.sense * linear.offset, CONSTANT)
    elif not costs.any() and used.all() and linear.columns:
        yield _term(0.0, linear.col_names[0])


def _rows(linear: LinearModel) -> Iterator[str]:
    matrix, names = linear.matrix, linear.col_names
    for i in range(linear.rows):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        terms = [
            _term(a, names[j]) for j, a in zip(matrix.indices[part], matrix.data[part], strict=True)
        ] or [_term(0.0, names[0] if names else CONSTANT)]
        low, high = linear.row_lower[i], linear.row_upper[i]
        name = linear.row_names[i]
        if low == high:
            yield from _wrapped(f" {name}:", [*terms, f"= {_number(low)}"])
            continue
        both = int(np.isfinite(low) and np.isfinite(high))
        if np.isfinite(low):
            yield from _wrapped(f" {name}{'_lo' * both}:", [*terms, f">= {_number(low)}"])
        if np.isfinite(high):
            yield from _wrapped(f" {name}{'_up' * both}:", [*terms, f"<= {_number(high)}"])
    if not linear.rows:
        yield f" no_rows: {_term(0.0, names[0] if names else CONSTANT)} <= 1"


def _bounds(linear: LinearModel) -> Iterator[str]:
    for j, name in enumerate(linear.col_names):
        low, high = linear.col_lower[j], linear.col_upper[j]
        if linear.integer[j] and (low, high) == (0, 1):
            continue
        if low == high:
            yield f" {name} = {_number(low)}"
        elif np.isinf(low) and np.isinf(high):
            yield f" {name} free"
        else:
            left = "-inf" if np.isinf(low) else _number(low)
            yield f" {left} <= {name}" + ("" if np.isinf(high) else f" <= {_number(high)}")
    if linear.offset or not linear.columns:
        yield f" {CONSTANT} = 1"


def _term(coefficient: float, name: str) -> str:
    return f"{'-' if coefficient < 0 else '+'} {_number(abs(coefficient))} {name}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _wrapped(start: str, parts: Iterable[str]) -> Iterator[str]:
    line = start
    for part in parts:
        if len(line) + len(part) + 1 > _WIDTH:
            yield line
            line = " "
        line += f" {part}"
    yield line
