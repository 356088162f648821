// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/output_file.hpp"
#include "core/formats/learning_metric.hpp"
#include "strategies/settings.hpp"

namespace epochcast {

/// The settings that count in a command, as flags.
[[nodiscard]] boost::program_options::options_description setting_options(Command command);
/// --experiment, --set, --format, --help.
[[nodiscard]] boost::program_options::options_description common_options();

/// The values of a command's flags. Throws a UserError with our message and the closest option.
/// `positional`: the option of words without one; "": there is none.
[[nodiscard]] boost::program_options::variables_map parse_flags(
    const std::string& command,
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options,
    const std::string& positional = {});

/// The configuration from --experiment, flags and --set. Throws a UserError with every
/// problem.
[[nodiscard]] JobConfig config_from(Command command,
                                    const boost::program_options::variables_map& values);

/// Applies the values of --set, "batch=64" each. Throws a UserError with every problem.
void apply_assignments(JobConfig& config,
                       Command command,
                       const std::vector<std::string>& assignments);

enum class Format { table, json, csv };
/// The value of --format.
[[nodiscard]] Format format_from(const boost::program_options::variables_map& values);

/// The option --show.
[[nodiscard]] boost::program_options::options_description show_option();
/// Whether --show is PyTorch. Throws a UserError for anything else, and without --format
/// table.
[[nodiscard]] bool shows_pytorch(const boost::program_options::variables_map& values);

/// The value of an option that names a file, "" when not given. Throws a UserError for an empty
/// one.
[[nodiscard]] std::string file_from(const boost::program_options::variables_map& values,
                                    const std::string& option);

/// The output file of an option, after a check that it can be written. Throws a UserError.
[[nodiscard]] OutputFile output_from(const boost::program_options::variables_map& values,
                                     const std::string& option);
/// The possible inputs of a job, which no output may replace: the files and folders of the flags,
/// and the catalogue.
[[nodiscard]] std::vector<std::filesystem::path> inputs_of(
    const boost::program_options::variables_map& values, const JobConfig& config);

/// The number of seeds, from --seed on. Throws a UserError.
[[nodiscard]] int seeds_from(const boost::program_options::variables_map& values);
/// --target-accuracy, --target-loss and --target-perplexity, of which one may be given; `what` is
/// their purpose.
[[nodiscard]] boost::program_options::options_description target_options(const std::string& what);
/// Their target; absent if none is given. Throws a UserError.
[[nodiscard]] std::optional<LearningTarget> target_from(
    const boost::program_options::variables_map& values);
/// Seconds such as 90s or 2min; absent when the flag is not given. Throws a UserError that names
/// it.
[[nodiscard]] std::optional<double> seconds_from(
    const boost::program_options::variables_map& values, const std::string& flag);

}  // namespace epochcast
