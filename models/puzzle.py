"""What every puzzle has: parameters in, a Pyomo model and a readable solution out."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Literal

import pyomo.environ as pyo
from pyomo.core.base.var import VarData

from ..data import InputError
from ..data.errors import shown
from ..data.reading import integer

Index = tuple[Any, ...]
Generator = Mapping[Index, Index]
"""A permutation of the key indices: the value of ``i`` moves to ``generator[i]``."""
Group = Literal["all", "board"]
Part = Callable[[Any, pyo.ConcreteModel], None]
"""Adds variables, an objective or constraints to a model of a puzzle."""


class Puzzle(ABC):
    """A puzzle: a frozen dataclass whose fields are its parameters.

    Its mathematics stands in the docstrings of the class and of its :meth:`parts`, in sections
    *Sets*, *Parameters*, *Variables*, *Objective* and *Constraints* of entries
    ``name[index]: formula and words``, where the name is that of the model's component.
    """

    name: ClassVar[str]
    """As on the command line."""
    title: ClassVar[str]
    """As in a headline."""

    @classmethod
    def about(cls) -> str:
        """The first paragraph of the class's docstring, in one line."""
        return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """The functions that build the model, in order."""

    def model(self) -> pyo.ConcreteModel:
        """A fresh MILP of this instance."""
        model = pyo.ConcreteModel(self.name.replace("-", "_"))
        for part in self.parts():
            part(self, model)
        return model

    @abstractmethod
    def keys(self, model: pyo.ConcreteModel) -> dict[Index, VarData]:
        """The key variables of ``model``: those that tell two solutions apart."""

    def symmetries(self, group: Group = "all") -> list[Generator]:
        """Permutations of the key indices that map solutions onto solutions.

        ``"board"`` keeps to rotations and reflections of the board.
        """
        return []

    @abstractmethod
    def read(self, keys: Mapping[Index, int]) -> Any:
        """The solution as a person sees it, from the key variables that are not zero."""

    def readings(self, keys: Mapping[Index, int]) -> Sequence[Any]:
        """All solutions that one assignment of the keys stands for; nearly always one."""
        return (self.read(keys),)

    @abstractmethod
    def assignment(self, solution: Any) -> dict[Index, int]:
        """The key variables of a solution that are not zero: the inverse of :meth:`read`."""

    @abstractmethod
    def check(self, solution: Any) -> None:
        """Raise ``ValueError`` with the reason if ``solution`` is none."""

    @abstractmethod
    def draw(self, solution: Any) -> str:
        """The solution as text for a terminal."""

    look: ClassVar[Literal["numbers", "queens", "tour", "table"]] = "numbers"
    """How a page draws :meth:`board`."""

    def board(self, solution: Any) -> Sequence[Sequence[str | int]]:
        """The solution as rows of cells, ``""`` for an empty one."""
        return solution  # type: ignore[no-any-return]

    def figures(self, solution: Any) -> dict[str, Any]:
        """Key figures of a solution, the columns of its row in a table."""
        return {}

    def counts(self, count: int) -> dict[str, int]:
        """Other ways to count ``count`` solutions, where there are any, by name."""
        return {}

    def violated(self, keys: Mapping[Index, int]) -> Iterable[tuple[dict[Index, float], float]]:
        """Lazy constraints that an integer candidate violates.

        Each is ``(coefficients, bound)`` for ``sum(a * key) <= bound``, and holds in every
        solution.  The candidate need not satisfy the other constraints.  Keys are binary here and
        coefficients 1: the constraints are counted.
        """
        return ()

    lazy: ClassVar[bool] = False
    """Whether :meth:`violated` says anything."""

    def remark(self) -> str | None:
        """A well-known reason why there is no solution, where one is known."""
        return None

    def describe(self) -> str:
        """Name and parameters in one line."""
        said = ", ".join(f"{k}={v!r}" for k, v in self.parameters().items() if v is not None)
        return f"{self.name}: {said}"[:200]

    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults, and those without one."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)  # type: ignore[arg-type]
            if f.init
        }


def whole(value: object, name: str, low: int, high: int) -> int:
    """``value`` as an integer within ``low … high``, or an :class:`InputError`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = integer(value) if isinstance(value, str) else value.__index__()  # type: ignore[attr-defined]
    except (TypeError, ValueError, AttributeError):
        raise InputError(f"{name}: expected an integer, got {shown(value)}") from None
    if not low <= number <= high:
        raise InputError(f"{name}: expected {low} to {high}, got {shown(number)}")
    return int(number)


def distinct(generators: Iterable[Generator]) -> list[Generator]:
    """Each permutation once, in order."""
    return list({tuple(generator.values()): generator for generator in generators}.values())


def one_of(value: object, name: str, choices: Sequence[str]) -> str:
    """``value`` if it is one of ``choices``, or an :class:`InputError` that lists them."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name}: expected one of {', '.join(choices)}; got {shown(value)}")
    return str(value)


def cell(value: object, name: str, rows: int, cols: int) -> tuple[int, int]:
    """A square ``(row, column)`` of the board, from a pair or from text such as ``"0,3"``."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or len(parts) != 2:
        raise InputError(f"{name}: expected a square as ROW,COLUMN, got {shown(value)}")
    return (
        whole(parts[0], f"{name}: row", 0, rows - 1),
        whole(parts[1], f"{name}: column", 0, cols - 1),
    )
