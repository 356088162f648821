// SPDX-License-Identifier: Apache-2.0
// `epochcast train` and `emulate`: start the programs that do the work, with mpirun or through
// Slurm.
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <numeric>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/process/ending.hpp"
#include "base/process/interruption.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/launch/elastic.hpp"
#include "cli/launch/in_place.hpp"
#include "cli/launch/kept_checkpoints.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/slurm.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/run_flags.hpp"
#include "core/job/chosen_dataset.hpp"
#include "core/job/job.hpp"
#include "core/job/placement.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/strategy.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

using Words = std::vector<std::string>;

po::options_description launch_flags() {
  po::options_description options = mpirun_flags();
  options.add_options()("dry-run", "show the command line and do not run it");
  return options;
}

/// The number of ranks, and their machines.
struct Placement {
  int ranks = 1;
  std::vector<Host> hosts;   ///< empty: this machine, or mpirun's hostfile
  bool is_in_place = false;  ///< each host gets exactly its ranks, in this order
  int machines = 1;
  int ranks_per_machine = 1;
};

/// The number of workers of each node of the platform.
std::vector<int> emulated_workers(const JobConfig& config) {
  const Job job = load_job(config, Catalog::standard());
  return workers_by_node(workers_of(job, find_strategy(config.strategy)));
}

/// Places each node of the platform on its own machine if the hosts have enough slots.
void put_in_place(Placement& where,
                  const std::vector<int>& workers_of_node,
                  const po::variables_map& values) {
  const bool is_placed_by_user =
      values.count("mpi-arguments") > 0 && place_ranks(values["mpi-arguments"].as<std::string>());
  constexpr int kMostNames = 4096;  // an argument of a program is 128 KiB long at most
  if (is_placed_by_user || where.ranks > kMostNames) return;
  const int most = *std::max_element(workers_of_node.begin(), workers_of_node.end());
  const auto nodes = static_cast<int>(workers_of_node.size());
  const bool is_for_slurm = values.count("slurm") > 0;
  if (is_for_slurm && where.hosts.empty()) {
    // The names of the machines are not known yet: all get the same number of ranks, and those
    // without a worker are idle.
    if (where.machines < nodes || std::int64_t{nodes} * most > kMostSmallCount) return;
    where.ranks = nodes * most;
    where.ranks_per_machine = most;
    return;
  }
  const auto placed = hosts_in_place(where.hosts.empty() ? hosts_of_environment(most) : where.hosts,
                                     workers_of_node);
  if (!placed) return;
  where.hosts = *placed;
  where.is_in_place = true;
  where.ranks_per_machine = std::max(where.ranks_per_machine, most);
}

/// Throws for machines that Slurm would allocate without any rank.
void check_all_are_used(const Placement& where) {
  const int used = (where.ranks + where.ranks_per_machine - 1) / where.ranks_per_machine;
  if (used == where.machines) return;
  throw UserError("--slurm-nodes: got " + std::to_string(where.machines) + "; " +
                  std::to_string(where.ranks) + (where.ranks == 1 ? " rank, " : " ranks, ") +
                  std::to_string(where.ranks_per_machine) + " on each machine, take " +
                  std::to_string(used));
}

