// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "cli/help/command_help.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// The user's choice of columns and order, and the layout.
struct TableStyle {
  TableLook look = {};
  std::vector<std::string> columns = {};  ///< by name, in their order; empty: those that fit
  std::string sorted_by = {};             ///< a column; empty: the table's own order
  bool is_descending = false;
};

/// --wide.
[[nodiscard]] boost::program_options::options_description wide_option();
/// Its value for stdout.
[[nodiscard]] TableLook look_from(const boost::program_options::variables_map& values);

/// --wide, --columns and --sort of tables of forecasts.
[[nodiscard]] boost::program_options::options_description table_options();
/// The same for help and completion, with the columns' names.
[[nodiscard]] HelpGroup table_help();
/// Their values. Throws a UserError: for an unknown column, and with another
/// --format.
[[nodiscard]] TableStyle style_from(const boost::program_options::variables_map& values);

}  // namespace epochcast
