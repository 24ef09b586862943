# make setup · make demo · make test; `make help` lists the rest.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

# The first Python of 3.11 or later that runs (a version manager may leave names behind that do not).
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v "$$name"; break; }; done)

# Debian and Ubuntu split the venv module off from Python; root can mend that.
APT := $(shell [ "$$(id -u)" = 0 ] && command -v apt-get)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup venv demo test check lint format docs bench mutants constraints clean

help:  ## list what can be made
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## make .venv with Clew and everything it needs, at the versions of constraints.txt
	@for goal in $(MAKECMDGOALS); do if [ $$goal = setup ]; then \
		echo 'Clew is ready. Next, to see it crawl:  make demo'; \
		echo 'To make a crawl of your own:           $(BIN)/clew init --help'; \
	fi; done

# The stamp holds a checksum: a file that only looks newer (git switch) installs nothing and needs no network.
$(STAMP): pyproject.toml constraints.txt
	@if cat $^ | cksum | cmp -s - $@; then touch $@; else $(MAKE) --no-print-directory venv; fi

venv:
	@python="$(PYTHON)"; python="$${python:-python3}"; \
	has() { "$$python" -c "$$1" 2>/dev/null; }; \
	if [ -n "$(APT)" ] && ! has 'import ensurepip, venv'; then \
		$(APT) update -qq && DEBIAN_FRONTEND=noninteractive $(APT) install -y -qq python3 python3-venv >/dev/null; \
	fi; \
	has 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Clew needs Python 3.11 or later: install it, or name it: make setup PYTHON=python3.x' >&2; exit 1; }; \
	has 'import ensurepip, venv' || \
		{ echo "$$python cannot make virtual environments: install its venv module (Debian: python3-venv)" >&2; exit 1; }; \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || "$$python" -m venv --clear $(VENV)
	@echo 'installing Clew and what it needs into $(VENV) ...'
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@cat pyproject.toml constraints.txt | cksum > $(STAMP)

demo: setup  ## crawl a small web served on this machine, and show the harvest
	$(BIN)/clew demo

test: check  ## the checks of `make lint`, then all tests
	$(BIN)/python -m pytest -n $(JOBS)

check: lint

lint: setup  ## ruff, mypy, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup  ## put the code into the house's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup  ## write the generated pages of docs/ anew
	$(BIN)/python docs/generate.py

bench: setup  ## measure Clew against Scrapy, and Clew's stages, on a site served on this machine
	$(BIN)/python -m benchmarks.throughput

mutants: setup  ## small faults in the rooms that decide, and the tests that find them: ROOMS, SAMPLE, SECONDS, SEED, NAMED
	$(BIN)/python -m benchmarks.mutants $(ROOMS) --jobs $(JOBS) $(if $(SAMPLE),--sample $(SAMPLE)) \
		$(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(NAMED),--named)

constraints: setup  ## write constraints.txt anew with the newest versions that fit pyproject.toml
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
		{ echo 'make .venv with Python 3.11, the oldest supported: its versions fit newer ones too' >&2; exit 1; }
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	$(BIN)/python -m venv "$$folder" && \
	"$$folder/bin/python" -m pip install -qq --disable-pip-version-check --editable '.[dev]' && \
	{ grep '^#' constraints.txt; "$$folder/bin/python" -m pip freeze --exclude-editable --exclude setuptools; } \
		> "$$folder/constraints.txt" && \
	cp "$$folder/constraints.txt" constraints.txt

clean:  ## remove .venv, caches and the demo's projects
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist clew-demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
