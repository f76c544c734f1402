"""The puzzles: each a frozen dataclass of parameters that gives a Pyomo MILP."""

from .knights_tour import KnightsTour
from .magic_square import MagicSquare
from .puzzle import Puzzle
from .queens import Queens
from .riddle import Riddle

PUZZLES: dict[str, type[Puzzle]] = {
    puzzle.name: puzzle for puzzle in (Queens, MagicSquare, KnightsTour, Riddle)
}
"""The table of puzzles, by their names on the command line."""

__all__ = ["PUZZLES", "KnightsTour", "MagicSquare", "Puzzle", "Queens", "Riddle"]
