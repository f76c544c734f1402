"""Squares and partly filled grids of integers, from a bundled name, a CSV file or nested sequences.

A square is a tuple of ``n`` rows of ``n`` integers.  In a grid, 0 or a blank stands for an
empty cell.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from . import reading
from .errors import InputError, shown

Square = tuple[tuple[int, ...], ...]
Source = str | Path | Sequence[Sequence[int]]

LARGEST_SIDE = 1000
LARGEST_ENTRY = 10**9
_LARGEST_FILE = 16 * 2**20


def square_names() -> tuple[str, ...]:
    """Names of the bundled squares."""
    folder = files(__package__) / "squares"
    return tuple(sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".csv")))


def load_square(source: Source) -> Square:
    """Read a full square of integers.

    Parameters
    ----------
    source
        A bundled name (see :func:`square_names`), the path of a CSV file, or ``n`` sequences
        of ``n`` integers.

    Raises
    ------
    InputError
        If it cannot be read, is not square, or holds anything but integers.
    """
    rows, where = _rows(source, kind="square")
    return _square(rows, where, blank=None)


def load_grid(source: Source) -> Square:
    """Read a square grid in which 0 (or a blank) stands for an empty cell."""
    rows, where = _rows(source, kind="grid")
    return _square(rows, where, blank=0)


def _rows(source: Source, kind: str) -> tuple[Sequence[Sequence[object]], str]:
    if isinstance(source, str) and kind == "square" and source in square_names():
        resource = files(__package__) / "squares" / f"{source}.csv"
        return _csv(resource.read_text(encoding="utf-8"), source), source
    if isinstance(source, str | Path):
        return _csv(_read(Path(source), kind), str(source)), str(source)
    source = source.tolist() if hasattr(source, "tolist") else source
    if not isinstance(source, Sequence) or not all(
        isinstance(row, Sequence) and not isinstance(row, str | bytes) for row in source
    ):
        raise InputError(
            f"{kind}: expected a name, a CSV file or rows of integers, got {shown(source)}"
        )
    return source, kind


def _read(path: Path, kind: str) -> str:
    try:
        return reading.text(path, _LARGEST_FILE)
    except FileNotFoundError:
        hint = f"; the bundled squares are {', '.join(square_names())}" if kind == "square" else ""
        raise InputError(f"{kind} {str(path)!r}: no such file{hint}") from None
    except OSError as error:
        raise InputError(f"{kind} {str(path)!r}: {error.strerror}") from None


def _csv(text: str, where: str) -> list[list[str]]:
    try:
        return [
            row for row in csv.reader(text.splitlines()) if len(row) > 1 or "".join(row).strip()
        ]
    except csv.Error as error:
        raise InputError(f"{where}: not a CSV file: {error}") from None


def _square(rows: Sequence[Sequence[object]], where: str, blank: int | None) -> Square:
    n = len(rows)
    if n == 0:
        raise InputError(f"{where}: empty; expected n rows of n integers")
    if n > LARGEST_SIDE:
        raise InputError(f"{where}: {n} rows; at most {LARGEST_SIDE} are read")
    for r, row in enumerate(rows):
        if len(row) != n:
            raise InputError(f"{where}: row {r} has {len(row)} entries, but there are {n} rows")
    return tuple(
        tuple(_entry(cell, f"{where}: row {r}, column {c}", blank) for c, cell in enumerate(row))
        for r, row in enumerate(rows)
    )


def _entry(cell: object, where: str, blank: int | None) -> int:
    if blank is not None and (cell is None or (isinstance(cell, str) and not cell.strip())):
        return blank
    try:
        if isinstance(cell, bool):
            raise TypeError
        value = reading.integer(cell) if isinstance(cell, str) else int(cell.__index__())  # type: ignore[attr-defined]
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"{where}: {_short(cell)} is not an integer") from None
    if abs(value) > LARGEST_ENTRY:
        raise InputError(f"{where}: {_short(value)} is beyond ±{LARGEST_ENTRY}")
    return value


def _short(thing: object) -> str:
    text = shown(thing)
    return text if len(text) <= 40 else text[:37] + "..."
