"""LP and MPS files of anybody's, as problems."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, ClassVar, cast

import numpy as np
from tabulate import tabulate

from ..data import InputError
from ..data.reading import must_be_regular
from .linear import LinearModel

ENDINGS = (".lp", ".mps", ".lp.gz", ".mps.gz")
_LARGEST_FILE = 2**28


def is_model_file(name: str) -> bool:
    """Whether ``name`` ends like a model file."""
    return name.lower().endswith(ENDINGS)


def read_model(path: str | Path) -> LinearModel:
    """Read an LP or MPS file with HiGHS.

    Raises :class:`InputError` if it is not there, cannot be read, or is no linear MILP.
    """
    file = Path(path)
    if not is_model_file(file.name):
        raise InputError(f"{file}: expected a file ending in {', '.join(ENDINGS)}")
    from . import highs

    try:
        must_be_regular(file)
        if _size(file) > _LARGEST_FILE:
            raise InputError(f"{file}: larger than {_LARGEST_FILE >> 20} MiB")
        with _without_empty_lines(file) as readable:
            try:
                linear = highs.read(readable)
            except InputError as error:
                raise InputError(str(error).replace(str(readable), str(file))) from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: names are not in UTF-8") from None
    except EOFError:
        raise InputError(f"{file}: its compressed data end too early") from None
    except zlib.error as error:
        raise InputError(f"{file}: its compressed data are damaged: {error}") from None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    _must_be_finite(linear, file)
    return linear


def _unpacked(file: Path) -> IO[bytes]:
    with file.open("rb") as plain:
        packed = plain.read(2) == b"\x1f\x8b"
    return cast(IO[bytes], gzip.open(file)) if packed else file.open("rb")


@contextmanager
def _without_empty_lines(file: Path) -> Iterator[Path]:
    """The file, or a copy of it in which HiGHS does not read an empty line of MPS for ever."""
    if ".mps" not in file.name.lower():
        yield file
        return
    with _unpacked(file) as lines:
        if not any(line == b"\n" for line in lines):
            yield file
            return
    with TemporaryDirectory() as folder:
        copy = Path(folder, file.name).with_suffix(".mps")
        with _unpacked(file) as lines, copy.open("wb") as written:
            written.writelines(b"*\n" if line == b"\n" else line for line in lines)
        yield copy


def _size(file: Path) -> int:
    """The bytes of a file, unpacked if it is packed; not counted beyond what is read."""
    size = 0
    with _unpacked(file) as packed:
        while size <= _LARGEST_FILE and (block := packed.read(2**20)):
            size += len(block)
    return size


def _must_be_finite(linear: LinearModel, file: Path) -> None:
    """HiGHS reads a coefficient that is infinite or no number, and fails later or ignores it."""
    columns, rows = linear.col_names, linear.row_names
    for j in np.flatnonzero(~np.isfinite(linear.cost)):
        raise InputError(f"{file}: objective, {columns[j]}: the coefficient is not finite")
    for k in np.flatnonzero(~np.isfinite(linear.matrix.data)):
        i = int(np.searchsorted(linear.matrix.indptr, k, side="right")) - 1
        name = columns[linear.matrix.indices[k]]
        raise InputError(f"{file}: {rows[i]}, {name}: the coefficient is not finite")
    if not np.isfinite(linear.offset):
        raise InputError(f"{file}: the constant of the objective is not finite")
    bounds = (
        (rows, linear.row_lower, linear.row_upper),
        (columns, linear.col_lower, linear.col_upper),
    )
    for names, lower, upper in bounds:
        for k in np.flatnonzero(np.isnan(lower) | np.isnan(upper)):
            raise InputError(f"{file}: {names[k]}: a bound is no number")


@dataclass(frozen=True)
class ModelFile:
    """A model file in the place of a puzzle on the command line."""

    name: ClassVar[str] = "model"

    path: Path
    keys: Sequence[str] = field(default=())

    @cached_property
    def linear(self) -> LinearModel:
        """The model."""
        return read_model(self.path)

    def parameters(self) -> dict[str, Any]:
        """Where it comes from."""
        return {"path": str(self.path), "keys": list(self.keys)}

    def draw(self, solution: Mapping[str, int]) -> str:
        """The key variables that are not zero."""
        rows = [(name, value) for name, value in solution.items() if value]
        if not solution:
            return "no key variables: none is discrete"
        return str(tabulate(rows, tablefmt="plain")) if rows else "all keys are 0"

    def figures(self, solution: Mapping[str, int]) -> dict[str, Any]:
        """None that are known."""
        return {}

    def counts(self, count: int) -> dict[str, int]:
        """None that are known."""
        return {}

    def remark(self) -> str | None:
        """None that is known."""
        return None
