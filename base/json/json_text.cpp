// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_text.hpp"

#include <cstddef>

namespace epochcast {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kTextWidth = 120;

/// Numbers after numbers, as many on a line as fit.
std::string wrapped(const OrderedJson& list, const std::string& indent) {
  std::string text = "[\n";
  std::string line = indent;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string item = list[i].dump() + (i + 1 < list.size() ? "," : "");
    if (line.size() > indent.size() && line.size() + 1 + item.size() > kTextWidth) {
      text += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + item;
  }
  return text + line + "]";
}

/// One line, in the spacing of docs/formats.md.
std::string flat(const OrderedJson& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += OrderedJson(key).dump() + ": ";
    text += flat(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string pretty(const OrderedJson& value, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  const std::string inner(2 * depth + 2, ' ');
  std::string line = flat(value);
  const bool is_short = inner.size() + line.size() <= kTextWidth && depth > 0;
  if (!value.is_structured() || is_short) return line;
  if (value.is_array() && !value.empty() && value[0].is_number()) return wrapped(value, inner);
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += (text.empty() ? "\n" : ",\n") + inner;
    if (value.is_object()) text += OrderedJson(key).dump() + ": ";
    text += pretty(member, depth + 1);
  }
  return (value.is_object() ? "{" : "[") + text + "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string json_text(const OrderedJson& document) { return pretty(document, 0) + "\n"; }

}  // namespace epochcast
