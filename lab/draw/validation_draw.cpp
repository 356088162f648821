// SPDX-License-Identifier: Apache-2.0
#include "lab/draw/validation_draw.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/validate/validation_check.hpp"
#include "base/error.hpp"
#include "base/files/file_draft.hpp"
#include "lab/draw/drawn_group.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostAttempts = 100;
constexpr const char* kEpochs = "2";  // half of them local in post-local-sgd, one balanced in dlb
constexpr const char* kTestSamples = "32";
constexpr double kBytesPerMbit = 125e3;

/// "1+2+1", or "1" if all are equal.
std::string list_text(const std::vector<int>& values, const char* separator, bool is_whole) {
  if (!is_whole && std::count(values.begin(), values.end(), values.front()) ==
                       static_cast<std::ptrdiff_t>(values.size()))
    return std::to_string(values.front());
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

/// "12.3" of 123.
std::string tenths_text(std::int64_t tenths) {
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10));
}

/// "3 nodes of 1+2+1, 120 Mbit/s"
std::string text_of(const DrawnCluster& cluster) {
  return std::to_string(cluster.ranks.size()) + " nodes of " +
         list_text(cluster.ranks, "+", false) + ", " + list_text(cluster.mbits, "+", false) +
         " Mbit/s";
}

/// Ranks that train leave SCHED_RR: messages are measured without it, too. Each rank is bound to
/// its core: speeds of cores may differ by half for minutes.
std::string launch_of(const fs::path& box, Command command, const DrawnCluster& cluster) {
  std::string bandwidth;
  for (const int mbits : cluster.mbits)
    bandwidth += (bandwidth.empty() ? "" : ",") + std::to_string(mbits) + "Mbps";
  const std::string as_training = command == Command::train ? " --order usual --cores own" : "";
  return box.string() + " --nodes " + std::to_string(cluster.ranks.size()) + " --ranks " +
         list_text(cluster.ranks, ",", true) + as_training + " --bandwidth " + bandwidth + " --";
}

Platform platform_of(const std::string& title, const DrawnGroup& group) {
  const Source source = {
      .grade = Grade::estimated,
      .method = "drawn: validation replaces network and memory by measured ones"};
  Platform platform;
  platform.name = "drawn";
  platform.title = title;
  platform.source = source;
  int device = 0;
  for (const int ranks : group.asked.ranks) {
    NodeGroup node;
    node.name = "node" + std::to_string(platform.nodes.size() + 1);
    int fast = 0;
    for (const int end = device + ranks; device < end; ++device) fast += group.is_fast(device);
    if (fast > 0)
      node.devices.push_back({.device_class = "gpu", .model = "emulated-gpu", .count = fast});
    if (fast < ranks)
      node.devices.push_back(
          {.device_class = "cpu", .model = "emulated-cpu", .count = ranks - fast});
    if (ranks > 1)
      node.interconnect = Interconnect{.topology = NodeTopology::shared_memory,
                                       .link = {.bytes_per_s = 5e9, .latency_s = 2e-6},
                                       .pcie = {},
                                       .backbone_bytes_per_s = {},
                                       .messages = {},
                                       .source = source};
    platform.nodes.push_back(std::move(node));
  }
  Interlink network;
  network.link = {.bytes_per_s = group.asked.slowest_mbits() * kBytesPerMbit, .latency_s = 20e-6};
  network.source = source;
  platform.network = network;
  return platform;
}

/// A group's cases, one by one.
class GroupOfCases {
 public:
  GroupOfCases(const ValidationDraw& draw, std::uint64_t number, const Catalog& catalog)
      : draw_(draw), number_(number), catalog_(catalog), group_(draw_group(draw.seed, number)) {
    common_.command = group_.command;
    common_.cluster = cluster_of(group_.asked);
    const DrawnNetwork& network = *group_.asked.network;
    common_.group = std::string(network.name) + ", " + common_.cluster.name + ", " +
                    std::string(to_string(group_.command));
    set("network", std::string(network.name));
    set("dataset", std::string(network.dataset));
    set("batch", std::to_string(group_.asked.batch));
    if (group_.tier == Tier::extrapolated) set_calibrated();
    set("epochs", kEpochs);
    set("train-samples", std::to_string(group_.train_samples()));
    if (group_.command == Command::train) {
      set("data", "procedural");
      set("test-samples", kTestSamples);
      if (group_.slow_down > 10)
        set("slow-down", std::to_string(group_.slowed_rank) + "=" + tenths_text(group_.slow_down));
    } else {
      set_speeds();
    }
  }

