// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/timeline.hpp"

namespace epochcast::sim {

/// Seconds of one exchange given by hand; replaces the network.
struct FixedExchange {
  std::map<std::string, double> seconds;  ///< "all", "node" or a device class
};

/// Repetitions that are not simulated again.
enum class Acceleration {
  none,         ///< every message and iteration is simulated
  whole_loops,  ///< loops of all workers are extrapolated
  all           ///< other loops, too; collectives are replayed, and their rounds extrapolated
};

/// The options of a job's simulation.
struct SimOptions {
  Acceleration acceleration = Acceleration::all;
  bool runs_every_iteration = false;  ///< no loop is extrapolated: all results are needed
  std::optional<FixedExchange> fixed_exchange;
};

/// The options of one pass over a job's program.
struct PassOptions {
  bool is_noisy = false;  ///< loops never repeat exactly: sample them
  /// Noisy: a pilot, which only samples iterations for later passes, at least this number of each
  /// loop. 0: no pilot.
  std::int64_t pilot_iterations = 0;
  std::uint64_t seed = 0;
  std::size_t session = 0;       ///< noisy: loops are equal only within one
  Timeline* timeline = nullptr;  ///< filled when given
};

}  // namespace epochcast::sim
