// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace epochcast {

/// A half-open range [begin, end) of the payload, in units of 1/divisions of it.
///
/// With n elements, unit i starts at first_element(i, divisions, n); for timing a unit is exactly
/// bytes/divisions (the difference is below one element per unit).
struct Block {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t size() const { return end - begin; }
  bool operator==(const Block&) const = default;
};

/// floor(unit·elements/divisions), without overflow while divisions squared has none.
[[nodiscard]] inline std::int64_t first_element(std::int64_t unit,
                                                std::int64_t divisions,
                                                std::int64_t elements) {
  return unit * (elements / divisions) + unit * (elements % divisions) / divisions;
}

enum class ActionKind {
  send,         ///< send the block's value at the beginning of the round
  receive,      ///< overwrite the block with the received one
  receive_add,  ///< add the received block
};

/// One transfer of one rank.
struct Action {
  ActionKind kind = ActionKind::send;
  int peer = 0;
  Block block;

  bool operator==(const Action&) const = default;
};

/// The concurrent transfers of one rank: all are posted together, and the round ends when all are
/// complete.
using Round = boost::container::small_vector<Action, 4>;

/// Rounds [begin, end) in which every rank repeats the same peers and block sizes with this period.
struct RepeatedRounds {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t period = 1;
};

/// How a library moves the messages of a schedule, if not as plain messages. Simulators charge it;
/// real fabrics execute the schedule alone.
///
/// Messages are pipelined: latencies count once, along the longest chain of messages that depend on
/// each other. Received data is added while it arrives.
struct MessageTransport {
  double start_s = 0;                   ///< before the first message
  std::int64_t hops_in_node = 0;        ///< of the longest chain
  std::int64_t hops_between_nodes = 0;  ///< of the longest chain
  /// Latency of a hop, its link's included; a measured one takes precedence if it is larger.
  double hop_in_node_s = 0;
  /// The same; the latency of the route takes precedence if it is larger.
  double hop_between_nodes_s = 0;
  double bytes_per_payload_byte = 1;  ///< on links: with flags and other overhead
  /// Of payload, by one message.
  double most_bytes_per_s = std::numeric_limits<double>::infinity();

  bool operator==(const MessageTransport&) const = default;
};

/// A collective as a pure function: the transfers of each rank, round by round.
///
/// Contract: every send has exactly one matching receive; transfers between an ordered pair of
/// ranks match in the order of their rounds (and in order of listing within a round). Rounds are
/// local to a rank; nothing synchronises ranks but the transfers. Rounds are computed on demand,
/// since a ring of 10,000 ranks has 200 million of them.
class Schedule {
 public:
  virtual ~Schedule() = default;

  /// Number of ranks that take part.
  [[nodiscard]] virtual int ranks() const = 0;
  /// Number of units the payload is divided into.
  [[nodiscard]] virtual std::int64_t divisions() const = 0;
  /// Number of rounds of one rank.
  [[nodiscard]] virtual std::int64_t rounds(int rank) const = 0;
  /// The transfers of one rank in one round; may be empty.
  [[nodiscard]] virtual Round round(int rank, std::int64_t index) const = 0;
  /// Disjoint, ascending runs of repeated rounds, the same for all ranks; a simulator may skip
  /// inside them.
  [[nodiscard]] virtual std::vector<RepeatedRounds> repeated() const { return {}; }
  /// Absent: plain messages.
  [[nodiscard]] virtual std::optional<MessageTransport> transport() const { return std::nullopt; }
};

}  // namespace epochcast
