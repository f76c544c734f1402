"""Riddles in the JSON form in which they are shared: a table to fill, and clues as matrices."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from . import reading
from .errors import InputError, shown

MOST_ROWS = MOST_COLUMNS = 30
MOST_CLUES = MOST_OPTIONS = 500
_LARGEST_FILE = 2**20

Text = Annotated[str, StringConstraints(max_length=200, strict=True)]
Words = Annotated[str, StringConstraints(max_length=2000, strict=True)]
Row = Annotated[list[Text], Field(max_length=MOST_COLUMNS)]
Option = Annotated[list[Row], Field(min_length=1, max_length=MOST_ROWS)]
Clue = Annotated[list[Option], Field(min_length=1, max_length=MOST_OPTIONS)]


class RiddleForm(BaseModel):
    """A riddle: fill a table so that each value of a column stands in exactly one row."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="Riddle")

    header: Annotated[
        list[Text],
        Field(min_length=1, max_length=MOST_COLUMNS, description="The names of the columns."),
    ]
    startMatrix: Annotated[  # noqa: N815 - the name in the files
        list[Row],
        Field(
            min_length=1,
            max_length=MOST_ROWS,
            description="The table: a list for each row, as long as the header; blanks are empty.",
        ),
    ]
    hints: Annotated[
        list[Clue],
        Field(
            max_length=MOST_CLUES,
            description="The clues; each a list of options, of which one holds; an option is a "
            "list of rows as long as the header, blank where it says nothing.",
        ),
    ]
    singleHints: Annotated[  # noqa: N815
        bool,
        Field(
            strict=True,
            description="False: the rows of an option stand directly under one another, in that "
            "order. True: each stands somewhere, on a row of its own.",
        ),
    ] = False
    title: Annotated[Words, Field(description="What it is called.")] = ""
    question: Annotated[Words, Field(description="What is asked.")] = ""
    clues: Annotated[
        list[Words], Field(description="The words of each clue, as many as there are hints.")
    ] = []
    values: Annotated[
        dict[Text, list[Text]],
        Field(description="Values of a column that the table and the clues do not name."),
    ] = {}

    def known(self) -> dict[str, list[str]]:
        """The values of each column, in the order of table, ``values`` and clues."""
        found: dict[str, dict[str, None]] = {name: {} for name in self.header}
        rows = [*self.startMatrix, *(r for clue in self.hints for option in clue for r in option)]
        for name, listed in self.values.items():
            found[name] |= dict.fromkeys(listed)
        for row in rows:
            for name, value in zip(self.header, row, strict=True):
                if value:
                    found[name][value] = None
        return {name: list(values) for name, values in found.items()}

    def words(self, clue: int) -> str:
        """The words of a clue, or its number."""
        return self.clues[clue] if clue < len(self.clues) else f"clue {clue + 1}"


def riddle_names() -> tuple[str, ...]:
    """Names of the bundled riddles."""
    folder = files(__package__) / "riddles"
    return tuple(sorted(f.name[:-5] for f in folder.iterdir() if f.name.endswith(".json")))


def riddle_schema() -> dict[str, Any]:
    """The JSON Schema of the form, for editors."""
    schema = RiddleForm.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def load_riddle(source: str | Path | Mapping[str, Any] | RiddleForm) -> RiddleForm:
    """Read a riddle: a bundled name, the path of a JSON file, or the object itself.

    Raises :class:`InputError` that names the clue, option, row and column, counted from 1.
    """
    if isinstance(source, RiddleForm):
        return source
    if isinstance(source, Mapping):
        return _validated(dict(source), "riddle")
    if not isinstance(source, str | Path):
        raise InputError(f"riddle: expected a name, a JSON file or an object, got {shown(source)}")
    where = str(source)
    if where in riddle_names():
        text = (files(__package__) / "riddles" / f"{where}.json").read_text(encoding="utf-8")
    else:
        text = _read(Path(source))
    return _validated(reading.parsed_json(text, where), where)


