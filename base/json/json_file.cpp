// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "base/json/problems.hpp"

namespace epochcast {
namespace {

/// Follows a parser through a document and reports duplicate keys.
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
    if (!object.keys.insert(key).second) problems_.add(path(), "duplicate key");
  }

  /// Where the parser is.
  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Open& open : open_)
      path += "/" + (open.is_list ? std::to_string(open.next) : path_step(open.key));
    return path;
  }

  Problems& problems_;
  std::vector<Open> open_;
};

}  // namespace

nlohmann::json read_json_file(const std::filesystem::path& file, const FileKind& kind) {
  return parse_json(read_text_file(file, kind), file.string());
}

nlohmann::json parse_json(std::string_view text, const std::string& name) {
  using Event = nlohmann::json::parse_event_t;
  constexpr int kDeepest = 32;  // our formats need 6; the recursive destructor of a deep document
                                // could exhaust the stack
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
  } catch (const nlohmann::json::out_of_range&) {  // thrown for numbers out of range only
    throw UserError(name + ": has a number that is too large to be represented");
  }
}

}  // namespace epochcast
