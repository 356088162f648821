// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <iostream>

#include "base/text/progress_bar.hpp"
#include "core/formats/node_links.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "real/mpi/wait_with_backoff.hpp"
#include "real/run/exchange_timer.hpp"
#include "real/run/job_report.hpp"
#include "real/run/rank_placement.hpp"
#include "real/run/train_job.hpp"
#include "results/running_bill.hpp"
#include "strategies/costed_job.hpp"
#include "strategies/period_rule.hpp"

namespace epochcast::real {
namespace {

/// Ranks as workers of the platform, in a communicator whose ranks are the workers' own; null on
/// idle ranks. Collective over MPI_COMM_WORLD.
MPI_Comm workers_among_ranks(const RankPlacement& placement) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const std::optional<int> worker = placement.worker_of_rank[static_cast<std::size_t>(rank)];
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, worker ? 0 : MPI_UNDEFINED, worker.value_or(0), &comm),
            "MPI_Comm_split");
  return comm;
}

/// A note if some messages between nodes stayed on one machine; else empty.
std::string memory_note(const RankPlacement& placement) {
  if (!placement.is_shared) return {};
  return placement.machines == 1
             ? "all ranks ran on one machine: messages between nodes went through its memory"
             : "some nodes shared a machine: messages between them went through its memory";
}

}  // namespace

std::optional<RunResult> emulate(const Job& job, const RunOptions& options) {
  const JobConfig& config = job.config;
  const CostedJob costed(job, config.strategy);
  const std::vector<WorkerInfo>& workers = costed.workers();
  const RankPlacement placement = place_workers(workers, node_of_each_rank());
  MPI_Comm const comm = workers_among_ranks(placement);
  if (comm == MPI_COMM_NULL) {
    barrier_with_backoff(MPI_COMM_WORLD);  // idle ranks wait until the others are done
    return std::nullopt;
  }
  Timeline timeline;
  MpiFabric fabric(
      workers,
      {.algorithm = config.all_reduce, .servers = {}, .links = node_links(job.platform)},
      options.timeline.empty() ? nullptr : &timeline,
      comm);
  OutputFile timeline_file;
  if (fabric.rank() == 0) {
    timeline_file = OutputFile(options.timeline);
    keep_apart({timeline_file}, options.inputs);
  }
  CostLearner learner = costed.learner(fabric, costed.draw());
  Worker worker = costed.worker(fabric, learner);
  ProgressBar progress(
      std::cerr, options.has_bar, "emulating, epochs", static_cast<double>(config.epochs));
  std::int64_t iterations = 0;
  worker.progress.after_iteration = [&] {
    ++iterations;
    if (fabric.rank() != 0 || !options.has_bar) return;
    const std::vector<std::int64_t> position = worker.progress.position();
    const auto all =
        static_cast<double>(std::max(worker.report.iterations_per_epoch / worker.report.local_steps,
                                     worker.report.rounds_per_epoch));
    progress.update(static_cast<double>(iterations) / std::max(1.0, all));
  };
  std::vector<double> epochs_s;
  double counted_s = 0;
  worker.after_epoch = [&](std::int64_t epoch) {
    epochs_s.push_back(worker.report.training_s - counted_s);
    counted_s = worker.report.training_s;
    if (fabric.rank() == 0)
      progress.say("epoch " + std::to_string(epoch + 1) + "/" + std::to_string(config.epochs) +
                   ": " + format_seconds(epochs_s.back()));
  };
  ExchangeTimer exchange_timer(fabric, options);
  exchange_timer.before();
  costed.strategy().run(worker);
  exchange_timer.after();
  if (!options.timeline.empty()) {
    collect_timeline(
        timeline, workers, config.strategy + ", " + job.network.name, timeline_file, comm);
  }
  RunResult result = costed.known_result(Command::emulate);
  result.notes.emplace_back("computing was slept for its measured cost; messages were real");
  const std::string note = memory_note(placement);
  if (!note.empty()) result.notes.push_back(note);
  if (const std::string period = period_note(config, costed.strategy()); !period.empty())
    result.notes.push_back(period);
  if (const std::string classes = class_note(job.network, job.dataset); !classes.empty())
    result.notes.push_back(classes);
  const std::int64_t exchanges = worker.report.rounds_per_epoch * config.epochs;
  if (const std::string warm_up = warm_up_note(config, exchanges); !warm_up.empty())
    result.notes.push_back(warm_up);
  std::optional<RunResult> collected =
      collect_result(std::move(result), workers, worker.report, epochs_s, comm);
  if (collected) {
    collected->timed_exchanges = exchange_timer.timed();
    add_running_bill(*collected, job.platform, config);
  }
  barrier_with_backoff(MPI_COMM_WORLD);
  return collected;
}

}  // namespace epochcast::real
