"""Hostile input at every entry point, and interference: one line, no traceback, nothing half done.

The bounds that are relied upon: boards of 200 (queens), 20 (magic squares) and 100 (tours), tables
of 1000 rows and 16 MiB, riddles of 1 MiB, solutions of 64 MiB, models of 256 MiB unpacked.
"""

import contextlib
import gzip
import itertools
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from nogood.data import InputError, load_grid, load_riddle, load_square, read_queens
from nogood.models import KnightsTour, MagicSquare, Queens, Riddle
from nogood.runners import enumerate_solutions, export_model, model_files, read_model
from nogood.runners.tables import read_solutions

SECONDS, MEGABYTES = 5, 400
PROGRAM = [sys.executable, "-c", "from nogood.runners.cli import main; main()"]
HUGE = "9" * 10**6
fuzzed = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def one_line(err):
    return (
        err.count("\n") == 1 and err.endswith("\n") and len(err) <= 320 and err[:-1].isprintable()
    )


@contextlib.contextmanager
def bounded():
    """In bounded time and memory."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    yield
    assert time.monotonic() - began < SECONDS
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10 < MEGABYTES


@pytest.fixture
def refuses(nogood, tmp_path, monkeypatch):
    """The command line refuses, with a line that begins as ``expected`` says; no file comes."""
    monkeypatch.chdir(tmp_path)

    def check(arguments, expected, status=2):
        before = sorted(tmp_path.rglob("*"))
        with bounded():
            ran = nogood(*arguments)
        assert (ran.status, ran.out) == (status, ""), ran.err[-2000:]
        assert one_line(ran.err), ran.err
        assert re.match(f"nogood: {expected}", ran.err), ran.err
        assert sorted(tmp_path.rglob("*")) == before

    return check


def put(path, content):
    """A file of text (lone surrogates too) or bytes."""
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    path.write_bytes(raw)
    return path


def names(cases):
    """Names for pytest: the number, and what is expected."""
    said = (re.sub(r"[^ -~]", "", str(case[-1]))[:40] for case in cases)
    return [f"{k}-{text}" for k, text in enumerate(said)]


# Flags

NO_INTEGERS = [
    "",
    "x",
    "1e3",
    "nan",
    "inf",
    "0x8",
    "4.5",
    "4,",
    "None",
    "true",
    "−4",
    "٤",
    "０",
    HUGE,
]
NO_NUMBERS = ["", "x", "1,5", "0x1", "１", "−1", "--", "1e", "1 2", "٤"]
FLAGS = [
    *[(["show", "queens", f"--n={v}"], "Invalid value for '--n': ") for v in NO_INTEGERS],
    *[
        (["show", "knights-tour", f"--rows={v}"], "Invalid value for '--rows': ")
        for v in NO_INTEGERS
    ],
    *[
        (["show", "queens", f"--n={v}"], f"--n: expected 1 to 200, got {v}$")
        for v in (-(10**9), -1, 0, 201, 10**9, 10**30)
    ],
    *[
        (["show", "magic-square", f"--n={v}"], f"--n: expected 1 to 20, got {v}$")
        for v in (-1, 0, 21, 10**9)
    ],
    *[
        (["show", "knights-tour", f"--{side}={v}"], f"--{side}: expected 1 to 100, got {v}$")
        for side, v in itertools.product(("rows", "cols"), (-1, 0, 101, 10**6, 10**9))
    ],
    *[
        (
            ["enumerate", "queens", f"--{name}={v}"],
            f"--{name}: expected a positive integer, got {v}",
        )
        for name, v in itertools.product(
            ("limit", "best", "workers", "threads"), (0, -1, -(10**30))
        )
    ],
    *[
        (["enumerate", "queens", f"--{name}={v}"], f"Invalid value for '--{name}': ")
        for name, v in itertools.product(("limit", "best", "workers"), ("", "x", "1e3", "１", HUGE))
    ],
    *[
        (["enumerate", "queens", f"--{name}={v}"], f"--{name}: expected a positive number, got ")
        for name, v in itertools.product(
            ("time-limit", "memory"), ("nan", "inf", "-inf", "-1", "0", "1e400", "-1e400", "1e-400")
        )
    ],
    *[
        (["enumerate", "queens", f"--{name}={v}"], f"--{name}: expected a number from 0 on, got ")
        for name, v in itertools.product(
            ("gap", "relative-gap"), ("nan", "inf", "-inf", "-1", "1e400", "-1e-300")
        )
    ],
    *[
        (["solve", "queens", f"--time-limit={v}"], "Invalid value for '--time-limit': ")
        for v in NO_NUMBERS
    ],
    *[
        (["solve", "queens", f"--time-limit={v}"], "--time-limit: expected a positive number, got ")
        for v in ("nan", "inf", "-1", "0", "1e400")
    ],
    *[
        (["compare", "queens", *flags], expected)
        for flags, expected in (
            (["--seeds=0"], "--seeds: expected a positive integer, got 0"),
            (["--time-limit=nan"], "--time-limit: expected a positive number, got nan"),
            (
                ["--formulations=pairs,x\x1b[2J"],
                r"--formulations: expected some of .*; got 'x\\x1b",
            ),
            (["--solvers=highs,♛"], "solver: expected one of .*; got '♛'"),
            (["--plot=x.gif"], "x.gif: unknown picture format '.gif'; end it in .png, .svg, .pdf"),
            (["--out=x"], "x: unknown table format ''; end it in .csv"),
        )
    ],
    *[
        (["bench", *flags], expected)
        for flags, expected in (
            (["--repeat=0"], "--repeat: expected a positive integer, got 0"),
            (["--time-limit=nan"], "--time-limit: expected a positive number, got nan"),
            (["--task=sudoku"], "--task: expected one of queens-8, .*; got 'sudoku'"),
            (["--peer=cplex"], "--peer: expected one of .*; got 'cplex'"),
            (["--out=x.xls"], "x.xls: unknown table format '.xls'; end it in .csv"),
        )
    ],
    *[
        (["show", "magic-square", f"--given={v}"], expected)
        for v, expected in (
            ("", "given '': expected ROW,COLUMN=VALUE, such as 0,0=16"),
            ("0,0", "given '0,0': expected ROW,COLUMN=VALUE"),
            ("0,0=1=2", r"given \(0, 0\): expected an integer, got '1=2'"),
            ("0,0=", r"given \(0, 0\): expected an integer, got ''"),
            ("=1", "given '': expected a square as ROW,COLUMN, got ''"),
            ("0=1", "given '0': expected a square as ROW,COLUMN, got '0'"),
            ("0,0,0=1", "given '0,0,0': expected a square as ROW,COLUMN"),
            ("０,0=1", "given '０,0': row: expected an integer, got '０'"),
            ("0,0=1_0", r"given \(0, 0\): expected an integer, got '1_0'"),
            ("0,0=1e1", r"given \(0, 0\): expected an integer, got '1e1'"),
            ("0,0=" + HUGE, r"given \(0, 0\): expected an integer, got '999"),
            ("0,0=" + "9" * 25, r"given \(0, 0\): expected 1 to 16, got 999"),
            ("9,0=1", "given '9,0': row: expected 0 to 3, got 9"),
            ("0,−1=1", "given '0,−1': column: expected an integer, got '−1'"),
            ("0,-1=1", "given '0,-1': column: expected 0 to 3, got -1"),
            ("0,0=\x1b[31m", r"given \(0, 0\): expected an integer, got '\\x1b\[31m'"),
        )
    ],
    *[
        (["show", "queens", f"--given={v}"], expected)
        for v, expected in (
            ("", "given '': expected a square as ROW,COLUMN, got ''"),
            ("a1", "given 'a1': expected a square"),
            ("0,x", "given '0,x': column: expected an integer, got 'x'"),
            ("8,0", "given '8,0': row: expected 0 to 7, got 8"),
            ("(0,1)", r"given '\(0,1\)': row: expected an integer, got '\(0'"),
            ("1_0,0", "given '1_0,0': row: expected an integer, got '1_0'"),
            ("\u202e0,0", r"given '\\u202e0,0': row: expected an integer"),
        )
    ],
    *[
        (["show", "knights-tour", *flags], expected)
        for flags, expected in (
            (["--start=0"], "--start: expected a square as ROW,COLUMN, got '0'"),
            (["--start=0,0,0"], "--start: expected a square"),
            (["--start=8,0"], "--start: row: expected 0 to 7, got 8"),
            (["--end=0,٣"], "--end: column: expected an integer, got '٣'"),
            (["--end=0,0"], r"--end: \(0, 0\) is the start; a tour ends on another square"),
            (["--kind=CLOSED"], "--kind: expected one of closed, open, path; got 'CLOSED'"),
            (["--kind="], "--kind: expected one of closed, open, path; got ''"),
            (["--formulation=dfj "], "--formulation: expected one of .*; got 'dfj '"),
            (["--objective=min"], "--objective: needs a square of weights"),
            (["--square=durer"], "--square: needs an objective, min or max"),
            (["--square=durer", "--objective=x"], "--objective: expected one of min, max; got 'x'"),
            (
                ["--square=durer", "--objective=min"],
                "--square: its side is 4, but the board is 8×8",
            ),
            (["--rows=1", "--cols=1"], "rows, cols: a board of one square has no moves"),
            (["--rows=100", "--cols=100"], "rows, cols: 10000 squares; at most 2500"),
        )
    ],
    *[
        (["show", "queens", *flags], expected)
        for flags, expected in (
            (["--square=durer", "--total=1e3"], "--total: expected an integer, got '1e3'"),
            (["--square=durer", f"--total={10**13}"], "--total: expected -1000000000000 to 10000"),
            (["--square=durer", f"--total={HUGE}"], "--total: expected an integer, got '999"),
            (["--total=34"], "--total: needs a square of weights"),
            (["--square=durer", "--n=5"], "--square: its side is 4, but n is 5"),
            (["--square="], "square '.': Is a directory"),
            (["--square=" + "a" * 5000], "square 'aaa.*"),
            (["--square=\ud800"], r"square '\\ud800': "),
            (["--objective=nearest"], "--objective: needs a square of weights"),
            (["--formulation=pairs", "--n=41"], "--formulation: n is 41; it is at most 40"),
            (["--n", "8", "9"], "Got unexpected extra argument"),
            (["--n=8", "--" + "x" * 5000], "No such option: --xxx"),
            (["--n=8", "--\x1b[31m"], r"No such option: --\\x1b\[31m"),
        )
    ],
    *[
        (arguments, expected)
        for arguments, expected in (
            (["enumerate", "queens", "--want="], "--want: expected feasible or optimal, got ''"),
            (
                ["enumerate", "queens", "--method=all"],
                "--method: expected split or cuts, got 'all'",
            ),
            (["enumerate", "queens", "--solver="], "--solver: expected one of highs, .*; got ''"),
            (["enumerate", "queens", "--symmetry=x"], "--symmetry: expected .*'x'"),
            (["enumerate", "queens", "--resume"], "--resume: needs a journal"),
            (["enumerate", "queens", "--gap=1"], "--gap: the model has no objective; none is best"),
            (["enumerate", "queens", "--best=3"], "--best: the model has no objective"),
            (["solve", "queens", "--gap=x"], "Invalid value for '--gap': "),
            (["solve", "queens", "--threads=0"], "--threads: expected a positive integer, got 0"),
            (
                ["show", "queens", "--format=html"],
                "--format: expected one of text, markdown, latex",
            ),
            (
                ["export", "queens", "--out=q.lp", "--format=xml"],
                "q.lp: unknown model format 'xml'",
            ),
            (["export", "queens", "--out="], ".: is a folder; expected a file to write"),
            (
                ["export", "queens", "--out=q.lp", "--solution=q.lp"],
                "--solution: is the file of --out",
            ),
            (
                ["enumerate", "queens", "--out=q.csv", "--journal=q.csv"],
                "--journal: is the file of",
            ),
            (
                ["explore", "queens", "--out=q.txt"],
                "q.txt: unknown page format '.txt'; end it in .html",
            ),
            (["explore", "queens", "--out=q.html", "--explain"], "--explain: only riddles are"),
            (["explain"], "Missing argument"),
            (["explain", "einstein", "--time-limit=0"], "--time-limit: expected a positive"),
            (
                ["explore", "couples", "--explain", "--time-limit=-1", "--out=o.html"],
                "--time-limit: expected a positive",
            ),
            (["explain", "holmes"], "riddle 'holmes': no such file; the bundled riddles are city"),
            (["explain", ""], "riddle '.': Is a directory"),
            (["enumerate"], "puzzle: missing; nogood list shows them"),
            (["enumerate", ""], "puzzle: expected one of queens, .*; got ''"),
            (["enumerate", "\ud800"], r"puzzle: expected one of .*; got '\\ud800'"),
            (["enumerate", "x" * 10**5], "puzzle: expected one of "),
            (["enumerate", "a\nb"], r"puzzle: expected one of .*; got 'a\\nb'"),
            (["journal"], "Missing argument"),
            (["riddle", "solve"], "No such command 'solve'"),
            (["\x1b[2J"], r"No such command '\\x1b\[2J'"),
        )
    ],
]


@pytest.mark.parametrize(("arguments", "expected"), FLAGS, ids=names(FLAGS))
def test_flags(refuses, arguments, expected):
    refuses(arguments, expected)


# Squares and grids

GRID = "16,,,13\n,10,,\n,,7,\n4,,,1\n"
TABLES = [
    ("", "t.csv: empty; expected n rows of n integers"),
    ("\n" * 10**5, "t.csv: empty"),
    ("   \n\t\n", "t.csv: empty"),
    ("\ufeff", "t.csv: empty"),
    (GRID.encode("utf-16"), "t.csv: not a text file in UTF-8"),
    (bytes(range(256)), "t.csv: not a text file in UTF-8"),
    (GRID.replace("7", "\ud800"), "t.csv: not a text file in UTF-8"),
    (b"\x1f\x8b" + bytes(50), "t.csv: not a text file in UTF-8"),
    (GRID.replace("7", "\0"), r"t.csv: row 2, column 2: '\\x00' is not an integer"),
    *[
        (GRID.replace("7", cell), f"t.csv: row 2, column 2: {re.escape(said or repr(cell))} is not")
        for cell, said in (
            ("x", None),
            ("7.0", None),
            ("7e0", None),
            ("1e3", None),
            ("1_0", None),
            ("７", None),
            ("٧", None),
            ("−7", None),
            ("0x7", None),
            ("True", None),
            ("None", None),
            ("nan", None),
            ("inf", None),
            ("7 7", None),
            ("\u202e7", "'\\u202e7'"),
            ("\x1b[2J", "'\\x1b[2J'"),
            ("9" * 5000, "'" + "9" * 36 + "..."),
        )
    ],
    (GRID.replace("7", HUGE), "t.csv: not a CSV file: field larger than field limit"),
    (GRID.replace("7", "10000000001"), "t.csv: row 2, column 2: 10000000001 is beyond ±1000000000"),
    (GRID.replace("7", "17"), r"given \(2, 2\): expected 1 to 16, got 17"),
    (GRID.replace("7", "-7"), r"given \(2, 2\): expected 1 to 16, got -7"),
    (GRID.replace("7", "16"), r"given: 16 stands in \(0, 0\) and in \(2, 2\)"),
    (GRID.replace("7", '"7'), "t.csv: row 0 has 4 entries, but there are 3 rows"),
    (GRID.replace(",", ";"), "t.csv: row 0 has 1 entries, but there are 4 rows"),
    (GRID.replace(",", "\t"), "t.csv: row 0 has 1 entries, but there are 4 rows"),
    (GRID + "1\n", "t.csv: row 0 has 4 entries, but there are 5 rows"),
    (GRID + ",,,\n", "t.csv: row 0 has 4 entries, but there are 5 rows"),
    ("1,2\n3,4\n", "given: the grid's side is 2, but n is 4"),
    ("1," * 10**6 + "1\n", "t.csv: row 0 has 1000001 entries, but there are 1 rows"),
    ("1\n" * 200_000, "t.csv: 200000 rows; at most 1000 are read"),
    ((",".join(["1"] * 1001) + "\n") * 1001, "t.csv: 1001 rows; at most 1000 are read"),
    ("1" * (16 * 2**20 + 1), "t.csv: larger than 16 MiB"),
    ('{"a": 1}', "t.csv: row 0, column 0: "),
    ("<html>", "t.csv: row 0, column 0: '<html>' is not an integer"),
]


@pytest.mark.parametrize(("content", "expected"), TABLES, ids=names(TABLES))
def test_grids(refuses, tmp_path, content, expected):
    put(tmp_path / "t.csv", content)
    refuses(["enumerate", "magic-square", "--grid", "t.csv"], expected)


SQUARES = [case for case in TABLES if "given" not in case[1] and "column 2" not in case[1]]


@pytest.mark.parametrize(("content", "expected"), SQUARES, ids=names(SQUARES))
def test_squares(refuses, tmp_path, content, expected):
    put(tmp_path / "t.csv", content)
    refuses(["enumerate", "queens", "--square", "t.csv"], expected)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + GRID,
        GRID.replace("\n", "\r\n"),
        GRID.replace("\n", "\r"),
        GRID.replace("7", " +7 "),
    ],
)
def test_harmless_grids_are_read(tmp_path, content):
    assert load_grid(put(tmp_path / "t.csv", content))[2][2] == 7


# Riddles

RIDDLE = {
    "header": ["a", "b"],
    "startMatrix": [["1", ""], ["2", ""]],
    "hints": [[[["1", "x"]]]],
}


def riddle(**changes):
    return json.dumps({**RIDDLE, **changes})


HINT = [[["1", "x"]]]
RIDDLES = [
    ("", "r.json: not JSON: Expecting value at line 1, column 1"),
    ("\n" * 99, "r.json: not JSON: Expecting value at line 100, column 1"),
    ("\0", "r.json: not JSON: Expecting value at line 1, column 1"),
    ("nonsense", "r.json: not JSON"),
    (riddle() + "x", "r.json: not JSON: Extra data at line 1, column"),
    (riddle().replace('"', "'"), "r.json: not JSON: Expecting property name"),
    ("//\n" + riddle(), "r.json: not JSON: Expecting value at line 1"),
    (riddle()[:-5], "r.json: not JSON"),
    (riddle().encode("utf-16"), "r.json: not a text file in UTF-8"),
    (riddle().replace("x", "é").encode("latin-1"), "r.json: not a text file in UTF-8"),
    (bytes(range(256)), "r.json: not a text file in UTF-8"),
    *[
        (text, "r.json: expected an object with header, startMatrix and hints")
        for text in ("7", '"x"', "[]", "null", "true", "NaN", "1e999")
    ],
    *[
        (text, "r.json: nested too deep, or a number too long")
        for text in (
            "[" * 10**5,
            "[" * 10**5 + "]" * 10**5,
            '{"a":' * 10**5 + "1" + "}" * 10**5,
            HUGE,
            '{"header": [%s]}' % ("9" * 5000),
        )
    ],
    ('{"header": ["a"], "header": ["b"]}', "r.json: 'header' stands twice in one object"),
    (riddle(title="x" * 2**20), "r.json: larger than 1 MiB"),
    (riddle(hints=[HINT] * 10**5), "r.json: larger than 1 MiB"),
    ("{}", "r.json: header: missing"),
    ('{"header": ["a"]}', "r.json: startMatrix: missing"),
    ('{"header": ["a"], "startMatrix": [["1"]]}', "r.json: hints: missing"),
    *[
        (riddle(**changes), f"r.json: {expected}")
        for changes, expected in (
            ({"header": [1, 2]}, "header, entry 1: input should be a valid string"),
            ({"header": None}, "header: input should be a valid list"),
            ({"header": "ab"}, "header: input should be a valid list"),
            ({"header": {}}, "header: input should be a valid list"),
            ({"header": []}, "header: list should have at least 1 item"),
            ({"header": ["a", "a"]}, "header: every column needs a name of its own"),
            ({"header": ["", "b"]}, "header: every column needs a name of its own"),
            ({"header": ["a" * 201, "b"]}, "header, entry 1: string should have at most 200"),
            ({"header": ["\ud800", "b"]}, "header, entry 1: input should be a valid string"),
            ({"header": ["a\nb", "c"]}, r"'a\\nb' holds a control character"),
            ({"header": ["\x1b[31m", "b"]}, r"'\\x1b\[31m' holds a control character"),
            ({"header": [f"{k}" for k in range(31)]}, "header: list should have at most 30"),
            ({"startMatrix": []}, "startMatrix: list should have at least 1 item"),
            ({"startMatrix": "x"}, "startMatrix: input should be a valid list"),
            ({"startMatrix": [None]}, "startMatrix, row 1: input should be a valid list"),
            ({"startMatrix": [[1, 2]]}, "startMatrix, row 1, column 1: input should be a valid"),
            (
                {"startMatrix": [["1"], ["2"]]},
                "startMatrix, row 1: 1 entries, but the header has 2",
            ),
            ({"startMatrix": [["", ""]] * 31}, "startMatrix: list should have at most 30 items"),
            ({"startMatrix": [["1", ""]] * 2}, r"startMatrix, column 1 \(a\): '1' twice"),
            ({"startMatrix": [["1\n", ""], ["2", ""]]}, r"column 'a': '1\\n' holds a control"),
            ({"hints": True}, "hints: input should be a valid list"),
            ({"hints": [None]}, "hints, clue 1: input should be a valid list"),
            ({"hints": [[]]}, "hints, clue 1: list should have at least 1 item"),
            ({"hints": [[[]]]}, "hints, clue 1, option 1: list should have at least 1 item"),
            (
                {"hints": [[[[]]]]},
                "hints, clue 1, option 1, row 1: 0 entries, but the header has 2",
            ),
            ({"hints": [[[["1", "x", ""]]]]}, "hints, clue 1, option 1, row 1: 3 entries"),
            ({"hints": [[[[1, 2]]]]}, "hints, clue 1, option 1, row 1, column 1: input should be"),
            ({"hints": [[[[["1", "x"]]]]]}, "hints, clue 1, option 1, row 1, column 1: input"),
            (
                {"hints": [[[["1", "x"]] * 3]]},
                "hints, clue 1, option 1: 3 rows, but the table has 2",
            ),
            ({"hints": [HINT] * 501}, "hints: list should have at most 500 items"),
            ({"hints": [HINT * 501]}, "hints, clue 1: list should have at most 500 items"),
            ({"hints": [[[["1", v]]] for v in "xyz"]}, "column 'b': 3 values for 2 rows: x, y, z"),
            ({"hints": [[[["1", "?"]]]]}, "column 'b': '\\?' stands for what is unknown"),
            ({"singleHints": "yes"}, "singleHints: input should be a valid boolean"),
            ({"singleHints": 1}, "singleHints: input should be a valid boolean"),
            ({"clues": ["a", "b"]}, "clues: 2 texts for 1 hints"),
            ({"clues": [1]}, "clues, entry 1: input should be a valid string"),
            ({"values": []}, "values: input should be a valid dictionary"),
            ({"values": {"z": ["1"]}}, "values: 'z' is no column"),
            ({"values": {"a": [1]}}, "values, entry 1: input should be a valid string"),
            ({"values": {"a": [""]}}, "values of 'a': one is empty; leave it out"),
            ({"title": 5}, "title: input should be a valid string"),
            ({"title": "x" * 2001}, "title: string should have at most 2000 characters"),
            ({"x" * 1000: 1}, "x+"),
            ({"x\ny\u2028z": 1}, "x y z: unknown; expected header, startMatrix, hints"),
        )
    ],
    (
        json.dumps(
            {
                "header": ["a", "b"],
                "startMatrix": [[str(k), ""] for k in range(30)],
                "hints": [HINT * 500] * 60,
            }
        ),
        "hints: 900000 ways to place them; at most 20000",
    ),
]


@pytest.mark.parametrize("command", ["solve", "explain"])
@pytest.mark.parametrize(("content", "expected"), RIDDLES, ids=names(RIDDLES))
def test_riddles(refuses, tmp_path, command, content, expected):
    put(tmp_path / "r.json", content)
    refuses([command, "r.json"], expected)


def test_rows_on_rows_of_their_own_are_matched_and_not_tried():
    """29 blank rows before one that stands nowhere were 30! tries."""
    blank, rows = ["", ""], 30
    form = {
        "header": ["a", "b"],
        "startMatrix": [[str(k), ""] for k in range(rows)],
        "singleHints": True,
        "hints": [[[blank] * (rows - 1) + [["1", "x"]], [["2", "x"]]], [[["2", "x"]]]],
    }
    with bounded():
        puzzle = Riddle(form)
        (solution,) = enumerate_solutions(puzzle).solutions
        puzzle.check(solution)


# Solutions

SOLUTION = 'number,solution\n1,"[1, 3, 0, 2]"\n'
NONE = "no table of solutions: "
SOLUTIONS = [
    ("s.csv", "", NONE + "No columns to parse"),
    ("s.csv", "\n\n", NONE + "No columns to parse"),
    ("s.csv", SOLUTION.encode("utf-16"), NONE),
    ("s.csv", bytes(range(256)), NONE),
    ("s.csv", 'number,solution\n1,"[1', NONE + "Error tokenizing data"),
    (
        "s.csv",
        "number,solution\n1,\n",
        NONE + "row 1: expected a solution as text in JSON, got nan",
    ),
    ("s.csv", "number,solution\n1,2,3,4\n5\n", NONE + "row "),
    ("s.csv", SOLUTION.replace("3", "\0"), NONE + "row 1: not JSON: "),
    (
        "s.csv",
        SOLUTION.replace("3", "9" * 5000),
        NONE + "row 1: nested too deep, or a number too long",
    ),
    ("s.csv", "number,solution\n1," + "[" * 10**5 + "\n", NONE + "row 1: nested too deep"),
    ("s.csv", "x,y\n1.5,0\n", NONE + "row 1, x: expected an integer, got 1.5"),
    ("s.csv", "x,y\n,0\n", NONE + "row 1, x: expected an integer, got nan"),
    ("s.csv", "x,y\na,0\n", NONE + "row 1, x: expected an integer, got 'a'"),
    ("s.csv", "x,y\n1e400,0\n", NONE + "row 1, x: expected an integer, got inf"),
    ("s.csv", SOLUTION.replace(",", ";"), NONE + "row 1, number;solution: expected an integer"),
    ("s.json", "", NONE + "not JSON: Expecting value at line 1, column 1"),
    ("s.json", "\ufeff", NONE + "not JSON"),
    ("s.json", "{}", NONE + "expected an object with a list of solutions"),
    ("s.json", "null", NONE + "expected a list of rows, or an object with solutions"),
    ("s.json", "7", NONE + "expected a list of rows"),
    ("s.json", '"x"', NONE + "expected a list of rows"),
    ("s.json", '{"solutions": 5}', NONE + "expected an object with a list of solutions"),
    ("s.json", '{"solutions": null}', NONE + "expected an object with a list"),
    ("s.json", '{"solutions": "1302"}', NONE + "expected an object with a list"),
    ("s.json", '{"solutions": {"a": 1}}', NONE + "expected an object with a list"),
    ("s.json", '{"solutions": [], "solutions": [1]}', NONE + "'solutions' stands twice"),
    ("s.json", '{"solutions": [[%s]]}' % ("9" * 6000), NONE + "nested too deep, or a number"),
    ("s.json", "[" * 10**5 + "]" * 10**5, NONE + "nested too deep"),
    ("s.json", "[[]]", NONE + r"row 1: expected an object of values by name, got \[\]"),
    ("s.json", "[null]", NONE + "row 1: expected an object of values by name, got None"),
    ("s.json", '["a"]', NONE + "row 1: expected an object of values by name, got 'a'"),
    ("s.json", '[{"solution": [1, 3, 0, 2]}]', NONE + "row 1: expected a solution as text in JSON"),
    ("s.json", '[{"x": null}]', NONE + "row 1, x: expected an integer, got None"),
    ("s.json", '[{"x": "1"}]', NONE + "row 1, x: expected an integer, got '1'"),
    ("s.json", '{"solutions": []}'.encode("utf-16"), NONE),
    ("s.json", b'{"solutions": ["\xe9"]}', NONE),
    ("s.parquet", "", NONE),
    ("s.parquet", "PAR1", NONE),
    ("s.parquet", b"PAR1" + bytes(100) + b"PAR1", ""),
    ("s.parquet", SOLUTION, ""),
    ("s.boards", "-D-\n", "line 1: 3 characters are no square board"),
    ("s.boards", "DD--------------\n", "line 1: row 0 has 2 queens, not one"),
    ("s.boards", "----------------\n", "line 1: row 0 has 0 queens, not one"),
    ("s.boards", "♛\n", "not a text file of boards or vectors"),
    ("s.boards", "\0\n", r"line 1: expected D and -, or a vector of columns, got '\\x00'"),
    ("s.boards", "-" * 10**7 + "\n", "line 1: 10000000 characters are no square board"),
    ("s.boards", bytes(range(128)), "line 1: expected D and -"),
    ("s.boards", "-D-----DD-----D-\nd---\n", "line 2: expected D and -"),
    ("s.vectors", "1³02\n", "not a text file"),
    ("s.vectors", "-1,2\n", "line 1: expected D and -, or a vector of columns, got '-1,2'"),
    ("s.vectors", ",,,\n", "line 1: expected D and -"),
    ("s.vectors", "1_0,3,0,2\n", "line 1: expected D and -"),
    ("s.vectors", "1 3 0 2\n", "line 1: expected D and -"),
    ("s.vectors", "1304\n", "line 1: column 4 of row 3 is beyond 3"),
    ("s.vectors", "100000,0\n", "line 1: expected D and -"),
    ("s.txt", SOLUTION, "solutions are read from .csv, .json, .parquet, .boards, .vectors"),
    ("s", SOLUTION, "solutions are read from .csv"),
]


@pytest.mark.parametrize(("name", "content", "expected"), SOLUTIONS, ids=names(SOLUTIONS))
def test_solution_files(refuses, tmp_path, name, content, expected):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    put(tmp_path / name, content)
    refuses(["export", "queens", "--n=4", "--cuts", name, "--out=q.lp"], f"{name}: {expected}")


NO_SOLUTIONS = [
    [[1, -1, 0, 2]],
    [[1, 3, 0]],
    [[1, 3, 0, "2"]],
    [["1302"]],
    [[[1], 3, 0, 2]],
    [[1, 3, 0, 10**4000]],
    [5],
    [None],
    [{}],
    [{"x": 1}],
    ["1302"],
    [[0, 1, 2, 3]],
    [[True, 3, 0, False]],
]
PUZZLES = {
    "queens --n=4": Queens(4),
    "magic-square --n=3": MagicSquare(3),
    "knights-tour --rows=3 --cols=4 --kind=open": KnightsTour(3, 4, kind="open"),
    "city": Riddle("city"),
}


@pytest.mark.parametrize("solutions", NO_SOLUTIONS, ids=lambda s: str(s)[:30])
@pytest.mark.parametrize("arguments", PUZZLES)
def test_cuts_that_are_no_solutions(refuses, tmp_path, arguments, solutions):
    put(tmp_path / "s.json", json.dumps({"solutions": solutions}))
    command = ["export", *arguments.split(), "--cuts=s.json", "--out=q.lp"]
    refuses(command, "--cuts: number 1 is no solution: ")


MODEL = """min
 obj: x + y
