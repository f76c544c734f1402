"""What a MILP's rows look like to propagation: unit rows, and sums of quantities.

A *unit row* counts binaries: ``low <= sum of x over S <= high``.  "Exactly one of these", "at
most one" and subtour constraints are unit rows, and they are found in any model.

Every other row is a sum of *quantities*.  A quantity is a column, or a group of binaries of which
at most one is 1, with a coefficient each, taken together: it contributes the smallest (largest)
coefficient that is still possible, once, instead of a sum over its members.  Without that,
``sum of v * x[cell, v]`` over a row of a magic square bounds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .linear import LinearModel

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class UnitRows:
    """Rows ``low <= A x <= high`` with ``A`` of zeros and ones over binary columns."""

    matrix: sparse.csr_array
    low: Ints
    high: Ints

    def members(self, row: int | np.int64) -> Ints:
        """The columns of a row."""
        start, end = self.matrix.indptr[row : row + 2]
        return np.asarray(self.matrix.indices[start:end], dtype=np.int64)


_LONGEST_UNIT_ROW = 32_000
"""Unit rows are counted in 16 bits; longer ones are sums like others."""


@dataclass(frozen=True)
class Group:
    """Binaries of which at most one is 1; ``exact``: with the ones in ``others``, exactly one.

    ``others`` are the members of the exact row that are not in the group.
    """

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    others: tuple[int, ...]
    exact: bool


@dataclass(frozen=True)
class Sums:
    """Rows ``low <= M q <= high`` over quantities q: first the single columns, then groups."""

    matrix: sparse.csr_array
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    singles: Ints
    groups: tuple[Group, ...]


def split_rows(linear: LinearModel) -> tuple[UnitRows, Sums]:
    """Sort the rows of ``linear`` into unit rows and sums of quantities."""
    binary = linear.integer & (linear.col_lower >= 0) & (linear.col_upper <= 1)
    unit: list[tuple[Ints, int, int]] = []
    rest: list[int] = []
    matrix = linear.matrix
    for i in range(linear.rows):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        columns, values = matrix.indices[part], matrix.data[part]
        low, high = linear.row_lower[i], linear.row_upper[i]
        countable = 0 < len(values) <= _LONGEST_UNIT_ROW and binary[columns].all()
        if countable and (values == values[0]).all():
            unit.append(_unit(columns, values[0], low, high))
        else:
            rest.append(i)
    units = unit_rows(unit, linear.columns)
    return units, _sums(linear, rest, units)


def _unit(columns: Ints, value: float, low: float, high: float) -> tuple[Ints, int, int]:
    """Divide a row by its one coefficient; its bounds become integers within 0 … size."""
    low, high = (low / value, high / value) if value > 0 else (high / value, low / value)
    size = len(columns)
    least = int(np.ceil(np.clip(low, 0, size + 1) - 1e-6))
    most = int(np.floor(np.clip(high, -1, size) + 1e-6))
    return columns, least, most


def unit_rows(rows: Sequence[tuple[Ints, int, int]], columns: int) -> UnitRows:
    """Unit rows from ``(columns, low, high)`` each."""
    sizes = [len(members) for members, _, _ in rows]
    pointer = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    indices = np.concatenate([m for m, _, _ in rows]) if rows else np.zeros(0, dtype=np.int64)
    matrix = sparse.csr_array(
        (np.ones(len(indices), dtype=np.int16), indices, pointer), shape=(len(rows), columns)
    )
    return UnitRows(
        matrix,
        np.array([low for _, low, _ in rows], dtype=np.int64),
        np.array([high for _, _, high in rows], dtype=np.int64),
    )


def _sums(linear: LinearModel, rows: Sequence[int], units: UnitRows) -> Sums:
    cliques = [
        (set(units.members(i).tolist()), bool(units.low[i] == 1))
        for i in np.flatnonzero(units.high == 1)
    ]
    of_column: dict[int, list[int]] = {}
    for number, (members, _) in enumerate(cliques):
        for j in members:
            of_column.setdefault(j, []).append(number)
    singles: dict[int, int] = {}
    groups: dict[Group, int] = {}
    entries: list[tuple[int, int, float, bool]] = []
    matrix = linear.matrix
    for r, i in enumerate(rows):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        left = dict(zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True))
        for group, scale in _cover(left, cliques, of_column):
            entries.append((r, groups.setdefault(group, len(groups)), scale, True))
        for j, value in left.items():
            if value:
                entries.append((r, singles.setdefault(j, len(singles)), value, False))
    shift = len(singles)
    data = [value for _, _, value, _ in entries]
    place = (
        [r for r, _, _, _ in entries],
        [q + shift if grouped else q for _, q, _, grouped in entries],
    )
    return Sums(
        sparse.csr_array((data, place), shape=(len(rows), shift + len(groups)), dtype=float),
        linear.row_lower[list(rows)],
        linear.row_upper[list(rows)],
        np.array(list(singles), dtype=np.int64),
        tuple(groups),
    )


def _cover(
    left: dict[int, float],
    cliques: Sequence[tuple[set[int], bool]],
    of_column: dict[int, list[int]],
) -> list[tuple[Group, float]]:
    """Take groups with two members or more out of a row, the largest first."""
    taken: list[tuple[Group, float]] = []
    while True:
        counts: dict[int, int] = {}
        for j in left:
            for number in of_column.get(j, ()):
                counts[number] = counts.get(number, 0) + 1
        if not counts:
            return taken
        best = max(counts, key=lambda number: (counts[number], cliques[number][1], -number))
        if counts[best] < 2:
            return taken
        members, exact = cliques[best]
        columns = tuple(sorted(j for j in left if j in members))
        scale = left[columns[0]]
        coefficients = tuple(left.pop(j) / scale for j in columns)
        others = tuple(sorted(members.difference(columns))) if exact else ()
        taken.append((Group(columns, coefficients, others, exact), scale))
