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
from .puzzle import Index, Puzzle

UNKNOWN = "?"
MOST_PLACES = 20_000
Literal = tuple[str, str, int]
"""Column, value, row: this value stands in that row."""
Table = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Riddle(Puzzle):
    r"""Fill a table so that every clue holds.

    Sets
        C, columns; :math:`V_c`, the known values of column c; R, rows; H, clues; :math:`P_h`,
        the ways in which clue h can hold: an option of it and a place in the table; L(p), the
        literals (column, value, row) that the way p says.
    Variables
        :math:`x_{cvr} \in \{0, 1\}`, in column c the value v stands in row r;
        :math:`y_{hp} \in \{0, 1\}`, clue h holds in the way p.
    Constraints
        :math:`\sum_r x_{cvr} = 1` for each value; :math:`\sum_v x_{cvr} \le 1` for each column
        and row, with = where all values of the column are known;
        :math:`\sum_p y_{hp} = 1` for each clue;
        :math:`\sum_{p: l \in L(p)} y_{hp} \le x_l` for each clue h and literal l.

    Only x are key variables: a solution is one table, in however many ways its clues hold.  If
    the rows of an option stand anywhere (``singleHints``), the way is chosen row by row:
    :math:`z_{hokr}`, row k of option o of clue h stands in row r, each on a row of its own.

    Source: the form is that of the riddles; the model of a clue is a disjunction by its ways
    (Balas, Disjunctive programming, 1979).

    A solution is the rows of the table, with ``?`` for what no clue names.
    """

    name: ClassVar[str] = "riddle"

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

    def model(self) -> pyo.ConcreteModel:
        """The MILP in the class's docstring; names: ``x[c,v,r]``, ``y[h,o,p]``, ``one_way[h]``."""
        return self._build(switches=False)

    def switched(self) -> pyo.ConcreteModel:
        """The same with switches: ``holds[h]`` for clue h, ``once[c]`` for the rules of column c.

        A clue (a column's rules) with its switch at 0 says nothing.  The table's start is left
        out, to be set by bounds on x.
        """
        return self._build(switches=True)

    def _build(self, switches: bool) -> pyo.ConcreteModel:
        model, known = pyo.ConcreteModel("riddle"), self.form.known()
        model.x = pyo.Var(self.literals(), domain=pyo.Binary)
        if switches:
            model.holds = pyo.Var(range(len(self.form.hints)), domain=pyo.Binary)
            model.once = pyo.Var([name for name in known if known[name]], domain=pyo.Binary)
        else:
            for literal in self.start():
                model.x[literal].setlb(1)
        model.table = pyo.ConstraintList()
        for name, values in known.items():
            if values:
                self._add_table(model, name, values, model.once[name] if switches else 1)
        self._add_clues(model, switches)
        return model

    def _add_table(
        self, model: pyo.ConcreteModel, name: str, values: Sequence[str], once: Any
    ) -> None:
        lines = [[model.x[name, v, r] for r in range(self.rows)] for v in values]
        whole = len(values) == self.rows
        lines += [[model.x[name, v, r] for v in values] for r in range(self.rows)]
        for k, line in enumerate(lines):
            total = pyo.quicksum(line)
            if isinstance(once, int):
                model.table.add(total == 1 if k < len(values) or whole else total <= 1)
                continue
            if k < len(values) or whole:
                model.table.add(total >= once)
            if len(line) > 1:
                model.table.add(total <= len(line) - (len(line) - 1) * once)

    def _add_clues(self, model: pyo.ConcreteModel, switches: bool) -> None:
        single = self.form.singleHints
        ways = {
            (h, o, p): option
            for h, clue in enumerate(self.form.hints)
            for o, option in enumerate(clue)
            for p in ([0] if single else self._tops(option))
        }
        model.y = pyo.Var(list(ways), domain=pyo.Binary)
        of_clue: dict[int, list[Any]] = {h: [] for h in range(len(self.form.hints))}
        for way in ways:
            of_clue[way[0]].append(model.y[way])
        model.one_way = pyo.Constraint(
            list(of_clue),
            rule=lambda m, h: pyo.quicksum(of_clue[h]) == (m.holds[h] if switches else 1),
        )
        model.says = pyo.ConstraintList()
        if single:
            self._add_rows(model, ways)
            return
        needed: dict[tuple[int, Literal], list[Any]] = {}
        for (h, o, p), option in ways.items():
            for literal in self._said(option, p):
                needed.setdefault((h, literal), []).append(model.y[h, o, p])
        for (_, literal), terms in needed.items():
            model.says.add(pyo.quicksum(terms) <= model.x[literal])

    def _add_rows(self, model: pyo.ConcreteModel, ways: Mapping[tuple[int, int, int], Any]) -> None:
        """The rows of an option, each on some row of its own."""
        places = [
            (h, o, k, r)
            for (h, o, _), option in ways.items()
            for k in range(len(option))
            for r in range(self.rows)
        ]
        model.z = pyo.Var(places, domain=pyo.Binary)
        for (h, o, _), option in ways.items():
            for k, row in enumerate(option):
                line = pyo.quicksum(model.z[h, o, k, r] for r in range(self.rows))
                model.says.add(line == model.y[h, o, 0])
                for r in range(self.rows):
                    for literal in self._said([row], r):
                        model.says.add(model.z[h, o, k, r] <= model.x[literal])
            for r in range(self.rows if len(option) > 1 else 0):
                stack = pyo.quicksum(model.z[h, o, k, r] for k in range(len(option)))
                model.says.add(stack <= 1)

    def _tops(self, option: Option) -> Iterator[int]:
        """The rows in which an option's first row can stand."""
        return iter(range(self.rows - len(option) + 1))

    def _said(self, option: Option, top: int) -> list[Literal]:
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

        def placed(k: int, taken: frozenset[int]) -> bool:
            return k == len(option) or any(
                fits(option[k], table[r]) and placed(k + 1, taken | {r})
                for r in range(len(table))
                if r not in taken
            )

        return placed(0, frozenset())

    def draw(self, solution: Sequence[Sequence[str]]) -> str:
        """The table under its header."""
        text: str = tabulate(
            solution, headers=self.form.header, tablefmt="rounded_outline", disable_numparse=True
        )
        return text