st
 c: x + y >= 1
bounds
 x <= 5
 y <= 5
general
 x
 y
end
"""
VALUES = [
    ({"x": 1.7}, "x: expected an integer, got 1.7"),
    ({"x": "a"}, "x: expected an integer, got 'a'"),
    ({"x": None}, "x: expected an integer, got None"),
    ({"x": [1]}, r"x: expected an integer, got \[1\]"),
    ({"x": 1e30}, "x: expected an integer, got 1e\\+30"),
    ({"x": 10**50}, "x: expected an integer, got 1000"),
    ({"x": 10**4000}, "x: expected an integer, got 1000"),
    ({"x": float("nan")}, "x: expected an integer, got nan"),
    ({"x": float("inf")}, "x: expected an integer, got inf"),
    ({"x": 6}, "x = 6 is beyond its bounds"),
    ({"x": -1}, "x = -1 is beyond its bounds"),
    ({"z": 1}, "'z' is no discrete variable"),
    ({"z" * 5000: 1}, "'zzz"),
    ({}, "expected values by the names of variables"),
    ([1, 2], "expected values by the names of variables"),
    (7, "expected values by the names of variables"),
]


@pytest.mark.parametrize(("solution", "expected"), VALUES, ids=lambda v: str(v)[:30])
def test_cuts_of_a_model(refuses, tmp_path, solution, expected):
    put(tmp_path / "m.lp", MODEL)
    put(tmp_path / "s.json", json.dumps({"solutions": [solution]}))
    command = ["export", "m.lp", "--cuts=s.json", "--out=q.lp"]
    refuses(command, f"--cuts: number 1: {expected}")


# Models

MPS = """NAME t
ROWS
 N obj
 G c