Placement placement_from(const po::variables_map& values,
                         const std::optional<SlurmOptions>& slurm,
                         Command command,
                         const JobConfig& config) {
  const bool trains = command == Command::train;
  const int per_machine = static_cast<int>(config.machine.devices.size());
  Placement where;
  where.machines = slurm ? slurm->machines : 1;
  const std::vector<int> workers = trains ? std::vector<int>() : emulated_workers(config);
  const int wanted = trains ? config.machine.ranks.value_or(0)
                            : std::accumulate(workers.begin(), workers.end(), 0);
  const auto named = values.count("hosts") > 0
                         ? static_cast<int>(split(values["hosts"].as<std::string>(), ',').size())
                         : 0;
  const int machines = std::max(where.machines, named);
  if (values.count("hosts") > 0) {
    int usual = wanted > 0 ? (wanted + machines - 1) / machines : per_machine;
    for (const int of_node : workers) usual = std::max(usual, of_node);
    where.hosts = parse_hosts(values["hosts"].as<std::string>(), usual);
  }
  if (!where.hosts.empty()) where.machines = static_cast<int>(where.hosts.size());
  const std::int64_t available =
      where.hosts.empty() ? std::int64_t{per_machine} * where.machines : room(where.hosts);
  if (available > kMostSmallCount && wanted == 0)
    throw UserError("--slurm-nodes: " + std::to_string(available) + " ranks in all; expected at " +
                    "most " + std::to_string(kMostSmallCount));
  where.ranks = wanted > 0 ? wanted : static_cast<int>(available);
  if (!where.hosts.empty() && where.ranks > available) {
    throw UserError("--hosts: room for " + std::to_string(available) + " ranks; the job has " +
                    std::to_string(where.ranks));
  }
  where.ranks_per_machine = (where.ranks + where.machines - 1) / where.machines;
  if (!trains) put_in_place(where, workers, values);
  if (slurm && where.hosts.empty()) check_all_are_used(where);
  return where;
}

/// Throws when one iteration of all ranks takes more samples than exist, as far as that is known
/// before processes are started: for computed or limited samples, and ranks of one kind of device,
/// all of which train.
void check_samples(const JobConfig& config, int ranks) {
  const std::vector<std::string>& devices = config.machine.devices;
  const auto kind = [](const std::string& device) { return device.substr(0, device.find(':')); };
  const bool all_train = std::all_of(devices.begin(), devices.end(), [&](const auto& device) {
    return kind(device) == kind(devices.front());
  });
  if (!all_train) return;
  std::optional<std::int64_t> samples = config.learning.train_samples;
  if (!samples && config.learning.data == "procedural" && !config.dataset.empty())
    samples = chosen_dataset(config, Catalog::standard()).train_samples;
  if (samples) static_cast<void>(iterations_per_epoch(*samples, ranks * config.step_batch()));
}

/// The flags for the workers: the user's, without those for the placement.
Words worker_flags(const po::variables_map& values, Command command) {
  Words words;
  const po::options_description known = run_flags(command);
  for (const auto& option : known.options()) {
    const std::string& name = option->long_name();
    if (values.count(name) == 0 || values[name].defaulted()) continue;
    const auto& value = values[name].value();
    if (const auto* list = boost::any_cast<Words>(&value)) {
      for (const std::string& each : *list) words.insert(words.end(), {"--" + name, each});
    } else if (const auto* text = boost::any_cast<std::string>(&value)) {
      words.push_back("--" + name + "=" + *text);
    }
  }
  return words;
}

