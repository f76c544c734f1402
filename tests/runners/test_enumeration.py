"""Enumeration of any Pyomo MILP: against brute force, step by step, and leaving no trace."""

import itertools
import math

import pyomo.environ as pyo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nogood.data import InputError
from nogood.models import Queens
from nogood.runners import SolverError, enumerate_solutions
from nogood.runners.highs import HighsSession


def milp(bounds, rows, cost=None, sense=pyo.minimize):
    """Integers within ``bounds``; each row is (coefficients, "<=", "==" or ">=", right side)."""
    model = pyo.ConcreteModel("test")
    model.x = pyo.Var(range(len(bounds)), domain=pyo.Integers, bounds=lambda m, j: bounds[j])
    model.row = pyo.ConstraintList()
    for coefficients, relation, rhs in rows:
        if not any(coefficients):
            coefficients = [1, *coefficients[1:]]
        body = sum(a * model.x[j] for j, a in enumerate(coefficients))
        model.row.add({"<=": body <= rhs, "==": body == rhs, ">=": body >= rhs}[relation])
    if cost:
        model.cost = pyo.Objective(
            expr=sum(a * model.x[j] for j, a in enumerate(cost)), sense=sense
        )
    return model


def brute_force(bounds, rows, cost=None, sense=pyo.minimize, want="feasible"):
    """All points, or all best ones, by trying each."""
    found = []
    for x in itertools.product(*(range(low, high + 1) for low, high in bounds)):
        for coefficients, relation, rhs in rows:
            if not any(coefficients):
                coefficients = [1, *coefficients[1:]]
            left = sum(map(math.prod, zip(coefficients, x, strict=True)))
            if not {"<=": left <= rhs, "==": left == rhs, ">=": left >= rhs}[relation]:
                break
        else:
            found.append(x)
    if want == "optimal" and found:
        value = {x: sense * sum(map(math.prod, zip(cost, x, strict=True))) for x in found}
        found = [x for x in found if value[x] == min(value.values())]
    return found


def points(found):
    """The solutions as tuples, sorted, if complete and different."""
    assert found.complete
    solutions = sorted(tuple(s.values()) for s in found)
    assert len(set(solutions)) == len(solutions)
    return solutions


@st.composite
def instances(draw):
    size = draw(st.integers(2, 4))
    ranges = [(0, 1)] if draw(st.booleans()) else [(0, 1), (-3, -1), (-2, 1), (0, 3), (2, 2)]
    bounds = draw(st.lists(st.sampled_from(ranges), min_size=size, max_size=size))
    numbers = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
    relation = st.sampled_from(["<=", "<=", ">=", ">=", "=="])
    rows = draw(st.lists(st.tuples(numbers, relation, st.integers(-4, 4)), min_size=1, max_size=3))
    return bounds, rows, draw(numbers), draw(st.sampled_from([pyo.minimize, pyo.maximize]))


@given(instances(), st.sampled_from(["no objective", "feasible", "optimal"]))
def test_enumeration_is_brute_force(reference, instance, want):
    bounds, rows, cost, sense = instance
    if want == "no objective" or not any(cost):
        found = reference(milp(bounds, rows))
        assert points(found) == brute_force(bounds, rows)
        assert found.objectives == [None] * found.count
        return
    found = reference(milp(bounds, rows, cost, sense), want=want)
    assert points(found) == brute_force(bounds, rows, cost, sense, want)
    for solution, objective in zip(found.solutions, found.objectives, strict=True):
        value = sum(map(math.prod, zip(cost, solution.values(), strict=True)))
        assert objective == (value if want == "optimal" else None)


KNAPSACK = (
    [(0, 3), (-1, 2), (0, 4), (-2, 0)],
    [((5, 4, 3, -2), "<=", 14), ((1, 1, 1, 1), ">=", 1)],
    (8, 5, 4, -3),
    pyo.maximize,
)


@pytest.mark.parametrize("want", [pytest.param("feasible", marks=pytest.mark.slow), "optimal"])
def test_a_knapsack_of_general_integers(reference, want):
    expected = brute_force(*KNAPSACK, want=want)
    assert len(expected) > (50 if want == "feasible" else 0)
    found = reference(milp(*KNAPSACK), want=want)
    assert points(found) == expected


