// SPDX-License-Identifier: Apache-2.0
#include "core/source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

namespace epochcast {

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::measured:
      return "measured";
    case Grade::published:
      return "published";
    case Grade::extrapolated:
      return "extrapolated";
    case Grade::estimated:
      return "estimated";
  }
  return "?";
}

Grade grade_from(std::string_view text) {
  for (const Grade grade : {Grade::measured, Grade::published, Grade::extrapolated}) {
    if (text == to_string(grade)) return grade;
  }
  return Grade::estimated;
}

std::string today_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  const bool is_shaped =
      text.size() == kShape.size() &&
      std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) {
        return shape == '-' ? c == '-' : c >= '0' && c <= '9';
      });
  if (!is_shaped) return false;
  const auto number = [text](std::size_t begin, std::size_t size) {
    unsigned int value = 0;
    std::from_chars(text.data() + begin, text.data() + begin + size, value);
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(number(0, 4))),
                                     std::chrono::month(number(5, 2)),
                                     std::chrono::day(number(8, 2)))
      .ok();
}

Grade lowest(Grade a, Grade b) { return std::max(a, b); }

nlohmann::ordered_json to_json(const Source& source) {
  nlohmann::ordered_json json = {{"grade", to_string(source.grade)}};
  const auto put = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  switch (source.grade) {
    case Grade::measured:
      json["machine"] = source.machine;
      json["date"] = source.date;
      json["command"] = source.command;
      json["versions"] = source.versions;
      break;
    case Grade::published:
      json["reference"] = source.reference;
      put("method", source.method);
      break;
    case Grade::extrapolated:
    case Grade::estimated:
      json["method"] = source.method;
      put("reference", source.reference);
      break;
  }
  put("note", source.note);
  return json;
}

Source read_source(JsonInput input) {
  Source source;
  JsonInput grade = input.at("grade");
  const auto note = input.maybe("note");
  bool is_known = true;
  if (grade.value() == "measured") {
    source.grade = Grade::measured;
    source.machine = input.at("machine").string();
    const JsonInput date = input.at("date");
    if (!date.value().is_string() || !is_date(date.value().get_ref<const std::string&>()))
      date.fail("a day such as \"2026-11-21\"");
    else
      source.date = date.string();
    source.command = input.at("command").string();
    for (const JsonInput& version : input.at("versions").members()) {
      source.versions[version.name()] = version.string();
    }
  } else if (grade.value() == "published") {
    source.grade = Grade::published;
    source.reference = input.at("reference").string();
    if (const auto method = input.maybe("method")) source.method = method->string();
  } else if (grade.value() == "estimated") {
    source.method = input.at("method").string();
    if (const auto reference = input.maybe("reference")) source.reference = reference->string();
  } else {
    grade.fail("\"measured\", \"published\" or \"estimated\"");
    is_known = false;  // the keys of an unknown grade are not checked
  }
  if (note) source.note = note->string();
  if (is_known || !input.value().is_object()) input.finish();
  return source;
}

}  // namespace epochcast
