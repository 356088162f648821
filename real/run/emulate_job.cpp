// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>

#include "core/error.hpp"
#include "core/progress_bar.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"
#include "real/run/job_report.hpp"
#include "real/run/train_job.hpp"
#include "strategies/costed_job.hpp"

namespace epochcast::real {
namespace {

/// Ranks as workers of the platform, in a communicator whose ranks are the workers' own.
struct Seating {
  MPI_Comm comm = MPI_COMM_NULL;
  int machines = 1;
};

/// Seats every node's workers on one machine: nodes in turn, each on the first machine that has
/// room for it. Collective over MPI_COMM_WORLD. Throws a UserError when some node finds none.
Seating seat(const std::vector<WorkerInfo>& workers) {
  const std::vector<int> machine_of_rank = node_of_each_rank();
  if (machine_of_rank.size() != workers.size()) {
    throw UserError("this job needs " + std::to_string(workers.size()) +
                    " ranks, one for each worker of the platform; mpirun started " +
                    std::to_string(machine_of_rank.size()));
  }
  std::map<int, std::vector<int>> workers_of_node;
  for (std::size_t i = 0; i < workers.size(); ++i)
    workers_of_node[workers[i].node].push_back(static_cast<int>(i));
  std::map<int, std::deque<int>> free_ranks;  // by machine
  for (std::size_t rank = 0; rank < machine_of_rank.size(); ++rank)
    free_ranks[machine_of_rank[rank]].push_back(static_cast<int>(rank));
  std::vector<int> worker_of_rank(workers.size());
  for (const auto& [node, members] : workers_of_node) {
    const std::size_t count = members.size();
    const auto machine =
        std::find_if(free_ranks.begin(), free_ranks.end(), [count](const auto& each) {
          return each.second.size() >= count;
        });
    if (machine == free_ranks.end()) {
      throw UserError("no machine has room left for the " + std::to_string(count) +
                      " workers of node " + std::to_string(node) +
                      "; give every host a multiple of a node's workers");
    }
    for (const int worker : members) {
      worker_of_rank[static_cast<std::size_t>(machine->second.front())] = worker;
      machine->second.pop_front();
    }
  }
  Seating seating = {.comm = MPI_COMM_NULL, .machines = static_cast<int>(free_ranks.size())};
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_split(
                MPI_COMM_WORLD, 0, worker_of_rank[static_cast<std::size_t>(rank)], &seating.comm),
            "MPI_Comm_split");
  return seating;
}

}  // namespace

std::optional<RunResult> emulate(const Job& job, const RunOptions& options) {
  const JobConfig& config = job.config;
  const CostedJob costed(job, config.strategy);
  const std::vector<WorkerInfo>& workers = costed.workers();
  const auto [comm, machines] = seat(workers);
  Timeline timeline;
  MpiFabric fabric(workers,
                   {.algorithm = config.all_reduce, .servers = {}},
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
  costed.strategy().run(worker);
  if (!options.timeline.empty()) {
    collect_timeline(
        timeline, workers, config.strategy + ", " + job.network.name, timeline_file, comm);
  }
  RunResult result = costed.known_result(Command::emulate);
  result.notes.emplace_back("computing was slept for its measured cost; messages were real");
  if (machines == 1 && job.platform.node_count() > 1 && workers.back().node > 0) {
    result.notes.emplace_back(
        "all ranks ran on one machine: messages between nodes went through its memory");
  }
  return collect_result(std::move(result), workers, worker.report, epochs_s, comm);
}

}  // namespace epochcast::real
