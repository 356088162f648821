// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/costs/measured_all_reduces.hpp"

namespace epochcast {

/// A message of `from_bytes` or more, up to the next regime, takes latency_s + bytes / bytes_per_s:
/// protocols change with the size (eager, rendezvous, segments).
struct MessageRegime {
  double from_bytes = 0;
  double latency_s = 0;
  double bytes_per_s = 1;

  bool operator==(const MessageRegime&) const = default;
};

/// A cluster on which messages were measured.
struct MeasuredOn {
  int nodes = 1;
  int ranks_per_node = 1;  ///< the largest number on any node

  bool operator==(const MeasuredOn&) const = default;
};

/// Standard deviation of the logarithm of message times on a cluster other than the measured one
/// (more nodes, other ranks per node, other links), in addition to MessageCosts::uncertainty. From
/// 80 emulated epochs on clusters other than the calibrated one, nine of ten of which were forecast
/// to 7.2 % (2026-11-28, Intel Xeon, 2 cores, KVM): 0.072 / 1.645, rounded up.
constexpr double kExtrapolationDeviation = 0.05;
/// The same of all-reduces of the MPI library that were not measured: its decision table names the
/// algorithm, but its segments and protocols are not modelled. From drawn rows, 3 to 33 % too
/// short (2026-11-28, Intel Xeon, 2 cores, KVM): 0.33 / 1.645.
constexpr double kUnmeasuredLibraryDeviation = 0.2;

/// Costs of messages between two workers in addition to the links they cross, measured between
/// running programs.
///
/// Piecewise linear as in SMPI (Clauss et al., "Single Node On-Line Simulation of MPI Applications
/// with SMPI", IPDPS 2011): a message takes the time of its regime, or longer if it shares links.
struct MessageCosts {
  std::vector<MessageRegime> regimes;  ///< ascending, the first from 0
  /// Standard deviation of the logarithm of the times of large messages, at most kMostUncertainty;
  /// 0.02: some 2 %.
  double uncertainty = 0;
  std::optional<MeasuredOn> measured_on = {};       ///< absent: unknown, taken as the job's own
  std::vector<std::string> notes = {};              ///< warnings about them
  std::vector<MeasuredAllReduce> all_reduces = {};  ///< which these costs were compared with

  [[nodiscard]] const MessageRegime& regime(double bytes) const;
  /// epochcast::measured_factor() of `all_reduces`.
  [[nodiscard]] double measured_factor(const std::string& all_reduce,
                                       double bytes,
                                       int ranks) const {
    return epochcast::measured_factor(all_reduces, all_reduce, bytes, ranks);
  }
  /// epochcast::uncertainty_of() `all_reduces`, with `uncertainty` as that of messages.
  [[nodiscard]] double uncertainty_of(const std::string& all_reduce,
                                      double bytes,
                                      int ranks) const {
    return epochcast::uncertainty_of(all_reduces, uncertainty, all_reduce, bytes, ranks);
  }
  /// One message, alone.
  [[nodiscard]] double message_s(double bytes) const {
    const MessageRegime& found = regime(bytes);
    return found.latency_s + bytes / found.bytes_per_s;
  }

  bool operator==(const MessageCosts&) const = default;
};

/// Message costs between two ends with different costs among their own kind: half of each
/// latency, the lower bandwidth, the larger uncertainty, and the notes of both.
[[nodiscard]] MessageCosts between_ends(const MessageCosts& a, const MessageCosts& b);

}  // namespace epochcast
