"""The mathematics says exactly what the model has: the same names, the same numbers."""

import inspect
import re
import shutil
import subprocess
from xml.etree import ElementTree

import pyomo.environ as pyo
import pytest
from nogood.models import PUZZLES, KnightsTour, MagicSquare, Queens, Riddle, tour_parts
from nogood.models import queens as queens_file
from nogood.runners import export_model
from nogood.runners.comparing import formulations_of
from nogood.runners.mathematics import (
    FORMATS,
    as_html,
    as_latex,
    as_markdown,
    as_text,
    formulation,
)

COUNTED = ("Variables", "Expressions", "Objective", "Constraints")
INSTANCES = [
    Queens(5),
    Queens(5, formulation="pairs", given=[(0, 2)]),
    Queens(square="durer", total="magic", objective="max"),
    Queens(square="durer", objective="nearest"),
    MagicSquare(4),
    MagicSquare(3, formulation="plain", kind="semimagic"),
    MagicSquare(3, formulation="integer", given={(0, 0): 2}),
    MagicSquare(4, kind="associative", hide_queens=True),
    MagicSquare(4, kind="pandiagonal", given={(0, 0): 1}),
    *(
        KnightsTour(3, 4, kind=kind, formulation=name)
        for kind in ("closed", "open", "path")
        for name in formulations_of(KnightsTour)
    ),
    KnightsTour(4, 4, end=(1, 2), square="durer", objective="min"),
    KnightsTour(4, 4, end=(1, 2), square="durer", objective="max", formulation="dfj"),
    Riddle("einstein"),
    Riddle("couples"),
]


@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: p.describe()[:70])
def test_every_component_is_explained_and_counted(puzzle):
    model, said = puzzle.model(), formulation(puzzle)
    kinds = (pyo.Var, pyo.Expression, pyo.Objective, pyo.Constraint)
    components = {c.name: len(c) for c in model.component_objects(kinds)}
    entries = [e for name in COUNTED for e in said.sections.get(name, [])]
    assert {e.name: e.count for e in entries} == components
    assert len(entries) == len(components)
    rows = sum(e.count for e in said.sections["Constraints"])
    assert said.size.startswith(f"{rows} rows")


@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: p.describe()[:70])
def test_an_index_has_the_length_that_the_letters_say(puzzle):
    """``x[i,j]`` with two squares i and j has four numbers in the model, ``u[i]`` two."""
    model, said = puzzle.model(), formulation(puzzle)
    squares = isinstance(puzzle, KnightsTour)
    for name in COUNTED:
        for entry in said.sections.get(name, []):
            letters = [x for x in entry.index.split(",") if x]
            expected = sum(
                2 if x in "ij" and (squares or len(letters) == 2) else 1 for x in letters
            )
            for index in model.component(entry.name):
                length = 0 if index is None else len(index) if isinstance(index, tuple) else 1
                assert length == expected, (entry.label, index)


@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: p.describe()[:70])
def test_the_names_in_the_lp_file_are_those(tmp_path, puzzle):
    text = export_model(puzzle, tmp_path / "model.lp").read_text(encoding="utf-8")
    body = text[text.index("obj:") : text.index("Bounds")]
    found = set(re.findall(r"(?<![\w.])([a-z_]*[a-z])(?:_[^ :]*)?(?= |:|$)", body, re.MULTILINE))
    entries = [e for name in COUNTED for e in formulation(puzzle).sections.get(name, [])]
    known = {e.name for e in entries} | {"obj"}
    words = {re.sub(r"(_m?\d.*|_[A-Z].*)$", "", name) for name in found}
    strange = {w for w in words if not any(w == k or w.startswith(f"{k}_") for k in known)}
    assert not strange


