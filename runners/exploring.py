"""A page, in one file, on which all solutions of an enumeration are looked at and filtered.

The page is a template, a style sheet and a script in the folder ``explorer``; here is what they
are filled with.  Of a puzzle it takes the parameters, :meth:`~nogood.models.Puzzle.board`, ``look``
and the figures, so that a new one has its page.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any, get_args

import jinja2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from scipy import sparse

from ..data import InputError
from ..models import Puzzle, Riddle
from ..models.puzzle import Group as Symmetries
from .explain_text import phrase
from .explaining import Explanation
from .files import must_be_writable, whole_file
from .found import Found
from .mathematics import as_html
from .report import plain
from .symmetry import Group, permutation

ENDINGS = (".html", ".htm")
_SAID = {"board": "rotation and reflection", "all": "all symmetries"}
_LONGEST_PARAMETER = 80
_MOST_IMAGES = 50_000_000
Board = Sequence[Sequence[str | int]]


def explore(found: Found, path: str | Path, *, explanation: Explanation | None = None) -> Path:
    """Write the page of an enumeration, whole or not at all; returns its path.

    Parameters
    ----------
    found
        What ``enumerate_solutions`` gives, of a puzzle or of a model; its end is waited for.
    path
        The file to write, ending in .html or .htm.
    explanation
        Of a riddle, what ``explain`` says of it: shown step by step.

    Raises
    ------
    InputError
        For another ending or where the file cannot be written.
    """
    target = must_be_page(path)
    _write(target, _page(found, explanation))
    return target


def must_be_page(path: str | Path) -> Path:
    """``path``, unless its ending is no page's or it is plain that no file can be written there."""
    target = must_be_writable(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"{target}: unknown page format {target.suffix!r}; end it in .html")
    return target


@dataclass(frozen=True)
class Link:
    """A page in an index: its file beside the index, what it is called, and what is on it."""

    file: str
    title: str
    found: Found


def write_index(links: Sequence[Link], path: str | Path) -> Path:
    """Write a page that leads to others, whole or not at all; returns its path.

    Raises :class:`InputError` for another ending or where the file cannot be written.
    """
    target = must_be_page(path)
    _write(target, _filled("index.html.jinja", links=links))
    return target


def _write(target: Path, text: str) -> None:
    with whole_file(target) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def _filled(template: str, **values: Any) -> str:
    """A template with style sheet, script and ``values``; all but these two is escaped."""
    folder = files(__package__) / "explorer"
    text, style, script = (
        (folder / name).read_text(encoding="utf-8") for name in (template, "page.css", "page.js")
    )
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["phrase"] = phrase
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment.from_string(text).render(
        style=Markup(style),
        script=Markup(script),
        hashes={"style": _source_hash(style), "script": _source_hash(script)},
        **values,
    )


def _page(found: Found, explanation: Explanation | None) -> str:
    puzzle, solutions = found.problem.puzzle, found.solutions
    boards = _boards(puzzle, solutions)
    return _filled(
        "page.html.jinja",
        found=found,
        puzzle=puzzle,
        title=_title(puzzle, boards),
        about=_about(found),
        mathematics=Markup("" if puzzle is None else as_html(puzzle)),
        parameters=_parameters(puzzle),
        remark=None if puzzle is None else puzzle.remark(),
        counts=_counts(found),
        day=date.today().isoformat(),
        explanation=explanation,
        data=_data(found, solutions, boards, explanation),
    )


