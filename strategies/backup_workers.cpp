// SPDX-License-Identifier: Apache-2.0
// Synchronous SGD with backup workers (Chen et al., arXiv 1604.00981): an update takes the first
// P - n gradients of the current parameters, and later ones are dropped.
//
// [reading] An epoch is as many updates as take N samples. Dropped batches count as dealt, as in
// the paper, where workers go through the data on their own: when the order of samples is used up,
// it begins again. Some samples are then trained on twice, and as many not at all. A worker does
// not stop a batch that has become useless; it learns of it when it pushes.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/parameter_server.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr StrategySettingOf kBackupWorkers(
    "backup-workers",
    "COUNT",
    "backup-workers: gradients of an iteration that are not waited for; of a single worker none",
    "1",
    "0",
    value::Count{0});

constexpr std::array<const StrategySetting*, 2> kSettings = {&kBackupWorkers, &kServers};

/// The first so many gradients of the current parameters are an update.
class FirstGradients : public ServerRule {
 public:
  explicit FirstGradients(std::int64_t count) : count_(static_cast<std::size_t>(count)) {}

  void begin_epoch() override { arrived_.clear(); }

  ServerOrder arrived(const ServerState& state, int worker) override {
    if (state.staleness(worker) > 0) return {.answered = {worker}};
    arrived_.insert(std::ranges::lower_bound(arrived_, worker), worker);
    if (arrived_.size() < count_) return {};
    const std::vector<int> all = std::exchange(arrived_, {});
    return {.taken = all, .weight = 1.0 / static_cast<double>(count_), .rate = 1, .answered = all};
  }

 private:
  std::size_t count_;
  std::vector<int> arrived_;  ///< ascending
};

void run_backup_workers(Worker& worker) {
  const std::int64_t workers = trainer_count(worker.fabric);
  const bool is_given = worker.config.of_strategies.contains(std::string(kBackupWorkers.name));
  const std::int64_t backups = workers > 1 || is_given ? kBackupWorkers.of(worker.config) : 0;
  if (backups >= workers)
    throw UserError("--backup-workers: got " + std::to_string(backups) + "; the job has " +
                    std::to_string(workers) +
                    (workers == 1 ? " worker that trains" : " workers that train") +
                    "; expected fewer");
  const std::int64_t taken = workers - backups;
  const std::int64_t updates =
      iterations_per_epoch(worker.train_samples, taken * worker.config.step_batch());
  run_parameter_server(worker,
                       {.rule = std::make_unique<FirstGradients>(taken),
                        .gradients = updates * taken,
                        .rounds = updates,
                        .drops = true});
}

}  // namespace

Strategy backup_workers_strategy() {
  return {.name = "backup-workers",
          .summary = "ps-sync that drops the last gradients of an iteration (--backup-workers)",
          .source = "Chen et al., arXiv 1604.00981",
          .participants = Participants::workers_and_parameter_servers,
          .compressed = {},
          .settings = kSettings,
          .can_save_within_epochs = false,
          .check = check_parameter_server,
          .run = run_backup_workers};
}

}  // namespace epochcast
