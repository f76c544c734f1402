"""The fast method against brute force, against the reference, and under faults."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nogood.data import InputError
from nogood.models import KnightsTour, MagicSquare, Queens
from nogood.runners import SolverError, enumerate_solutions, parallel, splitting
from nogood.runners.highs import HighsSession
from nogood.runners.session import Answer
from scipy.optimize import linprog


@dataclass(frozen=True)
class Milp:
    """Integer columns within bounds, continuous ones within 0 … 3, rows and an objective."""

    bounds: tuple[tuple[int, int], ...]
    continuous: int
    rows: tuple[tuple[tuple[int, ...], str, int], ...]
    cost: tuple[int, ...] | None
    maximise: bool

    def model(self) -> pyo.ConcreteModel:
        model = pyo.ConcreteModel()
        count = len(self.bounds)
        model.k = pyo.Var(range(count), domain=pyo.Integers, bounds=lambda m, i: self.bounds[i])
        model.c = pyo.Var(range(self.continuous), bounds=(0, 3))
        columns = [*model.k.values(), *model.c.values()]
        model.rows = pyo.ConstraintList()
        for coefficients, relation, rhs in self.rows:
            body = pyo.quicksum(a * v for a, v in zip(coefficients, columns, strict=True) if a)
            if any(coefficients):
                model.rows.add(_compare(body, relation, rhs))
        if self.cost is not None:
            cost = pyo.quicksum(a * v for a, v in zip(self.cost, columns, strict=True))
            model.cost = pyo.Objective(
                expr=cost, sense=pyo.maximize if self.maximise else pyo.minimize
            )
        return model

    def brute_force(self) -> dict[tuple[int, ...], float]:
        """Every assignment of the integers that can be completed, with its best objective."""
        ranges = [range(low, high + 1) for low, high in self.bounds]
        found = {keys: self._complete(keys) for keys in product(*ranges)}
        return {keys: value for keys, value in found.items() if value is not None}

    def _complete(self, keys: tuple[int, ...]) -> float | None:
        count, free = len(keys), self.continuous
        sense = -1 if self.maximise else 1
        cost = np.array(self.cost or (0,) * (count + free), dtype=float)
        base = float(cost[:count] @ keys)
        upper, equal = [], []
        for coefficients, relation, rhs in self.rows:
            if not any(coefficients):
                continue
            rest = rhs - float(np.dot(coefficients[:count], keys))
            row = list(coefficients[count:])
            if relation == "==":
                equal.append((row, rest))
            else:
                flip = 1 if relation == "<=" else -1
                upper.append(([flip * a for a in row], flip * rest))
        if not free:
            held = all(rest >= 0 for _, rest in upper) and all(rest == 0 for _, rest in equal)
            return base if held else None
        result = linprog(
            sense * cost[count:],
            A_ub=[row for row, _ in upper] or None,
            b_ub=[rest for _, rest in upper] or None,
            A_eq=[row for row, _ in equal] or None,
            b_eq=[rest for _, rest in equal] or None,
            bounds=[(0, 3)] * free,
        )
        return base + sense * float(result.fun) if result.status == 0 else None


def _compare(body: Any, relation: str, rhs: int) -> Any:
    return {"<=": body <= rhs, ">=": body >= rhs, "==": body == rhs}[relation]


@st.composite
def milps(draw: st.DrawFn) -> Milp:
    count = draw(st.integers(1, 5))
    bound = st.sampled_from([(0, 1), (0, 1), (0, 1), (-2, 1), (0, 3), (-3, -1), (2, 2)])
    bounds = tuple(draw(bound) for _ in range(count))
    continuous = draw(st.sampled_from([0, 0, 1, 2]))
    # Rows of ones come often, so that unit rows and groups are met.
    coefficient = draw(st.sampled_from([st.integers(-3, 3), st.integers(0, 1)]))
    row = st.tuples(
        st.tuples(*[coefficient] * (count + continuous)),
        st.sampled_from(["<=", ">=", "==", "<="]),
        st.integers(-3, 5),
    )
    rows = tuple(draw(st.lists(row, max_size=4)))
    cost = draw(st.none() | st.tuples(*[st.integers(-3, 3)] * (count + continuous)))
    return Milp(bounds, continuous, rows, cost, draw(st.booleans()))


def _found(milp: Milp, **options: Any) -> dict[tuple[int, ...], float | None]:
    model = milp.model()
    found = enumerate_solutions(model, keys=[model.k], **options)
    assert found.complete
    keys = [tuple(solution.values()) for solution in found.solutions]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found.objectives, strict=True))


@settings(max_examples=120, deadline=None)
@given(milps(), st.randoms(use_true_random=False), st.booleans(), st.booleans())
def test_all_feasible_is_brute_force(milp: Milp, random: Any, hint: bool, parts: bool) -> None:
    expected = milp.brute_force()
    model = milp.model()
    order = random.sample(list(model.k.values()), len(model.k)) if hint else []
    # Parts of next to no work, here and on the executor, make a deep tree of them.
    small = {"_ALONE": 2, "_SOON": 1, "_LATER": 100} if parts else {"_ALONE": 10}
    with ThreadPoolExecutor(2) as threads, patch.multiple(parallel, **small):
        found = enumerate_solutions(
            model, keys=[model.k], want="feasible", order=order, executor=threads
        )
        assert found.complete
    by_keys = {tuple(solution.values()) for solution in found.solutions}
    assert found.complete
    assert len(by_keys) == found.count
    assert by_keys == expected.keys()


@settings(max_examples=60, deadline=None)
@given(milps().filter(lambda milp: milp.cost is not None), st.integers(0, 4))
def test_optimal_gap_and_best_are_brute_force(milp: Milp, gap: int) -> None:
    expected = milp.brute_force()
    sense = -1 if milp.maximise else 1
    best = min((sense * value for value in expected.values()), default=0.0)
    optimal = {k for k, value in expected.items() if sense * value <= best + 1e-6}
    within = {k for k, value in expected.items() if sense * value <= best + gap + 1e-6}
    assert _found(milp).keys() == optimal
    assert _found(milp, gap=gap).keys() == within
    count = gap + 1
    found = enumerate_solutions(model := milp.model(), keys=[model.k], best=count)
    values = sorted(sense * value for value in expected.values())[:count]
    assert [sense * value for value in found.objectives if value is not None] == pytest.approx(
        values, abs=1e-5
    )


unit_rows = st.lists(
    st.tuples(
        st.lists(st.integers(0, 6), min_size=1, max_size=6, unique=True),
        st.integers(0, 3),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300)
@given(unit_rows)
def test_rows_that_count_binaries_are_brute_force(rows: list[tuple[list[int], int, int]]) -> None:
    """Covering, packing, choosing, and what is between."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(7), domain=pyo.Binary)
    model.row = pyo.Constraint(
        range(len(rows)),
        rule=lambda m, i: (rows[i][1], sum(m.x[j] for j in rows[i][0]), rows[i][1] + rows[i][2]),
    )
    expected = {
        x
        for x in itertools.product((0, 1), repeat=7)
        if all(low <= sum(x[j] for j in of) <= low + more for of, low, more in rows)
    }
    found = enumerate_solutions(model, keys=[model.x])
    assert found.count == len(expected)
    assert {tuple(solution.values()) for solution in found} == expected
    assert found.complete


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deal parts from the root on, however short the work."""
    monkeypatch.setattr(parallel, "_ALONE", 1)
    monkeypatch.setattr(parallel, "_SOON", 1)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "puzzle", [Queens(7), MagicSquare(3, kind="semimagic"), KnightsTour(5, 6, formulation="dfj")]
)
def test_workers_change_nothing(puzzle: Any) -> None:
    alone = enumerate_solutions(puzzle, workers=1)
    with ThreadPoolExecutor(2) as threads:
        pooled = enumerate_solutions(puzzle, executor=threads)
        assert pooled.solutions == alone.solutions
        few = enumerate_solutions(puzzle, limit=3, executor=threads)
        assert few.solutions == enumerate_solutions(puzzle, limit=3, workers=1).solutions
    assert alone.complete
    assert alone.progress.parts_done > 1
    assert alone.progress.share == pytest.approx(1)


@pytest.mark.usefixtures("at_once")
def test_processes_change_nothing() -> None:
    alone = enumerate_solutions(Queens(7), workers=1)
    assert enumerate_solutions(Queens(7), workers=2).solutions == alone.solutions


class Dying(ThreadPoolExecutor):
    """Loses every ``period``-th task."""

    def __init__(self, period: int) -> None:
        super().__init__(2)
        self.period, self.count = period, 0

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        self.count += 1
        if self.count % self.period == 0:
            lost: Future[Any] = Future()
            lost.set_exception(ConnectionResetError("the worker is gone"))
            return lost
        return super().submit(*args, **kwargs)


@pytest.mark.usefixtures("at_once")
def test_a_lost_task_is_repeated(fault: Callable[[str, str], None]) -> None:
    with Dying(3) as executor:
        assert enumerate_solutions(Queens(7), executor=executor).count == 40
    fault("every third task lost by the executor", "repeated; 40 boards")
    with (
        Dying(1) as executor,
        pytest.raises(SolverError, match=r"part [\d.]+ of the search failed 3"),
    ):
        _ = enumerate_solutions(Queens(7), executor=executor).count


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_a_killed_worker_leaves_no_hole(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[str, str], None]
) -> None:
    made: list[Any] = []
    own: Callable[[int], Executor] = parallel._own

    def kept(workers: int) -> Executor:
        made.append(own(workers))
        return made[-1]

    monkeypatch.setattr(parallel, "_own", kept)
    found = enumerate_solutions(MagicSquare(4), symmetry=False, workers=2)
    source = iter(found)
    next(source)
    victim = next(iter(made[-1]._processes))
    threading.Timer(0.2, os.kill, (victim, signal.SIGKILL)).start()
    assert sum(1 for _ in source) == 7039
    assert found.complete
    fault("SIGKILL to a process of its own", "a new one went on with its part; 7040 squares")


class Failing:
    """Every ``period``-th answer of HiGHS becomes an error."""

    def __init__(self, period: int, answer: Callable[[HighsSession], Answer]) -> None:
        self.period, self.count, self.answer = period, 0, answer

    def __call__(self, session: HighsSession) -> Answer:
        self.count += 1
        return Answer("error") if self.count % self.period == 0 else self.answer(session)


@pytest.mark.parametrize("period", [2, 3, 5])
def test_solver_errors_change_nothing(
    monkeypatch: pytest.MonkeyPatch, period: int, fault: Callable[[str, str], None]
) -> None:
    puzzle = Queens(7, square=[[1, 5, 2, 8, 3, 9, 4]] * 7, objective="nearest")
    expected = set(enumerate_solutions(puzzle, want="feasible").solutions)
    failing = Failing(period, HighsSession._answer)
    monkeypatch.setattr(HighsSession, "_answer", lambda session: failing(session))
    assert set(enumerate_solutions(puzzle, want="feasible").solutions) == expected
    assert failing.count > 20
    fault(f"an error as each {period}. answer of HiGHS", "asked again; every solution")


def test_a_solver_that_only_fails_is_an_error_with_the_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HighsSession, "_answer", lambda session: Answer("error", detail="broken"))
    puzzle = Queens(4, square=[[1, 2, 3, 4]] * 4, objective="nearest")
    found = enumerate_solutions(puzzle, want="feasible")
    with pytest.raises(SolverError, match=r"highs: error broken; in the part x\[0,"):
        _ = found.count
    assert not found.complete


def _copies(count: int, size: int) -> pyo.ConcreteModel:
    """``count`` identical columns of integers, and one that differs."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(count), domain=pyo.Integers, bounds=(0, size))
    model.y = pyo.Var(domain=pyo.Binary)
    model.s = pyo.Var(bounds=(0, 10))
    model.sum = pyo.Constraint(expr=sum(model.x.values()) + 2 * model.y + model.s == size + 1)
    return model


