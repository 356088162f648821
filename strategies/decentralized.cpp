// SPDX-License-Identifier: Apache-2.0
// Decentralized data-parallel training whose exchange overlaps computing (Wang et al., ICLR 2025,
// arXiv 2410.11998, and its library Decent-DP): when an iteration begins, so does the average of
// the parameters with one group of peers. The gradient is computed at the worker's own parameters;
// then they become the average, and the step follows:
//     x_i(k+1) = mean of x_j(k) over the group - step(gradient at x_i(k))
//
// Groups by iteration, as in Decent-DP (--topology); those of a cycle follow each other:
// - exponential: pairs of workers whose numbers differ in one bit, the k-th.
// - ring: pairs with the right neighbour, then with the left one.
// - exponential-ring: pairs of nodes whose numbers differ in one bit, with all their workers; half
//   of the pairs in one iteration, half in the next. Meanwhile the others average within nodes.
// - complete: all workers.
//
// [reading] Decent-DP demands powers of two (ring: even numbers). Here a worker, or a node, whose
// peer does not exist has none in that iteration. Only trained parameters are averaged; BatchNorm
// statistics, which change meanwhile, stay the worker's own, as in Decent-DP. That library starts
// a bucket's exchange after the bucket's step in backward; an iteration lasts as long. Every epoch
// ends with an average of all, as that library makes for evaluation.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/peers.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

enum class Topology { exponential, ring, exponential_ring, complete };
constexpr Names<Topology, 4> kTopologies = {{{"exponential", Topology::exponential},
                                             {"ring", Topology::ring},
                                             {"exponential-ring", Topology::exponential_ring},
                                             {"complete", Topology::complete}}};

constexpr StrategySettingOf kTopology(
    "topology",
    "exponential|ring|exponential-ring|complete",
    "decentralized: peers with which a worker averages parameters, by iteration",
    "exponential",
    "complete",
    value::Name{kTopologies});

using Ranks = std::vector<int>;

/// The number whose bit is the other one; itself if there is none.
int across(int number, std::int64_t bit, int count) {
  const int other = number ^ (1 << bit);
  return other < count ? other : number;
}

Ranks exponential_group(int rank, int workers, std::int64_t k) {
  return {rank, across(rank, k, workers)};
}

Ranks ring_group(int rank, int workers, std::int64_t k) {
  const bool is_left = rank % 2 == k % 2;
  const int other = (rank + (is_left ? 1 : workers - 1)) % workers;
  // The ring of an odd number of workers has two lefts, or two rights, beside each other.
  const bool agrees = (other % 2 == k % 2) != is_left;
  return {rank, agrees ? other : rank};
}

/// The nodes of workers, by the place of each node among those with workers.
std::vector<Ranks> nodes_of(const Fabric& fabric) {
  std::vector<Ranks> nodes;
  std::vector<int> names;
  for (int rank = 0; rank < trainer_count(fabric); ++rank) {
    const int name = fabric.workers()[static_cast<std::size_t>(rank)].node;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      names.push_back(name);
      nodes.push_back({rank});
    } else {
      nodes[static_cast<std::size_t>(found - names.begin())].push_back(rank);
    }
  }
  return nodes;
}

/// Iterations 2i and 2i + 1 have pairs that differ in bit i: by the place of a pair among these, in
/// one or the other.
Ranks exponential_ring_group(int rank, const std::vector<Ranks>& nodes, std::int64_t k) {
  const auto own = std::find_if(nodes.begin(), nodes.end(), [rank](const Ranks& node) {
    return std::find(node.begin(), node.end(), rank) != node.end();
  });
  const int node = static_cast<int>(own - nodes.begin());
  const std::int64_t bit = k / 2;
  const int other = across(node, bit, static_cast<int>(nodes.size()));
  const int lower = std::min(node, other);
  const int place = (lower >> (bit + 1) << bit) + (lower & ((1 << bit) - 1));
  Ranks group = *own;
  if (other == node || (place + 1) % 2 != k % 2) return group;
  const Ranks& more = nodes[static_cast<std::size_t>(other)];
  group.insert(group.end(), more.begin(), more.end());
  return group;
}

