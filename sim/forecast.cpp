// SPDX-License-Identifier: Apache-2.0
#include "sim/forecast.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <set>

#include "base/statistics/random.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"
#include "core/job/chosen_dataset.hpp"
#include "results/running_bill.hpp"
#include "sim/forecast_uncertainty.hpp"
#include "sim/recording/recording_fabric.hpp"
#include "sim/simulated_job.hpp"
#include "strategies/period_rule.hpp"
#include "strategies/presets.hpp"
#include "strategies/summary.hpp"

namespace epochcast::sim {
namespace {

/// Number of pilot passes: more with few workers, where passes are cheap; with many workers, each
/// pass averages over more draws.
int pilot_passes(std::size_t workers) {
  return std::clamp(static_cast<int>(2048 / workers), 8, 32);
}

/// The same for each of several sessions: twice as many in all, but enough to estimate a deviation.
/// At most 64 passes, as there are at most 16 sessions.
int pilot_passes(std::size_t workers, std::size_t sessions) {
  const int of_one = pilot_passes(workers);
  return std::clamp(2 * of_one / static_cast<int>(sessions), 4, of_one);
}

/// The least number of iterations of a loop in each pilot pass: together enough to estimate the
/// mean time of the slowest worker to 2 %, with rare long batches, which few iterations would miss.
std::int64_t pilot_iterations(const WorkerCosts& costs, int passes) {
  constexpr double kError = 0.02;
  const double in_all = std::pow(costs.deviation_of_slowest() / kError, 2);
  return 1 + static_cast<std::int64_t>(std::ceil(in_all / passes));  // the first does not count
}

/// Predicts epochs in another session from epochs that were forecast from S measured sessions in
/// turn.
///
/// Sessions are normal in their logarithms: with s² the variance between those measured, a new one
/// deviates from their mean by s √(1 + 1/S) times a number of Student's t distribution with S - 1
/// degrees of freedom (of two sessions, s may be small by chance). Each epoch keeps its deviation
/// from its own session, and its session is replaced by one of as many quantiles.
std::vector<double> in_another_session(std::vector<double> epochs_s, std::size_t sessions) {
  if (sessions < 2 || epochs_s.size() < 2 * sessions) return epochs_s;
  std::vector<double> means(sessions);  // of logarithms
  std::vector<double> counts(sessions);
  for (std::size_t i = 0; i < epochs_s.size(); ++i) {
    means[i % sessions] += std::log(epochs_s[i]);
    ++counts[i % sessions];
  }
  for (std::size_t session = 0; session < sessions; ++session) means[session] /= counts[session];
  const double mean = mean_of(means);
  const auto count = static_cast<double>(sessions);
  double sum = 0;
  for (const double of_session : means) sum += (of_session - mean) * (of_session - mean);
  const double deviation = std::sqrt(sum / (count - 1) * (1 + 1 / count));
  const boost::math::students_t another(count - 1);
  for (std::size_t i = 0; i < epochs_s.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(epochs_s.size());
    epochs_s[i] *=
        std::exp(mean - means[i % sessions] + deviation * boost::math::quantile(another, share));
  }
  return epochs_s;
}

/// Whether any gradient travels to another worker.
bool exchanges_gradients(const Strategy& strategy, const std::vector<WorkerInfo>& workers) {
  if (!strategy.exchanges_gradients || !strategy.keeps_gradients_in_nodes)
    return strategy.exchanges_gradients;
  std::set<int> nodes;
  return !std::all_of(workers.begin(), workers.end(), [&](const WorkerInfo& worker) {
    return nodes.insert(worker.node).second;
  });
}

/// Runs the strategy once on every worker.
class Passes {
 public:
  explicit Passes(SimulatedJob& job) : job_(job), reports_(job.workers().size()) {}

  /// The first pass, of medians, with its records if requested.
  const std::vector<WorkerReport>& run(Timeline* timeline, Recording* recording) {
    return run({.timeline = timeline}, {}, recording);
  }
  /// One pass that draws costs of one session; a pilot if a number of iterations is given.
  const std::vector<WorkerReport>& run(std::uint64_t seed,
                                       std::size_t session,
                                       std::int64_t pilot_iterations) {
    return run(
        {.is_noisy = true, .pilot_iterations = pilot_iterations, .seed = seed, .session = session},
        {.seed = seed, .session = session},
        nullptr);
  }

