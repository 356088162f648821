// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/compare/comparison.hpp"

namespace epochcast {
namespace {

/// Whether a key holds text about figures.
bool is_text_key(const std::string& key) {
  static const std::set<std::string> keys = {"schema", "name", "title", "source", "notes"};
  return keys.contains(key);
}

/// Collects the figures of a platform file by their paths: "nodes/0/price/rate".
void collect(const nlohmann::ordered_json& json,
             const std::string& place,
             std::vector<InputDifference>& figures,
             std::string InputDifference::*side) {
  if (json.is_structured()) {
    for (const auto& [key, member] : json.items()) {
      if (!json.is_object() || !is_text_key(key))
        collect(member, place.empty() ? key : place + "/" + key, figures, side);
    }
    return;
  }
  const std::string text = json.is_string() ? json.get<std::string>() : json.dump();
  for (InputDifference& figure : figures) {
    if (figure.name != place) continue;
    figure.*side = text;
    return;
  }
  figures.push_back({.name = place, .a = {}, .b = {}});
  figures.back().*side = text;
}

}  // namespace

std::vector<InputDifference> figure_differences(const Platform& a, const Platform& b) {
  std::vector<InputDifference> figures;
  collect(to_json(a), {}, figures, &InputDifference::a);
  collect(to_json(b), {}, figures, &InputDifference::b);
  std::erase_if(figures, [](const InputDifference& figure) { return figure.a == figure.b; });
  return figures;
}

}  // namespace epochcast
