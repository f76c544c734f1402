"""The page of an enumeration, in a real browser, against pandas and plain loops."""

import json
import re
import shutil
from functools import cache
from itertools import pairwise, product

import pandas as pd
import pyomo.environ as pyo
import pytest
from nogood.models import KnightsTour, MagicSquare, Queens, Riddle
from nogood.runners import enumerate_solutions, explain, explore
from nogood.runners.exploring import Link, orbits, write_index

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium")
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium")

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script></script><b id=made>'\"&"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Open a page; in the end nothing may have been asked for or complained of but the page."""
    contexts, problems = [], []

    def run(path, fragment="", beside=(), **options):
        own = [path.as_uri(), *(path.with_name(name).as_uri() for name in beside)]
        context = browser.new_context(**options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        address = f"{path.as_uri()}{fragment}"
        page.on("console", lambda said: problems.append(said.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda asked: _own(asked.url, own) or problems.append(asked.url))
        page.goto(address)
        return page

    yield run
    for context in contexts:
        context.close()
    assert problems == []


def _own(url, pages):
    return url.split("#")[0] in pages or url.startswith(("data:", "blob:"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The result of an enumeration and its page, each made once."""
    kept = {}

    def run(name):
        if name not in kept:
            found = MADE[name]()
            path = explore(found, tmp_path_factory.mktemp("pages") / f"{name}.html")
            kept[name] = found, path
        return kept[name]

    return run


def _model():
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(4), domain=pyo.Integers, bounds=(-1, 2))
    terms = {i: w * model.x[i] for i, w in enumerate((3, 5, 6, 7))}
    model.fits = pyo.Constraint(expr=sum(terms.values()) <= 15)
    model.value = pyo.Objective(expr=sum(terms.values()) + model.x[3], sense=pyo.maximize)
    return model


MADE = {
    "magic-4": lambda: enumerate_solutions(MagicSquare(4)),
    "magic-3": lambda: enumerate_solutions(MagicSquare(3)),
    "queens-6": lambda: enumerate_solutions(Queens(6)),
    "queens-8": lambda: enumerate_solutions(Queens(8)),
    "queens-12": lambda: enumerate_solutions(Queens(12)),
    "queens-best": lambda: enumerate_solutions(Queens(square="reto2", objective="min"), best=9),
    "distinct": lambda: enumerate_solutions(Queens(8), distinct=True),
    "tour": lambda: enumerate_solutions(KnightsTour(), limit=1),
    "tours": lambda: enumerate_solutions(KnightsTour(5, 6)),
    "city": lambda: enumerate_solutions(Riddle("city")),
    "model": lambda: enumerate_solutions(_model(), best=12),
    "none": lambda: enumerate_solutions(Queens(3)),
}


def cell(page, row, column):
    return page.locator("#asked tbody tr").nth(row).locator("input, button, select").nth(column)


def count(page):
    return page.locator("#count").inner_text()


def offers(page):
    """The values offered for the current cell, with how many."""
    pairs = page.locator(".offers button").evaluate_all(
        "buttons => buttons.map(b => [...b.children].map(part => Number(part.textContent)))"
    )
    return dict(pairs)


@cache
def tables(found):
    """The table, and one with a column a cell."""
    cells = [
        {f"{r},{c}": value for r, row in enumerate(grid) for c, value in enumerate(row)}
        for grid in found.solutions
    ]
    return found.table, pd.DataFrame(cells)


def agreeing(found, wanted):
    """pandas' own filter of the table, by cells."""
    table, cells = tables(found)
    keep = pd.Series(True, index=cells.index)
    for (r, c), value in wanted.items():
        keep &= cells[f"{r},{c}"] == value
    return table[keep]


def possible(found, wanted, at):
    """The values of a cell in the solutions that agree elsewhere, with how many."""
    others = {where: value for where, value in wanted.items() if where != at}
    cells = tables(found)[1].loc[agreeing(found, others).index]
    return cells["{},{}".format(*at)].value_counts().to_dict()


def downloaded(page, button, tmp_path):
    with page.expect_download() as waiting:
        page.locator(button).click()
    target = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


# Filters


@in_browser
def test_squares_are_filtered_as_by_pandas(made, visit):
    found, path = made("magic-4")
    page = visit(path)
    assert count(page) == "7040 of 7040"
    assert page.locator("#list").evaluate("list => list.scrollTop") == 0
    wanted = {}
    for at, value in {(0, 0): 1, (1, 2): 12, (3, 3): 10}.items():
        cell(page, *at).click()
        assert offers(page) == possible(found, wanted, at)
        wanted[at] = value
        cell(page, *at).fill(str(value))
        assert count(page) == f"{len(agreeing(found, wanted))} of 7040"
        assert offers(page) == possible(found, wanted, at)
        if at == (0, 0):
            assert count(page) == "416 of 7040"
    numbers = page.locator("[role=option] p b").all_inner_texts()
    assert list(map(int, numbers)) == agreeing(found, wanted)["number"].tolist()
    page.locator("#reset").click()
    assert count(page) == "7040 of 7040"
    assert cell(page, 0, 0).input_value() == ""


@in_browser
def test_every_keystroke_counts(made, visit):
    found, path = made("magic-4")
    page = visit(path)
    cell(page, 2, 1).focus()
    page.keyboard.type("1")
    assert count(page) == f"{len(agreeing(found, {(2, 1): 1}))} of 7040"
    page.keyboard.type("4")
    assert count(page) == f"{len(agreeing(found, {(2, 1): 14}))} of 7040"
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    assert count(page) == "7040 of 7040"


@in_browser
@pytest.mark.parametrize("typed", ["99", "x", "1"])
def test_the_impossible_is_said_to_be(made, visit, typed):
    page = visit(made("magic-3")[1])  # only 2, 4, 6, 8 stand in a corner
    cell(page, 0, 0).fill(typed)
    assert count(page) == "0 of 8"
    assert cell(page, 0, 0).get_attribute("aria-invalid") == "true"
    assert "impossible" in page.locator("#offers").inner_text()
    assert set(offers(page)) == {2, 4, 6, 8}
    assert page.locator("#none").is_visible()
    page.locator("#reset-too").click()
    assert count(page) == "8 of 8"


@in_browser
def test_a_square_takes_a_queen_or_none(made, visit):
    found, path = made("queens-6")
    page = visit(path)
    shown = [[int(cell(page, r, c).inner_text() or 0) for c in range(6)] for r in range(6)]
    assert shown == [[sum(s[r] == c for s in found) for c in range(6)] for r in range(6)]
    cell(page, 0, 0).click(force=True)
    assert count(page) == "4 of 4"  # no queen ever stands in this corner
    cell(page, 0, 1).click()
    assert count(page) == "1 of 4"
    cell(page, 0, 1).click()
    assert count(page) == "3 of 4"
    cell(page, 0, 1).click()
    assert count(page) == "4 of 4"
    cell(page, 0, 2).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("q")
    assert [s for s in found if s[0] == 3] == [tuple(_copied(page))]


def _copied(page):
    """The vector in the large view."""
    rows = page.locator("#large tbody tr").all()
    texts = [[td.inner_text() for td in row.locator("td").all()] for row in rows]
    return [row.index("queen") for row in texts]


@in_browser
def test_a_riddle_is_filtered_by_lists(made, visit):
    found, path = made("city")
    page = visit(path)
    options = cell(page, 2, 1).locator("option").all_inner_texts()
    assert options == ["any", "Eilish · 1", "Keeley · 1"]
    cell(page, 2, 1).select_option("=Eilish")
    assert count(page) == "1 of 2"
    assert page.locator("#large td").all_inner_texts() == [
        x for row in found.solutions[1] for x in row
    ]
    assert "The person in the middle" in page.locator(".clues").inner_text()


# Links, history, keyboard


@in_browser
def test_a_link_reproduces_the_filter_and_back_undoes(made, visit):
    found, path = made("magic-4")
    page = visit(path)
    cell(page, 0, 0).fill("1")
    cell(page, 0, 1).fill("15")
    assert page.evaluate("location.hash") == "#0,0=1&0,1=15"
    both = len(agreeing(found, {(0, 0): 1, (0, 1): 15}))
    again = visit(path, "#0,0=1&0,1=15&sort=-corner&show=7")
    assert count(again) == count(page) == f"{both} of 7040"
    page.go_back()
    assert count(page) == "416 of 7040"
    assert cell(page, 0, 1).input_value() == ""
    page.go_back()
    assert count(page) == "7040 of 7040"
    page.go_forward()
    assert count(page) == "416 of 7040"


@in_browser
@pytest.mark.parametrize(
    "fragment", ["#9,9=1", "#show=99999", "#sort=__proto__", "#orbit=board:0", "#%zz", "#a&=&0,0"]
)
def test_a_broken_link_opens(made, visit, fragment):
    page = visit(made("magic-3")[1], fragment)
    assert count(page) == "8 of 8"
    assert page.locator("#large td").count() == 15


@in_browser
def test_by_keyboard_alone(made, visit):
    found, path = made("queens-8")
    page = visit(path)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator("#view-title").inner_text() == "Solution 4"
    assert tuple(_copied(page)) == found.solutions[3]
    page.keyboard.press("ArrowLeft")
    assert page.locator("#view-title").inner_text() == "Solution 3"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "list":
            break
    page.keyboard.press("End")
    assert page.locator("#view-title").inner_text() == "Solution 92"
    chosen = page.locator("[role=option][aria-selected=true]")
    assert chosen.get_attribute("aria-label").startswith("Solution 92")
    assert page.locator("#list").get_attribute("aria-activedescendant") == "solution-92"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    across = page.locator("[role=option]").evaluate_all(
        "tiles => tiles.filter(tile => tile.style.top === '0px').length"
    )
    assert page.locator("#view-title").inner_text() == f"Solution {across + 1}"


# Orbits, order, figures


@pytest.mark.parametrize(
    ("puzzle", "counts"),
    [
        (Queens(8), {"board": 12}),
        (MagicSquare(3), {"board": 1}),
        (MagicSquare(4), {"board": 880, "all": 166}),
        (KnightsTour(5, 6), {"board": 6, "all": 3}),
        (KnightsTour(5, 6, formulation="dfj"), {"board": 3}),
        (Riddle("city"), {}),
    ],
)
def test_orbits_are_as_many_as_representatives(puzzle, counts):
    found = enumerate_solutions(puzzle)
    assert {
        name: int(of.max()) + 1 for name, of in orbits(found, found.solutions).items()
    } == counts
    for group, number in counts.items():
        assert enumerate_solutions(puzzle, symmetry=group, distinct=True).count == number


def test_orbits_are_those_of_plain_turning():
    found = enumerate_solutions(Queens(7), symmetry=False)

    def images(vector):
        squares = set(enumerate(vector))
        for _ in range(2):
            squares = {(c, r) for r, c in squares}
            for _ in range(4):
                squares = {(c, 6 - r) for r, c in squares}
                yield tuple(c for _, c in sorted(squares))

    named = [min(images(s)) for s in found.solutions]
    of = orbits(found, found.solutions)["board"]
    for a, b in product(range(found.count), repeat=2):
        assert (of[a] == of[b]) == (named[a] == named[b])


@in_browser
def test_essentially_different_and_the_orbit_of_one(made, visit):
    page = visit(made("queens-8")[1])
    page.locator("#alike").select_option("board")
    assert page.locator("#narrowed").inner_text() == "12 essentially different"
    assert page.locator("[role=option]").first.get_attribute("aria-setsize") == "12"
    page.locator("#facts button").click()
    assert count(page) == "8 of 92"
    assert page.locator("#alike").input_value() == ""
    page.go_back()
    assert count(page) == "92 of 92"
    assert page.locator("#alike").input_value() == "board"


@in_browser
def test_sorting_by_a_figure(made, visit):
    found, path = made("queens-best")
    page = visit(path)
    page.locator("#sort").select_option("-objective")
    numbers = list(map(int, page.locator("[role=option] p b").all_inner_texts()))
    order = found.table.sort_values("objective", ascending=False, kind="stable")
    assert numbers == order["number"].tolist()


@in_browser
def test_sums_are_shown(made, visit):
    page = visit(made("magic-3")[1])
    assert page.locator(".sum").all_inner_texts() == ["15"] * 6
    assert "15, 15" in page.locator("#facts").inner_text()


@in_browser
def test_representatives_come_with_the_size_of_their_orbits(made, visit):
    found, path = made("distinct")
    page = visit(path)
    assert page.locator("#alike-label").is_hidden()
    assert page.locator("#facts dd").first.inner_text() == str(found.orbits[0])


# Copy, download


@in_browser
@pytest.mark.parametrize("name", ["magic-3", "queens-8", "tours", "queens-best", "city", "model"])
def test_the_downloaded_table_is_the_tables(made, visit, tmp_path, name):
    found, path = made(name)
    page = visit(path)
    read = pd.read_csv(downloaded(page, "#csv", tmp_path))
    pd.testing.assert_frame_equal(read, found.table, check_dtype=False)


@in_browser
def test_what_is_filtered_is_downloaded(made, visit, tmp_path):
    found, path = made("magic-4")
    page = visit(path, "#0,0=7&0,3=12")
    expected = agreeing(found, {(0, 0): 7, (0, 3): 12})
    assert 0 < len(expected) < 100
    assert downloaded(page, "#csv", tmp_path).read_text() == expected.to_csv(index=False)
    records = json.loads(downloaded(page, "#json", tmp_path).read_text())
    assert [r["number"] for r in records] == expected["number"].tolist()
    assert [r["solution"] for r in records] == expected["solution"].map(json.loads).tolist()


@in_browser
def test_a_solution_is_copied(made, visit):
    found, path = made("queens-8")
    page = visit(path, "#show=5", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy").click()
    page.wait_for_function("document.getElementById('said').textContent.includes('copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert tuple(json.loads(copied)) == found.solutions[4]


# Tours, riddles


@in_browser
def test_a_tour_is_played_to_its_end(made, visit):
    page = visit(made("tour")[1])
    page.clock.install()
    page.locator("#play").click()
    page.clock.run_for(3000)
    assert 1 < int(page.locator("#visit").inner_text().split()[0]) < 64
    assert page.locator("td.ahead").count() > 0
    page.clock.run_for(60000)
    assert page.locator("#visit").inner_text() == "64 of 64"
    assert page.locator("#play").inner_text() == "Play"
    line = page.locator("#line .line").first.get_attribute("d")
    points = [tuple(float(x) for x in at.split()) for at in line[1:].split("L")]
    assert len(set(points)) == 64
    steps = {tuple(sorted((abs(a - c), abs(b - d)))) for (a, b), (c, d) in pairwise(points)}
    assert steps == {(1.0, 2.0)}


@pytest.fixture(scope="module")
def pets():
    """A riddle whose words are markup."""
    return Riddle(
        {
            "header": ["house", f"pet {HOSTILE}"],
            "title": f"title {HOSTILE}",
            "question": f"question {HOSTILE}",
            "startMatrix": [["1", ""], ["2", ""], ["3", ""]],
            "clues": [f"clue {HOSTILE}", "The dog lives in the second."],
            "hints": [[[["1", f"cat {HOSTILE}"]]], [[["2", "dog"]]]],
            "values": {f"pet {HOSTILE}": ["fox"]},
        }
    )


@in_browser
def test_words_are_text(pets, visit, tmp_path):
    said = explain(pets)
    path = explore(enumerate_solutions(pets), tmp_path / "pets.html", explanation=said)
    page = visit(path)
    assert page.locator("img, #made, b[id]").count() == 0
    assert page.locator("h1").inner_text() == f"title {HOSTILE}"
    assert f"clue {HOSTILE}" in page.locator(".clues").inner_text()
    assert f"cat {HOSTILE}" in page.locator("#large").inner_text()
    assert f"cat {HOSTILE}" in page.locator("#asked option").all_inner_texts()[3]
    cell(page, 0, 1).select_option(index=1)
    again = visit(path, page.evaluate("location.hash"))
    assert count(again) == count(page)
    assert again.locator("script").count() == 2


@in_browser
def test_an_explanation_fills_the_table(pets, visit, tmp_path):
    said = explain(pets)
    path = explore(enumerate_solutions(pets), tmp_path / "pets.html", explanation=said)
    page = visit(path)
    assert page.locator("#steps > li").count() == len(said.steps)
    for _ in said.steps:
        page.locator("#step-on").click()
    assert page.locator("#step-on").is_disabled()
    known = page.locator("#knowledge td").all_inner_texts()
    assert known == [value for row in said.solutions[0] for value in row]
    page.locator("#step-back").click()
    assert page.locator("#step-at").inner_text() == f"{len(said.steps) - 1} of {len(said.steps)}"


@in_browser
def test_a_contradiction_is_told(visit, tmp_path):
    riddle = Riddle(
        {
            "header": ["house", "pet"],
            "startMatrix": [["1", ""], ["2", ""]],
            "clues": ["The dog lives in the first.", HOSTILE],
            "hints": [[[["1", "dog"]]], [[["2", "dog"]]]],
        }
    )
    found = enumerate_solutions(riddle)
    page = visit(explore(found, tmp_path / "dog.html", explanation=explain(riddle)))
    conflict = page.locator("section", has_text="cannot hold together").locator("li")
    assert conflict.all_inner_texts() == [
        "Clue 1. The dog lives in the first.",
        f"Clue 2. {HOSTILE}",
    ]


# The page as a whole


@in_browser
@pytest.mark.parametrize("name", ["magic-4", "queens-12"])
def test_thousands_open_and_answer_quickly(made, visit, name, capsys):
    found, path = made(name)
    page = visit(path)
    opened = page.evaluate("performance.getEntriesByName('open')[0].startTime")
    drawn = page.locator("[role=option]").count()
    assert 0 < drawn < 200
    value = "1" if name == "magic-4" else None
    for at in ((0, 0), (1, 3), (3, 2)):
        cell(page, *at).fill(value) if value else cell(page, *at).click()
    took = page.evaluate("performance.getEntriesByName('update').map(one => one.duration)")
    page.evaluate("document.getElementById('list').scrollTop = 1e9")
    page.wait_for_timeout(50)
    size = path.stat().st_size
    assert size < 2**20
    assert opened < 10_000
    assert max(took) < 5_000
    with capsys.disabled():
        shown = ", ".join(f"{t:.0f}" for t in took[1:])
        print(
            f"\n{name}: {found.count}, {size / 1000:.0f} kB, open {opened:.0f} ms, keys {shown} ms"
        )


@in_browser
def test_scrolling_draws_what_is_in_sight(made, visit):
    page = visit(made("magic-4")[1])
    page.evaluate("document.getElementById('list').scrollTop = 1e9")
    page.wait_for_selector("#solution-7040")
    assert page.locator("#solution-1").count() == 0


@in_browser
@pytest.mark.parametrize(
    "name",
    [
        "magic-3",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("queens-8", "tours", "city", "model", "none")
        ),
    ],
)
def test_no_barrier(made, visit, name):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(made(name)[1])
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        violations = axe.run(page).response["violations"]
        serious = [v for v in violations if v["impact"] in ("serious", "critical")]
        assert [(v["id"], v["nodes"][0]["html"]) for v in serious] == []


@in_browser
@pytest.mark.parametrize("name", ["magic-3", "queens-8", "tours", "city", "model"])
def test_it_fits_a_phone(made, visit, name):
    page = visit(made(name)[1], viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_context_is_told(made):
    found, path = made("magic-3")
    text = path.read_text(encoding="utf-8")
    assert "<math" in text
    assert re.search(r"<dt>formulation</dt><dd>strengthened</dd>", text)
    seconds = re.search(r"<dt>time</dt><dd>([\d.]+) s</dd>", text)
    assert float(seconds.group(1)) == pytest.approx(found.seconds, abs=0.1)
    assert "Complete" in text
    assert "Incomplete" not in text


def test_the_incomplete_says_so(made):
    text = made("tour")[1].read_text(encoding="utf-8")
    assert "<strong>Incomplete.</strong> Stopped by limit" in text


@in_browser
def test_without_solutions_the_reason_is_told(made, visit):
    page = visit(made("none")[1])
    text = page.locator("body").inner_text()
    assert "there is no solution" in text
    assert "3 queens do not fit" in text


@in_browser
def test_an_index_leads_to_pages(made, visit, tmp_path):
    found, page = made("magic-3")
    shutil.copy(page, tmp_path / "squares.html")
    link = Link("squares.html", HOSTILE, found)
    index = visit(write_index([link], tmp_path / "index.html"), beside=("squares.html",))
    assert index.locator("li").inner_text().split("\n") == [HOSTILE, "8 solutions, all there are"]
    index.locator("a").click()
    index.wait_for_selector("[role=option]")
    assert count(index) == "8 of 8"


# The command


def test_the_command_writes_a_page(nogood, tmp_path):
    out = tmp_path / "squares.html"
    ran = nogood("explore", "magic-square", "--n", 3, "--distinct", "--out", out)
    assert (ran.status, ran.err) == (0, f"wrote {out}\n")
    assert "1 solution up to symmetry, of 8, complete" in ran.out
    assert "<h1>Magic square 3 × 3</h1>" in out.read_text(encoding="utf-8")


def test_a_journal_gone_on_with_gives_the_page_of_an_undisturbed_run(nogood, tmp_path):
    journal, part, whole, out = (tmp_path / n for n in ("run.db", "p.html", "w.html", "o.html"))
    found = enumerate_solutions(Queens(8), journal=journal)
    while found.so_far < 20:
        found.step()
    found.close()
    assert "Stopped by interrupt" in explore(found, part).read_text(encoding="utf-8")
    queens = ("explore", "queens", "--n", 8)
    assert nogood(*queens, "--journal", journal, "--resume", "--out", out).status == 0
    assert nogood(*queens, "--out", whole).status == 0
    pages = [path.read_text(encoding="utf-8") for path in (out, whole)]
    data = [re.search('<script type="application/json".*?</script>', page)[0] for page in pages]
    assert data[0] == data[1]
    ran = nogood(*queens, "--journal", out, "--out", out)
    assert (ran.status, ran.err.count("\n")) == (2, 1)


def test_stopped_by_time(nogood, tmp_path):
    out = tmp_path / "page.html"
    ran = nogood("explore", "magic-square", "--n", 5, "--time-limit", 1, "--out", out)
    assert ran.status == 4
    assert "Stopped by time limit" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("queens", "--out", "page.txt"), "page.txt: unknown page format '.txt'; end it in .html"),
        (("queens", "--out", "none/page.html"), "none/page.html: cannot be written"),
        (("queens", "--explain", "--out", "page.html"), "explain: only riddles are explained"),
    ],
)
def test_bad_input_is_one_line(nogood, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    ran = nogood("explore", *arguments)
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
