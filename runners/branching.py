"""Nodes of the search tree, and how they are split.

Branching takes the row that leaves the fewest children: of a unit row of which at least one free
member must be 1, the k-th child has its k-th free member at 1 and those before at 0.  With
"exactly one of these" that is one child a member.  Where no such row is open, a key's domain is
split: a binary at 1 and at 0, an integer in two halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .linear import LinearModel
from .propagation import Bounds, Propagator, counts
from .structure import Ints, UnitRows

_NONE = 32767


@dataclass(frozen=True)
class Nodes:
    """Open nodes: bounds of shape (columns, nodes), and the share of the tree below each.

    The shares of a node's children are equal and add up to its own; the root's is 1.
    """

    lower: Bounds
    upper: Bounds
    share: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.share)

    def take(self, which: Any) -> Nodes:
        """The chosen nodes."""
        return Nodes(self.lower[:, which], self.upper[:, which], self.share[which])


def joined(parts: Sequence[Nodes]) -> Nodes:
    """Several sets of nodes as one."""
    if len(parts) == 1:
        return parts[0]
    return Nodes(
        np.concatenate([part.lower for part in parts], axis=1),
        np.concatenate([part.upper for part in parts], axis=1),
        np.concatenate([part.share for part in parts]),
    )


def root(linear: LinearModel, dtype: type[np.generic]) -> Nodes:
    """The whole space."""
    bounds = (linear.col_lower, linear.col_upper)
    lower, upper = (values.astype(dtype)[:, None] for values in bounds)
    return Nodes(lower, upper, np.ones(1))


class Brancher:
    """Splits nodes in which some key is free.

    ``order`` is a hint: positions of keys to split first, the earliest free one before others.
    """

    def __init__(
        self, linear: LinearModel, units: UnitRows, key_columns: Ints, order: Sequence[int] = ()
    ) -> None:
        is_key = np.zeros(linear.columns, dtype=np.int16)
        is_key[key_columns] = 1
        sizes = np.diff(units.matrix.indptr)
        rows = np.flatnonzero((units.low > 0) & (units.matrix @ is_key == sizes))
        if len(order):
            rows = rows[:0]
        self._matrix, self._need = units.matrix[rows], units.low[rows][:, None]
        self._high = units.high[rows]
        width = int(sizes[rows].max(initial=1))
        self._members = np.full((len(rows), width), -1, dtype=np.int64)
        for k, row in enumerate(rows):
            self._members[k, : sizes[row]] = units.members(int(row))
        self._keys = _priority(linear, key_columns, order)

    def children(self, nodes: Nodes) -> Nodes:
        """The children of all nodes, each node's next to one another."""
        if not len(self._need):
            return self._by_column(nodes)
        best, rowed = self._choose(nodes)
        if rowed.all():
            return self._by_row(nodes, best)
        by_column = self._by_column(nodes.take(~rowed))
        if not rowed.any():
            return by_column
        return joined([by_column, self._by_row(nodes.take(rowed), best[rowed])])

    def next_row(self, nodes: Nodes) -> Ints:
        """The columns of the row that the first node is split by; none if by a key's domain."""
        if not len(self._need):
            return self._keys[:0]
        best, rowed = self._choose(nodes.take([0]))
        members = self._members[best[0]]
        found: Ints = members[members >= 0] if rowed[0] else members[:0]
        return found

    def _choose(self, nodes: Nodes) -> tuple[Ints, NDArray[np.bool_]]:
        """The row with fewest children for each node, and whether there is one."""
        chosen = self._matrix @ counts(nodes.lower)
        free = self._matrix @ counts(nodes.upper) - chosen
        need = self._need - chosen
        count = np.where(need > 0, free - need + 1, _NONE)
        best = count.argmin(axis=0)
        return best, count[best, np.arange(len(nodes))] < _NONE

    def _by_row(self, nodes: Nodes, rows: Ints) -> Nodes:
        low, high = nodes.lower, nodes.upper
        members, each = self._members[rows], np.arange(len(rows))[:, None]
        free = (members >= 0) & (low[members, each] < high[members, each])
        chosen = np.where(members >= 0, low[members, each], 0).sum(axis=1)
        need = self._need[rows, 0] - chosen
        rank = free.cumsum(axis=1)
        is_child = free & (rank <= (rank[:, -1] - need + 1)[:, None])
        parents, places = np.nonzero(is_child)
        lower, upper = low[:, parents], high[:, parents]
        numbers = np.arange(len(parents))
        lower[members[parents, places], numbers] = 1
        if (self._high[rows] - chosen > 1).any():  # else propagation sets them to 0
            for place in range(members.shape[1]):
                before = free[parents, place] & (place < places)
                upper[members[parents[before], place], numbers[before]] = 0
        return Nodes(lower, upper, (nodes.share / is_child.sum(axis=1))[parents])

    def _by_column(self, nodes: Nodes) -> Nodes:
        low, high = nodes.lower, nodes.upper
        column = self._keys[(low[self._keys] < high[self._keys]).argmax(axis=0)]
        count = len(nodes)
        each = np.arange(count)
        middle = np.floor((low[column, each].astype(float) + high[column, each]) / 2)
        lower, upper = np.hstack((low, low)), np.hstack((high, high))
        lower[column, each + count] = middle + 1
        upper[column, each] = middle
        return Nodes(lower, upper, np.tile(nodes.share / 2, 2))


def branching_order(propagator: Propagator, brancher: Brancher, start: Nodes, keys: Ints) -> Ints:
    """The positions of keys in the order in which a first dive into the tree decides them.

    Comparisons of assignments by this order can be made early in the search.
    """
    position = {column: k for k, column in enumerate(keys.tolist())}
    order: dict[int, None] = {}
    node = Nodes(start.lower.copy(), start.upper.copy(), start.share)
    while True:
        possible = np.flatnonzero(propagator.run(node.lower, node.upper))
        if not len(possible):
            break
        node = node.take(possible[-1:])
        if (node.lower[keys] == node.upper[keys]).all():
            break
        order |= dict.fromkeys(position[c] for c in brancher.next_row(node).tolist())
        node = brancher.children(node)
    return np.array([*order, *(k for k in range(len(keys)) if k not in order)], dtype=np.int64)


def _priority(linear: LinearModel, key_columns: Ints, order: Sequence[int]) -> Ints:
    """Key columns in the order of splitting: hinted ones, then those in most rows."""
    rows = np.diff(linear.matrix.tocsc().indptr)
    weight = np.asarray(abs(linear.matrix).sum(axis=0)).reshape(-1)
    hinted = dict.fromkeys(int(key_columns[k]) for k in order)
    ranked = sorted(key_columns.tolist(), key=lambda j: (-rows[j], -weight[j], j))
    return np.array([*hinted, *(j for j in ranked if j not in hinted)], dtype=np.int64)
