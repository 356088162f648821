// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_input.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/plain_text.hpp"
#include "base/text/plausible.hpp"
#include "base/text/suggest.hpp"

namespace epochcast {
namespace {

const nlohmann::json kNull;
constexpr double kMostSeconds = 1e9;  // as for quantities: units.cpp

}  // namespace

JsonInput::JsonInput(const nlohmann::json& value, std::string path, Problems& problems)
    : value_(&value), path_(std::move(path)), problems_(&problems) {}

bool JsonInput::has(std::string_view key) const {
  return value_->is_object() && value_->find(key) != value_->end();
}

JsonInput JsonInput::at(const std::string& key) {
  if (auto member = maybe(key)) return *member;
  if (value_->is_object()) problems_->add(path_ + "/" + path_step(key), "missing");
  JsonInput absent(kNull, path_ + "/" + path_step(key), *problems_);
  absent.silent_ = true;
  return absent;
}

std::optional<JsonInput> JsonInput::maybe(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  if (!value_->is_object()) return std::nullopt;
  const auto member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  return JsonInput(*member, path_ + "/" + path_step(key), *problems_);
}

std::vector<JsonInput> JsonInput::elements(std::size_t at_least) const {
  std::vector<JsonInput> all;
  if (!value_->is_array() || value_->size() < at_least) {
    fail(at_least > 0 ? "a list that is not empty" : "a list");
    return all;
  }
  for (std::size_t i = 0; i < value_->size(); ++i) {
    all.emplace_back((*value_)[i], path_ + "/" + std::to_string(i), *problems_);
  }
  return all;
}

std::vector<JsonInput> JsonInput::members() const {
  std::vector<JsonInput> all;
  if (!value_->is_object()) {
    fail("an object");
    return all;
  }
  for (const auto& [key, member] : value_->items()) {
    all.emplace_back(member, path_ + "/" + path_step(key), *problems_);
  }
  return all;
}

std::string JsonInput::string() const {
  if (!value_->is_string() || value_->get_ref<const std::string&>().empty()) {
    fail("a text");
    return {};
  }
  const auto& text = value_->get_ref<const std::string&>();
  if (!is_plain_text(text)) fail(std::string("a text in ") + kExpectedPlainText);
  return text;
}

std::string JsonInput::identifier() const {
  if (value_->is_string() && is_name(value_->get_ref<const std::string&>()))
    return value_->get<std::string>();
  fail(kExpectedName);
  return {};
}

bool JsonInput::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  fail("true or false");
  return false;
}

std::int64_t JsonInput::integer(std::int64_t low, std::int64_t high) const {
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(kMaxCount)) {
    const auto number = value_->get<std::int64_t>();
    if (number >= low && number <= high) return number;
  } else if (value_->is_number_integer() && !value_->is_number_unsigned()) {
    const auto number = value_->get<std::int64_t>();
    if (number >= low && number <= high) return number;
  }
  fail(high == kMaxCount
           ? "a whole number of at least " + std::to_string(low)
           : "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return low;
}

double JsonInput::quantity(Dimension dimension, bool allow_zero) const {
  if (value_->is_string()) {
    if (const auto number = parse_quantity(value_->get_ref<const std::string&>(), dimension)) {
      if (*number > 0 || (allow_zero && *number == 0)) return *number;
      fail(allow_zero ? "a value that is not negative" : "a value above zero");
      return 1;
    }
  }
  fail(value_->is_string() ? expected_text(dimension, value_->get_ref<const std::string&>())
                           : expected_text(dimension));
  return 1;
}

std::vector<double> JsonInput::samples() const {
  std::vector<double> all;
  if (!value_->is_array() || value_->empty()) {
    fail("a list of seconds");
    return all;
  }
  all.reserve(value_->size());  // millions: without a path for each
  for (const nlohmann::json& number : *value_) {
    const double seconds = number.is_number() ? number.get<double>() : -1;
    const bool is_good = seconds >= 0 && seconds <= kMostSeconds;
    if (!is_good) {
      problems_->expected(
          path_ + "/" + std::to_string(all.size()), number, "seconds, not negative");
    }
    all.push_back(is_good ? seconds : 0);
  }
  return all;
}

bool JsonInput::is_absent() const { return silent_ && value_->is_null(); }

void JsonInput::fail(const std::string& expected) const {
  if (!is_absent()) problems_->expected(path_, *value_, expected);
}

void JsonInput::problem(const std::string& text) const {
  if (!is_absent()) problems_->add(path_, text);
}

void JsonInput::finish() const {
  if (is_absent()) return;
  if (!value_->is_object()) {
    fail("an object");
    return;
  }
  for (const auto& [key, member] : value_->items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      problems_->add(path_ + "/" + path_step(key), unknown_name("key", key, known_));
    }
  }
}

std::string JsonInput::name() const {
  std::string text;
  for (std::size_t i = path_.find_last_of('/') + 1; i < path_.size(); ++i) {
    if (path_[i] != '~') {
      text += path_[i];
    } else {
      text += path_[++i] == '1' ? '/' : '~';  // see path_step()
    }
  }
  return text;
}

JsonInput open_document(const nlohmann::json& document,
                        std::string_view schema,
                        Problems& problems) {
  JsonInput top(document, "", problems);
  if (!document.is_object()) {
    top.fail("an object with \"schema\": \"" + std::string(schema) + "\"");
    problems.throw_if_any();
  }
  if (!document.contains("schema")) {
    problems.add("/schema", "missing; expected \"" + std::string(schema) + "\"");
    problems.throw_if_any();
  }
  const JsonInput found = top.at("schema");
  if (!found.value().is_string() || found.value().get_ref<const std::string&>() != schema) {
    found.fail("\"" + std::string(schema) + "\"");
    problems.throw_if_any();
  }
  return top;
}

}  // namespace epochcast
