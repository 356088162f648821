// SPDX-License-Identifier: Apache-2.0
#include "sim/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "collectives/registry.hpp"
#include "core/cost_learner.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/recording_fabric.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"
#include "core/worker_costs.hpp"
#include "sim/world.hpp"
#include "strategies/strategy.hpp"
#include "strategies/summary.hpp"

namespace epochcast::sim {
namespace {

/// Pilot passes: many where they are cheap; where they are not, many workers even out what each of
/// them draws.
int pilot_passes(std::size_t workers) {
  return std::clamp(static_cast<int>(2048 / workers), 8, 32);
}

/// The same for each of several sessions: twice as many in all, but no fewer than what a deviation
/// can be told from. At most 64 passes, as there are at most 16 sessions.
int pilot_passes(std::size_t workers, std::size_t sessions) {
  const int of_one = pilot_passes(workers);
  return std::clamp(2 * of_one / static_cast<int>(sessions), 4, of_one);
}

void check_classes(const char* setting,
                   const std::map<std::string, double>& given,
                   std::vector<std::string> known,
                   const Job& job) {
  for (const WorkerInfo& device : all_devices(job.platform, job.config)) {
    for (const std::string& name : {device.device_class, device.model}) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  for (const auto& [name, seconds] : given) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UserError(std::string(setting) + ": " + unknown_name("device class", name, known));
    }
  }
}

/// Runs the strategy once on every worker.
class Passes {
 public:
  Passes(const Job& job,
         const Strategy& strategy,
         World& world,
         const WorkerCosts& costs,
         std::size_t workers)
      : job_(job), strategy_(strategy), world_(world), costs_(costs), reports_(workers) {}

  /// The first pass, of medians, with records of it where they are asked for.
  const std::vector<WorkerReport>& run(Timeline* timeline, Recording* recording) {
    return run({.timeline = timeline}, std::nullopt, recording);
  }
  /// One pass that draws costs of one session.
  const std::vector<WorkerReport>& run(std::uint64_t seed, std::size_t session, bool is_pilot) {
    return run({.is_noisy = true, .is_pilot = is_pilot, .seed = seed, .session = session},
               session,
               nullptr);
  }

 private:
  /// Repeats the pass in full where an acceleration did not hold.
  const std::vector<WorkerReport>& run(const PassOptions& pass,
                                       std::optional<std::size_t> session,
                                       Recording* recording) {
    const auto program = [&](Fabric& simulated) {
      std::optional<RecordingFabric> recorded;
      if (recording != nullptr) recorded.emplace(simulated, *recording);
      Fabric& fabric = recorded ? *recorded : simulated;
      const int rank = fabric.rank();
      std::optional<std::uint64_t> stream;
      if (pass.is_noisy) stream = mix_seed(pass.seed, static_cast<std::uint64_t>(rank));
      CostLearner learner(
          fabric, job_.network, costs_.of(rank, session), costs_.buckets(rank), stream);
      Worker worker = {.fabric = fabric,
                       .learner = learner,
                       .config = job_.config,
                       .train_samples = job_.dataset.train_samples,
                       .report = {}};
      strategy_.run(worker);
      reports_[static_cast<std::size_t>(rank)] = worker.report;
    };
    while (!world_.run_pass(program, pass)) {
      if (pass.timeline != nullptr) *pass.timeline = {};
      if (recording != nullptr) *recording = {};
    }
    return reports_;
  }

  const Job& job_;
  const Strategy& strategy_;
  World& world_;
  const WorkerCosts& costs_;
  std::vector<WorkerReport> reports_;
};

void add_notes(RunResult& result,
               const std::vector<WorkerInfo>& workers,
               const std::vector<WorkerReport>& reports,
               const WorkerCosts& costs) {
  std::set<std::string> extrapolated;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].role != Role::trains) continue;
    const BatchCost& cost = costs.of_device(static_cast<int>(i));
    if (!cost.is_extrapolated(reports[i].batch)) continue;
    const std::vector<std::int64_t> measured = cost.measured_batches();
    extrapolated.insert("cost of batch " + std::to_string(reports[i].batch) + " on " +
                        workers[i].model + " is extrapolated from " +
                        std::to_string(measured.front()) +
                        (measured.size() > 1 ? " to " + std::to_string(measured.back()) : ""));
  }
  result.notes.assign(extrapolated.begin(), extrapolated.end());
  add_partition_notes(result, workers, reports);
}

Grade grade_of(const Job& job, const WorkerCosts& costs) {
  // Exchange times are given by hand, if they are given.
  return lowest(job.config.exchange_seconds.empty() ? job.platform.grade() : Grade::estimated,
                costs.grade());
}

