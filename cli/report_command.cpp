// SPDX-License-Identifier: Apache-2.0
#include <boost/program_options.hpp>
#include <filesystem>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/options/job_options.hpp"
#include "cli/options/validation_options.hpp"
#include "cli/validation_work.hpp"

namespace epochcast {
namespace po = boost::program_options;

CommandHelp report_help() {
  return {.usage = "FILE... [OPTIONS]",
          .about = "Shows results of epochcast validate (--format json) again, several as one.",
          .groups = {help_group("The result", validation_output_options()),
                     help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
          .most_used = {"html", "format", "max-median-error"},
          .examples = {"epochcast report validation.json --html page.html --max-median-error 3%"}};
}

int run_report(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(validation_output_options()).add(bound_options());
  options.add_options()("help,h", "this text")("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("report", arguments, options, "file");
  const std::vector<std::filesystem::path> files = files_from(values);
  if (files.empty())
    throw UserError("report: expected one or more files that epochcast validate wrote");
  const ValidationOutput output = validation_output_from(values);
  keep_apart({output.html}, files);
  return show(read_validations(files), output);
}

}  // namespace epochcast
