// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/platform.hpp"
#include "core/job/job_config.hpp"

namespace epochcast {

/// The devices of the chosen nodes that a strategy uses.
enum class Participants {
  workers,              ///< all that train
  fastest_workers,      ///< those of the fastest device model only
  workers_and_servers,  ///< non-CPU devices train, CPUs sum what they push
  /// The same; if all devices are CPUs or none is, all train, and one more rank on the first
  /// worker's device serves.
  workers_and_parameter_servers,
};

/// The nodes that servers are placed on: each in turn, or the first ones.
enum class ServerPlacement { spread, packed };

/// The servers of a job.
struct ServerChoice {
  std::optional<int> count = {};  ///< absent: all CPUs beside other devices that train, else one
  ServerPlacement placement = ServerPlacement::spread;
};

/// Of devices by their nodes, those that serve, ascending. Throws a UserError if the job wants more
/// than there are.
[[nodiscard]] std::vector<std::size_t> chosen_servers(std::span<const int> nodes,
                                                      const ServerChoice& choice);

/// Seconds of one batch on a device, used to choose the fastest devices.
using BatchSeconds = std::function<double(const WorkerInfo&)>;

/// Every device of the job's nodes, workers or not, node by node; devices keep their index in the
/// node. Throws a UserError when the platform has fewer nodes than asked for.
[[nodiscard]] std::vector<WorkerInfo> all_devices(const Platform& platform,
                                                  const JobConfig& config);

/// The models of devices that train in the job, one name for each device; none of a SimGrid
/// platform. Throws a UserError like all_devices().
[[nodiscard]] std::vector<std::string> training_models(const Platform& platform,
                                                       const JobConfig& config);

/// The names allowed in settings by class: device classes and models, each once.
class DeviceNames {
 public:
  /// Those of all devices, and of those that take part.
  explicit DeviceNames(const Platform& platform);
  explicit DeviceNames(std::span<const WorkerInfo> workers);

  /// Throws a UserError, with the closest name, if the setting names anything but these and
  /// `known`.
  template <typename Value>
  void check(const std::string& setting,
             const std::map<std::string, Value>& given,
             const std::vector<std::string>& known) const {
    for (const auto& [name, value] : given) check_known(setting, name, known);
  }

 private:
  void add(const std::string& device_class, const std::string& model);
  void check_known(const std::string& setting,
                   const std::string& name,
                   std::vector<std::string> known) const;

  std::vector<std::string> names_;
};

/// DeviceNames::check for --batch-seconds and --exchange-seconds.
void check_class_settings(const Platform& platform, const JobConfig& config);

/// The job's processes, by rank: node by node, in the order of the platform file; servers after all
/// others. Throws a UserError if no device trains, if the strategy lacks a CPU for summation, or if
/// there are fewer devices than servers.
[[nodiscard]] std::vector<WorkerInfo> place(const Platform& platform,
                                            const JobConfig& config,
                                            std::string_view strategy,
                                            Participants participants,
                                            const BatchSeconds& batch_s,
                                            const ServerChoice& servers = {});

}  // namespace epochcast
