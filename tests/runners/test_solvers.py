"""One table of solvers: the same answers, limits, logs and failures, whichever is asked."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pyomo.environ as pyo
import pytest
from nogood.models import KnightsTour, MagicSquare, Queens, Riddle
from nogood.runners import SolverError, enumerate_solutions, export_model, solve
from nogood.runners import solvers as table
from nogood.runners.linear import as_problem
from nogood.runners.session import Answer, Options
from nogood.runners.solvers import SOLVERS

ALL = list(SOLVERS)
PROGRAM = [sys.executable, "-c", "from nogood.runners.cli import main; main()"]


@pytest.fixture(params=ALL)
def solver(request):
    if not SOLVERS[request.param].here:
        pytest.skip(f"{request.param} is not here: {SOLVERS[request.param].install}")
    return request.param


def subset_sums(rows, cols, slack):
    """Market split: halve several sums at once; without slack, no solution is found soon."""
    draw = random.Random(1)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(cols), domain=pyo.Binary)
    model.off = pyo.Var(range(rows), ["+", "-"], bounds=(0, None if slack else 0))
    model.rows = pyo.ConstraintList()
    for i in range(rows):
        a = [draw.randint(0, 99) for _ in range(cols)]
        miss = model.off[i, "+"] - model.off[i, "-"]
        model.rows.add(sum(a[j] * model.x[j] for j in range(cols)) + miss == sum(a) // 2)
    if slack:
        model.miss = pyo.Objective(expr=sum(model.off.values()) + 100)
    return model


def knapsack(rows=5, cols=50):
    draw = random.Random(1)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(cols), domain=pyo.Binary)
    model.rows = pyo.ConstraintList()
    for _ in range(rows):
        a = [draw.randint(1, 1000) for _ in range(cols)]
        model.rows.add(sum(a[j] * model.x[j] for j in range(cols)) <= sum(a) // 3)
    values = [draw.randint(500, 600) for _ in range(cols)]
    model.value = pyo.Objective(
        expr=sum(values[j] * model.x[j] for j in range(cols)), sense=pyo.maximize
    )
    return model


class TestTimeLimit:
    def limited(self, source, solver, seconds=1):
        began = time.perf_counter()
        solved = solve(source, solver=solver, time_limit=seconds)
        assert seconds * 0.5 < time.perf_counter() - began < seconds + 10
        assert solved.status == "time limit"
        return solved

    def test_keeps_the_incumbent(self, solver):
        solved = self.limited(subset_sums(6, 60, slack=True), solver)
        assert solved.objective > 100
        assert set(solved.solution.values()) <= {0, 1}

    def test_without_an_incumbent(self, solver):
        solved = self.limited(subset_sums(7, 70, slack=False), solver)
        assert (solved.solution, solved.objective, solved.values) == (None, None, {})

    def test_in_a_tour(self, solver):
        if solver == "gurobi":
            pytest.skip("larger than gurobi's licence that comes with it")
        assert self.limited(KnightsTour(14, 14, formulation="mtz"), solver).solution is None

    @pytest.mark.parametrize("seconds", [1e-6, 1e-3, 0.01, 0.03])
    def test_however_short_proves_nothing(self, solver, seconds):
        for model in (subset_sums(6, 60, slack=True), subset_sums(6, 60, slack=False)):
            assert solve(model, solver=solver, time_limit=seconds).status == "time limit"

    def test_over_all_calls_of_an_enumeration(self, reference, solver):
        began = time.perf_counter()
        found = reference(Queens(9), solver=solver, time_limit=1)
        assert 0 < len(list(found)) < 352
        assert (found.complete, found.stopped) == (False, "time limit")
        assert time.perf_counter() - began < 10


class TestGap:
    @pytest.mark.parametrize("gap", [0.5, 0.05])
    def test_is_relative_to_what_is_returned(self, solver, gap):
        solved = solve(knapsack(cols=25), solver=solver, gap=gap)
        best = solve(knapsack(cols=25)).objective
        assert solved.status == "optimal"
        assert best - solved.objective <= gap * solved.objective + 1e-6

    def test_is_0_by_default(self, solver):
        model = pyo.ConcreteModel()
        model.x = pyo.Var(range(10), domain=pyo.Binary)
        model.row = pyo.Constraint(expr=sum((3 * j + 2) * v for j, v in model.x.items()) <= 71.5)
        model.value = pyo.Objective(
            expr=100_000 + sum((3 * j + 2) * v for j, v in model.x.items()), sense=pyo.maximize
        )
        assert solve(model, solver=solver).objective == 100_071

    def test_the_cbc_one_is_shrunk(self):
        from nogood.runners.pyomo_session import PyomoSession

        session = PyomoSession(as_problem(Queens(4)).linear, SOLVERS["cbc"])
        assert session._named(Options(gap=1.0))["ratioGap"] == 0.5


def model_without_a_best(kind):
    """``x - y = 1``, larger is better; with what makes it infeasible, and how that shows."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, None))
    model.y = pyo.Var(bounds=(0, None), domain=pyo.Reals if "lp" in kind else pyo.Integers)
    model.apart = pyo.Constraint(expr=model.x - model.y == 1)
    if "contradiction" in kind:
        model.wrong = pyo.Constraint(expr=3 * model.x - 3 * model.y == 2)
    if "parity" in kind:
        model.z = pyo.Var([0, 1], domain=pyo.Integers, bounds=(0, 9))
        model.wrong = pyo.Constraint(expr=2 * model.z[0] + 2 * model.z[1] == 1)
    if "binary" in kind:
        model.z = pyo.Var([0, 1], domain=pyo.Binary)
        model.one = pyo.Constraint(expr=model.z[0] + model.z[1] == 1)
    model.best = pyo.Objective(expr=model.x + model.y, sense=pyo.maximize)
    return model


