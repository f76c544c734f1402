"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..data import InputError


@contextmanager
def whole_file(path: str | Path, ending: str | None = None) -> Iterator[Path]:
    """A temporary path of the same (or the given) ending beside ``path``, moved there at the end.

    Where ``path`` is a link, what it leads to is replaced, not the link.

    Raises :class:`InputError` if ``path`` cannot be written; then nothing is left behind.
    """
    target = must_be_writable(path)
    try:
        final = target.resolve()
        handle, name = tempfile.mkstemp(
            dir=final.parent, prefix=".", suffix=f".{ending}" if ending else target.suffix
        )
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(0o666 & ~_umask())
        partial.replace(final)
    except InputError:
        raise
    except Exception as error:
        # Matplotlib fails once more as it cleans up after a file that could not be written.
        cause = error if isinstance(error, OSError) else error.__context__
        if not isinstance(cause, OSError):
            raise
        raise InputError(f"{target}: cannot be written: {cause.strerror or cause}") from None
    finally:
        partial.unlink(missing_ok=True)


def must_be_writable(path: str | Path) -> Path:
    """``path``, unless it is plain that no file can be written there."""
    target = Path(path)
    try:
        _must_be_free(target)
        if not target.parent.is_dir():
            reason = errno.ENOTDIR if target.parent.exists() else errno.ENOENT
            raise InputError(f"{target}: cannot be written: {os.strerror(reason)}")
        if not os.access(target.parent, os.W_OK):
            raise InputError(f"{target}: cannot be written: {os.strerror(errno.EACCES)}")
    except OSError as error:  # a name that is too long, links that go round
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def _must_be_free(target: Path) -> None:
    """Nothing is there, or a file to be replaced: not a folder, a pipe or a device."""
    try:
        mode = target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except ValueError as error:  # a null byte, or a surrogate
        raise InputError(f"{target}: cannot be written: {error}") from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{target}: is a folder; expected a file to write")
    if not stat.S_ISREG(mode):
        raise InputError(f"{target}: is no regular file; expected a file to write")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
