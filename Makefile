# Every target sets itself up in .venv; a fresh machine needs python3 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .venv-bench
ZIG := .venv-zig
# Processes of the tests: one more than two cores, since many tests wait for something.
TESTERS ?= 3
# Compiled Python is kept, whatever the surroundings say: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=
CORE := CMakeLists.txt builder/askless_build.py $(wildcard src/core/*.hpp src/core/*.cpp)
SOURCES := $(wildcard src/core/*.hpp src/core/*.cpp src/core/driver/*.cpp)
COMPILER := $(shell command -v c++ || command -v g++ || command -v clang++)

.PHONY: help ready browser test test-fast long check stubs settings format demo paper picture tour bench interactive epochs deciding constants tables rivals calling tutorials docs serving looking short hurting plans verdicts agreement guarantee mutants soak sanitize unchanged pace aarch64 clean

help:  ## this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

ready: $(READY)  ## set up .venv and build the core, which every target does first (some minutes, once)

browser:  ## install Debian's Chromium for the tests of pages, where that is allowed (as root, with apt)
	@builder/browser.sh

test: $(READY) browser  ## the whole suite, its largest tests reduced
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(TESTERS) --dist worksteal

test-fast: $(READY)  ## the quick tests: no browser, no PostgreSQL, no processes that are killed, no large statistics (3 minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(TESTERS) --dist worksteal -m "not slow"

long: $(READY) browser  ## the whole suite with its largest tests at their full size (20 minutes)
	ASKLESS_LONG=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(TESTERS) --dist worksteal

check: $(READY)  ## lint, types, layers; format and bugs of the core, and whether its stubs are true
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python builder/stubs.py --check
	$(BIN)/python builder/settings_tables.py --check
	@echo clang-format, clang-tidy
	@$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	@printf '%s\n' src/core/*.cpp | xargs -P 2 -n 4 \
		sh -c '$(BIN)/clang-tidy --quiet "$$@" -- '"$$($(BIN)/python builder/flags.py)"' 2>/dev/null' tidy

stubs: $(READY)  ## write src/askless/core/*.pyi, what mypy reads of the core
	$(BIN)/python builder/stubs.py

settings: $(READY)  ## write out of the code docs/study.schema.json, the tables of docs/study-file.md, and the pages of all keys and verbs
	$(BIN)/python builder/settings_tables.py

tutorials: $(READY)  ## run the tutorials, and write what they print and draw into them (a minute)
	$(BIN)/python builder/tutorials.py

docs: $(READY)  ## the site of the docs, strictly and offline: build/site/index.html; its links, its words
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	$(BIN)/python builder/check_site.py
	$(BIN)/codespell
	@echo "the site is in build/site; to search it too: python3 -m http.server -d build/site"

format: $(READY)  ## let ruff and clang-format put everything in its place
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(SOURCES)

demo: $(READY)  ## a live study with simulated people: prints where to see the survey get shorter; Ctrl-C stops it, without a terminal it ends by itself
	$(BIN)/askless serve --demo

paper: $(READY)  ## a first study, then the paper's experiment, short, with its report
	$(BIN)/python examples/first_study.py
	$(BIN)/askless paper --quick

bench: $(BENCH)/.ready  ## speed beside numpy, obp, MABWiser and contextualbandits, as ratios: docs/speed.md (90 seconds)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=benchmarks:benchmarks/stand_ins \
		$(BENCH)/bin/python benchmarks/bench.py

picture: $(READY)  ## the picture of the README: a survey gets shorter, at the same reward (10 seconds)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/picture.py

interactive: $(READY)  ## what interactive surveys save, and that they never play another arm (20 minutes)
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/interactive.py

epochs: $(READY)  ## rows until a useless question goes, with more and more questions: the figure of docs/guarantee.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/why_epochs.py

deciding: $(READY)  ## what the recommended policy earns and asks in plausible worlds, beside its rivals (20 minutes)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/deciding.py

constants: $(READY)  ## the same with the rule's constants halved and doubled, one after the other (30 minutes)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/constants.py

tables: $(READY)  ## who earns most net of the price of questions, on sixteen bandits from real tables; goes on where it was (5 minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/tables.py

rivals: $(READY) $(BENCH)/.ready  ## who earns most for the fewest questions, all rivals on sixteen tables, and other libraries; goes on where it was (2 hours)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/rivals.py people
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=benchmarks:benchmarks/stand_ins \
		$(BENCH)/bin/python benchmarks/rivals.py others
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/rivals.py

calling: $(READY)  ## the calls of docs/calling.md from curl, Python and R to a real service (needs curl, Rscript and R's httr2 and jsonlite; half a minute)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/calling.py

tour: $(READY)  ## the screenshots of docs/tour.md, from a demo in a browser (needs chromium; a minute)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/tour.py

serving: $(READY)  ## full visits a second over HTTP, on SQLite and PostgreSQL, beside an endpoint that writes one row: the table of docs/serving.md (3 minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -W ignore benchmarks/serving.py

looking: $(READY)  ## how long the dashboard takes with a million visits in the journal (2 minutes)
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/dashboard.py

short: $(READY)  ## short forms in the example study and in the paper's world (a minute)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/short_forms.py

hurting: $(READY)  ## short forms in worlds that are built to hurt them, beside asking everything (a minute)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/hurting.py

plans: $(READY)  ## the plans of the docs, with their times, and pictures of the report (5 minutes)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/plans.py

verdicts: $(READY)  ## how often a plan's verdict is that of 20 times as many worlds, in 200 studies; goes on where it was (an hour)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/verdicts.py

agreement: $(BENCH)/.ready  ## off-policy estimates beside those of obp on the same log, to 1e-8 (half a minute)
	OMP_NUM_THREADS=1 PYTHONPATH=benchmarks/stand_ins $(BENCH)/bin/python benchmarks/agreement.py

guarantee: $(READY)  ## wrong drops of Epoch SurveyUCB where effects are exactly beta_min, 1,200 runs a world, and how often intervals after a study miss (30 minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/guarantee.py
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/intervals.py

mutants: $(READY)  ## wrong versions of Epoch SurveyUCB and of short forms, which the tests of its guarantee must notice (20 minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/mutants.py

soak: $(READY)  ## 20,000 random sequences of operations on the public API beside a plain model of it, 12,000 changed states, eight threads in one policy; 2,000 deaths of live studies, 50,000 rewards at four workers (50 minutes)
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/soak.py
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/mutated.py
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/threads.py
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/live_soak.py

# Python finds the checked core in build/sanitize/src, which comes first on its path; .venv stays as it is.
sanitize: $(READY)  ## the core with its addresses, its arithmetic and every index checked, by tests and random operations: SEQUENCES=10000 (15 minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/sanitize.py $(SEQUENCES)

unchanged: $(READY)  ## decisions beside those of another revision of this repository: make unchanged SINCE=REVISION
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python benchmarks/unchanged.py $(SINCE)

pace: $(READY)  ## how long fused epochs take beside another revision of this repository: make pace SINCE=REVISION
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/pace.py $(SINCE)

aarch64: $(ZIG)/.ready  ## every policy played without Python, by two compilers, on three levels of x86-64 and an emulated ARM processor: the same bytes (5 minutes, once)
	$(ZIG)/bin/python src/core/driver/compare.py

# A compiler for other processors; it needs nothing of this project.
$(ZIG)/.ready:
	$(PYTHON) -m venv $(ZIG)
	$(ZIG)/bin/python -m pip install --quiet --disable-pip-version-check 'ziglang>=0.13'
	touch $@

# obp wants torch for policies that are not measured; an empty stand-in is enough for its LinUCB.
$(BENCH)/.ready: pyproject.toml $(CORE)
	@$(PYTHON) builder/python_version.py
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[cli]' \
		mabwiser contextualbandits skglm vowpalwabbit pandas pyyaml scikit-learn seaborn matplotlib tqdm mypy-extensions
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps obp==0.4.1
	touch $@

# What builds the core; where there is no C++ compiler, a package brings one. setuptools and wheel build
# those packages that come as source, since nothing below is built in an environment of its own.
$(VENV)/.tools: pyproject.toml
	@$(PYTHON) builder/python_version.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		'scikit-build-core>=0.11' 'nanobind>=2.7' 'setuptools>=70.1' wheel cmake ninja $(if $(COMPILER),,ziglang)
	touch $@

$(READY): $(VENV)/.tools $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dev]'
	touch $@

clean:  ## remove what the targets made
	rm -rf build/core build/driver build/sanitize $(VENV) $(BENCH) $(ZIG) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
