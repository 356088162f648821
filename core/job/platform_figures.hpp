// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/platform.hpp"
#include "core/job/setting.hpp"

// Figures of a platform that a job sets in place of what the file says: "what if". Each is a
// setting whose name has a dot, such as network.bandwidth; its text lies in
// JobConfig::platform_figures.

namespace epochcast {

/// What a figure's text is read as.
enum class FigureKind { link_bandwidth, link_latency, memory, adding, count, factor };

/// One figure that a platform has.
struct PlatformFigure {
  std::string name;
  FigureKind kind = FigureKind::count;
  double value = 0;  ///< in SI units; that of the first that it speaks of
};

/// Whether a name is that of a figure, of some platform: "network.bandwidth".
[[nodiscard]] bool is_figure(std::string_view name);
/// Those whose names say nothing of a platform: "network.bandwidth", "node.count". Devices have
/// their models in theirs.
[[nodiscard]] std::vector<std::string> general_figures();
/// What a figure measures. Throws a UserError where no platform has such a figure.
[[nodiscard]] FigureKind kind_of_figure(std::string_view name);
/// The commands in which a figure counts: links, where messages are simulated. Throws as
/// kind_of_figure().
[[nodiscard]] Commands commands_of_figure(std::string_view name);
/// The value of a text, in SI units. Throws a UserError that begins with what was got.
[[nodiscard]] double figure_value(FigureKind kind, const std::string& text);
/// The text that figure_value() reads as this value, always written alike.
[[nodiscard]] std::string figure_text(FigureKind kind, double value);

/// Every figure of the platform, those that speak of more than others first. `workers`: the class
/// of devices that trains, as --workers says. None of a SimGrid XML file.
[[nodiscard]] std::vector<PlatformFigure> figures_of(const Platform& platform,
                                                     const std::string& workers);

/// Puts the figures that a configuration gives into its platform, those that speak of less over
/// those that speak of more. Links that differ from their file's are of estimated grade; what was
/// measured of their messages moves with them (docs/formats.md). Throws a UserError where the
/// platform has no such figure, or may not have such a value.
void apply_figures(Platform& platform, const JobConfig& config);

}  // namespace epochcast
