"""Instances and their file formats: squares of weights, partly filled grids, boards of queens."""

from .errors import InputError
from .grids import Square, load_grid, load_square, square_names
from .queens import read_queens, write_queens

__all__ = [
    "InputError",
    "Square",
    "load_grid",
    "load_square",
    "read_queens",
    "square_names",
    "write_queens",
]
