"""Counts of all solutions, each proven by the solver with the reference method."""

import pytest
from nogood.models import KnightsTour, MagicSquare, Queens

MAGIC = [
    (2, 4, 1, 7, 0, 6, 3, 5),
    (3, 5, 7, 1, 6, 0, 2, 4),
    (4, 2, 0, 6, 1, 7, 5, 3),
    (5, 3, 6, 0, 7, 1, 4, 2),
]
FORMULATIONS = ["mtz", "mtz-lifted", "dfj"]


def all_of(found):
    """The solutions, if they are complete and differ."""
    assert found.complete
    assert found.stopped is None
    assert len(set(found.solutions)) == found.count
    return sorted(found.solutions)


@pytest.mark.parametrize(
    ("n", "count"),
    [
        (1, 1),
        (2, 0),
        (3, 0),
        (4, 2),
        (5, 10),
        (6, 4),
        (7, 40),
        pytest.param(8, 92, marks=pytest.mark.slow),
    ],
)
def test_queens(reference, plain, n, count):
    found = all_of(reference(Queens(n)))
    assert len(found) == count
    assert found == plain.queens(n)


@pytest.mark.parametrize("n", [2, 3])
def test_no_queens_is_said(n):
    assert Queens(n).remark() == f"{n} queens do not fit on a board of side {n}"


def test_queens_with_some_given(reference, plain):
    expected = [q for q in plain.queens(6) if q[0] == 2]
    assert expected
    assert all_of(reference(Queens(6, given=[(0, 2)]))) == expected


@pytest.mark.parametrize("total", ["magic", 260])
def test_the_four_hidden_queens_solutions(reference, total):
    assert all_of(reference(Queens(square="reto2", total=total))) == MAGIC


@pytest.mark.parametrize(
    ("objective", "best", "count"), [("min", 132, 2), ("max", 388, 2), ("nearest", 0, 4)]
)
def test_all_optima_of_reto2(reference, objective, best, count):
    puzzle = Queens(square="reto2", objective=objective)
    found = reference(puzzle)
    solutions = all_of(found)
    assert len(solutions) == count
    assert found.objectives == [best] * count
    sums = {puzzle.figures(s)["sum"] for s in solutions}
    assert sums == {260 if objective == "nearest" else best}
    if objective == "nearest":
        assert solutions == MAGIC


def test_nearest_where_the_constant_is_a_fraction_and_out_of_reach(reference, plain):
    square = [[7, 1, 4, 9], [2, 8, 3, 3], [5, 5, 1, 0], [6, 2, 9, 0]]
    puzzle = Queens(square=square, objective="nearest")
    off = {q: abs(puzzle.figures(q)["sum"] - 65 / 4) for q in plain.queens(4)}
    found = reference(puzzle)
    assert all_of(found) == [q for q, d in off.items() if d == min(off.values())]
    assert found.objectives == pytest.approx([min(off.values())] * found.count)


def test_feasible_in_spite_of_an_objective(reference, plain):
    found = reference(Queens(square="durer", objective="max"), want="feasible")
    assert all_of(found) == plain.queens(4)


@pytest.mark.parametrize("formulation", ["plain", "strengthened"])
def test_normal_squares_of_order_3(reference, formulation):
    assert len(all_of(reference(MagicSquare(3, formulation=formulation)))) == 8


def test_no_square_of_order_2_and_one_of_order_1(reference):
    assert all_of(reference(MagicSquare(2))) == []
    assert all_of(reference(MagicSquare(1))) == [((1,),)]


@pytest.mark.slow
def test_semimagic_squares_of_order_3(reference):
    assert len(all_of(reference(MagicSquare(3, kind="semimagic")))) == 72


@pytest.mark.parametrize(("kind", "count"), [("associative", 8), ("pandiagonal", 0)])
def test_other_kinds_of_order_3(reference, kind, count):
    assert len(all_of(reference(MagicSquare(3, kind=kind)))) == count


def test_a_partly_filled_square(reference):
    grid = [[16, 3, 0, 0], [5, 0, 0, 8], [0, 0, 7, 12], [0, 0, 0, 0]]
    found = all_of(reference(MagicSquare(4, given=grid)))
    assert ((16, 3, 2, 13), (5, 10, 11, 8), (9, 6, 7, 12), (4, 15, 14, 1)) in found


@pytest.mark.slow
def test_pandiagonal_squares_with_1_in_the_corner(reference, plain):
    found = all_of(reference(MagicSquare(4, kind="pandiagonal", given={(0, 0): 1})))
    assert len(found) == 24
    assert found == plain.pandiagonal(1)


@pytest.mark.parametrize(
    ("rows", "cols", "formulation", "count"),
    [
        (5, 6, "dfj", 16),
        (3, 10, "dfj", 32),
        pytest.param(5, 6, "mtz", 16, marks=pytest.mark.slow),
        pytest.param(5, 6, "mtz-lifted", 16, marks=pytest.mark.slow),
        pytest.param(3, 10, "mtz", 32, marks=pytest.mark.slow),
    ],
)
def test_closed_tours(reference, rows, cols, formulation, count):
    found = reference(KnightsTour(rows, cols, formulation=formulation))
    assert len(all_of(found)) == count


def test_closed_tours_with_an_end(reference):
    """Each of the undirected tours comes to (0, 0) from (1, 2) in one direction."""
    found = reference(KnightsTour(5, 6, end=(1, 2), formulation="dfj"))
    assert len(all_of(found)) == 8


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", ["open", "path"])
def test_open_tours_and_paths_on_3x4(reference, plain, kind, formulation):
    found = all_of(reference(KnightsTour(3, 4, kind=kind, formulation=formulation)))
    assert len(found) == 16
    assert found == plain.tours(3, 4, kind)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_paths_with_both_ends_given(reference, plain, formulation):
    start, end = (0, 0), (2, 3)
    paths = plain.tours(3, 4, "path")
    expected = [t for t in paths if t[0][0] == 1 and t[2][3] == 12]
    assert expected
    puzzle = KnightsTour(3, 4, kind="path", start=start, end=end, formulation=formulation)
    assert all_of(reference(puzzle)) == expected


@pytest.mark.parametrize(
    ("kind", "formulation", "count"),
    [
        ("open", "dfj", 16),
        ("path", "dfj", 48),
        pytest.param("open", "mtz-lifted", 16, marks=pytest.mark.slow),
        pytest.param("path", "mtz-lifted", 48, marks=pytest.mark.slow),
    ],
)
def test_open_tours_and_paths_where_they_differ(reference, plain, kind, formulation, count):
    """From (0, 2) on 3×10, 32 of the 48 paths could be closed."""
    puzzle = KnightsTour(3, 10, kind=kind, start=(0, 2), formulation=formulation)
    found = all_of(reference(puzzle))
    assert len(found) == count
    assert found == plain.tours(3, 10, kind, start=(0, 2))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("rows", "cols"), [(1, 2), (1, 8), (2, 2), (3, 3), (3, 4), (4, 4), (5, 5), (3, 6)]
)
def test_boards_without_a_closed_tour(reference, rows, cols, formulation):
    puzzle = KnightsTour(rows, cols, formulation=formulation)
    assert all_of(reference(puzzle)) == []
    assert puzzle.remark()
