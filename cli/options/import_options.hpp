// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/import_job.hpp"
#include "core/files/output_file.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// What `epochcast import` is asked for.
struct ImportOptions {
  ImportSettings settings;
  std::string network;
  std::vector<std::int64_t> input;  ///< shape of a sample
  std::string device;               ///< a platform's device model
  std::string machine;
  std::string title;           ///< "": none given
  std::string date;            ///< "": none given
  OutputFile output;           ///< of the cost trace
  bool is_append = false;      ///< add to `output`, where it exists
  OutputFile messages_output;  ///< of the message trace
  bool is_help = false;        ///< nothing else is set
};

/// Reads the words after `epochcast import`. Throws a UserError with every problem.
[[nodiscard]] ImportOptions parse_import_options(const std::vector<std::string>& arguments,
                                                 const Catalog& catalog);

/// The usage, with every option.
[[nodiscard]] std::string import_help();

}  // namespace epochcast
