"""A DataFrame as a file, in the format its ending names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import InputError, read_queens, reading, write_queens
from ..data.errors import shown
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
_LARGEST_FILE = 64 * 2**20


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
        where = f"{file}: no table of solutions"
        return _READERS[ending](reading.contents(file, _LARGEST_FILE), where)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    except ImportError:
        raise SolverMissing("Parquet needs pyarrow; install it with: pip install pyarrow") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"{file}: no table of solutions: {reason}") from None


def _from_json(raw: bytes, where: str) -> list[Any]:
    said = reading.parsed_json(raw.decode("utf-8-sig"), where)
    if isinstance(said, dict):
        said = said.get("solutions")
        if not isinstance(said, list):
            raise ValueError("expected an object with a list of solutions")
        return said
    if not isinstance(said, list):
        raise ValueError("expected a list of rows, or an object with solutions")
    return _of_rows(said, where)


def _from_csv(raw: bytes, where: str) -> list[Any]:
    import pandas as pd

    return _of_rows(pd.read_csv(BytesIO(raw)).to_dict("records"), where)


def _from_parquet(raw: bytes, where: str) -> list[Any]:
    import pandas as pd

    return _of_rows(pd.read_parquet(BytesIO(raw)).to_dict("records"), where)


def _of_rows(rows: Sequence[Any], where: str) -> list[Any]:
    return [_solution(row, f"{where}: row {number}") for number, row in enumerate(rows, start=1)]


def _solution(row: Any, where: str) -> Any:
    """A row's solution: a puzzle's in one column, a model's in a column for each key."""
    if not isinstance(row, dict):
        raise InputError(f"{where}: expected an object of values by name, got {shown(row)}")
    if "solution" not in row:
        other = ("number", "objective", "orbit")
        return {str(k): _whole(v, f"{where}, {k}") for k, v in row.items() if k not in other}
    if not isinstance(row["solution"], str):
        raise InputError(
            f"{where}: expected a solution as text in JSON, got {shown(row['solution'])}"
        )
    return reading.parsed_json(row["solution"], where)


def _whole(value: Any, where: str) -> int:
    """An integer, also where the table has floats; nothing is rounded."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise InputError(f"{where}: expected an integer, got {shown(value)}") from None


_READERS: dict[str, Callable[[bytes, str], list[Any]]] = {
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
