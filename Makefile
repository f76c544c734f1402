# make demo   sets everything up in .venv and shows every puzzle once, in ./out
# make test   sets everything up and runs formatter, linter, type checker and tests
# make test MARK=   the slow tests too
# make faults runs the tests that try to break a run, and writes the table of what came of it

PYTHON ?= python3
MARK ?= not slow
VENV := .venv
BIN := $(VENV)/bin
# A strict editable install lets type checkers see the folders under their package names.
INSTALL := $(BIN)/python -m pip install --quiet --editable

.PHONY: demo test faults clean

demo: $(VENV)/core
	$(BIN)/nogood demo

test: $(VENV)/test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q -n auto -m "$(MARK)"

faults: $(VENV)/test
	NOGOOD_FAULTS=runners/FAULTS.md $(BIN)/pytest -q

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml | $(BIN)/python
	$(INSTALL) . --config-settings editable_mode=strict
	touch $@

$(VENV)/test: pyproject.toml $(shell find models data runners -type f -not -path '*/__pycache__/*') | $(BIN)/python
	$(INSTALL) '.[test]' --config-settings editable_mode=strict
	touch $@ $(VENV)/core

clean:
	rm -rf $(VENV) build dist out *.egg-info
