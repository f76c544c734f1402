"""Formulations of one puzzle: the same solutions, relaxations ordered as theory says."""

import random
from itertools import pairwise

import pyomo.environ as pyo
import pytest
from nogood.data import InputError
from nogood.models import KnightsTour, MagicSquare, Queens
from nogood.runners import enumerate_solutions, solve

SMOOTHEST = 286
"""Of the closed tours over 1 … 36 row by row; all formulations agree on it."""
TOURS = ["mtz", "mtz-lifted", "flow", "dfj"]


def numbered(n):
    """The weights 1 … n², row by row."""
    return [[n * r + c + 1 for c in range(n)] for r in range(n)]


def shuffled(n, seed):
    values = list(range(1, n * n + 1))
    random.Random(seed).shuffle(values)
    return [values[n * r : n * r + n] for r in range(n)]


def roughness(weights, tour, closed):
    """The sum of the differences from visit to visit."""
    visits = sorted(
        (number, weights[r][c]) for r, row in enumerate(tour) for c, number in enumerate(row)
    )
    along = [w for _, w in visits]
    return sum(abs(a - b) for a, b in pairwise(along + along[:1] * closed))


def step(weights, r, c, r2, c2):
    return abs(weights[r][c] - weights[r2][c2])


def relaxation(puzzle):
    return relaxed(puzzle.model())


def relaxed(model):
    """The optimum of the LP relaxation."""
    pyo.TransformationFactory("core.relax_integer_vars").apply_to(model)
    pyo.SolverFactory("highs").solve(model)
    return pyo.value(model.objective)


def all_of(puzzle, **options):
    """The solutions, if they are complete and differ."""
    found = enumerate_solutions(puzzle, **options)
    assert found.complete
    assert len(set(found.solutions)) == found.count
    return sorted(found.solutions)


# Queens


@pytest.mark.parametrize("n", range(1, 7))
def test_queens_by_pairs(plain, n):
    assert all_of(Queens(n, formulation="pairs")) == plain.queens(n)


def test_the_pairs_of_a_board():
    model = Queens(8, formulation="pairs").model()
    assert len(model.pair) == 280
    assert model.pair[0, 1, 2, 3].expr.to_string() == "x[0,1] + x[2,3]  <=  1"
    assert [len(c) for c in (model.row, model.column)] == [8, 8]
    assert not hasattr(model, "diagonal")
    assert not hasattr(Queens(8).model(), "pair")


@pytest.mark.parametrize(
    "square", ["reto2", "durer", "franklin", *(shuffled(8, k) for k in range(3))]
)
@pytest.mark.parametrize(("objective", "sense"), [("min", 1), ("max", -1)])
def test_cliques_bound_no_worse_than_pairs(square, objective, sense):
    cliques, pairs = (
        sense * relaxation(Queens(square=square, objective=objective, formulation=formulation))
        for formulation in ("diagonals", "pairs")
    )
    assert cliques >= pairs - 1e-6


def test_cliques_may_bound_better_than_pairs():
    """A matter of the weights: here they lie along a diagonal."""
    square = [[int(r == c) for c in range(8)] for r in range(8)]
    bounds = {
        formulation: relaxation(Queens(square=square, objective="max", formulation=formulation))
        for formulation in ("diagonals", "pairs")
    }
    assert bounds == pytest.approx({"diagonals": 1, "pairs": 4})


# Magic squares


@pytest.mark.parametrize(
    ("kind", "count"), [("normal", 8), ("associative", 8), ("pandiagonal", 0), ("semimagic", 72)]
)
def test_integer_squares_of_order_3(kind, count):
    found = all_of(MagicSquare(3, kind=kind, formulation="integer"))
    assert len(found) == count
    assert found == all_of(MagicSquare(3, kind=kind))


def test_integer_squares_by_the_reference(reference):
    puzzle = MagicSquare(3, formulation="integer", given={(0, 1): 9})
    assert sorted(reference(puzzle).solutions) == all_of(MagicSquare(3, given={(0, 1): 9}))


@pytest.mark.parametrize("n", [1, 2])
def test_integer_squares_of_orders_1_and_2(n):
    assert all_of(MagicSquare(n, formulation="integer")) == [((1,),)] * (n == 1)


