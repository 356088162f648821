// SPDX-License-Identifier: Apache-2.0
#include "real/torch/slow_device.hpp"

#include <stdexcept>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

/// Gives the device an example of a piece at full speed.
void show(SlowDevice& device, std::int64_t samples, std::size_t number, double seconds) {
  CHECK(device({.samples = samples,
                .begin = number,
                .end = number + 1,
                .real_s = seconds,
                .is_example = true}) == 0);
}

/// The time that the device adds to a piece that took `real_s`.
double rest_of(
    SlowDevice& device, std::int64_t samples, std::size_t begin, std::size_t end, double real_s) {
  return device({.samples = samples, .begin = begin, .end = end, .real_s = real_s});
}

TEST_CASE("a piece lasts a multiple of its examples, not of its measured time") {
  SlowDevice device(3);
  for (const double seconds : {1.0, 1.1, 9.0}) show(device, 8, 0, seconds);
  show(device, 8, 1, 2);

  CHECK(rest_of(device, 8, 0, 1, 1) == Approx(2.3));
  CHECK(rest_of(device, 8, 0, 1, 2) == Approx(1.3));
  CHECK(rest_of(device, 8, 1, 2, 5) == Approx(1));
}

TEST_CASE("pieces measured together last as long as one after the other") {
  SlowDevice device(2);
  show(device, 8, 0, 1);
  show(device, 8, 1, 2);
  show(device, 8, 2, 3);

  CHECK(rest_of(device, 8, 1, 3, 4) == Approx(6));
  // Their individual times are unknown.
  CHECK(device({.samples = 8, .begin = 1, .end = 3, .real_s = 50, .is_example = true}) == 0);
  CHECK(rest_of(device, 8, 1, 3, 4) == Approx(6));
}

TEST_CASE("excess time is taken off later pieces, at most their whole time") {
  SlowDevice device(2);
  show(device, 8, 0, 1);

  CHECK(rest_of(device, 8, 0, 1, 3.5) == 0);          // 1.5 late
  CHECK(rest_of(device, 8, 0, 1, 1) == 0);            // 0.5 late
  CHECK(rest_of(device, 8, 0, 1, 1) == Approx(0.5));  // on time
  CHECK(rest_of(device, 8, 0, 1, 1000) == 0);         // 2 late, the rest is lost
  CHECK(rest_of(device, 8, 0, 1, 0) == Approx(0));    // on time
  CHECK(rest_of(device, 8, 0, 1, 0.25) == Approx(1.75));
}

TEST_CASE("between sizes with examples, times are interpolated; beyond, extrapolated") {
  SlowDevice device(2);
  show(device, 4, 0, 1);
  CHECK(rest_of(device, 8, 0, 1, 0) == Approx(4));  // in proportion to one
  show(device, 8, 0, 1.5);
  show(device, 16, 0, 3);

  CHECK(rest_of(device, 6, 0, 1, 0) == Approx(2.5));
  CHECK(rest_of(device, 12, 0, 1, 0) == Approx(4.5));
  CHECK(rest_of(device, 2, 0, 1, 0) == Approx(1.5));
  CHECK(rest_of(device, 20, 0, 1, 0) == Approx(7.5));
}

TEST_CASE("work without samples takes a multiple of its time") {
  SlowDevice device(3);

  CHECK(rest_of(device, 0, 5, 6, 2) == Approx(4));
}

TEST_CASE("a device at full speed adds no time") {
  SlowDevice device(1);
  show(device, 8, 0, 2);

  CHECK(rest_of(device, 8, 0, 1, 1) == 0);
}

TEST_CASE("a piece without an example is an error") {
  SlowDevice device(2);
  CHECK_THROWS_AS(rest_of(device, 8, 0, 1, 1), std::logic_error);
  show(device, 8, 0, 1);
  CHECK_THROWS_AS(rest_of(device, 8, 1, 2, 1), std::logic_error);
}

}  // namespace
}  // namespace epochcast::real