/// The groups in which a worker averages, one after the other.
std::vector<Ranks> groups_of(const Fabric& fabric, Topology topology) {
  const int workers = trainer_count(fabric);
  std::int64_t cycle = 1;
  std::function<Ranks(std::int64_t)> group = [workers](std::int64_t) {
    Ranks all(static_cast<std::size_t>(workers));
    std::iota(all.begin(), all.end(), 0);
    return all;
  };
  if (topology == Topology::exponential) {
    cycle = std::max(1, log2_ceiling(workers));
    group = [&](std::int64_t k) { return exponential_group(fabric.rank(), workers, k); };
  } else if (topology == Topology::ring) {
    cycle = workers > 2 ? 2 : 1;
    group = [&](std::int64_t k) { return ring_group(fabric.rank(), workers, k); };
  } else if (topology == Topology::exponential_ring) {
    const std::vector<Ranks> nodes = nodes_of(fabric);
    cycle = std::max(1, 2 * log2_ceiling(std::ssize(nodes)));
    group = [&, nodes](std::int64_t k) { return exponential_ring_group(fabric.rank(), nodes, k); };
  }
  std::vector<Ranks> groups;
  for (std::int64_t k = 0; k < cycle; ++k) {
    groups.push_back(group(k));
    std::ranges::sort(groups.back());
    groups.back().erase(std::unique(groups.back().begin(), groups.back().end()),
                        groups.back().end());
  }
  return groups;
}

class Averages {
 public:
  explicit Averages(Worker& worker)
      : worker_(worker),
        batch_(worker.config.step_batch()),
        trained_(worker.learner.gradients().count) {
    Fabric& fabric = worker.fabric;
    for (Ranks& ranks : groups_of(fabric, kTopology.of(worker.config))) {
      const bool is_alone = ranks.size() == 1;
      groups_.push_back(
          is_alone ? nullptr : &fabric.communicator(std::move(ranks), fabric.world().all_reduce));
    }
  }

  [[nodiscard]] std::int64_t cycle() const { return std::ssize(groups_); }

  void iterate(std::int64_t k) {
    Learner& learner = worker_.learner;
    const Communicator* const group = groups_[static_cast<std::size_t>(k)];
    Request average;
    if (group != nullptr) {
      const Payload own = trained();
      averaged_.assign(own, true);
      learner.kernel("copy", 2 * own.bytes());
      average = worker_.fabric.start_all_reduce(averaged_.payload(), 1.0 / group->size(), *group);
    }
    learner.forward_backward(batch_);
    if (group != nullptr) {
      worker_.fabric.wait(average);
      const Payload own = trained();
      std::ranges::copy(averaged_.payload().data, own.data.begin());
      learner.kernel("copy", 2 * own.bytes());
    }
    learner.step();
  }

 private:
  /// The parameters without BatchNorm statistics.
  [[nodiscard]] Payload trained() { return slice(worker_.learner.parameters(), 0, trained_); }

  Worker& worker_;
  std::int64_t batch_;
  std::int64_t trained_;                     ///< their number
  std::vector<const Communicator*> groups_;  ///< by iteration of a cycle; null: none
  PayloadCopy averaged_;
};

void run_decentralized(Worker& worker) {
  Averages averages(worker);
  train_with_peers(worker, averages.cycle(), [&](std::int64_t k) { averages.iterate(k); });
}

/// The copy that is averaged.
StateShares state_shares(const JobConfig&, std::span<const WorkerInfo> workers) {
  return {.vectors = workers.size() > 1 ? 1.0 : 0.0};
}

bool overlaps_averages(const JobConfig&) { return true; }

void check(const JobConfig& config, const DeviceNames& /*devices*/) {
  if (config.overlap != Overlap::none)
    throw UserError("--overlap: the exchange of decentralized overlaps computing by itself");
}

}  // namespace

Strategy decentralized_strategy() {
  static const std::array<const StrategySetting*, 1> own = {&kTopology};
  return {.name = "decentralized",
          .summary = "average with one peer while computing (--topology)",
          .source = "Wang et al., ICLR 2025",
          .exchanges_gradients = false,
          .compressed = {},
          .settings = own,
          .overlaps_averages = overlaps_averages,
          .state_shares = state_shares,
          .check = check,
          .run = run_decentralized};
}

}  // namespace epochcast
