// SPDX-License-Identifier: Apache-2.0
// ZeRO, stages 1 and 2 (Rajbhandari et al., SC 2020, arXiv 1910.02054): a reduce-scatter leaves
// each worker the mean gradient of its own shard of the parameters, which it alone updates; an
// all-gather gives all workers all of them. Stage 1 divides the optimizer's state among the
// workers, stage 2 also the gradients; both send the same.
//
// Reading: gradients are summed in buckets, and all parameters gathered at once, as in DeepSpeed.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/shards.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

struct Stage {
  [[nodiscard]] static int read(const std::string& text) {
    if (text == "3") fail(text, "1 or 2; stage 3 is --strategy fsdp");
    return value::SmallCount{1, 2}.read(text);
  }
  [[nodiscard]] static std::string show(int value) { return std::to_string(value); }
};

constexpr StrategySettingOf kStage(
    "zero-stage",
    "1|2",
    "zero: workers share the optimizer's state (1), and gradients (2)",
    "1",
    "2",
    Stage());

constexpr std::array<const StrategySetting*, 1> kSettings = {&kStage};

// DeepSpeed's allgather_bucket_size, in parameters.
constexpr std::int64_t kGatheredAtOnce = 500'000'000;

void copy(const Payload& from, const Payload& to) {
  std::copy(from.data.begin(), from.data.end(), to.data.begin());
}

/// Gathers the shards of several buckets in one exchange: those of a member one after the other,
/// through a buffer.
class ShardGather {
 public:
  explicit ShardGather(const Fabric& fabric)
      : members_(fabric.world().size()), member_(fabric.world().member_of(fabric.rank())) {}

  void add(const Payload& bucket) { buckets_.push_back(bucket); }
  [[nodiscard]] std::int64_t count() const {
    std::int64_t count = 0;
    for (const Payload& bucket : buckets_) count += bucket.count;
    return count;
  }

  [[nodiscard]] Request start(Fabric& fabric) {
    if (buckets_.size() == 1) {
      const Payload& all = buckets_.front();
      return fabric.start_all_gather(part(all, member_), all, fabric.world());
    }
    Payload mine = sum_of(member_, member_ + 1);
    Payload all = sum_of(0, members_);
    if (buckets_.front().has_numbers()) {
      buffer_ = std::make_unique<std::vector<float>>(static_cast<std::size_t>(count()));
      all.data = std::as_writable_bytes(std::span(*buffer_));
      std::int64_t begin = 0;
      for (int member = 0; member < member_; ++member) begin += sum_of(member, member + 1).count;
      mine.data = slice(all, begin, mine.count).data;
      for (const Payload& bucket : buckets_) {
        const Payload own = part(bucket, member_);
        copy(own, slice(all, begin, own.count));
        begin += own.count;
      }
    }
    return fabric.start_all_gather(mine, all, fabric.world());
  }

  /// After the exchange: everything to its place.
  void finish() const {
    if (!buffer_) return;
    const Payload all = payload_of(std::span(*buffer_));
    std::int64_t begin = 0;
    for (int member = 0; member < members_; ++member) {
      for (const Payload& bucket : buckets_) {
        const Payload to = part(bucket, member);
        copy(slice(all, begin, to.count), to);
        begin += to.count;
      }
    }
  }

 private:
  [[nodiscard]] Payload part(const Payload& bucket, int member) const {
    const Shard shard = shard_of(bucket.count, members_, member);
    return slice(bucket, shard.begin, shard.count);
  }
  /// The shards of these members, without numbers.
  [[nodiscard]] Payload sum_of(int first, int end) const {
    Payload sum = {.element = buckets_.front().element};
    for (const Payload& bucket : buckets_) {
      for (int member = first; member < end; ++member) {
        const Payload each = part(bucket, member);
        sum.count += each.count;
        sum.charged_bytes += each.charged_bytes;
      }
    }
    return sum;
  }

  int members_;
  int member_;
  std::vector<Payload> buckets_;
  std::unique_ptr<std::vector<float>> buffer_;
};

void run_zero(Worker& worker) {
  Fabric& fabric = worker.fabric;
  Learner& learner = worker.learner;
  const std::int64_t batch = worker.config.step_batch();
  const int workers = fabric.world().size();
  const std::int64_t iterations = iterations_per_epoch(worker.train_samples, workers * batch);
  worker.report.batch = batch;
  worker.report.iterations_per_epoch = worker.report.rounds_per_epoch = iterations;
  worker.report.samples_per_epoch = batch * iterations;

  // Without overlap, all gradients are one bucket. Each is divided among all workers: a worker's
  // shard has a part of each.
  const bool overlaps = worker.config.overlap != Overlap::none;
  const std::vector<Payload> buckets =
      overlaps ? learner.buckets() : std::vector<Payload>{learner.gradients()};
  const std::vector<std::int64_t> begins = begins_of_buckets(buckets);
  std::vector<Request> on_the_way;
  const auto wait = [&] {
    for (const Request& request : on_the_way) fabric.wait(request);
    on_the_way.clear();
  };
  const auto start_sum = [&](const Payload& bucket) {
    on_the_way.push_back(fabric.start_reduce_scatter(
        bucket, shard_of(bucket, fabric.world(), fabric.rank()), 1.0 / workers, fabric.world()));
  };
  const auto sum_gradients = [&] {
    if (overlaps) {
      learner.forward_backward(batch, start_sum);
    } else {
      learner.forward_backward(batch);
      start_sum(learner.gradients());
    }
    wait();
  };
  const auto update = [&] {
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const Shard own = shard_of(buckets[i].count, workers, fabric.rank());
      learner.step_part(begins[i] + own.begin, own.count, i + 1 == buckets.size());
    }
    const Payload parameters = learner.parameters();
    std::vector<ShardGather> gathers;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (gathers.empty() || gathers.back().count() + buckets[i].count > kGatheredAtOnce)
        gathers.emplace_back(fabric);
      gathers.back().add(slice(parameters, begins[i], buckets[i].count));
    }
    for (ShardGather& gather : gathers) on_the_way.push_back(gather.start(fabric));
    wait();
    for (const ShardGather& gather : gathers) gather.finish();
  };
  train_epochs(worker, [&](std::int64_t) {
    use_equal_share(worker, 1, iterations);
    repeat(worker, fabric.world(), iterations, [&](std::int64_t) {
      sum_gradients();
      update();
    });
  });
}

StateShares shares(const JobConfig& config, std::span<const WorkerInfo> workers) {
  const double own = 1.0 / static_cast<double>(workers.size());
  return {.gradients = kStage.of(config) == 2 ? own : 1, .optimizer = own};
}

/// Only the shard's gradients are known at a step.
void check(const JobConfig& config, const DeviceNames&) {
  if (config.learning.clip_norm)
    throw UserError("--clip-norm: zero has no worker that knows all gradients; use sync");
}

}  // namespace

Strategy zero_strategy() {
  return {.name = "zero",
          .summary = "sync with the optimizer's state in shards (--zero-stage)",
          .source = "Rajbhandari et al., SC 2020",
          .compressed = {},
          .settings = kSettings,
          .state_shares = shares,
          .check = check,
          .run = run_zero};
}

}  // namespace epochcast
