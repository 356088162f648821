// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/cluster_commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "compression/compression.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

constexpr const char* kBatchSeconds = "2";  // of each batch size
constexpr std::int64_t kMessageBytes[] = {4,
                                          256,
                                          4096,
                                          16384,
                                          65536,
                                          131072,
                                          262144,
                                          524288,
                                          1048576,
                                          2097152,
                                          4194304,
                                          8388608,
                                          16777216,
                                          33554432};
/// Messages of this size distinguish links.
constexpr double kLeastOfLargest = 4 << 20;

/// Strategies that divide work by speed take other batches than --batch.
std::string batch_sizes(std::int64_t batch) {
  return std::to_string((batch + 1) / 2) + "," + std::to_string(batch) + "," +
         std::to_string(2 * batch);
}

/// "ring,binary-tree"
template <typename Words>
std::string listed(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + fmt::format("{}", word);
  return text;
}

}  // namespace

std::vector<std::int64_t> message_sizes(double most_bytes) {
  constexpr std::int64_t kFloat = 4;
  const double largest = std::max(kLeastOfLargest, most_bytes);
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : kMessageBytes) {
    if (static_cast<double>(bytes) < largest) sizes.push_back(bytes);
  }
  sizes.push_back(kFloat * std::llround(largest / static_cast<double>(kFloat)));
  return sizes;
}

double gradient_bytes(const JobConfig& config, const Catalog& catalog) {
  return network_in(catalog.find("models/networks", config.network, "--network"),
                    chosen_dataset(config, catalog))
      .gradient_bytes();
}

std::vector<std::string> message_words(const ValidationCluster& cluster,
                                       const std::vector<std::int64_t>& sizes) {
  return {"measure",
          "messages",
          "--ranks",
          std::to_string(cluster.ranks),
          "--max-seconds",
          "1",
          "--bytes",
          listed(sizes),
          "--all-reduce",
          "ring,binary-tree",
          "--title",
          cluster.name};
}

std::vector<std::string> batch_words(const ValidationCase& one) {
  const JobConfig& config = one.config;
  const CalibratedCluster calibrated = one.calibrated();
  std::vector<std::string> words = {"measure",
                                    "batches",
                                    "--ranks",
                                    std::to_string(calibrated.cluster.ranks),
                                    "--network",
                                    config.network,
                                    "--data",
                                    chosen_data(config),
                                    "--augment",
                                    config.learning.augment ? "on" : "off",
                                    "--threads",
                                    std::to_string(config.machine.threads),
                                    "--batch",
                                    batch_sizes(calibrated.batch),
                                    "--device-name",
                                    kMeasuredDevice,
                                    "--max-seconds",
                                    kBatchSeconds,
                                    // The speed of a machine changes every second: each point
                                    // takes all of its time, even if its first batches agree.
                                    "--confidence-width",
                                    "0.000001",
                                    "--max-samples",
                                    "1000000",
                                    "--overlap",
                                    "ring"};
  for (const SettingText& setting : all_settings().texts(config, kTrain)) {
    const bool is_measured = setting.name == "dataset" || setting.name == "sequence" ||
                             setting.name == "image-size" || setting.name == "slow-down" ||
                             (setting.name == "precision" && config.precision);
    if (is_measured) words.push_back("--" + setting.name + "=" + setting.value);
  }
  return words;
}

void MeasuredKernels::add(const JobConfig& config) {
  const CompressionMethod* const method = find_compression(config.compression);
  if (method == nullptr) return;
  compressions.insert(config.compression);
  for (const StrategySetting* setting : kernel_settings()) {
    if (!method->has(setting->name)) continue;
    const std::string name(setting->name);
    const std::string value = setting->text_of(config);
    const std::string& known = settings.try_emplace(name, value).first->second;
    if (known != value)
      throw UserError("--" + name + ": got " + known + " and " + value +
                      " in rows of one cluster and network; expected one value, with which "
                      "compressing is measured");
  }
}

std::vector<std::string> MeasuredKernels::words_after(std::vector<std::string> words) const {
  for (const std::string& name : compressions) {
    words.emplace_back("--compression");
    words.push_back(name);
  }
  for (const auto& [name, value] : settings) words.push_back("--" + name + "=" + value);
  return words;
}

std::vector<std::string> run_words(Command command, const JobConfig& config) {
  std::vector<std::string> words = {command == Command::train ? "train" : "emulate"};
  for (const SettingText& setting : command_texts(config, command))
    words.push_back(word_of(setting));
  words.insert(words.end(), {"--format", "json", "--bar=off"});
  return words;
}

}  // namespace epochcast