COLUMNS
 MARKER 'MARKER' 'INTORG'
 x obj 1 c 1
 y obj 1 c 1
 MARKER 'MARKER' 'INTEND'
RHS
 RHS c 1
BOUNDS
 UP BND x 5
 UP BND y 5
ENDATA
"""
NOT_READ = "HiGHS cannot read it; is it a proper LP or MPS file"
UNBOUNDED = "key x: unbounded; give it finite bounds"
NOTHING = "the model has no discrete variable"


def lp(old, new):
    assert old in MODEL
    return MODEL.replace(old, new)


def mps(old, new):
    assert old in MPS
    return MPS.replace(old, new)


ROW = "x + y >= 1"
MODELS = [
    ("m.lp", "", NOTHING),
    ("m.lp", "\n" * 10**5, NOTHING),
    ("m.lp", "min\n obj:\nst\nend\n", NOTHING),
    ("m.lp", "nonsense", NOT_READ),
    ("m.lp", "\ufeff" + MODEL, NOT_READ),
    ("m.lp", MODEL.encode("utf-16"), NOT_READ),
    ("m.lp", bytes(range(256)) * 40, NOT_READ),
    ("m.lp", lp("x", "\0"), NOT_READ),
    ("m.lp", MODEL[:40], NOT_READ),
    ("m.lp", MODEL + "garbage\n", NOT_READ),
    ("m.lp", MODEL + MODEL, NOT_READ),
    ("m.lp", lp("min\n", "min max\n"), NOT_READ),
    ("m.lp", lp(ROW, "nan x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "inf x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "1e400 x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "1e300 x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "1e-300 x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "x + y >= inf"), NOT_READ),
    ("m.lp", lp(ROW, "x + y >= " + "9" * 10**5), NOT_READ),
    ("m.lp", lp(ROW, "x + y >= １"), NOT_READ),
    ("m.lp", lp(ROW, "x − y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "x + x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "2 3 x + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "[ x ^2 ] + y >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "[" * 10**4 + " x >= 1"), NOT_READ),
    ("m.lp", lp(ROW, "x = 1 -> x + y >= 1"), NOT_READ),
    ("m.lp", lp("obj: x", "obj: nan x"), NOT_READ),
    ("m.lp", lp("obj: x", "obj: 1e400 x"), "m.lp: objective, x: the coefficient is not finite"),
    ("m.lp", lp("obj: x + y", "obj: [ x * y ] / 2"), "m.lp: the objective is quadratic"),
    ("m.lp", lp("end\n", "sos\n s1: S1:: x:1 y:2\nend\n"), NOT_READ),
    ("m.lp", lp("end\n", "semi\n x\nend\n"), "m.lp: semi-continuous variables are not supported"),
    ("m.lp", lp("end\n", "General Constraints\n g: y = MAX ( x , 2 )\nend\n"), NOT_READ),
    ("m.lp", lp("x <= 5", "x <= nan"), NOT_READ),
    ("m.lp", lp("x <= 5", "x free"), UNBOUNDED),
    ("m.lp", lp(" x <= 5\n", ""), UNBOUNDED),
    ("m.lp", lp("x <= 5", "x <= 1e9"), "key x: bounds 0 … 1e.09 are too far apart"),
    ("m.mps", "", NOT_READ),
    ("m.mps", "\n" * 1000, NOT_READ),
    ("m.mps", "nonsense", NOT_READ),
    ("m.mps", MPS.encode("utf-16"), NOT_READ),
    ("m.mps", bytes(range(256)) * 40, NOT_READ),
    ("m.mps", MPS[:80], NOT_READ),
    ("m.mps", MPS[:-8], NOT_READ),
    ("m.mps", mps(" G c\n", " X c\n"), NOT_READ),
    ("m.mps", mps(" G c\n", " G c\n G c\n"), NOT_READ),
    ("m.mps", mps(" y obj 1 c 1\n", " y obj 1 c 1\n x obj 1 c 1\n"), NOT_READ),
    ("m.mps", mps("x obj 1 c 1", "x obj 1 c nan"), "m.mps: c, x: the coefficient is not finite"),
    ("m.mps", mps("x obj 1 c 1", "x obj 1 c inf"), NOT_READ),
    ("m.mps", mps("x obj 1 c 1", "x obj nan c 1"), "m.mps: objective, x: the coefficient is not"),
    ("m.mps", mps("x obj 1 c 1", "x obj -inf c 1"), "m.mps: objective, x: the coefficient is not"),
    ("m.lp", lp("obj: x", "obj: \xff").encode("latin-1"), "m.lp: names are not in UTF-8"),
    ("m.mps", mps("RHS c 1", "RHS c nan"), NOT_READ),
    ("m.mps", mps("RHS c 1", "RHS c inf"), NOT_READ),
    ("m.mps", mps("RHS c 1", "RHS c " + "9" * 10**5), NOT_READ),
    ("m.mps", mps("BND x 5", "BND x nan"), NOT_READ),
    ("m.mps", mps(" UP BND x 5", " QQ BND x 5"), NOT_READ),
    ("m.mps", mps(" UP BND x 5", " FR BND x"), UNBOUNDED),
    ("m.mps", mps(" UP BND x 5", " MI BND x"), UNBOUNDED),
    ("m.mps", mps(" UP BND x 5", " SC BND x 5"), "m.mps: semi-continuous variables"),
    ("m.mps", mps("BOUNDS", "RANGES\n R c nan\nBOUNDS"), NOT_READ),
    ("m.mps", mps("ENDATA", "QUADOBJ\n x x 1\nENDATA"), "m.mps: the objective is quadratic"),
    ("m.mps", mps("ENDATA", "QCMATRIX c\n x x 1\nENDATA"), NOT_READ),
    ("m.mps", mps("ENDATA", "SOS\n S1 s s1\n s x 1\n s y 2\nENDATA"), NOT_READ),
    ("m.mps", mps("ENDATA", "INDICATORS\n IF c x 1\nENDATA"), NOT_READ),
    ("m.lp.gz", gzip.compress(MODEL.encode())[:30], "m.lp.gz: its compressed data end too early"),
    ("m.mps.gz", b"\x1f\x8b\x08\0" + bytes(range(60)), "m.mps.gz: "),
    ("m.mps.gz", b"\x1f\x8b\x08", "m.mps.gz: its compressed data end too early"),
    ("m.lp.gz", "nonsense", NOT_READ),
]


@pytest.mark.parametrize(("name", "content", "expected"), MODELS, ids=names(MODELS))
def test_models(refuses, tmp_path, name, content, expected):
    put(tmp_path / name, content)
    if expected == NOT_READ:
        expected = f"{name}: {NOT_READ}"
    refuses(["enumerate", name, "--limit=1"], expected)


EMPTY_LINES = [
    mps(" y obj", " x\n\n y obj"),
    mps(" y obj", "\n5\n y obj"),
    mps(" y obj", " 5\n\n\n y obj"),
    mps("NAME t\n", "\nAME t\n").replace(" N obj\n", ' N"1 c 1\n'),
    mps("NAME t\n", "NAME \n\n").replace(" x obj 1 c 1\n", " x o c 1\n"),
    "NAME t\nROWS\n N obj\n G c\nCOLUMNS\n\nD y 5\nENDATA\n",
    "NAME t\nROWS\n\nN obj\0 G c\nCOLUMNS\n MARKER 'MARKER' 'OUNDS\n UP BND x 5\nENDATA\n",
]
"""HiGHS takes them for the old fixed format, and reads an empty line there for ever."""


@pytest.mark.parametrize("content", EMPTY_LINES, ids=range(len(EMPTY_LINES)))
@pytest.mark.parametrize("name", ["m.mps", "m.mps.gz"])
def test_empty_lines_of_mps_are_read_to_their_end(tmp_path, monkeypatch, name, content):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / name, gzip.compress(content.encode()) if name.endswith("gz") else content)
    with bounded(), accepted_or_one_line(f"{name}: "):
        read_model(name)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["m.lp.gz", "m.mps.gz"])
def test_a_small_file_that_unpacks_to_a_huge_one(refuses, tmp_path, monkeypatch, name):
    monkeypatch.setattr(model_files, "_LARGEST_FILE", 2**20)
    put(tmp_path / name, gzip.compress(b"\n" * 2**26, 1))
    refuses(["solve", name], f"{name}: larger than 1 MiB")


def test_thousands_of_columns_and_long_names(nogood, tmp_path):
    columns = [f"x{j}{'y' * 200}" for j in range(3000)]
    text = "min\n obj: " + " + ".join(columns) + f"\nst\n c: {columns[0]} >= 1\nbinary\n"
    put(tmp_path / "m.lp", text + "\n".join(columns) + "\nend\n")
    with bounded():
        ran = nogood("solve", tmp_path / "m.lp", "--json")
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["objective"] == 1


def test_solutions_of_unequal_height_are_drawn_side_by_side(nogood, tmp_path):
    put(tmp_path / "m.lp", "max\n obj: x + y\nst\n c: x + 2 y >= 1\nbinary\n x\n y\nend\n")
    ran = nogood("enumerate", tmp_path / "m.lp", "--want=feasible")
    assert (ran.status, ran.err) == (0, "")
    assert "3 solutions, complete" in ran.out


# Journals


@pytest.fixture(scope="module")
def whole_journal(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "run.db"
    assert enumerate_solutions(Queens(5), journal=path).count == 10
    return path


JOURNALS = [
    (b"", "run.db: is no journal of nogood"),
    (b"hello\n" * 100, "run.db: is no journal of nogood, or damaged: file is not a database"),
    (bytes(10000), "run.db: is no journal of nogood"),
    (b"SQLite format 3\0" + bytes(84), "run.db: "),
    (b"SQLite format 3\0" + bytes(range(256)) * 16, "run.db: "),
    (lambda raw: raw[: len(raw) // 2], "run.db: "),
    (lambda raw: raw[:100], "run.db: "),
    (
        lambda raw: raw[:5000] + bytes(x ^ 255 for x in raw[5000:9000]) + raw[9000:],
        "run.db: damaged",
    ),
    ("DELETE FROM run WHERE name = 'puzzle'", "run.db: damaged: 'puzzle'"),
    ("UPDATE sessions SET seconds = 'abc'", "run.db: damaged: "),
    ("UPDATE sessions SET seconds = NULL", "run.db: damaged: "),
    ("UPDATE batches SET rows = '[['", "run.db: .*damaged: "),
    ("UPDATE batches SET rows = x'ff00'", "run.db: .*damaged: "),
    ("ALTER TABLE sessions DROP COLUMN seconds", "run.db: damaged: no such column: seconds"),
    ("DROP VIEW solutions", "run.db: .*damaged: no such table"),
    ("DROP TABLE batches", "run.db: .*damaged: no such table"),
    ("PRAGMA user_version = 99", "run.db: is of format 99, not 1"),
    ("PRAGMA application_id = 1", "run.db: is no journal of nogood"),
]


def damaged(whole, path, how):
    """A journal that is damaged by bytes or by SQL."""
    shutil.copy(whole, path)
    if isinstance(how, str):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute(how)
            db.commit()
    else:
        path.write_bytes(how if isinstance(how, bytes) else how(whole.read_bytes()))


@pytest.mark.parametrize(("how", "expected"), JOURNALS, ids=names(JOURNALS))
def test_journals(refuses, tmp_path, whole_journal, how, expected):
    damaged(whole_journal, tmp_path / "run.db", how)
    refuses(["journal", "run.db"], expected)
    refuses(["journal", "run.db", "--json"], expected)


UNREADABLE = [
    how for how, _ in JOURNALS if not isinstance(how, str) or how.startswith("DROP TABLE")
]


@pytest.mark.parametrize("how", UNREADABLE, ids=range(len(UNREADABLE)))
def test_damaged_journals_are_not_resumed(nogood, tmp_path, monkeypatch, whole_journal, how):
    monkeypatch.chdir(tmp_path)
    damaged(whole_journal, tmp_path / "run.db", how)
    raw = (tmp_path / "run.db").read_bytes()
    for flags in (["--resume"], []):
        with bounded():
            ran = nogood("enumerate", "queens", "--n=5", "--journal=run.db", *flags)
        assert (ran.status, ran.out) == (2, "")
        assert one_line(ran.err)
        assert ran.err.startswith("nogood: run.db: ")
    assert (tmp_path / "run.db").read_bytes() == raw


# What is no file

READERS = {
    "enumerate magic-square --grid @.csv": "grid '@.csv'",
    "enumerate queens --square @.csv": "square '@.csv'",
    "enumerate riddle --source @.json": "riddle '@.json'",
    "enumerate @.json": "riddle '@.json'",
    "explain @.json": "riddle '@.json'",
    "enumerate @.lp": "@.lp",
    "solve @.mps": "@.mps",
    "show @.lp.gz": "@.lp.gz",
    "export queens --out=o.lp --cuts=@.csv": "@.csv",
    "export queens --out=o.lp --cuts=@.json": "@.json",
    "export queens --out=o.lp --cuts=@.parquet": "@.parquet",
    "export queens --out=o.lp --cuts=@.boards": "queens file '@.boards'",
    "export queens --out=o.lp --cuts=@.vectors": "queens file '@.vectors'",
}
NO_FILES = {
    "missing": (lambda path: None, "[Nn]o such file"),
    "folder": (os.mkdir, "Is a directory"),
    "pipe": (os.mkfifo, "is no regular file"),
    "loop": (lambda path: os.symlink(path.name, path), "Too many levels of symbolic links"),
    "null": (lambda path: os.symlink(os.devnull, path), "is no regular file"),
    "zero": (lambda path: os.symlink("/dev/zero", path), "is no regular file"),
    "dangling": (lambda path: os.symlink("nowhere", path), "[Nn]o such file"),
}


def made(path, kind):
    if kind == "zero" and not os.path.exists("/dev/zero"):
        pytest.skip("no /dev/zero here")
    NO_FILES[kind][0](path)


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("command", READERS)
def test_what_is_no_file_is_not_read(refuses, tmp_path, command, kind):
    (place,) = re.findall(r"@[.a-z]+", command)
    made(tmp_path / place.replace("@", kind), kind)
    where = re.escape(READERS[command].replace("@", kind))
    refuses(command.replace("@", kind).split(), f"{where}: {NO_FILES[kind][1]}")


WRITERS = [
    "enumerate queens --n=4 --out=@.csv",
    "enumerate queens --n=4 --out=@.json",
    "enumerate queens --n=4 --out=@.md",
    "enumerate queens --n=4 --out=@.tex",
    "enumerate queens --n=4 --out=@.boards",
    "enumerate queens --n=4 --journal=@.db",
    "export queens --n=4 --out=@.lp",
    "export queens --n=4 --out=@.mps",
    "export queens --n=4 --out=@.nl",
    "export queens --n=4 --out=@.x --format=lp",
    "explore queens --n=4 --out=@.html",
    "compare queens --n=4 --out=@.csv",
    "compare queens --n=4 --plot=@.png",
    "bench --quick --out=@.csv",
    "bench --quick --plot=@.pdf",
]
NO_PLACES = {
    "no/place": "cannot be written: No such file or directory",
    "file/place": "cannot be written: Not a directory",
    "loop/place": "cannot be written: Too many levels of symbolic links",
    "a" * 300: "cannot be written: File name too long",
    "pipe": "is no regular file; expected a file to write",
    "null": "is no regular file; expected a file to write",
    "folder": "is a folder; expected a file to write",
    "loop": "cannot be written: Too many levels of symbolic links",
}


@pytest.mark.parametrize("place", NO_PLACES, ids=lambda p: p[:12])
@pytest.mark.parametrize("command", WRITERS)
def test_where_nothing_can_be_written(refuses, tmp_path, command, place):
    (tmp_path / "file").touch()
    os.symlink("loop", tmp_path / "loop")
    ending = re.search(r"@(\.\w+)", command)[1]
    if place in ("pipe", "null", "folder", "loop"):
        made(tmp_path / f"{place}{ending}", place)
    expected = re.escape(f"{place}{ending}") if len(place) < 100 else "a+…a+" + re.escape(ending)
    refuses(command.replace("@", place).split(), f"{expected}: {NO_PLACES[place]}")


@pytest.mark.parametrize("folder", ["/proc", "/sys"])
@pytest.mark.parametrize("command", WRITERS[:5] + WRITERS[6:9] + WRITERS[10:11])
def test_a_folder_in_which_nobody_can_write(nogood, command, folder):
    if not os.path.isdir(folder):
        pytest.skip(f"no {folder} here")
    ran = nogood(*command.replace("@", f"{folder}/x").split())
    assert (ran.status, ran.out) == (2, "")
    assert one_line(ran.err)
    assert f"{folder}/x" in ran.err
    assert "cannot be written: " in ran.err


def test_a_link_stays_and_leads_to_what_was_written(nogood, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    os.symlink("real.csv", tmp_path / "link.csv")
    assert nogood("enumerate", "queens", "--n=4", "--out", tmp_path / "link.csv").status == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert len(read_solutions(tmp_path / "real.csv")) == 2


# A full disk


@contextlib.contextmanager
def full_disk(size):
    """No file grows beyond ``size``; Python ignores the signal, writing fails."""
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, was[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)


FULL = [
    *[f"enumerate queens --n=7 --out=o.{e}" for e in ("csv", "json", "md", "tex", "boards")],
    "enumerate queens --n=8 --out=o.vectors",
    "enumerate queens --n=7 --out=o.parquet",
    *[f"export queens --n=8 --out=o.{e}" for e in ("lp", "mps", "nl")],
    "explore queens --n=6 --out=o.html",
    *[f"compare queens --n=4 --formulations=pairs --plot=o.{e}" for e in ("png", "svg", "pdf")],
    "enumerate queens --n=7 --journal=o.db",
]


@pytest.mark.parametrize("command", FULL)
def test_a_full_disk_leaves_no_part_of_a_file(nogood, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    with full_disk(600):
        ran = nogood(*command.split())
    lines = ran.err.splitlines()
    assert ran.status == 2
    assert re.match(r"nogood: o\.\w+: cannot be written: ", lines[-1])
    assert len(lines) == (2 if "compare" in command else 1)  # it says each run as it ends
    assert [p.name for p in tmp_path.iterdir() if p.suffix != ".lock"] == []


# Streams, terminals, clocks


def started(*arguments, **options):
    """The command line in a process."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))
    }
    environment |= options.pop("env", {})
    return subprocess.run(
        [*PROGRAM, *arguments], env=environment, timeout=60, check=False, **options
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("enumerate", "queens", "--n=9", "--json"),
        pytest.param(("enumerate", "queens", "--n=6"), marks=pytest.mark.slow),
        ("--help",),
    ],
)
def test_a_pipe_that_nobody_reads(arguments):
    """As ``| head`` leaves it: stopped early, and nothing to be told."""
    reader, writer = os.pipe()
    os.close(reader)
    ran = started(*arguments, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (4, b"")


def test_ten_characters_of_a_long_result():
    command = [*PROGRAM, "enumerate", "queens", "--n=9", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(10) == b'{"puzzle":'
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 4)  # all of it may have been in the pipe already


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.slow
def test_standard_output_without_room():
    with open("/dev/full", "wb") as full:
        ran = started("enumerate", "queens", "--n=5", stdout=full, stderr=subprocess.PIPE)
        assert ran.returncode == 2
        assert ran.stderr == b"nogood: standard output: No space left on device\n"
        ran = started("solve", "queens", "--n=0", stdout=subprocess.PIPE, stderr=full)
        assert (ran.returncode, ran.stdout) == (2, b"")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_closed_streams(tmp_path, closed):
    """A table must not take the number of standard output, and be printed into."""
    out = tmp_path / "s.csv"
    close = (
        f"import os; [os.close(n) for n in {closed}]; os.execv({sys.executable!r}, {PROGRAM!r} + "
    )
    arguments = ["enumerate", "queens", "--n=4", "--out", str(out)]
    ran = subprocess.run(
        [sys.executable, "-c", f"{close}{arguments!r})"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert (b"2 solutions, complete" in ran.stdout) == (1 not in closed)
    assert len(read_solutions(out)) == 2


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["solve", "queens", "--n=4"], ". . Q .|. Q . ."),
        pytest.param(
            ["solve", "magic-square", "--n=3"], r"\+---\+---\+---\+", marks=pytest.mark.slow
        ),
        pytest.param(["explain", "einstein"], r"\+-+\+", marks=pytest.mark.slow),
        (["show", "knights-tour"], "Variables"),
    ],
    ids=lambda v: "-".join(v) if isinstance(v, list) else "",
)
def test_without_unicode(arguments, expected):
    ran = started(*arguments, env=ASCII, capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert re.search(expected, ran.stdout.decode("ascii"))


def test_without_unicode_json_is_json_and_errors_are_one_line(tmp_path):
    file = tmp_path / "ü.json"
    put(file, json.dumps({"header": ["♛"], "startMatrix": [["·"]], "hints": []}))
    ran = started("solve", str(file), "--json", env=ASCII, capture_output=True)
    assert json.loads(ran.stdout.decode("ascii"))["solution"] == [["·"]]
    ran = started("solve", "ü♛.json", env=ASCII, capture_output=True)
    assert ran.returncode == 2
    assert one_line(ran.stderr.decode("ascii"))


@pytest.mark.parametrize(
    "environment",
    [
        {"TERM": "dumb"},
        {"TERM": ""},
        {"COLUMNS": "1", "LINES": "1"},
        {"COLUMNS": "0"},
        {"COLUMNS": "x"},
        {"COLUMNS": "9" * 30},
        {"FORCE_COLOR": "1", "TERM": "dumb"},
    ],
    ids=str,
)
def test_terminals(nogood, monkeypatch, environment):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ran = nogood("enumerate", "queens", "--n=5")
    assert (ran.status, "Traceback" in ran.err) == (0, False)
    assert "10 solutions, complete" in ran.out
    assert nogood("--help").status == 0


def test_a_clock_that_goes_back(nogood, monkeypatch):
    """Deadlines are of the clock that only goes on."""
    clock = itertools.count(2e9, -3600)
    monkeypatch.setattr(time, "time", lambda: next(clock))
    ran = nogood("enumerate", "queens", "--n=6", "--time-limit=50", "--json")
    assert (ran.status, json.loads(ran.out)["count"]) == (0, 4)
    assert json.loads(ran.out)["seconds"] >= 0
    with bounded():
        ran = nogood("enumerate", "queens", "--n=16", "--time-limit=0.3", "--workers=1")
    assert ran.status == 4
    assert "stopped by --time-limit" in ran.out
    ran = nogood("solve", "queens", "--n=6", "--time-limit=50", "--json")
    assert (ran.status, json.loads(ran.out)["seconds"] >= 0) == (0, True)


def test_nothing_is_left_by_what_is_refused(nogood, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.json").write_text("{}")
    for arguments in (
        ("enumerate", "queens", "--journal", "none.db", "--resume"),
        ("enumerate", "queens", "--journal", "pets.json"),
        ("enumerate", "queens", "--journal", "pets.json", "--resume"),
        ("export", "queens", "--out", "q.lp", "--solution", "none/q.sol"),
        ("enumerate", "queens", "--dask", "foo"),
    ):
        ran = nogood(*arguments)
        assert (ran.status, one_line(ran.err)) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["pets.json"]


def test_a_model_without_discrete_variables(nogood, tmp_path):
    file = tmp_path / "c.lp"
    file.write_text("max\n x + y\nst\n c: x + y <= 3\nend\n")
    ran = nogood("solve", file)
    assert ran.out.startswith("no key variables: none is discrete\n")
    assert "objective 3.0" in ran.out


def test_sizes_that_mean_all(nogood):
    """A bound beyond what there is is none; nothing is set aside for it."""
    for flag in ("--limit=1000000000000", f"--limit={10**30}", "--time-limit=1e300"):
        with bounded():
            ran = nogood("enumerate", "queens", "--n=5", flag, "--json")
        assert (ran.status, json.loads(ran.out)["count"]) == (0, 10)
    with bounded():
        ran = nogood(
            *("enumerate", "queens", "--square=durer", "--objective=min", "--best=1000000000000")
        )
    assert (ran.status, ran.err) == (0, "")


# Python


class Odd:
    def __repr__(self):
        raise RuntimeError("no")


ODD = [
    None,
    True,
    1.5,
    10**5000,
    -1,
    "",
    "x",
    "９",
    b"4",
    [],
    {},
    (),
    {1},
    object,
    Odd(),
    np.zeros(3),
]


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (Queens, ("n", "square", "total", "objective", "given", "formulation")),
        (MagicSquare, ("n", "kind", "given", "hide_queens", "formulation")),
        (KnightsTour, ("rows", "cols", "kind", "start", "end", "formulation", "square")),
        (Riddle, ("source",)),
    ],
    ids=["queens", "magic-square", "knights-tour", "riddle"],
)
def test_odd_values_of_parameters(make, names, value):
    for name in names:
        extra = {"square": "durer"} if name in ("total", "objective") and make is Queens else {}
        with accepted_or_one_line():
            make(**extra, **{name: value})


