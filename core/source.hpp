// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/json/json_input.hpp"

namespace epochcast {

/// How far a figure can be trusted, best first.
enum class Grade { measured, published, estimated };

[[nodiscard]] std::string_view to_string(Grade grade);
/// The less trustworthy of two grades: what a result made from both deserves.
[[nodiscard]] Grade lowest(Grade a, Grade b);

/// Where figures come from.
struct Source {
  Grade grade = Grade::estimated;
  std::string text;  ///< machine and command, reference, or method; one line for people
};

/// Today, as sources say it: "2026-11-21" (UTC).
[[nodiscard]] std::string today_text();

/// Whether the text is a day of the calendar, written so.
[[nodiscard]] bool is_date(std::string_view text);

/// Reads a "source" object (docs/formats.md); problems are collected in `input`.
[[nodiscard]] Source read_source(JsonInput input);

}  // namespace epochcast
