// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient push (Assran et al., ICML 2019, arXiv 1811.10792, algorithm 1): after a step
// on the gradient at its de-biased parameters z = x / w, a worker keeps half of its parameters x
// and of its push-sum weight w, and sends the other half to one peer: to the one at distance 2^k,
// with k = 0, 1, ... ⌈log2 P⌉ - 1 in turn (the directed exponential graph of the paper's appendix).
//
// [reading] Each epoch begins with distance 1, and ends with an average of all. Senders send x and
// w whole, and receivers halve them: halves are exact, so sums are the same, and a worker needs no
// copy of what it sends.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "strategies/peers.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr std::string_view kWeight = "push-sum weight";
constexpr double kHalf = 0.5;

/// A worker's parameters and push-sum weight. Between iterations the learner has z, of which x is
/// the product with the weight.
class PushSum {
 public:
  explicit PushSum(Worker& worker)
      : worker_(worker),
        workers_(trainer_count(worker.fabric)),
        batch_(worker.config.step_batch()) {
    if (weight() == 0) weight() = 1;
  }

  /// Iterations until peers repeat.
  [[nodiscard]] std::int64_t cycle() const { return std::max(1, log2_ceiling(workers_)); }

  void iterate(std::int64_t k) {
    worker_.learner.forward_backward(batch_);
    scale_parameters(weight());
    worker_.learner.step();
    if (workers_ > 1) exchange(static_cast<int>(std::int64_t{1} << k));
    scale_parameters(1 / weight());
  }

 private:
  /// In memory that is part of checkpoints.
  [[nodiscard]] double& weight() { return worker_.kept.numbers<double>(0, kWeight, 1).front(); }

  void scale_parameters(double factor) {
    if (factor == 1) return;
    const Payload parameters = worker_.learner.parameters();
    scale(parameters, factor);
    worker_.learner.kernel("de-bias", 2 * parameters.bytes());
  }

  void exchange(int distance) {
    Fabric& fabric = worker_.fabric;
    const int to = (fabric.rank() + distance) % workers_;
    const int from = (fabric.rank() + workers_ - distance) % workers_;
    const Payload own = worker_.learner.parameters();
    received_.assign(own, false);
    auto own_weight = std::bit_cast<std::int64_t>(weight());
    std::int64_t received_weight = 0;
    // Sends first: an MPI library announces them before it answers an earlier one of the same peer,
    // so opposite messages share the link. The other way round they take turns.
    const std::array requests = {
        fabric.start_send(to, payload_of(std::span(&own_weight, 1))),
        fabric.start_send(to, own),
        fabric.start_receive(from, payload_of(std::span(&received_weight, 1))),
        fabric.start_receive(from, received_.payload())};
    for (const Request& request : requests) fabric.wait(request);

    const std::span<float> numbers = values<float>(own);
    const std::span<const float> others = values<float>(received_.payload());
    constexpr auto kShare = static_cast<float>(kHalf);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = kShare * numbers[i] + kShare * others[i];
    worker_.learner.kernel("mix", 3 * own.bytes());
    weight() = kHalf * weight() + kHalf * std::bit_cast<double>(received_weight);
  }

  Worker& worker_;
  int workers_;
  std::int64_t batch_;
  PayloadCopy received_;
};

void run_gossip(Worker& worker) {
  PushSum own(worker);
  train_with_peers(worker, own.cycle(), [&](std::int64_t k) { own.iterate(k); });
}

/// The parameters that a worker receives.
StateShares state_shares(const JobConfig&, std::span<const WorkerInfo> workers) {
  return {.vectors = workers.size() > 1 ? 1.0 : 0.0};
}

void check(const JobConfig& config, const DeviceNames& /*devices*/) {
  if (config.overlap != Overlap::none)
    throw UserError(
        "--overlap: gossip exchanges parameters after the step, when nothing is left to compute; "
        "use decentralized");
}

}  // namespace

Strategy gossip_strategy() {
  return {.name = "gossip",
          .summary = "push half of the parameters to one peer after each step (SGP)",
          .source = "Assran et al., ICML 2019",
          .exchanges_gradients = false,
          .compressed = {},
          .state_shares = state_shares,
          .check = check,
          .run = run_gossip};
}

}  // namespace epochcast
