"""The command line: what it prints, the JSON, the exit statuses."""

import json
import subprocess
import sys

import pandas as pd
import pytest
from nogood.data import load_square, read_queens
from nogood.models import KnightsTour, MagicSquare, Queens

RETO2 = ("enumerate", "queens", "--square", "reto2", "--total", "magic")


def test_enumerate_prints_boards_a_table_and_a_summary(nogood):
    ran = nogood("enumerate", "queens", "--n", 4)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert sorted([lines[0][:7], lines[0][10:]]) == ["· · ♛ ·", "· ♛ · ·"]
    assert lines[-1].startswith("2 solutions, complete (")
    assert "[1, 3, 0, 2]" in ran.out


def test_enumerate_json_is_one_object_and_nothing_else(nogood):
    ran = nogood(*RETO2, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    said = json.loads(ran.out)
    assert list(said) == [
        *("puzzle", "parameters", "count", "complete", "seconds", "solver", "solutions")
    ]
    assert (said["puzzle"], said["count"], said["complete"]) == ("queens", 4, True)
    assert said["solver"] == "highs"
    assert said["seconds"] > 0
    assert said["parameters"] == {
        "n": 8,
        "square": "reto2",
        "total": 260,
        "objective": None,
        "given": [],
        "formulation": "diagonals",
    }
    for vector in said["solutions"]:
        Queens(square="reto2", total=260).check(vector)


@pytest.mark.parametrize(
    ("arguments", "puzzle"),
    [
        (("magic-square", "--n", "3", "--given", "0,0=2"), MagicSquare(3, given={(0, 0): 2})),
        (
            ("knights-tour", "--rows", "5", "--cols", "6", "--formulation", "dfj"),
            KnightsTour(5, 6, formulation="dfj"),
        ),
    ],
)
def test_solutions_in_json_are_as_a_person_reads_them(nogood, arguments, puzzle):
    said = json.loads(nogood("enumerate", *arguments, "--limit", 2, "--json").out)
    assert (said["count"], len(said["solutions"])) == (2, 2)
    for solution in said["solutions"]:
        puzzle.check(solution)


def test_json_of_given_cells(nogood):
    said = json.loads(
        nogood("enumerate", "magic-square", "--n", 2, "--given", "0,1=3", "--json").out
    )
    assert said["parameters"]["given"] == {"0,1": 3}


@pytest.mark.parametrize("objective", ["min", "max"])
def test_json_of_an_objective(nogood, objective):
    arguments = ("queens", "--square", "durer", "--objective", objective, "--json")
    said = json.loads(nogood("enumerate", *arguments).out)
    assert said["objectives"] == [34, 34]
    said = json.loads(nogood("solve", *arguments).out)
    assert list(said) == [
        *("puzzle", "parameters", "status", "objective", "bound", "nodes", "seconds", "solver"),
        "solution",
    ]
    assert (said["status"], said["objective"]) == ("optimal", 34)


def test_no_solution_is_proven_and_no_failure_of_enumerate(nogood):
    ran = nogood("enumerate", "queens", "--n", 3)
    assert ran.status == 0
    assert ran.out.startswith("no solution, proven (")
    assert ran.out.endswith("\nnote: 3 queens do not fit on a board of side 3\n")
    said = json.loads(nogood("enumerate", "queens", "--n", 3, "--json").out)
    assert (said["count"], said["complete"], said["solutions"]) == (0, True, [])


def test_solve_an_infeasible_puzzle(nogood):
    ran = nogood("solve", "knights-tour", "--rows", 3, "--cols", 4)
    assert ran.status == 1
    assert ran.out.startswith("infeasible (")
    assert ran.out.endswith("note: no 3×4 board has a closed tour (Schwenk 1991)\n")


def test_solve_draws_the_solution(nogood):
    ran = nogood("solve", "magic-square", "--n", 3)
    assert ran.status == 0
    assert ran.out.count("│   15\n") == 3
    assert "\noptimal (" in ran.out
    ran = nogood("solve", "knights-tour", "--rows", 5, "--cols", 6, "--start", "2,2")
    assert ran.status == 0
    assert "│ 30 │" in ran.out


def test_a_limit_is_what_was_asked_for(nogood):
    ran = nogood("enumerate", "queens", "--n", 6, "--limit", 2)
    assert ran.status == 0
    assert "\n2 solutions, not complete: stopped by --limit (" in ran.out
    said = json.loads(nogood("enumerate", "queens", "--n", 6, "--limit", 2, "--json").out)
    assert (said["count"], said["complete"]) == (2, False)


def test_a_time_limit_is_status_4_and_keeps_what_was_found(nogood, tmp_path):
    out = tmp_path / "found.csv"
    ran = nogood("enumerate", "queens", "--n", 14, "--time-limit", 0.5, "--json", "--out", out)
    assert ran.status == 4
    said = json.loads(ran.out)
    assert said["complete"] is False
    assert len(pd.read_csv(out)) == said["count"] == len(said["solutions"])
    assert (
        nogood("solve", "knights-tour", "--rows", 20, "--cols", 20, "--time-limit", 0.05).status
        == 4
    )


def test_a_missing_solver_is_status_3(nogood, monkeypatch):
    monkeypatch.setattr("nogood.runners.solvers.find_spec", lambda name: None)
    ran = nogood("solve", "queens", "--solver", "scip")
    assert (ran.status, ran.out) == (3, "")
    assert ran.err == "nogood: solver scip is not here; install it with: pip install pyscipopt\n"


@pytest.mark.parametrize("ending", ["csv", "md"])
def test_out_writes_the_table(nogood, tmp_path, ending):
    out = tmp_path / f"table.{ending}"
    ran = nogood(*RETO2, "--out", out)
    assert ran.status == 0
    text = out.read_text()
    assert text.count("260") == 4
    assert "(4, 2, 0, 6, 1, 7, 5, 3)" not in text
    assert "[4, 2, 0, 6, 1, 7, 5, 3]" in text


def test_out_that_cannot_be_written_is_said_before_the_work(nogood, tmp_path, monkeypatch):
    def never(*_, **__):
        raise AssertionError("worked for nothing")

    monkeypatch.setattr("nogood.runners.cuts.candidates", never)
    monkeypatch.setattr("nogood.runners.enumeration.enumerate_solutions", never)
    out = tmp_path / "missing" / "table.csv"
    ran = nogood("enumerate", "queens", "--n", 4, "--out", out)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"nogood: {out}: cannot be written: No such file or directory\n"


def test_a_grid_from_a_file(nogood, tmp_path):
    grid = tmp_path / "grid.csv"
    grid.write_text("16,3,2,13\n5,,,8\n,,0,\n4,,,1\n")
    said = json.loads(nogood("enumerate", "magic-square", "--grid", grid, "--json").out)
    assert said["complete"]
    assert [list(row) for row in load_square("durer")] in said["solutions"]


def test_given_queens(nogood):
    said = json.loads(nogood("enumerate", "queens", "--n", 6, "--given", "0,2", "--json").out)
    assert said["solutions"] == [[2, 5, 1, 4, 0, 3]]


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_export(nogood, tmp_path, ending):
    out = tmp_path / f"square.{ending}"
    ran = nogood("export", "magic-square", "--n", 3, "--out", out)
    assert (ran.status, ran.out, ran.err) == (0, "", f"wrote {out}\n")
    assert "magic-square: n=3" in out.read_text()
    same = tmp_path / "square"
    assert nogood("export", "magic-square", "--n", 3, "--format", ending, "--out", same).status == 0
    assert same.read_bytes() == out.read_bytes()


def test_list_shows_puzzles_formulations_squares_and_solvers(nogood):
    ran = nogood("list")
    assert ran.status == 0
    for word in ("queens", "magic-square", "knights-tour", "mtz-lifted", "strengthened", "reto2"):
        assert word in ran.out
    for solver in ("highs", "scip", "cbc", "glpk", "gurobi"):
        assert any(line.startswith(solver) for line in ran.out.splitlines()), solver


def test_version(nogood):
    from importlib.metadata import version

    assert nogood("--version").out == f"nogood {version('nogood')}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--help",), ["demo", "list", "solve", "enumerate", "export"]),
        (("solve", "--help"), ["queens", "magic-square", "knights-tour"]),
        (("enumerate", "magic-square", "--help"), ["--given", "--grid", "--hide-queens", "--json"]),
        (("solve", "knights-tour", "--help"), ["--rows", "--start", "mtz-lifted", "--solver"]),
    ],
)
def test_help(nogood, arguments, words):
    ran = nogood(*arguments)
    assert (ran.status, ran.err) == (0, "")
    for word in words:
        assert word in ran.out


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['nogood', '--help']\n"
        "from nogood.runners.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'pyomo', 'pandas', 'highspy', 'scipy', 'numpy'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_json_alone_on_standard_output_of_a_process():
    arguments = [sys.executable, "-c", "from nogood.runners.cli import main; main()"]
    arguments += ["solve", "queens", "--n", "5", "--json"]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    Queens(5).check(json.loads(ran.stdout)["solution"])


def test_the_demo(nogood, tmp_path):
    out = tmp_path / "new" / "folder"
    ran = nogood("demo", "--out", out)
    assert ran.status == 0
    table = pd.read_csv(out / "demo.csv").set_index("puzzle")
    assert table["solutions"].to_dict() == {
        "queens-reto2": 4,
        "magic-square-3": 8,
        "magic-square-4": 20,
        "knights-tour-8": 1,
        "einstein": 1,
    }
    assert table["complete"].tolist() == [True, True, False, False, True]
    for name, count in table["solutions"].items():
        assert len(pd.read_csv(out / f"{name}.csv")) == count
        assert (out / f"{name}.lp").read_text().startswith("\\ ")
    boards, vectors = (read_queens(out / f"queens-reto2.{form}") for form in ("boards", "vectors"))
    assert boards == vectors
    for vector in boards:
        Queens(square="reto2", total="magic").check(vector)
    for solution in pd.read_csv(out / "magic-square-4.csv")["solution"]:
        MagicSquare(4).check(json.loads(solution))
    KnightsTour().check(json.loads(pd.read_csv(out / "knights-tour-8.csv")["solution"][0]))
    assert "4 solutions, complete" in ran.out
