"""Exported files in the hands of every reader: the same answer as Pyomo's direct solve."""

import re
import shutil
import subprocess

import pyomo.environ as pyo
import pytest
from nogood.models import KnightsTour, MagicSquare, Queens, Riddle
from nogood.runners import export_model, read_model, solve


def by_highs(file):
    solved = solve(read_model(file))
    return solved.objective if solved.status == "optimal" else solved.status


def by_glpk(file):
    program = needed("glpsol", "apt install glpk-utils")
    form = "--lp" if file.suffix == ".lp" else "--freemps"
    out = file.with_suffix(".out")
    run(program, form, file, "-o", out)
    text = out.read_text()
    status = re.search(r"Status: +(.*)", text).group(1)
    return value(text, r"Objective: +\S+ = (\S+)", "OPTIMAL" in status)


def by_cbc(file):
    program = needed("cbc", "apt install coinor-cbc")
    out = file.with_suffix(".out")
    run(program, file, "solve", "solution", out)
    text = out.read_text()
    return value(text, r"objective value +(\S+)", text.startswith("Optimal"))


def by_scip(file):
    scip = pytest.importorskip("pyscipopt", reason="pip install pyscipopt")
    model = scip.Model()
    model.hideOutput()
    model.readProblem(str(file))
    model.optimize()
    return model.getObjVal() if model.getStatus() == "optimal" else model.getStatus()


def by_gurobi(file):
    gurobi = pytest.importorskip("gurobipy", reason="pip install gurobipy")
    with gurobi.Env(params={"OutputFlag": 0}) as env, gurobi.read(str(file), env) as model:
        model.optimize()
        infeasible = model.Status in (gurobi.GRB.INFEASIBLE, gurobi.GRB.INF_OR_UNBD)
        return "infeasible" if infeasible else model.ObjVal


def needed(program, install):
    return shutil.which(program) or pytest.skip(f"{program} is not here: {install}")


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-500:]


def value(text, pattern, optimal):
    return float(re.search(pattern, text).group(1)) if optimal else "infeasible"


def signed(reader, file):
    """What a reader says; an MPS file of a maximisation minimises the negated objective."""
    found = reader(file)
    return -found if "* minimises the negated objective" in file.read_text() else found


READERS = [by_highs, by_glpk, by_cbc, by_scip, by_gurobi]
WEIGHTS = [[7, 1, 4, 9], [2, 8, 3, 3], [5, 5, 1, 0], [6, 2, 9, 0]]
INSTANCES = [
    *(Queens(square=WEIGHTS, objective="max", formulation=f) for f in ("diagonals", "pairs")),
    Queens(square=WEIGHTS, objective="nearest"),
    Queens(3),
    *(MagicSquare(3, formulation=f) for f in ("strengthened", "plain", "integer")),
    MagicSquare(3, given={(0, 0): 2, (2, 2): 8}),
    *(KnightsTour(3, 4, kind="open", formulation=f) for f in ("mtz", "mtz-lifted", "flow")),
    KnightsTour(3, 4, formulation="mtz-lifted"),
    KnightsTour(3, 4, formulation="flow"),
    Riddle("ships"),
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize("ending", ["lp", "mps"])
@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: f"{p.name}-{p.parameters()}"[:60])
def test_every_reader_says_the_same(tmp_path, puzzle, ending, reader):
    direct = solve(puzzle)
    expected = direct.status if direct.status == "infeasible" else direct.objective or 0
    found = signed(reader, export_model(puzzle, tmp_path / f"model.{ending}")) or 0
    assert found == (expected if expected == "infeasible" else pytest.approx(expected))


def nasty():
    """Names that some reader takes for something else, and bounds of every kind."""
    names = ["a b", "x[1,2]", "ünïcode", "e1", "inf", "free", "st", 'it\'s, "so"', "n" * 300]
    model = pyo.ConcreteModel("a model: with, punctuation")
    model.x = pyo.Var(names, domain=pyo.Integers, bounds=(-2, 3))
    model.e1 = pyo.Var(domain=pyo.Binary)
    model.inf = pyo.Var(bounds=(-5, None))
    model.free = pyo.Var()
    model.st = pyo.Var([-1, 1], bounds=(1, 1.5))
    model.end = pyo.Var(domain=pyo.Binary, initialize=1)
    model.end.fix()
    model.bounds = pyo.Constraint(expr=(-1, sum(model.x.values()) + model.free, 4))
    model.binary = pyo.Constraint(expr=model.free - model.inf - model.e1 + model.end <= 2)
    model.none = pyo.Constraint(expr=model.inf >= -1e30)
    model.obj = pyo.Constraint(expr=model.free <= 7)
    model.max = pyo.Objective(
        expr=sum((k + 1) * v for k, v in enumerate(model.x.values()))
        + model.free
        - 2 * model.inf
        + model.st[-1]
        + 10,
        sense=pyo.maximize,
    )
    return model


def constant():
    """Nothing to optimise, and a variable in no row."""
    model = pyo.ConcreteModel()
    model.y = pyo.Var([0, 1], domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.y[0] >= 1)
    model.nothing = pyo.Objective(expr=5)
    return model


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize("ending", ["lp", "mps"])
@pytest.mark.parametrize("made", [nasty, constant], ids=lambda made: made.__name__)
def test_nasty_models(tmp_path, made, ending, reader):
    direct = solve(made()).objective
    file = export_model(made(), tmp_path / f"model.{ending}")
    assert signed(reader, file) == pytest.approx(direct)