def _read(path: Path) -> str:
    try:
        return reading.text(path, _LARGEST_FILE)
    except FileNotFoundError:
        bundled = ", ".join(riddle_names())
        raise InputError(
            f"riddle {str(path)!r}: no such file; the bundled riddles are {bundled}"
        ) from None
    except OSError as error:
        raise InputError(f"riddle {str(path)!r}: {error.strerror}") from None


def _validated(raw: Any, where: str) -> RiddleForm:
    if not isinstance(raw, dict):
        raise InputError(f"{where}: expected an object with header, startMatrix and hints")
    try:
        form = RiddleForm.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"{where}: {_place(first['loc'])}: {_said(first)}") from None
    except RecursionError:
        raise InputError(f"{where}: nested too deep") from None
    _must_fit(form, where)
    return form


def _said(error: Any) -> str:
    if error["type"] == "missing":
        return "missing"
    if error["type"] == "extra_forbidden":
        return f"unknown; expected {', '.join(RiddleForm.model_fields)}"
    message: str = error["msg"]
    return message[0].lower() + message[1:]


def _place(loc: tuple[int | str, ...]) -> str:
    words = {"hints": ("clue", "option", "row", "column"), "startMatrix": ("row", "column")}
    names = words.get(str(loc[0]), ("entry", "entry"))
    parts = [f"{name} {int(n) + 1}" for name, n in zip(names, loc[1:], strict=False) if _index(n)]
    return ", ".join([str(loc[0]), *parts])


def _index(part: int | str) -> bool:
    return isinstance(part, int)


def _must_fit(form: RiddleForm, where: str) -> None:
    """Widths, heights, and values against the number of rows."""
    width, height = len(form.header), len(form.startMatrix)
    if len(set(form.header)) < width or not all(form.header):
        raise InputError(f"{where}: header: every column needs a name of its own")
    for r, row in enumerate(form.startMatrix):
        if len(row) != width:
            raise InputError(f"{where}: {_place(('startMatrix', r))}: {_wide(len(row), width)}")
    for h, clue in enumerate(form.hints):
        for o, option in enumerate(clue):
            at = ("hints", h, o)
            if len(option) > height:
                raise InputError(
                    f"{where}: {_place(at)}: {len(option)} rows, but the table has {height}"
                )
            for r, row in enumerate(option):
                if len(row) != width:
                    raise InputError(f"{where}: {_place((*at, r))}: {_wide(len(row), width)}")
    if form.clues and len(form.clues) != len(form.hints):
        raise InputError(f"{where}: clues: {len(form.clues)} texts for {len(form.hints)} hints")
    for name in form.values:
        if name not in form.header:
            raise InputError(f"{where}: values: {name!r} is no column")
        if "" in form.values[name]:
            raise InputError(f"{where}: values of {name!r}: one is empty; leave it out")
    _must_hold(form, where, height)


def _must_be_plain(names: Iterable[str], where: str) -> None:
    """They are printed: a line break tears the table, an escape commands the terminal."""
    for name in names:
        if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in name):
            raise InputError(f"{where}: {name!r} holds a control character")


def _must_hold(form: RiddleForm, where: str, height: int) -> None:
    _must_be_plain(form.header, where)
    for c, name in enumerate(form.header):
        column = [row[c] for row in form.startMatrix if row[c]]
        for value in column:
            if column.count(value) > 1:
                raise InputError(f"{where}: startMatrix, column {c + 1} ({name}): {value!r} twice")
    known = form.known()
    for name, values in known.items():
        _must_be_plain(values, f"{where}: column {name!r}")
        if len(values) > height:
            raise InputError(
                f"{where}: column {name!r}: {len(values)} values for {height} rows: "
                + ", ".join(values)
            )
        if "?" in values:
            raise InputError(f"{where}: column {name!r}: '?' stands for what is unknown")
    if not any(known.values()):
        raise InputError(f"{where}: no column has a value")


def _wide(found: int, expected: int) -> str:
    return f"{found} entries, but the header has {expected}"
