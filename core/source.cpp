// SPDX-License-Identifier: Apache-2.0
#include "core/source.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

namespace epochcast {

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::measured:
      return "measured";
    case Grade::published:
      return "published";
    case Grade::estimated:
      return "estimated";
  }
  return "?";
}

std::string today_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

Grade lowest(Grade a, Grade b) { return std::max(a, b); }

Source read_source(JsonInput input) {
  Source source;
  JsonInput grade = input.at("grade");
  const auto note = input.maybe("note");
  if (grade.value() == "measured") {
    source.grade = Grade::measured;
    source.text = input.at("machine").string();
    source.text += ", " + input.at("date").string();
    static_cast<void>(input.at("command").string());
    for (const JsonInput& version : input.at("versions").members()) {
      static_cast<void>(version.string());
    }
  } else if (grade.value() == "published") {
    source.grade = Grade::published;
    source.text = input.at("reference").string();
    static_cast<void>(input.maybe("method"));  // how a published figure was converted
  } else if (grade.value() == "estimated") {
    source.text = input.at("method").string();
    static_cast<void>(input.maybe("reference"));
  } else {
    grade.fail("\"measured\", \"published\" or \"estimated\"");
  }
  if (note) static_cast<void>(note->string());
  if (!grade.value().is_null() || !input.value().is_object()) input.finish();
  return source;
}

}  // namespace epochcast
