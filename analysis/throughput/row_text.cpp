// SPDX-License-Identifier: Apache-2.0
#include "analysis/throughput/row_text.hpp"

#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

constexpr int kMost = 1'000'000;

std::string_view trimmed_text(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<int> count_from(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kMost)
    return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const std::string& option,
                         std::string_view text,
                         const std::string& expected) {
  throw UserError(option + ": got \"" + std::string(text) + "\"; expected " + expected);
}

constexpr const char* kExpectedRow = "counts such as \"nodes=2,devices=4,batch=64,accumulation=1\"";

/// The values of each key; a value without a key belongs to the key before it.
std::map<std::string, std::vector<int>> lists_from(std::string_view text,
                                                   const std::string& option) {
  std::map<std::string, std::vector<int>> lists;
  std::string key;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::string_view part = trimmed_text(rest.substr(0, comma));
    if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
      key = std::string(trimmed_text(part.substr(0, equals)));
      part = trimmed_text(part.substr(equals + 1));
      const bool is_known =
          key == "nodes" || key == "devices" || key == "batch" || key == "accumulation";
      if (!is_known || lists.count(key) > 0) refuse(option, text, kExpectedRow);
    }
    const std::optional<int> value = count_from(part);
    if (key.empty() || !value) refuse(option, text, kExpectedRow);
    lists[key].push_back(*value);
    if (comma == std::string_view::npos) return lists;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace

std::vector<TrainingRow> parse_rows_text(std::string_view text,
                                         const TrainingRow& usual,
                                         const std::string& option) {
  auto lists = lists_from(text, option);
  const auto values = [&](const char* key, int otherwise) {
    return lists.count(key) > 0 ? lists[key] : std::vector<int>{otherwise};
  };
  std::vector<TrainingRow> rows;
  for (const int nodes : values("nodes", usual.nodes)) {
    for (const int devices : values("devices", usual.devices / usual.nodes)) {
      for (const int batch : values("batch", static_cast<int>(usual.batch))) {
        for (const int accumulation : values("accumulation", usual.accumulation)) {
          rows.push_back({.nodes = nodes,
                          .devices = nodes * devices,
                          .batch = static_cast<double>(batch),
                          .accumulation = accumulation});
        }
      }
    }
  }
  return rows;
}

MeasuredRow parse_measured_row(std::string_view text,
                               const TrainingRow& usual,
                               const std::string& option) {
  const char* const expected =
      "a configuration and what was measured, such as \"nodes=1,devices=4: 926/s\" or \"...: "
      "276ms\"";
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(option, text, expected);
  const std::vector<TrainingRow> rows = parse_rows_text(text.substr(0, colon), usual, option);
  if (rows.size() != 1) refuse(option, text, expected);
  MeasuredRow measured = {.row = rows.front()};
  const std::string_view value = trimmed_text(text.substr(colon + 1));
  if (value.ends_with("/s")) {
    // "253/s", "253 samples/s", "253 img/s"
    std::string_view number = value.substr(0, value.size() - 2);
    while (!number.empty() && std::isalpha(static_cast<unsigned char>(number.back())) != 0)
      number.remove_suffix(1);
    number = trimmed_text(number);
    double rate = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rate);
    if (error != std::errc() || end != number.data() + number.size() || !(rate > 0) || rate > 1e15)
      refuse(option, text, expected);
    measured.step_s = measured.row.batch * measured.row.accumulation * measured.row.devices / rate;
  } else {
    const std::optional<double> seconds = parse_quantity(value, Dimension::seconds);
    if (!seconds || !(*seconds > 0)) refuse(option, text, expected);
    measured.step_s = *seconds;
  }
  return measured;
}

}  // namespace epochcast
