// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/validate/ablation.hpp"
#include "analysis/validate/forecast_again.hpp"
#include "base/error.hpp"
#include "base/text/progress_bar.hpp"
#include "base/text/shell_text.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/show/show_ablation.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

/// Adds a text to `parts` unless they contain it.
void add_once(std::vector<std::string>& parts, const std::string& text) {
  if (!text.empty() && std::find(parts.begin(), parts.end(), text) == parts.end()) {
    parts.push_back(text);
  }
}

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

/// All rows, in the order of the files. Each configuration may occur in one of them only.
ValidationFile merged(const std::vector<std::string>& files) {
  ValidationFile all;
  std::vector<std::string> file_of_row;
  std::vector<std::string> commands;
  std::vector<std::string> dates;
  std::vector<std::string> problems;
  for (const std::string& file : files) {
    ValidationFile one;
    try {
      one = read_validation(file);
    } catch (const UserError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      continue;
    }
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      const auto same =
          std::find_if(all.rows.begin(), all.rows.end(), [&](const ValidationRow& row) {
            return row.group == one.rows[i].group && row.point == one.rows[i].point;
          });
      if (same != all.rows.end()) {
        problems.push_back(file + ": /rows/" + std::to_string(i) + ": \"" + same->point +
                           "\" of \"" + same->group + "\" is in " +
                           file_of_row[static_cast<std::size_t>(same - all.rows.begin())] +
                           " already");
      }
      all.rows.push_back(std::move(one.rows[i]));
      file_of_row.push_back(file);
    }
    add_once(commands, one.command);
    add_once(dates, one.date);
  }
  if (!problems.empty()) throw UserError(problems);
  all.command = joined(commands, "\n");
  all.date = joined(dates, ", ");
  return all;
}

/// "uplink, backbone, ...".
std::string mechanism_names() {
  std::vector<std::string> names;
  for (const Mechanism& mechanism : mechanisms()) names.emplace_back(mechanism.name);
  return joined(names, ", ");
}

po::options_description again_options() {
  po::options_description options("Forecasts made again", 110, 60);
  options.add_options()("forecast-again",
                        "show new forecasts of this program from the measurements, instead of the "
                        "old ones; nothing is measured or run")(
      "without",
      po::value<std::string>()->value_name("MECHANISM,..."),
      ("forecasts made again without these: " + mechanism_names()).c_str())(
      "ablation", "errors of forecasts without each of these (or of all), one at a time")(
      "folder",
      po::value<std::string>()->value_name("FOLDER"),
      "present place of the validation's --folder (default: not moved)");
  return options;
}

/// The rows to be forecast again, if any.
struct AgainOptions {
  bool is_wanted = false;
  bool is_ablation = false;
  std::vector<Mechanism> without;
  std::string folder;
};

AgainOptions again_options_from(const po::variables_map& values) {
  AgainOptions again;
  std::vector<std::string> problems;
  again.is_ablation = values.count("ablation") > 0;
  if (values.count("without") > 0) {
    try {
      again.without = find_mechanisms(
          parse_list(values["without"].as<std::string>(), "mechanisms separated by commas"));
    } catch (const UserError& error) {
      for (const std::string& problem : error.problems())
        problems.push_back("--without: " + problem);
    }
  } else if (again.is_ablation) {
    again.without = mechanisms();
  }
  again.is_wanted =
      again.is_ablation || values.count("without") > 0 || values.count("forecast-again") > 0;
  again.folder = file_from(values, "folder");
  if (!again.folder.empty() && !again.is_wanted)
    problems.emplace_back("--folder: counts with --forecast-again, --without or --ablation only");
  if (!problems.empty()) throw UserError(problems);
  return again;
}

/// Rows with all mechanisms, and then without each of `left_out`.
std::vector<std::vector<ValidationRow>> forecasts_again(
    const std::vector<ValidationRow>& rows,
    const std::vector<std::vector<Mechanism>>& left_out,
    const AgainOptions& again) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  std::optional<ProgressBar> bar;
  return forecast_again(
      rows,
      left_out,
      again.folder,
      Catalog::standard(),
      [&](const std::string& step, std::size_t done, std::size_t all) {
        if (!bar)
          bar.emplace(std::cerr, is_terminal, "forecasting again", static_cast<double>(all));
        bar->update(static_cast<double>(done), is_terminal ? step + ", " : "");
      });
}

int report_ablation(const ValidationFile& file,
                    const AgainOptions& again,
                    const ValidationOutput& output) {
  const auto left_out = one_after_the_other(again.without);
  const Ablation ablation(left_out, forecasts_again(file.rows, left_out, again));
  switch (output.format) {
    case ValidationOutput::Format::table:
      show_ablation(std::cout, ablation, output.look);
      break;
    case ValidationOutput::Format::json:
      // The command line may be invalid UTF-8.
      std::cout << ablation.json(file.command, file.date)
                       .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << '\n';
      break;
    case ValidationOutput::Format::markdown:
      show_ablation_markdown(std::cout, ablation);
      break;
  }
  return 0;
}

}  // namespace

CommandHelp report_help() {
  return {
      .usage = "FILE... [OPTIONS]",
      .about = "Shows results of epochcast validate (--format json) again, several as one.",
      .groups = {help_group("The result", validation_output_options()),
                 help_group("Forecasts made again", again_options()),
                 help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
      .most_used = {"html", "format", "forecast-again", "without", "ablation", "max-median-error"},
      .examples = {"epochcast report validation.json --html page.html --max-median-error 3%",
                   "epochcast report validation.json --ablation"}};
}

int run_report(const std::vector<std::string>& arguments) {
  po::options_description help("Help", 110, 60);
  help.add_options()("help,h", "this text");
  po::options_description shown;
  shown.add(validation_output_options()).add(again_options()).add(bound_options()).add(help);
  po::options_description options;
  options.add(shown).add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("report", arguments, options, "file");
  if (values.count("file") == 0) {
    throw UserError("report: expected one or more files that epochcast validate wrote");
  }
  const ValidationOutput output = validation_output_from(values);
  const AgainOptions again = again_options_from(values);
  if (again.is_ablation && (output.html.is_wanted() || output.bounds != ValidationBounds()))
    throw UserError(
        "--ablation: has no page and no bounds; leave out --html, --max-... and --min-...");
  const auto& files = values["file"].as<std::vector<std::string>>();
  keep_apart({output.html}, {files.begin(), files.end()});
  ValidationFile file = merged(files);
  if (!again.is_wanted) return show(file, output);
  std::vector<std::string> command = {"epochcast", "report"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  file.command += "\n" + shell_text(command);
  if (again.is_ablation) return report_ablation(file, again, output);
  std::vector<std::vector<Mechanism>> left_out;
  if (!again.without.empty()) left_out.push_back(again.without);
  file.rows = forecasts_again(file.rows, left_out, again).back();
  return show(file, output);
}

}  // namespace epochcast
