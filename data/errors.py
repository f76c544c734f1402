"""The one error for bad input."""

_LONGEST = 300


class InputError(ValueError):
    """Bad input: one line that says what is wrong, where, and what would be right."""

    def __init__(self, message: str) -> None:
        line = " ".join(message.split())
        super().__init__(line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…")
