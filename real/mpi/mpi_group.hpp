// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "collectives/schedule.hpp"
#include "real/mpi/mpi_fabric.hpp"

// MpiFabric's data of a communicator; for its own files.

namespace epochcast::real {

/// The plan of an all-reduce of a size.
struct MpiFabric::Plan {
  std::unique_ptr<Schedule> schedule;
  Traffic sent;
};

/// A stream of this worker.
struct MpiFabric::CollectiveStream {
  CollectiveStream(const std::function<double()>& now_s, bool is_on_busy_cores)
      : messages(now_s, is_on_busy_cores) {}

  ScheduleRun schedule_run;
  std::vector<std::shared_ptr<StreamOperation>> unbooked;  ///< in the order of their start
  MessageStream messages;  ///< destroyed before the members that it uses
};

/// A communicator with its MPI communicator and schedules.
struct MpiFabric::Group {
  Communicator communicator;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;  ///< ours, among the members

  std::map<std::int64_t, Plan> plans;  ///< by bytes
  /// By bytes and counts of elements.
  std::map<std::tuple<MakeHalf, std::int64_t, std::vector<std::int64_t>>, Plan> halves;
  std::vector<float> weights;  ///< every member's, in a large all-reduce

  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (comm != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm);
  }
};

}  // namespace epochcast::real
