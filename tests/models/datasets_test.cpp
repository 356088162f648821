// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/models/model_files.hpp"

namespace epochcast {
namespace {

using nlohmann::json;

TEST_CASE("a stored sample is a byte per image value or eight per token") {
  for (const auto& path : json_files(models_folder("datasets"))) {
    const json dataset = json::parse(file_text(path));
    const std::int64_t bytes_per_value = dataset["shape"].size() == 3 ? 1 : 8;
    std::int64_t expected = bytes_per_value;
    for (const json& extent : dataset["shape"]) expected *= extent.get<std::int64_t>();

    INFO(path);
    CHECK(quantity(dataset["sample"], "B") == expected);
  }
}

TEST_CASE("a data set is named after its file") {
  for (const auto& path : json_files(models_folder("datasets"))) {
    const json dataset = json::parse(file_text(path));

    INFO(path);
    CHECK(dataset["schema"] == "epochcast.dataset/1");
    CHECK(dataset["name"] == path.stem().string());
  }
}

TEST_CASE("every data set has a network that takes its samples") {
  std::set<json> inputs;
  for (const auto& path : json_files(models_folder("networks"))) {
    const json network = json::parse(file_text(path));
    for (const json& variant : network["variants"]) inputs.insert(variant["input"]);
  }

  const auto datasets = json_files(models_folder("datasets"));

  REQUIRE(datasets.size() == 15);
  for (const auto& path : datasets) {
    INFO(path);
    CHECK(inputs.count(json::parse(file_text(path))["shape"]) == 1);
  }
}

struct PublishedDataset {
  std::string name;
  int train_samples;
  int test_samples;
  int classes;
  std::vector<int> shape;
};

TEST_CASE("data sets have the published sizes") {
  for (const PublishedDataset& row : {
           // LeCun et al., Proc. IEEE 1998, section III.A; the files' headers.
           PublishedDataset{"mnist", 60'000, 10'000, 10, {1, 28, 28}},
           // Maji et al., arXiv 1306.5151, section 2: 10,000 images in three parts, 100 variants.
           PublishedDataset{"fgvc-aircraft", 3'334 + 3'333, 3'333, 100, {3, 224, 224}},
           // Vinyals et al., NIPS 2016, section 4.1.2: 100 classes of 600 images.
           PublishedDataset{"mini-imagenet", 100 * 500, 100 * 100, 100, {3, 224, 224}},
       }) {
    const json dataset = json::parse(file_text(models_folder("datasets") / (row.name + ".json")));

    INFO(row.name);
    CHECK(dataset["train_samples"] == row.train_samples);
    CHECK(dataset["test_samples"] == row.test_samples);
    CHECK(dataset["classes"] == row.classes);
    CHECK(dataset["shape"] == json(row.shape));
    CHECK(dataset.contains("resize") == (row.name == "mini-imagenet"));
  }
}

TEST_CASE("Flowers-102 gives the two rounds per epoch that arXiv 2508.08540 reports") {
  const json flowers = json::parse(file_text(models_folder("datasets") / "flowers102.json"));

  // Local SGD, 2 CPU + 8 GPU workers, batch 11, 32 local steps: T = floor(N / (P B H)), table 2.
  const std::int64_t rounds = flowers["train_samples"].get<std::int64_t>() / (10 * 11 * 32);

  CHECK(rounds == 2);
  CHECK(flowers["train_samples"].get<int>() + flowers["test_samples"].get<int>() == 8189);
}

}  // namespace
}  // namespace epochcast