/// How well the costs of the job's messages are known: those between nodes where there are some.
double message_uncertainty(const Job& job) {
  if (job.config.deterministic || !job.config.exchange_seconds.empty()) return 0;
  const bool has_network = job.config.nodes.value_or(job.platform.node_count()) > 1;
  const std::optional<MessageCosts>* costs = nullptr;
  if (has_network && job.platform.network) costs = &job.platform.network->messages;
  if (!has_network && job.platform.nodes.front().interconnect)
    costs = &job.platform.nodes.front().interconnect->messages;
  return costs != nullptr && *costs ? (*costs)->uncertainty : 0;
}

/// Adds what is unknown of the exchanges to the interval: independent of how computing varies.
void widen(RunResult& result, double uncertainty) {
  if (uncertainty <= 0) return;
  constexpr double k95 = 1.6449;  // the normal distribution's 95 % quantile
  const double exchange_s = k95 * uncertainty * result.phases.exposed_communication_s;
  const Interval computing =
      result.epoch_s_interval.value_or(Interval{result.epoch_s, result.epoch_s});
  result.epoch_s_interval =
      Interval{result.epoch_s - std::hypot(result.epoch_s - computing.low_s, exchange_s),
               result.epoch_s + std::hypot(computing.high_s - result.epoch_s, exchange_s)};
}

}  // namespace

RunResult forecast(const Job& given,
                   const std::string& strategy_name,
                   Timeline* timeline,
                   std::vector<WorkerInfo>* layout,
                   Recording* recording) {
  Job job = given;
  if (!job.platform.simgrid_xml.empty())
    job.platform = describe_xml_platform(job.platform.simgrid_xml);
  const JobConfig& config = job.config;
  const Strategy& strategy = find_strategy(strategy_name);
  check_all_reduce(config.all_reduce);
  check_classes("--batch-seconds", config.batch_seconds, {}, job);
  check_classes("--exchange-seconds", config.exchange_seconds, {"all", "node"}, job);
  const std::vector<WorkerInfo> workers =
      place(job.platform, config, strategy.participants, [&](const WorkerInfo& worker) {
        return job.cost_of(worker).median(config.batch).total_s();
      });
  if (layout != nullptr) *layout = workers;
  const WorkerCosts costs(job, workers);
  SimOptions options = {.is_accelerated = !config.exact, .fixed_exchange = std::nullopt};
  if (!config.exchange_seconds.empty())
    options.fixed_exchange = FixedExchange{config.exchange_seconds};

  RunResult result;
  result.strategy = strategy_name;
  result.platform = job.platform.name;
  result.network = job.network.name;
  result.dataset = job.dataset.name;
  result.workers = static_cast<int>(workers.size());
  result.batch = config.batch;
  result.epochs = config.epochs;
  result.input_grade = grade_of(job, costs);
  JobConfig recorded = config;
  recorded.strategy = strategy_name;
  result.config = setting_texts(recorded, in(Command::simulate));

  const int nodes = config.nodes.value_or(job.platform.node_count());
  result.nodes = nodes;
  Cluster cluster(job.platform, nodes);
  World world(cluster, workers, {.algorithm = config.all_reduce, .servers = {}}, options);
  std::exception_ptr error;
  cluster.run([&] {
    try {
      Passes passes(job, strategy, world, costs, workers.size());
      const bool is_noisy = !config.deterministic && costs.has_spread();
      const std::vector<WorkerReport>& reports = passes.run(timeline, recording);
      result.iterations_per_epoch = reports.front().iterations_per_epoch;
      result.rounds_per_epoch = reports.front().rounds_per_epoch;
      add_notes(result, workers, reports, costs);
      if (!is_noisy) {
        add_reports(result, workers, reports, 1);
        widen(result, message_uncertainty(job));
        return;
      }
      std::vector<std::size_t> sessions = costs.shuffled_sessions(config.seed);
      sessions.resize(std::min(sessions.size(), static_cast<std::size_t>(config.repetitions)));
      // Seeds of pilot passes lie behind those of the repetitions.
      std::uint64_t pilot = static_cast<std::uint64_t>(config.repetitions);
      for (const std::size_t session : sessions) {
        for (int i = 0; i < pilot_passes(workers.size(), sessions.size()); ++i)
          passes.run(mix_seed(config.seed, pilot++), session, true);
      }
      std::vector<double> epochs_s;
      for (int i = 0; i < config.repetitions; ++i) {
        const double before_s = result.epoch_s;
        const auto stream = static_cast<std::uint64_t>(i);
        passes.run(mix_seed(config.seed, stream), sessions[stream % sessions.size()], false);
        add_reports(result, workers, reports, 1.0 / config.repetitions);
        epochs_s.push_back((result.epoch_s - before_s) * config.repetitions);
      }
      std::sort(epochs_s.begin(), epochs_s.end());
      result.epoch_s_interval = Interval{quantile_of(epochs_s, 0.05), quantile_of(epochs_s, 0.95)};
      widen(result, message_uncertainty(job));
    } catch (const std::exception&) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  return result;
}

}  // namespace epochcast::sim
