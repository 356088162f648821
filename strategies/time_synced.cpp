// SPDX-License-Identifier: Apache-2.0
// A-EDiT (Cheng et al., ICLR 2025, arXiv 2412.07210): workers average every T seconds, each having
// made as many steps as it could, and then make an outer step as in DiLoCo. A worker whose
// pseudo-gradient, what it has moved, is unusually long is left out of the average: the norm is
// more than so many standard deviations above its exponential moving average.
//
// Defaults of the detection are those of the authors' implementation (ATorch). [reading] The
// average of the others is plain, as in ATorch by default; the paper also weights them by their
// norms and clips the average. Averages of norms begin with the first one, and norms that were left
// out do not count. If all workers are left out, they go back to the last common parameters.
// Parameters are averaged as a whole, not layer by layer beside the next forward pass. Batches are
// dealt on demand, one at least in each round, and the last round of an epoch ends when all are
// used.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "core/job/setting_text.hpp"
#include "core/job/setting_value.hpp"
#include "strategies/averaging.hpp"
#include "strategies/outer_step.hpp"
#include "strategies/training.hpp"

namespace epochcast {
namespace {

struct Duration {
  [[nodiscard]] double read(const std::string& text) const {
    return parse_positive(text, Dimension::seconds);
  }
  [[nodiscard]] std::string show(double seconds) const { return shortest(seconds) + "s"; }
};

constexpr double kMostDeviations = 1e6;

constexpr StrategySettingOf kSyncSeconds(
    "sync-seconds", "TIME", "time-synced: time between averagings", "30s", "0.05s", Duration{});
constexpr StrategySettingOf kThreshold(
    "anomaly-threshold",
    "NUMBER",
    "time-synced: standard deviations above its mean by which a worker's pseudo-gradient may be "
    "longer, or it is left out",
    "3",
    "2",
    value::Number{0, kMostDeviations, "a number from 0 to 1e6"});
constexpr StrategySettingOf kDecay(
    "anomaly-decay",
    "NUMBER",
    "time-synced: weight of the last norm in the mean and variance of a worker's norms",
    "0.02",
    "0.1",
    value::Number{0, 1, "a number from 0 to 1"});
constexpr StrategySettingOf kFirstRound("anomaly-start",
                                        "ROUNDS",
                                        "time-synced: rounds before workers can be left out",
                                        "120",
                                        "20",
                                        value::Count{1});

/// The norms of a worker's pseudo-gradients, in memory that is part of checkpoints.
class Norms {
 public:
  explicit Norms(Worker& worker)
      : worker_(worker),
        threshold_(kThreshold.of(worker.config)),
        decay_(kDecay.of(worker.config)),
        first_(static_cast<double>(kFirstRound.of(worker.config))) {}

  /// Whether a round's norm is normal; it then counts.
  [[nodiscard]] bool take(double norm) {
    const std::span<double> kept = worker_.kept.numbers<double>(0, "norms", 3);
    double& rounds = kept[0];
    double& mean = kept[1];
    double& variance = kept[2];
    if (!std::isfinite(norm)) return false;
    if (rounds >= first_ && norm > mean + threshold_ * std::sqrt(variance)) return false;
    if (rounds == 0) mean = norm;
    rounds += 1;
    const double difference = norm - mean;
    mean += decay_ * difference;
    variance = (1 - decay_) * (variance + decay_ * difference * difference);
    return true;
  }

 private:
  Worker& worker_;
  double threshold_;
  double decay_;
  double first_;  ///< rounds before it
};

/// Batches for each worker in a part of a round's batches. A simulated clock omits whole rounds, of
/// which some include their averages; so few numbers of Fabric::deal() it does not omit.
constexpr std::int64_t kDealtTogether = 40;
/// Rounds before the next look at how many the rest of an epoch has, as a share of them.
constexpr double kSureShare = 0.9;

class TimeSynced {
 public:
  explicit TimeSynced(Worker& worker)
      : worker_(worker),
        batch_(worker.config.step_batch()),
        batches_(iterations_per_epoch(worker.train_samples, batch_)),
        workers_(trainer_count(worker.fabric)),
        sync_s_(kSyncSeconds.of(worker.config)),
        norms_(worker) {
    worker.report.batch = batch_;
    worker.report.iterations_per_epoch = (batches_ + workers_ - 1) / workers_;
  }

