"""The solvers: how each is called, what it can do, and how it is installed, in one table."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from ..data import InputError
from .errors import SolverMissing
from .linear import LinearModel
from .session import Session


@dataclass(frozen=True)
class Solver:
    """A solver in the table.

    ``module`` or ``executable`` must be there for it to be called; ``pyomo`` is its name in
    Pyomo's ``SolverFactory`` (empty for HiGHS, which is called through highspy); ``options``
    are its own names of ``time_limit``, ``gap``, ``threads`` and ``seed``.
    """

    name: str
    install: str
    pyomo: str = ""
    module: str = ""
    distribution: str = ""
    executable: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    whole_seconds: bool = False

    @property
    def here(self) -> bool:
        """Whether it can be called on this machine."""
        if self.module:
            return find_spec(self.module) is not None
        return shutil.which(self.executable) is not None

    @property
    def version(self) -> str:
        """The version of its Python distribution, or the path of its executable."""
        if self.distribution:
            try:
                return version(self.distribution)
            except PackageNotFoundError:
                return ""
        return shutil.which(self.executable) or ""


SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (
        Solver("highs", "pip install highspy", module="highspy", distribution="highspy"),
        Solver(
            "scip",
            "pip install pyscipopt",
            pyomo="scip_direct",
            module="pyscipopt",
            distribution="pyscipopt",
            options={
                "time_limit": "limits/time",
                "gap": "limits/gap",
                "threads": "parallel/maxnthreads",
                "seed": "randomization/randomseedshift",
            },
        ),
        Solver(
            "cbc",
            "apt install coinor-cbc",
            pyomo="cbc",
            executable="cbc",
            options={
                "time_limit": "seconds",
                "gap": "ratioGap",
                "threads": "threads",
                "seed": "randomSeed",
            },
        ),
        Solver(
            "glpk",
            "apt install glpk-utils",
            pyomo="glpk",
            executable="glpsol",
            options={"time_limit": "tmlim", "gap": "mipgap"},
            note="one thread",
            whole_seconds=True,
        ),
        Solver(
            "gurobi",
            "pip install gurobipy",
            pyomo="gurobi_direct",
            module="gurobipy",
            distribution="gurobipy",
            options={
                "time_limit": "TimeLimit",
                "gap": "MIPGap",
                "threads": "Threads",
                "seed": "Seed",
            },
            note="2000 rows and columns without a licence",
        ),
    )
}


def session(name: str, linear: LinearModel) -> Session:
    """``linear`` in the solver ``name``.

    Raises :class:`InputError` for an unknown name, :class:`SolverMissing` for an absent solver.
    """
    solver = find(name)
    if not solver.pyomo:
        from .highs import HighsSession

        return HighsSession(linear)
    from .pyomo_session import PyomoSession

    return PyomoSession(linear, solver.pyomo, dict(solver.options), solver.whole_seconds)


def find(name: str) -> Solver:
    """The solver of that name, if it is here."""
    if name not in SOLVERS:
        raise InputError(f"solver: expected one of {', '.join(SOLVERS)}; got {name!r}")
    solver = SOLVERS[name]
    if not solver.here:
        raise SolverMissing(f"solver {name} is not here; install it with: {solver.install}")
    return solver
