// SPDX-License-Identifier: Apache-2.0
#include "base/machine.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a processor's name has no trademarks and no clock rate") {
  CHECK(processor_name(
            "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Silver 4215 CPU @ 2.50GHz\n") ==
        "Intel Xeon Silver 4215");
  CHECK(processor_name("model name\t: AMD EPYC 7543 32-Core Processor\n") == "AMD EPYC 7543");
  CHECK(processor_name("CPU implementer\t: 0x41\n") == "unknown CPU");
}

TEST_CASE("a device is named after processor and threads") {
  CHECK(device_name("Intel Xeon Silver 4215", 8) == "intel-xeon-silver-4215-8threads");
  CHECK(device_name("AMD EPYC", 1) == "amd-epyc-1thread");
}

TEST_CASE("the recorded command can be pasted into a shell") {
  const char* const words[] = {
      "/somewhere/epochcast-measure", "--batch", "1,2", "--title", "Bob's CPU"};

  CHECK(command_text(5, words) == "epochcast-measure --batch 1,2 --title 'Bob'\\''s CPU'");
}

TEST_CASE("an MPI library is recorded by name and version") {
  using Versions = std::map<std::string, std::string>;

  CHECK(mpi_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, May 26, 2022") ==
        Versions{{"openmpi", "4.1.4"}});
  CHECK(mpi_version("MPICH Version:      4.0.2\nMPICH Release date: 2022") ==
        Versions{{"mpi", "MPICH Version:      4.0.2"}});
}

}  // namespace
}  // namespace epochcast::tests
