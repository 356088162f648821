// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job.hpp"

namespace epochcast {

/// Reads and checks a task's files.
using JobLoader = std::function<Job(const JobConfig&)>;

/// Jobs that share the files they name: each combination of files is read once in the
/// lifetime.
class SharedJobs {
 public:
  explicit SharedJobs(JobLoader load);

  /// Reads a configuration's files, once. job_of() reports their errors.
  void read(const JobConfig& config);
  /// The job of a configuration whose files are read. Throws a UserError if they are not valid.
  [[nodiscard]] Job job_of(const JobConfig& config) const;

 private:
  /// The contents of a job's files, or the error of reading them.
  struct Files {
    std::optional<Job> job;
    std::vector<std::string> problems;
  };

  JobLoader load_;
  std::map<std::string, Files> read_;  ///< by the settings that determine the files
};

}  // namespace epochcast
