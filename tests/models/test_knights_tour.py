"""Knight's tours: what is one of each kind, and why something else is none."""

import pytest
from nogood.models import KnightsTour

CLOSED = (
    (1, 10, 5, 20, 25, 16),
    (4, 21, 2, 17, 6, 19),
    (11, 30, 9, 24, 15, 26),
    (22, 3, 28, 13, 18, 7),
    (29, 12, 23, 8, 27, 14),
)
PATH = ((1, 4, 7, 10), (8, 11, 2, 5), (3, 6, 9, 12))


def numbered(grid, *renumbered):
    """``grid`` with some visits exchanged."""
    swap = dict(renumbered)
    return tuple(tuple(swap.get(v, v) for v in row) for row in grid)


def test_check_accepts_what_a_plain_search_finds(plain):
    found = plain.tours(3, 4, "path")
    assert len(found) == 16
    for tour in found:
        KnightsTour(3, 4, kind="path").check(tour)
        KnightsTour(3, 4, kind="open").check(tour)


@pytest.mark.parametrize(
    ("options", "grid", "reason"),
    [
        ({"kind": "path"}, PATH[:2], "the grid is not 3×4"),
        ({"kind": "path"}, (*PATH[:2], (3, 6, 9)), "the grid is not 3×4"),
        (
            {"kind": "path"},
            numbered(PATH, (12, 13)),
            "the visits are not numbered 1 to 12, once each",
        ),
        (
            {"kind": "path"},
            numbered(PATH, (12, 1)),
            "the visits are not numbered 1 to 12, once each",
        ),
        (
            {"kind": "path"},
            numbered(PATH, (2, 3), (3, 2)),
            "visits 1 and 2 are not a knight's move apart",
        ),
        (
            {"kind": "path"},
            numbered(PATH, (11, 12), (12, 11)),
            "visits 10 and 11 are not a knight's move apart",
        ),
        ({"kind": "closed"}, PATH, "the last visit is not a knight's move from the first"),
        ({"kind": "path", "start": (0, 1)}, PATH, "the start is (0, 0), not (0, 1)"),
        ({"kind": "path", "end": (0, 1)}, PATH, "the end is (2, 3), not (0, 1)"),
    ],
)
def test_check_says_why_not(options, grid, reason):
    with pytest.raises(ValueError) as said:  # noqa: PT011
        KnightsTour(3, 4, **options).check(grid)
    assert str(said.value) == reason


def test_an_open_tour_must_not_close():
    KnightsTour(5, 6).check(CLOSED)
    KnightsTour(5, 6, kind="path").check(CLOSED)
    with pytest.raises(ValueError, match=r"^the last visit is a knight's move from the first$"):
        KnightsTour(5, 6, kind="open").check(CLOSED)


def test_a_closed_tour_is_counted_from_its_start():
    with pytest.raises(ValueError, match=r"^the start is \(0, 0\), not \(0, 1\)$"):
        KnightsTour(5, 6, start=(0, 1)).check(CLOSED)


@pytest.mark.parametrize("formulation", ["mtz", "mtz-lifted", "dfj"])
def test_readings_of_a_closed_tour(formulation):
    """Arcs give one directed tour, edges two."""
    puzzle = KnightsTour(5, 6, formulation=formulation)
    at = {v: (r, c) for r, row in enumerate(CLOSED) for c, v in enumerate(row)}
    steps = [(*at[k], *at[k % 30 + 1]) for k in range(1, 31)]
    if formulation == "dfj":
        steps = [(*min(s[:2], s[2:]), *max(s[:2], s[2:])) for s in steps]
    keys = dict.fromkeys(puzzle.keys(puzzle.model()), 0) | dict.fromkeys(steps, 1)
    back = tuple(tuple(1 if v == 1 else 32 - v for v in row) for row in CLOSED)
    expected = {CLOSED, back} if formulation == "dfj" else {CLOSED}
    assert set(puzzle.readings(keys)) == expected
    assert len(puzzle.readings(keys)) == len(expected)


def test_violated_subtours_of_edges():
    puzzle = KnightsTour(3, 3, formulation="dfj")
    keys = dict.fromkeys(puzzle.keys(puzzle.model()), 1)  # the ring of 8 misses the centre
    ((coefficients, bound),) = puzzle.violated(keys)
    assert len(coefficients) == 8
    assert bound == 7
    assert list(KnightsTour(3, 3).violated(keys)) == []


def test_sizes_and_names_of_the_model():
    puzzle = KnightsTour(8, 8)
    model = puzzle.model()
    assert len(puzzle.keys(model)) == len(model.x) == 336
    assert (len(model.leave), len(model.enter), len(model.u)) == (64, 64, 63)
    assert model.x[0, 0, 1, 2].name == "x[0,0,1,2]"
    assert len(KnightsTour(8, 8, formulation="dfj").model().y) == 168
    path = KnightsTour(3, 4, kind="path")
    assert len(path.keys(path.model())) == 28 + 2 * 12


@pytest.mark.parametrize(
    ("rows", "cols", "remark"),
    [
        (5, 5, "a knight changes colour with each move, so a closed tour has an even length"),
        (4, 7, "no 4×7 board has a closed tour (Schwenk 1991)"),
        (8, 3, "no 3×8 board has a closed tour (Schwenk 1991)"),
        (3, 10, None),
        (6, 6, None),
    ],
)
def test_the_cheap_argument(rows, cols, remark):
    assert KnightsTour(rows, cols).remark() == remark
    assert KnightsTour(rows, cols, kind="path").remark() is None


def test_figures():
    assert KnightsTour(3, 4, kind="path").figures(PATH) == {"first": "0,0", "last": "2,3"}
