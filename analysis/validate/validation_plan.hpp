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

/// Machines on which configurations run, and how to get there.
struct ValidationCluster {
  std::string name;    ///< for people
  std::string launch;  ///< words before the command, such as "tests/box/box --nodes 4 --"; or none
  int ranks = 2;

  bool operator==(const ValidationCluster&) const = default;
};

/// The figure that asks about other links than those that are calibrated.
inline constexpr const char* kBandwidthFigure = "network.bandwidth";

/// What is measured before a case runs. Its forecast rests on nothing else.
struct CalibratedCluster {
  ValidationCluster cluster;
  std::string network;     ///< messages are measured up to the size of its gradients
  std::int64_t batch = 1;  ///< train: batches of half, all and twice this size are measured
  /// Nominal bandwidth of its links, where the case asks about other ones (network.bandwidth).
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

/// Reads experiment files with a "validate" object (docs/formats.md): the settings, and in its
/// "rows" what differs from row to row; "calibrate" says what is calibrated, where that is not the
/// cluster itself. Looks at every file, name and setting of every row, too, as
/// problems_of_cases() does. Throws a UserError that lists the problems of all files.
[[nodiscard]] std::vector<ValidationCase> load_validation_cases(
    const std::vector<std::filesystem::path>& files, const Catalog& catalog);

}  // namespace epochcast
