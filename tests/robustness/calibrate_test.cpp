// SPDX-License-Identifier: Apache-2.0
// Whatever was measured: calibrate refuses it, or forecasts on its platform make sense.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/calibration.hpp"
#include "base/error.hpp"
#include "base/statistics/random.hpp"
#include "tests/catch.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

/// A message trace with implausible measurements.
class MadMachine {
 public:
  explicit MadMachine(std::uint64_t seed) : random_(seed) {
    latency_s_ = range(1e-7, 1e-3);
    bytes_per_s_ = range(1e6, 1e11);
    noise_ = one_of({0, 0.01, 0.1, 0.5, 2});
    second_level_ = one_of({1, 1, 1, 3, 100});
    share_of_second_ = one_of({0.02, 0.2, 0.5});
    growth_ = one_of({1, 1, 1, 1, 1, 1, 1, 1, 0, -0.5});
    largest_ = one_of({1 << 22, 1 << 22, 1 << 22, 1 << 22, 1 << 22, 1 << 22, 65536, 4096});
    sizes_ = static_cast<int>(one_of({9, 9, 6, 6, 4, 3, 1}));
    samples_ = static_cast<int>(one_of({1, 2, 5, 20, 20}));
    all_reduce_factor_ = one_of({1, 1, 1, 1, 1, 1.5, 10, 0.05});
    absurd_s_ = one_of({-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1e-20, 1e9, 1e30});
  }

  MessageTrace trace() {
    MessageTrace trace;
    trace.file = "t.json";
    trace.source = {.grade = Grade::estimated, .method = "made up"};
    trace.name = trace.title = "t";
    const int nodes = static_cast<int>(one_of({1, 2, 3}));
    bool has_inside = false;
    for (int node = 0; node < nodes; ++node) {
      const auto ranks = static_cast<std::size_t>(nodes == 1 ? 2 : one_of({1, 1, 2, 3}));
      trace.node_of_rank.insert(trace.node_of_rank.end(), ranks, node);
      has_inside = has_inside || ranks > 1;
    }
    const int sessions = static_cast<int>(one_of({1, 1, 3}));
    for (int session = 0; session < sessions; ++session) {
      if (nodes > 1) add_scope(trace, "between", "all", session);
      if (has_inside) add_scope(trace, "node", nodes > 1 ? "node" : "all", session);
      add(trace, "reduce", "all", 1 << 20, session);
      add(trace, "all-reduce", "all", 1 << 20, session);
      trace.costs.back().algorithm = "ring";
    }
    if (absurd_s_ >= 0) {
      MessageCost& cost = trace.costs[random_.next() % trace.costs.size()];
      cost.samples_s[random_.next() % cost.samples_s.size()] = absurd_s_;
    }
    return trace;
  }

 private:
  double one_of(const std::vector<double>& values) {
    return values[random_.next() % values.size()];
  }
  double range(double low, double high) { return low * std::pow(high / low, random_.uniform()); }

  void add(
      MessageTrace& trace, const char* kind, const char* scope, std::int64_t bytes, int session) {
    MessageCost cost = {
        .kind = kind, .scope = scope, .bytes = bytes, .samples_s = {}, .session = session};
    // The growth is that of times between the smallest and the largest size.
    double seconds = latency_s_ + std::pow(static_cast<double>(bytes) + 1, growth_) / bytes_per_s_;
    if (cost.kind == "all-reduce")
      seconds *= all_reduce_factor_ * 2 * static_cast<double>(trace.node_of_rank.size() - 1) /
                 static_cast<double>(trace.node_of_rank.size());
    for (int i = 0; i < samples_; ++i) {
      const double level = random_.uniform() < share_of_second_ ? second_level_ : 1;
      cost.samples_s.push_back(seconds * level * std::exp(noise_ * random_.normal()));
    }
    trace.costs.push_back(std::move(cost));
  }