def test_no_entry_is_out_of_use():
    """What the docstrings explain is shown for some instance."""
    shown = {
        (name, e.name)
        for p in INSTANCES
        for name, es in formulation(p).sections.items()
        for e in es
    }
    parts = {part for puzzle in INSTANCES for part in puzzle.parts()}
    for source in (*parts, *PUZZLES.values()):
        section = ""
        for line in inspect.getdoc(source).splitlines():
            if re.fullmatch(r"[A-Z][a-z ]+", line):
                section = line
            elif entry := re.match(r"    (\w+)(\[[^\]]*\])?: ", line):
                assert (section, entry[1]) in shown, (source, line)


def test_every_part_is_used_somewhere():
    used = {part.__name__ for puzzle in INSTANCES for part in puzzle.parts()}
    for file in (tour_parts, queens_file):
        for name, part in inspect.getmembers(file, inspect.isfunction):
            text = inspect.getdoc(part) or ""
            if "Constraints\n" in text and part.__module__ == file.__name__:
                assert name in used


def test_text_reads_like_the_model():
    text = as_text(formulation(Queens(8)))
    assert "x[r,c]           64  x[r,c] ∈ {0, 1}, a queen on square (r, c)." in text
    assert "row[r]            8  Σ_c x[r,c] = 1 for r ∈ I." in text
    assert "42 rows, 64 columns (64 binary), 252 nonzeros" in text
    assert not re.search(r"\\|:math:|``|\$", text)
    tour = as_text(formulation(KnightsTour(kind="open")))
    assert "leave[i]" in tour
    assert "Σ_j x[i,j] + last[i] = 1 for i ∈ N." in tour
    assert max(map(len, tour.splitlines())) <= 88


@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: p.describe()[:70])
def test_no_latex_is_left_in_the_text(puzzle):
    assert not re.search(r"\\|:math:|``|\{[a-z]+\}", as_text(formulation(puzzle)))


@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: p.describe()[:70])
def test_html_is_well_formed_and_its_formulas_are_mathml(puzzle):
    tree = ElementTree.fromstring(f"<div>{as_html(puzzle)}</div>")
    assert tree.findall(".//{http://www.w3.org/1998/Math/MathML}math")
    assert "\\" not in "".join(tree.itertext())
    assert {t.tag.split("}")[-1] for t in tree.iter()} & {"script", "merror"} == set()


def test_markdown_has_dollars_around_formulas():
    text = as_markdown(formulation(KnightsTour()))
    assert "- `leave[i]` (64): $\\sum_{j} x_{ij} = 1$ for $i \\in N$." in text
    assert text.count("$") % 2 == 0


@pytest.mark.parametrize("puzzle", INSTANCES, ids=lambda p: p.describe()[:70])
def test_latex_is_balanced(puzzle):
    text = as_latex(formulation(puzzle))
    assert text.count("\\begin{description}") == text.count("\\end{description}")
    plain = re.sub(r"\\[{}$%&#_]", "", text)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    for words in re.split(r"\$[^$]*\$", plain):
        assert not re.search(r"[&%#_^]", words), words


def test_latex_is_set_by_a_compiler(tmp_path):
    latex = shutil.which("pdflatex") or pytest.skip("pdflatex is not here")
    body = "".join(as_latex(formulation(puzzle)) for puzzle in INSTANCES)
    preamble = "\\documentclass{article}\\usepackage{amsmath,amssymb}\\begin{document}\n"
    (tmp_path / "all.tex").write_text(f"{preamble}{body}\\end{{document}}\n", encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:]


@pytest.mark.parametrize("format", FORMATS)
def test_on_the_command_line(nogood, format):
    ran = nogood("show", "knights-tour", "--formulation", "flow", "--format", format)
    assert ran.status == 0
    assert ran.err == ""
    assert "capacity" in ran.out


def test_a_model_file_has_a_size(nogood, tmp_path):
    file = export_model(Queens(4), tmp_path / "queens.lp")
    ran = nogood("show", file)
    assert ran.out == f"{file}: 18 rows, 16 columns (16 binary), 60 nonzeros\n"


def test_an_unknown_format_is_one_line(nogood):
    ran = nogood("show", "queens", "--format", "html")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "nogood: --format: expected one of text, markdown, latex; got 'html'\n"