@contextlib.contextmanager
def accepted_or_one_line(beginning=""):
    """Either it works, or it is an InputError of one short line."""
    try:
        yield
    except InputError as error:
        said = str(error)
        assert said.startswith(beginning)
        assert 0 < len(said) <= 300
        assert said.isprintable()


# Fuzzing

texts = st.one_of(
    st.text(max_size=60),
    st.text('0123456789,=-+ DxX.[]{}":\n\r\t', max_size=80),
    st.text("D-\n", max_size=40),
)
raws = st.one_of(texts.map(lambda t: t.encode("utf-8", "replace")), st.binary(max_size=80))
numbers = st.one_of(
    st.integers(-3, 6),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.text("0123456789-+_. eE０٣", max_size=6),
)
LOADERS = {
    ".csv": [load_grid, load_square, read_solutions],
    ".json": [load_riddle, read_solutions],
    ".vectors": [read_queens, read_solutions],
    ".boards": [read_queens, read_solutions],
    ".lp": [read_model],
    ".mps": [read_model],
    ".lp.gz": [read_model],
    ".mps.gz": [read_model],
}
VALID = {
    ".csv": [GRID.encode(), SOLUTION.encode(), b"x,y\n1,0\n"],
    ".json": [riddle().encode(), b'{"solutions": [[1, 3, 0, 2]]}', b'[{"x": 1, "y": 0}]'],
    ".vectors": [b"1302\n2031\n"],
    ".boards": [b"-D-----DD-----D-\n"],
    ".lp": [MODEL.encode()],
    ".mps": [MPS.encode()],
    ".lp.gz": [gzip.compress(MODEL.encode()), MODEL.encode()],
    ".mps.gz": [gzip.compress(MPS.encode()), MPS.encode()],
}


