"""Models from outside: LP and MPS files, solved and enumerated."""

import json

import pyomo.environ as pyo
import pytest
from nogood.data import InputError
from nogood.models import Queens
from nogood.runners import enumerate_solutions, export_model, read_model, solve


@pytest.mark.parametrize("ending", ["lp", "mps"])
def test_a_file_has_the_solutions_of_its_model(tmp_path, ending):
    puzzle = Queens(square="reto2", objective="max")
    linear = read_model(export_model(puzzle, tmp_path / f"queens.{ending}"))
    sign = -1 if ending == "mps" else 1  # an MPS file minimises, whatever the model does
    assert sign * solve(linear).objective == solve(puzzle).objective == 388
    assert enumerate_solutions(linear).count == 2
    assert enumerate_solutions(linear, want="feasible").count == 92


def test_keys_by_name_and_pattern(tmp_path):
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], domain=pyo.Integers, bounds=(-1, 1))
    model.y = pyo.Var([1, 2], domain=pyo.Binary)
    model.z = pyo.Var(bounds=(0, 9))
    model.c = pyo.Constraint(expr=model.x[1] + model.x[2] + model.y[1] + model.z == 1)
    linear = read_model(export_model(model, tmp_path / "model.lp"))
    assert enumerate_solutions(linear, keys=["x*"]).count == 8
    assert enumerate_solutions(linear, keys=["x_1"]).count == 3
    assert enumerate_solutions(linear).count == 28 == enumerate_solutions(model).count
    with pytest.raises(InputError, match=r"^keys: 'w\*' is no variable of the model$"):
        enumerate_solutions(linear, keys=["w*"])
    with pytest.raises(InputError, match=r"^key z: continuous; keys are binary or integer$"):
        enumerate_solutions(linear, keys=["z"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.lp", None, "No such file or directory"),
        ("bad.lp", "nonsense", "HiGHS cannot read it; is it a proper LP or MPS file?"),
        ("bad.mps", "\0" * 100, "HiGHS cannot read it; is it a proper LP or MPS file?"),
        (
            "semi.lp",
            "min\n obj: x\nst\n c: x >= 0\nbounds\n x <= 9\nsemi\n x\nend\n",
            "semi-continuous variables are not supported",
        ),
        (
            "square.lp",
            "min\n obj: [ x ^2 ] / 2\nst\n c: x >= 1\nend\n",
            "the objective is quadratic; expected a linear one",
        ),
    ],
)
def test_what_cannot_be_read(tmp_path, name, text, message):
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError) as said:
        read_model(file)
    assert str(said.value) == f"{file}: {message}"


def test_on_the_command_line(nogood, tmp_path):
    file = export_model(Queens(6), tmp_path / "queens.lp")
    said = json.loads(nogood("enumerate", file, "--keys", "x*", "--json").out)
    assert (said["puzzle"], said["count"], said["complete"]) == ("model", 4, True)
    ran = nogood("solve", file)
    assert ran.status == 0
    assert sum(line.startswith("x_") for line in ran.out.splitlines()) == 6
    ran = nogood("solve", tmp_path / "none.mps")
    assert (ran.status, ran.err) == (2, f"nogood: {tmp_path}/none.mps: No such file or directory\n")
