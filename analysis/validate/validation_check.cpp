// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_check.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/forecast/sweep.hpp"
#include "analysis/validate/cluster_commands.hpp"
#include "analysis/validate/data_check.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/suggest.hpp"
#include "collectives/registry.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/described_model.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

using Texts = std::vector<std::string>;

/// Runs `part`; adds the problems of a UserError.
void collect(Texts& problems, const std::function<void()>& part) {
  try {
    part();
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
}

void check_known(const std::string& setting,
                 const std::string& kind,
                 const std::string& name,
                 const Texts& known) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UserError("--" + setting + ": " + unknown_name(kind, name, known));
}

/// Batches are measured on CPUs, and nodes are machines.
void check_machine(const MachineConfig& machine) {
  for (const std::string& device : machine.devices) {
    if (device != "cpu")
      throw UserError("--devices: got \"" + device + "\"; validation trains on cpu alone");
  }
  if (machine.ranks_per_node != 0)
    throw UserError("--ranks-per-node: not for validation: \"launch\" decides what a node is");
}

/// A slowed device must have a name of its own, for the forecast to distinguish it.
void check_slow_down(const JobConfig& config, int ranks) {
  Texts known = {"cpu"};
  for (int rank = 0; rank < ranks; ++rank) known.push_back(std::to_string(rank));
  for (const auto& [name, factor] : config.machine.slow_down)
    check_known("slow-down", "device class or rank", name, known);
}

void check_strategy(const JobConfig& config) {
  const Strategy& strategy = find_strategy(config.strategy);
  if (strategy.participants == Participants::workers_and_servers ||
      strategy.participants == Participants::workers_and_parameter_servers)
    throw UserError("--strategy: " + config.strategy +
                    " needs ranks that sum; validation trains on all");
  WorkerInfo cpu;
  cpu.device_class = cpu.model = "cpu";
  if (strategy.check != nullptr) strategy.check(config, DeviceNames({&cpu, 1}));
}

/// Checks of a case that trains.
class TrainingCheck {
 public:
  explicit TrainingCheck(const Catalog& catalog) : catalog_(catalog) {}

  [[nodiscard]] Texts problems_of(const ValidationCase& one) {
    const JobConfig& config = one.config;
    Texts problems;
    const auto check = [&](const auto& part) { collect(problems, part); };
    check([&] { check_machine(config.machine); });
    check([&] {
      if (config.precision == Precision::float16)
        throw UserError("--precision: float16 needs GPUs; validation trains on cpu alone");
    });
    check([&] { check_slow_down(config, one.cluster.ranks); });
    check([&] { check_strategy(config); });
    check([&] { check_all_reduce(config.all_reduce); });
    check([&] { check_compression(config, find_strategy(config.strategy)); });
    check([&] {
      check_known("optimizer", "optimizer", config.learning.optimizer.name, optimizer_names());
      check_hyperparameters(config.learning.optimizer);
    });
    check([&] {
      if (!config.learning.pretrained.empty())
        static_cast<void>(open_input(config.learning.pretrained, kDataFile));
    });
    check([&] { check_model(config, problems); });
    return problems;
  }

 private:
  /// The network, the data set, whether they fit each other, and the data itself.
  void check_model(const JobConfig& config, Texts& problems) {
    std::optional<std::filesystem::path> network;
    collect(problems, [&] {
      const auto file = catalog_.find("models/networks", config.network, "--network");
      // LibTorch trains model files and networks of the catalogue: other files only describe.
      if (!is_model_file(config.network))
        check_known("network", "network", config.network, catalog_.names("models/networks"));
      network = file;
    });
    const Dataset dataset = chosen_dataset(config, catalog_);
    if (network) collect(problems, [&] { static_cast<void>(network_in(*network, dataset)); });
    const LearningConfig& learning = config.learning;
    const auto [seen, is_new] = data_problems_.try_emplace(
        {config.dataset,
         learning.data,
         {learning.sequence, learning.image_size, learning.train_samples, learning.test_samples}});
    if (is_new) collect(seen->second, [&] { check_data(config, dataset); });
    problems.insert(problems.end(), seen->second.begin(), seen->second.end());
  }

  const Catalog& catalog_;
  /// Data sets are large, and mostly the same in all cases.
  std::map<std::tuple<std::string, std::string, std::array<std::optional<std::int64_t>, 4>>, Texts>
      data_problems_;
};

/// Figures of machines may be set only if another cluster is calibrated.
void check_figures(const ValidationCase& one) {
  const bool has_nominal = one.other && one.other->link_bytes_per_s;
  const bool asks = one.config.platform_figures.contains(kBandwidthFigure);
  if (has_nominal && !asks)
    throw UserError(std::string(kBandwidthFigure) +
                    ": \"calibrate\" has it, the settings do not; expected both or neither");
  for (const auto& [name, text] : one.config.platform_figures) {
    const bool is_known =
        name == kBandwidthFigure ? has_nominal : one.other && one.command == Command::train;
    if (is_known) continue;
    if (name == kBandwidthFigure && one.other)
      throw UserError(name + ": expected it in \"calibrate\", too: the links that are measured");
    throw UserError(name +
                    ": validation takes machines as they are; write a platform file that has it");
  }
}

/// Checks the cluster that is calibrated instead of the case's own one.
void check_calibrated(const ValidationCase& one, const Catalog& catalog) {
  if (!one.other) return;
  JobConfig config = one.config;
  config.network = one.other->network;
  static_cast<void>(gradient_bytes(config, catalog));
}

/// Reads the files of a case that emulates.
Texts problems_of_files(const JobConfig& config, const Catalog& catalog) {
  Texts problems;
  collect(problems, [&] {
    const Job job = load_job(config, catalog);
    if (!job.platform.simgrid_xml.empty())
      throw UserError("--platform: " + config.platform +
                      ": validation calibrates platforms in JSON, not SimGrid's XML");
  });
  return problems;
}

}  // namespace

std::vector<Texts> problems_of_cases(const std::vector<ValidationCase>& cases,
                                     const Catalog& catalog) {
  std::vector<Texts> problems(cases.size());
  TrainingCheck training(catalog);
  std::vector<ForecastTask> tasks;
  std::vector<std::size_t> case_of_task;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ValidationCase& one = cases[i];
    collect(problems[i], [&] { check_figures(one); });
    collect(problems[i], [&] { check_calibrated(one, catalog); });
    const Texts others = one.command == Command::train ? training.problems_of(one)
                                                       : problems_of_files(one.config, catalog);
    problems[i].insert(problems[i].end(), others.begin(), others.end());
    if (one.command == Command::train) continue;
    if (!problems[i].empty()) continue;
    tasks.push_back({.config = one.config, .strategy = one.config.strategy});
    tasks.back().config.deterministic = true;
    case_of_task.push_back(i);
  }
  const std::vector<ForecastOutcome> outcomes = forecast_all(tasks, catalog);
  for (std::size_t task = 0; task < outcomes.size(); ++task) {
    // A forecast that died is not the user's mistake; the row will have the reason.
    if (!outcomes[task].has_died) problems[case_of_task[task]] = outcomes[task].problems;
  }
  return problems;
}

}  // namespace epochcast
