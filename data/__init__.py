"""Instances and their file formats: squares of weights, partly filled grids, boards of queens."""

from .errors import InputError
from .queens import read_queens, write_queens
from .grids import Square, load_grid, load_square, square_names

__all__ = [
    "InputError",
    "Square",
    "load_grid",
    "load_square",
    "read_queens",
    "square_names",
    "write_queens",
]
