// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "real/torch/networks/network_names.hpp"
#include "real/torch/networks/network_text.hpp"
#include "tests/catch.hpp"
#include "tests/real/torch/network_cases.hpp"

namespace epochcast::real {
namespace {

using Shape = std::vector<std::int64_t>;

const Shape kCifar = {3, 32, 32};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::filesystem::path networks_folder() {
  return std::filesystem::path(EPOCHCAST_SOURCE_DIR) / "models" / "networks";
}

void check_current(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    INFO(name << ".json: write it again with epochcast-describe-networks models/networks");
    // Compared outside of CHECK, which would print both files.
    const bool is_current = text_of(networks_folder() / (name + ".json")) == network_text(name);
    CHECK(is_current);
  }
}

TEST_CASE("models/networks has a file for each network") {
  std::vector<std::string> described;
  for (const auto& entry : std::filesystem::directory_iterator(networks_folder())) {
    described.push_back(entry.path().stem().string());
  }
  std::vector<std::string> known = network_names();
  std::sort(described.begin(), described.end());
  std::sort(known.begin(), known.end());

  // Other descriptions have no implementation here.
  CHECK(std::includes(described.begin(), described.end(), known.begin(), known.end()));
}

TEST_CASE("models/networks/*.json equal the descriptions of the networks") {
  check_current(few_networks());
}

TEST_CASE("models/networks/*.json equal the descriptions of all networks", "[long]") {
  check_current(network_names());
}

TEST_CASE("an unknown network or an unsuitable shape is a UserError") {
  const std::string image = "expected images [channels, rows, columns] ";

  CHECK_THROWS_WITH(check_network("resnet19", classification(kCifar, 10)),
                    "unknown network \"resnet19\"; did you mean \"resnet18\"?");
  CHECK_THROWS_WITH(check_network("resnet18", classification(Shape{128}, 10)),
                    "resnet18: got samples of shape 128; " + image + "of at least 16 x 16 pixels");
  CHECK_THROWS_WITH(check_network("vgg16", classification(Shape{1, 8, 8}, 10)),
                    "vgg16: got samples of shape 1x8x8; " + image + "of at least 32 x 32 pixels");
  CHECK_THROWS_WITH(
      check_network("vit-s", classification(Shape{3, 84, 84}, 10)),
      "vit-s: got samples of shape 3x84x84; " + image +
          "whose rows and columns are multiples of 4, or of 16 with more than 64 rows");
  for (const char* size : {"16x16", "30x30"}) {
    const std::int64_t pixels = std::stoi(size);
    CHECK_THROWS_WITH(check_network("gan", classification(Shape{3, pixels, pixels}, 10)),
                      "gan: got samples of shape 3x" + std::string(size) + "; " + image +
                          "whose rows and columns are multiples of 4 and at least 20");
  }
  CHECK_THROWS_WITH(check_network("lstm", classification(Shape{128}, 10)),
                    "lstm: got samples of shape 128; " + image + "of at least 1 x 1 pixel");
  CHECK_THROWS_WITH(check_network("distilbert", classification(kCifar, 10)),
                    "distilbert: got samples of shape 3x32x32; expected texts [tokens] of at most "
                    "512 tokens");
  CHECK_THROWS_WITH(check_network("gru", classification(kCifar, 0)),
                    "gru: got 0 classes; expected at least 1");
  CHECK_THROWS_AS(check_network("small-cnn", classification(Shape{3, 8, 8}, 10)), UserError);
}

}  // namespace
}  // namespace epochcast::real
