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

CommandHelp validate_help() {
  return {.usage = "EXPERIMENT... [OPTIONS]",
          .about =
              "Forecasts and real runs of experiments with a \"validate\" object "
              "(docs/formats.md).",
          .groups = {help_group("The run", validation_run_options()),
                     help_group("The result", validation_output_options()),
                     help_group("Bounds; exit status 1 when one is exceeded", bound_options())},
          .most_used = {"folder", "repetitions", "html", "save", "format", "max-median-error"},
          .examples = {"epochcast validate tests/validation/quick-here.json --html page.html"}};
}

int run_validate(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add(validation_run_options()).add(validation_output_options()).add(bound_options());
  options.add_options()("file", po::value<std::vector<std::string>>());
  const po::variables_map values = parse_flags("validate", arguments, options, "file");
  const Catalog catalog = Catalog::standard();
  const std::vector<std::filesystem::path> files = files_from(values);
  if (files.empty()) throw UserError("validate: expected one or more experiment files");
  const ValidationWork work =
      validation_work_from(values, {"epochcast", "validate"}, arguments, files);
  const std::vector<ValidationCase> cases = cases_of(files, values, work, catalog);
  WorkFolder folder(work.folder);
  return show(validate(cases, work, folder, catalog), work.output);
}

}  // namespace epochcast
