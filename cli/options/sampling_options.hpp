// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>

#include "cli/options/option_values.hpp"
#include "real/measure/sampling/sampling.hpp"

namespace epochcast {

/// Adds --min-samples, --max-samples, --max-seconds, --confidence-width and --warmup, with the
/// defaults of `rule`. `samples` is the name of a point's samples in the help.
void add_sampling_options(boost::program_options::options_description& options,
                          const real::SamplingRule& rule,
                          const std::string& samples);

/// The rule of these options.
[[nodiscard]] real::SamplingRule read_sampling_rule(OptionValues& values);

}  // namespace epochcast
