"""The solvers: how each is called, what it can do, and how it is installed, in one table."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from ..data import InputError
from .errors import SolverMissing
from .linear import LinearModel
from .session import Session, Status

_PATIENCE = 5.0
"""Seconds for an executable to say its version."""


@dataclass(frozen=True)
class Solver:
    """A solver in the table.

    How it is called: ``module`` or ``executable`` must be there; ``open`` makes a session, by
    default through Pyomo, in whose ``SolverFactory`` it is ``pyomo``.  ``options`` are its own
    names of ``time_limit``, ``gap``, ``threads`` and ``seed``; ``always`` are options it gets on
    every call; ``whole_seconds`` that it takes no fraction of one; ``gap_of_larger`` that its gap
    is relative to the larger of objective and bound, not to the objective.

    What it says: ``phrases`` of its log or of its error, the first of which that is there tells
    the status better than what Pyomo makes of it.

    What it can do: ``persistent`` keeps the model between solves, ``split`` can do the fast
    method's work, ``reads`` these file formats, ``size_limit`` is the number of rows, and of
    columns, that it takes without a licence.
    """

    name: str
    install: str
    pyomo: str
    module: str = ""
    executable: str = ""
    version_arguments: tuple[str, ...] = ()
    open: Callable[[Solver, LinearModel], Session] = field(
        default=lambda solver, linear: _through_pyomo(solver, linear), repr=False
    )
    options: Mapping[str, str] = field(default_factory=dict)
    always: Mapping[str, object] = field(default_factory=dict)
    whole_seconds: bool = False
    gap_of_larger: bool = False
    phrases: Mapping[str, Status] = field(default_factory=dict)
    persistent: bool = False
    split: bool = False
    reads: tuple[str, ...] = ("lp", "mps")
    size_limit: int | None = None

    @property
    def here(self) -> bool:
        """Whether it can be called on this machine."""
        if self.module:
            return find_spec(self.module) is not None
        return shutil.which(self.executable) is not None

    @property
    def version(self) -> str:
        """The version of its Python distribution, or what its executable says; empty if none."""
        if self.module:
            try:
                return version(self.module)
            except PackageNotFoundError:
                return ""
        path = shutil.which(self.executable)
        return _version_of(path, self.version_arguments) if path else ""

    @property
    def seeds(self) -> bool:
        """Whether runs with several seeds differ."""
        return "seed" in self.options

    @property
    def threads(self) -> bool:
        """Whether it takes more than one thread."""
        return "threads" in self.options

    @property
    def abilities(self) -> str:
        """What it can do, in a few words."""
        said = {
            "fast method": self.split,
            "persistent": self.persistent,
            "threads": self.threads,
            "seeds": self.seeds,
            f"reads {', '.join(self.reads)}": bool(self.reads),
        }
        return "; ".join(name for name, can in said.items() if can)

    @property
    def note(self) -> str:
        """What it cannot do, in a few words."""
        said = {
            f"{self.size_limit} rows and columns without a licence": self.size_limit is not None,
            "one thread": not self.threads,
            "time limit in whole seconds": self.whole_seconds,
        }
        return "; ".join(text for text, so in said.items() if so)


def _through_pyomo(solver: Solver, linear: LinearModel) -> Session:
    from .pyomo_session import PyomoSession

    return PyomoSession(linear, solver)


def _by_highspy(solver: Solver, linear: LinearModel) -> Session:
    from .highs import HighsSession

    return HighsSession(linear)


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver(
            "highs",
            "pip install highspy",
            pyomo="highs",
            module="highspy",
            open=_by_highspy,
            options={
                "time_limit": "time_limit",
                "gap": "mip_rel_gap",
                "threads": "threads",
                "seed": "random_seed",
            },
            persistent=True,
            split=True,
        ),
        Solver(
            "scip",
            "pip install pyscipopt",
            pyomo="scip_direct",
            module="pyscipopt",
            options={
                "time_limit": "limits/time",
                "gap": "limits/gap",
                "seed": "randomization/randomseedshift",
            },
            reads=("lp", "mps", "nl"),
        ),
        Solver(
            "cbc",
            "apt install coinor-cbc",
            pyomo="cbc",
            executable="cbc",
            version_arguments=("-quit",),
            options={
                "time_limit": "sec",
                "gap": "ratioGap",
                "threads": "threads",
                "seed": "randomCbcSeed",
            },
            always={"timeMode": "elapsed"},  # its limit is of processor time otherwise
            gap_of_larger=True,
            phrases={
                "Result - Stopped on time limit": "time limit",
                "Result - User ctrl-c": "interrupted",
            },
            reads=("lp", "mps", "nl"),
        ),
        Solver(
            "glpk",
            "apt install glpk-utils",
            pyomo="glpk",
            executable="glpsol",
            version_arguments=("--version",),
            options={"time_limit": "tmlim", "gap": "mipgap"},
            always={"nopresol": ""},  # its LP presolver does not tell infeasible from unbounded
            whole_seconds=True,
            phrases={
                "TIME LIMIT EXCEEDED": "time limit",
                "RELATIVE MIP GAP TOLERANCE REACHED": "optimal",
                "HAS NO PRIMAL FEASIBLE SOLUTION": "infeasible",
                "HAS NO FEASIBLE SOLUTION": "infeasible",
            },
        ),
        Solver(
            "gurobi",
            "pip install gurobipy",
            pyomo="gurobi_direct",
            module="gurobipy",
            options={
                "time_limit": "TimeLimit",
                "gap": "MIPGap",
                "threads": "Threads",
                "seed": "Seed",
            },
            always={"IntFeasTol": 1e-6},  # as the others; a big-M is cheated with 1e-5
            phrases={
                "size-limited license": "size limit",
                "terminated by the user": "interrupted",
            },
            size_limit=2000,
        ),
    )
}


def session(name: str, linear: LinearModel) -> Session:
    """``linear`` in the solver ``name``.

    Raises :class:`InputError` for an unknown name, :class:`SolverMissing` for an absent solver.
    """
    solver = find(name)
    return solver.open(solver, linear)


def find(name: str) -> Solver:
    """The solver of that name, if it is here."""
    if name not in SOLVERS:
        raise InputError(f"solver: expected one of {', '.join(SOLVERS)}; got {name!r}")
    solver = SOLVERS[name]
    if not solver.here:
        raise SolverMissing(f"solver {name} is not here; install it with: {solver.install}")
    return solver


@cache
def _version_of(path: str, arguments: tuple[str, ...]) -> str:
    """The first number with a dot that the executable prints; empty if it does not behave."""
    try:
        ran = subprocess.run(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r"\d+(\.\d+)+", ran.stdout.decode(errors="replace"))
    return found[0] if found else ""
