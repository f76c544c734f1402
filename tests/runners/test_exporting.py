"""LP and MPS files: read back by HiGHS they say the same, and their names read well."""

import re

import highspy
import pyomo.environ as pyo
import pytest
from nogood.models import KnightsTour, MagicSquare, Queens
from nogood.runners import export_model, solve

PUZZLES = [
    Queens(6),
    Queens(3),
    Queens(square="durer", objective="min"),
    Queens(square="durer", objective="max"),
    Queens(square=[[7, 1, 4, 9], [2, 8, 3, 3], [5, 5, 1, 0], [6, 2, 9, 0]], objective="nearest"),
    Queens(square="reto2", total="magic", given=[(0, 2)]),
    MagicSquare(3),
    MagicSquare(3, formulation="plain", kind="semimagic", given={(0, 0): 2}),
    MagicSquare(4, kind="pandiagonal"),
    MagicSquare(4, kind="associative", hide_queens=True),
    pytest.param(KnightsTour(5, 6), marks=pytest.mark.slow),
    pytest.param(KnightsTour(5, 6, formulation="mtz-lifted"), marks=pytest.mark.slow),
    KnightsTour(3, 4, kind="open"),
    KnightsTour(3, 4, kind="path", formulation="mtz-lifted"),
    KnightsTour(3, 4, formulation="mtz"),
]


def read_back(file):
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(file)) == highspy.HighsStatus.kOk
    return highs


@pytest.mark.parametrize("ending", ["lp", "mps"])
@pytest.mark.parametrize("puzzle", PUZZLES, ids=repr)
def test_highs_reads_it_back_and_agrees(tmp_path, puzzle, ending):
    highs = read_back(export_model(puzzle, tmp_path / f"model.{ending}"))
    solved = solve(puzzle)
    linear = solved.problem.linear
    assert (highs.getNumCol(), highs.getNumRow()) == (linear.columns, linear.rows)
    highs.run()
    said = highs.modelStatusToString(highs.getModelStatus())
    assert said.lower() == solved.status
    if linear.has_objective:
        # An MPS file minimises, whatever the model does.
        sign = linear.sense if ending == "mps" else 1
        assert sign * highs.getInfo().objective_function_value == pytest.approx(solved.objective)


def test_lazy_constraints_are_not_in_the_file_and_it_says_so(tmp_path):
    file = export_model(KnightsTour(3, 4, formulation="dfj"), tmp_path / "model.lp")
    assert read_back(file).getNumRow() == 12  # the degrees
    head = [line for line in file.read_text().splitlines() if line.startswith("\\")]
    assert any("lazy" in line or "subtour" in line for line in head)


def any_model():
    model = pyo.ConcreteModel("any")
    model.x = pyo.Var([-1, "a b", "e1"], domain=pyo.Integers, bounds=(-5, 7))
    model.free = pyo.Var()
    model.st = pyo.Var(bounds=(None, 3))
    model.size = pyo.Constraint(expr=(-2, sum(model.x.values()) + model.free, 9))
    model.link = pyo.Constraint(expr=model.free == 2 * model.x[-1] + 0.5)
    model.cost = pyo.Objective(
        expr=3 * model.x[-1] - model.x["a b"] + 0.25 * model.st + 100, sense=pyo.maximize
    )
    return model


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_any_model_with_ranges_free_variables_and_a_constant(tmp_path, ending):
    highs = read_back(export_model(any_model(), tmp_path / f"model.{ending}"))
    highs.run()
    solved = solve(any_model())
    sign = solved.problem.linear.sense if ending == "mps" else 1
    assert sign * highs.getInfo().objective_function_value == pytest.approx(solved.objective)


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_the_bytes_are_the_same_each_time(tmp_path, ending):
    one, two = (
        export_model(MagicSquare(3), tmp_path / f"{name}.{ending}").read_bytes() for name in "ab"
    )
    assert one == two


@pytest.mark.parametrize(("ending", "comment"), [("lp", "\\"), ("mps", "*")])
def test_the_header_names_puzzle_parameters_and_version(tmp_path, ending, comment):
    file = export_model(Queens(5, given=[(0, 2)]), tmp_path / f"model.{ending}")
    first, second = file.read_text().splitlines()[:2]
    assert first == f"{comment} queens: n=5, given=((0, 2),), formulation='diagonals'"
    assert re.fullmatch(re.escape(comment) + r" nogood \d+\.\d+\.\d+", second)


def test_a_header_of_one_line_whatever_the_model_is_called(tmp_path):
    model = any_model()
    model.name = "two\nlines"
    highs = read_back(export_model(model, tmp_path / "model.lp"))
    assert highs.getNumCol() == 6  # one carries the objective's constant


def test_names_read_like_the_mathematics(tmp_path):
    text = export_model(Queens(square="durer", total=34), tmp_path / "model.lp").read_text()
    for name in ("x_3_0", "row_0", "column_3", "diagonal_m1", "antidiagonal_2", "total"):
        assert re.search(rf"\b{name}\b", text), name
    text = export_model(KnightsTour(3, 4), tmp_path / "model.lp").read_text()
    for name in ("x_0_0_1_2", "leave_0_0", "u_2_3"):
        assert re.search(rf"\b{name}\b", text), name


def test_names_are_unique_and_none_is_a_word_of_the_format(tmp_path):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(["a b", "a_b", "a-b", "a" * 300], domain=pyo.Binary)
    for word in ("free", "st", "e1", "Bin", "inf"):
        model.add_component(word, pyo.Var(domain=pyo.Binary))
    model.all = pyo.Constraint(
        expr=sum(v for v in model.component_data_objects(pyo.Var, sort=True)) == 9
    )
    highs = read_back(export_model(model, tmp_path / "model.lp"))
    names = [highs.getColName(j)[1] for j in range(highs.getNumCol())]
    assert len(set(names)) == 9
    assert max(map(len, names)) <= 60
    assert {"x_a_b", "x_a_b_2", "x_a_b_3", "v_free", "v_st", "v_e1", "v_Bin", "v_inf"} <= set(names)


@pytest.mark.parametrize(
    ("name", "format", "first"), [("m.LP", None, "\\"), ("m.txt", "mps", "*"), ("m.lp", "mps", "*")]
)
def test_the_format_is_the_ending_unless_given(tmp_path, name, format, first):
    assert export_model(Queens(4), tmp_path / name, format=format).read_text()[0] == first
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_the_model_comes_back_as_it_was(tmp_path):
    model = any_model()
    model.x[-1].value = 3
    before = [(c.name, type(c)) for c in model.component_objects()]
    export_model(model, tmp_path / "model.lp")
    assert [(c.name, type(c)) for c in model.component_objects()] == before
    assert model.x[-1].value == 3
