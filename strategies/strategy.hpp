// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compression/compression.hpp"
#include "core/fabric.hpp"
#include "core/job/job.hpp"
#include "core/job/job_config.hpp"
#include "core/job/placement.hpp"
#include "core/job/strategy_setting.hpp"
#include "core/learner.hpp"
#include "core/loss_sampling.hpp"
#include "strategies/progress.hpp"

namespace epochcast {

/// A worker's report about its training.
struct WorkerReport {
  std::int64_t batch = 0;                 ///< samples per batch, in the last epoch
  std::int64_t local_steps = 1;           ///< steps between averagings
  std::int64_t iterations_per_epoch = 0;  ///< of the fastest worker
  std::int64_t rounds_per_epoch = 0;      ///< exchanges among all workers
  std::int64_t samples_per_epoch = 0;     ///< that this worker trains on
  std::int64_t dropped_samples = 0;       ///< of gradients that no update took, so far
  bool has_own_model = false;             ///< at the end of the epoch: differs from other workers'
  double startup_s = 0;                   ///< benchmark, warm-up and first broadcast
  std::int64_t epochs = 0;                ///< that training_s covers
  double training_s = 0;                  ///< all epochs
  PhaseTimes training;                    ///< the phases of training_s
  Traffic traffic;                        ///< bytes sent in training
  /// Updates by the staleness of what they use: gradients at the first parameter server, parameters
  /// of neighbours.
  std::vector<std::int64_t> updates_by_staleness;
  std::optional<double> constant_imbalance;    ///< hetgrad: of the batches by one speed per worker
  std::optional<double> functional_imbalance;  ///< hetgrad: of those by measured curves
};

struct Worker;

/// A range of parameters that workers average together: all of them, or a fragment.
struct ParameterRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::size_t index = 0;  ///< among those of the strategy
};

/// A step that all workers make alike after averaging a range of parameters, as outer optimizers
/// do: replaces the average by the parameters to continue with. `common`: those of the range that
/// the workers had last in common. Worlds without numbers have none in either, and the same kernels
/// of `bytes` of parameters.
using OuterStep = std::function<void(Worker& worker,
                                     const ParameterRange& range,
                                     std::span<float> averaged,
                                     std::span<const float> common,
                                     double bytes)>;

/// One worker of a job, for a strategy.
struct Worker {
  Fabric& fabric;
  Learner& learner;
  LossSampling& sampling;  ///< of the same learner
  const JobConfig& config;
  std::int64_t train_samples = 0;  ///< N
  WorkerReport report = {};
  Progress progress = {};
  /// Of what it exchanges, made by train_epochs(); null: everything travels whole.
  std::unique_ptr<Compression> compression = {};
  /// Whether the strategy averages parameters. Compressed averages exchange differences to the last
  /// common parameters, and outer steps begin there: these are kept then.
  bool averages_parameters = false;
  /// After each average of parameters; empty: none.
  OuterStep outer_step = {};
  /// The strategy's vectors between exchanges, such as momentum, for checkpoints.
  BucketMemory kept = {};
  /// The epochs after which the job pauses, if that is before its end.
  std::optional<std::int64_t> pause_after = {};
  /// After each epoch, outside of the measured time: tests the model, saves it, ... May be empty.
  std::function<void(std::int64_t epoch)> after_epoch = {};
};

/// The period of a strategy's exchanges: the setting that `tune` chooses.
struct Period {
  const StrategySetting* setting = nullptr;  ///< of counts
  std::string_view symbol;                   ///< in tables: "K'"
  /// The job's value; absent: the usual one.
  std::optional<std::int64_t> (*value)(const JobConfig& config) = nullptr;
  std::int64_t usual = 0;  ///< unless it is more than half of an epoch; 0: once per epoch

  /// The usual value of a job whose epochs have that many steps.
  [[nodiscard]] std::int64_t usual_of(std::int64_t steps) const;
};

/// A training strategy: a function that every worker runs, simulated or real, and its properties.
struct Strategy {
  std::string_view name;
  std::string_view summary;  ///< one line for `epochcast list strategies`
  std::string_view source;
  Participants participants = Participants::workers;
  bool divides_by_speed = false;          ///< batches differ from --batch, by the workers' speed
  bool exchanges_gradients = true;        ///< else parameters alone
  bool keeps_gradients_in_nodes = false;  ///< exchanges them with workers of the same node only
  /// The payload that --compression makes smaller, for the table of combinations; empty: nothing.
  std::string_view compressed = "gradients";
  /// Its own, in the order of the help text; several strategies may share one.
  std::span<const StrategySetting* const> settings = {};
  /// Results of rehearsals against sync, for strategies whose workers average at most once an
  /// epoch; empty: not rehearsed.
  std::string_view rehearsed = {};
  /// Every iteration ends with a step on gradients of the same workers, in train_iterations():
  /// --overlap dear applies.
  bool steps_together = false;
  /// Exchanges always overlap computing, whatever --overlap is.
  bool overlaps = false;
  /// Its workers keep step within an epoch, so --checkpoint-every applies.
  bool can_save_within_epochs = true;
  /// Workers may die and join between epochs: it divides no state and counts on no number of them.
  bool can_lose_workers = false;
  /// Why `train` and `rehearse` lack it, for a message; empty: they have it.
  std::string_view needs_costs = {};
  /// Whether a job's averages overlap computing, whatever --overlap is; that cost is charged. Null:
  /// they do not.
  bool (*overlaps_averages)(const JobConfig& config) = nullptr;
  /// The part of a model's state that a worker keeps; null: all of it.
  StateShares (*state_shares)(const JobConfig& config, std::span<const WorkerInfo>) = nullptr;
  const Period* period = nullptr;  ///< null: no period, as in sync and one-shot
  /// Throws a UserError when a setting names devices that the job lacks. May be null.
  void (*check)(const JobConfig& config, const DeviceNames& devices) = nullptr;
  void (*run)(Worker&) = nullptr;

  /// Whether the setting of that name is one of its own.
  [[nodiscard]] bool has(std::string_view setting) const;
};

/// Every strategy, in the order in which `list` shows them.
[[nodiscard]] std::span<const Strategy> strategies();
/// Throws a UserError if the job's --overlap does not apply to the strategy.
void check_overlap(const JobConfig& config, const Strategy& strategy);
/// Sets the strategy's period to the usual one, if the job has no other and it is less than an
/// epoch.
void use_usual_period(JobConfig& config,
                      const Strategy& strategy,
                      std::int64_t train_samples,
                      std::int64_t trainers);
/// Throws a UserError if the strategy has no version that computes numbers.
void check_computes(const Strategy& strategy);
/// Throws a UserError if the strategy's workers keep no step within an epoch.
void check_saves_within_epochs(const Strategy& strategy);
/// Throws a UserError if the strategy cannot continue without workers that die.
void check_can_lose_workers(const Strategy& strategy);
/// The one of that name. Throws a UserError with the closest name.
[[nodiscard]] const Strategy& find_strategy(std::string_view name);

/// A job's processes, by rank, when this strategy trains it (see place()). Throws a UserError, also
/// when a setting by device names none of the platform's.
[[nodiscard]] std::vector<WorkerInfo> workers_of(const Job& job, const Strategy& strategy);
/// The names in "all" or "sync,dlb", each once. Throws a UserError for an unknown one.
[[nodiscard]] std::vector<std::string> chosen_strategies(const std::string& text);

}  // namespace epochcast
