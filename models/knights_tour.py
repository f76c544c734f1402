"""Knight's tours: closed, open and either, by subtour elimination in several formulations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

import pyomo.environ as pyo
from pyomo.core.base.var import VarData

from ..data import InputError, Square, load_square
from .boards import Cell, Move, board_symmetries, cells, draw_grid
from .puzzle import Generator, Group, Index, Part, Puzzle, cell, distinct, one_of, whole
from .tour_parts import (
    FORMULATIONS,
    closing,
    not_closed,
    not_closed_edges,
    roughness,
    roughness_edges,
)

KINDS = ("closed", "open", "path")
OBJECTIVES = ("min", "max")
LARGEST_SIDE, MOST_SQUARES = 100, 2500
STEPS = tuple((dr, dc) for dr in (-2, -1, 1, 2) for dc in (-2, -1, 1, 2) if abs(dr) != abs(dc))
Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class KnightsTour(Puzzle):
    r"""Visit every square of a board once by knight's moves.

    Sets
        N: the squares (r, c) of the board; :math:`n = |N|`; 1 is the start.
        A: the arcs (i, j) between squares a knight's move apart.
        E: the edges, arcs without their direction.
    Parameters
        w[i]: :math:`w_i`, the weight of square i.

    Kinds: *closed*, the last square a move away from the first; *open*, not; *path*, either.

    Formulations: ``mtz``, ``mtz-lifted``, ``flow`` and ``dfj``.  The relaxations of ``mtz-lifted``
    and of ``flow`` are at least as strong as that of ``mtz``.

    A solution is the grid of visit numbers.  A closed tour has its 1 on ``start``, by default
    (0, 0), so that a directed tour is one grid.
    """

    name: ClassVar[str] = "knights-tour"
    title: ClassVar[str] = "Knight's tour"
    look = "tour"

    rows: int = field(default=8, metadata={"help": "rows of the board"})
    cols: int = field(default=8, metadata={"help": "columns of the board"})
    kind: Literal["closed", "open", "path"] = field(
        default="closed", metadata={"help": "returns to its start, must not be able to, either"}
    )
    start: Cell | None = field(default=None, metadata={"help": "first square, as ROW,COLUMN"})
    end: Cell | None = field(default=None, metadata={"help": "last square, as ROW,COLUMN"})
    formulation: Literal["mtz", "mtz-lifted", "flow", "dfj"] = field(
        default="mtz", metadata={"help": "how subtours are eliminated"}
    )
    square: str | Path | Sequence[Sequence[int]] | None = field(
        default=None, metadata={"help": "weights: a bundled square's name or a CSV file"}
    )
    objective: Literal["min", "max"] | None = field(
        default=None, metadata={"help": "smallest or largest sum of the moves' weight differences"}
    )
    weights: Square | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows = whole(self.rows, "rows", 1, LARGEST_SIDE)
        cols = whole(self.cols, "cols", 1, LARGEST_SIDE)
        if rows * cols > MOST_SQUARES:
            raise InputError(f"rows, cols: {rows * cols} squares; at most {MOST_SQUARES}")
        if rows * cols == 1:
            raise InputError("rows, cols: a board of one square has no moves")
        one_of(self.kind, "kind", KINDS)
        one_of(self.formulation, "formulation", tuple(FORMULATIONS))
        start = None if self.start is None else cell(self.start, "start", rows, cols)
        end = None if self.end is None else cell(self.end, "end", rows, cols)
        if self.kind == "closed" and start is None:
            start = (0, 0)
        if start is not None and start == end:
            raise InputError(f"end: {end} is the start; a tour ends on another square")
        for name, value in {"rows": rows, "cols": cols, "start": start, "end": end}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "weights", self._weights())

    def _weights(self) -> Square | None:
        if self.square is None:
            if self.objective is not None:
                raise InputError("objective: needs a square of weights (square=…)")
            return None
        if self.objective is None:
            raise InputError("square: needs an objective, min or max (objective=…)")
        one_of(self.objective, "objective", OBJECTIVES)
        weights = load_square(self.square)
        side = len(weights)
        if (self.rows, self.cols) != (side, side):
            raise InputError(
                f"square: its side is {side}, but the board is {self.rows}×{self.cols}"
            )
        return weights

    @property
    def lazy(self) -> bool:  # type: ignore[override]
        """Whether subtours are cut off only as they appear."""
        return self.formulation == "dfj"

    @property
    def squares(self) -> list[Cell]:
        """All squares, row by row."""
        return cells(self.rows, self.cols)

    @cached_property
    def neighbours(self) -> dict[Cell, list[Cell]]:
        """The squares a knight's move away from each square."""
        return {
            (r, c): [
                (r + dr, c + dc)
                for dr, dc in STEPS
                if 0 <= r + dr < self.rows and 0 <= c + dc < self.cols
            ]
            for r, c in self.squares
        }

    @property
    def arcs(self) -> list[tuple[int, int, int, int]]:
        """The arcs as (row, column, row, column)."""
        return [(*i, *j) for i, near in self.neighbours.items() for j in near]

    def parts(self) -> list[Part]:
        """Degrees and subtour elimination, what the kind asks for, the roughness with weights."""
        closed = self.kind == "closed"
        parts = [*FORMULATIONS[self.formulation][0 if closed else 1]]
        if closed and self.end is not None:
            parts.append(closing)
        if self.kind == "open":
            parts.append(not_closed_edges if self.lazy else not_closed)
        if self.weights:
            parts.append(roughness_edges if self.lazy else roughness)
        return parts

    @property
    def depot(self) -> Cell | None:
        """The square that is not numbered: the start of a closed tour."""
        return self.start if self.kind == "closed" else None

    @property
    def edges(self) -> list[tuple[int, int, int, int]]:
        """The edges as arcs from the smaller square."""
        return [arc for arc in self.arcs if arc[:2] < arc[2:]]

    def step(self, r: int, c: int, r2: int, c2: int) -> int:
        """The difference of the weights of two squares."""
        assert self.weights
        return abs(self.weights[r][c] - self.weights[r2][c2])

    def keys(self, model: pyo.ConcreteModel) -> dict[Index, VarData]:
        """Arcs or edges by (row, column, row, column); ends by ("first", row, column) and so on."""
        found: dict[Index, VarData] = dict((model.y if self.lazy else model.x).items())
        for name in ("first", "last", "tip"):
            if variable := model.component(name):
                found |= {(name, *at): v for at, v in variable.items()}
        return found

    def symmetries(self, group: Group = "all") -> list[Generator]:
        """The board's, each with and without reversal, if they keep the given ends.

        With weights, only those that keep the difference along every arc.
        """
        reversals = (False, True) if group == "all" else (False,)
        return distinct(
            {index: self._image(index, move, back) for index in self._indices()}
            for move in board_symmetries(self.rows, self.cols)
            if self._keeps_steps(move)
            for back in reversals
            if self._keeps_ends(move, back)
        )

    def _indices(self) -> list[Index]:
        if self.lazy:
            ends = ("tip",)
            lines: list[Index] = list(self.edges)
        else:
            ends = ("first", "last")  # type: ignore[assignment]
            lines = list(self.arcs)
        free = (
            [] if self.kind == "closed" else [(name, *at) for name in ends for at in self.squares]
        )
        return lines + free

    def _image(self, index: Index, move: Move, back: bool) -> Index:
        if isinstance(index[0], str):
            swap = {"first": "last", "last": "first", "tip": "tip"}
            return (swap[index[0]] if back else index[0], *move(*index[1:]))
        i, j = move(*index[:2]), move(*index[2:])
        if self.lazy:
            return (*min(i, j), *max(i, j))
        return (*j, *i) if back else (*i, *j)

    def _keeps_steps(self, move: Move) -> bool:
        return not self.weights or all(
            self.step(*move(*arc[:2]), *move(*arc[2:])) == self.step(*arc) for arc in self.arcs
        )

    def _keeps_ends(self, move: Move, back: bool) -> bool:
        if self.kind == "closed" and self.end is None:
            return True  # the start only says where to begin counting
        ends = (self.start, self.end)
        moved = tuple(None if at is None else move(*at) for at in ends)
        return ends == (moved[::-1] if back else moved)

    def read(self, keys: Mapping[Index, int]) -> Grid:
        """The grid of visit numbers."""
        return self.readings(keys)[0]

    def readings(self, keys: Mapping[Index, int]) -> Sequence[Grid]:
        """One grid; two, one for each direction, where edges have none."""
        if self.lazy:
            return self._undirected(keys)
        succ: dict[Cell, Cell] = {}
        start = self.start
        for index, value in keys.items():
            if value and len(index) == 4:
                succ[index[0], index[1]] = (index[2], index[3])
            elif value and index[0] == "first":
                start = index[1:]
        assert start is not None
        order = [start]
        while (following := succ.get(order[-1])) is not None and following != start:
            order.append(following)
        return (self._grid(order),)

    def _undirected(self, keys: Mapping[Index, int]) -> list[Grid]:
        near, tips = _adjacency(keys)
        start = self.start if self.kind == "closed" else tips[0]
        assert start is not None
        order = _walk(near, start)
        back = [start, *order[:0:-1]] if self.kind == "closed" else order[::-1]
        return [
            self._grid(order)
            for order in (order, back)
            if self.start in (None, order[0]) and self.end in (None, order[-1])
        ]

    def _grid(self, order: Sequence[Cell]) -> Grid:
        grid = [[0] * self.cols for _ in range(self.rows)]
        for number, (r, c) in enumerate(order, start=1):
            grid[r][c] = number
        return tuple(map(tuple, grid))

    def assignment(self, solution: Sequence[Sequence[int]]) -> dict[Index, int]:
        """A 1 for each move, and for the ends where they are free."""
        order, closed = _order(solution), self.kind == "closed"
        moves = list(pairwise([*order, order[0]] if closed else order))
        if self.lazy:
            found: dict[Index, int] = {(*min(i, j), *max(i, j)): 1 for i, j in moves}
            names = ("tip", "tip")
        else:
            found = {(*i, *j): 1 for i, j in moves}
            names = ("first", "last")
        if closed:
            return found
        return found | {(names[0], *order[0]): 1, (names[1], *order[-1]): 1}

    def violated(self, keys: Mapping[Index, int]) -> Iterator[tuple[dict[Index, float], float]]:
        """For each cycle among the edges chosen that misses a square, its subtour constraint."""
        if not self.lazy:
            return
        for cycle in _cycles(_adjacency(keys)[0]):
            if len(cycle) < self.rows * self.cols or self.kind != "closed":
                inside = {
                    (*i, *j): 1.0 for i in cycle for j in self.neighbours[i] if i < j and j in cycle
                }
                yield inside, len(cycle) - 1

    def check(self, solution: Sequence[Sequence[int]]) -> None:
        """Follow the visit numbers."""
        total = self.rows * self.cols
        where = {number: (r, c) for r, row in enumerate(solution) for c, number in enumerate(row)}
        if len(solution) != self.rows or any(len(row) != self.cols for row in solution):
            raise ValueError(f"the grid is not {self.rows}×{self.cols}")
        if sorted(where) != list(range(1, total + 1)):
            raise ValueError(f"the visits are not numbered 1 to {total}, once each")
        order = [where[k] for k in range(1, total + 1)]
        for k, ((r, c), (r2, c2)) in enumerate(pairwise(order), start=1):
            # The sides of a knight's move are 1 and 2, the only ones whose product is ±2.
            if (r - r2) * (c - c2) not in (2, -2):
                raise ValueError(f"visits {k} and {k + 1} are not a knight's move apart")
        first, last = where[1], where[total]
        if self.kind != "path" and _apart(first, last) != (self.kind == "closed"):
            word = "not " if self.kind == "closed" else ""
            raise ValueError(f"the last visit is {word}a knight's move from the first")
        for name, given, at in (("start", self.start, first), ("end", self.end, last)):
            if given is not None and given != at:
                raise ValueError(f"the {name} is {at}, not {given}")

    def figures(self, solution: Sequence[Sequence[int]]) -> dict[str, Any]:
        """The last square, the first where it is free, and with weights the roughness.

        The roughness is the sum of the weight differences along the tour; that of the closing
        move counts where the tour is closed.
        """
        order = _order(solution)
        found: dict[str, Any] = {"last": "{},{}".format(*order[-1])}
        if self.kind == "closed":
            order.append(order[0])
        else:
            found = {"first": "{},{}".format(*order[0]), **found}
        if self.weights:
            found["roughness"] = sum(self.step(*i, *j) for i, j in pairwise(order))
        return found

    def counts(self, count: int) -> dict[str, int]:
        """Closed tours without their direction."""
        if self.kind != "closed" or self.end is not None:
            return {}
        return {"directed": count, "undirected": count // 2}

    def draw(self, solution: Sequence[Sequence[int]]) -> str:
        """The grid of visit numbers."""
        return draw_grid(solution)

    def remark(self) -> str | None:
        """A. J. Schwenk, Which rectangular chessboards have a knight's tour? (1991)."""
        if self.kind != "closed":
            return None
        short, long = sorted((self.rows, self.cols))
        if short % 2 and long % 2:
            return "a knight changes colour with each move, so a closed tour has an even length"
        if short in (1, 2, 4) or (short == 3 and long in (4, 6, 8)):
            return f"no {short}×{long} board has a closed tour (Schwenk 1991)"
        return None


def _order(grid: Sequence[Sequence[int]]) -> list[Cell]:
    """The squares in the order of their visits."""
    where = {number: (r, c) for r, row in enumerate(grid) for c, number in enumerate(row)}
    return [where[number] for number in sorted(where)]


def _apart(a: Cell, b: Cell) -> bool:
    return abs((a[0] - b[0]) * (a[1] - b[1])) == 2


def _adjacency(keys: Mapping[Index, int]) -> tuple[dict[Cell, list[Cell]], list[Cell]]:
    """The chosen edges as lists of neighbours, and the ends of a path."""
    near: dict[Cell, list[Cell]] = {}
    tips: list[Cell] = []
    for index, value in keys.items():
        if not value:
            continue
        if len(index) == 3:
            tips.append(index[1:])
        else:
            i, j = index[:2], index[2:]
            near.setdefault(i, []).append(j)
            near.setdefault(j, []).append(i)
    return near, tips


def _walk(near: Mapping[Cell, Sequence[Cell]], start: Cell) -> list[Cell]:
    """From ``start`` along the edges to the end of the path, or once round the cycle."""
    order, previous, at = [start], start, near[start][0]
    while at != start:
        order.append(at)
        onward = near[at]
        if len(onward) == 1:
            break
        previous, at = at, onward[onward[0] == previous]
    return order


def _cycles(near: Mapping[Cell, Sequence[Cell]]) -> Iterator[set[Cell]]:
    """The cycles among edges of which at most two meet in a square."""
    seen: set[Cell] = set()
    for start in near:
        if start in seen:
            continue
        component, stack = {start}, [start]
        while stack:
            for j in near[stack.pop()]:
                if j not in component:
                    component.add(j)
                    stack.append(j)
        seen |= component
        if all(len(near[i]) == 2 for i in component):
            yield component
