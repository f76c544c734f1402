"""The two text formats of queens solutions.

*Boards*: a line of ``n²`` characters, the rows one after another, ``D`` for a queen and ``-``
for none.  *Vectors*: the columns of the queens of rows 0, 1, …, as digits (``42061753``), with
commas between them from ``n = 11`` on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isqrt
from pathlib import Path
from typing import Literal

from . import reading
from .errors import InputError

Vector = tuple[int, ...]
Format = Literal["boards", "vectors"]

_LARGEST_FILE = 64 * 2**20


def write_queens(solutions: Iterable[Sequence[int]], format: Format = "boards") -> str:
    """The solutions as text, one a line; each a vector of columns."""
    line = _board if format == "boards" else _vector
    return "".join(line(solution) + "\n" for solution in solutions)


def read_queens(source: str | Path) -> list[Vector]:
    """Read solutions from a file's path or, where the string holds a line break, from text.

    The format is seen line by line.  Raises :class:`InputError` naming the line.
    """
    if isinstance(source, str) and "\n" in source:
        text, where = source, "queens"
    else:
        where = str(source)
        try:
            text = reading.contents(source, _LARGEST_FILE).decode("ascii")
        except UnicodeDecodeError:
            raise InputError(f"{where}: not a text file of boards or vectors") from None
        except OSError as error:
            raise InputError(f"queens file {where!r}: {error.strerror}") from None
    return [
        _parse(line.strip(), f"{where}: line {number}")
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]


def _board(solution: Sequence[int]) -> str:
    n = len(solution)
    return "".join("D" if c == column else "-" for column in solution for c in range(n))


def _vector(solution: Sequence[int]) -> str:
    return ("," if len(solution) > 10 else "").join(map(str, solution))


def _parse(line: str, where: str) -> Vector:
    if set(line) <= {"D", "-"}:
        n = isqrt(len(line))
        if n * n != len(line):
            raise InputError(f"{where}: {len(line)} characters are no square board")
        rows = [line[n * r : n * r + n] for r in range(n)]
        for r, row in enumerate(rows):
            if row.count("D") != 1:
                raise InputError(f"{where}: row {r} has {row.count('D')} queens, not one")
        return tuple(row.index("D") for row in rows)
    parts = line.split(",") if "," in line else list(line)
    if not all(part.strip().isdecimal() and len(part) < 6 for part in parts):
        raise InputError(f"{where}: expected D and -, or a vector of columns, got {line[:40]!r}")
    columns = tuple(int(part) for part in parts)
    for r, column in enumerate(columns):
        if column >= len(columns):
            raise InputError(f"{where}: column {column} of row {r} is beyond {len(columns) - 1}")
    return columns