@pytest.mark.parametrize("hide_queens", [False, True])
def test_partly_filled_integer_squares(hide_queens):
    grid = [[16, 3, 0, 0], [5, 0, 0, 8], [0, 0, 7, 12], [0, 0, 0, 0]]
    found = all_of(MagicSquare(4, given=grid, hide_queens=hide_queens, formulation="integer"))
    assert ((16, 3, 2, 13), (5, 10, 11, 8), (9, 6, 7, 12), (4, 15, 14, 1)) in found
    assert found == all_of(MagicSquare(4, given=grid, hide_queens=hide_queens))


def test_the_integer_model():
    puzzle = MagicSquare(3, formulation="integer", given={(0, 0): 2})
    model = puzzle.model()
    assert (len(model.a), len(model.b), len(model.above), len(model.below)) == (9, 36, 36, 36)
    assert (model.a[0, 0].bounds, model.a[0, 1].bounds) == ((2, 2), (1, 9))
    assert model.b[0, 0, 0, 1].name == "b[0,0,0,1]"
    assert not hasattr(model, "x")
    keys = puzzle.keys(model)
    assert set(keys) == {(r, c) for r in range(3) for c in range(3)}
    rows = ((2, 7, 6), (9, 5, 1), (4, 3, 8))
    backwards = {(r, c): rows[r][c] for r, c in reversed(keys)}
    assert puzzle.read(backwards) == rows


def test_the_relaxation_of_integer_cells_says_nothing():
    """All cells alike and every b at 1/2."""
    model = MagicSquare(4, kind="pandiagonal", formulation="integer").model()
    model.a.set_values(dict.fromkeys(model.a, 8.5), skip_validation=True)
    model.b.set_values(dict.fromkeys(model.b, 0.5), skip_validation=True)
    constraints = list(model.component_data_objects(pyo.Constraint))
    assert len(constraints) == 2 * 120 + 16
    assert all(c.slack() >= 0 for c in constraints)


def test_binaries_bound_what_integer_cells_do_not():
    """Three cells that differ sum to 1 + 2 + 3; these stand in no line with one another."""

    def bound(formulation):
        puzzle = MagicSquare(3, kind="semimagic", formulation=formulation)
        model = puzzle.model()
        if formulation == "integer":
            total = sum(model.a[k, k] for k in range(3))
        else:
            total = sum(v * model.x[k, k, v] for k in range(3) for v in range(1, 10))
        model.objective = pyo.Objective(expr=total)
        return relaxed(model)

    assert bound("integer") == pytest.approx(3)
    assert bound("plain") >= 6 - 1e-6


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ({"n": 3}, 8),
        ({"n": 4}, 32),
        ({"n": 4, "given": {(0, 0): 16}}, 4),
        ({"n": 3, "kind": "semimagic"}, 8),
    ],
)
def test_symmetries_of_integer_cells(options, number):
    puzzle = MagicSquare(**options, formulation="integer")
    keys = set(puzzle.keys(puzzle.model()))
    symmetries = puzzle.symmetries()
    assert len(symmetries) == number
    assert {key: key for key in keys} in symmetries
    assert all(set(s) == set(s.values()) == keys for s in symmetries)
    assert all(symmetry in symmetries for symmetry in puzzle.symmetries("board"))


def test_symmetries_of_integer_cells_map_solutions_onto_solutions():
    puzzle = MagicSquare(3, kind="semimagic", formulation="integer")
    solutions = set(enumerate_solutions(puzzle, symmetry=False).solutions)
    for symmetry in puzzle.symmetries():
        moved = {
            puzzle.read({symmetry[r, c]: rows[r][c] for r, c in symmetry}) for rows in solutions
        }
        assert moved == solutions


# Knight's tours


@pytest.mark.parametrize(("rows", "cols", "count"), [(5, 6, 16), (4, 4, 0), (5, 5, 0), (2, 2, 0)])
def test_closed_tours_by_flow(rows, cols, count):
    found = all_of(KnightsTour(rows, cols, formulation="flow"))
    assert len(found) == count
    assert found == all_of(KnightsTour(rows, cols, formulation="dfj"))


@pytest.mark.slow
def test_closed_tours_by_flow_with_an_end():
    assert len(all_of(KnightsTour(5, 6, end=(1, 2), formulation="flow"))) == 8


