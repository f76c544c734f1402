"""Magic squares: what is one of each kind, and why something else is none."""

import pytest
from nogood.data import load_square
from nogood.models import MagicSquare
from nogood.models.magic_square import _implied

LO_SHU, DURER = load_square("lo-shu"), load_square("durer")
PANDIAGONAL = ((1, 8, 13, 12), (14, 11, 2, 7), (4, 5, 16, 9), (15, 10, 3, 6))
SEMIMAGIC = (*LO_SHU[1:], LO_SHU[0])


@pytest.mark.parametrize(
    ("options", "square"),
    [
        ({"n": 1}, ((1,),)),
        ({"n": 3}, LO_SHU),
        ({"n": 3, "kind": "associative"}, LO_SHU),
        ({"n": 3, "kind": "semimagic"}, SEMIMAGIC),
        ({"n": 4}, DURER),
        ({"n": 4, "kind": "associative"}, DURER),
        ({"n": 4, "kind": "pandiagonal"}, PANDIAGONAL),
        ({"n": 4}, PANDIAGONAL),
        ({"n": 4, "hide_queens": True}, DURER),
        ({"n": 4, "given": {(0, 0): 16, (3, 1): 15}}, DURER),
        ({"n": 4, "given": ["0,0=16", "3,1=15"]}, DURER),
        ({"n": 4, "given": [[16, 0, 0, 0], [0] * 4, [0] * 4, [None, 15, 14, ""]]}, DURER),
    ],
)
def test_check_accepts(options, square):
    MagicSquare(**options).check(square)


@pytest.mark.parametrize(
    ("options", "square", "reason"),
    [
        ({"n": 3}, DURER, "the entries are not 1 to 9, once each"),
        ({"n": 3}, (LO_SHU[0], LO_SHU[1], (8, 1, 1)), "the entries are not 1 to 9, once each"),
        ({"n": 3}, ((4, 9, 2, 3), (5, 7), (8, 1, 6)), "the entries are not 1 to 9, once each"),
        ({"n": 3}, ((9, 4, 2), *LO_SHU[1:]), "column 0 sums to 20, not 15"),
        ({"n": 3}, ((3, 9, 2), (4, 5, 7), (8, 1, 6)), "row 0 sums to 14, not 15"),
        ({"n": 3}, SEMIMAGIC, "diagonal 0 sums to 6, not 15"),
        ({"n": 3}, ((2, 4, 9), (6, 8, 1), (7, 3, 5)), "antidiagonal 0 sums to 24, not 15"),
        ({"n": 4, "kind": "pandiagonal"}, DURER, "diagonal 1 sums to 30, not 34"),
        ({"n": 4, "kind": "associative"}, PANDIAGONAL, "two opposite cells do not sum to 17"),
        ({"n": 4, "given": {(0, 0): 1}}, DURER, "cell (0, 0) holds 16, not the given 1"),
        ({"n": 4, "hide_queens": True}, PANDIAGONAL, "the queens (1, 3, 0, 2) sum to 22, not 34"),
    ],
)
def test_check_says_why_not(options, square, reason):
    with pytest.raises(ValueError) as said:  # noqa: PT011
        MagicSquare(**options).check(square)
    assert str(said.value) == reason


def test_implied_lines_of_order_4():
    def line(*cells):
        return frozenset(cells)

    assert set(_implied(4, "normal")) == {
        line((0, 0), (0, 3), (3, 0), (3, 3)),
        line((1, 1), (1, 2), (2, 1), (2, 2)),
        line((0, 1), (0, 2), (3, 1), (3, 2)),
        line((1, 0), (2, 0), (1, 3), (2, 3)),
    }


@pytest.mark.parametrize(
    ("n", "kind", "square"),
    [
        (3, "normal", LO_SHU),
        (3, "semimagic", SEMIMAGIC),
        (4, "normal", DURER),
        (4, "associative", DURER),
        (4, "pandiagonal", PANDIAGONAL),
    ],
)
def test_implied_lines_hold(n, kind, square):
    for line in _implied(n, kind):
        assert 2 * sum(square[r][c] for r, c in line) == len(line) * (n * n + 1)


def test_the_centre_of_order_3_is_implied():
    assert frozenset({(1, 1)}) in _implied(3, "normal")


def test_the_sizes_of_the_model():
    puzzle = MagicSquare(4, formulation="plain")
    model = puzzle.model()
    assert len(puzzle.keys(model)) == 256
    assert [len(c) for c in (model.cell, model.value, model.row, model.column)] == [16, 16, 4, 4]
    assert not hasattr(model, "implied")
    assert len(MagicSquare(4).model().implied) == 4
    assert len(MagicSquare(4, kind="pandiagonal").model().diagonal) == 4
    assert not hasattr(MagicSquare(4, kind="semimagic").model(), "diagonal")
    assert len(MagicSquare(4, kind="associative").model().opposite) == 8
    assert len(MagicSquare(4, hide_queens=True).model().queens) == 2


def test_read_draw_and_figures():
    puzzle = MagicSquare(3)
    keys = {
        (r, c, v): int(LO_SHU[r][c] == v) for r in range(3) for c in range(3) for v in range(1, 10)
    }
    assert puzzle.read(keys) == LO_SHU
    assert puzzle.magic == 15
    assert puzzle.figures(LO_SHU) == {"corner": 4}
    assert puzzle.draw(LO_SHU).splitlines()[1] == "│ 4 │ 9 │ 2 │   15"
