"""Knight's tours: closed, open and either, by subtour elimination in several formulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

import pyomo.environ as pyo
from pyomo.core.base.var import VarData
from pyomo.core.expr import LinearExpression

from ..data import InputError, Square, load_square
from .boards import Cell, Move, board_symmetries, cells, draw_grid
from .puzzle import Generator, Group, Index, Puzzle, cell, distinct, one_of, whole

KINDS = ("closed", "open", "path")
OBJECTIVES = ("min", "max")
LARGEST_SIDE, MOST_SQUARES = 100, 2500
STEPS = tuple((dr, dc) for dr in (-2, -1, 1, 2) for dc in (-2, -1, 1, 2) if abs(dr) != abs(dc))
Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class KnightsTour(Puzzle):
    r"""Visit every square of a board once by knight's moves.

    Sets
        N, the squares; A, the arcs (i, j) between squares a knight's move apart; n = |N|.
    Parameters
        :math:`w_i`, the weight of a square (optional).
    Variables
        :math:`x_{ij} \in \{0, 1\}`, the tour goes from i to j;
        :math:`u_i \in \mathbb{Z}`, the number of the visit to i (``mtz``, ``mtz-lifted``);
        :math:`f_{ij} \ge 0`, the flow from i to j (``flow``).
    Objective
        min or max :math:`\sum_{(i, j) \in A} |w_i - w_j|\, x_{ij}`, the roughness of the tour,
        where there are weights; edges for arcs in ``dfj``.
    Constraints, closed tours
        :math:`\sum_j x_{ij} = 1` and :math:`\sum_j x_{ji} = 1` for each i, and subtours
        eliminated as the formulation says.
    Constraints, open tours and paths
        Free ends: :math:`s_i, e_i \in \{0, 1\}` say that i is the first, the last square;
        :math:`\sum_j x_{ij} + e_i = 1`, :math:`\sum_j x_{ji} + s_i = 1`,
        :math:`\sum s_i = \sum e_i = 1`.  This is a closed tour through one more node, adjacent
        to all squares.  *Open* tours must not be closable: :math:`s_i + e_j \le 1` for (i, j)
        in A.

    Formulations
        ``mtz``: with the depot 1 outside the range of u,
        :math:`u_i - u_j + (n-1) x_{ij} \le n - 2` for i, j ≠ 1, and :math:`2 \le u_i \le n`
        (for free ends :math:`u_i - u_j + n x_{ij} \le n - 1` and :math:`1 \le u_i \le n`).
        Source: C. Miller, A. Tucker, R. Zemlin, Integer programming formulation of traveling
        salesman problems, J. ACM 7 (1960), 326–329.

        ``mtz-lifted``: the same with :math:`+ (n-3) x_{ji}` (free ends: n - 2) on the left, and
        bounds on u by the arcs at the depot (the ends).  Source: M. Desrochers, G. Laporte,
        Improvements and extensions to the Miller–Tucker–Zemlin subtour elimination
        constraints, Operations Research Letters 10 (1991), 27–36.

        ``flow``: the depot 1 sends one unit to each other square along the tour,
        :math:`\sum_j f_{ji} - \sum_j f_{ij} = 1` for i ≠ 1, and
        :math:`f_{ij} \le (n-1) x_{ij}`.  For free ends n units come from outside into the first
        square, and each square keeps one: :math:`n s_i + \sum_j f_{ji} - \sum_j f_{ij} = 1` for
        each i.  (Variables :math:`g_i \le n s_i` for this inflow with :math:`\sum g_i = n` would
        say the same: as :math:`\sum s_i = 1`, all of :math:`g_i = n s_i`.)  A cycle without the
        depot (the first square) gets nothing to keep.  The relaxation is at least as strong as
        that of ``mtz``.  Source: B. Gavish, S. Graves, The travelling salesman problem and
        related problems, Working paper GR-078-78, Operations Research Center, MIT (1978).

        ``dfj``: undirected edges :math:`y_e`, two at each square (an end counts for one), and
        :math:`\sum_{e \in E(S)} y_e \le |S| - 1` for S ⊂ N, added when violated.  One
        assignment is read as the two directed tours along it.  Source: G. Dantzig,
        R. Fulkerson, S. Johnson, Solution of a large-scale traveling-salesman problem,
        Operations Research 2 (1954), 393–410.

    Kinds: *closed*, the last square a move away from the first; *open*, not; *path*, either.

    A solution is the grid of visit numbers.  A closed tour has its 1 on ``start``, by default
    (0, 0), so that a directed tour is one grid.
    """

    name: ClassVar[str] = "knights-tour"

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

    def model(self) -> pyo.ConcreteModel:
        """The MILP in the class's docstring; names: ``x[i,j]``, ``u[i]``, ``f[i,j]``, …"""
        model = pyo.ConcreteModel("knights_tour")
        FORMULATIONS[self.formulation](self, model)
        if self.weights:
            lines = model.y if self.lazy else model.x
            model.objective = pyo.Objective(
                expr=_sum(list(lines.values()), [self._step(*line) for line in lines]),
                sense=pyo.minimize if self.objective == "min" else pyo.maximize,
            )
        return model

    def _step(self, r: int, c: int, r2: int, c2: int) -> int:
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
            lines: list[Index] = [arc for arc in self.arcs if arc[:2] < arc[2:]]
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
            self._step(*move(*arc[:2]), *move(*arc[2:])) == self._step(*arc) for arc in self.arcs
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
        where = {number: (r, c) for r, row in enumerate(solution) for c, number in enumerate(row)}
        order = [where[number] for number in sorted(where)]
        found: dict[str, Any] = {"last": "{},{}".format(*order[-1])}
        if self.kind == "closed":
            order.append(order[0])
        else:
            found = {"first": "{},{}".format(*order[0]), **found}
        if self.weights:
            found["roughness"] = sum(self._step(*i, *j) for i, j in pairwise(order))
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


