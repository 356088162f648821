// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/registry.hpp"
#include "collectives/schedule.hpp"
#include "tests/collectives/execute.hpp"

namespace epochcast::tests {

/// Rank counts on which every schedule is tested: all small ones, and larger powers of two.
inline std::vector<int> tested_rank_counts() {
  std::vector<int> counts;
  for (int ranks = 1; ranks <= 17; ++ranks) counts.push_back(ranks);
  counts.push_back(32);
  counts.push_back(64);
  return counts;
}

/// `ranks` ranks in rank order on nodes of `per_node`; the last node may have fewer.
inline GroupShape shape_of(int ranks, int per_node) {
  GroupShape shape;
  for (int rank = 0; rank < ranks; ++rank) shape.node_of_rank.push_back(rank / per_node);
  return shape;
}

/// Payloads in which every element of every rank differs: element i of rank r is 1000·r + i.
inline std::vector<std::vector<std::int64_t>> numbered_payloads(int ranks, int elements) {
  std::vector<std::vector<std::int64_t>> payloads;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    auto& payload = payloads.emplace_back();
    for (std::int64_t i = 0; i < elements; ++i) payload.push_back(1000 * rank + i);
  }
  return payloads;
}

/// The sum of numbered_payloads(ranks, elements).
inline std::vector<std::int64_t> numbered_sum(int ranks, int elements) {
  std::vector<std::int64_t> sum;
  for (std::int64_t i = 0; i < elements; ++i) {
    sum.push_back(1000 * (std::int64_t{ranks} * (ranks - 1) / 2) + ranks * i);
  }
  return sum;
}

/// Executes a schedule on numbers whose elements are few against its divisions unless more are
/// asked for.
inline ExecutedPayloads<std::int64_t> execute_numbered(const Schedule& schedule, int elements = 1) {
  return execute(schedule, numbered_payloads(schedule.ranks(), elements));
}

/// A schedule without all but `kept` periods of each of its runs, starting at the run's period
/// `skipped`.
class Shortened : public Schedule {
 public:
  Shortened(const Schedule& whole, std::int64_t skipped, std::int64_t kept)
      : whole_(whole), runs_(whole.repeated()), skipped_(skipped), kept_(kept) {}

  [[nodiscard]] int ranks() const override { return whole_.ranks(); }
  [[nodiscard]] std::int64_t divisions() const override { return whole_.divisions(); }
  [[nodiscard]] std::int64_t rounds(int rank) const override {
    std::int64_t rounds = whole_.rounds(rank);
    for (const RepeatedRounds& run : runs_) rounds -= omitted(run);
    return rounds;
  }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override {
    for (const RepeatedRounds& run : runs_) {
      if (index >= run.begin + skipped_ * run.period) index += omitted(run);
    }
    return whole_.round(rank, index);
  }

 private:
  [[nodiscard]] std::int64_t omitted(const RepeatedRounds& run) const {
    const std::int64_t periods = (run.end - run.begin) / run.period;
    return periods <= skipped_ + kept_ ? 0 : (periods - skipped_ - kept_) * run.period;
  }

  const Schedule& whole_;
  std::vector<RepeatedRounds> runs_;
  std::int64_t skipped_;
  std::int64_t kept_;
};

}  // namespace epochcast::tests
