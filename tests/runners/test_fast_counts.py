"""Known counts, all and essentially different, by the fast method."""

import pytest
from nogood.models import KnightsTour, MagicSquare, Queens
from nogood.runners import enumerate_solutions

QUEENS = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200]  # OEIS A000170
DISTINCT_QUEENS = [1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787]  # OEIS A002562


def count(puzzle, **options):
    found = enumerate_solutions(puzzle, **options)
    assert found.complete
    if options.get("distinct"):
        return found.count, sum(found.orbits)
    assert len(set(found.solutions)) == found.count
    return found.count


@pytest.mark.parametrize(("n", "known"), list(enumerate(QUEENS, start=1)))
def test_queens(n, known):
    assert count(Queens(n)) == known
    distinct = DISTINCT_QUEENS[n - 1]
    assert count(Queens(n), distinct=True) == (distinct, known)


def test_queens_without_symmetry():
    assert count(Queens(10), symmetry=False) == 724


@pytest.mark.parametrize(
    ("square", "known", "distinct"),
    [
        (MagicSquare(3), 8, 1),
        (MagicSquare(3, kind="semimagic"), 72, 9),
        (MagicSquare(4), 7040, 880),
        pytest.param(MagicSquare(4, formulation="plain"), 7040, 880, marks=pytest.mark.slow),
        (MagicSquare(4, kind="pandiagonal"), 384, 48),
        (MagicSquare(4, kind="associative"), 384, 48),
        (MagicSquare(4, hide_queens=True), 1152, 144),
        (MagicSquare(4, given={(0, 0): 1}), 416, 416),
        (MagicSquare(2), 0, 0),
    ],
    ids=str,
)
def test_magic_squares(square, known, distinct):
    assert count(square) == known
    if not square.given:
        assert count(square, distinct=True, symmetry="board") == (distinct, known)


def test_order_4_under_all_64_symmetries():
    assert count(MagicSquare(4), distinct=True) == (166, 7040)


@pytest.mark.slow
def test_order_4_without_symmetry():
    assert count(MagicSquare(4), symmetry=False) == 7040


TOURS = {  # closed, open, path; directed
    (3, 4): (0, 16, 16),
    (3, 6): (0, None, None),
    (3, 7): (0, 104, 104),
    (3, 8): (0, 792, 792),
    (4, 4): (0, None, None),
    (4, 5): (0, 164, 164),
    (5, 5): (0, 1728, 1728),
    (5, 6): (16, None, None),
    (3, 10): (32, 5136, 6096),
    (6, 6): (19724, None, None),
}


@pytest.mark.parametrize(
    ("rows", "cols", "kind", "known"),
    [
        (rows, cols, kind, known)
        for (rows, cols), counts in TOURS.items()
        for kind, known in zip(("closed", "open", "path"), counts, strict=True)
        if known is not None
    ],
)
def test_tours(rows, cols, kind, known):
    assert count(KnightsTour(rows, cols, kind=kind, formulation="dfj")) == known


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "known"), [("open", 37088), ("path", 37568)])
def test_tours_on_5x6(kind, known):
    assert count(KnightsTour(5, 6, kind=kind, formulation="dfj")) == known


@pytest.mark.slow
def test_closed_tours_on_6x6_by_mtz():
    assert count(KnightsTour(6, 6, formulation="mtz-lifted")) == 19724


@pytest.mark.parametrize(
    "formulation", [pytest.param("mtz", marks=pytest.mark.slow), "mtz-lifted", "dfj"]
)
@pytest.mark.parametrize(("start", "known"), [((0, 0), 304), ((2, 2), 64)])
def test_paths_on_5x5_from_a_square(formulation, start, known):
    tour = KnightsTour(5, 5, kind="path", start=start, formulation=formulation)
    assert count(tour) == known


@pytest.mark.parametrize(
    "formulation", [pytest.param("mtz", marks=pytest.mark.slow), "mtz-lifted", "dfj"]
)
def test_closed_tours_on_5x6(formulation):
    tour = KnightsTour(5, 6, formulation=formulation)
    assert count(tour) == 16
    assert tour.counts(16) == {"directed": 16, "undirected": 8}
    assert count(tour, distinct=True)[1] == 16
