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

/// What batches of one size took on one device.
struct MeasuredBatch {
  DeviceSpec device;
  Precision precision = Precision::float32;
  Kernels kernels = Kernels::plain;
  Network network;
  std::int64_t batch = 1;
  double seconds = 0;
  /// What estimates say that were made without this row's network,
  double without_network_s = 0;
  /// and without this row's device.
  double without_device_s = 0;
};

/// Rows of `epochcast.throughput/1`, or the medians of a trace (`epochcast.trace/1`),
/// on devices and of networks that the catalogue describes. Throws a UserError that lists every
/// problem.
[[nodiscard]] std::vector<MeasuredBatch> load_measured_batches(const std::filesystem::path& file,
                                                               const Catalog& catalog);

/// The efficiencies of every class of devices among the rows with which estimates are least wrong:
/// least squares of the logarithms of their ratios to what was measured, by Levenberg and
/// Marquardt's method; every network counts alike on every device, and a figure that no row tells
/// of stays near what is usual. Fills in what estimates say that have not seen a row's network or
/// device; the errors of the efficiencies are those of networks left out. Throws a UserError for
/// classes with fewer than two networks.
[[nodiscard]] Roofline fit_roofline(std::vector<MeasuredBatch>& rows);

}  // namespace epochcast
