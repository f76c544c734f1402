"""A journal: an enumeration in an SQLite file, so that it can be stopped at any moment.

Tables, to be read while it is written, by pandas too: ``run`` (what it is), ``sessions`` (when it
was at work, and what it had found), ``parts`` (of the search, done and open), ``solutions`` and
``calls`` (of the solver).  The solutions of a part, that
it is done, and what is left of it are written in one transaction; so are, now and then, the
solutions that have come so far.  A solution is there once, also when its part is searched again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
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
from ..data.reading import must_be_regular
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
CREATE TABLE batches (
    number INTEGER PRIMARY KEY, first INTEGER, size INTEGER, part TEXT, place INTEGER, rows TEXT
);
CREATE INDEX batches_of_parts ON batches (part, place);
CREATE VIEW solutions AS
    SELECT first + key AS number, part, place + key AS place,
        json_extract(value, '$[1]') AS orbit, json_extract(value, '$[2]') AS objective,
        json_extract(value, '$[0]') AS solution
    FROM batches, json_each(batches.rows);
CREATE TABLE seen (name BLOB PRIMARY KEY, part TEXT) WITHOUT ROWID;
CREATE TABLE calls (status TEXT, seconds REAL, nodes INTEGER, rows INTEGER, cuts INTEGER);
"""
_REMEMBER = "INSERT INTO run VALUES (?, ?)"


class JournalFailed(Exception):  # noqa: N818
    """The journal cannot be written any more; what it says is kept."""


class Journal:
    """The journal of one run, opened to be written by it alone."""

    def __init__(self, path: str | Path, resume: bool, problem: Problem, run: dict[str, str]):
        self.path = must_be_writable(path)
        self._problem = problem
        self._must_suit(resume)
        if self.path.exists():
            opened(self.path).close()  # what is no journal gets no lock beside it
        self._lock = FileLock(f"{self.path}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise InputError(f"{self.path}: another run is writing it") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            self._db = self._open(resume, run)
            self._begin_session()
        except sqlite3.Error as error:
            self._lock.release()
            raise InputError(f"{self.path}: damaged, or in use: {error}") from None
        except BaseException:
            self._lock.release()
            raise

    def _begin_session(self) -> None:
        self._buffer: list[Row] = []
        self._began = self._written = time.monotonic()
        self._part, self._place = "", 0
        self._again: set[str] = set()
        self._seen: set[bytes] = set()
        self._written_names = bool(self._one("SELECT EXISTS (SELECT * FROM seen)"))
        self._stored = int(self._one("SELECT total(size) FROM batches"))
        self._calls = self._one("SELECT count(*) FROM calls")
        self.seconds = float(self._one("SELECT total(seconds) FROM sessions"))
        row = (_now(), self._stored)
        begin = "INSERT INTO sessions (began, seconds, solutions) VALUES (?, 0, ?)"
        self._session = self._db.execute(begin, row).lastrowid

    def _must_suit(self, resume: bool) -> None:
        if self.path.exists() and not resume:
            raise InputError(f"{self.path}: exists; go on with it by --resume, or take another")
        if resume and not self.path.exists():
            raise InputError(f"{self.path}: no such journal; leave --resume out to begin one")

    def _open(self, resume: bool, run: dict[str, str]) -> sqlite3.Connection:
        self._must_suit(resume)  # it may have come meanwhile
        if not resume:
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
            self._parts = [
                _unpacked(path, state, self._problem.linear.columns) for path, state in rows
            ]
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
        """The different key values of the solutions so far, in the order they were found."""
        problem = self._problem
        found: dict[tuple[int, ...], None] = {}
        for row in self.rows(0):
            of: Mapping[Any, int] = row.solution
            if problem.puzzle is not None:
                of = problem.puzzle.assignment(row.solution)
            found[tuple(of.get(index, 0) for index in problem.indices)] = None
        return [np.array(keys, dtype=np.int64) for keys in found]

    def remembered(self, name: str, compute: Callable[[], Any]) -> Any:
        """What ``compute`` gave when it was first asked, in the types of JSON."""
        found = self._db.execute("SELECT value FROM run WHERE name = ?", (name,)).fetchone()
        if found is None:
            value = compute()
            self._commit((), _REMEMBER, [(name, json.dumps(value))])
            return value
        try:
            return json.loads(found[0])
        except ValueError as error:
            raise InputError(f"{self.path}: damaged: {error}") from None

    def add(self, row: Row) -> None:
        """Keep a solution, unless an earlier search of its part has."""
        if self._again and _encoded(row.solution) in self._again:
            return
        self._buffer.append(row)

    def any(self) -> bool:
        """Whether any name was kept, in this session or before."""
        return self._written_names or bool(self._seen)

    def is_new(self, name: bytes, keep: bool) -> bool:
        """Whether neither another part nor this search of this one has kept the name."""
        if name in self._seen:
            return False
        new = True
        if self._written_names:
            found = self._db.execute("SELECT part FROM seen WHERE name = ?", (name,)).fetchone()
            new = found is None or found[0] == self._part
        if keep:
            self._seen.add(name)
        return new

    def __len__(self) -> int:
        return self._stored + len(self._buffer)

    def begin(self, path: tuple[int, ...]) -> None:
        """The solutions that follow are of this part."""
        self.flush()
        self._part = _text(path)
        earlier = list(self._batches("WHERE part = ? ORDER BY number", (self._part,)))
        self._again = {_encoded(row.solution) for rows in earlier for row in rows}
        self._place = len(self._again)
        self._seen.clear()

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
        if self._buffer or self._seen or (calls is not None and len(calls) > self._calls):
            self._commit(calls or ())

    def _commit(
        self, calls: Sequence[Call], question: str = "", rows: Sequence[tuple[Any, ...]] = ()
    ) -> None:
        """Write what has come in, and ``rows``, in one transaction."""
        fresh = [astuple(call) for call in calls[self._calls :]]
        count, after = len(self._buffer), self._stored + len(self._buffer)
        try:
            self._db.execute("BEGIN IMMEDIATE")
            if self._buffer:
                self._db.execute(
                    "INSERT INTO batches (first, size, part, place, rows) VALUES (?, ?, ?, ?, ?)",
                    (self._stored + 1, count, self._part, self._place, _encoded(self._buffer)),
                )
            names = [(name, self._part) for name in self._seen]
            self._db.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?)", names)
            self._db.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?)", fresh)
            self._db.execute(
                "UPDATE sessions SET seconds = ?, solutions = ? WHERE number = ?",
                (time.monotonic() - self._began, after, self._session),
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
        self._written_names = self._written_names or bool(names)
        self._stored, self._place = after, self._place + count
        self._calls += len(fresh)
        self._written = time.monotonic()

    def end(self, complete: bool, calls: Sequence[Call]) -> None:
        """No more is written; whether nothing is left."""
        try:
            if complete and not self.complete:
                self._commit(calls, _REMEMBER, [("complete", "true")])
            else:
                self.flush(calls)
        finally:
            with suppress(sqlite3.Error):  # someone is reading: SQLite's log stays beside the file
                self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.close()
            self._lock.release()
            self._db = _connected(self.path, "ro")

    def rows(self, after: int) -> Iterator[Row]:
        """The solutions from the ``after``-th on, in the order in which they were found."""
        # One batch at a time: between two the search may end, and with it the connection.
        question = (
            "SELECT first, size, rows FROM batches WHERE first + size > ? ORDER BY number LIMIT 1"
        )
        while found := self._db.execute(question, (after + 1,)).fetchone():
            first, size, text = found
            yield from self._decoded(text)[after + 1 - first :]
            after = first - 1 + size

    def in_order(self) -> Iterator[Row]:
        """All solutions, in the order of the search, which is the same in every run."""
        for rows in self._batches("ORDER BY part, place"):
            yield from rows

    def _batches(self, which: str, values: tuple[Any, ...] = ()) -> Iterator[list[Row]]:
        for (text,) in self._db.execute(f"SELECT rows FROM batches {which}", values):
            yield self._decoded(text)

    def _decoded(self, text: str) -> list[Row]:
        try:
            return _decoded(text)
        except (ValueError, TypeError) as error:
            raise InputError(f"{self.path}: damaged: {error}") from None


_encoded = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def _decoded(text: str) -> list[Row]:
    """Rows from their JSON: lists are tuples, as puzzles read them."""

    def tupled(value: Any) -> Any:
        return tuple(map(tupled, value)) if isinstance(value, list) else value

    return [
        Row(tupled(solution), orbit, objective) for solution, orbit, objective in json.loads(text)
    ]


def fingerprint(problem: Problem, *more: NDArray[Any]) -> str:
    """Tells one model, its keys and the arrays that steer the search from another."""
    linear, name = problem.linear, hashlib.sha256()
    arrays = (linear.matrix.indptr, linear.matrix.indices, linear.matrix.data)
    bounds = (linear.row_lower, linear.row_upper, linear.col_lower, linear.col_upper)
    for array in (*arrays, *bounds, linear.integer, linear.cost, problem.key_columns, *more):
        name.update(np.ascontiguousarray(array).astype(np.float64).tobytes() + b"|")
    name.update(repr((linear.offset, linear.sense, linear.col_names)).encode())
    return name.hexdigest()[:16]


def _create(path: Path, run: Mapping[str, str]) -> None:
    """A journal appears whole: with its tables, and what run it is of."""
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(partial, isolation_level=None)) as db:
            # Nobody has the file yet: it need not outlive a power cut before it is whole.
            db.executescript(
                "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;"
                f"PRAGMA application_id = {_NAME}; PRAGMA user_version = {_FORMAT}; {_SCHEMA}"
            )
            db.executemany("INSERT INTO run VALUES (?, ?)", list(run.items()))
            db.execute("COMMIT")
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
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
        must_be_regular(path)
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
    for table in ("run", "sessions", "parts", "batches", "seen", "solutions", "calls"):
        db.execute(f"SELECT * FROM {table} LIMIT 0")


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
        try:
            return _summary(db, last)
        except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
            raise InputError(f"{path}: damaged: {error}") from None


def _summary(db: sqlite3.Connection, last: int) -> Summary:
    run = dict(db.execute("SELECT name, value FROM run"))
    _ = run["puzzle"]  # a journal that does not say of what it is, is damaged
    parts = db.execute("SELECT done, count(*), total(share) FROM parts GROUP BY done").fetchall()
    of = {done: (count, share) for done, count, share in parts}
    at_work = db.execute("SELECT seconds, solutions FROM sessions ORDER BY number").fetchall()
    count = int(db.execute("SELECT total(size) FROM batches").fetchone()[0])
    newest: list[Row] = []
    batches = db.execute("SELECT rows FROM batches ORDER BY number DESC")
    while len(newest) < last and (batch := batches.fetchone()):
        newest += reversed(_decoded(batch[0]))
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
        last=[_encoded(row.solution) for row in newest[:last]],
    )
