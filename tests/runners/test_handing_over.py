"""What goes with an exported model: relaxation, cuts, solutions, NL with its names."""

import re
import shutil
import subprocess
from dataclasses import replace

import highspy
import numpy as np
import pyomo.environ as pyo
import pytest
from nogood.data import InputError
from nogood.models import KnightsTour, MagicSquare, Queens, Riddle
from nogood.runners import enumerate_solutions, export_model, read_model, solve, write_table
from nogood.runners.comparing import relaxation
from nogood.runners.linear import as_problem
from nogood.runners.tables import read_solutions, write_found

WEIGHTS = [[7, 1, 4, 9], [2, 8, 3, 3], [5, 5, 1, 0], [6, 2, 9, 0]]


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_the_relaxation(tmp_path, ending):
    puzzle = Queens(square=WEIGHTS, objective="min")
    read = read_model(export_model(puzzle, tmp_path / f"m.{ending}", relax=True))
    assert not read.integer.any()
    assert solve(read).objective == pytest.approx(relaxation(as_problem(puzzle).linear))


@pytest.mark.parametrize(
    "puzzle",
    [
        Queens(6),
        MagicSquare(3),
        MagicSquare(3, formulation="integer"),
        KnightsTour(3, 4, kind="open"),
        KnightsTour(3, 4, kind="open", formulation="dfj"),
        Riddle("city"),
    ],
    ids=lambda p: p.describe()[:60],
)
def test_cuts_leave_what_was_not_found(tmp_path, puzzle):
    """The file with the cuts of some solutions has exactly the others."""
    everything = enumerate_solutions(puzzle)
    some = everything.solutions[: max(1, everything.count // 2)]
    lazy = puzzle.lazy  # the file does not have its subtour constraints: look at one cut alone
    file = export_model(puzzle, tmp_path / "m.lp", cuts=some)
    problem = as_problem(puzzle)
    names = [
        re.sub(r"\W+", "_", problem.linear.col_names[j]).strip("_") for j in problem.key_columns
    ]
    read = read_model(file)
    for solution in everything.solutions:
        keys = puzzle.assignment(solution)
        fixed = dict(zip(names, (keys.get(index, 0) for index in problem.indices), strict=True))
        lower, upper = read.col_lower.copy(), read.col_upper.copy()
        for j, name in enumerate(read.col_names):
            if name in fixed:
                lower[j] = upper[j] = fixed[name]
        status = solve(replace(read, col_lower=lower, col_upper=upper)).status
        reverse = lazy and any(puzzle.assignment(s) == keys for s in some)
        assert status == ("infeasible" if solution in some or reverse else "optimal")


def test_cuts_of_any_model_and_of_some_of_its_variables(tmp_path):
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], domain=pyo.Integers, bounds=(-2, 2))
    model.b = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.x[1] + model.x[2] == 1)
    found = enumerate_solutions(model)
    cut = found.solutions[:3]
    left = enumerate_solutions(read_model(export_model(model, tmp_path / "m.lp", cuts=cut)))
    keys = ("x_1", "x_2", "b")
    assert len({tuple(s[k] for k in keys) for s in left}) == found.count - 3
    by_x = export_model(model, tmp_path / "x.lp", cuts=[{"x[1]": 0, "x[2]": 1}])
    others = enumerate_solutions(read_model(by_x), keys=["x_*", "b"])
    assert others.count == found.count - 2
    with pytest.raises(InputError, match="'y' is no discrete variable"):
        export_model(model, tmp_path / "m.lp", cuts=[{"y": 1}])
    with pytest.raises(InputError, match=r"x\[1\] = 9 is beyond its bounds"):
        export_model(model, tmp_path / "m.lp", cuts=[{"x[1]": 9}])


@pytest.mark.parametrize("cut", [[1, 2, 3], 7, [0, 1, 2, 3], ["a"] * 4, {}, None])
def test_a_cut_must_be_a_solution(tmp_path, cut):
    with pytest.raises(InputError, match=r"^cuts: number 1 is no solution: "):
        export_model(Queens(4), tmp_path / "m.lp", cuts=[cut])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["csv", "json", "parquet", "vectors", "boards"])