  [[nodiscard]] std::size_t rows() const { return group_.rows; }

  /// The next row without problems.
  [[nodiscard]] ValidationCase next() {
    const std::uint64_t row = drawn_.size();
    std::string last = "it would take too long";
    for (std::uint64_t attempt = 0; attempt < kMostAttempts; ++attempt) {
      DrawnRow drawn = draw_row(draw_.seed, number_, row, attempt);
      const bool is_known = std::find(drawn_.begin(), drawn_.end(), drawn) != drawn_.end();
      if (is_known || !is_short(group_, drawn)) continue;
      ValidationCase one = case_of(drawn);
      const std::vector<std::string> problems = problems_of_cases({one}, catalog_).front();
      if (problems.empty()) {
        drawn_.push_back(std::move(drawn));
        return one;
      }
      last = problems.front();
    }
    throw UserError("--draw: " + common_.group + ": " + std::to_string(kMostAttempts) +
                    " rows in turn cannot be run; the last one: " + last);
  }

 private:
  void set(const std::string& name, const std::string& value) {
    all_settings().set(common_.config, name, value, "--draw: " + name);
  }

  [[nodiscard]] ValidationCluster cluster_of(const DrawnCluster& cluster) const {
    return {.name = "draw " + std::to_string(draw_.seed) + ", group " +
                    std::to_string(number_ + 1) + ": " + text_of(cluster),
            .launch = launch_of(draw_.box, group_.command, cluster),
            .ranks = cluster.workers()};
  }

  void set_calibrated() {
    const DrawnCluster& calibrated = group_.calibrated;
    const DrawnCluster& asked = group_.asked;
    common_.other = {.cluster = cluster_of(calibrated),
                     .network = std::string(calibrated.network->name),
                     .batch = calibrated.batch,
                     .link_bytes_per_s = {}};
    if (calibrated.slowest_mbits() != asked.slowest_mbits()) {
      common_.other->link_bytes_per_s = calibrated.slowest_mbits() * kBytesPerMbit;
      set(kBandwidthFigure, std::to_string(asked.slowest_mbits()) + "Mbps");
    }
    common_.group +=
        ", calibrated on " + text_of(calibrated) + ", " + std::string(calibrated.network->name);
    if (calibrated.batch != asked.batch)
      common_.group += ", batch " + std::to_string(calibrated.batch);
  }

  void set_speeds() {
    const bool has_slow = group_.fast_devices < group_.workers();
    set("batch-seconds",
        "gpu=" + tenths_text(group_.fast_batch) + "ms" +
            (has_slow ? ",cpu=" + tenths_text(group_.slow_batch) + "ms" : ""));
    const fs::path file = draw_.folder / ("drawn-" + std::to_string(draw_.seed) + "-" +
                                          std::to_string(number_ + 1) + ".json");
    replace_file(file, to_json(platform_of(common_.cluster.name, group_)).dump(2) + "\n");
    set("platform", file.string());
  }

  [[nodiscard]] ValidationCase case_of(const DrawnRow& drawn) const {
    ValidationCase one = common_;
    one.config.strategy = one.point = drawn.strategy;
    for (const SettingText& setting : drawn.settings) {
      all_settings().set(one.config, setting.name, setting.value, "--draw: " + setting.name);
      one.point += ", " + setting.name + " " + setting.value;
    }
    return one;
  }

  const ValidationDraw& draw_;
  std::uint64_t number_;
  const Catalog& catalog_;
  DrawnGroup group_;
  ValidationCase common_;
  std::vector<DrawnRow> drawn_;
};

}  // namespace

std::vector<ValidationCase> draw_validation(const ValidationDraw& draw, const Catalog& catalog) {
  if (draw.box.string().find_first_of(" \t\n") != std::string::npos)
    throw UserError("--box: got \"" + draw.box.string() + "\"; expected a path without blanks");
  std::vector<ValidationCase> cases;
  for (std::uint64_t number = 0; cases.size() < draw.rows; ++number) {
    GroupOfCases group(draw, number, catalog);
    for (std::size_t row = 0; row < group.rows() && cases.size() < draw.rows; ++row)
      cases.push_back(group.next());
  }
  return cases;
}

fs::path box_of(const Catalog& catalog) {
  for (const char* place : {"lab/box/box", "box"}) {
    if (fs::is_regular_file(catalog.root() / place)) return fs::canonical(catalog.root() / place);
  }
  throw UserError("--draw: there is no cluster in a box beside " + catalog.root().string() +
                  "; say with --box where lab/box/box of Epochcast's sources lies");
}

}  // namespace epochcast
