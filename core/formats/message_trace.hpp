// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/source.hpp"

namespace epochcast {

/// Links whose bandwidths differ by less than this factor count as equal: measurements vary as
/// much.
constexpr double kEqualLinks = 1.08;

/// The measured times of one kind of message at one size.
struct MessageCost {
  /// "ping-pong", "opposite", "ring-step", "hub-step", "reduce" or "all-reduce"
  /// (docs/formats.md)
  std::string kind;
  std::string scope;           ///< "node", "between" (nodes) or "all" (ranks)
  std::string algorithm = {};  ///< of all-reduces
  /// Of these nodes only, for measurements of single nodes' links: the two of a pair, the hub, or
  /// all nodes with participating ranks. Else empty.
  std::vector<int> nodes = {};
  std::int64_t bytes = 0;
  std::vector<double> samples_s = {};  ///< of the slowest rank, in the order measured
  int session = 0;                     ///< index of its file

  bool operator==(const MessageCost&) const = default;
};

/// Message costs between the ranks of a job.
struct MessageTrace {
  std::string file = {};
  std::string name;
  std::string title;
  Source source;
  std::vector<int> node_of_rank;
  std::vector<MessageCost> costs = {};

  [[nodiscard]] int node_count() const;

  bool operator==(const MessageTrace&) const = default;
};

/// Reads `epochcast.message-trace/1`. Throws a UserError that lists every problem.
[[nodiscard]] MessageTrace parse_message_trace(const nlohmann::json& document,
                                               const std::string& file);
[[nodiscard]] MessageTrace load_message_trace(const std::filesystem::path& file);
/// The document `epochcast.message-trace/1` of a single session.
[[nodiscard]] nlohmann::ordered_json to_json(const MessageTrace& trace);

/// The trace with samples to 7 significant digits, as clocks give them.
[[nodiscard]] MessageTrace rounded(MessageTrace trace);

/// Several sessions of the same ranks as one trace with the name of the first. Throws a UserError
/// if the ranks' nodes differ between files. `files` is not empty.
[[nodiscard]] MessageTrace load_message_sessions(const std::vector<std::filesystem::path>& files);

}  // namespace epochcast
