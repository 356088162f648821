// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/curves/learning_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "analysis/import/csv_rows.hpp"
#include "analysis/import/curves/tensorboard_events.hpp"
#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/text/plain_text.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr std::string_view kMlperf = ":::MLLOG";

/// Lines that are not empty.
void for_each_line(std::string_view text,
                   const std::function<void(std::string_view line, std::int64_t number)>& use) {
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++number;
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) use(line, number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool is_percent = rest != end && std::string_view(rest, end) == "%";
  if (error != std::errc() || (rest != end && !is_percent) || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::vector<LogRecord> csv_records(std::string_view text, const std::string& file) {
  std::vector<std::string> names;
  std::vector<LogRecord> records;
  for_each_csv_row(text, file, [&](const std::vector<std::string>& fields, std::int64_t) {
    if (names.empty()) {
      names = fields;
      return;
    }
    LogRecord record;
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) {
      if (const auto number = number_in(fields[i])) record[names[i]] = *number;
    }
    records.push_back(std::move(record));
  });
  return records;
}

/// Numbers of an object, those of objects in it as "outer/inner".
void add_numbers(LogRecord& record, const nlohmann::json& object, const std::string& before) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) record[before + name] = value.get<double>();
    if (value.is_object()) add_numbers(record, value, before + name + "/");
  }
}

std::vector<LogRecord> json_records(std::string_view text, const std::string& file) {
  std::vector<LogRecord> records;
  for_each_line(text, [&](std::string_view line, std::int64_t number) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object())
      throw UserError(file + ": line " + std::to_string(number) + " is no JSON object");
    add_numbers(records.emplace_back(), json, "");
  });
  return records;
}

/// Each line has one number, "value", named by "key"; its place is in "metadata".
std::vector<LogRecord> mlperf_records(std::string_view text, const std::string& file) {
  std::vector<LogRecord> records;
  for_each_line(text, [&](std::string_view line, std::int64_t number) {
    const std::size_t begin = line.find(kMlperf);
    if (begin == std::string_view::npos) return;
    const nlohmann::json json =
        nlohmann::json::parse(line.substr(begin + kMlperf.size()), nullptr, false);
    if (!json.is_object())
      throw UserError(file + ": line " + std::to_string(number) + ": expected JSON after " +
                      std::string(kMlperf));
    const nlohmann::json value = json.value("value", nlohmann::json());
    if (!value.is_number() || !json.contains("key") || !json["key"].is_string()) return;
    LogRecord record = {{json["key"].get<std::string>(), value.get<double>()}};
    if (const auto place = json.find("metadata"); place != json.end() && place->is_object())
      add_numbers(record, *place, "");
    records.push_back(std::move(record));
  });
  return records;
}

/// A name in lower case, its words joined by "_".
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    plain += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return plain;
}

template <typename Meaning>
struct UsualName {
  std::string_view word;
  Meaning meaning;
};

// The first that occurs is meant.
constexpr std::array<UsualName<LogProgress>, 8> kProgressWords = {
    {{"samples_count", LogProgress::samples},
     {"samples", LogProgress::samples},
     {"examples", LogProgress::samples},
     {"epoch_num", LogProgress::epochs},
     {"epoch", LogProgress::epochs},
     {"global_step", LogProgress::steps},
     {"iteration", LogProgress::steps},
     {"step", LogProgress::steps}}};
constexpr std::array<UsualName<LogResult>, 7> kResultWords = {
    {{"accuracy", LogResult::accuracy},
     {"acc", LogResult::accuracy},
     {"top1", LogResult::accuracy},
     {"top_1", LogResult::accuracy},
     {"perplexity", LogResult::perplexity},
     {"ppl", LogResult::perplexity},
     {"loss", LogResult::loss}}};
// Fields of what is trained on, and of five guesses instead of one.
constexpr std::array<std::string_view, 4> kNotTested = {"train", "top5", "top_5", "acc5"};

std::string listed(const std::set<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (++count > kMost) return text + ", ...";
    text += (text.empty() ? "" : ", ") + printable(name);
  }
  return text.empty() ? "no numbers" : text;
}

template <typename Meaning, std::size_t N>
std::optional<Meaning> meaning_of(const std::string& name,
                                  const std::array<UsualName<Meaning>, N>& words) {
  const std::string plain = "_" + plain_name(name) + "_";
  for (const UsualName<Meaning>& usual : words) {
    if (plain.find(usual.word) != std::string::npos) return usual.meaning;
  }
  return std::nullopt;
}

