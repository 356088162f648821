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

/// How well the networks of one class of devices use them: what share of the peak rate products
/// reach, by kind, and of the memory's bandwidth everything that moves; what starting an operation
/// takes; and how wrong estimates made with it are.
struct Efficiency {
  /// Above 0, to 2: fast algorithms need fewer operations than are counted, and fused kernels move
  /// fewer bytes.
  std::map<ProductKind, double> of_products;
  double of_memory = 1;
  /// Of all cores of a device together, beside one: above 0, to 1.
  double of_cores = 1;
  double operation_s = 0;  ///< of one operation in one pass
  /// Of networks that the fit had not seen, or of devices, whichever is more: half were off by this
  /// factor at most, and nine of ten by the next. 1.2: up to 20 % longer or 1/1.2 as long.
  double usual_error = 1;
  double most_error = 1;
  /// The same where another network had been measured on the device.
  double usual_scaled_error = 1;
  double most_scaled_error = 1;
  /// The most of devices of several cores that the fit had not seen: there are few figures of them.
  double most_cores_error = 1;
};

/// Efficiencies by class of device. Williams, Waterman and Patterson, "Roofline: an insightful
/// visual performance model", CACM 2009; here what computes and what moves bytes take their times
/// one after the other.
struct Roofline {
  std::map<std::pair<std::string, Kernels>, Efficiency> by_class;
  Source source;
};

/// Reads `epochcast.roofline/1`. Throws a UserError that lists every problem.
[[nodiscard]] Roofline parse_roofline(const nlohmann::json& document, const std::string& file);
[[nodiscard]] Roofline load_roofline(const std::filesystem::path& file);
[[nodiscard]] nlohmann::ordered_json to_json(const Roofline& roofline);

/// What a batch asks of a device, by what limits it.
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

/// The cost of the network's batches of 1, 2, 4, ... samples and of `batch`, each `scale` times
/// what the efficiencies say; of grade estimated, and with a doubt that says how wrong it may be.
[[nodiscard]] CostTrace estimated_cost(const Network& network,
                                       const DeviceSpec& device,
                                       Precision precision,
                                       const Efficiency& efficiency,
                                       std::int64_t batch,
                                       double scale);

}  // namespace epochcast
