// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "core/formats/cost_trace.hpp"
#include "core/formats/device.hpp"
#include "core/formats/network.hpp"
#include "core/source.hpp"

namespace epochcast {

/// The efficiency of networks on one class of devices: the reached share of the peak rate of
/// products, by kind; the share of the memory bandwidth; the time to start an operation; and the
/// errors of estimates made with it.
struct Efficiency {
  /// Above 0, to 2: fast algorithms need fewer operations than are counted, and fused kernels move
  /// fewer bytes.
  std::map<ProductKind, double> of_products;
  double of_memory = 1;
  /// Of all cores of a device together, relative to one: above 0, to 1.
  double of_cores = 1;
  double operation_s = 0;  ///< of one operation in one pass
  /// Errors of networks, or of devices, that were left out of the fit, whichever are larger: the
  /// median factor, and the 90th percentile. 1.2: up to 20 % longer or 1/1.2 as long.
  double usual_error = 1;
  double most_error = 1;
  /// The same if another network was measured on the device.
  double usual_scaled_error = 1;
  double most_scaled_error = 1;
  /// The largest error of devices of several cores that were left out of the fit; there are few
  /// figures of them.
  double most_cores_error = 1;
};

/// Efficiencies by class of device. Williams, Waterman and Patterson, "Roofline: an insightful
/// visual performance model", CACM 2009; here computing and moving bytes do not overlap.
struct Roofline {
  std::map<std::pair<std::string, Kernels>, Efficiency> by_class;
  Source source;
};

/// Reads `epochcast.roofline/1`. Throws a UserError that lists every problem.
[[nodiscard]] Roofline parse_roofline(const nlohmann::json& document, const std::string& file);
[[nodiscard]] Roofline load_roofline(const std::filesystem::path& file);
[[nodiscard]] nlohmann::ordered_json to_json(const Roofline& roofline);

/// The work of a batch, by the resource that limits it.
struct BatchWork {
  std::map<ProductKind, double> flops;  ///< of products: forward and backward
  double bytes = 0;                     ///< to and from memory
  double operations = 0;                ///< one after the other

  BatchWork& operator+=(const BatchWork& more);
};

/// Of one layer: forward once, backward twice as much, each reading its parameters. Recurrent
/// layers start an operation for each step.
[[nodiscard]] BatchWork work_of(const Layer& layer, std::int64_t batch, Precision precision);
/// Of the optimizer, which reads parameters, gradients and momentum and writes two of them.
[[nodiscard]] BatchWork step_work(const Network& network);
/// Of a whole batch.
[[nodiscard]] BatchWork work_of(const Network& network, std::int64_t batch, Precision precision);

/// Seconds that this takes on the device.
[[nodiscard]] double seconds_of(const BatchWork& work,
                                const DeviceSpec& device,
                                Precision precision,
                                const Efficiency& efficiency);

/// The cost of the network's batches of 1, 2, 4, ... samples and of `batch`, each `scale` times the
/// estimate; of grade estimated, with a text about its error.
[[nodiscard]] CostTrace estimated_cost(const Network& network,
                                       const DeviceSpec& device,
                                       Precision precision,
                                       const Efficiency& efficiency,
                                       std::int64_t batch,
                                       double scale);

}  // namespace epochcast
