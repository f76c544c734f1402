"""LP and MPS files of anybody's, as problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from tabulate import tabulate

from ..data import InputError
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
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise InputError(f"{file}: larger than {_LARGEST_FILE >> 20} MiB")
        with file.open("rb"):
            pass
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    from . import highs

    return highs.read(file)


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
