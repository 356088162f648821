// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/timeline.hpp"
#include "real/measure/sampling/group_exchange.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {

/// All-reduces of MpiFabric among all ranks, as `train` overlaps them.
class MpiGroupExchange : public GroupExchange {
 public:
  /// Collective over MPI_COMM_WORLD. `cores`: of the ranks that compute at the same time.
  MpiGroupExchange(const std::string& all_reduce, Cores cores);

  void run(double bytes) override;
  void start(std::int64_t count, double bytes) override;
  ExchangeSpan finish() override;
  [[nodiscard]] double largest(double mine) override;

 private:
  Timeline timeline_;
  MpiFabric fabric_;
  std::vector<Request> requests_;
  double started_s_ = 0;
};

}  // namespace epochcast::real
