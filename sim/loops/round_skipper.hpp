// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/fabric.hpp"

namespace epochcast::sim {

/// Watches the repeated rounds of one collective, and omits those in steady state.
///
/// Once every rank's clock has advanced by one and the same λ over each of two successive periods,
/// the message pattern is in steady state (for the max-plus system that a schedule is, x(k+1) =
/// x(k) + λ for all ranks implies it for all later k). All ranks then omit the same whole periods
/// and owe λ for each; they pay at the end of the collective.
class RoundSkipper {
 public:
  /// `may_omit`: asked before rounds are omitted.
  RoundSkipper(
      const Schedule& schedule, bool is_enabled, std::function<bool()> may_omit = [] {
        return true;
      });

  /// Reports that `rank` has completed `round` at `clock_s`, having sent `traffic` in it. Returns
  /// its next round.
  std::int64_t completed(int rank, std::int64_t round, double clock_s, const Traffic& traffic);

  /// Seconds that the rank has omitted so far.
  [[nodiscard]] double omitted_s(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].omitted_s;
  }
  /// Whether rounds have been omitted: this is valid only if nothing else used the links meanwhile.
  [[nodiscard]] bool has_omitted() const { return omitted_s(0) > 0; }
  /// Bytes that the rank has sent, those of omitted rounds included.
  [[nodiscard]] const Traffic& traffic(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].traffic;
  }

 private:
  struct Rank {
    double previous_s = 0;  ///< clock at the last period boundary
    double omitted_s = 0;
    Traffic traffic;
    Traffic at_boundary;  ///< traffic at the last period boundary
    Traffic per_period;
  };
  /// One period boundary of the current run.
  struct Boundary {
    int reached = 0;
    double least_s = 0;
    double most_s = 0;  ///< of the ranks' clock advances since the boundary before
  };
  struct Watch {
    RepeatedRounds rounds;
    std::vector<Boundary> boundaries;
    std::int64_t furthest = 0;        ///< the last boundary that any rank has reached
    std::optional<std::int64_t> cut;  ///< the boundary at which all ranks omit periods
    std::int64_t omitted_periods = 0;
    double period_s = 0;
  };
  void look(Watch& watch, std::int64_t boundary);

  int size_;
  std::function<bool()> may_omit_;
  std::vector<Rank> ranks_;
  std::vector<Watch> watches_;
};

}  // namespace epochcast::sim
