// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_input.hpp"
#include "core/fabric.hpp"
#include "core/job/setting.hpp"
#include "core/price.hpp"
#include "core/source.hpp"
#include "results/schema.hpp"

namespace epochcast {

/// Workers of one device model: means over them, per epoch.
struct DeviceResult {
  std::string device_class;
  std::string model;
  std::string role;  ///< "trains" or "sums"
  int workers = 0;
  std::int64_t batch = 0;
  std::int64_t local_steps = 0;
  PhaseTimes phases;

  bool operator==(const DeviceResult&) const = default;
};

/// The cost of all nodes of a job.
struct RunCost {
  Price rate;
  Grade grade = Grade::estimated;  ///< the lowest of prices and times

  bool operator==(const RunCost&) const = default;
};

/// The power and energy of all nodes of a job.
struct RunEnergy {
  double idle_w = 0;               ///< before training, without computing
  double epoch_j = 0;              ///< mean over epochs
  Grade grade = Grade::estimated;  ///< the lowest of powers and times

  bool operator==(const RunEnergy&) const = default;
};

/// How much faster a run is than one with fewer workers.
struct ScalingFigures {
  double speed_up = 1;    ///< how many times as fast, for as much data
  double efficiency = 1;  ///< speed-up, by how many times as many workers
  bool is_knee = false;   ///< the last point at which more workers pay off

  bool operator==(const ScalingFigures&) const = default;
};

/// The order of updates through parameter servers.
struct Asynchrony {
  double mean_staleness = 0;  ///< updates between a pull and its gradient's
  double staleness_95 = 0;    ///< that 95 % of updates do not exceed
  std::int64_t most_staleness = 0;
  std::vector<double> staleness_shares = {};  ///< of updates, by their staleness; they add up to 1
  /// Share of time in which the first server works or receives data; absent: unknown, since MPI
  /// does not tell when the other side has begun to send.
  std::optional<double> server_load = {};
  std::vector<std::int64_t> samples_by_worker;  ///< of the last epoch, by rank of those that train

  bool operator==(const Asynchrony&) const = default;
};

/// Median seconds of successive batches on a rank (of all that were started) right before and right
/// after training. 0: not timed.
struct TimedRank {
  int rank = 0;
  double before_s = 0;
  double after_s = 0;

  bool operator==(const TimedRank&) const = default;
};

/// Seconds of all-reduces among the workers that train, on the slowest of them, several in a row
/// right before and right after a job. Without times if they take too long to repeat.
struct TimedExchanges {
  std::string all_reduce;
  double bytes = 0;  ///< that each reduces
  std::vector<double> before_s;
  std::vector<double> after_s;

  bool operator==(const TimedExchanges&) const = default;
};

/// The measured or forecast times of one run of one strategy. Times are means over epochs.
struct RunResult {
  std::string strategy;
  std::string platform;
  std::string network;
  std::string dataset;
  int nodes = 0;
  int workers = 0;
  std::int64_t batch = 0;
  std::int64_t epochs = 0;
  std::int64_t iterations_per_epoch = 0;
  std::int64_t rounds_per_epoch = 0;
  std::int64_t samples_per_epoch = 0;  ///< that all workers together train on, repeated ones too
  std::int64_t train_samples = 0;      ///< of the data set
  double epoch_s = 0;
  std::optional<Interval> epoch_s_interval;  ///< absent when the inputs have no spread
  double startup_s = 0;                      ///< once per job
  PhaseTimes phases;            ///< means over the workers that train; they add up to epoch_s
  double intra_node_bytes = 0;  ///< of all workers
  double inter_node_bytes = 0;
  std::optional<ScalingFigures> scaling;  ///< of a sweep with --scaling
  std::optional<Asynchrony> asynchrony;   ///< of strategies with parameter servers
  Grade input_grade = Grade::estimated;
  std::vector<std::string> notes;  ///< extrapolated costs, imbalance left, ...
  std::vector<DeviceResult> by_device;
  std::vector<SettingText> config;                ///< every setting
  std::vector<TimedRank> timed_batches;           ///< of ranks that train; empty: not timed
  std::optional<TimedExchanges> timed_exchanges;  ///< absent: not timed
  /// Samples until the job's --target, by curves that were measured elsewhere; absent: unknown.
  std::optional<double> target_samples;
  std::optional<RunCost> cost;      ///< absent if the platform has no prices
  std::optional<RunEnergy> energy;  ///< absent if the power of devices is unknown

  /// The number of workers that train; the others only add gradients.
  [[nodiscard]] int trainers() const;

  /// Seconds for as many samples as the data set has. Strategies are compared by it, since their
  /// epochs differ in length.
  [[nodiscard]] double dataset_s() const {
    return epoch_s * static_cast<double>(train_samples) / static_cast<double>(samples_per_epoch);
  }

  /// Samples that all workers together train on in a second.
  [[nodiscard]] double samples_per_s() const {
    return static_cast<double>(samples_per_epoch) / epoch_s;
  }
  /// The same of one device that trains, on average.
  [[nodiscard]] double device_samples_per_s() const;

  /// Seconds by which runs are ranked: to the job's target, else dataset_s(). Infinite if the time
  /// to the target is unknown.
  [[nodiscard]] double ranked_s() const;
  /// Seconds of training until the target.
  [[nodiscard]] std::optional<double> target_s() const {
    return target_samples ? std::optional(*target_samples / samples_per_s()) : std::nullopt;
  }
  /// Seconds of the whole job, its start included.
  [[nodiscard]] double job_s() const { return startup_s + static_cast<double>(epochs) * epoch_s; }
  /// Joules of the whole job; it has its `energy`.
  [[nodiscard]] double job_j() const {
    return energy->idle_w * startup_s + static_cast<double>(epochs) * energy->epoch_j;
  }
  /// Joules in so many seconds of training; it has its `energy`.
  [[nodiscard]] double training_j(double seconds) const {
    return energy->epoch_j / epoch_s * seconds;
  }

  bool operator==(const RunResult&) const = default;
};

/// `epochcast.result/1`: runs as given, with the user's command line and the command that ran them.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<RunResult>& runs,
                                             const std::string& command,
                                             Command world = Command::simulate);
[[nodiscard]] nlohmann::ordered_json to_json(const RunResult& run);
/// Reads what to_json(run) writes; `path` is its place in the file. Notes every problem, and
/// returns an empty run then.
[[nodiscard]] RunResult read_run(const nlohmann::ordered_json& json,
                                 const std::string& path,
                                 Problems& problems);
/// The same between our own processes: unchecked.
[[nodiscard]] nlohmann::ordered_json to_json(const TimedRank& timed);
[[nodiscard]] TimedRank timed_rank_from_json(const nlohmann::ordered_json& json);
[[nodiscard]] RunResult run_from_json(const nlohmann::ordered_json& json);

}  // namespace epochcast
