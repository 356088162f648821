// SPDX-License-Identifier: Apache-2.0
#include "core/job/device_precision.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

/// The major compute capability of a GPU such as "cuda:0", from the driver; none if it is unknown.
std::optional<int> compute_capability(const std::string& device) {
  constexpr int kMajorCapability = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  using Init = int (*)(unsigned);
  using Attribute = int (*)(int*, int, int);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return std::nullopt;
  const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
  const auto attribute = reinterpret_cast<Attribute>(dlsym(driver, "cuDeviceGetAttribute"));
  if (init == nullptr || attribute == nullptr || init(0) != 0) return std::nullopt;
  const std::size_t colon = device.find(':');
  const int index = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
  int major = 0;
  return attribute(&major, kMajorCapability, index) == 0 ? std::optional(major) : std::nullopt;
}

/// Of Ampere, which brought tf32 and bfloat16.
bool is_older_than_ampere(const std::string& gpu) {
  constexpr int kAmpere = 8;
  return compute_capability(gpu).value_or(kAmpere) < kAmpere;
}

DevicePrecision without_tf32(const std::string& device) {
  return {.precision = Precision::float32,
          .note = device + " has no tf32: float32 was computed there, as PyTorch does"};
}

}  // namespace

DevicePrecision device_precision(Precision wanted, const std::string& device) {
  if (device == "cpu") {
    if (wanted == Precision::tf32) return without_tf32(device);
    if (wanted == Precision::float16)
      throw UserError(
          "--precision: float16 needs a GPU; on a CPU choose bfloat16, which needs no scaling of "
          "the loss, or float32");
    if (wanted == Precision::bfloat16 && !has_bfloat16(cpuinfo_text()))
      return {.precision = wanted,
              .note =
                  "this CPU has no instructions for bfloat16, which LibTorch emulates: batches "
                  "take longer than in float32"};
    return {.precision = wanted};
  }
  if (wanted == Precision::tf32 && is_older_than_ampere(device)) return without_tf32(device);
  if (wanted == Precision::bfloat16 && is_older_than_ampere(device))
    throw UserError("--precision: " + device +
                    " does not compute in bfloat16, as GPUs since Ampere do; choose float16");
  return {.precision = wanted};
}

DevicePrecision rehearsed_precision(Precision wanted, const std::string& device) {
  const auto in_float32 = [&](const std::string& reason) {
    return DevicePrecision{.precision = Precision::float32,
                           .note = "numbers were computed in float32, not in " +
                                   show_name(wanted, kPrecisions) + ": " + reason};
  };
  if (device == "cpu" && wanted == Precision::bfloat16 && !has_bfloat16(cpuinfo_text()))
    return in_float32("this CPU has no instructions for bfloat16");
  try {
    return device_precision(wanted, device);
  } catch (const UserError&) {
    return in_float32(device + " does not compute in it");
  }
}

bool has_bfloat16(std::string_view cpuinfo) {
  for (const std::string_view name : {"avx512_bf16", "amx_bf16", "bf16"}) {
    const std::string word = " " + std::string(name);
    for (std::size_t at = cpuinfo.find(word); at != std::string_view::npos;
         at = cpuinfo.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (end == cpuinfo.size() || cpuinfo[end] == ' ' || cpuinfo[end] == '\n') return true;
    }
  }
  return false;
}

}  // namespace epochcast
