// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
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
  /// What a member is in it on average, of what its messages say: some leave before the slowest
  /// does.
  double member_share = 1;
  double measured_late_s = 0;  ///< where its members come one after another; 0: not known

  bool operator==(const MeasuredAllReduce&) const = default;
};

/// What a message of this size takes in some kind of exchange, as a share of what it takes in
/// another.
struct MessageShare {
  double bytes = 1;
  double share = 1;

  bool operator==(const MessageShare&) const = default;
};

/// What a member of a collective does at a time.
enum class Exchange {
  around,    ///< sends to one member and receives from another, as in a ring, or more of that
  pairwise,  ///< exchanges messages with one other member
  one_way    ///< only sends, or only receives
};

/// Who takes turns, if anybody does; see MessageCosts::turns_from_bytes.
enum class Turns { nobody, two_together, two_in_a_row, two_one_late, many_together, many };

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

/// The MPI library's own all-reduce, whose messages may take turns.
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
  /// From this size on, two workers that exchange messages by a blocking call of the library, as
  /// its own collectives do, take turns: who comes later sends when the other's has arrived.
  /// Infinite: never. (Over TCP, the answer that lets a large message begin waits behind what the
  /// socket has already taken of the other one.)
  double turns_from_bytes = std::numeric_limits<double>::infinity();
  /// How much of the later message waits where more than two take part: 1 all of it, 0 nothing. By
  /// chance, some exchanges take turns and others do not. Which of two is later is chance, too.
  /// More of it does where they come one after another: see MeasuredAllReduce::measured_late_s.
  double turns_share = 1;
  double turns_share_of_two_together = 0;  ///< where two take part that come together
  /// Where two take part, of whom one comes later, by the bytes that they reduce. Empty: all of it.
  std::vector<MessageShare> turns_one_late = {};
  /// Likewise where two come straight from an all-reduce of their own, as buckets follow each
  /// other, by the bytes that are reduced, ascending. Empty: as where they come together.
  std::vector<MessageShare> turns_in_a_row = {};
  /// What messages take between two that exchange them with each other alone, as a share of what
  /// they take around a ring, as long as links have room. By size, ascending; shares of other sizes
  /// lie between, by the logarithm of the size. Empty: it does not matter who sends what.
  std::vector<MessageShare> pairwise = {};
  /// Likewise of what goes one way, as a share of what goes both ways between two: links have so
  /// much less to carry. (Over TCP, acknowledgements share them.)
  std::vector<MessageShare> one_way = {};
  std::optional<MeasuredOn> measured_on = {};       ///< absent: unknown, taken as what is asked
  std::vector<std::string> notes = {};              ///< what to know before trusting them
  std::vector<MeasuredAllReduce> all_reduces = {};  ///< which these costs were compared with

  [[nodiscard]] const MessageRegime& regime(double bytes) const;
  /// How much of the later of two messages of this size waits, in an all-reduce of `all_bytes`.
  [[nodiscard]] double share_of_turns(Turns turns, double bytes, double all_bytes) const;
  /// What a message by itself takes in such an exchange, as a share of what it takes in a ring.
  [[nodiscard]] double share_of(Exchange kind, double bytes) const;
  /// What links have to carry of it, as a share of what they have in a ring.
  [[nodiscard]] double load_of(Exchange kind, double bytes) const;
  /// How many times as long an all-reduce takes as its messages say, where this algorithm was
  /// measured among as many ranks: between sizes, by their logarithm. 1 where it was not.
  /// `Turns::many`: as with members that do not come together, if that was measured.
  [[nodiscard]] double measured_factor(const std::string& all_reduce,
                                       double bytes,
                                       int ranks,
                                       Turns turns = Turns::nobody) const;
  /// How long members are in it on average, of what its messages say, likewise.
  [[nodiscard]] double member_share(const std::string& all_reduce, double bytes, int ranks) const;
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
/// end adds half of its latency, the slower one's bandwidth counts, and of barriers, shares and
/// uncertainties the larger one; the notes of both.
[[nodiscard]] MessageCosts between_ends(const MessageCosts& a, const MessageCosts& b);

/// The "messages" object of a platform, and back; problems are collected in `input`.
[[nodiscard]] nlohmann::ordered_json to_json(const MessageCosts& costs);
[[nodiscard]] MessageCosts read_message_costs(JsonInput input);

}  // namespace epochcast
