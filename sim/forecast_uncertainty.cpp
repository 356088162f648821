// SPDX-License-Identifier: Apache-2.0
#include "sim/forecast_uncertainty.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <set>

#include "core/costs/buckets.hpp"
#include "core/costs/overlap_cost.hpp"
#include "core/job/setting_text.hpp"
#include "sim/loops/known_mean.hpp"
#include "strategies/costed_job.hpp"

namespace epochcast::sim {
namespace {

constexpr double k95 = 1.6449;  // the normal distribution's 95 % quantile

/// The measured costs of messages that the job sends, the decisive ones first.
std::vector<const MessageCosts*> measured_costs(const Job& job) {
  const bool has_network = job.config.nodes.value_or(job.platform.node_count()) > 1;
  if (has_network && job.platform.network && job.platform.network->messages) {
    std::vector<const MessageCosts*> between = {&*job.platform.network->messages};
    for (const NodeGroup& group : job.platform.nodes) {
      if (group.uplink && group.uplink->messages) between.push_back(&*group.uplink->messages);
    }
    return between;
  }
  std::vector<const MessageCosts*> inside;
  for (const NodeGroup& group : job.platform.nodes) {
    if (group.interconnect && group.interconnect->messages)
      inside.push_back(&*group.interconnect->messages);
    if (!has_network) break;  // the job's node is the first
  }
  return inside;
}

/// Of so many standard normal numbers (Blom, "Statistical Estimates and Transformed
/// Beta-Variables", 1958).
double expected_maximum(std::int64_t numbers) {
  if (numbers < 2) return 0;
  const auto count = static_cast<double>(numbers);
  return boost::math::quantile(boost::math::normal(), (count - 0.375) / (count + 0.25));
}

}  // namespace

ForecastUncertainty::ForecastUncertainty(const Job& job,
                                         const Strategy& strategy,
                                         const std::vector<WorkerInfo>& workers)
    : job_(job), strategy_(strategy), config_(job.config) {
  if (!job.config.exchange_seconds.empty()) return;
  overlaps_ = job.config.overlap != Overlap::none || strategy.overlaps;
  const double bytes = overlaps_ ? exchanged_bucket_bytes(job.network, job.config.bucket_bytes)
                                 : job.network.gradient_bytes();
  overlaps_ = overlaps_ ||
              (strategy.overlaps_averages != nullptr && strategy.overlaps_averages(job.config)) ||
              std::any_of(workers.begin(), workers.end(), [](const auto& worker) {
                return worker.overlap.is_known;
              });
  const auto members =
      static_cast<int>(std::count_if(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
        return worker.role == Role::trains;
      }));
  for (const MessageCosts* costs : measured_costs(job)) {
    if (!job.config.deterministic) {
      deviation_ =
          std::max(deviation_, costs->uncertainty_of(job.config.all_reduce, bytes, members));
    }
    if (members > 1) check_cluster(*costs, workers);
    for (const std::string& note : costs->notes) {
      if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    }
  }
  if (is_other_cluster_ && !job.config.deterministic)
    deviation_ = std::hypot(deviation_, kExtrapolationDeviation);
  if (members > 1) check_all_reduce(measured_costs(job), members);
}

void ForecastUncertainty::check_all_reduce(const std::vector<const MessageCosts*>& measured,
                                           int members) {
  const std::string& name = config_.all_reduce;
  const std::string among = " among " + std::to_string(members) + " ranks";
  bool has_others = false;
  for (const MessageCosts* costs : measured) {
    for (const MeasuredAllReduce& each : costs->all_reduces) {
      if (each.algorithm == name && each.ranks == members) {
        notes_.push_back("all-reduce " + name + among + " takes measured times");
        return;
      }
      has_others = true;
    }
  }
  const std::string unmeasured = "all-reduce " + name + " was not measured" + among + ": ";
  if (name == kLibrary) {
    notes_.push_back(unmeasured + "it follows the decision table of Open MPI 4.1");
    if (!measured.empty() && !config_.deterministic)
      deviation_ = std::hypot(deviation_, kUnmeasuredLibraryDeviation);
  } else if (has_others) {
    notes_.push_back(unmeasured + "its messages are simulated");
  }
}

