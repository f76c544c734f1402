"""Journals: stopped at any moment and resumed, a run ends as if nothing had happened."""

import os
import resource
import sqlite3
import subprocess
import sys
from unittest.mock import patch

import pandas as pd
import pyomo.environ as pyo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nogood.data import InputError
from nogood.models import KnightsTour, MagicSquare, Queens
from nogood.runners import SolverError, enumerate_solutions, parallel
from nogood.runners.highs import HighsSession
from nogood.runners.journal import summary
from nogood.runners.session import Answer

SMALL = {"_ALONE": 3, "_SOON": 2_000, "_LATER": 5_000}
"""Work on a part that makes many parts of short searches."""


@pytest.fixture
def small():
    with patch.multiple(parallel, **SMALL):
        yield


def integers():
    """A model with integer keys, a continuous auxiliary and a symmetry."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(4), domain=pyo.Integers, bounds=(-1, 2))
    model.s = pyo.Var(bounds=(0, 1))
    model.row = pyo.Constraint(expr=sum(model.x.values()) + model.s == 2.5)
    return model


SWAP = [{f"x[{i}]": f"x[{i + 1}]", f"x[{i + 1}]": f"x[{i}]"} for i in range(3)]
RUNS = [
    (lambda: Queens(8), {}),
    (lambda: Queens(7), {"distinct": True}),
    (lambda: Queens(8), {"symmetry": False, "workers": 2}),
    (lambda: Queens(6), {"method": "cuts"}),
    (lambda: Queens(square="reto2", objective="min"), {}),
    (lambda: Queens(square="reto2", objective="max"), {"gap": 3}),
    (lambda: Queens(square="durer", objective="max"), {"method": "cuts", "gap": 5}),
    (lambda: MagicSquare(3, kind="semimagic"), {}),
    (lambda: MagicSquare(3, formulation="integer"), {}),
    (lambda: KnightsTour(5, 6, formulation="dfj"), {}),
    (lambda: KnightsTour(3, 4, kind="open", formulation="dfj"), {"method": "cuts"}),
    (lambda: Queens(3), {}),
    (integers, {}),
    (integers, {"symmetry": SWAP}),
    (integers, {"symmetry": SWAP, "distinct": True}),
]
SECONDS = {2, 8, 9}
"""Those of these that take some."""


def interrupted(make, path, steps, **options):
    """Enumerate with a journal, given up after so many steps, and each time some more.

    The last run is returned.  A part that is never finished would be begun anew for ever.
    """
    resume = path.exists()
    while True:
        found = enumerate_solutions(make(), journal=path, resume=resume, **options)
        resume = True
        for _ in range(steps):
            if not found.step():
                return found
        found.close()
        steps += 10


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "steps", [37, *(pytest.param(steps, marks=pytest.mark.slow) for steps in (5, 10**9))]
)
@pytest.mark.parametrize(
    "k", [pytest.param(k, marks=pytest.mark.slow) if k in SECONDS else k for k in range(len(RUNS))]
)
def test_a_resumed_run_is_an_undisturbed_one(tmp_path, k, steps):
    make, options = RUNS[k]
    steps = max(steps, 20) if options.get("workers") or options.get("method") == "cuts" else steps
    plain = enumerate_solutions(make(), **options)
    found = interrupted(make, tmp_path / "run.db", steps, **options)
    assert found.complete
    assert found.stopped is None
    assert found.solutions == plain.solutions
    assert found.objectives == pytest.approx(plain.objectives)
    assert found.orbits == plain.orbits
    assert found.count == plain.count
    pd.testing.assert_frame_equal(found.table, plain.table)
    assert sorted(map(str, found)) == sorted(map(str, plain.solutions))
    if options.get("method") != "cuts" and plain.problem.linear.rows > 2:
        assert found.progress.share == pytest.approx(1)


def test_seconds_are_those_of_all_sessions(tmp_path):
    path = tmp_path / "run.db"
    first = enumerate_solutions(Queens(9), journal=path)
    while first.so_far < 300:
        first.step()
    first.close()
    found = enumerate_solutions(Queens(9), journal=path, resume=True)
    assert found.complete
    assert found.seconds > first.seconds / 2
    again = enumerate_solutions(Queens(9), journal=path, resume=True)
    assert again.seconds > 0
    assert again.seconds == pytest.approx(summary(path).seconds, abs=0.05)


@pytest.mark.usefixtures("small")
@settings(max_examples=25)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=12))
def test_stops_at_any_moments_change_nothing(tmp_path_factory, stops):
    path = tmp_path_factory.mktemp("journal") / "run.db"
    expected = enumerate_solutions(Queens(7)).solutions
    for number, steps in enumerate(stops):
        found = enumerate_solutions(Queens(7), journal=path, resume=number > 0)
        for _ in range(steps):
            found.step()
        found.close()
        assert summary(path).solutions <= len(expected)
    found = enumerate_solutions(Queens(7), journal=path, resume=True)
    assert (found.solutions, found.complete) == (expected, True)


@pytest.mark.usefixtures("small")
def test_a_solver_that_fails_leaves_a_journal_that_resumes(tmp_path, monkeypatch, fault):
    puzzle = Queens(7, square=[[1, 5, 2, 8, 3, 9, 4]] * 7, objective="nearest")
    expected = enumerate_solutions(puzzle, want="feasible").solutions
    path, answer, calls = tmp_path / "run.db", HighsSession._answer, []
    monkeypatch.setattr(
        HighsSession,
        "_answer",
        lambda s: (
            answer(s)
            if len(calls) < 3 and not calls.append(1)
            else Answer("error", detail="broken")
        ),
    )
    found = enumerate_solutions(puzzle, want="feasible", journal=path)
    with pytest.raises(SolverError, match="broken"):
        _ = found.count
    monkeypatch.undo()
    assert 0 < summary(path).solutions < len(expected)
    found = enumerate_solutions(puzzle, want="feasible", journal=path, resume=True)
    assert (found.solutions, found.complete) == (expected, True)
    fault("a solver that fails from some call on", "an error; resumed, every solution")


def test_a_limit_and_more_of_it(tmp_path):
    path = tmp_path / "run.db"
    first = enumerate_solutions(Queens(8), limit=10, journal=path)
    assert (first.count, first.complete, first.stopped) == (10, False, "limit")
    more = enumerate_solutions(Queens(8), limit=30, journal=path, resume=True)
    assert more.count == 30
    same = enumerate_solutions(Queens(8), limit=30, journal=path, resume=True)
    assert (same.count, same.stopped) == (30, "limit")
    every = enumerate_solutions(Queens(8), limit=100, journal=path, resume=True)
    assert (every.count, every.complete) == (92, True)


def test_a_complete_journal_asks_no_solver_again(tmp_path, monkeypatch):
    path = tmp_path / "run.db"
    first = enumerate_solutions(Queens(square="reto2", objective="min"), journal=path)
    assert first.complete
    monkeypatch.setattr(HighsSession, "solve", None)
    again = enumerate_solutions(Queens(square="reto2", objective="min"), journal=path, resume=True)
    assert (again.solutions, again.complete) == (first.solutions, True)


@pytest.mark.usefixtures("small")
def test_it_is_read_while_it_is_written(tmp_path):
    path = tmp_path / "run.db"
    found = enumerate_solutions(Queens(8), journal=path, symmetry=False)
    shares = []
    while found.step():
        said = summary(path)
        shares.append(said.share)
        assert not said.complete
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            table = pd.read_sql("SELECT * FROM solutions", db)
        assert len(table) == said.solutions == len(set(table["solution"]))
    assert shares == sorted(shares)
    assert any(0 < share < 1 for share in shares)
    said = summary(path)
    assert (said.solutions, said.complete, said.parts_open) == (92, True, 0)
    assert said.share == pytest.approx(1)


def test_the_calls_of_every_session_are_kept(tmp_path):
    path = tmp_path / "run.db"
    plain = enumerate_solutions(Queens(6), method="cuts")
    found = interrupted(lambda: Queens(6), path, 2, method="cuts")
    # Each new session asks once for what the last one was about to find.
    assert len(found.calls) >= len(plain.calls)
    assert found.calls["status"].tolist()[-1] == "infeasible"
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM calls").fetchone()[0] == len(found.calls)


OTHERS = [
    (Queens(7), {}, "puzzle was queens: n=6"),
    (Queens(6, formulation="pairs"), {}, "puzzle was queens: n=6"),
    (Queens(6), {"distinct": True}, "distinct was False, is True"),
    (Queens(6), {"symmetry": False}, "symmetry was 8 elements, is 1 elements"),
    (Queens(6), {"method": "cuts"}, "method was split, highs, is cuts, highs"),
    (Queens(6), {"limit": 3}, "limited was False, is True"),
    (Queens(6), {"order": [(0, 3)]}, "model was "),
]


@pytest.mark.parametrize(("puzzle", "options", "said"), OTHERS, ids=[o[2] for o in OTHERS])
def test_another_run_is_refused_with_what_differs(tmp_path, puzzle, options, said):
    path = tmp_path / "run.db"
    assert enumerate_solutions(Queens(6), journal=path).count == 4
    before = path.read_bytes()
    with pytest.raises(InputError) as refused:
        enumerate_solutions(puzzle, journal=path, resume=True, **options)
    assert str(refused.value).startswith(f"{path}: is of another run: {said}")
    assert path.read_bytes() == before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["run.db", "run.db.lock"]


def test_other_bounds_of_a_model_are_another_model(tmp_path):
    path, model = tmp_path / "run.db", integers()
    assert enumerate_solutions(model, journal=path).complete
    model.x[0].setub(1)
    with pytest.raises(InputError, match="another run: model was"):
        enumerate_solutions(model, journal=path, resume=True)


def test_two_runs_cannot_write_one_journal(tmp_path, fault):
    path = tmp_path / "run.db"
    first = enumerate_solutions(Queens(8), journal=path)
    first.step()
    with pytest.raises(InputError, match="another run is writing it"):
        enumerate_solutions(Queens(8), journal=path, resume=True)
    assert first.count == 92
    assert enumerate_solutions(Queens(8), journal=path, resume=True).count == 92
    fault("two runs on one journal", "the second refused, the first went on: 92 boards")


def test_an_existing_journal_is_not_begun_anew(tmp_path):
    path = tmp_path / "run.db"
    with pytest.raises(InputError, match="no such journal; leave --resume out"):
        enumerate_solutions(Queens(6), journal=path, resume=True)
    assert enumerate_solutions(Queens(6), journal=path).count == 4
    with pytest.raises(InputError, match="exists; go on with it by --resume"):
        enumerate_solutions(Queens(6), journal=path)
    with pytest.raises(InputError, match="resume: needs a journal"):
        enumerate_solutions(Queens(6), resume=True)
    with pytest.raises(InputError, match="not the best few"):
        enumerate_solutions(Queens(square="durer", objective="min"), best=2, journal=path)


def damaged(path):
    """Ways to spoil a journal, by name."""
    whole = path.read_bytes()

    def sql(text):
        with sqlite3.connect(path, isolation_level=None) as db:
            db.executescript(text)
        return path.read_bytes()

    yield "empty", b""
    yield "text", b"this is no journal, but a poem\n" * 9
    yield "half", whole[: len(whole) // 2]
    yield "torn", whole[:4096] + os.urandom(len(whole) - 4096)
    yield "zeros", whole[:100] + bytes(len(whole) - 100)
    yield "of another program", sql("PRAGMA application_id = 7")
    path.write_bytes(whole)
    yield "of another version", sql("PRAGMA user_version = 99")
    path.write_bytes(whole)
    yield "no tables", sql("DROP TABLE parts")
    path.write_bytes(whole)
    yield "no name", sql("DELETE FROM run")
    path.write_bytes(whole)
    for state in ("x'00'", "NULL", "'text'", "zeroblob(2000)"):
        yield f"state {state}", sql(f"UPDATE parts SET state = {state}, done = 0")
        path.write_bytes(whole)
    yield "path", sql("UPDATE parts SET path = 'a.' || path")
    path.write_bytes(whole)


@pytest.mark.usefixtures("small")
def test_a_damaged_journal_is_refused_and_left_alone(tmp_path, fault):
    path = tmp_path / "run.db"
    found = enumerate_solutions(Queens(9), journal=path, symmetry=False, workers=1)
    while summary(path).parts_done < 3:
        assert found.step()
    found.close()
    count = 0
    for what, content in damaged(path):
        path.write_bytes(content)
        with pytest.raises(InputError) as refused:
            _ = enumerate_solutions(
                Queens(9), journal=path, symmetry=False, workers=1, resume=True
            ).count
        assert str(refused.value).startswith(f"{path}: "), what
        assert "\n" not in str(refused.value), what
        assert path.read_bytes()[4096:] == content[4096:], what
        with pytest.raises(InputError):
            enumerate_solutions(Queens(9), journal=path)
        count += 1
    assert count == 14
    fault(f"a journal damaged in {count} ways", "refused in one line, its bytes left as they were")


def test_where_none_can_be(tmp_path):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / "missing" / "run.db"):
        with pytest.raises(InputError, match=f"^{path}: "):
            enumerate_solutions(Queens(6), journal=path)
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(InputError, match="No such file"):
        summary(tmp_path / "run.db")


def full_disk(path, size, resume):
    """Run in a process whose files may not grow over ``size`` bytes."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
    code = "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    code += "from nogood.runners.cli import main; sys.argv[0] = 'nogood'; main()"
    command = [sys.executable, "-c", code, "enumerate", "queens", "--n", "9", "--workers", "1"]
    return subprocess.run(
        [*command, "--journal", path, *(["--resume"] if resume else [])],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit if size else None,
    )


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_written(tmp_path, fault):
    path = tmp_path / "run.db"
    ran = full_disk(path, 45_000, resume=False)
    assert ran.returncode == 4
    assert "not complete: stopped by its journal" in ran.stdout
    assert str(path) in ran.stderr
    assert "Traceback" not in ran.stderr
    ran = full_disk(path, None, resume=True)
    assert ran.returncode == 0
    assert "352 solutions, complete" in ran.stdout
    fault("a disk that is full", "stopped with exit status 4, resumed with room: 352 boards")
    # Not even the beginning fits.
    ran = full_disk(tmp_path / "other.db", 3000, resume=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"nogood: {tmp_path / 'other.db'}: cannot be written")
    assert not (tmp_path / "other.db").exists()


