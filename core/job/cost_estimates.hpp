// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/costs/roofline.hpp"
#include "core/formats/cost_trace.hpp"
#include "core/formats/device.hpp"
#include "core/formats/network.hpp"
#include "core/job/job_config.hpp"

namespace epochcast {

class Catalog;

/// Estimated batch costs on devices without measurements, from their data sheets.
class CostEstimates {
 public:
  CostEstimates() = default;
  CostEstimates(Roofline roofline, std::map<std::string, DeviceSpec> devices);

  /// None if the device is unknown. Throws a UserError if it does not support the precision, if its
  /// estimates are scaled by measurements in other precisions only, or if there are no efficiencies
  /// of these kernels for its class of devices.
  [[nodiscard]] std::optional<CostTrace> of(const std::string& model,
                                            const Network& network,
                                            std::int64_t batch,
                                            Precision precision,
                                            std::optional<Kernels> kernels) const;
  /// The data sheet; nullptr without one.
  [[nodiscard]] const DeviceSpec* device(const std::string& model) const;
  /// Scales estimates for the device in this precision by the ratio of this measured cost of
  /// `network` to its estimate: the median over batch sizes. Throws a UserError if the device is
  /// unknown.
  void scale(const CostTrace& measured, const Network& network);
  /// The devices that are scaled.
  [[nodiscard]] std::vector<std::string> scaled() const;
  /// Whether estimates for the device are scaled in this precision, or in none.
  [[nodiscard]] bool is_scaled_in(const std::string& model, Precision precision) const;

  /// The files that estimates depend on.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }
  void add_file(std::filesystem::path file) { files_.push_back(std::move(file)); }

 private:
  [[nodiscard]] const Efficiency* efficiency_of(const DeviceSpec& device, Kernels kernels) const;

  Roofline roofline_;
  std::map<std::string, DeviceSpec> devices_;  ///< by name
  /// By device and precision, of each network measured.
  std::map<std::string, std::map<Precision, std::vector<double>>> scales_;
  std::vector<std::filesystem::path> files_;
};

/// The catalogue's devices and efficiencies, scaled by the traces of --calibrate-on. Throws a
/// UserError if one of these is of an unknown device or network.
[[nodiscard]] CostEstimates load_estimates(const JobConfig& config, const Catalog& catalog);

}  // namespace epochcast
