# Each target does its own set-up: a new machine needs Python 3.11 with venv, and nothing else.
VENV := .venv
BIN := $(VENV)/bin
DEV := $(shell python3 -c "import tomllib; print(' '.join('\"%s\"' % p for p in tomllib.load(open('pyproject.toml','rb'))['dependency-groups']['dev']))")

.PHONY: setup fmt lint type test slow check demo bench

setup: $(VENV)/stamp

$(VENV)/stamp: pyproject.toml
	@echo "Setting up $(VENV) (about a minute the first time) ..."
	python3 -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e . $(DEV)
	touch $@

fmt: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

type: setup
	$(BIN)/pyright

test: setup
	$(BIN)/pytest

slow: setup
	REBENCH_REQUIRE_DOCKER=1 $(BIN)/pytest -m slow

check: setup
	$(BIN)/rebench-inspect check kernel --scale mini

demo: setup
	@$(BIN)/rebench-inspect demo

bench: setup
	$(BIN)/python benchmarks/experts.py
	$(BIN)/python benchmarks/analysis.py
	$(BIN)/python benchmarks/kernel_mini.py
