// SPDX-License-Identifier: Apache-2.0
#include "collectives/multitree.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>

#include "base/error.hpp"
#include "collectives/checks.hpp"

namespace epochcast {
namespace {

using Index = std::size_t;

/// The ranks of each node; nodes in the order in which they appear.
std::vector<std::vector<int>> ranks_by_node(const std::vector<int>& node_of_rank) {
  std::map<int, Index> numbers;
  std::vector<std::vector<int>> ranks;
  for (Index rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto [at, is_new] = numbers.try_emplace(node_of_rank[rank], ranks.size());
    if (is_new) ranks.emplace_back();
    ranks[at->second].push_back(static_cast<int>(rank));
  }
  return ranks;
}

/// A tree that has reached a node, but not all of its ranks.
struct Spread {
  int tree = 0;
  std::vector<bool> has;      ///< by place in the node: reached before this time step, so may send
  std::vector<bool> reached;  ///< after it
  Index missing = 0;
};

/// The ranks of a node with a free link in this time step.
struct FreeLinks {
  std::vector<bool> sends;
  std::vector<bool> receives;
};

/// Grows all trees, one time step after the other, and reports each edge.
template <typename Report>
class Planner {
 public:
  Planner(std::vector<std::vector<int>> ranks, Report report)
      : ranks_(std::move(ranks)), report_(std::move(report)), spreads_(ranks_.size()) {
    for (Index node = 0; node < ranks_.size(); ++node) {
      outgoing_.push_back(transfers_from(node));
      for (Index place = 0; place < ranks_[node].size(); ++place)
        arrive(ranks_[node][place], node, place);
    }
  }

  /// Returns how many time steps it took.
  std::int64_t run() {
    std::int64_t step = 0;
    for (; !is_done(); ++step) {
      // Blocks that arrive now are forwarded from the next step on.
      std::vector<Arrival> arrivals = transfer_between_nodes(step);
      for (Index node = 0; node < ranks_.size(); ++node) spread(node, step);
      for (const Arrival& each : arrivals) arrive(each.tree, each.node, each.place);
    }
    return step;
  }

 private:
  /// A tree that grows from its root to another node.
  struct Transfer {
    int root = 0;
    Index to = 0;
  };
  struct Arrival {
    int tree = 0;
    Index node = 0;
    Index place = 0;
  };

  /// Node m first sends the trees of all of its ranks to node m + 1, then to m + 2, ...: nodes of
  /// equal size then never send to the same node at a time.
  [[nodiscard]] std::deque<Transfer> transfers_from(Index node) const {
    std::deque<Transfer> transfers;
    for (Index distance = 1; distance < ranks_.size(); ++distance) {
      for (const int root : ranks_[node])
        transfers.push_back({root, (node + distance) % ranks_.size()});
    }
    return transfers;
  }

  [[nodiscard]] bool is_done() const {
    const auto is_empty = [](const auto& all) { return all.empty(); };
    return std::all_of(outgoing_.begin(), outgoing_.end(), is_empty) &&
           std::all_of(spreads_.begin(), spreads_.end(), is_empty);
  }

  /// Sends at most one tree from each node, and at most one to each.
  std::vector<Arrival> transfer_between_nodes(std::int64_t step) {
    std::vector<Arrival> arrivals;
    std::vector<bool> is_taken(ranks_.size(), false);
    for (Index turn = 0; turn < ranks_.size(); ++turn) {
      std::deque<Transfer>& transfers =
          outgoing_[(turn + static_cast<Index>(step)) % ranks_.size()];
      const auto next = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& each) {
        return !is_taken[each.to];
      });
      if (next == transfers.end()) continue;
      is_taken[next->to] = true;
      const std::vector<int>& there = ranks_[next->to];
      const Index place = static_cast<Index>(next->root) % there.size();
      report_(step, next->root, next->root, there[place]);
      arrivals.push_back({next->root, next->to, place});
      transfers.erase(next);
    }
    return arrivals;
  }

  void arrive(int tree, Index node, Index place) {
    const Index size = ranks_[node].size();
    if (size == 1) return;
    Spread spread = {tree, std::vector<bool>(size), std::vector<bool>(size), size - 1};
    spread.has[place] = spread.reached[place] = true;
    spreads_[node].push_back(std::move(spread));
  }

  /// Trees use free links of the node in turn, in order of arrival, until none is usable.
  void spread(Index node, std::int64_t step) {
    const Index size = ranks_[node].size();
    FreeLinks links = {std::vector<bool>(size, true), std::vector<bool>(size, true)};
    std::deque<Spread>& spreads = spreads_[node];
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (Spread& each : spreads) has_grown = grow(each, node, links, step) || has_grown;
    }
    std::erase_if(spreads, [](const Spread& each) { return each.missing == 0; });
    for (Spread& each : spreads) each.has = each.reached;
  }

  bool grow(Spread& spread, Index node, FreeLinks& links, std::int64_t step) {
    const Index size = spread.has.size();
    for (Index parent = 0; parent < size && spread.missing > 0; ++parent) {
      if (!spread.has[parent] || !links.sends[parent]) continue;
      for (Index distance = 1; distance < size; ++distance) {
        const Index child = (parent + distance) % size;
        if (spread.reached[child] || !links.receives[child]) continue;
        links.sends[parent] = links.receives[child] = false;
        spread.reached[child] = true;
        --spread.missing;
        report_(step, spread.tree, ranks_[node][parent], ranks_[node][child]);
        return true;
      }
      return false;  // ranks not yet reached have no free link
    }
    return false;
  }

  std::vector<std::vector<int>> ranks_;
  Report report_;
  std::vector<std::deque<Transfer>> outgoing_;  ///< by node
  std::vector<std::deque<Spread>> spreads_;     ///< by node
};

}  // namespace

MultiTree::MultiTree(const std::vector<int>& node_of_rank) {
  const int count = checked_ranks(static_cast<int>(node_of_rank.size()));
  if (count > kMostRanks) {
    throw UserError("--all-reduce: multitree is simulated among at most " +
                    std::to_string(kMostRanks) + " ranks; got " + std::to_string(count) +
                    "; take ring or hierarchical");
  }
  edges_.resize(node_of_rank.size());
  const auto add = [&](std::int64_t step, int tree, int parent, int child) {
    const auto at = static_cast<std::int32_t>(step);
    edges_[static_cast<Index>(parent)].push_back({at, tree, child, true});
    edges_[static_cast<Index>(child)].push_back({at, tree, parent, false});
  };
  steps_ = Planner(ranks_by_node(node_of_rank), add).run();
}

Round MultiTree::round(int rank, std::int64_t index) const {
  const bool is_reduce = index < steps_;
  const std::int64_t step = is_reduce ? steps_ - 1 - index : index - steps_;
  const std::vector<Edge>& own = edges_[static_cast<Index>(rank)];
  auto edge =
      std::lower_bound(own.begin(), own.end(), step, [](const Edge& each, std::int64_t wanted) {
        return each.step < wanted;
      });
  Round round;
  for (; edge != own.end() && edge->step == step; ++edge) {
    const Block block{edge->tree, edge->tree + 1};
    const bool sends = edge->is_parent != is_reduce;
    const ActionKind arriving = is_reduce ? ActionKind::receive_add : ActionKind::receive;
    round.push_back({sends ? ActionKind::send : arriving, edge->peer, block});
  }
  return round;
}

}  // namespace epochcast
