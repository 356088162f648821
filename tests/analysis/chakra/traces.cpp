// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/chakra/traces.hpp"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace epochcast::tests {
namespace {

namespace pb = google::protobuf;

const chakra::Attribute* find(const chakra::Node& node, const std::string& name) {
  for (const chakra::Attribute& attribute : node.attr()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

RankTrace read_rank(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  pb::io::IstreamInputStream stream(&in);
  RankTrace trace;
  bool is_end = false;
  if (!pb::util::ParseDelimitedFromZeroCopyStream(&trace.metadata, &stream, &is_end))
    throw std::runtime_error(file.string() + " has no metadata");
  while (true) {
    chakra::Node node;
    if (!pb::util::ParseDelimitedFromZeroCopyStream(&node, &stream, &is_end)) break;
    trace.nodes.push_back(node);
  }
  if (!is_end) throw std::runtime_error(file.string() + " has something that is no node");
  return trace;
}

}  // namespace

TraceFolder::TraceFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "epochcast-et-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

TraceFolder::~TraceFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<RankTrace> TraceFolder::read(const std::string& name) const {
  std::vector<RankTrace> ranks;
  const auto file = [&] { return path_ / (name + "." + std::to_string(ranks.size()) + ".et"); };
  while (std::filesystem::exists(file())) ranks.push_back(read_rank(file()));
  return ranks;
}

std::string TraceFolder::groups(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path_ / (name + ".groups.json")).rdbuf();
  return text.str();
}

std::int64_t integer(const chakra::Node& node, const std::string& name) {
  const chakra::Attribute* found = find(node, name);
  if (found == nullptr) throw std::runtime_error("no attribute " + name);
  return found->has_int64_val() ? found->int64_val() : found->int32_val();
}

bool has(const chakra::Node& node, const std::string& name) { return find(node, name) != nullptr; }

std::int64_t count(const RankTrace& trace, chakra::NodeType type) {
  return std::ranges::count(trace.nodes, type, &chakra::Node::type);
}

double computed_us(const RankTrace& trace) {
  double sum_us = 0;
  for (const chakra::Node& node : trace.nodes) {
    if (node.type() == chakra::COMP_NODE) sum_us += static_cast<double>(node.duration_micros());
  }
  return sum_us;
}

double play_us(const std::vector<RankTrace>& ranks, const std::string& groups) {
  // The counterparts of a node: the n-th of a group or of a pair, by kind.
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> calls;
  std::map<std::string, std::size_t> sizes;
  const auto group_ranks = nlohmann::json::parse(groups);
  std::vector<std::vector<std::string>> call_of(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::map<std::string, int> ordinals;
    for (std::size_t i = 0; i < ranks[rank].nodes.size(); ++i) {
      const chakra::Node& node = ranks[rank].nodes[i];
      std::string key;
      if (node.type() == chakra::COMM_COLL_NODE) {
        const chakra::Attribute* group = find(node, "pg_name");
        const std::string name = group == nullptr ? "0" : group->string_val();
        key = "group " + name + " " + std::to_string(ordinals[name]++) + " type " +
              std::to_string(integer(node, "comm_type")) + " size " +
              std::to_string(integer(node, "comm_size"));
        sizes[key] = name == "0" ? ranks.size() : group_ranks.at(name).size();
      } else if (node.type() != chakra::COMP_NODE) {
        key = "message " + std::to_string(integer(node, "comm_src")) + " " +
              std::to_string(integer(node, "comm_dst")) + " " +
              std::to_string(integer(node, "comm_tag")) + " size " +
              std::to_string(integer(node, "comm_size"));
        sizes[key] = 2;
      }
      call_of[rank].push_back(key);
      if (!key.empty()) calls[key].emplace_back(rank, i);
    }
  }
  std::vector<std::vector<std::optional<double>>> end_us(ranks.size());
  std::vector<double> free_us(ranks.size(), 0);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    end_us[rank].resize(ranks[rank].nodes.size());
  const auto ready_us = [&](std::size_t rank, std::size_t i) -> std::optional<double> {
    double latest_us = 0;
    for (const std::uint64_t id : ranks[rank].nodes[i].data_deps()) {
      const auto& end = end_us[rank][id - 1];
      if (!end) return std::nullopt;
      latest_us = std::max(latest_us, *end);
    }
    return latest_us;
  };
  double last_us = 0;
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::size_t i = 0; i < ranks[rank].nodes.size(); ++i) {
        if (end_us[rank][i]) continue;
        auto ready = ready_us(rank, i);
        if (!ready) continue;
        const std::string& key = call_of[rank][i];
        if (key.empty()) {
          end_us[rank][i] = free_us[rank] =
              std::max(*ready, free_us[rank]) +
              static_cast<double>(ranks[rank].nodes[i].duration_micros());
        } else {
          if (calls[key].size() != sizes[key]) continue;
          for (const auto& [other, at] : calls[key]) {
            const auto theirs = ready_us(other, at);
            ready = ready && theirs ? std::optional(std::max(*ready, *theirs)) : std::nullopt;
          }
          if (!ready) continue;
          for (const auto& [other, at] : calls[key]) end_us[other][at] = ready;
        }
        last_us = std::max(last_us, *end_us[rank][i]);
        moves = true;
      }
    }
  }
  for (const auto& rank : end_us) {
    if (std::ranges::any_of(rank, [](const auto& end) { return !end; })) return -1;
  }
  return last_us;
}

}  // namespace epochcast::tests
