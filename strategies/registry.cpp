// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/other_names.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {

// Each is defined in its own file.
Strategy sync_strategy();
Strategy sync_fastest_strategy();
Strategy hetgrad_strategy();
Strategy hetgrad_unweighted_strategy();
Strategy node_based_strategy();
Strategy daso_strategy();
Strategy local_sgd_strategy();
Strategy unbalanced_local_sgd_strategy();
Strategy biased_local_sgd_strategy();
Strategy post_local_sgd_strategy();
Strategy slowmo_strategy();
Strategy diloco_strategy();
Strategy time_synced_strategy();
Strategy one_shot_strategy();
Strategy byteps_strategy();
Strategy dlb_strategy();
Strategy ps_sync_strategy();
Strategy ps_async_strategy();
Strategy ssp_strategy();
Strategy backup_workers_strategy();
Strategy gssp_strategy();
Strategy fedbuff_strategy();
Strategy gossip_strategy();
Strategy decentralized_strategy();
Strategy ad_psgd_strategy();
Strategy large_batch_strategy();
Strategy zero_strategy();
Strategy fsdp_strategy();

std::span<const Strategy> strategies() {
  static const std::array all = {sync_strategy(),
                                 sync_fastest_strategy(),
                                 hetgrad_strategy(),
                                 hetgrad_unweighted_strategy(),
                                 node_based_strategy(),
                                 daso_strategy(),
                                 local_sgd_strategy(),
                                 unbalanced_local_sgd_strategy(),
                                 biased_local_sgd_strategy(),
                                 post_local_sgd_strategy(),
                                 slowmo_strategy(),
                                 diloco_strategy(),
                                 time_synced_strategy(),
                                 one_shot_strategy(),
                                 byteps_strategy(),
                                 dlb_strategy(),
                                 ps_sync_strategy(),
                                 ps_async_strategy(),
                                 ssp_strategy(),
                                 backup_workers_strategy(),
                                 gssp_strategy(),
                                 fedbuff_strategy(),
                                 gossip_strategy(),
                                 decentralized_strategy(),
                                 ad_psgd_strategy(),
                                 large_batch_strategy(),
                                 zero_strategy(),
                                 fsdp_strategy()};
  return all;
}

std::int64_t Period::usual_of(std::int64_t steps) const {
  return usual == 0 ? steps : std::min(usual, std::max<std::int64_t>(1, steps / 2));
}

void use_usual_period(JobConfig& config,
                      const Strategy& strategy,
                      std::int64_t train_samples,
                      std::int64_t trainers) {
  const Period* const period = strategy.period;
  if (period == nullptr || period->usual == 0 || period->value(config)) return;
  const std::int64_t steps =
      train_samples / std::max<std::int64_t>(1, trainers * config.step_batch());
  config.of_strategies.emplace(period->setting->name, std::to_string(period->usual_of(steps)));
}

const Strategy& find_strategy(std::string_view name) {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) {
    if (strategy.name == name) return strategy;
    names.emplace_back(strategy.name);
  }
  if (const std::string answer = answer_to_other_name(name); !answer.empty())
    throw UserError("--strategy: got \"" + std::string(name) + "\"; " + answer);
  throw UserError("--strategy: " + unknown_name("strategy", name, names));
}

std::vector<std::string> chosen_strategies(const std::string& text) {
  std::vector<std::string> names;
  if (text == "all") {
    for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
    return names;
  }
  for (const std::string& name : split(text, ',')) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(find_strategy(name).name);
    }
  }
  return names;
}

void check_overlap(const JobConfig& config, const Strategy& strategy) {
  if (config.overlap != Overlap::dear || strategy.steps_together) return;
  std::string able;
  for (const Strategy& each : strategies()) {
    if (each.steps_together) able += (able.empty() ? "" : ", ") + std::string(each.name);
  }
  throw UserError("--overlap dear: " + std::string(strategy.name) +
                  " does not end each iteration with a step on the gradients of the same workers; "
                  "choose --strategy among " +
                  able);
}

void check_computes(const Strategy& strategy) {
  if (strategy.needs_costs.empty()) return;
  throw UserError("--strategy " + std::string(strategy.name) +
                  ": simulate and emulate have it, train and rehearse do not, since " +
                  std::string(strategy.needs_costs) + "; zero divides the optimizer's state");
}

void check_saves_within_epochs(const Strategy& strategy) {
  if (strategy.can_save_within_epochs) return;
  throw UserError("--checkpoint-every: workers of " + std::string(strategy.name) +
                  " keep no step within an epoch; checkpoints are of the ends of epochs");
}

void check_can_lose_workers(const Strategy& strategy) {
  if (strategy.can_lose_workers) return;
  std::string able;
  for (const Strategy& each : strategies())
    if (each.can_lose_workers) able += (able.empty() ? "" : ", ") + std::string(each.name);
  throw UserError("--on-failure continue: " + std::string(strategy.name) +
                  " needs all its workers; these continue without some: " + able);
}

namespace {

/// Pairs of a worker and a server up to which a forecast takes half a second.
constexpr std::ptrdiff_t kFewPairs = 1024;

/// Throws a UserError if the strategy is one of all, and would take longer than all others to
/// simulate: each server has an actor, which takes a part from each worker.
void check_simulation_time(const JobConfig& config,
                           const Strategy& strategy,
                           const std::vector<WorkerInfo>& workers) {
  if (config.strategy != "all" ||
      strategy.participants != Participants::workers_and_parameter_servers)
    return;
  const auto training = std::ranges::count(workers, Role::trains, &WorkerInfo::role);
  const auto servers = std::ssize(workers) - training;
  if (training * servers <= kFewPairs) return;
  throw UserError(
      "--strategy all: messages between " + std::to_string(training) + " workers and " +
      std::to_string(servers) +
      " servers take long to simulate; choose it by name, or fewer --nodes or --servers");
}

}  // namespace

std::vector<WorkerInfo> workers_of(const Job& job, const Strategy& strategy) {
  check_class_settings(job.platform, job.config);
  check_overlap(job.config, strategy);
  const DeviceNames devices(job.platform);
  if (strategy.check != nullptr) {
    JobConfig config = job.config;
    config.strategy = strategy.name;
    strategy.check(config, devices);
  }
  std::vector<WorkerInfo> workers = place(
      job.platform,
      job.config,
      strategy.name,
      strategy.participants,
      [&](const WorkerInfo& worker) {
        return job.cost_of(worker).median(job.config.batch).total_s();
      },
      server_choice(job.config));
  check_simulation_time(job.config, strategy, workers);
  return workers;
}

bool Strategy::has(std::string_view setting) const {
  return std::any_of(settings.begin(), settings.end(), [&](const StrategySetting* own) {
    return own->name == setting;
  });
}

}  // namespace epochcast
