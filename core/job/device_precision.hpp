// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/formats/precision.hpp"

namespace epochcast {

/// The precision in which a device computes a job's batches.
struct DevicePrecision {
  Precision precision = Precision::float32;
  std::string note = {};  ///< a difference that users should know; empty: none
};

/// The precision of LibTorch's device ("cpu", "cuda:0") for the requested `wanted`: it, or float32
/// for tf32 on a device without it, as in PyTorch. Throws a UserError with a remedy for float16 on
/// a CPU, and for bfloat16 on a GPU without it.
[[nodiscard]] DevicePrecision device_precision(Precision wanted, const std::string& device);

/// The same for a rehearsal, which computes in float32 what the device cannot compute, or not at
/// the speed of its own instructions; the note says so.
[[nodiscard]] DevicePrecision rehearsed_precision(Precision wanted, const std::string& device);

/// Whether a processor has instructions for products of bfloat16 matrices. `cpuinfo` is the text of
/// /proc/cpuinfo.
[[nodiscard]] bool has_bfloat16(std::string_view cpuinfo);

}  // namespace epochcast
