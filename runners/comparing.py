"""Formulations and solvers side by side: sizes, relaxations, nodes, seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from ..data import InputError
from ..data.errors import check_positive
from ..models.puzzle import Puzzle
from . import solvers
from .errors import SolverError
from .files import whole_file
from .levels import tolerance
from .linear import LinearModel, as_problem
from .session import Options
from .solving import Solved, solve

if TYPE_CHECKING:
    import pandas as pd


def formulations_of(puzzle: Puzzle | type[Puzzle]) -> tuple[str, ...]:
    """The formulations of a puzzle; none where there is only one."""
    kind = puzzle if isinstance(puzzle, type) else type(puzzle)
    hint = get_type_hints(kind).get("formulation")
    return get_args(hint) if get_origin(hint) is Literal else ()


def relaxation(linear: LinearModel) -> float | None:
    """The value of the LP relaxation in the model's own sense; None without an objective."""
    if not linear.has_objective:
        return None
    relaxed = replace(linear, integer=np.zeros(linear.columns, dtype=bool))
    answer = solvers.session("highs", relaxed).solve(Options())
    return None if answer.values is None else linear.objective(answer.values)


def compare(
    puzzle: Puzzle,
    formulations: Sequence[str] = (),
    solver_names: Sequence[str] = ("highs",),
    *,
    seeds: int = 1,
    time_limit: float = 60.0,
    say: Callable[[str], None] = lambda line: None,
) -> pd.DataFrame:
    """Solve one instance by several formulations with several solvers.

    Parameters
    ----------
    puzzle
        The instance; its own formulation does not matter.
    formulations
        Which of the puzzle's; all by default.
    solver_names
        Names in :data:`nogood.runners.solvers.SOLVERS`.
    seeds
        Runs with as many seeds, where a solver has them.
    time_limit
        Seconds for a run; one that passes it is a row with its bound.

    Returns
    -------
    One row a combination: formulation, solver, rows, columns, nonzeros, relaxation, closed (the
    share of the gap between the weakest relaxation and the optimum that the relaxation closes),
    nodes and seconds (medians over the seeds), status, objective, bound.  Ctrl-C ends it with
    the rows so far.

    Raises
    ------
    InputError, SolverMissing
        If there is no such formulation or solver.
    SolverError
        If two runs that end disagree about the optimum.
    """
    import pandas as pd

    if not isinstance(puzzle, Puzzle):
        raise InputError("compare: expected a puzzle; a file has only one formulation")
    check_positive("seeds", seeds, whole=True)
    check_positive("time_limit", time_limit)
    known = formulations_of(puzzle)
    for name in formulations:
        if name not in known:
            raise InputError(f"formulations: expected some of {', '.join(known)}; got {name!r}")
    if not solver_names:
        raise InputError(f"solvers: expected some of {', '.join(solvers.SOLVERS)}; got none")
    for name in solver_names:
        solvers.find(name)
    chosen = [_with(puzzle, name) for name in formulations or known] or [puzzle]
    rows: list[dict[str, Any]] = []
    interrupted = False
    try:
        for row in _rows(chosen, solver_names, seeds, time_limit):
            rows.append(row)
            say(f"{row['formulation']} {row['solver']}: {row['status']}, {row['seconds']:.2f} s")
    except KeyboardInterrupt:
        interrupted = True
        say("interrupted; these rows are what was done")
    table = pd.DataFrame(rows)
    _must_agree(table)
    table = _closed(table)
    table.attrs["interrupted"] = interrupted
    return table


def _with(puzzle: Puzzle, formulation: str) -> Puzzle:
    changed: Any = puzzle
    return replace(changed, formulation=formulation)  # type: ignore[no-any-return]


def _rows(
    puzzles: Sequence[Puzzle], solver_names: Sequence[str], seeds: int, time_limit: float
) -> Iterator[dict[str, Any]]:
    for puzzle in puzzles:
        linear = as_problem(puzzle).linear
        sizes = {
            "rows": linear.rows,
            "columns": linear.columns,
            "nonzeros": int(linear.matrix.nnz),
            "relaxation": relaxation(linear),
        }
        for name in solver_names:
            count = seeds if solvers.SOLVERS[name].seeds else 1
            runs = [
                solve(puzzle, solver=name, time_limit=time_limit, seed=seed)
                for seed in range(count)
            ]
            yield {
                "formulation": getattr(puzzle, "formulation", ""),
                "solver": name,
                **sizes,
                **_summary(runs),
                "sense": linear.sense,
            }


def _summary(runs: Sequence[Solved]) -> dict[str, Any]:
    worst = next((run for run in runs if run.status not in ("optimal", "infeasible")), runs[0])
    nodes = [run.nodes for run in runs if run.nodes is not None]
    return {
        "nodes": median(nodes) if nodes else None,
        "seconds": round(median(run.seconds for run in runs), 3),
        "status": worst.status,
        "objective": worst.objective,
        "bound": worst.bound,
    }


def _must_agree(table: pd.DataFrame) -> None:
    """Runs that ended must agree: on the optimum, or that there is none."""
    if table.empty:
        return
    ended = table[table["status"].isin(["optimal", "infeasible"])]
    if ended["status"].nunique() > 1:
        said = ", ".join(f"{r.formulation} {r.solver}: {r.status}" for r in ended.itertuples())
        raise SolverError(f"the runs disagree: {said}")
    values = ended["objective"].dropna()
    if len(values) and values.max() - values.min() > tolerance(values.max()):
        said = ", ".join(f"{r.formulation} {r.solver}: {r.objective}" for r in ended.itertuples())
        raise SolverError(f"the optima disagree: {said}")


def _closed(table: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the gap that each relaxation closes, after the relaxation."""
    if table.empty:
        return table
    sense = table.pop("sense").iloc[0]
    optima = table.loc[table["status"] == "optimal", "objective"].dropna()
    bounds = sense * table["relaxation"].astype(float)
    closed: Any = None
    if len(optima) and bounds.notna().any():
        gap = sense * float(optima.iloc[0]) - bounds.min()
        closed = ((bounds - bounds.min()) / gap).round(3) if gap > 1e-9 else 1.0
    table.insert(list(table.columns).index("relaxation") + 1, "closed", closed)
    return table


def plot(table: pd.DataFrame, path: Path) -> None:
    """Relaxations and seconds side by side, one bar a row; told apart without colour."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    labels = (table["formulation"] + " · " + table["solver"]).tolist()[::-1]
    figure, (bounds, times) = pyplot.subplots(
        1, 2, figsize=(10, 1.2 + 0.4 * len(labels)), sharey=True, layout="constrained"
    )
    bounds.barh(labels, table["relaxation"].astype(float).fillna(0)[::-1], color="0.8", ec="k")
    for value in table["objective"].dropna().unique():
        bounds.axvline(value, color="k", linestyle="--", label=f"objective {value:g}")
    if table["objective"].notna().any():
        bounds.legend()
    bounds.set(xlabel="value of the relaxation")
    late = table["status"].ne("optimal") & table["status"].ne("infeasible")
    bars = times.barh(labels, table["seconds"][::-1], color="0.8", ec="k")
    for bar, is_late in zip(bars, late[::-1], strict=True):
        bar.set_hatch("///" if is_late else "")
    times.set(xlabel="seconds (log scale; hatched: not to the end)", xscale="log")
    with whole_file(path) as partial:
        figure.savefig(partial, dpi=120)
    pyplot.close(figure)
