// SPDX-License-Identifier: Apache-2.0
// Large batches that workers collect together, as Hivemind does (Ryabinin and Gusev, NeurIPS 2020;
// Diskin et al., NeurIPS 2021: gradients accumulate on all peers until the target batch is
// reached). A round is a target batch: each worker computes gradients at its own pace and adds them
// up, until all samples of the round are taken. Then all average their gradients, weighted by
// samples, and make the same step.
//
// Delayed parameter updates (Ren et al., ZeRO-Offload, USENIX ATC 2021): the exchange and the step
// of a round overlap the next one, whose gradients are those of the parameters before that step.
//
// [reading] Hivemind's peers tell each other how many samples they have, and stop when the sum is
// reached or estimated to be. Here samples are dealt, so no round has more than its target. Every
// epoch ends with a step that is not delayed.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kTargetBatch(
    "target-batch",
    "SAMPLES",
    "large-batch: samples that all workers collect for a step (default: --batch of each)",
    "",
    "4096",
    value::Count{1});
constexpr StrategySettingOf kDelayedUpdates(
    "delayed-updates",
    "on|off",
    "large-batch: exchange and step overlap the next round, whose gradients are older",
    "off",
    "on",
    value::Switch{});

/// The rank that counts the batches that are dealt.
constexpr int kCounter = 0;
/// Batches of a sequence for each worker, while an exchange is under way: batches do not all take
/// the same time then.
constexpr std::int64_t kBatchesBesideExchange = 32;

/// How an epoch is divided.
struct Rounds {
  std::int64_t batch = 0;    ///< samples that are dealt at once
  std::int64_t batches = 0;  ///< of a round
  std::int64_t count = 0;    ///< of an epoch

  [[nodiscard]] std::int64_t samples() const { return batch * batches; }
};

std::int64_t target_of(const JobConfig& config, int workers) {
  return kTargetBatch.is_set(config) ? kTargetBatch.of(config) : workers * config.step_batch();
}

Rounds rounds_of(const Worker& worker) {
  const std::int64_t batch = worker.config.step_batch();
  const std::int64_t target = target_of(worker.config, trainer_count(worker.fabric));
  if (target > worker.train_samples) {
    throw UserError("--target-batch: one step takes " + std::to_string(target) +
                    " samples; the data set has " + std::to_string(worker.train_samples));
  }
  return {.batch = batch, .batches = target / batch, .count = worker.train_samples / target};
}

/// The gradients of a worker, from round to round.
class Collection {
 public:
  Collection(Worker& worker, const Rounds& rounds)
      : worker_(worker), rounds_(rounds), workers_(trainer_count(worker.fabric)) {}

  /// Batches that this worker has computed since the last call.
  [[nodiscard]] std::int64_t take_computed() { return std::exchange(computed_, 0); }

  /// A round whose step follows at once.
  void run(std::int64_t epoch, std::int64_t round) {
    begin_step(round);
    const std::int64_t own = collect(epoch, round, rounds_.batches);
    start_exchange(worker_.learner.gradients(), collected_, own)();
    worker_.learner.step();
  }

  /// A round during which the last one's gradients are exchanged, if there is one.
  void run_delayed(std::int64_t epoch, std::int64_t round) {
    Payload sent = worker_.learner.gradients();
    sent.data = std::as_writable_bytes(outgoing());
    Compression::Finish finish;
    if (round > 0) finish = start_exchange(sent, outgoing(), outgoing_batches());
    begin_step(std::max<std::int64_t>(0, round - 1));
    const std::int64_t own = collect(epoch, round, kBatchesBesideExchange * workers_);
    if (round > 0) {
      finish();
      std::ranges::copy(outgoing(), numbers_of(worker_.learner.gradients()).begin());
      worker_.learner.step();
    }
    std::ranges::copy(collected_, outgoing().begin());
    worker_.learner.kernel("copy", 2 * sent.bytes());
    outgoing_batches() = own;
  }

  /// The step of the last round.
  void finish_delayed() {
    begin_step(rounds_.count - 1);
    start_exchange(worker_.learner.gradients(), outgoing(), outgoing_batches())();
    worker_.learner.step();
  }

 private:
  /// Numbers of a payload; none in worlds without them, whatever their type.
  [[nodiscard]] static std::span<float> numbers_of(const Payload& payload) {
    return payload.has_numbers() ? values<float>(payload) : std::span<float>();
  }
  /// The sum that is exchanged during the next round, and how many batches are in it. Checkpoints
  /// save them.
  [[nodiscard]] std::span<float> outgoing() {
    return worker_.kept.numbers<float>(
        0, "outgoing", numbers_of(worker_.learner.gradients()).size());
  }
  [[nodiscard]] std::int64_t& outgoing_batches() {
    return worker_.kept.numbers<std::int64_t>(0, "batches", 1).front();
  }

  /// The next step of the optimizer, for the learning rate, if this worker gets no batch.
  void begin_step(std::int64_t step) {
    step_ = step;
    worker_.learner.use_shuffled(share_at(0, 0));
  }

  [[nodiscard]] Share share_at(std::int64_t position, std::int64_t batch) const {
    const auto place = [&](std::int64_t step) {
      return static_cast<double>(step) / static_cast<double>(rounds_.count);
    };
    return {.offset = position,
            .length = batch,
            .stride = batch,
            .count = 1,
            .epoch_begin = place(step_),
            .epoch_end = place(step_ + 1)};
  }

