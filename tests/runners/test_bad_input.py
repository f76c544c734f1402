"""Bad input: each case with its exact message, one line, from Python and from the command line."""

import pyomo.environ as pyo
import pytest
from nogood.data import InputError, load_grid, load_square
from nogood.models import PUZZLES, KnightsTour, MagicSquare, Queens
from nogood.runners import enumerate_solutions, export_model, solve

CASES = [
    # queens
    (lambda: Queens(0), "n: expected 1 to 200, got 0"),
    (lambda: Queens(201), "n: expected 1 to 200, got 201"),
    (lambda: Queens(8.0), "n: expected an integer, got 8.0"),
    (lambda: Queens("eight"), "n: expected an integer, got 'eight'"),
    (lambda: Queens(True), "n: expected an integer, got True"),
    (lambda: Queens(6, square="durer"), "square: its side is 4, but n is 6"),
    (lambda: Queens(total=34), "total: needs a square of weights (square=…)"),
    (lambda: Queens(objective="min"), "objective: needs a square of weights (square=…)"),
    (
        lambda: Queens(square="durer", objective="best"),
        "objective: expected one of min, max, nearest; got 'best'",
    ),
    (
        lambda: Queens(square="durer", total="magisch"),
        "total: expected an integer, got 'magisch'",
    ),
    (
        lambda: Queens(square=[[1, 2], [3, 5]], total="magic"),
        "total: the square's magic constant 11/2 is no integer",
    ),
    (lambda: Queens(4, given=[(4, 0)]), "given (4, 0): row: expected 0 to 3, got 4"),
    (lambda: Queens(4, given=[(0, -1)]), "given (0, -1): column: expected 0 to 3, got -1"),
    (
        lambda: Queens(4, given=["0;1"]),
        "given '0;1': expected a square as ROW,COLUMN, got '0;1'",
    ),
    (lambda: Queens(4, given="0,1"), "given: expected squares (row, column), got '0,1'"),
    (lambda: Queens(4, given=[(0, "a")]), "given (0, 'a'): column: expected an integer, got 'a'"),
    # squares and grids
    (
        lambda: load_square("melencolia"),
        "square 'melencolia': no such file; the bundled squares are durer, franklin, lo-shu, reto2",
    ),
    (lambda: load_square([]), "square: empty; expected n rows of n integers"),
    (lambda: load_square([[1, 2], [3]]), "square: row 1 has 1 entries, but there are 2 rows"),
    (lambda: load_square([[1.5]]), "square: row 0, column 0: 1.5 is not an integer"),
    (lambda: load_square([[None]]), "square: row 0, column 0: None is not an integer"),
    (lambda: load_square([[10**10]]), "square: row 0, column 0: 10000000000 is beyond ±1000000000"),
    (
        lambda: load_square(7),
        "square: expected a name, a CSV file or rows of integers, got 7",
    ),
    (lambda: load_square("/"), "square '/': Is a directory"),
    (lambda: load_square("a\0b"), "square 'a\\x00b': embedded null byte"),
    (lambda: load_grid("missing.csv"), "grid 'missing.csv': no such file"),
    (lambda: load_grid([["x"]]), "grid: row 0, column 0: 'x' is not an integer"),
    # magic squares
    (lambda: MagicSquare(21), "n: expected 1 to 20, got 21"),
    (
        lambda: MagicSquare(kind="magic"),
        "kind: expected one of normal, semimagic, associative, pandiagonal; got 'magic'",
    ),
    (
        lambda: MagicSquare(formulation="strong"),
        "formulation: expected one of strengthened, plain, integer; got 'strong'",
    ),
    (lambda: MagicSquare(8, hide_queens=True), "hide_queens: n is 8; it is at most 7 here"),
    (lambda: MagicSquare(given={(0, 0): 17}), "given (0, 0): expected 1 to 16, got 17"),
    (lambda: MagicSquare(given={(0, 0): 0}), "given (0, 0): expected 1 to 16, got 0"),
    (lambda: MagicSquare(given={(4, 0): 1}), "given (4, 0): row: expected 0 to 3, got 4"),
    (
        lambda: MagicSquare(given={(0, 0): 1, (1, 1): 1}),
        "given: 1 stands in (0, 0) and in (1, 1)",
    ),
    (
        lambda: MagicSquare(given=["0,0"]),
        "given '0,0': expected ROW,COLUMN=VALUE, such as 0,0=16",
    ),
    (lambda: MagicSquare(given=["0,0=1", "0,0=2"]), "given '0,0': holds 1 and 2"),
    (lambda: MagicSquare(given=["0,0=x"]), "given (0, 0): expected an integer, got 'x'"),
    (lambda: MagicSquare(given=[[1, 2], [3, 4]]), "given: the grid's side is 2, but n is 4"),
    (lambda: MagicSquare(given=5), "given: expected cells with their values, got 5"),
    # knight's tours
    (lambda: KnightsTour(0, 4), "rows: expected 1 to 100, got 0"),
    (lambda: KnightsTour(4, 101), "cols: expected 1 to 100, got 101"),
    (lambda: KnightsTour(51, 50), "rows, cols: 2550 squares; at most 2500"),
    (lambda: KnightsTour(1, 1), "rows, cols: a board of one square has no moves"),
    (
        lambda: KnightsTour(kind="cyclic"),
        "kind: expected one of closed, open, path; got 'cyclic'",
    ),
    (
        lambda: KnightsTour(formulation="MTZ"),
        "formulation: expected one of mtz, mtz-lifted, flow, dfj; got 'MTZ'",
    ),
    (lambda: KnightsTour(start=(8, 0)), "start: row: expected 0 to 7, got 8"),
    (lambda: KnightsTour(start="a1"), "start: expected a square as ROW,COLUMN, got 'a1'"),
    (
        lambda: KnightsTour(kind="path", start="0,0", end=(0, 0)),
        "end: (0, 0) is the start; a tour ends on another square",
    ),
    # calls
    (
        lambda: enumerate_solutions(Queens(4), want="best"),
        "want: expected feasible or optimal, got 'best'",
    ),
    (
        lambda: enumerate_solutions(Queens(4), want="optimal"),
        "want: the model has no objective; none is best",
    ),
    (
        lambda: enumerate_solutions(Queens(4), limit=0),
        "limit: expected a positive integer, got 0",
    ),
    (
        lambda: enumerate_solutions(Queens(4), limit=1.5),
        "limit: expected a positive integer, got 1.5",
    ),
    (
        lambda: enumerate_solutions(Queens(4), time_limit=-1),
        "time_limit: expected a positive number, got -1",
    ),
    (
        lambda: enumerate_solutions(Queens(4), time_limit=float("nan")),
        "time_limit: expected a positive number, got nan",
    ),
    (
        lambda: enumerate_solutions(Queens(4), threads=0),
        "threads: expected a positive integer, got 0",
    ),
    (lambda: solve(Queens(4), threads=-1), "threads: expected a positive integer, got -1"),
    (
        lambda: enumerate_solutions(Queens(4), solver="cplex"),
        "solver: expected one of highs, scip, cbc, glpk, gurobi; got 'cplex'",
    ),
    (lambda: solve(Queens(4), gap=-0.1), "gap: expected a number from 0 on, got -0.1"),
    (lambda: solve(Queens(4), gap="x"), "gap: expected a number from 0 on, got 'x'"),
    (
        lambda: solve(Queens(4), load=True),
        "load: only a ConcreteModel has variables to load",
    ),
    (lambda: enumerate_solutions("queens"), "expected a puzzle or a ConcreteModel, got str"),
    (lambda: solve(pyo.AbstractModel()), "expected a puzzle or a ConcreteModel, got AbstractModel"),
    (
        lambda: enumerate_solutions(Queens(4), keys=[]),
        "keys: a puzzle has its own; leave them out",
    ),
    (
        lambda: export_model(Queens(4), "model.gms"),
        "model.gms: unknown model format 'gms'; expected lp, mps or nl",
    ),
    (
        lambda: export_model(Queens(4), "model"),
        "model: unknown model format ''; expected lp, mps or nl",
    ),
    (
        lambda: export_model(Queens(4), "missing/model.lp"),
        "missing/model.lp: cannot be written: No such file or directory",
    ),
]