@pytest.mark.parametrize("kind", ["open", "path"])
@pytest.mark.parametrize("method", ["split", "cuts"])
def test_free_ends_by_flow(plain, kind, method):
    found = all_of(KnightsTour(3, 4, kind=kind, formulation="flow"), method=method)
    assert len(found) == 16
    assert found == plain.tours(3, 4, kind)


@pytest.mark.parametrize("kind", ["open", pytest.param("path", marks=pytest.mark.slow)])
def test_free_ends_by_flow_where_open_and_path_differ(plain, kind):
    """From (0, 2) on 3×10, 32 of the 48 paths could be closed."""
    found = all_of(KnightsTour(3, 10, kind=kind, start=(0, 2), formulation="flow"))
    assert found == plain.tours(3, 10, kind, start=(0, 2))


def test_the_flow_model():
    puzzle = KnightsTour(8, 8, formulation="flow")
    model = puzzle.model()
    assert len(puzzle.keys(model)) == 336
    assert (len(model.f), len(model.capacity), len(model.keep)) == (336, 336, 63)
    assert model.f[0, 0, 1, 2].name == "f[0,0,1,2]"
    assert model.f[0, 0, 1, 2].is_continuous()
    assert len(KnightsTour(3, 4, kind="path", formulation="flow").model().keep) == 12


@pytest.mark.parametrize("formulation", TOURS)
@pytest.mark.parametrize("objective", ["min", pytest.param("max", marks=pytest.mark.slow)])
def test_the_smoothest_and_the_roughest_path(plain, formulation, objective):
    """Against all 304 paths from the corner of a 5×5 board."""
    weights = shuffled(5, 1)
    sums = {t: roughness(weights, t, closed=False) for t in plain.tours(5, 5, "path", (0, 0))}
    best = min(sums.values()) if objective == "min" else max(sums.values())
    puzzle = KnightsTour(
        5, 5, "path", (0, 0), formulation=formulation, square=weights, objective=objective
    )
    solved = solve(puzzle)
    assert solved.objective == pytest.approx(best)
    assert sums[solved.solution] == puzzle.figures(solved.solution)["roughness"] == best


@pytest.mark.parametrize("formulation", [pytest.param("mtz", marks=pytest.mark.slow), *TOURS[1:]])
def test_the_smoothest_closed_tour(formulation):
    weights = numbered(6)
    puzzle = KnightsTour(6, 6, formulation=formulation, square=weights, objective="min")
    solved = solve(puzzle)
    assert solved.objective == pytest.approx(SMOOTHEST)
    figures = puzzle.figures(solved.solution)
    assert list(figures) == ["last", "roughness"]
    assert figures["roughness"] == roughness(weights, solved.solution, closed=True) == SMOOTHEST


@pytest.mark.parametrize("symmetry", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("start", "end", "symmetries"), [((2, 2), None, 2), ((0, 0), (4, 4), 2), ((0, 0), None, 1)]
)
def test_all_smoothest_paths(plain, start, end, symmetries, symmetry):
    """With weights that a half turn keeps: it moves the centre nowhere, and swaps two corners."""
    weights = numbered(5)
    tours = plain.tours(5, 5, "path", start)
    sums = {
        t: roughness(weights, t, closed=False)
        for t in tours
        if end is None or t[end[0]][end[1]] == 25
    }
    best = min(sums.values())
    puzzle = KnightsTour(
        5, 5, "path", start, end, formulation="flow", square=weights, objective="min"
    )
    assert len(puzzle.symmetries()) == symmetries
    found = all_of(puzzle, symmetry=symmetry)
    assert found == [t for t, total in sums.items() if total == best]


INSTANCES = [
    *((6, "closed", numbered(6), objective) for objective in ("min", "max")),
    *((6, "closed", shuffled(6, seed), "min") for seed in range(3)),
    (6, "closed", shuffled(6, 3), "max"),
    (8, "closed", "reto2", "min"),
    (8, "closed", "franklin", "max"),
    (5, "path", shuffled(5, 4), "min"),
    (6, "open", shuffled(6, 5), "min"),
    (5, "open", shuffled(5, 6), "max"),
]


@pytest.mark.parametrize(("n", "kind", "square", "objective"), INSTANCES)
def test_bounds_of_tours_are_ordered(n, kind, square, objective):
    sense = 1 if objective == "min" else -1
    mtz, lifted, flow = (
        sense
        * relaxation(
            KnightsTour(n, n, kind, formulation=formulation, square=square, objective=objective)
        )
        for formulation in ("mtz", "mtz-lifted", "flow")
    )
    assert mtz <= lifted + 1e-6
    assert mtz <= flow + 1e-6


