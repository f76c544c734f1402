"""Squares and grids: the bundled ones are what they claim, files in all their forms."""

import numpy as np
import pytest
from nogood.data import InputError, load_grid, load_square, square_names


def line_sums(square):
    n = len(square)
    straight = [sum(row) for row in square] + [sum(column) for column in zip(*square, strict=True)]
    across = [sum(square[i][i] for i in range(n)), sum(square[i][n - 1 - i] for i in range(n))]
    return set(straight), set(across)


def test_the_names_of_the_bundled_squares():
    assert square_names() == ("durer", "franklin", "lo-shu", "reto2")


@pytest.mark.parametrize(
    ("name", "n", "magic"), [("lo-shu", 3, 15), ("durer", 4, 34), ("reto2", 8, 260)]
)
def test_magic_with_both_diagonals(name, n, magic):
    square = load_square(name)
    assert sorted(v for row in square for v in row) == list(range(1, n * n + 1))
    assert line_sums(square) == ({magic}, {magic})


def test_franklin_is_semimagic_only():
    square = load_square("franklin")
    assert sorted(v for row in square for v in row) == list(range(1, 65))
    straight, across = line_sums(square)
    assert straight == {260}
    assert 260 not in across
    for k in range(8):  # what it is famous for: its bent diagonals
        assert sum(square[(min(c, 7 - c) + k) % 8][c] for c in range(8)) == 260


def test_durer_shows_its_year():
    assert load_square("durer")[3][1:3] == (15, 14)


def test_reto2_begins_as_in_the_source():
    assert load_square("reto2")[0] == (1, 2, 62, 61, 60, 59, 7, 8)


@pytest.mark.parametrize(
    "content",
    [
        b"1,2\n3,4\n",
        b"\xef\xbb\xbf1,2\n3,4\n",
        b"1,2\r\n3,4\r\n",
        b" 1, 2\n3 ,4",
        b"\n1,2\n\n3,4\n\n",
        b'"1","2"\n3,4\n',
        b"+1,02\n3,4\n",
    ],
    ids=["plain", "BOM", "CRLF", "spaces", "empty lines", "quotes", "signs"],
)
def test_csv_in_all_its_forms(tmp_path, content):
    file = tmp_path / "square.csv"
    file.write_bytes(content)
    assert load_square(file) == load_square(str(file)) == ((1, 2), (3, 4))


def test_negative_entries():
    assert load_square([[-1, 2], [0, -3]]) == ((-1, 2), (0, -3))


def test_nested_sequences_of_any_kind():
    assert load_square(((1, 2), [3, "4"])) == ((1, 2), (3, 4))


def test_blanks_in_a_grid_are_zeros(tmp_path):
    file = tmp_path / "grid.csv"
    file.write_text("1,\n ,0\n")
    assert load_grid(file) == load_grid([[1, None], ["", 0]]) == ((1, 0), (0, 0))


def test_a_blank_in_a_square_is_an_error(tmp_path):
    file = tmp_path / "square.csv"
    file.write_text("1,\n2,3\n")
    with pytest.raises(InputError) as said:
        load_square(file)
    assert str(said.value) == f"{file}: row 0, column 1: '' is not an integer"


def test_a_bundled_name_comes_before_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "durer").write_text("1\n")
    assert len(load_square("durer")) == 4
    assert load_square("./durer") == ((1,),)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "{}: empty; expected n rows of n integers"),
        (b"1,2\n3\n", "{}: row 1 has 1 entries, but there are 2 rows"),
        (b"1,2\n3,x\n", "{}: row 1, column 1: 'x' is not an integer"),
        (b"1,2\n3,4.5\n", "{}: row 1, column 1: '4.5' is not an integer"),
        (b"1,2\n3,10000000000\n", "{}: row 1, column 1: 10000000000 is beyond ±1000000000"),
        (b"\xff\xfe1\x00", "{}: not a text file in UTF-8"),
    ],
)
def test_files_that_are_no_squares(tmp_path, content, reason):
    file = tmp_path / "square.csv"
    file.write_bytes(content)
    with pytest.raises(InputError) as said:
        load_square(file)
    assert str(said.value) == reason.format(file)


def test_a_broken_csv_names_its_file(tmp_path):
    file = tmp_path / "square.csv"
    file.write_text("1" * 200_000)  # beyond the csv module's limit of a field
    with pytest.raises(InputError) as said:
        load_square(file)
    assert str(said.value).startswith(f"{file}: ")
    assert len(str(said.value).splitlines()) == 1


def test_arrays_are_taken():
    assert load_square(np.array([[1, 2], [3, 4]])) == ((1, 2), (3, 4))
