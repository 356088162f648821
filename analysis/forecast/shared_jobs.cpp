// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/shared_jobs.hpp"

#include <set>
#include <utility>

#include "base/error.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

/// The settings that determine which files a job reads, and which parts of them.
std::string files_of(const JobConfig& config) {
  static const std::set<std::string> deciding = {"platform",
                                                 "network",
                                                 "dataset",
                                                 "data",
                                                 "sequence",
                                                 "image-size",
                                                 "train-samples",
                                                 "trace",
                                                 "precision",
                                                 "workers",
                                                 "curves",
                                                 "target",
                                                 "calibrate-on"};
  std::string key = config.batch_seconds.empty() ? "traces\n" : "";
  for (const auto& [name, value] : all_settings().texts(config)) {
    if (deciding.contains(name)) key.append(name).append("=").append(value).append("\n");
  }
  return key;
}

}  // namespace

SharedJobs::SharedJobs(JobLoader load) : load_(std::move(load)) {}

void SharedJobs::read(const JobConfig& config) {
  auto [at, is_new] = read_.try_emplace(files_of(config));
  if (!is_new) return;
  JobConfig as_in_files = config;
  as_in_files.platform_figures.clear();
  as_in_files.nodes.reset();  // a figure may set their number
  try {
    at->second.job = load_(as_in_files);
  } catch (const UserError& error) {
    at->second.problems = error.problems();
  }
}

Job SharedJobs::job_of(const JobConfig& config) const {
  const Files& files = read_.at(files_of(config));
  if (!files.job) throw UserError(files.problems);
  Job job = *files.job;
  set_config(job, config);
  return job;
}

}  // namespace epochcast
