"""The demo: every puzzle once, with tables, boards, LP files and pages in one folder."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..data import InputError
from ..models import KnightsTour, MagicSquare, Puzzle, Queens, Riddle
from .enumeration import Method, enumerate_solutions
from .explaining import explain
from .exploring import Link, explore, write_index
from .exporting import export_model
from .found import Found
from .report import progress, side_by_side, summary, text_table
from .tables import QUEENS, write_found, write_table


@dataclass(frozen=True)
class Show:
    """One part of the demo; ``limit`` solutions at most, ``boards`` of them drawn.

    By ``cuts`` HiGHS is asked again after each no-good cut; ``split`` is the fast method.
    """

    title: str
    file: str
    puzzle: Puzzle
    method: Method = "cuts"
    limit: int | None = None
    boards: int = 4


SHOWS = (
    Show(
        "The four hidden queens solutions: sum 260 on the magic square reto2",
        "queens-reto2",
        Queens(square="reto2", total="magic"),
    ),
    Show("All magic squares of order 3", "magic-square-3", MagicSquare(n=3), boards=8),
    Show(
        "The first twenty of the 7040 magic squares of order 4",
        "magic-square-4",
        MagicSquare(n=4),
        "split",
        limit=20,
    ),
    Show("A closed knight's tour", "knights-tour-8", KnightsTour(), limit=1),
    Show("Einstein's riddle", "einstein", Riddle("einstein")),
)


def run(folder: Path) -> None:
    """Run every show and write its table, LP file and page to ``folder``, and an index of them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder: {error.strerror}") from None
    rows, links = [], []
    for show in SHOWS:
        began = time.perf_counter()
        found = _show(show, folder)
        rows.append(
            {
                "puzzle": show.file,
                "method": show.method,
                "solutions": found.count,
                "complete": found.complete,
                "solver calls": len(found.calls),
                "seconds": round(time.perf_counter() - began, 2),
            }
        )
        links.append(Link(f"{show.file}.html", show.title, found))
    table = pd.DataFrame(rows)
    write_table(table, folder / "demo.csv")
    print(text_table(table))
    write_index(links, folder / "index.html")
    print(f"\nTables, LP files and pages are in {folder}/; open {folder / 'index.html'}")


def _show(show: Show, folder: Path) -> Found:
    print(f"── {show.title}\n")
    found = enumerate_solutions(show.puzzle, limit=show.limit, method=show.method)
    progress(found)
    print(side_by_side([show.puzzle.draw(s) for s in found.solutions[: show.boards]]))
    print(f"\n{summary(show.puzzle, found)}\n")
    export_model(show.puzzle, folder / f"{show.file}.lp")
    write_table(found.table, folder / f"{show.file}.csv")
    if isinstance(show.puzzle, Queens):
        for ending in QUEENS:
            write_found(found, folder / f"{show.file}{ending}")
    explained = explain(show.puzzle) if isinstance(show.puzzle, Riddle) else None
    explore(found, folder / f"{show.file}.html", explanation=explained)
    return found
