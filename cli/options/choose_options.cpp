// SPDX-License-Identifier: Apache-2.0
#include "cli/options/choose_options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/forecast/sweep.hpp"
#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "cli/options/job_options.hpp"
#include "results/forecast_outcome.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

constexpr const char* kClusterExample = "\"deep-est-esb nodes=16 network.bandwidth=10Gbps\"";

NamedCluster parse_cluster(const std::string& text, JobConfig config) {
  std::istringstream words(text);
  std::string platform;
  words >> platform;
  if (platform.empty() || platform.find('=') != std::string::npos)
    throw UserError("--cluster: got \"" + text +
                    "\"; expected a platform and its settings, such as " + kClusterExample);
  NamedCluster cluster = {.name = platform, .config = std::move(config)};
  cluster.config.platform = platform;
  std::vector<std::string> assignments;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UserError("--cluster: got \"" + word + "\"; expected NAME=VALUE, as in " +
                      kClusterExample);
    const std::string name = word.substr(0, equals);
    all_settings().check_counts(name, Command::rehearse, "--cluster " + name);
    all_settings().set(
        cluster.config, name, word.substr(equals + 1), "--cluster " + platform + ": " + name);
    cluster.name += ", " + name + " " + word.substr(equals + 1);
  }
  return cluster;
}

/// A setting of other strategies than this one, or of none.
bool is_of_others(const std::string& setting, const Strategy& strategy) {
  return !owners_of(setting).empty() && !strategy.has(setting);
}

}  // namespace

std::vector<NamedCluster> clusters_from(const po::variables_map& values, const JobConfig& config) {
  std::vector<NamedCluster> clusters;
  if (values.count("cluster") > 0) {
    for (const std::string& text : values["cluster"].as<std::vector<std::string>>())
      clusters.push_back(parse_cluster(text, config));
    return clusters;
  }
  std::string name = config.platform;
  if (config.nodes) name += ", nodes " + std::to_string(*config.nodes);
  return {{.name = name, .config = config}};
}

po::options_description choose_options() {
  po::options_description options("The choice", 110, 60);
  options.add_options()(
      "cluster",
      po::value<std::vector<std::string>>()->value_name("\"PLATFORM NAME=VALUE ...\""),
      "a cluster to choose from, and settings that belong to it; repeat it for each cluster "
      "(default: the one of --platform)")(
      "curves",
      po::value<std::string>()->value_name("FILE[,...]"),
      "instead of rehearsals: what was learned elsewhere (`import curves`), timed by forecasts")(
      "save-curves",
      po::value<std::string>()->value_name("FOLDER"),
      "write what was learned as curves, a file for each job, for --curves of `simulate`, `find` "
      "and `compare`")(
      "sweep",
      po::value<std::vector<std::string>>()->value_name("NAME=V1,V2,..."),
      "choose among values of a setting; several multiply (use ; between values that contain "
      "commas)")("by",
                 po::value<std::string>()->value_name("time|cost|energy")->default_value("time"),
                 "what the chosen job needs least of, to the target")(
      "seeds",
      po::value<std::string>()->value_name("COUNT")->default_value("3"),
      "rehearsals of each job, from --seed on")("html",
                                                po::value<std::string>()->value_name("FILE"),
                                                "write a page with the answer and the curves");
  return options;
}

std::vector<ChoiceTasks> choice_tasks(const po::variables_map& values,
                                      const JobConfig& config,
                                      const LearningTarget& target) {
  std::vector<SweepAxis> axes;
  if (values.count("sweep") > 0) {
    for (const std::string& text : values["sweep"].as<std::vector<std::string>>())
      axes.push_back(parse_axis(text, Command::rehearse));
  }
  const int seeds = seeds_from(values);
  std::vector<ChoiceTasks> all;
  std::set<std::pair<std::string, std::string>> seen;
  for (const NamedCluster& cluster : clusters_from(values, config)) {
    for (ForecastTask& task : expand(cluster.config, axes)) {
      const Strategy& strategy = find_strategy(task.strategy);
      std::erase_if(task.point, [&](const SettingText& setting) {
        return is_of_others(setting.name, strategy);
      });
      const std::string point = point_text(task.point);
      ChoiceTasks tasks = {.cluster = cluster.name,
                           .job = task.strategy + (point.empty() ? "" : ", " + point),
                           .tasks = {}};
      if (!seen.insert({tasks.cluster, tasks.job}).second) continue;
      for (int seed = 0; seed < seeds; ++seed) {
        RehearsalTask& one = tasks.tasks.emplace_back();
        one.config = task.config;
        one.point = point;
        one.stop_at = target;
        one.config.strategy = task.strategy;
        one.config.seed += static_cast<std::uint64_t>(seed);
      }
      all.push_back(std::move(tasks));
    }
  }
  return all;
}

ChoiceGoal choice_goal_from(const po::variables_map& values) {
  const std::string& text = values["by"].as<std::string>();
  for (const ChoiceGoal goal : {ChoiceGoal::time, ChoiceGoal::cost, ChoiceGoal::energy}) {
    if (text == to_string(goal)) return goal;
  }
  throw UserError("--by: " + unknown_name("quantity", text, {"time", "cost", "energy"}));
}

}  // namespace epochcast
