// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/overlap_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

using Catch::Matchers::WithinRel;
using Clock = std::chrono::steady_clock;

TEST_CASE("work not done alone was done during the overlap") {
  OverlapTimes times;
  // An exchange runs in 4 of 10 s: the other 6 do 6 of the batch's 8 s of work.
  times.batch_alone_s = 8;
  times.exchange_alone_s = 2;
  times.add(10, 10, 1, {.began_s = 0, .ended_s = 4});

  const OverlapCost cost = overlap_cost(times);

  CHECK(cost.is_known);
  CHECK_THAT(cost.batch_slowdown, WithinRel(4.0 / 2, 1e-12));
  CHECK_THAT(cost.exchange_slowdown, WithinRel(4.0 / 2, 1e-12));
}

TEST_CASE("exchanges that outlast the batch were slowed down during it") {
  OverlapTimes times;
  times.batch_alone_s = 1;
  times.exchange_alone_s = 0.5;
  for (int batch = 0; batch < 2; ++batch) times.add(1.25, 1.25, 4, {.began_s = 0, .ended_s = 2.5});

  const OverlapCost cost = overlap_cost(times);

  CHECK_THAT(cost.batch_slowdown, WithinRel(1.25, 1e-12));
  CHECK_THAT(cost.exchange_slowdown, WithinRel(1.25 / (2 - 1.25), 1e-12));
}

TEST_CASE("the overlap lasts from the last arrival until the end of backward or of the messages") {
  OverlapTimes times;
  // Of 3 s of work 1.5 are done before and 1 after both: the others take the 1 s of both.
  times.batch_alone_s = 3;
  times.exchange_alone_s = 0.75;
  times.add(3.5, 2.5, 1, {.began_s = 1.5, .ended_s = 3});

  const OverlapCost cost = overlap_cost(times);

  CHECK(times.both_s == 1);
  CHECK_THAT(cost.batch_slowdown, WithinRel(1 / 0.5, 1e-12));
  CHECK_THAT(cost.exchange_slowdown, WithinRel(1 / 0.25, 1e-12));

  times.add(3, 1, 1, {.began_s = 1.5, .ended_s = 3});  // they arrived after the end of backward
  CHECK(times.both_s == 1);
  OverlapTimes apart;
  apart.batch_alone_s = 3;
  apart.add(4, 1, 1, {.began_s = 1.5, .ended_s = 3});
  CHECK(overlap_cost(apart).batch_slowdown == 1);
}

TEST_CASE("slowdowns are at least 1, and at most 100 without progress") {
  OverlapTimes times;
  times.batch_alone_s = 1;
  times.exchange_alone_s = 0.5;
  times.add(0.9, 0.9, 1, {.began_s = 0, .ended_s = 1.4});

  const OverlapCost cost = overlap_cost(times);

  CHECK(cost.batch_slowdown == 1);
  CHECK(cost.exchange_slowdown == 100);
}

/// Exchanges that take 2 ms each, regardless of overlapped computation.
class SleptExchange : public GroupExchange {
 public:
  void run(double) override {}
  void start(std::int64_t count, double) override { started.push_back(count); }
  ExchangeSpan finish() override {
    return {.began_s = 0, .ended_s = 2e-3 * static_cast<double>(started.back())};
  }
  double largest(double mine) override { return mine; }

  std::vector<std::int64_t> started;
};

TEST_CASE("batches and exchanges are measured alone and together, in turn") {
  SleptExchange exchange;
  MeasureAlone group;
  int batches = 0;
  int after_exchange = 0;  // number of batches since the last one
  // Times of backward alone, the first with both hooks: less than it, and more.
  std::optional<double> less_s;
  std::optional<double> more_s;
  std::vector<double> done;

  const OverlapSamples samples = measure_overlap(
      {.batch = 4, .all_reduce = "ring", .bytes = 1e6, .max_s = 0.2},
      [&](const BatchHooks& hooks) {
        ++batches;
        const auto before = Clock::now();
        if (hooks.before_backward) hooks.before_backward();
        const auto begin = Clock::now();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        // The progress thread polls for another 40 ms.
        if (!hooks.before_step) return (++after_exchange > 4 ? 100 : 107 - after_exchange) * 1e-4;
        const auto end = Clock::now();
        hooks.before_step();
        if (hooks.before_backward && !more_s) {
          less_s = std::chrono::duration<double>(end - begin).count();
          more_s = std::chrono::duration<double>(Clock::now() - before).count();
        }
        after_exchange = 0;
        return 11e-3;
      },
      exchange,
      group,
      [&](double share) { done.push_back(share); });

  CHECK(samples.batch == 4);
  CHECK(samples.all_reduce == "ring");
  CHECK(samples.bytes == 1e6);
  // Exchanges of 2 ms fill backward.
  REQUIRE(more_s.has_value());
  CHECK(exchange.started.back() >= std::llround(std::ceil(*less_s / 2e-3)));
  CHECK(exchange.started.back() <= std::llround(std::ceil(*more_s / 2e-3)));
  REQUIRE(samples.batch_s.size() >= 3);
  for (const double seconds : samples.batch_alone_s) CHECK_THAT(seconds, WithinRel(10e-3, 1e-9));
  for (const double seconds : samples.exchange_alone_s) CHECK_THAT(seconds, WithinRel(2e-3, 1e-9));
  CHECK(samples.exchange_s.size() == samples.batch_s.size());
  CHECK(done.back() == 1);
  CHECK(batches >= 9 * static_cast<int>(done.size()));
}

}  // namespace
}  // namespace epochcast::real
