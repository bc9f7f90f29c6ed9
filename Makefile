# Every target makes .venv and installs what it needs, from nothing but Python 3.11+ and pip.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
READY  := $(VENV)/.ready-core
DEV    := $(VENV)/.ready-dev
TESTS  := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile
export TOKENIZERS_PARALLELISM ?= false

.DEFAULT_GOAL := help
.PHONY: help install demo test check fix slow browser bench clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, $(PYTHON) is older: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(READY): $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[all]'
	@touch $@

$(DEV): $(READY)
	$(PIP) -e '.[dev]'
	@touch $@

install: $(READY)  ## make .venv with the timecontrol command in it
	@echo "Ready: $(BIN)/timecontrol --help"

demo: $(READY)  ## the main job on the embedded defaults (installs their bases, 190 MB)
	$(BIN)/timecontrol bases install minilm
	$(BIN)/timecontrol bases install smollm2-135m
	$(BIN)/timecontrol demo

test: $(DEV)  ## the tests: no network, no weights, a few minutes
	$(TESTS)

check: $(DEV)  ## what must pass before a commit: format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(TESTS)

fix: $(DEV)  ## repair format and lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

slow: $(DEV)  ## tests with real weights (installs them: about 600 MB), and slow ones
	for base in minilm mpnet smollm2-135m; do $(BIN)/timecontrol bases install $$base || exit 1; done
	$(BIN)/python -m pytest -m slow

browser: $(DEV)  ## tests in a browser, where Chromium is installed
	@$(BIN)/python -m pytest -m browser; code=$$?; \
	  if [ $$code -eq 5 ]; then echo "no browser tests yet: the studio is not built"; \
	  else exit $$code; fi

bench: $(DEV)  ## benchmarks: splitters, reading, new rows, features, encoder, scoring, decoding ...
	$(PIP) pysbd syntok blingfire nupunkt spacy
	$(BIN)/python benchmarks/splitters.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/timecontrol bases install smollm2-135m
	$(BIN)/python benchmarks/rows.py
	$(BIN)/timecontrol bases install minilm
	$(BIN)/python benchmarks/features.py
	$(BIN)/python benchmarks/encoder.py
	$(BIN)/python benchmarks/recovery.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/decoding.py
	$(BIN)/python -m benchmarks.finetuning
	$(BIN)/python -m benchmarks.attention

clean:  ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
