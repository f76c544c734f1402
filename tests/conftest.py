"""Fixtures: the reference enumeration, the command line in this process, plain searches."""

import inspect
import itertools
import sys
from dataclasses import dataclass
from types import SimpleNamespace

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
    """Pandiagonal squares of order 4 with ``corner`` in (0, 0), by backtracking over cells."""
    lines = [[(r, c) for c in range(4)] for r in range(4)]
    lines += [[(r, c) for r in range(4)] for c in range(4)]
    lines += [[(i, (i + k) % 4) for i in range(4)] for k in range(4)]
    lines += [[(i, (k - i) % 4) for i in range(4)] for k in range(4)]
    through = {
        at: [line for line in lines if at in line] for at in itertools.product(range(4), repeat=2)
    }
    filled, found = {(0, 0): corner}, []

    def fill(k):
        if k == 16:
            found.append(tuple(tuple(filled[r, c] for c in range(4)) for r in range(4)))
            return
        at = divmod(k, 4)
        for value in set(range(1, 17)) - set(filled.values()):
            filled[at] = value
            whole = [line for line in through[at] if all(x in filled for x in line)]
            if all(sum(filled[x] for x in line) == 34 for line in whole):
                fill(k + 1)
            del filled[at]

    fill(1)
    return sorted(found)


@pytest.fixture(scope="session")
def plain():
    """Plain searches that share nothing with the package."""
    return SimpleNamespace(near=near, tours=tours, queens=queens, pandiagonal=pandiagonal)
