"""What models of knight's tours are made of: degrees, subtour elimination, roughness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyomo.environ as pyo
from pyomo.core.base.var import VarData
from pyomo.core.expr import LinearExpression

from .boards import Cell
from .puzzle import Part

if TYPE_CHECKING:
    from .knights_tour import KnightsTour


def _arcs(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Arcs.

    Variables
        x[i,j]: :math:`x_{ij} \in \{0, 1\}`, the tour goes from i to j, for :math:`(i, j) \in A`.
    """
    model.x = pyo.Var(tour.arcs, domain=pyo.Binary)


def _one_out_one_in(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""A closed tour leaves and enters each square once.

    Constraints
        leave[i]: :math:`\sum_{j} x_{ij} = 1` for :math:`i \in N`.
        enter[i]: :math:`\sum_{j} x_{ji} = 1` for :math:`i \in N`.
    """
    _add_degrees(tour, model, [], [])


def _free_ends(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""A tour with ends leaves each square but its last, and enters each but its first.

    Variables
        first[i]: :math:`\mathrm{first}_i \in \{0, 1\}`, i is the first square.
        last[i]: :math:`\mathrm{last}_i \in \{0, 1\}`, i is the last square.
    Constraints
        one_first: :math:`\sum_{i} \mathrm{first}_i = 1`.
        one_last: :math:`\sum_{i} \mathrm{last}_i = 1`.
        leave[i]: :math:`\sum_{j} x_{ij} + \mathrm{last}_i = 1` for :math:`i \in N`.
        enter[i]: :math:`\sum_{j} x_{ji} + \mathrm{first}_i = 1` for :math:`i \in N`.

    This is a closed tour through one more node, adjacent to all squares.  A given start or end
    is a lower bound of 1.
    """
    model.first = pyo.Var(tour.squares, domain=pyo.Binary)
    model.last = pyo.Var(tour.squares, domain=pyo.Binary)
    model.one_first = pyo.Constraint(expr=pyo.quicksum(model.first.values()) == 1)
    model.one_last = pyo.Constraint(expr=pyo.quicksum(model.last.values()) == 1)
    for at, end in ((tour.start, model.first), (tour.end, model.last)):
        if at is not None:
            end[at].setlb(1)
    _add_degrees(tour, model, [model.last], [model.first])


def _add_degrees(
    tour: KnightsTour, model: pyo.ConcreteModel, out: Sequence[pyo.Var], into: Sequence[pyo.Var]
) -> None:
    """One of the arcs out of a square, or of ``out``, is chosen; and so for those into it."""
    x, near = model.x, tour.neighbours
    model.leave = pyo.Constraint(
        tour.squares,
        rule=lambda m, *i: _sum([*(x[(*i, *j)] for j in near[i]), *(v[i] for v in out)]) == 1,
    )
    model.enter = pyo.Constraint(
        tour.squares,
        rule=lambda m, *i: _sum([*(x[(*j, *i)] for j in near[i]), *(v[i] for v in into)]) == 1,
    )


def not_closed(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""An open tour cannot be closed.

    Constraints
        not_closed[i,j]: :math:`\mathrm{first}_i + \mathrm{last}_j \le 1` for :math:`(i, j) \in A`.
    """
    model.not_closed = pyo.Constraint(
        tour.arcs, rule=lambda m, r, c, r2, c2: m.first[r, c] + m.last[r2, c2] <= 1
    )


def closing(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""A closed tour's last move, where its end is given.

    Constraints
        closing: the move from the end to the start is made, :math:`= 1`.
    """
    assert tour.start is not None
    assert tour.end is not None
    ends = sorted((tour.start, tour.end)) if tour.lazy else [tour.end, tour.start]
    lines, line = model.y if tour.lazy else model.x, (*ends[0], *ends[1])
    model.closing = pyo.Constraint(expr=_sum([lines[line]] if line in lines else []) == 1)


def _depot_order(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Visits are numbered along the tour.

    Variables
        u[i]: :math:`u_i \in \{2, \dots, n\}`, the number of the visit to i, for :math:`i \ne 1`.
    Constraints
        order[i,j]: :math:`u_i - u_j + (n-1)\, x_{ij} \le n - 2` for
            :math:`(i, j) \in A,\; i, j \ne 1`.

    Source: C. Miller, A. Tucker, R. Zemlin, Integer programming formulation of traveling
    salesman problems, Journal of the ACM 7 (1960), 326–329.
    """
    _add_order(tour, model, lifted=False)


def _free_order(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Visits are numbered along the tour.

    Variables
        u[i]: :math:`u_i \in \{1, \dots, n\}`, the number of the visit to i.
    Constraints
        order[i,j]: :math:`u_i - u_j + n\, x_{ij} \le n - 1` for :math:`(i, j) \in A`.

    Source: C. Miller, A. Tucker, R. Zemlin, Integer programming formulation of traveling
    salesman problems, Journal of the ACM 7 (1960), 326–329.
    """
    _add_order(tour, model, lifted=False)


def _depot_order_lifted(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Visits are numbered along the tour, both directions of a move at once.

    Variables
        u[i]: :math:`u_i \in \{2, \dots, n\}`, the number of the visit to i, for :math:`i \ne 1`.
    Constraints
        order[i,j]: :math:`u_i - u_j + (n-1)\, x_{ij} + (n-3)\, x_{ji} \le n - 2` for
            :math:`(i, j) \in A,\; i, j \ne 1`.
        earliest[i]: :math:`u_i \ge 3 - x_{1i} + (n-3)\, x_{i1}`, where :math:`x_{1i} = 0` if there
            is no such arc.
        latest[i]: :math:`u_i \le n - 1 + x_{i1} - (n-3)\, x_{1i}`, likewise.

    Source: M. Desrochers, G. Laporte, Improvements and extensions to the Miller–Tucker–Zemlin
    subtour elimination constraints, Operations Research Letters 10 (1991), 27–36.
    """
    _add_order(tour, model, lifted=True)
    x, depot = model.x, tour.start
    assert depot is not None

    def ends(i: Cell) -> tuple[Any, Any]:
        near = i in tour.neighbours[depot]
        return (x[(*depot, *i)], x[(*i, *depot)]) if near else (0, 0)

    _lift_bounds(model, ends, 2, len(tour.squares))


def _free_order_lifted(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Visits are numbered along the tour, both directions of a move at once.

    Variables
        u[i]: :math:`u_i \in \{1, \dots, n\}`, the number of the visit to i.
    Constraints
        order[i,j]: :math:`u_i - u_j + n\, x_{ij} + (n-2)\, x_{ji} \le n - 1` for
            :math:`(i, j) \in A`.
        earliest[i]: :math:`u_i \ge 2 - \mathrm{first}_i + (n-2)\, \mathrm{last}_i`.
        latest[i]: :math:`u_i \le n - 1 + \mathrm{last}_i - (n-2)\, \mathrm{first}_i`.

    Source: M. Desrochers, G. Laporte, Improvements and extensions to the Miller–Tucker–Zemlin
    subtour elimination constraints, Operations Research Letters 10 (1991), 27–36.
    """
    _add_order(tour, model, lifted=True)
    _lift_bounds(model, lambda i: (model.first[i], model.last[i]), 1, len(tour.squares))


def _add_order(tour: KnightsTour, model: pyo.ConcreteModel, lifted: bool) -> None:
    ordered = [i for i in tour.squares if i != tour.depot]
    n, top = len(ordered), len(tour.squares)
    model.u = u = pyo.Var(ordered, domain=pyo.Integers, bounds=(top - n + 1, top))
    inner = [arc for arc in tour.arcs if tour.depot not in (arc[:2], arc[2:])]

    def order(m: pyo.ConcreteModel, *arc: int) -> Any:
        i, j = arc[:2], arc[2:]
        lift = (n - 2) * m.x[(*j, *i)] if lifted else 0
        return u[i] - u[j] + n * m.x[arc] + lift <= n - 1

    model.order = pyo.Constraint(inner, rule=order)


def _lift_bounds(
    model: pyo.ConcreteModel, ends: Callable[[Cell], tuple[Any, Any]], low: int, high: int
) -> None:
    """u is ``low`` where the square is the first, ``high`` where it is the last, else between."""
    u = model.u
    if high - low < 2:
        return

    def lower(m: pyo.ConcreteModel, *i: int) -> Any:
        first, last = ends(i)  # type: ignore[arg-type]
        return u[i] >= low + 1 - first + (high - low - 1) * last

    def upper(m: pyo.ConcreteModel, *i: int) -> Any:
        first, last = ends(i)  # type: ignore[arg-type]
        return u[i] <= high - 1 + last - (high - low - 1) * first

    model.earliest = pyo.Constraint(list(u), rule=lower)
    model.latest = pyo.Constraint(list(u), rule=upper)


def _depot_flow(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""The start sends a unit to each other square along the tour; each keeps one.

    Variables
        f[i,j]: :math:`0 \le f_{ij} \le n - 1`, the flow from i to j, for :math:`(i, j) \in A`.
    Constraints
        capacity[i,j]: :math:`f_{ij} \le (n-1)\, x_{ij}` for :math:`(i, j) \in A`.
        keep[i]: :math:`\sum_{j} f_{ji} - \sum_{j} f_{ij} = 1` for :math:`i \ne 1`.

    A cycle without the start gets nothing to keep.  Source: B. Gavish, S. Graves, The travelling
    salesman problem and related problems, Working paper GR-078-78, Operations Research Center,
    MIT (1978).
    """
    _add_flow(tour, model)


def _free_flow(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""n units come from outside into the first square; each square keeps one.

    Variables
        f[i,j]: :math:`0 \le f_{ij} \le n - 1`, the flow from i to j, for :math:`(i, j) \in A`.
    Constraints
        capacity[i,j]: :math:`f_{ij} \le (n-1)\, x_{ij}` for :math:`(i, j) \in A`.
        keep[i]: :math:`n\, \mathrm{first}_i + \sum_{j} f_{ji} - \sum_{j} f_{ij} = 1` for
            :math:`i \in N`.

    A cycle without the first square gets nothing to keep.  (Variables
    :math:`g_i \le n\, \mathrm{first}_i` for the inflow, with :math:`\sum_{i} g_i = n`, would say
    the same.)  Source: B. Gavish, S. Graves, The travelling salesman problem and related problems,
    Working paper GR-078-78, Operations Research Center, MIT (1978).
    """
    _add_flow(tour, model)


def _add_flow(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    n, near, depot = len(tour.squares), tour.neighbours, tour.depot
    model.f = f = pyo.Var(tour.arcs, domain=pyo.NonNegativeReals, bounds=(0, n - 1))
    model.capacity = pyo.Constraint(tour.arcs, rule=lambda m, *arc: f[arc] <= (n - 1) * m.x[arc])

    def keep(m: pyo.ConcreteModel, *i: int) -> Any:
        flows = [f[(*j, *i)] for j in near[i]] + [f[(*i, *j)] for j in near[i]]  # type: ignore[index]
        signs = [1] * len(near[i]) + [-1] * len(near[i])  # type: ignore[index]
        if depot is None:
            return _sum([m.first[i], *flows], [n, *signs]) == 1
        return _sum(flows, signs) == 1

    model.keep = pyo.Constraint([i for i in tour.squares if i != depot], rule=keep)


def _edges(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Edges; subtours are cut off as they appear.

    Variables
        y[i,j]: :math:`y_{ij} \in \{0, 1\}`, the tour moves between i and j, for
            :math:`\{i, j\} \in E`.
    Lazy constraints
        subtour: :math:`\sum_{\{i, j\} \in E : i, j \in S} y_{ij} \le |S| - 1` for
            :math:`S \subset N`, added when violated.

    One assignment is read as the two directed tours along it.  Source: G. Dantzig,
    R. Fulkerson, S. Johnson, Solution of a large-scale traveling-salesman problem, Operations
    Research 2 (1954), 393–410.
    """
    model.y = pyo.Var(tour.edges, domain=pyo.Binary)


def _degrees(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Two edges meet in each square.

    Constraints
        degree[i]: :math:`\sum_{j} y_{ij} = 2` for :math:`i \in N`.
    """
    _add_degree(tour, model, [])


def _tips(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""Two edges meet in each square but the tips, the two ends.

    Variables
        tip[i]: :math:`\mathrm{tip}_i \in \{0, 1\}`, i is an end of the tour.
    Constraints
        two_tips: :math:`\sum_{i} \mathrm{tip}_i = 2`.
        degree[i]: :math:`\sum_{j} y_{ij} + \mathrm{tip}_i = 2` for :math:`i \in N`.

    A given start or end is a lower bound of 1.
    """
    model.tip = pyo.Var(tour.squares, domain=pyo.Binary)
    model.two_tips = pyo.Constraint(expr=pyo.quicksum(model.tip.values()) == 2)
    for at in (tour.start, tour.end):
        if at is not None:
            model.tip[at].setlb(1)
    _add_degree(tour, model, [model.tip])


def _add_degree(tour: KnightsTour, model: pyo.ConcreteModel, tips: Sequence[pyo.Var]) -> None:
    y, near = model.y, tour.neighbours
    model.degree = pyo.Constraint(
        tour.squares,
        rule=lambda m, *i: (
            _sum([*(y[(*min(i, j), *max(i, j))] for j in near[i]), *(v[i] for v in tips)]) == 2
        ),
    )


def not_closed_edges(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""An open tour cannot be closed.

    Constraints
        not_closed[i,j]: :math:`\mathrm{tip}_i + \mathrm{tip}_j \le 1` for :math:`\{i, j\} \in E`.
    """
    model.not_closed = pyo.Constraint(
        tour.edges, rule=lambda m, r, c, r2, c2: m.tip[r, c] + m.tip[r2, c2] <= 1
    )


FORMULATIONS: dict[str, tuple[Sequence[Part], Sequence[Part]]] = {
    "mtz": ((_arcs, _one_out_one_in, _depot_order), (_arcs, _free_ends, _free_order)),
    "mtz-lifted": (
        (_arcs, _one_out_one_in, _depot_order_lifted),
        (_arcs, _free_ends, _free_order_lifted),
    ),
    "flow": ((_arcs, _one_out_one_in, _depot_flow), (_arcs, _free_ends, _free_flow)),
    "dfj": ((_edges, _degrees), (_edges, _tips)),
}
"""The parts of closed tours, and of those with free ends."""


def roughness(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""The roughness of the tour.

    Objective
        objective: :math:`\sum_{(i, j) \in A} |w_i - w_j|\, x_{ij}`.
    """
    _add_roughness(tour, model, model.x)


def roughness_edges(tour: KnightsTour, model: pyo.ConcreteModel) -> None:
    r"""The roughness of the tour.

    Objective
        objective: :math:`\sum_{\{i, j\} \in E} |w_i - w_j|\, y_{ij}`.
    """
    _add_roughness(tour, model, model.y)


def _add_roughness(tour: KnightsTour, model: pyo.ConcreteModel, lines: pyo.Var) -> None:
    model.objective = pyo.Objective(
        expr=_sum(list(lines.values()), [tour.step(*line) for line in lines]),
        sense=pyo.minimize if tour.objective == "min" else pyo.maximize,
    )


def _sum(terms: Sequence[VarData], coefficients: Sequence[int] | None = None) -> Any:
    """A linear expression, also of no terms: a square without moves makes a false constraint."""
    coefficients = [1] * len(terms) if coefficients is None else coefficients
    return LinearExpression(linear_coefs=list(coefficients), linear_vars=list(terms))
