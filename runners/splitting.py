"""The fast method: split the space, propagate, and leave to HiGHS what propagation leaves open.

A node in which propagation has fixed every column is checked exactly against all rows.  One in
which the keys are fixed and other columns are not, HiGHS decides.  Besides, HiGHS is asked about
open nodes when propagation has run dry, and as often as its answers pay: a part that it proves
empty is dropped, a small one is enumerated by no-good cuts of its own, so that cuts never pile
up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .branching import Brancher, Nodes, branching_order, joined, root
from .cuts import Call, Point, TimeIsUp, candidates, lazy_rows
from .errors import SolverError
from .linear import LinearModel, Problem
from .propagation import Propagator
from .session import Options, Session
from .structure import Ints
from .symmetry import LexLeader

_BATCH = 256
_SMALL_PART = 40
"""A part with so many free keys at most is enumerated by HiGHS where HiGHS is asked at all."""
_FROM_A_PART = 16
_DRY, _DRY_FEW = 32, 4
"""Batches without a solution after which HiGHS is asked first: for all, for a few solutions."""
_NODE_LIMIT = 500
_LEAF = 4000
"""Checking a solution takes as long as so much of the propagator's work."""

MakeSession = Callable[[LinearModel], Session]
UnitRow = tuple[Ints, int, int]


@dataclass(frozen=True)
class Space:
    """What is searched; small enough to be sent to another process.

    ``inverse`` are the elements of the symmetry group, inverted, on key positions, the identity
    first; ``order`` a hint of positions of keys; ``few`` solutions are wanted, soon; ``whole``
    ones, with the values of columns that are no keys.
    """

    problem: Problem
    inverse: Ints
    order: tuple[int, ...] = ()
    few: bool = False
    whole: bool = False


@dataclass
class Tally:
    """What a search has done."""

    nodes: int = 0
    work: int = 0
    share: float = 0.0
    calls: list[Call] = field(default_factory=list)


