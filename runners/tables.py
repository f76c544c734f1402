"""A DataFrame as a file, in the format its ending names."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..data import InputError, write_queens
from ..data.queens import Format
from ..models import Queens
from .errors import SolverMissing
from .files import must_be_writable, whole_file

if TYPE_CHECKING:
    import pandas as pd

    from .found import Found

_WRITERS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".csv": lambda table, path: table.to_csv(path, index=False, lineterminator="\n"),
    ".json": lambda table, path: table.to_json(path, orient="records", indent=1, force_ascii=False),
    ".parquet": lambda table, path: table.to_parquet(path, index=False),
    ".md": lambda table, path: path.write_text(
        table.to_markdown(index=False) + "\n", encoding="utf-8"
    ),
    ".tex": lambda table, path: path.write_text(
        table.style.hide(axis="index").format(escape="latex").to_latex(hrules=True),
        encoding="utf-8",
    ),
}
ENDINGS = tuple(_WRITERS)
QUEENS: dict[str, Format] = {".boards": "boards", ".vectors": "vectors"}
PICTURES = (".png", ".svg", ".pdf")


def must_be_table(path: str | Path) -> Path:
    """``path`` if a table can be written there: its ending, its folder, the format's library."""
    target = must_be_writable(path)
    if target.suffix.lower() not in (*_WRITERS, *QUEENS):
        raise InputError(
            f"{target}: unknown table format {target.suffix!r}; end it in {', '.join(ENDINGS)}"
        )
    if target.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        raise SolverMissing("Parquet needs pyarrow; install it with: pip install pyarrow")
    return target


def write_found(found: Found, path: str | Path) -> None:
    """Write the table of an enumeration, or the boards or vectors of queens, by the ending."""
    target = must_be_table(path)
    if target.suffix.lower() not in QUEENS:
        write_table(found.table, target)
        return
    if not isinstance(found.problem.puzzle, Queens):
        raise InputError(f"{target}: boards and vectors are of queens")
    with whole_file(target) as partial:
        text = write_queens(found.solutions, QUEENS[target.suffix.lower()])
        partial.write_text(text, encoding="ascii")


def must_be_plot(path: str | Path) -> Path:
    """``path`` if a picture can be written there, and matplotlib is here."""
    target = must_be_writable(path)
    if target.suffix.lower() not in PICTURES:
        raise InputError(
            f"{target}: unknown picture format {target.suffix!r}; end it in {', '.join(PICTURES)}"
        )
    if find_spec("matplotlib") is None:
        raise SolverMissing("plots need matplotlib; install it with: pip install matplotlib")
    return target


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write CSV, JSON, Parquet, Markdown or LaTeX by the ending of ``path``, whole or not at all.

    Raises :class:`InputError` for another ending or where it cannot be written.
    """
    target = must_be_table(path)
    with whole_file(target) as partial:
        _WRITERS[target.suffix.lower()](table, partial)
