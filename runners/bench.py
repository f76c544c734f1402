"""The benchmark: all solutions of the tasks, by this package and by its peers, in one run."""

from __future__ import annotations

import gc
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from ..data import InputError
from ..models import KnightsTour, MagicSquare, Puzzle, Queens
from .enumeration import enumerate_solutions
from .errors import SolverError
from .files import whole_file
from .peers import COUNTS, PEERS, Count
from .solving import solve

if TYPE_CHECKING:
    import pandas as pd

OURS = "nogood"
_COLUMNS = ["job", "contender", "version", "solutions", "seconds", "runs", "ratio"]


@dataclass(frozen=True)
class Job:
    """What is measured: a puzzle and options of ``enumerate_solutions``.

    ``task`` is its name in :data:`nogood.runners.peers.COUNTS`, for the peers and the count.
    """

    name: str
    task: str
    puzzle: Puzzle
    options: Mapping[str, Any] = field(default_factory=dict)
    quick: bool = False

    def count(self, seconds: float) -> int | None:
        """All solutions, read and checked; None if ``seconds`` did not do."""
        found = enumerate_solutions(self.puzzle, time_limit=seconds, **self.options)
        if found.stopped == "interrupt":
            raise KeyboardInterrupt
        return found.count if found.complete else None


JOBS: dict[str, Job] = {
    job.name: job
    for job in (
        Job("queens-8", "queens-8", Queens(8), quick=True),
        Job("queens-10", "queens-10", Queens(10), quick=True),
        Job("queens-12", "queens-12", Queens(12)),
        Job("magic-4", "magic-4", MagicSquare(4), quick=True),
        Job("magic-4-no-symmetry", "magic-4", MagicSquare(4), {"symmetry": False}),
        Job("magic-4-hide", "magic-4-hide", MagicSquare(4, hide_queens=True)),
        Job("tours-5x6", "tours-5x6", KnightsTour(5, 6, formulation="dfj"), quick=True),
        Job("tours-6x6", "tours-6x6", KnightsTour(6, 6, formulation="dfj"), quick=True),
        Job("tours-6x6-mtz", "tours-6x6", KnightsTour(6, 6, formulation="mtz-lifted")),
        Job("paths-5x5", "paths-5x5", KnightsTour(5, 5, kind="path", formulation="dfj")),
    )
}


def names() -> list[str]:
    """The names of all jobs."""
    return [*JOBS, *_AMONG_OURSELVES]


def run(
    chosen: Sequence[str] = (),
    peers: Sequence[str] | None = None,
    *,
    quick: bool = False,
    repeat: int = 3,
    time_limit: float = 120.0,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
) -> pd.DataFrame:
    """Measure, in alternation, and return a table with one row for each job and contender.

    Columns: job, contender, version, solutions, seconds (median; NaN where the time limit came
    first), runs, ratio (its seconds over this package's).  Seconds exclude imports and include
    building and compiling the model.  A contender that passes the time limit is run once.  After
    Ctrl-C it has the jobs that were done, and ``attrs["interrupted"]`` is true.

    Raises
    ------
    InputError
        If there is no such job or peer.
    SolverError
        If a count is not the known one.
    """
    import pandas as pd

    for name in chosen:
        if name not in names():
            raise InputError(f"task: expected one of {', '.join(names())}; got {name!r}")
    for name in peers or ():
        if name not in PEERS:
            raise InputError(f"peer: expected one of {', '.join(PEERS)}; got {name!r}")
    here = [name for name in (PEERS if peers is None else peers) if PEERS[name].available()]
    if quick:
        repeat, time_limit = 1, min(time_limit, 5.0)
    rows: list[dict[str, Any]] = []
    peer_times: dict[str, dict[str, list[float]]] = {}  # of tasks that several jobs share
    interrupted = False
    try:
        for name in chosen or names():
            if quick and not chosen and (name not in JOBS or not JOBS[name].quick):
                continue
            if name in _AMONG_OURSELVES:
                (contenders, expected), known = _AMONG_OURSELVES[name](), dict[str, list[float]]()
            else:
                task = JOBS[name].task
                contenders, expected = _contenders(JOBS[name], here), COUNTS[task]
                known = peer_times.setdefault(task, {})
            times = _measure(name, contenders, expected, repeat, time_limit, known, say)
            known |= {contender: own for contender, own in times.items() if contender != OURS}
            rows += [_row(name, contender, expected, times) for contender in times]
    except KeyboardInterrupt:
        interrupted = True
        say("interrupted; these are the jobs that were done")
    table = pd.DataFrame(rows, columns=None if rows else _COLUMNS)
    table.attrs["interrupted"] = interrupted
    return table


def _contenders(job: Job, peers: Sequence[str]) -> dict[str, Count]:
    found: dict[str, Count] = {OURS: job.count}
    for name in peers:
        if job.task in PEERS[name].tasks:
            found[name] = PEERS[name].tasks[job.task]
    return found


def _first_tour() -> tuple[dict[str, Count], int]:
    """One closed 20×20 tour: subtours cut as they appear, and HiGHS on the plain MTZ."""

    def by(formulation: Any) -> Count:
        def count(seconds: float) -> int | None:
            puzzle = KnightsTour(20, 20, formulation=formulation)
            return 1 if solve(puzzle, time_limit=seconds).solution is not None else None

        return count

    return {OURS: by("dfj"), "highs-mtz": by("mtz")}, 1