def test_solutions_are_read_back(tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    found = enumerate_solutions(Queens(6))
    write_found(found, tmp_path / f"s.{ending}")
    assert [tuple(s) for s in read_solutions(tmp_path / f"s.{ending}")] == found.solutions


def test_solutions_of_a_model_are_read_back(tmp_path):
    model = read_model(export_model(Queens(4), tmp_path / "q.lp"))
    found = enumerate_solutions(model, best=None)
    write_table(found.table, tmp_path / "s.csv")
    assert read_solutions(tmp_path / "s.csv") == found.solutions


def test_cuts_from_what_the_command_line_wrote(nogood, tmp_path):
    table, said, file = tmp_path / "s.csv", tmp_path / "s.json", tmp_path / "q.lp"
    ran = nogood("enumerate", "queens", "--n", 6, "--limit", 3, "--out", table, "--json")
    said.write_text(ran.out, encoding="utf-8")
    for cuts in (table, said):
        assert nogood("export", "queens", "--n", 6, "--cuts", cuts, "--out", file).status == 0
        assert nogood("enumerate", file).out.strip().splitlines()[-1].startswith("1 solution,")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", "number,solution\n1,[1\n"),
        ("s.csv", ""),
        ("s.json", "{}"),
        ("s.json", "[1, 2]"),
        ("s.json", "nonsense"),
        ("s.parquet", "PAR1"),
        ("s.csv", "a,b\nx,y\n"),
    ],
)
def test_what_is_no_table_of_solutions_is_one_line(nogood, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    out = tmp_path / "q.lp"
    ran = nogood("export", "queens", "--cuts", tmp_path / name, "--out", out)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"nogood: {tmp_path / name}: no table of solutions: ")
    assert not out.exists()