HALF_TURN = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
EQUAL = [[7] * 5] * 5
ROUND = [[2, 1, 2], [1, 0, 1], [2, 1, 2]]


@pytest.mark.parametrize(
    ("n", "options", "number"),
    [
        (6, {"square": numbered(6)}, 4),
        (6, {"square": numbered(6), "formulation": "dfj"}, 2),
        (6, {"square": shuffled(6, 0)}, 2),
        (6, {"square": shuffled(6, 0), "formulation": "dfj"}, 1),
        (8, {"square": "reto2"}, 4),
        (5, {"square": EQUAL}, 16),
        (5, {"square": EQUAL, "kind": "path", "start": (0, 0)}, 2),
        (3, {"square": HALF_TURN, "kind": "path"}, 4),
        (3, {"square": HALF_TURN, "kind": "path", "start": (0, 0)}, 1),
        (3, {"square": HALF_TURN, "kind": "path", "start": (0, 0), "end": (2, 2)}, 2),
        (3, {"square": ROUND, "formulation": "flow"}, 16),
    ],
)
def test_symmetries_keep_the_roughness(n, options, number):
    puzzle = KnightsTour(n, n, **options, objective="min")
    keys = set(puzzle.keys(puzzle.model()))
    symmetries = puzzle.symmetries()
    assert len(symmetries) == number
    for symmetry in symmetries:
        assert set(symmetry) == set(symmetry.values()) == keys
        assert all(
            step(puzzle.weights, *i) == step(puzzle.weights, *j)
            for i, j in symmetry.items()
            if len(i) == 4
        )


def test_weights_of_one_kind_leave_nothing_to_choose():
    solved = solve(KnightsTour(5, 5, "path", (0, 0), square=EQUAL, objective="max"))
    assert (solved.status, solved.objective) == ("optimal", 0)


def test_figures_without_weights_are_as_before():
    tour = ((1, 4, 7, 10), (8, 11, 2, 5), (3, 6, 9, 12))
    assert KnightsTour(3, 4, "path").figures(tour) == {"first": "0,0", "last": "2,3"}


# Bad input, and the command line


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Queens(41, formulation="pairs"),
            "formulation: n is 41; it is at most 40 with pairs",
        ),
        (
            lambda: Queens(8, formulation="cliques"),
            "formulation: expected one of diagonals, pairs; got 'cliques'",
        ),
        (
            lambda: MagicSquare(formulation="big-m"),
            "formulation: expected one of strengthened, plain, integer; got 'big-m'",
        ),
        (
            lambda: KnightsTour(formulation="scf"),
            "formulation: expected one of mtz, mtz-lifted, flow, dfj; got 'scf'",
        ),
        (lambda: KnightsTour(objective="min"), "objective: needs a square of weights (square=…)"),
        (
            lambda: KnightsTour(square="reto2"),
            "square: needs an objective, min or max (objective=…)",
        ),
        (
            lambda: KnightsTour(square="reto2", objective="nearest"),
            "objective: expected one of min, max; got 'nearest'",
        ),
        (
            lambda: KnightsTour(square="durer", objective="min"),
            "square: its side is 4, but the board is 8×8",
        ),
        (
            lambda: KnightsTour(8, 7, square="reto2", objective="min"),
            "square: its side is 8, but the board is 8×7",
        ),
        (
            lambda: KnightsTour(square=[[1, 2], [3]], objective="min"),
            "square: row 1 has 1 entries, but there are 2 rows",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError) as said:
        call()
    assert str(said.value) == message


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["queens", "--n", "6", "--formulation", "pairs"], '"count": 4'),
        (["magic-square", "--n", "3", "--formulation", "integer"], '"count": 8'),
        (
            [
                "knights-tour",
                "--rows",
                "3",
                "--cols",
                "4",
                "--kind",
                "open",
                "--formulation",
                "flow",
            ],
            '"count": 16',
        ),
    ],
)
def test_on_the_command_line(nogood, arguments, line):
    ran = nogood("enumerate", *arguments, "--json")
    assert ran.status == 0
    assert line in ran.out
