# The whole developer interface. `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CODE := controller drivers tests bench release systemd/install

.PHONY: help run test verify mutants soak lint format schemas screenshots bench curves lock release sbom audit dieharder clean

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

# Units are checked by systemd's own tools, the broker's rights by a real broker; Debian keeps that in /usr/sbin. The
# documents' commands are run, and copy journals with SQLite's own program.
.PHONY: services
services:
	@PATH="$$PATH:/usr/sbin"; for tool in systemd-analyze mosquitto mosquitto_sub openssl sqlite3; do \
		command -v $$tool >/dev/null || exec .ci/debian systemd mosquitto mosquitto-clients openssl sqlite3; done

# The console's pages are looked at in a browser, which needs a font for Chinese.
.PHONY: browser
browser:
	@command -v chromium >/dev/null && command -v chromium-headless-shell >/dev/null && [ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || \
		.ci/debian chromium chromium-headless-shell fonts-noto-cjk

# Links are tested on a real database, started by the tests: Debian's, or any of version 14 or later on the path.
.PHONY: database
database:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || .ci/debian postgresql

# Tests wait for real parts more than they compute, so there are more workers than cores. A file stays with one worker.
# Byte code is kept, whatever the machine's environment says: each process that a test starts would compile it anew.
CORES := $(shell nproc)
WORKERS ?= $(shell expr 2 \* $(CORES))
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

ifdef FAST
TESTS = -n $(CORES) -m "not verify and not slow"
else
TESTS = -n $(WORKERS) -m "not verify"
endif

test: $(VENV)/dev.stamp compiler services browser database ## Run the tests; FAST=1 leaves out what needs real parts
	$(PYTEST) $(TESTS)

verify: $(VENV)/dev.stamp compiler services browser database ## Run the heavier proofs on real parts: power cuts, kills, releases
	$(PYTEST) -n $(CORES) -m verify

# Some two hundred and fifty bugs, a quarter of an hour. PLANT="NAME …": some of them; `python -m tests.mutants --list` names them.
mutants: $(VENV)/dev.stamp ## Plant bugs in copies of the product, and see that tests and simulator find them
	$(BIN)/python -m tests.mutants $(PLANT)

# Of kills, unplugged lines and power cuts at random, and as long again of simulation: table-years. The rest takes as
# long as it takes. For a night: SOAK_MINUTES=240.
SOAK_MINUTES ?= 30

soak: $(VENV)/dev.stamp compiler services browser database ## Play, kill and cut the power for a long time, with new seeds
	JACKPOTD_SOAK=50 JACKPOTD_KILLS=1000 JACKPOTD_CROWD_SECONDS=600 JACKPOTD_SOAK_MINUTES=$(SOAK_MINUTES) \
		JACKPOTD_SIMULATION_SECONDS=$$((60 * $(SOAK_MINUTES))) \
		$(BIN)/python -m pytest tests/simulation/test_fresh_seeds.py tests/core/test_machine.py tests/crash tests/soak tests/service/test_faults_kill.py \
		tests/console/test_crowd.py tests/link/test_cuts.py tests/link/test_crowd.py tests/link/test_faults.py \
		tests/release/test_debian.py
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

bench: $(VENV)/dev.stamp services browser database ## Measure speed, as ratios side by side in one run; half an hour
	$(BIN)/python -m compileall -q controller drivers
	@missed=0; $(BIN)/python -m bench || missed=$$?; $(MAKE) curves || missed=$$?; exit $$missed

curves: $(VENV)/dev.stamp services database ## The part of it that shows how costs grow, and writes docs/performance.md
	$(BIN)/python -m compileall -q controller drivers
	$(BIN)/python -m bench curves $(CURVES)

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

release: $(VENV)/dev.stamp ## Build wheel, sdist, Debian package, bill of materials and their sums into dist/
	$(BIN)/python -m release build --deb $(RELEASE)

sbom: $(VENV)/dev.stamp ## Print the bill of materials of what is pinned (CycloneDX)
	@$(BIN)/python -m release sbom

audit: $(VENV)/dev.stamp ## Ask a vulnerability service about every pinned package; fails if one was left out
	$(BIN)/python -m release audit

# A longer look at the draw than `jackpotd rng test`; docs/mystery.md tells what it says.
dieharder: $(VENV)/run.stamp ## Test the draw with Debian's dieharder, for about an hour
	@command -v dieharder >/dev/null || .ci/debian dieharder
	release/dieharder $(BIN)/jackpotd

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