void ForecastUncertainty::check_cluster(const MessageCosts& costs,
                                        const std::vector<WorkerInfo>& workers) {
  if (!costs.measured_on || is_other_cluster_) return;
  std::map<int, int> ranks;
  for (const WorkerInfo& worker : workers) ++ranks[worker.node];
  MeasuredOn asked = {.nodes = static_cast<int>(ranks.size())};
  for (const auto& [node, count] : ranks)
    asked.ranks_per_node = std::max(asked.ranks_per_node, count);
  const MeasuredOn& measured = *costs.measured_on;
  // Costs between two nodes also apply to more nodes.
  is_other_cluster_ =
      asked.nodes > measured.nodes || asked.ranks_per_node != measured.ranks_per_node;
  if (!is_other_cluster_) return;
  const auto text = [](const MeasuredOn& cluster) {
    return std::to_string(cluster.nodes) + (cluster.nodes == 1 ? " node" : " nodes") + " of " +
           std::to_string(cluster.ranks_per_node) +
           (cluster.ranks_per_node == 1 ? " rank" : " ranks");
  };
  notes_.push_back("messages were measured on " + text(measured) + ", this job has " + text(asked) +
                   ": extrapolated");
}

void ForecastUncertainty::note_free_overlap(const std::vector<WorkerInfo>& workers) {
  std::set<std::string> models;
  std::map<std::string, const OverlapDefault*> defaults;  // by device class
  for (const WorkerInfo& worker : workers) {
    if (worker.role != Role::trains || worker.overlap.is_known) continue;
    models.insert(worker.model);
    const OverlapDefault* const known = overlap_default(worker.device_class);
    if (known != nullptr) defaults.emplace(worker.device_class, known);
  }
  if (models.empty()) return;
  std::string note = "the slowdown by overlap was not measured on";
  for (const std::string& model : models) note += (model == *models.begin() ? " " : ", ") + model;
  note += ": overlap is taken as free";
  for (const auto& [device_class, known] : defaults) {
    note += "; the default for class " + device_class + ", which calibrate writes, is " +
            shortest(known->cost.batch_slowdown) + " for batches and " +
            shortest(known->cost.exchange_slowdown) + " for exchanges";
  }
  notes_.push_back(note);
}

void ForecastUncertainty::see_charged_overlap(const std::vector<WorkerInfo>& workers,
                                              const std::vector<WorkerReport>& reports,
                                              const WorkerCosts& costs) {
  std::set<std::string> models;
  const OverlapDefault* charged = nullptr;
  // Each worker updates what it keeps of the optimizer's state.
  const double updated =
      strategy_.state_shares == nullptr ? 1 : strategy_.state_shares(config_, workers).optimizer;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const auto rank = static_cast<int>(i);
    const OverlapDefault* const known = charged_overlap(job_, costs, workers[i], rank);
    if (known == nullptr) continue;
    charged = known;
    models.insert(workers[i].model);
    // The time that overlap has added, and would add with another slowdown.
    const WorkerReport& report = reports[i];
    const std::int64_t batch = part_of(report.batch, config_.accumulate, config_.accumulate - 1);
    const BatchTimes times = costs.of_device(rank).median(batch);
    const double alone_s = (times.total_s() - (1 - updated) * times.step_s) *
                           static_cast<double>(config_.accumulate * report.iterations_per_epoch);
    const double epoch_s = report.training.compute_s / static_cast<double>(config_.epochs);
    const double added_s = std::max(0.0, epoch_s - alone_s);
    const double more = (known->most_batch_slowdown - 1) / (known->cost.batch_slowdown - 1) - 1;
    if (config_.deterministic) continue;
    overlap_below_s_ = std::max(overlap_below_s_, added_s);
    overlap_above_s_ = std::max(overlap_above_s_, more * added_s);
  }
  if (charged == nullptr) return;
  std::string note = "the slowdown by overlap was not measured on";
  for (const std::string& model : models) note += (model == *models.begin() ? " " : ", ") + model;
  notes_.push_back(note + ": batches beside exchanges are taken as " +
                   shortest(charged->cost.batch_slowdown) + " times as long");
}

