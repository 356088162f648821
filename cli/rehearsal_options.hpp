// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>

#include "analysis/rehearsals.hpp"

namespace epochcast {

/// --folder, --jobs: where rehearsals run, and how many at a time.
[[nodiscard]] boost::program_options::options_description rehearsal_place_options();
/// Their values. Throws a UserError.
[[nodiscard]] RehearsalPlace rehearsal_place_from(
    const boost::program_options::variables_map& values, const JobConfig& config);

/// An accuracy such as 0.9 or 90%, as a share; nothing when the flag is not given. Throws a
/// UserError that names it.
[[nodiscard]] std::optional<double> accuracy_from(
    const boost::program_options::variables_map& values, const std::string& flag);
/// Seconds such as 90s or 2min. The same.
[[nodiscard]] std::optional<double> seconds_from(
    const boost::program_options::variables_map& values, const std::string& flag);

}  // namespace epochcast
