// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/cluster_calibration.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/calibration.hpp"
#include "analysis/validate/cluster_commands.hpp"
#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/file_draft.hpp"
#include "core/job/platform_figures.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

/// Factor of the time of a rank's batches, by --slow-down.
double slow_down_of_rank(const JobConfig& config, std::size_t rank) {
  return slow_down_of(config.machine.slow_down, {"cpu", std::to_string(rank)});
}

std::vector<std::string> with(std::vector<std::string> words,
                              const std::string& option,
                              const fs::path& file) {
  words.insert(words.end(), {option, file.string()});
  return words;
}

/// Links of the case's bandwidth: the measured ones times the ratio of the nominal bandwidths.
void scale_links(JobConfig& config, const Platform& platform, double nominal_bytes_per_s) {
  const auto given = config.platform_figures.find(kBandwidthFigure);
  if (given == config.platform_figures.end() || !platform.network) return;
  const double times =
      figure_value(FigureKind::link_bandwidth, given->second) / nominal_bytes_per_s;
  const auto scaled = [times](const LinkSpec& link) {
    return figure_text(FigureKind::link_bandwidth, times * link.bytes_per_s);
  };
  config.platform_figures.erase(given);
  bool has_common = false;
  for (const NodeGroup& group : platform.nodes) {
    has_common |= !group.uplink;
    if (group.uplink)
      config.platform_figures[group.name + ".uplink-bandwidth"] = scaled(group.uplink->link);
  }
  if (has_common) config.platform_figures[kBandwidthFigure] = scaled(platform.network->link);
}

int devices_of(const Platform& platform) {
  int devices = 0;
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) devices += group.count * device.count;
  }
  return devices;
}

}  // namespace

ClusterCalibration::ClusterCalibration(ValidationCluster cluster,
                                       fs::path program,
                                       const Catalog& catalog,
                                       const KeptResults& kept)
    : runner_(std::move(cluster), std::move(program)), catalog_(catalog), kept_(kept) {}

void ClusterCalibration::expect(const ValidationCase& one) {
  JobConfig config = one.config;
  config.network = one.calibrated().network;
  most_bytes_ = std::max(most_bytes_, gradient_bytes(config, catalog_));
  if (one.command == Command::train) batches_[batch_words(one)].kernels.add(one.config);
}

std::vector<std::int64_t> ClusterCalibration::sizes() const { return message_sizes(most_bytes_); }

void ClusterCalibration::measure() {
  measure_messages();
  for (auto& [words, batches] : batches_)
    batches.file = measured_batches(batches.kernels.words_after(words));
}

void ClusterCalibration::measure_messages() {
  const std::vector<std::string> words = message_words(cluster(), sizes());
  const nlohmann::json subject = {{"place", runner_.place({"epochcast-measure-messages"})},
                                  {"command", words}};
  const fs::path folder = kept_.get(kMessagesPrefix, subject, [&](const fs::path& draft) {
    const fs::path file = draft / kMessagesFile;
    static_cast<void>(runner_.output_of(with(words, "--output", file), draft / "messages.log"));
    messages_ = load_message_trace(file);
    fit_ = calibrate(messages_).fit;
  });
  if (fit_) return;
  messages_ = load_message_trace(folder / kMessagesFile);
  try {
    fit_ = calibrate(messages_).fit;
  } catch (const UserError& error) {
    std::vector<std::string> problems = error.problems();
    problems.push_back("to measure messages again, remove " + folder.string());
    throw UserError(problems);
  }
}

fs::path ClusterCalibration::measured_batches(const std::vector<std::string>& words) {
  constexpr const char* kBatchesFile = "batches.json";
  const nlohmann::json subject = {{"place", runner_.place({"epochcast-measure"})},
                                  {"command", words}};
  const fs::path folder = kept_.get("batches", subject, [&](const fs::path& draft) {
    static_cast<void>(
        runner_.output_of(with(words, "--output", draft / kBatchesFile), draft / "batches.log"));
  });
  return folder / kBatchesFile;
}

fs::path ClusterCalibration::trace_of_rank(const ValidationCase& one, std::size_t rank) const {
  fs::path file = batches_.at(batch_words(one)).file;
  const std::string name =
      slowed_name(file.stem().string(), slow_down_of_rank(one.config, rank)) + ".json";
  return file.replace_filename(name);
}

Platform ClusterCalibration::platform_of(const ValidationCase& one, JobConfig& config) const {
  if (one.command != Command::train)
    return load_platform(catalog_.find("models/platforms", one.config.platform, "/platform"));
  std::vector<std::string> models;
  config.traces.clear();
  for (std::size_t rank = 0; rank < messages_.node_of_rank.size(); ++rank) {
    models.push_back(slowed_name(kMeasuredDevice, slow_down_of_rank(config, rank)));
    const std::string file = trace_of_rank(one, rank).string();
    if (std::find(config.traces.begin(), config.traces.end(), file) == config.traces.end())
      config.traces.push_back(file);
  }
  config.nodes.reset();
  return platform_of_trace(messages_, models);
}

CalibratedCase ClusterCalibration::calibrated(const ValidationCase& one) const {
  JobConfig config = one.config;
  Platform platform = calibrated_platform(platform_of(one, config), fit_.value(), messages_.source);
  if (const auto nominal = one.calibrated().link_bytes_per_s)
    scale_links(config, platform, *nominal);
  Platform asked = platform;
  apply_figures(asked, config);
  if (one.command == Command::train && devices_of(asked) != one.cluster.ranks)
    throw UserError("the forecast has " + std::to_string(devices_of(asked)) + " ranks, the run " +
                    std::to_string(one.cluster.ranks) +
                    "; expected node.count, or another figure of the calibrated platform, that "
                    "makes them equal");
  const std::string text = to_json(platform).dump(2) + "\n";
  const fs::path file = kept_.folder() / ("platform-" + checksum(text) + ".json");
  replace_file(file, text);
  config.platform = platform.path = file.string();
  check_platform(platform, platform.path);
  return {.config = std::move(config), .platform = std::move(platform)};
}

}  // namespace epochcast
