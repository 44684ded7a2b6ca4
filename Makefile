# `make lab` and `make test` are all a learner needs; each sets up everything by itself.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
# As many processes as there are processors; a file's tests stay together, they share what was graded once. Files come
# in their own order: by the number of tests, those with few and long ones would come last, and one process alone be busy.
SIDE_BY_SIDE := -n auto --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
SAID := plan-fast plan-test plan-check plan-check-long
.PHONY: $(SAID) help lab fast test check check-long format lint types notebooks-clean verify readme bench constraints clean

help: ## list what make can do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | awk -F'|' '{printf "%-22s %s\n", $$1, $$2}'

lab: $(READY) ## the board and the lessons, until Ctrl-C
	@$(BIN)/jobkit lab

fast: | plan-fast $(READY) ## the core, the contract in memory and the rules of the project
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not long and not store" \
	  tests/contract tests/unit tests/project/test_architecture.py tests/project/test_doctests.py tests/properties/test_against_model.py

test: | plan-test $(READY) ## all tests, in about 11 minutes (browser tests are skipped where there is no Chromium)
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE)

check: | plan-check $(READY) lint types notebooks-clean verify ## everything that continuous integration runs, the tests last
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE)

check-long: | plan-check-long $(READY) ## the heavy runs: soaks, long walks, many seeds
	@$(BIN)/python -m pytest -vv -m long --timeout=0 --durations=0 --durations-min=1

# Said first of all, before .venv is set up: nobody should wait without knowing for what.
plan-fast:
	@echo "The core, the contract in memory and the project's rules: about a minute on two processors."
plan-test:
	@echo "All tests: about 11 minutes on two processors. They are collected first, then each is a dot."
plan-check:
	@echo "Form, lint, types, notebooks, exercises, then all tests: about 17 minutes on two processors."
plan-check-long:
	@echo "The heavy runs, one after the other: hours. Each is named with its rule; write the result into CONTRIBUTING.md."

format: $(READY) ## put the code in its usual form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix --quiet .

lint: $(READY)
	@$(BIN)/ruff format --check --quiet . || { echo "Not in its usual form: run 'make format'."; exit 1; }
	@$(BIN)/ruff check --quiet .

types: $(READY)
	@$(BIN)/mypy --no-error-summary

notebooks-clean: $(READY)
	@$(BIN)/nbstripout --keep-id --verify notebooks/*.ipynb || { echo "Notebooks are kept without outputs: run 'nbstripout --keep-id notebooks/*.ipynb'."; exit 1; }

verify: $(READY) ## prove that each exercise tells right answers from wrong ones
	@$(BIN)/jobkit verify

readme: $(READY) ## write the made parts of the README anew
	@$(BIN)/python -m tests.project.readme_blocks

bench: $(READY) ## measure what is promised about cost, as ratios
	@$(BIN)/python tests/benchmarks/poll_cost.py
	@$(BIN)/python tests/benchmarks/selection_cost.py
	@$(BIN)/python tests/benchmarks/store_cost.py

constraints: $(READY) ## choose new versions for constraints.txt
	@$(BIN)/python -m pip install --quiet uv
	@{ echo "# The versions that every check runs with. Remake: make constraints"; \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --group dev --no-annotate --no-header pyproject.toml; } > constraints.new
	@mv constraints.new constraints.txt

clean: ## remove the virtual environment and what tools left behind
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .jobkit-cache

# A stamp, so that a second run starts at once; removed first, so that a broken install is not taken for done.
$(READY): pyproject.toml constraints.txt
	@rm -f $(READY)
	@python=""; \
	for p in $(PYTHON) python3.13 python3.12 python3.11 python3 python; do \
	  if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then python="$$p"; break; fi; \
	done; \
	if [ -z "$$python" ]; then echo "jobkit needs Python 3.11 or newer, and found none. Install it, or say where it is: make lab PYTHON=/path/to/python3"; exit 1; fi; \
	echo "Setting up in $(VENV), once; this takes about a minute ..."; \
	"$$python" -m venv $(VENV) && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[postgres,jupyter,watch,demo]' --group dev -c constraints.txt
	@touch $(READY)
