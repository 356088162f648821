// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/find/find.hpp"
#include "analysis/forecast/sweep.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// A request of the page: a job, and possibly values of some settings (docs/formats.md).
struct PageRequest {
  std::vector<SettingText> settings;  ///< as given
  JobConfig config;
  std::vector<SweepAxis> axes;
  bool has_intervals = true;             ///< false: medians only, which takes a tenth of the time
  std::optional<FindRequest> find = {};  ///< search for a value that meets conditions

  /// Every strategy at every point. Throws a UserError for more points than a page shows.
  [[nodiscard]] std::vector<ForecastTask> tasks() const;
  /// The command line with the same result.
  [[nodiscard]] std::string command() const;
};

/// Reads the body of a request. Files may be those of the catalogue, and those that `given` names:
/// a link from elsewhere must not make this program read, or run, other files. Throws a UserError
/// that lists every problem.
[[nodiscard]] PageRequest request_in(std::string_view body,
                                     const Catalog& catalog,
                                     const std::vector<SettingText>& given);

}  // namespace epochcast