/// The words of --mpi-arguments.
Words mpi_words(const po::variables_map& values) {
  Words words;
  if (values.count("mpi-arguments") == 0) return words;
  std::istringstream text(values["mpi-arguments"].as<std::string>());
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

Words launch_words(const po::variables_map& values,
                   Command command,
                   const JobConfig& config,
                   const Placement& where,
                   const Words& more_flags = {}) {
  Words words = {"mpirun", "-n", std::to_string(where.ranks), "--bind-to", "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  if (where.is_in_place) {
    const Words more = words_in_place(where.hosts);
    words.insert(words.end(), more.begin(), more.end());
  } else if (!where.hosts.empty()) {
    words.insert(words.end(), {"--host", hosts_text(where.hosts)});
  }
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  const bool is_here = values.count("hosts") == 0 && values.count("slurm") == 0;
  if (is_here && where.ranks_per_machine * config.machine.threads > cores) {
    words.insert(words.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  } else if (is_here) {
    words.emplace_back("--oversubscribe");  // mpirun counts cores, not threads; checked here
  }
  words.insert(words.end(), {"-x", "OMP_NUM_THREADS=" + std::to_string(config.machine.threads)});
  for (const char* name : {"EPOCHCAST_DATA", "EPOCHCAST_PATH"}) {
    if (std::getenv(name) != nullptr) words.insert(words.end(), {"-x", name});
  }
  const Words more_words = mpi_words(values);
  words.insert(words.end(), more_words.begin(), more_words.end());
  words.push_back(sibling("epochcast-run"));
  words.emplace_back(command == Command::train ? "train" : "emulate");
  const Words flags = worker_flags(values, command);
  words.insert(words.end(), flags.begin(), flags.end());
  if (values.count("bar") == 0 && is_here && isatty(STDERR_FILENO) != 0)
    words.emplace_back("--bar=on");
  words.insert(words.end(), more_flags.begin(), more_flags.end());
  return words;
}

/// Throws for a job that continues without workers that die, but cannot.
void check_elastic(const po::variables_map& values, const JobConfig& config) {
  const std::string flag = "--on-failure continue: ";
  check_can_lose_workers(find_strategy(config.strategy));
  if (seeds_from(values) > 1) throw UserError(flag + "trains one seed; leave out --seeds");
  if (values.count("slurm") > 0)
    throw UserError(
        flag +
        "not with --slurm, whose script starts mpirun alone; in a script of yours, call "
        "epochcast train --hosts $(scontrol show hostnames | paste -sd,)");
  if (values.count("mpi-arguments") > 0 && place_ranks(values["mpi-arguments"].as<std::string>()))
    throw UserError(flag + "name machines with --hosts, not in --mpi-arguments");
}

/// The job as one that continues without workers that die.
ElasticJob elastic_job(const po::variables_map& values,
                       const JobConfig& config,
                       const Placement& where,
                       const std::string& checkpoint) {
  const bool is_resumed = run_options_from(values).is_resumed;
  ElasticJob job;
  job.placements = placements_on(
      where.hosts.empty() ? hosts_of_environment(where.ranks_per_machine) : where.hosts,
      where.ranks);
  job.run = [=](const std::vector<RankPlacement>& placements, Words flags) {
    Placement now = where;
    now.ranks = static_cast<int>(placements.size());
    now.hosts = hosts_of(placements);
    now.is_in_place = !now.hosts.empty();
    if (is_resumed) std::erase(flags, "--resume");
    return run_mpirun(launch_words(values, Command::train, config, now, flags));
  };
  job.answers = [&values](const std::string& host) {
    return mpirun_reaches(host, mpi_words(values));
  };
  job.epochs_done = [checkpoint] { return epoch_in(checkpoint).value_or(1) - 1; };
  job.epochs = config.epochs;
  job.say = [](const std::string& line) { std::cerr << line << std::endl; };
  return job;
}

CommandEnd run_job(const po::variables_map& values,
                   Command command,
                   const JobConfig& config,
                   const Placement& where,
                   const Words& checkpoints) {
  try {
    if (command == Command::train && run_options_from(values).continues)
      return run_elastic(elastic_job(values, config, where, checkpoints.front()));
    return run_mpirun(launch_words(values, command, config, where));
  } catch (const Interrupted& end) {
    throw Interrupted(end.signal(), kept_text(checkpoints));
  }
}

/// The folders of a job's checkpoints, one for each seed.
Words checkpoint_folders(const po::variables_map& values,
                         Command command,
                         const JobConfig& config) {
  const RunOptions options = run_options_from(values);
  if (command != Command::train || options.checkpoint.empty()) return {};
  const int seeds = seeds_from(values);
  Words folders;
  for (int i = 0; i < seeds; ++i) {
    const std::uint64_t seed = config.seed + static_cast<std::uint64_t>(i);
    folders.push_back(options_of(seed, seeds, options).checkpoint.string());
  }
  return folders;
}

CommandHelp launch_help(Command command,
                        const std::vector<std::string>& most_used,
                        const std::vector<std::string>& examples) {
  CommandHelp help = {.usage = "[OPTIONS]",
                      .about = {},
                      .groups = setting_groups(command),
                      .most_used = most_used,
                      .examples = examples};
  help.groups.push_back(help_group("The run", own_run_flags(command)));
  help.groups.push_back(help_group("Where", launch_flags()));
  help.groups.push_back(help_group("Through Slurm", slurm_flags()));
  help.groups.push_back(help_group("How", common_options()));
  return help;
}

int launch(Command command, const std::string& name, const Words& arguments) {
  po::options_description options;
  options.add(run_flags(command)).add(launch_flags()).add(slurm_flags());
  const po::variables_map values = parse_flags(name, arguments, options);
  const JobConfig config = config_from(command, values);
  static_cast<void>(run_options_from(values));
  if (command == Command::train) static_cast<void>(seeds_from(values));
  static_cast<void>(format_from(values));
  if (config.strategy == "all" || config.strategy.find(',') != std::string::npos)
    throw UserError(
        "--strategy: expected one, such as sync; `epochcast list strategies` lists them");
  static_cast<void>(find_strategy(config.strategy));
  const std::optional<SlurmOptions> slurm = slurm_options_from(values);
  const Placement where = placement_from(values, slurm, command, config);
  if (command == Command::train) check_samples(config, where.ranks);
  if (run_options_from(values).checkpoint_every > 0)
    check_saves_within_epochs(find_strategy(config.strategy));
  if (run_options_from(values).continues) check_elastic(values, config);
  if (slurm) {
    const std::string script = batch_script(*slurm,
                                            config,
                                            where.machines,
                                            where.ranks_per_machine,
                                            launch_words(values, command, config, where));
    if (slurm->is_submitted && values.count("dry-run") == 0) return submit(script);
    std::cout << script;
    return 0;
  }
  if (values.count("dry-run") > 0) {
    std::cout << shell_text(launch_words(values, command, config, where)) << '\n';
    return 0;
  }
  const Words checkpoints = checkpoint_folders(values, command, config);
  const Words before = manifests(checkpoints);
  const CommandEnd end = run_job(values, command, config, where, checkpoints);
  const Ending ending = ending_of(end.status);
  if (ending == Ending::done || ending == Ending::bad_input) return end.status;
  std::string text = "the job failed (mpirun's exit status " + std::to_string(end.status) + ")";
  if (end.death) text = "the job failed: " + death_text(*end.death);
  // An existing one may be the cause of the failure.
  if (manifests(checkpoints) != before) text += "; " + kept_text(checkpoints);
  throw RunError(text);
}

}  // namespace

CommandHelp train_help() {
  return launch_help(Command::train,
                     {"network",
                      "dataset",
                      "data",
                      "strategy",
                      "batch",
                      "epochs",
                      "ranks",
                      "devices",
                      "hosts",
                      "learning-rate",
                      "checkpoint",
                      "dry-run"},
                     {"epochcast train --network small-cnn --dataset mnist --data procedural "
                      "--train-samples 5000 --strategy sync --ranks 2 --batch 32 --epochs 3"});
}

CommandHelp emulate_help() {
  return launch_help(Command::emulate,
                     {"platform",
                      "network",
                      "dataset",
                      "strategy",
                      "nodes",
                      "batch",
                      "epochs",
                      "hosts",
                      "timeline",
                      "dry-run"},
                     {"epochcast emulate --platform deep-est-esb --nodes 2 --network resnet50 "
                      "--dataset cifar10 --strategy sync --epochs 1"});
}

int run_train(const Words& arguments) { return launch(Command::train, "train", arguments); }

int run_emulate(const Words& arguments) { return launch(Command::emulate, "emulate", arguments); }

}  // namespace epochcast