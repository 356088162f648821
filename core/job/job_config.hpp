// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/learning_rate.hpp"
#include "core/job/optimizer_settings.hpp"

namespace epochcast {

enum class Overlap { none, bucket };
enum class Partition { constant, functional };
/// How biased local SGD draws samples.
enum class Sampling {
  none,       ///< no bias: the shuffled data set, dealt evenly
  separated,  ///< fast and slow workers draw independently; a sample may be drawn by both
  unified,    ///< disjoint draws, at the price of one more synchronisation
};
enum class Favoured { fast, slow };
/// Node-based: what comes first in the iteration that ends a period, the node's gradient or the
/// averaging of all parameters.
enum class AveragingOrder {
  applied,  ///< apply, then average: afterwards all workers have the same parameters
  printed,  ///< average, then apply, as algorithm 2 of the paper prints it
};

/// How a model with numbers learns.
struct LearningConfig {
  std::string data;  ///< folder of the data set; "procedural": computed; empty: not chosen
  std::optional<std::int64_t> train_samples;  ///< use only the first so many
  std::optional<std::int64_t> test_samples;   ///< the same of those it is tested on
  OptimizerSettings optimizer;
  LearningRateSchedule rate;  ///< its `epochs` are those of the job
  std::string pretrained;     ///< file of weights to start from; empty: random ones
  bool augment = true;
};

/// What a real run uses of the machines it finds.
struct MachineConfig {
  std::optional<int> ranks;                    ///< absent: one for each device of each host
  std::vector<std::string> devices = {"cpu"};  ///< of a machine's ranks, in turn
  int threads = 1;                             ///< of a rank on a CPU
  std::map<std::string, double>
      slow_down;           ///< by device class, model or rank: batches take so many times as long
  int ranks_per_node = 0;  ///< 0: a machine is a node
};

/// Everything that a run depends on, whatever the world. Each field is one setting (see
/// settings()).
struct JobConfig {
  std::string platform;
  std::string network;
  std::string dataset;
  std::string strategy = "all";
  std::optional<int> nodes;  ///< absent: every node of the platform
  std::string workers;       ///< device class that trains; empty: those the platform marks
  int ranks_per_device = 1;  ///< workers that share each device that trains
  std::int64_t batch = 128;  ///< samples per worker
  std::int64_t epochs = 100;
  std::string all_reduce = "ring";
  Overlap overlap = Overlap::none;
  double bucket_bytes = 25 * 1048576.0;
  double first_bucket_bytes = 1048576.0;
  Partition partition = Partition::constant;
  std::int64_t least_batch = 1;                  ///< dlb: what a worker keeps
  std::optional<std::int64_t> averaging_period;  ///< K'; absent: once per epoch
  AveragingOrder averaging_order = AveragingOrder::applied;
  std::int64_t local_steps = 32;                             ///< H, of the fastest class
  std::map<std::string, std::int64_t> local_steps_by_class;  ///< "fast", "slow" or a device class
  double alpha = 0.5;  ///< share of the favoured workers' samples taken by highest loss
  Sampling sampling = Sampling::separated;
  bool weighted_aggregation = true;
  Favoured high_loss_to = Favoured::fast;
  double partition_bytes = 4096000;             ///< BytePS: largest piece pushed at once
  std::vector<std::string> traces;              ///< names or paths; empty: what the catalogue has
  std::map<std::string, double> batch_seconds;  ///< by device class or model
  std::map<std::string, double> exchange_seconds;  ///< by "all", "node" or device class
  std::uint64_t seed = 1;
  int repetitions = 20;
  bool deterministic = false;
  bool exact = false;  ///< simulate every message and iteration
  LearningConfig learning;
  MachineConfig machine;
};

/// How many times as long batches take on a device that goes by these names: class, model, rank.
/// The last one that --slow-down has counts; 1 when it has none.
[[nodiscard]] double slow_down_of(const std::map<std::string, double>& slow_down,
                                  const std::vector<std::string>& names);
/// What a device is called whose batches take `factor` times as long: it is another one, with other
/// costs. "v100", 2: "v100-slowed-2x"; the name itself for 1.
[[nodiscard]] std::string slowed_name(const std::string& name, double factor);

/// In which commands a setting counts.
enum class Command { simulate, emulate, train, rehearse };
using Commands = unsigned;
[[nodiscard]] constexpr Commands in(Command command) {
  return 1U << static_cast<unsigned>(command);
}
constexpr Commands kForecast = in(Command::simulate);
constexpr Commands kWithCosts =
    in(Command::simulate) | in(Command::emulate) | in(Command::rehearse);
constexpr Commands kTrain = in(Command::train);
constexpr Commands kLearning = in(Command::train) | in(Command::rehearse);
constexpr Commands kSimulated = in(Command::simulate) | in(Command::rehearse);
constexpr Commands kEverywhere = kWithCosts | kTrain;

/// One setting: a flag `--name`, a key of an experiment file, a `--set name=value`, a sweep axis.
struct Setting {
  std::string_view name;
  Commands commands = kEverywhere;  ///< an experiment file may hold settings of any command
  std::string_view value_name;      ///< for the help text, with the unit
  std::string_view help;
  /// Parses `text` into the config. Throws a UserError that begins with what was got.
  void (*set)(JobConfig& config, const std::string& text);
  /// The current value as text that set() reads back; empty when not set.
  std::string (*show)(const JobConfig& config);
};

/// The settings of a job and its costs, and those of real learning on real machines.
[[nodiscard]] std::vector<Setting> job_settings();
[[nodiscard]] std::vector<Setting> run_settings();
/// All settings, in the order of the help text.
[[nodiscard]] const std::vector<Setting>& settings();
/// Those that count in a command.
[[nodiscard]] std::vector<Setting> settings_of(Command command);
/// Throws a UserError when the setting is known but counts in other commands only.
void check_counts(std::string_view name, Command command, const std::string& origin);
/// Sets one by name. `origin` ("--batch", "exp.json: /batch") begins every message. Throws
/// UserError.
void set_setting(JobConfig& config,
                 std::string_view name,
                 const std::string& value,
                 const std::string& origin);
/// A setting's name and its value as text.
struct SettingText {
  std::string name;
  std::string value;
};
/// Every setting that counts in one of the commands and has a value.
[[nodiscard]] std::vector<SettingText> setting_texts(const JobConfig& config,
                                                     Commands commands = kEverywhere);

/// Reads `epochcast.experiment/1`: the same settings as the flags, values as texts, numbers,
/// booleans or lists of these; "validate" is left to analysis/validate/validation_plan.hpp. Throws
/// a UserError that lists every problem.
void apply_experiment(JobConfig& config, const nlohmann::json& document, const std::string& file);

}  // namespace epochcast
