// SPDX-License-Identifier: Apache-2.0
#include "sim/simulated_job.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "core/formats/node_links.hpp"
#include "core/job/placement.hpp"
#include "sim/platform/xml_platform.hpp"
#include "strategies/summary.hpp"

namespace epochcast::sim {
namespace {

Grade exchange_grade(const Job& job) {
  // Exchange times of the configuration are estimated.
  return job.config.exchange_seconds.empty() ? job.platform.grade() : Grade::estimated;
}

Job described(Job job) {
  if (!job.platform.simgrid_xml.empty())
    job.platform = describe_xml_platform(job.platform.simgrid_xml);
  return job;
}

int node_count(const Job& job) { return job.config.nodes.value_or(job.platform.node_count()); }

}  // namespace

SimulatedJob::SimulatedJob(Job job, const std::string& strategy, bool runs_every_iteration)
    : CostedJob(described(std::move(job)), strategy),
      cluster_(std::make_unique<Cluster>(
          this->job().platform, node_count(this->job()), this->job().config.all_reduce == "nccl")) {
  const JobConfig& config = this->job().config;
  SimOptions options = {.acceleration = config.exact ? Acceleration::none : Acceleration::all,
                        .runs_every_iteration = runs_every_iteration,
                        .fixed_exchange = std::nullopt};
  if (!config.exchange_seconds.empty())
    options.fixed_exchange = FixedExchange{config.exchange_seconds};
  runtime_ = std::make_unique<Runtime>(
      *cluster_,
      workers(),
      AllReduceChoice{
          .algorithm = config.all_reduce, .servers = {}, .links = node_links(this->job().platform)},
      std::move(options));
}

RunResult SimulatedJob::result(Command command) const {
  RunResult result = known_result(command);
  result.nodes = node_count(job());
  result.input_grade = lowest(result.input_grade, exchange_grade(job()));
  return result;
}

void SimulatedJob::run(const std::function<void()>& program, int stack_kib) {
  std::exception_ptr error;
  cluster_->run(
      [&] {
        try {
          program();
        } catch (const std::exception&) {
          error = std::current_exception();
        }
      },
      stack_kib);
  if (error) std::rethrow_exception(error);
}

void add_notes(RunResult& result,
               const std::vector<WorkerInfo>& workers,
               const std::vector<WorkerReport>& reports,
               const WorkerCosts& costs,
               const JobConfig& config) {
  std::set<std::string> of_costs;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].role != Role::trains) continue;
    const BatchCost& cost = costs.of_device(static_cast<int>(i));
    if (!cost.error_note().empty()) of_costs.insert(cost.error_note());
    const std::int64_t batch = part_of(reports[i].batch, config.accumulate, config.accumulate - 1);
    if (!cost.is_extrapolated(batch)) continue;
    result.input_grade = lowest(result.input_grade, Grade::extrapolated);
    const std::vector<std::int64_t> measured = cost.measured_batches();
    of_costs.insert("cost of batch " + std::to_string(batch) + " on " + workers[i].model +
                    " is extrapolated from " + std::to_string(measured.front()) +
                    (measured.size() > 1 ? " to " + std::to_string(measured.back()) : ""));
  }
  result.notes.assign(of_costs.begin(), of_costs.end());
  add_partition_notes(result, workers, reports);
  const std::int64_t exchanges = reports.front().rounds_per_epoch * reports.front().epochs;
  if (const std::string note = warm_up_note(config, exchanges); !note.empty())
    result.notes.push_back(note);
}

}  // namespace epochcast::sim
