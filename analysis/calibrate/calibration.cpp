// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/fit_warnings.hpp"
#include "analysis/calibrate/measured_all_reduces.hpp"
#include "analysis/calibrate/message_points.hpp"

namespace epochcast {
namespace {

constexpr const char* kBetween = "messages between nodes";
constexpr const char* kInside = "messages inside nodes";

/// Writes the measured all-reduces to the messages of their scope, whose uncertainty is that of
/// samples alone.
void keep_all_reduces(Calibration& calibration,
                      const Platform& platform,
                      const MessageTrace& trace) {
  NetworkFit& fit = calibration.fit;
  const std::vector<AllReduceCheck> larger = larger_all_reduces(platform, trace);
  const auto measured = [&](const ScopeFit& scope, const std::string& name, std::ptrdiff_t ranks) {
    return measured_all_reduces(
        trace, calibration.checks, larger, name, static_cast<int>(ranks), scope.costs.uncertainty);
  };
  const auto ranks = std::ssize(trace.node_of_rank);
  if (fit.between) fit.between->costs.all_reduces = measured(*fit.between, "all", ranks);
  if (!fit.node) return;
  // All-reduces inside nodes run on all nodes at once: the node with the most ranks is the slowest.
  std::ptrdiff_t in_node = 0;
  for (int node = 0; node < trace.node_count(); ++node) {
    in_node =
        std::max(in_node, std::count(trace.node_of_rank.begin(), trace.node_of_rank.end(), node));
  }
  fit.node->costs.all_reduces =
      measured(*fit.node, fit.between ? "node" : "all", fit.between ? in_node : ranks);
}

}  // namespace

Calibration calibrate(const MessageTrace& trace) {
  Calibration calibration = {.fit = fit_network(trace), .checks = {}};
  NetworkFit& fit = calibration.fit;
  const auto refuse_if_unknown = [&](ScopeFit& scope, const std::string& name) {
    if (scope.costs.uncertainty > kMostUncertainty)
      check_uncertainty(trace.file, name, scope.costs);
  };
  if (fit.between) refuse_if_unknown(*fit.between, kBetween);
  if (fit.node) refuse_if_unknown(*fit.node, kInside);
  const std::vector<std::string> models(trace.node_of_rank.size(), "cpu");
  const Platform platform =
      calibrated_platform(platform_of_trace(trace, models), fit, trace.source);
  check_platform(platform, trace.file);
  calibration.checks = check_all_reduces(platform, trace);
  keep_all_reduces(calibration, platform, trace);
  const auto widen =
      [&](std::optional<ScopeFit>& scope, const std::string& ring, const std::string& name) {
        if (!scope) return;
        double sum = 0;
        double count = 0;
        for (const AllReduceCheck& check : calibration.checks) {
          // The library uses blocking calls: its time does not apply to other algorithms.
          if (check.all_reduce.scope != ring || check.all_reduce.bytes < kLargeAllReduce ||
              check.all_reduce.algorithm == kLibrary)
            continue;
          sum += std::pow(std::log(check.forecast_s / check.measured_s), 2);
          ++count;
        }
        double& uncertainty = scope->costs.uncertainty;
        if (count > 0) uncertainty = std::hypot(uncertainty, std::sqrt(sum / count));
        check_uncertainty(trace.file, name, scope->costs);
      };
  widen(fit.between, "all", kBetween);
  widen(fit.node, fit.between ? "node" : "all", kInside);
  return calibration;
}

}  // namespace epochcast
