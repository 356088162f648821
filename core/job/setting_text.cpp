// SPDX-License-Identifier: Apache-2.0
#include "core/job/setting_text.hpp"

#include <algorithm>
#include <charconv>

#include "base/json/json_input.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/plausible.hpp"

namespace epochcast {

void fail(const std::string& got, const std::string& expected) {
  throw UserError("got \"" + got + "\"; expected " + expected);
}

void check_plain_text(const std::string& text, const std::string& origin) {
  if (!is_plain_text(text))
    throw UserError(origin + ": got \"" + text + "\"; expected " + kExpectedPlainText);
}

std::string parse_text(const std::string& text, const std::string& expected) {
  if (text.empty()) fail(text, expected);
  return text;
}

std::vector<std::string> parse_list(const std::string& text, const std::string& expected) {
  std::vector<std::string> parts = split(text, ',');
  if (parts.empty() || std::find(parts.begin(), parts.end(), "") != parts.end())
    fail(text, expected);
  return parts;
}

std::int64_t parse_count(const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < low) {
    fail(text, "a whole number of at least " + std::to_string(low));
  }
  if (number > high) fail(text, "at most " + std::to_string(high));
  return number;
}

int parse_small_count(const std::string& text, int low, int high) {
  return static_cast<int>(parse_count(text, low, high));
}

double parse_positive(const std::string& text, Dimension dimension, bool allow_zero) {
  const auto number = parse_quantity(text, dimension);
  if (!number) fail(text, expected_text(dimension, text));
  if (*number < 0 || (*number == 0 && !allow_zero)) {
    fail(text, allow_zero ? "a value that is not negative" : "a value above zero");
  }
  return *number;
}

bool parse_switch(const std::string& text) {
  if (text == "on" || text == "true" || text == "yes") return true;
  if (text == "off" || text == "false" || text == "no") return false;
  fail(text, "on or off");
}

double parse_number(const std::string& text, double low, double high, const std::string& expected) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !(number >= low) ||
      !(number <= high)) {
    fail(text, expected);
  }
  return number;
}

double parse_share(const std::string& text, double most) {
  constexpr double kPercent = 100;
  const std::string expected =
      std::string("a share such as 5% or 0.05") + (most <= 1 ? ", at most 100%" : "");
  if (!text.ends_with('%')) return parse_number(text, 0, 1, expected);
  try {
    return parse_number(text.substr(0, text.size() - 1), 0, kPercent * most, expected) / kPercent;
  } catch (const UserError&) {
    fail(text, expected);  // the whole text, with its %
  }
}

std::string show_switch(bool value) { return value ? "on" : "off"; }

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size() && !text.empty()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace epochcast
