// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/platform.hpp"
#include "core/job/platform_figures.hpp"

// The figures of networks, nodes and devices, one line of a table each. A line added here is a
// setting, an axis of sweeps and a quantity that `find` can search.

namespace epochcast {

/// A figure that a job sets.
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

/// A figure of a device model, in all nodes; no value: unknown.
struct DeviceFigure {
  std::string_view name;
  FigureKind kind;
  std::optional<double> (*value)(const DeviceGroup&);
  void (*set)(DeviceGroup&, double value);
};
[[nodiscard]] std::span<const DeviceFigure> device_figures();

}  // namespace epochcast
