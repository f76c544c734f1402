"""The one error for bad input, and the check of numbers that raises it."""

from typing import Any

_LONGEST = 300
_LONGEST_VALUE = 100


class InputError(ValueError):
    """Bad input: one line that says what is wrong, where, and what would be right."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(message: str) -> str:
    """``message`` in one line that a terminal shows as it is: no escapes, and not too long."""
    line = " ".join(_cut(message, 4 * _LONGEST).split())
    return _cut("".join(c if c.isprintable() else repr(c)[1:-1] for c in line), _LONGEST)


def _cut(text: str, longest: int) -> str:
    """``text``, or its beginning and its end: a path is followed by what is wrong with it."""
    end = longest // 3
    return text if len(text) <= longest else f"{text[: longest - end - 1]}…{text[-end:]}"


def shown(value: object) -> str:
    """``repr(value)``, cut short; what cannot be shown, such as 10**5000, by its type."""
    try:
        text = repr(value)
    except Exception:  # of whatever was given
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def check_positive(name: str, value: float | None, whole: bool = False, zero: bool = False) -> None:
    """Raise :class:`InputError` unless ``value`` is None or a positive (or zero) number."""
    kind: Any = int if whole else (int, float)
    if value is None:
        return
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if not is_number or not (value > 0 or (zero and value == 0)) or value == float("inf"):
        wanted = "a number from 0 on" if zero else f"a positive {'integer' if whole else 'number'}"
        raise InputError(f"{name}: expected {wanted}, got {value!r}")
