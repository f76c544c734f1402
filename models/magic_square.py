"""Magic squares: binaries for "this cell holds this value", or integer cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, permutations, product
from math import factorial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pyomo.environ as pyo
from pyomo.core.base.var import VarData

from ..data import InputError, load_grid
from ..data.errors import shown
from .boards import Cell, Move, board_symmetries, cells, draw_grid
from .puzzle import Generator, Group, Index, Part, Puzzle, cell, distinct, one_of, whole

KINDS = ("normal", "semimagic", "associative", "pandiagonal")
LARGEST = 20
LARGEST_HIDING = 7
_MOST_SYMMETRIES = 1000
Line = frozenset[Cell]


@dataclass(frozen=True)
class MagicSquare(Puzzle):
    r"""Fill an n×n board with 1 … n² so that its lines have the same sum.

    Sets
        I: :math:`\{0, \dots, n-1\}`, rows and columns.
        V: :math:`\{1, \dots, n^2\}`, values.
    Parameters
        M: :math:`n (n^2 + 1) / 2`, the magic constant.

    Kinds: the lines of a *semimagic* square are its rows and columns; of a *normal* one the two
    diagonals too; of a *pandiagonal* one the broken diagonals too; in an *associative* one two
    cells opposite each other sum to n² + 1 besides.

    Formulations: ``plain``, ``strengthened`` by what the lines imply, and ``integer``, the lesson
    in what not to do.  It has half the variables, but its big-M says next to nothing in the
    relaxation: with b = 1/2 all cells may hold the same value, and only fixing b, one pair of
    cells after the other, tells them apart.  The constraints on x for cells and values are those
    of an assignment, so they describe the convex hull of "all different": any k cells sum to
    1 + … + k or more, also in the relaxation.  Source: H. P. Williams, H. Yan, Representations of
    the all_different predicate of constraint satisfaction in integer programming, INFORMS
    Journal on Computing 13 (2001), 96–103.

    Source: W. S. Andrews, Magic Squares and Cubes (1917); the 7040 squares of order 4 are those
    of B. Frénicle de Bessy (1693), 880 up to rotations and reflections.

    A solution is its rows.
    """

    name: ClassVar[str] = "magic-square"
    title: ClassVar[str] = "Magic square"

    n: int = field(default=4, metadata={"help": "side of the square"})
    kind: Literal["normal", "semimagic", "associative", "pandiagonal"] = field(
        default="normal", metadata={"help": "which lines are magic"}
    )
    given: Mapping[Cell, int] | Sequence[Sequence[int]] | str | Path = field(
        default_factory=dict,
        metadata={"help": "a cell's value, as ROW,COLUMN=VALUE", "repeat": True, "file": "grid"},
    )
    hide_queens: bool = field(
        default=False, metadata={"help": "the cells of every n-queens solution sum to M too"}
    )
    formulation: Literal["strengthened", "plain", "integer"] = field(
        default="strengthened",
        metadata={"help": "with implied equalities, without, or with integer cells and big-M"},
    )

    def __post_init__(self) -> None:
        n = whole(self.n, "n", 1, LARGEST)
        one_of(self.kind, "kind", KINDS)
        one_of(self.formulation, "formulation", tuple(FORMULATIONS))
        if not isinstance(self.hide_queens, bool):
            raise InputError(f"hide_queens: expected True or False, got {shown(self.hide_queens)}")
        if self.hide_queens and n > LARGEST_HIDING:
            raise InputError(f"hide_queens: n is {n}; it is at most {LARGEST_HIDING} here")
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "given", _given(self.given, n))
        places: dict[int, Cell] = {}
        for at, value in self.given_cells.items():
            if value in places:
                raise InputError(f"given: {value} stands in {places[value]} and in {at}")
            places[value] = at

    @property
    def magic(self) -> int:
        """The magic constant."""
        return self.n * (self.n**2 + 1) // 2

    @property
    def given_cells(self) -> dict[Cell, int]:
        """The given values by cell."""
        return self.given  # type: ignore[return-value]

    def parts(self) -> list[Part]:
        """The cells, their lines, and the given values."""
        parts = [FORMULATIONS[self.formulation], _magic_lines]
        if self.formulation == "strengthened":
            parts.append(_implied_lines)
        if self.given:
            parts.append(_given_integers if self.formulation == "integer" else _given_binaries)
        return parts

    def lines(self) -> dict[str, list[Line]]:
        """The lines by the name of their constraints."""
        lines = kind_lines(self.n, self.kind)
        if self.hide_queens:
            lines["queens"] = _queens_lines(self.n)
        return lines

    def keys(self, model: pyo.ConcreteModel) -> dict[Index, VarData]:
        """``x[r, c, v]`` by ``(r, c, v)``; ``a[r, c]`` by ``(r, c)``."""
        return dict((model.a if self.formulation == "integer" else model.x).items())

    def symmetries(self, group: Group = "all") -> list[Generator]:
        """Moves of the cells that map lines onto lines, each with and without v → n² + 1 − v.

        The moves are the board's eight and, for ``group="all"``, those that permute rows and
        columns alike by a permutation that commutes with i → n − 1 − i: 32 of order 4, so 64
        symmetries in all.  Of these, the ones that keep the given cells.  With integer cells
        v → n² + 1 − v is none: it changes values, it does not permute the keys.
        """
        n, top = self.n, self.n**2 + 1
        moves = board_symmetries(n, n) if group == "board" else list(_moves(n))
        families = [set(lines) for lines in self.lines().values() if lines]
        union = set().union(*families)
        given = set(self.given_cells.items())
        flips = group == "all" and self.formulation != "integer"
        found: list[Generator] = []
        for move, flip in product(moves, (False, True) if flips else (False,)):
            kept = {(move(*at), top - v if flip else v) for at, v in given} == given
            if kept and all(frozenset(move(*at) for at in line) in union for line in union):
                found.append(self._permutation(move, flip))
        return distinct(found)

    def _permutation(self, move: Move, flip: bool) -> Generator:
        n, top = self.n, self.n**2 + 1
        if self.formulation == "integer":
            return {at: move(*at) for at in cells(n, n)}
        return {
            (r, c, v): (*move(r, c), top - v if flip else v)
            for r, c in cells(n, n)
            for v in range(1, top)
        }

    def read(self, keys: Mapping[Index, int]) -> tuple[tuple[int, ...], ...]:
        """The rows."""
        n = self.n
        if self.formulation == "integer":
            return tuple(tuple(keys[r, c] for c in range(n)) for r in range(n))
        entries = [v for (_, _, v), value in keys.items() if value]
        return tuple(tuple(entries[n * r : n * r + n]) for r in range(n))

    def assignment(self, solution: Sequence[Sequence[int]]) -> dict[Index, int]:
        """A 1 for the value of each cell, or the value itself."""
        values = {(r, c): v for r, row in enumerate(solution) for c, v in enumerate(row)}
        if self.formulation == "integer":
            return dict(values)
        return {(*at, v): 1 for at, v in values.items()}

    def check(self, solution: Sequence[Sequence[int]]) -> None:
        """Add up every line."""
        n, magic = self.n, self.n * (self.n * self.n + 1) // 2
        entries = [entry for row in solution for entry in row]
        if sorted(entries) != list(range(1, n * n + 1)) or any(len(row) != n for row in solution):
            raise ValueError(f"the entries are not 1 to {n * n}, once each")
        for (r, c), value in self.given_cells.items():
            if solution[r][c] != value:
                raise ValueError(f"cell ({r}, {c}) holds {solution[r][c]}, not the given {value}")
        sums = {f"row {r}": sum(row) for r, row in enumerate(solution)}
        sums |= {f"column {c}": sum(column) for c, column in enumerate(zip(*solution, strict=True))}
        if self.kind != "semimagic":
            shifts = range(n) if self.kind == "pandiagonal" else (0,)
            for k in shifts:
                sums[f"diagonal {k}"] = sum(solution[i][(i + k) % n] for i in range(n))
                sums[f"antidiagonal {k}"] = sum(solution[i][(n - 1 - i + k) % n] for i in range(n))
        for line, total in sums.items():
            if total != magic:
                raise ValueError(f"{line} sums to {total}, not {magic}")
        if self.kind == "associative" and any(
            a + b != n * n + 1 for a, b in zip(entries, reversed(entries), strict=True)
        ):
            raise ValueError(f"two opposite cells do not sum to {n * n + 1}")
        if self.hide_queens:
            _check_queens(solution, magic)

    def figures(self, solution: Sequence[Sequence[int]]) -> dict[str, Any]:
        """The value in the top left cell."""
        return {"corner": solution[0][0]}

    def draw(self, solution: Sequence[Sequence[int]]) -> str:
        """The grid with its sums to the right and below."""
        width = max(2, len(str(self.n**2))) + 2
        grid = draw_grid(solution).splitlines()
        grid[1::2] = [
            f"{line} {sum(row):>4}" for line, row in zip(grid[1::2], solution, strict=True)
        ]
        sums = "".join(f" {sum(column):>{width}}" for column in zip(*solution, strict=True))
        return "\n".join([*grid, sums])

    def remark(self) -> str | None:
        """Orders without squares."""
        if self.n == 2:
            return "a magic square of order 2 would need equal entries"
        if self.kind in ("associative", "pandiagonal") and self.n % 4 == 2:
            return f"there are no {self.kind} squares of order 4k + 2"
        return None


def kind_lines(n: int, kind: str) -> dict[str, list[Line]]:
    """The lines of a kind of square by the name of their constraints, each a set of cells."""
    lines: dict[str, list[Line]] = {
        "row": [frozenset((r, c) for c in range(n)) for r in range(n)],
        "column": [frozenset((r, c) for r in range(n)) for c in range(n)],
    }
    if kind == "semimagic":
        return lines
    shifts = range(n) if kind == "pandiagonal" else range(1)
    lines["diagonal"] = [frozenset((i, (i + k) % n) for i in range(n)) for k in shifts]
    lines["antidiagonal"] = [frozenset((i, (n - 1 - i + k) % n) for i in range(n)) for k in shifts]
    if kind == "associative":
        pairs = {frozenset({(r, c), (n - 1 - r, n - 1 - c)}) for r, c in cells(n, n)}
        lines["opposite"] = sorted(pairs, key=sorted)
    return lines


def _binaries(square: MagicSquare, model: pyo.ConcreteModel) -> None:
    r"""One value in each cell, and one cell for each value.

    Variables
        x[r,c,v]: :math:`x_{rcv} \in \{0, 1\}`, cell (r, c) holds the value v.
    Expressions
        a[r,c]: :math:`a_{rc} = \sum_{v \in V} v\, x_{rcv}`, the value in cell (r, c).
    Constraints
        cell[r,c]: :math:`\sum_{v \in V} x_{rcv} = 1` for :math:`r, c \in I`.
        value[v]: :math:`\sum_{rc} x_{rcv} = 1` for :math:`v \in V`.
    """
    I, V = range(square.n), range(1, square.n**2 + 1)
    model.x = x = pyo.Var(I, I, V, domain=pyo.Binary)
    model.a = pyo.Expression(I, I, rule=lambda m, r, c: pyo.quicksum(v * x[r, c, v] for v in V))
    model.cell = pyo.Constraint(I, I, rule=lambda m, r, c: pyo.quicksum(x[r, c, v] for v in V) == 1)
    model.value = pyo.Constraint(
        V, rule=lambda m, v: pyo.quicksum(x[r, c, v] for r in I for c in I) == 1
    )


def _integers(square: MagicSquare, model: pyo.ConcreteModel) -> None:
    r"""Integer cells, of which each two differ, by big-M.

    Variables
        a[r,c]: :math:`a_{rc} \in V`, the value in cell (r, c).
        b[i,j]: :math:`b_{ij} \in \{0, 1\}`, of the cells i and j, i holds the larger value.
    Constraints
        above[i,j]: :math:`a_i - a_j \ge 1 - n^2 (1 - b_{ij})` for each pair of cells.
        below[i,j]: :math:`a_j - a_i \ge 1 - n^2 b_{ij}` for each pair of cells.
    """
    n, top = square.n, square.n**2
    pairs = [(*i, *j) for i, j in combinations(cells(n, n), 2)]
    model.a = a = pyo.Var(range(n), range(n), domain=pyo.Integers, bounds=(1, top))
    model.b = b = pyo.Var(pairs, domain=pyo.Binary)

    def above(m: pyo.ConcreteModel, *ij: int) -> Any:
        return a[ij[:2]] - a[ij[2:]] >= 1 - top * (1 - b[ij])

    def below(m: pyo.ConcreteModel, *ij: int) -> Any:
        return a[ij[2:]] - a[ij[:2]] >= 1 - top * b[ij]

    model.above = pyo.Constraint(pairs, rule=above)
    model.below = pyo.Constraint(pairs, rule=below)


FORMULATIONS: dict[str, Part] = {
    "strengthened": _binaries,
    "plain": _binaries,
    "integer": _integers,
}


def _magic_lines(square: MagicSquare, model: pyo.ConcreteModel) -> None:
    r"""Each line of the kind has its sum.

    Constraints
        row[r]: :math:`\sum_{c} a_{rc} = M` for :math:`r \in I`.
        column[c]: :math:`\sum_{r} a_{rc} = M` for :math:`c \in I`.
        diagonal[k]: :math:`\sum_{i \in I} a_{i, i+k} = M`, for k = 0 or, counting modulo n, all k.
        antidiagonal[k]: :math:`\sum_{i \in I} a_{i, n-1-i+k} = M`, for the same k.
        opposite[k]: :math:`a_{rc} + a_{n-1-r, n-1-c} = n^2 + 1`, for each such pair of cells.
        queens[k]: :math:`\sum_{rc} a_{rc} = M` over the queens of the k-th n queens solution.
    """
    for name, lines in square.lines().items():
        _add_lines(square, model, name, lines)


def _implied_lines(square: MagicSquare, model: pyo.ConcreteModel) -> None:
    r"""What the lines imply.

    Constraints
        implied[k]: :math:`\sum_{rc \in S} a_{rc} = |S| (n^2 + 1) / 2` for each smallest set S of at
            most n cells whose incidence vector is a linear combination of those of the lines.

    In order 4 these are the corners, the centre, the middle pairs of the outer rows and those of
    the outer columns.  They leave the relaxation as it is and make presolve and propagation much
    stronger.  They are looked for up to n = 5.
    """
    _add_lines(square, model, "implied", _implied(square.n, square.kind))


def _add_lines(
    square: MagicSquare, model: pyo.ConcreteModel, name: str, lines: Sequence[Line]
) -> None:
    def rule(m: pyo.ConcreteModel, k: int) -> Any:
        total = pyo.quicksum(m.a[at] for at in sorted(lines[k]))
        return total == len(lines[k]) * (square.n**2 + 1) / 2

    if lines:
        model.add_component(name, pyo.Constraint(range(len(lines)), rule=rule))


def _given_binaries(square: MagicSquare, model: pyo.ConcreteModel) -> None:
    r"""Given values.

    Bounds
        x[r,c,v]: :math:`x_{rcv} = 1` for each cell (r, c) with a given value v.
    """
    for at, v in square.given_cells.items():
        model.x[(*at, v)].setlb(1)


def _given_integers(square: MagicSquare, model: pyo.ConcreteModel) -> None:
    r"""Given values.

    Bounds
        a[r,c]: :math:`a_{rc} = v` for each cell (r, c) with a given value v.
    """
    for at, v in square.given_cells.items():
        model.a[at].setlb(v)
        model.a[at].setub(v)


@lru_cache
def _implied(n: int, kind: str) -> list[Line]:
    """The smallest sets of at most n cells whose sum the lines of ``kind`` imply.

    A set's sum is implied if its incidence vector is orthogonal to every filling whose lines
    all sum to zero, that is, to the null space of the lines.
    """
    if n < 3 or n > 5:
        return []
    board = cells(n, n)
    lines = [line for family in kind_lines(n, kind).values() for line in family]
    incidence = np.array([[float(at in line) for at in board] for line in lines])
    _, singular, rest = np.linalg.svd(incidence)
    null = rest[int((singular > 1e-9).sum()) :].T
    found: list[Line] = []
    for size in range(1, n + 1):
        subsets = np.array(list(combinations(range(n * n), size)))
        for subset in subsets[np.abs(null[subsets].sum(axis=1)).max(axis=1, initial=0) < 1e-9]:
            line = frozenset(board[k] for k in subset)
            if line not in lines and not any(small < line for small in found):
                found.append(line)
    return found


@lru_cache
def _queens_lines(n: int) -> list[Line]:
    """The squares of every n-queens solution, enumerated by this package."""
    from ..runners import enumerate_solutions  # upwards, so not before it is needed
    from .queens import Queens

    return [frozenset(enumerate(vector)) for vector in enumerate_solutions(Queens(n))]


def _check_queens(solution: Sequence[Sequence[int]], magic: int) -> None:
    n = len(solution)
    for columns in permutations(range(n)):
        apart = all(abs(columns[r] - columns[q]) != r - q for r in range(n) for q in range(r))
        if apart and (total := sum(solution[r][c] for r, c in enumerate(columns))) != magic:
            raise ValueError(f"the queens {columns} sum to {total}, not {magic}")


def _moves(n: int) -> Iterator[Move]:
    """Moves of the cells that keep rows, columns and the pair of diagonals of an n×n board."""
    half = n // 2
    if 4 * 2**half * factorial(half) > _MOST_SYMMETRIES:
        yield from board_symmetries(n, n)
        return
    for sigma in permutations(range(n)):
        if any(sigma[n - 1 - i] != n - 1 - sigma[i] for i in range(half)):
            continue
        if n % 2 and sigma[half] != half:
            continue
        for flip in (False, True):
            tau = sigma[::-1] if flip else sigma
            yield _move(sigma, tau, transpose=False)
            yield _move(sigma, tau, transpose=True)


def _move(sigma: Sequence[int], tau: Sequence[int], transpose: bool) -> Move:
    permute: Callable[[int, int], Cell] = lambda r, c: (sigma[r], tau[c])  # noqa: E731
    return (lambda r, c: permute(c, r)) if transpose else permute


def _given(given: object, n: int) -> dict[Cell, int]:
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, list | tuple) and given and all(isinstance(t, str) for t in given):
        given = _parsed(given)
    if isinstance(given, str | Path) or (isinstance(given, Sequence) and given):
        grid = load_grid(given)
        if len(grid) != n:
            raise InputError(f"given: the grid's side is {len(grid)}, but n is {n}")
        given = {(r, c): grid[r][c] for r, c in cells(n, n) if grid[r][c]}
    if not isinstance(given, Mapping):
        if not given:
            return {}
        raise InputError(f"given: expected cells with their values, got {shown(given)}")
    found: dict[Cell, int] = {}
    for key, value in given.items():
        at = cell(key, f"given {shown(key)}", n, n)
        number = whole(value, f"given {at}", 1, n * n)
        if found.setdefault(at, number) != number:
            raise InputError(f"given {at}: holds {found[at]} and {number}")
    return found


def _parsed(texts: Sequence[str]) -> dict[str, str]:
    """``ROW,COLUMN=VALUE`` as on the command line."""
    found: dict[str, str] = {}
    for text in texts:
        at, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"given {text!r}: expected ROW,COLUMN=VALUE, such as 0,0=16")
        if at in found and found[at] != value:
            raise InputError(f"given {at!r}: holds {found[at]} and {value}")
        found[at] = value
    return found
