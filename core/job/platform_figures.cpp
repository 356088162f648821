// SPDX-License-Identifier: Apache-2.0
#include "core/job/platform_figures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/text/plausible.hpp"
#include "base/text/suggest.hpp"
#include "core/formats/interconnect.hpp"
#include "core/job/figure_tables.hpp"
#include "core/job/link_changes.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

constexpr double kMostSpeed = 1e4;

using Value = std::optional<double>;

/// A figure, with the function that sets it.
struct Settable {
  PlatformFigure figure;
  std::function<void(Platform&, const GivenFigure&)> set;
};

void add_node_figures(std::vector<Settable>& all,
                      const Platform& platform,
                      const std::string& workers) {
  std::vector<std::string> names = {""};  // all nodes
  for (const NodeGroup& group : platform.nodes) {
    if (std::find(names.begin(), names.end(), group.name) == names.end())
      names.push_back(group.name);
  }
  for (const std::string& name : names) {
    const auto is_meant = [name](const NodeGroup& group) {
      return name.empty() || group.name == name;
    };
    for (const NodeFigure& figure : node_figures()) {
      // The number of nodes is set for one kind at a time.
      if (name.empty() && figure.name == "count" && platform.nodes.size() > 1) continue;
      std::vector<std::size_t> groups;
      Value first;
      for (std::size_t i = 0; i < platform.nodes.size(); ++i) {
        const Value value = figure.value(platform, platform.nodes[i], workers);
        if (!is_meant(platform.nodes[i]) || !value) continue;
        groups.push_back(i);
        if (!first) first = value;
      }
      if (!first) continue;
      all.push_back({{.name = "node." + (name.empty() ? "" : name + ".") + std::string(figure.name),
                      .kind = figure.kind,
                      .value = *first},
                     [groups, &figure](Platform& changed, const GivenFigure& given) {
                       change_links(changed, given, [&] {
                         for (const std::size_t i : groups)
                           figure.set(changed, changed.nodes[i], given);
                       });
                     }});
    }
  }
}

void add_device_figures(std::vector<Settable>& all, const Platform& platform) {
  std::vector<std::string> names;
  for (const auto member : {&DeviceGroup::device_class, &DeviceGroup::model}) {
    for (const NodeGroup& group : platform.nodes) {
      for (const DeviceGroup& device : group.devices) {
        if (std::find(names.begin(), names.end(), device.*member) == names.end())
          names.push_back(device.*member);
      }
    }
  }
  for (const std::string& name : names) {
    const auto each = [name](auto& nodes, const auto& use) {
      for (auto& group : nodes) {
        for (auto& device : group.devices) {
          if (device.device_class == name || device.model == name) use(device);
        }
      }
    };
    for (const DeviceFigure& figure : device_figures()) {
      Value first;
      each(platform.nodes, [&](const DeviceGroup& device) {
        if (!first) first = figure.value(device);
      });
      if (!first) continue;
      all.push_back({{.name = "device." + name + "." + std::string(figure.name),
                      .kind = figure.kind,
                      .value = *first},
                     [each, &figure](Platform& changed, const GivenFigure& given) {
                       each(changed.nodes,
                            [&](DeviceGroup& device) { figure.set(device, given.value); });
                     }});
    }
  }
}

std::vector<Settable> settables_of(const Platform& platform, const std::string& workers) {
  std::vector<Settable> all;
  if (!platform.simgrid_xml.empty()) return all;
  for (const NetworkFigure& figure : network_figures()) {
    if (const Value value = figure.value(platform))
      all.push_back(
          {{.name = "network." + std::string(figure.name), .kind = figure.kind, .value = *value},
           figure.set});
  }
  add_node_figures(all, platform, workers);
  add_device_figures(all, platform);
  return all;
}

/// A name's first part, the middle, and the last part: "node", "esb", "bandwidth".
struct Parts {
  std::string scope, middle, last;
};

Parts parts_of(std::string_view name) {
  const std::size_t first = name.find('.');
  const std::size_t last = name.rfind('.');
  return {.scope = std::string(name.substr(0, first)),
          .middle =
              first == last ? std::string() : std::string(name.substr(first + 1, last - first - 1)),
          .last = std::string(name.substr(last + 1))};
}

/// Throws for a name that may be a figure's, but is none of the platform's.
[[noreturn]] void fail_unknown(const Platform& platform,
                               const std::string& name,
                               const std::vector<Settable>& all) {
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const Settable& each : all) known.push_back(each.figure.name);
  const std::string where = "platform " + platform.name + " (" + platform.path + "): ";
  const bool is_of_nodes = name.starts_with("node.");
  if (is_of_nodes && parts_of(name).last == "count" && platform.nodes.size() > 1)
    throw UserError(where + "has several kinds of nodes; expected " + "node." +
                    platform.nodes.front().name + ".count or that of another kind");
  if (is_of_nodes && parts_of(name).last == "devices")
    throw UserError(where +
                    "has no nodes, or none of that name, with just one kind of device that "
                    "trains; expected such as device." +
                    platform.nodes.front().devices.front().model + ".count");
  throw UserError(where + unknown_name("figure", name, known));
}

}  // namespace

