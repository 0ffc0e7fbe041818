# A thin layer over CMake: the usual words for the usual jobs. `./run WORD` does the same and
# installs what is missing first. Paths are relative, so that the tree may lie anywhere.

PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
TEST_SECONDS = 1200
CTEST = ctest --output-on-failure --no-label-summary -j $(JOBS) --timeout $(TEST_SECONDS)

# Keeps quiet while configuring, unless something is wrong.
configure = cmake --preset $(1) > build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }

.PHONY: all demo test test-long test-summary bench lint format exports cov tsan fuzz install clean
.PHONY: help python page web-modules docs docs-outputs mpi papers
.NOTPARALLEL:
.DEFAULT_GOAL := all

all: ## build build/neyman (the default)
	@mkdir -p build
	@$(call configure,release)
	@cmake --build build/release -j $(JOBS)
	@ln -sf release/bin/neyman build/neyman

demo: all ## build and do the main job on bundled data
	@sh scripts/demo.sh

docs: all ## build the documentation site below build/docs/html (Sphinx)
	@$(PYTHON) -B scripts/docs/build.py . $(CURDIR)/build/neyman build/docs

docs-outputs: all ## run the commands of all pages and write what they print into the pages
	@for page in README.md doc/*.md doc/guides/*.md doc/concepts/*.md doc/reference/*.md; do \
	    $(PYTHON) -B tests/docs/check_page.py --write $$page build/neyman data > build/docs.log || cat build/docs.log; done; git diff --stat -- README.md doc

mpi: all ## build build/neyman-mpi (Open MPI) and run it as two processes on bundled data
	@cmake --build build/release -j $(JOBS) --target neyman_mpi
	@ln -sf release/bin/neyman-mpi build/neyman-mpi
	@sh scripts/mpi_demo.sh

papers: all ## repeat the experiments of the papers and write doc/papers; PAPERS='roc --quick'
	@cmake --build build/release -j $(JOBS) --target bench_np_literal
	@$(PYTHON) -B bench/papers/papers.py $(PAPERS)

python: all ## install the Python package into build/venv
	@sh scripts/python.sh $(PYTHON)

# Three builds, one run: gcc with asserts (dev), clang with ASan, UBSan and the fuzz targets (asan),
# and the release build as a user gets it (check). CTest reads build/CTestTestfile.cmake and so
# counts them all in one summary, which is the last thing printed.
test: build-dev build-asan build-check web-modules ## build and run every test
	@echo 'subdirs(dev asan check)' > build/CTestTestfile.cmake
	@$(CTEST) --test-dir build

test-long: export NEY_TEST_MULT ?= 20
test-long: export NEY_FUZZ_SECONDS ?= 120
test-long: TEST_SECONDS = 7200
test-long: build-dev build-asan build-check build-tsan web-modules ## every test, longer, and ThreadSanitizer
	@echo 'subdirs(dev asan check tsan)' > build/CTestTestfile.cmake
	@$(CTEST) --test-dir build

test-summary: ## what the last `make test` ran, by kind
	@python3 scripts/test_summary.py build

web-modules: ## install what browser tests and `make page` need below build/web (npm)
	@sh scripts/web_modules.sh build/web

page: web-modules ## rebuild web/page.html (Node.js, clang, lld, wasi-libc)
	@sh web/wasm/build.sh . build/web/page.wasm
	@clang --version | head -n 1 > web/wasm/compiler.txt
	@node web/build.mjs --modules build/web --wasm build/web/page.wasm --out web/page.html

build-%:
	@mkdir -p build
	@$(call configure,$*)
	@cmake --build build/$* -j $(JOBS)

bench: all ## run the benchmarks
	@cmake --build build/release -j $(JOBS) --target bench_programs
	@sh bench/run.sh

lint: ## clang-format, clang-tidy, cppcheck
	@mkdir -p build
	@$(call configure,asan)
	@sh scripts/lint.sh build/asan $(JOBS)

format: ## lay the sources out with clang-format
	@sh scripts/lint.sh format

exports: ## make libneyman.map and tests/abi/1.0.txt agree with the public headers
	@python3 -B tests/arch/check_exports.py --write .
	@python3 -B tests/abi/check_abi.py --write $(CC) .

cov: build-cov ## line coverage of the library and the program
	@find build/cov -name '*.gcda' -delete
	@$(CTEST) --test-dir build/cov
	@python3 scripts/coverage.py build/cov

tsan: build-tsan ## every test under ThreadSanitizer
	@$(CTEST) --test-dir build/tsan

fuzz: export NEY_FUZZ_SECONDS ?= 600
fuzz: TEST_SECONDS = 86400
fuzz: build-fuzz ## let every fuzz target search for NEY_FUZZ_SECONDS (default 600), and train at random
	@$(CTEST) --test-dir build/fuzz -R 'fuzz\.run|random_training'

install: all ## install below PREFIX (default /usr/local); DESTDIR is honoured
	@cmake --install build/release --prefix "$(PREFIX)"

clean: ## remove the build folder
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | while read -r word text; do \
	    printf '  make %-12s %s\n' "$$word" "$$text"; done
