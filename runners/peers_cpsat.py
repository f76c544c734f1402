"""Counting all solutions with CP-SAT, in the form that suits it: integers and circuits.

It enumerates with one worker only.  In trials its linear relaxation cost more than it gave
(closed tours 6×6: 1 s without, over 50 s with it), and so did its automatic search, except for
the squares that hide queens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_STEPS = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]


def queens(n: int, seconds: float) -> int | None:
    r"""Place n queens.

    :math:`q_r \in \{0, …, n-1\}`, the column of the queen in row r; all-different
    :math:`q_r`, :math:`q_r + r` and :math:`q_r - r`.
    """
    from ortools.sat.python import cp_model

    model, column = _queens(n)
    model.add_decision_strategy(column, cp_model.CHOOSE_MIN_DOMAIN_SIZE, cp_model.SELECT_MIN_VALUE)
    return _count(model, seconds)


def _queens(n: int) -> tuple[Any, list[Any]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    column = [model.new_int_var(0, n - 1, f"q{r}") for r in range(n)]
    model.add_all_different(column)
    model.add_all_different([q + r for r, q in enumerate(column)])
    model.add_all_different([q - r for r, q in enumerate(column)])
    return model, column


def magic_square(hide_queens: bool, seconds: float) -> int | None:
    r"""Fill the square of order 4; to ``hide_queens``, both 4-queens solutions sum to 34 too.

    :math:`x_{rc} \in \{1, …, 16\}`, all-different; the rows, columns, diagonals and the
    equalities that they imply sum to 34.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    x = {(r, c): model.new_int_var(1, 16, f"x{r}{c}") for r in range(4) for c in range(4)}
    model.add_all_different(list(x.values()))
    hidden = [list(enumerate(columns)) for columns in _four_queens()] if hide_queens else []
    for line in [*_lines(), *hidden]:
        model.add(sum(x[at] for at in line) == 34)
    corners_first = sorted(x, key=_distance, reverse=True)
    model.add_decision_strategy(
        [x[at] for at in corners_first], cp_model.CHOOSE_FIRST, cp_model.SELECT_MIN_VALUE
    )
    return _count(model, seconds, automatic=hide_queens)


def _lines() -> list[list[tuple[int, int]]]:
    """The lines of a square of order 4, and its corners, centre and middle pairs."""
    side = range(4)
    return [
        *([(r, c) for c in side] for r in side),
        *([(r, c) for r in side] for c in side),
        [(i, i) for i in side],
        [(i, 3 - i) for i in side],
        *([(r, c) for r in rows for c in cols] for rows in _PAIRS for cols in _PAIRS),
    ]


_PAIRS = ((0, 3), (1, 2))


def _distance(at: tuple[int, int]) -> int:
    """Orders the cells by kind: corners, centre, then the middle pairs."""
    return {(True, True): 3, (False, False): 2}.get((at[0] in _PAIRS[0], at[1] in _PAIRS[0]), 1)


def _four_queens() -> list[tuple[int, ...]]:
    from ortools.sat.python import cp_model

    model, column = _queens(4)
    found: list[tuple[int, ...]] = []

    class Collect(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            found.append(tuple(self.value(q) for q in column))

    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(model, Collect())
    return found


def tours(rows: int, cols: int, closed: bool, seconds: float) -> int | None:
    r"""Visit every square by knight's moves, directed tours; a path if not ``closed``.

    :math:`x_{ij} \in \{0, 1\}` for each arc, and one circuit over all nodes; a path is a
    circuit through one more node that is adjacent to all squares.
    """
    from ortools.sat.python import cp_model

    model, dummy = cp_model.CpModel(), rows * cols
    ends = [] if closed else [a for i in range(dummy) for a in ((dummy, i), (i, dummy))]
    arcs = [(i, j, model.new_bool_var(f"x{i}_{j}")) for i, j in [*_moves(rows, cols), *ends]]
    model.add_circuit(arcs)
    model.add_decision_strategy(
        [x for _, _, x in arcs], cp_model.CHOOSE_FIRST, cp_model.SELECT_MAX_VALUE
    )
    return _count(model, seconds)


def _moves(rows: int, cols: int) -> Sequence[tuple[int, int]]:
    return [
        (r * cols + c, (r + dr) * cols + c + dc)
        for r in range(rows)
        for c in range(cols)
        for dr, dc in _STEPS
        if 0 <= r + dr < rows and 0 <= c + dc < cols
    ]


def _count(model: Any, seconds: float, automatic: bool = False) -> int | None:
    """Enumerate without LP, strictly by the model's decision strategy unless ``automatic``."""
    from ortools.sat.python import cp_model

    class Counter(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        found = 0

        def on_solution_callback(self) -> None:
            self.found += 1

    solver, counter = cp_model.CpSolver(), Counter()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    if not automatic:
        solver.parameters.search_branching = cp_model.FIXED_SEARCH
    solver.parameters.linearization_level = 0
    status = solver.solve(model, counter)
    return counter.found if status in (cp_model.OPTIMAL, cp_model.INFEASIBLE) else None