def _source_hash(text: str) -> str:
    """The name under which a Content-Security-Policy lets ``text`` stand in the page."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _title(puzzle: Puzzle | None, boards: Sequence[Board]) -> str:
    if puzzle is None:
        return "Model"
    if isinstance(puzzle, Riddle):
        return puzzle.form.title or "Riddle"
    size = f" {len(boards[0])} × {len(boards[0][0])}" if boards else ""
    return puzzle.title + size


def _about(found: Found) -> str:
    """One sentence on the task."""
    puzzle = found.problem.puzzle
    if puzzle is None:
        return f"A model with {len(found.problem.indices)} key variables."
    if isinstance(puzzle, Riddle):
        return puzzle.form.question
    return puzzle.about()


def _parameters(puzzle: Puzzle | None) -> dict[str, str]:
    """The parameters that say something, as short texts."""
    said = {} if puzzle is None else plain(puzzle.parameters())
    return {
        name: shorten(
            value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False),
            _LONGEST_PARAMETER,
            placeholder=" …",
        )
        for name, value in said.items()
        if value not in (None, False, "", [], {})
    }


def _counts(found: Found) -> dict[str, int]:
    """Other ways to count the solutions, where they are known."""
    puzzle = found.problem.puzzle
    if puzzle is None or not found.complete or found.distinct:
        return {}
    return puzzle.counts(found.count)


def _data(
    found: Found,
    solutions: Sequence[Any],
    boards: Sequence[Board],
    explanation: Explanation | None,
) -> dict[str, Any]:
    """What the script reads, in the types of JSON."""
    puzzle = found.problem.puzzle
    return {
        "name": "model" if puzzle is None else puzzle.name,
        "look": "table" if puzzle is None else puzzle.look,
        "form": _form(puzzle, solutions),
        "count": len(solutions),
        "header": puzzle.form.header if isinstance(puzzle, Riddle) else None,
        "names": list(map(str, found.problem.indices)) if puzzle is None else None,
        "rows": len(boards[0]) if boards else 0,
        "cols": len(boards[0][0]) if boards else 0,
        "board": _cells(boards),
        "figures": _figures(found, solutions),
        "orbits": [
            {"name": name, "said": _SAID[name], "of": _packed(of)}
            for name, of in orbits(found, solutions).items()
        ],
        "steps": _steps(explanation) if explanation and explanation.steps else None,
    }


def _boards(puzzle: Puzzle | None, solutions: Sequence[Any]) -> list[Board]:
    """The rows of cells of each solution; of a model, a row for each key variable."""
    if puzzle is None:
        return [[[value] for value in solution.values()] for solution in solutions]
    return [puzzle.board(solution) for solution in solutions]


def _form(puzzle: Puzzle | None, solutions: Sequence[Any]) -> str:
    """How a solution is written in a file: its rows, its vector of columns, or by names."""
    if puzzle is None:
        return "names"
    flat = solutions and isinstance(solutions[0][0], int)
    return "columns" if flat else "rows"


def _cells(boards: Iterable[Board]) -> dict[str, Any]:
    """The values that occur, numbers first, and for each cell of each board the place of its."""
    flat = list(chain.from_iterable(chain.from_iterable(boards)))
    values = sorted(set(flat), key=lambda value: (isinstance(value, str), value))
    place = {value: k for k, value in enumerate(values)}
    return {"values": values, **_packed(np.array([place[value] for value in flat], dtype=np.int64))}


def _packed(numbers: NDArray[np.int64]) -> dict[str, Any]:
    """Numbers from 0 on, each in as many bits as the largest needs, the first bits first."""
    bits = int(numbers.max(initial=0)).bit_length()
    single = (numbers[:, None] >> np.arange(bits)[::-1]) & 1
    packed = np.packbits(single.astype(np.uint8))
    return {"bits": bits, "packed": base64.b64encode(packed.tobytes()).decode()}


def _figures(found: Found, solutions: Sequence[Any]) -> dict[str, list[Any]]:
    """Objective, size of the orbit and key figures: of each, its value for every solution."""
    columns: dict[str, list[Any]] = {}
    if found.problem.linear.has_objective:
        columns["objective"] = list(found.objectives)
    if found.distinct:
        columns["orbit"] = list(found.orbits)
    if found.problem.puzzle is not None and solutions:
        rows = [plain(found.problem.puzzle.figures(solution)) for solution in solutions]
        columns |= {name: [row[name] for row in rows] for name in rows[0]}
    return columns


def orbits(found: Found, solutions: Sequence[Any]) -> dict[str, NDArray[np.int64]]:
    """For each group of the puzzle's symmetries the number of each solution's orbit, from 0 on.

    Groups under which no two of the solutions are alike are left out, and so is one that says
    the same as a smaller, or that is too large to try.
    """
    puzzle, problem = found.problem.puzzle, found.problem
    kept: dict[str, NDArray[np.int64]] = {}
    if puzzle is None or found.distinct or not solutions:
        return kept
    places: dict[Hashable, int] = {index: k for k, index in enumerate(problem.indices)}
    keys = _keys(puzzle, places, solutions)
    for name in sorted(get_args(Symmetries), reverse=True):
        generators = [permutation(places, g) for g in puzzle.symmetries(name)]
        elements = Group(len(places), generators).elements
        if keys.nnz * len(elements) > _MOST_IMAGES:
            continue
        numbers = _orbit_numbers(keys, elements)
        alike = any(np.array_equal(numbers, others) for others in kept.values())
        if not alike and numbers.max() + 1 < len(solutions):
            kept[name] = numbers
    return kept


def _keys(puzzle: Puzzle, column: Mapping[Hashable, int], solutions: Sequence[Any]) -> Any:
    """The key values of each solution, a sparse row each."""
    rows, columns, values = [], [], []
    for number, solution in enumerate(solutions):
        for index, value in puzzle.assignment(solution).items():
            rows.append(number)
            columns.append(column[index])
            values.append(value)
    shape = (len(solutions), len(column))
    return sparse.csr_array((np.array(values, dtype=np.uint64), (rows, columns)), shape=shape)


def _orbit_numbers(keys: Any, elements: NDArray[np.int64]) -> NDArray[np.int64]:
    """The orbit of each row of ``keys``, numbered by first appearance.

    An assignment's name is a sum of random 64-bit weights, one for each key; the smallest name
    of its images is that of its orbit.  That two orbits share one has a chance of one in 10^10
    for a hundred thousand solutions.
    """
    generator = np.random.default_rng(0)
    weights = generator.integers(0, 2**64, elements.shape[1:], dtype=np.uint64)
    names = (keys @ weights[elements].T).min(axis=1)
    _, first, number = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number.ravel()]


def _steps(explanation: Explanation) -> dict[str, Any]:
    """A riddle's table before the first step, and what each step adds: column, row, value, yes."""
    form = explanation.riddle.form
    column = {name: c for c, name in enumerate(form.header)}
    return {
        "start": form.startMatrix,
        "known": list(form.known().values()),
        "derived": [
            [[column[name], row, value, holds] for (name, value, row), holds in step.derived]
            for step in explanation.steps
        ],
    }
