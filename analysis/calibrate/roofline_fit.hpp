// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/costs/roofline.hpp"
#include "core/formats/cost_trace.hpp"
#include "core/formats/device.hpp"
#include "core/formats/network.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// The measured times of batches of one size on one device.
struct MeasuredBatch {
  DeviceSpec device;
  Precision precision = Precision::float32;
  Kernels kernels = Kernels::plain;
  Network network;
  std::int64_t batch = 1;
  double seconds = 0;
  /// Estimates by a fit without this row's network,
  double without_network_s = 0;
  /// and by a fit without this row's device.
  double without_device_s = 0;
};

/// Rows of `epochcast.throughput/1`, or the medians of a trace (`epochcast.trace/1`), on
/// devices and of networks in the catalogue. Throws a UserError that lists every
/// problem.
[[nodiscard]] std::vector<MeasuredBatch> load_measured_batches(const std::filesystem::path& file,
                                                               const Catalog& catalog);

/// The efficiencies of every class of devices among the rows that minimise the squared
/// logarithms of the ratios of estimates to measurements, by Levenberg and Marquardt's method.
/// Every network has the same weight on every device; figures without data stay near the usual
/// values. Fills in the estimates without a row's network or device; the errors of the
/// efficiencies are those of networks left out. Throws a UserError for classes with fewer than
/// two networks.
[[nodiscard]] Roofline fit_roofline(std::vector<MeasuredBatch>& rows);

}  // namespace epochcast
