# A front for CMake's presets; `make help` tells what there is.
.DEFAULT_GOAL := all
PREFIX       ?= /usr/local
FILTER       ?=
ARGS         ?= serve
JOBS         ?= $(shell nproc)

export JOBS FILTER

.PHONY: all page wasm python wheel run test gate bench bench-servers fuzz install deb tarball image packages format lint coverage tsan clean help

all: ## build/agon, optimised
	@tools/setup build
	@tools/build release

wasm: ## the rules for browsers: build/wasm/GAME.wasm
	@tools/setup build
	@[ -f build/build.ninja ] || cmake --preset release
	@ninja -C build -j$(JOBS) wasm

page: ## the web page, into out/page
	@tools/setup build page
	@PAGE=must tools/build --page release

python: ## build the Python package in place; the last line is its PYTHONPATH
	@tools/setup build python
	@tools/python

wheel: ## the Python package: dist/*.whl and the source distribution
	@tools/setup build python
	@tools/wheel

run: ## build and start a server (ARGS="serve --port 9000" sets options, ARGS="watch tetris" runs another command)
	@tools/setup build page
	@PAGE=must tools/build release
	@build/agon $(ARGS)

test: ## run all tests, with sanitizers (FILTER=regex: only these)
	@tools/test

gate: ## run the long checks before a release (GATE="property fuzz": only these)
	@tools/gate $(GATE)

bench: ## measure the speed of the games
	@tools/setup build
	@tools/build bench
	@out/bench/agon bench

bench-servers: ## measure the servers, compared with an echo server
	@tools/setup build page test
	@tools/build bench
	@node test/bench/servers.mjs
	@node test/bench/arena.mjs

fuzz: ## run every fuzzer for FUZZ_SECONDS (20)
	@tools/setup build page test
	@tools/build fuzz
	@ctest --test-dir out/fuzz -R '^fuzz[.].*$(FILTER)' -j$(JOBS) --timeout 86400 --no-tests=error --output-on-failure

install: all ## into PREFIX (/usr/local), below DESTDIR
	@cmake --install build --prefix $(PREFIX)

deb: all ## a Debian package in build/
	@tools/setup package
	@cd build && cpack -G DEB

tarball: all ## the program with its libraries: dist/agon-VERSION-linux-x86_64.tar.gz
	@tools/setup package
	@packaging/tree build out/packaging/tree
	@packaging/pack.py tarball out/packaging/tree dist

image: deb ## an OCI image: dist/agon-VERSION-oci.tar
	@packaging/image $$(ls build/agon_*.deb) out/packaging/image
	@packaging/pack.py image out/packaging/image dist

packages: tarball image ## all packages into dist/: tarball, image, npm, wheel, MCP bundle, server.json
	@for format in npm wheel mcpb server-json; do packaging/pack.py $$format out/packaging/tree dist || exit; done

format: ## format the sources
	@tools/setup page test
	@tools/lint format

lint: ## check the format and clang-tidy's findings
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

clean: ## remove everything that was built
	rm -rf build dist out page/node_modules test/e2e/node_modules

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile
