// SPDX-License-Identifier: Apache-2.0
// docs/papers.md says where in the code things are: it must stay true.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>

#include "core/files/text_file.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = EPOCHCAST_SOURCE_DIR;

TEST_CASE("docs/papers.md: every file and symbol that it names is there") {
  const std::string page = read_text_file(kRoot / "docs/papers.md");
  // `strategies/sync.cpp#run_sync`, `core/job/learning_rate.hpp`, `tests/models`
  const std::regex reference("`([a-z_]+/[A-Za-z0-9_./-]+)(?:#([A-Za-z_]+))?`");
  int found = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), reference), end; match != end;
       ++match) {
    const std::string file = (*match)[1];
    const std::string symbol = (*match)[2];
    CAPTURE(file, symbol);
    ++found;
    REQUIRE(fs::exists(kRoot / file));
    if (symbol.empty()) continue;
    CHECK(read_text_file(kRoot / file).find(symbol) != std::string::npos);
  }
  CHECK(found > 40);
}

TEST_CASE("docs/papers.md: every setting that it offers is one, and nothing is known to be wrong") {
  const std::string page = read_text_file(kRoot / "docs/papers.md");
  const std::regex flag("--([a-z][a-z-]*)");
  for (std::sregex_iterator match(page.begin(), page.end(), flag), end; match != end; ++match) {
    const std::string name = (*match)[1];
    CAPTURE(name);
    const auto& known = settings();
    const bool is_setting = std::any_of(
        known.begin(), known.end(), [&](const Setting& setting) { return setting.name == name; });
    CHECK((is_setting || name == "seeds"));
  }
  CHECK(page.find("wrong") == std::string::npos);
}

}  // namespace
}  // namespace epochcast::tests
