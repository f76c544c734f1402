"""Explanations, each step re-verified by CP-SAT on a model of its own."""

import json
import time
from itertools import count

import pytest
from nogood.data import load_riddle
from nogood.runners import explain, oracle
from nogood.runners.cuts import TimeIsUp

cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="pip install ortools")


class Checker:
    """A riddle in CP-SAT: the row of each value is an integer."""

    def __init__(self, form, clues, rules):
        self.form, self.model = form, cp_model.CpModel()
        self.rows = len(form.startMatrix)
        self.here = {}
        for name, values in form.known().items():
            for value in values:
                for r in range(self.rows):
                    self.here[name, value, r] = self.model.new_bool_var("")
            if name in rules and values:
                for value in values:
                    self.model.add_exactly_one(self.here[name, value, r] for r in range(self.rows))
                for r in range(self.rows):
                    line = [self.here[name, value, r] for value in values]
                    add = self.model.add_exactly_one if len(line) == self.rows else None
                    (add or self.model.add_at_most_one)(line)
        for h in clues:
            self.model.add_bool_or([self.option(option) for option in form.hints[h]])

    def option(self, option):
        holds = self.model.new_bool_var("")
        if self.form.singleHints:
            at = [self.model.new_int_var(0, self.rows - 1, "") for _ in option]
            self.model.add_all_different(at)
            for k, row in enumerate(option):
                for r in range(self.rows):
                    there = self.model.new_bool_var("")
                    self.model.add(at[k] == r).only_enforce_if(there)
                    self.model.add(at[k] != r).only_enforce_if(~there)
                    for literal in self.literals([row], r):
                        self.model.add_implication(there, literal).only_enforce_if(holds)
            return holds
        tops = [
            self.conjunction(self.literals(option, top))
            for top in range(self.rows - len(option) + 1)
        ]
        self.model.add_bool_or(tops).only_enforce_if(holds)
        return holds

    def conjunction(self, literals):
        all_hold = self.model.new_bool_var("")
        self.model.add_bool_and(literals).only_enforce_if(all_hold)
        return all_hold

    def literals(self, option, top):
        return [
            self.here[name, value, top + k]
            for k, row in enumerate(option)
            for name, value in zip(self.form.header, row, strict=True)
            if value
        ]

    def possible(self, facts):
        model = self.model.clone()
        for literal, holds in facts:
            model.add(model.get_bool_var_from_proto_index(self.here[literal].index) == holds)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        status = solver.solve(model)
        assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE)
        return status != cp_model.INFEASIBLE


def shown(form):
    """What the table shows at a glance."""
    facts = set()
    for name, values in form.known().items():
        c = form.header.index(name)
        for r, row in enumerate(form.startMatrix):
            if row[c]:
                facts |= {((name, v, r), v == row[c]) for v in values}
                facts |= {((name, row[c], q), q == r) for q in range(len(form.startMatrix))}
    return facts


@pytest.mark.parametrize(
    "name",
    [
        "einstein",
        pytest.param("ships", marks=pytest.mark.slow),
        pytest.param("city", marks=pytest.mark.slow),
        pytest.param("football", marks=pytest.mark.slow),
    ],
)
def test_every_step_follows(name):
    said, form = explain(name), load_riddle(name)
    known = shown(form)
    for step in said.steps:
        checker = Checker(form, step.clues, step.rules)
        assert set(step.facts) <= known
        assert step.derived
        for literal, holds in step.derived:
            assert not checker.possible([*step.facts, (literal, not holds)])
        # The reason is minimal: without any fact, something of it no longer follows.
        for fact in step.facts:
            rest = [f for f in step.facts if f != fact]
            assert any(
                checker.possible([*rest, (literal, not holds)]) for literal, holds in step.derived
            )
        known |= set(step.derived)
    everything = Checker(form, range(len(form.hints)), form.header)
    decided = {literal for literal, _ in known}
    for literal in everything.here:
        both = all(everything.possible([*_start(form), (literal, v)]) for v in (True, False))
        assert both == (literal not in decided) == (literal in said.open)


def _start(form):
    return [
        ((name, value, r), True)
        for r, row in enumerate(form.startMatrix)
        for name, value in zip(form.header, row, strict=True)
        if value
    ]


@pytest.mark.slow
def test_uniqueness_redundancy_and_a_smallest_subset_of_einstein():
    said, form = explain("einstein"), load_riddle("einstein")
    assert said.unique
    solution = [
        ((name, value, r), True)
        for r, row in enumerate(said.solutions[0])
        for name, value in zip(form.header, row, strict=True)
        if value != "?"
    ]

    def determines(clues):
        checker = Checker(form, clues, form.header)
        literals = [checker.here[literal] for literal, _ in solution]
        checker.model.add(sum(literals) < len(literals))
        return not checker.possible(_start(form))

    everything = range(len(form.hints))
    assert said.redundant == tuple(
        h for h in everything if determines([k for k in everything if k != h])
    )
    assert determines(said.smallest)
    for h in said.smallest:
        assert not determines([k for k in said.smallest if k != h])


