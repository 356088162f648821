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

/// What a page asks: a job, and perhaps values of some settings (docs/formats.md).
struct Question {
  std::vector<SettingText> settings;  ///< as given
  JobConfig config;
  std::vector<SweepAxis> axes;
  bool has_intervals = true;             ///< false: medians only, which takes a tenth of the time
  std::optional<FindRequest> find = {};  ///< which value meets conditions

  /// Every strategy at every point. Throws a UserError for more than a page can show.
  [[nodiscard]] std::vector<ForecastTask> tasks() const;
  /// What gives the same on a terminal.
  [[nodiscard]] std::string command() const;
};

/// Reads the body of a request. Files may be those of the catalogue, and those that `given` names:
/// a link that somebody sends must not make this program read, or run, another one. Throws a
/// UserError that lists every problem.
[[nodiscard]] Question question_in(std::string_view body,
                                   const Catalog& catalog,
                                   const std::vector<SettingText>& given);

}  // namespace epochcast