class Search:
    """The search of one process, over any set of nodes, one after the other."""

    def __init__(self, space: Space, make_session: MakeSession) -> None:
        self.space, self.problem = space, space.problem
        self._linear = space.problem.linear
        self._keys = space.problem.key_columns
        self._make_session = make_session
        self.propagator = Propagator(self._linear)
        self._brancher = Brancher(self._linear, self.propagator.units, self._keys, space.order)
        self.start = root(self._linear, self.propagator.dtype)
        self._leader = self._lex_leader() if len(space.inverse) > 1 else None
        self._begin(self.start, ())

    def _begin(self, nodes: Nodes, cuts: Sequence[UnitRow]) -> None:
        """Forget what was learned elsewhere: a part gives the same in whichever process."""
        period = _DRY_FEW if self.space.few else _DRY
        self._judge = Judge(self.space.problem, self._make_session, period)
        self.tally = Tally(calls=self._judge.calls)
        self.propagator.work = 0
        self.propagator.forget()
        self.cuts: list[UnitRow] = []
        self._cut_names: set[bytes] = set()
        self._add_cuts(cuts)
        self._stack = [nodes]

    def _lex_leader(self) -> LexLeader:
        order = branching_order(self.propagator, self._brancher, self.start, self._keys)
        return LexLeader(self.space.inverse, self._keys, order)

    def run(
        self,
        nodes: Nodes,
        cuts: Sequence[UnitRow],
        budget: int,
        deadline: float | None = None,
    ) -> Iterator[Point]:
        """The solutions below ``nodes``, in which lazy constraints gave ``cuts`` so far.

        Stops when the tally's work exceeds ``budget``; what is left is then in :meth:`rest`,
        and ``cuts`` has grown.  Raises :class:`TimeIsUp` at the ``deadline`` (of
        ``time.monotonic``).
        """
        self._begin(nodes, cuts)
        while self._stack and self.tally.work < budget:
            if deadline is not None and time.monotonic() > deadline:
                raise TimeIsUp
            found = False
            for point in self._step(self._pop(), deadline):
                found = True
                yield point
            if self._stack and self._judge.is_wanted(found):
                yield from self._ask_shallowest(deadline)

    def rest(self) -> Nodes | None:
        """The nodes that are still open."""
        return joined(self._stack) if self._stack else None

    def _pop(self) -> Nodes:
        """Up to a batch of the deepest nodes."""
        taken = [self._stack.pop()]
        size = len(taken[0])
        while self._stack and size < _BATCH:
            taken.append(self._stack.pop())
            size += len(taken[-1])
        nodes = joined(taken[::-1])
        if size > _BATCH:
            self._stack.append(nodes.take(slice(0, size - _BATCH)))
            nodes = nodes.take(slice(size - _BATCH, None))
        return Nodes(nodes.lower.copy(), nodes.upper.copy(), nodes.share)

    def _step(self, nodes: Nodes, deadline: float | None) -> Iterator[Point]:
        self.tally.nodes += len(nodes)
        before = nodes.share.sum()
        nodes = self._tightened(nodes)
        fixed = nodes.lower == nodes.upper
        all_fixed = fixed.all(axis=0)
        keys_fixed = fixed[self._keys].all(axis=0)
        yield from self._leaves(nodes.take(all_fixed))
        for k in np.flatnonzero(keys_fixed & ~all_fixed):
            points, finished = self._judge.decide(nodes.take([k]), deadline, most=0)
            if not finished:
                raise TimeIsUp
            yield from self._accepted(points)
        still = nodes.take(~keys_fixed)
        self.tally.share += before - still.share.sum()
        if len(still):
            self._stack.append(self._brancher.children(still))

    def _tightened(self, nodes: Nodes) -> Nodes:
        """Propagate, and keep one of each orbit, until neither has anything to say."""
        lower, upper = nodes.lower, nodes.upper
        possible = np.ones(len(nodes), dtype=bool)
        active = np.arange(len(nodes))
        while len(active):
            low, high = lower[:, active], upper[:, active]
            alive = self.propagator.run(low, high)
            changed = np.zeros(len(active), dtype=bool)
            if self._leader is not None and alive.any():
                kept, moved = self._leader.run(low, high)
                alive &= kept
                changed = moved & alive
            lower[:, active], upper[:, active] = low, high
            possible[active[~alive]] = False
            active = active[changed]
        self.tally.work = self.propagator.work
        return nodes.take(possible)

    def _leaves(self, nodes: Nodes) -> Iterator[Point]:
        """Nodes with every column fixed: solutions, if all rows hold, lazy ones too."""
        self.propagator.work += _LEAF * len(nodes)
        points = []
        for k in range(len(nodes)):
            values = nodes.lower[:, k].astype(float)
            if self._linear.violation(values) is None:
                objective = None
                if self._linear.has_objective:
                    objective = self._linear.objective(values)
                points.append(Point(values[self._keys].astype(np.int64), objective, values))
        yield from self._accepted(points)

    def _accepted(self, points: Sequence[Point]) -> Iterator[Point]:
        fresh: list[UnitRow] = []
        for point in points:
            violated = lazy_rows(self.problem, point.keys)
            fresh += [_unit(columns, values, bound) for columns, values, bound in violated]
            if not violated:
                yield point
        if fresh:
            self._add_cuts(fresh)

    def _add_cuts(self, rows: Sequence[UnitRow]) -> None:
        fresh = []
        for row in rows:
            name = np.sort(row[0]).tobytes()
            if name not in self._cut_names:
                self._cut_names.add(name)
                fresh.append(row)
        if fresh:
            self.cuts += fresh
            self.propagator.add(fresh)

    def _ask_shallowest(self, deadline: float | None) -> Iterator[Point]:
        """Ask HiGHS about the open node that was put off longest, the largest part there is."""
        node, others = self._stack[0].take([0]), self._stack[0].take(slice(1, None))
        free = int((node.lower[self._keys] < node.upper[self._keys]).sum())
        most = _FROM_A_PART if free <= _SMALL_PART else 0
        points, finished = self._judge.decide(node, deadline, most, may_give_up=True)
        self._judge.learn(finished, found=bool(points))
        if finished:
            self.tally.share += node.share.sum()
            self._stack[:1] = [others] if len(others) else []
        else:
            self._stack[0] = joined([others, node])
            points = [replace(point, early=True) for point in points]
        yield from self._accepted(points)


