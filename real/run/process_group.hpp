// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "core/fabric.hpp"
#include "core/job/job_config.hpp"
#include "core/job/placement.hpp"
#include "core/job/run_options.hpp"

namespace epochcast::real {

/// The processes that take part in a job, as their own communicator, trainers before servers.
struct ProcessGroup {
  MPI_Comm comm = MPI_COMM_NULL;  ///< null on ranks that do not take part
  std::vector<WorkerInfo> workers;

  [[nodiscard]] bool takes_part() const { return comm != MPI_COMM_NULL; }
};

/// The device of this rank: one of --devices, taken in turn by the rank's number on its machine.
struct OwnDevice {
  std::string device;    ///< "cpu", "cuda:0", "server"
  double slow_down = 1;  ///< of --slow-down
  WorkerInfo info;       ///< node, class, model, ...
};

/// Collective over MPI_COMM_WORLD. `members`: of RunOptions. `model_of`: the model name of a
/// device. Throws a UserError when --slow-down names no rank, class or model of the job.
[[nodiscard]] OwnDevice own_device(const MachineConfig& config,
                                   const std::vector<Member>& members,
                                   const std::function<std::string(const std::string&)>& model_of);

/// The group of processes that take part. Collective over MPI_COMM_WORLD. `batch_s` returns this
/// rank's seconds of a batch; it is called if only the fastest train. `servers`: of ranks that are
/// not named servers by --devices: CPUs beside other devices, else any. Throws a UserError when a
/// strategy lacks trainers or servers.
[[nodiscard]] ProcessGroup assemble(const WorkerInfo& own,
                                    const std::string& strategy,
                                    Participants participants,
                                    const ServerChoice& servers,
                                    const std::function<double()>& batch_s);

}  // namespace epochcast::real
