// SPDX-License-Identifier: Apache-2.0
#include "tests/real/torch/network_cases.hpp"

#include <map>

#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"

namespace epochcast::real {

const std::vector<std::string>& few_networks() {
  static const std::vector<std::string> kNames = {
      "small-cnn", "resnet20", "gru", "gan", "gpt-char"};
  return kNames;
}

Shape small_shape(const std::string& network) {
  static const std::map<std::string, Shape> kSpecial = {{"vgg16", {3, 32, 32}},
                                                        {"rnn", {1, 8, 6}},
                                                        {"gru", {1, 8, 6}},
                                                        {"lstm", {1, 8, 6}},
                                                        {"distilbert", {8}},
                                                        {"gpt-char", {8}},
                                                        {"gpt2", {8}},
                                                        {"gan", {1, 28, 28}}};
  const auto special = kSpecial.find(network);
  return special == kSpecial.end() ? Shape{3, 16, 16} : special->second;
}

torch::Tensor random_samples(std::int64_t batch, const Shape& shape) {
  Shape sizes = {batch};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  const bool is_text = shape.size() == 1;
  return is_text ? torch::randint(1, 30'522, sizes, torch::kFloat32) : torch::randn(sizes);
}

Task small_task(const std::string& network, std::int64_t classes) {
  Task task = classification(small_shape(network), classes);
  if (network.starts_with("gpt")) task.targets = {.kind = TargetKind::tokens, .shape = task.shape};
  return task;
}

RandomBatch random_batch(std::int64_t size, const Task& task) {
  if (task.targets.kind != TargetKind::tokens)
    return {.samples = random_samples(size, task.shape),
            .targets = torch::randint(task.classes, {size}, torch::kInt64)};
  Shape sizes = {size};
  sizes.insert(sizes.end(), task.shape.begin(), task.shape.end());
  return {.samples = torch::randint(task.classes, sizes, torch::kFloat32),
          .targets = torch::randint(task.classes, sizes, torch::kInt64)};
}

nlohmann::json described_variants(const std::string& network) {
  const auto folder = std::filesystem::path(EPOCHCAST_SOURCE_DIR) / "models" / "networks";
  return read_json_file(folder / (network + ".json")).at("variants");
}

}  // namespace epochcast::real
