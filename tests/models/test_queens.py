"""Queens: what is a solution, and why something else is none."""

import pytest
from nogood.models import Queens

RETO2 = [
    (2, 4, 1, 7, 0, 6, 3, 5),
    (3, 5, 7, 1, 6, 0, 2, 4),
    (4, 2, 0, 6, 1, 7, 5, 3),
    (5, 3, 6, 0, 7, 1, 4, 2),
]


@pytest.mark.parametrize("n", range(1, 7))
def test_check_agrees_with_a_plain_search(plain, n):
    for vector in plain.queens(n):
        Queens(n).check(vector)


@pytest.mark.parametrize("vector", RETO2)
def test_the_hidden_solutions(vector):
    puzzle = Queens(square="reto2", total="magic")
    puzzle.check(vector)
    assert puzzle.figures(vector) == {"sum": 260}


@pytest.mark.parametrize(
    ("options", "vector", "reason"),
    [
        ({"n": 4}, (1, 3, 0), "expected 4 columns within the board, got (1, 3, 0)"),
        ({"n": 4}, (1, 3, 0, 4), "expected 4 columns within the board, got (1, 3, 0, 4)"),
        ({"n": 4}, (-1, 3, 0, 2), "expected 4 columns within the board, got (-1, 3, 0, 2)"),
        ({"n": 4}, (1, 3, 1, 2), "the queens on (0, 1) and (2, 1) attack each other"),
        ({"n": 4}, (0, 1, 3, 2), "the queens on (0, 0) and (1, 1) attack each other"),
        ({"n": 4}, (1, 3, 2, 0), "the queens on (1, 3) and (2, 2) attack each other"),
        ({"n": 4, "given": [(0, 2)]}, (1, 3, 0, 2), "no queen on the given square (0, 2)"),
        (
            {"square": "reto2", "total": 260},
            (0, 4, 7, 5, 2, 6, 1, 3),
            "the sum is 232, not 260",
        ),
    ],
)
def test_check_says_why_not(options, vector, reason):
    with pytest.raises(ValueError) as said:  # noqa: PT011
        Queens(**options).check(vector)
    assert str(said.value) == reason


def test_the_sizes_of_the_model():
    model = Queens(8).model()
    assert [len(c) for c in (model.row, model.column)] == [8, 8]
    assert [len(c) for c in (model.diagonal, model.antidiagonal)] == [13, 13]
    assert model.x[2, 3].name == "x[2,3]"
    assert len(Queens(8).keys(model)) == 64


def test_read_draw_and_parameters():
    puzzle = Queens(4, given=["0,1"])
    keys = {(r, c): int((1, 3, 0, 2)[r] == c) for r in range(4) for c in range(4)}
    assert puzzle.read(keys) == (1, 3, 0, 2)
    assert puzzle.draw((1, 3, 0, 2)) == "· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·"
    assert puzzle.parameters() == {
        "n": 4,
        "square": None,
        "total": None,
        "objective": None,
        "given": ((0, 1),),
        "formulation": "diagonals",
    }
    assert puzzle.figures((1, 3, 0, 2)) == {}


def test_the_side_comes_from_the_square():
    assert Queens(square="durer").n == 4
    assert Queens().n == 8
    assert Queens(square="lo-shu", total="magic").total == 15
    assert Queens(square="lo-shu", total="17").total == 17