  void add_scope(MessageTrace& trace, const char* pair, const char* ring, int session) {
    for (int i = 0; i < sizes_; ++i) {
      const double share = sizes_ == 1 ? 1 : static_cast<double>(i) / (sizes_ - 1);
      const auto bytes = static_cast<std::int64_t>(4 * std::pow(largest_ / 4, share));
      add(trace, "ping-pong", pair, bytes, session);
      add(trace, "ring-step", ring, bytes, session);
    }
  }

  Random random_;
  double latency_s_ = 0;
  double bytes_per_s_ = 1;
  double noise_ = 0;         ///< standard deviation of logarithms
  double second_level_ = 1;  ///< times as long as usual
  double share_of_second_ = 0;
  double growth_ = 1;   ///< times grow with that power of the size
  double largest_ = 1;  ///< bytes
  int sizes_ = 1;
  int samples_ = 1;
  double all_reduce_factor_ = 1;
  double absurd_s_ = -1;  ///< one sample; negative: none
};

/// The job's workers compute 10 ms, or no less than 4 ms, for each of 20 batches an epoch.
constexpr std::int64_t kBatches = 20;

Job job_of(const Platform& platform, std::size_t ranks, bool is_noisy) {
  Job job = job_on(platform, 8 * kBatches * static_cast<std::int64_t>(ranks));
  job.config.deterministic = false;
  job.config.repetitions = 5;
  job.config.epochs = 2;
  job.traces.resize(1);
  job.traces.front().device = "cpu";
  job.traces.front().batches.resize(1);
  BatchSamples& batch = job.traces.front().batches.front();
  batch.batch = 8;
  batch.total_s = {10e-3};
  if (is_noisy) batch.total_s = {4e-3, 10e-3, 10e-3, 10e-3, 40e-3};
  return job;
}

void check_forecast(const RunResult& run, double least_s) {
  CHECK(std::isfinite(run.epoch_s));
  CHECK(run.epoch_s >= least_s);
  if (!run.epoch_s_interval) return;
  CHECK(run.epoch_s_interval->low_s >= least_s);
  CHECK(run.epoch_s_interval->low_s <= run.epoch_s);
  CHECK(run.epoch_s_interval->high_s >= run.epoch_s);
  CHECK(std::isfinite(run.epoch_s_interval->high_s));
}

TEST_CASE("calibrate refuses implausible measurements, or its platform gives valid forecasts") {
  const Campaign campaign(30);
  int refused = 0;
  int noted = 0;
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    CAPTURE(seed);
    const MessageTrace trace = MadMachine(seed).trace();
    std::optional<Calibration> calibration;
    try {
      calibration = calibrate(trace);
    } catch (const UserError& error) {
      CAPTURE(error.what());
      CHECK(std::string(error.what()).starts_with("t.json: "));
      ++refused;
      continue;
    }
    const std::size_t ranks = trace.node_of_rank.size();
    const Platform platform =
        calibrated_platform(platform_of_trace(trace, std::vector<std::string>(ranks, "cpu")),
                            calibration->fit,
                            trace.source);
    check_platform(platform, "p.json");
    const double exact_s = static_cast<double>(kBatches) * 10e-3 * (1 - 1e-9);
    const double least_s = static_cast<double>(kBatches) * 4e-3;
    const std::vector<RunResult> runs = forecasts({{job_of(platform, ranks, false), "sync"},
                                                   {job_of(platform, ranks, true), "local-sgd"},
                                                   {job_of(platform, ranks, true), "sync"}});

    check_forecast(runs[0], exact_s);
    check_forecast(runs[1], least_s);
    check_forecast(runs[2], least_s);
    if (!runs[0].notes.empty()) ++noted;
  }
  // Many of the machines are implausible enough, and not all of them.
  const auto cases = static_cast<int>(campaign.end_seed() - campaign.first_seed());
  if (cases < 20) return;
  CHECK(refused > cases / 5);
  CHECK(refused < cases);
  CHECK(noted > 0);
}

}  // namespace
}  // namespace epochcast::tests
