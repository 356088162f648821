// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "core/error.hpp"

namespace epochcast {
namespace {

namespace po = boost::program_options;

/// `parts` with one more, unless it is there already.
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

/// All rows, in the order of the files. A configuration may be in one of them only.
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

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
  po::options_description help("Help", 110, 60);
  help.add_options()("help,h", "this text");
  po::options_description shown;
  shown.add(validation_output_options()).add(bound_options()).add(help);
  po::options_description options;
  options.add(shown).add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("report", arguments, options, "file");
  if (values.count("help") > 0) {
    std::cout << "epochcast report FILE...: show results of epochcast validate (--format json) "
                 "again, several as one\n\n"
              << shown
              << "\nExample: epochcast report validation.json --html page.html "
                 "--max-median-error 3%\n";
    return 0;
  }
  if (values.count("file") == 0) {
    throw UserError("report: expected one or more files that epochcast validate wrote");
  }
  const ValidationOutput output = validation_output_from(values);
  const auto& files = values["file"].as<std::vector<std::string>>();
  keep_apart({output.html}, {files.begin(), files.end()});
  return show(merged(files), output);
}

}  // namespace epochcast