@pytest.mark.parametrize(("count", "size"), [(3, 2), (4, 1), (4, 3)])
def test_true_symmetries_change_nothing(count: int, size: int) -> None:
    model = _copies(count, size)
    x = model.x
    swaps = [pyo.ComponentMap([(x[k], x[k + 1]), (x[k + 1], x[k])]) for k in range(count - 1)]
    keys = [model.x, model.y]
    plain = enumerate_solutions(model, keys=keys)
    found = enumerate_solutions(model, keys=keys, symmetry=swaps)
    as_set = {tuple(s.values()) for s in plain}
    assert {tuple(s.values()) for s in found} == as_set
    assert found.count == len(as_set)
    distinct = enumerate_solutions(model, keys=keys, symmetry=swaps, distinct=True)
    assert sum(distinct.orbits) == len(as_set)
    assert {(*sorted(list(s.values())[:-1]), s["y"]) for s in distinct} == {
        (*sorted(values[:-1]), values[-1]) for values in as_set
    }


def test_a_wrong_symmetry_is_refused_or_named() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Binary)
    model.c = pyo.Constraint(expr=model.x[0] + 2 * model.x[1] + model.x[2] <= 2)
    wrong = [{"x[0]": "x[1]", "x[1]": "x[0]"}]
    with pytest.raises(InputError, match="generator 0 does not map the model's rows onto its rows"):
        enumerate_solutions(model, symmetry=wrong)
    found = enumerate_solutions(model, symmetry=wrong, vouch=True)
    with pytest.raises(SolverError, match=r"symmetry: the image .* of a solution is none"):
        _ = found.count


