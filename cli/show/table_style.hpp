// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "cli/help/command_help.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// What the user wants to see of a table, and where.
struct TableStyle {
  TableLook look = {};
  std::vector<std::string> columns = {};  ///< by name, in their order; empty: those that fit
  std::string sorted_by = {};             ///< a column; empty: as the table has it
  bool is_descending = false;
};

/// --wide.
[[nodiscard]] boost::program_options::options_description wide_option();
/// What it says of stdout.
[[nodiscard]] TableLook look_from(const boost::program_options::variables_map& values);

/// --wide, --columns and --sort of tables of forecasts.
[[nodiscard]] boost::program_options::options_description table_options();
/// The same for help and completion, which knows the columns.
[[nodiscard]] HelpGroup table_help();
/// What they say. Throws a UserError: for a column that no such table has, and with another
/// --format.
[[nodiscard]] TableStyle style_from(const boost::program_options::variables_map& values);

}  // namespace epochcast
