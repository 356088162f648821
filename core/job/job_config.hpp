// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/device.hpp"
#include "core/formats/learning_metric.hpp"
#include "core/job/learning_rate.hpp"
#include "core/job/loss.hpp"
#include "core/job/optimizer_settings.hpp"

namespace epochcast {

/// When gradients are exchanged: after backward; in buckets while it goes on; or in halves, the
/// second one during the next forward pass (strategies/dear.hpp).
enum class Overlap { none, bucket, dear };

/// Settings of learning, for jobs that compute numbers.
struct LearningConfig {
  std::string data;  ///< folder of the data set; "procedural": computed; empty: not chosen
  std::optional<std::int64_t> sequence;    ///< tokens of a sample, if the data are a row of tokens
  std::optional<std::int64_t> image_size;  ///< pixels of a side, if the data are a folder of images
  std::optional<std::int64_t> train_samples;  ///< use only the first so many
  std::optional<std::int64_t> test_samples;   ///< the same of those it is tested on
  Loss loss = Loss::automatic;
  OptimizerSettings optimizer;
  LearningRateSchedule rate;        ///< its `epochs` are those of the job
  std::optional<double> clip_norm;  ///< of all gradients together, at most
  std::string pretrained;           ///< file of weights to start from; empty: random ones
  bool augment = true;
};

/// Machine settings of a real run.
struct MachineConfig {
  std::optional<int> ranks;                    ///< absent: one for each device of each host
  std::vector<std::string> devices = {"cpu"};  ///< of a machine's ranks, in turn
  int threads = 1;                             ///< of a rank on a CPU
  std::map<std::string, double>
      slow_down;           ///< by device class, model or rank: batches take so many times as long
  int ranks_per_node = 0;  ///< 0: a machine is a node
};

/// Everything that a run depends on, simulated or real. Each field is one setting (see Setting).
struct JobConfig {
  std::string platform;
  std::string network;
  std::string dataset;
  std::string strategy = "all";
  std::string like;             ///< the preset that has set other settings; empty: none
  std::optional<int> nodes;     ///< absent: every node of the platform
  std::string workers;          ///< device class that trains; empty: those the platform marks
  int ranks_per_device = 1;     ///< workers that share each device that trains
  std::int64_t batch = 128;     ///< samples per worker in a forward pass
  std::int64_t accumulate = 1;  ///< such batches between two steps of the optimizer
  std::int64_t epochs = 100;
  std::string all_reduce = "ring";
  Overlap overlap = Overlap::none;
  std::string compression = "none";  ///< of exchanged gradients
  int gradient_bytes = 4;            ///< of a gradient's value when it is exchanged
  double bucket_bytes = 25 * 1048576.0;
  double first_bucket_bytes = 1048576.0;
  /// Figures of the platform in place of the file's (core/job/platform_figures.hpp), by name.
  std::map<std::string, std::string, std::less<>> platform_figures;
  /// Settings that belong to strategies or compressions (StrategySetting), by name; those with
  /// default values are left out.
  std::map<std::string, std::string, std::less<>> of_strategies;
  std::vector<std::string> traces;              ///< names or paths; empty: those of the catalogue
  std::map<std::string, double> batch_seconds;  ///< by device class or model
  /// That the loader of a node delivers at most, to all its workers; absent: loading is free.
  std::optional<double> loading_samples_per_s;
  /// That batches are computed in; absent: float32 in real runs, else Job::chosen_precision().
  std::optional<Precision> precision;
  std::optional<Kernels> kernels;         ///< of estimated batches; absent: plain
  std::vector<std::string> calibrate_on;  ///< names or paths of traces that scale estimates
  std::map<std::string, double> exchange_seconds;  ///< by "all", "node" or device class
  std::vector<std::string> curves;                 ///< files of what was learned elsewhere
  std::optional<LearningTarget> target;            ///< that is to be reached, by these curves
  std::uint64_t seed = 1;
  int repetitions = 20;
  bool deterministic = false;
  bool exact = false;  ///< simulate every message and iteration
  LearningConfig learning;
  MachineConfig machine;

  /// Samples per worker between two steps of the optimizer: the batch of strategies.
  [[nodiscard]] std::int64_t step_batch() const { return batch * accumulate; }
};

/// The --slow-down of a device with these names: class, model, rank. The last name with a factor
/// counts; 1 without any.
[[nodiscard]] double slow_down_of(const std::map<std::string, double>& slow_down,
                                  const std::vector<std::string>& names);
/// The model name of a device whose batches take `factor` times as long: its costs are others.
/// "v100", 2: "v100-slowed-2x"; the name itself for 1.
[[nodiscard]] std::string slowed_name(const std::string& name, double factor);

}  // namespace epochcast