  /// The most seconds that compressing has taken a worker in a step.
  [[nodiscard]] double most_kernel_s() const { return most_kernel_s_; }

 private:
  /// Repeats the pass in full if an acceleration was not valid.
  const std::vector<WorkerReport>& run(const PassOptions& pass,
                                       const CostDraw& draw,
                                       Recording* recording) {
    const auto program = [&](Fabric& simulated) {
      std::optional<RecordingFabric> recorded;
      if (recording != nullptr) recorded.emplace(simulated, *recording);
      Fabric& fabric = recorded ? *recorded : simulated;
      CostLearner learner = job_.learner(fabric, draw);
      Worker worker = job_.worker(fabric, learner);
      job_.strategy().run(worker);
      most_kernel_s_ = std::max(most_kernel_s_, learner.most_kernel_s());
      reports_[static_cast<std::size_t>(fabric.rank())] = worker.report;
    };
    while (!job_.runtime().run_pass(program, pass)) {
      if (pass.timeline != nullptr) *pass.timeline = {};
      if (recording != nullptr) *recording = {};
    }
    return reports_;
  }

  SimulatedJob& job_;
  std::vector<WorkerReport> reports_;
  double most_kernel_s_ = 0;
};

/// What compressing takes where it was not measured; else empty.
std::string compressing_note(const SimulatedJob& simulated, double most_kernel_s) {
  const std::string& name = simulated.job().config.compression;
  if (find_compression(name) == nullptr || most_kernel_s == 0) return {};
  for (std::size_t i = 0; i < simulated.workers().size(); ++i) {
    if (simulated.workers()[i].role != Role::trains) continue;
    if (simulated.kernels(static_cast<int>(i)).is_measured()) continue;
    return "compressing takes " + format_seconds(most_kernel_s) +
           " of a step, estimated from memory traffic; `epochcast measure batches --compression " +
           name + "` replaces it";
  }
  return {};
}

/// Notes changed figures of devices that neither train nor sum. Their number still counts for
/// energy.
void add_figure_notes(RunResult& result,
                      const JobConfig& config,
                      const std::vector<WorkerInfo>& workers) {
  constexpr std::string_view kDevice = "device.";
  for (const auto& [name, text] : config.platform_figures) {
    if (!name.starts_with(kDevice) || name.ends_with(".count")) continue;
    const std::string device = name.substr(kDevice.size(), name.rfind('.') - kDevice.size());
    const bool takes_part =
        std::any_of(workers.begin(), workers.end(), [&](const WorkerInfo& worker) {
          return worker.device_class == device || worker.model == device;
        });
    if (!takes_part) result.notes.push_back(name + " changes nothing: no such device takes part");
  }
}

/// The need of a worker for the largest batch, if its strategy keeps more or less than the model's
/// state; else empty.
std::string memory_note(const SimulatedJob& simulated) {
  const StateShares kept = simulated.state_shares();
  if (kept == StateShares()) return {};
  const Job& job = simulated.job();
  const auto bytes = [&](const StateShares& shares) {
    return format_bytes(job.network.training_bytes(job.config.batch, shares));
  };
  if (kept.vectors > 0)
    return "memory of a worker: " + bytes(kept) + "; " + bytes({}) + " without the vectors of " +
           std::string(simulated.strategy().name);
  return "memory of a worker: " + bytes(kept) + "; " + bytes({}) + " without sharding";
}

}  // namespace

RunResult forecast(const Job& given,
                   const std::string& strategy,
                   Timeline* timeline,
                   std::vector<WorkerInfo>* layout,
                   Recording* recording) {
  SimulatedJob simulated(given, strategy, false);
  const Job& job = simulated.job();
  const JobConfig& config = job.config;
  const std::vector<WorkerInfo>& workers = simulated.workers();
  const WorkerCosts& costs = simulated.costs();
  if (layout != nullptr) *layout = workers;
  RunResult result = simulated.result(Command::simulate);
  ForecastUncertainty uncertainty(job, simulated.strategy(), workers);
  simulated.run([&] {
    Passes passes(simulated);
    const bool is_noisy = !config.deterministic && costs.has_spread();
    const std::vector<WorkerReport>& reports = passes.run(timeline, recording);
    result.iterations_per_epoch = reports.front().iterations_per_epoch;
    result.rounds_per_epoch = reports.front().rounds_per_epoch;
    add_notes(result, workers, reports, costs, config);
    const bool sends_gradients = exchanges_gradients(simulated.strategy(), workers);
    if (config.overlap == Overlap::bucket && sends_gradients && !config.exchange_seconds.empty())
      result.notes.emplace_back("--exchange-seconds is taken for each bucket, not for all of them");
    if (config.gradient_bytes != JobConfig().gradient_bytes && !sends_gradients)
      result.notes.emplace_back(
          "exchanges parameters, of 4 bytes: --gradient-bytes changes nothing");
    if (config.gradient_bytes != JobConfig().gradient_bytes && simulated.strategy().name == "zero")
      result.notes.emplace_back(
          "gathers parameters of 4 bytes, whatever --gradient-bytes is; DeepSpeed's fp16 and bf16 "
          "engines gather 2");
    if (const std::string note = dataset_note(config, job.dataset, job.network.name); !note.empty())
      result.notes.push_back(note);
    if (const std::string note = preset_note(config); !note.empty()) result.notes.push_back(note);
    if (const std::string note = period_note(config, simulated.strategy()); !note.empty())
      result.notes.push_back(note);
    if (const std::string note = simulated.target_note(result); !note.empty())
      result.notes.push_back(note);
    if (const std::string note = memory_note(simulated); !note.empty())
      result.notes.push_back(note);
    if (const std::string note = compressing_note(simulated, passes.most_kernel_s()); !note.empty())
      result.notes.push_back(note);
    add_figure_notes(result, config, workers);
    if (const std::string note = class_note(job.network, job.dataset); !note.empty())
      result.notes.push_back(note);
    uncertainty.see(workers, reports, costs);
    if (!is_noisy) {
      add_reports(result, workers, reports, 1);
      add_asynchrony_note(result);
      uncertainty.see_omitted_deals(simulated.runtime().omitted_half_width());
      uncertainty.apply_to(result);
      return;
    }
    std::vector<std::size_t> sessions = costs.shuffled_sessions(config.seed);
    sessions.resize(std::min(sessions.size(), static_cast<std::size_t>(config.repetitions)));
    // Seeds of pilot passes follow those of the repetitions.
    std::uint64_t pilot = static_cast<std::uint64_t>(config.repetitions);
    const int pilots = pilot_passes(workers.size(), sessions.size());
    const std::int64_t iterations = pilot_iterations(costs, pilots);
    bool is_worth_it = !config.exact;
    for (const std::size_t session : sessions) {
      for (int i = 0; i < pilots && is_worth_it; ++i) {
        passes.run(mix_seed(config.seed, pilot++), session, iterations);
        is_worth_it = simulated.runtime().samples_loops();
      }
    }
    std::vector<double> epochs_s;
    for (int i = 0; i < config.repetitions; ++i) {
      const double before_s = result.epoch_s;
      const auto stream = static_cast<std::uint64_t>(i);
      passes.run(mix_seed(config.seed, stream), sessions[stream % sessions.size()], 0);
      uncertainty.see(workers, reports, costs);
      add_reports(result, workers, reports, 1.0 / config.repetitions);
      epochs_s.push_back((result.epoch_s - before_s) * config.repetitions);
    }
    add_asynchrony_note(result);
    epochs_s = in_another_session(std::move(epochs_s), sessions.size());
    std::sort(epochs_s.begin(), epochs_s.end());
    result.epoch_s_interval = Interval{quantile_of(epochs_s, 0.05), quantile_of(epochs_s, 0.95)};
    uncertainty.see_omitted_deals(simulated.runtime().omitted_half_width());
    uncertainty.apply_to(result);
  });
  add_running_bill(result, job.platform, config);
  return result;
}

}  // namespace epochcast::sim
