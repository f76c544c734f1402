"""No-good cuts as rows of a model that is only written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex

import numpy as np
from scipy import sparse

from ..data import InputError
from ..data.errors import shown
from .cuts import IntVector, add_cut
from .linear import LinearModel, Problem
from .session import Answer, Options


def with_cuts(problem: Problem, solutions: Iterable[Any]) -> Problem:
    """``problem`` with the rows that the reference method adds after ``solutions``.

    Raises :class:`InputError` for what is no solution.
    """
    growing = _Growing(problem.linear)
    for number, solution in enumerate(solutions, start=1):
        growing.number = number
        of, keys = _keys(problem, solution, number)
        add_cut(of, keys, growing)
    return replace(problem, linear=growing.linear())


def _keys(problem: Problem, solution: Any, number: int) -> tuple[Problem, IntVector]:
    """The key values of a solution; a model's may name only some of the discrete variables."""
    puzzle = problem.puzzle
    if puzzle is not None:
        try:
            puzzle.check(solution)
        except ValueError as error:
            raise InputError(f"cuts: number {number} is no solution: {error}") from None
        except (TypeError, LookupError, AttributeError, ArithmeticError):
            form = f"not written as those of {puzzle.name} are"
            raise InputError(f"cuts: number {number} is no solution: {form}") from None
        values: Mapping[Any, int] = puzzle.assignment(solution)
        return problem, np.array([values.get(index, 0) for index in problem.indices])
    if not isinstance(solution, Mapping) or not solution:
        raise InputError(f"cuts: number {number}: expected values by the names of variables")
    if unknown := [name for name in solution if name not in problem.column_of]:
        raise InputError(f"cuts: number {number}: {shown(unknown[0])} is no discrete variable")
    for name, value in solution.items():
        if not _is_whole(value):
            raise InputError(
                f"cuts: number {number}: {name}: expected an integer, got {shown(value)}"
            )
    columns = np.array([problem.column_of[name] for name in solution], dtype=np.int64)
    keys = np.array(list(solution.values()), dtype=np.int64)
    lower, upper = problem.linear.col_lower[columns], problem.linear.col_upper[columns]
    if (outside := (keys < lower) | (keys > upper)).any():
        name = list(solution)[int(outside.argmax())]
        raise InputError(f"cuts: number {number}: {name} = {solution[name]} is beyond its bounds")
    return replace(problem, indices=tuple(solution), key_columns=columns), keys


def _is_whole(value: object) -> bool:
    """Whether it is an integer that an array holds, in whatever type it came."""
    if isinstance(value, float):
        return value.is_integer() and abs(value) < 2**53
    return isinstance(value, SupportsIndex) and abs(value.__index__()) < 2**63


class _Growing:
    """A :class:`~nogood.runners.session.Session` that only collects columns and rows."""

    def __init__(self, linear: LinearModel) -> None:
        self._linear = linear
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._rows: list[tuple[Sequence[int], Sequence[float], float, float]] = []
        self._row_names: list[str] = []
        self.number = 0

    def add_columns(self, lower: Sequence[float], upper: Sequence[float]) -> int:
        first = self._linear.columns + len(self._lower)
        self._lower += lower
        self._upper += upper
        return first

    def add_row(
        self, columns: Sequence[int], values: Sequence[float], lower: float, upper: float
    ) -> None:
        self._rows.append((columns, values, lower, upper))
        self._row_names.append(f"nogood[{self.number}]")

    def solve(self, options: Options) -> Answer:
        raise NotImplementedError

    def linear(self) -> LinearModel:
        """The model with all that was added."""
        old, more = self._linear, len(self._lower)
        if not self._rows:
            return old
        wide = old.matrix.copy()
        wide.resize((old.rows, old.columns + more))
        added = sparse.lil_array((len(self._rows), old.columns + more))
        for i, (columns, values, _, _) in enumerate(self._rows):
            added[i, columns] = values
        return replace(
            old,
            matrix=sparse.csr_array(sparse.vstack((wide, added))),
            row_lower=np.append(old.row_lower, [row[2] for row in self._rows]),
            row_upper=np.append(old.row_upper, [row[3] for row in self._rows]),
            row_names=(*old.row_names, *self._row_names),
            cost=np.append(old.cost, np.zeros(more)),
            col_lower=np.append(old.col_lower, self._lower),
            col_upper=np.append(old.col_upper, self._upper),
            integer=np.append(old.integer, np.ones(more, dtype=bool)),
            col_names=(*old.col_names, *(f"differs[{k}]" for k in range(more))),
        )