def _journal() -> tuple[dict[str, Count], int]:
    """The 4×4 squares into a new journal, and without one."""

    def kept(seconds: float) -> int | None:
        with tempfile.TemporaryDirectory() as folder:
            return Job("", "", MagicSquare(4), {"journal": Path(folder, "run.db")}).count(seconds)

    return {OURS: kept, "no-journal": JOBS["magic-4"].count}, COUNTS["magic-4"]


_AMONG_OURSELVES = {"tour-20x20-first": _first_tour, "magic-4-journal": _journal}
"""Jobs that are not for the peers: who takes part, and how many solutions there are."""


def _measure(
    name: str,
    contenders: Mapping[str, Count],
    expected: int,
    repeat: int,
    time_limit: float,
    known: Mapping[str, list[float]],
    say: Callable[[str], None],
) -> dict[str, list[float]]:
    """The seconds of each contender, in turn; none where the time limit came first."""
    times: dict[str, list[float]] = {contender: [] for contender in contenders}
    late: set[str] = set()
    for contender, count in contenders.items():
        if contender not in known:
            count(0.05)  # imports, and what libraries set up once
    for turn in range(repeat):
        for contender, count in contenders.items():
            if contender in late or contender in known:
                continue
            # What others left behind is not to be looked through while this one is timed.
            gc.collect()
            gc.freeze()
            began = time.perf_counter()
            found = count(time_limit)
            seconds = time.perf_counter() - began
            if found is None and seconds < 0.5 * time_limit:
                raise KeyboardInterrupt  # a peer that caught it itself
            if found is None:
                late.add(contender)
            elif found != expected:
                raise SolverError(f"{name}: {contender} counts {found}, not {expected}")
            else:
                times[contender].append(seconds)
            shown = f"over {time_limit:g} s" if found is None else f"{seconds:.3f} s"
            say(f"{name}: {contender} {shown} ({turn + 1} of {repeat})")
    return {c: [] if c in late else [*known.get(c, []), *times[c]] for c in contenders}


def _row(
    name: str, contender: str, expected: int, times: Mapping[str, list[float]]
) -> dict[str, Any]:
    own, ours = times[contender], times[OURS]
    seconds = median(own) if own else float("nan")
    return {
        "job": name,
        "contender": contender,
        "version": _version(contender),
        "solutions": expected,
        "seconds": round(seconds, 4),
        "runs": len(own),
        "ratio": round(seconds / median(ours), 2) if ours else float("nan"),
    }


def _version(contender: str) -> str:
    if contender in PEERS:
        return PEERS[contender].version()
    return f"highspy {version('highspy')}"


def as_text(table: pd.DataFrame, time_limit: float) -> str:
    """One line a job: seconds of each contender, and how many times ours that is."""
    from tabulate import tabulate

    contenders = list(dict.fromkeys(table["contender"]))
    lines = []
    for name, rows in table.groupby("job", sort=False):
        by_name = {row["contender"]: row for _, row in rows.iterrows()}
        line: dict[str, Any] = {"task": name, "solutions": rows["solutions"].iloc[0]}
        for contender in contenders:
            row = by_name.get(contender)
            line[contender] = "" if row is None else _cell(row, time_limit)
        lines.append(line)
    return tabulate(lines, headers="keys", disable_numparse=True, tablefmt="github")


def _cell(row: Any, time_limit: float) -> str:
    if row["seconds"] != row["seconds"]:
        return f"> {time_limit:g}"
    seconds = f"{row['seconds']:.3g}"
    return seconds if row["contender"] == OURS else f"{seconds} ({row['ratio']:.3g}×)"


def machine() -> str:
    """What it was measured on, for the line under the table."""
    import os

    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, Pyomo {version('pyomo')}, "
        f"HiGHS {version('highspy')}, numpy {version('numpy')}, scipy {version('scipy')}"
    )


def found_over_time(puzzle: Puzzle, **options: Any) -> tuple[list[float], list[int]]:
    """The seconds at which each solution was found, and their numbers."""
    began = time.perf_counter()
    found = enumerate_solutions(puzzle, **options)
    seconds = [time.perf_counter() - began for _ in found]
    return seconds, list(range(1, len(seconds) + 1))


def plot(table: pd.DataFrame, path: Path) -> None:
    """Seconds of each contender by job, and the solutions of the 4×4 square against time."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (bars, line) = pyplot.subplots(
        1, 2, figsize=(11, 5), width_ratios=(3, 2), layout="constrained"
    )
    seconds = table.pivot_table(index="job", columns="contender", values="seconds", sort=False)
    seconds.iloc[::-1].plot.barh(ax=bars, logx=True, width=0.8, colormap="cividis", edgecolor="k")
    bars.set(xlabel="seconds for all solutions (log scale)", ylabel="")
    bars.get_legend().remove()
    figure.legend(*bars.get_legend_handles_labels(), loc="outside lower center", ncols=7)
    for label, options, style in (
        ("with symmetry", {}, "-"),
        ("without", {"symmetry": False, "workers": 1}, "--"),
    ):
        line.plot(*found_over_time(MagicSquare(4), **options), style, color="k", label=label)
    line.set(xlabel="seconds", ylabel="4×4 magic squares found")
    line.legend()
    with whole_file(path) as partial:
        figure.savefig(partial, dpi=120)
    pyplot.close(figure)
