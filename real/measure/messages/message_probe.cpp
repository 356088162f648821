// SPDX-License-Identifier: Apache-2.0
#include "real/measure/messages/message_probe.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <thread>

#include "base/text/units.hpp"
#include "core/costs/batch_cost.hpp"
#include "real/measure/messages/message_points.hpp"
#include "real/measure/sampling/node_links.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/priority_change.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {
namespace {

// For a large size whose usual number of samples would take too long.
constexpr std::int64_t kFewestOfWarmUp = 1;
constexpr std::int64_t kFewestSamples = 3;

/// For ranks under SCHED_RR: sleeps for a tenth of the time since `busy_since_s`, once that is long
/// enough. The kernel throttles real-time processes that poll without a break, for 50 ms of each
/// second.
void rest(double& busy_since_s) {
  constexpr double kShare = 0.1;
  constexpr double kWorthIt = 0.01;
  const double busy_s = clock_s() - busy_since_s;
  if (busy_s < kWorthIt) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(kShare * busy_s));
  busy_since_s = clock_s();
}

/// The largest values of all ranks, on rank 0.
std::vector<double> largest(const std::vector<double>& own) {
  std::vector<double> all(own.size());
  check_mpi(MPI_Reduce(own.data(),
                       all.data(),
                       static_cast<int>(own.size()),
                       MPI_DOUBLE,
                       MPI_MAX,
                       0,
                       MPI_COMM_WORLD),
            "MPI_Reduce");
  return all;
}

/// Takes samples of a point. On rank 0, for each of its costs: the slowest rank's seconds of each
/// sample.
std::vector<std::vector<double>> take(const MessagePoint& point, std::int64_t count) {
  const auto samples = static_cast<std::size_t>(count);
  std::vector<double> seconds(point.costs.size() * samples, 0.0);
  const bool must_rest = is_under_sched_rr();
  double busy_since_s = clock_s();
  if (point.sample) {
    for (double& sample_s : std::span(seconds).subspan(point.own * samples, samples)) {
      sample_s = point.sample();
      if (must_rest) rest(busy_since_s);
    }
  }
  barrier_with_backoff(MPI_COMM_WORLD);  // idle ranks must not disturb the others
  const std::vector<double> slowest = largest(seconds);
  std::vector<std::vector<double>> taken_s;
  for (std::size_t cost = 0; cost < point.costs.size(); ++cost) {
    const auto first = static_cast<std::ptrdiff_t>(cost) * count;
    taken_s.emplace_back(slowest.begin() + first, slowest.begin() + first + count);
  }
  return taken_s;
}

