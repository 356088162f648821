// SPDX-License-Identifier: Apache-2.0
// FedBuff (Nguyen et al., AISTATS 2022): workers make H local steps and push what their parameters
// have moved; the server adds the mean of every K pushes, weighted by their staleness.
//
// [reading] Every worker always takes part, and pulls new parameters as soon as it has pushed. An
// epoch is K times a number of pushes, so that no push waits in the buffer for the next epoch.
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/local_steps.hpp"
#include "strategies/parameter_server.hpp"
#include "strategies/server_settings.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

constexpr double kLargestServerRate = 1e6;

constexpr StrategySettingOf kBufferSize(
    "buffer-size",
    "K",
    "fedbuff: pushes of workers in an update of the server (default: "
    "as many as workers)",
    "",
    "3",
    value::Count{1});
constexpr StrategySettingOf kServerRate("server-rate",
                                        "NUMBER",
                                        "fedbuff: learning rate of the server",
                                        "1",
                                        "0.5",
                                        value::Number{
                                            0, kLargestServerRate, "a number from 0 to 1e6"});

/// Every K pushes are an update; a worker continues at once.
class Buffer : public ServerRule {
 public:
  Buffer(std::int64_t size, double rate) : size_(size), rate_(rate) {}

  void begin_epoch() override { filled_ = 0; }

  ServerOrder arrived(const ServerState& state, int worker) override {
    // s(τ) = 1/√(1 + τ), section 5 of the paper.
    const double of_staleness = 1 / std::sqrt(1 + static_cast<double>(state.staleness(worker)));
    filled_ = (filled_ + 1) % size_;
    return {.taken = {worker},
            .weight = rate_ * of_staleness / static_cast<double>(size_),
            .rate = filled_ == 0 ? 1.0 : 0.0,
            .answered = {worker}};
  }

 private:
  std::int64_t size_;
  double rate_;
  std::int64_t filled_ = 0;
};

void run_fedbuff(Worker& worker) {
  const std::int64_t steps = steps_given(worker.config).fastest;
  const std::int64_t size = kBufferSize.is_set(worker.config) ? kBufferSize.of(worker.config)
                                                              : trainer_count(worker.fabric);
  const std::int64_t pushes = batches_per_epoch(worker) / steps;
  if (pushes == 0)
    throw UserError("--local-steps: got " + std::to_string(steps) + "; an epoch has " +
                    std::to_string(batches_per_epoch(worker)) + " batches; expected no more");
  if (pushes < size)
    throw UserError("--buffer-size: got " + std::to_string(size) + "; an epoch has " +
                    std::to_string(pushes) + " pushes of " + std::to_string(steps) +
                    " local steps with batch " + std::to_string(worker.config.step_batch()) +
                    "; expected no more");
  run_parameter_server(worker,
                       {.rule = std::make_unique<Buffer>(size, kServerRate.of(worker.config)),
                        .gradients = pushes / size * size,
                        .local_steps = steps});
}

void check_fedbuff(const JobConfig& config, const DeviceNames& /*devices*/) {
  if (!steps_given(config).by_class.empty())
    throw UserError(
        "--local-steps: all workers of fedbuff make the same number; expected it "
        "without names");
}

/// The change of its parameters.
StateShares fedbuff_shares(const JobConfig&, std::span<const WorkerInfo>) { return {.vectors = 1}; }

}  // namespace

Strategy fedbuff_strategy() {
  static const std::array<const StrategySetting*, 4> own = {
      &local_steps_setting(), &kBufferSize, &kServerRate, &kServers};
  return {.name = "fedbuff",
          .summary = "servers add the mean of every K pushes of H local steps (--buffer-size)",
          .source = "Nguyen et al., AISTATS 2022",
          .participants = Participants::workers_and_parameter_servers,
          .exchanges_gradients = false,
          .compressed = {},
          .settings = own,
          .can_save_within_epochs = false,
          .state_shares = fedbuff_shares,
          .period = &kLocalStepsPeriod,
          .check = check_fedbuff,
          .run = run_fedbuff};
}

}  // namespace epochcast
