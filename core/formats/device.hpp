// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/formats/precision.hpp"
#include "core/formats/running_costs.hpp"
#include "core/source.hpp"

namespace epochcast {

/// A device as its data sheet describes it. Read from models/devices/*.json.
struct DeviceSpec {
  std::string name;  ///< its model name in platforms
  std::string title;
  std::string device_class;                      ///< "cpu", "gpu"
  std::map<Precision, double> flops_per_s = {};  ///< at best; of dense matrices
  double memory_bytes = 0;
  double memory_bytes_per_s = 0;        ///< at best
  int cores = 1;                        ///< of a CPU, that compute together
  std::optional<PowerDraw> power = {};  ///< of one such device
  Source source;

  /// The best rate in this precision; tf32 on a device without it is float32, as in PyTorch. 0 if
  /// the device lacks the precision.
  [[nodiscard]] double rate(Precision precision) const;
  /// Bytes of a number that layers pass on: 2 with the 16-bit precisions.
  [[nodiscard]] static double bytes_per_value(Precision precision);
};

/// Reads `epochcast.device/1`. Throws a UserError that lists every problem.
[[nodiscard]] DeviceSpec parse_device(const nlohmann::json& document, const std::string& file);
[[nodiscard]] DeviceSpec load_device(const std::filesystem::path& file);

}  // namespace epochcast
