// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast::real {

/// Executes all-reduce schedules with MPI_Isend and MPI_Irecv, in place.
///
/// Large blocks travel in segments, so that adding one overlaps with the transfer of the next; the
/// caller's weight is multiplied in when a number is first sent or added to, which saves a pass
/// over the buffer. The order of additions, and so every bit of the result, depends on the schedule
/// alone.
class ScheduleRun {
 public:
  /// Replaces `values` by Σ_q weight_q · values_q. Collective over `comm`, whose ranks are those of
  /// the schedule; every member passes as many values.
  void all_reduce(
      const Schedule& schedule, std::span<float> values, float weight, int rank, MPI_Comm comm);

 private:
  struct Transfer {
    MPI_Request request = MPI_REQUEST_NULL;
    ActionKind kind = ActionKind::send;
    std::size_t begin = 0;  ///< elements
    std::size_t end = 0;
    float weight = 1;          ///< of our own numbers, still to be applied by an addition
    float* scratch = nullptr;  ///< where it arrives; null: in place
  };

  void run_round(const Schedule& schedule, const Round& round, MPI_Comm comm);
  void post(const Schedule& schedule, const Action& action, bool in_place, MPI_Comm comm);
  void finish(std::size_t index);
  /// Waits for what is still being sent from [begin, end).
  void wait_for_sends(std::size_t begin, std::size_t end);
  [[nodiscard]] std::size_t element(const Schedule& schedule, std::int64_t unit) const;
  /// Multiplies the weight into the units of a block that do not have it yet.
  void weigh(const Schedule& schedule, const Block& block);
  /// The weight that the block's numbers still need, which the caller then applies.
  float take_weight(const Schedule& schedule, const Action& action);

  std::span<float> values_;
  float weight_ = 1;
  std::vector<bool> is_weighted_;  ///< by unit
  std::vector<Transfer> transfers_;
  std::unique_ptr<float[]> scratch_;
  std::size_t scratch_size_ = 0;
  std::size_t scratch_used_ = 0;
};

}  // namespace epochcast::real
