// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>

namespace epochcast {

/// The command line's words, by their options. Throws a UserError: an unknown option with the
/// closest known one; `expected` names the options that a stray word may belong to.
[[nodiscard]] boost::program_options::variables_map parse_words(
    const boost::program_options::options_description& options,
    int argc,
    const char* const* argv,
    const std::string& expected);

}  // namespace epochcast
