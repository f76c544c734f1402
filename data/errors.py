"""The one error for bad input."""


class InputError(ValueError):
    """Bad input: one line that says what is wrong, where, and what would be right."""
