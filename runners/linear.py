"""A Pyomo model as arrays: min c·x + c₀ with row and column bounds and integer columns.

Everything behind this file works on arrays; the Pyomo model is only read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.common.errors import InfeasibleConstraintException
from pyomo.core.base.var import VarData
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler
from scipy import sparse

from ..data import InputError
from ..models.puzzle import Puzzle

Vector = NDArray[np.float64]
WIDEST_KEY = 100_000
"""Of a wider key, a no-good cut's big-M would be lost in the solver's tolerances."""

_LARGEST_DENSE = 4_000_000


@dataclass(frozen=True)
class LinearModel:
    """A MILP ``min cost·x + offset, row_lower <= A x <= row_upper, col_lower <= x <= col_upper``.

    ``sense`` is -1 if the model it comes from maximises: its objective is ``sense`` times this.
    """

    matrix: sparse.csr_array
    row_lower: Vector
    row_upper: Vector
    row_names: tuple[str, ...]
    cost: Vector
    offset: float
    sense: int
    col_lower: Vector
    col_upper: Vector
    integer: NDArray[np.bool_]
    col_names: tuple[str, ...]
    name: str = "model"
    has_objective: bool = False

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.cost)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.row_lower)

    @cached_property
    def _sizes(self) -> sparse.csr_array:
        return abs(self.matrix)

    @cached_property
    def _exact(self) -> NDArray[np.bool_]:
        """The rows of integers with integer coefficients, which are broken by 1 or not at all."""
        matrix = self.matrix.tocoo()
        other = ~whole(matrix.data) | ~self.integer[matrix.col]
        exact: NDArray[np.bool_] = np.bincount(matrix.row[other], minlength=self.rows) == 0
        return exact

    @property
    def impossible(self) -> bool:
        """Whether some row without entries says what 0 is not, which no solver is asked about."""
        empty = np.diff(self.matrix.indptr) == 0
        return bool((empty & ((self.row_lower > 0) | (self.row_upper < 0))).any())

    def objective(self, values: Vector) -> float:
        """The objective of the model this comes from, in its own sense."""
        return float(self.sense * (self.cost @ values + self.offset)) + 0.0

    def violation(self, values: Vector, tolerance: float = 1e-6) -> str | None:
        """The first bound or row that ``values`` violate by more than a relative tolerance."""
        outside = (values < self.col_lower - tolerance) | (values > self.col_upper + tolerance)
        if outside.any():
            j = int(outside.argmax())
            return f"{self.col_names[j]} = {values[j]:g} is beyond its bounds"
        activity = self.matrix @ values
        scale = tolerance * (1 + self._sizes @ abs(values))
        scale[self._exact] = tolerance
        broken = (activity < self.row_lower - scale) | (activity > self.row_upper + scale)
        if broken.any():
            i = int(broken.argmax())
            return (
                f"{self.row_names[i]} has the value {activity[i]:g}, "
                f"not within {self.row_lower[i]:g} … {self.row_upper[i]:g}"
            )
        return None


def whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of them are integers whose sums floating point holds exactly."""
    found: NDArray[np.bool_] = (values == np.round(values)) & (abs(values) <= 1e9)
    return found


@dataclass(frozen=True)
class Problem:
    """What is to be solved: arrays, the columns of the key variables, and their indices."""

    linear: LinearModel
    indices: tuple[Hashable, ...]
    key_columns: NDArray[np.int64]
    puzzle: Puzzle | None
    variables: tuple[VarData, ...] = ()

    @property
    def binary_keys(self) -> bool:
        """Whether all keys are 0 or 1."""
        lower, upper = self.linear.col_lower, self.linear.col_upper
        return bool(((lower[self.key_columns] >= 0) & (upper[self.key_columns] <= 1)).all())

    @cached_property
    def same_number_of_ones(self) -> bool:
        """Whether the equality rows imply that the sum of the keys is constant, keys binary.

        Then no solution's ones contain another's, and a no-good cut needs only the ones.
        """
        linear, keys = self.linear, self.key_columns
        if not self.binary_keys:
            return False
        equal = linear.matrix[np.flatnonzero(linear.row_lower == linear.row_upper)]
        if not 0 < equal.shape[0] * equal.shape[1] < _LARGEST_DENSE:
            return False
        ones = np.zeros(linear.columns)
        ones[keys] = 1
        dense = equal.toarray().T
        combination = np.linalg.lstsq(dense, ones, rcond=None)[0]
        return bool(np.abs(dense @ combination - ones).max() < 1e-9)

    @property
    def lazy(self) -> bool:
        """Whether candidates may violate constraints that are not in the model."""
        return self.puzzle is not None and self.puzzle.lazy

    @cached_property
    def column_of(self) -> dict[Hashable, int]:
        """The column of each key index."""
        return dict(zip(self.indices, self.key_columns.tolist(), strict=True))

    def mapping(self, keys: NDArray[np.int64]) -> dict[Any, int]:
        """Key values by index; a puzzle gets those that are not zero."""
        if self.puzzle is None:
            return dict(zip(self.indices, keys.tolist(), strict=True))
        return {self.indices[k]: int(keys[k]) for k in np.flatnonzero(keys).tolist()}