  /// Adds up the gradients of batches of the round until all are taken; returns how many were this
  /// worker's. They are dealt in sequences of `together`.
  std::int64_t collect(std::int64_t epoch, std::int64_t round, std::int64_t together) {
    Learner& learner = worker_.learner;
    collected_.assign(numbers_of(learner.gradients()).size(), 0.0F);
    const std::int64_t sequences = (rounds_.batches + together - 1) / together;
    std::int64_t own = 0;
    for (std::int64_t i = 0; i < sequences; ++i) {
      const std::int64_t begin = i * together;
      const std::int64_t count = std::min(together, rounds_.batches - begin);
      const std::int64_t sequence = (epoch * rounds_.count + round) * sequences + i;
      while (const auto number = worker_.fabric.deal(sequence, count, kCounter)) {
        add_batch(round * rounds_.samples() + (begin + *number) * rounds_.batch);
        ++own;
      }
    }
    computed_ += own;
    return own;
  }

  /// Adds the gradient of the batch at this position of the epoch's shuffle.
  void add_batch(std::int64_t position) {
    Learner& learner = worker_.learner;
    const std::int64_t batch = rounds_.batch;
    learner.use_shuffled(share_at(position, batch));
    learner.forward_backward(batch);
    const Payload gradients = learner.gradients();
    const std::span<const float> more = numbers_of(gradients);
    for (std::size_t i = 0; i < more.size(); ++i) collected_[i] += more[i];
    learner.kernel("accumulate", 3 * gradients.bytes());
  }

  /// Starts to average the workers' means of their batches: `mean` is filled with that of a `sum`
  /// of `own` batches, and has the average in the end.
  Compression::Finish start_exchange(Payload mean, std::span<const float> sum, std::int64_t own) {
    const std::span<float> into = numbers_of(mean);
    const float factor = own > 0 ? 1.0F / static_cast<float>(own) : 0.0F;
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = factor * sum[i];
    worker_.learner.kernel("mean", 2 * mean.bytes());
    const double weight = static_cast<double>(own) / static_cast<double>(rounds_.batches);
    const Communicator& all = worker_.fabric.world();
    if (worker_.compression == nullptr) {
      return [this, request = worker_.fabric.start_all_reduce(mean, weight, all)] {
        worker_.fabric.wait(request);
      };
    }
    return [this,
            finish = worker_.compression->start_exchange(
                {.fabric = worker_.fabric,
                 .observer = worker_.learner,
                 .bucket = mean,
                 .tensors = all_tensors(worker_.learner.bucket_tensors()),
                 .weight = weight,
                 .among = all})] {
      finish();
      worker_.compression->add_steps(1);
    };
  }

  Worker& worker_;
  const Rounds& rounds_;
  std::int64_t workers_;
  std::vector<float> collected_;  ///< the sum of this worker's gradients in a round
  std::int64_t computed_ = 0;
  std::int64_t step_ = 0;  ///< of the epoch, the next one
};

void run_large_batch(Worker& worker) {
  Fabric& fabric = worker.fabric;
  const Rounds rounds = rounds_of(worker);
  const bool is_delayed = kDelayedUpdates.of(worker.config);
  const std::int64_t workers = trainer_count(fabric);
  WorkerReport& report = worker.report;
  report.batch = rounds.batch;
  report.iterations_per_epoch = (rounds.count * rounds.batches + workers - 1) / workers;
  report.rounds_per_epoch = rounds.count;

  Collection own(worker, rounds);
  train_epochs(worker, [&](std::int64_t epoch) {
    const auto round = [&](std::int64_t i) {
      is_delayed ? own.run_delayed(epoch, i) : own.run(epoch, i);
    };
    // Nothing is exchanged during the first round of an epoch.
    if (is_delayed) {
      repeat(worker, fabric.world(), rounds.count, round, {1});
      repeat(worker, fabric.world(), 1, [&](std::int64_t) { own.finish_delayed(); });
    } else {
      repeat(worker, fabric.world(), rounds.count, round);
    }
    report.samples_per_epoch =
        samples_of_epoch(worker, own.take_computed(), rounds.count * rounds.samples());
  });
}

StateShares large_batch_state(const JobConfig& config, std::span<const WorkerInfo>) {
  return {.vectors = kDelayedUpdates.of(config) ? 2.0 : 1.0};
}

void check_large_batch(const JobConfig& config, const DeviceNames& /*devices*/) {
  if (config.overlap != Overlap::none)
    throw UserError(
        "--overlap: no worker of large-batch knows which batch is its last one; use "
        "--delayed-updates");
  if (kTargetBatch.is_set(config) && kTargetBatch.of(config) % config.step_batch() != 0) {
    throw UserError("--target-batch: got " + std::to_string(kTargetBatch.of(config)) +
                    "; expected a multiple of the " + std::to_string(config.step_batch()) +
                    " samples of a batch");
  }
}

}  // namespace

Strategy large_batch_strategy() {
  static constexpr std::array<const StrategySetting*, 2> kOwn = {&kTargetBatch, &kDelayedUpdates};
  return {.name = "large-batch",
          .summary = "a target batch that workers collect at their own pace (--target-batch)",
          .source = "Diskin et al., NeurIPS 2021",
          .settings = kOwn,
          .can_lose_workers = true,
          .overlaps_averages = [](const JobConfig& config) { return kDelayedUpdates.of(config); },
          .state_shares = large_batch_state,
          .check = check_large_batch,
          .run = run_large_batch};
}

}  // namespace epochcast
