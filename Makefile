# The commands people type. Every target brings what it needs: nothing has to be installed beforehand but make and
# Python 3.11 (and, where you are not root, the Debian packages that the target names when one is missing).
SHELL := /bin/bash
PORT ?= 8000
HOST ?= 127.0.0.1
PART ?= all
# Processes that share the tests, a file at a time: two more than cores, for many tests wait for other processes.
# ARGS goes to pytest as it is.
JOBS ?= $(shell echo $$(( $$(nproc) + 2 )))
ARGS ?=
# What needs no process, browser or server beside it: measures, scenes, models, parsers, views.
FAST ?= tests/measures tests/scenes tests/evaluation/parsing tests/evaluation/prompting tests/evaluation/queue \
	tests/humantrials/protocols tests/humantrials/assignment tests/leaderboard/standings tests/leaderboard/board
# A third of their time is in these files, which leave that of who waits at the desk.
FAST += $(addprefix --ignore=tests/,scenes/test_audit.py scenes/giraffe/test_choices.py scenes/test_tapped.py \
	scenes/test_tapped_shapes.py extensions/annotation/protocol/test_stages.py)
# They fill the cores already: more threads of torch in each would only wait for one another.
ONE_THREAD := OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1}
ALONE := not (browser or render or worker or nginx or postgres or redis)
# Debian's own build first: it is optimised by a profile, which saves the tests a fifth of their processor time.
PYTHON3 = $(or $(shell for python in /usr/bin/python3.11 python3.11 python3; do \
	$$python -c "import ensurepip, venv" 2>/dev/null && command -v $$python && break; done),python3)
PY := .venv/bin/python
TORCH ?= torch==2.13.0
SITE := accounts benchmarks benchsite evaluation extensions humantrials leaderboard measures scenes
# A registry that stumbles once is asked again.
pip = .venv/bin/pip install --quiet $(1) || (sleep 5; .venv/bin/pip install --quiet $(1))
# What the locks list, by the digests of its files: uv takes a tenth of pip's time; where it can't, pip does.
LOCKED := --require-hashes --no-deps
install = UV_NATIVE_TLS=1 UV_LINK_MODE=copy .venv/bin/uv pip install --quiet --python $(PY) --compile-bytecode $(LOCKED) -r $(1) || \
	$(call pip,$(LOCKED) -r $(1))
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: run test test-fast polygons demo check check-types check-rest audit lock bench soak shots cinema setup setup-dev

# The demo stays below 1.5 GB: without a bound its decoded frames alone take 2.1.
run: export CACHE_MB ?= 700
run: setup
	@$(PY) manage.py serve --host $(HOST) --port $(PORT) --demo

demo: setup
	@$(PY) manage.py demo

# Vulkan in software, for clips of the look `cinema` on a machine without a GPU; as root
cinema:
	apt-get update && apt-get install --no-install-recommends --yes libvulkan1 mesa-vulkan-drivers

# Box2D for CRAFT's circles of 128 corners, in var/box2d-polygons; needs a C++ compiler
polygons: setup
	@docker/box2d-polygons.sh

test: setup-dev
	@$(ONE_THREAD) $(PY) -m pytest -n $(JOBS) --dist loadgroup $(ARGS)

test-fast: setup-dev
	@$(ONE_THREAD) $(PY) -m pytest -n $$(nproc) --dist loadgroup -m "$(ALONE)" $(FAST) $(ARGS)

# Everything which must hold before a change is shared; types take as long as all the rest, so both run side by side
check: setup-dev
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target check-types check-rest

check-types:
	.venv/bin/mypy .

check-rest:
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/djhtml --check --tabwidth 2 --extra-block unchanging,endunchanging \
		--extra-block table,label,caption,row,column,columns,cell,class,first,last,below,endtable \
		--extra-block facts,fact,endfacts templates extensions/*/templates
	.venv/bin/lint-imports
	.venv/bin/bandit --quiet --configfile pyproject.toml --recursive $(SITE)
	.venv/bin/hadolint --ignore DL3008 --ignore DL3013 --ignore DL3066 docker/Dockerfile docker/Dockerfile.gpu
	.venv/bin/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker/compose.yaml
	$(PY) manage.py makemigrations --check --dry-run
	DEBUG=0 SECRET_KEY=$$(openssl rand -hex 32) ALLOWED_HOSTS=localhost SITE_URL=https://localhost \
		$(PY) manage.py check --deploy --fail-level WARNING

# Known holes of the pinned packages; needs the network, and skips loudly where the list can't be reached
audit: setup-dev
	@docker/audit-packages.sh

# After a change of requirements*.txt: what is installed, with digests
lock: setup-dev
	@docker/lock.sh

bench: setup-dev
	@$(PY) -m tools.bench

soak: setup-dev
	@$(PY) -m tools.bench.soak $(PART)

shots: setup-dev
	@$(PY) -m tools.bench.pages.screenshots

# --- set-up: system packages where missing, then the pinned Python packages; done once per change of the pins ---

setup: .venv/.installed .venv/bin/benchsite
setup-dev:
	@$(MAKE) --no-print-directory --jobs=2 .venv/.debian-packages .venv/.installed-dev .venv/bin/benchsite

.venv/bin/python:
	@docker/system-packages.sh site
	$(PYTHON3) -m venv .venv

# What an install makes as well; the code stays in the checkout.
define COMMAND
#!/bin/sh
here=$$(dirname "$$(readlink -f "$$0")")
exec "$$here/python" "$$here/../../manage.py" "$$@"
endef
export COMMAND

.venv/bin/benchsite: | .venv/bin/python
	@echo "$$COMMAND" > $@ && chmod +x $@

.venv/bin/uv: | .venv/bin/python
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock > .venv/uv.lock
	@$(call pip,$(LOCKED) -r .venv/uv.lock)

# torch's build is the machine's choice, and PyPI's brings CUDA: pip takes it from where pip is told.
.venv/.installed: requirements.lock | .venv/bin/python .venv/bin/uv
	@docker/system-packages.sh site
	@$(call pip,--no-compile $(TORCH))
	@$(call install,requirements.lock)
	@touch $@

# Beside Python's packages: each of the two keeps one core busy.
.venv/.debian-packages: docker/system-packages.sh | .venv/bin/python
	@docker/system-packages.sh tests
	@touch $@

.venv/.installed-dev: requirements-dev.lock .venv/.installed
	@$(call install,requirements-dev.lock)
	@touch $@