def maximum():
    """Its objective has a constant, and its optimum is one point."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Integers, bounds=(-3, 3))
    model.y = pyo.Var(bounds=(0, 1.5))
    model.row = pyo.Constraint(expr=(-1, sum(model.x.values()) + model.y, 4))
    model.cost = pyo.Objective(
        expr=3 * model.x[0] - 2 * model.x[1] + model.y + 10, sense=pyo.maximize
    )
    return model


SOLVED = [Queens(square=WEIGHTS, objective="max"), MagicSquare(3), maximum()]


@pytest.fixture(params=[f"{k}-{e}" for k in range(len(SOLVED)) for e in ("lp", "mps")])
def exported(request, tmp_path):
    """A model file, and a function that writes its solution for a solver."""
    k, ending = request.param.split("-")
    file = tmp_path / f"m.{ending}"

    def written(solver):
        solution = tmp_path / "m.sol"
        # All are solved by HiGHS but for the format's own solver; the format is what is tested.
        export_model(SOLVED[int(k)], file, solution=solution, solver=solver)
        return solution

    return file, written


def test_highs_reads_the_solution(exported):
    file, written = exported
    solution = written("highs")
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(file))
    assert highs.readSolution(str(solution), 0) == highspy.HighsStatus.kOk
    values = np.array(highs.getSolution().col_value)
    read = read_model(file)
    assert read.violation(values) is None
    assert read.objective(values) == pytest.approx(solve(read_model(file)).objective or 0)


def test_scip_reads_the_solution(exported):
    scip = pytest.importorskip("pyscipopt", reason="pip install pyscipopt")
    file, written = exported
    solution = written("scip")
    model = scip.Model()
    model.hideOutput()
    model.readProblem(str(file))
    read = model.readSolFile(str(solution))
    assert model.checkSol(read, original=True)
    assert model.getSolObjVal(read) == pytest.approx(solve(read_model(file)).objective or 0)


def test_gurobi_starts_from_the_solution(exported):
    gurobi = pytest.importorskip("gurobipy", reason="pip install gurobipy")
    file, written = exported
    solution = written("gurobi")
    with gurobi.Env(params={"OutputFlag": 0}) as env, gurobi.read(str(file), env) as model:
        start = solution.with_suffix(".mst")
        solution.rename(start)
        model.read(str(start))
        model.update()
        for v in model.getVars():
            assert v.Start != gurobi.GRB.UNDEFINED, v.VarName
        model.Params.SolutionLimit = 1
        model.optimize()
        assert model.ObjVal == pytest.approx(solve(read_model(file)).objective or 0)


def test_glpk_checks_the_solution(exported, tmp_path):
    glpk = shutil.which("glpsol") or pytest.skip("glpsol is not here: apt install glpk-utils")
    file, written = exported
    solution = written("glpk")
    form, out = "--lp" if file.suffix == ".lp" else "--freemps", tmp_path / "out"
    command = [glpk, form, str(file), "-r", str(solution), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:]
    text = out.read_text()
    assert len(re.findall(r"max\.abs\.err = 0\.00e\+00", text)) >= 2
    assert "INFEASIBLE" not in text
    found = float(re.search(r"Objective: +\S+ = (\S+)", text).group(1))
    assert found == pytest.approx(solve(read_model(file)).objective or 0)


def test_cbc_starts_from_the_solution(exported):
    cbc = shutil.which("cbc") or pytest.skip("cbc is not here: apt install coinor-cbc")
    file, written = exported
    solution = written("cbc")
    command = [cbc, str(file), "-mipstart", str(solution), "-solve"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"MIPStart values read for {read_model(file).columns} variables" in done.stdout
    assert "not found" not in done.stdout.lower()


def test_no_solution_is_one_line_and_no_file(nogood, tmp_path):
    out, solution = tmp_path / "q.lp", tmp_path / "q.sol"
    ran = nogood("export", "queens", "--n", 3, "--out", out, "--solution", solution)
    assert ran.status == 2
    expected = "nogood: --solution: there is none to be written; the model is infeasible\n"
    assert ran.err == expected
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="beside LP and MPS files"):
        export_model(Queens(4), tmp_path / "q.nl", solution=solution)


def test_glpk_has_no_format_for_the_solution_of_a_relaxation(tmp_path):
    if not shutil.which("glpsol"):
        pytest.skip("apt install glpk-utils")
    with pytest.raises(InputError, match="not of a relaxation"):
        export_model(
            Queens(4), tmp_path / "q.lp", relax=True, solution=tmp_path / "q.sol", solver="glpk"
        )


NL = [
    Queens(square=WEIGHTS, objective="max"),
    Queens(3),
    MagicSquare(3, formulation="integer", given={(0, 0): 2}),
    KnightsTour(3, 4, kind="open", formulation="flow"),
    KnightsTour(2, 2),  # rows without entries
    Riddle("ships"),
    maximum(),
]


@pytest.mark.parametrize("k", range(len(NL)))
def test_scip_reads_nl_to_the_same_optimum(tmp_path, k):
    scip = pytest.importorskip("pyscipopt", reason="pip install pyscipopt")
    file = export_model(NL[k], tmp_path / "m.nl")
    direct = solve(NL[k])
    model = scip.Model()
    model.hideOutput()
    model.readProblem(str(file))
    model.optimize()
    assert model.getStatus() == direct.status
    if direct.status == "optimal":
        assert model.getObjVal() == pytest.approx(direct.objective or 0)


def test_the_names_stand_beside_nl(tmp_path):
    puzzle = Queens(square=WEIGHTS, objective="nearest")
    file = export_model(puzzle, tmp_path / "m.nl")
    head, sizes = file.read_text(encoding="utf-8").splitlines()[:2]
    assert "# queens: n=4" in head
    columns, rows = map(int, sizes.split()[:2])
    linear = as_problem(puzzle).linear
    names = file.with_suffix(".col").read_text(encoding="utf-8").split()
    assert len(names) == columns == linear.columns
    assert {"x_0_0", "x_3_3", "deviation"} <= set(names)
    names = file.with_suffix(".row").read_text(encoding="utf-8").split()
    assert len(names) == rows == linear.rows
    assert {"row_0", "antidiagonal_5", "above"} <= set(names)


@pytest.mark.parametrize("ending", ["lp", "mps", "nl"])
def test_the_bytes_are_the_same_each_time(tmp_path, ending):
    found = enumerate_solutions(MagicSquare(3, formulation="integer")).solutions
    one, two = (
        export_model(
            MagicSquare(3, formulation="integer"),
            tmp_path / f"{n}.{ending}",
            cuts=found,
            relax=True,
        )
        for n in "ab"
    )
    assert one.read_bytes() == two.read_bytes()
