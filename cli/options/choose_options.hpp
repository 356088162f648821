// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "analysis/choose/choice.hpp"
#include "rehearse/runs/rehearsal_task.hpp"

namespace epochcast {

/// --cluster, --curves, --sweep, --by, --seeds, --html.
[[nodiscard]] boost::program_options::options_description choose_options();

/// A strategy with its settings on a cluster; tasks for each seed.
struct ChoiceTasks {
  std::string cluster;
  std::string job;
  std::vector<RehearsalTask> tasks;
};

/// A cluster to choose from, and its name in tables.
struct NamedCluster {
  std::string name;
  JobConfig config;
};
/// Those of --cluster, else that of the job. Throws a UserError.
[[nodiscard]] std::vector<NamedCluster> clusters_from(
    const boost::program_options::variables_map& values, const JobConfig& config);

/// Every strategy with every combination of its settings on every cluster. A swept setting that a
/// strategy lacks does not multiply it. Throws a UserError.
[[nodiscard]] std::vector<ChoiceTasks> choice_tasks(
    const boost::program_options::variables_map& values,
    const JobConfig& config,
    const LearningTarget& target);

/// The value of --by. Throws a UserError.
[[nodiscard]] ChoiceGoal choice_goal_from(const boost::program_options::variables_map& values);

}  // namespace epochcast
