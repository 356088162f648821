// SPDX-License-Identifier: Apache-2.0
#include "strategies/costed_job.hpp"

#include <algorithm>
#include <utility>

#include "base/statistics/random.hpp"
#include "collectives/registry.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

Job checked(Job job) {
  check_all_reduce(job.config.all_reduce);
  return job;
}

/// The overlap that the platform states of a device model; null if it does not.
const DeviceOverlap* stated_overlap(const Platform& platform, const std::string& model) {
  for (const NodeGroup& group : platform.nodes) {
    for (const DeviceGroup& device : group.devices) {
      if (device.model == model && device.overlap) return &*device.overlap;
    }
  }
  return nullptr;
}

}  // namespace

const OverlapDefault* charged_overlap(const Job& job,
                                      const WorkerCosts& costs,
                                      const WorkerInfo& worker,
                                      int rank) {
  const BatchCost& cost = costs.of_device(rank);
  const OverlapDefault* const known = overlap_default(worker.device_class);
  const bool is_charged =
      worker.role == Role::trains && (cost.is_from_data_sheet() || cost.is_given()) &&
      !cost.overlap().is_known && stated_overlap(job.platform, worker.model) == nullptr;
  return is_charged && known != nullptr && known->is_charged ? known : nullptr;
}

CostedJob::CostedJob(Job job, const std::string& strategy)
    : job_(checked(std::move(job))),
      strategy_(find_strategy(strategy)),
      workers_(workers_of(job_, strategy_)),
      costs_(job_, workers_) {
  check_compression(job_.config, strategy_);
  use_usual_period(job_.config,
                   strategy_,
                   job_.dataset.train_samples,
                   std::ranges::count(workers_, Role::trains, &WorkerInfo::role));
  // The usual period may be too short for other settings.
  if (strategy_.check != nullptr) {
    JobConfig config = job_.config;
    config.strategy = strategy_.name;
    strategy_.check(config, DeviceNames(job_.platform));
  }
  if (find_compression(job_.config.compression) != nullptr) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const bool is_known =
          workers_[i].role != Role::trains || kernels(static_cast<int>(i)).is_measured();
      if (!is_known) other_grade_ = Grade::estimated;
    }
  }
  const std::optional<Precision> precision =
      job_.config.precision ? job_.config.precision : job_.chosen_precision();
  job_.network.bytes_per_activation = activation_size(precision.value_or(Precision::float32));
  const bool overlaps_averages =
      strategy_.overlaps_averages != nullptr && strategy_.overlaps_averages(job_.config);
  if (job_.config.overlap == Overlap::none && !strategy_.overlaps && !overlaps_averages) return;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    WorkerInfo& worker = workers_[i];
    if (worker.role != Role::trains) continue;
    worker.overlap = costs_.of_device(static_cast<int>(i)).overlap();
    if (worker.overlap.is_known) continue;
    if (const OverlapDefault* known = charged_overlap(job_, costs_, worker, static_cast<int>(i)))
      worker.overlap = known->cost;
    const DeviceOverlap* const stated = stated_overlap(job_.platform, worker.model);
    if (stated == nullptr) continue;
    worker.overlap = {.batch_slowdown = stated->batch_slowdown,
                      .exchange_slowdown = stated->exchange_slowdown,
                      .is_known = true};
    other_grade_ = lowest(other_grade_, stated->source.grade);
  }
}

CostDraw CostedJob::draw() const {
  if (job_.config.deterministic || !costs_.has_spread()) return {};
  return {.seed = job_.config.seed, .session = costs_.shuffled_sessions(job_.config.seed).front()};
}

CostLearner CostedJob::learner(Fabric& fabric, const CostDraw& draw) const {
  const int rank = fabric.rank();
  std::optional<std::uint64_t> stream;
  if (draw.seed) stream = mix_seed(*draw.seed, costs_.group(rank));
  return {fabric,
          job_.network,
          costs_.of(rank, draw.session),
          costs_.buckets(rank),
          {.seed = stream,
           .accumulate = job_.config.accumulate,
           .kept = state_shares(),
           .kernels = kernels(rank),
           .loading_s_per_sample = loading_s_per_sample(rank)}};
}

double CostedJob::loading_s_per_sample(int rank) const {
  if (!job_.config.loading_samples_per_s) return 0;
  const int node = workers_[static_cast<std::size_t>(rank)].node;
  const auto sharers = std::count_if(workers_.begin(), workers_.end(), [node](const auto& worker) {
    return worker.role == Role::trains && worker.node == node;
  });
  return static_cast<double>(sharers) / *job_.config.loading_samples_per_s;
}

KernelCost CostedJob::kernels(int rank) const {
  const DeviceSpec* const device =
      job_.estimates.device(workers_[static_cast<std::size_t>(rank)].model);
  return {costs_.of_device(rank).kernels(),
          job_.config.compression,
          device == nullptr ? 0 : device->memory_bytes_per_s};
}

StateShares CostedJob::state_shares() const {
  return strategy_.state_shares == nullptr ? StateShares()
                                           : strategy_.state_shares(job_.config, workers_);
}

Worker CostedJob::worker(Fabric& fabric, SamplingLearner& learner) const {
  return {.fabric = fabric,
          .learner = learner,
          .sampling = learner,
          .config = job_.config,
          .train_samples = job_.dataset.train_samples};
}

CurveJob CostedJob::curve_job(const RunResult& result) const {
  return {.network = result.network,
          .dataset = result.dataset,
          .strategy = result.strategy,
          .settings = result.config,
          .batch = job_.config.batch,
          .workers = std::ranges::count(workers_, Role::trains, &WorkerInfo::role)};
}

std::string CostedJob::target_note(const RunResult& result) const {
  if (!job_.config.target || result.target_samples) return {};
  const CurveJob job = curve_job(result);
  return "time to " + job_.config.target->text() + " unknown: " +
         (curves_of(job, job_.curves) != nullptr
              ? "no such job reached it"
              : "no curve of " + std::to_string(job.workers) + " workers with batch " +
                    std::to_string(job.batch));
}

RunResult CostedJob::known_result(Command command) const {
  RunResult result;
  result.strategy = strategy_.name;
  result.platform = job_.platform.name;
  result.network = job_.network.name;
  result.dataset = job_.dataset.name;
  result.train_samples = job_.dataset.train_samples;
  result.workers = static_cast<int>(workers_.size());
  result.batch = job_.config.batch;
  result.epochs = job_.config.epochs;
  result.input_grade = lowest(costs_.grade(), other_grade_);
  JobConfig recorded = job_.config;
  recorded.strategy = strategy_.name;
  recorded.precision = job_.chosen_precision();
  result.config = all_settings().texts(without_settings_of_others(recorded), in(command));
  if (command == Command::simulate && job_.config.target) {
    const MeasuredCurves* curves = curves_of(curve_job(result), job_.curves);
    if (curves != nullptr) result.target_samples = samples_to(*curves, *job_.config.target);
  }
  return result;
}

}  // namespace epochcast
