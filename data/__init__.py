"""Instances and their file formats: squares of weights, partly filled grids, boards of queens."""

from .errors import InputError
from .grids import Square, load_grid, load_square, square_names
from .queens import read_queens, write_queens
from .riddle_form import load_riddle, riddle_names, riddle_schema

__all__ = [
    "InputError",
    "Square",
    "load_grid",
    "load_riddle",
    "load_square",
    "read_queens",
    "riddle_names",
    "riddle_schema",
    "square_names",
    "write_queens",
]
