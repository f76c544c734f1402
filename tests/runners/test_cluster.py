"""A real Dask scheduler and its workers, on this machine."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import psutil
import pytest
from nogood.models import MagicSquare
from nogood.runners import SolverError, SolverMissing, enumerate_solutions
from nogood.runners.cluster import dask
from nogood.runners.journal import summary

pytest.importorskip("distributed", reason="pip install distributed")
pytestmark = pytest.mark.slow

SQUARES = {"symmetry": False}
"""The 7040 squares of order 4, searched long enough for parts to be dealt."""


def free_port():
    with socket.socket() as open_port:
        open_port.bind(("127.0.0.1", 0))
        return open_port.getsockname()[1]


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        self.scheduler = self.start("dask_scheduler", *options)
        self.workers = [self.worker() for _ in range(2)]

    def start(self, kind, *options):
        command = [sys.executable, "-m", f"distributed.cli.{kind}", *options]
        with (self.folder / "log.txt").open("a") as log:
            return subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)

    def worker(self):
        return self.start(
            "dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"
        )

    def stop(self):
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(psutil.NoSuchProcess):
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.stop()


@contextlib.contextmanager
def executor(cluster):
    """An executor when both workers are there."""
    with dask(cluster.address) as (given, _):
        given._client.wait_for_workers(2, timeout=60)
        yield given


def later(seconds, process):
    timer = threading.Timer(seconds, os.kill, (process.pid, signal.SIGKILL))
    timer.start()
    return timer


def test_the_result_is_that_of_one_process(cluster, fault):
    alone = enumerate_solutions(MagicSquare(4), workers=1, **SQUARES)
    with executor(cluster) as there:
        found = enumerate_solutions(MagicSquare(4), executor=there, **SQUARES)
        assert found.solutions == alone.solutions
        assert found.complete
    assert found.progress.parts_done == alone.progress.parts_done > 20
    fault("the 4×4 squares on a Dask cluster", f"{found.count}, in the same order as alone")


def test_a_worker_that_is_killed_loses_nothing(cluster, fault):
    with executor(cluster) as there:
        found = enumerate_solutions(MagicSquare(4), executor=there, **SQUARES)
        while found.so_far < 500:
            assert found.step()
        cluster.workers[0].kill()
        assert (found.count, found.complete) == (7040, True)
        assert len(set(found.solutions)) == 7040
    fault("a Dask worker killed while it searched", "its part repeated elsewhere; 7040 squares")


def test_the_scheduler_killed_and_the_journal_resumed(cluster, tmp_path, fault):
    path = tmp_path / "run.db"
    with contextlib.suppress(OSError, RuntimeError, TimeoutError), executor(cluster) as there:
        found = enumerate_solutions(MagicSquare(4), executor=there, journal=path, **SQUARES)
        while found.progress.parts_done < 14:
            assert found.step()
        cluster.scheduler.kill()
        with pytest.raises(
            SolverError, match=r"part .* of the search failed|executor takes no more work"
        ):
            _ = found.count
    said = summary(path)
    assert 0 < said.solutions < 7040
    assert said.parts_done >= 14
    found = enumerate_solutions(MagicSquare(4), journal=path, resume=True, workers=2, **SQUARES)
    assert (found.count, found.complete) == (7040, True)
    assert len(set(found.solutions)) == 7040
    kept = said.solutions
    fault("the Dask scheduler killed", f"{kept} squares in the journal; resumed alone, 7040")


def test_on_the_command_line(cluster, nogood):
    ran = nogood("enumerate", "queens", "--n", 8, "--dask", cluster.address)
    assert ran.status == 0
    assert "92 solutions, complete" in ran.out


def test_no_scheduler_is_one_line(nogood):
    for address in (f"tcp://127.0.0.1:{free_port()}", "nonsense://x", "tcp://", "127.0.0.1:99999"):
        began = time.monotonic()
        ran = nogood("enumerate", "queens", "--dask", address)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.splitlines()[-1].startswith(
            f"nogood: --dask: no scheduler answers at {address!r}"
        )
        assert time.monotonic() - began < 40


def test_without_dask_the_install_command_is_said(monkeypatch):
    monkeypatch.setattr("nogood.runners.cluster.find_spec", lambda name: None)
    with pytest.raises(SolverMissing, match="pip install distributed"), dask("tcp://host:8786"):
        pass
