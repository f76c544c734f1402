"""A journal: an enumeration in an SQLite file, so that it can be stopped at any moment.

Tables, to be read while it is written, by pandas too: ``run`` (what it is), ``sessions`` (when it
was at work, and what it had found), ``parts`` (of the search, done and open), ``solutions`` and
``calls`` (of the solver).  The solutions of a part, that
it is done, and what is left of it are written in one transaction; so are, now and then, the
solutions that have come so far.  A solution is there once, whoever finds it again.
"""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from ..data import InputError
from .branching import Nodes
from .cuts import Call, IntVector
from .files import must_be_writable
from .keeping import Row
from .linear import Problem
from .parallel import Checkpoint, Part, Progress
from .splitting import UnitRow

_NAME, _FORMAT = 0x6E6F676F, 1
"""SQLite's ``application_id`` (nogo) and ``user_version`` of a journal."""
_SECONDS, _ROWS = 0.5, 5000
"""Solutions of an open part are written after so long, or so many."""
_SCHEMA = """
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE sessions (number INTEGER PRIMARY KEY, began TEXT, seconds REAL, solutions INTEGER);
CREATE TABLE parts (
    path TEXT PRIMARY KEY, done INTEGER, share REAL, nodes INTEGER, state BLOB
);
CREATE TABLE solutions (
    number INTEGER PRIMARY KEY, part TEXT, place INTEGER, orbit INTEGER, objective REAL,
    solution TEXT, keys BLOB UNIQUE
);
CREATE TABLE calls (status TEXT, seconds REAL, nodes INTEGER, rows INTEGER, cuts INTEGER);
"""


class JournalFailed(Exception):  # noqa: N818
    """The journal cannot be written any more; what it says is kept."""


