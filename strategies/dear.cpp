// SPDX-License-Identifier: Apache-2.0
// DeAR (Zhang et al., ICDCS 2023, arXiv 2302.12445): an all-reduce in two halves. The
// reduce-scatter of a bucket overlaps the rest of backward, its all-gather the next forward pass,
// of which a layer waits for its own gradients alone and updates its parameters first.
#include "strategies/dear.hpp"

#include <vector>

#include "strategies/shards.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

class Dear {
 public:
  Dear(Worker& worker, double weight, const Communicator& among)
      : fabric_(worker.fabric),
        learner_(worker.learner),
        weight_(weight),
        among_(among),
        buckets_(learner_.buckets()),
        begins_(begins_of_buckets(buckets_)),
        scattered_(buckets_.size()),
        gathered_(buckets_.size()) {}

  /// A pass; the update by the one before, if there is one, lies in its forward pass.
  void pass(std::int64_t batch, bool has_one_before) {
    LayerHooks hooks;
    if (has_one_before) hooks.before_forward = [this](std::size_t bucket) { update(bucket); };
    hooks.after_backward = [this](std::size_t bucket) {
      scattered_[bucket] =
          fabric_.start_reduce_scatter(buckets_[bucket], own(bucket), weight_, among_);
    };
    learner_.forward_backward(batch, hooks);
    for (std::size_t bucket = buckets_.size(); bucket-- > 0;)
      gathered_[bucket] = fabric_.start_all_gather(own(bucket), buckets_[bucket], among_);
  }

  /// The update by the last pass.
  void finish() {
    for (std::size_t bucket = buckets_.size(); bucket-- > 0;) update(bucket);
  }

 private:
  void update(std::size_t bucket) {
    fabric_.wait(scattered_[bucket]);
    fabric_.wait(gathered_[bucket]);
    learner_.step_part(begins_[bucket], buckets_[bucket].count, bucket == 0);
  }
  [[nodiscard]] Payload own(std::size_t bucket) const {
    return shard_of(buckets_[bucket], among_, fabric_.rank());
  }

  Fabric& fabric_;
  Learner& learner_;
  double weight_;
  const Communicator& among_;
  std::vector<Payload> buckets_;
  std::vector<std::int64_t> begins_;
  std::vector<Request> scattered_, gathered_;  ///< by bucket
};

}  // namespace

void train_dear(Worker& worker,
                std::int64_t iterations,
                std::int64_t batch,
                double weight,
                const Communicator& among) {
  Dear dear(worker, weight, among);
  dear.pass(batch, false);
  repeat(worker, among, iterations - 1, [&](std::int64_t) { dear.pass(batch, true); });
  dear.finish();
}

}  // namespace epochcast
