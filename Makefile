# photocol: each target is one sentence; `make` alone lists them.
# Every target sets up what it needs in .venv and target/ and nothing outside the checkout.

PHOTOCOL := .venv/bin/photocol
PYTHON   := .venv/bin/python
# One interpreter, one profile and all crates at once, photocol-py too, for the wheel, the tests and the lints: so other
# people's crates have the same features everywhere, and each crate is compiled once.
export PYO3_PYTHON := $(CURDIR)/.venv/bin/python
CARGO_TEST := cargo test --release --workspace --locked --quiet
ALONE := env -u MAKEFLAGS -u MFLAGS
SIDE_BY_SIDE := --no-print-directory --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

PYTHON_CODE := python tests experiments bench

.DEFAULT_GOAL := help
.PHONY: help setup run test build-rust test-rust test-python test-together test-alone quick lint check bench reproduce docs wheels reference lock clean

help:  ## lists these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup:  ## makes .venv with the locked packages and builds the extension
	@tools/setup

run: setup  ## sets everything up and runs the main job (002/baseline, quick form)
	$(PHOTOCOL) reproduce 002/baseline --quick

# Rust and Python side by side, Python in two processes. Neither is told of it: cargo would look for the processes that
# make has left. Tests that need a machine that keeps up come after both.
test: setup  ## sets everything up, runs all tests, checks formatting, lints and type-checks the Python side
	@$(MAKE) $(SIDE_BY_SIDE) build-rust test-together
	@$(MAKE) --no-print-directory test-alone
	@$(MAKE) --no-print-directory test-rust
	@$(MAKE) --no-print-directory lint
	@tools/lint-rust format

# Rust is compiled beside the tests of Python, and tested after them: tests of real processes need a machine that keeps up.
build-rust:
	$(ALONE) $(CARGO_TEST) --no-run
	$(ALONE) $(CARGO_TEST) --config tools/checked.toml --test runs --no-run

test-rust:
	$(ALONE) $(CARGO_TEST)
	$(ALONE) $(CARGO_TEST) --config tools/checked.toml --test runs  # unoptimized, with overflow checks: same fingerprint

test-python:
	@$(MAKE) --no-print-directory test-together
	@$(MAKE) --no-print-directory test-alone

test-together:
	$(ALONE) $(PYTHON) -m pytest --numprocesses 2 --dist worksteal -m "not alone" --durations=10 --durations-min=5

test-alone:
	$(ALONE) $(PYTHON) -m pytest -m alone --durations=10 --durations-min=5

quick:  ## tests and lints what differs from the last commit (or SINCE=commit), in about a minute; builds no extension
	@tools/quick

# Only tools of requirements.lock: what passes today passes with tomorrow's compiler.
lint: setup
	.venv/bin/ruff check --quiet $(PYTHON_CODE)
	.venv/bin/ruff format --check --quiet $(PYTHON_CODE)
	$(PYTHON) -m mypy
	$(PYTHON) -m mypy.stubtest photocol._core --ignore-disjoint-bases

check: lint  ## formatting, warnings and banned calls of the Rust side too (rustfmt, clippy), and cargo deny if it is there
	$(PYTHON) -m mypy --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/win32
	$(PYTHON) -m mypy --platform darwin --no-warn-unreachable --cache-dir .mypy_cache/darwin
	tools/lint-rust
	@if command -v cargo-deny >/dev/null; then cargo deny --all-features check; fi

bench: setup  ## measures packet-hops and events per CPU second and memory per flow
	$(PHOTOCOL) bench

reproduce: setup  ## regenerates every figure in the papers' full form (long); PHOTOCOL_QUICK_FORMS=1 make test-python compares the quick forms with the records
	$(PHOTOCOL) reproduce --full

docs: reference  ## regenerates the reference, then builds the site in out/site (open out/site/index.html; no network needed)
	$(PYTHON) docs/make_site.py

wheels: setup  ## makes a wheel and a source distribution in dist/
	tools/wheels

reference: setup  ## regenerates schema/scenario.json, docs/reference/, photocol/options.py, the numbers of paper/ and the pages of the Rust crates
	@mkdir -p schema
	$(PHOTOCOL) schema > schema/scenario.json
	$(PYTHON) docs/make_reference.py
	$(PYTHON) docs/make_commands.py
	$(PYTHON) docs/make_models.py
	$(PYTHON) docs/make_probes.py
	$(PYTHON) docs/make_replay.py
	$(PYTHON) docs/make_options.py
	$(PYTHON) tools/paper-numbers
	cargo doc --release --no-deps --workspace --locked --quiet

lock: setup  ## resolves the Python packages anew into requirements.lock (needs uv)
	tools/lock

clean:  ## removes what was built and installed, never results
	rm -rf .venv target python/photocol/_core*.so .mypy_cache .ruff_cache .pytest_cache