def test_a_single_key_strictly_between_its_bounds(reference):
    assert points(reference(milp([(0, 3)], [((2,), "<=", 5)]))) == [(0,), (1,), (2,)]


def test_keys_without_any_constraint(reference):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(-1, 1))
    model.y = pyo.Var(domain=pyo.Binary)
    found = reference(model)
    assert points(found) == list(itertools.product((-1, 0, 1), (0, 1)))


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_keys_without_any_constraint_and_away_from_zero(reference, solver):
    if solver == "scip":
        pytest.importorskip("pyscipopt")
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(2, 3))
    model.y = pyo.Var(domain=pyo.Integers, bounds=(-3, -3))
    assert points(reference(model, solver=solver)) == [(2, -3), (3, -3)]


def test_a_key_in_no_constraint_is_still_told_apart(reference):
    model = milp([(0, 1), (0, 1)], [((1, 1), "==", 1)])
    model.free = pyo.Var(domain=pyo.Binary)
    assert len(points(reference(model))) == 4


def test_fixed_variables_keep_their_values(reference):
    model = milp([(0, 2)] * 3, [((1, 1, 1), "==", 3)])
    model.x[1].fix(2)
    assert points(reference(model)) == [(0, 2, 1), (1, 2, 0)]


def test_some_keys_give_the_projection(reference):
    """Once each, whatever the auxiliary variables may be."""
    bounds, rows = [(0, 2)] * 3, [((1, 1, 1), "<=", 2)]
    model = milp(bounds, rows)
    expected = sorted({x[:2] for x in brute_force(bounds, rows)})
    assert points(reference(model, [model.x[0], model.x[1]])) == expected
    assert points(reference(model, model.x)) == brute_force(bounds, rows)


def test_continuous_variables_are_auxiliary(reference):
    model = milp([(0, 3)], [((1,), "<=", 3)])
    model.y = pyo.Var(bounds=(0.5, 1.5))
    model.link = pyo.Constraint(expr=model.y == 0.5 * model.x[0])
    assert points(reference(model)) == [(1,), (2,), (3,)]


def test_the_objective_may_be_continuous_and_have_a_constant(reference):
    model = milp([(0, 1)] * 3, [((1, 1, 1), "<=", 2)])
    model.profit = pyo.Objective(expr=0.1 * (model.x[0] + model.x[1]) + 7, sense=pyo.maximize)
    found = reference(model)
    assert points(found) == [(1, 1, 0)]
    assert found.objectives == pytest.approx([7.2])


def test_nothing_satisfies_a_false_constraint(reference):
    model = milp([(0, 1)], [((1,), "<=", 1)], (1,))
    model.x[0].fix(1)
    model.wrong = pyo.Constraint(expr=model.x[0] == 0)
    for want in ("feasible", "optimal"):
        assert points(reference(model, want=want)) == []


def test_feasible_ignores_an_unbounded_objective(reference):
    model = milp([(0, 1)], [((1,), "<=", 1)])
    model.y = pyo.Var()
    model.link = pyo.Constraint(expr=model.y >= model.x[0])
    model.cost = pyo.Objective(expr=model.y, sense=pyo.maximize)
    with pytest.raises(SolverError, match=r"^the objective is unbounded; no solution is best$"):
        reference(model).count  # noqa: B018
    assert points(reference(model, want="feasible")) == [(0,), (1,)]