class Journal:
    """The journal of one run, opened to be written by it alone."""

    def __init__(self, path: str | Path, resume: bool, problem: Problem, run: dict[str, str]):
        self.path = must_be_writable(path)
        self._binary = problem.binary_keys
        self._columns, self._keys = problem.linear.columns, len(problem.indices)
        self._lock = FileLock(f"{self.path}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise InputError(f"{self.path}: another run is writing it") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            self._db = self._open(resume, run)
        except BaseException:
            self._lock.release()
            raise
        self._buffer: list[tuple[Any, ...]] = []
        self._began = self._written = time.monotonic()
        self._part, self._place = "", 0
        self._count: int = self._one("SELECT count(*) FROM solutions")
        self._calls = self._one("SELECT count(*) FROM calls")
        row = (_now(), self._count)
        begin = "INSERT INTO sessions (began, seconds, solutions) VALUES (?, 0, ?)"
        self._session = self._db.execute(begin, row).lastrowid

    def _open(self, resume: bool, run: dict[str, str]) -> sqlite3.Connection:
        if self.path.exists() and not resume:
            raise InputError(f"{self.path}: exists; go on with it by --resume, or take another")
        if not self.path.exists():
            if resume:
                raise InputError(f"{self.path}: no such journal; leave --resume out to begin one")
            _create(self.path, run)
        db = opened(self.path, write=True)
        try:
            was = dict(db.execute("SELECT name, value FROM run"))
            for name, value in run.items():
                if was.get(name) != value:
                    raise InputError(
                        f"{self.path}: is of another run: {name} was {was.get(name)}, is {value}"
                    )
            rows = db.execute("SELECT path, state FROM parts WHERE NOT done").fetchall()
            self._parts = [_unpacked(path, state, self._columns) for path, state in rows]
            db.execute("PRAGMA journal_mode = WAL")  # others read while it is written
            db.execute("PRAGMA synchronous = FULL")  # what is committed outlives a power cut
        except BaseException as error:
            db.close()
            if isinstance(error, InputError) or not isinstance(error, Exception):
                raise
            if isinstance(error, sqlite3.OperationalError):
                raise InputError(f"{self.path}: is in use: {error}; try again") from None
            raise InputError(f"{self.path}: damaged: {error}") from None
        return db

    def _one(self, question: str) -> Any:
        return self._db.execute(question).fetchone()[0]

    @property
    def complete(self) -> bool:
        """Whether it is proven that nothing is left."""
        return bool(self._one("SELECT count(*) FROM run WHERE name = 'complete'"))

    def resume(self, progress: Progress) -> list[Part] | None:
        """The parts that are open, None before the first is done; ``progress`` as it was."""
        calls = self._db.execute("SELECT status, seconds, nodes, rows, cuts FROM calls")
        progress.calls += [Call(*row) for row in calls]
        done = "SELECT count(*), total(share), total(nodes) FROM parts WHERE done"
        progress.parts_done, progress.share, progress.nodes = self._db.execute(done).fetchone()
        return self._parts if progress.parts_done else None

    def keys(self) -> list[IntVector]:
        """The key values of every solution so far, in the order in which they were found."""
        rows = self._db.execute("SELECT keys FROM solutions ORDER BY number")
        return [self._decoded(blob) for (blob,) in rows]

    def remembered(self, name: str, compute: Callable[[], Any]) -> Any:
        """What ``compute`` gave when it was first asked, in the types of JSON."""
        found = self._db.execute("SELECT value FROM run WHERE name = ?", (name,)).fetchone()
        if found is None:
            value = compute()
            self._commit((), "INSERT INTO run VALUES (?, ?)", [(name, json.dumps(value))])
            return value
        return json.loads(found[0])

    def add(self, keys: IntVector, reading: int, row: Row) -> None:
        """A solution: the ``reading``-th of these key values."""
        text = json.dumps(row.solution, ensure_ascii=False, separators=(",", ":"))
        blob = self._encoded(keys, reading)
        self._buffer.append((self._part, self._place, row.orbit, row.objective, text, blob))
        self._place += 1

    def _encoded(self, keys: IntVector, reading: int) -> bytes:
        values = np.packbits(keys.astype(bool)) if self._binary else keys.astype("<i4")
        return values.tobytes() + bytes([reading])

    def __len__(self) -> int:
        return self._count + len(self._buffer)

    def begin(self, path: tuple[int, ...]) -> None:
        """The solutions that follow are of this part."""
        self.flush()
        self._part, self._place = _text(path), 0

    def finish(self, done: Checkpoint, progress: Progress) -> None:
        """A part is done: what was found in it, and what is left of it, at one stroke."""
        rows: list[tuple[Any, ...]] = [
            (_text(part.path), 0, None, None, _packed(part)) for part in done.opened
        ]
        rows.append((_text(done.finished), 1, done.tally.share, done.tally.nodes, None))
        self._commit(progress.calls, "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?)", rows)

    def tick(self, progress: Progress) -> None:
        """Write what has come in, if that is long ago or much."""
        if len(self._buffer) >= _ROWS or time.monotonic() - self._written > _SECONDS:
            self.flush(progress.calls)

    def flush(self, calls: Sequence[Call] | None = None) -> None:
        """Write what has come in."""
        if self._buffer or (calls is not None and len(calls) > self._calls):
            self._commit(calls or ())

    def _commit(
        self, calls: Sequence[Call], question: str = "", rows: Sequence[tuple[Any, ...]] = ()
    ) -> None:
        """Write what has come in, and ``rows``, in one transaction."""
        names = "part, place, orbit, objective, solution, keys"
        fresh = [astuple(call) for call in calls[self._calls :]]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            before = self._db.total_changes
            self._db.executemany(
                f"INSERT OR IGNORE INTO solutions ({names}) VALUES (?, ?, ?, ?, ?, ?)",
                self._buffer,
            )
            count = self._db.total_changes - before
            self._db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", fresh)
            self._db.execute(
                "UPDATE sessions SET seconds = ?, solutions = ? WHERE number = ?",
                (time.monotonic() - self._began, self._count + count, self._session),
            )
            if rows:
                self._db.executemany(question, rows)
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if not isinstance(error, sqlite3.Error):
                raise
            self._buffer.clear()
            raise JournalFailed(f"{self.path}: cannot be written: {error}") from None
        self._buffer.clear()
        self._count += count
        self._calls += len(fresh)
        self._written = time.monotonic()

    def end(self, complete: bool, calls: Sequence[Call]) -> None:
        """No more is written; whether nothing is left."""
        try:
            self.flush(calls)
            if complete:
                self.remembered("complete", lambda: True)
        finally:
            with suppress(sqlite3.Error):  # someone is reading: SQLite's log stays beside the file
                self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.close()
            self._lock.release()
            self._db = _connected(self.path, "ro")

    def rows(self, after: int) -> Iterator[Row]:
        """The solutions from the ``after``-th on, in the order in which they were found."""
        names = "number, solution, objective, orbit"
        question = f"SELECT {names} FROM solutions WHERE number > ? ORDER BY number LIMIT 500"
        # In chunks: between two of them the search may end, and with it the connection.
        while rows := self._db.execute(question, (after,)).fetchall():
            for _, text, objective, orbit in rows:
                yield Row(decoded(text), objective, orbit)
            after = rows[-1][0]

    def in_order(self) -> Iterator[Row]:
        """All solutions, in the order of the search, which is the same in every run."""
        question = "SELECT solution, objective, orbit FROM solutions ORDER BY part, place"
        for text, objective, orbit in self._db.execute(question):
            yield Row(decoded(text), objective, orbit)

    def _decoded(self, blob: bytes) -> IntVector:
        if not self._binary:
            return np.frombuffer(blob[:-1], dtype="<i4").astype(np.int64)
        bits = np.unpackbits(np.frombuffer(blob[:-1], dtype=np.uint8), count=self._keys)
        return bits.astype(np.int64)


def fingerprint(problem: Problem, *more: NDArray[Any]) -> str:
    """Tells one model, its keys and the arrays that steer the search from another."""
    linear, name = problem.linear, hashlib.sha256()
    arrays = (linear.matrix.indptr, linear.matrix.indices, linear.matrix.data)
    bounds = (linear.row_lower, linear.row_upper, linear.col_lower, linear.col_upper)
    for array in (*arrays, *bounds, linear.integer, linear.cost, problem.key_columns, *more):
        name.update(np.ascontiguousarray(array).astype(np.float64).tobytes() + b"|")
    name.update(repr((linear.offset, linear.sense, linear.col_names)).encode())
    return name.hexdigest()[:16]


def decoded(text: str) -> Any:
    """A solution from its JSON: rows are tuples, as puzzles read them."""

    def tupled(value: Any) -> Any:
        return tuple(map(tupled, value)) if isinstance(value, list) else value

    return tupled(json.loads(text))


def _create(path: Path, run: Mapping[str, str]) -> None:
    """A journal appears whole: with its tables, and what run it is of."""
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(partial, isolation_level=None)) as db:
            db.executescript(f"PRAGMA application_id = {_NAME}; PRAGMA user_version = {_FORMAT};")
            db.executescript(_SCHEMA)
            db.executemany("INSERT INTO run VALUES (?, ?)", list(run.items()))
        partial.replace(path)
    except (sqlite3.Error, OSError) as error:
        partial.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error}") from None


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %z")


