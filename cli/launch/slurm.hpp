// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_config.hpp"

namespace epochcast {

/// The values of --slurm and related flags.
struct SlurmOptions {
  bool is_submitted = false;  ///< else the script is printed
  int machines = 1;
  std::string time;  ///< in the syntax of sbatch's --time
};

/// --slurm, --slurm-nodes, --slurm-time.
[[nodiscard]] boost::program_options::options_description slurm_flags();
/// Absent without --slurm. Throws a UserError for values that sbatch would refuse.
[[nodiscard]] std::optional<SlurmOptions> slurm_options_from(
    const boost::program_options::variables_map& values);

/// A batch script that runs `words`. The lines for sbatch are not quoted: they contain checked
/// values only.
[[nodiscard]] std::string batch_script(const SlurmOptions& slurm,
                                       const JobConfig& config,
                                       int machines,
                                       int ranks_per_machine,
                                       const std::vector<std::string>& words);
/// Submits the script to sbatch; returns 0. Throws a RunError when sbatch refuses it.
[[nodiscard]] int submit(const std::string& script);

}  // namespace epochcast
