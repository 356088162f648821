// SPDX-License-Identifier: Apache-2.0
#include "base/json/problems.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace epochcast {
namespace {

/// A value as an error message shows it: short, and valid UTF-8 whatever the input was.
std::string shown(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) {
    std::size_t end = 57;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // inside a character
    text = text.substr(0, end) + "...";
  }
  return text;
}

}  // namespace

std::string path_step(const std::string& key) {
  std::string text;
  for (const char c : key) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

void Problems::expected(const std::string& path,
                        const nlohmann::json& value,
                        const std::string& expected) {
  add(path, "got " + shown(value) + "; expected " + expected);
}

void Problems::add(const std::string& path, const std::string& text) {
  constexpr std::size_t kMostProblems = 100;  // more are not useful to a reader
  problems_.push_back(file_ + ": " + (path.empty() ? "/" : path) + ": " + text);
  if (problems_.size() >= kMostProblems) throw_if_any();
}

void Problems::throw_if_any() const {
  if (!problems_.empty()) throw UserError(problems_);
}

}  // namespace epochcast