def load_all(folder, ending, raw):
    file = put(folder / f"f{ending}", raw)
    for load in LOADERS[ending]:
        with accepted_or_one_line():
            load(file)


@pytest.mark.parametrize("ending", LOADERS)
@fuzzed
@given(raw=raws)
def test_loaders_on_anything(tmp_path, ending, raw):
    load_all(tmp_path, ending, raw)


@st.composite
def mutated(draw, raw):
    """A valid file with some bytes changed, left out, doubled or exchanged."""
    for _ in range(draw(st.integers(1, 3))):
        i, j = sorted(draw(st.tuples(*[st.integers(0, len(raw))] * 2)))
        new = draw(
            st.sampled_from(
                [b"", raw[i:j] * 2, b"\0", b"\xff", b"-1", b"1e400", b"nan", b"\n", b'"']
            )
        )
        raw = raw[:i] + new + (raw[j:] if draw(st.booleans()) else raw[i + 1 :])
    return raw


@pytest.mark.parametrize("ending", VALID)
@fuzzed
@given(data=st.data())
def test_loaders_on_files_that_were_valid(tmp_path, ending, data):
    raw = data.draw(st.sampled_from(VALID[ending]))
    load_all(tmp_path, ending, data.draw(mutated(raw)))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
rows = st.lists(st.sampled_from(["", "1", "2", "x", "y", "?"]), min_size=2, max_size=2)
riddles = st.fixed_dictionaries(
    {
        "header": st.just(["a", "b"]) | values,
        "startMatrix": st.lists(rows, min_size=1, max_size=3) | values,
        "hints": st.lists(
            st.lists(st.lists(rows, min_size=1, max_size=2), min_size=1, max_size=2), max_size=3
        )
        | values,
    },
    optional={
        "singleHints": st.booleans() | values,
        "values": values,
        "clues": values,
        "q": values,
    },
)


