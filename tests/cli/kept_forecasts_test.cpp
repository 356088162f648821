// SPDX-License-Identifier: Apache-2.0
// `epochcast simulate --folder`: sweeps whose points are kept.
#include <algorithm>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kSweep =
    "simulate --platform pair.json --network resnet20 --dataset cifar10 --trace gpu.json "
    "--format csv --strategy sync,node-based --sweep ";

std::vector<fs::path> kept_in(const Folder& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder.path() / "kept")) {
    if (entry.path().extension() == ".forecast") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("points of a sweep that are kept are not forecast again, others are") {
  const Folder folder;
  const Outcome plain = folder.run(kSweep + "batch=16,32");
  CAPTURE(plain.err);
  REQUIRE(plain.status == 0);

  CHECK(folder.run(kSweep + "batch=16,32 --folder kept").out == plain.out);
  const std::vector<fs::path> files = kept_in(folder);
  REQUIRE(files.size() == 4);
  const auto written = fs::last_write_time(files.front());
  CHECK(folder.run(kSweep + "batch=16,32 --folder kept").out == plain.out);
  CHECK(fs::last_write_time(files.front()) == written);
  CHECK(folder.run(kSweep + "batch=16,32 --folder kept --on none").out == plain.out);

  // More points, another platform of the same name.
  CHECK(folder.run(kSweep + "batch=16,32,64 --folder kept").status == 0);
  CHECK(kept_in(folder).size() == 6);
  CHECK(folder.run(kSweep + "batch=16 --set network.bandwidth=1MBps --folder kept").status == 0);
  CHECK(kept_in(folder).size() == 8);
}

TEST_CASE("a kept forecast that is damaged is computed again") {
  const Folder folder;
  const Outcome first = folder.run(kSweep + "batch=16 --folder kept");
  REQUIRE(first.status == 0);
  const std::string name = "kept/" + kept_in(folder).front().filename().string();
  folder.write(name, folder.read(name).replace(100, 1, "~"));

  CHECK(folder.run(kSweep + "batch=16 --folder kept").out == first.out);
}

TEST_CASE("with --on none, points that are not kept are named") {
  const Folder folder;

  const Outcome outcome = folder.run(kSweep + "batch=16 --folder kept --on none");

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("not forecast yet"));
}

TEST_CASE("points that cannot be forecast are kept, too") {
  const Folder folder;
  const std::string sweep = kSweep + "batch=16,1000000 --folder kept";

  const Outcome first = folder.run(sweep);
  CHECK(kept_in(folder).size() == 4);

  CHECK(folder.run(sweep + " --on none").out == first.out);
}

TEST_CASE("a timeline is not kept") {
  const Folder folder;

  const Outcome outcome = folder.run(
      "simulate --platform pair.json --network resnet20 --dataset cifar10 --trace gpu.json "
      "--strategy sync --folder kept --timeline t.json");

  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("--timeline and --chakra"));
}

}  // namespace
}  // namespace epochcast::tests
