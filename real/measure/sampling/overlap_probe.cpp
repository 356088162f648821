// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/overlap_probe.hpp"

#include <algorithm>
#include <cmath>

#include "real/measure/sampling/sampling.hpp"

namespace epochcast::real {
namespace {

constexpr int kWarmup = 3;
/// After messages, until the progress thread polls rarely (BackgroundProgress).
constexpr double kSettle_s = 0.04;
constexpr std::int64_t kMostInARow = 16;
constexpr int kFewestCycles = 3;  ///< of each time
constexpr int kTimes = 6;         ///< measured times
constexpr int kFewestTimes = 3;   ///< if a time is long
constexpr double kMostSlowdown = 100;

/// The number of repetitions that fill a time; at least one.
std::int64_t fill(double seconds, double of_one_s) {
  if (!(of_one_s > 0)) return 1;
  return std::max<std::int64_t>(1, std::llround(std::ceil(seconds / of_one_s)));
}

double slowdown(double work_s, double own_s, double both_s) {
  if (both_s <= 0) return 1;
  const double done_beside_s = work_s - (own_s - both_s);
  return done_beside_s * kMostSlowdown <= both_s ? kMostSlowdown
                                                 : std::max(1.0, both_s / done_beside_s);
}

/// Seconds of an all-reduce, alone, moved by the thread that moves it during batches.
double exchange_alone_s(std::int64_t count,
                        double bytes,
                        GroupExchange& exchange,
                        MeasureGroup& group) {
  group.start_point();
  exchange.start(count, bytes);
  return exchange.finish().seconds() / static_cast<double>(count);
}

/// Seconds of backward, alone.
double backward_alone_s(const RunBatch& run_batch) {
  double began_s = 0;
  double ended_s = 0;
  static_cast<void>(run_batch({.before_backward = [&] { began_s = clock_s(); },
                               .before_step = [&] { ended_s = clock_s(); }}));
  return ended_s - began_s;
}

/// A batch overlapped with this number of all-reduces. All ranks begin backward together: otherwise
/// a fast rank would finish before the all-reduces start.
void run_beside(std::int64_t count,
                double bytes,
                const RunBatch& run_batch,
                GroupExchange& exchange,
                MeasureGroup& group,
                OverlapTimes& times) {
  double began_s = 0;
  double backward_s = 0;
  ExchangeSpan span;
  const double batch_s = run_batch({.before_backward =
                                        [&] {
                                          group.start_point();
                                          began_s = clock_s();
                                          exchange.start(count, bytes);
                                        },
                                    .before_step =
                                        [&] {
                                          backward_s = clock_s() - began_s;
                                          span = exchange.finish();
                                        }});
  times.add(batch_s, backward_s, static_cast<double>(count), span);
}

}  // namespace

void OverlapTimes::add(double batch_s, double backward_s, double count, const ExchangeSpan& span) {
  ++batches;
  batches_s += batch_s;
  exchanges += count;
  exchanges_s += span.seconds();
  both_s += std::max(0.0, std::min(backward_s, span.ended_s) - span.began_s);
}

OverlapCost overlap_cost(const OverlapTimes& times) {
  return {.batch_slowdown =
              slowdown(times.batches * times.batch_alone_s, times.batches_s, times.both_s),
          .exchange_slowdown =
              slowdown(times.exchanges * times.exchange_alone_s, times.exchanges_s, times.both_s),
          .is_known = true};
}

OverlapSamples measure_overlap(const OverlapPoint& point,
                               const RunBatch& run_batch,
                               GroupExchange& exchange,
                               MeasureGroup& group,
                               const std::function<void(double)>& on_progress) {
  for (int i = 0; i < kWarmup; ++i) static_cast<void>(run_batch({}));
  const double own_batch_s = run_batch({});
  const double batch_s = exchange.largest(own_batch_s);
  static_cast<void>(exchange_alone_s(1, point.bytes, exchange, group));
  const double exchange_s = exchange.largest(exchange_alone_s(2, point.bytes, exchange, group));
  const double backward_s = exchange.largest(backward_alone_s(run_batch));
  // As long as backward: a slowed device computes first and sleeps then, and only the whole covers
  // the messages' costs. As in training, the progress thread idles during forward: schedulers
  // prefer threads that have slept.
  const std::int64_t beside = fill(backward_s, exchange_s);
  const std::int64_t in_a_row = std::min(kMostInARow, fill(kSettle_s / 2, batch_s));
  const std::int64_t settling = fill(kSettle_s, own_batch_s);
  const double cycle_s = static_cast<double>(in_a_row + 1) * batch_s +
                         std::max(kSettle_s, batch_s) +
                         static_cast<double>(2 * beside) * exchange_s;
  const auto cycles =
      std::max(kFewestCycles, static_cast<int>(std::ceil(point.max_s / (kTimes * cycle_s))));
  const int times =
      std::clamp(static_cast<int>(point.max_s / (cycles * cycle_s)), kFewestTimes, kTimes);
  const auto mean_s = [&] {
    double sum_s = 0;
    for (std::int64_t i = 0; i < in_a_row; ++i) sum_s += run_batch({});
    return sum_s / static_cast<double>(in_a_row);
  };

  OverlapSamples samples = {
      .batch = point.batch, .all_reduce = point.all_reduce, .bytes = point.bytes};
  for (int i = 0; i < times; ++i) {
    OverlapTimes both;
    both.exchange_alone_s = exchange_alone_s(cycles * beside, point.bytes, exchange, group);
    // In turn: a change of the machine's speed affects both.
    for (int cycle = 0; cycle < cycles; ++cycle) {
      run_beside(beside, point.bytes, run_batch, exchange, group, both);
      for (std::int64_t batch = 0; batch < settling; ++batch) static_cast<void>(run_batch({}));
      both.batch_alone_s += mean_s() / cycles;
    }
    const OverlapCost cost = overlap_cost(both);
    samples.batch_alone_s.push_back(both.batch_alone_s);
    samples.batch_s.push_back(cost.batch_slowdown * both.batch_alone_s);
    samples.exchange_alone_s.push_back(both.exchange_alone_s);
    samples.exchange_s.push_back(cost.exchange_slowdown * both.exchange_alone_s);
    on_progress(static_cast<double>(i + 1) / times);
  }
  return samples;
}

}  // namespace epochcast::real
