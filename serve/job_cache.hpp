// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/forecast/shared_jobs.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// A cache of jobs whose files have been read, which takes a third of an answer's time. Requests
/// are answered by child processes, which tell the parent what to read for later ones.
class JobCache {
 public:
  /// `given`: settings that may name files outside of the catalogue. Both must outlive it.
  JobCache(const Catalog& catalog, const std::vector<SettingText>& given);

  /// The cached jobs, to which others are added. Drops jobs whose files have changed.
  [[nodiscard]] SharedJobs& jobs();
  /// The text about a job for preload().
  [[nodiscard]] static std::string text_of(const JobConfig& config);
  /// Reads the files of a job; errors are reported by the next request.
  void preload(const std::string& message);

 private:
  /// A text that changes with every file that a job may be read from.
  [[nodiscard]] std::string state() const;

  const Catalog& catalog_;
  const std::vector<SettingText>& given_;
  std::string state_;
  SharedJobs jobs_;
};

}  // namespace epochcast