@pytest.mark.parametrize("domain", [[0, 5], range(0, 7, 2)])
def test_a_domain_with_gaps_is_refused(reference, domain):
    """Its gaps are no bounds, and would be filled."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Set(initialize=list(domain)))
    model.row = pyo.Constraint(expr=model.x <= 100)
    with pytest.raises(InputError, match=r"^x: its domain has gaps"):
        reference(model)


def state(model):
    parts = [(c.name, type(c)) for c in model.component_objects()]
    values = [
        (v.name, v.value, v.bounds, v.fixed, str(v.domain))
        for v in model.component_data_objects(pyo.Var)
    ]
    return parts, values, [str(c.expr) for c in model.component_data_objects(pyo.Constraint)]


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_the_model_comes_back_as_it_was(reference, solver):
    if solver == "scip":
        pytest.importorskip("pyscipopt")
    model = milp(*KNAPSACK)
    model.x[0].value = 2
    model.x[3].fix(-1)
    before = state(model)
    found = reference(model, want="feasible", solver=solver, limit=3)
    assert found.count == 3
    assert state(model) == before


def test_a_limit(reference):
    found = reference(Queens(6), limit=3)
    assert (found.count, found.complete, found.stopped) == (3, False, "limit")
    assert len(found.calls) == 3


def test_a_limit_that_is_not_reached(reference):
    found = reference(Queens(6), limit=5)
    assert (found.count, found.complete, found.stopped) == (4, True, None)


def test_a_time_limit(reference):
    found = reference(Queens(12), time_limit=0.5)
    assert (found.complete, found.stopped) == (False, "time limit")
    assert found.count < 14200
    for solution in found:
        Queens(12).check(solution)


def test_solutions_come_as_they_are_found(reference, monkeypatch):
    asked = []
    solve = HighsSession.solve
    monkeypatch.setattr(
        HighsSession, "solve", lambda self, options: asked.append(1) or solve(self, options)
    )
    found = reference(Queens(8))
    assert asked == []  # nothing before it is needed
    first = next(iter(found))
    Queens(8).check(first)
    assert len(asked) < 5
    assert repr(found).startswith("<Found: 1 so far")
    assert next(iter(found)) == first  # from the start again, without a call
    assert len(asked) < 5


def test_iterating_twice_gives_the_same(reference):
    found = reference(Queens(5))
    assert list(found) == list(found) == found.solutions
    assert found.count == 10


def test_two_iterators_at_once(reference):
    found = reference(Queens(5))
    assert all(a == b for a, b in zip(found, found, strict=True))
    assert found.count == 10


def test_calls_and_table(reference):
    found = reference(Queens(square="durer", total=34))
    assert list(found.calls.columns) == ["status", "seconds", "nodes", "rows", "cuts"]
    assert found.calls["status"].tolist() == ["optimal"] * 2 + ["infeasible"]
    assert found.calls["cuts"].tolist() == [0, 1, 2]
    assert found.calls["rows"].diff().dropna().tolist() == [1, 1]
    table = found.table
    assert list(table.columns) == ["number", "sum", "solution"]
    assert table["number"].tolist() == [1, 2]
    assert table["sum"].tolist() == [34, 34]
    assert sorted(table["solution"]) == ["[1, 3, 0, 2]", "[2, 0, 3, 1]"]


def test_a_table_of_a_model_has_a_column_a_key(reference):
    table = reference(milp(*KNAPSACK)).table
    assert list(table.columns) == ["number", "objective", "x[0]", "x[1]", "x[2]", "x[3]"]


def test_a_table_of_nothing(reference):
    found = reference(Queens(3))
    assert list(found.table.columns) == ["number"]
    assert len(found.table) == 0
    assert len(found.calls) == 1


def test_ctrl_c_keeps_what_was_found(reference, monkeypatch):
    asked = []
    solve = HighsSession.solve

    def interrupted(self, options):
        asked.append(options)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return solve(self, options)

    monkeypatch.setattr(HighsSession, "solve", interrupted)
    found = reference(Queens(6))
    assert (found.count, found.complete, found.stopped) == (2, False, "interrupt")
    assert list(found) == found.solutions
    assert len(asked) == 3


def test_what_is_no_solution_is_never_returned(reference, monkeypatch):
    solve = HighsSession.solve

    def lying(self, options):
        answer = solve(self, options)
        answer.values[:] = 0
        return answer

    monkeypatch.setattr(HighsSession, "solve", lying)
    with pytest.raises(SolverError, match=r"^highs returned what is no solution: row\[0\] has "):
        reference(Queens(4)).count  # noqa: B018


def test_a_failing_solver_is_no_proof(reference, monkeypatch):
    from nogood.runners.session import Answer

    monkeypatch.setattr(HighsSession, "_run", lambda self: Answer("error", detail="Solve error"))
    found = reference(Queens(4))
    with pytest.raises(SolverError, match=r"^highs: error Solve error$"):
        found.count  # noqa: B018
    assert found.complete is False


def test_the_default_call_gives_the_same(reference):
    assert sorted(enumerate_solutions(Queens(6))) == sorted(reference(Queens(6)))
    assert points(enumerate_solutions(milp(*KNAPSACK))) == points(reference(milp(*KNAPSACK)))
