// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/platform.hpp"
#include "core/job/platform_figures.hpp"

// Which figures networks, nodes and devices have, a line of a table each: what is added here is a
// setting, an axis of sweeps and what `find` looks for.

namespace epochcast {

/// What is set in whose place.
struct GivenFigure {
  const std::string& name;
  double value = 0;
  const std::string& workers;  ///< that train, as --workers says
};

/// A figure of the network between nodes; no value: there is none.
struct NetworkFigure {
  std::string_view name;
  FigureKind kind;
  std::optional<double> (*value)(const Platform&);
  void (*set)(Platform&, const GivenFigure&);
};
[[nodiscard]] std::span<const NetworkFigure> network_figures();

/// A figure of a group of nodes; no value: such nodes have none.
struct NodeFigure {
  std::string_view name;
  FigureKind kind;
  std::optional<double> (*value)(const Platform&, const NodeGroup&, const std::string& workers);
  void (*set)(Platform&, NodeGroup&, const GivenFigure&);
};
[[nodiscard]] std::span<const NodeFigure> node_figures();

/// A figure of a kind of device, wherever it is; no value: it is not known.
struct DeviceFigure {
  std::string_view name;
  FigureKind kind;
  std::optional<double> (*value)(const DeviceGroup&);
  void (*set)(DeviceGroup&, double value);
};
[[nodiscard]] std::span<const DeviceFigure> device_figures();

}  // namespace epochcast
