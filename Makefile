# SPDX-License-Identifier: BSD-3-Clause
# Everything on a fresh Debian 12 with python3, python3-venv, gcc, make and git. `make` lists the targets.
.DELETE_ON_ERROR:
.SUFFIXES:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A second call only does what changed: stamps remember what is installed, and from which files.
STAMPS := build/stamps
DEMO_VENV := .venv-demo
BENCH_VENV := .venv-bench
LOWEST_VENV := .venv-lowest
DEMO := examples/blade/blade.toml
DEMO_RESULTS := blade.results
BUILD_INPUTS := pyproject.toml setup.py $(wildcard runtime/*.pyx flexforge/*.pxd codegen/include/*.h runtime/include/*.h templates/*.c.jinja) \
	$(shell find codegen -name '*.py' -not -path 'codegen/study/*')
PACKAGE := $(BUILD_INPUTS) $(shell find flexforge runtime -name '*.py') $(wildcard templates/*)
FUZZ_SECONDS ?= 3600
FUZZ_SEED ?= 0
# What another Python, processor or library could change: the compiler's passes, every kind of body.
PORTABLE_TESTS ?= tests/codegen/passes tests/runtime/system
TYPING := build/typing/flexforge
# Tests start Python a hundred times, which keeps its bytecode even where the environment says no.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest

# An installation of its own, whose C and that of all tests is checked while it runs.
SANITIZE := $(CURDIR)/build/sanitize
SANITIZED = PATH='$(SANITIZE)/bin':"$$PATH" PYTHONPATH='$(SANITIZE)/lib' PYTHONSAFEPATH=1 PYTHONMALLOC=malloc \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
SANITIZE_TESTS ?= tests/runtime tests/flexforge/test_abi.py tests/codegen/output/foreign

.PHONY: help demo test test-all test-lowest test-wheels test-aarch64 test-mpi coverage freeze fuzz mutants sanitize lint format docs pages bench wheels release clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: $(STAMPS)/demo ## install into a fresh environment and simulate the blade
	$(DEMO_VENV)/bin/flexforge run $(DEMO) -o $(DEMO_RESULTS)
	@echo "open $(CURDIR)/$(DEMO_RESULTS)/report.html"

test: $(STAMPS)/dev ## install for development and run the tests
	$(PYTEST) -n 2 -m "not slow"

test-all: $(STAMPS)/dev $(STAMPS)/cross $(STAMPS)/mpi ## the slow tests too, and compilers for other machines
	$(PYTEST) -n 2

test-lowest: ## quick tests with the lowest versions that pyproject.toml allows; the C is compiled by them too
	$(call environment,$(LOWEST_VENV))
	$(LOWEST_VENV)/bin/pip install --quiet --only-binary=:all: pytest hypothesis $$($(PYTHON) packaging/lowest.py build fast exodus view)
	rm -rf build/lowest && mkdir -p build/lowest && git archive HEAD | tar -x -C build/lowest
	$(LOWEST_VENV)/bin/pip install --quiet --no-build-isolation --no-deps --force-reinstall ./build/lowest
	env -u PYTHONDONTWRITEBYTECODE $(LOWEST_VENV)/bin/pytest -m "not slow" $(PORTABLE_TESTS) tests/packaging tests/runtime/mesh tests/runtime/results

test-mpi: $(STAMPS)/mpi ## runs of several processes; the first time as root: PETSc, SLEPc and Open MPI of Debian
	$(PYTEST) -m "not slow" tests/mpi

test-wheels: ## the wheels of this machine, in every Python that `make wheels` found: the beam, quick tests, missing extras
	packaging/try dist $(PORTABLE_TESTS)

coverage: $(STAMPS)/dev ## lines of codegen and runtime that `make test` runs: fails under 90 %
	@mkdir -p build/coverage
	$(PYTEST) -n 2 -m "not slow" --cov --cov-report= --cov-fail-under=0
	@$(BIN)/coverage report >build/coverage/report.txt; status=$$?; \
		awk 'NR <= 2 || /^TOTAL/ || /^-+$$/ || $$NF + 0 < 90' build/coverage/report.txt; exit $$status

mutants: $(STAMPS)/dev ## see whether the tests notice small faults in the mathematics; an hour
	$(BIN)/python tests/mutants/run.py

freeze: $(STAMPS)/dev ## record what users see of this checkout into build/freeze; compare: tests/freeze
	$(BIN)/python tests/freeze record build/freeze/$(shell git describe --always --dirty --exclude '*')

fuzz: $(STAMPS)/dev ## try generated files on every reader for an hour; FUZZ_SECONDS, FUZZ_SEED, FUZZ_TARGETS
	cd tests/fuzz && $(CURDIR)/$(BIN)/python -m fuzzing --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) \
		$(addprefix --target ,$(FUZZ_TARGETS)) --folder $(CURDIR)/build/fuzz

lint: $(STAMPS)/dev ## ruff, mypy, and which way imports run
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf $(TYPING) && mkdir -p $(TYPING)
	ln -s $(addprefix $(CURDIR)/,$(wildcard flexforge/*.py flexforge/py.typed flexforge/commands flexforge/notebook) codegen runtime templates) $(TYPING)/
	cd build/typing && $(CURDIR)/$(BIN)/mypy --num-workers auto --config-file $(CURDIR)/pyproject.toml -p flexforge
	cd build/typing && PYTHONPATH=. $(CURDIR)/$(BIN)/lint-imports --config $(CURDIR)/pyproject.toml --no-cache

sanitize: $(STAMPS)/sanitize ## the quick tests of all C, under AddressSanitizer and UBSan
	$(SANITIZED) $(CURDIR)/$(BIN)/pytest -n 1 -m "not slow" $(SANITIZE_TESTS)

format: $(STAMPS)/dev ## put the source into its layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMPS)/docs ## build the documentation site in build/site
	$(BIN)/sphinx-build -q -j auto -W --keep-going -c docs/site . build/site
	@echo "open $(CURDIR)/build/site/index.html"

pages: $(STAMPS)/dev $(STAMPS)/mpi ## write the pages that the program writes: formalisms, elements, claims, audit, support, verification
	$(BIN)/python -m flexforge.codegen.study.pages docs/formalisms
	$(BIN)/python -m flexforge.codegen.study.pages.elements docs/elements
	$(BIN)/flexforge claims --markdown docs/claims.md
	$(BIN)/flexforge audit --markdown docs/audit.md >/dev/null
	$(BIN)/python -m flexforge.runtime.study.support docs
	$(BIN)/flexforge bench convergence >/dev/null
	OPENBLAS_CORETYPE=Haswell $(BIN)/python -m flexforge.runtime.study.verification examples/cases benchmarks/results/convergence.json docs

bench: $(STAMPS)/dev $(STAMPS)/bench ## install the peers and run every benchmark
	@set -e; for name in $(basename $(notdir $(wildcard benchmarks/[a-z]*.py))); do \
		echo "== $$name"; $(BIN)/flexforge bench $$name; done

wheels: $(STAMPS)/dev ## release wheels in dist, for x86-64 and aarch64 and every Python found here
	rm -rf dist
	$(BIN)/python -m build --no-isolation --sdist --outdir dist . >build/sdist.log 2>&1 || { tail -50 build/sdist.log; exit 1; }
	packaging/wheels dist/flexforge-*.tar.gz dist

test-aarch64: ## run the wheel for aarch64 under qemu; after `make wheels`, as root
	packaging/aarch64 dist/flexforge-*-cp311-*_aarch64.whl $(PORTABLE_TESTS)

release: $(STAMPS)/dev ## check, lint, test, build and tag VERSION=x.y.z; DRY=--dry-run only says so
	$(BIN)/python packaging/release.py $(VERSION) $(DRY)

clean: ## remove what was built and installed here
	rm -rf build dist *.egg-info $(VENV) $(DEMO_VENV) $(BENCH_VENV) $(LOWEST_VENV) $(DEMO_RESULTS) runtime/*.so runtime/*.c
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(STAMPS)/mpi: packaging/mpi $(STAMPS)/dev
	packaging/mpi $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/demo: $(PACKAGE)
	$(call environment,$(DEMO_VENV))
	rm -rf build/lib build/lib.* build/bdist.*
	$(DEMO_VENV)/bin/pip install --quiet .
	$(call fast_solver,$(DEMO_VENV))
	@mkdir -p $(@D) && touch $@

$(STAMPS)/bench: benchmarks/requirements.txt
	$(call environment,$(BENCH_VENV))
	$(BENCH_VENV)/bin/pip install --quiet -r $<
	@mkdir -p $(@D) && touch $@

$(STAMPS)/dev: $(BUILD_INPUTS)
	$(call environment,$(VENV))
	$(BIN)/pip install --quiet --editable '.[dev,exodus,view]'
	$(call fast_solver,$(VENV))
	@mkdir -p $(@D) && touch $@

$(STAMPS)/docs: $(STAMPS)/dev
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' \
		| $(BIN)/pip install --quiet --requirement /dev/stdin
	@mkdir -p $(@D) && touch $@

$(STAMPS)/sanitize: $(STAMPS)/dev $(PACKAGE) tests/support/sanitized_cc
	@mkdir -p $(SANITIZE)/bin
	for name in cc gcc c++ g++; do ln -sf $(CURDIR)/tests/support/sanitized_cc $(SANITIZE)/bin/$$name; done
	rm -rf $(SANITIZE)/lib
	PATH='$(SANITIZE)/bin':"$$PATH" $(BIN)/python setup.py -q build \
		--build-lib $(SANITIZE)/lib --build-temp $(SANITIZE)/temp 2>$(SANITIZE)/build.log \
		|| { cat $(SANITIZE)/build.log; exit 1; }
	$(SANITIZED) $(BIN)/python -c 'import sys; from flexforge.runtime import _kernels as k; sys.exit("sanitize" not in k.__file__)'
	@mkdir -p $(@D) && touch $@

$(STAMPS)/cross: $(STAMPS)/dev
	@$(BIN)/pip install --quiet 'ziglang>=0.13' || echo "make: no zig for this machine; going on without"
	@mkdir -p $(@D) && touch $@

# Debian keeps Python.h in python3-dev; where it is not installed it is unpacked here, without root.
HEADERS := $(CURDIR)/build/headers
export CPATH := $(HEADERS)/usr/include/$(shell $(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])'):$(HEADERS)/usr/include$(if $(CPATH),:$(CPATH))

define headers
	@$(PYTHON) -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null \
		|| test -d $(HEADERS)/usr \
		|| { mkdir -p $(HEADERS) && cd $(HEADERS) \
			&& apt-get download $$($(PYTHON) -c 'import sys; print("libpython%d.%d-dev" % sys.version_info[:2])') \
			&& dpkg -x libpython*.deb . ; } \
		|| { echo "make: Python.h is not there; apt install python3-dev" >&2; exit 2; }
endef

define environment
	$(call headers)
	@test -x $(1)/bin/pip || $(PYTHON) -m venv $(1) || { \
		echo "make: python3 cannot make an environment; apt install python3-venv" >&2; exit 2; }
endef

# The fast solver is not made for every machine; everything works without it.
define fast_solver
	@$(1)/bin/pip install --quiet 'pypardiso>=0.4.5' || echo "make: no fast solver for this machine; going on without"
endef
