"""From representatives to all solutions: the symmetry group of a problem, and orbits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data import InputError
from .cuts import Point
from .errors import SolverError
from .keeping import Names
from .linear import Problem
from .parallel import Step
from .structure import Ints
from .symmetry import Group, maps_onto_itself, permutation

Generator = Mapping[Any, Any]


@dataclass(frozen=True)
class Symmetry:
    """A group on all columns of a model (``on_columns``) or on the keys alone."""

    group: Group
    on_columns: bool

    def on_keys(self, problem: Problem) -> Ints:
        """The inverted elements as permutations of key positions, the identity first."""
        if not self.on_columns:
            return self.group.inverse
        found: Ints = _positions(problem)[self.group.inverse[:, problem.key_columns]]
        return found


def _positions(problem: Problem) -> Ints:
    """The position among the keys of each column, -1 of those that are none."""
    position = np.full(problem.linear.columns, -1, dtype=np.int64)
    position[problem.key_columns] = np.arange(len(problem.key_columns))
    return position


def symmetry_of(
    problem: Problem, wanted: bool | str | Sequence[Generator], vouch: bool
) -> Symmetry:
    """The group of a puzzle's symmetries, or of a user's generators.

    A user's generator moves variables (or their names).  It is accepted if it maps the model's
    rows, bounds and costs onto themselves; otherwise only if the caller vouches for it.
    """
    keys = len(problem.indices)
    if wanted is False:
        return Symmetry(Group(keys), on_columns=False)
    if isinstance(wanted, bool | str):
        if wanted not in (True, "all", "board"):
            raise InputError(f"symmetry: expected all, board or none, got {wanted!r}")
        if problem.puzzle is None:
            return Symmetry(Group(keys), on_columns=False)
        declared = problem.puzzle.symmetries("board" if wanted == "board" else "all")
        places = {index: k for k, index in enumerate(problem.indices)}
        return Symmetry(Group(keys, [permutation(places, g) for g in declared]), False)
    return _given(problem, wanted, vouch)


def _given(problem: Problem, generators: Sequence[Generator], vouch: bool) -> Symmetry:
    if problem.puzzle is not None:
        raise InputError("symmetry: a puzzle declares its own; give True or False")
    linear = problem.linear
    places = {name: j for j, name in enumerate(linear.col_names)}
    is_key = _positions(problem) >= 0
    columns: list[Ints] = []
    for number, generator in enumerate(generators):
        image = permutation(places, {_name(a): _name(b) for a, b in generator.items()})
        if (is_key[image] != is_key).any():
            raise InputError(f"symmetry: generator {number} moves a key to what is none")
        if not vouch and not maps_onto_itself(linear, image):
            raise InputError(
                f"symmetry: generator {number} does not map the model's rows onto its rows; "
                "extend it to the auxiliary variables, or say vouch=True if you know it holds"
            )
        columns.append(image)
    if not vouch:
        return Symmetry(Group(linear.columns, columns), on_columns=True)
    position = _positions(problem)
    on_keys = [position[image[problem.key_columns]] for image in columns]
    return Symmetry(Group(len(problem.indices), on_keys), on_columns=False)


def _name(variable: Any) -> str:
    return variable if isinstance(variable, str) else str(getattr(variable, "name", variable))


def expanded(
    points: Iterator[Step],
    problem: Problem,
    symmetry: Symmetry,
    distinct: bool,
    exists: Callable[[Ints], bool],
    names: Names,
) -> Iterator[Step]:
    """Each orbit once: all of its members, or with ``distinct`` the first, with its size.

    What comes again, as its name says, is not told twice.  What is no point is passed on.

    Members are re-checked: a puzzle's later by ``check()``, a model's here against its rows;
    ``exists`` tells of vouched-for images whether the auxiliaries can be completed.
    """
    if len(symmetry.group) == 1:
        yield from _once(points, names)
        return
    binary = problem.binary_keys
    for point in points:
        if not isinstance(point, Point):
            yield point
            continue
        for number, image in enumerate(_members(point, problem, symmetry, binary)):
            if number == 0 and not names.is_new(_digest(image), keep=True):
                break
            _must_hold(image, problem, symmetry, exists)
            yield image
            if distinct:
                break


def _digest(point: Point) -> bytes:
    """A name of the key values that is shorter than they are."""
    return hashlib.blake2b(point.keys.tobytes(), digest_size=16).digest()


def _once(points: Iterator[Step], names: Names) -> Iterator[Step]:
    """Only a point that was found early can come again."""
    for point in points:
        if isinstance(point, Point) and (point.early or names.any()):
            if names.is_new(_digest(point), keep=point.early):
                yield point
        else:
            yield point


def _members(point: Point, problem: Problem, symmetry: Symmetry, binary: bool) -> Iterator[Point]:
    if symmetry.on_columns:
        assert point.values is not None
        images = symmetry.group.images(point.values, problem.key_columns)
        for values in images:
            keys = values[problem.key_columns].astype(np.int64)
            yield Point(keys, point.objective, values, orbit=len(images))
        return
    images = symmetry.group.images(point.keys.astype(bool) if binary else point.keys)
    for keys in images.astype(np.int64):
        yield replace(point, keys=keys, values=None, orbit=len(images))


def _must_hold(
    image: Point, problem: Problem, symmetry: Symmetry, exists: Callable[[Ints], bool]
) -> None:
    if problem.puzzle is not None:
        return
    if image.values is not None:
        broken = problem.linear.violation(image.values)
    else:
        broken = None if exists(image.keys) else "no values of the other variables complete it"
    if broken:
        shown = ", ".join(f"{n}={v}" for n, v in problem.mapping(image.keys).items() if v)[:300]
        raise SolverError(f"symmetry: the image {shown} of a solution is none: {broken}")