/// Rank 0's number, on all ranks.
std::int64_t agreed(std::int64_t number) {
  check_mpi(MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return number;
}

/// The bandwidth of each node's link from rank 0's measurements, on all ranks.
std::vector<double> agreed_link_speeds(std::span<const MessageCost> costs, int nodes) {
  std::vector<double> bytes_per_s = link_speeds(costs, nodes);
  check_mpi(MPI_Bcast(bytes_per_s.data(), nodes, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return bytes_per_s;
}

/// "1.20 ms, 30 samples"; of several at the same time "1.20 ms to 4.90 ms, 30 samples"
std::string result_text(const std::vector<MessageCost>& costs) {
  double least_s = std::numeric_limits<double>::infinity();
  double most_s = 0;
  for (const MessageCost& cost : costs) {
    const double median_s = median_of(cost.samples_s);
    least_s = std::min(least_s, median_s);
    most_s = std::max(most_s, median_s);
  }
  return format_seconds(least_s) + (costs.size() > 1 ? " to " + format_seconds(most_s) : "") +
         ", " + std::to_string(costs.front().samples_s.size()) + " samples";
}

/// The number of samples before the next check of the rule: half as many as there are, limited by
/// the remaining time.
std::int64_t next_count(const SamplingRule& rule, const SampleLog& log, double spent_s) {
  const auto kept = static_cast<std::int64_t>(log.kept_s().size());
  const double each_s = spent_s / static_cast<double>(kept);
  const double affordable = std::max(1.0, (rule.max_s - spent_s) / std::max(each_s, 1e-9));
  const std::int64_t wanted = std::min((kept + 1) / 2, rule.max_samples - kept);
  return affordable < static_cast<double>(wanted) ? std::llround(affordable) : wanted;
}

/// Measures one point after another and reports progress.
class Measurement {
 public:
  using Report = std::function<void(const MeasureProgress&)>;

  /// No message is larger than `largest_bytes`.
  Measurement(int rank, std::int64_t largest_bytes, const Report& report)
      : rank_(rank), largest_bytes_(largest_bytes), report_(report) {}

  /// Takes samples of a point until they are enough; on rank 0, keeps them with its costs. The
  /// points after it take `most_s_after` at most. Collective.
  void sample(MessagePoint& point, double most_s_after) {
    const SamplingRule& rule = point.rule;
    const double start_s = clock_s();
    if (rule.warmup > 0) static_cast<void>(take(point, rule.warmup));
    std::vector<SampleLog> logs(point.costs.size(), SampleLog(rule, start_s));
    for (std::int64_t next = rule.min_samples; next > 0;) {
      const std::vector<std::vector<double>> taken_s = take(point, next);
      for (std::size_t i = 0; i < logs.size(); ++i) {
        for (const double sample_s : taken_s[i]) logs[i].add(sample_s, sample_s);
      }
      const double now = clock_s();
      const double spent_s = now - start_s;
      const bool is_enough = std::all_of(
          logs.begin(), logs.end(), [&](const SampleLog& log) { return log.is_enough(now); });
      next = agreed(is_enough ? 0 : next_count(rule, logs.front(), spent_s));
      if (next == 0 || now - reported_s_ < 1) continue;
      reported_s_ = now;
      report(point, std::min(spent_s, rule.max_s), rule.max_s + most_s_after, "");
    }
    if (rank_ != 0) return;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      MessageCost& cost = point.costs[i];
      cost.samples_s.assign(logs[i].kept_s().begin(), logs[i].kept_s().end());
    }
    costs_.insert(costs_.end(), point.costs.begin(), point.costs.end());
  }

  /// The expected seconds for samples of a large size, extrapolated from smaller ones of the same
  /// kind, if they far exceed the limit of a point even with the fewest samples; else absent.
  /// Collective.
  [[nodiscard]] std::optional<double> too_long_s(MessagePoint& point) const {
    constexpr std::int64_t kLarge = 4 << 20;  // bytes: large enough to show the bandwidth
    constexpr double kFar = 4;
    constexpr double kFarOfLargest = 20;  // for the largest requested size
    const MessageCost& cost = point.costs.front();
    if (cost.bytes <= kLarge) return std::nullopt;
    double sample_s = 0;  // known on rank 0
    for (const MessageCost& known : costs_) {
      if (known.kind != cost.kind || known.scope != cost.scope || known.nodes != cost.nodes ||
          known.algorithm != cost.algorithm || known.bytes == 0)
        continue;
      sample_s = median_of(known.samples_s) * static_cast<double>(cost.bytes) /
                 static_cast<double>(known.bytes);
    }
    check_mpi(MPI_Bcast(&sample_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
    const auto expected_s = [sample_s](const SamplingRule& rule) {
      return static_cast<double>(rule.warmup + rule.min_samples) * sample_s;
    };
    const double most_s = kFar * point.rule.max_s;
    if (expected_s(point.rule) <= most_s) return std::nullopt;
    const bool is_largest =
        cost.kind == "all-reduce" && cost.bytes > largest_bytes_ - std::int64_t{sizeof(float)};
    SamplingRule few = point.rule;
    few.warmup = std::min(few.warmup, kFewestOfWarmUp);
    few.min_samples = std::min(few.min_samples, kFewestSamples);
    if (expected_s(few) > (is_largest ? kFarOfLargest * point.rule.max_s : most_s))
      return expected_s(few);
    point.rule = few;
    return std::nullopt;
  }

  /// Reports that a point is not measured.
  void leave_out(const MessagePoint& point, double expected_s, double most_s_after) {
    report(point,
           point.rule.max_s,
           point.rule.max_s + most_s_after,
           "left out: would take " + format_seconds(expected_s));
    finished_s_ += point.rule.max_s;
  }

  /// Reports the result of a sampled point.
  void finish(const MessagePoint& point, double most_s_after) {
    report(point, point.rule.max_s, point.rule.max_s + most_s_after, result_text(point.costs));
    finished_s_ += point.rule.max_s;
  }

  /// So far; on rank 0.
  [[nodiscard]] const std::vector<MessageCost>& costs() const { return costs_; }

 private:
  /// `spent_s` of the `left_s` that remained before this point.
  void report(const MessagePoint& point,
              double spent_s,
              double left_s,
              const std::string& finished) const {
    if (rank_ != 0) return;
    report_({.point = point.text(),
             .done = (finished_s_ + spent_s) / (finished_s_ + left_s),
             .at_most_left_s = left_s - spent_s,
             .finished = finished});
  }

  int rank_;
  std::int64_t largest_bytes_;
  const Report& report_;
  double reported_s_ = clock_s();
  double finished_s_ = 0;  ///< the sum of the finished points' limits
  std::vector<MessageCost> costs_;
};

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
  MessagePoints probe(settings, node_of_rank);
  Measurement measurement(probe.rank(), settings.bytes.back(), report);
  std::vector<MessagePoint>& points = probe.points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::optional<double> too_long_s = measurement.too_long_s(points[i]);
    if (!too_long_s) measurement.sample(points[i], probe.most_s_after(i));
    if (i + 1 == points.size() && !probe.is_complete())
      probe.add_hubs(agreed_link_speeds(measurement.costs(), probe.node_count()));
    if (too_long_s) {
      measurement.leave_out(points[i], *too_long_s, probe.most_s_after(i));
    } else {
      measurement.finish(points[i], probe.most_s_after(i));
    }
  }
  return measurement.costs();
}

}  // namespace epochcast::real
