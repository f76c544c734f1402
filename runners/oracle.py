"""Which parts of a model contradict each other: unsatisfiable subsets, by HiGHS.

An *element* is a column at a value: a known fact, or a switch that turns a constraint on.  A set
of elements is satisfiable if the model has a solution with these columns at these values; the
others are free.  Nothing here knows what the columns mean.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
from scipy import sparse

from .cuts import TimeIsUp
from .errors import SolverError
from .highs import HighsSession
from .linear import LinearModel, Vector
from .propagation import Propagator
from .session import Options, rounded

Element = tuple[int, int]
"""A column and its value."""


class Oracle:
    """Answers whether sets of elements of a binary model are satisfiable.

    ``switches`` are columns at 0 wherever they are neither an element nor liked: what they turn
    on is then out of the way.  After the ``deadline`` (of :func:`time.monotonic`) it answers
    with :class:`TimeIsUp`.
    """

    def __init__(
        self, linear: LinearModel, switches: Collection[int], deadline: float = math.inf
    ) -> None:
        self.linear, self.deadline = linear, deadline
        self.calls = 0
        self._switches = np.array(sorted(switches), dtype=np.int64)
        self._session = HighsSession(linear)
        self._propagator = Propagator(linear)

    def _bounds(
        self, elements: Collection[Element], liked: Mapping[Element, float]
    ) -> tuple[Vector, Vector]:
        lower, upper = self.linear.col_lower.copy(), self.linear.col_upper.copy()
        upper[self._switches] = 0
        for column, _ in (*elements, *liked):
            upper[column] = self.linear.col_upper[column]
        for column, value in elements:
            lower[column] = max(lower[column], value)
            upper[column] = min(upper[column], value)
        return lower, upper

    def solve(
        self,
        elements: Collection[Element],
        liked: Mapping[Element, float] | None = None,
        gap: float = 0.0,
    ) -> Vector | None:
        """A solution with ``elements``, with the largest sum of what is ``liked``; or None.

        The sum may be short of the largest by a relative ``gap``.
        """
        liked = liked or {}
        lower, upper = self._bounds(elements, liked)
        if (lower > upper).any():
            return None
        costs = np.zeros(self.linear.columns)
        for (column, value), weight in liked.items():
            costs[column] += -weight if value else weight
        self._session.set_bounds(lower, upper)
        self._session.set_costs(costs)
        self.calls += 1
        values = _solved(self._session, self.deadline, gap)
        return None if values is None else rounded(self.linear, values, "highs")

    def consequences(self, elements: Collection[Element], of: Collection[int]) -> set[Element]:
        """What every solution with ``elements`` says of the columns ``of``.

        Raises :class:`SolverError` if there is no solution.
        """
        first = self.solve(elements)
        if first is None:
            raise SolverError("contradiction: everything follows")
        common = {(j, int(first[j])) for j in of}
        while common:
            other = self.solve(elements, {(j, 1 - value): 1.0 for j, value in common})
            assert other is not None
            kept = {(j, value) for j, value in common if int(other[j]) == value}
            if kept == common:
                break
            common = kept
        return common

    def probed(self, elements: Collection[Element], of: Collection[int]) -> set[Element]:
        """What propagation shows to follow: each column of ``of`` is tried at 0 and at 1.

        All that it says follows; not all that follows is said.
        """
        _left(self.deadline)
        lower, upper = (bound[:, None] for bound in self._bounds(elements, {}))
        kind = self._propagator.dtype
        low, high = lower.astype(kind), upper.astype(kind)
        if not self._propagator.run(low, high)[0]:
            raise SolverError("contradiction: everything follows")
        columns = np.array(sorted(of), dtype=np.int64)
        free = columns[low[columns, 0] < high[columns, 0]]
        count, each = len(free), np.arange(len(free))
        lows, highs = np.repeat(low, 2 * count, axis=1), np.repeat(high, 2 * count, axis=1)
        lows[free, each] = 1
        highs[free, each + count] = 0
        possible = Propagator(self._binding(low[:, 0], high[:, 0])).run(lows, highs)
        fixed = set(columns.tolist()) - set(free.tolist())
        found = {(j, int(low[j, 0])) for j in fixed}
        found |= {(int(j), 0) for j in free[~possible[:count]]}
        return found | {(int(j), 1) for j in free[~possible[count:]]}

    def _binding(self, low: Vector, high: Vector) -> LinearModel:
        """The model without the rows that hold whatever happens within these bounds."""
        linear = self.linear
        plus, minus = linear.matrix.maximum(0), linear.matrix.minimum(0)
        least, most = plus @ low + minus @ high, plus @ high + minus @ low
        rows = np.flatnonzero((least < linear.row_lower) | (most > linear.row_upper))
        return replace(
            linear,
            matrix=linear.matrix[rows],
            row_lower=linear.row_lower[rows],
            row_upper=linear.row_upper[rows],
            row_names=tuple(linear.row_names[i] for i in rows),
        )

    def smallest(
        self, hard: Collection[Element], weights: Mapping[Element, float]
    ) -> set[Element] | None:
        """A set of elements of least weight that contradicts ``hard``; None if all do not.

        By implicit hitting sets: every contradicting set meets each *correction set*, the
        elements that some solution gives up; a least set that meets those found so far either
        contradicts, and is smallest, or its best solution gives up a new one.

        Source: A. Ignatiev, A. Previti, M. Liffiton, J. Marques-Silva, Smallest MUS extraction
        with minimal hitting set dualization, CP 2015.
        """
        if self.solve([*hard, *weights]) is not None:
            return None
        hitting = HittingSets(weights, self.deadline)
        while True:
            chosen = hitting.smallest()
            assert chosen is not None
            # Any solution gives up a set that must be met; a good one gives up a small set.
            found = self.solve([*hard, *chosen], weights, gap=0.5)
            if found is None:
                return chosen
            hitting.must_meet({(j, v) for j, v in weights if int(found[j]) != v})


class HittingSets:
    """Least-weight sets of elements that meet given sets: a MILP of its own."""

    def __init__(self, weights: Mapping[Element, float], deadline: float = math.inf) -> None:
        self.elements = list(weights)
        self._deadline = deadline
        self._place = {element: k for k, element in enumerate(self.elements)}
        count = len(self.elements)
        self.linear = LinearModel(
            matrix=sparse.csr_array((0, count)),
            row_lower=np.zeros(0),
            row_upper=np.zeros(0),
            row_names=(),
            cost=np.array(list(weights.values()), dtype=float),
            offset=0.0,
            sense=1,
            col_lower=np.zeros(count),
            col_upper=np.ones(count),
            integer=np.ones(count, dtype=bool),
            col_names=tuple(map(str, self.elements)),
            has_objective=True,
        )
        self._session = HighsSession(self.linear)

    def must_meet(self, elements: Collection[Element]) -> None:
        """Ask for one of ``elements`` at least."""
        places = [self._place[element] for element in elements]
        self._session.add_row(places, [1.0] * len(places), 1, np.inf)

    def must_miss(self, elements: Collection[Element]) -> None:
        """Ask that not all of ``elements`` are taken."""
        places = [self._place[element] for element in elements]
        self._session.add_row(places, [1.0] * len(places), -np.inf, len(places) - 1)

    def smallest(self) -> set[Element] | None:
        """The least set, or None if there is none."""
        values = _solved(self._session, self._deadline)
        if values is None:
            return None
        return {e for e, value in zip(self.elements, values, strict=True) if value > 0.5}


def conflicts(
    oracle: Oracle, hard: Collection[Element], elements: Collection[Element]
) -> Iterator[set[Element]]:
    """All minimal subsets of ``elements`` that contradict ``hard``.

    A map of what is still unknown is a MILP: its largest open set is either satisfiable, and
    every other set must take an element it lacks, or holds a minimal subset, which no other may
    hold.  Source: M. Liffiton, A. Previti, A. Malik, J. Marques-Silva, Fast, flexible MUS
    enumeration (MARCO), Constraints 21 (2016).
    """
    unknown = HittingSets(dict.fromkeys(elements, -1.0), oracle.deadline)
    while (seed := unknown.smallest()) is not None:
        found = oracle.solve([*hard, *seed], dict.fromkeys(elements, 1.0))
        if found is not None:
            lacking = {(j, v) for j, v in elements if int(found[j]) != v}
            if not lacking:
                return
            unknown.must_meet(lacking)
            continue
        for element in list(seed):
            if oracle.solve([*hard, *(seed - {element})]) is None:
                seed.discard(element)
        yield seed
        if not seed:
            return
        unknown.must_miss(seed)


def _solved(session: HighsSession, deadline: float, gap: float = 0.0) -> Vector | None:
    """The optimal values, or None where there is no solution."""
    answer = session.solve(Options(time_limit=_left(deadline), threads=1, gap=gap))
    if answer.status == "infeasible":
        return None
    if answer.status == "time limit":
        raise TimeIsUp
    if answer.status != "optimal" or answer.values is None:
        raise SolverError(f"highs: {answer.status} {answer.detail}".strip())
    return answer.values


def _left(deadline: float) -> float:
    """The seconds until then; raises :class:`TimeIsUp` where there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeIsUp
    return left


def with_row(linear: LinearModel, columns: Collection[int], high: float) -> LinearModel:
    """The model with one more row: the sum of ``columns`` is at most ``high``."""
    row = np.zeros((1, linear.columns))
    row[0, list(columns)] = 1
    return replace(
        linear,
        matrix=sparse.csr_array(sparse.vstack((linear.matrix, sparse.csr_array(row)))),
        row_lower=np.append(linear.row_lower, -np.inf),
        row_upper=np.append(linear.row_upper, high),
        row_names=(*linear.row_names, "differs"),
    )
