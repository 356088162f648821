// SPDX-License-Identifier: Apache-2.0
// A busy machine makes everything take longer: only that nothing is too short can be told.
#include "real/mpi/overlap_pace.hpp"

#include <thread>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

using Clock = std::chrono::steady_clock;

double since_s(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

TEST_CASE("computing and moving slow each other down while both go on") {
  OverlapPace pace({.batch_slowdown = 2, .exchange_slowdown = 1.5, .is_known = true});
  double moved_s = 0;
  const auto began = Clock::now();
  std::thread stream([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto moving = Clock::now();
    pace.begin_moving();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    pace.end_moving();
    moved_s = since_s(moving);
  });
  pace.compute(1);
  const double computed_s = since_s(began);
  stream.join();

  // What moves for 60 ms takes 90 beside computing, which does half as much meanwhile: 45 ms more
  // on a machine that wakes both in time.
  CHECK(moved_s >= 0.0899);
  CHECK(computed_s >= 1.02);
}

TEST_CASE("what is done alone is not slowed down") {
  OverlapPace pace({.batch_slowdown = 1e6, .exchange_slowdown = 1e6, .is_known = true});

  // Else this took hours.
  pace.compute(0.01);
  pace.begin_moving();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  pace.end_moving();
  pace.compute(0.01);
}

}  // namespace
}  // namespace epochcast::real
