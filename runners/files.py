"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..data import InputError


@contextmanager
def whole_file(path: str | Path, ending: str | None = None) -> Iterator[Path]:
    """A temporary path of the same (or the given) ending beside ``path``, moved there at the end.

    Raises :class:`InputError` if ``path`` cannot be written; then nothing is left behind.
    """
    target = must_be_writable(path)
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=".", suffix=f".{ending}" if ending else target.suffix
        )
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(0o666 & ~_umask())
        partial.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


def must_be_writable(path: str | Path) -> Path:
    """``path``, unless it is plain that no file can be written there."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target}: is a folder; expected a file to write")
    if not target.parent.is_dir():
        reason = errno.ENOTDIR if target.parent.exists() else errno.ENOENT
        raise InputError(f"{target}: cannot be written: {os.strerror(reason)}")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{target}: cannot be written: {os.strerror(errno.EACCES)}")
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
