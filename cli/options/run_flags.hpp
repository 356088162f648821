// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "core/job/run_options.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// The flags of `train` or `emulate` for the workers.
[[nodiscard]] boost::program_options::options_description run_flags(Command command);
/// Those of them that are neither settings nor common to all commands.
[[nodiscard]] boost::program_options::options_description own_run_flags(Command command);
/// Their values. Throws UserError.
[[nodiscard]] RunOptions run_options_from(const boost::program_options::variables_map& values);

/// The placement of processes by mpirun: --hosts and --mpi-arguments.
[[nodiscard]] boost::program_options::options_description mpirun_flags();

/// The options of one of several seeds: FILE-seed2.EXT instead of FILE.EXT, FOLDER/seed-2 instead
/// of FOLDER. Unchanged for a single seed.
[[nodiscard]] RunOptions options_of(std::uint64_t seed, int seeds, RunOptions options);

}  // namespace epochcast