@fuzzed
@given(form=riddles)
@example(form={"header": ["a"], "startMatrix": [["1"]], "hints": [], "values": {"a": ["\x1b"]}})
def test_riddles_of_any_structure(form):
    with accepted_or_one_line():
        puzzle = Riddle(form)
        for solution in enumerate_solutions(puzzle, limit=2):
            puzzle.check(solution)
            puzzle.draw(solution)


@fuzzed
@given(
    solutions=values | st.lists(st.lists(st.integers(-1, 4), min_size=4, max_size=4), max_size=2)
)
@pytest.mark.parametrize("arguments", PUZZLES)
def test_cuts_of_any_structure(tmp_path, arguments, solutions):
    put(tmp_path / "s.json", json.dumps({"solutions": solutions}))
    with accepted_or_one_line():
        export_model(
            PUZZLES[arguments], tmp_path / "o.lp", cuts=read_solutions(tmp_path / "s.json")
        )


grids = st.lists(st.lists(numbers, max_size=4), max_size=4) | numbers
cells = st.tuples(numbers, numbers) | st.text("0123,=", max_size=6) | numbers
choices = st.sampled_from(["min", "max", "nearest", "open", "path", "dfj", "pairs"]) | numbers


@settings(fuzzed, max_examples=200)
@given(data=st.data())
def test_parameters_of_any_value(data):
    make, options = data.draw(
        st.sampled_from(
            [
                (Queens, {"n": numbers, "square": grids, "total": numbers, "objective": choices,
                          "given": st.lists(cells, max_size=2) | numbers, "formulation": choices}),
                (MagicSquare, {"n": numbers, "kind": choices, "hide_queens": numbers,
                               "given": st.lists(cells, max_size=2) | grids
                               | st.dictionaries(st.text(max_size=3), numbers, max_size=2)}),
                (KnightsTour, {"rows": numbers, "cols": numbers, "kind": choices, "start": cells,
                               "end": cells, "square": grids, "objective": choices}),
            ]
        )
    )  # fmt: skip
    with accepted_or_one_line():
        make(**data.draw(st.fixed_dictionaries({}, optional=options)))


