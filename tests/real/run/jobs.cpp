// SPDX-License-Identifier: Apache-2.0
#include "tests/real/run/jobs.hpp"

namespace epochcast::tests {

std::vector<nlohmann::json> metrics_of(const Folder& folder, const std::string& file) {
  std::vector<nlohmann::json> all;
  for (const std::string& line : lines(folder.read(file))) {
    all.push_back(nlohmann::json::parse(line));
    all.back().erase("epoch_s");
    all.back().erase("training_s");
  }
  return all;
}

}  // namespace epochcast::tests
