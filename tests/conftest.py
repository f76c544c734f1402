"""Fixtures: the reference enumeration, the command line in this process, plain searches."""

import inspect
import itertools
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("nogood", deadline=None, derandomize=True)
settings.load_profile("nogood")

STEPS = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]


@pytest.fixture(scope="session")
def reference():
    """``enumerate_solutions`` by the reference method, one no-good cut a solution."""
    from nogood.runners import enumerate_solutions

    known = inspect.signature(enumerate_solutions).parameters
    extra = {"method": "cuts"} if "method" in known else {}

    def run(source, keys=None, **options):
        return enumerate_solutions(source, keys, **extra, **options)

    return run


@dataclass
class Ran:
    status: int
    out: str
    err: str


@pytest.fixture
def nogood(monkeypatch, capfd):
    """Run the command line in this process; file descriptors are captured, HiGHS prints from C."""
    from nogood.runners.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["nogood", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfd.readouterr()
        return Ran(end.value.code, out, err)

    return run


def near(rows, cols):
    """The squares a knight's move away from each square."""
    return {
        (r, c): [(r + a, c + b) for a, b in STEPS if 0 <= r + a < rows and 0 <= c + b < cols]
        for r, c in itertools.product(range(rows), range(cols))
    }


def tours(rows, cols, kind, start=None):
    """Directed tours as grids of visit numbers, by depth-first search."""
    moves, found = near(rows, cols), []

    def extend(number):
        if len(number) == rows * cols:
            order = list(number)
            closed = order[0] in moves[order[-1]]
            if kind == "path" or closed == (kind == "closed"):
                found.append(tuple(tuple(number[r, c] for c in range(cols)) for r in range(rows)))
            return
        for at in moves[next(reversed(number))]:
            if at not in number:
                number[at] = len(number) + 1
                extend(number)
                del number[at]

    for first in [start] if start else [(0, 0)] if kind == "closed" else list(moves):
        extend({first: 1})
    return sorted(found)


def queens(n):
    """All placements of n queens, from permutations."""
    return [
        p
        for p in itertools.permutations(range(n))
        if all(abs(p[r] - p[q]) != r - q for r in range(n) for q in range(r))
    ]


def pandiagonal(corner):
    """Pandiagonal squares of order 4 with ``corner`` in (0, 0): three rows tried, one follows."""
    rows = np.array([p for p in itertools.permutations(range(1, 17), 4) if sum(p) == 34])
    used = (1 << rows).sum(axis=1)
    found = []
    for first in rows[rows[:, 0] == corner]:
        apart = used & (1 << first).sum() == 0
        middle, bits = rows[apart], used[apart]
        i, j = np.nonzero(bits[:, None] & bits[None, :] == 0)
        second, third = middle[i], middle[j]
        last = 34 - first - second - third
        squares = np.stack([np.broadcast_to(first, last.shape), second, third, last], axis=1)
        good = (np.sort(squares.reshape(-1, 16), axis=1) == np.arange(1, 17)).all(axis=1)
        for k, step in itertools.product(range(4), (1, -1)):
            good &= sum(squares[:, r, (k + step * r) % 4] for r in range(4)) == 34
        found += [tuple(map(tuple, square)) for square in squares[good].tolist()]
    return sorted(found)


@pytest.fixture(scope="session")
def plain():
    """Plain searches that share nothing with the package."""
    return SimpleNamespace(near=near, tours=tours, queens=queens, pandiagonal=pandiagonal)


FAULTS = pytest.StashKey[list[str]]()


@pytest.fixture
def fault(request):
    """Add a line to the fault table: what was done, and what came of it."""

    def add(done, happened):
        line = f"| {done} | {happened} | nothing | `{request.node.name}` |"
        request.config.stash.setdefault(FAULTS, []).append(line)

    return add


def pytest_collection_modifyitems(config, items):
    """Where the fault table is asked for, run the tests that write it."""
    if os.environ.get("NOGOOD_FAULTS"):
        items[:] = [item for item in items if "fault" in getattr(item, "fixturenames", ())]


def pytest_sessionfinish(session, exitstatus):
    """Write the fault table where NOGOOD_FAULTS names a file, if every test has passed."""
    lines, target = session.config.stash.get(FAULTS, []), os.environ.get("NOGOOD_FAULTS")
    if target and lines and exitstatus == 0:
        head = [
            "# What was done to running enumerations, and what came of it",
            "",
            "Written by `make faults`, by the tests themselves.",
            "",
            "| done | happened | lost | test |",
            "|---|---|---|---|",
        ]
        Path(target).write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