def test_memory_is_a_limit(tmp_path):
    found = enumerate_solutions(Queens(9), memory=0.05)
    assert (found.complete, found.stopped) == (False, "memory limit")
    assert 0 < found.count < 352
    size = 0.05 * 2**20
    assert found.count * 150 < size
    kept = enumerate_solutions(Queens(9), memory=0.05, journal=tmp_path / "run.db")
    assert (kept.count, kept.complete) == (352, True)
    for bad in (0, -1, float("nan"), "1"):
        with pytest.raises(InputError, match="memory: expected a positive number"):
            enumerate_solutions(Queens(9), memory=bad)


def test_on_the_command_line(nogood, tmp_path):
    path = tmp_path / "run.db"
    ran = nogood("enumerate", "queens", "--limit", 10, "--journal", path, "--json")
    assert ran.status == 0
    assert '"count": 10' in ran.out
    ran = nogood("journal", path)
    assert ran.out.startswith("queens: n=8, given=(), formulation='diagonals'\n\n10 solutions, ")
    assert "at work once" in ran.out
    ran = nogood("enumerate", "queens", "--limit", 100, "--journal", path, "--resume")
    assert "92 solutions, complete" in ran.out
    ran = nogood("journal", path, "--json")
    assert '"solutions": 92' in ran.out
    ran = nogood("journal", tmp_path / "none.db")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"nogood: {tmp_path / 'none.db'}: No such file or directory\n"
    ran = nogood("enumerate", "queens", "--memory", 0.001)
    assert ran.status == 4
    assert "stopped by the end of the memory" in ran.out


MEASURE = """
import gc, sys, tracemalloc
from nogood.models import Queens
from nogood.runners import enumerate_solutions
enumerate_solutions(Queens(8)).count
tracemalloc.start()
options = {"journal": sys.argv[2]} if sys.argv[2] else {}
found = enumerate_solutions(Queens(int(sys.argv[1])), workers=1, **options)
seen = sum(1 for _ in found)
assert seen == found.count
gc.collect()
print(seen, tracemalloc.get_traced_memory()[0] // 1024)
"""


@pytest.mark.slow
def test_with_a_journal_memory_does_not_grow_with_the_solutions(tmp_path):
    """14 200 boards of side 12, streamed and counted, beside the 724 of side 10."""

    def held(n, journal):
        command = [sys.executable, "-c", MEASURE, str(n), str(journal)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return list(map(int, ran.stdout.split()))

    few, many = held(10, tmp_path / "10.db"), held(12, tmp_path / "12.db")
    kept = held(12, "")
    assert (few[0], many[0], kept[0]) == (724, 14200, 14200)
    print(f"KB held: {few[1]} (724) and {many[1]} (14200) with a journal, {kept[1]} without")
    assert many[1] < 2 * few[1] + 100
    assert kept[1] > 2000
