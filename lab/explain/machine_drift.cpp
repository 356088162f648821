// SPDX-License-Identifier: Apache-2.0
#include "lab/explain/machine_drift.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/calibrate/message_points.hpp"
#include "base/statistics/spread.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {
namespace {

std::optional<double> median_of_known(const std::vector<MachineDrift>& runs,
                                      std::optional<double> MachineDrift::*part) {
  std::vector<double> known;
  for (const MachineDrift& run : runs) {
    if (run.*part) known.push_back(*(run.*part));
  }
  if (known.empty()) return std::nullopt;
  return median_of(std::move(known));
}

}  // namespace

std::vector<std::string> models_of_ranks(const Platform& platform,
                                         const std::vector<int>& node_of_rank) {
  std::vector<std::string> models;  // node by node
  for (const NodeGroup& group : platform.nodes) {
    for (int node = 0; node < group.count; ++node) {
      for (const DeviceGroup& device : group.devices)
        models.insert(models.end(), static_cast<std::size_t>(device.count), device.model);
    }
  }
  std::vector<std::size_t> ranks(node_of_rank.size());  // likewise
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::ranges::stable_sort(ranks, {}, [&](std::size_t rank) { return node_of_rank[rank]; });
  std::vector<std::string> of_rank(ranks.size());
  for (std::size_t i = 0; i < std::min(ranks.size(), models.size()); ++i)
    of_rank[ranks[i]] = models[i];
  return of_rank;
}

std::vector<double> calibrated_batches_s(const std::vector<CostTrace>& traces,
                                         const std::vector<std::string>& model_of_rank,
                                         std::int64_t batch) {
  std::vector<double> medians_s;
  std::map<std::string, std::int64_t> ranks;  // so far, of each model
  for (const std::string& model : model_of_rank) {
    const std::int64_t rank = ranks[model]++;
    std::vector<double> measured_s;
    for (const CostTrace& trace : traces) {
      if (trace.device != model) continue;
      for (const BatchSamples& samples : trace.batches) {
        if (samples.batch == batch && samples.rank == rank)
          measured_s.insert(measured_s.end(), samples.total_s.begin(), samples.total_s.end());
      }
    }
    medians_s.push_back(median_of(std::move(measured_s)));
  }
  return medians_s;
}

std::optional<double> batch_drift(const RunResult& run,
                                  const std::vector<double>& calibrated_s,
                                  std::int64_t parts) {
  std::vector<double> longer;
  for (const TimedRank& timed : run.timed_batches) {
    const auto rank = static_cast<std::size_t>(timed.rank);
    if (rank >= calibrated_s.size() || !(calibrated_s[rank] > 0)) continue;
    if (!(timed.before_s > 0) || !(timed.after_s > 0)) continue;
    const double timed_s = 0.5 * (timed.before_s + timed.after_s) / static_cast<double>(parts);
    longer.push_back(timed_s / calibrated_s[rank] - 1);
  }
  if (longer.empty()) return std::nullopt;
  return mean_of(longer);
}

std::optional<double> exchange_drift(const RunResult& run, const MessageTrace& messages) {
  if (!run.timed_exchanges) return std::nullopt;
  const TimedExchanges& timed = *run.timed_exchanges;
  const double before_s = expected_s(timed.before_s);
  const double after_s = expected_s(timed.after_s);
  if (!(before_s > 0) || !(after_s > 0)) return std::nullopt;
  if (static_cast<std::size_t>(run.trainers()) != messages.node_of_rank.size()) return std::nullopt;
  for (const MessageCost& cost : messages.costs) {
    if (cost.kind != "all-reduce" || cost.scope != "all" || cost.algorithm != timed.all_reduce ||
        static_cast<double>(cost.bytes) != timed.bytes)
      continue;
    const double measured_s = expected_s(cost.samples_s);
    if (measured_s > 0) return 0.5 * (before_s + after_s) / measured_s - 1;
  }
  return std::nullopt;
}

std::optional<MachineDrift> median_drift(const std::vector<MachineDrift>& of_runs) {
  const MachineDrift drift = {.batches = median_of_known(of_runs, &MachineDrift::batches),
                              .exchanges = median_of_known(of_runs, &MachineDrift::exchanges)};
  if (drift == MachineDrift()) return std::nullopt;
  return drift;
}

}  // namespace epochcast
