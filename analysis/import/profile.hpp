// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace epochcast {

/// What an event of PyTorch's profiler is to us.
enum class EventKind {
  iteration,           ///< ProfilerStep#N: the job's own count of its iterations
  load,                ///< the data loader is asked for a batch
  step,                ///< the optimizer updates the parameters, or clears the gradients
  backward,            ///< autograd computes one node, or DDP sees to its gradients
  operation,           ///< any other operator on a CPU
  communication_call,  ///< an operator that hands over a collective: c10d, record_param_comms
  communication,       ///< a collective under way: gloo on a CPU, NCCL on a GPU
  launch,              ///< work is handed to a GPU
  kernel,              ///< a GPU computes or copies
};

/// Something that happened, in seconds since the profile's first event.
struct ProfileEvent {
  EventKind kind = EventKind::operation;
  int thread = 0;  ///< on CPUs: which one, counted from 0 in the profile
  double start_s = 0;
  double end_s = 0;
  std::int64_t number = -1;  ///< iteration: N; launch and kernel: the correlation that joins them
};

/// One all-reduce of one rank.
struct AllReduce {
  double start_s = 0;
  double end_s = 0;        ///< of the transfer on the GPU or in the background
  std::string backend;     ///< "gloo", "nccl"
  std::string group;       ///< name of the process group; "" when not told
  std::vector<int> ranks;  ///< of the process group; empty when not told
  int group_size = 0;      ///< 0: not told
  std::int64_t bytes = 0;  ///< reduced; 0: not told
};

/// What PyTorch's profiler (Kineto) has recorded of one rank.
struct Profile {
  std::string file;
  std::optional<int> rank;   ///< of the job, where the file tells
  int world_size = 0;        ///< 0: not told
  std::string nccl_version;  ///< "" when not told
  /// Seconds since 1970 at the first event; nothing when its clock counts from elsewhere.
  std::optional<double> began_s;
  std::vector<ProfileEvent> events;  ///< by start; of those that start together, the longest first
  std::vector<AllReduce> all_reduces;  ///< by start
  /// How many operators had a first input of this shape; empty without record_shapes=True.
  std::map<std::vector<std::int64_t>, std::int64_t> input_shapes = {};
};

/// Reads a profile: Chrome-trace JSON as Kineto writes it (an object with `traceEvents`), or as
/// PyTorch writes it without Kineto (the list of events alone). Throws a UserError with the paths
/// of what is wrong, the first twenty of them.
[[nodiscard]] Profile parse_profile(std::istream& text, const std::string& file);

}  // namespace epochcast
