"""Standard streams as they may be: closed, full, read by nobody any more, without Unicode."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TextIO, cast

_PLAIN = {"♛": "Q", "·": ".", "×": "x", "…": "...", "≤": "<=", "≥": ">=", "–": "-", "−": "-"}
_PLAIN |= dict.fromkeys("─", "-") | dict.fromkeys("│", "|") | dict.fromkeys("═", "=")
_PLAIN |= dict.fromkeys("┌┬┐├┼┤└┴┘╭╮╰╯", "+")


def prepare() -> None:
    """Let nothing that is printed fail by what the streams are."""
    # A file that is opened would else take the number of a closed stream, and be printed into.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # for solvers too
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")
    codecs.register_error("nogood", _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="nogood")


def _stream(number: int, mode: str) -> TextIO:
    return cast(TextIO, open(number, mode, encoding="utf-8", closefd=False))


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """A board's signs in ASCII, anything else as Python and JSON write it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c) or ascii(c)[1:-1] for c in part), error.end


def is_unicode() -> bool:
    """Whether standard output takes every character."""
    return codecs.lookup(sys.stdout.encoding or "ascii").name.startswith("utf")


def finish() -> OSError | None:
    """Write what is still to be written; what was in the way on standard output."""
    failed = None
    for stream, number in ((sys.stderr, 2), (sys.stdout, 1)):
        try:
            stream.flush()
        except OSError as error:
            failed = error if number == 1 else None
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)  # the interpreter flushes again when it ends
            os.close(nowhere)
    return failed
