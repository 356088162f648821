# SPDX-License-Identifier: Apache-2.0
# A thin front for CMake: each target installs what it needs on a Debian machine, builds, and runs.

SIM_PACKAGES := g++ cmake ninja-build libsimgrid-dev libboost-program-options-dev nlohmann-json3-dev libfmt-dev libeigen3-dev \
  libcsv-dev zlib1g-dev libxxhash-dev libprotobuf-dev protobuf-compiler libpugixml-dev libjs-chart.js libcpp-httplib-dev pkg-config
REAL_PACKAGES := libtorch-dev libopenblas0-pthread libopenmpi-dev openmpi-bin libgd-dev pkg-config
TEST_PACKAGES := slurmctld slurmd slurm-client munge catch2 ccache python3-torchvision chromium chromium-driver python3-selenium dpkg-dev file zsh man-db groff
PACKAGE_PACKAGES := dpkg-dev file lintian
BOX_PACKAGES := iproute2 util-linux
BENCH_PACKAGES := python3-torch
LINT_PACKAGES := clang-format clang-tidy jq
FUZZ_PACKAGES := clang libclang-rt-14-dev

EPOCHCAST := build/release/epochcast
FUZZ_SECONDS ?= 60
FUZZ_FACTOR ?= 40
FUZZ_SEED ?= 1000
ROWS ?= 30
NODES ?= 2
RANKS ?= 1
BANDWIDTH ?= 200Mbps
RUN ?= bash
# Where a memory error would hide longest; 'make asan ASAN_TARGETS=all ASAN_SUITES=.' takes an hour.
ASAN_TARGETS ?= epochcast epochcast_tests epochcast_sim_tests epochcast_analysis_tests epochcast_cli_tests
ASAN_SUITES ?= ^(unit|sim|analysis|cli)$$
# Ranks may share cores, and containers run as root.
MPIRUN := mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1

.PHONY: help build demo package everything test nightly bench box validation clusters lint asan fuzz clean

help:
	@echo "make demo    install, build the simulator, forecast three clusters"
	@echo "make package build/package/*.deb: the simulator, and the programs that train and measure"
	@echo "make test    install, build everything, run all tests but those labelled nightly"
	@echo "make nightly the tests labelled nightly ([long] ones, pages of long commands, installing packages, a GPU session,"
	@echo "             all of each kind of model and file), then make asan and make fuzz; hours"
	@echo "make bench   speed, as ratios measured in one run"
	@echo "make box     run a command on a cluster of namespaces: NODES=2 RANKS=1 BANDWIDTH=200Mbps RUN=\"...\""
	@echo "make validation  forecasts against real runs (40 minutes, root);"
	@echo "             SEED=1 ROWS=$(ROWS): of configurations at random"
	@echo "make clusters    forecasts of published clusters: tests/clusters/forecasts.json, docs/clusters.md"
	@echo "make lint    clang-format and clang-tidy"
	@echo "make asan    tests of the simulator under AddressSanitizer; all: ASAN_TARGETS=all ASAN_SUITES=."
	@echo "make fuzz    loaders against random input, FUZZ_SECONDS=$(FUZZ_SECONDS) each; then every attack of tests/robustness,"
	@echo "             FUZZ_FACTOR=$(FUZZ_FACTOR) times as many cases as make test, from FUZZ_SEED=$(FUZZ_SEED) on"
	@echo "make clean   remove build/"

build:
	@tools/install_packages.sh $(SIM_PACKAGES)
	@mkdir -p build
	@cmake --preset release >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset release

demo: build
	@tools/demo.sh $(EPOCHCAST)

package:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(PACKAGE_PACKAGES)
	@mkdir -p build
	@cmake --preset package >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset package
	@cd build/package && cpack --config CPackConfig.cmake >cpack.log || { cat cpack.log; exit 1; }
	@lintian --fail-on error build/package/*.deb
	@ls build/package/*.deb

everything:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(BOX_PACKAGES) $(TEST_PACKAGES)
	@tools/install_axe.sh build
	cmake --preset dev
	cmake --build --preset dev

# One test more than there are cores: some wait for clocks and processes.
test: everything
	ctest --preset dev --parallel $$(($$(nproc) + 1))

nightly: everything
	ctest --preset nightly --parallel $$(nproc)
	$(MAKE) asan
	$(MAKE) fuzz

bench:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(BENCH_PACKAGES)
	@mkdir -p build
	@cmake --preset bench >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset bench
	@build/bench/epochcast-bench build/bench/epochcast
	@$(MPIRUN) -n 2 build/bench/epochcast-bench-exchange
	@build/bench/epochcast-bench-training
	@bench/compare_ddp.py build/bench/epochcast-run
	@build/bench/epochcast-bench-rehearsal
	@bench/tune_proof.py build/bench/epochcast

box:
	@tools/install_packages.sh $(BOX_PACKAGES) $(REAL_PACKAGES)
	@lab/box/box --nodes $(NODES) --ranks $(RANKS) --bandwidth $(BANDWIDTH) -- $(RUN)

# Whatever was measured already is kept in build/validation; remove that to begin again. With SEED, of ROWS
# configurations at random.
ifdef SEED
VALIDATE := build/dev/epochcast-lab validate --draw $(SEED) --rows $(ROWS) \
  --save build/validation-$(SEED).json --html build/validation-$(SEED).html
else
VALIDATE := build/dev/epochcast validate tests/validation/suite/*.json \
  --save build/validation.json --html build/validation.html --max-median-error 3% --max-worst-error 8%
endif
validation:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(BOX_PACKAGES) $(TEST_PACKAGES)
	@mkdir -p build
	@cmake --preset dev >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset dev
	@$(VALIDATE) --folder build/validation

clusters: build
	@tests/clusters/clusters.py $(EPOCHCAST) --write

lint:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(TEST_PACKAGES) $(LINT_PACKAGES)
	@tools/lint.sh

asan:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(TEST_PACKAGES)
	cmake --preset asan
	cmake --build --preset asan --target $(ASAN_TARGETS)
	ctest --preset asan --parallel $$(nproc) --tests-regex '$(ASAN_SUITES)'

fuzz:
	@tools/install_packages.sh $(SIM_PACKAGES) $(REAL_PACKAGES) $(BOX_PACKAGES) $(TEST_PACKAGES) $(FUZZ_PACKAGES)
	@tools/fuzz.sh $(FUZZ_SECONDS)
	@cmake --preset dev >build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset dev
	EPOCHCAST_FUZZ_SEED=$(FUZZ_SEED) EPOCHCAST_FUZZ_FACTOR=$(FUZZ_FACTOR) ctest --preset dev --tests-regex '^robustness' \
	  --timeout 86400

clean:
	rm -rf build