class TestUnboundedOrInfeasible:
    @pytest.mark.parametrize("kind", ["lp", "integer", "lp binary", "integer binary"])
    def test_unbounded(self, solver, kind):
        solved = solve(model_without_a_best(kind), solver=solver, time_limit=20)
        assert (solved.status, solved.solution) == ("unbounded", None)

    @pytest.mark.parametrize(
        "kind", ["lp contradiction", "integer contradiction", "lp parity", "integer parity"]
    )
    def test_infeasible_whose_relaxation_may_be_unbounded(self, solver, kind):
        solved = solve(model_without_a_best(kind), solver=solver, time_limit=20)
        assert (solved.status, solved.solution, solved.bound) == ("infeasible", None, None)

    def test_an_infeasible_model_with_an_objective_as_json(self, nogood, solver, tmp_path):
        file = export_model(model_without_a_best("integer parity"), tmp_path / "model.lp")
        ran = nogood("solve", file, "--solver", solver, "--json")
        assert (ran.status, json.loads(ran.out)["status"]) == (1, "infeasible")

    def test_the_objective_is_put_back(self, solver):
        session = table.session(solver, as_problem(model_without_a_best("lp"), []).linear)
        for _ in range(2):
            assert session.solve(Options(time_limit=20)).status == "unbounded"


class TestLog:
    def run(self, solver, *more, puzzle=("queens", "--n", "6")):
        return subprocess.run(
            [*PROGRAM, "solve", *puzzle, "--solver", solver, "--json", *more],
            capture_output=True,
            text=True,
            timeout=60,
        )

    @pytest.mark.slow
    def test_goes_to_standard_error(self, solver):
        ran = self.run(solver, "--log")
        assert json.loads(ran.stdout)["status"] == "optimal"
        assert len(ran.stderr.splitlines()) > 10

    @pytest.mark.slow
    def test_without_it_nothing_is_said(self, solver):
        ran = self.run(solver)
        assert json.loads(ran.stdout)["status"] == "optimal"
        assert ran.stderr == ""

    @pytest.mark.slow
    def test_nothing_is_said_under_a_limit(self, solver, tmp_path):
        file = export_model(subset_sums(6, 60, slack=True), tmp_path / "model.lp")
        ran = self.run(solver, "--time-limit", "1", puzzle=(str(file),))
        assert json.loads(ran.stdout)["status"] == "time limit"
        assert ran.stderr == ""

    def test_standard_output_is_put_back(self, solver, capfd):
        solve(Queens(5), solver=solver, log=True)
        os.write(1, b"after\n")
        print("that")
        out, err = capfd.readouterr()
        assert out == "after\nthat\n"
        assert err.count("\n") > 10


class TestSizeLimit:
    def test_gurobi_without_a_licence(self, nogood, tmp_path):
        if not SOLVERS["gurobi"].here:
            pytest.skip("gurobi is not here")
        model = knapsack(rows=2, cols=2100)
        solved = solve(model, solver="gurobi")
        if solved.status == "optimal":
            pytest.skip("gurobi has a licence here")
        assert (solved.status, solved.solution) == ("size limit", None)
        assert solved.detail == (
            "the model has 2 rows and 2100 columns; without a licence gurobi takes 2000 of each: "
            "get a licence or take another solver"
        )
        with pytest.raises(SolverError, match="size limit the model has 2 rows"):
            list(enumerate_solutions(model, solver="gurobi"))
        ran = nogood("solve", export_model(model, tmp_path / "model.lp"), "--solver", "gurobi")
        assert ran.status == 5
        assert ran.err == f"nogood: gurobi: size limit: {solved.detail}\n"


@pytest.fixture
def hard(tmp_path):
    """A model that no solver ends with soon."""
    return export_model(subset_sums(10, 100, slack=False), tmp_path / "hard.lp")


def group(process):
    """The processes of its group that still run."""
    pids = [pid for pid in psutil.pids() if pid != process.pid]
    return [pid for pid in pids if _group(pid) == process.pid]


def _group(pid):
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


@pytest.mark.slow
class TestStopped:
    def start(self, hard, solver):
        """The command line on ``hard``, when its solver runs."""
        ready = (
            "import sys; from nogood.runners import cli, highs, pyomo_session, report, solving; "
            "print('ready', file=sys.stderr, flush=True); cli.main()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", ready, "solve", str(hard), "--solver", solver],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stderr.readline() == "ready\n"
        time.sleep(2)
        while SOLVERS[solver].executable and not group(process) and process.poll() is None:
            time.sleep(0.1)
        return process

    @pytest.mark.parametrize("everyone", [False, True], ids=["alone", "terminal"])
    def test_by_ctrl_c(self, hard, solver, everyone):
        process = self.start(hard, solver)
        (os.killpg if everyone else os.kill)(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 4
        assert err == "nogood: interrupted\n"
        # What was killed takes a moment to be gone; what was not would go on for minutes.
        until = time.monotonic() + 10
        while group(process) and time.monotonic() < until:
            time.sleep(0.05)
        assert group(process) == []

    @pytest.mark.parametrize("solver", [name for name in ALL if SOLVERS[name].executable])
    def test_by_a_kill_of_the_executable(self, hard, solver):
        if not SOLVERS[solver].here:
            pytest.skip(f"{solver} is not here: {SOLVERS[solver].install}")
        process = self.start(hard, solver)
        for pid in group(process):
            os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 5
        assert err.startswith(f"nogood: {solver}: ended by SIGKILL;")
        assert err.count("\n") == 1


def executable(folder, name, text):
    """A program in the place of a solver."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


class TestBrokenExecutable:
    @pytest.fixture(params=[name for name in ALL if SOLVERS[name].executable])
    def broken(self, request, tmp_path, monkeypatch):
        def install(text):
            executable(tmp_path, SOLVERS[request.param].executable, text)
            monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
            return SOLVERS[request.param]

        return install

    def test_that_fails_has_no_version(self, broken):
        solver = broken("exit 7")
        assert (solver.here, solver.version) == (True, "")

    def test_that_hangs_is_not_waited_for(self, broken, monkeypatch):
        monkeypatch.setattr(table, "_PATIENCE", 0.2)
        assert broken("exec sleep 30").version == ""

    def test_version_is_asked_for_once(self, broken, tmp_path):
        solver = broken(f"echo asked >> {tmp_path / 'asked'}; echo Solver 12.3.4, 64 bits")
        assert (solver.version, solver.version) == ("12.3.4", "12.3.4")
        assert (tmp_path / "asked").read_text() == "asked\n"


class Lying:
    """A session whose solver says ``values`` is optimal."""

    def __init__(self, values):
        self.values = values

    def solve(self, options):
        return Answer("optimal", self.values)


class TestLies:
    @pytest.fixture
    def lie(self, monkeypatch, solver):
        def install(change):
            values = table.session(solver, as_problem(Queens(4)).linear).solve(Options()).values
            monkeypatch.setattr(table, "session", lambda name, linear: Lying(change(values)))
            return solver

        return install

    def test_a_broken_row_is_named(self, lie):
        name = lie(lambda values: 0 * values)
        with pytest.raises(
            SolverError,
            match=rf"^{name} returned what is no solution: \S+ has the value 0, not within 1 … 1$",
        ):
            solve(Queens(4), solver=name)

    def test_in_an_enumeration_too(self, lie):
        name = lie(lambda values: 1 - values)
        with pytest.raises(SolverError, match=f"^{name} returned what is no solution: "):
            list(enumerate_solutions(Queens(4), solver=name, method="cuts"))

    def test_a_fraction_is_named(self, lie):
        name = lie(lambda values: values / 2)
        with pytest.raises(SolverError, match=rf"^{name}: \S+ = 0.5 is no integer$"):
            solve(Queens(4), solver=name)


PUZZLES = [
    Queens(5),
    Queens(6),
    Queens(square=[[7, 1, 4, 9], [2, 8, 3, 3], [5, 5, 1, 0], [6, 2, 9, 0]], objective="max"),
    MagicSquare(3),
    KnightsTour(3, 4, kind="open", formulation="dfj"),
    Riddle("ships"),
    *(
        pytest.param(puzzle, marks=pytest.mark.slow)
        for puzzle in (
            MagicSquare(3, formulation="plain"),
            MagicSquare(3, formulation="integer"),
            KnightsTour(3, 4, kind="path", formulation="dfj"),
            *(
                KnightsTour(3, 4, kind=kind, formulation=f)
                for kind in ("open", "path")
                for f in ("mtz", "mtz-lifted", "flow")
            ),
        )
    ),
]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=repr)
def test_every_solver_finds_the_same(reference, solver, puzzle):
    found = reference(puzzle, solver=solver)
    fast = enumerate_solutions(puzzle)
    assert sorted(map(repr, found)) == sorted(map(repr, fast))
    assert found.complete
    assert found.objectives == fast.objectives


class TestTable:
    def test_inventory_shows_versions_and_how_to_install(self, nogood, monkeypatch):
        real = table.find_spec
        monkeypatch.setattr(
            table, "find_spec", lambda name: None if name == "gurobipy" else real(name)
        )
        lines = {line.split()[0]: line for line in nogood("list").out.splitlines() if line}
        assert set(ALL) <= set(lines)
        assert "pip install gurobipy" in lines["gurobi"]
        for name in ALL:
            if SOLVERS[name].here:
                assert f"yes {SOLVERS[name].version}" in lines[name]
                assert SOLVERS[name].version[0].isdigit()

    def test_threads_are_accepted_by_all(self, solver):
        assert solve(Queens(5), solver=solver, threads=2).status == "optimal"

    def test_seeds_are_accepted_by_all(self, solver):
        assert solve(Queens(5), solver=solver, seed=3).status == "optimal"

    @pytest.mark.parametrize("command", ["solve", "enumerate", "compare"])
    def test_a_missing_solver_is_exit_3(self, nogood, monkeypatch, command):
        monkeypatch.setattr(table.shutil, "which", lambda name: None)
        flag = "--solvers" if command == "compare" else "--solver"
        ran = nogood(command, "queens", flag, "cbc")
        assert (ran.status, ran.out) == (3, "")
        assert (
            ran.err == "nogood: solver cbc is not here; install it with: apt install coinor-cbc\n"
        )

    @pytest.mark.parametrize("command", ["solve", "enumerate", "compare"])
    def test_every_command_takes_every_solver(self, nogood, solver, command):
        flag = "--solvers" if command == "compare" else "--solver"
        assert nogood(command, "queens", "--n", "5", flag, solver).status == 0