def as_problem(
    source: Puzzle | pyo.ConcreteModel | LinearModel,
    keys: Iterable[Any] | None = None,
    *,
    tell_apart: bool = False,
) -> Problem:
    """Compile a puzzle, or any Pyomo MILP with the key variables ``keys``.

    ``keys`` holds variables, indexed ones too; by default all discrete variables.  Of a model
    read from a file they are names, or patterns such as ``x*``.  To ``tell_apart`` solutions by
    them, there must be some, with finite bounds.

    Raises
    ------
    InputError
        If the model is no MILP, has more than one objective, or the keys are no bounded
        discrete variables of it.
    """
    if isinstance(source, Puzzle):
        if keys is not None:
            raise InputError("keys: a puzzle has its own; leave them out")
        model = source.model()
        named: dict[Any, VarData] = dict(source.keys(model))
        problem = _problem(model, named, source)
    elif isinstance(source, LinearModel):
        problem = _from_arrays(source, keys, tell_apart)
    elif not isinstance(source, pyo.Block) or not source.is_constructed():
        raise InputError(f"expected a puzzle or a ConcreteModel, got {type(source).__name__}")
    else:
        problem = _problem(source, _chosen(source, keys, tell_apart), None)
    if tell_apart:
        _must_be_narrow(problem)
    return problem


def _from_arrays(linear: LinearModel, keys: Iterable[Any] | None, tell_apart: bool) -> Problem:
    chosen = dict.fromkeys(np.flatnonzero(linear.integer).tolist())
    if keys is not None:
        chosen = {}
        for pattern in _iterable(keys):
            found = [j for j, n in enumerate(linear.col_names) if fnmatchcase(n, str(pattern))]
            if not found:
                raise InputError(f"keys: {pattern!r} is no variable of the model")
            for j in found:
                if not linear.integer[j]:
                    raise InputError(
                        f"key {linear.col_names[j]}: continuous; keys are binary or integer"
                    )
            chosen |= dict.fromkeys(found)
    if tell_apart and not chosen:
        raise InputError("the model has no discrete variable; nothing tells solutions apart")
    columns = np.array(list(chosen), dtype=np.int64)
    return Problem(linear, tuple(linear.col_names[j] for j in columns), columns, None)


def discrete(source: object) -> list[VarData] | None:
    """The discrete variables of a model, which may be none; None for a puzzle: it has its own."""
    if isinstance(source, Puzzle) or not isinstance(source, pyo.Block):
        return None
    model: Any = source
    variables = model.component_data_objects(pyo.Var, active=True)
    return [v for v in variables if not v.is_continuous()]


def _problem(
    model: pyo.ConcreteModel, keys: Mapping[Any, VarData], puzzle: Puzzle | None
) -> Problem:
    linear, variables = _compile(model, keys.values())
    place = {id(v): j for j, v in enumerate(variables)}
    columns = np.array([place[id(v)] for v in keys.values()], dtype=np.int64)
    return Problem(linear, tuple(keys), columns, puzzle, variables)


def _must_be_narrow(problem: Problem) -> None:
    linear = problem.linear
    for j in problem.key_columns:
        low, high = linear.col_lower[j], linear.col_upper[j]
        if not np.isfinite(high - low):
            raise InputError(f"key {linear.col_names[j]}: unbounded; give it finite bounds")
        if high - low > WIDEST_KEY:
            raise InputError(
                f"key {linear.col_names[j]}: bounds {low:g} … {high:g} are too far apart; "
                f"at most {WIDEST_KEY}"
            )


def _chosen(
    model: pyo.ConcreteModel, keys: Iterable[Any] | None, tell_apart: bool
) -> dict[str, VarData]:
    variables = list(model.component_data_objects(pyo.Var, active=True, descend_into=True))
    if keys is None:
        chosen = [v for v in variables if not v.is_continuous()]
        if tell_apart and not chosen:
            raise InputError("the model has no discrete variable; nothing tells solutions apart")
    else:
        chosen = [v for key in _iterable(keys) for v in _expand(key)]
        inside = {id(v) for v in variables}
        for v in chosen:
            if id(v) not in inside:
                raise InputError(f"key {v.name}: not a variable of the model")
            if v.is_continuous():
                raise InputError(f"key {v.name}: continuous; keys are binary or integer")
        if tell_apart and not chosen:
            raise InputError("keys: empty; name at least one discrete variable")
    return {v.name: v for v in chosen}


