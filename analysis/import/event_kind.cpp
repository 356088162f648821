// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/event_kind.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace epochcast {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(
      result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A GPU's communication kernels: NCCL's, and RCCL's of the same names.
EventKind kernel_kind(std::string_view name) {
  return has(lower(name), "nccl") ? EventKind::communication : EventKind::kernel;
}

/// CPU operators and annotations.
std::optional<EventKind> cpu_kind(std::string_view name, bool is_annotation) {
  if (name.starts_with("ProfilerStep#")) return EventKind::iteration;
  if (name.starts_with("enumerate(DataLoader)")) return EventKind::load;
  if (name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#"))
    return EventKind::step;
  const std::string_view backend = backend_of(name);
  // "nccl:all_reduce" on a CPU only spans the call; the transfer is a kernel.
  if (backend == "nccl") return std::nullopt;
  if (!backend.empty()) return EventKind::communication;
  if (is_annotation) return std::nullopt;
  if (name.starts_with("autograd::engine::evaluate_function") ||
      name.starts_with("torch.distributed.ddp.reducer::"))
    return EventKind::backward;
  if (name == "record_param_comms" || name.starts_with("c10d::") ||
      name.starts_with("c10d_functional::") || name.starts_with("_c10d_functional::"))
    return EventKind::communication_call;
  return EventKind::operation;
}

}  // namespace

std::optional<EventKind> kind_of(std::string_view category,
                                 std::string_view name,
                                 std::string_view process) {
  const std::string kind = lower(category);
  if (kind.empty()) {
    if (process == "CUDA functions") return kernel_kind(name);
    return cpu_kind(name, !has(name, "::"));
  }
  if (kind == "cpu_op" || kind == "operator") return cpu_kind(name, false);
  if (kind == "user_annotation") return cpu_kind(name, true);
  if (kind == "kernel" || kind == "concurrent_kernel") return kernel_kind(name);
  if (has(kind, "memcpy") || has(kind, "memset")) return EventKind::kernel;
  if (kind.ends_with("runtime") || kind.ends_with("driver")) return EventKind::launch;
  return std::nullopt;
}

std::string_view backend_of(std::string_view name) {
  for (const std::string_view backend : {"gloo", "nccl", "mpi", "ucc", "xccl", "hccl"}) {
    const bool is_of = name.starts_with(backend) && name.size() > backend.size() + 1 &&
                       name[backend.size()] == ':' && name[backend.size() + 1] != ':';
    if (is_of) return backend;
  }
  return {};
}

}  // namespace epochcast
