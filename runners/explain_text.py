"""An explanation as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..models.riddle import Literal, Riddle
from .explaining import Explanation, Step

Facts = Iterable[tuple[Literal, bool]]


def as_text(said: Explanation, markdown: bool = False) -> str:
    """For a terminal, or as Markdown."""
    form = said.riddle.form
    parts = [_heading(form.title or "Riddle", 1, markdown), form.question]
    if said.steps:
        lines = [f"{n}. {_step(said.riddle, step)}" for n, step in enumerate(said.steps, start=1)]
        parts += [_heading("Step by step", 2, markdown), "\n".join(lines)]
    parts += [_heading("Result", 2, markdown), _result(said, markdown)]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_dict(said: Explanation) -> dict[str, Any]:
    """In the types of JSON; clues count from 1."""
    return {
        "riddle": said.riddle.form.title,
        "unique": said.unique,
        "complete": said.complete,
        "stopped": said.stopped,
        "solutions": [[list(row) for row in table] for table in said.solutions],
        "steps": [
            {
                "clues": [h + 1 for h in step.clues],
                "rules": list(step.rules),
                "facts": _literals(step.facts),
                "derived": _literals(step.derived),
            }
            for step in said.steps
        ],
        "conflicts": [[h + 1 for h in conflict] for conflict in said.conflicts],
        "redundant": [h + 1 for h in said.redundant],
        "smallest": [h + 1 for h in said.smallest],
        "open": _literals((literal, True) for literal in said.open),
    }


def _literals(facts: Facts) -> list[dict[str, Any]]:
    return [
        {"column": name, "value": value, "row": row + 1, "holds": holds}
        for (name, value, row), holds in facts
    ]


def _heading(text: str, level: int, markdown: bool) -> str:
    return f"{'#' * level} {text}" if markdown else f"{text}\n{'═─'[level - 1] * len(text)}"


def _step(riddle: Riddle, step: Step) -> str:
    reasons = [f"Clue {h + 1}: {riddle.form.words(h)}" for h in step.clues]
    if step.rules:
        reasons.append(f"Each {' and each '.join(step.rules)} once.")
    known = f" Known: {phrase(riddle, step.facts)}." if step.facts else ""
    return f"{' '.join(reasons)}{known} So: {phrase(riddle, step.derived)}."


def phrase(riddle: Riddle, facts: Facts) -> str:
    """Facts with the rows of one value together: ``tea not in house 1, 3``."""
    grouped: dict[tuple[str, str, bool], list[int]] = {}
    for (name, value, row), holds in facts:
        grouped.setdefault((name, value, holds), []).append(row)
    affirmed_first = sorted(grouped.items(), key=lambda item: not item[0][2])
    return "; ".join(
        f"{value} {'' if holds else 'not '}in {_rows(riddle, rows)}"
        for (_, value, holds), rows in affirmed_first
    )


def _rows(riddle: Riddle, rows: list[int]) -> str:
    """Rows by the first column that the table gives whole, else by number."""
    form = riddle.form
    for c, name in enumerate(form.header):
        column = [row[c] for row in form.startMatrix]
        if all(column):
            return f"{name} {', '.join(column[r] for r in rows)}"
    return f"row {', '.join(str(r + 1) for r in rows)}"


def _result(said: Explanation, markdown: bool) -> str:
    riddle = said.riddle
    parts = [riddle.draw(table) for table in said.solutions[:2]]
    if markdown:
        parts = [f"```\n{table}\n```" for table in parts]
    if said.unique:
        parts.append("The only solution.")
    elif said.solutions:
        more = "" if said.complete else " or more"
        parts.append(f"{len(said.solutions)}{more} solutions remain.")
    elif said.complete:
        parts.append("No solution.")
    parts += [_conflict(riddle, conflict) for conflict in said.conflicts]
    if said.stopped:
        parts.append(f"Stopped by {said.stopped}: this is not all.")
    elif said.unique:
        parts.append(_subsets(said))
    elif said.solutions:
        parts.append(f"They differ in: {phrase(riddle, ((x, True) for x in said.open))}.")
    return "\n\n".join(parts)


def _conflict(riddle: Riddle, conflict: tuple[int, ...]) -> str:
    if not conflict:
        return "The table itself breaks its rules."
    lines = [f"- Clue {h + 1}: {riddle.form.words(h)}" for h in conflict]
    return "These clues cannot hold together:\n" + "\n".join(lines)


def _subsets(said: Explanation) -> str:
    count = len(said.riddle.form.hints)
    needed = f"{len(said.smallest)} of the {count} clues determine it"
    lacking = [h + 1 for h in range(count) if h not in said.smallest]
    without = f" (all but {', '.join(map(str, lacking))})" if lacking else ""
    alone = ", ".join(str(h + 1) for h in said.redundant)
    redundant = f"Not needed, each alone: clue {alone}." if alone else "No clue can be left out."
    return f"{needed}{without}. {redundant}"
