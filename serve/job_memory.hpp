// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/forecast/shared_jobs.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// Jobs whose files have been read, for the next question: that takes a third of an answer's time.
/// Answers come from processes that end, so the process that forks them has to read as well: what
/// for, they tell it.
class JobMemory {
 public:
  /// `given`: settings that may name files outside of the catalogue. Both must outlive it.
  JobMemory(const Catalog& catalog, const std::vector<SettingText>& given);

  /// Jobs that are there, and those that will be read; none from files that have changed since.
  [[nodiscard]] SharedJobs& jobs();
  /// What is to be told of a job.
  [[nodiscard]] static std::string text_of(const JobConfig& config);
  /// Reads the files of a job that was told; what is wrong with them is for whoever asks to say.
  void learn(const std::string& told);

 private:
  /// Changes with every file that a job may be read from.
  [[nodiscard]] std::string state() const;

  const Catalog& catalog_;
  const std::vector<SettingText>& given_;
  std::string state_;
  SharedJobs jobs_;
};

}  // namespace epochcast
