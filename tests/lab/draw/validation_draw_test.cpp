// SPDX-License-Identifier: Apache-2.0
#include "lab/draw/validation_draw.hpp"

#include <algorithm>
#include <map>

#include "analysis/validate/validation_check.hpp"
#include "base/process/temp_folder.hpp"
#include "core/formats/platform.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

std::vector<ValidationCase> drawn(std::uint64_t seed, std::size_t rows, const fs::path& folder) {
  return draw_validation({.seed = seed, .rows = rows, .box = "/boxes/box", .folder = folder},
                         Catalog::standard());
}

Texts texts_of(const std::vector<ValidationCase>& cases) {
  Texts texts;
  for (const ValidationCase& one : cases) texts.push_back(one.group + ": " + one.point);
  return texts;
}

TEST_CASE("as many rows as are asked for are drawn, in groups, all different") {
  const TempFolder folder("epochcast-draw");
  const std::vector<ValidationCase> cases = drawn(7, 12, folder.path());
  std::map<std::string, int> rows;
  for (const ValidationCase& one : cases) ++rows[one.group];
  Texts texts = texts_of(cases);

  CHECK(cases.size() == 12);
  CHECK((rows.size() == 2 || rows.size() == 3));
  std::sort(texts.begin(), texts.end());
  CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
}

TEST_CASE("nothing speaks against a row that was drawn") {
  const TempFolder folder("epochcast-draw");
  const std::vector<ValidationCase> cases = drawn(8, 12, folder.path());

  for (const Texts& problems : problems_of_cases(cases, Catalog::standard()))
    CHECK(problems == Texts());
}

TEST_CASE("the same seed draws the same rows, more rows begin with them, another seed others") {
  const TempFolder folder("epochcast-draw");
  const Texts texts = texts_of(drawn(3, 8, folder.path()));
  Texts more = texts_of(drawn(3, 11, folder.path()));

  more.resize(8);
  CHECK(more == texts);
  CHECK(texts_of(drawn(4, 8, folder.path())) != texts);
}

TEST_CASE("a group's cluster, platform and ranks are one") {
  const TempFolder folder("epochcast-draw");

  for (const ValidationCase& one : drawn(5, 14, folder.path())) {
    CAPTURE(one.group, one.cluster.launch);
    CHECK(one.cluster.launch.starts_with("/boxes/box --nodes "));
    CHECK(one.cluster.launch.ends_with("Mbps --"));
    CHECK(one.group.find(one.cluster.name) != std::string::npos);
    if (one.other) {
      CHECK(one.other->cluster.launch.starts_with("/boxes/box --nodes "));
      CHECK(one.group.find(", calibrated on ") != std::string::npos);
      CHECK(one.other->link_bytes_per_s.has_value() ==
            one.config.platform_figures.contains(kBandwidthFigure));
    }
    if (one.command == Command::train) {
      CHECK(one.config.learning.data == "procedural");
      continue;
    }
    const Platform platform = load_platform(one.config.platform);
    int devices = 0;
    for (const NodeGroup& node : platform.nodes) {
      for (const DeviceGroup& device : node.devices) devices += device.count;
    }
    CHECK(devices == one.cluster.ranks);
    CHECK(one.config.batch_seconds.contains("gpu"));
    CHECK(fs::path(one.config.platform).parent_path() == folder.path());
  }
}

TEST_CASE("rows that cannot be run are drawn again") {
  // Of 60 rows some five would be byteps in training, which validation refuses, or without a CPU.
  const TempFolder folder("epochcast-draw");
  const std::vector<ValidationCase> cases = drawn(1, 60, folder.path());

  CHECK(cases.size() == 60);
  for (const ValidationCase& one : cases) {
    CAPTURE(one.point);
    if (one.config.strategy == "byteps") CHECK(one.config.batch_seconds.contains("cpu"));
  }
}

TEST_CASE("a box whose path has blanks is refused: launch is split there") {
  CHECK(problems_of([] {
          (void)draw_validation({.seed = 1, .rows = 1, .box = "/my boxes/box", .folder = "/tmp"},
                                Catalog::standard());
        }) == Texts{"--box: got \"/my boxes/box\"; expected a path without blanks"});
}

TEST_CASE("the box is beside the catalogue, or the error has advice") {
  CHECK(box_of(Catalog::standard()).filename() == "box");
  const TempFolder folder("epochcast-draw");
  fs::create_directories(folder.path() / "models");
  fs::create_directories(folder.path() / "traces");

  CHECK(problems_of([&] { (void)box_of(Catalog(folder.path())); }) ==
        Texts{"--draw: there is no cluster in a box beside " + folder.path().string() +
              "; say with --box where lab/box/box of Epochcast's sources lies"});
}

}  // namespace
}  // namespace epochcast::tests
