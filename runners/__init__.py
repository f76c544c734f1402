"""What is done with a puzzle or a Pyomo model: solve, enumerate, export.

Names are imported when they are first used, so that ``nogood --help`` does not wait for Pyomo.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .comparing import compare
    from .enumeration import enumerate_solutions
    from .errors import SolverError, SolverMissing
    from .explaining import Explanation, explain
    from .exploring import explore
    from .exporting import export_model
    from .found import Found
    from .model_files import read_model
    from .solving import Solved, solve
    from .tables import write_table

_HOMES = {
    "Explanation": "explaining",
    "Found": "found",
    "Solved": "solving",
    "SolverError": "errors",
    "SolverMissing": "errors",
    "compare": "comparing",
    "enumerate_solutions": "enumeration",
    "explain": "explaining",
    "explore": "exploring",
    "export_model": "exporting",
    "read_model": "model_files",
    "solve": "solving",
    "write_table": "tables",
}

__all__ = [
    "Explanation",
    "Found",
    "Solved",
    "SolverError",
    "SolverMissing",
    "compare",
    "enumerate_solutions",
    "explain",
    "explore",
    "export_model",
    "read_model",
    "solve",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
