// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "lab/ablation/mechanisms.hpp"

namespace epochcast {

/// The usage of commands that read kept validations.
inline constexpr const char* kKeptUsage = "FOLDER|RESULT... [OPTIONS]";

/// --folder and --help.
[[nodiscard]] boost::program_options::options_description kept_options();

/// The values of the flags of `epochcast-lab COMMAND`: these, and kept_options().
[[nodiscard]] boost::program_options::variables_map kept_values(
    const std::string& command,
    const std::vector<std::string>& arguments,
    boost::program_options::options_description options);

/// Results of validations, as one, and where the folder with their measurements lies now (empty:
/// where it was).
struct KeptValidation {
  ValidationFile file;
  std::string folder;
};
/// The results that the arguments name. A folder, alone, stands for the results in it, beside the
/// measurements. Throws a UserError.
[[nodiscard]] KeptValidation kept_validation(const std::string& command,
                                             const std::vector<std::string>& arguments,
                                             const boost::program_options::variables_map& values);

/// --without.
[[nodiscard]] boost::program_options::options_description without_option();
/// Its mechanisms; none if it is not given. Throws a UserError with every problem.
[[nodiscard]] std::vector<Mechanism> without_from(
    const boost::program_options::variables_map& values);

/// Writes it; what is no UTF-8, such as parts of a command line, is replaced.
void show_json(std::ostream& out, const nlohmann::ordered_json& json);

/// forecast_again() with a bar on stderr.
[[nodiscard]] std::vector<std::vector<ValidationRow>> forecasts_again(
    const KeptValidation& kept, const std::vector<std::vector<Mechanism>>& left_out);

}  // namespace epochcast
