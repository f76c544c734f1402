"""Einstein's riddle and its kin: a table to fill, from clues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pyomo.environ as pyo
from pyomo.core.base.var import VarData
from tabulate import tabulate

from ..data import InputError
from ..data.riddle_form import Option, RiddleForm, load_riddle
from .puzzle import Index, Part, Puzzle

UNKNOWN = "?"
MOST_PLACES = 20_000
Literal = tuple[str, str, int]
"""Column, value, row: this value stands in that row."""
Table = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Riddle(Puzzle):
    r"""Fill a table so that every clue holds.

    Sets
        C: columns of the table.
        V_c: the known values of column c.
        R: rows.
        H: clues.
        P_h: the ways in which clue h can hold, an option of it and a place in the table.
        L_p: the literals (column, value, row) that the way p says.

    Only x are key variables: a solution is one table, in however many ways its clues hold.

    Source: the form is that of the riddles; the model of a clue is a disjunction by its ways
    (E. Balas, Disjunctive programming, Annals of Discrete Mathematics 5 (1979), 3–51).

    A solution is the rows of the table, with ``?`` for what no clue names.
    """

    name: ClassVar[str] = "riddle"
    title: ClassVar[str] = "Riddle"
    look = "table"

    source: str | Path | Mapping[str, Any] | RiddleForm = field(
        default="einstein", metadata={"help": "a bundled riddle's name or a JSON file"}
    )
    form: RiddleForm = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", load_riddle(self.source))
        places = sum(
            len(option) * self.rows if self.form.singleHints else len(list(self._tops(option)))
            for clue in self.form.hints
            for option in clue
        )
        if places > MOST_PLACES:
            raise InputError(f"hints: {places} ways to place them; at most {MOST_PLACES}")

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.form.startMatrix)

    def literals(self) -> list[Literal]:
        """Every value in every row."""
        return [
            (name, value, r)
            for name, values in self.form.known().items()
            for value in values
            for r in range(self.rows)
        ]

    def start(self) -> list[Literal]:
        """What the table says from the start."""
        return [
            (name, value, r)
            for r, row in enumerate(self.form.startMatrix)
            for name, value in zip(self.form.header, row, strict=True)
            if value
        ]

    def parts(self) -> list[Part]:
        """The table, its start and the clues."""
        return [_table, _start, _ways, _rows if self.form.singleHints else _places]

    def switched(self) -> pyo.ConcreteModel:
        """The same with switches: ``holds[h]`` for clue h, ``once[c]`` for the rules of column c.

        A clue (a column's rules) with its switch at 0 says nothing.  The table's start is left
        out, to be set by bounds on x.
        """
        model, known = pyo.ConcreteModel("riddle"), self.form.known()
        model.holds = pyo.Var(range(len(self.form.hints)), domain=pyo.Binary)
        model.once = pyo.Var([name for name in known if known[name]], domain=pyo.Binary)
        for part in self.parts():
            if part is not _start:
                part(self, model)
        return model

    def ways(self) -> dict[tuple[int, int, int], Option]:
        """The options by clue, number and place of the first row (0 where rows stand apart)."""
        return {
            (h, o, p): option
            for h, clue in enumerate(self.form.hints)
            for o, option in enumerate(clue)
            for p in ([0] if self.form.singleHints else self._tops(option))
        }

    def _tops(self, option: Option) -> Iterator[int]:
        """The rows in which an option's first row can stand."""
        return iter(range(self.rows - len(option) + 1))

    def said(self, option: Option, top: int) -> list[Literal]:
        """The literals of an option whose first row stands in row ``top``."""
        return [
            (name, value, top + k)
            for k, row in enumerate(option)
            for name, value in zip(self.form.header, row, strict=True)
            if value
        ]

    def keys(self, model: pyo.ConcreteModel) -> dict[Index, VarData]:
        """``x[c, v, r]`` by ``(c, v, r)``."""
        return dict(model.x.items())

    def read(self, keys: Mapping[Index, int]) -> Table:
        """The rows of the table."""
        table = [[UNKNOWN] * len(self.form.header) for _ in range(self.rows)]
        place = {name: c for c, name in enumerate(self.form.header)}
        for (name, value, r), chosen in keys.items():
            if chosen:
                table[r][place[name]] = value
        return tuple(map(tuple, table))

    def assignment(self, solution: Sequence[Sequence[str]]) -> dict[Index, int]:
        """A 1 for each value that a clue names."""
        return {
            (name, value, r): 1
            for r, row in enumerate(solution)
            for name, value in zip(self.form.header, row, strict=True)
            if value != UNKNOWN
        }

    def check(self, solution: Sequence[Sequence[str]]) -> None:
        """Look every clue up in the table."""
        header, start = self.form.header, self.form.startMatrix
        if len(solution) != len(start) or any(len(row) != len(header) for row in solution):
            raise ValueError(f"the table is not {len(start)}×{len(header)}")
        for c, (name, values) in enumerate(self.form.known().items()):
            column = sorted(row[c] for row in solution)
            if column != sorted([*values, *[UNKNOWN] * (len(start) - len(values))]):
                raise ValueError(f"column {name!r} does not hold each of its values once")
        for r, (given, row) in enumerate(zip(start, solution, strict=True)):
            for name, value, found in zip(header, given, row, strict=True):
                if value and value != found:
                    raise ValueError(f"row {r} has {name} {found!r}, not the given {value!r}")
        for h in range(len(self.form.hints)):
            if not self.holds(h, solution):
                raise ValueError(f"clue {h + 1} does not hold: {self.form.words(h)}")

    def holds(self, clue: int, table: Sequence[Sequence[str]]) -> bool:
        """Whether a clue holds in a table."""
        return any(self._option_holds(option, table) for option in self.form.hints[clue])

    def _option_holds(self, option: Option, table: Sequence[Sequence[str]]) -> bool:
        def fits(row: Sequence[str], found: Sequence[str]) -> bool:
            return all(not value or value == there for value, there in zip(row, found, strict=True))

        if not self.form.singleHints:
            return any(
                all(fits(row, table[top + k]) for k, row in enumerate(option))
                for top in range(len(table) - len(option) + 1)
            )

        # A row of its own for each: a matching.  Trying all ways takes for ever with 12 rows.
        holder: dict[int, int] = {}

        def placed(k: int, seen: set[int]) -> bool:
            for r, found in enumerate(table):
                if r not in seen and fits(option[k], found):
                    seen.add(r)
                    if r not in holder or placed(holder[r], seen):
                        holder[r] = k
                        return True
            return False

        return all(placed(k, set()) for k in range(len(option)))

    def draw(self, solution: Sequence[Sequence[str]]) -> str:
        """The table under its header."""
        text: str = tabulate(
            solution, headers=self.form.header, tablefmt="rounded_outline", disable_numparse=True
        )
        return text


def _table(riddle: Riddle, model: pyo.ConcreteModel) -> None:
    r"""Each value stands once, and at most one value in a place of the table.

    Variables
        x[c,v,r]: :math:`x_{cvr} \in \{0, 1\}`, in column :math:`c \in C` the value
            :math:`v \in V_c` stands in row :math:`r \in R`.
    Constraints
        table[k]: :math:`\sum_{r \in R} x_{cvr} = 1` for each c and v;
            :math:`\sum_{v \in V_c} x_{cvr} \le 1` for each c and r, with = where all values of
            the column are known.
    """
    model.x = pyo.Var(riddle.literals(), domain=pyo.Binary)
    model.table = pyo.ConstraintList()
    for name, values in riddle.form.known().items():
        if values:
            _add_column(riddle, model, name, values)


def _add_column(riddle: Riddle, model: pyo.ConcreteModel, name: str, values: Sequence[str]) -> None:
    x, R = model.x, range(riddle.rows)
    lines = [[x[name, v, r] for r in R] for v in values]
    lines += [[x[name, v, r] for v in values] for r in R]
    whole = len(values) == riddle.rows
    switch = model.component("once")
    for k, line in enumerate(lines):
        total, exactly = pyo.quicksum(line), k < len(values) or whole
        if switch is None:
            model.table.add(total == 1 if exactly else total <= 1)
            continue
        if exactly:
            model.table.add(total >= switch[name])
        if len(line) > 1:
            model.table.add(total <= len(line) - (len(line) - 1) * switch[name])


def _start(riddle: Riddle, model: pyo.ConcreteModel) -> None:
    r"""What the table says from the start.

    Bounds
        x[c,v,r]: :math:`x_{cvr} = 1` for what the table says from the start.
    """
    for literal in riddle.start():
        model.x[literal].setlb(1)


def _ways(riddle: Riddle, model: pyo.ConcreteModel) -> None:
    r"""Each clue holds in one way.

    Variables
        y[h,o,p]: :math:`y_{hp} \in \{0, 1\}`, clue h holds in the way p: its option o, at a place.
    Constraints
        one_way[h]: :math:`\sum_{p \in P_h} y_{hp} = 1` for :math:`h \in H`.
    """
    ways = riddle.ways()
    model.y = pyo.Var(list(ways), domain=pyo.Binary)
    of_clue: dict[int, list[Any]] = {h: [] for h in range(len(riddle.form.hints))}
    for way in ways:
        of_clue[way[0]].append(model.y[way])
    switch = model.component("holds")
    model.one_way = pyo.Constraint(
        list(of_clue),
        rule=lambda m, h: pyo.quicksum(of_clue[h]) == (1 if switch is None else switch[h]),
    )


def _places(riddle: Riddle, model: pyo.ConcreteModel) -> None:
    r"""A way says its literals.

    Constraints
        says[k]: :math:`\sum_{p \in P_h : l \in L_p} y_{hp} \le x_l` for each clue h and literal l.
    """
    model.says = pyo.ConstraintList()
    needed: dict[tuple[int, Literal], list[Any]] = {}
    for (h, o, p), option in riddle.ways().items():
        for literal in riddle.said(option, p):
            needed.setdefault((h, literal), []).append(model.y[h, o, p])
    for (_, literal), terms in needed.items():
        model.says.add(pyo.quicksum(terms) <= model.x[literal])


def _rows(riddle: Riddle, model: pyo.ConcreteModel) -> None:
    r"""The rows of an option, each on some row of its own (``singleHints``).

    Variables
        z[h,o,k,r]: :math:`z_{hokr} \in \{0, 1\}`, row k of option o of clue h stands in row r.
    Constraints
        says[k]: :math:`\sum_{r} z_{hokr} = y_{ho}`; :math:`\sum_{k} z_{hokr} \le 1`;
            :math:`z_{hokr} \le x_l` for each literal l that row k says in row r.
    """
    ways, R = riddle.ways(), range(riddle.rows)
    model.z = z = pyo.Var(
        [(h, o, k, r) for (h, o, _), option in ways.items() for k in range(len(option)) for r in R],
        domain=pyo.Binary,
    )
    model.says = pyo.ConstraintList()
    for (h, o, _), option in ways.items():
        for k, row in enumerate(option):
            model.says.add(pyo.quicksum(z[h, o, k, r] for r in R) == model.y[h, o, 0])
            for r in R:
                for literal in riddle.said([row], r):
                    model.says.add(z[h, o, k, r] <= model.x[literal])
        for r in R if len(option) > 1 else ():
            model.says.add(pyo.quicksum(z[h, o, k, r] for k in range(len(option))) <= 1)
