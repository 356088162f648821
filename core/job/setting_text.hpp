// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"

// Parsers and writers of settings. All parsers throw a UserError that begins with the text.

namespace epochcast {

/// The largest count of a job, and the largest number of machines, processes or threads.
inline constexpr std::int64_t kMostCount = 1'000'000'000'000;
inline constexpr int kMostSmallCount = 1'000'000;

[[noreturn]] void fail(const std::string& got, const std::string& expected);

/// Throws a UserError that begins with `origin`, an option or a place in a file, if `text` is not
/// plain (see is_plain_text()).
void check_plain_text(const std::string& text, const std::string& origin);

/// A text that is not empty.
[[nodiscard]] std::string parse_text(const std::string& text, const std::string& expected);
/// Parts separated by commas, none of them empty.
[[nodiscard]] std::vector<std::string> parse_list(const std::string& text,
                                                  const std::string& expected);
[[nodiscard]] std::int64_t parse_count(const std::string& text,
                                       std::int64_t low,
                                       std::int64_t high = kMostCount);
[[nodiscard]] int parse_small_count(const std::string& text, int low, int high = kMostSmallCount);
/// A quantity with unit, above zero (or zero, when allowed).
[[nodiscard]] double parse_positive(const std::string& text,
                                    Dimension dimension,
                                    bool allow_zero = false);
/// A plain number in [low, high].
[[nodiscard]] double parse_number(const std::string& text,
                                  double low,
                                  double high,
                                  const std::string& expected);
/// A share in [0, most]: "5%" or "0.05". Values above 1 need "%": a bare 5 is ambiguous.
[[nodiscard]] double parse_share(const std::string& text, double most = 1e9);
/// "on", "true", "yes" or "off", "false", "no".
[[nodiscard]] bool parse_switch(const std::string& text);
[[nodiscard]] std::string show_switch(bool value);

/// The values of an enumeration, by name.
template <typename Value, std::size_t N>
using Names = std::array<std::pair<std::string_view, Value>, N>;

template <typename Value, std::size_t N>
Value parse_name(const std::string& text, const Names<Value, N>& names) {
  std::string expected;
  for (const auto& [name, value] : names) {
    if (text == name) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  fail(text, "one of " + expected);
}

template <typename Value, std::size_t N>
std::string show_name(Value value, const Names<Value, N>& names) {
  for (const auto& [name, known] : names) {
    if (known == value) return std::string(name);
  }
  return {};
}

/// The shortest text that reads back as `value`.
[[nodiscard]] std::string shortest(double value);

/// Splits "a,b,c"; an empty text has no parts.
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
[[nodiscard]] std::string joined(const std::vector<std::string>& parts);

/// Calls use(key, value) for each part of "key=value,key=value"; a part without "=" has the key "".
/// A key may occur once only.
template <typename Use>
void for_each_assignment(const std::string& text, const std::string& example, Use use) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.empty()) fail(text, example);
  std::set<std::string> seen;
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    if (part.empty() || equals == 0) fail(text, example);
    const bool has_key = equals != std::string::npos;
    const std::string key = has_key ? part.substr(0, equals) : std::string();
    if (!seen.insert(key).second) fail(text, "each name once: " + example);
    use(key, has_key ? part.substr(equals + 1) : part);
  }
}

template <typename Map, typename Show>
std::string show_map(const Map& map, Show show) {
  std::string text;
  for (const auto& [key, value] : map) text += (text.empty() ? "" : ",") + key + "=" + show(value);
  return text;
}

}  // namespace epochcast
