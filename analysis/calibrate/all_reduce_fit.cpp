// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/all_reduce_fit.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/fit_warnings.hpp"
#include "base/error.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

/// The ring steps of these all-reduces.
std::vector<MessagePoint> ring_steps(std::vector<MessagePoint> all_reduces, int ranks) {
  const double steps = 2.0 * (ranks - 1);
  for (MessagePoint& point : all_reduces) {
    point.bytes /= ranks;
    point.seconds /= steps;
    point.least_s /= steps;
    point.with_stalls_s /= steps;
    for (double& seconds : point.session_s) seconds /= steps;
  }
  return all_reduces;
}

/// "44.7 MB", or "1.05 MB to 44.7 MB".
std::string sizes_text(const std::vector<MessagePoint>& points) {
  const std::string least = format_bytes(points.front().bytes);
  return points.size() == 1 ? least : least + " to " + format_bytes(points.back().bytes);
}

/// Whether the sizes are numerous and different enough to separate latency from bandwidth. Buckets
/// of similar size are not: a slowdown of some by computation would look like latency, which is
/// multiplied by the number of ranks.
bool can_separate_latency(const std::vector<MessagePoint>& points) {
  constexpr std::size_t kFewestSizes = 3;
  constexpr double kFarApart = 8;
  return points.size() >= kFewestSizes && points.back().bytes >= kFarApart * points.front().bytes;
}

/// Seconds per byte, by least squares of relative errors, weighted by inverse variance.
double seconds_per_byte(const std::vector<MessagePoint>& points) {
  constexpr double kLeastSpread = 0.01;
  double sum = 0;
  double weights = 0;
  for (const MessagePoint& point : points) {
    const double weight = 1 / std::max(kLeastSpread, point.relative_spread);
    sum += weight * weight * point.seconds / point.bytes;
    weights += weight * weight;
  }
  return sum / weights;
}

std::optional<ScopeFit> fit_rings(const MessageTrace& trace,
                                  const std::string& scope,
                                  int ranks,
                                  const std::string& name) {
  const std::vector<MessagePoint> all_reduces = points_of(trace, "all-reduce", scope);
  if (all_reduces.empty() || ranks < 2) return std::nullopt;
  const std::vector<MessagePoint> points = ring_steps(all_reduces, ranks);
  ScopeFit fit;
  const bool has_latency = can_separate_latency(points);
  if (has_latency) {
    // Small steps count, too: there may be no large ones.
    fit.bytes_per_s = fastest_of(points);
    for (const MessagePoint& point : points)
      fit.bytes_per_s = std::max(fit.bytes_per_s, point.bytes / point.seconds);
    fit.costs.regimes = {fit_line(points, fit.bytes_per_s)};
  } else {
    fit.bytes_per_s = 1 / seconds_per_byte(points);
    fit.costs.regimes = {{.bytes_per_s = fit.bytes_per_s}};
  }
  check_fit(trace.file + ": steps of all-reduces " + name, points, fit.costs);
  fit.costs.uncertainty = uncertainty_of(points, fit.costs);
  check_uncertainty(trace.file, "all-reduces " + name, fit.costs);
  double samples = 0;
  for (const MessagePoint& point : points) {
    samples += point.samples;
    fit.stalls += point.stalls;
    fit.ring_step.push_back({point.bytes, point.seconds, fit.costs.message_s(point.bytes)});
  }
  fit.costs.notes.push_back(
      "messages " + name + " cost what the job's own all-reduces of " + sizes_text(all_reduces) +
      " among " + std::to_string(ranks) + " ranks (" +
      std::to_string(static_cast<std::int64_t>(samples)) +
      " samples) say, each taken for a ring, and as the job had them: beside computing, or not" +
      (has_latency ? "" : "; from these sizes no latency follows: it is taken as zero"));
  const std::vector<std::string> warnings = warnings_of("all-reduces " + name, points);
  fit.costs.notes.insert(fit.costs.notes.end(), warnings.begin(), warnings.end());
  return fit;
}

}  // namespace

NetworkFit fit_all_reduces(const MessageTrace& trace) {
  check_times(trace);
  const auto ranks = static_cast<int>(trace.node_of_rank.size());
  const auto in_first =
      static_cast<int>(std::count(trace.node_of_rank.begin(), trace.node_of_rank.end(), 0));
  NetworkFit fit;
  if (trace.node_count() < 2) {
    fit.node = fit_rings(trace, "all", ranks, "inside nodes");
  } else {
    fit.between = fit_rings(trace, "all", ranks, "between nodes");
    fit.node = fit_rings(trace, "node", in_first, "inside nodes");
    if (!fit.node && fit.between && in_first > 1) {
      fit.node = fit.between;
      fit.node->costs.notes = {
          "messages inside nodes are taken to cost what those between nodes do: the job has no "
          "all-reduces among the ranks of a node alone"};
    }
  }
  if (!fit.between && !fit.node)
    throw UserError(trace.file + ": has no all-reduces among all ranks, from which links follow");
  return fit;
}

Platform platform_of_all_reduces(const MessageTrace& trace,
                                 const std::string& device_class,
                                 const std::string& model,
                                 int nodes) {
  const std::vector<std::string> models(trace.node_of_rank.size(), model);
  const NetworkFit fit = fit_all_reduces(trace);
  Platform platform = calibrated_platform(platform_of_trace(trace, models), fit, trace.source);
  platform.nodes.resize(1);
  NodeGroup& group = platform.nodes.front();
  group.count = nodes;
  for (DeviceGroup& device : group.devices) device.device_class = device_class;
  const int measured = trace.node_count();
  if (platform.network && nodes > measured) {
    platform.network->messages->notes.push_back(
        "more than " + std::to_string(measured) + (measured == 1 ? " node was" : " nodes were") +
        " not measured: others are taken to be like these, with links of their own as fast and "
        "nothing between them that all share");
  }
  check_platform(platform, trace.file);
  return platform;
}

}  // namespace epochcast
