// SPDX-License-Identifier: Apache-2.0
// A busy machine makes everything take longer: these tests claim only that nothing is too short.
#include "real/mpi/overlap_pace.hpp"

#include <future>
#include <thread>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

using Clock = std::chrono::steady_clock;

double since_s(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

TEST_CASE("computing and moving slow each other down while they overlap") {
  OverlapPace pace({.batch_slowdown = 2, .exchange_slowdown = 1.5, .is_known = true});
  std::promise<void> moving;
  std::promise<void> computed;
  double moved_s = 0;
  std::thread stream([&] {
    const auto began = Clock::now();
    pace.begin_moving();
    moving.set_value();
    computed.get_future().wait();
    pace.end_moving();
    moved_s = since_s(began);
  });
  moving.get_future().wait();
  const auto began = Clock::now();
  pace.compute(0.1);
  const double computed_s = since_s(began);
  computed.set_value();
  stream.join();

  // Messages are in progress all the time: 100 ms of computing take 200 ms. In this time two thirds
  // of the messages of 200 ms are moved; the rest takes 67 ms more.
  CHECK(computed_s >= 0.1999);
  CHECK(moved_s >= 0.2666);
}

TEST_CASE("without overlap the pace adds no time") {
  OverlapPace pace({.batch_slowdown = 1e6, .exchange_slowdown = 1e6, .is_known = true});

  // Otherwise this would take hours.
  pace.compute(0.01);
  pace.begin_moving();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  pace.end_moving();
  pace.compute(0.01);
}

}  // namespace
}  // namespace epochcast::real
