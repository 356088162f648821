// SPDX-License-Identifier: Apache-2.0
#include "results/ranked_run.hpp"

namespace epochcast {

bool is_ranked(const RunResult& run) {
  constexpr std::int64_t kMostOfUnranked = 1;  // exchanges among all workers in an epoch
  return run.trainers() < 2 || run.iterations_per_epoch < 2 ||
         run.rounds_per_epoch > kMostOfUnranked;
}

}  // namespace epochcast
