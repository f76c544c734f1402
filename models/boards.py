"""Boards: squares ``(row, column)`` counted from 0, their symmetries and their pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Cell = tuple[int, int]
Move = Callable[[int, int], Cell]


def cells(rows: int, cols: int) -> list[Cell]:
    """All squares, row by row."""
    return [(r, c) for r in range(rows) for c in range(cols)]


def board_symmetries(rows: int, cols: int) -> list[Move]:
    """Rotations and reflections of the board: eight of a square one, four of an oblong one."""
    flips: list[Move] = [
        lambda r, c: (r, c),
        lambda r, c: (rows - 1 - r, c),
        lambda r, c: (r, cols - 1 - c),
        lambda r, c: (rows - 1 - r, cols - 1 - c),
    ]
    if rows == cols:
        flips += [lambda r, c, flip=flip: flip(c, r) for flip in flips]  # type: ignore[misc]
    return flips


def diagonals(n: int) -> dict[int, list[Cell]]:
    """The falling diagonals of an n×n board with two squares or more, by ``row - column``."""
    lines = {d: [(r, r - d) for r in range(n) if 0 <= r - d < n] for d in range(1 - n, n)}
    return {d: line for d, line in lines.items() if len(line) > 1}


def antidiagonals(n: int) -> dict[int, list[Cell]]:
    """The rising diagonals of an n×n board with two squares or more, by ``row + column``."""
    lines = {s: [(r, s - r) for r in range(n) if 0 <= s - r < n] for s in range(2 * n - 1)}
    return {s: line for s, line in lines.items() if len(line) > 1}


def draw_grid(rows: Sequence[Sequence[object]]) -> str:
    """A grid with box-drawing lines, its entries aligned to the right."""
    width = max((len(str(entry)) for row in rows for entry in row), default=0)
    columns = len(rows[0]) if rows else 0

    def rule(left: str, middle: str, right: str) -> str:
        return left + middle.join(["─" * (width + 2)] * columns) + right

    lines = ["│" + "│".join(f" {entry!s:>{width}} " for entry in row) + "│" for row in rows]
    body = f"\n{rule('├', '┼', '┤')}\n".join(lines)
    return f"{rule('┌', '┬', '┐')}\n{body}\n{rule('└', '┴', '┘')}"