void ForecastUncertainty::see(const std::vector<WorkerInfo>& workers,
                              const std::vector<WorkerReport>& reports,
                              const WorkerCosts& costs) {
  if (overlaps_) {
    note_free_overlap(workers);
    see_charged_overlap(workers, reports, costs);
  }
  overlaps_ = false;
  const auto trainers = std::count_if(workers.begin(), workers.end(), [](const WorkerInfo& worker) {
    return worker.role == Role::trains;
  });
  double slowest_s = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].role != Role::trains) continue;
    const std::int64_t batch =
        part_of(reports[i].batch, config_.accumulate, config_.accumulate - 1);
    const CostBounds bounds = costs.of_device(static_cast<int>(i)).bounds(batch);
    const PhaseTimes& phases = reports[i].training;
    if (!config_.deterministic) {
      const double compute_s = phases.compute_s / static_cast<double>(config_.epochs);
      batches_below_s_ = std::max(batches_below_s_, compute_s * (1 - bounds.low));
      batches_above_s_ = std::max(batches_above_s_, compute_s * (bounds.high - 1));
      const BatchCost& cost = costs.of_device(static_cast<int>(i));
      if (cost.is_from_data_sheet() && !cost.has_spread())
        slowest_above_s_ = std::max(
            slowest_above_s_, compute_s * kAssumedBatchDeviation * expected_maximum(trainers));
    }
    slowest_s = std::max(slowest_s,
                         bounds.low * phases.compute_s +
                             std::exp(-k95 * deviation_) * phases.exposed_communication_s);
  }
  least_s_ = std::min(least_s_, slowest_s / static_cast<double>(config_.epochs));
}

void ForecastUncertainty::see_omitted_deals(double half_width) {
  constexpr double kTwoSided95 = 1.96;
  if (!config_.deterministic) dealt_ = half_width * k95 / kTwoSided95;
}

void ForecastUncertainty::apply_to(RunResult& result) const {
  result.notes.insert(result.notes.end(), notes_.begin(), notes_.end());
  if (is_other_cluster_) result.input_grade = lowest(result.input_grade, Grade::extrapolated);
  const bool has_no_spread = deviation_ == 0 && batches_below_s_ == 0 && batches_above_s_ == 0 &&
                             slowest_above_s_ == 0 && overlap_above_s_ == 0 && dealt_ == 0;
  if (!result.epoch_s_interval && has_no_spread) return;
  const double epoch_s = result.epoch_s;
  const double exchange_s = result.phases.exposed_communication_s;
  const Interval computing = result.epoch_s_interval.value_or(Interval{epoch_s, epoch_s});
  // Independent causes.
  const double below_s =
      std::hypot(std::max(0.0, epoch_s - computing.low_s),
                 exchange_s * -std::expm1(-k95 * deviation_),
                 std::hypot(batches_below_s_, overlap_below_s_, dealt_ * epoch_s));
  const double above_s = std::hypot(
      std::max(0.0, computing.high_s - epoch_s),
      exchange_s * std::expm1(k95 * deviation_),
      std::hypot(
          std::hypot(batches_above_s_, dealt_ * epoch_s), slowest_above_s_, overlap_above_s_));
  // The least possible epoch, except for sessions that were not measured.
  const double least_s = std::min(least_s_, computing.low_s) - overlap_below_s_;
  result.epoch_s_interval =
      Interval{.low_s = std::min(epoch_s, std::max(epoch_s - below_s, least_s)),
               .high_s = epoch_s + above_s};
}

}  // namespace epochcast::sim
