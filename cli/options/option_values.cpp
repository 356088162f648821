// SPDX-License-Identifier: Apache-2.0
#include "cli/options/option_values.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace epochcast {
namespace {

/// The number in `text`, which must have no other characters.
template <typename Number>
std::optional<Number> parsed(const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

bool OptionValues::has(const std::string& name) const { return values_.count(name) > 0; }

std::string OptionValues::text(const std::string& name) const {
  return has(name) ? values_[name].as<std::string>() : "";
}

std::vector<std::string> OptionValues::list(const std::string& name) const {
  std::vector<std::string> words;
  if (!has(name)) return words;
  for (const std::string& value : values_[name].as<std::vector<std::string>>()) {
    std::istringstream stream(value + ",");
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  }
  return words;
}

std::int64_t OptionValues::integer(const std::string& name, std::int64_t low, std::int64_t high) {
  return to_integer(name, text(name), low, high);
}

std::vector<std::int64_t> OptionValues::integers(const std::string& name,
                                                 std::int64_t low,
                                                 std::int64_t high) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : list(name)) numbers.push_back(to_integer(name, word, low, high));
  return numbers;
}

double OptionValues::positive(const std::string& name) {
  const std::string value = text(name);
  const auto number = parsed<double>(value);
  if (number && std::isfinite(*number) && *number > 0) return *number;
  expected(name, value, "a positive number");
  return 1;
}

std::filesystem::path OptionValues::file_to_write(const std::string& name) {
  std::filesystem::path file = text(name);
  if (file.filename().empty()) expected(name, file.string(), "the name of a file");
  return file;
}

void OptionValues::expected(const std::string& name,
                            const std::string& value,
                            const std::string& what) {
  add("--" + name + ": got \"" + value + "\"; expected " + what);
}

void OptionValues::missing(const std::string& name, const std::string& what) {
  add("--" + name + ": missing; expected " + what);
}

void OptionValues::add(const std::string& problem) { problems_.push_back(problem); }

std::int64_t OptionValues::to_integer(const std::string& name,
                                      const std::string& value,
                                      std::int64_t low,
                                      std::int64_t high) {
  const auto number = parsed<std::int64_t>(value);
  if (number && *number >= low && *number <= high) return *number;
  expected(name, value, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  return low;
}

}  // namespace epochcast
