// SPDX-License-Identifier: Apache-2.0
// Fully sharded data parallelism (Zhao et al., VLDB 2023, arXiv 2304.11277; ZeRO stage 3): a worker
// keeps a shard of each layer. Layers are gathered before they are used, the next one while the
// one before computes, and their gradients are reduce-scattered as soon as they are there.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/shards.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

/// PyTorch's ShardingStrategy.
enum class Sharding {
  full,     ///< parameters are gathered in forward and again in backward
  grad_op,  ///< parameters stay after forward
  hybrid,   ///< full inside nodes; shards are all-reduced between nodes
};
constexpr Names<Sharding, 3> kShardings = {{{"full-shard", Sharding::full},
                                            {"shard-grad-op", Sharding::grad_op},
                                            {"hybrid-shard", Sharding::hybrid}}};

/// In our spelling or PyTorch's: FULL_SHARD.
struct ShardingName {
  [[nodiscard]] static Sharding read(std::string text) {
    for (char& letter : text)
      letter =
          letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return value::Name{kShardings}.read(text);
  }
  [[nodiscard]] static std::string show(Sharding value) { return show_name(value, kShardings); }
};

constexpr StrategySettingOf kSharding("sharding",
                                      "full-shard|shard-grad-op|hybrid-shard",
                                      "fsdp: PyTorch's FULL_SHARD, SHARD_GRAD_OP, HYBRID_SHARD",
                                      "full-shard",
                                      "shard-grad-op",
                                      ShardingName());

constexpr std::array<const StrategySetting*, 1> kSettings = {&kSharding};

/// The workers in the same place of every node. Throws a UserError if nodes have unequal numbers.
std::vector<int> in_same_place(const Fabric& fabric) {
  std::map<int, std::vector<int>> by_node;
  for (int rank = 0; rank < fabric.world().size(); ++rank)
    by_node[fabric.workers()[static_cast<std::size_t>(rank)].node].push_back(rank);
  if (by_node.size() == 1)
    throw UserError("--sharding hybrid-shard: the job has one node; full-shard is the same there");
  const auto place = static_cast<std::size_t>(fabric.node().member_of(fabric.rank()));
  std::vector<int> ranks;
  for (const auto& [node, workers] : by_node) {
    if (workers.size() != by_node.begin()->second.size())
      throw UserError("--sharding hybrid-shard: needs nodes with equal numbers of workers");
    ranks.push_back(workers[place]);
  }
  return ranks;
}

class ShardedLayers {
 public:
  explicit ShardedLayers(Worker& worker)
      : fabric_(worker.fabric),
        learner_(worker.learner),
        sharding_(kSharding.of(worker.config)),
        among_(sharding_ == Sharding::hybrid ? fabric_.node() : fabric_.world()),
        across_(sharding_ == Sharding::hybrid
                    ? &fabric_.communicator(in_same_place(fabric_), among_.all_reduce)
                    : nullptr),
        weight_(1.0 / fabric_.world().size()),
        layers_(learner_.buckets()),
        gathered_(layers_.size()) {}

  void iterate(std::int64_t batch) {
    const std::size_t last = layers_.size() - 1;
    LayerHooks hooks;
    hooks.before_forward = [&](std::size_t layer) {
      if (layer == last) gather(last);
      if (layer > 0) gather(layer - 1);
      fabric_.wait(gathered_[layer]);
      if (layer == 0 && gathers_again()) gather(0);
    };
    hooks.before_backward = [&](std::size_t layer) {
      if (!gathers_again()) return;
      if (layer < last) gather(layer + 1);
      fabric_.wait(gathered_[layer]);
    };
    hooks.after_backward = [&](std::size_t layer) {
      const Payload own = shard(layer);
      sums_.push_back(fabric_.start_reduce_scatter(layers_[layer], own, weight_, among_));
      if (across_ != nullptr) sums_.push_back(fabric_.start_all_reduce(own, 1, *across_));
    };
    learner_.forward_backward(batch, hooks);
    for (const Request& sum : sums_) fabric_.wait(sum);
    sums_.clear();
    const Shard own =
        shard_of(learner_.gradients().count, among_.size(), among_.member_of(fabric_.rank()));
    learner_.step_part(own.begin, own.count, true);
  }

 private:
  [[nodiscard]] bool gathers_again() const { return sharding_ != Sharding::grad_op; }
  [[nodiscard]] Payload shard(std::size_t layer) const {
    return shard_of(layers_[layer], among_, fabric_.rank());
  }
  /// Parameters travel as their gradients do.
  void gather(std::size_t layer) {
    gathered_[layer] = fabric_.start_all_gather(shard(layer), layers_[layer], among_);
  }

  Fabric& fabric_;
  Learner& learner_;
  Sharding sharding_;
  const Communicator& among_;
  const Communicator* across_;
  double weight_;
  std::vector<Payload> layers_;    ///< as Learner::buckets()
  std::vector<Request> gathered_;  ///< by layer
  std::vector<Request> sums_;
};

void run_fsdp(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = fabric.world().size();
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;
  ShardedLayers layers(worker);

  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    repeat(worker, fabric.world(), iterations, [&](std::int64_t) { layers.iterate(batch); });
  });
}

StateShares shares(const JobConfig& config, std::span<const WorkerInfo> workers) {
  const auto members = kSharding.of(config) != Sharding::hybrid
                           ? std::ssize(workers)
                           : std::ranges::count(workers, workers.front().node, &WorkerInfo::node);
  const double own = 1.0 / static_cast<double>(members);
  return {.parameters = own, .gradients = own, .optimizer = own};
}

}  // namespace

Strategy fsdp_strategy() {
  return {.name = "fsdp",
          .summary = "parameters, gradients and optimizer state in shards (--sharding)",
          .source = "Zhao et al., VLDB 2023",
          .compressed = {},
          .settings = kSettings,
          .overlaps = true,
          .needs_costs = "layers of a LibTorch network cannot be taken apart",
          .state_shares = shares,
          .run = run_fsdp};
}

}  // namespace epochcast
