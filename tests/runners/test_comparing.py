"""Formulations and solvers side by side."""

import pytest
from nogood.data import InputError
from nogood.models import KnightsTour, Queens
from nogood.runners import SolverError, compare, comparing, solving

WEIGHTS = [[6 * r + c + 1 for c in range(6)] for r in range(6)]
TOUR = KnightsTour(6, 6, square=WEIGHTS, objective="min")


def test_relaxations_are_ordered_and_optima_agree():
    table = compare(TOUR, ["mtz-lifted", "flow", "dfj"], seeds=2).set_index("formulation")
    assert table["objective"].tolist() == pytest.approx([286] * 3)
    assert table["relaxation"]["flow"] < table["relaxation"]["mtz-lifted"] <= 286
    assert table["closed"]["flow"] == 0
    assert (table["status"] == "optimal").all()
    assert table["rows"]["dfj"] == 36


def test_a_puzzle_without_objective_and_two_solvers():
    pytest.importorskip("pyscipopt", reason="pip install pyscipopt")
    table = compare(Queens(3), solver_names=["highs", "scip"])
    assert table["status"].tolist() == ["infeasible"] * 4
    assert table["relaxation"].isna().all()


def test_a_run_past_its_time_is_a_row():
    table = compare(KnightsTour(12, 12), ["mtz"], time_limit=0.02)
    assert table["status"].tolist() == ["time limit"]


def test_runs_that_disagree_are_an_error(monkeypatch):
    def lying(puzzle, **options):
        found = solving.solve(puzzle, **options)
        return found if puzzle.formulation == "dfj" else _other(found)

    monkeypatch.setattr(comparing, "solve", lying)
    with pytest.raises(SolverError, match=r"^the optima disagree: flow highs: 285\.0, dfj highs"):
        compare(TOUR, ["flow", "dfj"])


def _other(found):
    from dataclasses import replace

    return replace(found, objective=found.objective - 1)


def test_an_interrupted_comparison_keeps_its_rows(nogood, monkeypatch):
    def once(puzzle, **options):
        if puzzle.formulation == "pairs":
            raise KeyboardInterrupt
        return solving.solve(puzzle, **options)

    monkeypatch.setattr(comparing, "solve", once)
    assert compare(Queens(5))["formulation"].tolist() == ["diagonals"]
    ran = nogood("compare", "queens", "--n", 5)
    assert (ran.status, "diagonals" in ran.out) == (4, True)


def test_bad_input():
    with pytest.raises(InputError, match=r"^formulations: expected some of diagonals, pairs; got"):
        compare(Queens(5), ["cliques"])
    with pytest.raises(InputError, match=r"^solvers: expected some of highs.*; got none"):
        compare(Queens(5), solver_names=[])
    with pytest.raises(InputError, match=r"^solver: expected one of highs"):
        compare(Queens(5), solver_names=["cplex"])


def test_on_the_command_line(nogood, tmp_path):
    out, picture = tmp_path / "table.csv", tmp_path / "plot.png"
    pytest.importorskip("matplotlib", reason="pip install matplotlib")
    ran = nogood("compare", "queens", "--n", "5", "--out", out, "--plot", picture)
    assert ran.status == 0
    assert "diagonals" in ran.out
    assert out.read_text().count("\n") == 3
    assert picture.read_bytes().startswith(b"\x89PNG")