def says(call):
    with pytest.raises(InputError) as said:
        call()
    message = str(said.value)
    assert len(message.splitlines()) == 1
    assert len(message) <= 300
    return message


@pytest.mark.parametrize(("call", "message"), CASES, ids=[message[:50] for _, message in CASES])
def test_python(call, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert says(call) == message
    assert list(tmp_path.iterdir()) == []


def binary():
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Binary)
    model.y = pyo.Var(bounds=(0, 1))
    model.row = pyo.Constraint(expr=model.x[0] + model.x[1] + model.y <= 2)
    return model


def continuous():
    model = binary()
    model.x.domain = pyo.Reals
    return model


def two_objectives():
    model = binary()
    model.one = pyo.Objective(expr=model.y)
    model.two = pyo.Objective(expr=model.x[0])
    return model


def product():
    model = binary()
    model.square = pyo.Constraint(expr=model.x[0] * model.y <= 1)
    return model


def sets():
    model = binary()
    model.sos = pyo.SOSConstraint(var=model.x, sos=1)
    return model


def fixed_without_value():
    model = binary()
    model.x[0].fixed = True
    return model


def integers(*bounds):
    model = binary()
    model.z = pyo.Var(domain=pyo.Integers, bounds=bounds)
    return model


OTHER = binary()
MODELS = [
    (continuous, None, "the model has no discrete variable; nothing tells solutions apart"),
    (two_objectives, None, "the model has 2 active objectives (one, two); one at most"),
    (
        product,
        None,
        "the model is no linear MILP: Model constraint (square) contains nonlinear terms "
        "that cannot be compiled to standard (linear) form.",
    ),
    (fixed_without_value, None, "x[0]: fixed, but without a value"),
    (lambda: integers(0, None), None, "key z: unbounded; give it finite bounds"),
    (lambda: integers(None, 0), None, "key z: unbounded; give it finite bounds"),
    (
        lambda: integers(0, 200_000),
        None,
        "key z: bounds 0 … 200000 are too far apart; at most 100000",
    ),
    (binary, lambda m: [m.y], "key y: continuous; keys are binary or integer"),
    (binary, lambda m: [OTHER.x[0]], "key x[0]: not a variable of the model"),
    (binary, lambda m: [], "keys: empty; name at least one discrete variable"),
    (binary, lambda m: ["x"], "keys: expected variables of the model, got 'x'"),
    (binary, lambda m: "x", "keys: expected variables of the model, got 'x'"),
    (binary, lambda m: 3, "keys: expected variables of the model, got 3"),
]


