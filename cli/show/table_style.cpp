// SPDX-License-Identifier: Apache-2.0
#include "cli/show/table_style.hpp"

#include <boost/program_options.hpp>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/forecast_columns.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace po = boost::program_options;
namespace {

constexpr const char* kWideHelp = "all columns of tables, whatever the terminal's width";

void check_column(const std::string& flag, const std::string& name) {
  std::vector<std::string> known;
  for (const ForecastColumn& column : forecast_columns()) {
    if (column.name == name) return;
    known.emplace_back(column.name);
  }
  throw UserError("--" + flag + ": " + unknown_name("column", name, known));
}

}  // namespace

po::options_description wide_option() {
  po::options_description options("Tables", 110, 60);
  options.add_options()("wide", kWideHelp);
  return options;
}

TableLook look_from(const po::variables_map& values) {
  return stdout_look(values.count("wide") > 0);
}

po::options_description table_options() {
  po::options_description options("Tables", 110, 60);
  options.add_options()("wide", kWideHelp)(
      "columns",
      po::value<std::string>()->value_name("NAME,NAME,..."),
      ("these columns, in this order: " + forecast_column_names()).c_str())(
      "sort",
      po::value<std::string>()->value_name("NAME[:desc]"),
      "sort rows by a column instead of ranking them; a sweep is sorted as a whole");
  return options;
}

HelpGroup table_help() {
  HelpGroup group = help_group("Tables", table_options());
  for (OptionHelp& option : group.options) {
    if (option.name == "wide") continue;
    for (const ForecastColumn& column : forecast_columns()) option.words.emplace_back(column.name);
  }
  return group;
}

TableStyle style_from(const po::variables_map& values) {
  TableStyle style = {.look = look_from(values)};
  const bool has_any = values.count("columns") > 0 || values.count("sort") > 0;
  if (has_any && format_from(values) != Format::table)
    throw UserError("--columns, --sort: are of tables; expected --format table");
  if (values.count("columns") > 0) {
    try {
      style.columns = parse_list(values["columns"].as<std::string>(), "names such as epoch,rounds");
    } catch (const UserError& error) {
      throw UserError(std::string("--columns: ") + error.what());
    }
    for (const std::string& name : style.columns) check_column("columns", name);
  }
  if (values.count("sort") > 0) {
    style.sorted_by = values["sort"].as<std::string>();
    const std::size_t colon = style.sorted_by.find(':');
    if (colon != std::string::npos) {
      const std::string order = style.sorted_by.substr(colon + 1);
      if (order != "asc" && order != "desc")
        throw UserError("--sort: " + unknown_name("order", order, {"asc", "desc"}));
      style.is_descending = order == "desc";
      style.sorted_by.resize(colon);
    }
    check_column("sort", style.sorted_by);
  }
  return style;
}

}  // namespace epochcast
