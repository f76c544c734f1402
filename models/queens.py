"""The n queens problem, with an optional sum of weights over the queens' squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal

import pyomo.environ as pyo
from pyomo.core.base.var import VarData

from ..data import InputError, Square, load_square
from ..data.errors import shown
from .boards import Cell, antidiagonals, board_symmetries, cells, diagonals
from .puzzle import Generator, Group, Index, Part, Puzzle, cell, distinct, one_of, whole

OBJECTIVES = ("min", "max", "nearest")
LARGEST = 200
LARGEST_PAIRS = 40


@dataclass(frozen=True)
class Queens(Puzzle):
    r"""Place n queens on an n×n board so that no two attack each other.

    Sets
        I: :math:`\{0, \dots, n-1\}`, rows and columns.
    Parameters
        w[r,c]: :math:`w_{rc} \in \mathbb{Z}`, the weight of a square.
        M: :math:`\sum_{rc} w_{rc} / n`, the magic constant of the weights.
        T: the total that is asked for.

    Formulations: with ``pairs`` instead of ``diagonals`` the solutions are the same, but not the
    relaxation.  A clique constraint implies those of its pairs.  They do not imply it: with 1/2
    on each of the k squares of a diagonal they all hold, and their sum is k/2.  So the bound of
    ``diagonals`` is never weaker, and it takes O(n) rows instead of O(n³).

    Source: J. Bell and B. Stevens, A survey of known results and research areas for n-queens,
    Discrete Mathematics 309 (2009), 1–31.

    A solution is the vector of columns: entry r is the column of the queen in row r.
    """

    name: ClassVar[str] = "queens"
    title: ClassVar[str] = "Queens"
    look = "queens"

    n: int | None = field(
        default=None, metadata={"help": "side of the board; 8, or the side of the square"}
    )
    square: str | Path | Sequence[Sequence[int]] | None = field(
        default=None, metadata={"help": "weights: a bundled square's name or a CSV file"}
    )
    total: int | str | None = field(
        default=None, metadata={"help": "sum of the queens' weights: a number, or magic"}
    )
    objective: Literal["min", "max", "nearest"] | None = field(
        default=None, metadata={"help": "smallest or largest sum, or nearest to the magic constant"}
    )
    given: Sequence[Cell] = field(
        default=(), metadata={"help": "a queen already placed, as ROW,COLUMN", "repeat": True}
    )
    formulation: Literal["diagonals", "pairs"] = field(
        default="diagonals", metadata={"help": "at most one queen on a diagonal, or on each pair"}
    )
    weights: Square | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        weights = None if self.square is None else load_square(self.square)
        n = self.n if self.n is not None else len(weights) if weights else 8
        n = whole(n, "n", 1, LARGEST)
        if weights and len(weights) != n:
            raise InputError(f"square: its side is {len(weights)}, but n is {n}")
        if weights is None and self.total is not None:
            raise InputError("total: needs a square of weights (square=…)")
        if weights is None and self.objective is not None:
            raise InputError("objective: needs a square of weights (square=…)")
        if self.objective is not None:
            one_of(self.objective, "objective", OBJECTIVES)
        one_of(self.formulation, "formulation", tuple(FORMULATIONS))
        if self.formulation == "pairs" and n > LARGEST_PAIRS:
            raise InputError(f"formulation: n is {n}; it is at most {LARGEST_PAIRS} with pairs")
        given = tuple(
            sorted({cell(at, f"given {shown(at)}", n, n) for at in _sequence(self.given)})
        )
        for name, value in {"n": n, "weights": weights, "given": given}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "total", self._total())

    def _total(self) -> int | None:
        if self.total is None:
            return None
        if not isinstance(self.total, str) or self.total != "magic":
            return whole(self.total, "total", -(10**12), 10**12)
        magic = self.magic
        if magic.denominator != 1:
            raise InputError(f"total: the square's magic constant {magic} is no integer")
        return int(magic)

    @property
    def side(self) -> int:
        """n."""
        assert self.n is not None
        return self.n

    @property
    def magic(self) -> Fraction:
        """The magic constant of the weights."""
        assert self.weights
        return Fraction(sum(map(sum, self.weights)), len(self.weights))

    def parts(self) -> list[Part]:
        """One queen in each row and column, the diagonals, and what is asked for besides."""
        parts = [_lines, FORMULATIONS[self.formulation]]
        if self.given:
            parts.append(_given)
        if self.total is not None:
            parts.append(_total)
        if self.objective is not None:
            parts.append(_nearest if self.objective == "nearest" else _sum)
        return parts

    def keys(self, model: pyo.ConcreteModel) -> dict[Index, VarData]:
        """``x[r, c]`` by ``(r, c)``."""
        return dict(model.x.items())

    def symmetries(self, group: Group = "all") -> list[Generator]:
        """The board's eight, or those of them that keep the weights and the given queens."""
        w, squares = self.weights, cells(self.side, self.side)
        return distinct(
            {at: move(*at) for at in squares}
            for move in board_symmetries(self.side, self.side)
            if {move(*at) for at in self.given} == set(self.given)
            and (w is None or all(_at(w, move(*at)) == _at(w, at) for at in squares))
        )

    def read(self, keys: Mapping[Index, int]) -> tuple[int, ...]:
        """The vector of columns."""
        columns = {r: c for (r, c), value in keys.items() if value}
        return tuple(columns[r] for r in range(len(columns)))

    def assignment(self, solution: Sequence[int]) -> dict[Index, int]:
        """A 1 for each queen."""
        return dict.fromkeys(enumerate(solution), 1)

    def check(self, solution: Sequence[int]) -> None:
        """Compare every pair of queens."""
        if len(solution) != self.n or not all(0 <= c < self.n for c in solution):
            raise ValueError(f"expected {self.n} columns within the board, got {solution!r}")
        for r, c in enumerate(solution):
            for r2 in range(r):
                c2 = solution[r2]
                if c == c2 or abs(c - c2) == r - r2:
                    raise ValueError(f"the queens on ({r2}, {c2}) and ({r}, {c}) attack each other")
        for r, c in self.given:
            if solution[r] != c:
                raise ValueError(f"no queen on the given square ({r}, {c})")
        if self.total is not None and self.figures(solution)["sum"] != self.total:
            raise ValueError(f"the sum is {self.figures(solution)['sum']}, not {self.total}")

    def figures(self, solution: Sequence[int]) -> dict[str, Any]:
        """The sum of the weights, where there are weights."""
        w = self.weights
        return {"sum": sum(w[r][c] for r, c in enumerate(solution))} if w else {}

    def draw(self, solution: Sequence[int]) -> str:
        """A board with ♛ for a queen."""
        return "\n".join(
            " ".join("♛" if c == column else "·" for c in range(len(solution)))
            for column in solution
        )

    def board(self, solution: Sequence[int]) -> list[list[str]]:
        """Q for a queen."""
        return [["Q" if c == column else "" for c in range(len(solution))] for column in solution]

    def remark(self) -> str | None:
        """Boards of side 2 and 3 are the only ones without a solution."""
        return (
            f"{self.n} queens do not fit on a board of side {self.n}" if self.n in (2, 3) else None
        )