def test_a_symmetry_with_auxiliaries_must_move_them() -> None:
    model = pyo.ConcreteModel()
    model.x, model.u = pyo.Var([0, 1], domain=pyo.Binary), pyo.Var([0, 1], bounds=(0, 5))
    model.c = pyo.Constraint([0, 1], rule=lambda m, i: m.u[i] >= 3 * m.x[i])
    model.d = pyo.Constraint(expr=model.u[0] + model.u[1] <= 5)
    swap = {"x[0]": "x[1]", "x[1]": "x[0]"}
    with pytest.raises(InputError, match="extend it to the auxiliary variables"):
        enumerate_solutions(model, symmetry=[swap])
    swap |= {"u[0]": "u[1]", "u[1]": "u[0]"}
    found = enumerate_solutions(model, symmetry=[swap])
    assert {tuple(s.values()) for s in found} == {(0, 0), (0, 1), (1, 0)}
    vouched = enumerate_solutions(
        model, symmetry=[{"x[0]": "x[1]", "x[1]": "x[0]"}], vouch=True, distinct=True
    )
    assert sorted(vouched.orbits) == [1, 2]


@pytest.mark.parametrize(
    "puzzle",
    [
        Queens(5),
        Queens(6),
        Queens(square="reto2", total="magic"),
        Queens(square="reto2", objective="min"),
        Queens(square="reto2", objective="max"),
        Queens(square="reto2", objective="nearest"),
        Queens(8, given=[(0, 3)]),
        MagicSquare(3),
        pytest.param(MagicSquare(4, kind="pandiagonal", given={(0, 0): 1}), marks=pytest.mark.slow),
        KnightsTour(3, 4, kind="open"),
        KnightsTour(3, 4, kind="path", formulation="mtz-lifted"),
        KnightsTour(5, 6, formulation="dfj"),
        KnightsTour(3, 10, formulation="dfj"),
        KnightsTour(4, 4),
    ],
    ids=str,
)
def test_fast_is_reference(puzzle: Any) -> None:
    fast, reference = enumerate_solutions(puzzle), enumerate_solutions(puzzle, method="cuts")
    assert fast.complete
    assert reference.complete
    assert set(fast.solutions) == set(reference.solutions)
    assert len(set(fast.solutions)) == fast.count == reference.count


