// SPDX-License-Identifier: Apache-2.0
#include "base/statistics/random.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("splitmix64 gives the reference implementation's first numbers") {
  Random random(1234567);

  // https://prng.di.unimi.it/splitmix64.c, seed 1234567
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
  CHECK(random.next() == 9817491932198370423U);
}

TEST_CASE("equal seeds give equal streams, different seeds different ones") {
  Random one(7);
  Random same(7);
  Random other(8);

  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = one.next();
    CHECK(number == same.next());
    CHECK(number != other.next());
  }
}

TEST_CASE("uniform numbers lie in [0, 1) with mean 1/2 and variance 1/12") {
  Random random(1);
  const int count = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform();
    REQUIRE(x >= 0);
    REQUIRE(x < 1);
    sum += x;
    squares += x * x;
  }

  // Five standard errors: sqrt(1/12/100000) = 0.0009; that of the second moment is about the same.
  CHECK(sum / count == Approx(0.5).margin(0.0046));
  CHECK(squares / count - 0.25 == Approx(1.0 / 12).margin(0.0047));
}

TEST_CASE("normal numbers have mean 0 and variance 1") {
  Random random(2);
  const int count = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }

  // Five standard errors: 1/sqrt(100000) = 0.0032 and sqrt(2/100000) = 0.0045.
  CHECK(sum / count == Approx(0).margin(0.016));
  CHECK(squares / count == Approx(1).margin(0.023));
}

TEST_CASE("streams mixed from one seed differ from each other and from the seed's own") {
  CHECK(mix_seed(1, 0) != mix_seed(1, 1));
  CHECK(mix_seed(1, 0) != mix_seed(2, 0));
  CHECK(mix_seed(1, 2) != mix_seed(2, 1));
  CHECK(mix_seed(3, 4) == mix_seed(3, 4));
}

}  // namespace
}  // namespace epochcast::tests
