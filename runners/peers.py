"""What this package is measured against: other ways to count all solutions, each in its best form.

A task is a puzzle whose solutions are all counted.  A peer's function takes a time limit in
seconds and returns the count, or None where the limit came first; it never returns part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from . import peers_cpsat, peers_milp

Count = Callable[[float], int | None]

COUNTS: dict[str, int] = {
    "queens-8": 92,  # OEIS A000170
    "queens-10": 724,  # OEIS A000170
    "queens-12": 14200,  # OEIS A000170
    "magic-4": 7040,  # 8 × 880, B. Frénicle de Bessy (1693); OEIS A006052 counts the 880
    "magic-4-hide": 1152,  # 8 × 144, by plain search
    "tours-5x6": 16,  # directed, twice the 8 of a plain search
    "tours-6x6": 19724,  # directed, twice the 9862 of OEIS A001230
    "paths-5x5": 1728,  # directed, OEIS A165134
}
"""The number of solutions of each task; tours are closed, and tours and paths directed."""


@dataclass(frozen=True)
class Peer:
    """A way to count all solutions: ``module`` must be there, ``distribution`` has its version.

    ``tasks`` are those of :data:`COUNTS` that it can do; ``form`` says how, in a line.
    """

    name: str
    module: str
    distribution: str
    form: str
    tasks: Mapping[str, Count]

    def available(self) -> bool:
        """Whether it is installed."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:  # a package above the module is missing
            return False

    def version(self) -> str:
        """The version of its distribution; empty where it is not installed."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return ""


_CPSAT: dict[str, Count] = {
    "queens-8": partial(peers_cpsat.queens, 8),
    "queens-10": partial(peers_cpsat.queens, 10),
    "queens-12": partial(peers_cpsat.queens, 12),
    "magic-4": partial(peers_cpsat.magic_square, False),
    "magic-4-hide": partial(peers_cpsat.magic_square, True),
    "tours-5x6": partial(peers_cpsat.tours, 5, 6, True),
    "tours-6x6": partial(peers_cpsat.tours, 6, 6, True),
    "paths-5x5": partial(peers_cpsat.tours, 5, 5, False),
}

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "cp-sat",
            "ortools",
            "ortools",
            "integers with all-different, and circuits; one worker, as enumeration demands",
            _CPSAT,
        ),
        Peer(
            "gurobi",
            "gurobipy",
            "gurobipy",
            "solution pool over the MILP; two threads",
            {task: partial(peers_milp.gurobi_pool, task) for task in COUNTS},
        ),
        Peer(
            "scip",
            "pyscipopt",
            "pyscipopt",
            "counting over the MILP, without LPs; one thread",
            {task: partial(peers_milp.scip_count, task) for task in COUNTS},
        ),
        Peer(
            "alternative-solutions",
            "pyomo.contrib.alternative_solutions",
            "pyomo",
            "Pyomo's no-good cuts with HiGHS; one thread",
            {"queens-8": partial(peers_milp.alternative_solutions, "queens-8")},
        ),
    )
}
"""The peers by name."""
