// SPDX-License-Identifier: Apache-2.0
#include "real/measure/messages/message_points.hpp"

#include <algorithm>
#include <utility>

#include "real/measure/sampling/node_links.hpp"

namespace epochcast::real {
namespace {

/// Points of links and protocols take this share of the time of a point.
constexpr double kShareOfLinks = 0.3;
constexpr std::int64_t kSmallOfLinks = 1024;
constexpr std::int64_t kLargeOfLinks = 4 << 20;
constexpr int kFewestNodes = 3;  ///< two nodes have only one link between them

std::vector<WorkerInfo> workers_of(const std::vector<int>& node_of_rank) {
  std::vector<WorkerInfo> workers;
  workers.reserve(node_of_rank.size());
  for (const int node : node_of_rank)
    workers.push_back({.node = node, .device_class = "cpu", .model = "cpu"});
  return workers;
}

std::vector<int> first_ranks(const std::vector<int>& node_of_rank) {
  std::vector<int> first;
  for (int node = 0;; ++node) {
    const auto found = std::find(node_of_rank.begin(), node_of_rank.end(), node);
    if (found == node_of_rank.end()) return first;
    first.push_back(static_cast<int>(found - node_of_rank.begin()));
  }
}

/// "nodes 0 1 2"
std::string nodes_text(const std::vector<int>& nodes) {
  constexpr std::size_t kMost = 8;
  if (nodes.size() > kMost) return std::to_string(nodes.size()) + " nodes";
  std::string text = nodes.size() == 1 ? "node" : "nodes";
  for (const int node : nodes) text += " " + std::to_string(node);
  return text;
}

/// "between nodes 0 and 3, 1 and 2"
std::string pairs_text(const std::vector<MessageCost>& pairs) {
  constexpr std::size_t kMost = 4;
  const std::size_t named = pairs.size() > kMost ? 1 : pairs.size();
  std::string text = "between nodes ";
  for (std::size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(pairs[i].nodes.front()) + " and " +
            std::to_string(pairs[i].nodes.back());
  }
  if (named < pairs.size()) text += " and " + std::to_string(pairs.size() - named) + " other pairs";
  return text;
}

}  // namespace

std::string MessagePoint::text() const {
  const MessageCost& cost = costs.front();
  const std::string where = cost.nodes.empty()        ? cost.scope
                            : cost.kind == "opposite" ? pairs_text(costs)
                                                      : nodes_text(cost.nodes);
  return cost.kind + (cost.algorithm.empty() ? "" : " " + cost.algorithm) + ", " + where + ", " +
         std::to_string(cost.bytes) + " B";
}

MessagePoints::MessagePoints(const MessageSettings& settings, const std::vector<int>& node_of_rank)
    : settings_(settings),
      fabric_(workers_of(node_of_rank), {}, nullptr, MPI_COMM_WORLD, Cores::messages),
      samples_(fabric_, settings.bytes.back()),
      first_rank_of_node_(first_ranks(node_of_rank)) {
  add_pair(find_pair(node_of_rank, true), "node");
  add_pair(find_pair(node_of_rank, false), "between");
  add_group("all", fabric_.world());
  const bool has_nodes = find_pair(node_of_rank, true) && find_pair(node_of_rank, false);
  if (has_nodes) add_group("node", fabric_.node());
  for (const std::int64_t bytes : whole_floats())
    add({.kind = "reduce", .scope = "all", .bytes = bytes},
        [this, bytes] { return samples_.reduce(bytes); });
  if (node_count() < kFewestNodes) return;
  add_node_pairs();
  are_hubs_known_ = false;
}

void MessagePoints::add_pair(const std::optional<RankPair>& pair, const std::string& scope) {
  if (!pair) return;
  const bool is_member = rank() == pair->first || rank() == pair->second;
  const SplitComm& both = split(is_member, 0);
  for (const std::int64_t bytes : settings_.bytes) {
    add({.kind = "ping-pong", .scope = scope, .bytes = bytes},
        is_member ? [this, &both, bytes] { return samples_.ping_pong(both, bytes); } : Sample());
  }
}

void MessagePoints::add_group(const std::string& scope, const Communicator& among) {
  const bool is_member = among.size() > 1;
  add_steps({.kind = "", .scope = scope}, split(is_member, among.ranks.front()));
  for (const std::string& name : settings_.all_reduce) {
    const Communicator& own = fabric_.communicator(among.ranks, {.algorithm = name, .servers = {}});
    for (const std::int64_t bytes : whole_floats()) {
      add({.kind = "all-reduce", .scope = scope, .algorithm = name, .bytes = bytes},
          is_member ? [this, &own, bytes] { return samples_.all_reduce(own, bytes); } : Sample());
    }
  }
}

void MessagePoints::add_steps(MessageCost cost, const SplitComm& group) {
  const bool is_member = group.size() > 0;
  cost.kind = "ring-step";
  for (const std::int64_t bytes : settings_.bytes) {
    cost.bytes = bytes;
    add(cost,
        is_member ? [this, &group, bytes] { return samples_.ring_step(group, bytes); } : Sample());
  }
}

void MessagePoints::add_node_pairs() {
  const std::int64_t large = large_of_links();
  const std::int64_t small = std::min(
      large, *std::lower_bound(settings_.bytes.begin(), settings_.bytes.end() - 1, kSmallOfLinks));
  for (const std::vector<NodePair>& pairs : rounds_of_pairs(node_count())) {
    MessagePoint point;
    point.rule = links_rule();
    bool is_member = false;
    for (const NodePair& pair : pairs) {
      if (is_first_of_node() && (own_node() == pair.first || own_node() == pair.second)) {
        is_member = true;
        point.own = point.costs.size();
      }
      point.costs.push_back(
          {.kind = "opposite", .scope = "between", .nodes = {pair.first, pair.second}});
    }
    const SplitComm& both = split(is_member, static_cast<int>(point.own));
    for (const std::int64_t bytes : {small, large}) {
      for (MessageCost& cost : point.costs) cost.bytes = bytes;
      if (is_member)
        point.sample = [this, &both, bytes] { return samples_.ring_step(both, bytes); };
      points_.push_back(point);
      if (small == large) break;
    }
  }
}

void MessagePoints::add_hubs(const std::vector<double>& bytes_per_s) {
  const std::int64_t bytes = large_of_links();
  const SplitComm& group = split(is_first_of_node(), 0);
  for (int hub = 0; hub < node_count(); ++hub) {
    // Ranks of `group` are in the order of first ranks, as nodes are numbered.
    std::vector<double> peers_bytes_per_s = bytes_per_s;
    peers_bytes_per_s.erase(peers_bytes_per_s.begin() + hub);
    const std::vector<std::int64_t> shares = shares_of_hub(bytes, peers_bytes_per_s);
    std::vector<MessageSamples::Exchange> exchanges;
    std::int64_t offset = 0;
    for (int peer = 0; peer < node_count(); ++peer) {
      if (peer == hub) continue;
      const std::int64_t share = shares[static_cast<std::size_t>(peer < hub ? peer : peer - 1)];
      if (group.rank() == hub)
        exchanges.push_back({.peer = peer, .offset = offset, .bytes = share});
      else if (group.rank() == peer)
        exchanges.push_back({.peer = hub, .offset = 0, .bytes = share});
      offset += share;
    }
    Sample sample;
    if (is_first_of_node())
      sample = [this, &group, exchanges, bytes] {
        return samples_.hub_step(group, exchanges, bytes);
      };
    points_.push_back(
        {.costs = {{.kind = "hub-step", .scope = "between", .nodes = {hub}, .bytes = bytes}},
         .rule = links_rule(),
         .sample = std::move(sample)});
  }
  are_hubs_known_ = true;
}

double MessagePoints::most_s_after(std::size_t point) const {
  double most_s = 0;
  for (std::size_t i = point + 1; i < points_.size(); ++i) most_s += points_[i].rule.max_s;
  return is_complete() ? most_s : most_s + node_count() * links_rule().max_s;
}

SamplingRule MessagePoints::links_rule() const {
  SamplingRule rule = settings_.rule;
  rule.max_s *= kShareOfLinks;
  return rule;
}

std::int64_t MessagePoints::large_of_links() const {
  const auto above =
      std::upper_bound(settings_.bytes.begin(), settings_.bytes.end(), kLargeOfLinks);
  return above == settings_.bytes.begin() ? *above : *(above - 1);
}

const SplitComm& MessagePoints::split(bool is_member, int colour) {
  comms_.push_back(std::make_unique<SplitComm>(is_member, colour));
  return *comms_.back();
}

int MessagePoints::own_node() const {
  return fabric_.workers()[static_cast<std::size_t>(rank())].node;
}

bool MessagePoints::is_first_of_node() const {
  return first_rank_of_node_[static_cast<std::size_t>(own_node())] == rank();
}

std::vector<std::int64_t> MessagePoints::whole_floats() const {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : settings_.bytes) {
    const std::int64_t bytes = size - size % std::int64_t{sizeof(float)};
    if (bytes > 0 && (sizes.empty() || sizes.back() != bytes)) sizes.push_back(bytes);
  }
  return sizes;
}

void MessagePoints::add(MessageCost cost, Sample sample) {
  points_.push_back(
      {.costs = {std::move(cost)}, .rule = settings_.rule, .sample = std::move(sample)});
}

}  // namespace epochcast::real
