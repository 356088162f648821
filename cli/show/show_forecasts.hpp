// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <vector>

#include "core/job/forecast_outcome.hpp"

namespace epochcast {

/// A ranked table of the runs at one point of a sweep, with where to doubt them and what could not
/// be forecast.
void show_point(std::ostream& out, const std::vector<ForecastOutcome>& point);
/// What the columns of such tables mean.
void show_legend(std::ostream& out);

}  // namespace epochcast
