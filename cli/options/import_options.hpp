// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/import/import_job.hpp"
#include "base/files/output_file.hpp"
#include "cli/options/job_options.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// The values of --forecast and related flags.
struct ForecastRequest {
  std::vector<std::string> axes;  ///< "nodes=2,4,8"
  JobConfig config;  ///< no platform: that of the profiles; batch 0: that of the records
  Dataset dataset;   ///< with as many samples as an epoch takes
  bool are_samples_given = false;  ///< their number is given; else it is a default
  bool are_nodes_given = false;    ///< ranks per node are given; else each rank is a node
  Format format = Format::table;
};

/// The options of `epochcast import`.
struct ImportOptions {
  ImportSettings settings;
  Network network;                           ///< for samples of its `input`
  std::string device;                        ///< a platform's device model
  Precision precision = Precision::float32;  ///< that the job computed in
  std::string machine;
  std::string title;           ///< "": not given
  std::string date;            ///< "": not given
  OutputFile output;           ///< of the cost trace
  bool is_append = false;      ///< add to `output`, if it exists
  OutputFile messages_output;  ///< of the message trace
  std::optional<ForecastRequest> forecast;
};

/// Reads the words after `epochcast import`. Throws a UserError with every problem.
[[nodiscard]] ImportOptions parse_import_options(const std::vector<std::string>& arguments,
                                                 const Catalog& catalog);

}  // namespace epochcast
