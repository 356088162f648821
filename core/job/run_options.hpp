// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace epochcast {

/// A worker of a job that continues without workers that die.
struct Member {
  int number = 0;  ///< its rank when all take part: in checkpoints and --slow-down
  int place = 0;   ///< among those of its machine, for --devices

  bool operator==(const Member&) const = default;
};

/// Outputs, checkpoints and timers of a real run.
struct RunOptions {
  std::filesystem::path timeline;     ///< empty: none
  std::filesystem::path metrics;      ///< JSON lines, one an epoch; empty: none
  std::filesystem::path images;       ///< folder for a picture an epoch; empty: none
  std::filesystem::path checkpoint;   ///< folder; empty: none
  std::int64_t checkpoint_every = 0;  ///< iterations (rounds of local training); 0: epochs
  bool is_resumed = false;
  bool continues = false;                 ///< without workers that die: their number may change
  std::vector<Member> members = {};       ///< by rank, after a change; empty: all take part
  std::int64_t pause_after = 0;           ///< epochs, for workers to join; 0: it does not pause
  std::vector<std::string> history = {};  ///< who died and who joined, for the result's notes
  bool times_batches = false;             ///< before and after training, on every rank that trains
  double timed_exchange_bytes =
      0;  ///< of all-reduces that are timed before and after training; 0: none are
  std::vector<std::filesystem::path> inputs = {};  ///< files that no output may replace
  bool has_bar = false;  ///< a terminal shows what the first rank writes to stderr
};

}  // namespace epochcast
