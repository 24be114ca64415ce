# The whole developer interface. `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CODE := controller drivers tests bench systemd/install

.PHONY: help run test soak lint format schemas screenshots bench lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Virtual environment with the runtime packages and the project itself: all that `make run` needs.
# Byte code is compiled at once, so that the first start is as quick as the later ones.
$(VENV)/run.stamp: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "jackpotd needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1). Set PYTHON=…"; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || .ci/debian python3-venv
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q controller drivers
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

run: $(VENV)/run.stamp ## A whole table that plays by itself, on simulated devices; Ctrl-C ends it
	$(BIN)/jackpotd demo $(DEMO)

# The power-cut test compiles its recorder.
.PHONY: compiler
compiler:
	@command -v cc >/dev/null || .ci/debian gcc libc6-dev

# Units are checked by systemd's own tools, the broker's rights by a real broker. Debian keeps that in /usr/sbin.
.PHONY: services
services:
	@PATH="$$PATH:/usr/sbin"; for tool in systemd-analyze mosquitto mosquitto_sub openssl; do \
		command -v $$tool >/dev/null || exec .ci/debian systemd mosquitto mosquitto-clients openssl; done

# The console's pages are looked at in a browser, which needs a font for Chinese.
.PHONY: browser
browser:
	@command -v chromium >/dev/null && [ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || \
		.ci/debian chromium fonts-noto-cjk

# Links are tested on a real database, started by the tests: Debian's, or any of version 14 or later on the path.
.PHONY: database
database:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || .ci/debian postgresql

test: $(VENV)/dev.stamp compiler services browser database ## Run every test
	$(BIN)/python -m pytest

soak: $(VENV)/dev.stamp compiler services browser database ## Play, kill and cut the power for a long time, with new seeds
	JACKPOTD_SOAK=50 JACKPOTD_KILLS=1000 JACKPOTD_CROWD_SECONDS=600 $(BIN)/python -m pytest \
		tests/core/test_machine.py tests/crash tests/service/test_faults_kill.py tests/console/test_crowd.py \
		tests/link/test_cuts.py tests/link/test_crowd.py tests/link/test_faults.py
	$(BIN)/python -m bench soak-memory soak-link

lint: $(VENV)/dev.stamp ## Check style, types and the direction of imports
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

screenshots: $(VENV)/dev.stamp services browser ## Take the pictures of the console anew
	$(BIN)/python -m tests.console.screenshots

schemas: $(VENV)/run.stamp ## Write docs/asyncapi.yaml from the types of the messages
	$(BIN)/python -m controller.wire.schemas

bench: $(VENV)/dev.stamp database ## Measure speed, as ratios side by side in one run
	$(BIN)/python -m compileall -q controller drivers
	$(BIN)/python -m bench

# Hashes for every file of every package; no index, no URL. --upgrade takes the newest versions.
PIP_COMPILE = CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --upgrade --strip-extras --allow-unsafe \
	--generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options --no-config \
	--no-header --annotation-style=line

lock: ## Pin all dependencies anew, with hashes
	@test -x $(BIN)/pip-compile || $(MAKE) $(VENV)/dev.stamp
	$(PIP_COMPILE) --build-deps-for=editable --output-file=requirements.lock pyproject.toml
	$(PIP_COMPILE) --extra=link --constraint=requirements.lock --output-file=requirements-link.lock pyproject.toml
	$(PIP_COMPILE) --build-deps-for=editable --extra=dev --constraint=requirements.lock --constraint=requirements-link.lock \
		--output-file=requirements-dev.lock pyproject.toml

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
