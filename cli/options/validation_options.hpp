// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "base/files/output_file.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// --max-median-error, --min-tau and the other bounds on a validation's figures.
[[nodiscard]] boost::program_options::options_description bound_options();
/// Their values; shares are written "3%" or "0.03". Throws a UserError with every problem.
[[nodiscard]] ValidationBounds bounds_from(const boost::program_options::variables_map& values);

/// --format.
[[nodiscard]] boost::program_options::options_description format_option();
/// --format, --html and --wide.
[[nodiscard]] boost::program_options::options_description validation_output_options();

/// The output of a validation: read from the flags before the work begins, to report mistakes
/// early.
struct ValidationOutput {
  enum class Format { table, json, markdown };
  Format format = Format::table;
  TableLook look;
  OutputFile html;  ///< the page
  ValidationBounds bounds;
};
/// The value of --format. Throws a UserError.
[[nodiscard]] ValidationOutput::Format validation_format_from(
    const boost::program_options::variables_map& values);
/// The values of validation_output_options and bound_options. Throws a UserError.
[[nodiscard]] ValidationOutput validation_output_from(
    const boost::program_options::variables_map& values);

/// Writes the page, shows the validation on stdout and exceeded bounds on stderr. Returns the exit
/// status: 1 if any bound is exceeded. Throws a RunError when the page cannot be written.
[[nodiscard]] int show(const ValidationFile& validation, const ValidationOutput& output);

}  // namespace epochcast