/// The field of `given` ("NAME" or "NAME=MEANING"), or the only one with a usual name.
template <typename Meaning, std::size_t N, std::size_t M>
LogField<Meaning> field_of(const std::set<std::string>& names,
                           const std::string& given,
                           const std::array<UsualName<Meaning>, N>& words,
                           const std::array<UsualName<Meaning>, M>& meanings,
                           const std::string& flag,
                           const std::string& file) {
  const std::string expected = flag + " NAME=" + std::string(meanings[0].word) + "|" +
                               std::string(meanings[1].word) + "|" + std::string(meanings[2].word);
  if (!given.empty()) {
    const std::size_t equals = given.rfind('=');
    const std::string name = given.substr(0, equals);
    if (!names.contains(name))
      throw UserError(flag + ": " + file + " has no \"" + name + "\"; it has " + listed(names));
    if (equals == std::string::npos) {
      if (const auto usual = meaning_of(name, words)) return {name, *usual};
    } else {
      for (const UsualName<Meaning>& one : meanings) {
        if (given.substr(equals + 1) == one.word) return {name, one.meaning};
      }
    }
    throw UserError(flag + ": got \"" + given + "\"; expected " + expected);
  }
  // Names are searched word by word: the first word that any has decides.
  for (const UsualName<Meaning>& usual : words) {
    std::vector<std::string> found;
    for (const std::string& name : names) {
      const std::string plain = plain_name(name);
      const bool is_other = std::ranges::any_of(
          kNotTested, [&](std::string_view word) { return plain.find(word) != std::string::npos; });
      if (!is_other && plain.find(usual.word) != std::string::npos) found.push_back(name);
    }
    if (found.size() == 1) return {found.front(), usual.meaning};
    if (found.size() > 1)
      throw UserError(file + ": " + listed({found.begin(), found.end()}) +
                      " may be meant; choose one by " + expected);
  }
  throw UserError(file + ": found " + listed(names) + "; expected " + expected);
}

constexpr std::array<UsualName<LogProgress>, 3> kProgressNames = {
    {{"samples", LogProgress::samples},
     {"epochs", LogProgress::epochs},
     {"steps", LogProgress::steps}}};
constexpr std::array<UsualName<LogResult>, 3> kResultNames = {
    {{"accuracy", LogResult::accuracy},
     {"loss", LogResult::loss},
     {"perplexity", LogResult::perplexity}}};

double unit_of(LogProgress progress, const LogUnits& units) {
  if (progress == LogProgress::epochs) return units.epoch;
  if (progress == LogProgress::steps) return units.step;
  return 1;
}

MeasuredTest test_of(double samples, LogResult meaning, double value) {
  MeasuredTest test = {.samples = samples};
  if (meaning == LogResult::accuracy) test.accuracy = value;
  if (meaning == LogResult::loss) test.loss = value;
  if (meaning == LogResult::perplexity) test.perplexity = value;
  return test;
}

}  // namespace

std::vector<LogRecord> read_learning_log(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, kSamplesFile);
  const std::string name = file.string();
  if (is_event_file(text)) return read_event_file(text, name);
  if (text.find(kMlperf) != std::string::npos) return mlperf_records(text, name);
  if (text.starts_with('{')) return json_records(text, name);
  return csv_records(text, name);
}

LoggedTests tests_in(const std::vector<LogRecord>& records,
                     const std::string& file,
                     const LogFields& fields,
                     const LogUnits& units) {
  std::set<std::string> names;
  for (const LogRecord& record : records) {
    for (const auto& [name, value] : record) names.insert(name);
  }
  LoggedTests logged = {
      .progress = field_of(names, fields.progress, kProgressWords, kProgressNames, "--x", file),
      .result = field_of(names, fields.result, kResultWords, kResultNames, "--y", file),
      .tests = {}};
  std::map<double, double> values;  // by progress
  for (const LogRecord& record : records) {
    const auto progress = record.find(logged.progress.name);
    const auto result = record.find(logged.result.name);
    if (progress != record.end() && result != record.end())
      values[progress->second] = result->second;
  }
  if (values.empty())
    throw UserError(file + ": no record has both " + logged.progress.name + " and " +
                    logged.result.name);
  if (values.begin()->first < 0)
    throw UserError(file + ": " + logged.progress.name + " is negative");
  double scale = 1;
  for (const auto& [progress, value] : values) {
    if (value < 0 || !std::isfinite(value))
      throw UserError(file + ": " + logged.result.name + " is negative or not finite");
    if (logged.result.meaning == LogResult::accuracy && value > 1) scale = 0.01;
    if (logged.result.meaning == LogResult::accuracy && value > 100)
      throw UserError(file + ": " + logged.result.name + " is above 100 %");
  }
  logged.counts_from_zero =
      logged.progress.meaning == LogProgress::epochs && values.begin()->first == 0;
  const double unit = unit_of(logged.progress.meaning, units);
  for (const auto& [progress, value] : values) {
    const double samples = (progress + (logged.counts_from_zero ? 1 : 0)) * unit;
    logged.tests.push_back(test_of(samples, logged.result.meaning, value * scale));
  }
  return logged;
}

}  // namespace epochcast
