// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/search_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "core/job/setting_text.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

constexpr double kStep = 1.01;  // between quantities

struct Scale {
  const char* unit;
  double size;
};
constexpr double kBits = 8;
constexpr std::array<Scale, 5> kBandwidths = {{{"bps", 1 / kBits},
                                               {"kbps", 1e3 / kBits},
                                               {"Mbps", 1e6 / kBits},
                                               {"Gbps", 1e9 / kBits},
                                               {"Tbps", 1e12 / kBits}}};
constexpr std::array<Scale, 4> kTimes = {{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
constexpr std::array<Scale, 5> kSizes = {
    {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
constexpr std::array<Scale, 4> kRates = {{{"Bps", 1}, {"kBps", 1e3}, {"MBps", 1e6}, {"GBps", 1e9}}};

/// Four significant digits and a unit.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
  const Scale* scale = &scales.front();
  for (const Scale& each : scales) {
    if (value >= each.size * (1 - 1e-9)) scale = &each;
  }
  return fmt::format("{:.4g}{}", value / scale->size, scale->unit);
}

/// An example of a setting's text of this kind.
std::string example_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::count:
      return "2";
    case FigureKind::memory:
      return "1MiB";
    case FigureKind::link_latency:
      return "1ms";
    case FigureKind::link_bandwidth:
    case FigureKind::adding:
      return "1GBps";
    case FigureKind::factor:
      return "0.5";
  }
  return {};
}

bool takes(const Setting& setting, const std::string& text) {
  try {
    JobConfig scratch;
    setting.set(scratch, text);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

struct Ends {
  double low = 1;
  double high = 1;
};

Ends usual_ends(const std::string& name, FigureKind kind, const Platform& platform) {
  if (name == "nodes") {
    if (!platform.simgrid_xml.empty())
      throw UserError("find nodes: unknown number of nodes in " + platform.path +
                      " has; say --between nodes=1..COUNT");
    return {1, static_cast<double>(platform.node_count())};
  }
  if (name == "batch") return {1, 65536};
  if (name == "loading-rate") return {1, 1e6};
  const bool is_of_nodes = name.starts_with("node.") && name.ends_with(".count");
  switch (kind) {
    case FigureKind::count:
      return {1, is_figure(name) && !is_of_nodes ? 64.0 : 1024.0};
    case FigureKind::link_bandwidth:
      return {100e6 / kBits, 10e12 / kBits};
    case FigureKind::link_latency:
      return {100e-9, 100e-3};
    case FigureKind::memory:
      return is_figure(name) ? Ends{1e9, 1e12} : Ends{64e3, 4e9};
    case FigureKind::adding:
      return {1e9, 10e12};
    case FigureKind::factor:
      return {0.01, 100};
  }
  return {};
}

double read(FigureKind kind, const std::string& text) { return figure_value(kind, text); }

}  // namespace

SearchRange::SearchRange(std::string name, FigureKind kind, double low, double high)
    : name_(std::move(name)), kind_(kind), low_(low), high_(high) {
  const double steps =
      kind == FigureKind::count ? high - low : std::ceil(std::log(high / low) / std::log(kStep));
  size_ = 1 + static_cast<std::size_t>(std::llround(steps));
}

double SearchRange::value(std::size_t index) const {
  return kind_ == FigureKind::count ? low_ + static_cast<double>(index)
                                    : figure_value(kind_, text(index));
}

std::string SearchRange::text(std::size_t index) const {
  const double place = size_ == 1 ? 0 : static_cast<double>(index) / static_cast<double>(size_ - 1);
  const double exact = low_ * std::pow(high_ / low_, place);
  switch (kind_) {
    case FigureKind::count:
      return std::to_string(std::llround(low_) + static_cast<long long>(index));
    case FigureKind::link_bandwidth:
      return scaled(exact, kBandwidths);
    case FigureKind::link_latency:
      return scaled(exact, kTimes);
    case FigureKind::memory:
      return scaled(exact, kSizes);
    case FigureKind::adding:
      return scaled(exact, kRates);
    case FigureKind::factor:
      return fmt::format("{:.4g}", exact);
  }
  return {};
}

std::size_t SearchRange::index_of(const std::string& text) const {
  const double wanted = read(kind_, text);
  const double place =
      kind_ == FigureKind::count
          ? wanted - low_
          : std::log(wanted / low_) / std::log(high_ / low_) * static_cast<double>(size_ - 1);
  return static_cast<std::size_t>(std::clamp(
      std::isfinite(place) ? std::round(place) : 0.0, 0.0, static_cast<double>(size_ - 1)));
}

FigureKind searched_kind(const std::string& name) {
  all_settings().check_counts(name, Command::simulate, "find " + name);
  if (is_figure(name)) return kind_of_figure(name);
  const Setting setting = all_settings().named(name, "find");
  const bool draws = name == "seed" || name == "repetitions";
  // A setting that accepts any text accepts numbers as names.
  if (!draws && !takes(setting, "name")) {
    for (const FigureKind kind :
         {FigureKind::count, FigureKind::memory, FigureKind::link_latency, FigureKind::factor}) {
      if (takes(setting, example_of(kind))) return kind;
    }
  }
  throw UserError(
      "find " + name + ": " +
      (draws ? "selects random draws, not the subject of forecasts" : "takes no number") +
      "; expected a setting such as nodes, batch or local-steps, or a figure of the "
      "platform such as network.bandwidth");
}

SearchRange usual_range(const std::string& name, const Platform& platform) {
  const FigureKind kind = searched_kind(name);
  const Ends ends = usual_ends(name, kind, platform);
  return {name, kind, ends.low, ends.high};
}

SearchRange parse_range(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = text.find("..", equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || dots == std::string::npos)
    throw UserError("--between: got \"" + text +
                    "\"; expected a name and its least and largest value, such as nodes=2..16");
  const std::string name = text.substr(0, equals);
  const FigureKind kind = searched_kind(name);
  try {
    const double low = read(kind, text.substr(equals + 1, dots - equals - 1));
    const double high = read(kind, text.substr(dots + 2));
    if (low <= 0 || high < low) throw UserError("expected the lesser value first, above 0");
    return {name, kind, low, high};
  } catch (const UserError& error) {
    throw UserError("--between " + name + ": " + error.what());
  }
}

}  // namespace epochcast
