"""Tables as files: what is written is read back equal, whole or not at all."""

import json

import pandas as pd
import pytest
from nogood.data import InputError
from nogood.models import Queens
from nogood.runners import SolverMissing, enumerate_solutions, tables, write_table

TABLE = pd.DataFrame(
    {
        "number": [1, 2],
        "objective": [0.5, -3.0],
        "text": ["[1, 3, 0, 2]", "ä_b & 50 % | <c>"],
    }
)


@pytest.mark.parametrize(
    ("ending", "read"),
    [("csv", pd.read_csv), ("json", pd.read_json), ("parquet", pd.read_parquet)],
)
def test_what_is_written_is_read_back(tmp_path, ending, read):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"table.{ending}"
    write_table(TABLE, file)
    pd.testing.assert_frame_equal(read(file), TABLE)


def test_markdown(tmp_path):
    write_table(TABLE, tmp_path / "table.md")
    lines = (tmp_path / "table.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == list(TABLE.columns)
    assert lines[2].split("|")[3].strip() == "[1, 3, 0, 2]"


def test_latex_escapes_its_special_characters(tmp_path):
    write_table(TABLE, tmp_path / "table.tex")
    text = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert text.startswith("\\begin{tabular}")
    assert text.rstrip().endswith("\\end{tabular}")
    assert r"ä\_b \& 50 \% | " in text


@pytest.mark.parametrize("ending", tables.ENDINGS)
@pytest.mark.parametrize("n", [3, 4])
def test_every_ending_takes_what_was_found_and_nothing(tmp_path, ending, n):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"TABLE{ending.upper()}"
    write_table(enumerate_solutions(Queens(n)).table, file)
    assert file.stat().st_size > 0
    assert list(tmp_path.iterdir()) == [file]


def test_json_keeps_the_solutions(tmp_path):
    found = enumerate_solutions(Queens(5))
    write_table(found.table, tmp_path / "table.json")
    rows = json.loads((tmp_path / "table.json").read_text())
    assert [tuple(json.loads(row["solution"])) for row in rows] == found.solutions
    assert [row["number"] for row in rows] == list(range(1, 11))


@pytest.mark.parametrize("name", ["table.xlsx", "table", "table.csv.gz"])
def test_an_unknown_ending(tmp_path, name):
    file = tmp_path / name
    with pytest.raises(InputError) as said:
        write_table(TABLE, file)
    assert str(said.value) == (
        f"{file}: unknown table format {file.suffix!r}; end it in .csv, .json, .parquet, .md, .tex"
    )
    assert list(tmp_path.iterdir()) == []


def test_where_it_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("kept")
    for path, reason in [
        (tmp_path / "missing" / "table.csv", "cannot be written: No such file or directory"),
        (tmp_path / "file" / "table.csv", "cannot be written: Not a directory"),
    ]:
        with pytest.raises(InputError) as said:
            write_table(TABLE, path)
        assert str(said.value) == f"{path}: {reason}"
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError) as said:
        write_table(TABLE, tmp_path / "folder.csv")
    assert str(said.value) == f"{tmp_path / 'folder.csv'}: is a folder; expected a file to write"
    assert sorted(f.name for f in tmp_path.iterdir()) == ["file", "folder.csv"]
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_midway_leaves_the_old_file(tmp_path, monkeypatch, failure):
    file = tmp_path / "table.csv"
    file.write_text("old")

    def broken(table, path):
        path.write_text("half")
        raise failure

    monkeypatch.setitem(tables._WRITERS, ".csv", broken)
    with pytest.raises((InputError, KeyboardInterrupt)) as said:
        write_table(TABLE, file)
    if isinstance(failure, OSError):
        assert str(said.value) == f"{file}: cannot be written: No space left on device"
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_replaced_and_readable_by_the_user_s_mask(tmp_path):
    file, other = tmp_path / "table.csv", tmp_path / "other"
    file.write_text("old")
    other.touch()
    write_table(TABLE, file)
    assert file.read_text().startswith("number,")
    assert file.stat().st_mode == other.stat().st_mode


def test_parquet_without_its_library(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(SolverMissing) as said:
        write_table(TABLE, tmp_path / "table.parquet")
    assert str(said.value) == "Parquet needs pyarrow; install it with: pip install pyarrow"
