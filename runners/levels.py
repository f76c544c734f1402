"""Levels of the objective: the best value, a cutoff, and the k best solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
from scipy import sparse

from .cuts import Point
from .linear import LinearModel, Problem

_SCALE_BY, _MOST_DOUBLINGS = 2, 20


def tolerance(value: float) -> float:
    """How far an objective may be from ``value`` and count as equal."""
    return 1e-6 * max(1.0, abs(value))


def minimised(linear: LinearModel, objective: float) -> float:
    """An objective in the model's own sense as one to be minimised."""
    return linear.sense * objective


def with_cutoff(problem: Problem, low: float, high: float) -> Problem:
    """The problem with one more row: its objective, to be minimised, within ``low … high``."""
    linear = problem.linear
    row = sparse.csr_array(linear.cost.reshape(1, -1))
    cut = replace(
        linear,
        matrix=sparse.csr_array(sparse.vstack((linear.matrix, row))),
        row_lower=np.append(linear.row_lower, low - linear.offset),
        row_upper=np.append(linear.row_upper, high - linear.offset),
        row_names=(*linear.row_names, "cutoff"),
    )
    return replace(problem, linear=cut)


def without_objective(problem: Problem) -> Problem:
    """The problem with nothing to optimise."""
    linear = problem.linear
    free = replace(linear, cost=np.zeros(linear.columns), offset=0.0, has_objective=False)
    return replace(problem, linear=free)


def k_best(
    problem: Problem,
    count: int,
    in_order: Callable[[Problem], Iterator[Point]],
    within: Callable[[Problem], Iterator[Point]],
) -> Iterator[Point]:
    """The ``count`` best solutions, in order of objective and, among equals, of key values.

    ``in_order`` gives solutions best first, slowly; the first few tell the scale.  ``within``
    gives all solutions of a problem, fast: of a cutoff that is moved until there are enough.
    """
    linear = problem.linear
    few = list(islice(in_order(problem), min(count, _SCALE_BY) + 1))
    if len(few) <= min(count, _SCALE_BY):
        everything = within(problem) if few else iter(())
        yield from sorted(everything, key=_order(linear))
        return
    values = [minimised(linear, point.objective or 0.0) for point in few]
    first, width = values[0], max(values[-1] - values[0], tolerance(values[0]))
    for _ in range(_MOST_DOUBLINGS):
        high = first + width + tolerance(first + width)
        found = list(within(with_cutoff(problem, -np.inf, high)))
        if len(found) >= count:
            break
        beyond = with_cutoff(problem, high, np.inf)
        following = next(in_order(beyond), None)
        if following is None:
            break
        width = max(2 * width, minimised(linear, following.objective or 0.0) - first)
    else:
        # A continuous variable lets the same keys have any worse objective.
        found = list(within(problem))
    yield from sorted(found, key=_order(linear))[:count]


def _order(linear: LinearModel) -> Callable[[Point], tuple[float, list[int]]]:
    return lambda point: (
        round(minimised(linear, point.objective or 0.0), 6),
        point.keys.tolist(),
    )
