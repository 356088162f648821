// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job.hpp"

namespace epochcast {

/// What a task's settings are of, read and checked.
using JobLoader = std::function<Job(const JobConfig&)>;

/// Jobs that share the files they name: each combination of files is read once, as long as this
/// lives.
class SharedJobs {
 public:
  explicit SharedJobs(JobLoader load);

  /// Reads a configuration's files, if nobody has. What is wrong with them is job_of()'s to tell.
  void read(const JobConfig& config);
  /// The job of a configuration whose files are read. Throws a UserError where it has none.
  [[nodiscard]] Job job_of(const JobConfig& config) const;

 private:
  /// A job of what its files say, or why they cannot be read.
  struct Files {
    std::optional<Job> job;
    std::vector<std::string> problems;
  };

  JobLoader load_;
  std::map<std::string, Files> read_;  ///< by the settings that decide which files there are
};

}  // namespace epochcast
