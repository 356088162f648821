// SPDX-License-Identifier: Apache-2.0
#include "strategies/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>

namespace epochcast {

namespace {

/// Figures of the order of updates, means over passes; the last pass's samples.
void add_asynchrony(RunResult& result,
                    const std::vector<WorkerInfo>& workers,
                    const std::vector<WorkerReport>& reports,
                    double share) {
  constexpr double kPart = 0.95;
  std::vector<std::int64_t> counts;
  for (const WorkerReport& report : reports) {
    const std::vector<std::int64_t>& own = report.updates_by_staleness;
    counts.resize(std::max(counts.size(), own.size()));
    for (std::size_t staleness = 0; staleness < own.size(); ++staleness)
      counts[staleness] += own[staleness];
  }
  if (counts.empty()) return;
  const auto updates =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  double sum = 0;
  double below = 0;
  std::optional<std::size_t> most;
  for (std::size_t staleness = 0; staleness < counts.size(); ++staleness) {
    sum += static_cast<double>(staleness) * static_cast<double>(counts[staleness]);
    below += static_cast<double>(counts[staleness]);
    if (!most && below >= kPart * updates) most = staleness;
  }
  if (!result.asynchrony) result.asynchrony.emplace();
  Asynchrony& figures = *result.asynchrony;
  figures.mean_staleness += share * sum / updates;
  figures.staleness_95 += share * static_cast<double>(*most);
  figures.most_staleness =
      std::max(figures.most_staleness, static_cast<std::int64_t>(counts.size()) - 1);
  figures.staleness_shares.resize(std::max(figures.staleness_shares.size(), counts.size()));
  for (std::size_t staleness = 0; staleness < counts.size(); ++staleness)
    figures.staleness_shares[staleness] += share * static_cast<double>(counts[staleness]) / updates;
  const auto server = std::ranges::find(workers, Role::sums, &WorkerInfo::role);
  if (server != workers.end()) {
    const PhaseTimes& phases = reports[static_cast<std::size_t>(server - workers.begin())].training;
    const double busy = phases.total_s() > 0 ? 1 - phases.blocked_s / phases.total_s() : 0;
    figures.server_load = figures.server_load.value_or(0) + share * busy;
  }
  figures.samples_by_worker.clear();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].role == Role::trains)
      figures.samples_by_worker.push_back(reports[i].samples_per_epoch);
  }
}

}  // namespace

void add_reports(RunResult& result,
                 const std::vector<WorkerInfo>& workers,
                 const std::vector<WorkerReport>& reports,
                 double share) {
  const auto epochs = static_cast<double>(result.epochs);
  const auto trainers = static_cast<double>(
      std::count_if(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
        return worker.role == Role::trains;
      }));
  double training_s = 0;
  result.samples_per_epoch = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const WorkerReport& report = reports[i];
    training_s = std::max(training_s, report.training_s);
    result.samples_per_epoch += report.samples_per_epoch;
    if (workers[i].role == Role::trains)
      result.phases += (share / epochs / trainers) * report.training;
    result.intra_node_bytes += share * report.traffic.intra_node_bytes / epochs;
    result.inter_node_bytes += share * report.traffic.inter_node_bytes / epochs;
    const std::string role = workers[i].role == Role::trains ? "trains" : "sums";
    auto device = std::find_if(
        result.by_device.begin(), result.by_device.end(), [&](const DeviceResult& known) {
          return known.model == workers[i].model && known.role == role;
        });
    if (device == result.by_device.end()) {
      int count = 0;
      std::int64_t steps = 0;
      for (std::size_t other = i; other < workers.size(); ++other) {
        if (workers[other].model != workers[i].model || workers[other].role != workers[i].role)
          continue;
        ++count;
        steps += reports[other].local_steps;
      }
      result.by_device.push_back({.device_class = workers[i].device_class,
                                  .model = workers[i].model,
                                  .role = role,
                                  .workers = count,
                                  .batch = report.batch,
                                  .local_steps = std::llround(static_cast<double>(steps) / count),
                                  .phases = {}});
      device = result.by_device.end() - 1;
    }
    device->phases += (share / epochs / device->workers) * report.training;
  }
  add_asynchrony(result, workers, reports, share);
  result.epoch_s += share * training_s / epochs;
  result.startup_s += share * reports.front().startup_s;
}

void add_asynchrony_note(RunResult& result) {
  if (!result.asynchrony) return;
  const Asynchrony& figures = *result.asynchrony;
  const auto [least, most] = std::ranges::minmax_element(figures.samples_by_worker);
  std::string note = fmt::format(
      "staleness of gradients: mean {:.1f}, 95 % at most {:.0f}, largest {}; a worker trains on "
      "{} to {} samples an epoch",
      figures.mean_staleness,
      figures.staleness_95,
      figures.most_staleness,
      *least,
      *most);
  if (figures.server_load)
    note += fmt::format("; the first server works or receives data {:.0f} % of the time",
                        100 * *figures.server_load);
  if (*least == 0)
    note +=
        "; batches of equal workers end in the same order each time: with a measured spread of "
        "their times, others are dropped, too";
  result.notes.push_back(std::move(note));
}

void add_partition_notes(RunResult& result,
                         const std::vector<WorkerInfo>& workers,
                         const std::vector<WorkerReport>& reports) {
  const WorkerReport& report = reports.front();
  constexpr double kWorthTelling = 0.01;
  if (report.functional_imbalance || report.constant_imbalance.value_or(0) >= kWorthTelling) {
    std::string note = fmt::format("batch times differ by {} % with constant speeds",
                                   std::lround(100 * *report.constant_imbalance));
    if (report.functional_imbalance)
      note += fmt::format(", {} % with measured curves",
                          std::lround(100 * *report.functional_imbalance));
    result.notes.push_back(note);
  }
  if (std::any_of(workers.begin(), workers.end(), [&](const WorkerInfo& worker) {
        const auto rank = static_cast<std::size_t>(&worker - workers.data());
        return worker.role == Role::trains && reports[rank].batch == 0;
      })) {
    result.notes.emplace_back(
        "some workers are too slow for a single sample per batch: they train on none");
  }
}

}  // namespace epochcast
