// SPDX-License-Identifier: Apache-2.0
#include "core/json/json_input.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "core/files/text_file.hpp"
#include "core/plain_text.hpp"
#include "core/plausible.hpp"
#include "core/suggest.hpp"

namespace epochcast {
namespace {

const nlohmann::json kNull;
constexpr double kMostSeconds = 1e9;  // as for quantities: units.cpp

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

/// RFC 6901 escaping.
std::string escaped(const std::string& key) {
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

/// Follows a parser through a document and tells of keys that their object has already.
class KeyCheck {
 public:
  explicit KeyCheck(Problems& problems) : problems_(problems) {}

  void after(nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        open_.emplace_back(event == Event::array_start);
        return;
      case Event::key:
        meet(value.get_ref<const std::string&>());
        return;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        break;
      case Event::value:
        break;
    }
    if (!open_.empty()) ++open_.back().next;
  }

 private:
  /// A list or an object that is not complete.
  struct Open {
    explicit Open(bool list) : is_list(list) {}

    bool is_list;
    std::size_t next = 0;        ///< list: index of the element being parsed
    std::string key;             ///< object: of the member being parsed
    std::set<std::string> keys;  ///< object: those met
  };

  void meet(const std::string& key) {
    Open& object = open_.back();
    object.key = key;
    if (!object.keys.insert(key).second)
      problems_.add(path(), "is there twice; which of the two counts?");
  }

  /// Where the parser is.
  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Open& open : open_)
      path += "/" + (open.is_list ? std::to_string(open.next) : escaped(open.key));
    return path;
  }

  Problems& problems_;
  std::vector<Open> open_;
};

}  // namespace

void Problems::expected(const std::string& path,
                        const nlohmann::json& value,
                        const std::string& expected) {
  add(path, "got " + shown(value) + "; expected " + expected);
}

void Problems::add(const std::string& path, const std::string& text) {
  constexpr std::size_t kMostProblems = 100;  // nobody reads more of one file
  problems_.push_back(file_ + ": " + (path.empty() ? "/" : path) + ": " + text);
  if (problems_.size() >= kMostProblems) throw_if_any();
}

void Problems::throw_if_any() const {
  if (!problems_.empty()) throw UserError(problems_);
}

JsonInput::JsonInput(const nlohmann::json& value, std::string path, Problems& problems)
    : value_(&value), path_(std::move(path)), problems_(&problems) {}

bool JsonInput::has(std::string_view key) const {
  return value_->is_object() && value_->find(key) != value_->end();
}

JsonInput JsonInput::at(const std::string& key) {
  if (auto member = maybe(key)) return *member;
  if (value_->is_object()) problems_->add(path_ + "/" + escaped(key), "missing");
  JsonInput absent(kNull, path_ + "/" + escaped(key), *problems_);
  absent.silent_ = true;
  return absent;
}

std::optional<JsonInput> JsonInput::maybe(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  if (!value_->is_object()) return std::nullopt;
  const auto member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  return JsonInput(*member, path_ + "/" + escaped(key), *problems_);
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
    all.emplace_back(member, path_ + "/" + escaped(key), *problems_);
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
      problems_->add(path_ + "/" + escaped(key), unknown_name("key", key, known_));
    }
  }
}

std::string JsonInput::name() const {
  std::string text;
  for (std::size_t i = path_.find_last_of('/') + 1; i < path_.size(); ++i) {
    if (path_[i] != '~') {
      text += path_[i];
    } else {
      text += path_[++i] == '1' ? '/' : '~';  // see escaped()
    }
  }
  return text;
}

nlohmann::json read_json_file(const std::filesystem::path& file, const FileKind& kind) {
  return parse_json(read_text_file(file, kind), file.string());
}

nlohmann::json parse_json(std::string_view text, const std::string& name) {
  using Event = nlohmann::json::parse_event_t;
  constexpr int kDeepest =
      32;  // ours need 6; the recursive destructor of a deeper document could exhaust the stack
  bool too_deep = false;
  Problems problems(name);
  KeyCheck keys(problems);
  const auto filter = [&](int depth, Event event, nlohmann::json& value) {
    too_deep = too_deep || depth > kDeepest;
    if (!too_deep) keys.after(event, value);
    return !too_deep;
  };
  try {
    nlohmann::json document = nlohmann::json::parse(text, filter);
    if (too_deep) throw UserError(name + ": nested deeper than any Epochcast file");
    problems.throw_if_any();
    return document;
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    throw UserError(name + ":" + std::to_string(line) + ":" + std::to_string(at - line_start + 1) +
                    ": not valid JSON" +
                    (at >= text.size() ? " (the file ends too early)" : " at this place"));
  } catch (const nlohmann::json::out_of_range&) {  // the only range that parsing knows
    throw UserError(name + ": has a number that is too large to be represented");
  }
}

JsonInput open_document(const nlohmann::json& document,
                        std::string_view schema,
                        Problems& problems) {
  JsonInput top(document, "", problems);
  if (!document.is_object()) {
    top.fail("an object with \"schema\": \"" + std::string(schema) + "\"");
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
