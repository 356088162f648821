// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"

// The plots of a validation's page, as SVG elements. They take their colours from plots_css().

namespace epochcast {

/// Forecast against measured seconds per epoch, on logarithmic axes of the same reach: a marker per
/// row, by strategy, with bars over the forecast's interval and the measured spread; the diagonal
/// and bands of 3 and 8 % around it. "" when no row has findings.
[[nodiscard]] std::string forecast_plot(const std::vector<ValidationRow>& rows);

/// Horizontal bars of each row's phase errors, in % of the measured epoch, and the error of the
/// epoch. When few rows are far beyond the others, their bars are cut. "" when no row has findings.
[[nodiscard]] std::string phase_plot(const std::vector<ValidationRow>& rows);

/// Style sheet of the plots, whose colours of phases are those of pages/web/page.css.
[[nodiscard]] std::string plots_css();

}  // namespace epochcast
