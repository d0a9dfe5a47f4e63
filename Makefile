# The front door. CMake does the work (see CMakePresets.json); everything is built in build/<preset>.
#
#   make            build the library                make bench      run the benchmarks
#   make run        a first simulation               make install    into PREFIX (default /usr/local)
#   make test       the tests, a few seconds         make format     lay out the sources by clang-format
#   make test-slow  convergence studies, minutes     make docs       renew generated pages
#   make test-browser  pages in Chromium, a minute   make work-precision  which method is cheapest? docs/user/methods.md
#   make python     the Python module and its tests  make wheel      a wheel of it, in build/wheel
#   make package    Debian packages, source tarball  make test-packages  try them in a fresh Debian
#   make deps       install missing Debian packages  make figures    renew the pictures of the manual
#   make campaign   random models, COUNT of them     make mutate     do the tests notice slips? an hour at most
#   make test-fresh run and test in a fresh Debian   make clean      remove build/
#
# run and test install missing packages by themselves if they may.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   := build/release
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
CONFIGURE_FLAGS ?=
PYTHON  ?= /usr/bin/python3
VERSION := $(shell awk '/define DAL_VERSION_(MAJOR|MINOR|PATCH)/ { v = v s $$3; s = "." } END { print v }' include/dalembert/base.h)

.PHONY: all configure deps run test test-slow test-browser python wheel package test-packages test-fresh bench work-precision conserved spin-campaign campaign units-campaign gradients-campaign scenes-campaign beams-campaign mutate install docs figures format clean

all: configure
	cmake --build $(BUILD) -j $(JOBS)

configure:
	@tools/deps build test $(MORE_DEPS)
	@cmake --preset release --log-level=NOTICE $(CONFIGURE_FLAGS)

deps:
	tools/deps build test optional browser python ci

# The heavy top with the defaults of the library, a picture and a page of it.
run: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli
	@echo
	@$(BUILD)/bin/dalembert run heavy_top -o results/heavy_top --plot results/heavy_top.svg \
	    --html results/heavy_top.html
	@echo
	@echo "Open results/heavy_top.html in a browser: the top spins."
	@echo
	@echo "Next: $(BUILD)/bin/dalembert models        the other built-in models"
	@echo "      $(BUILD)/bin/dalembert run --help    a model of your own: docs/user/cli.md"
	@echo "      $(BUILD)/bin/dalembert study heavy_top --h 4e-3,2e-3,1e-3 --methods index3,ggl,lobatto3"
	@echo "      make install                              then simply: dalembert run heavy_top"

# tests of optional features are skipped where these are missing and may not be installed
test test-slow: MORE_DEPS = --try optional

test: all
	@tools/run_tests release -j $(JOBS)

test-slow: all
	@tools/run_tests slow -j $(JOBS)

test-browser: all
	@tools/deps browser
	@tools/run_tests browser

# The module is in build/release/python: PYTHONPATH=build/release/python python3
python:
	@tools/deps build test python
	@cmake --preset release --log-level=NOTICE -DDAL_PYTHON=ON $(CONFIGURE_FLAGS)
	cmake --build $(BUILD) -j $(JOBS) --target python_test

wheel:
	@tools/deps build python
	$(PYTHON) -m pip wheel . --no-build-isolation --no-deps -w build/wheel

# Debian packages and the source tarball, in build/package; tools/test_packages tries them in a fresh system.
package:
	@tools/deps build python package
	@cmake -S . -B build/package -G Ninja --log-level=NOTICE -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
	    -DDAL_BUILD_TESTS=OFF -DDAL_PYTHON=ON -DDAL_PYTHON_SHARED=ON -DPython3_EXECUTABLE=$(PYTHON)
	cmake --build build/package -j $(JOBS)
	cd build/package && cpack
	git archive --format=tar.gz --prefix=dalembert-$(VERSION)/ -o build/package/dalembert-$(VERSION).tar.gz HEAD

test-packages: package
	@tools/deps package-test
	tools/test_packages build/package

# The commands of the README in a fresh Debian, as root and as a plain user: the last commit. Needs root.
test-fresh:
	@tools/deps package-test
	tools/test_fresh

bench: configure
	cmake --build $(BUILD) -j $(JOBS) --target bench cli
	@for program in $(BUILD)/bench/bench_*; do \
	    case $$program in */bench_methods) continue;; esac; \
	    if [ -f $$program ] && [ -x $$program ]; then OPENBLAS_NUM_THREADS=1 $$program || exit 1; fi; \
	done
	@bench/instructions $(BUILD)/bench/bench_integrate $(BUILD)/bench/bench_gradient
	@bench/table $(BUILD)/bin/dalembert
	@if [ -x $(BUILD)/test/flex/write_box ]; then bench/reduce $(BUILD); fi
	@bench/page_cost.py $(BUILD)/bin/dalembert
	@if [ -d $(BUILD)/python ]; then PYTHONPATH=$(BUILD)/python $(PYTHON) bench/python_cost.py $(BUILD)/bin/dalembert; fi

# Which method is cheapest for which accuracy: measures, renews docs/user/methods.md. On a machine that does nothing else.
work-precision: configure
	cmake --build $(BUILD) -j $(JOBS) --target bench_methods plot_work_precision
	tools/work_precision $(BUILD)

# What is conserved over a million steps: measures, renews docs/user/conserved.md and its picture. A minute or two.
conserved: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli
	tools/plots/conserved.py $(BUILD)/bin/dalembert

# Which formulation survives spinning bodies: measures, renews a table of docs/user/methods.md. A minute or two.
spin-campaign: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli
	tools/spin_campaign $(BUILD)

# Random models through the tool: FIRST is the first seed.
COUNT ?= 1000
FIRST ?= 1
campaign: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli
	tools/campaign/campaign $(BUILD)/bin/dalembert --from $(FIRST) --count $(COUNT) --jobs $(JOBS) --keep build/campaign

units-campaign: configure
	cmake --build $(BUILD) --target cli
	tools/campaign/units $(BUILD)/bin/dalembert --from $(FIRST) --count $(COUNT) --jobs $(JOBS)

gradients-campaign: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli
	tools/campaign/gradients $(BUILD)/bin/dalembert --from $(FIRST) --count $(COUNT) --jobs $(JOBS)

scenes-campaign: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli
	tools/campaign/scenes $(BUILD)/bin/dalembert --from $(FIRST) --count $(COUNT) --jobs $(JOBS) --keep build/scenes

beams-campaign: configure
	cmake --build $(BUILD) -j $(JOBS)
	tools/campaign/beams $(BUILD)/bin/dalembert --from $(FIRST) --count $(COUNT) --jobs $(JOBS) --python $(BUILD)/python

SEED ?= 1
mutate: configure
	tools/mutate/mutate --seed $(SEED) --jobs $(JOBS)

install: configure
	cmake --build $(BUILD) -j $(JOBS) --target installed
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

docs: configure
	cmake --build $(BUILD) -j $(JOBS) --target docs-options cli
	tools/model_reference.py $(BUILD)/bin/dalembert
	tools/json_reference.py
	tools/man_synopsis.py $(BUILD)/bin/dalembert
	tools/python_elements.py $(BUILD)/bin/dalembert
	tools/layers_figure.py

figures: configure
	cmake --build $(BUILD) -j $(JOBS) --target cli example_01_heavy_top example_02_options plot_energy plot_figures
	tools/plots/figures $(CURDIR)/$(BUILD)
	@tools/deps browser
	tools/gallery/gallery.py $(BUILD)/bin/dalembert

format:
	tools/sources | xargs clang-format -i

clean:
	rm -rf build
