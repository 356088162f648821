// SPDX-License-Identifier: Apache-2.0
#include "serve/about.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/pages/web_files.hpp"
#include "base/error.hpp"
#include "core/formats/platform.hpp"
#include "results/schema.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

/// A platform of the catalogue, or of a file that the user has given. Errors are reported when it
/// is chosen.
Json platform_of(const Catalog& catalog, const std::string& name) {
  Json entry = {{"name", name}};
  try {
    const Platform platform = platform_in(catalog.find("models/platforms", name, "platform"));
    entry["title"] = platform.title;
    entry["nodes"] = platform.node_count();
    entry["grade"] = to_string(platform.grade());
    if (platform.network) {
      entry["bandwidth_bytes_per_s"] = platform.network->link.bytes_per_s;
      entry["latency_s"] = platform.network->link.latency_s;
    }
  } catch (const UserError& error) {
    entry["problem"] = error.what();
  }
  return entry;
}

std::vector<std::string> names_of(const Catalog& catalog,
                                  const std::string& kind,
                                  const std::vector<SettingText>& given) {
  std::vector<std::string> names = catalog.names("models/" + kind + "s");
  for (const SettingText& setting : given) {
    const bool is_new = std::find(names.begin(), names.end(), setting.value) == names.end();
    if (setting.name == kind && is_new) names.push_back(setting.value);
  }
  return names;
}

Json strategies_json() {
  Json all = Json::array();
  for (const Strategy& strategy : strategies()) {
    Json own = Json::array();
    for (const StrategySetting* setting : strategy.settings) own.push_back(setting->name);
    all.push_back({{"name", strategy.name},
                   {"summary", strategy.summary},
                   {"source", strategy.source},
                   {"settings", std::move(own)}});
  }
  return all;
}

Json settings_json() {
  Json all = Json::array();
  const JobConfig usual;
  for (const Setting& setting : all_settings().of(Command::simulate)) {
    all.push_back({{"name", setting.name},
                   {"value", setting.value_name},
                   {"help", setting.help},
                   {"usual", setting.show(usual)}});
  }
  return all;
}

/// A line of Markdown without the addresses of its links.
std::string without_links(const std::string& line) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  return std::regex_replace(line, link, "$1");
}

/// The cells of a row of a Markdown table.
std::vector<std::string> cells_of(const std::string& row) {
  static const std::regex cell(R"(\|\s*([^|]*[^|\s]|)\s*(?=\|))");
  std::vector<std::string> cells;
  for (std::sregex_iterator found(row.begin(), row.end(), cell), end; found != end; ++found)
    cells.push_back((*found)[1]);
  return cells;
}

/// "Same cluster, 60 drawn rows: median 2 %, worst 10 %"
std::string row_text(const std::string& tier,
                     const std::vector<std::string>& head,
                     const std::vector<std::string>& cells) {
  std::string text = tier + ", " + cells.front();
  for (std::size_t i = 1; i < std::min(head.size(), cells.size()); ++i) {
    if (cells[i].empty()) continue;
    text += (i == 1 ? ": " : ", ") + head[i] + " " + cells[i];
  }
  return text;
}

/// The generated tables of docs/fidelity.md row by row, and the last paragraph before its first
/// section.
Json fidelity() {
  static const std::regex begin("<!-- generated: (.+) -->");
  Json lines = Json::array();
  std::string paragraph;
  std::string tier;  // of the table that is read
  std::vector<std::string> head;
  bool is_introduction = true;
  bool is_new_paragraph = true;
  std::istringstream text{std::string(web_file("fidelity.md"))};
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (line.starts_with("## ")) {
      is_introduction = false;
    } else if (is_introduction && !line.empty()) {
      paragraph = is_new_paragraph ? line : paragraph + " " + line;
    } else if (std::regex_match(line, found, begin)) {
      tier = found[1];
      tier.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(tier.front())));
      head.clear();
    } else if (line == "<!-- end -->") {
      tier.clear();
    } else if (!tier.empty() && line.starts_with("| ")) {
      const std::vector<std::string> cells = cells_of(without_links(line));
      if (head.empty())
        head = cells;
      else
        lines.push_back(row_text(tier, head, cells));
    }
    is_new_paragraph = line.empty();
  }
  lines.push_back(without_links(paragraph));
  return lines;
}

}  // namespace

Json about(const Catalog& catalog, const std::vector<SettingText>& given) {
  Json start = Json::object();
  for (const SettingText& setting : given) start[setting.name] = setting.value;
  Json platforms = Json::array();
  for (const std::string& name : names_of(catalog, "platform", given))
    platforms.push_back(platform_of(catalog, name));
  return {{"program", program_version()},
          {"platforms", std::move(platforms)},
          {"networks", names_of(catalog, "network", given)},
          {"datasets", names_of(catalog, "dataset", given)},
          {"strategies", strategies_json()},
          {"settings", settings_json()},
          {"start", std::move(start)},
          {"fidelity", fidelity()}};
}

}  // namespace epochcast
