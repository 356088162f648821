// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/files/output_file.hpp"
#include "core/formats/learning_metric.hpp"
#include "strategies/settings.hpp"

namespace epochcast {

/// The settings that count in a command, as flags.
[[nodiscard]] boost::program_options::options_description setting_options(Command command);
/// --experiment, --set, --format, --help.
[[nodiscard]] boost::program_options::options_description common_options();

/// The values of a command's flags. Throws a UserError in our words, with the closest option.
/// `positional`: the option that words without one belong to; "": there is none.
[[nodiscard]] boost::program_options::variables_map parse_flags(
    const std::string& command,
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options,
    const std::string& positional = {});

/// The configuration that --experiment, flags and --set make. Throws a UserError with every
/// problem.
[[nodiscard]] JobConfig config_from(Command command,
                                    const boost::program_options::variables_map& values);

/// Sets what --set says, "batch=64" each. Throws a UserError with every problem.
void apply_assignments(JobConfig& config,
                       Command command,
                       const std::vector<std::string>& assignments);

enum class Format { table, json, csv };
/// The value of --format.
[[nodiscard]] Format format_from(const boost::program_options::variables_map& values);

/// The option --show.
[[nodiscard]] boost::program_options::options_description show_option();
/// Whether --show asks for PyTorch. Throws a UserError for anything else, and without --format
/// table.
[[nodiscard]] bool shows_pytorch(const boost::program_options::variables_map& values);

/// The value of an option that names a file, "" when not given. Throws a UserError for an empty
/// one.
[[nodiscard]] std::string file_from(const boost::program_options::variables_map& values,
                                    const std::string& option);

/// The file of an option that names one to be written, its place tried. Throws a UserError.
[[nodiscard]] OutputFile output_from(const boost::program_options::variables_map& values,
                                     const std::string& option);
/// What a job may read, and no output may replace: the files and folders that the flags name, and
/// the catalogue.
[[nodiscard]] std::vector<std::filesystem::path> inputs_of(
    const boost::program_options::variables_map& values, const JobConfig& config);

/// How many seeds, from --seed on. Throws a UserError.
[[nodiscard]] int seeds_from(const boost::program_options::variables_map& values);
/// --target-accuracy, --target-loss and --target-perplexity, of which one may be given; `what` says
/// what for.
[[nodiscard]] boost::program_options::options_description target_options(const std::string& what);
/// What they ask for; nothing where none is given. Throws a UserError.
[[nodiscard]] std::optional<LearningTarget> target_from(
    const boost::program_options::variables_map& values);
/// Seconds such as 90s or 2min; nothing when the flag is not given. Throws a UserError that names
/// it.
[[nodiscard]] std::optional<double> seconds_from(
    const boost::program_options::variables_map& values, const std::string& flag);

}  // namespace epochcast
