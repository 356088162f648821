// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/cluster_commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/costs/message_costs.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr const char* kBatchSeconds = "2";  // of each batch size, before and after each run
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
/// Links are told apart by messages of this size.
constexpr double kLeastOfLargest = 4 << 20;

/// The sizes whose costs a case needs: those that divide work by speed take other batches than the
/// one asked for, and what those cost is not in proportion.
std::string batch_sizes(const JobConfig& config) {
  const std::int64_t batch = config.batch;
  std::string sizes = std::to_string(batch);
  if (find_strategy(config.strategy).divides_by_speed)
    sizes = std::to_string((batch + 1) / 2) + "," + sizes + "," + std::to_string(2 * batch);
  return sizes;
}

/// "ring,binary-tree"
template <typename Words>
std::string listed(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + fmt::format("{}", word);
  return text;
}

/// The one that is nearest to `bytes`, by their ratio.
std::int64_t nearest_size(const std::vector<std::int64_t>& sizes, double bytes) {
  const auto distance = [bytes](std::int64_t size) {
    return std::abs(std::log(static_cast<double>(size) / bytes));
  };
  return *std::ranges::min_element(sizes, {}, distance);
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

std::vector<std::string> message_words(const ValidationCluster& cluster,
                                       const std::set<std::string>& all_reduces,
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
          listed(all_reduces),
          "--title",
          cluster.name};
}

std::vector<std::string> batch_words(const ValidationCase& one) {
  const JobConfig& config = one.config;
  std::vector<std::string> words = {"measure",
                                    "batches",
                                    "--ranks",
                                    std::to_string(one.cluster.ranks),
                                    "--network",
                                    config.network,
                                    "--data",
                                    chosen_data(config),
                                    "--augment",
                                    config.learning.augment ? "on" : "off",
                                    "--threads",
                                    std::to_string(config.machine.threads),
                                    "--batch",
                                    batch_sizes(config),
                                    "--device-name",
                                    kMeasuredDevice,
                                    "--max-seconds",
                                    kBatchSeconds,
                                    // Machines change their speed by the second: a point takes
                                    // all of its time, however much alike the first batches are.
                                    "--confidence-width",
                                    "0.000001",
                                    "--max-samples",
                                    "1000000"};
  const bool overlaps = config.overlap != Overlap::none;
  if (!overlaps) words.insert(words.end(), {"--layers-batch", "0"});
  // Which all-reduce batches come after makes no difference; the library's own takes long where
  // cores are busy.
  words.insert(words.end(), {"--overlap", overlaps ? config.all_reduce : "ring"});
  for (const SettingText& setting : setting_texts(config, kTrain)) {
    const bool is_of_data =
        setting.name == "dataset" || setting.name == "sequence" || setting.name == "image-size";
    if (is_of_data || setting.name == "slow-down" || (overlaps && setting.name == "bucket"))
      words.push_back("--" + setting.name + "=" + setting.value);
  }
  return words;
}

std::vector<std::string> run_words(const ValidationCase& one,
                                   const JobConfig& config,
                                   double gradient_bytes,
                                   const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> words = {one.command == Command::train ? "train" : "emulate"};
  for (const SettingText& setting : command_texts(config, one.command))
    words.push_back(word_of(setting));
  words.insert(words.end(), {"--format", "json", "--bar=off"});
  if (one.command == Command::train) words.emplace_back("--time-batches=on");
  // Times of the library's own all-reduces vary by chance: a few seconds say little of its speed.
  if (config.all_reduce != kLibrary) {
    const double at_once = config.overlap == Overlap::none
                               ? gradient_bytes
                               : std::min(gradient_bytes, config.bucket_bytes);
    const double bytes = at_once * config.gradient_bytes / sizeof(float);
    words.push_back(fmt::format("--time-exchanges={}B", nearest_size(sizes, bytes)));
  }
  return words;
}

}  // namespace epochcast
