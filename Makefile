# SPDX-License-Identifier: Apache-2.0
# The front door. Meson builds in $(BUILD)/meson; tools/stage.py lays the results out as bin/, lib/ and include/ beside it.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
MESON_ARGS ?=
SECONDS ?= 60

.PHONY: all setup demo test oracle bench install uninstall dist deb wheel format lint sanitize fuzz clean help

all: setup
	@test -f $(BUILD)/meson/build.ninja || { mkdir -p $(BUILD) && echo 'Configuring $(BUILD)' && \
		meson setup $(MESON_ARGS) $(BUILD)/meson . >$(BUILD)/setup.log 2>&1; } || { cat $(BUILD)/setup.log; exit 1; }
	@if tests/list.py --changed $(BUILD)/meson/tests.list; then meson setup --reconfigure $(BUILD)/meson >/dev/null; fi
	@ninja -C $(BUILD)/meson --quiet $(if $(V),-v)
	@python3 tools/stage.py $(BUILD)

# Missing packages are installed once; when all are there this is a question to dpkg and nothing more.
setup:
	@tools/bootstrap

demo: all
	@tools/demo $(BUILD)

test: all
	@tests/run --build $(BUILD) --sanitize $(ARGS)

# The probes against what a real GPU answered. Differences are listed, and only a probe that crashes or hangs is an error.
oracle: all
	@python3 tests/oracle/run.py $(BUILD) --compare $(ARGS)

bench: all
	@tools/bootstrap --bench
	@mkdir -p $(BUILD)/bench
	@bench/run --cuda-compile '$(abspath $(BUILD))/bin/hostwarp cc -O3 -o {out} {src}' --build-dir $(BUILD)/bench \
		--json $(BUILD)/bench/result.json $(ARGS)

install: all
	@python3 tools/stage.py $(BUILD) --install '$(PREFIX)' --destdir '$(DESTDIR)'

uninstall:
	@python3 tools/stage.py $(BUILD) --uninstall '$(PREFIX)' --destdir '$(DESTDIR)'

# The sources of the last commit.
VERSION := $(shell cat VERSION)
dist:
	@mkdir -p $(BUILD)/dist
	@git archive --format=tar.gz --prefix=hostwarp-$(VERSION)/ -o $(BUILD)/dist/hostwarp-$(VERSION).tar.gz HEAD
	@echo $(BUILD)/dist/hostwarp-$(VERSION).tar.gz

deb: all
	@tools/bootstrap --deb
	@python3 tools/make_deb.py $(BUILD) $(BUILD)/dist
	@lintian --allow-root --fail-on error,warning $(BUILD)/dist/*.deb

wheel: all
	@python3 tools/make_wheel.py $(BUILD) $(BUILD)/dist

sanitize: setup
	@tests/run --build $(BUILD) --sanitize-only $(ARGS)

# Every fuzzer with a new seed, for so many seconds each.
fuzz: all
	@tests/fuzz/long.py --build $(BUILD) --seconds $(SECONDS) $(ARGS)

# Only lines that changed since the last commit: tables laid out by hand stay as they are.
format:
	@tools/bootstrap --dev
	@git-clang-format-19 --force --extensions c,h HEAD || true

lint: all
	@tools/bootstrap --dev
	@python3 tools/check_layers.py
	@python3 tools/check_tree.py
	@git ls-files 'src/*.c' | xargs -P2 -n8 clang-tidy-19 -p $(BUILD)/meson --quiet

clean:
	rm -rf $(BUILD) build-asan build-tsan

help:
	@echo 'make            build into $(BUILD)/: bin/hostwarp, lib/libcuda.so.1, lib/libcudart.so.*, include/'
	@echo 'make demo       build, then compile and run the examples'
	@echo 'make test       build, then run every test, also in sanitizer builds; ARGS=PATTERN runs some'
	@echo 'make oracle     compare with the answers of a real GPU; ARGS=--all lists every difference'
	@echo 'make bench      measure against OpenCL (PoCL, and Intel after tools/bootstrap --bench-intel) and OpenMP; ARGS="--only saxpy" runs one'
	@echo 'make install    PREFIX=/usr/local: bin/hostwarp, lib/hostwarp/, man pages'
	@echo 'make uninstall  PREFIX=/usr/local: removes that again'
	@echo 'make dist       the sources of the last commit as $(BUILD)/dist/hostwarp-VERSION.tar.gz'
	@echo 'make deb        Debian packages in $(BUILD)/dist; tools/chroot_test.py tries them on a fresh system'
	@echo 'make wheel      a Python wheel in $(BUILD)/dist: the command and the libraries'
	@echo 'make sanitize   only the ASan+UBSan and TSan tests'
	@echo 'make fuzz       every fuzzer with a new seed; SECONDS=600 for each, ARGS="escape graphs" runs some'
	@echo 'make format     clang-format, for the lines changed since the last commit'
	@echo 'make lint       clang-tidy and the checks of the tree'
	@echo 'make clean      remove what was built'
