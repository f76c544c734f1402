"""The mathematics of a formulation: from the docstrings of its parts to text, Markdown and more.

A puzzle says what its model is made of in the docstrings of its class and of its parts (see
:class:`~nogood.models.puzzle.Puzzle`); here they are put together for one instance, with the
number of variables and constraints that it has of each kind.
"""

from __future__ import annotations

import html
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyomo.environ as pyo

from ..models.puzzle import Puzzle
from .linear import LinearModel, as_problem

_DEFINED = ("Sets", "Parameters")
_SECTIONS = (
    *_DEFINED,
    "Variables",
    "Expressions",
    "Objective",
    "Constraints",
    "Bounds",
    "Lazy constraints",
)
_COMPONENTS = ("Variables", "Expressions", "Objective", "Constraints")
_MATH = re.compile(r":math:`([^`]*)`")
_WIDTH = 88


@dataclass(frozen=True)
class Entry:
    """A line of a section: ``text`` has its formulas as ``:math:`LaTeX```.

    ``count`` is how many of the kind the instance has, None where nothing is counted.
    """

    name: str
    index: str
    text: str
    count: int | None = None

    @property
    def label(self) -> str:
        """As in the model: ``row[r]``."""
        return f"{self.name}[{self.index}]" if self.index else self.name


@dataclass(frozen=True)
class Formulation:
    """The mathematics of one instance."""

    title: str
    summary: str
    sections: dict[str, list[Entry]]
    notes: list[str]
    size: str


def formulation(puzzle: Puzzle) -> Formulation:
    """What the model of ``puzzle`` is made of."""
    model = puzzle.model()
    texts = [inspect.getdoc(source) or "" for source in (type(puzzle), *puzzle.parts())]
    found: dict[str, list[Entry]] = {name: [] for name in _SECTIONS}
    notes: list[str] = []
    for text in texts:
        for paragraph in text.split("\n\n")[1:]:
            entries = list(_entries(paragraph))
            for section, entry in entries:
                found[section].append(entry)
            if not entries:
                notes.append(" ".join(paragraph.split()))
    for section in _COMPONENTS:
        found[section] = [
            _counted(e, model) for e in found[section] if model.component(e.name) is not None
        ]
    used = " ".join(e.text for name in _SECTIONS for e in found[name])
    for section in _DEFINED:
        found[section] = [e for e in found[section] if _is_used(e, used)]
    return Formulation(
        title=puzzle.describe(),
        summary=puzzle.about(),
        sections={name: entries for name, entries in found.items() if entries},
        notes=list(dict.fromkeys(notes)),
        size=size_of(as_problem(puzzle).linear),
    )


def _entries(paragraph: str) -> Iterator[tuple[str, Entry]]:
    """``Section`` lines with indented entries under them, as in ``name[index]: text``."""
    section, lines = "", textwrap.dedent(paragraph).splitlines()
    texts: list[tuple[str, str]] = []
    for line in lines:
        if line in _SECTIONS:
            section = line
        elif section and re.match(r"    \S", line):
            texts.append((section, line.strip()))
        elif texts and line.startswith("     "):
            texts[-1] = (section, f"{texts[-1][1]} {line.strip()}")
    for of, text in texts:
        parts = re.match(r"(\w+)(?:\[([^\]]*)\])?: (.*)", text)
        assert parts, f"{text!r} is not 'name[index]: text'"
        yield of, Entry(parts[1], parts[2] or "", parts[3])


def _counted(entry: Entry, model: pyo.ConcreteModel) -> Entry:
    component = model.component(entry.name)
    text = entry.text
    if component.ctype is pyo.Objective:
        text = f"{'minimise' if component.sense == pyo.minimize else 'maximise'} {text}"
    return Entry(entry.name, entry.index, text, len(component))


def _is_used(entry: Entry, text: str) -> bool:
    """Whether the symbol of a set or parameter stands in some other entry's formula."""
    symbol = entry.name.split("_")[0]
    others = text.replace(entry.text, "", 1)
    formulas = " ".join(_MATH.findall(others))
    return bool(re.search(rf"(?<![A-Za-z\\]){symbol}(?![A-Za-z])", formulas))


def size_of(linear: LinearModel) -> str:
    """Rows, columns by kind, and nonzeros of an instance."""
    integer = linear.integer
    binary = integer & (linear.col_lower >= 0) & (linear.col_upper <= 1)
    kinds = {
        "binary": int(binary.sum()),
        "integer": int((integer & ~binary).sum()),
        "continuous": int((~integer).sum()),
    }
    columns = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    return f"{linear.rows} rows, {linear.columns} columns ({columns}), {linear.matrix.nnz} nonzeros"


def as_text(said: Formulation) -> str:
    """For a terminal: ``x_{ij}`` as ``x[i,j]``."""
    entries = [entry for section in said.sections.values() for entry in section]
    width = max((len(entry.label) for entry in entries), default=0)
    digits = max(len(str(entry.count or "")) for entry in entries) if entries else 0
    parts = [f"{said.title}\n{said.summary}"]
    for name, section in said.sections.items():
        lines = [name]
        for entry in section:
            start = f"  {entry.label:<{width}}  {entry.count or '':>{digits}}  "
            lines.append(_wrapped(_plain(entry.text), start))
        parts.append("\n".join(lines))
    parts.append(said.size)
    parts += [_wrapped(_plain(note), "") for note in said.notes]
    return "\n\n".join(parts) + "\n"


def _wrapped(text: str, start: str) -> str:
    return textwrap.fill(
        text,
        max(_WIDTH, len(start) + 40),
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
        break_long_words=False,
    )


def as_markdown(said: Formulation) -> str:
    """Markdown with formulas between dollar signs."""

    def text(words: str) -> str:
        return _MATH.sub(r"$\1$", words).replace("``", "`")

    parts = [f"# {said.title}", said.summary]
    for name, section in said.sections.items():
        parts.append(f"## {name}")
        parts.append("\n".join(f"- `{e.label}`{_times(e.count)}: {text(e.text)}" for e in section))
    return "\n\n".join([*parts, said.size, *map(text, said.notes)]) + "\n"


def as_latex(said: Formulation) -> str:
    """A section of a LaTeX document, with descriptions as lists."""
    parts = [f"\\section*{{{_escaped(said.title)}}}", _latex(said.summary)]
    for name, section in said.sections.items():
        items = [
            f"\\item[\\texttt{{{_escaped(e.label)}}}]{_times(e.count)} {_latex(e.text)}"
            for e in section
        ]
        parts.append(f"\\paragraph{{{name}}}")
        parts.append("\n".join(["\\begin{description}", *items, "\\end{description}"]))
    return "\n\n".join([*parts, _latex(said.size), *map(_latex, said.notes)]) + "\n"


def as_html(puzzle: Puzzle) -> str:
    """A fragment of HTML with MathML; every word is escaped."""
    said = formulation(puzzle)
    parts = [f"<p>{_html(said.summary)}</p>"]
    for name, section in said.sections.items():
        rows = [
            f"<tr><th scope='row'><code>{html.escape(e.label)}</code></th>"
            f"<td>{e.count or ''}</td><td>{_html(e.text)}</td></tr>"
            for e in section
        ]
        parts.append(f"<table><caption>{name}</caption>{''.join(rows)}</table>")
    notes = "".join(f"<p>{_html(note)}</p>" for note in said.notes)
    return f"{''.join(parts)}<p>{html.escape(said.size)}</p>{notes}"


def _times(count: int | None) -> str:
    return "" if count is None else f" ({count})"


def _converted(text: str, words: Callable[[str], str], formula: Callable[[str], str]) -> str:
    """``text`` with its words and its formulas each converted."""
    pieces = _MATH.split(text)
    return "".join(formula(p) if k % 2 else words(p) for k, p in enumerate(pieces))


def _html(text: str) -> str:
    from latex2mathml.converter import convert

    return _converted(_bare(text), html.escape, convert)


def _latex(text: str) -> str:
    return _converted(_bare(text), _escaped, lambda formula: f"${formula}$")


def _bare(text: str) -> str:
    """Without the marks for code and emphasis."""
    return re.sub(r"``|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", text)


def _escaped(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text.replace("\\", "/"))


_SIGNS = {
    r"\in": "∈",
    r"\le": "≤",
    r"\ge": "≥",
    r"\ne": "≠",
    r"\dots": "…",
    r"\subset": "⊂",
    r"\sum": "Σ",
    r"\mathbb{Z}": "ℤ",
    r"\,": "",
    r"\;": "",
    r"\{": "⟨",
    r"\}": "⟩",
}


def _plain(text: str) -> str:
    return _converted(_bare(text), lambda words: words, _terminal)


def _terminal(formula: str) -> str:
    r"""LaTeX of the kind used in the docstrings as text: ``\sum_c x_{rc}`` as ``Σ_c x[r,c]``."""
    text = re.sub(r"\\mathrm\{(\w+)\}", r"\1", formula)
    for latex, sign in _SIGNS.items():
        text = re.sub(
            re.escape(latex) + (r"(?![A-Za-z])" if latex[-1].isalpha() else ""), sign, text
        )
    text = re.sub(r"Σ_\{(\w)\}", r"Σ_\1", text)
    text = re.sub(r"Σ_\{([^{}]*)\}", r"Σ_(\1)", text)
    text = re.sub(r"(?<=\w)_\{(\w+)\}", lambda m: f"[{','.join(m[1])}]", text)
    text = re.sub(r"(?<=\w)_\{([^{}]*)\}", r"[\1]", text)
    text = re.sub(r"(?<=[A-Za-z])_(\w)", r"[\1]", text)
    return text.replace("^2", "²").replace("⟨", "{").replace("⟩", "}")


FORMATS = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
"""How :func:`formulation` is written."""
