"""Runs killed at random moments, over and over: nothing is lost, nothing is there twice."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from nogood.models import MagicSquare
from nogood.runners import enumerate_solutions
from nogood.runners.journal import summary

KILLS = 200
DRIVER = """
import json, os, sys
from nogood.models import MagicSquare
from nogood.runners import enumerate_solutions, highs, parallel
parallel._LATER = 5_000_000  # parts of half a second, so that some end between two kills
print("ready", flush=True)
for line in sys.stdin:  # a child for each run, so that it does not wait for imports
    path, resume, workers = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        found = enumerate_solutions(
            MagicSquare(4), symmetry=False, workers=workers, journal=path, resume=resume
        )
        os._exit(0 if found.count == 7040 and found.complete else 9)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Runs:
    """Runs of the enumeration that are killed, workers included."""

    def __init__(self):
        self.driver = subprocess.Popen(
            [sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.driver.stdout.readline() == "ready\n"

    def run(self, path, workers, seconds):
        """Run for so many seconds; returns the exit status, that of the signal if it was killed."""
        self.driver.stdin.write(json.dumps([str(path), path.exists(), workers]) + "\n")
        self.driver.stdin.flush()
        child = int(self.driver.stdout.readline())
        time.sleep(seconds)
        for kill in (os.killpg, os.kill):  # it may have no group yet, or have ended
            with contextlib.suppress(ProcessLookupError):
                kill(child, signal.SIGKILL)
        return int(self.driver.stdout.readline())


def consistent(path):
    """The journal is sound, and each solution is in it once."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        count = "SELECT count(*), count(DISTINCT solution) FROM solutions"
        assert len(set(db.execute(count).fetchone())) == 1
        both = "SELECT count(*) FROM parts WHERE done AND state IS NOT NULL"
        assert db.execute(both).fetchone() == (0,)
    return summary(path)


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(tmp_path, fault):
    squares = set(enumerate_solutions(MagicSquare(4)).solutions)
    assert len(squares) == 7040
    moments, runs = random.Random(1), Runs()
    kills = journals = 0
    began = time.monotonic()
    while kills < KILLS:
        path = tmp_path / f"{journals}.db"
        # Every fourth journal with processes of its own, which take a while to begin.
        workers, longest = (2, 4.0) if journals % 4 == 3 else (1, 0.8)
        before = 0
        while True:
            status = runs.run(path, workers, moments.uniform(0, longest))
            if not path.exists():
                kills += 1
                continue
            said = consistent(path)
            assert before <= said.solutions <= 7040
            before = said.solutions
            if said.complete:
                break
            assert status == -signal.SIGKILL
            kills += 1
        found = enumerate_solutions(MagicSquare(4), symmetry=False, journal=path, resume=True)
        assert found.count == 7040
        assert set(found.solutions) == squares
        journals += 1
    seconds = time.monotonic() - began
    print(f"{kills} kills, {journals} journals, {seconds:.0f} s")
    fault(
        f"SIGKILL to all processes at {kills} random moments of {journals} enumerations",
        "resumed until they were complete: 7040 squares each, none twice, every file sound",
    )
