// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// The flags of `epochcast import curves`.
[[nodiscard]] boost::program_options::options_description import_curves_options();

/// `epochcast import curves`: users' training logs become curves for `choose`. The words after
/// `curves`. Throws a UserError.
int run_import_curves(const std::vector<std::string>& arguments);

}  // namespace epochcast