def _iterable(keys: object) -> Iterable[Any]:
    if isinstance(keys, pyo.Var | VarData):
        return [keys]
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        raise InputError(f"keys: expected variables of the model, got {keys!r}")
    return keys.values() if isinstance(keys, Mapping) else keys


def _expand(key: object) -> list[VarData]:
    if isinstance(key, VarData):
        return [key]
    if isinstance(key, pyo.Var):
        return list(key.values())
    raise InputError(f"keys: expected variables of the model, got {key!r}")


def _compile(
    model: pyo.ConcreteModel, keys: Iterable[VarData]
) -> tuple[LinearModel, tuple[VarData, ...]]:
    _must_be_plain(model)
    objectives = list(model.component_data_objects(pyo.Objective, active=True))
    if len(objectives) > 1:
        names = ", ".join(o.name for o in objectives)
        raise InputError(
            f"the model has {len(objectives)} active objectives ({names}); one at most"
        )
    try:
        form = LinearStandardFormCompiler().write(model, mixed_form=True)
    except InfeasibleConstraintException as error:
        return _impossible(model, keys, str(error), objectives)
    except Exception as error:  # Pyomo raises several kinds for what is no MILP
        raise InputError(f"the model is no linear MILP: {_line(error)}") from None
    # Keys in no row, and keys that are fixed, are no columns of the compiled form.
    present = {id(v) for v in form.columns}
    extra = [v for v in keys if id(v) not in present]
    variables = (*form.columns, *extra)
    matrix = sparse.csr_array(form.A)
    matrix.resize((matrix.shape[0], len(variables)))
    kind = np.array([row.bound_type for row in form.rows], dtype=int)
    rhs = np.asarray(form.rhs, dtype=float).reshape(-1)
    cost = np.zeros(len(variables))
    if objectives:
        cost[: len(form.columns)] = form.c.toarray()[0]
    sense = -1 if objectives and objectives[0].sense == pyo.maximize else 1
    lower, upper, integer = _bounds(variables)
    linear = LinearModel(
        matrix=matrix,
        row_lower=np.where(kind <= 0, rhs, -np.inf),
        row_upper=np.where(kind >= 0, rhs, np.inf),
        row_names=tuple(row.constraint.name for row in form.rows),
        cost=cost + 0.0,  # compiled to be minimised; no -0
        offset=float(form.c_offset[0]) if objectives else 0.0,
        sense=sense,
        col_lower=lower,
        col_upper=upper,
        integer=integer,
        col_names=tuple(v.name for v in variables),
        name=model.name or "model",
        has_objective=bool(objectives),
    )
    return linear, variables


def _must_be_plain(model: pyo.ConcreteModel) -> None:
    for v in model.component_data_objects(pyo.Var, active=True):
        if v.fixed and v.value is None:
            raise InputError(f"{v.name}: fixed, but without a value")
        if not (v.is_continuous() or v.is_integer() or v.is_binary()):
            raise InputError(f"{v.name}: its domain has gaps; say it with constraints")


def _impossible(
    model: pyo.ConcreteModel, keys: Iterable[VarData], reason: str, objectives: Sequence[Any]
) -> tuple[LinearModel, tuple[VarData, ...]]:
    """A model with a constraint that no values can satisfy, such as 0 = 1: one empty row."""
    variables = tuple(keys)
    lower, upper, integer = _bounds(variables)
    count = len(variables)
    linear = LinearModel(
        matrix=sparse.csr_array((1, count)),
        row_lower=np.ones(1),
        row_upper=np.ones(1),
        row_names=(reason.split("'")[1] if "'" in reason else "infeasible",),
        cost=np.zeros(count),
        offset=0.0,
        sense=-1 if objectives and objectives[0].sense == pyo.maximize else 1,
        col_lower=lower,
        col_upper=upper,
        integer=integer,
        col_names=tuple(v.name for v in variables),
        name=model.name or "model",
        has_objective=bool(objectives),
    )
    return linear, variables


def _bounds(variables: Sequence[VarData]) -> tuple[Vector, Vector, NDArray[np.bool_]]:
    def bound(v: VarData, side: int) -> float:
        if v.fixed:
            return float(v.value)
        given = v.bounds[side]
        return (-np.inf, np.inf)[side] if given is None else float(given)

    lower = np.array([bound(v, 0) for v in variables])
    upper = np.array([bound(v, 1) for v in variables])
    integer = np.array([not v.is_continuous() for v in variables], dtype=bool)
    # A bound within 1e-9 of an integer is meant to be that integer.
    lower[integer] = np.ceil(lower[integer] - 1e-9) + 0.0  # no -0
    upper[integer] = np.floor(upper[integer] + 1e-9) + 0.0
    return lower, upper, integer


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
