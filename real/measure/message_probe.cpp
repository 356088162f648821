// SPDX-License-Identifier: Apache-2.0
#include "real/measure/message_probe.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/costs/batch_cost.hpp"
#include "core/units.hpp"
#include "real/measure/message_points.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/polite_wait.hpp"

namespace epochcast::real {
namespace {

/// Sleeps for a tenth of the time since `busy_since_s`, once that is worth it, as training pauses
/// to compute: who waits for messages without a break is stopped by the kernel for 50 ms a second
/// where processes run in real-time order.
void rest(double& busy_since_s) {
  constexpr double kShare = 0.1;
  constexpr double kWorthIt = 0.01;
  const double busy_s = clock_s() - busy_since_s;
  if (busy_s < kWorthIt) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(kShare * busy_s));
  busy_since_s = clock_s();
}

/// Takes samples of a point; on rank 0, the slowest rank's seconds of each.
std::vector<double> take(const MessagePoint& point, std::int64_t count) {
  std::vector<double> seconds(static_cast<std::size_t>(count), 0.0);
  double busy_since_s = clock_s();
  if (point.sample) {
    for (double& sample_s : seconds) {
      sample_s = point.sample();
      rest(busy_since_s);
    }
  }
  polite_barrier(MPI_COMM_WORLD);  // who takes no part must not disturb those who do
  std::vector<double> slowest(seconds.size());
  check_mpi(MPI_Reduce(seconds.data(),
                       slowest.data(),
                       static_cast<int>(count),
                       MPI_DOUBLE,
                       MPI_MAX,
                       0,
                       MPI_COMM_WORLD),
            "MPI_Reduce");
  return slowest;
}

/// Rank 0's number, everywhere.
std::int64_t agreed(std::int64_t number) {
  check_mpi(MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return number;
}

/// How many samples to take before asking again whether they are enough: half as many as there are,
/// unless the time would not last.
std::int64_t next_count(const SamplingRule& rule, const SampleLog& log, double spent_s) {
  const auto kept = static_cast<std::int64_t>(log.kept_s().size());
  const double each_s = spent_s / static_cast<double>(kept);
  const double affordable = std::max(1.0, (rule.max_s - spent_s) / std::max(each_s, 1e-9));
  const std::int64_t wanted = std::min((kept + 1) / 2, rule.max_samples - kept);
  return affordable < static_cast<double>(wanted) ? std::llround(affordable) : wanted;
}

}  // namespace

std::optional<RankPair> find_pair(const std::vector<int>& node_of_rank, bool same_node) {
  const int ranks = static_cast<int>(node_of_rank.size());
  for (int first = 0; first < ranks; ++first) {
    for (int second = first + 1; second < ranks; ++second) {
      const bool are_together = node_of_rank[static_cast<std::size_t>(first)] ==
                                node_of_rank[static_cast<std::size_t>(second)];
      if (are_together == same_node) return RankPair{.first = first, .second = second};
    }
  }
  return std::nullopt;
}

std::vector<MessageCost> probe_messages(const MessageSettings& settings,
                                        const std::vector<int>& node_of_rank,
                                        const std::function<void(const MeasureProgress&)>& report) {
  const SamplingRule& rule = settings.rule;
  MessagePoints probe(settings, node_of_rank);
  const auto count = static_cast<double>(probe.points().size());
  std::vector<MessageCost> costs;
  double reported_s = clock_s();
  double finished = 0;
  for (MessagePoint& point : probe.points()) {
    const double start_s = clock_s();
    if (rule.warmup > 0) static_cast<void>(take(point, rule.warmup));
    SampleLog log(rule, start_s);
    for (std::int64_t next = rule.min_samples; next > 0;) {
      for (const double sample_s : take(point, next)) log.add(sample_s, sample_s);
      const double now = clock_s();
      const double spent_s = now - start_s;
      next = agreed(log.is_enough(now) ? 0 : next_count(rule, log, spent_s));
      if (probe.rank() != 0 || next == 0 || now - reported_s < 1) continue;
      reported_s = now;
      report({.point = point.text(),
              .done = (finished + std::min(1.0, spent_s / rule.max_s)) / count,
              .at_most_left_s = (count - finished) * rule.max_s - std::min(spent_s, rule.max_s)});
    }
    ++finished;
    if (probe.rank() != 0) continue;
    point.cost.samples_s.assign(log.kept_s().begin(), log.kept_s().end());
    costs.push_back(point.cost);
    report({.point = point.text(),
            .done = finished / count,
            .at_most_left_s = (count - finished) * rule.max_s,
            .finished = format_seconds(median_of(log.kept_s())) + ", " +
                        std::to_string(log.kept_s().size()) + " samples"});
  }
  return costs;
}

}  // namespace epochcast::real
