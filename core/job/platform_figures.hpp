// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/platform.hpp"
#include "core/job/setting.hpp"

// Figures of a platform that a job sets in place of the file's: "what if". Each is a setting whose
// name has a dot, such as network.bandwidth; its text is in JobConfig::platform_figures.

namespace epochcast {

/// The type of a figure's value.
enum class FigureKind { link_bandwidth, link_latency, memory, adding, count, factor };

/// One figure that a platform has.
struct PlatformFigure {
  std::string name;
  FigureKind kind = FigureKind::count;
  double value = 0;  ///< in SI units; of the first part that it applies to
};

/// Whether some platform has a figure of this name: "network.bandwidth".
[[nodiscard]] bool is_figure(std::string_view name);
/// The figures with fixed names: "network.bandwidth", "node.count". Names of device figures contain
/// a model.
[[nodiscard]] std::vector<std::string> general_figures();
/// The type of a figure. Throws a UserError if no platform has such a figure.
[[nodiscard]] FigureKind kind_of_figure(std::string_view name);
/// The commands in which a figure counts; links count if messages are simulated. Throws as
/// kind_of_figure().
[[nodiscard]] Commands commands_of_figure(std::string_view name);
/// The value of a text, in SI units. Throws a UserError that begins with the text.
[[nodiscard]] double figure_value(FigureKind kind, const std::string& text);
/// The canonical text that figure_value() reads as this value.
[[nodiscard]] std::string figure_text(FigureKind kind, double value);

/// Every figure of the platform, general ones before specific ones. `workers`: the class of devices
/// that trains, as --workers says. None of a SimGrid XML file.
[[nodiscard]] std::vector<PlatformFigure> figures_of(const Platform& platform,
                                                     const std::string& workers);

/// Applies the figures of a configuration to its platform; specific ones override general ones.
/// Changed links are of estimated grade, and the measured costs of their messages are adapted
/// (docs/formats.md). Throws a UserError if the platform lacks a figure, or for an impossible
/// value.
void apply_figures(Platform& platform, const JobConfig& config);

}  // namespace epochcast
