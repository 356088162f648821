// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// Machines on which configurations run, and how to get there.
struct ValidationCluster {
  std::string name;    ///< for people
  std::string launch;  ///< words before the command, such as "tests/box/box --nodes 4 --"; or none
  int ranks = 2;

  bool operator==(const ValidationCluster&) const = default;
};

/// One configuration to forecast and to run.
struct ValidationCase {
  ValidationCluster cluster;
  Command command = Command::emulate;  ///< or train
  std::string group;                   ///< see ValidationRow
  std::string point;
  JobConfig config;  ///< with one strategy
};

/// Reads experiment files with a "validate" object (docs/formats.md): the settings, and in its
/// "rows" what differs from row to row. Looks at every file, name and setting of every row, too, as
/// problems_of_cases() does. Throws a UserError that lists the problems of all files.
[[nodiscard]] std::vector<ValidationCase> load_validation_cases(
    const std::vector<std::filesystem::path>& files, const Catalog& catalog);

}  // namespace epochcast
