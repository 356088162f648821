// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/tier.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// Machines on which configurations run, and the command that enters them.
struct ValidationCluster {
  std::string name;    ///< for people
  std::string launch;  ///< words before the command, such as "lab/box/box --nodes 4 --"; or none
  int ranks = 2;

  bool operator==(const ValidationCluster&) const = default;
};

/// The figure of a case whose links differ from the calibrated ones.
inline constexpr const char* kBandwidthFigure = "network.bandwidth";

/// The cluster that is measured before a case runs. Its forecast uses nothing else.
struct CalibratedCluster {
  ValidationCluster cluster;
  std::string network;     ///< messages are measured up to the size of its gradients
  std::int64_t batch = 1;  ///< train: batches of half, all and twice this size are measured
  /// Nominal bandwidth of its links, if the case has other ones (network.bandwidth).
  std::optional<double> link_bytes_per_s = {};

  bool operator==(const CalibratedCluster&) const = default;
};

/// One configuration to forecast and to run.
struct ValidationCase {
  ValidationCluster cluster;
  std::optional<CalibratedCluster> other = {};  ///< calibrated in the place of the cluster
  Command command = Command::emulate;           ///< or train
  std::string group;                            ///< see ValidationRow
  std::string point;
  JobConfig config;  ///< with one strategy

  [[nodiscard]] Tier tier() const { return other ? Tier::extrapolated : Tier::same_cluster; }
  [[nodiscard]] CalibratedCluster calibrated() const;
};

/// Reads experiment files with a "validate" object (docs/formats.md): settings, "rows" with the
/// settings of each row, and "calibrate" with the calibrated cluster if it is another one. Checks
/// every file, name and setting of every row, as problems_of_cases() does. Throws a UserError that
/// lists the problems of all files.
[[nodiscard]] std::vector<ValidationCase> load_validation_cases(
    const std::vector<std::filesystem::path>& files, const Catalog& catalog);

}  // namespace epochcast
