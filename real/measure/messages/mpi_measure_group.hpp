// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "real/measure/sampling/measure_group.hpp"
#include "real/mpi/background_progress.hpp"

namespace epochcast::real {

/// The ranks of a communicator measure at the same time, with the background threads of training.
class MpiMeasureGroup : public MeasureGroup {
 public:
  explicit MpiMeasureGroup(MPI_Comm comm)
      : comm_(comm), progress_(comm, BackgroundProgress::kPauseBesideComputing) {}

  void start_point() override;
  [[nodiscard]] bool is_point_over(bool has_enough) override;
  [[nodiscard]] std::unique_ptr<GroupExchange> exchange(const std::string& all_reduce,
                                                        bool computes_on_cores) override;

 private:
  MPI_Comm comm_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;  ///< complete when all have enough
  bool has_enough_ = false;
  BackgroundProgress progress_;
};

}  // namespace epochcast::real
