// SPDX-License-Identifier: Apache-2.0
#include "analysis/chakra/execution_trace.hpp"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "execution_trace.pb.h"

namespace epochcast {
namespace {

constexpr const char* kSchemaVersion = "0.0.4";
constexpr double kMicrosecondsPerSecond = 1e6;
/// ASTRA-sim cuts a collective into chunks, and those into as many messages as it has members: it
/// hangs or stops if a message becomes empty.
constexpr std::int64_t kLeastBytes = 4096;
constexpr std::int64_t kLeastBytesPerMember = 64;
constexpr int kDimensions = 4;  // of a topology; ASTRA-sim ignores surplus ones

chakra::Attribute& attribute(chakra::Node& node, const char* name) {
  chakra::Attribute& added = *node.add_attr();
  added.set_name(name);
  return added;
}

/// Rounds up to whole bytes; 0 stays 0.
std::int64_t whole_bytes(double bytes) { return std::max<std::int64_t>(1, std::llround(bytes)); }

chakra::CollectiveType collective_type(RecordedKind kind) {
  switch (kind) {
    case RecordedKind::broadcast:
      return chakra::BROADCAST;
    case RecordedKind::reduce_scatter:
      return chakra::REDUCE_SCATTER;
    case RecordedKind::all_gather:
      return chakra::ALL_GATHER;
    default:
      return chakra::ALL_REDUCE;  // barriers too
  }
}

/// Makes one rank's nodes, in order.
class NodeMaker {
 public:
  NodeMaker(int rank, const std::vector<std::vector<int>>& groups) : rank_(rank), groups_(groups) {}

  [[nodiscard]] chakra::Node make(const RecordedAction& action) {
    chakra::Node node;
    node.set_id(++last_id_);
    node.set_name(action.name);
    for (const std::uint32_t index : action.after) node.add_data_deps(index + 1);
    node.set_start_time_micros(
        static_cast<std::uint64_t>(std::llround(action.start_s * kMicrosecondsPerSecond)));
    // In ASTRA-sim a worker is a device, which computes one thing at a time.
    attribute(node, "is_cpu_op").set_bool_val(false);
    switch (action.kind) {
      case RecordedKind::compute:
        set_compute(node, action);
        break;
      case RecordedKind::send:
      case RecordedKind::receive:
        set_message(node, action);
        break;
      default:
        set_collective(node, action);
    }
    return node;
  }

 private:
  void set_compute(chakra::Node& node, const RecordedAction& action) {
    node.set_type(chakra::COMP_NODE);
    computed_s_ += action.seconds;
    const auto until_us =
        static_cast<std::uint64_t>(std::llround(computed_s_ * kMicrosecondsPerSecond));
    node.set_duration_micros(until_us - computed_us_);
    computed_us_ = until_us;
  }

  void set_message(chakra::Node& node, const RecordedAction& action) const {
    const bool is_send = action.kind == RecordedKind::send;
    node.set_type(is_send ? chakra::COMM_SEND_NODE : chakra::COMM_RECV_NODE);
    attribute(node, "comm_size").set_int64_val(whole_bytes(action.bytes));
    attribute(node, "comm_src").set_int32_val(is_send ? rank_ : action.peer);
    attribute(node, "comm_dst").set_int32_val(is_send ? action.peer : rank_);
    attribute(node, "comm_tag").set_int32_val(static_cast<std::int32_t>(action.tag));
  }

  void set_collective(chakra::Node& node, const RecordedAction& action) const {
    node.set_type(chakra::COMM_COLL_NODE);
    const auto members =
        static_cast<std::int64_t>(groups_[static_cast<std::size_t>(action.group)].size());
    attribute(node, "comm_type").set_int64_val(collective_type(action.kind));
    attribute(node, "comm_size")
        .set_int64_val(
            std::max({kLeastBytes, kLeastBytesPerMember * members, whole_bytes(action.bytes)}));
    chakra::BoolList& dimensions = *attribute(node, "involved_dim").mutable_bool_list();
    for (int i = 0; i < kDimensions; ++i) dimensions.add_values(true);
    if (action.group > 0) attribute(node, "pg_name").set_string_val(std::to_string(action.group));
    if (action.kind != RecordedKind::broadcast) return;
    attribute(node, "comm_src").set_int32_val(action.peer);
    // ASTRA-sim takes a broadcast's time from its node.
    node.set_duration_micros(
        static_cast<std::uint64_t>(std::llround(action.seconds * kMicrosecondsPerSecond)));
  }

  int rank_;
  const std::vector<std::vector<int>>& groups_;
  std::uint64_t last_id_ = 0;
  double computed_s_ = 0;
  std::uint64_t computed_us_ = 0;
};

void write_rank(const Recording& recording, int rank, const std::filesystem::path& file) {
  const auto content = [&](std::ostream& out) {
    google::protobuf::io::OstreamOutputStream stream(&out);
    chakra::GlobalMetadata metadata;
    metadata.set_version(kSchemaVersion);
    bool is_good = google::protobuf::util::SerializeDelimitedToZeroCopyStream(metadata, &stream);
    NodeMaker maker(rank, recording.groups);
    for (const RecordedAction& action : recording.by_rank[static_cast<std::size_t>(rank)]) {
      is_good = is_good && google::protobuf::util::SerializeDelimitedToZeroCopyStream(
                               maker.make(action), &stream);
    }
    if (!is_good) out.setstate(std::ios::failbit);
  };
  OutputFile(file).write(content, Safety::cache);  // thousands of files: no fsync for each
}

/// {"1": [0, 1], "2": [2, 3]}: group 0, all ranks, is implicit.
void write_groups(const std::vector<std::vector<int>>& groups, const std::filesystem::path& file) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 1; i < groups.size(); ++i) json[std::to_string(i)] = groups[i];
  OutputFile(file).write(json.dump() + "\n");
}

}  // namespace

void write_execution_traces(Recording recording,
                            const std::filesystem::path& folder,
                            const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw RunError(folder.string() + ": cannot be made: " + error.message());
  match_messages(recording);
  for (std::size_t rank = 0; rank < recording.by_rank.size(); ++rank) {
    write_rank(
        recording, static_cast<int>(rank), folder / (name + "." + std::to_string(rank) + ".et"));
  }
  write_groups(recording.groups, folder / (name + ".groups.json"));
}

}  // namespace epochcast