bool is_figure(std::string_view name) { return name.find('.') != std::string_view::npos; }

std::vector<std::string> general_figures() {
  std::vector<std::string> names;
  for (const NetworkFigure& figure : network_figures())
    names.push_back("network." + std::string(figure.name));
  for (const NodeFigure& figure : node_figures())
    names.push_back("node." + std::string(figure.name));
  return names;
}

FigureKind kind_of_figure(std::string_view name) {
  const Parts parts = parts_of(name);
  std::vector<std::string> known;
  std::optional<FigureKind> found;
  const auto look = [&](const char* scope, const auto& figures, bool has_middle, bool may_have) {
    const bool fits = has_middle ? !parts.middle.empty() : may_have || parts.middle.empty();
    const std::string middle = has_middle ? (parts.middle.empty() ? "NAME" : parts.middle)
                               : may_have ? parts.middle
                                          : std::string();
    for (const auto& figure : figures) {
      if (fits && parts.scope == scope && parts.last == figure.name) found = figure.kind;
      known.push_back(std::string(scope) + "." + (middle.empty() ? "" : middle + ".") +
                      std::string(figure.name));
    }
  };
  look("network", network_figures(), false, false);
  look("node", node_figures(), false, true);
  look("device", device_figures(), true, true);
  if (!found) throw UserError(unknown_name("figure of a platform", name, known));
  return *found;
}

Commands commands_of_figure(std::string_view name) {
  switch (kind_of_figure(name)) {
    case FigureKind::link_bandwidth:
    case FigureKind::link_latency:
    case FigureKind::adding:
      return kSimulated;
    case FigureKind::memory:
    case FigureKind::count:
    case FigureKind::factor:
      break;
  }
  return kWithCosts;
}

double figure_value(FigureKind kind, const std::string& text) {
  const auto of_link = [&](Dimension dimension, bool may_be_zero) {
    const double value = parse_positive(text, dimension, may_be_zero);
    if (!is_plausible_of_link(dimension, value)) fail(text, plausible_text_of_link(dimension));
    return value;
  };
  switch (kind) {
    case FigureKind::link_bandwidth:
    case FigureKind::adding:
      return of_link(Dimension::bytes_per_s, false);
    case FigureKind::link_latency:
      return of_link(Dimension::seconds, true);
    case FigureKind::memory:
      return parse_positive(text, Dimension::bytes);
    case FigureKind::count:
      return parse_small_count(text, 1);
    case FigureKind::factor:
      return parse_number(
          text, 1 / kMostSpeed, kMostSpeed, "a factor from 0.0001 to 10000, such as 2");
  }
  return 0;
}

std::string figure_text(FigureKind kind, double value) {
  switch (kind) {
    case FigureKind::link_bandwidth:
    case FigureKind::adding:
      return quantity_text(value, Dimension::bytes_per_s);
    case FigureKind::link_latency:
      return quantity_text(value, Dimension::seconds);
    case FigureKind::memory:
      return quantity_text(value, Dimension::bytes);
    case FigureKind::count:
      return std::to_string(std::llround(value));
    case FigureKind::factor:
      return shortest(value);
  }
  return {};
}

std::vector<PlatformFigure> figures_of(const Platform& platform, const std::string& workers) {
  std::vector<PlatformFigure> figures;
  for (const Settable& each : settables_of(platform, workers)) figures.push_back(each.figure);
  return figures;
}

void apply_figures(Platform& platform, const JobConfig& config) {
  const auto& given = config.platform_figures;
  if (given.empty()) return;
  if (!platform.simgrid_xml.empty())
    throw UserError(
        given.begin()->first + ": " + platform.path +
        " is a SimGrid file, whose figures are unknown; describe the cluster as JSON to "
        "set them");
  const std::vector<Settable> all = settables_of(platform, config.workers);
  for (const auto& [name, text] : given) {
    if (std::none_of(all.begin(), all.end(), [&, &known = name](const Settable& each) {
          return each.figure.name == known;
        }))
      fail_unknown(platform, name, all);
    if (!config.exchange_seconds.empty() && (commands_of_figure(name) & kWithCosts) != kWithCosts)
      throw UserError(name + ": changes nothing, as --exchange-seconds stands for the network");
  }
  for (const Settable& each : all) {
    const auto found = given.find(each.figure.name);
    if (found == given.end()) continue;
    each.set(platform,
             {.name = found->first,
              .value = figure_value(each.figure.kind, found->second),
              .workers = config.workers});
  }
  for (NodeGroup& group : platform.nodes) drop_missing_devices(group);
  std::string changed = platform.path;
  for (const auto& [name, text] : given) changed.append(", ").append(name).append("=").append(text);
  check_platform(platform, changed);
}

}  // namespace epochcast
