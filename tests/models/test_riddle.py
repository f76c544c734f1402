"""Riddles: their counts, and what check() says of a wrong table."""

import pytest
from nogood.data import load_riddle
from nogood.models import Riddle
from nogood.runners import enumerate_solutions

COUNTS = {"city": 2, "cookie": 1, "couples": 1, "einstein": 1, "football": 1, "ships": 1}


@pytest.mark.parametrize(("name", "count"), list(COUNTS.items()))
@pytest.mark.parametrize("method", ["split", "cuts"])
def test_counts(name, count, method):
    found = enumerate_solutions(Riddle(name), method=method)
    assert (found.count, found.complete) == (count, True)


def test_city_without_its_last_clue():
    form = load_riddle("city").model_dump()
    form["hints"], form["clues"] = form["hints"][:-1], form["clues"][:-1]
    assert enumerate_solutions(Riddle(form)).count == 3


def rows(name):
    table = enumerate_solutions(Riddle(name)).solutions[0]
    header = load_riddle(name).header
    return [dict(zip(header, row, strict=True)) for row in table]


def test_who_has_what_nobody_names():
    assert [row["nationality"] for row in rows("einstein") if row["pet"] == "?"] == ["German"]
    ships = rows("ships")
    assert [row["nationality"] for row in ships if row["destination"] == "?"] == ["Spanish"]
    assert [row["nationality"] for row in ships if row["cargo"] == "?"] == ["French"]
    violet = next(row for row in rows("couples") if row["colour"] == "violet")
    assert (violet["wife"], violet["husband"], violet["surname"]) == (
        "Monica",
        "Alexander",
        "Cermak",
    )


def test_unknown_values_are_not_told_apart():
    form = {
        "header": ["place", "name"],
        "startMatrix": [[str(k), ""] for k in range(1, 5)],
        "hints": [[[["", "Ann"], ["", ""], ["", "Bob"]]]],
    }
    found = enumerate_solutions(Riddle(form))
    assert sorted(tuple(row[1] for row in table) for table in found) == [
        ("?", "Ann", "?", "Bob"),
        ("Ann", "?", "Bob", "?"),
    ]


@pytest.mark.parametrize("single", [True, False])
def test_rows_of_a_single_hint_stand_on_rows_of_their_own(single):
    form = {
        "header": ["place", "name"],
        "startMatrix": [["1", ""], ["2", ""]],
        "hints": [[[["", "Ann"], ["2", ""]]]],
        "singleHints": single,
    }
    found = enumerate_solutions(Riddle(form))
    assert found.solutions == [(("1", "Ann"), ("2", "?"))]


@pytest.mark.parametrize(
    ("swap", "reason"),
    [
        (((0, 1), (1, 1)), "clue 3 does not hold: The Danish resident drinks tea."),
        (((0, 0), (1, 0)), "row 0 has house '2', not the given '1'"),
        (((0, 1), (0, 2)), "column 'nationality' does not hold each of its values once"),
    ],
)
def test_check(swap, reason):
    riddle = Riddle("einstein")
    table = [list(row) for row in enumerate_solutions(riddle).solutions[0]]
    riddle.check(table)
    (r, c), (r2, c2) = swap
    table[r][c], table[r2][c2] = table[r2][c2], table[r][c]
    with pytest.raises(ValueError, match=f"^{reason.replace('.', '[.]')}$"):
        riddle.check(table)
