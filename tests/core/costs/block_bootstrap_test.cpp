// SPDX-License-Identifier: Apache-2.0
#include "core/costs/block_bootstrap.hpp"

#include <algorithm>
#include <vector>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a block takes successive samples, and the first one after the last") {
  const BlockBootstrap bootstrap(7);
  const std::size_t samples = 40;  // blocks of 8

  const double begin = bootstrap.place(16, samples);

  for (int i = 1; i < 8; ++i) {
    const double place = begin + i / 40.0;
    CHECK(bootstrap.place(16 + i, samples) == Approx(place - std::floor(place)).margin(1e-12));
  }
}

TEST_CASE("sessions of similar length begin their blocks at the same batches") {
  const BlockBootstrap bootstrap(7);

  for (int block = 0; block < 20; ++block) {
    const double begin = bootstrap.place(8 * block, 40);
    CHECK(bootstrap.place(8 * block, 32) == begin);
    CHECK(bootstrap.place(8 * block, 63) == begin);
  }
}

TEST_CASE("blocks of short sessions have one sample") {
  const BlockBootstrap bootstrap(7);

  for (int batch = 0; batch < 20; ++batch) {
    CHECK(bootstrap.place(batch, 1) == bootstrap.place(batch, 7));
    CHECK(bootstrap.place(batch, 1) < 1);
  }
}

TEST_CASE("beginnings of blocks are uniformly distributed over the session") {
  std::vector<double> begins(4000);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    begins[i] = BlockBootstrap(11).place(8 * static_cast<std::int64_t>(i), 40);
    CHECK(begins[i] >= 0);
    CHECK(begins[i] < 1);
  }
  std::sort(begins.begin(), begins.end());

  // Kolmogorov-Smirnov: 1.95 / sqrt(n) is exceeded once in a thousand.
  for (std::size_t i = 0; i < begins.size(); ++i)
    CHECK(std::abs(begins[i] - static_cast<double>(i) / 4000) < 1.95 / std::sqrt(4000));
}

TEST_CASE("other seeds draw other blocks") {
  int alike = 0;
  for (int block = 0; block < 100; ++block)
    alike += std::abs(BlockBootstrap(1).place(8 * block, 40) -
                      BlockBootstrap(2).place(8 * block, 40)) < 0.01;

  CHECK(alike < 10);  // 2 are expected
}

}  // namespace
}  // namespace epochcast::tests
