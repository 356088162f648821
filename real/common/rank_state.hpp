// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace epochcast::real {

/// Where one rank of a job stood, and everything it needs to go on from there.
struct RankState {
  std::vector<std::int64_t> position;                 ///< Progress::position()
  std::map<std::string, std::vector<double>> memory;  ///< Progress::memory
  std::string learner;                                ///< TorchLearner::save()
};

}  // namespace epochcast::real