  void run_epoch() {
    done_ = Rounds();
    while (done_.all_batches < batches_) {
      const Rounds one = run_round();
      if (worker_.compression != nullptr && worker_.compression->is_warming_up()) continue;
      const std::int64_t left = (batches_ - done_.all_batches) / one.all_batches;
      repeat_rounds(static_cast<std::int64_t>(kSureShare * static_cast<double>(left)));
    }
    WorkerReport& report = worker_.report;
    report.rounds_per_epoch = done_.rounds;
    report.samples_per_epoch = done_.own_batches * batch_;
    report.local_steps = done_.own_batches / std::max<std::int64_t>(1, done_.rounds);
  }

 private:
  struct Rounds {
    std::int64_t rounds = 0;
    std::int64_t own_batches = 0;
    std::int64_t all_batches = 0;
  };

  /// So many rounds, or fewer if there are no more batches. Those that a simulated clock omits are
  /// like the others, in the mean.
  void repeat_rounds(std::int64_t count) {
    if (count == 0) return;
    const Rounds before = done_;
    std::int64_t run = 0;
    worker_.fabric.repeat(worker_.fabric.world(), count, [&](std::int64_t) {
      ++run;
      if (done_.all_batches < batches_) run_round();
    });
    if (run == count) return;
    const auto rounds = static_cast<double>(done_.rounds - before.rounds);
    const auto omitted = static_cast<double>(count - run);
    const auto more = [&](std::int64_t now, std::int64_t then) {
      return std::llround(omitted * static_cast<double>(now - then) / rounds);
    };
    const std::int64_t all = more(done_.all_batches, before.all_batches);
    done_.own_batches += more(done_.own_batches, before.own_batches);
    done_.all_batches = std::min(batches_, done_.all_batches + all);
    done_.rounds += count - run;
    if (worker_.compression != nullptr) worker_.compression->add_steps(count - run);
  }

  /// The part-th part of the batches that are left; each worker asks until it is empty.
  [[nodiscard]] std::optional<std::int64_t> deal(std::int64_t& part) {
    const std::int64_t size = kDealtTogether * workers_;
    for (; done_.all_batches + part * size < batches_; ++part) {
      const std::int64_t first = done_.all_batches + part * size;
      const std::int64_t count = std::min(size, batches_ - first);
      if (const auto number = worker_.fabric.deal(sequence_ + part, count, 0))
        return first + *number;
    }
    return std::nullopt;
  }

  Rounds run_round() {
    // Without the time that a simulated clock has omitted.
    const auto clock_s = [&] { return worker_.fabric.now_s() - worker_.fabric.omitted_s(); };
    const double began_s = clock_s();
    std::int64_t own = 0;
    std::int64_t part = 0;
    do {  // one batch at least
      const std::optional<std::int64_t> number = deal(part);
      if (!number) break;
      const auto place = [&](std::int64_t of) {
        return static_cast<double>(of) / static_cast<double>(batches_);
      };
      worker_.learner.use_shuffled({.offset = *number * batch_,
                                    .length = batch_,
                                    .stride = batch_,
                                    .count = 1,
                                    .epoch_begin = place(*number),
                                    .epoch_end = place(*number + 1)});
      worker_.learner.train(1, batch_);
      ++own;
    } while (clock_s() - began_s < sync_s_);
    sequence_ += batches_ / (kDealtTogether * workers_) + 1;

    const Rounds round = {.rounds = 1, .own_batches = own, .all_batches = average(own)};
    done_.rounds += round.rounds;
    done_.own_batches += round.own_batches;
    done_.all_batches += round.all_batches;
    return round;
  }

