"""What can go wrong on the solver's side."""


class SolverError(RuntimeError):
    """A solver failed, or returned what is no solution."""


class SolverMissing(RuntimeError):  # noqa: N818
    """What was asked for is not installed; the message has the command that installs it."""
