// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json_input.hpp"

namespace epochcast {

/// A message of `from_bytes` or more, up to the next regime, takes latency_s + bytes / bytes_per_s:
/// protocols change with the size (eager, rendezvous, segments).
struct MessageRegime {
  double from_bytes = 0;
  double latency_s = 0;
  double bytes_per_s = 1;

  bool operator==(const MessageRegime&) const = default;
};

/// An all-reduce among all ranks (of the cluster, or of each node), and what its messages say of
/// it.
struct MeasuredAllReduce {
  std::string algorithm;
  double bytes = 0;
  double measured_s = 1;
  double forecast_s = 1;
  int ranks = 0;         ///< among so many; 0: not known
  double deviation = 0;  ///< of the logarithm of what a run may take from what was measured
  /// Larger than any that was measured: `measured_s` is in proportion to the largest one.
  bool is_extrapolated = false;

  bool operator==(const MeasuredAllReduce&) const = default;
};

/// A cluster on which messages were measured.
struct MeasuredOn {
  int nodes = 1;
  int ranks_per_node = 1;  ///< the most of any node

  bool operator==(const MeasuredOn&) const = default;
};

/// Standard deviation of the logarithm of what messages take on a cluster other than the measured
/// one (more nodes, other ranks per node, other links), beside MessageCosts::uncertainty. From 80
/// emulated epochs on clusters other than the calibrated one, nine of ten of which were forecast to
/// 7.2 % (2026-11-28, Intel Xeon, 2 cores, KVM): 0.072 / 1.645, rounded up.
constexpr double kExtrapolationDeviation = 0.05;

/// The MPI library's own all-reduce.
inline constexpr const char* kLibrary = "openmpi";

/// The largest uncertainty with which costs say anything: a factor of 2.7 either way.
constexpr double kMostUncertainty = 1;

/// What messages between two workers cost beyond the links they cross, as measured between running
/// programs.
///
/// Piecewise linear as in SMPI (Clauss et al., "Single Node On-Line Simulation of MPI Applications
/// with SMPI", IPDPS 2011): a message takes what its regime says, or longer where it shares links.
struct MessageCosts {
  std::vector<MessageRegime> regimes;  ///< ascending, the first from 0
  /// Standard deviation of the logarithm of what large messages take, at most kMostUncertainty;
  /// 0.02: some 2 %.
  double uncertainty = 0;
  double barrier_round_s =
      0;  ///< a round of the barrier that a collective begins with, after a wait
  std::optional<MeasuredOn> measured_on = {};       ///< absent: unknown, taken as what is asked
  std::vector<std::string> notes = {};              ///< what to know before trusting them
  std::vector<MeasuredAllReduce> all_reduces = {};  ///< which these costs were compared with

  [[nodiscard]] const MessageRegime& regime(double bytes) const;
  /// How many times as long an all-reduce takes as its messages say, where this algorithm was
  /// measured among as many ranks: between sizes, by their logarithm. 1 where it was not.
  [[nodiscard]] double measured_factor(const std::string& all_reduce,
                                       double bytes,
                                       int ranks) const;
  /// Standard deviation of the logarithm of what such an exchange takes, at most kMostUncertainty.
  /// Where the algorithm was measured among as many ranks, that of measurements among these of
  /// about this size (the nearest smaller and the nearest larger one; root mean square over all
  /// algorithms, as a few sessions say little by one of them). Elsewhere that of large messages, or
  /// what all-reduces of about this size were off by, if that is more. The library's own all-reduce
  /// is judged by itself, all others together.
  [[nodiscard]] double uncertainty_of(const std::string& all_reduce, double bytes, int ranks) const;
  /// One message, alone.
  [[nodiscard]] double message_s(double bytes) const {
    const MessageRegime& found = regime(bytes);
    return found.latency_s + bytes / found.bytes_per_s;
  }

  bool operator==(const MessageCosts&) const = default;
};

/// What messages cost between two ends that know what they cost between two of their own kind: each
/// end adds half of its latency, the slower one's bandwidth counts, and of barriers and
/// uncertainties the larger one; the notes of both.
[[nodiscard]] MessageCosts between_ends(const MessageCosts& a, const MessageCosts& b);

/// The "messages" object of a platform, and back; problems are collected in `input`.
[[nodiscard]] nlohmann::ordered_json to_json(const MessageCosts& costs);
[[nodiscard]] MessageCosts read_message_costs(JsonInput input);

}  // namespace epochcast
