// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "base/text/progress_bar.hpp"
#include "rehearse/runs/rehearse_all.hpp"

namespace epochcast {

/// --folder, --jobs, --on: the place of rehearsals, their number at a time, and who computes.
[[nodiscard]] boost::program_options::options_description rehearsal_place_options();
/// Their values. Throws a UserError.
[[nodiscard]] RehearsalPlace rehearsal_place_from(
    const boost::program_options::variables_map& values, const JobConfig& config);
/// Starts the helpers of --on, which run the words of this command line. Throws a UserError.
void start_study(const boost::program_options::variables_map& values,
                 const std::vector<std::string>& words,
                 RehearsalPlace& place);
/// Shows events on a bar, which must outlive it, and warnings above it.
[[nodiscard]] RehearsalCallbacks news_for(ProgressBar& progress);

}  // namespace epochcast