@pytest.mark.parametrize("name", ["city", "cookie", "couples", "einstein", "football", "ships"])
def test_planted_contradictions(name):
    """One value in two rows at once, among the first clues of a riddle."""
    form = load_riddle(name).model_dump()
    known = load_riddle(name).known()
    frame = form["startMatrix"]
    column = next(c for c, cell in enumerate(frame[0]) if not cell)
    value = known[form["header"][column]][0]
    planted = []
    for r in (0, 1):
        row = list(frame[r])
        row[column] = value
        planted.append([[row]])
    form |= {"hints": [planted[0], *form["hints"][:4], planted[1]], "clues": [], "values": {}}
    said = explain(form, all_conflicts=True)
    assert not said.solutions
    assert (0, 5) in said.conflicts
    loaded = load_riddle(form)
    for conflict in said.conflicts:
        assert not Checker(loaded, conflict, loaded.header).possible(_start(loaded))
        for h in conflict:
            rest = [k for k in conflict if k != h]
            assert Checker(loaded, rest, loaded.header).possible(_start(loaded))
    assert len(set(said.conflicts)) == len(said.conflicts)
    assert len(explain(form).conflicts[0]) == min(map(len, said.conflicts))


SMALL = {
    "title": "Two pets",
    "header": ["house", "pet"],
    "startMatrix": [["1", ""], ["2", ""]],
    "clues": ["The cat lives in house 1.", "The dog lives beside the cat."],
    "hints": [
        [[["1", "cat"]]],
        [[["", "dog"], ["", "cat"]], [["", "cat"], ["", "dog"]]],
    ],
}


def test_on_the_command_line(nogood, tmp_path):
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(SMALL))
    ran = nogood("explain", file)
    assert ran.status == 0
    assert "Clue 1: The cat lives in house 1." in ran.out
    assert ran.out.rstrip().endswith("No clue can be left out.") or "clue 2" in ran.out
    said = json.loads(nogood("explain", file, "--json").out)
    assert said["unique"]
    assert said["solutions"] == [[["1", "cat"], ["2", "dog"]]]
    assert nogood("explain", file, "--markdown").out.startswith("# Two pets\n")
    assert nogood("solve", file).status == 0
    assert "1 solution, complete" in nogood("enumerate", "einstein").out
    wrong = SMALL | {"hints": [*SMALL["hints"], [[["1", "dog"]]]], "clues": []}
    file.write_text(json.dumps(wrong))
    ran = nogood("explain", file, "--all-conflicts")
    assert "These clues cannot hold together:\n- Clue 1: clue 1\n- Clue 3: clue 3" in ran.out
    assert nogood("solve", file).status == 1
    ran = nogood("explain", "nobody")
    assert (ran.status, ran.out) == (2, "")


@pytest.mark.parametrize(
    ("raised", "stopped"), [(TimeIsUp, "time limit"), (KeyboardInterrupt, "interrupt")]
)
def test_what_was_found_before_a_stop_is_kept(nogood, tmp_path, monkeypatch, raised, stopped):
    file, left, whole = tmp_path / "pets.json", oracle._left, explain(SMALL)
    file.write_text(json.dumps(SMALL))
    kept = []
    for calls in count(1):
        asked = count(1)

        def until(deadline, asked=asked, calls=calls):
            if next(asked) >= calls:
                raise raised
            return left(deadline)

        monkeypatch.setattr(oracle, "_left", until)
        said = explain(SMALL)
        if said.stopped is None:
            break
        assert said.stopped == stopped
        assert said.unique
        assert said.steps == whole.steps[: len(said.steps)]
        assert (said.smallest, said.conflicts) == ((), ())
        kept.append(len(said.steps))
        ran = nogood("explain", file)
        assert ran.status == 4
        assert f"The only solution.\n\nStopped by {stopped}: this is not all.\n" in ran.out
        assert json.loads(nogood("explain", file, "--json").out)["stopped"] == stopped
    assert said == whole
    assert kept == sorted(kept)
    assert {0, len(whole.steps)} <= set(kept)


def test_a_page_without_the_whole_explanation_says_so(nogood, tmp_path):
    out = tmp_path / "page.html"
    ran = nogood("explore", "couples", "--explain", "--time-limit", 2, "--out", out)
    assert ran.status == 4
    assert "explanation stopped by time limit" in ran.err


@pytest.mark.parametrize("seconds", [1e-6, 1])
def test_a_time_limit_ends_what_takes_minutes(seconds):
    began = time.monotonic()
    said = explain("couples", time_limit=seconds)
    assert said.stopped == "time limit"
    assert time.monotonic() - began < seconds + 10