def opened(path: Path, write: bool = False) -> sqlite3.Connection:
    """A connection to a journal, once it is seen to be one and whole.

    Raises :class:`InputError` with what is wrong.
    """
    try:
        with open(path, "rb"):
            pass
        db = _connected(path, "rw" if write else "ro")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be opened: {error}") from None
    try:
        _must_be_whole(db, path)
    except sqlite3.Error as error:
        db.close()
        raise InputError(f"{path}: is no journal of nogood, or damaged: {error}") from None
    except InputError:
        db.close()
        raise
    return db


def _must_be_whole(db: sqlite3.Connection, path: Path) -> None:
    kind = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if kind != _NAME:
        raise InputError(f"{path}: is no journal of nogood")
    if version != _FORMAT:
        raise InputError(f"{path}: is of format {version}, not {_FORMAT}; of another version")
    said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if said != "ok":
        raise InputError(f"{path}: damaged: {said}")
    for table in ("run", "sessions", "parts", "solutions", "calls"):
        db.execute(f"SELECT count(*) FROM {table}")


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    name = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False)


def _text(path: tuple[int, ...]) -> str:
    """Sorts like the path: two digits a step."""
    return ".".join(f"{step:02d}" for step in path)


def _packed(part: Part) -> bytes:
    """The nodes and cuts of a part as numpy's arrays, compressed; nothing that is executed."""
    cuts = part.cuts
    arrays = {
        "lower": part.nodes.lower,
        "upper": part.nodes.upper,
        "share": part.nodes.share,
        "cut_columns": np.concatenate([np.zeros(0, np.int64), *(cut[0] for cut in cuts)]),
        "cut_sizes": np.array([len(cut[0]) for cut in cuts], dtype=np.int64),
        "cut_bounds": np.array([cut[1:] for cut in cuts], dtype=np.int64).reshape(-1, 2),
    }
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _unpacked(path: str, state: bytes, columns: int) -> Part:
    with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
        nodes = Nodes(arrays["lower"], arrays["upper"], arrays["share"])
        of_cuts = np.split(arrays["cut_columns"], np.cumsum(arrays["cut_sizes"])[:-1])
        bounds = arrays["cut_bounds"].tolist()
    shape = (columns, len(nodes.share))
    if nodes.lower.shape != shape or nodes.upper.shape != shape:
        raise ValueError(f"part {path} has nodes of another shape")
    cuts: tuple[UnitRow, ...] = tuple(
        (of, int(low), int(high)) for of, (low, high) in zip(of_cuts, bounds, strict=bool(bounds))
    )
    return Part(tuple(int(step) for step in path.split(".") if step), nodes, cuts)


@dataclass(frozen=True)
class Summary:
    """How far a journal is."""

    run: dict[str, str]
    solutions: int
    complete: bool
    parts_done: int
    parts_open: int
    share: float
    sessions: int
    seconds: float
    rate: float
    """Solutions a second in the last session."""
    last: list[str]
    """The solutions found last, as JSON."""


def summary(path: str | Path, last: int = 3) -> Summary:
    """What a journal says, also while it is written; :class:`InputError` where it is none."""
    with closing(opened(Path(path))) as db:
        run = dict(db.execute("SELECT name, value FROM run"))
        parts = db.execute(
            "SELECT done, count(*), total(share) FROM parts GROUP BY done"
        ).fetchall()
        of = {done: (count, share) for done, count, share in parts}
        at_work = db.execute("SELECT seconds, solutions FROM sessions ORDER BY number").fetchall()
        count = db.execute("SELECT count(*) FROM solutions").fetchone()[0]
        newest = db.execute(
            "SELECT solution FROM solutions ORDER BY number DESC LIMIT ?", (last,)
        ).fetchall()
    seconds, now = at_work[-1] if at_work else (0.0, 0)
    before = at_work[-2][1] if len(at_work) > 1 else 0
    return Summary(
        run=run,
        solutions=count,
        complete="complete" in run,
        parts_done=of.get(1, (0, 0.0))[0],
        parts_open=of.get(0, (0, 0.0))[0],
        share=of.get(1, (0, 0.0))[1],
        sessions=len(at_work),
        seconds=sum(row[0] for row in at_work),
        rate=(now - before) / seconds if seconds else 0.0,
        last=[text for (text,) in newest],
    )
