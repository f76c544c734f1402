"""What the command line prints: boards, tables, summaries and JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from ..models.puzzle import Puzzle
from . import streams
from .comparing import formulations_of
from .found import Found
from .model_files import ModelFile
from .solving import Solved

if TYPE_CHECKING:
    import pandas as pd

_BOARDS, _ROWS = 6, 10


def progress(found: Found) -> None:
    """Run the enumeration to its end, showing on a terminal how far it is."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed} found"),
        TextColumn("{task.fields[rate]:.0f}/s"),
        TextColumn("{task.fields[share]:.1%} of the tree"),
        TextColumn("parts: {task.fields[done]} done, {task.fields[open]} open"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None, rate=0.0, share=0.0, done=0, open=1)
        while found.step():
            elapsed, far = bar.tasks[0].elapsed or 0, found.progress
            bar.update(
                task,
                completed=found.so_far,
                rate=found.so_far / elapsed if elapsed else 0.0,
                share=far.share,
                done=far.parts_done,
                open=far.parts_open,
            )


def found(puzzle: Puzzle | ModelFile, result: Found, as_json: bool) -> None:
    """The result of an enumeration."""
    if as_json:
        _print_json(puzzle, _found_json(puzzle, result))
        return
    shown = list(islice(result, _BOARDS))
    print(side_by_side([puzzle.draw(solution) for solution in shown]), end="\n\n" if shown else "")
    if result.count:
        print(text_table(result.head(_ROWS), more=result.count - _ROWS), end="\n\n")
    print(summary(puzzle, result))


def _found_json(puzzle: Puzzle | ModelFile, result: Found) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if result.problem.linear.has_objective:
        extra["objectives"] = result.objectives
    if result.distinct:
        extra["orbits"] = result.orbits
    elif counts := result.complete and puzzle.counts(result.count):
        extra["counts"] = counts
    return {
        "count": result.count,
        "complete": result.complete,
        "seconds": round(result.seconds, 3),
        "solver": result.solver,
        **extra,
        "solutions": result.solutions,
    }


def summary(puzzle: Puzzle | ModelFile, result: Found) -> str:
    """One line: how many, whether all, how long."""
    count = f"{result.count} solution{'' if result.count == 1 else 's'}"
    if result.distinct:
        count += f" up to symmetry, of {sum(result.orbits)}"
    counts = puzzle.counts(result.count) if result.complete and not result.distinct else {}
    if result.count and counts:
        count += f" ({', '.join(f'{value} {name}' for name, value in counts.items())})"
    if result.complete:
        said = "no solution, proven" if result.count == 0 else f"{count}, complete"
    else:
        said = f"{count}, not complete: stopped by {_WHY[result.stopped]}"
    said += f" ({result.seconds:.2f} s, {result.solver})"
    remark = puzzle.remark() if result.complete and not result.count else None
    return f"{said}\nnote: {remark}" if remark else said


_WHY = {
    "limit": "--limit",
    "time limit": "--time-limit",
    "memory limit": "the end of the memory",
    "interrupt": "Ctrl-C",
    "journal": "its journal",
    None: "",
}


def solved(puzzle: Puzzle | ModelFile, result: Solved, as_json: bool) -> None:
    """The result of a solve."""
    if as_json:
        names = ("status", "objective", "bound", "nodes", "seconds", "solver", "solution")
        _print_json(puzzle, {name: getattr(result, name) for name in names})
        return
    if result.solution is not None:
        print(puzzle.draw(result.solution), end="\n\n")
        figures = puzzle.figures(result.solution)
        if result.objective is not None:
            figures["objective"] = result.objective
        if figures:
            print(", ".join(f"{name} {value}" for name, value in figures.items()))
    print(f"{result.status} ({result.seconds:.2f} s, {result.solver})")
    remark = puzzle.remark() if result.status == "infeasible" else None
    if remark:
        print(f"note: {remark}")


def _print_json(puzzle: Puzzle | ModelFile, said: dict[str, Any]) -> None:
    print_json({"puzzle": puzzle.name, "parameters": plain(puzzle.parameters())} | said)


def print_json(said: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(said, ensure_ascii=not streams.is_unicode(), allow_nan=False))


def plain(value: Any) -> Any:
    """``value`` in the types of JSON; squares as keys become "row,column"."""
    if isinstance(value, Mapping):
        return {
            ",".join(map(str, k)) if isinstance(k, tuple) else k: plain(v) for k, v in value.items()
        }
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    return value


def text_table(table: pd.DataFrame, more: int = 0) -> str:
    """A table as text, and that there are ``more`` rows, if there are."""
    text: str = tabulate(table, headers="keys", showindex=False, disable_numparse=False)  # type: ignore[arg-type]
    return f"{text}\n… {more} more rows; --out FILE writes all" if more > 0 else text


def side_by_side(drawings: Sequence[str], gap: int = 3) -> str:
    """Drawings in rows as wide as the terminal."""
    blocks = [drawing.splitlines() for drawing in drawings]
    if not blocks:
        return ""
    width = max(len(line) for block in blocks for line in block) + gap
    fit = max(1, shutil.get_terminal_size((100, 24)).columns // width)
    rows = []
    for k in range(0, len(blocks), fit):
        lines = zip_longest(*blocks[k : k + fit], fillvalue="")
        rows.append("\n".join("".join(f"{x:<{width}}" for x in line).rstrip() for line in lines))
    return "\n\n".join(rows)


def journal(path: Path, as_json: bool) -> None:
    """How far the run of a journal is."""
    from dataclasses import asdict

    from .journal import summary as read

    said = read(path)
    if as_json:
        print_json({**asdict(said), "last": [json.loads(text) for text in said.last]})
        return
    print(f"{said.run['puzzle']}\n")
    state = "complete" if said.complete else f"{said.share:.1%} of the tree"
    print(f"{said.solutions} solutions, {state}")
    print(f"parts: {said.parts_done} done, {said.parts_open} open")
    times = "once" if said.sessions == 1 else f"{said.sessions} times"
    print(f"at work {times}, {said.seconds:.1f} s; {said.rate:.0f} solutions/s the last time")
    if said.last:
        print("found last:", *(f"  {text}" for text in said.last), sep="\n")


def inventory() -> None:
    """Puzzles, formulations, instances and solvers."""
    from ..data import riddle_names, square_names
    from ..models import PUZZLES
    from .solvers import SOLVERS

    puzzles = [
        {
            "puzzle": name,
            "parameters": _fields(puzzle),
            "formulations": ", ".join(formulations_of(puzzle)),
        }
        for name, puzzle in PUZZLES.items()
    ]
    print(tabulate(puzzles, headers="keys"), end="\n\n")
    print(f"squares: {', '.join(square_names())}")
    print(f"riddles: {', '.join(riddle_names())}", end="\n\n")
    solvers = [
        {
            "solver": solver.name,
            "here": f"yes {solver.version}".strip() if solver.here else "no",
            "install": "" if solver.here else solver.install,
            "can": solver.abilities,
            "note": solver.note,
        }
        for solver in SOLVERS.values()
    ]
    print(tabulate(solvers, headers="keys"))


def _fields(puzzle: Any) -> str:
    return ", ".join(f.name for f in fields(puzzle) if f.init)
