"""A DataFrame as a file, in the format its ending names."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import InputError, read_queens, write_queens
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


def read_solutions(path: str | Path) -> list[Any]:
    """The solutions in a table that ``write_found`` wrote, or in the JSON of the command line.

    Of a puzzle, the solutions as it reads them; of a model, dicts of the keys' values by name.
    Raises :class:`InputError` for what is no such file.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending in QUEENS:
        return list(read_queens(file))
    if ending not in _READERS:
        expected = ", ".join((*_READERS, *QUEENS))
        raise InputError(f"{file}: solutions are read from {expected}")
    try:
        return _READERS[ending](file)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"{file}: no table of solutions: {reason}") from None


def _from_json(file: Path) -> list[Any]:
    said = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(said, dict):
        return list(said["solutions"])
    return [_solution(row) for row in said]


def _from_csv(file: Path) -> list[Any]:
    import pandas as pd

    return [_solution(row) for row in pd.read_csv(file).to_dict("records")]


def _from_parquet(file: Path) -> list[Any]:
    import pandas as pd

    return [_solution(row) for row in pd.read_parquet(file).to_dict("records")]


def _solution(row: Mapping[Hashable, Any]) -> Any:
    """A row's solution: a puzzle's in one column, a model's in a column for each key."""
    if "solution" in row:
        return json.loads(row["solution"])
    return {str(k): int(v) for k, v in row.items() if k not in ("number", "objective", "orbit")}


_READERS: dict[str, Callable[[Path], list[Any]]] = {
    ".csv": _from_csv,
    ".json": _from_json,
    ".parquet": _from_parquet,
}


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
