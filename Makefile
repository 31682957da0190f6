# SPDX-License-Identifier: GPL-2.0-or-later
#
# The front door only: each target sees that what it needs is installed, then hands over to Meson or
# to a script. The build itself is described in meson.build.

BUILD := build
# For a build folder that is new: MESON_FLAGS=-Dwerror=true
MESON_FLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=

define compile
@test -f $(BUILD)/build.ninja || meson setup $(MESON_FLAGS) $(BUILD)
@meson compile -C $(BUILD)
endef

.PHONY: help build demo check bench install clean

help:
	@echo 'make build    build the program: $(BUILD)/snug'
	@echo 'make demo     what compressed memory gives, on real programs started for it'
	@echo 'make check    all tests'
	@echo 'make bench    the engine and the kernel on the same pages (minutes; as root to see the kernel)'
	@echo 'make install  into PREFIX ($(PREFIX)), below DESTDIR'
	@echo 'make clean    remove $(BUILD)'

build:
	@scripts/setup build
	$(compile)

demo:
	@scripts/setup demo
	$(compile)
	@SNUG=$(BUILD)/snug scripts/demo

check:
	@scripts/setup check
	$(compile)
	@scripts/check $(BUILD)

bench:
	@scripts/setup bench
	$(compile)
	@test -f corpus/gawk.pages || SNUG=$(BUILD)/snug tests/corpus/make-corpus corpus
	@tests/bench/bars --snug $(BUILD)/snug corpus

install:
	@scripts/setup build
	$(compile)
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD)

clean:
	@rm -rf $(BUILD)