FLAG_NAMES = {
    "queens": ["--n", "--square", "--total", "--objective", "--given", "--formulation", "--x"],
    "magic-square": ["--n", "--kind", "--given", "--grid", "--hide-queens", "--formulation"],
    "knights-tour": ["--rows", "--cols", "--kind", "--start", "--end", "--formulation"],
    "riddle": ["--source", "--n"],
}
words = st.one_of(
    st.integers(-2, 6).map(str),
    st.text(max_size=8),
    st.text("0123456789,=-+.e", max_size=6),
    st.sampled_from(["durer", "magic", "min", "0,0", "0,0=1", "closed", "dfj", "city.json", HUGE]),
)


@settings(fuzzed, max_examples=150)
@given(data=st.data())
def test_flags_of_any_value(nogood, tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    puzzle = data.draw(st.sampled_from(sorted(FLAG_NAMES)))
    flags = data.draw(
        st.lists(st.tuples(st.sampled_from(FLAG_NAMES[puzzle]), words).map("=".join), max_size=3)
    )
    with bounded():
        ran = nogood("show", puzzle, *flags)
    assert ran.status in range(6)
    assert ran.err == "" if ran.status == 0 else one_line(ran.err)
    assert list(tmp_path.iterdir()) == []


@fuzzed
@given(
    arguments=st.lists(words | st.sampled_from(["solve", "queens", "--json", "--help"]), max_size=4)
)
def test_arguments_of_any_kind(nogood, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    ran = nogood("explain", *arguments) if "queens" not in arguments else nogood(*arguments)
    assert ran.status in range(6)
    assert "Traceback" not in ran.err
    assert one_line(ran.err) or ran.status in (0, 4) or not arguments


@pytest.mark.slow
@settings(fuzzed, max_examples=1000)
@given(data=st.data())
@pytest.mark.parametrize("ending", VALID)
def test_loaders_on_many_files_that_were_valid(tmp_path, ending, data):
    raw = data.draw(st.sampled_from(VALID[ending]))
    load_all(tmp_path, ending, data.draw(mutated(raw)))


def test_there_are_enough_cases():
    tables = (FLAGS, TABLES, SQUARES, RIDDLES, SOLUTIONS, NO_SOLUTIONS, VALUES, MODELS, JOURNALS)
    assert sum(map(len, tables)) > 300
