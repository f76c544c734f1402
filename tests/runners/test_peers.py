"""Every peer counts every task of its own rightly, or says that its time was up."""

from __future__ import annotations

from typing import Any

import pytest
from nogood.runners import bench
from nogood.runners.peers import COUNTS, PEERS, Peer

QUICK = ("queens-8", "tours-5x6")
UNFINISHED = {
    ("scip", "magic-4"),
    ("scip", "magic-4-hide"),
    ("scip", "tours-6x6"),
    ("gurobi", "magic-4"),
    ("gurobi", "tours-6x6"),
}
"""Minutes, in trials; these only have to stop in time."""


def pairs(quick: bool) -> list[tuple[str, str]]:
    return [
        (name, task)
        for name, peer in PEERS.items()
        for task in peer.tasks
        if (task in QUICK and name != "alternative-solutions") == quick
        and (name, task) not in UNFINISHED
    ]


def installed(name: str) -> Peer:
    peer = PEERS[name]
    if not peer.available():
        pytest.skip(f"{peer.distribution} is not installed: pip install 'nogood[peers]'")
    return peer


@pytest.mark.parametrize(("name", "task"), pairs(quick=True))
def test_small_tasks(name: str, task: str) -> None:
    assert installed(name).tasks[task](120) == COUNTS[task]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "task"), pairs(quick=False))
def test_large_tasks(name: str, task: str) -> None:
    assert installed(name).tasks[task](900) == COUNTS[task]


@pytest.mark.parametrize("name", PEERS)
def test_a_time_limit_gives_no_count(name: str) -> None:
    peer = installed(name)
    task = "magic-4" if "magic-4" in peer.tasks else "queens-8"
    assert peer.tasks[task](0.05) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_no_peer_prints(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert installed(name).tasks["queens-8"](120) == COUNTS["queens-8"]
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("name", PEERS)
def test_version_of_what_is_installed(name: str) -> None:
    assert installed(name).version()


def test_an_absent_peer_is_not_available() -> None:
    for module in ("no_such_module", "no_such_package.part"):
        peer = Peer("none", module, "no-such-distribution", "", {})
        assert not peer.available()
        assert peer.version() == ""


def test_every_task_has_its_count() -> None:
    assert {task for peer in PEERS.values() for task in peer.tasks} == set(COUNTS)


@pytest.mark.slow
def test_jobs_without_peers_count_too() -> None:
    table = bench.run(["magic-4-journal"], repeat=1, say=lambda line: None)
    assert table["contender"].tolist() == ["nogood", "no-journal"]
    assert table["solutions"].tolist() == [7040, 7040]
    assert (table["seconds"] > 0).all()


@pytest.mark.parametrize("caught", [True, False])
def test_an_interrupted_benchmark_keeps_whole_jobs_and_says_so(
    nogood: Any, monkeypatch: pytest.MonkeyPatch, caught: bool
) -> None:
    def ours(job: bench.Job, seconds: float) -> int | None:
        if job.name == "queens-10" and not caught:
            raise KeyboardInterrupt
        return None if job.name == "queens-10" else COUNTS[job.task]

    monkeypatch.setattr(bench.Job, "count", ours)
    monkeypatch.setattr(bench, "PEERS", {})
    ran = nogood("bench", "--task", "queens-8", "--task", "queens-10")
    assert ran.status == 4
    assert "interrupted; these are the jobs that were done" in ran.err
    assert "queens-8" in ran.out
    assert "queens-10" not in ran.out
