// SPDX-License-Identifier: Apache-2.0
#include "serve/about.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "analysis/pages/web_files.hpp"
#include "core/error.hpp"
#include "core/formats/platform.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

/// One of the catalogue, or a file that the user has given. What cannot be read is told when it is
/// chosen.
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
  for (const Setting& setting : settings_of(Command::simulate)) {
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

/// The rows of the first table of docs/fidelity.md as "FORECAST. Compared with OTHER: ERROR", and
/// the paragraph below it, which says what was never measured.
Json fidelity() {
  static const std::regex row(R"(\| (.+) \| (.+) \| (.+) \|)");
  Json lines = Json::array();
  std::istringstream text{std::string(web_file("fidelity.md"))};
  bool is_below = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) break;
    line = without_links(line);
    std::smatch cells;
    if (std::regex_match(line, cells, row)) {
      if (cells[3] != "error")
        lines.push_back(cells[1].str() + ". Compared with " + cells[2].str() + ": " +
                        cells[3].str());
      is_below = true;
    } else if (is_below && !line.empty() && !line.starts_with("|")) {
      lines.push_back(line);
      break;
    }
  }
  return lines;
}

}  // namespace

Json about(const Catalog& catalog, const std::vector<SettingText>& given) {
  Json start = Json::object();
  for (const SettingText& setting : given) start[setting.name] = setting.value;
  Json platforms = Json::array();
  for (const std::string& name : names_of(catalog, "platform", given))
    platforms.push_back(platform_of(catalog, name));
  return {{"program", "epochcast " EPOCHCAST_VERSION},
          {"platforms", std::move(platforms)},
          {"networks", names_of(catalog, "network", given)},
          {"datasets", names_of(catalog, "dataset", given)},
          {"strategies", strategies_json()},
          {"settings", settings_json()},
          {"start", std::move(start)},
          {"fidelity", fidelity()}};
}

}  // namespace epochcast
