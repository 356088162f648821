// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/precision.hpp"
#include "core/job/loss.hpp"
#include "core/job/optimizer_settings.hpp"
#include "real/data/data_source.hpp"
#include "real/measure/batches/network_costs.hpp"
#include "real/measure/sampling/measure_group.hpp"
#include "real/measure/sampling/progress_lines.hpp"
#include "real/measure/sampling/sampling.hpp"

namespace epochcast::real {

/// The settings of a measurement. Free of LibTorch headers.
struct MeasureSettings {
  std::vector<std::string> networks = {};
  std::vector<std::int64_t> input = {};  ///< shape of a sample
  std::int64_t classes = 0;
  Loss loss = Loss::automatic;
  OptimizerSettings optimizer = {};
  std::optional<double> clip_norm = {};    ///< of gradients, before a step
  std::vector<std::int64_t> batches = {};  ///< ascending
  std::int64_t layers_batch = 0;  ///< batch size for the layers' backward shares; 0: not measured
  std::string overlap = {};       ///< all-reduce in the overlap measurement; empty: none
  double overlap_bytes = 0;       ///< of it; at most those of the network's gradients
  std::vector<std::string> compressions = {};  ///< whose kernels are measured
  /// Settings of them, as JobConfig::of_strategies.
  std::map<std::string, std::string, std::less<>> compression_settings = {};
  std::shared_ptr<const DataSource> data = nullptr;  ///< data to load; null: computed samples
  std::string data_title = "procedural samples";
  int ranks = 1;        ///< that measure at the same time
  bool augment = true;  ///< as training does
  int threads = 1;
  std::string device = "cpu";
  Precision precision = Precision::float32;  ///< as device_precision() returned it
  std::string precision_note = {};           ///< the note of it
  std::optional<double> slow_down = {};      ///< batches are prolonged by this factor, by sleeping;
                                             ///< absent: no rank of the group is slowed down
  std::uint64_t seed = 1;
  SamplingRule rule;
};

/// Costs of each network's training batches, measured on this machine.
///
/// Each point gets a new network and trains it, at a learning rate at which no optimizer diverges,
/// on samples loaded as in training; phases are bounded by synchronising with the device. Sets
/// LibTorch's thread count. All of `group` have the same settings; each returns its own
/// measurements. `report` is called between batches, at most about once a second and after each
/// point. Throws a UserError when LibTorch has no such device, and a RunError when a batch fails
/// (memory) or the machine is too busy.
[[nodiscard]] std::vector<NetworkCosts> measure(
    const MeasureSettings& settings,
    const std::function<void(const MeasureProgress&)>& report,
    MeasureGroup& group);
/// The same for a single process.
[[nodiscard]] std::vector<NetworkCosts> measure(
    const MeasureSettings& settings, const std::function<void(const MeasureProgress&)>& report);

/// The versions of the libraries whose speed is being measured, by their names.
[[nodiscard]] std::map<std::string, std::string> library_versions();

}  // namespace epochcast::real
