// SPDX-License-Identifier: Apache-2.0
// Effects of figures of a platform that are set for one job: on every platform of the
// catalogue, and on clusters of every topology with and without measured messages.
#include "core/job/platform_figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

/// In the form of calibrate: a message takes the time of its links, and an additional
/// time.
MessageCosts measured(const LinkSpec& link, double links) {
  const double latency_s = links * link.latency_s + 10e-6;
  return {.regimes = {{.from_bytes = 0, .latency_s = latency_s, .bytes_per_s = link.bytes_per_s},
                      {.from_bytes = 65536,
                       .latency_s = latency_s + 20e-6,
                       .bytes_per_s = 0.9 * link.bytes_per_s}}};
}

Platform with_messages(Platform platform) {
  for (NodeGroup& group : platform.nodes) {
    if (!group.interconnect) continue;
    Interconnect& inside = *group.interconnect;
    inside.messages = measured(inside.link, inside.topology == NodeTopology::pcie ? 2 : 1);
  }
  if (platform.network) platform.network->messages = measured(platform.network->link, 2);
  return platform;
}

/// The second half of the nodes is of another kind, whose links into the network equal all others.
Platform with_two_kinds(Platform platform) {
  NodeGroup& first = platform.nodes.front();
  NodeGroup second = first;
  first.count /= 2;
  second.count -= first.count;
  second.name = "own";
  second.uplink =
      Uplink{.link = platform.network->link, .messages = {}, .source = platform.network->source};
  platform.nodes.push_back(second);
  return platform;
}

/// Four nodes of one device, without links inside nodes.
Platform single_devices() {
  Platform platform = mixed(4, 1, 0, pcie(), star());
  platform.nodes.front().interconnect.reset();
  return platform;
}

struct Cluster {
  std::string name;
  Platform platform;
};

/// One of each topology, with and without measured messages.
std::vector<Cluster> clusters() {
  std::vector<Cluster> all = {
      {"pcie", mixed(1, 4, 0, pcie_with_backbone(), nullptr)},
      {"shared memory", mixed(1, 4, 0, shared_memory(), nullptr)},
      {"nvlink, star", mixed(3, 2, 0, nvlink(), star())},
      {"nvswitch with CPUs", mixed(1, 2, 1, nvswitch(), nullptr)},
      {"pcie, star", mixed(4, 2, 1, pcie(), star())},
      {"fat tree", mixed(4, 1, 0, pcie(), fat_tree())},
      {"torus", mixed(4, 1, 0, pcie(), torus())},
      {"dragonfly", mixed(6, 2, 0, pcie(), dragonfly())},
      {"two kinds", with_two_kinds(mixed(4, 2, 0, pcie(), star()))},
      {"two kinds of one device", with_two_kinds(single_devices())},
  };
  const std::size_t described = all.size();
  for (std::size_t i = 0; i < described; ++i)
    all.push_back({all[i].name + ", measured", with_messages(all[i].platform)});
  return all;
}

/// Those of the catalogue, of at most four nodes of a kind.
std::vector<Cluster> catalogue() {
  std::vector<Cluster> all;
  const Catalog catalog(EPOCHCAST_SOURCE_DIR);
  for (const std::string& name : catalog.names("models/platforms")) {
    all.push_back({name, platform_in(catalog.find("models/platforms", name, "test"))});
    for (NodeGroup& group : all.back().platform.nodes) group.count = std::min(group.count, 4);
  }
  return all;
}

/// Every device trains, so every link is used.
std::vector<RunResult> forecasts_on(const Platform& platform) {
  Job job = job_on(platform, 2000);
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) {
      job.traces.push_back(job.traces.front());
      job.traces.back().device = device.model;
    }
  }
  job.config.workers = "all";
  job.config.epochs = 1;
  return forecasts({{job, "sync"}, {job, "node-based"}});
}

Platform with(Platform platform, const PlatformFigure& figure, double value) {
  JobConfig config;
  config.platform_figures.emplace(figure.name, figure_text(figure.kind, value));
  apply_figures(platform, config);
  return platform;
}

