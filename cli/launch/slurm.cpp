// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/slurm.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/error.hpp"
#include "base/process/child.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/suggest.hpp"
#include "cli/launch/launch.hpp"

namespace epochcast {
namespace po = boost::program_options;
namespace {

/// sbatch(1), --time: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
/// days-hours:minutes or days-hours:minutes:seconds.
bool is_slurm_time(const std::string& text) {
  static const std::regex kWithoutDays("[0-9]{1,6}(:[0-5]?[0-9]){0,2}");
  static const std::regex kWithDays("[0-9]{1,4}-([01]?[0-9]|2[0-3])(:[0-5]?[0-9]){0,2}");
  return std::regex_match(text, kWithoutDays) || std::regex_match(text, kWithDays);
}

/// The text as a job's name: all but ASCII letters, digits, ".", "_" and "-" replaced.
std::string job_label(const std::string& text) {
  return std::regex_replace(text, std::regex("[^A-Za-z0-9._-]"), "_");
}

}  // namespace

po::options_description slurm_flags() {
  po::options_description options("Through Slurm", 110, 60);
  options.add_options()(
      "slurm",
      po::value<std::string>()->value_name("print|submit")->implicit_value("print"),
      "write a batch script for Slurm instead of running; submit: hand it to sbatch")(
      "slurm-nodes",
      po::value<std::string>()->default_value("1")->value_name("COUNT"),
      "--slurm: machines to ask for")(
      "slurm-time",
      po::value<std::string>()->default_value("01:00:00")->value_name("HH:MM:SS"),
      "--slurm: time limit, in any of the ways that sbatch takes");
  return options;
}

std::optional<SlurmOptions> slurm_options_from(const po::variables_map& values) {
  SlurmOptions slurm = {
      .machines = parse_ranks("--slurm-nodes", values["slurm-nodes"].as<std::string>()),
      .time = values["slurm-time"].as<std::string>()};
  if (!is_slurm_time(slurm.time)) {
    throw UserError("--slurm-time: got \"" + slurm.time +
                    "\"; expected a time limit such as 90, 01:30:00 or 2-12:00:00");
  }
  if (values.count("slurm") == 0) return std::nullopt;
  const auto mode = values["slurm"].as<std::string>();
  if (mode != "print" && mode != "submit")
    throw UserError("--slurm: " + unknown_name("mode", mode, {"print", "submit"}));
  slurm.is_submitted = mode == "submit";
  return slurm;
}

std::string batch_script(const SlurmOptions& slurm,
                         const JobConfig& config,
                         int machines,
                         int ranks_per_machine,
                         const std::vector<std::string>& words) {
  const auto gpus = std::count_if(
      config.machine.devices.begin(), config.machine.devices.end(), [](const std::string& device) {
        return device.starts_with("cuda");
      });
  const std::string network = std::filesystem::path(config.network).stem().string();
  std::ostringstream script;
  script << "#!/bin/bash\n"
         << "#SBATCH --job-name=epochcast-" << job_label(config.strategy + "-" + network) << "\n"
         << "#SBATCH --nodes=" << machines << "\n"
         << "#SBATCH --ntasks-per-node=" << ranks_per_machine << "\n"
         << "#SBATCH --cpus-per-task=" << config.machine.threads << "\n";
  if (gpus > 0) script << "#SBATCH --gpus-per-node=" << gpus << "\n";
  script << "#SBATCH --time=" << slurm.time << "\n"
         << "#SBATCH --output=%x-%j.out\n"
         << "# mpirun learns the machines from Slurm.\n"
         << shell_text(words) << "\n";
  return script.str();
}

int submit(const std::string& script) {
  const SignalScope signals;
  const FileDescriptor input = unnamed_file(script);
  if (Child::start({"sbatch"}, {.in = input.number()}).wait().in_shell() != 0)
    throw RunError("sbatch did not take the job; see above (--slurm print shows the script)");
  return 0;
}

}  // namespace epochcast
