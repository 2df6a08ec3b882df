# A front for CMake's presets; `make help` tells what there is.
.DEFAULT_GOAL := all
PREFIX       ?= /usr/local
FILTER       ?=
ARGS         ?= serve
JOBS         ?= $(shell nproc)

export JOBS FILTER

.PHONY: all page wasm python wheel run test gate bench bench-servers fuzz install deb format lint coverage tsan clean help

all: ## build/agon, optimised
	@tools/setup build
	@tools/build release

wasm: ## the rules for browsers: build/wasm/GAME.wasm
	@tools/setup build
	@[ -f build/build.ninja ] || cmake --preset release
	@ninja -C build -j$(JOBS) wasm

page: ## the web page, into out/page
	@tools/setup page
	@tools/page must

python: ## the Python package for development; the last line tells its PYTHONPATH
	@tools/setup build python
	@tools/python

wheel: ## the Python package: dist/*.whl and the source distribution
	@tools/setup build python
	@tools/wheel

run: page all ## build and serve agents (ARGS="watch tetris": house bots play)
	@build/agon $(ARGS)

test: ## everything that is checked, with sanitizers (FILTER=regex: these tests alone)
	@tools/test

gate: ## the long counts (GATE="property fuzz": these rows alone)
	@tools/gate $(GATE)

bench: ## how fast the games are
	@tools/setup build
	@tools/build bench
	@out/bench/agon bench

bench-servers: ## what the servers cost, beside a bare echo
	@tools/setup build page test
	@tools/build bench
	@node test/bench/servers.mjs
	@node test/bench/arena.mjs

fuzz: ## every fuzzer for FUZZ_SECONDS (20)
	@tools/setup build page test
	@tools/build fuzz
	@ctest --test-dir out/fuzz -R '^fuzz[.].*$(FILTER)' -j$(JOBS) --timeout 86400 --no-tests=error --output-on-failure

install: all ## into PREFIX (/usr/local), below DESTDIR
	@cmake --install build --prefix $(PREFIX)

deb: all ## a Debian package in build/
	@tools/setup package
	@cd build && cpack -G DEB

format: ## write the house style into the sources
	@tools/setup page test
	@tools/lint format

lint: ## check style and clang-tidy's findings
	@tools/setup build page test
	@tools/build dev >/dev/null
	@tools/lint

coverage: ## which lines the tests reach: out/coverage/index.html
	@tools/setup build page test
	@tools/build coverage
	@ctest --test-dir out/coverage -j$(JOBS) --output-on-failure
	@gcovr --root . --filter src/ --html-details out/coverage/index.html --print-summary out/coverage

tsan: ## the tests under the thread sanitizer
	@tools/setup build page test
	@tools/build tsan
	@ctest --test-dir out/tsan -j$(JOBS) --output-on-failure

clean: ## remove all that was built
	rm -rf build dist out page/node_modules test/e2e/node_modules

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile
