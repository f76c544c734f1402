"""One solve: puzzles, MILPs, LPs, and solvers against each other."""

import pyomo.environ as pyo
import pytest
from nogood.models import KnightsTour, MagicSquare, Queens
from nogood.runners import SolverMissing, solve
from nogood.runners.solvers import SOLVERS

LP_OPTIMUM = {"x": 1.6, "y": 1.2}


def lp(sense=pyo.maximize):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, None))
    model.y = pyo.Var(bounds=(0, None))
    model.first = pyo.Constraint(expr=model.x + 2 * model.y <= 4)
    model.second = pyo.Constraint(expr=3 * model.x + model.y <= 6)
    model.profit = pyo.Objective(expr=model.x + model.y + 10, sense=sense)
    return model


def here(solver):
    if not SOLVERS[solver].here:
        pytest.skip(f"{solver} is not here: {SOLVERS[solver].install}")
    return solver


def test_an_lp():
    solved = solve(lp())
    assert solved.status == "optimal"
    assert solved.objective == pytest.approx(12.8)
    assert solved.values == pytest.approx(LP_OPTIMUM)
    assert solve(lp(pyo.minimize)).objective == pytest.approx(10)


def test_a_model_is_only_read_unless_load():
    model = lp()
    solve(model)
    assert model.x.value is None
    solve(model, load=True)
    assert {"x": model.x.value, "y": model.y.value} == pytest.approx(LP_OPTIMUM)
    assert pyo.value(model.profit) == pytest.approx(12.8)


def test_load_of_an_infeasible_model_leaves_its_values():
    model = lp()
    model.x.value = 5
    model.wrong = pyo.Constraint(expr=model.x + model.y >= 100)
    assert solve(model, load=True).status == "infeasible"
    assert (model.x.value, model.y.value) == (5, None)


def test_unbounded():
    model = lp()
    model.first.deactivate()
    model.second.deactivate()
    model.third = pyo.Constraint(expr=model.x >= model.y)
    solved = solve(model)
    assert (solved.status, solved.solution, solved.objective) == ("unbounded", None, None)


def test_a_model_without_constraints_or_variables():
    assert solve(pyo.ConcreteModel()).status == "optimal"
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(2, 3))
    assert solve(model).solution["x"] in (2, 3)


@pytest.mark.parametrize(
    ("puzzle", "objective"),
    [
        (Queens(square="reto2", objective="max"), 388),
        (Queens(square="reto2", objective="min"), 132),
        (MagicSquare(3), None),
        (KnightsTour(5, 6, end=(1, 2)), None),
        (KnightsTour(6, 6, formulation="mtz-lifted"), None),
        (KnightsTour(6, 6, formulation="dfj"), None),
        (KnightsTour(3, 4, kind="path"), None),
    ],
    ids=repr,
)
def test_puzzles(puzzle, objective):
    solved = solve(puzzle)
    puzzle.check(solved.solution)
    assert (solved.status, solved.objective) == ("optimal", objective)
    assert solved.solver == "highs"
    if objective is not None:
        assert solved.bound == pytest.approx(objective)


@pytest.mark.parametrize("puzzle", [Queens(3), KnightsTour(3, 4), MagicSquare(2)], ids=repr)
def test_infeasible(puzzle):
    solved = solve(puzzle)
    assert (solved.status, solved.solution, solved.values) == ("infeasible", None, {})


def test_a_time_limit():
    assert solve(KnightsTour(20, 20), time_limit=0.05).status == "time limit"


@pytest.mark.parametrize("solver", ["scip", "cbc", "glpk", "gurobi"])
class TestSolversAgree:
    def test_on_queens(self, reference, solver):
        found = reference(Queens(5), solver=here(solver))
        assert found.complete
        assert sorted(found) == sorted(reference(Queens(5)))

    def test_on_optima(self, reference, solver):
        puzzle = Queens(square="durer", objective="max")
        found = reference(puzzle, solver=here(solver))
        assert sorted(found) == sorted(reference(puzzle))
        assert found.objectives == reference(puzzle).objectives

    def test_on_an_infeasible_board(self, solver):
        assert solve(Queens(3), solver=here(solver)).status == "infeasible"
        assert solve(KnightsTour(3, 3), solver=solver).status == "infeasible"  # a row 0 = 1

    def test_on_an_lp(self, solver):
        solved = solve(lp(), solver=here(solver))
        assert solved.objective == pytest.approx(12.8)
        assert solved.values == pytest.approx(LP_OPTIMUM)

    def test_on_general_integers(self, reference, solver):
        model = pyo.ConcreteModel()
        model.x = pyo.Var([1, 2], domain=pyo.Integers, bounds=(-1, 2))
        model.row = pyo.Constraint(expr=2 * model.x[1] + 3 * model.x[2] <= 1)
        found = reference(model, solver=here(solver))
        assert found.complete
        assert sorted(tuple(s.values()) for s in found) == [
            (a, b) for a in range(-1, 3) for b in range(-1, 3) if 2 * a + 3 * b <= 1
        ]

    def test_under_a_time_limit_of_a_fraction(self, solver):
        assert solve(Queens(5), solver=here(solver), time_limit=30.5).status == "optimal"


def test_scip_finds_the_hidden_queens(reference):
    puzzle = Queens(square="reto2", total="magic")
    assert sorted(reference(puzzle, solver=here("scip"))) == sorted(reference(puzzle))


def test_a_missing_solver_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("nogood.runners.solvers.find_spec", lambda name: None)
    with pytest.raises(SolverMissing) as said:
        solve(Queens(4), solver="scip")
    assert str(said.value) == "solver scip is not here; install it with: pip install pyscipopt"
