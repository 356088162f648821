// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job_config.hpp"

namespace epochcast {

/// What --slurm asks for.
struct SlurmOptions {
  bool is_submitted = false;  ///< else the script is printed
  int machines = 1;
  std::string time;  ///< as sbatch's --time has it
};

/// --slurm, --slurm-nodes, --slurm-time.
[[nodiscard]] boost::program_options::options_description slurm_flags();
/// Nothing without --slurm. Throws a UserError for values that sbatch would not take.
[[nodiscard]] std::optional<SlurmOptions> slurm_options_from(
    const boost::program_options::variables_map& values);

/// A batch script that runs `words`. Nothing protects the lines that sbatch reads: they hold
/// checked values only.
[[nodiscard]] std::string batch_script(const SlurmOptions& slurm,
                                       const JobConfig& config,
                                       int machines,
                                       int ranks_per_machine,
                                       const std::vector<std::string>& words);
/// Hands the script to sbatch; 0. Throws a RunError when it does not take it.
[[nodiscard]] int submit(const std::string& script);

}  // namespace epochcast
