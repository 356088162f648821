// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace epochcast {

/// The kind of an event of PyTorch's profiler.
enum class EventKind {
  iteration,           ///< ProfilerStep#N: the job's own number of the iteration
  load,                ///< a batch from the data loader
  step,                ///< the optimizer updates the parameters, or clears the gradients
  backward,            ///< autograd computes one node, or DDP handles its gradients
  operation,           ///< any other operator on a CPU
  communication_call,  ///< an operator that calls a collective: c10d, record_param_comms
  communication,       ///< a collective in progress: gloo on a CPU, NCCL on a GPU
  launch,              ///< launch of work on a GPU
  kernel,              ///< a GPU computes or copies
};

/// An event, in seconds since the profile's first event.
struct ProfileEvent {
  EventKind kind = EventKind::operation;
  int thread = 0;  ///< on CPUs: its index in the profile, from 0
  double start_s = 0;
  double end_s = 0;
  std::int64_t number = -1;  ///< iteration: N; launch and kernel: their common correlation
};

/// One all-reduce of one rank.
struct AllReduce {
  double start_s = 0;
  double end_s = 0;        ///< of the transfer on the GPU or in the background
  std::string backend;     ///< "gloo", "nccl"
  std::string group;       ///< name of the process group; "" if unknown
  std::vector<int> ranks;  ///< of the process group; empty if unknown
  int group_size = 0;      ///< 0: unknown
  std::int64_t bytes = 0;  ///< reduced; 0: unknown
};

/// The record of one rank by PyTorch's profiler (Kineto).
struct Profile {
  std::string file;
  std::optional<int> rank;   ///< of the job, if recorded
  int world_size = 0;        ///< 0: unknown
  std::string nccl_version;  ///< "" if unknown
  /// Seconds since 1970 at the first event; absent if its clock has another origin.
  std::optional<double> began_s;
  std::vector<ProfileEvent> events;  ///< by start; of those that start together, the longest first
  std::vector<AllReduce> all_reduces;  ///< by start
  /// Number of operators by the shape of their first input; empty without record_shapes=True.
  std::map<std::vector<std::int64_t>, std::int64_t> input_shapes = {};
};

/// Reads a profile: Chrome-trace JSON by Kineto (an object with `traceEvents`), or by PyTorch
/// without Kineto (the list of events alone). Throws a UserError with the paths of the first twenty
/// errors.
[[nodiscard]] Profile parse_profile(std::istream& text, const std::string& file);

}  // namespace epochcast
