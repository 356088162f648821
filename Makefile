# SPDX-License-Identifier: Apache-2.0
# A thin front for CMake: each target installs what it needs on a Debian machine, builds, and runs.

SIM_PACKAGES := g++ cmake ninja-build libsimgrid-dev libboost-program-options-dev nlohmann-json3-dev libeigen3-dev \
  libcsv-dev zlib1g-dev libprotobuf-dev protobuf-compiler
REAL_PACKAGES := libtorch-dev libopenblas0-pthread libopenmpi-dev openmpi-bin libgd-dev pkg-config
TEST_PACKAGES := catch2 ccache
BENCH_PACKAGES := python3-torch
LINT_PACKAGES := clang-format clang-tidy
FUZZ_PACKAGES := clang libclang-rt-14-dev

EPOCHCAST := build/release/epochcast
FUZZ_SECONDS ?= 60
# Ranks may share cores, and containers run as root.
MPIRUN := mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1

.PHONY: help build demo test bench lint fuzz clean

help:
	@echo "make demo    install, build the simulator, forecast two clusters"
	@echo "make test    install, build everything, run all tests"
	@echo "make bench   speed, as ratios measured in one run"
	@echo "make lint    clang-format and clang-tidy"
	@echo "make fuzz    every file loader against random input, FUZZ_SECONDS=$(FUZZ_SECONDS) each"
	@echo "make clean   remove build/"

build:
	@tools/install_packages.sh $(SIM_PACKAGES)
	@mkdir -p build
	@cmake --preset release >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset release

demo: build
	@tools/demo.sh $(EPOCHCAST)

test:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(TEST_PACKAGES)
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev

bench:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(BENCH_PACKAGES)
	@mkdir -p build
	@cmake --preset bench >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset bench
	@build/bench/epochcast-bench build/bench/epochcast
	@$(MPIRUN) -n 2 build/bench/epochcast-bench-exchange
	@build/bench/epochcast-bench-training
	@bench/compare_ddp.py build/bench/epochcast-run

lint:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(TEST_PACKAGES) $(LINT_PACKAGES)
	@tools/lint.sh

fuzz:
	@tools/install_packages.sh $(SIM_PACKAGES) $(FUZZ_PACKAGES)
	@tools/fuzz.sh $(FUZZ_SECONDS)

clean:
	rm -rf build
