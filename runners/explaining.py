"""Riddles explained: what follows from which clue, what contradicts what, what was not needed."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from ..data.errors import check_positive
from ..data.riddle_form import RiddleForm
from ..models.riddle import Literal, Riddle
from .cuts import TimeIsUp
from .enumeration import enumerate_solutions
from .errors import SolverError
from .found import Found, Stop
from .linear import as_problem
from .oracle import Element, Oracle, conflicts, with_row

_WEIGHTS = {"fact": 1.0, "rule": 10.0, "clue": 100.0}
_MOST_SOLUTIONS = 100


@dataclass(frozen=True)
class Step:
    """From ``clues`` and the ``rules`` of columns, knowing ``facts``, it follows ``derived``.

    Facts and what is derived are literals with True (the value stands in that row) or False.
    """

    clues: tuple[int, ...]
    rules: tuple[str, ...]
    facts: tuple[tuple[Literal, bool], ...]
    derived: tuple[tuple[Literal, bool], ...]


@dataclass(frozen=True)
class Explanation:
    """Everything that is said of a riddle.

    ``conflicts`` are minimal sets of clues that cannot hold together, where there is no
    solution; ``redundant`` the clues each of which alone is not needed for uniqueness;
    ``smallest`` a smallest set of clues that determines the solution (both only where it is
    unique); ``open`` the literals in which several solutions differ.  Clues count from 0.
    ``stopped`` says why it ends early, None where nothing is missing.
    """

    riddle: Riddle
    solutions: tuple[Any, ...]
    complete: bool
    steps: tuple[Step, ...] = ()
    conflicts: tuple[tuple[int, ...], ...] = ()
    redundant: tuple[int, ...] = ()
    smallest: tuple[int, ...] = ()
    open: tuple[Literal, ...] = ()
    stopped: Stop | None = None

    @property
    def unique(self) -> bool:
        """Whether there is exactly one solution."""
        return self.complete and len(self.solutions) == 1


def explain(
    source: Riddle | str | Path | Mapping[str, Any] | RiddleForm,
    *,
    all_conflicts: bool = False,
    time_limit: float | None = None,
) -> Explanation:
    """Explain a riddle, step by step, each step verified by HiGHS.

    Steps are derived in the order of their cost: first by the rules of one column (each value
    once), then by one clue alone, by one clue and rules, by two clues, by all.  What a set with
    clues forces is looked for by propagation with probing, what rules alone or all clues together
    force by HiGHS, so that nothing is missed in the end.  Of each, the smallest set of facts,
    rules and clues that forces the new fact, by a MILP hitting set (weights 1, 10, 100).  A step
    then says all that its set forces.

    Parameters
    ----------
    source
        A :class:`~nogood.models.Riddle`, or what one is made from.
    all_conflicts
        Where there is no solution, all minimal sets of clues that contradict each other, instead
        of one of the smallest.
    time_limit
        Stop after so many seconds.  What was found by then is kept, as it is after Ctrl-C.

    Source: B. Bogaerts, E. Gamba, T. Guns, A framework for step-wise explaining how to solve
    constraint satisfaction problems, Artificial Intelligence 300 (2021).
    """
    check_positive("time_limit", time_limit)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    riddle = source if isinstance(source, Riddle) else Riddle(source)
    found = enumerate_solutions(riddle, limit=_MOST_SOLUTIONS, time_limit=time_limit)
    stopped = None if found.stopped == "limit" else found.stopped
    said: dict[str, list[Any]] = defaultdict(list)
    try:
        if stopped is None:
            for name, what in _said(found, _Board(riddle, deadline), all_conflicts):
                said[name].append(what)
    except TimeIsUp:
        stopped = "time limit"
    except KeyboardInterrupt:
        stopped = "interrupt"
    return Explanation(
        riddle,
        tuple(found.solutions),
        found.complete,
        stopped=stopped,
        **{name: tuple(listed) for name, listed in said.items()},
    )


def _said(found: Found, board: _Board, all_conflicts: bool) -> Iterator[tuple[str, Any]]:
    """What the tuples of an :class:`Explanation` hold, by their names."""
    if not found.count:
        for conflict in board.conflicts(all_conflicts):
            yield "conflicts", conflict
        return
    for step in board.steps():
        yield "steps", step
    if found.complete and found.count == 1:
        for clue in board.redundant():
            yield "redundant", clue
        for clue in board.smallest_subset():
            yield "smallest", clue
    else:
        for literal in board.open():
            yield "open", literal


@dataclass
class _Board:
    """A riddle as a switched model, and what is known of its table."""

    riddle: Riddle
    deadline: float
    known: set[Element] = field(default_factory=set)

    def __post_init__(self) -> None:
        model = self.riddle.switched()
        problem = as_problem(model)
        place = {id(v): j for j, v in enumerate(problem.variables)}
        self.literal = {place[id(v)]: index for index, v in model.x.items()}
        self.column = {index: j for j, index in self.literal.items()}
        self.clue = [(place[id(v)], 1) for v in model.holds.values()]
        self.rule = {name: (place[id(v)], 1) for name, v in model.once.items()}
        self.switches = [j for j, _ in (*self.clue, *self.rule.values())]
        self.oracle = Oracle(problem.linear, self.switches, self.deadline)
        self.start = {(self.column[index], 1) for index in self.riddle.start()}
        self.everything = [*self.clue, *self.rule.values()]
        self.known |= self.start | self._shown()
        # The first try at a set of constraints is repeated only if its columns know more.
        self._tried: dict[tuple[Any, ...], int] = {}

    def _shown(self) -> set[Element]:
        """What the table shows at a glance: a value in it stands nowhere else."""
        shown: set[Element] = set()
        for name, value, r in self.riddle.start():
            for j, (other, v, row) in self.literal.items():
                if other == name and (v == value) != (row == r):
                    shown.add((j, 0))
        return shown

    def conflicts(self, every: bool) -> Iterator[tuple[int, ...]]:
        """Minimal sets of clues that contradict each other under the table's rules."""
        hard = [*self.start, *self.rule.values()]
        if every:
            for found in conflicts(self.oracle, hard, self.clue):
                yield self._clues(found)
            return
        smallest = self.oracle.smallest(hard, dict.fromkeys(self.clue, 1.0))
        assert smallest is not None
        yield self._clues(smallest)

    def _clues(self, elements: Collection[Element]) -> tuple[int, ...]:
        return tuple(h for h, element in enumerate(self.clue) if element in elements)

    @cached_property
    def consequences(self) -> set[Element]:
        """All that follows from everything."""
        return self.oracle.consequences([*self.start, *self.everything], self.literal)

    def open(self) -> list[Literal]:
        """The literals that some solutions affirm and others deny."""
        decided = {j for j, _ in self.consequences}
        return [index for j, index in self.literal.items() if j not in decided]

    def redundant(self) -> Iterator[int]:
        """Clues without which the solution stays unique."""
        for h, clue in enumerate(self.clue):
            others = [e for e in self.everything if e != clue]
            if self._another([*self.start, *others]) is None:
                yield h

    def smallest_subset(self) -> tuple[int, ...]:
        """A smallest set of clues without another solution."""
        hard = [*self.start, *self.rule.values()]
        found = self._differing.smallest(hard, dict.fromkeys(self.clue, 1.0))
        assert found is not None
        return self._clues(found)

    def _another(self, elements: Collection[Element]) -> Any:
        return self._differing.solve(elements)

    @cached_property
    def _differing(self) -> Oracle:
        """The model without the one solution."""
        ones = [j for j, value in self.consequences if value]
        differing = with_row(self.oracle.linear, ones, len(ones) - 1)
        return Oracle(differing, self.switches, self.deadline)

    def steps(self) -> Iterator[Step]:
        """Deductions until all consequences are known."""
        while not self.consequences <= self.known:
            for group in self._groups():
                news = self._news(group)
                if news:
                    yield self._step(group, news)
                    break
            else:
                raise SolverError("explain: no step leads on, though something is still unknown")

    def _groups(self) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Sets of clues and rules, the cheapest first."""
        clues, names = range(len(self.clue)), list(self.rule)
        touched = {h: self._names(h) for h in clues}
        yield from (((), (name,)) for name in names)
        yield from (((h,), ()) for h in clues)
        yield from (((h,), (name,)) for h in clues for name in touched[h])
        yield from (((h,), touched[h]) for h in clues if len(touched[h]) > 1)
        for a, b in combinations(clues, 2):
            shared = set(touched[a]) & set(touched[b])
            if shared:
                yield (a, b), tuple(dict.fromkeys(touched[a] + touched[b]))
        yield tuple(clues), tuple(names)

    def _names(self, clue: int) -> tuple[str, ...]:
        rows = [row for option in self.riddle.form.hints[clue] for row in option]
        header = self.riddle.form.header
        return tuple(
            name for c, name in enumerate(header) if name in self.rule and any(r[c] for r in rows)
        )

    def _columns(self, group: tuple[tuple[int, ...], tuple[str, ...]]) -> set[int]:
        names = {*group[1], *(name for h in group[0] for name in self._names(h))}
        return {j for j, (name, _, _) in self.literal.items() if name in names}

    def _news(self, group: tuple[tuple[int, ...], tuple[str, ...]]) -> set[Element]:
        """What the constraints of a group add to what is known."""
        columns = self._columns(group)
        facts = {element for element in self.known if element[0] in columns}
        if self._tried.get(group) == len(facts):
            return set()
        self._tried[group] = len(facts)
        elements, unknown = [*facts, *self._elements(group)], columns - {j for j, _ in self.known}
        news = self.oracle.probed(elements, unknown)
        clues, rules = len(group[0]), len(group[1])
        exactly = clues == 0 or clues + rules == len(self.everything)
        if news or not exactly:
            return news
        return self.oracle.consequences(elements, unknown)

    def _elements(self, group: tuple[tuple[int, ...], tuple[str, ...]]) -> list[Element]:
        return [*(self.clue[h] for h in group[0]), *(self.rule[name] for name in group[1])]

    def _step(self, group: tuple[tuple[int, ...], tuple[str, ...]], news: set[Element]) -> Step:
        """The smallest reason for one new fact, an affirmed one first, and all that it forces."""
        column, value = min(news, key=lambda element: (-element[1], element[0]))
        columns = self._columns(group)
        weights = {e: _WEIGHTS["fact"] for e in sorted(self.known) if e[0] in columns}
        weights |= {self.rule[name]: _WEIGHTS["rule"] for name in group[1]}
        weights |= {self.clue[h]: _WEIGHTS["clue"] for h in group[0]}
        reason = self.oracle.smallest([(column, 1 - value)], weights)
        assert reason is not None
        unknown = columns - {j for j, _ in self.known}
        derived = self.oracle.consequences(reason, unknown)
        for element in derived:
            if self.oracle.solve([*reason, (element[0], 1 - element[1])]) is not None:
                raise SolverError(f"explain: {self._said(element)} does not follow")
        self.known |= derived
        self._tried.pop(group, None)
        facts = sorted(e for e in reason if e[0] in self.literal)
        return Step(
            self._clues(reason),
            tuple(name for name, element in self.rule.items() if element in reason),
            tuple(self._said(element) for element in facts),
            tuple(self._said(element) for element in sorted(derived)),
        )

    def _said(self, element: Element) -> tuple[Literal, bool]:
        return self.literal[element[0]], bool(element[1])
