"""Bound propagation over many nodes at once.

A batch of nodes is a pair of arrays ``lower, upper`` of shape (columns, nodes); each numpy
operation works on all nodes, so that its cost is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .linear import LinearModel, whole
from .structure import Ints, Sums, UnitRows, split_rows, unit_rows

Bounds = NDArray[Any]
Mask = NDArray[np.bool_]
TOLERANCE = 1e-6
_ROUNDS = 200
_ROUNDS_CONTINUOUS = 20


class Propagator:
    """Tightens bounds by the rows of a model until nothing changes.

    ``add`` appends unit rows (lazy constraints); ``set_high`` moves the right-hand side of the
    last sum (the objective's cutoff).
    """

    def __init__(self, linear: LinearModel) -> None:
        self.units, sums = split_rows(linear)
        self.integer = linear.integer
        self.all_integer = bool(linear.integer.all())
        self.columns = linear.columns
        self.dtype = _dtype(linear)
        self._count = _Counting(self.units)
        self._sums = _Summing(sums, linear) if sums.matrix.shape[0] else None
        self._extra: list[tuple[Ints, int, int]] = []
        self._cuts: _Counting | None = None
        self.work = 0
        """Rounds over nodes times entries of the rows: a measure of time that is repeatable."""
        self._own_entries = int(sums.matrix.nnz + linear.matrix.nnz // 16)
        self._entries = self._own_entries
        self._rounds = _ROUNDS if self.all_integer else _ROUNDS_CONTINUOUS

    def add(self, rows: Sequence[tuple[Ints, int, int]]) -> None:
        """Append unit rows ``(columns, low, high)``."""
        self._extra += rows
        self._cuts = _Counting(unit_rows(self._extra, self.columns))
        self._entries = self._own_entries + sum(len(row[0]) for row in self._extra) // 16

    def forget(self) -> None:
        """Leave out what was added."""
        self._extra, self._cuts = [], None
        self._entries = self._own_entries

    def run(self, lower: Bounds, upper: Bounds) -> Mask:
        """Tighten ``lower`` and ``upper`` in place; returns which nodes are still possible.

        Bounds of impossible nodes are left as they happen to be.
        """
        nodes = lower.shape[1]
        possible = np.ones(nodes, dtype=bool)
        active = np.arange(nodes)
        low, high = lower, upper
        for _ in range(self._rounds):
            alive, changed = self._round(low, high)
            if low is not lower:
                lower[:, active], upper[:, active] = low, high
            possible[active[~alive]] = False
            active = active[alive & changed]
            if not len(active):
                break
            # Fancy indexing copies; what is finished is not touched again.
            low, high = lower[:, active], upper[:, active]
        return possible

    def _round(self, low: Bounds, high: Bounds) -> tuple[Mask, Mask]:
        self.work += low.shape[1] * self._entries
        before_low, before_high = low.copy(), high.copy()
        alive = self._count.run(low, high)
        if self._cuts is not None:
            alive &= self._cuts.run(low, high)
        if self._sums is not None:
            alive &= self._sums.run(low, high)
        alive &= ~(low > high).any(axis=0)
        if self.all_integer:
            changed = (low != before_low).any(axis=0) | (high != before_high).any(axis=0)
        else:
            with np.errstate(invalid="ignore"):  # infinite before and after: not moved
                changed = self._moved(low - before_low) | self._moved(before_high - high)
        return alive, changed

    def _moved(self, by: Bounds) -> Mask:
        """Whether a bound moved by more than continuous columns may creep."""
        return np.asarray((by > np.where(self.integer, 0, 1e-3)[:, None]).any(axis=0))


def counts(bounds: Bounds) -> NDArray[np.int16]:
    """Bounds in the type that unit rows are counted in; only those of binaries are meant."""
    if bounds.dtype == np.float64:
        bounds = np.clip(bounds, 0, 1)
    return bounds.astype(np.int16, copy=False)


class _Counting:
    """Unit rows: no more than ``high`` chosen, no fewer than ``low`` possible."""

    def __init__(self, units: UnitRows) -> None:
        most, least = units.high < np.diff(units.matrix.indptr), units.low > 0
        self._most, self._least = (units.matrix[np.flatnonzero(rows)] for rows in (most, least))
        self._most_t, self._least_t = self._most.T.tocsr(), self._least.T.tocsr()
        self._high = units.high[most].astype(np.int16)[:, None]
        self._low = units.low[least].astype(np.int16)[:, None]

    def run(self, low: Bounds, high: Bounds) -> Mask:
        alive = np.ones(low.shape[1], dtype=bool)
        if len(self._high):
            chosen = self._most @ counts(low)
            alive &= ~(chosen > self._high).any(axis=0)
            full = (chosen == self._high).astype(np.int16)
            # A column in a full row that is not chosen itself cannot be.
            high[((self._most_t @ full) > 0) & (low == 0)] = 0
        if len(self._low):
            live = self._least @ counts(high)
            alive &= ~(live < self._low).any(axis=0)
            needed = (live == self._low).astype(np.int16)
            low[((self._least_t @ needed) > 0) & (high > 0)] = 1
        return alive


class _Summing:
    """Sums of quantities: activities bound each quantity, quantities bound their columns."""

    def __init__(self, sums: Sums, linear: LinearModel) -> None:
        self._singles = sums.singles
        self._single_integer = linear.integer[sums.singles][:, None]
        self._groups = _Groups(sums, linear.columns) if sums.groups else None
        matrix = sums.matrix
        self._plus = matrix.maximum(0).tocsr()
        self._minus = matrix.minimum(0).tocsr()
        self.low, self.high = sums.low[:, None], sums.high[:, None].copy()
        scale = np.ones((matrix.shape[0], 1))
        if matrix.nnz:
            scale = np.maximum(scale, abs(matrix).max(axis=1).toarray().reshape(-1, 1))
        groups = [bool(whole(np.array(group.coefficients)).all()) for group in sums.groups]
        quantities = np.concatenate((linear.integer[sums.singles], np.array(groups, dtype=bool)))
        entries = matrix.tocoo()
        other = ~whole(entries.data) | ~quantities[entries.col]
        scale[np.bincount(entries.row[other], minlength=len(scale)) == 0] = 1
        self._slack = TOLERANCE * scale
        # Entries sorted by quantity, for reductions over the rows of each.
        columnwise = matrix.tocsc()
        self._row = columnwise.indices
        self._quantity = np.repeat(np.arange(matrix.shape[1]), np.diff(columnwise.indptr))
        self._starts = columnwise.indptr[:-1]
        self._value = columnwise.data[:, None]
        self._upper_rows = bool(np.isfinite(sums.high).any())
        self._lower_rows = bool(np.isfinite(sums.low).any())

    def run(self, low: Bounds, high: Bounds) -> Mask:
        least = low[self._singles].astype(float)
        most = high[self._singles].astype(float)
        if self._groups is not None:
            group_least, group_most = self._groups.range(low, high)
            least, most = np.vstack((least, group_least)), np.vstack((most, group_most))
        with np.errstate(invalid="ignore", over="ignore"):
            alive, new_least, new_most = self._tighten(least, most)
        self._to_columns(low, high, new_least, new_most)
        return alive

    def _tighten(self, least: Bounds, most: Bounds) -> tuple[Mask, Bounds, Bounds]:
        smallest = self._plus @ least + self._minus @ most
        largest = self._plus @ most + self._minus @ least
        alive = ~((smallest > self.high + self._slack) | (largest < self.low - self._slack)).any(
            axis=0
        )
        if not len(self._starts):
            return alive, least, most
        q_least, q_most = least[self._quantity], most[self._quantity]
        positive = self._value > 0
        new_least, new_most = np.full_like(q_least, -np.inf), np.full_like(q_most, np.inf)
        if self._upper_rows:
            spare = (self.high + self._slack - smallest)[self._row]
            step = spare / self._value
            np.copyto(new_most, q_least + step, where=positive)
            np.copyto(new_least, q_most + step, where=~positive)
        if self._lower_rows:
            spare = (self.low - self._slack - largest)[self._row]
            step = spare / self._value
            np.copyto(new_least, np.fmax(new_least, q_most + step), where=positive)
            np.copyto(new_most, np.fmin(new_most, q_least + step), where=~positive)
        # An infinite activity gives no number: fmax and fmin pass over it.
        return (
            alive,
            np.fmax.reduceat(new_least, self._starts, axis=0),
            np.fmin.reduceat(new_most, self._starts, axis=0),
        )

    def _to_columns(self, low: Bounds, high: Bounds, least: Bounds, most: Bounds) -> None:
        count = len(self._singles)
        if count:
            integer = self._single_integer
            up = np.where(integer, np.ceil(least[:count] - TOLERANCE), least[:count])
            down = np.where(integer, np.floor(most[:count] + TOLERANCE), most[:count])
            old_low, old_high = low[self._singles], high[self._singles]
            # Compared as floats: a bound beyond the type's range is no bound here.
            better_low, better_high = up > old_low, down < old_high
            crossed = (up > old_high) | (down < old_low)
            low[self._singles] = np.where(better_low & ~crossed, up, old_low)
            high[self._singles] = np.where(better_high & ~crossed, down, old_high)
            if crossed.any():  # impossible: leave a pair of bounds that says so
                rows, nodes = np.nonzero(crossed)
                low[self._singles[rows], nodes] = old_low[rows, nodes]
                high[self._singles[rows], nodes] = old_low[rows, nodes] - 1
        if self._groups is not None:
            self._groups.filter(low, high, least[count:], most[count:])


class _Groups:
    """The groups among the quantities, padded to one width."""

    def __init__(self, sums: Sums, columns: int) -> None:
        width = max(len(group.columns) for group in sums.groups)
        count = len(sums.groups)
        # The padding points to one more column, which is never live.
        self._index = np.full((count, width), columns, dtype=np.int64)
        self._coefficient = np.zeros((count, width, 1))
        partial = []
        for g, group in enumerate(sums.groups):
            size = len(group.columns)
            self._index[g, :size] = group.columns
            self._coefficient[g, :size, 0] = group.coefficients
            partial.append(not group.exact or bool(group.others))
        self._partial = np.flatnonzero(partial)
        self._open = np.array([not sums.groups[g].exact for g in self._partial], dtype=bool)
        others = [sums.groups[g].others for g in self._partial]
        self._others = unit_rows(
            [(np.array(o, dtype=np.int64), 0, len(o)) for o in others], columns
        ).matrix
        self._others_t = self._others.T.tocsr()
        flat = self._index.reshape(-1)
        real = np.flatnonzero(flat < columns)
        self._scatter = sparse.csr_array(
            (np.ones(len(real), dtype=np.int16), (flat[real], real)), shape=(columns, len(flat))
        )

    def _live(self, high: Bounds) -> Mask:
        padded = np.vstack((high, np.zeros((1, high.shape[1]), dtype=high.dtype)))
        return np.asarray(padded[self._index] > 0)

    def range(self, low: Bounds, high: Bounds) -> tuple[Bounds, Bounds]:
        """Smallest and largest possible coefficient of each group."""
        self._now_live = live = self._live(high)
        least = np.where(live, self._coefficient, np.inf).min(axis=1)
        most = np.where(live, self._coefficient, -np.inf).max(axis=1)
        if len(self._partial):
            # None of the members may be the one: then the group contributes 0.
            index = self._index[self._partial]
            padded = np.vstack((low, np.zeros((1, low.shape[1]), dtype=low.dtype)))
            none = ~(padded[index] > 0).any(axis=1)
            outside = (self._others @ counts(high)) > 0
            none &= outside | self._open[:, None]
            least[self._partial] = np.where(
                none, np.minimum(least[self._partial], 0), least[self._partial]
            )
            most[self._partial] = np.where(
                none, np.maximum(most[self._partial], 0), most[self._partial]
            )
        # A group without a possible member makes its node impossible; keep numbers finite.
        dead = least > most
        least[dead], most[dead] = 0, 0
        return least, most

    def filter(self, low: Bounds, high: Bounds, least: Bounds, most: Bounds) -> None:
        """Remove the members whose coefficient has become impossible."""
        tolerance = TOLERANCE
        out = (self._coefficient > most[:, None, :] + tolerance) | (
            self._coefficient < least[:, None, :] - tolerance
        )
        out &= self._now_live
        gone = self._scatter @ out.reshape(-1, out.shape[2]).astype(np.int16)
        high[gone > 0] = 0
        if len(self._partial):
            # Where a member must be chosen, the others of the exact row cannot.
            must = (least[self._partial] > tolerance) | (most[self._partial] < -tolerance)
            if must.any():
                high[(self._others_t @ must.astype(np.int16)) > 0] = 0


def _dtype(linear: LinearModel) -> type[np.generic]:
    """The smallest type that holds all bounds, with room for one beyond."""
    if not linear.integer.all():
        return np.float64
    finite = np.isfinite(linear.col_lower) & np.isfinite(linear.col_upper)
    if not finite.all():
        return np.float64
    largest = max(abs(linear.col_lower).max(initial=0), abs(linear.col_upper).max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if largest < np.iinfo(kind).max - 1:
            return kind
    return np.float64