def test_hiGHS_is_asked_when_propagation_runs_dry() -> None:  # noqa: N802
    """A market split: propagation alone would visit most of the 2^24 assignments."""
    random = np.random.default_rng(3)
    weights = random.integers(1, 60, (3, 24))
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(24), domain=pyo.Binary)
    model.split = pyo.Constraint(
        range(3),
        rule=lambda m, i: (
            sum(int(w) * m.x[j] for j, w in enumerate(weights[i])) == int(weights[i].sum()) // 2
        ),
    )
    found = enumerate_solutions(model)
    assert found.complete
    for solution in found:
        assert (weights @ list(solution.values()) == weights.sum(axis=1) // 2).all()
    assert len(found.calls) > 0


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ask HiGHS after every batch."""
    monkeypatch.setattr(splitting, "_DRY", 1)
    return


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("puzzle", "count"),
    [
        (Queens(6), 4),
        (Queens(7), 40),
        (MagicSquare(3), 8),
        (KnightsTour(5, 6, formulation="dfj"), 16),
    ],
)
def test_what_highs_enumerates_is_counted_once(puzzle: Any, count: int) -> None:
    found = enumerate_solutions(puzzle)
    assert (found.count, found.complete) == (count, True)
    assert len(found.calls) > 0


def test_a_time_limit_keeps_what_was_found() -> None:
    found = enumerate_solutions(MagicSquare(4), symmetry=False, time_limit=0.5, workers=1)
    assert 0 < found.count < 7040
    assert found.stopped == "time limit"
    assert not found.complete


SWAP_X = [{"x[0]": "x[1]", "x[1]": "x[0]"}]


@pytest.mark.parametrize("symmetry", [False, SWAP_X])
def test_the_best_through_several_cutoffs(symmetry: Any) -> None:
    """What one cutoff has told, the next, wider one tells again."""

    def model() -> pyo.ConcreteModel:
        made = pyo.ConcreteModel()
        made.x = pyo.Var(range(4), domain=pyo.Binary)
        made.sum = pyo.Objective(expr=pyo.quicksum(made.x.values()))
        return made

    every = [0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]
    for best in (1, 3, 6, 10, 16, 20):
        found = enumerate_solutions(model(), best=best, symmetry=symmetry, workers=1)
        assert found.objectives == pytest.approx(every[:best])
        assert len({tuple(s.values()) for s in found}) == found.count


def test_the_best_of_a_single_orbit() -> None:
    def model() -> pyo.ConcreteModel:
        made = pyo.ConcreteModel()
        made.x = pyo.Var([0, 1], domain=pyo.Binary)
        made.one = pyo.Constraint(expr=made.x[0] + made.x[1] == 1)
        made.sum = pyo.Objective(expr=made.x[0] + made.x[1])
        return made

    for best in (1, 2, 5):
        found = enumerate_solutions(model(), best=best, distinct=True, symmetry=SWAP_X)
        assert (found.count, found.orbits) == (1, [2])


@pytest.mark.parametrize("method", ["split", "cuts"])
@pytest.mark.parametrize("best", [3, 4, 5])
def test_the_best_where_every_objective_can_be_worse(method: Any, best: int) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Binary)
    model.c = pyo.Var(bounds=(0, None))
    model.row = pyo.Constraint(expr=model.c >= model.x[0])
    model.sum = pyo.Objective(expr=model.c + model.x[1])
    found = enumerate_solutions(model, best=best, method=method)
    assert found.objectives == pytest.approx([0, 1, 1, 2][:best], abs=1e-9)
    assert found.complete


def test_a_row_longer_than_can_be_counted_in_16_bits() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(32_768), domain=pyo.Binary)
    model.one = pyo.Constraint(expr=pyo.quicksum(model.x.values()) == 1)
    found = enumerate_solutions(model, keys=[model.x[0], model.x[1]])
    assert sorted(tuple(s.values()) for s in found) == [(0, 0), (0, 1), (1, 0)]


def test_minus_zero_is_zero() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Integers, bounds=(0, 2))
    model.c = pyo.Var(bounds=(0, None))
    model.a = pyo.Constraint(expr=3 * model.x[0] - model.x[1] - 3 * model.c == -3)
    model.b = pyo.Constraint(expr=3 * model.x[1] - model.x[0] - 3 * model.c == -3)
    found = enumerate_solutions(model, symmetry=SWAP_X)
    assert sorted(tuple(s.values()) for s in found) == [(0, 0), (1, 1), (2, 2)]
    assert found.orbits == [1, 1, 1]


def test_objectives_do_not_rest_on_widened_bounds() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Binary)
    model.c = pyo.Var(bounds=(-2, 2))
    model.row = pyo.Constraint(expr=model.c - model.x[1] >= 0)
    cost = 1000 * model.c - 1000 * model.x[1] + 4e-4 * (model.x[0] + 2 * model.x[1])
    model.cost = pyo.Objective(expr=cost)
    found = enumerate_solutions(model)
    assert found.objectives == pytest.approx([0], abs=1e-5)
    assert [tuple(s.values()) for s in found] == [(0, 0)]


def test_a_part_is_solved_within_the_bounds_of_the_model() -> None:
    """HiGHS fails on this part with a lower bound of -0.600003 instead of -0.6."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Integers, bounds=lambda m, j: (0, 1 + 2 * j))
    model.c = pyo.Var(bounds=(-2, 2))
    model.row = pyo.Constraint(expr=(0.5, 0.5 * model.x[0] + 0.1 * model.x[1] + model.c / 3, 1.5))
    assert enumerate_solutions(model).count == 8


@pytest.mark.parametrize("method", ["split", "cuts"])
@pytest.mark.parametrize("size", [10**5, 10**6, 10**8])
def test_rows_of_integers_are_exact_however_large_their_coefficients(
    method: Any, size: int
) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Integers, bounds=(4, 5))
    model.z = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=size * model.x[0] - size * model.x[1] + model.z == 0)
    found = enumerate_solutions(model, method=method)
    assert sorted(tuple(s.values()) for s in found) == [(4, 4, 0), (5, 5, 0)]