@pytest.mark.parametrize(("model", "keys", "message"), MODELS, ids=[m[2][:50] for m in MODELS])
def test_models(model, keys, message):
    made = model()
    assert says(lambda: enumerate_solutions(made, keys and keys(made))) == message


def test_a_model_that_is_no_milp_names_what_is_in_the_way():
    message = says(lambda: enumerate_solutions(sets()))
    assert message.startswith("the model is no linear MILP: ")
    assert message.endswith(": sos")


def test_one_cell_given_twice_in_other_words():
    """``0,0`` and ``0, 0`` are one cell; the last must not win in silence."""
    assert says(lambda: MagicSquare(given=["0,0=1", "0, 0=2"])) == "given (0, 0): holds 1 and 2"


def test_a_message_stays_short_whatever_was_given():
    assert says(lambda: Queens("9" * 5000)).startswith("n: expected an integer, got '999")


COMMANDS = [
    (
        ["solve", "chess"],
        f"puzzle: expected one of {', '.join(PUZZLES)}; got 'chess'",
    ),
    (["solve", "queens", "--n", "0"], "--n: expected 1 to 200, got 0"),
    (
        ["solve", "queens", "--square", "dürer"],
        "square 'dürer': no such file; the bundled squares are durer, franklin, lo-shu, reto2",
    ),
    (["solve", "queens", "--gap", "-1"], "--gap: expected a number from 0 on, got -1.0"),
    (
        ["solve", "queens", "--solver", "cplex"],
        "--solver: expected one of highs, scip, cbc, glpk, gurobi; got 'cplex'",
    ),
    (["enumerate", "queens", "--limit", "0"], "--limit: expected a positive integer, got 0"),
    (
        ["enumerate", "queens", "--time-limit", "0"],
        "--time-limit: expected a positive number, got 0.0",
    ),
    (
        ["enumerate", "queens", "--given", "0"],
        "given '0': expected a square as ROW,COLUMN, got '0'",
    ),
    (
        ["enumerate", "queens", "--want", "all"],
        "--want: expected feasible or optimal, got 'all'",
    ),
    (
        ["enumerate", "queens", "--out", "table.xls"],
        "table.xls: unknown table format '.xls'; end it in .csv, .json, .parquet, .md, .tex",
    ),
    (
        ["enumerate", "magic-square", "--given", "0,0:16"],
        "given '0,0:16': expected ROW,COLUMN=VALUE, such as 0,0=16",
    ),
    (["enumerate", "magic-square", "--grid", "no.csv"], "grid 'no.csv': no such file"),
    (
        ["enumerate", "magic-square", "--grid", "no.csv", "--given", "0,0=16"],
        "--given: give it by --given or by --grid, not by both",
    ),
    (
        ["export", "queens", "--out", "queens.txt"],
        "queens.txt: unknown model format 'txt'; expected lp, mps or nl",
    ),
    (
        ["export", "queens", "--out", "no/queens.lp"],
        "no/queens.lp: cannot be written: No such file or directory",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "message"), COMMANDS, ids=[" ".join(arguments) for arguments, _ in COMMANDS]
)
def test_command_line(nogood, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    ran = nogood(*arguments)
    assert (ran.status, ran.out, ran.err) == (2, "", f"nogood: {message}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (["prove"], "No such command 'prove'."),
        (["--verbose"], "No such option: --verbose"),
        (["solve", "queens", "--side", "8"], "No such option: --side"),
        (["solve", "queens", "--n", "x"], "Invalid value for '--n': "),
        (["solve", "queens", "--n"], "Option '--n' requires an argument."),
        (["solve", "queens", "8"], "Got unexpected extra argument"),
        (["export", "queens"], "Missing option '--out'."),
    ],
)
def test_command_line_in_the_words_of_typer(nogood, arguments, beginning):
    """Its versions go on differently; one line all the same."""
    ran = nogood(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"nogood: {beginning}")
    assert ran.err.index("\n") == len(ran.err) - 1


def test_no_command_shows_the_help_as_it_is(nogood):
    ran = nogood()
    assert any(line.split()[:1] == ["solve"] for line in (ran.out + ran.err).splitlines())


def test_demo_into_a_file(nogood, tmp_path):
    (tmp_path / "out").touch()
    ran = nogood("demo", "--out", tmp_path / "out")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"nogood: {tmp_path / 'out'}: cannot be made a folder: File exists\n"
