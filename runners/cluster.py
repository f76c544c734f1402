"""Parts of a search on many machines, through Dask."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from ..data import InputError
from .errors import SolverMissing

_SECONDS = 10


@contextmanager
def dask(address: str) -> Iterator[tuple[Executor, int]]:
    """An executor on the cluster whose scheduler is at ``address``, and its number of threads.

    Its workers need this package.  Raises :class:`InputError` where no scheduler answers.
    """
    if find_spec("distributed") is None:
        raise SolverMissing("Dask is not here; install it with: pip install distributed")
    from distributed import Client

    try:
        if not re.search(r":[0-9]+/?$", address):
            raise ValueError("it has no port")
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:150]
        raise InputError(
            f"dask: no scheduler answers at {address!r}; expected such as tcp://HOST:8786: {reason}"
        ) from None
    with client:
        threads = sum(client.nthreads().values())
        yield _OnCluster(client), max(threads, 1)


class _OnCluster(Executor):
    """Dask's executor, which would take tasks for a scheduler that is gone, and never end them."""

    def __init__(self, client: Any) -> None:
        self._client = client
        # Each part is a task of its own, whatever was searched before.
        self._executor = client.get_executor(pure=False)

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        """Raises RuntimeError when the scheduler cannot be reached again."""
        while self._client.status == "connecting":
            time.sleep(0.1)  # the client gives up after a time of its own
        if self._client.status != "running":
            raise RuntimeError("Dask's scheduler is gone")
        future: Future[Any] = self._executor.submit(*args, **kwargs)
        return future
