"""The two text formats of queens solutions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nogood.data import InputError, read_queens, write_queens

permutations = st.integers(1, 15).flatmap(lambda n: st.permutations(range(n)).map(tuple))


def test_boards():
    text = write_queens([(1, 3, 0, 2)], "boards")
    assert text == "-D-----DD-----D-\n"
    assert read_queens(text) == [(1, 3, 0, 2)]


@pytest.mark.parametrize(
    ("vector", "line"),
    [
        ((0,), "0"),
        ((4, 2, 0, 6, 1, 7, 5, 3), "42061753"),
        ((0, 2, 5, 7, 9, 4, 8, 1, 3, 6), "0257948136"),
        ((0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9), "0,2,4,6,8,10,1,3,5,7,9"),
    ],
)
def test_vectors(vector, line):
    assert write_queens([vector], "vectors") == line + "\n"
    assert read_queens(line + "\n") == [vector]


@given(st.lists(permutations, max_size=5), st.sampled_from(["boards", "vectors"]))
def test_what_is_written_is_read_again(solutions, form):
    text = write_queens(solutions, form)
    assert text.count("\n") == len(solutions)
    assert read_queens(text or "\n") == solutions


@pytest.mark.parametrize("form", ["boards", "vectors"])
def test_a_file_with_both_line_ends_and_empty_lines(tmp_path, form):
    file = tmp_path / "queens.txt"
    file.write_bytes(write_queens([(1, 3, 0, 2)] * 2, form).replace("\n", "\r\n\n").encode())
    assert read_queens(file) == read_queens(str(file)) == [(1, 3, 0, 2)] * 2


def test_both_formats_in_one_text():
    assert read_queens("1302\n-D-----DD-----D-\n") == [(1, 3, 0, 2)] * 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1302\nD--\n", "queens: line 2: 3 characters are no square board"),
        ("DD--\n", "queens: line 1: row 0 has 2 queens, not one"),
        ("D---\n", "queens: line 1: row 1 has 0 queens, not one"),
        ("13o2\n", "queens: line 1: expected D and -, or a vector of columns, got '13o2'"),
        ("1,3,,2\n", "queens: line 1: expected D and -, or a vector of columns, got '1,3,,2'"),
        ("1304\n", "queens: line 1: column 4 of row 3 is beyond 3"),
        ("-1,0\n", "queens: line 1: expected D and -, or a vector of columns, got '-1,0'"),
    ],
)
def test_lines_that_are_no_solutions(text, reason):
    with pytest.raises(InputError) as said:
        read_queens(text)
    assert str(said.value) == reason


def test_files_that_cannot_be_read(tmp_path):
    missing = tmp_path / "missing.txt"
    with pytest.raises(InputError) as said:
        read_queens(missing)
    assert str(said.value) == f"queens file {str(missing)!r}: No such file or directory"
    missing.write_bytes(b"\xff\n")
    with pytest.raises(InputError) as said:
        read_queens(missing)
    assert str(said.value) == f"{missing}: not a text file of boards or vectors"
