// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/iteration_table.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/import/csv_rows.hpp"
#include "base/error.hpp"
#include "base/json/json_input.hpp"
#include "base/text/suggest.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostRowProblems = 20;
constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;

/// The words of a column's name, in lower case: "Step time [ms]" has step, time and ms.
Words words_of(const std::string& name) {
  Words words = {""};
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Whether it is printable UTF-8.
bool is_text(const std::string& name) {
  if (std::ranges::any_of(name, [](unsigned char c) { return std::iscntrl(c) != 0; })) return false;
  try {
    static_cast<void>(nlohmann::json(name).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {  // not UTF-8
    return false;
  }
}

/// Seconds of a unit of time.
std::optional<double> unit_s(const std::string& unit) {
  static const std::map<std::string, double> kUnits = {{"s", 1},
                                                       {"sec", 1},
                                                       {"secs", 1},
                                                       {"second", 1},
                                                       {"seconds", 1},
                                                       {"ms", 1e-3},
                                                       {"msec", 1e-3},
                                                       {"millisecond", 1e-3},
                                                       {"us", 1e-6},
                                                       {"milliseconds", 1e-3},
                                                       {"usec", 1e-6},
                                                       {"microseconds", 1e-6},
                                                       {"ns", 1e-9},
                                                       {"nanoseconds", 1e-9}};
  const auto found = kUnits.find(unit);
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> unit_in(const std::string& name) {
  const Words words = words_of(name);
  return words.empty() ? std::nullopt : unit_s(words.back());
}

/// Whether a name denotes a time, and its unit: "iteration_time_ms".
bool is_time(const std::string& name) {
  const Words words = words_of(name);
  return unit_in(name) && std::ranges::any_of(words, [](const std::string& word) {
           return word == "time" || word == "duration" || word == "latency" || word == "elapsed";
         });
}

bool is_one_of(const std::string& name, const Words& known) {
  std::string joint;
  for (const std::string& word : words_of(name)) joint += word;
  return std::ranges::find(known, joint) != known.end();
}

template <typename Number>
std::optional<Number> parsed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return std::nullopt;
  const char* end = text.data() + text.find_last_not_of(' ') + 1;
  Number number = 0;
  const auto result = std::from_chars(text.data() + begin, end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

/// Makes a table of rows.
class TableReader {
 public:
  TableReader(std::string file, const TimeColumn& column)
      : file_(std::move(file)), asked_(column), problems_(file_) {}

  void add(const Words& fields, std::int64_t row) {
    if (row == 1)
      read_header(fields);
    else
      read_row(fields, row);
  }

  [[nodiscard]] IterationTable finish() {
    problems_.throw_if_any();
    if (table_.rows.empty())
      throw UserError(
          file_ + ": got no rows of iterations; expected a header row and one row per iteration");
    return std::move(table_);
  }

 private:
  void read_header(const Words& names);
  void read_row(const Words& fields, std::int64_t row);
  [[nodiscard]] std::size_t find_time(const Words& names) const;
  std::int64_t count(const Words& fields, std::size_t column, std::int64_t row, std::int64_t low);

  void problem(std::int64_t row,
               const std::string& column,
               const std::string& got,
               const std::string& expected) {
    problems_.expected("row " + std::to_string(row) + ": " + column, got, expected);
    if (problems_.size() >= kMostRowProblems) problems_.throw_if_any();
  }

  std::string file_;
  TimeColumn asked_;
  IterationTable table_;
  Words names_;
  std::size_t time_ = 0;
  double time_unit_s_ = 1;
  std::optional<std::size_t> batch_;
  std::optional<std::size_t> rank_;
  Problems problems_;
};

/// The first columns, for a message.
std::string shown(const Words& names) {
  constexpr std::size_t kMost = 8;
  if (names.size() <= kMost) return joined(names);
  return joined(Words(names.begin(), names.begin() + kMost)) + ",...";
}

std::size_t TableReader::find_time(const Words& names) const {
  if (!asked_.name.empty()) {
    const auto found = std::ranges::find(names, asked_.name);
    if (found == names.end())
      throw UserError(file_ + ": --time-column: " + unknown_name("column", asked_.name, names));
    return static_cast<std::size_t>(found - names.begin());
  }
  const auto count = std::ranges::count_if(names, is_time);
  if (count != 1) {
    throw UserError(file_ + ": row 1: got " + (count == 0 ? "no" : std::to_string(count)) +
                    " columns of times among " + shown(names) +
                    "; expected one such as iteration_time_ms, or --time-column NAME --time-unit "
                    "ms");
  }
  return static_cast<std::size_t>(std::ranges::find_if(names, is_time) - names.begin());
}

void TableReader::read_header(const Words& names) {
  constexpr std::size_t kLongestName = 100;
  for (const std::string& name : names) {
    if (name.size() > kLongestName || !is_text(name))
      throw UserError(file_ + ": row 1: is no header; expected names of columns");
  }
  names_ = names;
  time_ = find_time(names);
  table_.time_column = names[time_];
  const auto in_name = unit_in(names[time_]);
  const auto asked = asked_.unit.empty() ? in_name : unit_s(asked_.unit);
  if (!asked) {
    throw UserError(asked_.unit.empty()
                        ? file_ + ": --time-unit: missing; column " + names[time_] +
                              " does not name its unit"
                        : "--time-unit: got \"" + asked_.unit + "\"; expected s, ms, us or ns");
  }
  if (in_name && *in_name != *asked) {
    throw UserError(file_ + ": --time-unit: got \"" + asked_.unit + "\"; column " + names[time_] +
                    " has another unit");
  }
  time_unit_s_ = *asked;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_one_of(names[i], {"batch", "batchsize"})) batch_ = i;
    if (is_one_of(names[i], {"rank", "globalrank"})) rank_ = i;
  }
  table_.has_batch = batch_.has_value();
}

std::int64_t TableReader::count(const Words& fields,
                                std::size_t column,
                                std::int64_t row,
                                std::int64_t low) {
  const auto number = parsed<std::int64_t>(fields[column]);
  if (number && *number >= low && *number <= kLargestCount) return *number;
  problem(row, names_[column], fields[column], "a whole number of at least " + std::to_string(low));
  return low;
}

void TableReader::read_row(const Words& fields, std::int64_t row) {
  if (fields.size() != names_.size()) {
    problems_.add("row " + std::to_string(row),
                  "got " + std::to_string(fields.size()) + " fields; expected " +
                      std::to_string(names_.size()) + ", as the header has");
    if (problems_.size() >= kMostRowProblems) problems_.throw_if_any();
    return;
  }
  constexpr double kLongest_s = 1e9;
  IterationRow read;
  const auto time = parsed<double>(fields[time_]);
  read.seconds = time.value_or(0) * time_unit_s_;
  if (!std::isfinite(read.seconds) || read.seconds <= 0 || read.seconds > kLongest_s)
    problem(row, names_[time_], fields[time_], "a time above zero");
  if (batch_) read.batch = count(fields, *batch_, row, 1);
  if (rank_) read.rank = count(fields, *rank_, row, 0);
  table_.rows.push_back(read);
}

}  // namespace

IterationTable parse_iteration_table(std::string_view text,
                                     const std::string& file,
                                     const TimeColumn& column) {
  TableReader reader(file, column);
  for_each_csv_row(
      text, file, [&](const Words& fields, std::int64_t row) { reader.add(fields, row); });
  return reader.finish();
}

}  // namespace epochcast
