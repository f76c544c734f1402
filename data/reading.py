"""Files that others wrote: regular ones alone, and no more of them than a bound."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from .errors import InputError, shown

_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


def must_be_regular(path: str | Path) -> None:
    """Raise ``OSError`` for what is no file on a disk: a pipe would be waited for, for ever.

    A path that the system cannot even be asked for is an ``OSError`` too.
    """
    try:
        mode = os.stat(path).st_mode
    except ValueError as error:  # a null byte, or a surrogate
        raise OSError(errno.EINVAL, str(error)) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "is no regular file")


def contents(path: str | Path, largest: int) -> bytes:
    """The bytes of a regular file.

    Raises ``OSError`` if it cannot be read, and :class:`InputError` if it has more bytes than
    ``largest``.  They are counted as they are read: files in ``/proc`` say that they have none.
    """
    must_be_regular(path)
    with open(path, "rb") as file:
        found = file.read(largest + 1)
    if len(found) > largest:
        raise InputError(f"{path}: larger than {largest >> 20} MiB")
    return found


def text(path: str | Path, largest: int) -> str:
    """The text of a regular file in UTF-8, as :func:`contents` reads it."""
    try:
        return contents(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file in UTF-8") from None


def parsed_json(said: str, where: str) -> Any:
    """What a text in JSON says; :class:`InputError` with the place where it is none."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise InputError(f"{where}: {shown(name)} stands twice in one object")
            found[name] = value
        return found

    try:
        return json.loads(said, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{where}: not JSON: {error.msg} at {place}") from None
    except InputError:
        raise
    except (RecursionError, ValueError):
        raise InputError(f"{where}: nested too deep, or a number too long") from None


def integer(word: str) -> int:
    """The integer that ``word`` writes in the digits 0 to 9, or ``ValueError``.

    ``int`` also takes ``1_0``, digits of other scripts, and however many.
    """
    if not _INTEGER.fullmatch(word.strip()):
        raise ValueError("not an integer")
    return int(word)