/// Figures of links and of reductions; those of the only kind of nodes, once.
std::vector<PlatformFigure> link_figures(const Platform& platform) {
  std::vector<PlatformFigure> found;
  for (const PlatformFigure& figure : figures_of(platform, "all")) {
    const bool is_of_one_kind =
        figure.name.starts_with("node.") && figure.name.find('.') != figure.name.rfind('.');
    const bool is_link = figure.kind == FigureKind::link_bandwidth ||
                         figure.kind == FigureKind::link_latency ||
                         figure.kind == FigureKind::adding;
    if (is_link && (platform.nodes.size() > 1 || !is_of_one_kind)) found.push_back(figure);
  }
  return found;
}

/// Whether the figure is refused since it has no effect.
bool is_refused(const Platform& platform, const PlatformFigure& figure) {
  try {
    static_cast<void>(with(platform, figure, 2 * figure.value));
    return false;
  } catch (const UserError& error) {
    return std::string(error.what()).find("changes nothing") != std::string::npos;
  }
}

void check_unchanged(const std::vector<Cluster>& clusters) {
  for (const Cluster& cluster : clusters) {
    const std::vector<RunResult> usual = forecasts_on(cluster.platform);
    for (const PlatformFigure& figure : link_figures(cluster.platform)) {
      const Platform same = with(cluster.platform, figure, figure.value);
      CAPTURE(cluster.name, figure.name);
      if (same == cluster.platform) continue;
      const std::vector<RunResult> set = forecasts_on(same);
      for (std::size_t i = 0; i < usual.size(); ++i)
        CHECK(set[i].epoch_s == Approx(usual[i].epoch_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("a figure of links that is set to its own value changes no forecast") {
  check_unchanged(clusters());
  check_unchanged(catalogue());
}

/// Members that arrive at different times share links for less of the time.
constexpr double kApart = 0.01;

/// A link that is set drops them, which makes some forecasts longer, others shorter.
Platform without_measured_all_reduces(Platform platform) {
  const auto drop = [](std::optional<MessageCosts>& costs) {
    if (costs) costs->all_reduces.clear();
  };
  if (platform.network) drop(platform.network->messages);
  for (NodeGroup& group : platform.nodes) {
    if (group.interconnect) drop(group.interconnect->messages);
    if (group.uplink) drop(group.uplink->messages);
  }
  return platform;
}

void check_monotonic(const std::vector<Cluster>& clusters) {
  for (const Cluster& cluster : clusters) {
    const Platform platform = without_measured_all_reduces(cluster.platform);
    const std::vector<RunResult> usual = forecasts_on(platform);
    for (const PlatformFigure& figure : link_figures(platform)) {
      CAPTURE(cluster.name, figure.name);
      if (is_refused(platform, figure)) continue;
      const bool is_rate = figure.kind != FigureKind::link_latency;
      const auto at = [&](double worse) {
        return forecasts_on(
            with(platform, figure, is_rate ? figure.value / worse : figure.value * worse));
      };
      const std::vector<RunResult> better = at(0.5);
      const std::vector<RunResult> worse = at(2);
      const std::vector<RunResult> much_worse = at(1000);
      bool shows = false;
      for (std::size_t i = 0; i < usual.size(); ++i) {
        CAPTURE(usual[i].strategy);
        CHECK(better[i].epoch_s <= usual[i].epoch_s * (1 + kApart));
        CHECK(worse[i].epoch_s >= usual[i].epoch_s * (1 - kApart));
        CHECK(much_worse[i].epoch_s >= worse[i].epoch_s * (1 - kApart));
        shows = shows || much_worse[i].epoch_s > usual[i].epoch_s * (1 + 1e-9);
      }
      CHECK(shows);
    }
  }
}

TEST_CASE("a better link is never slower, a worse one never faster, and a much worse one slower",
          "[exhaustive]") {
  check_monotonic(clusters());
}

TEST_CASE("a better link of the catalogue's platforms is never slower, a worse one never faster",
          "[long]") {
  check_monotonic(catalogue());
}

}  // namespace
}  // namespace epochcast::tests