  /// Averages all parameters but those of anomalous workers. Returns the batches of all workers.
  [[nodiscard]] std::int64_t average(std::int64_t own_batches) {
    const bool is_normal = norms_.take(pseudo_gradient_norm());
    const std::array mine = {static_cast<double>(own_batches), is_normal ? 1.0 : 0.0};
    const SharedNumbers shared = worker_.fabric.all_gather_numbers(mine, worker_.fabric.world());
    double batches = 0;
    double normal = 0;
    for (std::size_t i = 0; i < shared.values().size(); i += mine.size()) {
      batches += shared.values()[i];
      normal += shared.values()[i + 1];
    }
    if (!is_normal) go_back();
    if (normal > 0) average_parameters(worker_, is_normal ? 1 / normal : 0);
    return std::llround(batches);
  }

  [[nodiscard]] std::span<const float> common() {
    return common_parameters(worker_, {.count = worker_.learner.parameters().count});
  }

  /// 0 in worlds without numbers.
  [[nodiscard]] double pseudo_gradient_norm() {
    const Payload parameters = worker_.learner.parameters();
    const std::span<const float> now = values<float>(parameters);
    const std::span<const float> before = common();
    const std::size_t trained = trained_count(worker_, {.count = parameters.count}, now);
    const double squares = std::transform_reduce(
        now.begin(),
        now.begin() + static_cast<std::ptrdiff_t>(trained),
        before.begin(),
        0.0,
        std::plus<>(),
        [](float a, float b) {
          const double difference = static_cast<double>(a) - static_cast<double>(b);
          return difference * difference;
        });
    worker_.learner.kernel("norm", 2 * parameters.bytes());
    return std::sqrt(squares);
  }

  /// Takes the last common parameters: what has gone wrong is not sent, even with weight 0.
  void go_back() {
    const Payload parameters = worker_.learner.parameters();
    std::ranges::copy(common(), values<float>(parameters).begin());
    worker_.learner.kernel("copy", 2 * parameters.bytes());
  }

  Worker& worker_;
  std::int64_t batch_;
  std::int64_t batches_;  ///< of an epoch
  std::int64_t workers_;
  double sync_s_;
  Norms norms_;
  Rounds done_;                ///< in this epoch
  std::int64_t sequence_ = 0;  ///< of Fabric::deal(): the first of the next round
};

void run_time_synced(Worker& worker) {
  TimeSynced own(worker);
  worker.averages_parameters = true;
  worker.outer_step = nesterov_step(worker.config);
  train_epochs(worker, [&](std::int64_t) { own.run_epoch(); });
}

/// The common parameters and the momentum.
StateShares state_shares(const JobConfig&, std::span<const WorkerInfo>) { return {.vectors = 2}; }

void check(const JobConfig& config, const DeviceNames& /*devices*/) {
  if (config.overlap != Overlap::none)
    throw UserError("--overlap: time-synced exchanges parameters when no worker computes");
}

}  // namespace

Strategy time_synced_strategy() {
  static const std::array<const StrategySetting*, 6> own = {&kSyncSeconds,
                                                            &outer_rate_setting(),
                                                            &outer_momentum_setting(),
                                                            &kThreshold,
                                                            &kDecay,
                                                            &kFirstRound};
  return {.name = "time-synced",
          .summary = "average every T seconds, then an outer step (A-EDiT; --sync-seconds)",
          .source = "Cheng et al., ICLR 2025",
          .exchanges_gradients = false,
          .compressed = "differences of parameters (outer gradients)",
          .settings = own,
          .can_save_within_epochs = false,
          .can_lose_workers = true,
          .state_shares = state_shares,
          .check = check,
          .run = run_time_synced};
}

}  // namespace epochcast