def _lines(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""One queen in each row and each column.

    Variables
        x[r,c]: :math:`x_{rc} \in \{0, 1\}`, a queen on square (r, c).
    Constraints
        row[r]: :math:`\sum_{c} x_{rc} = 1` for :math:`r \in I`.
        column[c]: :math:`\sum_{r} x_{rc} = 1` for :math:`c \in I`.
    """
    I = range(queens.side)
    model.x = x = pyo.Var(I, I, domain=pyo.Binary)
    model.row = pyo.Constraint(I, rule=lambda m, r: pyo.quicksum(x[r, c] for c in I) == 1)
    model.column = pyo.Constraint(I, rule=lambda m, c: pyo.quicksum(x[r, c] for r in I) == 1)


def _diagonals(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""At most one queen on each diagonal of two squares or more, a clique of the attack graph.

    Constraints
        diagonal[d]: :math:`\sum_{r-c=d} x_{rc} \le 1`, falling diagonals.
        antidiagonal[s]: :math:`\sum_{r+c=s} x_{rc} \le 1`, rising diagonals.
    """
    falling, rising = diagonals(queens.side), antidiagonals(queens.side)

    def line(squares: Sequence[Cell]) -> Any:
        return pyo.quicksum(model.x[at] for at in squares)

    model.diagonal = pyo.Constraint(list(falling), rule=lambda m, d: line(falling[d]) <= 1)
    model.antidiagonal = pyo.Constraint(list(rising), rule=lambda m, s: line(rising[s]) <= 1)


def _pairs(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""At most one queen on each pair of squares of a diagonal.

    Constraints
        pair[i,j]: :math:`x_i + x_j \le 1` for squares :math:`i \ne j` on a common diagonal.

    Source: M. Padberg, On the facial structure of set packing polyhedra, Mathematical
    Programming 5 (1973), 199–215, for why cliques are stronger.
    """
    n = queens.side
    lines = [*diagonals(n).values(), *antidiagonals(n).values()]
    model.pair = pyo.Constraint(
        [(*a, *b) for line in lines for a, b in combinations(line, 2)],
        rule=lambda m, r, c, r2, c2: m.x[r, c] + m.x[r2, c2] <= 1,
    )


FORMULATIONS: dict[str, Part] = {"diagonals": _diagonals, "pairs": _pairs}


def _given(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""Queens already placed.

    Constraints
        given[r,c]: :math:`x_{rc} = 1` for each given square (r, c).
    """
    model.given = pyo.Constraint(list(queens.given), rule=lambda m, r, c: m.x[r, c] == 1)


def _weighted(queens: Queens, model: pyo.ConcreteModel) -> Any:
    assert queens.weights
    return pyo.quicksum(_at(queens.weights, at) * x for at, x in model.x.items())


def _total(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""The queens' weights have the total that is asked for.

    Constraints
        total: :math:`\sum_{rc} w_{rc} x_{rc} = T`.
    """
    model.total = pyo.Constraint(expr=_weighted(queens, model) == queens.total)


def _sum(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""The smallest or the largest sum of weights.

    Objective
        objective: :math:`\sum_{rc} w_{rc} x_{rc}`.
    """
    sense = pyo.minimize if queens.objective == "min" else pyo.maximize
    model.objective = pyo.Objective(expr=_weighted(queens, model), sense=sense)


def _nearest(queens: Queens, model: pyo.ConcreteModel) -> None:
    r"""The sum of weights nearest to the magic constant.

    Variables
        deviation: :math:`\mathrm{deviation} \ge 0`, of the sum from M.
    Objective
        objective: :math:`\mathrm{deviation}`.
    Constraints
        above: :math:`\sum_{rc} w_{rc} x_{rc} - \mathrm{deviation} \le M`.
        below: :math:`\sum_{rc} w_{rc} x_{rc} + \mathrm{deviation} \ge M`.
    """
    total, magic = _weighted(queens, model), float(queens.magic)
    model.deviation = pyo.Var(domain=pyo.NonNegativeReals)
    model.above = pyo.Constraint(expr=total - model.deviation <= magic)
    model.below = pyo.Constraint(expr=total + model.deviation >= magic)
    model.objective = pyo.Objective(expr=model.deviation)


def _at(weights: Square, at: Cell) -> int:
    return weights[at[0]][at[1]]


def _sequence(given: object) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence | set | frozenset):
        raise InputError(f"given: expected squares (row, column), got {shown(given)}")
    return list(given)