def _unit(columns: Sequence[int], values: Sequence[float], bound: float) -> UnitRow:
    if any(value != 1 for value in values):
        raise NotImplementedError("lazy constraints count binaries: all coefficients are 1")
    return np.array(columns, dtype=np.int64), 0, int(np.floor(bound + 1e-9))


class Judge:
    """HiGHS on single nodes, each in a fresh instance."""

    def __init__(self, problem: Problem, make_session: MakeSession, period: int) -> None:
        self.calls: list[Call] = []
        self._problem, self._make_session = problem, make_session
        self._dry, self._period = 0, period
        self._nodes = _NODE_LIMIT

    def is_wanted(self, found: bool) -> bool:
        """Whether to ask now: after many batches without a solution, the more the answers pay."""
        self._dry = 0 if found else self._dry + 1
        return self._dry >= self._period

    def learn(self, finished: bool, found: bool) -> None:
        """Ask sooner after an answer that closed a node; later, and longer, after none."""
        if finished:
            self._period = max(self._period // 4, 1)
        elif not found:
            self._period, self._dry = min(self._period * 4, 2**20), 0
            self._nodes = min(self._nodes * 4, 2**30)

    def decide(
        self, node: Nodes, deadline: float | None, most: int, may_give_up: bool = False
    ) -> tuple[list[Point], bool]:
        """Solutions in a node, and whether they are all.

        Up to ``most`` are sought, and one more to know whether there are others, except where
        the keys are fixed; it ``may_give_up`` after a number of nodes of HiGHS.  Raises
        :class:`SolverError` with the part if the solver fails twice.
        """
        try:
            return self._try(node, deadline, most, may_give_up)
        except (SolverError, RuntimeError):
            try:
                return self._try(node, deadline, most, may_give_up)
            except (SolverError, RuntimeError) as error:
                raise SolverError(f"{error}; in the part {self._name(node)}") from None

    def _try(
        self, node: Nodes, deadline: float | None, most: int, may_give_up: bool
    ) -> tuple[list[Point], bool]:
        linear = self._problem.linear
        # What is continuous keeps the model's bounds: a node's are a little too wide, on purpose,
        # and an objective would rest on them.
        linear = replace(
            linear,
            col_lower=np.where(linear.integer, node.lower[:, 0], linear.col_lower),
            col_upper=np.where(linear.integer, node.upper[:, 0], linear.col_upper),
        )
        problem = replace(self._problem, linear=linear)
        keys = self._problem.key_columns
        alone = bool((node.lower[keys, 0] == node.upper[keys, 0]).all())
        left = None if deadline is None else max(deadline - time.monotonic(), 0.01)
        options = Options(left, threads=1, max_nodes=self._nodes if may_give_up else None)
        points: list[Point] = []
        try:
            session = self._make_session(linear)
            for point in candidates(problem, session, "highs", options, self.calls.append):
                points.append(point)
                if alone:
                    return points, True
                if len(points) > most:
                    return points, False
        except TimeIsUp:
            return points, False
        return points, True

    def _name(self, node: Nodes) -> str:
        linear, keys = self._problem.linear, self._problem.key_columns
        ones = [j for j in keys if node.lower[j, 0] == node.upper[j, 0] != 0]
        return ", ".join(f"{linear.col_names[j]}={node.lower[j, 0]:g}" for j in ones[:20]) or "root"
