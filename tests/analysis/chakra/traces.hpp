// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "execution_trace.pb.h"

namespace epochcast::tests {

/// One rank's file, read back with protobuf.
struct RankTrace {
  chakra::GlobalMetadata metadata;
  std::vector<chakra::Node> nodes;
};

/// A temporary folder.
class TraceFolder {
 public:
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// NAME.0.et, NAME.1.et, ... Throws for a file of another format.
  [[nodiscard]] std::vector<RankTrace> read(const std::string& name) const;
  [[nodiscard]] std::string groups(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// The attribute's value; throws when there is none.
[[nodiscard]] std::int64_t integer(const chakra::Node& node, const std::string& name);
[[nodiscard]] bool has(const chakra::Node& node, const std::string& name);
[[nodiscard]] std::int64_t count(const RankTrace& trace, chakra::NodeType type);
/// Microseconds of computing.
[[nodiscard]] double computed_us(const RankTrace& trace);

/// Plays the traces as ASTRA-sim does: a node starts after its dependencies; a collective
/// ends when all ranks of its group have reached it, a message when both sides have; a rank
/// computes one thing at a time, and exchanging takes no time. Returns the end of the last
/// rank, in microseconds; negative for a deadlock. `groups`: the content of the groups'
/// file.
[[nodiscard]] double play_us(const std::vector<RankTrace>& ranks, const std::string& groups);

}  // namespace epochcast::tests
