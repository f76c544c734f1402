"""Symmetries: permutations of the key indices that map solutions onto solutions."""

import pytest
from nogood.models import KnightsTour, MagicSquare, Queens

CASES = [
    (Queens(8), 8),
    (Queens(8, square="reto2"), 1),
    (Queens(3, square=[[1, 2, 1], [2, 3, 2], [1, 2, 1]]), 8),
    (Queens(2, square=[[1, 2], [2, 1]]), 4),
    (Queens(5, given=[(2, 2)]), 8),
    (Queens(5, given=[(0, 0)]), 2),
    (Queens(4, given=[(0, 1)]), 1),
    (Queens(4, given=[(0, 1), (3, 2)]), 2),
    (MagicSquare(3), 16),
    (MagicSquare(4), 64),
    (MagicSquare(4, kind="associative"), 64),
    (MagicSquare(4, kind="pandiagonal"), 32),
    (MagicSquare(4, hide_queens=True), 64),
    (MagicSquare(4, given={(0, 0): 16}), 4),
    (MagicSquare(3, given={(1, 1): 5}), 16),
    (KnightsTour(8, 8), 16),
    (KnightsTour(8, 8, start=(3, 3)), 16),
    (KnightsTour(5, 6), 8),
    (KnightsTour(5, 6, start=(0, 0), end=(1, 2)), 1),
    (KnightsTour(3, 4, kind="path"), 8),
    (KnightsTour(3, 4, kind="open", formulation="dfj"), 4),
    (KnightsTour(3, 4, kind="path", start=(0, 0)), 1),
    (KnightsTour(5, 5, kind="path", start=(2, 2)), 8),
    (KnightsTour(3, 4, kind="path", start=(0, 0), end=(2, 3)), 2),
]


@pytest.mark.parametrize(("puzzle", "number"), CASES, ids=repr)
def test_permutations_of_the_keys_with_the_identity(puzzle, number):
    keys = set(puzzle.keys(puzzle.model()))
    symmetries = puzzle.symmetries()
    for symmetry in symmetries:
        assert set(symmetry) == keys
        assert set(symmetry.values()) == keys
    assert {key: key for key in keys} in symmetries
    assert (
        len({tuple(map(symmetry.get, sorted(keys, key=repr))) for symmetry in symmetries}) == number
    )


@pytest.mark.parametrize(
    ("puzzle", "number"),
    [
        (Queens(8), 8),
        (MagicSquare(4), 8),
        (MagicSquare(4, given={(0, 0): 16}), 2),
        (KnightsTour(8, 8), 8),
        (KnightsTour(5, 6), 4),
        (KnightsTour(3, 4, kind="path", start=(0, 0), end=(2, 3)), 1),
    ],
    ids=repr,
)
def test_those_of_the_board_are_among_all(puzzle, number):
    board = puzzle.symmetries("board")
    assert len(board) == number
    assert all(symmetry in puzzle.symmetries() for symmetry in board)


@pytest.mark.parametrize(
    "puzzle", [Queens(8), Queens(1), MagicSquare(4), KnightsTour(5, 6, formulation="dfj")], ids=repr
)
def test_none_is_given_twice(puzzle):
    symmetries = puzzle.symmetries()
    assert all(a != b for k, a in enumerate(symmetries) for b in symmetries[:k])


@pytest.mark.parametrize(
    "puzzle",
    [
        Queens(5),
        Queens(6),
        Queens(5, given=[(0, 0)]),
        Queens(4, square=[[1, 2, 2, 1], [2, 1, 1, 2], [2, 1, 1, 2], [1, 2, 2, 1]], total=8),
        MagicSquare(3),
        MagicSquare(3, given={(1, 1): 5, (0, 0): 2}),
        KnightsTour(3, 10, formulation="dfj"),
        KnightsTour(5, 6, formulation="dfj"),
        KnightsTour(3, 4, kind="path"),
        KnightsTour(3, 4, kind="open", formulation="dfj"),
        KnightsTour(3, 4, kind="path", start=(0, 0), end=(2, 3), formulation="dfj"),
    ],
    ids=repr,
)
def test_they_map_solutions_onto_solutions(reference, puzzle):
    """The set of key assignments is closed under each; so no image is lost or new."""
    found = reference(bare(puzzle))
    assert found.complete
    solutions = set(found.solutions)
    assert solutions
    for symmetry in puzzle.symmetries():
        assert {frozenset(map(symmetry.get, ones)) for ones in solutions} == solutions


def bare(puzzle):
    """``puzzle`` whose solutions read as the set of keys that are one."""

    class Bare(type(puzzle)):
        def readings(self, keys):
            return (frozenset(k for k, v in keys.items() if v),)

        def check(self, solution):
            pass

    twin = object.__new__(Bare)
    twin.__dict__.update(puzzle.__dict__)
    return twin
