"""Permutation groups on the variables, and the search for one representative of each orbit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import InputError
from .linear import LinearModel
from .structure import Ints

Array = NDArray[Any]
LARGEST_GROUP = 50_000
_LARGEST_ARRAY = 50_000_000
_MOST_COMPARED = 64


class Group:
    """All elements of a permutation group on ``size`` positions.

    ``elements[g, k]`` is where element g takes position k; the identity comes first.
    """

    def __init__(self, size: int, generators: Sequence[Ints] = ()) -> None:
        self.elements = _closure(size, generators)
        self.inverse = np.empty_like(self.elements)
        self.inverse[np.arange(len(self))[:, None], self.elements] = np.arange(size)

    def __len__(self) -> int:
        return len(self.elements)

    def images(self, values: Array, columns: Ints | None = None) -> Array:
        """The images of an assignment that differ in ``columns``, one a row.

        Their order, and so the first of them, is the same for all members of the orbit.
        """
        images = values[self.inverse]
        told = images if columns is None else images[:, columns]
        if told.dtype.kind == "f":
            told = told + 0.0  # -0.0 is 0.0, but not byte for byte
        packed = np.packbits(told, axis=1) if told.dtype == np.bool_ else told
        rows = np.ascontiguousarray(packed).view(f"V{packed.dtype.itemsize * packed.shape[1]}")
        _, first = np.unique(rows.ravel(), return_index=True)
        return images[first]


def _closure(size: int, generators: Sequence[Ints]) -> Ints:
    identity = np.arange(size)
    seen = {identity.tobytes(): identity}
    frontier = [identity]
    while frontier:
        fresh = []
        for element in frontier:
            for generator in generators:
                image = generator[element]
                if image.tobytes() not in seen:
                    seen[image.tobytes()] = image
                    fresh.append(image)
        if len(seen) > LARGEST_GROUP or len(seen) * size > _LARGEST_ARRAY:
            raise InputError(
                f"symmetry: the generators make a group of over {len(seen)} elements; "
                "give fewer of them"
            )
        frontier = fresh
    return np.array(list(seen.values()), dtype=np.int64)


class LexLeader:
    """Keeps of each orbit the assignment that is lexicographically largest in ``order``.

    For each element g compared, x >= g(x): at the first position where the two are not known to
    be equal, the bounds of one bound the other.  Comparing with some elements only keeps more
    than one of an orbit, never none.

    Source: J. Crawford, M. Ginsberg, E. Luks, A. Roy, Symmetry-breaking predicates for search
    problems, KR 1996.
    """

    def __init__(self, inverse: Ints, columns: Ints, order: Ints) -> None:
        self._own = columns[order]
        self._others = [columns[row[order]] for row in inverse[1 : _MOST_COMPARED + 1]]

    def run(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Tighten bounds in place; returns which nodes are possible, and which have changed."""
        nodes = np.arange(low.shape[1])
        possible = np.ones(len(nodes), dtype=bool)
        changed = np.zeros(len(nodes), dtype=bool)
        low_own, high_own = low[self._own], high[self._own]
        fixed = low_own == high_own
        for other in self._others:
            low_other, high_other = low[other], high[other]
            equal = fixed & (low_other == high_other) & (low_own == low_other)
            first = equal.argmin(axis=0)
            undecided = ~equal[first, nodes]
            least, most = low_own[first, nodes], high_own[first, nodes]
            least_other, most_other = low_other[first, nodes], high_other[first, nodes]
            possible &= ~(undecided & (most < least_other))
            raise_own = np.flatnonzero(undecided & (least < least_other))
            lower_other = np.flatnonzero(undecided & (most < most_other))
            low[self._own[first[raise_own]], raise_own] = least_other[raise_own]
            high[other[first[lower_other]], lower_other] = most[lower_other]
            if len(raise_own) or len(lower_other):
                changed[raise_own] = changed[lower_other] = True
                low_own, high_own = low[self._own], high[self._own]
                fixed = low_own == high_own
        return possible, changed & possible


def permutation(places: Mapping[Any, int], generator: Mapping[Any, Any]) -> Ints:
    """A generator on indices (names) as an array on positions; those left out stay in place."""
    image = np.arange(len(places))
    for source, target in generator.items():
        for index in (source, target):
            if index not in places:
                raise InputError(f"symmetry: {index!r} is not a variable it can move")
        image[places[source]] = places[target]
    if len(np.unique(image)) != len(image):
        raise InputError("symmetry: a generator is no permutation: two variables move to one place")
    return image


def maps_onto_itself(linear: LinearModel, image: Ints) -> bool:
    """Whether permuting the columns by ``image`` maps bounds, costs and rows onto themselves."""
    arrays = (linear.col_lower, linear.col_upper, linear.integer, linear.cost)
    if any((values[image] != values).any() for values in arrays):
        return False
    return _rows(linear, np.arange(linear.columns)) == _rows(linear, image)


def _rows(linear: LinearModel, image: Ints) -> dict[tuple[Any, ...], int]:
    """The rows, with columns renamed by ``image``, as a multiset."""
    matrix = linear.matrix
    counted: dict[tuple[Any, ...], int] = {}
    for i in range(linear.rows):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        columns = image[matrix.indices[part]].tolist()
        entries = sorted(zip(columns, matrix.data[part].tolist(), strict=True))
        row = (linear.row_lower[i], linear.row_upper[i], *entries)
        counted[row] = counted.get(row, 0) + 1
    return counted
