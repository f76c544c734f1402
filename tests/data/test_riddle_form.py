"""The form of riddles: what is taken, and what is refused with which words."""

import copy
import json
import random
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nogood.data import InputError, load_riddle, riddle_names, riddle_schema

SMALL = {
    "header": ["house", "pet"],
    "startMatrix": [["1", ""], ["2", ""]],
    "hints": [[[["1", "cat"]]], [[["", "dog"], ["", "cat"]], [["", "cat"], ["", "dog"]]]],
}


def changed(**parts):
    return {**copy.deepcopy(SMALL), **parts}


def says(source):
    with pytest.raises(InputError) as said:
        load_riddle(source)
    message = str(said.value)
    assert len(message.splitlines()) == 1
    return message


def test_the_bundled_riddles():
    assert riddle_names() == ("city", "cookie", "couples", "einstein", "football", "ships")
    for name in riddle_names():
        form = load_riddle(name)
        assert len(form.hints) == len(form.clues) >= 10
        assert form.title
        assert form.question


def test_known_values_come_from_table_values_and_clues():
    form = load_riddle(
        changed(
            values={"pet": ["fish"]},
            startMatrix=[["1", ""]] * 0 + [["1", ""], ["2", ""], ["3", ""]],
        )
    )
    assert form.known() == {"house": ["1", "2", "3"], "pet": ["fish", "cat", "dog"]}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            changed(header=[]),
            "riddle: header: list should have at least 1 item after validation, not 0",
        ),
        ({k: v for k, v in SMALL.items() if k != "hints"}, "riddle: hints: missing"),
        (
            changed(hint=[]),
            "riddle: hint: unknown; expected header, startMatrix, hints, "
            "singleHints, title, question, clues, values",
        ),
        (changed(header=["a", "a"]), "riddle: header: every column needs a name of its own"),
        (
            changed(startMatrix=[["1", ""], ["2"]]),
            "riddle: startMatrix, row 2: 1 entries, but the header has 2",
        ),
        (
            changed(startMatrix=[["1", ""], ["1", ""]]),
            "riddle: startMatrix, column 1 (house): '1' twice",
        ),
        (changed(startMatrix=[["", ""], ["", ""]], hints=[]), "riddle: no column has a value"),
        (
            changed(hints=[[[["1", "cat", "x"]]]]),
            "riddle: hints, clue 1, option 1, row 1: 3 entries, but the header has 2",
        ),
        (
            changed(hints=[SMALL["hints"][0], [[["1", 7]]]]),
            "riddle: hints, clue 2, option 1, row 1, column 2: input should be a valid string",
        ),
        (
            changed(hints=[[["1", "cat"]]]),
            "riddle: hints, clue 1, option 1, row 1: input should be a valid list",
        ),
        (
            changed(hints=[[[["1", "cat"]] * 3]]),
            "riddle: hints, clue 1, option 1: 3 rows, but the table has 2",
        ),
        (
            changed(hints=[[]]),
            "riddle: hints, clue 1: list should have at least 1 item after validation, not 0",
        ),
        (
            changed(hints=[[[["", v]]] for v in ("cat", "dog", "fish")]),
            "riddle: column 'pet': 3 values for 2 rows: cat, dog, fish",
        ),
        (changed(hints=[[[["", "?"]]]]), "riddle: column 'pet': '?' stands for what is unknown"),
        (changed(singleHints="yes"), "riddle: singleHints: input should be a valid boolean"),
        (changed(clues=["one"]), "riddle: clues: 1 texts for 2 hints"),
        (changed(values={"car": ["red"]}), "riddle: values: 'car' is no column"),
        (
            changed(startMatrix=[["1", ""]] * 31),
            "riddle: startMatrix: list should have at most 30 items after validation, not 31",
        ),
        (7, "riddle: expected a name, a JSON file or an object, got 7"),
    ],
)
def test_what_is_refused(source, message):
    assert says(source) == message


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("", "not JSON: Expecting value at line 1, column 1"),
        ("[1, 2", "not JSON: Expecting ',' delimiter at line 1, column 6"),
        ("[]", "expected an object with header, startMatrix and hints"),
        ("[" * 200_000, "nested too deep, or a number too long"),
        ("9" * 10_000, "nested too deep, or a number too long"),
        (" " * (2**20 + 1), "larger than 1 MiB"),
    ],
)
def test_hostile_files(tmp_path, text, end):
    file = tmp_path / "riddle.json"
    file.write_text(text)
    assert says(file) == f"{file}: {end}"


def _mutated(value, source):
    """A JSON value with one part of it replaced, dropped or doubled."""
    if isinstance(value, dict) and value and source.random() < 0.9:
        key = source.choice(list(value))
        if source.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _mutated(value[key], source)}
    if isinstance(value, list) and value and source.random() < 0.9:
        k = source.randrange(len(value))
        again = [_mutated(value[k], source)] * source.choice([0, 1, 1, 1, 2])
        return value[:k] + again + value[k + 1 :]
    return source.choice(
        [None, 0, -1.5, True, "", "x", [], {}, [[]], ["x"], [[[["x"]]]], "?" * 300]
    )


@given(st.sampled_from(riddle_names()), st.integers(0, 2**32))
def test_mutated_riddles_give_one_line_or_a_riddle(tmp_path_factory, name, seed):
    source = random.Random(seed)
    raw = json.loads((files("nogood.data") / "riddles" / f"{name}.json").read_text())
    for _ in range(source.randrange(1, 4)):
        raw = _mutated(raw, source)
    file = tmp_path_factory.getbasetemp() / "mutated.json"
    file.write_text(json.dumps(raw))
    message = ""
    try:
        assert load_riddle(file).header
    except InputError as error:
        message = str(error)
    assert len(message.splitlines()) <= 1


def test_the_schema_is_that_of_the_form():
    schema = riddle_schema()
    assert schema["required"] == ["header", "startMatrix", "hints"]
    assert set(schema["properties"]) >= {"singleHints", "title", "question", "clues", "values"}
    assert not schema["additionalProperties"]