def _degrees(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    """Arcs x, one out of and one into each square, with free ends where the tour is not closed."""
    model.x = pyo.Var(tour.arcs, domain=pyo.Binary)
    closed = tour.kind == "closed"
    if not closed:
        model.first = pyo.Var(tour.squares, domain=pyo.Binary)
        model.last = pyo.Var(tour.squares, domain=pyo.Binary)
        model.one_first = pyo.Constraint(expr=pyo.quicksum(model.first.values()) == 1)
        model.one_last = pyo.Constraint(expr=pyo.quicksum(model.last.values()) == 1)
        for at, end in ((tour.start, model.first), (tour.end, model.last)):
            if at is not None:
                end[at].setlb(1)
    elif tour.end is not None and tour.start is not None:
        _close(model, model.x, (*tour.end, *tour.start))
    x, near = model.x, tour.neighbours

    def leave(m: pyo.ConcreteModel, *i: int) -> Any:
        return _sum([*(x[(*i, *j)] for j in near[i]), *(() if closed else (m.last[i],))]) == 1  # type: ignore[index]

    def enter(m: pyo.ConcreteModel, *i: int) -> Any:
        return _sum([*(x[(*j, *i)] for j in near[i]), *(() if closed else (m.first[i],))]) == 1  # type: ignore[index]

    model.leave = pyo.Constraint(tour.squares, rule=leave)
    model.enter = pyo.Constraint(tour.squares, rule=enter)
    if tour.kind == "open":
        model.not_closed = pyo.Constraint(
            tour.arcs, rule=lambda m, r, c, r2, c2: m.first[r, c] + m.last[r2, c2] <= 1
        )


def _mtz(tour: KnightsTour, model: pyo.ConcreteModel, lifted: bool = False) -> None:
    _degrees(tour, model)
    depot = tour.start if tour.kind == "closed" else None
    ordered = [i for i in tour.squares if i != depot]
    n, top = len(ordered), tour.rows * tour.cols
    model.u = pyo.Var(ordered, domain=pyo.Integers, bounds=(top - n + 1, top))
    x, u = model.x, model.u
    inner = [arc for arc in tour.arcs if depot not in (arc[:2], arc[2:])]

    def order(m: pyo.ConcreteModel, *arc: int) -> Any:
        i, j = arc[:2], arc[2:]
        lift = (n - 2) * x[(*j, *i)] if lifted else 0
        return u[i] - u[j] + n * x[arc] + lift <= n - 1

    model.order = pyo.Constraint(inner, rule=order)
    if lifted:
        _lift_bounds(tour, model, depot)


def _mtz_lifted(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    _mtz(tour, model, lifted=True)


def _lift_bounds(tour: KnightsTour, model: pyo.ConcreteModel, depot: Cell | None) -> None:
    """u_i is its lower (upper) bound where i is the first (last) square after the depot."""
    u, x = model.u, model.x
    low, high = (2, tour.rows * tour.cols) if depot else (1, tour.rows * tour.cols)
    if high - low < 2:
        return

    def ends(i: Cell) -> tuple[Any, Any]:
        if depot is None:
            return model.first[i], model.last[i]
        near = i in tour.neighbours[depot]
        return (x[(*depot, *i)], x[(*i, *depot)]) if near else (0, 0)

    def lower(m: pyo.ConcreteModel, *i: int) -> Any:
        first, last = ends(i)  # type: ignore[arg-type]
        return u[i] >= low + 1 - first + (high - low - 1) * last

    def upper(m: pyo.ConcreteModel, *i: int) -> Any:
        first, last = ends(i)  # type: ignore[arg-type]
        return u[i] <= high - 1 + last - (high - low - 1) * first

    model.earliest = pyo.Constraint(list(u), rule=lower)
    model.latest = pyo.Constraint(list(u), rule=upper)


def _flow(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    """Flow f along the tour, of which each square but the depot keeps one unit."""
    _degrees(tour, model)
    depot = tour.start if tour.kind == "closed" else None
    n, near = tour.rows * tour.cols, tour.neighbours
    model.f = pyo.Var(tour.arcs, domain=pyo.NonNegativeReals, bounds=(0, n - 1))
    x, f = model.x, model.f
    model.capacity = pyo.Constraint(tour.arcs, rule=lambda m, *arc: f[arc] <= (n - 1) * x[arc])

    def keep(m: pyo.ConcreteModel, *i: int) -> Any:
        flows = [f[(*j, *i)] for j in near[i]] + [f[(*i, *j)] for j in near[i]]  # type: ignore[index]
        signs = [1] * len(near[i]) + [-1] * len(near[i])  # type: ignore[index]
        if depot is None:
            return _sum([m.first[i], *flows], [n, *signs]) == 1
        return _sum(flows, signs) == 1

    model.keep = pyo.Constraint([i for i in tour.squares if i != depot], rule=keep)


def _dfj(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    """Edges y and degrees; the subtour constraints come from :meth:`KnightsTour.violated`."""
    edges = [arc for arc in tour.arcs if arc[:2] < arc[2:]]
    model.y = pyo.Var(edges, domain=pyo.Binary)
    y, near, free = model.y, tour.neighbours, tour.kind != "closed"
    if free:
        model.tip = pyo.Var(tour.squares, domain=pyo.Binary)
        model.two_tips = pyo.Constraint(expr=pyo.quicksum(model.tip.values()) == 2)
        for at in (tour.start, tour.end):
            if at is not None:
                model.tip[at].setlb(1)
    elif tour.end is not None and tour.start is not None:
        pair = min(tour.start, tour.end), max(tour.start, tour.end)
        _close(model, y, (*pair[0], *pair[1]))

    def degree(m: pyo.ConcreteModel, *i: int) -> Any:
        at = [y[(*min(i, j), *max(i, j))] for j in near[i]]  # type: ignore[index]
        return _sum([*at, *((m.tip[i],) if free else ())]) == 2

    model.degree = pyo.Constraint(tour.squares, rule=degree)
    if tour.kind == "open":
        model.not_closed = pyo.Constraint(
            edges, rule=lambda m, r, c, r2, c2: m.tip[r, c] + m.tip[r2, c2] <= 1
        )


FORMULATIONS: dict[str, Callable[[KnightsTour, pyo.ConcreteModel], None]] = {
    "mtz": _mtz,
    "mtz-lifted": _mtz_lifted,
    "flow": _flow,
    "dfj": _dfj,
}


def _close(model: pyo.ConcreteModel, lines: pyo.Var, line: tuple[int, ...]) -> None:
    """The last move of a closed tour is given by its end and its start."""
    model.closing = pyo.Constraint(expr=_sum([lines[line]] if line in lines else []) == 1)


def _sum(terms: Sequence[VarData], coefficients: Sequence[int] | None = None) -> Any:
    """A linear expression, also of no terms: a square without moves makes a false constraint."""
    coefficients = [1] * len(terms) if coefficients is None else coefficients
    return LinearExpression(linear_coefs=list(coefficients), linear_vars=list(terms))


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
