// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/json/json_input.hpp"

namespace epochcast {

/// How far a figure can be trusted, best first. Files never have `extrapolated`: it is the grade of
/// forecasts beyond the measured range.
enum class Grade { measured, published, extrapolated, estimated };

[[nodiscard]] std::string_view to_string(Grade grade);
/// The grade of that name; `estimated` if there is none.
[[nodiscard]] Grade grade_from(std::string_view text);
/// The less trustworthy of two grades: that of a result computed from both.
[[nodiscard]] Grade lowest(Grade a, Grade b);

/// Where figures come from (docs/formats.md, "Sources"). The members depend on the grade.
struct Source {
  Grade grade = Grade::estimated;
  std::string machine = {};                          ///< measured: on what
  std::string date = {};                             ///< measured: "2026-11-21"
  std::string command = {};                          ///< measured: by what
  std::map<std::string, std::string> versions = {};  ///< measured: of libraries, by their names
  std::string reference = {};  ///< published: where; estimated: from where, or empty
  std::string method = {};     ///< estimated: how; published: how it was converted, or empty
  std::string note = {};       ///< empty: none

  bool operator==(const Source&) const = default;
};

/// Today's date as in sources: "2026-11-21" (UTC).
[[nodiscard]] std::string today_text();

/// Whether the text is a date of the calendar in this form.
[[nodiscard]] bool is_date(std::string_view text);

/// A "source" object, and back; problems are collected in `input`.
[[nodiscard]] nlohmann::ordered_json to_json(const Source& source);
[[nodiscard]] Source read_source(JsonInput input);

}  // namespace epochcast
